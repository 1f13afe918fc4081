/* The table of routes: patterns, methods, parameters. Handlers are not called. */
#include <string.h>
#include "tap.h"
#include "web/routes.h"

static struct arena *arena;

static void make(struct request *r, const char *method, const char *path, const char *query)
{
	const char **env = arena_alloc(arena, 4 * sizeof(*env));
	struct problem why;

	env[0] = arena_printf(arena, "REQUEST_METHOD=%s", method);
	env[1] = arena_printf(arena, "DOCUMENT_URI=%s", path);
	env[2] = arena_printf(arena, "QUERY_STRING=%s", query);
	request_init(r, arena, env, (struct str){ 0 }, &why);
}

static void test_patterns(void)
{
	static const struct { const char *pattern, *path; bool fits; const char *first, *second; } cases[] = {
		{ "/", "/", true, "", "" },
		{ "/a", "/a", true, "", "" },
		{ "/a", "/a/", false, "", "" },
		{ "/a", "/ab", false, "", "" },
		{ "/a", "/", false, "", "" },
		{ "/a/{x}", "/a/b", true, "b", "" },
		{ "/a/{x}", "/a/", false, "", "" },
		{ "/a/{x}", "/a", false, "", "" },
		{ "/a/{x}", "/a/b/c", false, "", "" },
		{ "/a/{x}/h", "/a/b/h", true, "b", "" },
		{ "/a/{x}/h", "/a//h", false, "", "" },
		{ "/a/{x}/{y}", "/a/b/c", true, "b", "c" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str arg[ROUTES_ARGS_MAX] = { { 0 } };
		bool fits = routes_fits(cases[i].pattern, str_of(cases[i].path), arg);

		tap_ok(fits == cases[i].fits, "%s %s %s", cases[i].path, cases[i].fits ? "fits" : "does not fit",
		       cases[i].pattern);
		if (fits)
			tap_ok(str_is(arg[0], cases[i].first) && str_is(arg[1], cases[i].second),
			       "with its placeholders");
	}
}

static void test_find(void)
{
	static const struct {
		const char *method, *path, *query;
		enum routes_result want;
		const char *pattern, *selector;
	} cases[] = {
		{ "GET", "/", "", ROUTES_FOUND, "/", NULL },
		{ "HEAD", "/", "", ROUTES_FOUND, "/", NULL },
		{ "GET", "/nothing", "", ROUTES_NO_PATH, NULL, NULL },
		{ "GET", "/.well-known/oauth-protected-resource", "", ROUTES_NO_PATH, NULL, NULL },
		{ "GET", "/api/directory/search", "q=x", ROUTES_FOUND, "/api/directory/search", NULL },
		{ "GET", "/api/directory/NOW", "", ROUTES_FOUND, "/api/directory/{key}", NULL },
		{ "GET", "/api/directory/NOW", "x=1", ROUTES_NO_QUERY, "/api/directory/{key}", NULL },
		{ "POST", "/api/directory/NOW", "", ROUTES_NO_METHOD, NULL, NULL },
		{ "HEAD", "/api/directory/NOW", "", ROUTES_FOUND, "/api/directory/{key}", NULL },
		{ "GET", "/api/directory", "type=fn&limit=5", ROUTES_FOUND, "/api/directory", NULL },
		{ "GET", "/api/directory", "share=rct_x", ROUTES_NO_QUERY, "/api/directory", NULL },
		{ "GET", "/api/dispatch", "", ROUTES_FOUND, "/api/dispatch", NULL },
		{ "GET", "/api/dispatch", "key=NOW&format=markdown", ROUTES_FOUND, "/api/dispatch", "key" },
		{ "GET", "/api/dispatch", "ledger=1&key=NOW", ROUTES_FOUND, "/api/dispatch", "ledger" },
		{ "GET", "/api/dispatch", "invoke=NOW&share=rct_x", ROUTES_FOUND, "/api/dispatch", "invoke" },
		{ "GET", "/api/dispatch", "share=rct_x", ROUTES_FOUND, "/api/dispatch", NULL },
		{ "HEAD", "/api/dispatch", "invoke=NOW", ROUTES_NO_METHOD, NULL, NULL },
		{ "HEAD", "/api/dispatch", "key=NOW", ROUTES_FOUND, "/api/dispatch", "key" },
		{ "POST", "/api/dispatch", "", ROUTES_FOUND, "/api/dispatch", NULL },
		{ "POST", "/api/dispatch", "invoke=NOW", ROUTES_NO_METHOD, NULL, NULL },
		{ "POST", "/api/dispatch", "share=rct_x", ROUTES_NO_QUERY, "/api/dispatch", NULL },
		{ "GET", "/api/dispatch", "key=NOW&registry=1", ROUTES_NO_QUERY, NULL, NULL },
		{ "GET", "/api/dispatch", "invoke=NOW&shape=1", ROUTES_NO_QUERY, NULL, NULL },
		{ "GET", "/api/dispatch", "keys=NOW", ROUTES_NO_QUERY, NULL, NULL },
		{ "BREW", "/api/dispatch", "", ROUTES_NO_METHOD, NULL, NULL },
		{ "GET", "/receipt/inv_x", "", ROUTES_FOUND, "/receipt/{id}", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct route_match m = { 0 };
		struct request r;
		enum routes_result got;

		make(&r, cases[i].method, cases[i].path, cases[i].query);
		got = routes_find(&r, &m);
		tap_is_int(got, cases[i].want,
			   arena_printf(arena, "%s %s?%s", cases[i].method, cases[i].path, cases[i].query));
		if (got == cases[i].want && cases[i].pattern) {
			tap_is_str(m.route->pattern, cases[i].pattern, "finds its row");
			if (got == ROUTES_FOUND)
				tap_is_str(m.route->selector, cases[i].selector, "by its selector");
		}
	}
}

static void test_allow(void)
{
	static const struct { const char *path, *query, *allow; } cases[] = {
		{ "/", "", "GET, HEAD, OPTIONS" },
		{ "/api/directory", "", "GET, HEAD, POST, OPTIONS" },
		{ "/api/directory/NOW", "", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS" },
		{ "/api/directory/NOW/restore", "", "POST, OPTIONS" },
		{ "/api/dispatch", "", "GET, HEAD, POST, OPTIONS" },
		{ "/api/dispatch", "invoke=NOW", "GET, OPTIONS" },
		{ "/api/dispatch", "key=NOW", "GET, HEAD, OPTIONS" },
		{ "/api/events/verify", "", "GET, OPTIONS" },
		{ "/nothing", "", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf out = BUF_ARENA(arena);
		struct request r;

		make(&r, "OPTIONS", cases[i].path, cases[i].query);
		routes_allow(&r, &out);
		tap_is_str(buf_text(&out), cases[i].allow,
			   arena_printf(arena, "methods of %s?%s", cases[i].path, cases[i].query));
	}
}

/* What the router takes for granted of every row. */
static void check_row(void *ctx, const struct route *r)
{
	bool get = !strcmp(r->method, "GET");
	int *bad = ctx;

	if (!r->handle || !r->what[0] || r->pattern[0] != '/' || (r->flags & ROUTE_DOCUMENT && !get) ||
	    (r->flags & ROUTE_BODY && get) || (r->flags & ROUTE_BODY_TOKEN && !(r->flags & ROUTE_BODY)) ||
	    (r->flags & ROUTE_SHARE && strcmp(r->pattern, "/api/dispatch"))) {
		tap_diag("%s %s", r->method, r->pattern);
		++*bad;
	}
}

int main(void)
{
	int bad = 0;

	arena = arena_new();
	test_patterns();
	test_find();
	test_allow();
	routes_each(check_row, &bad);
	tap_is_int(bad, 0,
		   "every row is consistent: documents are GET, a token in a URL is for GET /api/dispatch alone");
	arena_free(arena);
	return tap_done();
}
