/* The directory as a reader sees it: parsed rows and what is computed from them, kept as long as they are true. One per
 * process; used from fibers. What these functions return lives until the fiber suspends or directory_refresh is called,
 * except entries and held bodies, which are counted. */
#ifndef DIRECTORY_DIRECTORY_H
#define DIRECTORY_DIRECTORY_H
#include "base/conf.h"
#include "base/crypto.h"
#include "directory/contract.h"
#include "directory/row.h"
#include "lang/authspec.h"
#include "lang/docstring.h"
#include "schema/schema.h"
#include "store/shared.h"

enum {
	DIRECTORY_ENTRIES_MAX = 8 << 20,        /* bytes of parsed rows kept, about; the ones not used for longest go */
	DIRECTORY_BODIES_MAX = 4 << 20,         /* bytes of rendered bodies kept, names included */
	DIRECTORY_CHANGES_MAX = 256,            /* changes followed one by one; more at once: all is read again */
};

struct directory;

/* A row, parsed. Immutable; shared by requests; lives until its last reference is dropped, whatever happens to the
 * directory meanwhile. Every text has a NUL behind its bytes. */
struct entry {
	struct row row;
	struct str key, type, target, auth, content, category;  /* of row; p never NULL, empty when null */
	bool enabled, planner_visible, sensitive;
	/* What keywords of its input_schema say. */
	bool strict;                            /* x-strict, or x-in */
	bool output;                            /* x-output-schema: there is a schema for its result */
	bool mcp_content;                       /* x-mcp-content: its result is the content of an MCP result */
	bool mcp_requires;                      /* x-mcp-requires: MCP clients need capabilities */
	bool mcp_headers;                       /* x-mcp-header of a property: MCP clients repeat its value */
	struct docstring doc;
	char digest[CRYPTO_HEX];                /* contract */
	struct str contract;                    /* canonical contract text */
	char etag[ROW_ETAG];
	int64_t identity;                       /* event sequence of its creation; 0 when there is no event */
	int64_t version;                        /* event sequence of its last change */
};

/* NULL with why. Opens directory.db and ledger.db read-only. shared may be NULL (rowcall): then every look-up checks
 * PRAGMA data_version. */
struct directory *directory_open(const struct conf *conf, struct shared *shared, struct problem *why);
void directory_close(struct directory *d);              /* NULL is fine; no entry may be referenced any more */
struct db *directory_db(struct directory *d);           /* read-only connection to directory.db */
struct db *directory_ledger(struct directory *d);       /* read-only connection to ledger.db */
const struct conf *directory_conf(const struct directory *d);
/* The generation that the next look-ups answer for; when it moved, what changed since is forgotten: bodies all, entries
 * and list places of the rows that the event log names, and of those that include them. Called once at the start of
 * each request and after own writes; one atomic load when nothing moved. */
uint64_t directory_refresh(struct directory *d);

/* The entry, referenced; the reference is dropped at the arena's reset. *out NULL when there is no such row (enabled or
 * not: the caller decides). -1 with why 503 `ledger_unavailable` when the file cannot be read. */
int directory_get(struct directory *d, struct arena *a, struct str key, struct entry **out, struct problem *why);
/* The same, read from the file now and not kept: what a change starts from. */
int directory_read(struct directory *d, struct arena *a, struct str key, struct entry **out, struct problem *why);
/* As directory_get, but a row that was not in memory is not kept: for a pass over all rows, which would push out what
 * is called. */
int directory_glance(struct directory *d, struct arena *a, struct str key, struct entry **out, struct problem *why);
/* The row's input_schema, compiled at the first question and kept with the entry; it lives as long. NULL when there is
 * none or it is unusable. */
const struct schema *directory_validator(struct directory *d, const struct entry *e);
/* The same of its x-output-schema, for its result. */
const struct schema *directory_output(struct directory *d, const struct entry *e);
/* The row's input_schema parsed, the arena's (the caller's when a is NULL). NULL when there is none or the stored text is no JSON. */
struct json_object *directory_schema(struct arena *a, const struct entry *e);
/* All rows in canonical order (rows with seq first, by seq, then by key). row_num is the index + 1. NULL and n 0 when
 * there are none, or when they cannot be read (logged). */
struct directory_item {
	struct str key, category, type;         /* category p NULL when null */
	bool enabled, planner_visible, sensitive, has_seq;
	int64_t planner_rank, seq;
	int64_t identity;                       /* 0: none */
};
const struct directory_item *directory_items(struct directory *d, size_t *n);
int64_t directory_row_num(struct directory *d, struct str key);         /* 0: none */

/* The blocks that `includes` names, as contract_build takes them; keys point into includes. Each of the
 * `insteads` stands for what is stored under its key. Returns how many, or -1 when the file cannot be read. */
struct directory_block { struct str key, content; bool gone; };
int directory_blocks(struct directory *d, struct str includes, const struct directory_block *instead, size_t insteads,
	struct contract_block out[CONTRACT_INCLUDES_MAX]);

/* Rendered bodies, kept for the generation: `name` says which ("registry", "document:KEY:md"). p NULL when absent; put
 * keeps a copy and returns it (body itself when it is too large to keep). Bounded: those not used for longest go. hold keeps the body
 * of that name alive until the arena's reset, for answers that are sent while other fibers run; it does nothing for one
 * that is not kept, which is the caller's own memory. */
struct str directory_body_get(struct directory *d, const char *name);
struct str directory_body_put(struct directory *d, const char *name, struct str body);
void directory_body_hold(struct directory *d, struct arena *a, const char *name);

/* Who may see a row: decided by the caller of these through this predicate. */
struct directory_reader { bool (*reads)(void *ctx, struct str key, struct str category, bool enabled); void *ctx; };
bool directory_reads(const struct directory_reader *r, const struct directory_item *i);

#endif
