/* A request's memory. */
#include <json-c/json.h>
#include <stdint.h>
#include <string.h>
#include "base/arena.h"
#include "tap.h"

static char order[8];

static void note(void *arg)
{
	strcat(order, arg);
}

static struct arena *nested;

static void defer_again(void *arg)
{
	arena_defer(nested, note, arg);
}

static void pieces(struct arena *a)
{
	bool aligned = true, zero = true;
	unsigned char *p;

	for (size_t n = 0; n < 200; n++) {
		p = arena_alloc(a, n * 37);
		aligned = aligned && (uintptr_t)p % 16 == 0;
		for (size_t i = 0; i < n * 37; i++)
			zero = zero && p[i] == 0;
		memset(p, 0xAA, n * 37);
	}
	tap_ok(aligned, "every piece is aligned to 16");
	tap_ok(zero, "every piece is zeroed");
	arena_reset(a);
	p = arena_alloc(a, 10000);
	for (size_t i = 0; i < 10000; i++)
		zero = zero && p[i] == 0;
	tap_ok(zero, "memory that is used again is zeroed too");
	memset(arena_alloc(a, 1 << 20), 1, 1 << 20);
	tap_ok(true, "a piece larger than a block can be written whole");
}

static void strings(struct arena *a)
{
	struct str s = arena_copy(a, str_make("a\0b", 3));

	tap_ok(s.n == 3 && memcmp(s.p, "a\0b", 4) == 0, "a copy keeps NUL and ends in one");
	tap_ok(!arena_str(a, str_of(NULL)) && !arena_strdup(a, NULL) &&
	       !arena_copy(a, str_of(NULL)).p, "absent stays absent");
	tap_is_str(arena_strdup(a, "x"), "x", "strings are copied");
	tap_is_str(arena_str(a, str_of("")), "", "empty strings too");
	tap_is_str(arena_printf(a, "%s-%d", "x", 7), "x-7", "a formatted text is as long as it needs to be");
	tap_is_int((int64_t)strlen(arena_printf(a, "%9000d", 1)), 9000, "also a long one");
}

static void growing(struct arena *a)
{
	char *p = arena_grow(a, NULL, 0, 10), *q;

	memcpy(p, "0123456789", 10);
	q = arena_grow(a, p, 10, 100);
	tap_ok(q == p, "the newest piece grows in place");
	arena_alloc(a, 1);
	q = arena_grow(a, p, 100, 200);
	tap_ok(q != p && memcmp(q, "0123456789", 10) == 0, "an older one moves with its bytes");
	p = arena_grow(a, q, 200, 100000);
	tap_ok(memcmp(p, "0123456789", 10) == 0, "growing beyond a block keeps the bytes");
}

static void deferred(struct arena *a)
{
	struct json_object *o = arena_json(a, json_object_new_object());

	tap_ok(o && !arena_json(a, NULL), "a JSON object is given back, null is null");
	arena_defer(a, note, (char *)(uintptr_t)"1");
	arena_defer(a, note, (char *)(uintptr_t)"2");
	arena_defer(a, note, (char *)(uintptr_t)"3");
	arena_reset(a);
	tap_is_str(order, "321", "clean-ups run at reset, last first");
	arena_reset(a);
	tap_is_str(order, "321", "and once only");
	nested = a;
	arena_defer(a, defer_again, (char *)(uintptr_t)"4");
	arena_reset(a);
	tap_is_str(order, "3214", "a clean-up may defer another");
	arena_defer(a, note, (char *)(uintptr_t)"5");
}

/* A small arena holds what a usual one holds. */
static void small(void)
{
	struct arena *a = arena_new_small();
	unsigned char *piece[500];
	bool right = true;

	for (int i = 0; i < 500; i++)
		piece[i] = memset(arena_alloc(a, (size_t)i * 7), i & 255, (size_t)i * 7);
	for (int i = 0; i < 500; i++)
		for (int k = 0; k < i * 7; k++)
			right = right && piece[i][k] == (i & 255);
	tap_ok(right, "pieces of every size have their own place in a small arena");
	arena_reset(a);
	tap_ok(*(char *)arena_alloc(a, 100) == 0, "it can be reset");
	arena_free(a);
}

int main(void)
{
	struct arena *a = arena_new();

	pieces(a);
	strings(a);
	growing(a);
	deferred(a);
	small();
	arena_free(a);
	tap_is_str(order, "32145", "freeing runs the clean-ups");
	arena_free(NULL);
	tap_ok(true, "freeing nothing is fine");
	return tap_done();
}
