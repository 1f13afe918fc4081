/* From a request to its handler: trace, route, credential, content type, body. One function, router_prepare, shows
 * the order of the checks. What a route does is its handler's. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>
#include "base/log.h"
#include "base/net.h"
#include "call/auth.h"
#include "call/caller.h"
#include "loop/loop.h"
#include "store/shared.h"
#include "web/mcp.h"
#include "web/origin.h"
#include "web/rest.h"
#include "web/router.h"

#define DISPATCH_PATH "/api/dispatch"
/* What an answer to a GET may depend on besides the URL. */
#define VARY "Authorization, X-Terminal-Key, X-Capability-Token, Accept"
/* The star stands for Mcp-Param-…, whose names rows choose; it holds for requests without cookies, which are none here. */
#define CORS_HEADERS \
	"Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Mcp-Method, Mcp-Name, " \
	"MCP-Protocol-Version, Mcp-Session-Id, X-Capability-Token, X-Terminal-Key, *"
#define CORS_EXPOSE "ETag, Idempotent-Replayed, Location, Retry-After, X-Trace"
#define CORS_MAX_AGE "600"

enum { NUMBER_DIGITS = 18 };            /* of a decimal number that an int64_t surely holds */

static struct router {
	struct router_context context;
	struct net_policy *metrics;     /* addresses of metrics_allow */
	uint64_t turn;                  /* of the loop, in which the secrets were looked at */
} router;

/* The settings were checked when they were read, so a bad one here is a broken invariant. */
static struct net_policy *addresses(const char *list)
{
	struct net_policy *p = net_policy_new();
	struct str rest = str_of(list ? list : "");
	struct problem why = { 0 };

	while (rest.p) {
		struct str one = str_trim(str_cut(&rest, ','));

		if (one.n && net_policy_allow(p, one, &why) < 0)
			log_fatal("metrics_allow: %s", why.detail[0] ? why.detail : why.error);
	}
	return p;
}

void router_init(const struct router_context *c)
{
	const struct dispatch_context d = {
		.conf = c->conf, .secrets = c->secrets, .shared = c->shared, .directory = c->directory,
	};
	struct problem why = { 0 };

	router.context = *c;
	net_policy_free(router.metrics);
	router.metrics = addresses(c->conf->metrics_allow);
	if (caller_init(c->conf, c->secrets, c->directory, &why) < 0)
		log_fatal("anonymous: %s", why.detail[0] ? why.detail : why.error);
	dispatch_init(&d);
}

void router_done(void)
{
	net_policy_free(router.metrics);
	router.metrics = NULL;
	caller_done();
	auth_done();
}

void router_fail(struct rest *r, const struct problem *why)
{
	struct json_object *more = NULL;

	/* Before a route is known (a body too large, a bad query) the path says what was asked for. */
	if (r->route ? (r->route->flags & ROUTE_RPC) != 0 : str_is(r->req->path, MCP_PATH)) {
		mcp_refuse(r, why);
		return;
	}
	if (r->route ? (r->route->flags & ROUTE_RAN) != 0 : str_is(r->req->path, DISPATCH_PATH)) {
		more = json_object_new_object();
		json_put_bool(more, "ran", false);
	}
	response_problem(r->res, why, more);
}

void router_not_found(struct rest *r, const char *detail)
{
	struct problem why = { 0 };

	problem_set(&why, 404, "not_found");
	problem_detail(&why, "%s", detail);
	router_fail(r, &why);
}

void router_document(struct rest *r, const char *type, const char *etag, struct str body)
{
	response_header(r->res, "ETag", etag);
	response_header(r->res, "Vary", VARY);
	response_header(r->res, "Cache-Control", "private, no-cache");
	if (request_has_etag(r->req, etag))
		response_text(r->res, 304, NULL, (struct str){ 0 });
	else
		response_text(r->res, 200, type, body);
}

static bool read_number(struct str s, int64_t *out)
{
	*out = 0;
	if (!s.n || s.n > NUMBER_DIGITS)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		*out = *out * 10 + (s.p[i] - '0');
	}
	return true;
}

