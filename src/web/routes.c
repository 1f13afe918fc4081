/* The interface in one table: method, path, who may call, handler. Status 405 with Allow, OPTIONS, HEAD, the indexes
 * and unrecognized_request are derived from it. Checks of credential and body are router.c's. */
#include <string.h>
#include "web/mcp.h"
#include "web/rest.h"
#include "web/routes.h"

#define DISPATCH "/api/dispatch"
#define ROW "/api/directory/{key}"

/* Rows of one path stand together, literal paths before placeholders; of the rows with a selector the first that
 * takes all parameters wins. */
static const struct route routes[] = {
	{ "GET", "/", NULL, "", WHO_ANYONE, ROUTE_DOCUMENT, rest_service_index, "this index" },
	{ "GET", "/api/healthz", NULL, "", WHO_ANYONE, ROUTE_DOCUMENT | ROUTE_FORGIVING, rest_service_healthz,
	  "200 when a call would work" },
	{ "GET", "/api/status", NULL, "", WHO_METRICS, ROUTE_DOCUMENT, rest_service_status,
	  "processes, generations, counters" },
	{ "GET", "/api/metrics", NULL, "", WHO_METRICS, ROUTE_DOCUMENT, rest_service_metrics,
	  "the counters in Prometheus' text format" },

	{ "GET", "/api/openapi.json", NULL, "", WHO_ANYONE, ROUTE_DOCUMENT, rest_projection_openapi,
	  "this interface and every readable row as OpenAPI 3.1" },
	{ "GET", "/llms.txt", NULL, "", WHO_ANYONE, ROUTE_DOCUMENT, rest_projection_llms,
	  "how to begin, and readable rows, as text for language models" },

	{ "GET", "/api/directory", NULL, "type category enabled q limit cursor row_num", WHO_ANYONE, ROUTE_DOCUMENT,
	  rest_directory_list, "readable rows" },
	{ "POST", "/api/directory", NULL, "", WHO_OWNER, ROUTE_BODY, rest_directory_create, "adds a row" },
	{ "POST", "/api/directory/batch", NULL, "as_is", WHO_OWNER, ROUTE_BODY, rest_directory_batch,
	  "several changes, all of them or none" },
	{ "GET", "/api/directory/search", NULL, "q limit", WHO_ANYONE, ROUTE_DOCUMENT, rest_ask_search,
	  "readable rows, best first" },
	{ "GET", "/api/directory/categories", NULL, "", WHO_ANYONE, ROUTE_DOCUMENT, rest_directory_categories,
	  "categories of readable rows with counts" },
	{ "GET", ROW, NULL, "", WHO_ANYONE, ROUTE_DOCUMENT, rest_directory_get, "one row, with ETag" },
	{ "PUT", ROW, NULL, "as_is", WHO_OWNER, ROUTE_BODY, rest_directory_put, "replaces or adds a row; If-Match" },
	{ "PATCH", ROW, NULL, "", WHO_OWNER, ROUTE_BODY, rest_directory_patch, "sets fields of a row; If-Match" },
	{ "DELETE", ROW, NULL, "", WHO_OWNER, 0, rest_directory_delete,
	  "removes a row; its receipts and history stay; If-Match" },
	{ "GET", ROW "/history", NULL, "limit cursor", WHO_OWNER, ROUTE_DOCUMENT, rest_event_history,
	  "changes of a row, newest first" },
	{ "POST", ROW "/restore", NULL, "", WHO_OWNER, ROUTE_BODY, rest_directory_restore,
	  "a row as it was after an event, or with a contract" },
	{ "GET", "/api/contract/{digest}", NULL, "", WHO_ANYONE, ROUTE_DOCUMENT, rest_event_contract,
	  "the contract that a digest stands for" },
	{ "GET", "/api/events", NULL, "since newest limit", WHO_OWNER, ROUTE_DOCUMENT, rest_event_list, "the event log" },
	{ "GET", "/api/events/verify", NULL, "", WHO_OWNER, 0, rest_event_verify,
	  "recomputes the chain of the event log" },

	{ "POST", "/api/run/{key}", NULL, "shape contract", WHO_ANYONE, ROUTE_BODY | ROUTE_RAN | ROUTE_GATED,
	  rest_dispatch_run, "runs a row: the body is its arguments by name, or {\"body\"} of a row without a schema" },
	{ "POST", DISPATCH, NULL, "", WHO_ANYONE, ROUTE_BODY | ROUTE_BODY_TOKEN | ROUTE_RAN | ROUTE_GATED,
	  rest_dispatch_post,
	  "runs a row: {\"key\",\"body\"} or {\"key\",\"args\"}" },
	{ "GET", DISPATCH, "key", "format", WHO_ANYONE, ROUTE_DOCUMENT | ROUTE_SHARE | ROUTE_RAN,
	  rest_dispatch_document, "the contract document of a row (format=markdown or json)" },
	{ "GET", DISPATCH, "registry", "category", WHO_ANYONE, ROUTE_DOCUMENT | ROUTE_SHARE | ROUTE_RAN,
	  rest_registry_all, "all readable rows (registry=1)" },
	{ "GET", DISPATCH, "tools", "category", WHO_ANYONE, ROUTE_DOCUMENT | ROUTE_SHARE | ROUTE_RAN,
	  rest_projection_tools, "callable typed rows as tool definitions (tools=anthropic or openai)" },
	{ "GET", DISPATCH, "ask", "limit budget category", WHO_ANYONE, ROUTE_DOCUMENT | ROUTE_SHARE | ROUTE_RAN, rest_ask,
	  "rows for a question in plain words, the best with its call" },
	{ "GET", DISPATCH, "confirm", "", WHO_ANYONE, ROUTE_DOCUMENT | ROUTE_SHARE | ROUTE_FORGIVING,
	  rest_receipt_confirm, "what is public of a receipt" },
	{ "GET", DISPATCH, "receipt", "", WHO_KNOWN, ROUTE_DOCUMENT | ROUTE_SHARE, rest_receipt_full,
	  "a receipt with input and output" },
	{ "GET", DISPATCH, "ledger", "key trace actor since limit cursor", WHO_KNOWN, ROUTE_DOCUMENT | ROUTE_SHARE,
	  rest_receipt_ledger, "receipts, newest first (ledger=1)" },
	{ "GET", DISPATCH, "invoke", "body idempotency_key", WHO_ANYONE, ROUTE_SHARE | ROUTE_RAN | ROUTE_GATED,
	  rest_dispatch_invoke,
	  "runs a row by a URL alone" },
	{ "GET", DISPATCH, "ping", "", WHO_ANYONE, ROUTE_SHARE | ROUTE_RAN, rest_dispatch_ping,
	  "runs NOW, or says what the credential cannot do (ping=1)" },
	{ "GET", DISPATCH, "explain", "", WHO_ANYONE, ROUTE_DOCUMENT | ROUTE_SHARE | ROUTE_RAN, rest_dispatch_explain,
	  "what the credential may do, its limits, uses left and expiry (explain=1)" },
	{ "GET", DISPATCH, NULL, "", WHO_ANYONE, ROUTE_DOCUMENT | ROUTE_SHARE | ROUTE_RAN, rest_dispatch_index,
	  "the protocol index" },
	{ "POST", "/mcp", NULL, "mode", WHO_ANYONE, ROUTE_RPC | ROUTE_GATED, mcp_post,
	  "the same rows as tools of MCP, the Model Context Protocol (mode=loop: as four tools)" },
	{ "GET", "/receipt/{id}", NULL, "", WHO_ANYONE, ROUTE_DOCUMENT | ROUTE_FORGIVING, rest_receipt_page,
	  "the public page of a receipt; JSON by Accept" },

	{ "POST", "/api/tokens", NULL, "", WHO_OWNER, ROUTE_BODY, rest_token_mint, "makes a capability token" },
	{ "GET", "/api/tokens", NULL, "limit cursor", WHO_OWNER, ROUTE_DOCUMENT, rest_token_list, "all tokens" },
	{ "POST", "/api/tokens/attenuate", NULL, "", WHO_KNOWN, ROUTE_BODY, rest_token_attenuate,
	  "makes a narrower token from the one presented" },
	{ "GET", "/api/tokens/{fingerprint}", NULL, "", WHO_OWNER, ROUTE_DOCUMENT, rest_token_get, "one token" },
	{ "DELETE", "/api/tokens/{fingerprint}", NULL, "", WHO_OWNER, 0, rest_token_revoke,
	  "revokes a token and all that were made from it" },

	{ "POST", "/api/watch", NULL, "", WHO_OWNER, ROUTE_BODY, rest_watch_add,
	  "adds a rule that sensitive calls have to pass" },
	{ "GET", "/api/watch", NULL, "", WHO_OWNER, ROUTE_DOCUMENT, rest_watch_list, "the rules, in their order" },
	{ "DELETE", "/api/watch/{id}", NULL, "", WHO_OWNER, 0, rest_watch_drop, "removes a rule" },
	{ "GET", "/api/approvals", NULL, "limit cursor", WHO_OWNER, ROUTE_DOCUMENT, rest_approval_list,
	  "calls that were held, newest first" },
	{ "GET", "/api/approvals/{id}", NULL, "", WHO_KNOWN, ROUTE_DOCUMENT, rest_approval_get,
	  "one of them; also for the token that called" },
	{ "POST", "/api/approvals/{id}", NULL, "", WHO_OWNER, ROUTE_BODY | ROUTE_RAN, rest_approval_decide,
	  "runs it, or denies it: {\"decision\":\"approve\"}" },

	{ "GET", "/api/questions", NULL, "key limit", WHO_OWNER, ROUTE_DOCUMENT, rest_ask_learned,
	  "questions that led to calls, newest first" },
	{ "DELETE", "/api/questions", NULL, "", WHO_OWNER, 0, rest_ask_forget, "forgets all of them" },
	{ "DELETE", "/api/questions/{key}", NULL, "", WHO_OWNER, 0, rest_ask_forget, "forgets those of one row" },

	{ "POST", "/api/prune", NULL, "", WHO_OWNER, ROUTE_BODY, rest_receipt_prune,
	  "removes old receipts: {\"before\":\"2026-01-31T00:00:00Z\"}" },

	{ "GET", "/api/breakers", NULL, "", WHO_OWNER, ROUTE_DOCUMENT, rest_service_breakers,
	  "circuit breakers that count something" },
	{ "DELETE", "/api/breakers/{key}", NULL, "", WHO_OWNER, 0, rest_service_breaker_reset,
	  "closes a circuit breaker" },
};

