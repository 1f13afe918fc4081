/* Rows in the forms of others: OpenAPI, vendors' tool definitions, llms.txt. Each is made once for a generation and a
 * credential; a long one is made while other requests have their turn. What a row looks like is tool.c's and openapi.c's. */
#include <stdlib.h>
#include <string.h>
#include "base/crypto.h"
#include "base/escape.h"
#include "call/gate.h"
#include "directory/document.h"
#include "directory/tool.h"
#include "loop/fiber.h"
#include "web/emit.h"
#include "web/openapi.h"
#include "web/rest.h"

enum {
	TURN = 16,                      /* rows rendered before other requests have their turn */
	PAUSE_MS = 1,
	ETAG_DIGITS = 32,               /* of the body's hash */
	LLMS_MAX = 64 * 1024,           /* bytes of llms.txt */
	LLMS_LINE_MAX = 240,            /* of what a row does */
	LLMS_NAME_MAX = 120,            /* of a category's name */
	LLMS_ROOM = 4096,               /* kept for what a category and the whole say last */
};

/* A pass over readable rows. */
struct listed { struct str key, category; int64_t rank; };
struct pass {
	struct rest *r;
	struct arena *arena;            /* a row's, reset at the next */
	struct listed *row;
	size_t n, next;
	uint64_t generation;
};

static int compare(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.n > b.n) - (a.n < b.n);
}

static int by_rank(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;

	return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1) : compare(x->key, y->key);
}

static int by_category(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	int c = compare(x->category, y->category);

	return c ? c : by_rank(a, b);
}

static void free_arena(void *a)
{
	arena_free(a);
}

/* The enabled readable rows in canonical order, copied: the items may change while others have their turn. */
static void pass_begin(struct pass *p, struct rest *r, struct str category)
{
	struct directory *d = r->service->directory;
	const struct directory_item *item;
	size_t n;

	*p = (struct pass){ .r = r, .arena = arena_new(), .generation = directory_refresh(d) };
	arena_defer(r->arena, free_arena, p->arena);
	item = directory_items(d, &n);
	p->row = arena_alloc(r->arena, (n + 1) * sizeof(*p->row));
	for (size_t i = 0; i < n; i++) {
		struct str own = item[i].category.p ? item[i].category : str_of("");

		if (!item[i].enabled || (category.p && !str_eq(own, category)) ||
		    !caller_reads(&r->caller, item[i].key, own, true))
			continue;
		p->row[p->n++] = (struct listed){
			arena_copy(r->arena, item[i].key), arena_copy(r->arena, own), item[i].planner_rank,
		};
	}
}

/* The next row that is still there; it lives until the one after it. 1, 0 at the end, -1 after answering. */
static int pass_next(struct pass *p, struct entry **e)
{
	struct problem why = { 0 };

	while (p->next < p->n) {
		const struct listed *row = &p->row[p->next++];

		arena_reset(p->arena);
		if (p->next % TURN == 0)
			fiber_sleep(PAUSE_MS);
		if (directory_glance(p->r->service->directory, p->arena, row->key, e, &why) < 0) {
			router_fail(p->r, &why);
			return -1;
		}
		if (*e && (*e)->enabled && caller_reads(&p->r->caller, (*e)->key, (*e)->category, true))
			return 1;
	}
	return 0;
}

/* Answers; keeps the document under `name` (not with NULL) when it is of one generation. */
static void pass_end(struct pass *p, const char *name, const char *type, struct buf *out)
{
	bool whole = directory_refresh(p->r->service->directory) == p->generation;
	char hash[CRYPTO_HEX];

	crypto_sha256_hex(buf_str(out), hash);
	hash[ETAG_DIGITS] = 0;
	rest_dispatch_send_made(p->r, whole ? name : NULL, type, hash, buf_str(out));
}

static bool may_call(const struct caller *c, const struct entry *e)
{
	struct gate_request g = { .caller = c, .entry = e, .plain = true };
	struct problem why = { 0 };

	return gate_check(&g, &why) == 0;
}

/* OpenAPI */

