/* Unit tests of the built-in functions on texts, and of answers as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/crypto.h"
#include "base/escape.h"
#include "base/json.h"
#include "call/functions.h"
#include "call/media.h"
#include "call/shape.h"
#include "tap.h"

static struct arena *arena;
static struct call call;

/* Calls `name` with arguments given as a JSON array; the result's text. */
static const char *run(const char *name, const char *args)
{
	const struct function *f = functions_find(str_of(name));
	struct json_object *list = NULL, *arg[8] = { NULL };
	unsigned n;

	arena_reset(arena);
	call = (struct call){ .arena = arena, .result = BUF_ARENA(arena) };
	if (!f || json_parse(arena, str_of(args), &list, NULL) < 0)
		return "(no such call)";
	n = (unsigned)json_object_array_length(list);
	for (unsigned i = 0; i < n; i++)
		arg[i] = json_object_array_get_idx(list, i);
	f->run(&call, arg, n);
	return buf_text(&call.result);
}

static void test_table(void)
{
	static const char *const names[] = {
		"now", "echo", "upper", "lower", "sha256", "uuid", "json_get", "regex_match", "last_reply_of",
			"base64_encode", "base64_decode", "url_encode",
		"url_decode", "kv_get", "kv_put", "kv_del", "kv_list", "manifest", "read", "confirm", "receipt",
			"dir_get", "dir_put", "dir_patch", "dir_delete",
		"prompt_assemble", "prompt_block",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		tap_ok(functions_find(str_of(names[i])) != NULL, "%s is built in", names[i]);
	tap_ok(!functions_find(str_of("ech")) && !functions_find(str_of("ECHO")) && !functions_find(str_of("")),
		"names are exact");
	tap_ok(functions_find(str_of("kv_put"))->writes && !functions_find(str_of("kv_get"))->writes,
		"what changes state says so");
	tap_ok(functions_find(str_of("dir_put"))->early && !functions_find(str_of("kv_put"))->early,
		"and whether its change comes before the receipt");
}

static void test_now(void)
{
	struct json_object *o = NULL;
	const char *text = run("now", "[\"\"]");
	struct str iso, today, at;
	int64_t ms;

	tap_is_int(json_parse(arena, str_of(text), &o, NULL), 0, "now gives JSON");
	iso = json_str(json_get(o, "iso"));
	today = json_str(json_get(o, "today"));
	at = json_str(json_get(o, "time"));
	tap_ok(clock_parse(json_str(json_get(o, "now")), &ms) == 0 && ms <= clock_ms() && ms > clock_ms() - 10000,
		"now is the time in UTC");
	tap_is_str(json_str(json_get(o, "zone")).p, "America/Los_Angeles", "zone is the configuration's");
	tap_ok(iso.n == 29 && (strcmp(iso.p + 23, "-07:00") == 0 || strcmp(iso.p + 23, "-08:00") == 0),
		"iso has the zone's offset");
	tap_ok(today.n == 10 && strncmp(iso.p, today.p, 10) == 0, "today is the date there");
	tap_ok(at.n == 8 && strncmp(iso.p + 11, at.p, 8) == 0, "time is the time there");
	tap_is_int(json_object_object_length(o), 5, "and there is nothing else");
}

static void test_texts(void)
{
	tap_is_str(run("echo", "[\"a|b \\u00e9\"]"), "a|b é", "echo gives its argument");
	tap_is_str(run("echo", "[{\"a\":[1,2.50]}]"), "{\"a\":[1,2.50]}", "an argument that is no string is its JSON");
	tap_is_str(run("echo", "[null]"), "", "null is empty");
	tap_is_str(run("upper", "[\"Grüße, привет, ǆ!\"]"), "GRÜßE, ПРИВЕТ, Ǆ!", "upper knows letters beyond ASCII");
	tap_is_str(run("lower", "[\"ÀÉΣ Ж 𐐀\"]"), "àéσ ж 𐐨", "lower too, in every plane");
	tap_is_str(run("sha256", "[\"abc\"]"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		"sha256 in hex");
	tap_is_str(run("base64_encode", "[\"hello?>\"]"), "aGVsbG8/Pg==", "base64 with padding");
	tap_is_str(run("base64_decode", "[\" aGVsbG8/Pg== \"]"), "hello?>", "and back");
	tap_is_str(run("base64_decode", "[\"aGVsbG8_Pg\"]"), "hello?>", "the URL alphabet without padding too");
	tap_is_str(run("base64_decode", "[\"a===\"]"), "ERR:fn:base64_decode:malformed",
		"malformed base64 is an error");
	tap_is_str(run("base64_decode", "[\"/wA=\"]"), "data:application/octet-stream;base64,/wA=",
		"bytes that are no text stay base64");
	tap_is_str(run("url_encode", "[\"a b/ü&\"]"), "a%20b%2F%C3%BC%26", "url_encode");
	tap_is_str(run("url_decode", "[\"a%20b+c%2F\"]"), "a b c/", "url_decode");
	tap_is_str(run("url_decode", "[\"%zz\"]"), "ERR:fn:url_decode:malformed", "malformed escapes are an error");
}

static void test_uuid(void)
{
	char first[64];
	const char *u = run("uuid", "[]");

	tap_ok(strlen(u) == 36 && u[8] == '-' && u[13] == '-' && u[14] == '4' && u[18] == '-' && strchr("89ab",
		u[19]) && u[23] == '-', "a version 4 UUID");
	memcpy(first, u, 37);
	tap_ok(strcmp(first, run("uuid", "[]")) != 0, "the next is another");
}

static void test_json_get(void)
{
	tap_is_str(run("json_get", "[\"/a/b/1\",\"{\\\"a\\\":{\\\"b\\\":[1,\\\"x\\\"]}}\"]"), "x",
		"a string comes without its quotes");
	tap_is_str(run("json_get", "[\"/a\",\"{\\\"a\\\":{\\\"b\\\":[1.50]}}\"]"), "{\"b\":[1.50]}",
		"anything else is JSON");
	tap_is_str(run("json_get", "[\"\",\"[1]\"]"), "[1]", "the empty pointer is the whole");
	tap_is_str(run("json_get", "[\"/a~1b\",\"{\\\"a/b\\\":null}\"]"), "null", "escapes of RFC 6901");
	tap_is_str(run("json_get", "[\"/x\",\"{}\"]"), "ERR:fn:json_get:not_found:/x", "what is not there is an error");
	tap_is_str(run("json_get", "[\"x\",\"{}\"]"), "ERR:fn:json_get:bad_pointer:x", "a pointer begins with a slash");
	tap_ok(strncmp(run("json_get", "[\"/x\",\"{\\\"a\\\":1,\\\"a\\\":2}\"]"), "ERR:fn:json_get:bad_json:", 25) == 0,
		"a duplicate name is an error");
}

static void test_reply(void)
{
	tap_is_str(run("last_reply_of", "[\"x [REPLY]one[/REPLY] y [REPLY] two [/REPLY] z\"]"), "two",
		"the last reply, trimmed");
	tap_is_str(run("last_reply_of", "[\"[REPLY]one[/REPLY] [REPLY]open\"]"), "one", "an open one does not count");
	tap_is_str(run("last_reply_of", "[\"[REPLY]a [REPLY]b[/REPLY]\"]"), "b", "opened twice, the inner one counts");
	tap_is_str(run("last_reply_of", "[\"nothing\"]"), "", "none is nothing");
}

static void test_regex(void)
{
	int64_t began;

	tap_is_str(run("regex_match", "[\"(\\\\d+)-(x)?\",\"ab 12-34\"]"), "[\"12-\",\"12\",null]",
		"whole match and groups");
	tap_is_str(run("regex_match", "[\"z\",\"abc\"]"), "[]", "no match is an empty array");
	tap_is_str(run("regex_match", "[\"^ü.$\",\"üß\"]"), "[\"üß\"]", "characters, not bytes");
	tap_is_str(run("regex_match", "[\"\\\\Bb\",\"ab\"]"), "[\"b\"]", "a match looks behind its beginning");
	tap_ok(strncmp(run("regex_match", "[\"(\",\"x\"]"), "ERR:fn:regex_match:bad_pattern:", 31) == 0,
		"a malformed pattern is an error");
	tap_ok(strncmp(run("regex_match", "[\"((((((((((((((((((((((((((((((a))))))))))))))))))))))))))))))\",\"x\"]"),
		       "ERR:fn:regex_match:bad_pattern:", 31) == 0, "so is one nested too deep");
	began = clock_mono_us();
	tap_is_str(run("regex_match",
		"[\"(a+)+$\",\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"]"),
		"ERR:fn:regex_match:too_costly",
		   "endless backtracking is an error");
	tap_ok(clock_mono_us() - began < 1000000, "and ends soon");
}

static const char *media(const char *type, const char *body, size_t n, bool cut)
{
	static struct buf b;

	buf_clear(&b);
	media_text(&b, str_of(type), str_make(body, n), cut);
	return buf_text(&b);
}

static void test_media(void)
{
	tap_is_str(media("text/plain; charset=iso-8859-1", "caf\xe9", 4, false), "café",
		"a declared charset is converted");
	tap_is_str(media("text/plain;charset=\"windows-1252\"", "\x80", 1, false), "€", "quoted too");
	tap_is_str(media("application/json", "\"\xff\"", 3, false), "\"\xEF\xBF\xBD\"",
		"malformed UTF-8 becomes U+FFFD");
	tap_is_str(media("text/html; charset=no-such", "ok", 2, false), "ok", "an unknown charset is taken for UTF-8");
	tap_is_str(media("text/plain; charset=ISO-2022-CN-EXT", "ok", 2, false), "ok",
		"converters outside the table are not loaded");
	tap_is_str(media("image/png", "\x89PNG", 4, false), "data:image/png;base64,iVBORw==", "binary is a data: URI");
	tap_is_str(media("image/svg+xml", "<svg/>", 6, false), "<svg/>", "SVG is text");
	tap_is_str(media("", "plain", 5, false), "plain", "without a type, text is recognised");
	tap_is_str(media("", "\xff\x00", 2, false), "data:application/octet-stream;base64,/wA=", "and what is none");
	tap_is_str(media("a\"b/c", "\xff", 1, false), "data:application/octet-stream;base64,/w==",
		"a malformed type is not repeated");
	tap_is_str(media("text/plain", "ab\xF0\x9F\x98", 5, true), "ab", "a cut leaves no half character");
	tap_is_str(media("text/plain; charset=utf-16le", "h\0i\0\x3d", 5, true), "hi",
		"in other charsets neither");
	tap_is_str(media("text/plain; charset=utf-16le", "h\0i\0\x3d", 5, false), "hi\xEF\xBF\xBD",
		"one that was not cut ends in U+FFFD");
	tap_is_str(media("image/png", "\x89PNG", 4, true), "data:image/png;base64,iVBO",
		"of cut binary whole threes are written");
	tap_is_str(media("text/plain; charset=shift_jis", "\x93\xfa\x96\x7b", 4, false), "日本", "multibyte charsets");
}

static struct secrets *open_secrets(void)
{
	char path[] = "/tmp/rowcall-functions-XXXXXX";
	int fd = mkstemp(path);
	static const char text[] = "TERMINAL_KEY=0123456789abcdef0123456789abcdef\nOTHER=known-value\n";
	struct secrets *s;

	if (fd < 0 || write(fd, text, sizeof(text) - 1) < 0 || fchmod(fd, 0600) < 0 || !(s = secret_open(path, NULL)))
		abort();
	close(fd);
	unlink(path);
	return s;
}

static void test_shape(void)
{
	struct secrets *s = open_secrets();
	struct json_object *o = NULL, *shown;
	struct buf b = BUF_MALLOC;

	arena_reset(arena);
	tap_is_str(shape_text(arena, s, str_of("x GROK_API_KEY y")).p, "x [redacted] y", "names of keys are not shown");
	tap_is_str(shape_text(arena, s, str_of("a=1&MY_API_KEY=zzz&b")).p, "a=1&[redacted]&b",
		"nor what is assigned to them");
	tap_is_str(shape_text(arena, s, str_of("a known-value")).p, "a [redacted:OTHER]", "nor known values");
	tap_is_str(shape_text(arena, s, str_of("_API_KEY")).p, "_API_KEY", "the bare ending is no name");
	json_parse(arena, str_of("{\"A_API_KEY\":[\"B_API_KEY\",1,null,{\"c\":\"d\"}]}"), &o, NULL);
	shown = shape_json(arena, s, o);
	json_text(&b, shown);
	tap_is_str(buf_text(&b), "{\"[redacted]\":[\"[redacted]\",1,null,{\"c\":\"d\"}]}", "at any depth");
	json_object_put(shown);
	buf_free(&b);
	secret_close(s);
}

int main(void)
{
	static char zone[] = "America/Los_Angeles";
	struct conf conf = { .zone = zone };
	struct dispatch_context context = { .conf = &conf };

	arena = arena_new();
	crypto_init();
	dispatch_init(&context);
	test_table();
	test_now();
	test_texts();
	test_uuid();
	test_json_get();
	test_reply();
	test_regex();
	test_media();
	test_shape();
	arena_free(arena);
	return tap_done();
}