enum { ROUTES = sizeof(routes) / sizeof(routes[0]) };

bool routes_fits(const char *pattern, struct str path, struct str arg[ROUTES_ARGS_MAX])
{
	size_t at = 0, start;
	unsigned args = 0;

	for (const char *p = pattern; *p; p++) {
		if (*p != '{') {
			if (at == path.n || path.p[at++] != *p)
				return false;
			continue;
		}
		for (start = at; at < path.n && path.p[at] != '/'; at++)
			;
		if (at == start)
			return false;
		arg[args++] = str_make(path.p + start, at - start);
		p = strchr(p, '}');
	}
	return at == path.n;
}

static bool method_fits(const struct route *r, struct str method)
{
	return str_is(method, r->method) || (r->flags & ROUTE_DOCUMENT && str_is(method, "HEAD"));
}

bool routes_takes(const struct route *r, struct str param)
{
	struct str rest = str_of(r->params);

	if ((r->selector && str_is(param, r->selector)) || (r->flags & ROUTE_SHARE && str_is(param, "share")))
		return true;
	while (param.n && rest.p) {
		if (str_eq(str_cut(&rest, ' '), param))
			return true;
	}
	return false;
}

static bool query_fits(const struct route *r, const struct request *req)
{
	if (r->selector && !request_param(req, r->selector).p)
		return false;
	for (unsigned i = 0; i < req->params; i++) {
		if (!routes_takes(r, req->param[i].name))
			return false;
	}
	return true;
}

