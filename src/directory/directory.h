/* The directory as a reader sees it: parsed rows and what is computed from them, cached for one generation. One per process; used from fibers, never
 * across a suspension except for entries, which are counted. */
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

struct directory;

/* A row, parsed. Immutable; shared by requests; lives until its last reference is dropped, whatever happens to the directory meanwhile. */
struct entry {
	unsigned refs;
	struct arena *arena;
	struct row row;
	struct str key, type, target, auth, content, category;  /* of row; p never NULL, empty when null */
	bool enabled, planner_visible, sensitive;
	struct docstring doc;
	struct json_object *schema;             /* parsed input_schema or NULL (also when stored text is no JSON) */
	struct schema *validator;               /* compiled, or NULL */
	char digest[CRYPTO_HEX];                /* contract */
	struct str contract;                    /* canonical contract text */
	char etag[ROW_ETAG];
	int64_t identity;                       /* event sequence of its creation; 0 when there is no event */
	int64_t version;                        /* event sequence of its last change */
};

/* NULL with why. Opens directory.db and ledger.db read-only. shared may be NULL (rowcall): then every look-up checks PRAGMA data_version. */
struct directory *directory_open(const struct conf *conf, struct shared *shared, struct problem *why);
void directory_close(struct directory *d);
struct db *directory_db(struct directory *d);           /* read-only connection to directory.db */
struct db *directory_ledger(struct directory *d);       /* read-only connection to ledger.db */
const struct conf *directory_conf(const struct directory *d);
/* The generation that the next look-ups answer for; drops the caches when it moved. Called once at the start of each request and after own writes. */
uint64_t directory_refresh(struct directory *d);

/* The entry, referenced; the reference is dropped at the arena's reset. *out NULL when there is no such row (enabled or not: the caller decides). -1 with why 503 when the file cannot be read. */
int directory_get(struct directory *d, struct arena *a, struct str key, struct entry **out, struct problem *why);
/* All keys with category and flags in canonical order (rows with seq first, by seq, then by key), cached for the generation. row_num is the index + 1. */
struct directory_item { struct str key, category, type; bool enabled, planner_visible, sensitive; int64_t planner_rank; };
const struct directory_item *directory_items(struct directory *d, size_t *n);
int64_t directory_row_num(struct directory *d, struct str key);         /* 0: none */

/* Rendered bodies, kept for the generation: `name` says which ("registry", "document:KEY:md"). p NULL when absent; put copies. Bounded: the oldest go. */
struct str directory_body_get(struct directory *d, const char *name);
struct str directory_body_put(struct directory *d, const char *name, struct str body);

/* Who may see a row: decided by the caller of these through this predicate. */
struct directory_reader { bool (*reads)(void *ctx, struct str key, struct str category, bool enabled); void *ctx; };
bool directory_reads(const struct directory_reader *r, const struct directory_item *i);

#endif
