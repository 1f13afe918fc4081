/* Router tags: what is called, what is only spoken of, and that no text takes long. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "lang/key.h"
#include "lang/tag.h"
#include "tap.h"

enum { TAGS = 64, FUZZ_ROUNDS = 20000, FUZZ_PIECES = 24, LONG = 1 << 20 };

static struct arena *arena;
static unsigned asked;                  /* how often `known` was asked */

/* ECHO, NOW, A and B are rows. */
static bool known(void *ctx, struct str key)
{
	(void)ctx;
	asked++;
	return str_is(key, "ECHO") || str_is(key, "NOW") || str_is(key, "A") || str_is(key, "B");
}

static const char *found(struct str text, size_t max)
{
	struct tag tag[TAGS];
	struct buf b = BUF_ARENA(arena);
	size_t n = tag_find(arena, text, known, NULL, tag, max, NULL);

	for (size_t i = 0; i < n && i < max; i++) {
		buf_printf(&b, "%s%.*s(", i ? " " : "", (int)tag[i].key.n, tag[i].key.p);
		buf_putstr(&b, tag[i].body);
		buf_putc(&b, ')');
	}
	if (n > max)
		buf_printf(&b, " of %zu", n);
	return buf_text(&b);
}

static void finds(const char *text, const char *want, const char *name)
{
	tap_is_str(found(str_of(text), TAGS), want, name);
}

static void called(void)
{
	finds("", "", "an empty text calls nothing");
	finds("no tags [here] or [/here], 3 < 4", "", "nor does prose");
	finds("Say [ECHO]a|b[/ECHO] and [NOW][/NOW].", "ECHO(a|b) NOW()", "tags in prose, in order");
	finds("[ECHO] a \n b [/ECHO]", "ECHO( a \n b )", "arguments are not trimmed");
	finds("[ECHO][/ECHO][ECHO][/ECHO]", "ECHO() ECHO()", "one directly behind the other");
	finds("[[ECHO]x[/ECHO]]", "ECHO(x)", "in brackets");
	finds("[ECHO]say \"x\" `y` > <think> [REPLY] ```[/ECHO]", "ECHO(say \"x\" `y` > <think> [REPLY] ```)",
	      "arguments are taken as they stand");
	finds("it's [ECHO]x[/ECHO], isn't it", "ECHO(x)", "an apostrophe quotes nothing");
	finds("a 12\" pipe [ECHO]x[/ECHO] of 3\"", "ECHO(x)", "nor does an inch");
	finds("one \" alone [ECHO]x[/ECHO]", "ECHO(x)", "nor a quotation mark that nothing closes");
	finds("one \" alone\n \t\n[ECHO]x[/ECHO] \"", "ECHO(x)", "or that another paragraph closes");
	finds("a ` alone [ECHO]x[/ECHO] ``", "ECHO(x)", "nor a ` that no equal run closes");
	finds("\xE2\x80\x9C alone [ECHO]x[/ECHO]", "ECHO(x)", "nor a curly one");
}

static void not_called(void)
{
	finds("[ECHO]x", "", "a tag that is not closed is text");
	finds("[ECHO]x[NOW][/NOW]", "NOW()", "and what stands behind it is called");
	finds("x[/ECHO]", "", "so is an end that nothing opened");
	finds("[/ECHO][ECHO]x[/ECHO][/ECHO]", "ECHO(x)", "wherever it stands");
	finds("[echo]x[/echo] [Echo]x[/Echo] [ECHO]x[/echo]", "", "another case of letters is another name");
	finds("[NOPE]x[/NOPE]", "", "an unknown name is text");
	finds("[NOPE][ECHO]x[/ECHO][/NOPE]", "ECHO(x)", "and what stands in it is called");
	finds("[ECHO ]x[/ECHO] [ ECHO]x[/ECHO] [/ECHO/] [EC HO]x[/EC HO] [ECHO", "", "a name is exact");
	finds("[]x[/] [[]] [/]", "", "no name is none");
}

