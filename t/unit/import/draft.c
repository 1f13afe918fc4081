/* import/draft.c: rows, notes and names of variables; lines of a docstring. */
#include "import/draft.h"
#include "tap.h"

static const char *text_of(struct arena *a, struct json_object *o)
{
	struct buf b = BUF_ARENA(a);

	json_text(&b, o);
	return buf_text(&b);
}

static void lines(struct arena *a)
{
	struct buf b = BUF_ARENA(a), longer = BUF_ARENA(a);

	draft_line(&b, "WHAT", str_of("  one\n  two\r\n\tthree  "));
	draft_line(&b, "OUTPUT", str_of(" \n "));
	tap_is_str(buf_text(&b), "# WHAT: one two three\n", "a text stands on one line, a blank one nowhere");
	for (int i = 0; i < DRAFT_LINE_MAX - 1; i++)
		buf_putc(&longer, 'x');
	buf_puts(&longer, "\xC3\xA9");
	buf_clear(&b);
	draft_line(&b, "W", buf_str(&longer));
	tap_is_int((int64_t)b.len, 5 + DRAFT_LINE_MAX - 1 + 1, "a long one is cut between characters");
}

static void examples(struct arena *a)
{
	struct str plain[] = { { "a", 1 }, { "b c", 3 } }, piped[] = { { "a|b", 3 }, { NULL, 0 } };
	struct buf b = BUF_ARENA(a);

	tap_is_str(text_of(a, arena_json(a, draft_example(&b, "K", plain, 2))), "[\"a|b c\"]", "arguments are joined");
	tap_is_str(buf_text(&b), "# EX: [K]a|b c[/K]\n", "and stand in the docstring");
	buf_clear(&b);
	tap_is_str(text_of(a, arena_json(a, draft_example(&b, "K", piped, 2))), "[[\"a|b\",\"\"]]", "one with a pipe makes an array");
	tap_is_str(buf_text(&b), "", "which no line can show");
	tap_is_str(text_of(a, arena_json(a, draft_example(&b, "K", NULL, 0))), "[\"\"]", "no arguments are an empty string");
}

int main(void)
{
	struct arena *a = arena_new();
	struct draft d;

	draft_init(&d, a);
	draft_note(&d, "GET /x", true, "left %d", 1);
	for (int i = 1; i <= DRAFT_PLACES_MAX + 1; i++)
		draft_note(&d, arena_printf(a, "GET /%d", i), false, "cut");
	draft_secret(&d, "A", "first");
	draft_secret(&d, "A", "second");
	tap_is_str(text_of(a, d.notes), "[{\"at\":\"GET /x\",\"what\":\"left 1\",\"lost\":true},"
		   "{\"at\":\"GET /1, GET /2, GET /3\",\"what\":\"cut\",\"lost\":false,\"count\":4}]",
		   "a note says where, what and whether something is lost; the same of many places is said once");
	tap_is_str(text_of(a, d.secrets), "{\"A\":\"first\"}", "the first text of a variable stays");
	lines(a);
	examples(a);
	arena_free(a);
	return tap_done();
}
