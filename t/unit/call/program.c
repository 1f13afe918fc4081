/* The conversation with the exec process: what goes in comes out, and a message that is cut anywhere is refused. */
#include <string.h>
#include "call/program.h"
#include "tap.h"

static struct arena *arena;

static void names(void)
{
	static const char *const good[] = { "a", "disk-usage", "x.sh", "-" }, *const bad[] = { "", ".", "..", ".x", "a/b", "/" };
	char longest[PROGRAM_NAME_MAX + 2];

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		tap_ok(program_name_is_valid(str_of(good[i])), "%s is a name", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		tap_ok(!program_name_is_valid(str_of(bad[i])), "\"%s\" is none", bad[i]);
	memset(longest, 'x', sizeof(longest));
	tap_ok(program_name_is_valid(str_make(longest, PROGRAM_NAME_MAX - 1)), "254 bytes are a name");
	tap_ok(program_name_is_valid(str_make(longest, PROGRAM_NAME_MAX)), "255 bytes are a name");
	tap_ok(!program_name_is_valid(str_make(longest, PROGRAM_NAME_MAX + 1)), "256 bytes are none");
	tap_ok(!program_name_is_valid(str_make("a\0b", 3)), "nor what holds NUL");
}

static unsigned is_outside(const struct buf *b, struct str s)
{
	return s.p < b->data || s.p + s.n > b->data + b->len;
}

static void requests(void)
{
	struct str arg[] = { str_of("one"), str_of(""), str_make("a\nb", 3) }, env[] = { str_of("A=1") };
	struct program_request q = { str_of("prog"), arg, 3, env, 1, 1500 }, r;
	struct buf b = BUF_ARENA(arena);
	unsigned accepted = 0, outside = 0;

	program_put_request(&b, &q);
	tap_ok(program_get_request(arena, buf_str(&b), &r) == 0 && r.timeout_ms == 1500 && str_is(r.name, "prog") && r.args == 3 &&
	       r.envs == 1 && str_is(r.arg[0], "one") && !r.arg[1].n && str_is(r.arg[2], "a\nb") && str_is(r.env[0], "A=1"),
	       "a request comes out as it went in");
	for (size_t n = 0; n < b.len; n++)
		accepted += program_get_request(arena, str_make(b.data, n), &r) == 0;
	tap_is_int(accepted, 0, "one that is cut anywhere is refused");
	buf_putc(&b, 'x');
	tap_is_int(program_get_request(arena, buf_str(&b), &r), -1, "and one that is too long");
	b.len--;
	for (size_t i = 0; i < b.len; i++) {
		char kept = b.data[i];

		b.data[i] = (char)0xFF;
		if (program_get_request(arena, buf_str(&b), &r) == 0)
			outside += is_outside(&b, r.name) + is_outside(&b, r.arg[0]) + is_outside(&b, r.env[0]);
		b.data[i] = kept;
	}
	tap_is_int(outside, 0, "lengths that lie never lead out of the message");
}

static void many(size_t n, int rc)
{
	struct str *arg = arena_alloc(arena, n * sizeof(*arg));
	struct program_request q = { .name = str_of("x"), .arg = arg, .args = n }, r;
	struct buf b = BUF_ARENA(arena);

	program_put_request(&b, &q);
	tap_is_int(program_get_request(arena, buf_str(&b), &r), rc, "many arguments");
}

static void answers(void)
{
	struct program_answer a = { PROGRAM_EXITED, 255, true, str_make("o\0ut", 4), str_of("err") }, r;
	struct buf b = BUF_ARENA(arena);
	unsigned accepted = 0;

	program_put_answer(&b, &a);
	tap_ok(program_get_answer(buf_str(&b), &r) == 0 && r.end == PROGRAM_EXITED && r.code == 255 && r.cut && r.out.n == 4 &&
	       str_is(r.err, "err"), "an answer comes out as it went in");
	for (size_t n = 0; n < b.len; n++)
		accepted += program_get_answer(str_make(b.data, n), &r) == 0;
	tap_is_int(accepted, 0, "one that is cut anywhere is refused");
}

int main(void)
{
	arena = arena_new();
	names();
	requests();
	many(PROGRAM_ARGS_MAX - 1, 0);
	many(PROGRAM_ARGS_MAX, 0);
	many(PROGRAM_ARGS_MAX + 1, -1);
	answers();
	arena_free(arena);
	return tap_done();
}