static void nested(void)
{
	finds("[A]x[B]y[/B]z[/A]", "A(x[B]y[/B]z)", "a tag within another is its argument");
	finds("[A]x[B]y[/A]z[/B]", "A(x[B]y)", "so is half of one");
	finds("[A]1[A]2[/A]3[/A]", "A(1[A]2[/A]3)", "a tag of the same name within it has its own end");
	finds("[A]1[A]2[/A]3", "A(2)", "of two with one end the inner one is closed");
	finds("[A]1[/A]2[/A]", "A(1)", "of two ends the first counts");
	finds("[A]1[B]2[B]3[/B]4[/A][B]5[/B]", "A(1[B]2[B]3[/B]4) B(5)", "openings within arguments close nothing outside");
}

static void reply(void)
{
	finds("[REPLY][ECHO]x[/ECHO][/REPLY][NOW][/NOW]", "NOW()", "a reply is text, what stands behind it is not");
	finds("[REPLY]a[REPLY]b[/REPLY][ECHO]x[/ECHO][/REPLY]", "", "also one within another");
	finds("[NOW][/NOW][REPLY][ECHO]x[/ECHO]", "NOW()", "a reply without an end goes on to the end");
	finds("[reply][ECHO]x[/ECHO][/reply]", "ECHO(x)", "another case of letters is no reply");
}

static void code(void)
{
	finds("```\n[ECHO]x[/ECHO]\n```\n[NOW][/NOW]", "NOW()", "a fence");
	finds("  ~~~~ sh\n[ECHO]x[/ECHO]\n~~~\n[ECHO]y[/ECHO]\n~~~~~ \n[NOW][/NOW]", "NOW()",
	      "ends with as many of the same");
	finds("```\n[ECHO]x[/ECHO]\n``` x\n[ECHO]y[/ECHO]", "", "and nothing behind them");
	finds("```\n[ECHO]x[/ECHO]\n~~~\n", "", "a fence without an end goes on to the end");
	finds("```\r\n[ECHO]x[/ECHO]\r\n```\r\n[NOW][/NOW]", "NOW()", "lines may end in CR LF");
	finds("a ``` [ECHO]x[/ECHO]", "ECHO(x)", "in the middle of a line there is none");
	finds("```[ECHO]x[/ECHO]``` [NOW][/NOW]", "NOW()", "three on one line are a span");
	finds("`[ECHO]x[/ECHO]` ``[ECHO]`[/ECHO]`` [NOW][/NOW]", "NOW()", "a span");
	finds("`a\n[ECHO]x[/ECHO]` [NOW][/NOW]", "NOW()", "over two lines");
	finds("[ECHO]```\n[/ECHO]\n[NOW][/NOW]", "ECHO(```\n) NOW()", "a fence among arguments is none");
}

static void quoted(void)
{
	finds("> [ECHO]x[/ECHO]\n  >[ECHO]y[/ECHO]\n[NOW][/NOW]", "NOW()", "a quoted line");
	finds("> ```\n[ECHO]x[/ECHO]", "ECHO(x)", "begins no fence");
	finds("a > [ECHO]x[/ECHO]", "ECHO(x)", "greater than is no quote");
	finds("\"[ECHO]x[/ECHO]\" [NOW][/NOW]", "NOW()", "between quotation marks");
	finds("he wrote \"use\n[ECHO]x[/ECHO]\" [NOW][/NOW]", "NOW()", "over two lines");
	finds("\u201C[ECHO]x[/ECHO]\u201D \u201E[ECHO]x[/ECHO]\u201C \u201E[ECHO]x[/ECHO]\u201D \u00AB[ECHO]x[/ECHO]\u00BB"
	      " [NOW][/NOW]", "NOW()", "in their other forms");
	finds("\u201C[ECHO]x[/ECHO]\u00BB", "ECHO(x)", "which do not close each other");
}

