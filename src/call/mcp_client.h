/* A client of somebody else's MCP server over Streamable HTTP, in both eras of the protocol: 2026-07-28, where every
 * request stands alone, and the revisions up to 2025-11-25, where `initialize` comes first. All of it runs on a fiber. */
#ifndef CALL_MCP_CLIENT_H
#define CALL_MCP_CLIENT_H
#include "base/json.h"
#include "call/upstream.h"

enum {
	MCP_CLIENT_SERVERS = 64,                /* whose era a process remembers; the oldest goes */
	MCP_CLIENT_REMEMBER_S = 600,            /* for so long */
	MCP_CLIENT_SESSION_MAX = 1024,          /* bytes of a session id */
	MCP_CLIENT_GOODBYE_MS = 1000,           /* for the end of a session; what it answers is not looked at */
	MCP_CLIENT_PAGES = 100,                 /* of a server's list of tools */
	MCP_CLIENT_TOOLS = 10000,
};

/* Why there is no result: text and, behind it, what the server has sent. */
struct mcp_fault {
	/* All of a result text, or its beginning: `ERR:http:…` as of http rows, `ERR:mcp:<code>:` (JSON-RPC),
	 * `ERR:mcp:bad_answer:<what>`, `ERR:mcp:too_large:<bytes>`, `ERR:mcp:unsupported_version:<version>`,
	 * `ERR:mcp:input_required`. */
	struct buf text;
	struct str content_type, body;          /* p NULL: nothing more */
	bool cut;                               /* body is the beginning of a longer one */
};

struct mcp_client {
	struct arena *arena;                    /* holds all that follows */
	struct str url, scheme, authority;      /* of the server, as in struct outbound_request */
	const struct authspec *auth;
	struct secrets *secrets;
	int64_t deadline_us;                    /* monotonic; for all requests but the end of a session */
	size_t max_body;                        /* of an answer; 0: the setting */
	struct cancel *cancel;                  /* as in struct outbound_request; does not keep a session from its end */
	struct json_object *schema;             /* of the tool to be called, for its x-mcp-header; NULL: not known */

	int status;                             /* of the last answer, 0: none */
	struct mcp_fault fault;                 /* with -1 */
	/* Its own: */
	const char *version;                    /* of the protocol, NULL before mcp_client_open */
	bool legacy;
	struct str session;                     /* "" when the server has minted none */
	int64_t id;
	struct outbound_request q;
	struct outbound_response r;
};

/* Finds out which era the server speaks, with server/discover, unless that is remembered, and begins a session with one
 * of the legacy era. Fields down to `schema` are set, the others zero. -1 with m->fault. */
int mcp_client_open(struct mcp_client *m);
/* One tools/call, which is sent once. -1 with m->fault. *result: the arena's. */
int mcp_client_call(struct mcp_client *m, struct str tool, struct json_object *arguments, struct json_object **result);
/* The server's tools, all pages: an array of objects as they came, the arena's. -1 with m->fault; more pages or tools than
 * the limits are `ERR:mcp:too_large:…`. */
int mcp_client_list_tools(struct mcp_client *m, struct json_object **tools);
/* Ends the session, if there is one. After every mcp_client_open, whatever came of it. */
void mcp_client_close(struct mcp_client *m);
/* The tools/call as it goes to a server of the modern era, without its credential, in m->q: nothing is sent. */
void mcp_client_preview(struct mcp_client *m, struct str tool, struct json_object *arguments);

#endif