void rest_projection_openapi(struct rest *r)
{
	const char *name = arena_printf(r->arena, "openapi:%s", r->caller.actor), *type = "application/json";
	struct openapi_row row = { .base = r->service->conf->base_url };
	struct buf out = BUF_ARENA(r->arena);
	struct caller nobody;
	struct pass p;
	int got;

	directory_refresh(r->service->directory);
	if (rest_dispatch_send_kept(r, name, type))
		return;
	caller_anonymous(&nobody);
	pass_begin(&p, r, str_of(NULL));
	openapi_begin(&out, row.base);
	while ((got = pass_next(&p, &row.e)) == 1) {
		row.schema = directory_validator(r->service->directory, row.e);
		row.anyone = may_call(&nobody, row.e);
		openapi_row(&out, p.arena, &row);
	}
	if (got < 0)
		return;
	openapi_end(&out);
	pass_end(&p, name, type, &out);
}

/* Tool definitions */

static void emit_tool(struct buf *out, struct arena *a, const struct entry *e, const char *arguments, struct str schema)
{
	emit_str(out, "name", e->key);
	emit_str(out, "description", tool_description(a, e));
	emit_raw(out, arguments, schema);
}

static void emit_anthropic(struct buf *out, struct arena *a, const struct entry *e, struct str schema)
{
	emit_tool(out, a, e, "input_schema", schema);
}

static void emit_openai(struct buf *out, struct arena *a, const struct entry *e, struct str schema)
{
	emit_text(out, "type", "function");
	emit_begin(out, "function", '{');
	emit_tool(out, a, e, "parameters", schema);
	emit_end(out, '}');
}

static const struct vendor {
	const char *name;
	void (*emit)(struct buf *out, struct arena *a, const struct entry *e, struct str schema);
} vendors[] = {
	{ "anthropic", emit_anthropic },
	{ "openai", emit_openai },
};

/* NULL after answering. */
static const struct vendor *find_vendor(struct rest *r)
{
	struct str name = request_param(r->req, "tools");
	struct problem why = { 0 };

	for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
		if (str_is(name, vendors[i].name))
			return &vendors[i];
	problem_set(&why, 400, "bad_parameter");
	problem_field(&why, "tools");
	problem_detail(&why, "tools is anthropic or openai");
	router_fail(r, &why);
	return NULL;
}

/* Only rows with a schema: a tool's arguments have names. */
static void add_tool(struct buf *out, struct pass *p, const struct entry *e, const struct vendor *v)
{
	const struct schema *own;
	struct buf text = BUF_ARENA(p->arena);
	struct json_object *schema;

	if (!e->planner_visible || !may_call(&p->r->caller, e))
		return;
	own = directory_validator(p->r->service->directory, e);
	if (!own)
		return;
	schema = tool_schema(p->arena, e, own);
	if (!tool_names_fit(schema))
		return;
	json_text(&text, schema);
	emit_begin(out, NULL, '{');
	v->emit(out, p->arena, e, buf_str(&text));
	emit_end(out, '}');
}

void rest_projection_tools(struct rest *r)
{
	const struct vendor *v = find_vendor(r);
	struct str category = request_param(r->req, "category");
	struct buf out = BUF_ARENA(r->arena);
	const char *name = NULL, *type = "application/json";
	struct entry *e;
	struct pass p;
	int got;

	if (!v)
		return;
	if (!category.p)
		name = arena_printf(r->arena, "tools:%s:%s", v->name, r->caller.actor);
	directory_refresh(r->service->directory);
	if (name && rest_dispatch_send_kept(r, name, type))
		return;
	pass_begin(&p, r, category);
	qsort(p.row, p.n, sizeof(*p.row), by_rank);
	emit_begin(&out, NULL, '{');
	emit_begin(&out, "tools", '[');
	while ((got = pass_next(&p, &e)) == 1)
		add_tool(&out, &p, e, v);
	if (got < 0)
		return;
	emit_end(&out, ']');
	emit_end(&out, '}');
	emit_done(&out);
	pass_end(&p, name, type, &out);
}

/* llms.txt: the form of llmstxt.org. Every category gets an equal share of the room that is left, so that a large one
 * does not push out the others. */

static void put_head(struct buf *out, const char *base)
{
	buf_printf(out,
		   "# Rowcall\n\n"
		   "> A registry and dispatcher of capabilities. Each row below can be called over HTTP, and every call leaves "
		   "a receipt that anybody can check.\n\n"
		   "Go round one loop. Do not guess what a row takes: read it first.\n\n"
		   "1. Ask for a row in plain words: GET %s/api/dispatch?ask=plain+words\n"
		   "2. Read its contract: GET %s/api/dispatch?key=KEY&format=markdown\n"
		   "3. Invoke it: POST %s/api/dispatch with {\"key\":\"KEY\",\"body\":\"first|second\"}, or with a capability "
		   "token by a URL alone: GET %s/api/dispatch?invoke=KEY&body=first%%7Csecond&share=TOKEN\n"
		   "4. Confirm the receipt: GET %s/api/dispatch?confirm=inv_...\n",
		   base, base, base, base, base);
}