static void thinking(void)
{
	finds("<think>[ECHO]x[/ECHO]</think>[NOW][/NOW]", "NOW()", "thinking is text");
	finds("<Thinking>[ECHO]x[/ECHO]</think>[ECHO]x[/ECHO]</THINKING>[NOW][/NOW]", "NOW()", "also in its other form");
	finds("[NOW][/NOW]<think>[ECHO]x[/ECHO]", "NOW()", "to the end when it is not closed");
	finds("[ECHO]x[/ECHO]</think>[NOW][/NOW]", "NOW()", "from the beginning when it was not opened");
	finds("[ECHO]x[/ECHO] hm </think>", "", "even with nothing behind it");
	finds("[ECHO]</think>[/ECHO]", "ECHO(</think>)", "but not among arguments");
	finds("`</think>` [NOW][/NOW]", "NOW()", "nor in code");
	finds("<thinker>[ECHO]x[/ECHO]</thinker>", "ECHO(x)", "another element is none");
}

static void offsets(void)
{
	const char *text = "\u00E9 [ECHO]a[/ECHO] [A][/A]";
	struct tag tag[2];

	tap_is_int((int64_t)tag_find(arena, str_of(text), known, NULL, tag, 2, NULL), 2, "two tags");
	tap_ok(tag[0].begin == 3 && tag[0].end == 17 && tag[0].body.p == text + 9 && tag[0].key.p == text + 4,
	       "offsets are in bytes, of the whole tag");
	tap_ok(tag[1].begin == 18 && tag[1].end == strlen(text) && tag[1].body.n == 0, "to the end of the text");
	tap_is_str(found(str_of("[A]1[/A][A]2[/A][A]3[/A]"), 2), "A(1) A(2) of 3",
		   "those over the maximum are counted");
	asked = 0;
	found(str_of("[A]1[/A][A]2[/A][B]3[/B]"), TAGS);
	tap_is_int(asked, 2, "a known name is asked for once");
}

static void limits(void)
{
	char text[2 * KEY_MAX + 16], key[KEY_MAX + 2];

	memset(key, 'K', sizeof(key));
	key[sizeof(key) - 1] = 0;
	asked = 0;
	snprintf(text, sizeof(text), "[%.*s]", KEY_MAX, key);
	found(str_of(text), TAGS);
	tap_is_int(asked, 1, "a name of 64 bytes is asked for");
	snprintf(text, sizeof(text), "[%.*s]", KEY_MAX + 1, key);
	found(str_of(text), TAGS);
	tap_is_int(asked, 1, "one of 65 is text");
}

static void replies_with(const char *text, const char *want, const char *name)
{
	struct tag reply;

	tag_find(arena, str_of(text), known, NULL, NULL, 0, &reply);
	tap_is_str(reply.key.p ? arena_str(arena, reply.body) : NULL, want, name);
}

static void replies(void)
{
	replies_with("no reply", NULL, "a text without a reply");
	replies_with("so: [REPLY] it is [NOW][/NOW] [/REPLY] done", " it is [NOW][/NOW] ", "its body is text");
	replies_with("[REPLY]a[/REPLY][ECHO]x[/ECHO][REPLY]b[/REPLY]", "b", "the last one counts");
	replies_with("[ECHO][REPLY]a[/REPLY][/ECHO]", NULL, "one within arguments does not");
	replies_with("[REPLY]to the [ECHO]end[/ECHO]", "to the [ECHO]end[/ECHO]", "one that is not closed goes to the end");
	replies_with("[REPLY][/REPLY]", "", "one may be empty");
	replies_with("say `[REPLY]a[/REPLY]` or \"[REPLY]b[/REPLY]\"\n> [REPLY]c[/REPLY]\n```\n[REPLY]d[/REPLY]\n```\n"
	             "<think>[REPLY]e[/REPLY]</think>", NULL, "one that is spoken of is none");
	replies_with("[REPLY]a[/REPLY] hm </think> [REPLY]b[/REPLY]", "b", "one behind thinking");
	replies_with("[REPLY]a[/REPLY] hm </think> well", NULL, "one in thinking that began before the text is none");
}

