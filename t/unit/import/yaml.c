/* import/yaml.c: YAML as JSON values, and what is refused. */
#include <string.h>
#include "base/buf.h"
#include "import/yaml.h"
#include "tap.h"

static struct arena *arena;
static struct problem why;

static const char *read(const char *text)
{
	struct json_object *o;
	struct buf b = BUF_ARENA(arena);

	why = (struct problem){ 0 };
	if (yaml_read(arena, str_of(text), &o, &why) < 0)
		return arena_printf(arena, "!%s", why.detail);
	json_text(&b, o);
	return buf_text(&b);
}

static const struct { const char *text, *want, *name; } cases[] = {
	{ "a: 1\nb: [x, 'y z', \"q\\n\"]\n", "{\"a\":1,\"b\":[\"x\",\"y z\",\"q\\n\"]}", "mappings, sequences, quotes" },
	{ "{a: ~, b: null, c: , d: '~'}", "{\"a\":null,\"b\":null,\"c\":null,\"d\":\"~\"}", "null, and its name in quotes" },
	{ "[true, False, yes, no, on, off]", "[true,false,\"yes\",\"no\",\"on\",\"off\"]", "only true and false are booleans" },
	{ "[1, -2, +3, 0x1F, 0o17, 1.5, 1e3, 007, 1_000, .5, 1.]", "[1,-2,3,31,15,1.5,1000,7,\"1_000\",0.5,1]", "numbers" },
	{ "[.inf, .nan, 1e999, 12345678901234567890, e, '-', '+', .]", "[\".inf\",\".nan\",\"1e999\",12345678901234567000,\"e\",\"-\",\"+\",\".\"]", "what JSON has no number for is a text" },
	{ "[-9223372036854775809, -9007199254740991, 0x-5, 0x]", "[-9223372036854776000,-9007199254740991,\"0x-5\",\"0x\"]", "numbers at the edge" },
	{ "[2020-01-01, 10:30, 1.2.3]", "[\"2020-01-01\",\"10:30\",\"1.2.3\"]", "dates and versions are texts" },
	{ "200: ok\ntrue: x\n", "{\"200\":\"ok\",\"true\":\"x\"}", "names are texts" },
	{ "a: !!str 5\nb: \"5\"\n", "{\"a\":\"5\",\"b\":\"5\"}", "a tag or quotes make a text" },
	{ "a: |\n  x\n  y\nb: >\n  x\n  y\n", "{\"a\":\"x\\ny\\n\",\"b\":\"x y\\n\"}", "block texts" },
	{ "a: &x {n: 1}\nb: *x\nc: [*x, *x]\n", "{\"a\":{\"n\":1},\"b\":{\"n\":1},\"c\":[{\"n\":1},{\"n\":1}]}", "anchors and aliases" },
	{ "a: &x {n: 1, m: 2}\nb: {<<: *x, m: 3}\n", "{\"a\":{\"n\":1,\"m\":2},\"b\":{\"m\":3,\"n\":1}}", "a merge gives what is not there" },
	{ "a: &x {n: 1}\nc: &y {n: 2, o: 3}\nb: {<<: [*x, *y]}\n", "{\"a\":{\"n\":1},\"c\":{\"n\":2,\"o\":3},\"b\":{\"n\":1,\"o\":3}}", "also of several, the first wins" },
	{ "a:\n  <<: &x {n: 1}\nb: *x\nc: *x\n", "{\"a\":{\"n\":1},\"b\":{\"n\":1},\"c\":{\"n\":1}}", "what was merged can be named later" },
	{ "a:\n  <<: [&x {n: &y [1]}]\nb: *y\nc: *x\n", "{\"a\":{\"n\":[1]},\"b\":[1],\"c\":{\"n\":[1]}}", "… and what is in it" },
	{ "a: &x 1\nb: &x 2\nc: *x\n", "{\"a\":1,\"b\":2,\"c\":2}", "the latest anchor counts" },
	{ "--- {a: 1}\n...\n", "{\"a\":1}", "marks of a document" },
	{ "{\"a\":[1,{\"b\":null}]}", "{\"a\":[1,{\"b\":null}]}", "JSON is YAML" },
	{ "", "!line 1, column 1: is empty", "nothing" },
	{ "a: 1\n---\nb: 2\n", "!line 2, column 1: has a second document", "a second document" },
	{ "a: 1\na: 2\n", "!line 2, column 4: has a member twice", "a name that stands twice" },
	{ "a: &x [*x]\n", "!line 1, column 8: has an alias inside of what it names", "an alias of itself" },
	{ "a: *x\n", "!line 1, column 4: has an alias without an anchor", "an alias of nothing" },
	{ "[a, b]: 1\n", "!line 1, column 1: has a member whose name is no scalar", "a name that is a list" },
	{ "a: {<<: 5}\n", "!line 1, column 10: merges (<<) what is no mapping", "a merge of a scalar" },
	{ "a: \"x\\0\"\n", "!line 1, column 4: holds a NUL", "a NUL" },
	{ "a: \xFF\n", "!is not valid UTF-8", "bytes that are no UTF-8" },
};