/* True when the query is that of a row with a selector on this path: then the other rows of the path do not count,
 * whatever the method. */
static bool selected(const struct request *req)
{
	struct str arg[ROUTES_ARGS_MAX];

	for (size_t i = 0; req->params && i < ROUTES; i++) {
		if (routes[i].selector && routes_fits(routes[i].pattern, req->path, arg) && query_fits(&routes[i], req))
			return true;
	}
	return false;
}

enum routes_result routes_find(const struct request *r, struct route_match *m)
{
	enum routes_result best = ROUTES_NO_PATH;
	bool chosen = selected(r);

	for (size_t i = 0; i < ROUTES; i++) {
		struct str arg[ROUTES_ARGS_MAX] = { { 0 } };
		bool query;

		if (!routes_fits(routes[i].pattern, r->path, arg))
			continue;
		if (best == ROUTES_NO_PATH)
			best = ROUTES_NO_METHOD;
		query = query_fits(&routes[i], r);
		if (!method_fits(&routes[i], r->method) || (!query && (chosen || best == ROUTES_NO_QUERY)))
			continue;
		m->route = &routes[i];
		memcpy(m->arg, arg, sizeof(arg));
		if (query)
			return ROUTES_FOUND;
		best = ROUTES_NO_QUERY;
	}
	return best;
}

void routes_allow(const struct request *r, struct buf *out)
{
	static const char *const methods[] = { "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE" };
	bool chosen = selected(r);
	struct str arg[ROUTES_ARGS_MAX];

	for (size_t m = 0; m < sizeof(methods) / sizeof(methods[0]); m++) {
		for (size_t i = 0; i < ROUTES; i++) {
			if (!routes_fits(routes[i].pattern, r->path, arg) ||
			    !method_fits(&routes[i], str_of(methods[m])))
				continue;
			if (chosen && !query_fits(&routes[i], r))
				continue;
			buf_printf(out, "%s, ", methods[m]);
			break;
		}
	}
	if (out->len)
		buf_puts(out, "OPTIONS");
}

const struct route *routes_all(size_t *n)
{
	*n = ROUTES;
	return routes;
}

void routes_each(void (*fn)(void *ctx, const struct route *r), void *ctx)
{
	for (size_t i = 0; i < ROUTES; i++)
		fn(ctx, &routes[i]);
}
