/* Templates: the token grammar, the table of spec section 5, escaping by position, 100,000 round trips and random
 * bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lang/template.h"
#include "tap.h"

static struct arena *arena;
static struct str argv_text[] = { { "one", 3 }, { "a b", 3 }, { "x/y", 3 } };

static struct str lookup(void *ctx, struct str name)
{
	(void)ctx;
	if (str_is(name, "VAR"))
		return str_of("v r");
	return str_is(name, "lat") ? str_of("shadowed") : str_make(NULL, 0);
}

static struct template_args standard(void)
{
	return (struct template_args){ .arg = argv_text, .n = 3, .lookup = lookup };
}

static void plain(const char *text, const char *want)
{
	struct template_args args = standard();
	struct buf out = BUF_ARENA(arena);

	template_expand(&out, str_of(text), ESCAPE_RAW, &args);
	tap_ok(str_is(buf_str(&out), want), "%s gives %s (got %s)", text, want, buf_text(&out));
}

static void grammar(void)
{
	plain("", "");
	plain("no slots", "no slots");
	plain("$1", "one");
	plain("<$1$2>", "<onea b>");
	plain("$4.", ".");
	plain("$1+", "one|a b|x/y");
	plain("$2+$1", "a b|x/yone");
	plain("$3+", "x/y");
	plain("$4+.", ".");
	plain("$12", "");
	plain("$01", "one");
	plain("$0 $00 $0+ $$0", "$0 $00 $0+ $$0");
	plain("$1a", "onea");
	plain("$ $", "$ $");
	plain("$", "$");
	plain("$$", "$$");
	plain("$$$", "$$$");
	plain("$$1", "one");
	plain("$$$1", "$one");
	plain("$$$$1", "$$one");
	plain("$$2+", "a b|x/y");
	plain("$-1 $.1 $(1) ${1} ${VAR} $[1]", "$-1 $.1 $(1) ${1} ${VAR} $[1]");
	plain("$VAR", "v r");
	plain("$$VAR", "v r");
	plain("$VARX $_VAR $var", "$VARX $_VAR $var");
	plain("$$NOPE.", "$$NOPE.");
	plain("$VAR-$VAR.$VAR/", "v r-v r.v r/");
	plain("$PREV $PREVIOUS $$PREV", "$PREV $PREVIOUS $$PREV");
	plain("{{env.PATH}} ${OWNER_KEY} $OWNER_KEY %24%7BX%7D", "{{env.PATH}} ${OWNER_KEY} $OWNER_KEY %24%7BX%7D");
	plain("$99999999999999999999999999.$18446744073709551617.$4294967297+.$10000.", "....");
	plain("$1\xC3\xA9$1", "one\xC3\xA9one");
	plain("$\xC3\xA9", "$\xC3\xA9");
}

/* What was substituted is not scanned again. */
static void one_scan(void)
{
	static struct str values[] = { { "$2 $$2 $VAR ${OWNER_KEY} {{env.PATH}} $PREV", 42 }, { "secret", 6 } };
	struct template_args args = { .arg = values, .n = 2, .lookup = lookup, .prev = { "$1", 2 } };
	struct buf out = BUF_ARENA(arena);

	template_expand(&out, str_of("$1"), ESCAPE_RAW, &args);
	tap_ok(str_eq(buf_str(&out), values[0]), "names in an argument arrive literally");
	buf_clear(&out);
	template_expand(&out, str_of("$PREV$PREVX"), ESCAPE_RAW, &args);
	tap_is_str(buf_text(&out), "$1$PREVX", "$PREV is a whole word, and its value is not scanned");
	buf_clear(&out);
	args.prev = str_of("");
	template_expand(&out, str_of("<$PREV>"), ESCAPE_RAW, &args);
	tap_is_str(buf_text(&out), "<>", "an empty $PREV is empty");
	args.arg = (struct str[]){ { "$", 1 }, { "1", 1 } };
	buf_clear(&out);
	template_expand(&out, str_of("$1$2 $$11"), ESCAPE_RAW, &args);
	tap_is_str(buf_text(&out), "$1 ", "values that meet make no new slot");
}