/* Whatever is found is where it says it is, in order and without overlap. */
static bool consistent(struct str text)
{
	struct tag tag[TAGS], reply;
	size_t n = tag_find(arena, text, known, NULL, tag, TAGS, &reply), at = 0;

	if (reply.key.p && (!str_is(reply.key, "REPLY") || reply.body.p != text.p + reply.begin + strlen("[REPLY]") ||
	    reply.end > text.n || reply.body.p + reply.body.n > text.p + reply.end))
		return false;

	for (size_t i = 0; i < n && i < TAGS; i++) {
		const struct tag *t = &tag[i];
		size_t body = t->begin + t->key.n + 2;

		if (t->begin < at || t->end > text.n || t->body.p != text.p + body || !known(NULL, t->key) ||
		    t->end != body + t->body.n + t->key.n + 3 || text.p[t->end - 1] != ']' ||
		    memcmp(text.p + t->end - t->key.n - 1, t->key.p, t->key.n))
			return false;
		at = t->end;
	}
	return true;
}

static void fuzz(void)
{
	static const char *const piece[] = {
		"[", "]", "[/", "/", "ECHO", "NOW", "[ECHO]", "[/ECHO]", "[A]", "[/A]", "[B]", "[/B]", "[REPLY]", "[/REPLY]",
		"`", "```", "~~~", "\n", "\n\n", ">", "\"", "\u201C", "\u201D", "\u201E", "\u00AB", "\u00BB", "\xE2", "\xFF",
		"<think>", "</think>", "<thinking>", "</thinking>", "x", " ", "\r\n",
	};
	bool good = true;
	unsigned seed = 1;

	for (int round = 0; round < FUZZ_ROUNDS && good; round++) {
		struct buf b = BUF_MALLOC;
		struct str exact;

		for (int i = rand_r(&seed) % FUZZ_PIECES; i >= 0; i--) {
			if (rand_r(&seed) % 32 == 0)
				buf_putc(&b, 0);
			buf_puts(&b, piece[(unsigned)rand_r(&seed) % (sizeof(piece) / sizeof(piece[0]))]);
		}
		/* In memory of exactly its size, so that the sanitizer sees a read beyond it. */
		exact = str_make(memcpy(malloc(b.len), b.data, b.len), b.len);
		good = consistent(exact);
		if (!good)
			tap_diag("%.*s", (int)b.len, b.data);
		free((void *)(uintptr_t)exact.p);
		buf_free(&b);
		arena_reset(arena);
	}
	tap_ok(good, "any text is taken, and what is found is there");
}

/* Steps of the scan are not counted, so each is held against the same length of plain text: quadratic work on a
 * megabyte would be a hundred thousand times as much. */
static void linear(void)
{
	static const char *const unit[] = {
		"[A]", "[/A]", "[A]x[/A]", "[REPLY]", "`", "\"", "\u201C", "\u201E", "\u00AB", "```\n", "~~~x\n", "> ", "[", "<think",
		"</think>", "` `` ``` ```` ", "\n", " \n", "[A][B]", "\" \u201C\u201E\u00AB`[A]",
	};

	for (size_t i = 0; i < sizeof(unit) / sizeof(unit[0]); i++) {
		struct buf b = BUF_MALLOC;

		while (b.len < LONG)
			buf_puts(&b, unit[i]);
		tap_ok(consistent(buf_str(&b)), "a megabyte of one thing ends (%zu)", i);
		buf_free(&b);
		arena_reset(arena);
	}
}

int main(void)
{
	arena = arena_new();
	called();
	not_called();
	nested();
	reply();
	code();
	quoted();
	thinking();
	offsets();
	limits();
	replies();
	fuzz();
	linear();
	arena_free(arena);
	return tap_done();
}
