/* Reading requests: query strings, paths, headers, content negotiation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/escape.h"
#include "tap.h"
#include "web/request.h"

static struct arena *arena;

static int init(struct request *r, const char *method, const char *uri, const char *query, struct problem *why)
{
	const char **env = arena_alloc(arena, 6 * sizeof(*env));

	env[0] = arena_printf(arena, "REQUEST_METHOD=%s", method);
	env[1] = arena_printf(arena, "REQUEST_URI=%s", uri);
	env[2] = arena_printf(arena, "QUERY_STRING=%s", query);
	env[3] = "REQUEST_ID=0123456789abcdef";
	memset(why, 0, sizeof(*why));
	return request_init(r, arena, env, (struct str){ 0 }, why);
}

static void test_query(void)
{
	static const struct { const char *query, *name, *value; } good[] = {
		{ "q=a+b", "q", "a b" },
		{ "q=a%20b", "q", "a b" },
		{ "q=a%2Bb", "q", "a+b" },
		{ "q=a;b=c", "q", "a;b=c" },
		{ "q", "q", "" },
		{ "q=", "q", "" },
		{ "q==", "q", "=" },
		{ "a=1&b=2", "b", "2" },
		{ "%71=x", "q", "x" },
		{ "q=%C3%A9", "q", "\xC3\xA9" },
		{ "q=%7C", "q", "|" },
		{ "q=1&Q=2", "Q", "2" },
	};
	static const struct { const char *query, *what; } bad[] = {
		{ "q=1&q=2", "a name twice" },
		{ "q=1&%71=2", "a name twice, once escaped" },
		{ "=x", "an empty name" },
		{ "?=x", NULL },
		{ "a=1&&b=2", "nothing between two ampersands" },
		{ "a=1&", "an ampersand at the end" },
		{ "&", "an ampersand alone" },
		{ "q=%zz", "a percent sign before letters" },
		{ "q=%", "a percent sign at the end" },
		{ "q=%4", "half an escape" },
		{ "q=%00", "a NUL" },
		{ "q=%FF", "a byte that is not UTF-8" },
		{ "q=%C0%80", "an overlong NUL" },
		{ "q=%ED%A0%80", "a surrogate" },
	};
	struct request r;
	struct problem why;
	char *many = arena_strdup(arena, "");

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		tap_ok(init(&r, "GET", "/", good[i].query, &why) == 0, "\"%s\" is a query", good[i].query);
		tap_ok(request_param(&r, good[i].name).p && str_is(request_param(&r, good[i].name), good[i].value),
		       "and %s is \"%s\" in it", good[i].name, good[i].value);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (!bad[i].what) {
			tap_ok(init(&r, "GET", "/", bad[i].query, &why) == 0,
			       "a question mark in a query is a character");
			continue;
		}
		tap_ok(init(&r, "GET", "/", bad[i].query, &why) == -1 && why.status == 400 &&
			       !strcmp(why.error, "bad_query"),
		       "%s is refused", bad[i].what);
		tap_is_int(r.params, 0, "and leaves no parameters");
	}
	tap_ok(init(&r, "GET", "/", "", &why) == 0 && r.params == 0, "an empty query has no parameters");
	tap_ok(!request_param(&r, "q").p, "what was not sent is absent");
	for (int i = 0; i < REQUEST_PARAMS_MAX; i++)
		many = arena_printf(arena, "%s%sp%d=1", many, i ? "&" : "", i);
	tap_ok(init(&r, "GET", "/", many, &why) == 0, "%d parameters are taken", REQUEST_PARAMS_MAX);
	tap_ok(init(&r, "GET", "/", arena_printf(arena, "%s&more=1", many), &why) == -1, "one more is refused");
}

static void test_path(void)
{
	static const char *const document[] = { "REQUEST_METHOD=GET", "REQUEST_URI=/a%41/../x?y=1",
						"DOCUMENT_URI=/x%41", "QUERY_STRING=y=1", NULL };
	static const char *const no_path[] = { "REQUEST_METHOD=GET", NULL };
	static const struct { const char *uri; bool good; const char *path; } uris[] = {
		{ "/api/x?q=1", true, "/api/x" },
		{ "/a%20b", true, "/a b" },
		{ "/a+b", true, "/a+b" },
		{ "/%zz", false, NULL },
		{ "/%00", false, NULL },
		{ "/%FF", false, NULL },
		{ "x", false, NULL },
		{ "", false, NULL },
		{ "*", false, NULL },
	};
	struct request r;
	struct problem why;

	for (size_t i = 0; i < sizeof(uris) / sizeof(uris[0]); i++) {
		int got = init(&r, "GET", uris[i].uri, "", &why);

		tap_ok((got == 0) == uris[i].good, "the path \"%s\" is %s", uris[i].uri,
		       uris[i].good ? "taken" : "refused");
		if (uris[i].good)
			tap_ok(str_is(r.path, uris[i].path), "as \"%s\"", uris[i].path);
		else
			tap_ok(!strcmp(why.error, "bad_path") && r.path.n == 0, "as bad_path");
	}
	tap_ok(request_init(&r, arena, document, (struct str){ 0 }, &why) == 0 && str_is(r.path, "/x%41"),
	       "the path that nginx routed by is preferred, and not decoded twice");
	tap_ok(request_init(&r, arena, no_path, (struct str){ 0 }, &why) == -1, "a request without a path is refused");
	tap_ok(init(&r, "get", "/", "", &why) == -1 && !strcmp(why.error, "bad_method"),
	       "a method in small letters is refused");
	tap_ok(init(&r, "", "/", "", &why) == -1, "an empty method is refused");
	tap_ok(init(&r, "PATCH", "/", "", &why) == 0 && request_is(&r, "PATCH") && !request_is(&r, "PAT"),
	       "a method is compared whole");
	tap_is_str(r.request_id, "0123456789abcdef", "the web server's id of the request is known");
}

static void test_headers(void)
{
	static const char *const env[] = { "REQUEST_METHOD=POST",
					   "REQUEST_URI=/",
					   "CONTENT_TYPE=application/json",
					   "HTTP_X_TERMINAL_KEY=abc",
					   "HTTP_X_TERMINAL_KEYS=no",
					   "HTTP_X_TWICE=a",
					   "HTTP_EMPTY=",
					   "HTTP_IF_NONE_MATCH=W/\"a\", \"b\"",
					   "HTTP_X_TWICE=b",
					   NULL };
	static const char *const star[] = { "REQUEST_METHOD=GET", "REQUEST_URI=/", "HTTP_IF_NONE_MATCH=*", NULL };
	struct request r;
	struct problem why;

	request_init(&r, arena, env, (struct str){ 0 }, &why);
	tap_ok(str_is(request_header(&r, "x-terminal-key"), "abc"), "a header is found by its whole name");
	tap_ok(str_is(request_header(&r, "content-type"), "application/json"),
	       "Content-Type too, which CGI names otherwise");
	tap_ok(request_header(&r, "empty").p && !request_header(&r, "empty").n, "an empty header is there");
	tap_ok(!request_header(&r, "x-terminal").p, "a header that was not sent is absent");
	tap_ok(str_is(request_header(&r, "x-twice"), "a, b"), "one sent twice is the list of its values");
	tap_ok(request_has_etag(&r, "\"a\"") && request_has_etag(&r, "\"b\""),
	       "If-None-Match is a list, compared weakly");
	tap_ok(!request_has_etag(&r, "\"c\""), "and another tag is not in it");
	request_init(&r, arena, star, (struct str){ 0 }, &why);
	tap_ok(request_has_etag(&r, "\"c\""), "If-None-Match: * names every tag");
}

static void test_accept(void)
{
	static const struct { const char *accept; bool json; } cases[] = {
		{ "application/json", true },
		{ "text/html", false },
		{ "*/*", false },
		{ "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", false },
		{ "application/json, text/plain, */*", true },
		{ "application/json;q=0.5, text/html", false },
		{ "text/html;q=0.5, application/json", true },
		{ "application/*", true },
		{ "Application/JSON", true },
		{ "application/json;q=0", false },
		{ "application/json;q=0, text/html;q=0", false },
		{ "application/json;q=x, text/html;q=0.1", false },
		{ "", false },
		{ ",;,", false },
	};
	struct request r;
	struct problem why;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *env[] = { "REQUEST_METHOD=GET", "REQUEST_URI=/",
				      arena_printf(arena, "HTTP_ACCEPT=%s", cases[i].accept), NULL };

		request_init(&r, arena, env, (struct str){ 0 }, &why);
		tap_ok(request_prefers(&r, "application/json", "text/html") == cases[i].json,
		       "Accept: %s is answered with %s", cases[i].accept, cases[i].json ? "JSON" : "HTML");
	}
	init(&r, "GET", "/", "", &why);
	tap_ok(!request_prefers(&r, "application/json", "text/html"), "without Accept the default is answered");
}

