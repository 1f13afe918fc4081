/* Documentation lines of `content`: what is documentation, what is payload, which label a line belongs to. */
#include <string.h>
#include "lang/docstring.h"
#include "tap.h"

static struct arena *arena;

static struct docstring parsed(const char *content)
{
	struct docstring d;

	docstring_parse(arena, str_of(content), &d);
	return d;
}

static void is_payload(const char *content, const char *want, const char *name)
{
	tap_is_str(parsed(content).payload.p, want, name);
}

static void is_label(const char *content, enum docstring_label l, const char *want, const char *name)
{
	tap_is_str(parsed(content).label[l].p, want, name);
}

static void payload(void)
{
	is_payload("# WHAT: x\n[\"$1\"]\n# EX: y", "[\"$1\"]", "leading and trailing documentation is not payload");
	is_payload("a\n# b\nc", "a\n# b\nc", "a # line between payload lines stays");
	is_payload("# x\na\n# b\nc\n# d\n", "a\n# b\nc", "and only that one");
	is_payload("# x\n\n  # y\n\nbody\n\n# z\n", "body", "blank lines in and beside the documentation go with it");
	is_payload("a\n\nb\n", "a\n\nb", "blank lines in the payload stay, the last line's end goes");
	is_payload("  a\n", "  a", "indentation of the payload stays");
	is_payload("# only\n# documentation", "", "a payload may be empty");
	is_payload("", "", "content may be empty");
	is_payload("\n \n\t\n", "", "or blank");
	is_payload("\n# WHAT: x\nbody", "body", "blank lines before the documentation do not hide it");
	is_payload("# WHAT: x\r\na\r\nb\r\n# EX: y\r\n", "a\r\nb", "lines may end with CR LF");
	is_payload("#", "", "a lone # is documentation");
	is_payload("x # no documentation", "x # no documentation", "a # inside a line is text");
	tap_ok(parsed("").payload.p && parsed("").text.p, "payload and text are never NULL");
	struct docstring d;

	docstring_parse(arena, str_make(NULL, 0), &d);
	tap_ok(d.payload.p && d.payload.n == 0 && d.text.n == 0 && !d.label[DOC_WHAT].p,
	       "absent content is empty content");
	docstring_parse(arena, str_make("# WHAT: a\0b\nx\0y\n", 16), &d);
	tap_ok(d.payload.n == 3 && memcmp(d.payload.p, "x\0y", 3) == 0 && d.label[DOC_WHAT].n == 3,
	       "a NUL is a byte like others");
}

static void article_rows(void)
{
	const char *now = "# Return the current time from the build clock in Pacific time (America/Los_Angeles).\n"
			  "# WHEN_TO_USE: any object or model that needs the current date or time.\n# ARGS: none\n# "
			  "EX: [NOW][/NOW]\n"
			  "# OUTPUT: { now, today, time, zone, iso }";
	const char *models =
		"# WHAT: List every model on the xAI API. No args\n# WHEN_TO_USE: you need to grok models\n"
		"# ARGS: see content\n# EX: [GROK_MODELS][/GROK_MODELS]\n# List every model on the xAI API. No args.";
	const char *finish =
		"# Phase C of the inbound turn: given the full agent output text in $1, extract the\n"
		"#   LAST [REPLY], send via blooio to $2, return the send result.\n# $1=agent output text.\n"
		"LAST_REPLY_OF: $1\n> SEND_BY_CHANNEL: blooio|$2|$PREV";

	is_label(now, DOC_WHAT, "Return the current time from the build clock in Pacific time (America/Los_Angeles).",
		 "without WHAT the first unlabelled line is it");
	is_label(now, DOC_EXAMPLE, "[NOW][/NOW]", "EX is EXAMPLE");
	is_label(now, DOC_ARGS, "none", "ARGS is found");
	is_payload(now, "", "NOW has no payload");
	is_label(models, DOC_EXAMPLE, "[GROK_MODELS][/GROK_MODELS]",
		 "a line of text behind the example is no part of it");
	is_label(models, DOC_WHAT, "List every model on the xAI API. No args",
		 "WHAT is not replaced by unlabelled lines");
	is_label(finish, DOC_WHAT,
		 "Phase C of the inbound turn: given the full agent output text in $1, extract the\n"
		 "LAST [REPLY], send via blooio to $2, return the send result.",
		 "an indented line continues the first one");
	is_payload(finish, "LAST_REPLY_OF: $1\n> SEND_BY_CHANNEL: blooio|$2|$PREV", "a flow is left as it is");
}

