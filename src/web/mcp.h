/* MCP (Model Context Protocol) at POST /mcp: one JSON-RPC message a request, no sessions. Two eras are served, told
 * apart by the body: "modern", revision 2026-07-28, where each request says in params._meta what it needs, and
 * "legacy", 2025-11-25 and before, which begins with `initialize`. Adding a method: a row in mcp.c's table, a function
 * in a file of its own, a paragraph in man/rowcall-api.7. */
#ifndef WEB_MCP_H
#define WEB_MCP_H
#include "web/rest.h"
#include "web/sse.h"

#define MCP_PATH "/mcp"
#define MCP_OWN  "org.rowcall/"         /* before the names of our members of _meta */
#define MCP_STD  "io.modelcontextprotocol/"

/* Each is a bit, so that a method may name several. */
enum mcp_era { MCP_LEGACY = 1 << 0, MCP_MODERN = 1 << 1 };

enum mcp_code {
	MCP_PARSE_ERROR = -32700,
	MCP_INVALID_REQUEST = -32600,
	MCP_METHOD_NOT_FOUND = -32601,
	MCP_INVALID_PARAMS = -32602,
	MCP_INTERNAL_ERROR = -32603,
	MCP_RESOURCE_NOT_FOUND = -32002,        /* legacy; a modern client is told -32602 */
	MCP_REFUSED = -32000,                   /* credential, Origin, HTTP method: error.data has our error form */
	MCP_HEADER_MISMATCH = -32020,
	MCP_CAPABILITY_MISSING = -32021,
	MCP_VERSION_UNSUPPORTED = -32022,
};

enum { MCP_FIXED_TTL_MS = 3600 * 1000 };        /* of what changes with the program alone */

/* A request that is being answered. */
struct mcp {
	struct rest *r;
	enum mcp_era era;
	const char *version;            /* protocol revision */
	bool loop;                      /* ?mode=loop */
	struct str id;                  /* its JSON text */
	struct json_object *params;     /* an object, or NULL */
	struct json_object *meta;       /* params._meta, an object, or NULL */
	const struct dispatch_progress *progress;       /* who hears of the steps of a call; NULL: nobody */
	struct buf out;
};

struct mcp_method {
	const char *name;
	unsigned eras;
	const char *named;              /* member of params that the header Mcp-Name repeats; NULL: none */
	/* Server capabilities that it brings, separated by blanks; "tools.listChanged" is a member of "tools" and counts
	 * where another method brings "tools". NULL: none. */
	const char *brings;
	bool gated;                     /* the gate judges a token that is revoked or expired; else it is refused before */
	void (*handle)(struct mcp *m);
};

/* routes.c: POST /mcp */
void mcp_post(struct rest *r);
/* router.c: the answer to a request that never reached its method, in JSON-RPC's form, with the id when the body has
 * one. */
void mcp_refuse(struct rest *r, const struct problem *why);

/* For methods. A result: mcp_begin gives the buffer, inside of `result`, for members by emit.h; mcp_end answers with
 * it. */
struct buf *mcp_begin(struct mcp *m);
void mcp_end(struct mcp *m);
/* `ttlMs` and `cacheScope` of a modern result; nothing in a legacy one. ttl_ms: how long it surely stays true.
 * shared: it is the same for every caller. */
