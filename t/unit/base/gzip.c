/* Packing in pieces, and unpacking. */
#include <stdlib.h>
#include <string.h>
#include "base/gzip.h"
#include "tap.h"

enum { TEXT = 1000000 };

static char text[TEXT];

/* Packs the first n bytes of text, cut into pieces of `piece`. */
static void pack(size_t n, size_t piece, struct buf *out)
{
	struct gzip *g = gzip_pack(out);

	for (size_t i = 0; i < n; i += piece)
		gzip_add(g, str_make(text + i, n - i < piece ? n - i : piece));
	gzip_end(g);
	gzip_free(g);
}

static bool unpacks(struct str packed, size_t n, size_t *pieces)
{
	struct gzip *g = gzip_unpack(packed);
	size_t at = 0;
	bool same = true;

	*pieces = 0;
	for (struct str s = gzip_next(g); s.n; s = gzip_next(g)) {
		same = same && s.n <= GZIP_PIECE && at + s.n <= n && memcmp(s.p, text + at, s.n) == 0;
		at += s.n;
		++*pieces;
	}
	same = same && gzip_next(g).n == 0;
	gzip_free(g);
	return same && at == n;
}

static void lengths(void)
{
	static const size_t all[] = { 0, 1, GZIP_PIECE - 1, GZIP_PIECE, GZIP_PIECE + 1, TEXT };
	size_t pieces;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct buf out = BUF_MALLOC;

		pack(all[i], 1000, &out);
		tap_ok(unpacks(buf_str(&out), all[i], &pieces), "%zu bytes come back", all[i]);
		tap_ok(pieces >= (all[i] + GZIP_PIECE - 1) / GZIP_PIECE, "in pieces");
		buf_free(&out);
	}
}

static void cuts(void)
{
	static const size_t all[] = { 7, 4096, 100000, TEXT };
	struct buf first = BUF_MALLOC;
	bool same = true;

	pack(TEXT, 1000, &first);
	tap_ok((unsigned char)first.data[0] == 0x1F && (unsigned char)first.data[1] == 0x8B && first.len < TEXT / 5 * 3,
		"it is gzip's form, and shorter");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct buf out = BUF_MALLOC;

		pack(TEXT, all[i], &out);
		same = same && str_eq(buf_str(&out), buf_str(&first));
		buf_free(&out);
	}
	tap_ok(same, "however a text is cut, its packed form is the same");
	buf_free(&first);
}

static void given_up(void)
{
	struct buf out = BUF_MALLOC;
	struct gzip *g = gzip_pack(&out);

	gzip_add(g, str_make(text, 1000));
	gzip_free(g);
	buf_clear(&out);
	buf_puts(&out, "kept");
	pack(100, 10, &out);
	g = gzip_unpack(str_skip(buf_str(&out), 4));
	tap_ok(str_starts(buf_str(&out), "kept"), "what stood in the buffer stays");
	tap_is_int((int64_t)gzip_next(g).n, 100, "and the packed text behind it is whole");
	gzip_free(g);
	gzip_free(NULL);
	buf_free(&out);
}

int main(void)
{
	unsigned seed = 4711;

	for (size_t i = 0; i < TEXT; i++) {
		seed = seed * 1103515245u + 12345u;
		text[i] = "etaoin shrdlu{}\",:"[(seed >> 16) % 18];
	}
	lengths();
	cuts();
	given_up();
	return tap_done();
}
