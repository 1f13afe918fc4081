/* Rows as MCP shows them: which a caller sees, and their lists in pages, for tools, resources and prompts alike. What is
 * said of a row in a list is that list's own. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "call/gate.h"
#include "lang/key.h"
#include "loop/fiber.h"
#include "web/emit.h"
#include "web/mcp.h"

enum {
	TURN = 16,                      /* rows rendered before others have their turn: about a millisecond */
	CURSOR_MAX = 96,                /* bytes of a cursor with its NUL */
};

/* One row */

int mcp_rows_find(struct mcp *m, struct str key, struct entry **out)
{
	const struct caller *who = &m->r->caller;
	struct problem why = { 0 };
	struct entry *e = NULL;

	*out = NULL;
	if (directory_get(m->r->service->directory, m->r->arena, key, &e, &why) < 0) {
		mcp_problem(m, &why);
		return -1;
	}
	if (e && e->enabled && e->planner_visible && caller_reads(who, e->key, e->category, true))
		*out = e;
	return 0;
}

bool mcp_rows_callable(const struct mcp *m, const struct entry *e)
{
	struct gate_request g = { .caller = &m->r->caller, .entry = e, .plain = true };
	struct problem why = { 0 };

	return gate_check(&g, &why) == 0;
}

void mcp_rows_meta(struct buf *out, const struct entry *e)
{
	emit_begin(out, "_meta", '{');
	emit_text(out, MCP_OWN "contract", e->digest);
	emit_end(out, '}');
}

/* Places. A cursor is the place of a page's last row, so rows that come, go and move between two pages neither hide nor
 * repeat those that stay. */

struct place { int64_t rank; struct str key; };

static int compare(const void *x, const void *y)
{
	const struct place *a = x, *b = y;
	size_t n = a->key.n < b->key.n ? a->key.n : b->key.n;
	int c = n ? memcmp(a->key.p, b->key.p, n) : 0;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return c ? c : (a->key.n > b->key.n) - (a->key.n < b->key.n);
}

static const char *write_cursor(struct arena *a, struct place p)
{
	return arena_printf(a, "%" PRId64 ".%.*s", p.rank, (int)p.key.n, p.key.p);
}

/* Only what write_cursor writes, and the empty cursor, which is the list's beginning. */
static bool read_cursor(struct arena *a, struct str cursor, struct place *out)
{
	struct str rank = cursor, key;

	*out = (struct place){ .rank = INT64_MIN, .key = str_of("") };
	if (!cursor.n)
		return true;
	key = cursor;
	rank = str_cut(&key, '.');
	if (cursor.n >= CURSOR_MAX || !key.p || !key_is_valid(key))
		return false;
	*out = (struct place){ .rank = strtoll(arena_str(a, rank), NULL, 10), .key = key };
	return str_is(cursor, write_cursor(a, *out));
}

/* A page */

/* Rows behind `after` that the list of rows does not rule out, in order. *known: `after` is one of them, or the
 * beginning. The keys are the request's. */
static size_t collect(struct mcp *m, const struct mcp_view *view, struct place after, struct place **out, bool *known)
{
	size_t items, n = 0;
	const struct directory_item *item = directory_items(m->r->service->directory, &items);

	*known = !after.key.n;
	*out = arena_alloc(m->r->arena, (items + 1) * sizeof(**out));
	for (size_t i = 0; i < items; i++) {
		struct place p = { item[i].planner_rank, item[i].key };
		int c = compare(&p, &after);

		if (!item[i].enabled || !item[i].planner_visible || !view->lists(&m->r->caller, &item[i]))
			continue;
		*known = *known || !c;
		if (c <= 0)
			continue;
		p.key = arena_copy(m->r->arena, p.key);
		(*out)[n++] = p;
	}
	qsort(*out, n, sizeof(**out), compare);
	return n;
}