void mcp_cacheable(struct mcp *m, int64_t ttl_ms, bool shared);
/* Answers with a JSON-RPC error. data: taken, or NULL. */
void mcp_error(struct mcp *m, enum mcp_code code, struct json_object *data, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The same for what failed, or was refused, outside of the protocol: HTTP status and headers are those of why. */
void mcp_problem(struct mcp *m, const struct problem *why);
/* A notification in a stream: begin opens `params` for members, end sends it, as sse_send; out is malloc's, and freed. */
void mcp_notice_begin(struct buf *out, const char *method);
int mcp_notice_end(struct buf *out, struct sse *s);
/* A string of params; p NULL when absent. -1 after answering -32602: it is no string, or absent and needed. */
int mcp_string(struct mcp *m, const char *name, bool needed, struct str *out);
/* 0 when the header repeats what the body says, plainly or as =?base64?…?=; body.p NULL: it says nothing, and there is to
 * be no header. -1 after answering -32020. */
int mcp_agree(struct mcp *m, const char *name, struct str body);
/* 0 when the client has declared what `needed` names (an object as ClientCapabilities; NULL: nothing). -1 after
 * answering -32021. What a legacy client declared at `initialize` is not known here, and taken for granted. */
int mcp_client_has(struct mcp *m, struct json_object *needed);
/* Whether a method of the era brings the capability. */
bool mcp_serves(enum mcp_era era, const char *capability);

/* mcp_progress.c: tools/call, with its steps told when params._meta has a progressToken and the client takes events */
void mcp_progress_call(struct mcp *m);

/* mcp_listen.c: a stream that tells of changes */
void mcp_listen(struct mcp *m);

/* mcp_rows.c: rows as MCP shows them: those that are enabled, planner_visible and readable, and their lists in pages */
struct mcp_view {
	const char *name;               /* of the list in the result: "tools" */
	/* False: it is not in the list, as far as that is known of the row's item. */
	bool (*lists)(const struct caller *who, const struct directory_item *item);
	/* Appends what is said of a row; false: it is not in the list, and nothing was appended. */
	bool (*emit)(const struct mcp *m, struct buf *out, struct arena *a, const struct entry *e);
};
/* Answers with the page behind params.cursor: at most `mcp_page` rows by planner_rank and key. */
void mcp_rows_list(struct mcp *m, const struct mcp_view *view);
/* The cursor of a list that is always one page: -1 after answering that there is no other. */
int mcp_rows_only_page(struct mcp *m);
/* mcp_cacheable of what the next write may change, and what the credential sees of it. */
void mcp_rows_cacheable(struct mcp *m);
/* The keys that its list may have, in its order; the request's. */
size_t mcp_rows_keys(struct mcp *m, const struct mcp_view *view, struct str **out);
/* The row, NULL for one that is hidden as for one that is not there. -1 after answering: it cannot be read. */
int mcp_rows_find(struct mcp *m, struct str key, struct entry **out);
/* `_meta` of what is said of a row: the digest of its contract. */
void mcp_rows_meta(struct buf *out, const struct entry *e);
/* Whether the gate lets the caller call it, whatever the arguments. */
bool mcp_rows_callable(const struct mcp *m, const struct entry *e);

/* mcp_resources.c: contract documents as resources */
#define MCP_RESOURCES_CONTRACT "rowcall://contract/"
#define MCP_RESOURCES_TEMPLATE MCP_RESOURCES_CONTRACT "{key}"
extern const struct mcp_view mcp_resources_view;
void mcp_resources_list(struct mcp *m);
void mcp_resources_templates(struct mcp *m);
void mcp_resources_read(struct mcp *m);
/* Appends the contract behind uri as an embedded resource. 1; 0: uri is none that the caller sees, and nothing was
 * appended. -1 after answering. */
int mcp_resources_block(struct mcp *m, struct buf *out, struct str uri);

/* mcp_prompts.c: agent rows that change nothing as prompts */
enum { MCP_PROMPTS_CONTRACTS = 20 };    /* addresses that are looked up for one; further ones are text */
void mcp_prompts_list(struct mcp *m);
void mcp_prompts_get(struct mcp *m);
/* The row, when the caller sees it as a prompt or may at least know why it is none. NULL after answering. */
struct entry *mcp_prompts_find(struct mcp *m, struct str name);
/* Its arguments, as tool_schema; the arena's. */
struct json_object *mcp_prompts_schema(const struct mcp *m, struct arena *a, const struct entry *e);

/* mcp_complete.c: what an argument may be */
void mcp_complete(struct mcp *m);

/* mcp_tools.c: rows as tools */
void mcp_tools_list(struct mcp *m);
void mcp_tools_call(struct mcp *m);
/* Runs q, which has a key and its arguments, and answers with the tool's result. Credential, trace, idempotency
 * (Idempotency-Key, or MCP_OWN "idempotency-key" of _meta) and the digest that the caller read (MCP_OWN "contract") are
 * filled in. e: the row, or NULL. */
void mcp_tools_run(struct mcp *m, struct dispatch_request *q, const struct entry *e);

/* mcp_loop.c: the four tools of ?mode=loop */
void mcp_loop_list(struct mcp *m);
void mcp_loop_call(struct mcp *m, struct str name, struct json_object *arguments);

/* mcp_result.c: what a tool's result looks like */
/* Appends a block of text. */
void mcp_result_block(struct buf *out, struct str text);
/* Appends the block that a data: URI in base64 is: pictures and sounds are blocks of their own, other bytes a resource
 * embedded as uri (NULL: they are not taken). False: text is none, and nothing was appended. */
bool mcp_result_media(struct buf *out, struct str text, const char *uri);
/* The result of a call that ran. */
void mcp_result_run(struct mcp *m, const struct dispatch_result *d, const struct entry *e);
/* A call that was refused: isError, the literal reason behind `ERR:`, what to do about it in further lines. */
void mcp_result_refused(struct mcp *m, const struct problem *why);
/* A text that no row gave. json: it is one object, and the structured content too. */
void mcp_result_text(struct mcp *m, struct str text, bool json);

#endif
