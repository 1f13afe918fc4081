/* Targets: the strict URL grammar, and target_map. */
#include <stdio.h>
#include <string.h>
#include "lang/target.h"
#include "tap.h"

static struct arena *arena;

static bool refused(const char *text)
{
	struct problem why = { 0 };
	struct target t;

	return target_parse(arena, str_of(text), &t, &why) < 0 && why.status == 422 &&
	       strcmp(why.error, "bad_target") == 0 && strcmp(why.field, "target") == 0 && why.detail[0];
}

static void accepted(const char *text, const char *method, const char *scheme, const char *authority, const char *rest)
{
	struct problem why = { 0 };
	struct target t;

	if (!tap_ok(target_parse(arena, str_of(text), &t, &why) == 0, "%s is a target (%s)", text, why.detail))
		return;
	tap_ok(str_is(t.method, method) && str_is(t.scheme, scheme) && str_is(t.authority, authority) &&
		       str_is(t.rest, rest),
	       "and is read as %s %s %s %s", method, scheme, authority, rest);
	tap_ok(!t.body.p, "and has no body of its own");
}

static void forms(void)
{
	accepted("GET https://api.x.ai/v1/models", "GET", "https", "api.x.ai", "/v1/models");
	accepted("GET https://api.open-meteo.com/v1/forecast?latitude=$1&longitude=$2", "GET", "https",
		 "api.open-meteo.com", "/v1/forecast?latitude=$1&longitude=$2");
	accepted("post http://localhost:8080", "POST", "http", "localhost:8080", "");
	accepted("  PATCH   HTTPS://EXAMPLE.com/$$1 \n", "PATCH", "https", "EXAMPLE.com", "/$$1");
	accepted("DELETE http://[::1]:80/x", "DELETE", "http", "[::1]:80", "/x");
	accepted("GET http://[2001:db8::1]/", "GET", "http", "[2001:db8::1]", "/");
	accepted("PUT https://$UPSTREAM/x/$1", "PUT", "https", "$UPSTREAM", "/x/$1");
	accepted("HEAD https://$REGION.api.example.com:$PORT/", "HEAD", "https", "$REGION.api.example.com:$PORT", "/");
	accepted("OPTIONS http://a_b.example.com.?x=$1", "OPTIONS", "http", "a_b.example.com.", "?x=$1");
	accepted("GET http://h:65535/?a@b", "GET", "http", "h:65535", "/?a@b");
	accepted("GET http://h/caf\xC3\xA9/../x?y=z", "GET", "http", "h", "/caf\xC3\xA9/../x?y=z");
}

static void bad_forms(void)
{
	static const char *const bad[] = {
		"", "GET", "GET ", "https://example.com/", "FETCH https://example.com/", "GEThttps://example.com/",
		"CONNECT http://h:1/", "GET\thttp://h/", "GET example.com", "GET //h/", "GET /path", "GET ftp://h/",
		"GET file:///etc/passwd", "GET http:h", "GET http:/h/", "GET http//h", "GET http://",
		"GET http://:80/", "GET http://?x", "GET http://h:/", "GET http://h:0/", "GET http://h:65536/",
		"GET http://h:080/", "GET http://h:99999999999/", "GET http://h:8o/", "GET http://h:80:80/",
		"GET http://.h/", "GET http://a..b/", "GET http://./", "GET http://h\xC3\xA9/", "GET http://h%2e/",
		"GET http://h,i/", "GET http://h;i/", "GET http://(h)/", "GET http://h /", "GET http://h/ x",
		"GET http://h/#f", "GET http://h#f", "GET http://h/\x01", "GET http://h/\x7F", "GET http://h/\\x",
		"GET http://h/\xFF", "GET http://[::1/", "GET http://[::1]x/", "GET http://[fe80::1%25lo]/",
		"GET http://[fe80::1%lo]/", "GET http://[1.2.3.4]/", "GET http://[]/", "GET http://[::1]:/",
		"GET http://[v1.x]/", "GET http://[$HOST]/", "GET javascript:x", "GET hthttp://h/",
		"GET http://h\n/", "GET http://h/\nHost: x", "GET https ://h/", "GET :// /", "GET ://h/",
	};

	struct target t;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		tap_ok(refused(bad[i]), "malformed target %zu is refused", i);
	tap_ok(target_parse(arena, str_make("GET http://h/\0", 14), &t, NULL) < 0, "NUL too, without why");
	tap_ok(target_parse(arena, str_make(NULL, 0), &t, NULL) < 0, "an absent target is refused");
}

