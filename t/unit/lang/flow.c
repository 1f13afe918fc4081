/* Flows: what is read, what is refused and where, and random texts. */
#include <stdio.h>
#include <string.h>
#include "lang/flow.h"
#include "lang/template.h"
#include "tap.h"

static struct arena *arena;

/* A flow as one line: steps in (), calls as KEY<piece><piece>=NAME. */
static const char *shown(const char *text)
{
	static const char *const kind[] = { "", "block", "test", "choice" };
	struct problem why = { 0 };
	struct buf b = BUF_ARENA(arena);
	struct flow f;

	if (flow_parse(arena, str_of(text), 1, &f, &why) < 0)
		return arena_strdup(arena, why.detail);
	for (size_t i = 0; i < f.n; i++) {
		const struct flow_step *s = &f.step[i];

		buf_printf(&b, "(%s", kind[s->kind]);
		for (size_t k = 0; k < s->n; k++) {
			const struct flow_call *c = &s->call[k];

			buf_printf(&b, "%s%.*s", s->kind != FLOW_CALL || k ? " " : "", (int)c->key.n, c->key.p);
			for (size_t j = 0; j < c->n; j++)
				buf_printf(&b, "<%.*s>", (int)c->piece[j].n, c->piece[j].p ? c->piece[j].p : "");
			if (c->name.p)
				buf_printf(&b, "=%.*s", (int)c->name.n, c->name.p);
		}
		buf_printf(&b, ")");
		if (s->name.p)
			buf_printf(&b, "=%.*s", (int)s->name.n, s->name.p);
	}
	return buf_text(&b);
}

static void reads(const char *text, const char *want)
{
	tap_is_str(shown(text), want, text);
}

static void steps(void)
{
	reads("LAST_REPLY_OF: $1\n> SEND_BY_CHANNEL: blooio|$2|$PREV", "(LAST_REPLY_OF<$1>)(SEND_BY_CHANNEL<blooio><$2><$PREV>)");
	reads("  NOW:  ", "(NOW<>)");
	reads("NOW:time", "(NOW<time>)");
	reads("NOW : time", "(NOW<time>)");
	reads("A: x => N > B: $N", "(A<x>=N)(B<$N>)");
	reads("A: x=>N", "(A<x>=N)");
	reads("A: a | b |", "(A<a >< b ><>)");
	reads("A: line one\n  line two", "(A<line one\n  line two>)");
	reads("A: x:y", "(A<x:y>)");
	reads("A: {\"k\": 1}|/k", "(A<{\"k\": 1}></k>)");
}

static void blocks(void)
{
	reads("{ A: x | B: y }", "(block A<x> B<y>)");
	reads("{A:x|B:y}=>BOTH > C: $BOTH", "(block A<x> B<y>)=BOTH(C<$BOTH>)");
	reads("{ A: x => P | B: y => Q } > C: $P|$Q", "(block A<x>=P B<y>=Q)(C<$P><$Q>)");
	reads("{ A: }", "(block A<>)");
	reads("{ A: 1||2 | B: 3 }", "(block A<1><2> B<3>)");
}

static void choices(void)
{
	reads("?: T: $1 > A: x | B: y", "(test T<$1>)(choice A<x> B<y>)");
	reads("?: T: > A: x", "(test T<>)(choice A<x>)");
	reads("?: T: a|b => OK > A: 1||2 => R | B: y > C: $R", "(test T<a><b>=OK)(choice A<1><2>=R B<y>)(C<$R>)");
}

static void quoting(void)
{
	reads("A: \"a > b | c { }\" > B: y", "(A<\"a > b | c { }\">)(B<y>)");
	reads("A: \"say \\\"hi\\\" > x\"", "(A<\"say \\\"hi\\\" > x\">)");
	reads("A: a \\> b \\| c", "(A<a > b | c>)");
	reads("A: 5\\\" pipe", "(A<5\" pipe>)");
	reads("A: \\\\> B: y", "(A<\\>)(B<y>)");
	reads("A: ^\\d+$", "(A<^\\d+$>)");
	reads("A: a =\\> b", "(A<a => b>)");
	reads("{ A: \\{x\\} | B: \"{|}\" }", "(block A<{x}> B<\"{|}\">)");
	reads("A: x\\", "(A<x\\>)");
}

