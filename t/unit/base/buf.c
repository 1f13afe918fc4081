/* The growing byte string, with and without an arena. */
#include <string.h>
#include "base/buf.h"
#include "tap.h"

static void use(struct buf b, const char *kind)
{
	static const int64_t numbers[] = { 0, 9, 10, -1, -10, INT64_MAX, INT64_MIN };
	struct str s;
	bool same = true;

	tap_ok(buf_text(&b)[0] == 0, "%s: an empty one has a text", kind);
	buf_puts(&b, "ab");
	buf_putc(&b, 'c');
	buf_add(&b, "d\0e", 3);
	buf_putstr(&b, str_of(NULL));
	buf_putstr(&b, str_of("f"));
	s = buf_str(&b);
	tap_ok(s.n == 7 && memcmp(s.p, "abcd\0ef", 8) == 0, "%s: bytes are kept, with a NUL behind them", kind);
	buf_clear(&b);
	tap_is_str(buf_text(&b), "", "clearing empties it");
	for (int i = 0; i < 100000; i++)
		buf_putc(&b, (char)i);
	for (int i = 0; i < 100000; i++)
		same = same && b.data[i] == (char)i;
	tap_ok(same && b.len == 100000, "%s: growing keeps every byte", kind);
	buf_clear(&b);
	buf_printf(&b, "%d%s", 12, "x");
	buf_printf(&b, "%5000d|", 7);
	tap_ok(b.len == 5004 && memcmp(b.data, "12x ", 4) == 0 &&
	       b.data[5003] == '|', "%s: formatted text grows it", kind);
	buf_clear(&b);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		buf_int(&b, numbers[i]);
		buf_putc(&b, ' ');
	}
	tap_is_str(buf_text(&b), "0 9 10 -1 -10 9223372036854775807 -9223372036854775808 ", "numbers");
	for (int i = 0; i < 200; i++) {
		buf_clear(&b);
		buf_printf(&b, "%*d", i + 1, 1);
		same = same && strlen(buf_text(&b)) == (size_t)i + 1;
	}
	tap_ok(same, "%s: formatted text of every length is whole", kind);
	buf_reserve(&b, 1 << 20);
	tap_ok(b.cap - b.len >= 1 << 20, "%s: room can be asked for", kind);
	buf_free(&b);
	buf_free(&b);
}

int main(void)
{
	struct arena *a = arena_new();

	use(BUF_MALLOC, "malloc");
	use(BUF_ARENA(a), "arena");
	arena_free(a);
	return tap_done();
}
