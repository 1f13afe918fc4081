/* Reading strictly, writing canonically. The number table and the sample are those of RFC 8785, appendix B and section
 * 3.2. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/escape.h"
#include "base/json.h"
#include "tap.h"

static struct arena *a;

/* A text as the name of a test may hold it. */
static const char *shown(const char *s)
{
	struct buf out = BUF_ARENA(a);

	escape_add(&out, ESCAPE_TERMINAL, str_of(s));
	return buf_text(&out);
}

static const char *canonical(const char *s)
{
	struct buf out = BUF_ARENA(a);
	struct json_object *o;

	if (json_parse(a, str_of(s), &o, NULL))
		return "(refused)";
	json_canonical(&out, o);
	return buf_text(&out);
}

static const char *text(const char *s)
{
	struct buf out = BUF_ARENA(a);
	struct json_object *o;

	if (json_parse(a, str_of(s), &o, NULL))
		return "(refused)";
	json_text(&out, o);
	return buf_text(&out);
}

/* Parsing and checking have to agree. The text is copied to its exact size, so that a sanitizer sees a read behind its
 * end. */
static bool accepts(struct str s, struct problem *why)
{
	char *copy = malloc(s.n ? s.n : 1);
	struct json_object *o;
	int checked, parsed;

	memcpy(copy, s.p, s.n);
	checked = json_check(str_make(copy, s.n), why);
	parsed = json_parse(NULL, str_make(copy, s.n), &o, why);
	if (!parsed)
		json_object_put(o);
	else
		tap_ok(!o, "what is refused gives no object");
	free(copy);
	if (checked != parsed)
		tap_ok(false, "json_check and json_parse agree");
	return !parsed;
}

static void accepted(void)
{
	static const char *const good[] = {
		"null", "true", "false", "0", "-0", "1", "-1", "10", "0.5", "-0.5", "1e5", "1E+5", "1e-5", "1.5e00",
		"1e-999", "\"\"", "[]", "{}",
		" \t\r\n[ 1 , 2 ]\n", "{\"a\":1}", "{\"\":0}", "{\"a\":{\"a\":{\"a\":[]}}}", "[[],{},[{}]]",
		"[{\"a\":1},{\"a\":1}]",
		"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\"", "\"\\ud83d\\ude00\"", "\"\\uD83D\\uDE00\"",
		"\"\xF0\x9F\x98\x80\"", "\"\x7F\"", "\"\\u0000\"",
		"\"\\uFFFF\"", "123456789012345678901234567890", "1.7976931348623157e308",
		"[1,\"a\",null,true,{\"b\":[]}]",
		"{\"a\":1,\"A\":1,\"\xC3\xA9\":1,\"e\xCC\x81\":1}",
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		tap_ok(accepts(str_of(good[i]), NULL), "accepted: %s", shown(good[i]));
}

static void refused(void)
{
	static const char *const bad[] = {
		"", " ", "\n", "[", "]", "{", "}", "[1", "[1,", "[1,]", "[,1]", "[,]", "[1 2]", "[1,,2]", "[1}",
		"{\"a\":1]", "[1]]", "[]x", "1 2", "{}{}",
		"{a:1}", "{'a':1}", "{\"a\"}", "{\"a\":}", "{\"a\" 1}", "{\"a\":1,}", "{,\"a\":1}", "{\"a\":1 \"b\":2}",
		"{1:1}", "{\"a\":1,,\"b\":2}",
		"'a'", "\"", "\"a", "\"\\", "\"\\\"", "\"\\x41\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\U0041\"", "\"\\u\"",
		"\"a\nb\"", "\"a\tb\"", "\"\x01\"",
		"01", "-01", "00", "1.", ".5", "-.5", "-", "+1", "1e", "1e+", "1.e5", "0x10", "1_000", "1e5.5", "NaN",
		"Infinity", "-Infinity", "nan", "inf",
		"1e999", "-1e999", "1.8e308", "True", "nul", "nulll", "truefalse", "tru", "undefined", "[1] // c",
		"/* c */ 1", "# c", "\xEF\xBB\xBF{}",
		"\xC2\xA0" "1", "\f1", "\"\\ud800\"", "\"\\udc00\"", "\"\\udc00\\ud800\"", "\"\\ud800\\ud800\"",
		"\"\\ud800x\"", "\"\\ud800\\n\"",
		"\"\\ud800\\u0041\"", "\"\\ud800\\u\"", "\"\xC0\x80\"", "\"\xED\xA0\x80\"", "\"\xF4\x90\x80\x80\"",
		"\"\xFF\"", "\"\xE2\x82\"", "\"\xF0\x9F\x98\"",
		"\"\x80\"", "{\"\xFF\":1}", "\xFF", "{\"\\ud800\":1}", "{\"a\\u0000b\":1}", "[\"\\u0000\",]",
	};
	struct problem why;
	char *digits = malloc(400);

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		why = (struct problem){ 0 };
		tap_ok(!accepts(str_of(bad[i]), &why) && why.status == 400 && strcmp(why.error, "invalid_json") == 0 &&
		       why.detail[0],
		       "refused: %s (%s)", shown(bad[i]), why.detail);
	}
	tap_ok(!accepts(str_make("[1]\0", 4), NULL) && !accepts(str_make("\0", 1), NULL) &&
	       !accepts(str_make("\"a\0b\"", 5), NULL), "NUL is refused everywhere");
	memset(digits, '9', 400);
	tap_ok(!accepts(str_make(digits, 400), NULL), "400 digits are no finite double");
	tap_ok(accepts(str_make(digits, 308), NULL), "308 digits are one");
	free(digits);
}