static void refuses(const char *text, const char *want)
{
	struct problem why = { 0 };
	struct flow f;

	if (!tap_ok(flow_parse(arena, str_of(text), 1, &f, &why) < 0 && why.status == 422, "refused: %s", text))
		return;
	tap_is_str(why.error, "bad_flow", "as bad_flow");
	tap_ok(strncmp(why.detail, want, strlen(want)) == 0, "at %s (%s)", want, why.detail);
}

static void faults(void)
{
	refuses("", "line 1, column 1: a step is missing");
	refuses("A: x >", "line 1, column 7: a step is missing");
	refuses("A: x >> B: y", "line 1, column 7: a step is missing");
	refuses("> A: x", "line 1, column 1: a step is missing");
	refuses("A: x\n> just words", "line 2, column 3: a step is KEY: arguments, and the colon");
	refuses("A: x > 1B: y", "line 1, column 8: a step is KEY: arguments");
	refuses("\xC3\xA9: x", "line 1, column 1: a step is");
	refuses("A: \xC3\xA9\xC3\xA9 \"x", "line 1, column 7: this double quote is never closed");
	refuses("A: \"x\\", "line 1, column 4: this double quote");
	refuses("{ A: x | B: y", "line 1, column 1: this brace is never closed");
	refuses("{ A: x > B: y }", "line 1, column 8: a branch is one call");
	refuses("{ { A: x } }", "line 1, column 3: a step is KEY: arguments");
	refuses("{ A: {x} }", "line 1, column 6: a brace inside of a branch");
	refuses("{ }", "line 1, column 3: a step is missing");
	refuses("A: x => ", "line 1, column 9: behind => stands the name");
	refuses("A: x => PREV", "line 1, column 9: behind =>");
	refuses("A: x => N y", "line 1, column 11: a binding ends its call");
	refuses("A: a => b c", "line 1, column 11: a binding ends");
	refuses("{ A: x } B: y", "line 1, column 10: expected > and a step");
	refuses("{ A: x } | B: y", "line 1, column 10: expected >");
	refuses("?: T: x", "line 1, column 8: behind ?: and its test");
	refuses("?: T: x > A: 1 | B: 2 | C: 3", "line 1, column 11: behind ?: stand one or two calls");
	refuses("?: T: x > { A: 1 }", "line 1, column 11: a step is");
}

static void bad_step(void)
{
	struct problem why = { 0 };
	struct flow f;

	flow_parse(arena, str_of("A: x > send it > B: y"), 1, &f, &why);
	tap_ok(str_is(f.bad_step, "send it"), "a step without a colon is told");
	flow_parse(arena, str_of("A: \"x"), 7, &f, &why);
	tap_ok(!f.bad_step.p && strncmp(why.detail, "line 7, ", 8) == 0, "another fault is not taken for one, and lines count on");
}

static void many(unsigned n, bool fine)
{
	struct buf b = BUF_ARENA(arena);
	struct problem why = { 0 };
	struct flow f;

	for (unsigned i = 0; i < n; i++)
		buf_puts(&b, i ? " > A:" : "A:");
	tap_ok((flow_parse(arena, buf_str(&b), 1, &f, &why) == 0) == fine, "%u calls: %s", n, fine ? "accepted" : why.detail);
	if (fine)
		tap_is_int((long)f.calls, (long)n, "all of them");
}

static unsigned long long state = 88172645463325252ULL;

static unsigned below(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state % n);
}

/* A random text of the language's own tokens is either refused with a place inside it, or read into calls whose
 * number and keys hold together. */
