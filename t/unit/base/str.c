/* Views of bytes. */
#include <string.h>
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

int main(void)
{
	compare();
	pieces();
	search();
	overlap();
	distance();
	return tap_done();
}