int router_number(struct rest *r, const char *name, int64_t min, int64_t max, int64_t dflt, int64_t *out)
{
	struct str given = request_param(r->req, name);
	struct problem why = { 0 };

	*out = dflt;
	if (!given.p || (read_number(given, out) && *out >= min && *out <= max))
		return 0;
	problem_set(&why, 400, "bad_parameter");
	problem_field(&why, name);
	if (min == max)
		problem_detail(&why, "%s is %" PRId64, name, min);
	else
		problem_detail(&why, "%s is a whole number from %" PRId64 " to %" PRId64, name, min, max);
	router_fail(r, &why);
	return -1;
}

int router_switch(struct rest *r, const char *name)
{
	int64_t one;

	return router_number(r, name, 1, 1, 1, &one);
}

static bool listed(const char *names, const char *name)
{
	struct str rest = str_of(names);

	while (rest.p) {
		if (str_is(str_cut(&rest, ' '), name))
			return true;
	}
	return false;
}

int router_fields(struct rest *r, const char *names)
{
	struct problem why = { 0 };

	json_object_object_foreach(r->body, name, value) {
		(void)value;
		if (listed(names, name))
			continue;
		problem_set(&why, 400, "unknown_field");
		problem_field(&why, name);
		problem_detail(&why, "the fields here are: %s", names);
		router_fail(r, &why);
		return -1;
	}
	return 0;
}

int router_no_secrets(struct rest *r)
{
	struct str presented = r->caller.presented;
	struct problem why = { 0 };

	json_object_object_foreach(r->body, name, value) {
		struct buf rest = BUF_ARENA(r->arena);
		struct str text = json_str(value);

		if (!secret_redact(r->service->secrets, &rest, text) && (!presented.p || !token_redact(&rest, text, presented)))
			continue;
		problem_set(&why, 422, "secret_in_input");
		problem_field(&why, name);
		problem_detail(&why, "a secret stands in a text that would be stored");
		problem_fix(&why, "leave it out; one that was sent here should be replaced");
		router_fail(r, &why);
		return -1;
	}
	return 0;
}

/* Finding the route */

static struct json_object *query_names(const struct request *req)
{
	struct json_object *a = json_object_new_array();

	for (unsigned i = 0; i < req->params; i++)
		json_object_array_add(a, json_new_str(req->param[i].name));
	return a;
}

static void add_form(void *ctx, const struct route *route)
{
	struct json_object *list = ctx, *o;

	if (strcmp(route->pattern, DISPATCH_PATH) || strcmp(route->method, "GET"))
		return;
	o = json_object_new_object();
	json_put_text(o, "query", route->selector ? route->selector : "");
	json_put_text(o, "with", route->params);
	json_put_text(o, "what", route->what);
	json_object_array_add(list, o);
}

/* Names of parameters only: their values may be secret. */
static int unrecognized(struct rest *r, struct problem *why)
{
	struct json_object *exists = json_object_new_array();

	problem_set(why, 400, "unrecognized_request");
	why->extra = arena_json(r->arena, json_object_new_object());
	routes_each(add_form, exists);
	json_put(why->extra, "sent", query_names(r->req));
	json_put(why->extra, "exists", exists);
	return -1;
}

static int unknown_parameter(struct rest *r, const struct route *route, struct problem *why)
{
	problem_set(why, 400, "unknown_field");
	for (unsigned i = 0; i < r->req->params; i++) {
		if (!routes_takes(route, r->req->param[i].name)) {
			problem_field(why, arena_str(r->arena, r->req->param[i].name));
			break;
		}
	}
	if (route->params[0])
		problem_detail(why, "the parameters here are: %s", route->params);
	else
		problem_detail(why, "there are no parameters here");
	return -1;
}

static int find_route(struct rest *r, struct problem *why)
{
	struct route_match m = { 0 };
	struct buf allow = BUF_ARENA(r->arena);

	switch (routes_find(r->req, &m)) {
	case ROUTES_FOUND:
		r->route = m.route;
		memcpy(r->arg, m.arg, sizeof(r->arg));
		return 0;
	case ROUTES_NO_PATH:
		problem_set(why, 404, "not_found");
		problem_detail(why, "there is nothing at this path");
		problem_fix(why, "GET / lists what there is");
		return -1;
	case ROUTES_NO_METHOD:
		routes_allow(r->req, &allow);
		response_header(r->res, "Allow", buf_text(&allow));
		problem_set(why, 405, "method_not_allowed");
		problem_detail(why, "this path takes %s", buf_text(&allow));
		return -1;
	case ROUTES_NO_QUERY:
		break;
	}
	if (str_is(r->req->path, DISPATCH_PATH) && !request_is(r->req, "POST"))
		return unrecognized(r, why);
	return unknown_parameter(r, m.route, why);
}

