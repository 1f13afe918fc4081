/* Patterns as ECMA-262 means them, and what a match may cost. */
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "schema/regex.h"
#include "tap.h"

static struct regex_run *run;

/* 1 found, 0 not, -1 given up, -2 refused */
static int try(const char *pattern, const char *subject, size_t n)
{
	char error[160];
	struct regex *r = regex_new(str_of(pattern), error, sizeof(error));
	uint64_t work = 0;
	int found;

	if (!r)
		return -2;
	found = regex_match(r, run, str_make(subject, n), &work);
	regex_free(r);
	return found;
}

static const struct {
	const char *pattern, *subject;
	int want;
} cases[] = {
	{ "a+", "xaay", 1 },
	{ "^a*$", "aaa", 1 },
	{ "^a$", "a\n", 0 },
	{ "^\\d+$", "12", 1 },
	{ "\\d", "\u0663", 0 },
	{ "^\\w$", "\u00e9", 0 },
	{ "^\\W$", "\u00e9", 1 },
	{ "^\\s$", "\u00a0", 1 },
	{ "^\\s$", "\ufeff", 1 },
	{ "^\\s$", "\u2003", 1 },
	{ "^\\S$", "\u2003", 0 },
	{ "^\\s$", "\u200b", 0 },
	{ "^[\\s]$", "\u3000", 1 },
	{ "^[\\S]$", "\u3000", 0 },
	{ "^[\\Sx]$", "b", 1 },
	{ "^[^\\S]$", " ", 1 },
	{ "^.$", "\u2028", 0 },
	{ "^.$", "\r", 0 },
	{ "^.$", "\xc2\x85", 1 },
	{ "^.$", "\U0001f600", 1 },
	{ "^..$", "\U0001f600", 0 },
	{ "^\\p{Letter}+$", "\u00e4b", 1 },
	{ "^\\p{Lu}$", "\u00c4", 1 },
	{ "^\\P{L}$", "a", 0 },
	{ "^\\p{Script=Greek}$", "\u03b1", 1 },
	{ "^\\p{gc=Decimal_Number}$", "\u0663", 1 },
	{ "^[\\p{Uppercase_Letter}\\d]+$", "\u00c41", 1 },
	{ "\\p{Nonsense}", "a", -2 },
	{ "\\pL", "a", -2 },
	{ "\\p{^L}", "1", -2 },
	{ "^\\cC$", "\x03", 1 },
	{ "^\\cc$", "\x03", 1 },
	{ "\\c1", "a", -2 },
	{ "^\\t\\n\\v\\f\\r$", "\t\n\v\f\r", 1 },
	{ "^\\v$", "\n", 0 },
	{ "^\\x41$", "A", 1 },
	{ "^\\u0041$", "A", 1 },
	{ "^\\u{1f600}$", "\U0001f600", 1 },
	{ "^\\ud83d\\ude00$", "\U0001f600", 1 },
	{ "^[\\ud83d\\ude00-\\u{1f610}]$", "\U0001f605", 1 },
	{ "\\ud83d", "a", -2 },
	{ "\\u12", "a", -2 },
	{ "\\u{110000}", "a", -2 },
	{ "\\u{}", "a", -2 },
	{ "^[]$", "", 0 },
	{ "^[^]$", "\n", 1 },
	{ "^[[:alpha:]]$", "a]", 1 },
	{ "^[[]$", "[", 1 },
	{ "^[\\]]$", "]", 1 },
	{ "^[\\b]$", "\b", 1 },
	{ "\\bfoo\\b", "a foo b", 1 },
	{ "^[a-]$", "-", 1 },
	{ "^[-a]$", "-", 1 },
	{ "^[a\\-z]$", "b", 0 },
	{ "^[a-\\d]$", "a", -2 },
	{ "^[\\w-a]$", "a", -2 },
	{ "^[\\w-]$", "-", 1 },
	{ "^[\\w.-]+$", "a.b-c", 1 },
	{ "[a", "a", -2 },
	{ "^[^-a]$", "-", 0 },
	{ "^\\/$", "/", 1 },
	{ "^\\-\\_$", "-_", 1 },
	{ "^{$", "{", 1 },
	{ "^a{,2}$", "a{,2}", 1 },
	{ "^a{2}$", "aa", 1 },
	{ "^a{2,}$", "aaa", 1 },
	{ "^a{1,2}?$", "aa", 1 },
	{ "a{99999}", "a", -2 },
	{ "a++", "a", -2 },
	{ "a{2}+", "a", -2 },
	{ "*a", "a", -2 },
	{ "a**", "a", -2 },
	{ "(?i)a", "A", -2 },
	{ "(?>a)", "a", -2 },
	{ "(?R)", "a", -2 },
	{ "(?1)(a)", "a", -2 },
	{ "(*ACCEPT)", "a", -2 },
	{ "(?#x)a", "a", -2 },
	{ "(?C1)a", "a", -2 },
	{ "\\A", "a", -2 },
	{ "\\Z", "a", -2 },
	{ "\\z", "a", -2 },
	{ "\\a", "a", -2 },
	{ "\\e", "a", -2 },
	{ "\\Qa\\E", "a", -2 },
	{ "\\R", "a", -2 },
	{ "\\X", "a", -2 },
	{ "\\K", "a", -2 },
	{ "\\G", "a", -2 },
	{ "\\h", "a", -2 },
	{ "\\N", "a", -2 },
	{ "\\o{101}", "A", -2 },
	{ "\\g{1}", "a", -2 },
	{ "a\\", "a", -2 },
	{ "(a", "a", -2 },
	{ "a)", "a", -2 },
	{ "^(a)\\1$", "aa", 1 },
	{ "^(?<x>a)\\k<x>$", "aa", 1 },
	{ "\\1(a)", "a", 1 },
	{ "\\01", "a", -2 },
	{ "[\\1]", "a", -2 },
	{ "^a\\0b$", "ab", 0 },
	{ "(?<=a)b", "ab", 1 },
	{ "(?<!a)b", "ab", 0 },
	{ "a(?=b)", "ab", 1 },
	{ "a(?!b)", "ab", 0 },
	{ "^(?:a|b)+$", "abab", 1 },
	{ "^\u00e9$", "\u00e9", 1 },
	{ "^[\u00e0-\u00ff]$", "\u00e9", 1 },
	{ "^\\\u00e9$", "\u00e9", 1 },
	{ "", "x", 1 },
	{ "x", "", 0 },
	{ "^\\S+@\\S+$", "a@b", 1 },
	{ "^[0-9a-f]{8}-[0-9a-f]{4}$", "0123abcd-0a0b", 1 },
};