/* Parameters of random bytes: refused, or made of UTF-8 without NUL. */
static void test_random(void)
{
	static const char bytes[] = "%0123abcdefABCDEFghijklm=&+;/?#.\x80\xC3\xED\xFF \r\n\"";
	int faults = 0, good = 0;

	srandom(11);
	for (int round = 0; round < 20000; round++) {
		struct arena *mine = arena_new(), *kept = arena;
		struct request r;
		struct problem why;
		char text[2][16] = { "/" };

		for (int t = 0; t < 2; t++) {
			size_t n = (size_t)random() % 12;

			for (size_t i = 1; i <= n; i++)
				text[t][i] = bytes[(size_t)random() % (sizeof(bytes) - 1)];
			text[t][n + 1] = 0;
		}
		text[1][0] = 'q';
		arena = mine;
		if (init(&r, "GET", text[0], text[1], &why) == 0) {
			good++;
			faults += r.path.p[0] != '/' || !escape_is_utf8(r.path) || strlen(r.path.p) != r.path.n;
			for (unsigned i = 0; i < r.params; i++)
				faults += !escape_is_utf8(r.param[i].value) || !r.param[i].name.n;
		} else {
			faults += why.status != 400 || r.params != 0;
		}
		arena = kept;
		arena_free(mine);
	}
	tap_diag("%d of 20,000 random requests are accepted", good);
	tap_ok(good && !faults, "20,000 random requests are refused or clean");
}