static void depth(void)
{
	struct buf b = BUF_ARENA(arena);

	for (int i = 0; i < YAML_DEPTH_MAX - 1; i++)
		buf_putc(&b, '[');
	buf_puts(&b, "1");
	for (int i = 0; i < YAML_DEPTH_MAX - 1; i++)
		buf_putc(&b, ']');
	tap_ok(read(buf_text(&b))[0] == '[', "64 levels are read");
	tap_ok(strstr(read(arena_printf(arena, "[%s]", buf_text(&b))), "is too deep"), "65 are not");
}

/* Nine levels of nine aliases each would be 387 million values. */
static void bomb(void)
{
	struct buf b = BUF_ARENA(arena);

	buf_puts(&b, "a: &a [x,x,x,x,x,x,x,x,x]\n");
	for (char c = 'b'; c <= 'i'; c++)
		buf_printf(&b, "%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", c, c, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1);
	tap_ok(strstr(read(buf_text(&b)), "is too large"), "aliases of aliases are counted written out");
	buf_clear(&b);
	buf_putc(&b, '[');
	for (int i = 0; i < YAML_ANCHORS_MAX; i++)
		buf_printf(&b, "&a%d 1,", i);
	tap_ok(read(arena_printf(arena, "%s1]", buf_text(&b)))[0] == '[', "4096 anchors are read");
	tap_ok(strstr(read(arena_printf(arena, "%s&b 1]", buf_text(&b))), "too many anchors"), "one more is not");
}

static void size(void)
{
	struct buf b = BUF_MALLOC;

	buf_putc(&b, '[');
	for (int i = 0; i < YAML_NODES_MAX - 1; i++)
		buf_puts(&b, "1,");
	buf_putc(&b, ']');
	tap_ok(read(buf_text(&b))[0] == '[', "half a million values are read");
	b.data[b.len - 1] = '1';
	buf_putc(&b, ']');
	tap_ok(strstr(read(buf_text(&b)), "is too large"), "one more is not");
	buf_free(&b);
}

static void random_text(void)
{
	static const char *const piece[] = { "a", ": ", "- ", "\n", "  ", "[", "]", "{", "}", ",", "&x ", "*x", "<<: ", "|", ">", "'", "\"", "# c", "!!str ", "---\n", "? ", "%", "\t", "1", "\xC3\xA9" };
	unsigned seed = 5, bad = 0;

	for (int i = 0; i < 5000; i++) {
		struct buf b = BUF_MALLOC;

		for (unsigned k = 0; k < 14; k++) {
			seed = seed * 1103515245u + 12345u;
			buf_puts(&b, piece[(seed >> 16) % (sizeof(piece) / sizeof(piece[0]))]);
		}
		bad += read(buf_text(&b))[0] == '!';
		buf_free(&b);
		if (i % 100 == 0)
			arena_reset(arena);
	}
	tap_ok(bad > 100 && bad < 5000, "5,000 random texts end, %u of them refused", bad);
}

int main(void)
{
	arena = arena_new();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		tap_is_str(read(cases[i].text), cases[i].want, cases[i].name);
	depth();
	bomb();
	size();
	random_text();
	arena_free(arena);
	return tap_done();
}
