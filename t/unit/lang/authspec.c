/* The `auth` column: forms, names, and what is refused. */
#include <stdio.h>
#include <string.h>
#include "lang/authspec.h"
#include "tap.h"

static struct arena *arena;

static void note(void *ctx, struct str name)
{
	struct buf *out = ctx;

	if (out->len)
		buf_putc(out, ' ');
	buf_putstr(out, name);
}

static const char *names_of(const struct authspec *s)
{
	struct buf out = BUF_ARENA(arena);

	authspec_names(s, note, &out);
	return buf_text(&out);
}

static struct authspec parsed(const char *text)
{
	struct problem why = { 0 };
	struct authspec s;

	tap_ok(authspec_parse(arena, str_of(text), &s, &why) == 0, "%s is an auth spec %s", text, why.detail);
	return s;
}

static void forms(void)
{
	struct authspec s = parsed("");

	tap_is_int(s.form, AUTH_NONE, "blank is none");
	tap_is_int(parsed(" \n").form, AUTH_NONE, "white space too");
	tap_is_int(parsed("oauth:").form, AUTH_NONE, "oauth: alone too");
	tap_is_str(names_of(&s), "", "none needs no names");
	s = parsed("bearer:GROK_API_KEY");
	tap_ok(s.form == AUTH_BEARER && str_is(s.name, "GROK_API_KEY"), "bearer: has a name");
	tap_is_str(names_of(&s), "GROK_API_KEY", "and needs it");
	s = parsed(" basic:STRIPE_KEY ");
	tap_ok(s.form == AUTH_BASIC && str_is(s.name, "STRIPE_KEY") && !s.user.p && !s.pass.p,
	       "basic: may have one name");
	s = parsed("basic:ADMIN_USER:p:w x");
	tap_ok(s.form == AUTH_BASIC && !s.name.p && str_is(s.user, "ADMIN_USER") && str_is(s.pass, "p:w x"),
	       "or user and password");
	tap_is_str(names_of(&s), "ADMIN_USER", "of which those written as names are named");
	s = parsed("basic:me:");
	tap_ok(str_is(s.user, "me") && s.pass.p && s.pass.n == 0, "the password may be empty");
	tap_is_str(names_of(&s), "", "what is written otherwise is literal");
	s = parsed("query:api_key=MAPS_KEY");
	tap_ok(s.form == AUTH_QUERY && str_is(s.param, "api_key") && str_is(s.name, "MAPS_KEY"),
	       "query: has parameter and name");
	tap_is_str(names_of(&s), "MAPS_KEY", "and needs the name");
	s = parsed("oauth:ZOOM");
	tap_ok(s.form == AUTH_OAUTH && str_is(s.name, "ZOOM"), "oauth: has a name");
	tap_is_str(names_of(&s), "ZOOM_TOKEN_URL ZOOM_CLIENT_ID ZOOM_CLIENT_SECRET", "and needs three variables");
	s = parsed("headers:{\"X-Api-Key\":\"$A_KEY\",\"Authorization\":\"Token $B.$C_2\",\"Accept\":\"text/plain\"}");
	tap_ok(s.form == AUTH_HEADERS && json_object_object_length(s.headers) == 3, "headers: has headers");
	tap_is_str(names_of(&s), "A_KEY B C_2", "and needs the names in them");
	tap_is_int(parsed("headers:{}").form, AUTH_HEADERS, "headers: may be empty");
}

static void is_refused(const char *text, const char *what)
{
	struct problem why = { 0 };
	struct authspec s;

	tap_ok(authspec_parse(arena, str_of(text), &s, &why) < 0 && why.status == 422 &&
		       strcmp(why.error, "bad_auth") == 0 && strcmp(why.field, "auth") == 0 && why.detail[0],
	       "%s is refused", what);
}

static void refused(void)
{
	is_refused("bearer:", "bearer: without name");
	is_refused("bearer:two words", "a name with a space");
	is_refused("bearer:9LIVES", "a name that begins with a digit");
	is_refused("bearer:$NAME", "a name with a sigil");
	is_refused("bearer:A-B", "a name with a dash");
	is_refused("basic:", "basic: alone");
	is_refused("basic::", "basic: with user and password both empty");
	is_refused("basic:a:b\nc", "a line break in a password");
	is_refused("basic:me@example.com", "basic: with something that is no name");
	is_refused("query:X", "query: without parameter");
	is_refused("query:=X", "query: with an empty one");
	is_refused("query:a=", "query: without name");
	is_refused("query:a&b=X", "a parameter that would be two");
	is_refused("query:a%62=X", "a parameter with a percent sign");
	is_refused("oauth:a b", "oauth: with a malformed name");
	is_refused("headers:", "headers: alone");
	is_refused("headers:[]", "headers: with an array");
	is_refused("headers:null", "headers: with null");
	is_refused("headers:{\"a\":1}", "a header that is no string");
	is_refused("headers:{\"a\":\"x\",\"a\":\"y\"}", "a name twice in the JSON");
	is_refused("headers:{\"X-Key\":\"x\",\"x-key\":\"y\"}", "a name twice but for case");
	is_refused("headers:{\"\":\"x\"}", "an empty header name");
	is_refused("headers:{\"a b\":\"x\"}", "a header name with a space");
	is_refused("headers:{\"a:\":\"x\"}", "a header name with a colon");
	is_refused("headers:{\"\xC3\xA9\":\"x\"}", "a header name outside ASCII");
	is_refused("headers:{\"a\":\"x\\r\\nEvil: 1\"}", "CR LF in a header value");
	is_refused("headers:{\"a\":\"x\\n\"}", "LF in a header value");
	is_refused("headers:{\"a\":\"x\\u0000\"}", "NUL in a header value");
	is_refused("headers:{\"a\":\"$1\"}", "an argument slot in a header value");
	is_refused("headers:{\"a\":\"$PREV\"}", "$PREV in a header value");
	is_refused("headers:{\"Host\":\"evil\"}", "Host");
	is_refused("headers:{\"content-length\":\"0\"}", "Content-Length");
	is_refused("headers:{\"Transfer-Encoding\":\"chunked\"}", "Transfer-Encoding");
	is_refused("headers:{\"a\":\"x\"", "JSON that is not closed");
}

