/* Packing and unpacking on top of zlib's streams. Not for what others have packed: libcurl decodes that. */
#include <stdlib.h>
#include <zlib.h>
#include "base/gzip.h"
#include "base/log.h"
#include "base/mem.h"

enum {
	LEVEL = 4,                      /* a third of the time of zlib's usual 6, for a few percent more bytes */
	WINDOW = 15 + 16,               /* 32 KB, in gzip's form */
	MEMORY = 8,                     /* zlib's usual: 256 KB while packing */
	ROOM = 16 * 1024,               /* least room for output of one step */
};

struct gzip {
	z_stream z;
	struct buf *out;                /* NULL: unpacks */
	bool ended;
	unsigned char piece[];          /* GZIP_PIECE of them when it unpacks */
};

static void check(int rc, const char *what)
{
	if (rc != Z_OK && rc != Z_STREAM_END)
		log_fatal("gzip: %s gives %d", what, rc);
}

struct gzip *gzip_pack(struct buf *out)
{
	struct gzip *g = mem_alloc(sizeof(*g));

	g->out = out;
	check(deflateInit2(&g->z, LEVEL, Z_DEFLATED, WINDOW, MEMORY, Z_DEFAULT_STRATEGY), "deflateInit2");
	return g;
}

static int step(struct gzip *g, int flush)
{
	int rc;

	buf_reserve(g->out, ROOM);
	g->z.next_out = (unsigned char *)g->out->data + g->out->len;
	g->z.avail_out = (unsigned)(g->out->cap - g->out->len);
	rc = deflate(&g->z, flush);
	check(rc, "deflate");
	g->out->len = g->out->cap - g->z.avail_out;
	return rc;
}

void gzip_add(struct gzip *g, struct str piece)
{
	g->z.next_in = (unsigned char *)piece.p;
	g->z.avail_in = (unsigned)piece.n;
	while (g->z.avail_in)
		step(g, Z_NO_FLUSH);
}

void gzip_end(struct gzip *g)
{
	while (step(g, Z_FINISH) != Z_STREAM_END)
		;
}

struct gzip *gzip_unpack(struct str packed)
{
	struct gzip *g = mem_alloc(sizeof(*g) + GZIP_PIECE);

	g->z.next_in = (unsigned char *)packed.p;
	g->z.avail_in = (unsigned)packed.n;
	check(inflateInit2(&g->z, WINDOW), "inflateInit2");
	return g;
}

struct str gzip_next(struct gzip *g)
{
	int rc;

	if (g->ended)
		return str_of("");
	g->z.next_out = g->piece;
	g->z.avail_out = GZIP_PIECE;
	rc = inflate(&g->z, Z_NO_FLUSH);
	check(rc, "inflate");
	g->ended = rc == Z_STREAM_END;
	return str_make((char *)g->piece, GZIP_PIECE - g->z.avail_out);
}

void gzip_free(struct gzip *g)
{
	if (!g)
		return;
	if (g->out)
		deflateEnd(&g->z);
	else
		inflateEnd(&g->z);
	free(g);
}