/* cases.md, 51: where two parsers would see two hosts. */
static void confusing(void)
{
	static const char *const bad[] = {
		"http://ok@evil/", "http://ok:80@evil", "http://ok:80@evil/", "http://ok#@evil", "http://ok#@evil/",
		"http://ok?@evil", "http://ok?@evil/", "http://ok\\@evil", "http://ok\\@evil/", "http://o\tk/",
		"http://ok\xEF\xBC\x8E" "evil/", "http:///evil", "http://ok\xE3\x80\x82" "evil/", "http:\\\\evil/",
		"http:/\\evil", "http://ok;@evil/", "http://ok%40evil/", "http://ok%2Fevil/", "http://@evil/",
		"http://:@evil/", "http://ok:@evil/", "http://[::1]@evil/", "http://ok?x=@evil",
		"http://ok:80#@evil:80/",
	};
	char text[64];

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(text, sizeof(text), "GET %s", bad[i]);
		tap_ok(refused(text), "confusing URL %zu is refused", i);
	}
	accepted("GET http://ok/?@evil/", "GET", "http", "ok", "/?@evil/");
	accepted("GET http://ok/@evil/x?e=a@b", "GET", "http", "ok", "/@evil/x?e=a@b");
}

static void slots_in_authority(void)
{
	static const char *const bad[] = {
		"GET http://$1/", "GET http://$1.example.com/", "GET http://h:$1/", "GET http://h$2+/",
		"GET http://$PREV/", "GET http://$host/", "GET http://$Host/", "GET http://$$HOST/",
		"GET http://$/", "GET http://h$/", "GET $1", "GET $1://h/", "$1 http://h/", "GET http$1://h/",
		"GET http://$HOST@evil/", "GET http://h:$PORT1x/", "GET http://h:8$PORT/", "GET http://$HOSTx/",
		"GET http://${HOST}/", "GET http://$1HOST/",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		tap_ok(refused(bad[i]), "argument slot %zu in the authority is refused", i);
	accepted("GET http://$PREVIEW/$PREV/$1", "GET", "http", "$PREVIEW", "/$PREV/$1");
}

static void lengths(void)
{
	char text[400], label[80];
	size_t n;

	memset(label, 'a', sizeof(label));
	snprintf(text, sizeof(text), "GET http://%.63s.b/", label);
	tap_ok(!refused(text), "a label may have 63 bytes");
	snprintf(text, sizeof(text), "GET http://%.64s.b/", label);
	tap_ok(refused(text), "a label may not have 64 bytes");
	n = (size_t)snprintf(text, sizeof(text), "GET http://%.63s.%.63s.%.63s.%.61s", label, label, label, label);
	tap_ok(!refused(text), "a host may have 253 bytes");
	text[n] = 'a';
	text[n + 1] = 0;
	tap_ok(refused(text), "a host may not have 254 bytes");
}

static void authorities(void)
{
	tap_ok(target_authority_is_valid(str_of("example.com:80")), "an authority without names is valid");
	tap_ok(!target_authority_is_valid(str_of("$HOST")), "after substitution no name may be left");
	tap_ok(!target_authority_is_valid(str_of("h:$PORT")), "nor as a port");
	tap_ok(!target_authority_is_valid(str_of("a@b")) && !target_authority_is_valid(str_of("a/b")) &&
		       !target_authority_is_valid(str_of("")),
	       "a value cannot bring user information, a path or nothing");
	tap_ok(!target_authority_is_valid(str_make("h\0i", 3)) && !target_authority_is_valid(str_of("h\r\nx:1")),
	       "or NUL or line breaks");
	tap_ok(!target_authority_is_valid(str_make("[::1\0]", 6)), "a NUL in an IPv6 address is refused");
}

#define MAP \
	"target_map:{\"list\":\"GET https://h/items\",\"add\":{\"method\":\"POST\",\"url\":\"https://h/items/$2\"," \
	"\"body\":\"{\\\"n\\\":\\\"$3\\\"}\"},\"put\":{\"method\":\"put\",\"url\":\"http://h/" \
	"\",\"body\":{\"a\":\"$2\",\"b\":[1.50]}}}"

static void maps(void)
{
	struct problem why = { 0 };
	struct target t;

	tap_ok(target_is_map(str_of(" target_map:{}")) && !target_is_map(str_of("GET http://h/")),
	       "a map is told by its prefix");
	tap_ok(target_map_check(arena, str_of(MAP), &why) == 0, "a map of all three kinds is accepted %s", why.detail);
	tap_ok(target_map_pick(arena, str_of(MAP), str_of("list"), &t, &why) == 0 && str_is(t.method, "GET") &&
		       str_is(t.rest, "/items") && !t.body.p,
	       "an operation may be METHOD url");
	tap_ok(target_map_pick(arena, str_of(MAP), str_of("add"), &t, &why) == 0 && str_is(t.method, "POST") &&
		       str_is(t.rest, "/items/$2"),
	       "or an object");
	tap_is_str(t.body.p, "{\"n\":\"$3\"}", "with a body");
	tap_ok(target_map_pick(arena, str_of(MAP), str_of("put"), &t, &why) == 0 && str_is(t.method, "PUT"),
	       "whose method may be lower case");
	tap_is_str(t.body.p, "{\"a\":\"$2\",\"b\":[1.50]}", "and whose body may be an object");
	tap_ok(target_map_pick(arena, str_of(MAP), str_of(""), &t, &why) < 0 && why.status == 200,
	       "no operation is a result");
	tap_is_str(why.error, "ERR:target_map:missing_op:available=list,add,put", "that tells which there are");
	tap_ok(target_map_pick(arena, str_of(MAP), str_of("List"), &t, &why) < 0 && why.status == 200,
	       "an unknown one too");
	tap_is_str(why.error, "ERR:target_map:unknown_op:List:available=list,add,put", "and says its name");
	tap_is_str(t.result.p, why.error, "the result is there in full");
	tap_ok(target_map_pick(arena, str_of(MAP), str_make("list\0x", 6), &t, &why) < 0,
	       "a NUL does not cut an operation's name");
}

static void bad_maps(void)
{
	static const char *const bad[] = {
		"target_map:", "target_map:{}", "target_map:[]", "target_map:null", "target_map:\"x\"",
		"target_map:{\"a\":1}", "target_map:{\"a\":null}", "target_map:{\"a\":\"GET http://$1/\"}",
		"target_map:{\"a\":\"http://h/\"}", "target_map:{\"a\":\"GET http://h/\",\"a\":\"GET http://i/\"}",
		"target_map:{\"a\":\"GET http://h/\",\"\\u0061\":\"GET http://i/\"}",
		"target_map:{\"a\":{\"url\":\"http://h/\"}}", "target_map:{\"a\":{\"method\":\"GET\"}}",
		"target_map:{\"a\":{\"method\":\"GET http://evil/\",\"url\":\"http://h/\"}}",
		"target_map:{\"a\":{\"method\":\"GET\",\"url\":\"http://h/\",\"headers\":{}}}",
		"target_map:{\"a\":{\"method\":\"GET\",\"url\":1}}",
		"target_map:{\"a\":{\"method\":\"GET\",\"url\":\"http://h/\",\"body\":5}}",
		"target_map:{\"\":\"GET http://h/\"}", "target_map:{\"a,b\":\"GET http://h/\"}",
		"target_map:{\"a|b\":\"GET http://h/\"}", "target_map:{\"a\\n\":\"GET http://h/\"}",
		"target_map:{\"a\":\"GET http://h/\"} x", "target_map:{\"a\":\"GET http://u:p@h/\"}",
		"GET http://h/", "target_map:{a:\"GET http://h/\"}",
	};
	struct problem why;
	struct target t;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		memset(&why, 0, sizeof(why));
		tap_ok(target_map_check(arena, str_of(bad[i]), &why) < 0 && why.status == 422 &&
			       strcmp(why.error, "bad_target") == 0 && why.detail[0],
		       "malformed map %zu is refused", i);
	}
	tap_ok(target_map_pick(arena, str_of("target_map:{\"a\":\"GET http://$1/\"}"), str_of("a"), &t, &why) < 0 &&
		       why.status == 422,
	       "a malformed operation is refused at the call too");
	tap_ok(target_map_check(arena, str_of("target_map:{"), NULL) < 0 &&
		       target_map_check(arena, str_of("target_map:{\"a\":1}"), NULL) < 0 &&
		       target_map_pick(arena, str_of(MAP), str_of(""), &t, NULL) < 0,
	       "why may be NULL");
}