size_t mcp_rows_keys(struct mcp *m, const struct mcp_view *view, struct str **out)
{
	struct place beginning, *row;
	bool known;
	size_t n;

	read_cursor(m->r->arena, str_of(""), &beginning);
	n = collect(m, view, beginning, &row, &known);
	*out = arena_alloc(m->r->arena, (n + 1) * sizeof(**out));
	for (size_t i = 0; i < n; i++)
		(*out)[i] = row[i].key;
	return n;
}

/* One row. 1: it is in the list; 0; -1 with why. */
static int add_row(const struct mcp *m, const struct mcp_view *view, struct buf *out, struct str key, struct problem *why)
{
	struct arena *a = arena_new();
	struct entry *e = NULL;
	int rc = directory_glance(m->r->service->directory, a, key, &e, why);

	if (rc == 0 && e)
		rc = e->enabled && e->planner_visible && view->emit(m, out, a, e);
	arena_free(a);
	return rc;
}

/* The page's members, as they stand in the result. -1 with why. */
static int write_page(struct mcp *m, const struct mcp_view *view, const struct place *row, size_t n, struct buf *out,
		      struct problem *why)
{
	int64_t shown = 0, page = m->r->service->conf->mcp_page;
	size_t last = 0, before;

	emit_begin(out, view->name, '[');
	for (size_t i = 0; i < n && shown <= page; i++) {
		int got;

		if (i % TURN == TURN - 1)
			fiber_sleep(0);
		before = out->len;
		got = add_row(m, view, out, row[i].key, why);
		if (got < 0)
			return -1;
		shown += got;
		if (shown > page)
			out->len = before;      /* it is only known that there is one more */
		else if (got)
			last = i;
	}
	emit_end(out, ']');
	if (shown > page)
		emit_text(out, "nextCursor", write_cursor(m->r->arena, row[last]));
	return 0;
}

/* Pages are kept for the generation, each for the callers and clients that see the same. */
static int get_page(struct mcp *m, const struct mcp_view *view, struct place after, struct str *out, struct problem *why)
{
	struct directory *d = m->r->service->directory;
	uint64_t generation = directory_refresh(d);
	const char *name = arena_printf(m->r->arena, "mcp %s %s %s %s", view->name, m->version, m->r->caller.actor,
					write_cursor(m->r->arena, after));
	struct buf page = BUF_ARENA(m->r->arena);
	struct place *row;
	bool known;
	size_t n;

	*out = directory_body_get(d, name);
	if (out->p)
		return 0;
	n = collect(m, view, after, &row, &known);
	if (write_page(m, view, row, n, &page, why) < 0)
		return -1;
	*out = buf_str(&page);
	if (known && directory_refresh(d) == generation)        /* anybody can ask for places that are none */
		directory_body_put(d, name, *out);
	return 0;
}

static int bad_cursor(struct mcp *m)
{
	mcp_error(m, MCP_INVALID_PARAMS, NULL, "the cursor is not one that was given out");
	return -1;
}

int mcp_rows_only_page(struct mcp *m)
{
	struct str cursor;

	if (mcp_string(m, "cursor", false, &cursor) < 0)
		return -1;
	return cursor.n ? bad_cursor(m) : 0;
}

void mcp_rows_list(struct mcp *m, const struct mcp_view *view)
{
	struct problem why = { 0 };
	struct place after;
	struct str cursor, page;
	struct buf *out;

	if (mcp_string(m, "cursor", false, &cursor) < 0)
		return;
	if (!read_cursor(m->r->arena, cursor, &after)) {
		bad_cursor(m);
		return;
	}
	if (get_page(m, view, after, &page, &why) < 0) {
		mcp_problem(m, &why);
		return;
	}
	out = mcp_begin(m);
	buf_putstr(out, page);
	mcp_rows_cacheable(m);
	mcp_end(m);
}

void mcp_rows_cacheable(struct mcp *m)
{
	mcp_cacheable(m, 0, m->r->caller.kind == CALLER_ANONYMOUS);
}
