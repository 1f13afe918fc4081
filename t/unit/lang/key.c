/* Row keys and their nearness. */
#include <string.h>
#include <time.h>
#include "lang/key.h"
#include "tap.h"

static void validity(void)
{
	static const char *const good[] = { "A", "_", "a9", "NOW", "ZZ_TEST_TEMPERATURE", "dir_put" };
	static const char *const bad[] = {
		"", "9A", "a.b", "a-b", "a b", "A/B", "\xE5\xA4\xA9", "A\n", "-x", "x-", "$A"
	};
	char longest[KEY_MAX + 2];

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		tap_ok(key_is_valid(str_of(good[i])), "%s is a key", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		tap_ok(!key_is_valid(str_of(bad[i])), "number %zu of the malformed keys is refused", i);
	memset(longest, 'K', sizeof(longest));
	tap_ok(key_is_valid(str_make(longest, KEY_MAX)), "a key may have 64 bytes");
	tap_ok(!key_is_valid(str_make(longest, KEY_MAX + 1)), "a key may not have 65 bytes");
	tap_ok(!key_is_valid(str_make("A\0B", 3)), "a NUL is no part of a key");
	tap_ok(!key_is_valid(str_make(NULL, 0)), "an absent key is no key");
}

static uint32_t seed = 1;

static uint32_t next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

/* The textbook form, to compare with. */
static unsigned slow_distance(struct str a, struct str b)
{
	unsigned d[34][34];

	for (size_t i = 0; i <= a.n; i++) {
		for (size_t j = 0; j <= b.n; j++) {
			unsigned v = i > j ? (unsigned)i : (unsigned)j;

			if (i && j) {
				v = d[i - 1][j - 1] + ((a.p[i - 1] | 32) != (b.p[j - 1] | 32));
				v = d[i - 1][j] + 1 < v ? d[i - 1][j] + 1 : v;
				v = d[i][j - 1] + 1 < v ? d[i][j - 1] + 1 : v;
			}
			d[i][j] = v;
		}
	}
	return d[a.n][b.n];
}

static void distances(void)
{
	unsigned wrong = 0;

	tap_is_int(key_distance(str_of("NOW"), str_of("now"), 3), 0, "case does not count");
	tap_is_int(key_distance(str_of("kitten"), str_of("sitting"), 3), 3, "kitten and sitting are 3 apart");
	tap_is_int(key_distance(str_of("kitten"), str_of("sitting"), 2), 3, "what is farther than max is max + 1");
	tap_is_int(key_distance(str_of(""), str_of("abc"), 3), 3, "from nothing it is the length");
	tap_is_int(key_distance(str_of(""), str_of(""), 0), 0, "nothing equals nothing");
	tap_is_int(key_distance(str_of("abc"), str_of("abd"), 0), 1, "max may be 0");
	for (int i = 0; i < 200000; i++) {
		char a[32], b[32];
		struct str x = { a, next() % 33 }, y = { b, next() % 33 };
		unsigned max = next() % (KEY_DISTANCE_MAX + 1), want;

		for (size_t k = 0; k < sizeof(a); k++) {
			a[k] = "aAbBc"[next() % 5];
			b[k] = next() % 4 ? a[k] : "aAbBc"[next() % 5];
		}
		want = slow_distance(x, y);
		wrong += key_distance(x, y, max) != (want > max ? max + 1 : want);
	}
	tap_is_int(wrong, 0, "200,000 random pairs agree with the textbook algorithm");
}

static void speed(void)
{
	struct timespec t0, t1;
	char key[KEY_MAX];
	int near = 0;
	double ms;

	clock_gettime(CLOCK_MONOTONIC, &t0);
	for (int i = 0; i < 10000; i++) {
		for (size_t k = 0; k < 20; k++)
			key[k] = (char)('A' + next() % 26);
		near += key_nearness(str_of("SEND_BY_CHANNEL_NOW"), str_make(key, 20)) >= 0;
	}
	clock_gettime(CLOCK_MONOTONIC, &t1);
	ms = (double)(t1.tv_sec - t0.tv_sec) * 1e3 + (double)(t1.tv_nsec - t0.tv_nsec) / 1e6;
	tap_diag("10,000 keys in %.2f ms", ms);
	tap_ok(near == 0 && ms < 1000, "10,000 keys are compared well within a second");
}

static void nearness(void)
{
	char huge[KEY_WANTED_MAX + 1];

	tap_is_int(key_nearness(str_of("now"), str_of("NOW")), 0, "a key in another case is nearest");
	tap_is_int(key_nearness(str_of("NOWS"), str_of("NOW")), 1, "a key that is contained comes next");
	tap_is_int(key_nearness(str_of("temp"), str_of("ZZ_TEST_TEMPERATURE")), 1, "and one that contains");
	tap_is_int(key_nearness(str_of("NWO"), str_of("NOW")), 4, "then by distance");
	tap_is_int(key_nearness(str_of("ECO"), str_of("ECHO")), 3, "one letter missing is distance 1");
	tap_is_int(key_nearness(str_of("WEATHER"), str_of("ECHO")), -1, "what is far is not near");
	tap_is_int(key_nearness(str_of(""), str_of("ECHO")), -1, "nothing is near to nothing");
	memset(huge, 'A', sizeof(huge));
	tap_is_int(key_nearness(str_make(huge, sizeof(huge)), str_of("A")), -1, "an endless name is near to nothing");
	tap_is_int(key_nearness(str_make(huge, sizeof(huge) - 1), str_of("A")), 1, "a long one still is");
}

int main(void)
{
	validity();
	distances();
	nearness();
	speed();
	return tap_done();
}
