/* Views of bytes. */
#include <ctype.h>
#include <string.h>
#include "base/ascii.h"
#include "base/str.h"
#include "tap.h"

static bool is(struct str a, const char *s)
{
	return a.p && str_is(a, s);
}

static void compare(void)
{
	tap_ok(!str_of(NULL).p && str_of(NULL).n == 0, "NULL is an absent view");
	tap_ok(str_of("").p && str_of("").n == 0, "an empty string is a present view");
	tap_ok(str_eq(str_of("ab"), str_make("abc", 2)), "equal bytes are equal");
	tap_ok(!str_eq(str_of("ab"), str_of("abc")), "a beginning is not equal");
	tap_ok(!str_eq(str_of("ab"), str_of("aB")), "case matters");
	tap_ok(str_eq(str_make("a\0b", 3), str_make("a\0b", 3)) &&
	       !str_eq(str_make("a\0b", 3), str_make("a\0c", 3)), "NUL is a byte as any other");
	tap_ok(str_eq(str_of(NULL), str_of("")), "absent and empty have equal bytes");
	tap_ok(str_starts(str_of("form:x"), "form:") && str_starts(str_of("x"), ""), "a beginning is recognised");
	tap_ok(!str_starts(str_of("for"), "form:") &&
	       !str_starts(str_of(NULL), "f"), "what is shorter does not begin so");
}

static void pieces(void)
{
	struct str rest = str_of("a,,b");

	tap_ok(is(str_cut(&rest, ','), "a"), "cutting gives the first piece");
	tap_ok(is(str_cut(&rest, ','), ""), "an empty piece is a piece");
	tap_ok(is(str_cut(&rest, ','), "b") && !rest.p, "after the last piece nothing is left");
	tap_ok(!str_cut(&rest, ',').p, "nothing cut is nothing");
	rest = str_of("a,");
	str_cut(&rest, ',');
	tap_ok(rest.p && rest.n == 0, "a separator at the end leaves an empty piece");
	tap_ok(is(str_cut(&rest, ','), "") && !rest.p, "which is the last one");
	rest = str_of("");
	tap_ok(is(str_cut(&rest, ','), "") && !rest.p, "an empty text is one empty piece");
	tap_ok(is(str_skip(str_of("abc"), 2), "c"), "skipping drops bytes");
	tap_ok(is(str_skip(str_of("abc"), 9), ""), "skipping too many leaves none");
	tap_ok(!str_skip(str_of(NULL), 3).p, "skipping in nothing is nothing");
	tap_ok(is(str_trim(str_of(" \t\r\n a b \f\v")), "a b"), "white space at both ends goes");
	tap_ok(is(str_trim(str_of("  ")), ""), "white space alone is empty");
}

static void search(void)
{
	tap_is_int(str_find(str_of("abcabc"), str_of("ca")), 2, "the first place is found");
	tap_is_int(str_find(str_of("abc"), str_of("x")), -1, "what is not there is -1");
	tap_is_int(str_find(str_of("abc"), str_of("")), 0, "nothing is at the start");
	tap_is_int(str_find(str_of(NULL), str_of("x")), -1, "nothing holds nothing");
	tap_is_int(str_find(str_make("a\0bc", 4), str_make("\0b", 2)), 1, "NUL can be looked for");
}

static void overlap(void)
{
	tap_is_int((int64_t)str_overlap(str_of("xxab"), str_of("abc")), 2, "a beginning at the end is measured");
	tap_is_int((int64_t)str_overlap(str_of("aaa"), str_of("aaaa")), 3, "the longest");
	tap_is_int((int64_t)str_overlap(str_of("xabc"), str_of("abc")), 0, "the whole is no beginning");
	tap_is_int((int64_t)str_overlap(str_of("b"), str_of("abc")), 0, "nothing in common is 0");
	tap_ok(!str_overlap(str_of(NULL), str_of("abc")) && !str_overlap(str_of("abc"), str_of(NULL)) &&
	       !str_overlap(str_of("abc"), str_of("")), "nothing overlaps nothing");
}