static char *repeated(const char *piece, size_t times, const char *tail)
{
	size_t n = strlen(piece), m = strlen(tail);
	char *s = mem_alloc(n * times + m + 1);

	for (size_t i = 0; i < times; i++)
		memcpy(s + i * n, piece, n);
	memcpy(s + n * times, tail, m);
	return s;
}

static void check_repeated(
	const char *pattern, const char *piece, size_t times, const char *tail, int want, const char *promise)
{
	char *s = repeated(piece, times, tail);

	tap_is_int(try(pattern, s, strlen(s)), want, promise);
	free(s);
}

static void check_hostile(void)
{
	static const char *const patterns[] = {
		"^(a+)+$",
		"^(a|aa)+$",
		"^(a|a)*$",
		"(x+x+)+y",
		"^(.*)*$",
		"^(([a-z])+.)+[A-Z]([a-z])+$",
		"(.*a){20}",
		"^((a*)*)*$",
		"a*a*a*a*a*a*a*b",
	};

	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		char *s = repeated(i == 3 ? "x" : "a", 20000, "!\n");
		int found = try(patterns[i], s, strlen(s));

		tap_ok(found == -1 || found == 0, "%s on a long text ends: %d", patterns[i], found);
		free(s);
	}
	check_repeated("^(a+)+$", "a", 40, "!", -1, "endless backtracking is given up");
	check_repeated("^(?:[A-Za-z0-9+/]{4})*$", "QUJD", 50000, "", 1, "a long base 64 text is no trouble");
	check_repeated("^[\\s\\S]*$", "ab\n", 100000, "", 1, "neither is any long text");
	check_repeated("z", "ab", 300000, "", 0, "neither is looking for what is not there");
	check_repeated("^(?:a|b)*$", "a", 1000000, "", -1, "memory for going back is bounded");
}

static void check_bounds(void)
{
	for (int d = -1; d <= 1; d++) {
		char *plain = repeated("a", (size_t)(REGEX_PATTERN_MAX + d), "");
		char *open = repeated("(", (size_t)(REGEX_NESTING_MAX + d), "a"),
		     *close = repeated(")", (size_t)(REGEX_NESTING_MAX + d), "");
		char *nested = mem_alloc(strlen(open) + strlen(close) + 1);

		memcpy(nested, open, strlen(open));
		memcpy(nested + strlen(open), close, strlen(close));
		tap_is_int(try(plain, "b", 1), d > 0 ? -2 : 0, "a pattern's length, around the bound");
		tap_is_int(try(nested, "b", 1), d > 0 ? -2 : 0, "nested parentheses, around the bound");
		free(plain);
		free(open);
		free(close);
		free(nested);
	}
	tap_is_int(try("((a{100}){100}){100}", "a", 1), -2, "repetition that multiplies is refused");
	tap_is_int(try("^a\\0b$", "a\0b", 3), 1, "NUL is a character");
	tap_is_int(try("a", "\xff" "a", 2), -1, "a text that is not UTF-8 is given up");
}

int main(void)
{
	run = regex_run_new();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int got = try(cases[i].pattern, cases[i].subject, strlen(cases[i].subject));

		tap_ok(got == cases[i].want, "%s: %s (case %zu, got %d)", cases[i].pattern,
		       cases[i].want == 1 ? "found" : cases[i].want == 0 ? "not found" : "refused", i, got);
	}
	check_hostile();
	check_bounds();
	regex_run_free(run);
	return tap_done();
}