static void labels(void)
{
	is_label("# what: lower", DOC_WHAT, "lower", "labels are case-insensitive");
	is_label("#Effects :  spaced  ", DOC_EFFECTS, "spaced", "blanks around label, colon and text do not count");
	is_label("# WHAT no colon", DOC_WHAT, "no colon", "the colon is optional");
	is_label("# WHAT\n# on the next line", DOC_WHAT, "on the next line", "a label may stand alone on its line");
	is_label("# x\n# What is this", DOC_WHEN_TO_USE, NULL, "an absent label is NULL");
	is_label("# What is this", DOC_WHAT, "What is this", "without colon a label is upper case: this is text");
	is_label("# WHATEVER: x\n# WHAT: y", DOC_WHAT, "y", "a longer word is no label");
	is_label("# ARGS=x", DOC_ARGS, NULL, "nor is one that goes on");
	is_label("# EXAMPLE: a|b", DOC_EXAMPLE, "a|b", "EXAMPLE is one too");
	is_label("# EX: a\n# EX: b", DOC_EXAMPLE, "a\nb", "texts of a label that stands twice are joined");
	is_label("# WHAT: a\n#  b\n# c\n# ARGS: d", DOC_WHAT, "a\nb\nc", "lines behind a label continue it");
	is_label("# WHAT: a\n#\n# b", DOC_WHAT, "a", "an empty line ends it");
	is_label("# WHAT: a\n\n# b", DOC_WHAT, "a", "a blank one too");
	is_label("# EX: a\n#   b", DOC_EXAMPLE, "a\nb", "an indented line continues an example");
	is_label("# EX: a\n#\tb", DOC_EXAMPLE, "a\nb", "also when indented by a tab");
	is_label("# WHAT:\n#\n# fallback", DOC_WHAT, "fallback", "an empty WHAT falls back");
	is_label("# ARGS:", DOC_ARGS, "", "a label without text is there and empty");
	is_label("x\n# OUTPUT: y", DOC_OUTPUT, "y", "labels in the trailing run count");
	is_label("# ARGS: a\nx\n# b", DOC_ARGS, "a", "a label does not go on behind the payload");
	is_label("x\n# ARGS: y\nz", DOC_ARGS, NULL, "a # line in the payload has no label");
}

static void text(void)
{
	tap_is_str(parsed("# a\n#  b\n#c\n").text.p, "a\n b\nc", "text loses # and one space");
	tap_is_str(parsed("# a\n\n# b\n\nx\n\n# c\n").text.p, "a\n\nb\nc", "blank lines within a run stay in the text");
	tap_is_str(parsed("#\n# a").text.p, "\na", "an empty documentation line is a line");
	tap_is_str(parsed("   # a").text.p, "a", "indentation before # is dropped");
	tap_is_str(parsed("## a").text.p, "# a", "only the first # is dropped");
}

static void flags(void)
{
	static const struct {
		const char *content;
		int want;
	} cases[] = {
		{ "# SAFE: yes", 1 },      { "# SAFE: Yes, it only reads", 1 },
		{ "# SAFE no", 0 },        { "# safe: FALSE", 0 },
		{ "# SAFE: true", 1 },     { "# SAFE: 0", 0 },
		{ "# SAFE: perhaps", -1 }, { "# SAFE:", -1 },
		{ "# WHAT: x", -1 },       { "# SAFE: yes\n# SAFE: no", 0 },
		{ "# SAFE: nothing", -1 }, { "# SAFE: yes\n# no line of it", 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct docstring d = parsed(cases[i].content);

		tap_ok(docstring_flag(&d, DOC_SAFE) == cases[i].want, "flag %zu says %d", i, cases[i].want);
	}
}

static uint32_t seed = 7;

static uint32_t next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

/* The payload must be what no rule allows to drop: its first and last lines are no documentation, and it is a part of
 * content. */
static bool payload_holds(const struct docstring *d, struct str content)
{
	struct str body = str_trim(d->payload);

	if (!d->payload.n)
		return true;
	return body.n ? body.p[0] != '#' && str_find(content, d->payload) >= 0 : str_find(content, d->payload) >= 0;
}

static void random_bytes(void)
{
	static const char *const pieces[] = { "#", "\n", "\r\n", " ", "\t", "WHAT", "what",
					      ":", "EX", "SAFE", "x", "# ", "\0",   "\xFF" };
	int wrong = 0;

	for (int i = 0; i < 200000; i++) {
		char raw[96];
		struct docstring d, again;
		size_t n = 0;

		while (n < 80 && next() % 24) {
			const char *p = pieces[next() % 14];
			size_t len = *p ? strlen(p) : 1;

			memcpy(raw + n, p, len);
			n += len;
			if (next() % 8 == 0)
				raw[n++] = (char)next();
		}
		docstring_parse(arena, str_make(raw, n), &d);
		wrong += !payload_holds(&d, str_make(raw, n));
		docstring_parse(arena, d.payload, &again);
		wrong += !str_eq(again.payload, d.payload) || again.text.n;
		(void)docstring_flag(&d, DOC_SAFE);
		arena_reset(arena);
	}
	tap_is_int(
		wrong, 0,
		"200,000 random contents: a payload has no documentation left, and parsing it again changes nothing");
}

int main(void)
{
	arena = arena_new();
	payload();
	article_rows();
	labels();
	text();
	flags();
	random_bytes();
	arena_free(arena);
	return tap_done();
}