static void distance(void)
{
	char a[300], b[300];

	tap_is_int((int64_t)str_distance(str_of("weather"), str_of("weather"), 3), 0, "equal names are at distance 0");
	tap_is_int((int64_t)str_distance(str_of("wether"), str_of("weather"), 3), 1, "a missing letter is 1");
	tap_is_int((int64_t)str_distance(str_of("kitten"), str_of("sitting"), 3), 3, "kitten and sitting are at 3");
	tap_is_int((int64_t)str_distance(str_of("kitten"), str_of("sitting"), 2), 3,
	           "more than the limit is limit + 1");
	tap_is_int((int64_t)str_distance(str_of("a"), str_of("abcdefgh"), 3), 4,
	           "very different lengths are not compared");
	tap_is_int((int64_t)str_distance(str_of(""), str_of("abc"), 3), 3, "from nothing it is the length");
	memset(a, 'x', sizeof(a));
	memset(b, 'x', sizeof(b));
	b[STR_DISTANCE_MAX] = 'y';
	tap_is_int((int64_t)str_distance(str_make(a, sizeof(a)), str_make(b, sizeof(b)), 3), 0,
	           "only the beginning of long names is looked at");
}

static void fold(void)
{
	tap_ok(str_eq_fold(str_of("aZ[1"), str_of("Az[1")) && str_is_fold(str_of("ETag"), "etag"), "case may be left out of account");
	tap_ok(!str_eq_fold(str_of("a"), str_of("ab")) && !str_eq_fold(str_of("ab"), str_of("a")) && str_is_fold(str_of(NULL), ""),
	       "lengths are not");
	tap_ok(!str_is_fold(str_of("@["), "`{") && !str_is_fold(str_of("\xC3\x84"), "\xC3\xA4"), "only letters of ASCII have a case");
	tap_ok(str_starts_fold(str_of("Text/html"), "text/") && str_starts_fold(str_of("x"), ""), "a beginning is recognised");
	tap_ok(!str_starts_fold(str_of("Text"), "text/") && !str_starts_fold(str_of(NULL), "a"), "not one that is longer");
	tap_is_int(str_find_fold(str_of("X-Api-KEY"), str_of("key")), 6, "the first place is found");
	tap_is_int(str_find_fold(str_of("ke"), str_of("key")), -1, "what is not there is -1");
	tap_is_int(str_find_fold(str_of(NULL), str_of("x")), -1, "nothing holds nothing");
	tap_is_int(str_find_fold(str_of("abc"), str_of("")), 0, "nothing is at the start");
}

/* Against the C library, whose classes are these in the locale "C". */
static void classes(void)
{
	int wrong = 0;

	for (int c = -128; c < 256; c++) {
		bool ascii = c >= 0 && c < 128;
		const char *digits = "0123456789abcdef", *at = ascii && c ? strchr(digits, tolower(c)) : NULL;

		wrong += ascii_is_digit(c) != (ascii && isdigit(c)) || ascii_is_upper(c) != (ascii && isupper(c)) ||
			 ascii_is_lower(c) != (ascii && islower(c)) || ascii_is_letter(c) != (ascii && isalpha(c)) ||
			 ascii_is_alnum(c) != (ascii && isalnum(c)) || ascii_is_word(c) != (ascii && (isalnum(c) || c == '_')) ||
			 ascii_hex(c) != (at ? (int)(at - digits) : -1);
		wrong += ascii && (ascii_upper((char)c) != toupper(c) || ascii_lower((char)c) != tolower(c));
	}
	tap_is_int(wrong, 0, "the classes are those of ASCII, and no other byte is in one");
}

int main(void)
{
	compare();
	fold();
	classes();
	pieces();
	search();
	overlap();
	distance();
	return tap_done();
}