/* The body */

/* A media type with no parameters but charset=utf-8. */
static bool is_json(struct str type)
{
	struct str name = str_trim(str_cut(&type, ';'));

	if (!str_is_fold(name, "application/json"))
		return false;
	while (type.p) {
		struct str one = str_trim(str_cut(&type, ';'));

		if (one.n && !str_is_fold(one, "charset=utf-8") && !str_is_fold(one, "charset=\"utf-8\""))
			return false;
	}
	return true;
}

static int read_body(struct rest *r, struct problem *why)
{
	struct json_object *o = NULL;

	if (r->route->flags & ROUTE_RPC)
		return is_json(request_header(r->req, "content-type")) ? 0 : problem_set(why, 415, "unsupported_media_type");
	if (!(r->route->flags & ROUTE_BODY))
		return r->req->body.n ? problem_set(why, 400, "unexpected_body") : 0;
	if (!r->req->body.n) {
		problem_set(why, 400, "invalid_body");
		problem_detail(why, "the body is missing");
		return -1;
	}
	if (!is_json(request_header(r->req, "content-type")))
		return problem_set(why, 415, "unsupported_media_type");
	if (json_parse(r->arena, r->req->body, &o, why) < 0)
		return -1;
	if (!json_object_is_type(o, json_type_object)) {
		problem_set(why, 400, "invalid_body");
		problem_detail(why, "the body is JSON, but no object");
		return -1;
	}
	r->body = o;
	return 0;
}

/* The credential */

static int presented_in_body(struct rest *r, struct caller_presented *p, struct problem *why)
{
	struct json_object *token;

	if (!(r->route->flags & ROUTE_BODY_TOKEN) || !json_object_object_get_ex(r->body, "capability_token", &token))
		return 0;
	p->body_token = json_str(token);
	if (p->body_token.p)
		return 0;
	return problem_bad_field(why, "capability_token", "is a string");
}

/* What stands behind `Bearer`. Another scheme is given whole, so that it is an invalid credential rather than none. */
static struct str bearer(struct str value)
{
	static const char scheme[] = "bearer";
	size_t n = sizeof(scheme) - 1;

	if (!str_starts_fold(value, scheme) || (value.n > n && value.p[n] != ' '))
		return value;
	return str_trim(str_skip(value, n));
}

static int resolve_caller(struct rest *r, struct problem *why)
{
	struct caller_presented p = {
		.terminal_key = request_header(r->req, "x-terminal-key"),
		.bearer = bearer(request_header(r->req, "authorization")),
		.capability_token = request_header(r->req, "x-capability-token"),
	};

	if (r->route->flags & ROUTE_SHARE)
		p.share = request_param(r->req, "share");
	if (presented_in_body(r, &p, why) < 0)
		return -1;
	if (caller_resolve(&r->caller, r->arena, &p, why) == 0 &&
	    ((r->route->flags & ROUTE_GATED) || caller_check(&r->caller, why) == 0))
		return 0;
	if (!(r->route->flags & ROUTE_FORGIVING))
		return -1;
	caller_anonymous(&r->caller);
	return 0;
}

/* The address of the client as nginx saw it. */
static bool from_metrics_address(const struct request *req)
{
	struct str text = request_env(req, "REMOTE_ADDR");
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };

	if (!text.p)
		return false;
	if (inet_pton(AF_INET, text.p, &v4.sin_addr) == 1)
		return net_listed(router.metrics, (const struct sockaddr *)&v4);
	return inet_pton(AF_INET6, text.p, &v6.sin6_addr) == 1 &&
	       net_listed(router.metrics, (const struct sockaddr *)&v6);
}

