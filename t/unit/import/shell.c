/* import/shell.c: a pasted command line into words. */
#include <string.h>
#include "base/buf.h"
#include "import/shell.h"
#include "tap.h"

static struct arena *arena;

/* The words with "·" between; "!" and the reason when it is refused. */
static const char *words(const char *text)
{
	struct buf b = BUF_ARENA(arena);
	struct problem why = { 0 };
	struct str *word, rest;
	size_t n;

	if (shell_words(arena, str_of(text), &word, &n, &rest, &why) < 0)
		return arena_printf(arena, "!%s", why.detail);
	for (size_t i = 0; i < n; i++) {
		buf_puts(&b, i ? "·" : "");
		buf_putstr(&b, word[i]);
	}
	if (rest.p)
		buf_printf(&b, " rest %.*s", (int)rest.n, rest.p);
	return buf_text(&b);
}

static const struct { const char *text, *want, *name; } cases[] = {
	{ "curl  -s\thttps://x/", "curl·-s·https://x/", "blanks separate words" },
	{ "a 'b  c' \"d  e\"f", "a·b  c·d  ef", "quotes keep blanks and join with what touches them" },
	{ "a '' \"\" b", "a···b", "an empty quote is a word" },
	{ "curl \\\n  -X POST \\\r\n  u", "curl·-X·POST·u", "a backslash continues a line, also with CR LF" },
	{ "curl u\n-s", "curl·u·-s", "a line's end alone is a blank" },
	{ "a\\ b c\\\"d", "a b·c\"d", "a backslash makes a character text" },
	{ "\"a\\\"b\\\\c\\d\\$e\"", "a\"b\\c\\d$e", "in double quotes it does before \" \\ $ only" },
	{ "'a\\n'", "a\\n", "in single quotes never" },
	{ "$'it\\'s\\n\\x41\\u00e9\\101\\t'", "it's\nA\xC3\xA9" "A\t", "$'…' knows the escapes of C" },
	{ "$'\\ud83d\\ude00'", "\xF0\x9F\x98\x80", "a surrogate pair is one character" },
	{ "$'\\ud83d'", "!an escape in $'…' is no character", "half of one is refused" },
	{ "\"Bearer $TOKEN\" ${TOKEN} $1", "Bearer $TOKEN·$TOKEN·$1", "names of variables stay" },
	{ "${A:-x}", "!${…} is more than a name", "other expansions are refused" },
	{ "curl $(cat f)", "!a command is substituted with $(…); put in what it prints", "a command is not run" },
	{ "curl \"`cat f`\"", "!a command is substituted with `…`; put in what it prints", "nor between backquotes" },
	{ "curl u | jq .", "curl·u rest | jq .", "a pipe ends the command" },
	{ "curl u; rm x", "curl·u rest ; rm x", "so does a semicolon" },
	{ "curl u >f", "curl·u rest >f", "so does a redirection" },
	{ "curl https://x/?a=1&b=2", "curl·https://x/?a=1&b=2", "an & inside a word is part of a URL" },
	{ "curl u # why", "curl·u", "a comment is none of it" },
	{ "curl x#y", "curl·x#y", "a # inside a word is" },
	{ "curl 'a", "!a single quote is not closed", "an open single quote" },
	{ "curl \"a", "!a double quote is not closed", "an open double quote" },
	{ "curl $'a", "!a quote $'…' is not closed", "an open $'…'" },
	{ "curl ^\"https://x^\"", "!this is quoted for cmd.exe of Windows; in the browser choose \"Copy as cURL (bash)\"", "cmd.exe's quoting is named" },
	{ "", "", "nothing has no words" },
	{ "\\", "", "a lone backslash is none" },
};

static void limits(void)
{
	struct buf b = BUF_ARENA(arena);

	for (int i = 0; i < SHELL_WORDS_MAX; i++)
		buf_puts(&b, "a ");
	tap_ok(words(buf_text(&b))[0] != '!', "%d words are read", SHELL_WORDS_MAX);
	buf_puts(&b, "a");
	tap_ok(words(buf_text(&b))[0] == '!', "one more is refused");
}

/* Any text ends: with words or a reason. */
static void random_text(void)
{
	static const char pieces[] = "a '\"\\$n{}()`|;&<>#^\n\r\txu0d8@=-";
	unsigned seed = 7, refused = 0;

	for (int i = 0; i < 20000; i++) {
		char text[24];
		size_t n = 0;

		while (n < sizeof(text) - 1 && (seed = seed * 1103515245u + 12345u) >> 28)
			text[n++] = pieces[(seed >> 16) % (sizeof(pieces) - 1)];
		text[n] = '\0';
		refused += words(text)[0] == '!';
		if (i % 100 == 0)
			arena_reset(arena);
	}
	tap_ok(refused > 100, "20,000 random texts end, %u of them refused", refused);
}

int main(void)
{
	arena = arena_new();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		tap_is_str(words(cases[i].text), cases[i].want, cases[i].name);
	limits();
	random_text();
	arena_free(arena);
	return tap_done();
}