static void random_texts(void)
{
	static const char *const token[] = { "A", "KEY_1", ":", ": ", ">", " > ", "|", "||", "{", "}", "=>", "=> N", "?:", "\"",
		"\\", "\\|", "$PREV", "$1", "$2+", "$$PREV", "\n", " ", "x", "\xC3\xA9", "A: x", "B: y", "{ A: 1 | B: 2 }",
		"?: A: > B: 1 | C: 2" };
	unsigned read = 0, wrong = 0;

	for (unsigned i = 0; i < 10000; i++) {
		struct arena *a = arena_new();
		struct buf b = BUF_ARENA(a);
		struct problem why = { 0 };
		unsigned line = 0, column = 0;
		size_t calls = 0;
		struct flow f;

		for (unsigned k = below(24); k; k--)
			buf_puts(&b, token[below(sizeof(token) / sizeof(*token))]);
		if (flow_parse(a, buf_str(&b), 1, &f, &why) < 0) {
			wrong += sscanf(why.detail, "line %u, column %u: ", &line, &column) != 2 || column > b.len + 1;
		} else {
			read++;
			for (size_t k = 0; k < f.n; k++)
				calls += f.step[k].n;
			wrong += calls != f.calls || f.step[f.n - 1].kind == FLOW_TEST;
		}
		arena_free(a);
	}
	tap_is_int(wrong, 0, "10,000 random texts: each is read or refused with its place");
	tap_ok(read > 200, "%u of them are flows", read);
}

/* What a call's pieces become */

static struct str binding(void *ctx, struct str name)
{
	(void)ctx;
	return str_is(name, "N") ? str_of("n|n") : str_make(NULL, 0);
}

static const char *arguments(const char *text)
{
	struct str given[] = { str_of("one"), str_of("t|wo"), str_of("three") }, *arg;
	struct template_args args = { .arg = given, .n = 3, .prev = str_of("p|\\q"), .lookup = binding };
	struct problem why = { 0 };
	struct buf b = BUF_ARENA(arena);
	struct flow f;
	size_t n;

	if (flow_parse(arena, str_of(text), 1, &f, &why) < 0 ||
	    template_expand_arguments(arena, f.step[0].call->piece, f.step[0].call->n, &args, &arg, &n) < 0)
		return arena_strdup(arena, why.detail);
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "<%.*s>", (int)arg[i].n, arg[i].p);
	return buf_text(&b);
}

static void one_argument(void)
{
	tap_is_str(arguments("A: x|$PREV|y"), "<x><p|\\q><y>", "a pipe in $PREV shifts no argument");
	tap_is_str(arguments("A: $2|$N"), "<t|wo><n|n>", "nor one in an argument or a binding");
	tap_is_str(arguments("A: pre $PREV post"), "<pre p|\\q post>", "text around it belongs to the same argument");
	tap_is_str(arguments("A: x|$2+"), "<x><t|wo><three>", "$N+ hands its arguments on apart");
	tap_is_str(arguments("A: $$PREV"), "<p><\\q>", "$$PREV is split at its pipes");
	tap_is_str(arguments("A: a$$PREV-$$N+b"), "<ap><\\q-n><n+b>", "and joins the text around it");
	tap_is_str(arguments("A: $9|$9+|$UNKNOWN"), "<><><$UNKNOWN>", "what is missing is empty, an unknown name stays");
	tap_is_str(arguments("A: a\\|b|c"), "<a|b><c>", "a pipe behind a backslash is part of its argument");
	tap_is_str(arguments("A:"), "<>", "no arguments are one empty argument");
}

int main(void)
{
	arena = arena_new();
	steps();
	blocks();
	choices();
	quoting();
	faults();
	bad_step();
	many(FLOW_CALLS_MAX - 1, true);
	many(FLOW_CALLS_MAX, true);
	many(FLOW_CALLS_MAX + 1, false);
	random_texts();
	one_argument();
	arena_free(arena);
	return tap_done();
}