static int check_who(struct rest *r, struct problem *why)
{
	bool owner = r->caller.kind == CALLER_OWNER;
	bool may = owner;

	switch (r->route->who) {
	case WHO_ANYONE:
		may = true;
		break;
	case WHO_KNOWN:
		may = r->caller.kind != CALLER_ANONYMOUS;
		break;
	case WHO_METRICS:
		may = owner || from_metrics_address(r->req);
		break;
	case WHO_OWNER:
		break;
	}
	if (may)
		return 0;
	shared_count(r->service->shared, COUNT_DENIED_ANONYMOUS, 1);
	return problem_set(why, 401, "unauthorized");   /* exactly {"error":"unauthorized"} */
}

/* Cross-origin use from a browser */

static struct str allowed_origin(const struct rest *r)
{
	return origin_listed(r->req, r->service->conf->cors_origins);
}

static void add_cors(struct rest *r)
{
	const char *vary = response_get(r->res, "Vary");
	struct str origin = allowed_origin(r);

	if (!r->service->conf->cors_origins || !r->service->conf->cors_origins[0])
		return;
	response_header(r->res, "Vary", vary ? arena_printf(r->arena, "%s, Origin", vary) : "Origin");
	if (!origin.p)
		return;
	response_header(r->res, "Access-Control-Allow-Origin", arena_str(r->arena, origin));
	response_header(r->res, "Access-Control-Expose-Headers", CORS_EXPOSE);
}

/* OPTIONS: what the path takes, and a browser's preflight. */
static int answer_options(struct rest *r, struct problem *why)
{
	struct buf allow = BUF_ARENA(r->arena);

	routes_allow(r->req, &allow);
	if (!allow.len) {
		problem_set(why, 404, "not_found");
		return -1;
	}
	response_text(r->res, 204, NULL, (struct str){ 0 });
	response_header(r->res, "Allow", buf_text(&allow));
	if (allowed_origin(r).p && request_header(r->req, "access-control-request-method").p) {
		response_header(r->res, "Access-Control-Allow-Methods", buf_text(&allow));
		response_header(r->res, "Access-Control-Allow-Headers", CORS_HEADERS);
		response_header(r->res, "Access-Control-Max-Age", CORS_MAX_AGE);
	}
	return 0;
}

/* Everything that must hold before a handler runs, in this order. Where a credential cannot stand in the body it is
 * checked first, so that nobody without one learns what a body should be like. */
static int router_prepare(struct rest *r, struct problem *why)
{
	const struct conf *conf = r->service->conf;
	bool body_first;

	if (find_route(r, why) < 0)
		return -1;
	if (r->route->flags & ROUTE_RPC && origin_check(r->req, conf->base_url, conf->cors_origins, why) < 0)
		return -1;
	if (router.turn != loop_turn())
		secret_refresh(r->service->secrets);
	router.turn = loop_turn();
	directory_refresh(r->service->directory);
	body_first = r->route->flags & ROUTE_BODY_TOKEN;
	if (body_first && read_body(r, why) < 0)
		return -1;
	if (resolve_caller(r, why) < 0 || check_who(r, why) < 0)
		return -1;
	return body_first ? 0 : read_body(r, why);
}

static void router_finish(struct rest *r, int64_t started_us)
{
	int status = r->res->status;

	r->res->omit_body = request_is(r->req, "HEAD");
	response_header(r->res, "X-Trace", r->trace.id);
	add_cors(r);
	if (status == 400 || status == 411 || status == 413 || status == 415)
		shared_count(r->service->shared, COUNT_MALFORMED, 1);
	log_debug("%.*s %.*s %d %" PRId64 " us %s %s", (int)r->req->method.n, r->req->method.p, (int)r->req->path.n,
		  r->req->path.p, status, clock_mono_us() - started_us, r->trace.id, r->req->request_id);
}

void router_handle(struct request *req, struct response *res, const struct problem *bad)
{
	struct rest *r = arena_alloc(req->arena, sizeof(*r));
	struct problem *why = arena_alloc(req->arena, sizeof(*why));
	int64_t started_us = clock_mono_us();

	r->service = &router.context;
	r->req = req;
	r->res = res;
	r->arena = req->arena;
	dispatch_trace_new(&r->trace);
	if (bad)
		router_fail(r, bad);
	else if (request_is(req, "OPTIONS") ? answer_options(r, why) < 0 : router_prepare(r, why) < 0)
		router_fail(r, why);
	else if (r->route)
		r->route->handle(r);
	router_finish(r, started_us);
}
