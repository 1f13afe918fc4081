/* Many patterns at once, against a search that is obviously right. */
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/crypto.h"
#include "base/mem.h"
#include "base/match.h"
#include "tap.h"

static struct match *match_of(const char *const *patterns)
{
	struct match *m = match_new();

	for (int i = 0; patterns[i]; i++)
		match_add(m, str_of(patterns[i]), i);
	match_ready(m);
	return m;
}

static void simple(void)
{
	struct match *m = match_of((const char *const[]){ "abcdefgh", "abcdefghij", "ijklmnop", "abcdefgh", NULL });
	struct match_hit hit;
	int tag;

	tap_ok(match_next(m, str_of("..abcdefgh.."), 0, &hit) && hit.start == 2 && hit.n == 8 &&
	       hit.tag == 0, "a pattern is found, the first added of equal ones");
	tap_ok(match_next(m, str_of("..abcdefghij"), 0, &hit) && hit.n == 10 &&
	       hit.tag == 1, "the longest at a place is found");
	tap_ok(match_next(m, str_of("abcdefghi"), 0, &hit) && hit.n == 8, "a longer one that is cut off is not");
	tap_ok(match_next(m, str_of("abcdefghijklmnop"), 1, &hit) && hit.start == 8 &&
	       hit.tag == 2, "from a place on, what begins before it is not found");
	tap_ok(!match_next(m, str_of("abcdefg"), 0, &hit) && !match_next(m, str_of(""), 0, &hit) &&
	       !match_next(m, str_of(NULL), 0, &hit) &&
	       !match_next(m, str_of("abcdefgh"), 1, &hit) &&
	           !match_next(m, str_of("abcdefgh"), 100, &hit), "too short a text holds nothing");
	tap_ok(match_begun(m, str_of("..ijkl"), &tag) == 2 && tag == 2, "a beginning that ends the text is found");
	tap_ok(match_begun(m, str_of("..abcdefgh"), &tag) == 2 && tag == 1, "of a longer pattern than the one there too");
	tap_ok(match_begun(m, str_of("..ijklmnop"), &tag) == 10 && match_begun(m, str_of(""), &tag) == 0,
	       "a whole pattern is no beginning");
	match_free(m);
	m = match_new();
	match_ready(m);
	tap_ok(!match_next(m, str_of("abcdefgh"), 0, &hit), "no patterns are found nowhere");
	tap_is_int((int64_t)match_begun(m, str_of("abc"), &tag), 3, "nor begun");
	match_free(m);
	match_free(NULL);
}

/* Texts and patterns of two letters only, so that everything overlaps. */
static void against_naive(void)
{
	bool same = true;

	for (int round = 0; round < 300 && same; round++) {
		char text[400], patterns[12][24];
		size_t lengths[12], from = 0;
		struct match *m = match_new();
		struct match_hit hit;

		crypto_random(text, sizeof(text));
		for (size_t i = 0; i < sizeof(text); i++)
			text[i] = text[i] & 1 ? 'a' : 'b';
		for (int i = 0; i < 12; i++) {
			lengths[i] = MATCH_MIN + (size_t)i % 5;
			memcpy(patterns[i], text + (i * 31 + round) % 370, lengths[i]);
			patterns[i][i % 8] ^= i % 3 == 0 ? 3 : 0;
			match_add(m, str_make(patterns[i], lengths[i]), i);
		}
		match_ready(m);
		while (same) {
			size_t at, best = 0;
			bool found = match_next(m, str_make(text, sizeof(text)), from, &hit);

			for (at = from; at < sizeof(text) && !best; at++)
				for (int i = 0; i < 12; i++)
					if (lengths[i] <= sizeof(text) - at &&
					    memcmp(text + at, patterns[i], lengths[i]) == 0 && lengths[i] > best)
						best = lengths[i];
			same = found == (best > 0) && (!found || (hit.start == at - 1 && hit.n == best));
			if (!found)
				break;
			from = hit.start + 1;
		}
		match_free(m);
	}
	tap_ok(same, "every match is found that a plain search finds, and no other");
}

static void speed(void)
{
	struct match *m = match_new();
	size_t n = 4 << 20;
	char *text = mem_alloc(n), pattern[32];
	struct match_hit hit;
	int64_t start;

	for (int i = 0; i < 700; i++) {
		crypto_random(pattern, sizeof(pattern));
		for (size_t k = 0; k < sizeof(pattern); k++)
			pattern[k] = (char)('a' + (pattern[k] & 15));
		match_add(m, str_make(pattern, sizeof(pattern)), i);
	}
	match_ready(m);
	crypto_random(text, n);
	for (size_t i = 0; i < n; i++)
		text[i] = (char)(' ' + (text[i] & 63));
	start = clock_mono_us();
	match_next(m, str_make(text, n), 0, &hit);
	start = clock_mono_us() - start;
	tap_ok(start < 500000, "700 patterns pass over 4 MiB in little time (%lld us)", (long long)start);
	free(text);
	match_free(m);
}

int main(void)
{
	simple();
	against_naive();
	speed();
	return tap_done();
}