static void positions(void)
{
	static const struct { const char *s, *detail; } cases[] = {
		{ "{\"a\": 1,\n \"b\" 2}", "expected \":\" after a name at line 2, column 6" },
		{ "", "text ends where a value is expected at line 1, column 1" },
		{ "[1,\n2,\n x]", "expected a value at line 3, column 2" },
		{ "{\"key\":\"safe\",\n\"key\":\"danger\"}", "duplicate key \"key\" at line 2, column 1" },
		{ "{\"key\":1,\"k\\u0065y\":2}", "duplicate key \"k\\u0065y\" at line 1, column 10" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct problem why = { 0 };

		json_check(str_of(cases[i].s), &why);
		tap_is_str(why.detail, cases[i].detail, "a refusal says what and where");
	}
}

static void duplicates(void)
{
	static const char *const bad[] = {
		"{\"a\":1,\"a\":1}", "{\"\":1,\"\":2}", "{\"key\":\"safe\",\"k\\u0065y\":\"danger\"}",
		"{\"\\u006b\\u0065y\":1,\"ke\\u0079\":1}",
		"[{\"x\":{\"a\":1,\"b\":2,\"a\":3}}]", "{\"\xF0\x9F\x98\x80\":1,\"\\ud83d\\ude00\":2}",
		"{\"\\n\":1,\"\\u000a\":2}", "{\"\\/\":1,\"/\":2}",
		"{\"a\":{\"b\":1},\"c\":2,\"a\":3}",
		"{\"1\":0,\"2\":0,\"3\":0,\"4\":0,\"5\":0,\"6\":0,\"7\":0,\"8\":0,\"9\":0,\"10\":0,\"1\":0}",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct problem why = { 0 };

		tap_ok(!accepts(str_of(bad[i]), &why) &&
		       strstr(why.detail, "duplicate key \""), "a name twice: %s", bad[i]);
	}
	tap_ok(accepts(str_of("{\"a\":{\"a\":1},\"b\":{\"a\":1}}"), NULL),
	       "the same name in different objects is fine");
	tap_ok(accepts(str_of("{\"a\":{\"b\":1,\"c\":1},\"b\":1,\"c\":{\"a\":1}}"), NULL),
	       "an inner object's names are its own");
}

static void many_members(void)
{
	struct buf b = BUF_MALLOC;
	struct json_object *o;
	int64_t start = clock_mono_us(), took;

	buf_putc(&b, '{');
	for (int i = 0; i < 100000; i++)
		buf_printf(&b, "%s\"name%d\":%d", i ? "," : "", i, i);
	buf_putc(&b, '}');
	tap_ok(json_parse(NULL, buf_str(&b), &o, NULL) == 0 &&
	       json_object_get_int(json_get(o, "name99999")) == 99999, "100,000 members are read");
	json_object_put(o);
	b.len--;
	buf_puts(&b, ",\"nam\\u00650\":1}");
	tap_ok(!accepts(buf_str(&b), NULL), "and one that is there twice among them is found");
	buf_clear(&b);
	for (int i = 0; i < 100000; i++)
		buf_printf(&b, "%s\"a\":1", i ? "," : "{");
	buf_putc(&b, '}');
	tap_ok(!accepts(buf_str(&b), NULL), "also 100,000 times the same name");
	took = clock_mono_us() - start;
	tap_ok(took < 30000000, "in time that does not grow with the square (%lld ms)", (long long)took / 1000);
	buf_free(&b);
}

static void depth(void)
{
	for (int kind = 0; kind < 3; kind++) {
		for (int n = JSON_DEPTH_MAX - 1; n <= JSON_DEPTH_MAX + 1; n++) {
			struct problem why = { 0 };
			struct buf b = BUF_ARENA(a);

			for (int i = 0; i < n; i++)
				buf_puts(&b, kind == 0 || (kind == 2 && i % 2) ? "[" : i == n - 1 ? "{" : "{\"a\":");
			for (int i = n - 1; i >= 0; i--)
				buf_puts(&b, kind == 0 || (kind == 2 && i % 2) ? "]" : "}");
			tap_ok(accepts(buf_str(&b), &why) == (n <= JSON_DEPTH_MAX), "depth %d is %s", n,
			       n <= JSON_DEPTH_MAX ? "accepted" : "refused");
			if (n > JSON_DEPTH_MAX)
				tap_is_str(why.error, "invalid_json", "with the usual code");
		}
	}
	{
		char *deep = malloc(1 << 20);

		memset(deep, '[', 1 << 20);
		tap_ok(!accepts(str_make(deep, 1 << 20), NULL), "a million brackets are refused");
		free(deep);
	}
}

static void values(void)
{
	struct json_object *o;
	struct str s;

	tap_ok(json_parse(a, str_of("null"), &o, NULL) == 0 && !o, "null is a success without an object");
	json_parse(a, str_of("\"a\\u0000b\\ud83d\\ude00\\u00e9\\u20ac\""), &o, NULL);
	s = json_str(o);
	tap_ok(str_eq(s, str_make("a\0b\xF0\x9F\x98\x80\xC3\xA9\xE2\x82\xAC", 12)),
	       "escapes become characters, NUL too");
	tap_is_str(text("{\"b\":1,\"a\":[true,false,null,\"x\"],\"c\":{}}"),
	           "{\"b\":1,\"a\":[true,false,null,\"x\"],\"c\":{}}", "members keep their order");
	tap_is_str(text("[9223372036854775807,-9223372036854775808,18446744073709551615,9007199254740993]"),
	           "[9223372036854775807,-9223372036854775808,18446744073709551615,9007199254740993]",
	           "whole numbers of 64 bits are exact");
	tap_is_str(text("[18446744073709551616,-9223372036854775809,1.10,1e2,0.1,-0.0,1E+2]"),
	           "[18446744073709551616,-9223372036854775809,1.10,1e2,0.1,-0.0,1E+2]",
	           "other numbers keep their text");
	tap_is_str(text("\"a/b\\/c\\u001f\xC3\xA9\""), "\"a/b/c\\u001f\xC3\xA9\"",
	           "slashes and letters are written as they are");
	json_parse(a, str_of("[0.1]"), &o, NULL);
	json_object_set_double(json_object_array_get_idx(o, 0), 0.25);
	{
		struct buf b = BUF_ARENA(a);

		json_text(&b, o);
		tap_is_str(buf_text(&b), "[0.25]", "a changed double forgets its text");
	}
}

static void numbers(void)
{
	static const struct { uint64_t bits; const char *want; } rfc[] = {
		{ 0x0000000000000000, "0" }, { 0x8000000000000000, "0" }, { 0x0000000000000001, "5e-324" },
		{ 0x8000000000000001, "-5e-324" },
		{ 0x7fefffffffffffff, "1.7976931348623157e+308" }, { 0xffefffffffffffff, "-1.7976931348623157e+308" },
		{ 0x4340000000000000, "9007199254740992" }, { 0xc340000000000000, "-9007199254740992" },
		{ 0x4430000000000000, "295147905179352830000" },
		{ 0x44b52d02c7e14af5, "9.999999999999997e+22" }, { 0x44b52d02c7e14af6, "1e+23" },
		{ 0x44b52d02c7e14af7, "1.0000000000000001e+23" },
		{ 0x444b1ae4d6e2ef4e, "999999999999999700000" }, { 0x444b1ae4d6e2ef4f, "999999999999999900000" },
		{ 0x444b1ae4d6e2ef50, "1e+21" },
		{ 0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7" }, { 0x3eb0c6f7a0b5ed8d, "0.000001" },
		{ 0x41b3de4355555553, "333333333.3333332" },
		{ 0x41b3de4355555554, "333333333.33333325" }, { 0x41b3de4355555555, "333333333.3333333" },
		{ 0x41b3de4355555556, "333333333.3333334" },
		{ 0x41b3de4355555557, "333333333.33333343" }, { 0xbecbf647612f3696, "-0.0000033333333333333333" },
		{ 0x43143ff3c1cb0959, "1424953923781206.2" },
		/* Powers of two, where the nearest of sixteen digits does not come back and the next one up does. */
		{ 0x3d30000000000000, "5.684341886080802e-14" }, { 0x0010000000000000, "2.2250738585072014e-308" },
		{ 0x7ff8000000000000, "null" }, { 0x7ff0000000000000, "null" },
	};
	char out[JSON_NUMBER_MAX];

	for (size_t i = 0; i < sizeof(rfc) / sizeof(rfc[0]); i++) {
		double v;

		memcpy(&v, &rfc[i].bits, sizeof(v));
		json_number(v, out);
		tap_is_str(out, rfc[i].want, "a number as ECMAScript writes it");
	}
	/* Thousandths go a shorter way. */
	{
		bool same = true;
		char want[JSON_NUMBER_MAX];

		for (int64_t k = 1; k < 1200000000000000; k += 1 + k / 7) {
			snprintf(want, sizeof(want), "-%lld.%03lld", (long long)k / 1000, (long long)k % 1000);
			for (size_t n = strlen(want); want[n - 1] == '0' || want[n - 1] == '.'; n--) {
				bool point = want[n - 1] == '.';

				want[n - 1] = 0;
				if (point)
					break;
			}
			json_number(-(double)k / 1000, out);
			same = same && strcmp(out, want) == 0;
		}
		tap_ok(same, "thousandths have no more digits than they need");
		json_number(0.125, out);
		tap_is_str(out, "0.125", "a number as ECMAScript writes it");
		json_number(0.0005, out);
		tap_is_str(out, "0.0005", "a number as ECMAScript writes it");
		json_number(999999999999.999, out);
		tap_is_str(out, "999999999999.999", "a number as ECMAScript writes it");
		json_number(1000000000000.001, out);
		tap_is_str(out, "1000000000000.001", "a number as ECMAScript writes it");
	}
	/* Every exponent, and steps within: what is written reads back as the same double. */
	{
		bool same = true;

		for (uint64_t bits = 1; bits < 0x7ff0000000000000; bits += 0x000123456789abcd) {
			double v;

			memcpy(&v, &bits, sizeof(v));
			json_number(v, out);
			same = same && strlen(out) < 26 && strtod(out, NULL) == v;
		}
		tap_ok(same, "what is written reads back as the same double");
	}
}

static void canonical_form(void)
{
	tap_is_str(canonical("{\n  \"numbers\": [333333333.33333329, 1E30, 4.50, 2e-3,\n"
	                     "              0.000000000000000000000000001],\n"
	                     "  \"string\": \"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\",\n"
	                     "  \"literals\": [null, true, false]\n}"),
	           "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
	           "\"string\":\"\xE2\x82\xAC$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}",
	           "the sample of RFC 8785 section 3.2.2");
	tap_is_str(canonical("{\"\\u20ac\":\"Euro Sign\",\"\\r\":\"Carriage Return\",\"\\ufb33\":\"Hebrew Letter "
	                     "Dalet With Dagesh\",\"1\":\"One\","
	                     "\"\\ud83d\\ude00\":\"Emoji: Grinning Face\",\"\\u0080\":\"Control\","
	                     "\"\\u00f6\":\"Latin Small Letter O With Diaeresis\"}"),
	           "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\xC2\x80\":\"Control\",\"\xC3\xB6\":\"Latin Small "
	           "Letter O With Diaeresis\","
	           "\"\xE2\x82\xAC\":\"Euro Sign\",\"\xF0\x9F\x98\x80\":\"Emoji: Grinning Face\","
	           "\"\xEF\xAC\xB3\":\"Hebrew Letter Dalet With Dagesh\"}",
	           "names in the order of RFC 8785 section 3.2.3");
	tap_is_str(canonical("{\"b\":{\"z\":1,\"a\":2},\"a\":[3,{\"y\":1,\"x\":2}],\"\":0,\"aa\":1}"),
	           "{\"\":0,\"a\":[3,{\"x\":2,\"y\":1}],\"aa\":1,\"b\":{\"a\":2,\"z\":1}}",
	           "every object is sorted, no array");
	tap_is_str(canonical("[9007199254740993,9223372036854775807,18446744073709551615,-9223372036854775808,"
	                     "123456789012345678901234567890,1.0,-0,-0.0]"),
	           "[9007199254740992,9223372036854776000,18446744073709552000,-9223372036854776000,"
	           "1.2345678901234568e+29,1,0,0]",
	           "numbers are doubles");
	tap_is_str(canonical("null"), "null", "a null alone");
	tap_is_str(canonical(canonical("{\"x\":[1.50,\"\\u00e9\"]}")), "{\"x\":[1.5,\"\xC3\xA9\"]}",
	           "the canonical form of itself is itself");
}

static const char *at(struct json_object *o, const char *pointer)
{
	struct buf b = BUF_ARENA(a);
	bool found;
	struct json_object *v = json_pointer(o, str_of(pointer), &found);

	if (!found)
		return v ? "(inconsistent)" : "(none)";
	json_text(&b, v);
	return buf_text(&b);
}

static void pointers(void)
{
	/* The document of RFC 6901 section 5. */
	static const struct { const char *pointer, *want; } cases[] = {
		{ "/foo", "[\"bar\",\"baz\"]" }, { "/foo/0", "\"bar\"" }, { "/", "0" }, { "/a~1b", "1" },
		{ "/c%d", "2" }, { "/e^f", "3" }, { "/g|h", "4" },
		{ "/i\\j", "5" }, { "/k\"l", "6" }, { "/ ", "7" }, { "/m~0n", "8" }, { "/null", "null" },
		{ "/foo/2", "(none)" }, { "/foo/-", "(none)" },
		{ "/foo/00", "(none)" }, { "/foo/01", "(none)" }, { "/foo/1x", "(none)" },
		{ "/foo/99999999999999", "(none)" }, { "/foo/", "(none)" },
		{ "foo", "(none)" }, { "/foo/0/x", "(none)" }, { "/m~n", "(none)" }, { "/m~2n", "(none)" },
		{ "/m~", "(none)" }, { "/null/x", "(none)" },
		{ "/nope", "(none)" },
	};
	struct json_object *o;

	json_parse(a, str_of("{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,"
	                     "\"i\\\\j\":5,\"k\\\"l\":6,\" \":7,\"m~n\":8,\"null\":null}"),
	           &o, NULL);
	tap_ok(json_pointer(o, str_of(""), NULL) == o, "the empty pointer is the whole");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		tap_is_str(at(o, cases[i].pointer), cases[i].want, cases[i].pointer);
	tap_ok(!json_pointer(o, str_make("/foo\0", 5), NULL), "a pointer with NUL finds nothing");
}

static void building(void)
{
	struct json_object *o = arena_json(a, json_object_new_object()), *list = json_object_new_array();
	struct buf b = BUF_ARENA(a);

	json_put_text(o, "t", "x");
	json_put_text(o, "none", NULL);
	json_put_str(o, "s", str_make("a\0b", 3));
	json_put_str(o, "bad", str_of("\xFF"));
	json_put_int(o, "i", INT64_MIN);
	json_put_bool(o, "b", true);
	json_put(o, "list", list);
	json_object_array_add(list, json_object_new_double(0.1));
	json_put_int(o, "t", 2);
	json_text(&b, o);
	tap_is_str(buf_text(&b), "{\"t\":2,\"none\":null,\"s\":\"a\\u0000b\",\"bad\":\"\xEF\xBF\xBD\","
	                         "\"i\":-9223372036854775808,\"b\":true,\"list\":[0.1]}",
	           "what is built is written as valid JSON");
	tap_ok(json_check(buf_str(&b), NULL) == 0, "and passes the check");
	tap_ok(!json_get(NULL, "x") && !json_get(list, "x") &&
	       !json_get(o, "nope"), "asking for what is not there is safe");
	tap_ok(!json_str(NULL).p && !json_str(o).p && !json_str(json_get(o, "i")).p, "what is no string has no bytes");
	tap_ok(json_length(list) && !json_length(NULL) && !json_length(o) && json_at(list, 0) && !json_at(list, json_length(list)) && !json_at(o, 0),
	       "elements of what is no array are none");
	list = json_object_new_array();
	json_object_array_add(list, json_object_new_int(1));
	json_object_array_add(list, json_object_new_string("a"));
	tap_ok(json_lists(list, "a") && !json_lists(list, "1") && !json_lists(list, "b") && !json_lists(o, "s") &&
	       !json_lists(NULL, "a"), "a list has a string or not; what is no list has none");
	json_object_put(list);
	tap_ok(json_str(json_get(o, "s")).n == 3, "a string's bytes include NUL");
}

/* Texts with bytes changed and lost: what is accepted is a value that survives writing and reading. */
static void damaged(void)
{
	static const char whole[] = "{\"a\":[1,-2.5e-3,1E40,\"x\\u00e9\\ud83d\\ude00\\n\xC3\xA9\xF0\x9F\x98\x80\",true,null,{}],"
				    "\"c\":{\"b\\u0063\":\"\",\"\":[[]]}}";
	static const char odd[] = "\0\"\\{}[],:0-.eE\x80\xED\xA0\xFFu ";
	int accepted_n = 0, faults = 0;

	srandom(7);
	for (int round = 0; round < 100000; round++) {
		struct arena *mine = arena_new();
		char text[sizeof(whole)];
		struct buf first = BUF_ARENA(mine), second = BUF_ARENA(mine);
		struct json_object *o;
		size_t n = sizeof(whole) - 1;

		memcpy(text, whole, sizeof(whole));
		if (random() % 4 == 0)
			n = (size_t)random() % n;
		for (long changes = random() % 4; changes > 0 && n; changes--)
			text[(size_t)random() % n] = odd[(size_t)random() % (sizeof(odd) - 1)];
		if (json_parse(mine, str_make(text, n), &o, NULL) == 0) {
			accepted_n++;
			json_text(&first, o);
			faults += json_parse(mine, buf_str(&first), &o, NULL) != 0;
			json_text(&second, o);
			faults += !str_eq(buf_str(&first), buf_str(&second));
		}
		arena_free(mine);
	}
	tap_diag("%d of 100,000 damaged texts are accepted", accepted_n);
	tap_ok(accepted_n && !faults, "100,000 damaged texts: what is accepted reads as it is written");
}

int main(void)
{
	a = arena_new();
	accepted();
	refused();
	positions();
	duplicates();
	many_members();
	depth();
	values();
	numbers();
	canonical_form();
	pointers();
	building();
	damaged();
	arena_free(a);
	return tap_done();
}