static void put_tail(struct buf *out, const char *base)
{
	buf_printf(out,
		   "\n## Optional\n\n"
		   "- [Every endpoint](%s/api/dispatch): the protocol index\n"
		   "- [OpenAPI](%s/api/openapi.json): the interface and every readable row, each with its schema\n"
		   "- [Registry](%s/api/dispatch?registry=1): all readable rows with their contracts\n"
		   "- [Tools](%s/api/dispatch?tools=anthropic): callable rows as tool definitions; tools=openai too\n",
		   base, base, base, base);
}

static struct str cut(struct str s, size_t max)
{
	return str_make(s.p, escape_cut(s, max));
}

static void put_row(struct buf *out, struct arena *a, const struct entry *e, const char *base)
{
	struct str what = cut(document_line(a, e->doc.label[DOC_WHAT]), LLMS_LINE_MAX);

	buf_printf(out, "- [%s](%s/api/dispatch?key=%s&format=markdown)", e->key.p, base, e->key.p);
	if (what.n)
		buf_puts(out, ": ");
	buf_putstr(out, what);
	buf_putc(out, '\n');
}

/* Rows of the category at p->next; p->next is then behind them. */
static size_t category_rows(const struct pass *p)
{
	size_t n = 0;

	while (p->next + n < p->n && str_eq(p->row[p->next + n].category, p->row[p->next].category))
		n++;
	return n;
}

/* One category in at most `share` bytes, or more when that is not even its name. -1 after answering. */
static int put_category(struct pass *p, struct buf *out, size_t share)
{
	const char *base = p->r->service->conf->base_url;
	size_t end = p->next + category_rows(p), limit = out->len + share;
	struct str name = p->row[p->next].category;
	struct entry *e;

	buf_puts(out, "\n## ");
	buf_putstr(out, name.n ? cut(document_line(p->r->arena, name), LLMS_NAME_MAX) : str_of("general"));
	buf_puts(out, "\n\n");
	while (p->next < end) {
		size_t before = out->len;
		int got = pass_next(p, &e);

		if (got <= 0)
			return got;
		put_row(out, p->arena, e, base);
		if (out->len <= limit)
			continue;
		out->len = before;
		p->next--;
		break;
	}
	if (p->next >= end)
		return 0;
	buf_printf(out, "- [%zu more rows](%s/api/dispatch?registry=1", end - p->next, base);
	if (name.n && name.n <= LLMS_NAME_MAX) {
		buf_puts(out, "&category=");
		escape_add(out, ESCAPE_QUERY, name);
	}
	buf_puts(out, ")\n");
	p->next = end;
	return 0;
}

static int put_categories(struct pass *p, struct buf *out, const char *base)
{
	size_t categories = 0, room = LLMS_MAX - LLMS_ROOM;

	while (p->next < p->n) {
		p->next += category_rows(p);
		categories++;
	}
	for (p->next = 0; p->next < p->n && out->len < room; categories--)
		if (put_category(p, out, (room - out->len) / categories) < 0)
			return -1;
	if (p->next < p->n)
		buf_printf(out, "\n%zu more rows are not listed here: ask for them, or see %s/api/directory/categories\n",
			   p->n - p->next, base);
	return 0;
}

void rest_projection_llms(struct rest *r)
{
	const char *name = arena_printf(r->arena, "llms:%s", r->caller.actor), *type = "text/plain; charset=utf-8";
	const char *base = r->service->conf->base_url;
	struct buf out = BUF_ARENA(r->arena);
	struct pass p;

	directory_refresh(r->service->directory);
	if (rest_dispatch_send_kept(r, name, type))
		return;
	pass_begin(&p, r, str_of(NULL));
	qsort(p.row, p.n, sizeof(*p.row), by_category);
	put_head(&out, base);
	if (put_categories(&p, &out, base) < 0)
		return;
	put_tail(&out, base);
	pass_end(&p, name, type, &out);
}