static void names(void)
{
	struct template_args args = standard();
	struct buf out = BUF_ARENA(arena);

	json_parse(arena,
		   str_of("{\"lat\":1.50,\"s\":\"a\\\"b\",\"n\":null,\"t\":true,\"o\":{\"k\":[1,\"x\"]},\"PREV\":\"p\","
			  "\"e\":\"\"}"),
		   &args.named, NULL);
	template_expand(&out, str_of("$lat|$s|$n|$t|$o|$e|$gone|$PREV|$VAR"), ESCAPE_RAW, &args);
	tap_is_str(buf_text(&out), "1.50|a\"b||true|{\"k\":[1,\"x\"]}||$gone|$PREV|v r",
		   "a property comes before a variable, null is empty, a non-string is JSON, PREV is no property");
	buf_clear(&out);
	template_expand_json(&out, str_of("{\"a\":$lat,\"b\":\"$o\",\"c\":$o,\"d\":\"$$s\",\"e\":\"$s\"}"), &args);
	tap_is_str(buf_text(&out),
		   "{\"a\":1.50,\"b\":\"{\\\"k\\\":[1,\\\"x\\\"]}\",\"c\":{\"k\":[1,\"x\"]},\"d\":\"a\"b\",\"e\":"
		   "\"a\\\"b\"}",
		   "typed values in a JSON body");
	args.named = NULL;
	args.lookup = NULL;
	buf_clear(&out);
	template_expand(&out, str_of("$lat"), ESCAPE_RAW, &args);
	tap_is_str(buf_text(&out), "$lat", "without properties and variables a name stays");
}

static void in_json(const char *value, const char *text, const char *want, const char *name)
{
	struct str arg = str_of(value);
	struct template_args args = { .arg = &arg, .n = 1 };
	struct buf out = BUF_ARENA(arena);

	template_expand_json(&out, str_of(text), &args);
	tap_is_str(buf_text(&out), want, name);
}

static void json_bodies(void)
{
	in_json("a\"b\\c\nd", "[\"$1\"]", "[\"a\\\"b\\\\c\\nd\"]", "a value inside quotes is escaped");
	in_json("a\"b", "[\"$$1\"]", "[\"a\"b\"]", "$$ inside quotes is raw");
	in_json("5", "{\"a\":$1}", "{\"a\":5}", "outside quotes it is written as it is");
	in_json("\"", "[$1,\"$1\"]", "[\",\"\\\"\"]",
		"a quote in a value does not change where the template's strings are");
	in_json("\"", "[\"\\\"$1\\\\\",\"$1\"]", "[\"\\\"\\\"\\\\\",\"\\\"\"]",
		"escaped quotes in the template do not either");
	in_json("\",\"x\":\"", "{\"a\":\"\\$1\"}", "{\"a\":\"\\\\\\\",\\\"x\\\":\\\"\"}",
		"a backslash before a slot cannot open the string");
	in_json("n", "[\"\\\\$1\"]", "[\"\\\\n\"]", "two backslashes are one");
	in_json("n", "[\"\\$NOPE\"]", "[\"\\$NOPE\"]", "before a name that stays nothing is added");
	in_json("x", "[\"\\u0041$1\"]", "[\"\\u0041x\"]", "other escapes are left alone");
	in_json("\xFF", "[\"$1\"]", "[\"\xEF\xBF\xBD\"]", "malformed UTF-8 becomes U+FFFD");
	in_json("a|b", "[\"$1+\"]", "[\"a|b\"]", "$1+ inside quotes");
}