static void test_accept_encoding(void)
{
	static const struct { const char *accept; bool gzip; } cases[] = {
		{ "gzip", true },
		{ "GZip", true },
		{ "x-gzip", true },
		{ "*", true },
		{ "gzip, deflate, br", true },
		{ "br;q=1.0, gzip;q=0.8, *;q=0.1", true },
		{ "gzip;q=0.001", true },
		{ "identity;q=0.5, gzip", true },
		{ "identity;q=0, gzip;q=0.5", true },
		{ "identity, gzip", true },
		{ "*;q=0, gzip", true },
		{ "gzip;q=0", false },
		{ "gzip;q=0.000", false },
		{ "gzip; q=0, *", false },
		{ "*;q=0", false },
		{ "identity", false },
		{ "identity, gzip;q=0.5", false },
		{ "identity;q=0.5, *;q=0.2", false },
		{ "deflate, br", false },
		{ "gzipped", false },
		{ "", false },
	};
	static const char *const none[] = { "REQUEST_METHOD=GET", "REQUEST_URI=/", NULL };
	struct request r;
	struct problem why;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *env[] = { "REQUEST_METHOD=GET", "REQUEST_URI=/",
				      arena_printf(arena, "HTTP_ACCEPT_ENCODING=%s", cases[i].accept), NULL };

		request_init(&r, arena, env, (struct str){ 0 }, &why);
		tap_ok(request_takes_gzip(&r) == cases[i].gzip, "Accept-Encoding: \"%s\" %s gzip", cases[i].accept,
		       cases[i].gzip ? "takes" : "does not take");
	}
	request_init(&r, arena, none, (struct str){ 0 }, &why);
	tap_ok(!request_takes_gzip(&r), "without the header the plain form is sent");
}

int main(void)
{
	arena = arena_new();
	test_query();
	test_path();
	test_headers();
	test_accept();
	test_random();
	test_accept_encoding();
	arena_free(arena);
	return tap_done();
}
