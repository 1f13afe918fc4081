/* Making, sharing, keeping and sending large documents. The packed form is the only one that is kept: it is a tenth of
 * the text, most clients take it, and unpacking is ten times as fast as packing. */
#include <stdlib.h>
#include <string.h>
#include "base/crypto.h"
#include "base/gzip.h"
#include "base/mem.h"
#include "loop/fiber.h"
#include "web/large.h"

enum {
	TAG_DIGITS = 32,                /* hexadecimal digits of an ETag */
	PIECES_TURN = 4,                /* unpacked pieces sent before other requests have their turn */
};

/* In front of the packed bytes. */
struct head { size_t length; char tag[TAG_DIGITS + 1]; };

struct made {
	unsigned refs;
	struct buf whole;               /* head and packed bytes */
};

struct waiter {
	struct fiber *fiber;
	bool fits, done;                /* what is being made will do; it is made */
	struct made *got;
	struct waiter *next;
};

/* On the stack of the fiber that makes it. */
struct making {
	const char *name;
	uint64_t generation;            /* when it began */
	struct waiter *waiting;
	struct making *next;
};

static struct making *makings;

static void unref(void *p)
{
	struct made *m = p;

	if (--m->refs)
		return;
	buf_free(&m->whole);
	free(m);
}

/* Making */

void large_turn(struct large_sink *s)
{
	size_t n = s->text.len ? s->text.len - 1 : 0;

	if (n) {
		gzip_add(s->gzip, str_make(s->text.data, n));
		s->text.data[0] = s->text.data[n];
		s->text.len = 1;
		s->length += n;
	}
	arena_reset(s->arena);
	fiber_sleep(0);
}

static struct made *write_whole(struct rest *r, const struct large *l, bool *keep, struct problem *why)
{
	struct made *m = mem_alloc(sizeof(*m));
	struct large_sink s = { .arena = arena_new(), .gzip = gzip_pack(&m->whole), .keep = true };
	struct head h = { 0 };
	char hash[CRYPTO_HEX];
	int rc;

	m->refs = 1;
	buf_add(&m->whole, &h, sizeof(h));
	rc = l->write(r, l->ctx, &s, why);
	if (rc == 0) {
		gzip_add(s.gzip, buf_str(&s.text));
		gzip_end(s.gzip);
		crypto_sha256_hex(str_skip(buf_str(&m->whole), sizeof(h)), hash);
		h.length = s.length + s.text.len;
		memcpy(h.tag, hash, TAG_DIGITS);
		memcpy(m->whole.data, &h, sizeof(h));
	}
	*keep = s.keep;
	gzip_free(s.gzip);
	buf_free(&s.text);
	arena_free(s.arena);
	if (rc == 0)
		return m;
	unref(m);
	return NULL;
}

static void tell(struct making *g, struct made *m)
{
	struct making **at = &makings;

	while (*at != g)
		at = &(*at)->next;
	*at = g->next;
	for (struct waiter *w = g->waiting, *next; w; w = next) {
		next = w->next;
		w->done = true;
		w->got = w->fits ? m : NULL;
		if (w->got)
			w->got->refs++;
		fiber_wake(w->fiber, FIBER_WOKEN);
	}
}

/* The request's arena holds it. NULL with why. */
static struct made *make(struct rest *r, const struct large *l, struct problem *why)
{
	struct directory *d = r->service->directory;
	struct making g = { .name = l->name, .generation = directory_refresh(d), .next = makings };
	struct made *m;
	bool keep;

	makings = &g;
	m = write_whole(r, l, &keep, why);
	if (m) {
		arena_defer(r->arena, unref, m);
		if (keep && directory_refresh(d) == g.generation)
			directory_body_put(d, l->name, buf_str(&m->whole));
	}
	tell(&g, m);
	return m;
}

static struct making *find_making(const char *name)
{
	struct making *g = makings;

	while (g && strcmp(g->name, name) != 0)
		g = g->next;
	return g;
}

/* NULL when it cannot be made, or was begun before the request came and the directory has changed in between. */
static struct made *wait_for(struct rest *r, struct making *g, uint64_t since)
{
	struct waiter w = { .fiber = fiber_self(), .fits = g->generation >= since, .next = g->waiting };

	g->waiting = &w;
	while (!w.done)
		fiber_suspend();
	if (w.got)
		arena_defer(r->arena, unref, w.got);
	return w.got;
}

/* Answering */

/* A document on its way to a client that does not take gzip. */
struct unpacking { struct arena *arena; struct str packed; struct gzip *gzip; unsigned pieces; };

static void free_gzip(void *g)
{
	gzip_free(g);
}

static struct str next_piece(void *ctx)
{
	struct unpacking *u = ctx;

	if (!u->gzip) {
		u->gzip = gzip_unpack(u->packed);
		arena_defer(u->arena, free_gzip, u->gzip);
	}
	if (++u->pieces % PIECES_TURN == 0)
		fiber_sleep(0);
	return gzip_next(u->gzip);
}

static void send_plain(struct rest *r, struct str packed)
{
	struct unpacking *u = arena_alloc(r->arena, sizeof(*u));

	u->arena = r->arena;
	u->packed = packed;
	r->res->next = next_piece;
	r->res->ctx = u;
}

/* Whoever has either form has the document, so either tag is good for a 304. */
static void send_document(struct rest *r, const struct large *l, struct str whole)
{
	struct str packed = str_skip(whole, sizeof(struct head));
	bool gzip = request_takes_gzip(r->req);
	const char *plain_tag, *gzip_tag, *tag;
	struct head h;

	memcpy(&h, whole.p, sizeof(h));
	plain_tag = arena_printf(r->arena, "\"%s\"", h.tag);
	gzip_tag = arena_printf(r->arena, "\"%s-gz\"", h.tag);
	tag = gzip ? gzip_tag : plain_tag;
	if (!request_has_etag(r->req, tag) && request_has_etag(r->req, gzip ? plain_tag : gzip_tag))
		tag = gzip ? plain_tag : gzip_tag;
	router_document(r, l->type, tag, gzip ? packed : str_make(NULL, h.length));
	response_header(r->res, "Vary", arena_printf(r->arena, "%s, Accept-Encoding", response_get(r->res, "Vary")));
	if (r->res->status != 200)
		return;
	if (gzip)
		response_header(r->res, "Content-Encoding", "gzip");
	else
		send_plain(r, packed);
}

void large_answer(struct rest *r, const struct large *l)
{
	struct directory *d = r->service->directory;
	uint64_t since = directory_refresh(d);
	struct problem why = { 0 };
	struct making *g;
	struct made *m = NULL;
	struct str kept;

	while (!(kept = directory_body_get(d, l->name)).p && (g = find_making(l->name)) && !m)
		m = wait_for(r, g, since);
	if (!kept.p && !m)
		m = make(r, l, &why);
	if (kept.p) {
		directory_body_hold(d, r->arena, l->name);
		send_document(r, l, kept);
	} else if (m) {
		send_document(r, l, buf_str(&m->whole));
	} else {
		router_fail(r, &why);
	}
}