static void by_position(void)
{
	struct str value = str_of("a b&c=d/\"\\\r\n");
	struct template_args args = { .arg = &value, .n = 1 };
	static const struct {
		enum escape how;
		const char *want, *name;
	} cases[] = {
		{ ESCAPE_RAW, "a b&c=d/\"\\\r\n<a b&c=d/\"\\\r\n>", "raw" },
		{ ESCAPE_FORM, "a+b%26c%3Dd%2F%22%5C%0D%0A<a b&c=d/\"\\\r\n>", "form" },
		{ ESCAPE_HEADER, "a b&c=d/\"\\<a b&c=d/\"\\>", "header: CR and LF never pass, with $$ neither" },
		{ ESCAPE_JSON, "a b&c=d/\\\"\\\\\\r\\n<a b&c=d/\"\\\r\n>", "json" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct buf out = BUF_ARENA(arena);

		template_expand(&out, str_of("$1<$$1>"), cases[i].how, &args);
		tap_is_str(buf_text(&out), cases[i].want, cases[i].name);
	}
}

static void url(const char *value, const char *text, const char *want)
{
	struct str arg = str_of(value);
	struct template_args args = { .arg = &arg, .n = 1, .lookup = lookup };
	struct problem why = { 0 };
	struct buf out = BUF_ARENA(arena);
	int rc = template_expand_url(&out, str_of(text), &args, &why);

	if (want)
		tap_ok(rc == 0 && str_is(buf_str(&out), want), "%s gives %s (got %s)", text, want, buf_text(&out));
	else
		tap_ok(rc < 0 && why.status == 422 && strcmp(why.error, "args_invalid") == 0 && strstr(why.detail, "1"),
		       "%s is refused for one value", text);
}

/* cases.md, 42. */
static void paths(void)
{
	url("../admin", "/v1/$1/x", "/v1/..%2Fadmin/x");
	url("a?x=1", "/$1", "/a%3Fx%3D1");
	url("a#b", "/$1", "/a%23b");
	url("a%2Fb", "/$1", "/a%252Fb");
	url("a/b", "/$1", "/a%2Fb");
	url("a/b", "/$$1", "/a/b");
	url("a?b#c", "/$$1?q=1", "/a%3Fb%23c?q=1");
	url("", "/a/$1/b", "/a//b");
	url("%00", "/$1", "/%2500");
	url(".", "/$1", NULL);
	url("..", "/$1", NULL);
	url("..", "/a/$1?q", NULL);
	url("..", "/a/$1/b", NULL);
	url("../admin", "/v1/$$1", NULL);
	url("a/../b", "/v1/$$1", NULL);
	url("a/.", "/v1/$$1", NULL);
	url("a/./", "/v1/$$1", NULL);
	url("%2e%2E", "/v1/$$1", "/v1/%252e%252E");
	url("e", "/v1/%2$1", NULL);
	url("E.", "/v1/%2$1", NULL);
	url(".", "/v1/.$1", NULL);
	url("", "/v1/.$1", NULL);
	url("", "/v1/..$1/x", NULL);
	url("..", "/v1/$1;v=1", NULL);
	url("...", "/v1/$1", "/v1/...");
	url("..a", "/v1/$1", "/v1/..a");
	url("..", "/v1/a$1", "/v1/a..");
	url("x", "/./a/../$1/..", "/./a/../x/..");
	url("a\nb", "/$1", NULL);
	url("a\rb", "/$$1", NULL);
	url("x", "/a b/\xC3\xA9\\#", "/a%20b/%C3%A9%5C%23");
	url("\xC3\xA9\xFF", "/$1", "/%C3%A9%FF");
	url("/evil/", "$$1", "//evil/");
	url("@evil/", "$$1", "/%40evil/");
	url("x", "", "/");
	url("x", "?a=$1", "/?a=x");
	url("x", "/$NOPE/$$NOPE?$NOPE", "/$NOPE/$$NOPE?$NOPE");
	url("x", "/$VAR/$$VAR?$VAR", "/v%20r/v%20r?v%20r");
	url("b", "/a_b/$1", "/a_b/b");
	url("b", "/a/b/$1", "/a/b/b");
}

static void queries(void)
{
	url("a b&c=d#e?f/g+h%", "/?q=$1&x", "/?q=a%20b%26c%3Dd%23e%3Ff%2Fg%2Bh%25&x");
	url("a=1&b=2%20c+d", "/?$$1&x", "/?a=1&b=2%20c+d&x");
	url("a#b c\"<\\\xC3\xA9", "/?$$1&x", "/?a%23b%20c%22%3C%5C%C3%A9&x");
	url("..", "/?a=/$1/", "/?a=/../");
	url("x?y", "/?a=$1?b=$1", "/?a=x%3Fy?b=x%3Fy");
	url("line\r\nbreak", "/?q=$1", "/?q=line%0D%0Abreak");
	url("line\nbreak", "/?q=$$1", NULL);
	url("line\rbreak", "/?q=$$1", NULL);
	url("a|b", "/?q=$1+", "/?q=a%7Cb");
	struct str nul = str_make("a\0b", 3);
	struct template_args args = { .arg = &nul, .n = 1 };
	static const char *const places[] = { "/$1", "/$$1", "/?$1", "/?$$1", "/$1+" };

	for (size_t i = 0; i < 5; i++) {
		struct buf out = BUF_ARENA(arena);

		tap_ok(template_expand_url(&out, str_of(places[i]), &args, NULL) < 0, "NUL is refused at %s",
		       places[i]);
	}
	struct buf out = BUF_ARENA(arena);

	buf_puts(&out, "http://h");
	tap_ok(template_expand_url(&out, str_of("/x$1"), &(struct template_args){ .n = 0 }, NULL) == 0,
	       "what is in the buffer already is left alone");
	tap_is_str(buf_text(&out), "http://h/x", "and the URL follows it");
}

static void splitting(void)
{
	struct str *arg;
	size_t n;

	template_split(arena, str_of("37.77|-122.42"), &arg, &n);
	tap_ok(n == 2 && str_is(arg[0], "37.77") && str_is(arg[1], "-122.42"), "arguments are split on the pipe");
	template_split(arena, str_of(""), &arg, &n);
	tap_ok(n == 1 && arg[0].p && arg[0].n == 0, "an empty body is one empty argument");
	template_split(arena, str_make(NULL, 0), &arg, &n);
	tap_ok(n == 1 && arg[0].p && arg[0].n == 0, "an absent one too");
	template_split(arena, str_of(" a | b |"), &arg, &n);
	tap_ok(n == 3 && str_is(arg[0], " a ") && str_is(arg[1], " b ") && arg[2].n == 0,
	       "nothing is trimmed, a pipe at the end counts");
	tap_is_str(template_join(arena, arg, n).p, " a | b |", "joining gives the string again");
	tap_is_str(template_join(arena, arg, 0).p, "", "nothing joins to nothing");
	template_split(arena, str_of("ROUTER|{\"content\":\"a|b\"}"), &arg, &n);
	struct template_args args = { .arg = arg, .n = n };
	struct buf out = BUF_ARENA(arena);

	template_expand(&out, str_of("$1 $2+"), ESCAPE_RAW, &args);
	tap_is_str(buf_text(&out), "ROUTER {\"content\":\"a|b\"}", "a last argument with pipes arrives whole by $2+");
}

static void note(void *ctx, struct str name)
{
	buf_putstr(ctx, name);
	buf_putc(ctx, ' ');
}

static void slots(void)
{
	struct buf out = BUF_ARENA(arena);
	bool rest = true;

	tap_is_int(template_slots(str_of("$1 $$3 $2+"), &rest), 3, "the highest slot is found");
	tap_ok(!rest, "it is no rest");
	tap_ok(template_slots(str_of("$2+ $1"), &rest) == 2 && rest, "it may be a rest");
	tap_ok(template_slots(str_of("$2+ $2"), &rest) == 2 && rest, "also when it stands without + too");
	tap_ok(template_slots(str_of("$2+ $3"), &rest) == 3 && !rest, "a lower rest does not count");
	tap_ok(template_slots(str_of("$0 $NAME $PREV $99999999999"), &rest) == 0 && !rest,
	       "names and absurd numbers are no slots");
	tap_is_int(template_slots(str_of("$9999"), NULL), 9999, "9999 is the last");
	template_each(str_of("a$1$$2+ $PREV/$lat.$0 $$ $$$3"), note, &out);
	tap_is_str(buf_text(&out), "1 2+ PREV lat 3 ", "slots are listed by name");
}

static void too_much(void)
{
	struct buf big = BUF_MALLOC, text = BUF_MALLOC, out = BUF_MALLOC;
	struct problem why = { 0 };
	struct str value;
	struct template_args args = { .arg = &value, .n = 1 };

	buf_reserve(&big, 1 << 20);
	memset(big.data, 'x', big.len = 1 << 20);
	value = buf_str(&big);
	buf_putc(&text, '/');
	for (int i = 0; i < 17; i++)
		buf_puts(&text, "$1");
	tap_ok(template_expand(&out, buf_str(&text), ESCAPE_RAW, &args) < 0 && out.len < TEMPLATE_OUT_MAX + (2u << 20),
	       "many slots do not multiply an argument without end");
	buf_clear(&out);
	tap_ok(template_expand_url(&out, buf_str(&text), &args, &why) < 0 && why.status == 422, "in a URL neither");
	buf_free(&big);
	buf_free(&text);
	buf_free(&out);
}

static uint32_t seed = 42;

static uint32_t next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

/* A value of the kind that broke others: quotes, backslashes, line breaks, tabs, emoji, pipes, sigils. */
static struct str random_value(char *room, size_t size)
{
	static const char *const pieces[] = {
		"\"", "\\", "\n", "\r", "\t", "|", "\xF0\x9F\x98\x80", "\xC3\xA9", "</script>", "{{x}}", "$1",
		"$$2", "%", "%2F", "&", "=", "+", " ", "/", "?", "#", "..", ".", "a", "Z", "0", "\x01", "\x7F",
		"\xE2\x80\xA8", "'", ";", ":", "@", "${X}", "\\u0041", "\\\"",
	};
	size_t n = 0, count = next() % 12;

	while (count--) {
		const char *p = pieces[next() % (sizeof(pieces) / sizeof(*pieces))];

		if (n + strlen(p) > size)
			break;
		memcpy(room + n, p, strlen(p));
		n += strlen(p);
	}
	return str_make(room, n);
}

static bool decodes_json(struct buf *out, struct str first, struct str joined)
{
	struct json_object *o = json_tokener_parse(buf_text(out));
	bool same = str_eq(json_str(json_get(o, "a")), first) && str_eq(json_str(json_get(o, "b")), joined) &&
		    json_object_object_length(o) == 2;

	json_object_put(o);
	return same;
}

static bool decodes(struct str text, struct str want, bool plus)
{
	struct buf out = BUF_ARENA(arena);

	return escape_unpercent(&out, text, plus) == 0 && str_eq(buf_str(&out), want);
}

/* "/p/<first>/q?x=<first>&y=<joined>" */
static bool decodes_url(struct str u, struct str first, struct str joined)
{
	struct str path = str_cut(&u, '?'), x = str_cut(&u, '&');

	for (size_t i = 0; i < u.n; i++)
		if ((unsigned char)u.p[i] <= 0x20 || (unsigned char)u.p[i] >= 0x7F || strchr("#&?", u.p[i]))
			return false;
	return str_starts(path, "/p/") && path.n >= 5 && memcmp(path.p + path.n - 2, "/q", 2) == 0 &&
	       str_starts(x, "x=") && str_starts(u, "y=") && !memchr(path.p + 3, '/', path.n - 5) &&
	       decodes(str_make(path.p + 3, path.n - 5), first, false) && decodes(str_skip(x, 2), first, false) &&
	       decodes(str_skip(u, 2), joined, false);
}

static bool decodes_form(struct str f, struct str first, struct str joined)
{
	struct str a = str_cut(&f, '&');

	return str_starts(a, "a=") && str_starts(f, "b=") && decodes(str_skip(a, 2), first, true) &&
	       decodes(str_skip(f, 2), joined, true);
}

/* One round through all positions; returns how many went wrong. */
static int round_trip(const struct template_args *args)
{
	struct buf json = BUF_ARENA(arena), form = BUF_ARENA(arena), u = BUF_ARENA(arena);
	struct str joined = template_join(arena, args->arg, args->n), first = args->arg[0];
	bool breaks = memchr(first.p, '\n', first.n) || memchr(first.p, '\r', first.n),
	     dots = str_is(first, ".") || str_is(first, "..");
	int wrong = 0, rc;

	template_expand_json(&json, str_of("{\"a\":\"$1\",\"b\":\"$1+\"}"), args);
	wrong += !decodes_json(&json, first, joined);
	template_expand(&form, str_of("a=$1&b=$1+"), ESCAPE_FORM, args);
	wrong += !decodes_form(buf_str(&form), first, joined);
	rc = template_expand_url(&u, str_of("/p/$1/q?x=$1&y=$1+"), args, NULL);
	if (breaks || dots)
		wrong += rc == 0;
	else
		wrong += rc < 0 || !decodes_url(buf_str(&u), first, joined);
	buf_clear(&u);
	rc = template_expand_url(&u, str_of("/p/x/q?x=$1&y=$1+"), args, NULL);
	wrong += rc < 0 || !str_starts(buf_str(&u), "/p/x/q?x=") || memchr(u.data, '\n', u.len) ||
		 memchr(u.data, '\r', u.len);
	if (rc == 0) {
		struct str rest = str_skip(buf_str(&u), 9), x = str_cut(&rest, '&');

		wrong += !decodes(x, first, false) || !decodes(str_skip(rest, 2), joined, false);
	}
	return wrong;
}

static void round_trips(void)
{
	int wrong = 0;

	for (int i = 0; i < 100000; i++) {
		char room[3][64];
		struct str values[3];
		struct template_args args = { .arg = values, .n = 1 + next() % 3 };

		for (size_t k = 0; k < 3; k++)
			values[k] = random_value(room[k], sizeof(room[k]));
		wrong += round_trip(&args);
		arena_reset(arena);
	}
	tap_is_int(wrong, 0, "100,000 random values are decoded exactly from JSON strings, forms, paths and queries");
}

/* No path that was made from arguments climbs, and no byte that would break a request line comes out. */
static bool url_is_safe(struct str u)
{
	struct str path = str_cut(&u, '?');

	for (size_t i = 0; i < path.n; i++)
		if ((unsigned char)path.p[i] <= 0x20 || (unsigned char)path.p[i] >= 0x7F || path.p[i] == '#')
			return false;
	while (path.p) {
		struct str segment = str_cut(&path, '/');
		struct buf out = BUF_ARENA(arena);

		/* The templates of random_bytes have no dots and no "%" of their own. */
		if (escape_unpercent(&out, segment, false) < 0 || str_is(buf_str(&out), ".") ||
		    str_is(buf_str(&out), ".."))
			return false;
	}
	return true;
}

static void random_bytes(void)
{
	static const char *const pieces[] = {
		"$",  "$", "$1", "$2+", "$$1", "$PREV", "$lat", "$$VAR", "+", "0", "9",    "\"",
		"\\", "/", "?",  "a",   "{",   "}",     "PREV", "_",     "&", "=", "\xFF", "$3",
	};
	struct json_object *named;
	int wrong = 0;

	json_parse(NULL, str_of("{\"lat\":[1,\"\\\"..\"],\"n\":null}"), &named, NULL);
	for (int i = 0; i < 200000; i++) {
		char raw[128], room[3][64];
		struct str values[3];
		struct template_args args = {
			.arg = values, .n = next() % 4, .named = next() % 2 ? named : NULL, .lookup = lookup
		};
		struct buf out = BUF_ARENA(arena), u = BUF_ARENA(arena);
		size_t n = 0;

		for (size_t k = 0; k < 3; k++)
			values[k] = random_value(room[k], sizeof(room[k]));
		args.prev = next() % 2 ? values[next() % 3] : str_make(NULL, 0);
		while (n < 100 && next() % 12) {
			const char *p = pieces[next() % (sizeof(pieces) / sizeof(*pieces))];

			memcpy(raw + n, p, strlen(p));
			n += strlen(p);
		}
		for (int how = 0; how < ESCAPE_N; how++)
			template_expand(&out, str_make(raw, n), (enum escape)how, &args);
		template_expand_json(&out, str_make(raw, n), &args);
		if (template_expand_url(&u, str_make(raw, n), &args, NULL) == 0)
			wrong += !url_is_safe(buf_str(&u));
		(void)template_slots(str_make(raw, n), NULL);
		template_each(str_make(raw, n), note, &out);
		arena_reset(arena);
	}
	json_object_put(named);
	tap_is_int(wrong, 0, "200,000 random templates: no URL climbs or breaks");
}

int main(void)
{
	arena = arena_new();
	grammar();
	one_scan();
	names();
	json_bodies();
	by_position();
	paths();
	queries();
	splitting();
	slots();
	too_much();
	round_trips();
	random_bytes();
	arena_free(arena);
	return tap_done();
}