static void unknown(void)
{
	struct problem why = { 0 };
	struct authspec s;
	char text[128];

	authspec_parse(arena, str_of("apikey:X"), &s, &why);
	tap_is_str(why.detail, "ERR:auth:unknown_prefix:apikey", "an unknown prefix is told in the literal form");
	tap_is_int(why.status, 422, "as 422");
	tap_is_str(why.error, "bad_auth", "bad_auth");
	authspec_parse(arena, str_of("Bearer:X"), &s, &why);
	tap_is_str(why.detail, "ERR:auth:unknown_prefix:Bearer", "prefixes are exact");
	authspec_parse(arena, str_of("nonsense"), &s, &why);
	tap_is_str(why.detail, "ERR:auth:unknown_prefix:nonsense", "a text without colon is a prefix");
	memset(text, 'x', sizeof(text));
	authspec_parse(arena, str_make(text, sizeof(text)), &s, &why);
	tap_is_int((int64_t)strlen(why.detail), 24 + 64, "cut when it is long");
	tap_ok(authspec_parse(arena, str_of("x:"), &s, NULL) < 0 &&
		       authspec_parse(arena, str_of("headers:{"), &s, NULL) < 0,
	       "why may be NULL");
}

static void many_headers(void)
{
	struct buf text = BUF_ARENA(arena);
	struct authspec s;

	buf_puts(&text, "headers:{");
	for (int i = 0; i < AUTHSPEC_HEADERS_MAX; i++)
		buf_printf(&text, "%s\"h%d\":\"x\"", i ? "," : "", i);
	buf_putc(&text, '}');
	tap_ok(authspec_parse(arena, buf_str(&text), &s, NULL) == 0, "32 headers are accepted");
	text.len--;
	buf_puts(&text, ",\"more\":\"x\"}");
	tap_ok(authspec_parse(arena, buf_str(&text), &s, NULL) < 0, "33 are not");
}

static void credential_headers(void)
{
	static const char *const yes[] = { "Authorization",  "proxy-authorization", "COOKIE",        "x-api-key",
					   "X-Terminal-Key", "X-Auth-Token",        "client-secret", "apikey" };
	static const char *const no[] = { "Accept", "Content-Type",  "User-Agent", "X-Request-Id", "Cookies",
					  "",       "authorization2" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		tap_ok(authspec_is_credential_header(str_of(yes[i])), "%s carries a credential", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		tap_ok(!authspec_is_credential_header(str_of(no[i])), "\"%s\" does not", no[i]);
}

static uint32_t seed = 5;

static uint32_t next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

static void check_name(void *ctx, struct str name)
{
	int *wrong = ctx;

	for (size_t i = 0; i < name.n; i++)
		*wrong += !(name.p[i] == '_' || (name.p[i] | 32) >= 'a' || (name.p[i] >= '0' && name.p[i] <= '9'));
	*wrong += name.n == 0;
}

static void random_bytes(void)
{
	static const char *const pieces[] = {
		"bearer:", "basic:", "headers:", "query:", "oauth:", "{", "}",  "\"", "\"a\":", "\"x-key\":\"$NAME\"",
		",",       "NAME",   "_",        "=",      ":",      "$", "$1", " ",  "\\n",    "\\u0000",
		"a",       "9",
	};
	int wrong = 0, good = 0;

	for (int i = 0; i < 200000; i++) {
		char raw[256];
		struct authspec s;
		size_t n = 0;

		while (n < 200 && next() % 8) {
			const char *p = pieces[next() % (sizeof(pieces) / sizeof(*pieces))];

			memcpy(raw + n, p, strlen(p));
			n += strlen(p);
			if (next() % 16 == 0)
				raw[n++] = (char)next();
		}
		if (authspec_parse(arena, str_make(raw, n), &s, NULL) == 0) {
			good += s.form != AUTH_NONE;
			authspec_names(&s, check_name, &wrong);
		}
		arena_reset(arena);
	}
	tap_diag("%d of 200,000 random texts are auth specs", good);
	tap_ok(good > 1000 && wrong == 0, "200,000 random texts: every accepted one has well-formed names");
}

int main(void)
{
	arena = arena_new();
	forms();
	refused();
	unknown();
	many_headers();
	credential_headers();
	random_bytes();
	arena_free(arena);
	return tap_done();
}
