/* The listing of tools. Whether one may run is asked again of the gate when it is called. */
#include <stdlib.h>
#include <string.h>
#include "call/tools.h"
#include "directory/document.h"
#include "loop/fiber.h"

enum {
	TURN = 64,                      /* rows read before other requests have their turn */
	PAUSE_MS = 1,
};

struct tool { struct str key; int64_t rank; };

bool tools_allow(struct str allowed, struct str category)
{
	while (allowed.p) {
		struct str name = str_trim(str_cut(&allowed, ','));

		if (name.n && (str_is(name, "*") || str_eq(name, category)))
			return true;
	}
	return false;
}

static int by_rank(const void *x, const void *y)
{
	const struct tool *a = x, *b = y;
	size_t n = a->key.n < b->key.n ? a->key.n : b->key.n;
	int c = memcmp(a->key.p, b->key.p, n);

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return c ? c : (a->key.n > b->key.n) - (a->key.n < b->key.n);
}

/* Those that the list of rows does not rule out already; the keys are a's. */
static size_t collect(struct arena *a, const struct caller *who, struct str allowed, struct tool **out)
{
	struct directory_reader reader = caller_reader(who);
	const struct directory_item *item;
	size_t items, n = 0;

	item = directory_items(dispatch_context()->directory, &items);
	*out = arena_alloc(a, (items + 1) * sizeof(**out));
	for (size_t i = 0; i < items; i++)
		if (item[i].enabled && item[i].planner_visible && tools_allow(allowed, item[i].category) &&
		    directory_reads(&reader, item + i))
			(*out)[n++] = (struct tool){ arena_copy(a, item[i].key), item[i].planner_rank };
	if (n)
		qsort(*out, n, sizeof(**out), by_rank);
	return n;
}

static void add_line(struct buf *out, struct arena *a, const struct entry *e)
{
	struct str what = e->doc.label[DOC_WHAT], example = document_example(a, e);

	what = str_cut(&what, '\n');
	buf_printf(out, "%s: %.*s [%s]", e->key.p, (int)what.n, what.n ? what.p : "", e->key.p);
	buf_putstr(out, example);
	buf_printf(out, "[/%s]\n", e->key.p);
}

static int add_tool(struct buf *out, const struct caller *who, struct str key, struct problem *why)
{
	struct arena *a = arena_new();
	struct entry *e = NULL;
	int rc = directory_glance(dispatch_context()->directory, a, key, &e, why);

	if (rc == 0 && e && caller_calls(who, e->key, e->category, e->enabled, e->sensitive))
		add_line(out, a, e);
	arena_free(a);
	return rc;
}

int tools_list(struct buf *out, const struct caller *who, struct str allowed, struct problem *why)
{
	struct arena *a = arena_new();
	struct tool *tool;
	size_t n = collect(a, who, allowed, &tool);
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++) {
		if (i % TURN == TURN - 1)
			fiber_sleep(PAUSE_MS);
		rc = add_tool(out, who, tool[i].key, why);
	}
	arena_free(a);
	return rc;
}