static void many_operations(void)
{
	struct buf map = BUF_ARENA(arena), op = BUF_ARENA(arena);
	struct problem why;
	struct target t;

	buf_puts(&map, "target_map:{");
	for (int i = 0; i < 200; i++)
		buf_printf(&map, "%s\"operation_%d\":\"GET http://h/%d\"", i ? "," : "", i, i);
	buf_putc(&map, '}');
	for (int i = 0; i < 100; i++)
		buf_puts(&op, "\xC3\xA9");
	tap_ok(target_map_pick(arena, buf_str(&map), buf_str(&op), &t, &why) < 0,
	       "an endless unknown operation is refused");
	tap_ok(strlen(why.error) < PROBLEM_ERROR_MAX &&
		       str_find(t.result, str_of(":available=operation_0,")) == 26 + 64 &&
		       str_find(t.result, str_of("operation_199")) > 0,
	       "its name is cut, the list in the result is not");
}

static uint32_t seed = 99;

static uint32_t next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

static bool holds(struct str s, const char *chars)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] && strchr(chars, s.p[i]))
			return true;
	return false;
}

static void random_bytes(void)
{
	static const char *const pieces[] = {
		"GET", " ", "http://", "https://", "h", ".", ":", "80", "/", "?", "#", "@", "\\", "[", "]", "::1",
		"$1", "$A", "$", "%", "\t", "-", "target_map:", "{", "}", "\"", "\"a\":", "\"method\":\"GET\"",
		"\"url\":", ",", "\xEF\xBC\x8E", "a",
	};
	int wrong = 0, good = 0;

	for (int i = 0; i < 200000; i++) {
		char raw[256] = "GET http://";
		size_t n = next() % 2 ? 11 : next() % 4 ? 5 : 0;
		struct target t;

		while (n < 200 && next() % 12) {
			const char *p = pieces[next() % (sizeof(pieces) / sizeof(*pieces))];

			memcpy(raw + n, p, strlen(p));
			n += strlen(p);
			if (next() % 16 == 0)
				raw[n++] = (char)next();
		}
		if (target_parse(arena, str_make(raw, n), &t, NULL) == 0) {
			good++;
			wrong += !t.authority.n || holds(t.authority, "@\\/?# \t%") || holds(t.url, "#\\ \t\r\n") ||
				 (t.rest.n && t.rest.p[0] != '/' && t.rest.p[0] != '?');
		}
		(void)target_map_check(arena, str_make(raw, n), NULL);
		(void)target_map_pick(arena, str_make(raw, n), str_of("a"), &t, NULL);
		arena_reset(arena);
	}
	tap_diag("%d of 200,000 random texts are targets", good);
	tap_ok(good > 1000 && wrong == 0,
	       "200,000 random texts: no accepted target has an authority that could be read otherwise");
}

int main(void)
{
	arena = arena_new();
	forms();
	bad_forms();
	confusing();
	slots_in_authority();
	lengths();
	authorities();
	maps();
	bad_maps();
	many_operations();
	random_bytes();
	arena_free(arena);
	return tap_done();
}
