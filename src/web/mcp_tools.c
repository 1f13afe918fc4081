/* Rows as MCP's tools: tools/list and tools/call. A tool's schemas and hints are directory/tool.c's, whether a call may
 * run and how call/dispatch.c's, what its result looks like mcp_result.c's. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "call/gate.h"
#include "directory/tool.h"
#include "lang/key.h"
#include "loop/fiber.h"
#include "web/emit.h"
#include "web/mcp.h"

enum {
	TURN = 16,                      /* rows rendered before others have their turn: about a millisecond */
	CURSOR_MAX = 96,                /* bytes of a cursor with its NUL */
};

/* Where a tool stands in the list. A cursor is the place of a page's last tool, so rows that come, go and move between
 * two pages neither hide nor repeat those that stay. */
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
static size_t collect(struct mcp *m, struct place after, struct place **out, bool *known)
{
	const struct caller *who = &m->r->caller;
	size_t items, n = 0;
	const struct directory_item *item = directory_items(m->r->service->directory, &items);

	*known = !after.key.n;
	*out = arena_alloc(m->r->arena, (items + 1) * sizeof(**out));
	for (size_t i = 0; i < items; i++) {
		struct place p = { item[i].planner_rank, item[i].key };
		int c = compare(&p, &after);

		if (!item[i].planner_visible ||
		    !caller_calls(who, p.key, item[i].category, item[i].enabled, item[i].sensitive))
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

static bool may_call(const struct caller *c, const struct entry *e)
{
	struct gate_request g = { .caller = c, .entry = e, .plain = true };
	struct problem why = { 0 };

	return gate_check(&g, &why) == 0;
}

/* Modern clients take 2020-12 whole. Of legacy ones those of 2025-11-25 get it where the schema itself says that it is
 * 2020-12; the others, and the models behind them, are told what no client refuses. */
static struct json_object *input_schema(const struct mcp *m, struct arena *a, const struct entry *e,
					const struct schema *own)
{
	struct json_object *declared = own ? tool_declared(a, e) : NULL;
	struct str dialect = json_str(json_get(declared, "$schema"));

	if (declared && (m->era == MCP_MODERN ||
			 (strcmp(m->version, "2025-11-25") == 0 && str_find(dialect, str_of("2020-12")) >= 0)))
		return declared;
	return tool_schema(a, e, own);
}

static void emit_json(struct buf *out, struct arena *a, const char *name, struct json_object *o)
{
	struct buf text = BUF_ARENA(a);

	json_text(&text, o);
	emit_raw(out, name, buf_str(&text));
}

static void emit_output(const struct mcp *m, struct buf *out, struct arena *a, const struct entry *e)
{
	const struct schema *s = directory_output(m->r->service->directory, e);
	struct json_object *o = NULL;

	if (s)
		o = m->era == MCP_MODERN ? schema_document(s) : tool_output(a, s);
	if (o)
		emit_json(out, a, "outputSchema", o);
}

static void emit_hints(struct buf *out, const struct entry *e)
{
	struct tool_hints h = tool_hints(e);

	emit_begin(out, "annotations", '{');
	emit_bool(out, "readOnlyHint", h.read_only);
	emit_bool(out, "destructiveHint", h.destructive);
	emit_bool(out, "idempotentHint", h.idempotent);
	emit_bool(out, "openWorldHint", h.open_world);
	emit_end(out, '}');
}

/* False: it is no tool for this caller. */
static bool emit_tool(const struct mcp *m, struct buf *out, struct arena *a, const struct entry *e)
{
	struct json_object *schema;

	if (!e->planner_visible || !may_call(&m->r->caller, e))
		return false;
	schema = input_schema(m, a, e, directory_validator(m->r->service->directory, e));
	if (!tool_names_fit(schema))
		return false;
	emit_begin(out, NULL, '{');
	emit_str(out, "name", e->key);
	emit_str(out, "description", tool_description(a, e));
	emit_json(out, a, "inputSchema", schema);
	emit_output(m, out, a, e);
	emit_hints(out, e);
	emit_begin(out, "_meta", '{');
	emit_text(out, MCP_OWN "contract", e->digest);
	emit_end(out, '}');
	emit_end(out, '}');
	return true;
}

/* One row. 1: it is a tool; 0; -1 with why. */
static int add_row(const struct mcp *m, struct buf *out, struct str key, struct problem *why)
{
	struct arena *a = arena_new();
	struct entry *e = NULL;
	int rc = directory_glance(m->r->service->directory, a, key, &e, why);

	if (rc == 0 && e)
		rc = emit_tool(m, out, a, e);
	arena_free(a);
	return rc;
}

/* The page's members, as they stand in the result. -1 with why. */
static int write_page(struct mcp *m, const struct place *row, size_t n, struct buf *out, struct problem *why)
{
	int64_t tools = 0, page = m->r->service->conf->mcp_page;
	size_t last = 0, before;

	emit_begin(out, "tools", '[');
	for (size_t i = 0; i < n && tools <= page; i++) {
		int got;

		if (i % TURN == TURN - 1)
			fiber_sleep(0);
		before = out->len;
		got = add_row(m, out, row[i].key, why);
		if (got < 0)
			return -1;
		tools += got;
		if (tools > page)
			out->len = before;      /* it is only known that there is one more */
		else if (got)
			last = i;
	}
	emit_end(out, ']');
	if (tools > page)
		emit_text(out, "nextCursor", write_cursor(m->r->arena, row[last]));
	return 0;
}

/* Pages are kept for the generation, each for the callers and clients that see the same. */
static int get_page(struct mcp *m, struct place after, struct str *out, struct problem *why)
{
	struct directory *d = m->r->service->directory;
	uint64_t generation = directory_refresh(d);
	const char *name = arena_printf(m->r->arena, "mcp tools %s %s %s", m->version, m->r->caller.actor,
					write_cursor(m->r->arena, after));
	struct buf page = BUF_ARENA(m->r->arena);
	struct place *row;
	bool known;
	size_t n;

	*out = directory_body_get(d, name);
	if (out->p)
		return 0;
	n = collect(m, after, &row, &known);
	if (write_page(m, row, n, &page, why) < 0)
		return -1;
	*out = buf_str(&page);
	if (known && directory_refresh(d) == generation)        /* anybody can ask for places that are none */
		directory_body_put(d, name, *out);
	return 0;
}

void mcp_tools_list(struct mcp *m)
{
	struct problem why = { 0 };
	struct place after;
	struct str cursor, page;
	struct buf *out;

	if (mcp_string(m, "cursor", false, &cursor) < 0)
		return;
	if (m->loop) {
		mcp_loop_list(m);
		return;
	}
	if (!read_cursor(m->r->arena, cursor, &after)) {
		mcp_error(m, MCP_INVALID_PARAMS, NULL, "the cursor is not one that was given out");
		return;
	}
	if (get_page(m, after, &page, &why) < 0) {
		mcp_problem(m, &why);
		return;
	}
	out = mcp_begin(m);
	buf_putstr(out, page);
	mcp_cacheable(m, 0, m->r->caller.kind == CALLER_ANONYMOUS);     /* the next write may change it */
	mcp_end(m);
}

/* Calls */

/* The text of a member of _meta; -1 after answering: it is none. */
static int meta_text(struct mcp *m, const char *name, struct str *out)
{
	struct json_object *o = json_get(m->meta, name);

	*out = json_str(o);
	if (!o || out->p)
		return 0;
	mcp_error(m, MCP_INVALID_PARAMS, NULL, "params._meta[\"%s\"] is a string", name);
	return -1;
}

static int take_meta(struct mcp *m, struct dispatch_request *q)
{
	struct str header = request_header(m->r->req, "idempotency-key");

	if (meta_text(m, MCP_OWN "idempotency-key", &q->idempotency) < 0 ||
	    meta_text(m, MCP_OWN "contract", &q->contract) < 0)
		return -1;
	if (!header.p || !q->idempotency.p || str_eq(header, q->idempotency)) {
		q->idempotency = header.p ? header : q->idempotency;
		return 0;
	}
	mcp_error(m, MCP_INVALID_PARAMS, NULL, "Idempotency-Key and params._meta[\"%s\"] differ", MCP_OWN "idempotency-key");
	return -1;
}

void mcp_tools_run(struct mcp *m, struct dispatch_request *q, const struct entry *e)
{
	struct dispatch_result *d = arena_alloc(m->r->arena, sizeof(*d));
	struct problem why = { 0 };

	q->arena = m->r->arena;
	q->caller = &m->r->caller;
	q->trace = &m->r->trace;
	q->progress = m->progress;
	if (take_meta(m, q) < 0)
		return;
	if (dispatch_call(q, d, &why) == 0)
		mcp_result_run(m, d, e);
	else
		mcp_result_refused(m, &why);
}

/* The row, when the caller sees it as a tool or may at least know why it is none. NULL after answering, for what is
 * hidden as for what is not there. */
static struct entry *find_tool(struct mcp *m, struct str name)
{
	const struct caller *who = &m->r->caller;
	struct problem why = { 0 };
	struct entry *e = NULL;

	if (directory_get(m->r->service->directory, m->r->arena, name, &e, &why) < 0)
		mcp_problem(m, &why);
	else if (e && e->enabled && e->planner_visible && caller_reads(who, e->key, e->category, true))
		return e;
	else
		mcp_error(m, MCP_INVALID_PARAMS, NULL, "there is no such tool");
	return NULL;
}

static int check_requires(struct mcp *m, const struct entry *e)
{
	if (!e->mcp_requires)
		return 0;
	return mcp_client_has(m, json_get(directory_schema(m->r->arena, e), "x-mcp-requires"));
}

void mcp_tools_call(struct mcp *m)
{
	struct json_object *arguments = json_get(m->params, "arguments");
	struct entry *e;
	struct str name;

	if (mcp_string(m, "name", true, &name) < 0)
		return;
	if (!arguments)
		arguments = arena_json(m->r->arena, json_object_new_object());
	if (!json_object_is_type(arguments, json_type_object)) {
		mcp_error(m, MCP_INVALID_PARAMS, NULL, "params.arguments is an object");
		return;
	}
	if (m->loop) {
		mcp_loop_call(m, name, arguments);
		return;
	}
	e = find_tool(m, name);
	if (e && check_requires(m, e) == 0)
		mcp_tools_run(m, &(struct dispatch_request){ .key = e->key, .named = arguments }, e);
}
