/* Rows in the forms of others: OpenAPI, vendors' tool definitions, llms.txt. What a row looks like is tool.c's and
 * openapi.c's; how a large document is made, kept and sent is large.c's. */
#include <stdlib.h>
#include <string.h>
#include "base/escape.h"
#include "call/gate.h"
#include "directory/document.h"
#include "directory/tool.h"
#include "web/emit.h"
#include "web/openapi.h"
#include "web/pass.h"

enum {
	LLMS_MAX = 64 * 1024,           /* bytes of llms.txt */
	LLMS_LINE_MAX = 240,            /* of what a row does */
	LLMS_NAME_MAX = 120,            /* of a category's name */
	LLMS_ROOM = 4096,               /* kept for what a category and the whole say last */
};

static int compare(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.n > b.n) - (a.n < b.n);
}

static int by_rank(const void *a, const void *b)
{
	const struct pass_row *x = a, *y = b;

	return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1) : compare(x->key, y->key);
}

static int by_category(const void *a, const void *b)
{
	const struct pass_row *x = a, *y = b;
	int c = compare(x->category, y->category);

	return c ? c : by_rank(a, b);
}

static bool may_call(const struct caller *c, const struct entry *e)
{
	struct gate_request g = { .caller = c, .entry = e, .plain = true };
	struct problem why = { 0 };

	return gate_check(&g, &why) == 0;
}

/* OpenAPI */

static int write_openapi(struct rest *r, void *ctx, struct large_sink *s, struct problem *why)
{
	struct openapi_row row = { .base = r->service->conf->base_url };
	struct caller nobody;
	struct pass p;
	int got;

	(void)ctx;
	caller_anonymous(&nobody);
	openapi_begin(&s->text, row.base);
	pass_begin(&p, r, s, str_of(NULL));
	while ((got = pass_next(&p, &row.e, why)) == 1) {
		row.schema = directory_validator(r->service->directory, row.e);
		row.anyone = may_call(&nobody, row.e);
		openapi_row(&s->text, s->arena, &row);
	}
	openapi_end(&s->text);
	return got;
}

void rest_projection_openapi(struct rest *r)
{
	struct large l = { .type = "application/json", .write = write_openapi };

	l.name = arena_printf(r->arena, "openapi %s", r->caller.actor);
	large_answer(r, &l);
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

struct tools { const struct vendor *vendor; struct str category; };

/* Only rows with a schema: a tool's arguments have names. */
static void add_tool(struct pass *p, const struct entry *e, const struct vendor *v)
{
	struct arena *a = p->sink->arena;
	struct buf text = BUF_ARENA(a), *out = &p->sink->text;
	struct json_object *schema;
	const struct schema *own;

	if (!e->planner_visible || !may_call(&p->r->caller, e))
		return;
	own = directory_validator(p->r->service->directory, e);
	if (!own)
		return;
	schema = tool_schema(a, e, own);
	if (!tool_names_fit(schema))
		return;
	json_text(&text, schema);
	emit_begin(out, NULL, '{');
	v->emit(out, a, e, buf_str(&text));
	emit_end(out, '}');
}

static int write_tools(struct rest *r, void *ctx, struct large_sink *s, struct problem *why)
{
	const struct tools *t = ctx;
	struct buf *out = &s->text;
	struct entry *e;
	struct pass p;
	int got;

	emit_begin(out, NULL, '{');
	emit_begin(out, "tools", '[');
	pass_begin(&p, r, s, t->category);
	qsort(p.row, p.n, sizeof(*p.row), by_rank);
	s->keep = p.n > 0 || !t->category.p;    /* anybody can ask for categories that are not there */
	while ((got = pass_next(&p, &e, why)) == 1)
		add_tool(&p, e, t->vendor);
	emit_end(out, ']');
	emit_end(out, '}');
	emit_done(out);
	return got;
}

void rest_projection_tools(struct rest *r)
{
	struct tools t = { .vendor = find_vendor(r), .category = request_param(r->req, "category") };
	struct large l = { .type = "application/json", .write = write_tools, .ctx = &t };

	if (!t.vendor)
		return;
	l.name = arena_printf(r->arena, "tools %s %s%s%s", t.vendor->name, r->caller.actor, t.category.p ? " " : "",
			      t.category.p ? t.category.p : "");
	large_answer(r, &l);
}

/* llms.txt: the form of llmstxt.org. Every category gets an equal share of the room that is left, so that a large one
 * does not push out the others. */

static void put_head(struct buf *out, const char *base)
{
	buf_printf(out,
		   "# Rowcall\n\n"
		   "> A registry and dispatcher of capabilities. Each row below can be called over HTTP, and every call "
		   "leaves a receipt that anybody can check.\n\n"
		   "Go round one loop. Do not guess what a row takes: read it first.\n\n"
		   "1. Ask for a row in plain words: GET %s/api/dispatch?ask=plain+words\n"
		   "2. Read its contract: GET %s/api/dispatch?key=KEY&format=markdown\n"
		   "3. Invoke it: POST %s/api/dispatch with {\"key\":\"KEY\",\"body\":\"first|second\"}, or with a "
		   "capability token by a URL alone: GET %s/api/dispatch?invoke=KEY&body=first%%7Csecond&share=TOKEN\n"
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
	escape_add(out, ESCAPE_MARKDOWN, what);
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

/* One category in at most `share` bytes, or more when that is not even its name. -1 with why. */
static int put_category(struct pass *p, struct buf *out, size_t share, struct problem *why)
{
	const char *base = p->r->service->conf->base_url;
	size_t end = p->next + category_rows(p), limit = out->len + share;
	struct str name = p->row[p->next].category;
	struct entry *e;

	buf_puts(out, "\n## ");
	escape_add(out, ESCAPE_MARKDOWN,
		   name.n ? cut(document_line(p->r->arena, name), LLMS_NAME_MAX) : str_of("general"));
	buf_puts(out, "\n\n");
	while (p->next < end) {
		size_t before = out->len;
		int got = pass_next(p, &e, why);

		if (got <= 0)
			return got;
		put_row(out, p->sink->arena, e, base);
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

static int put_categories(struct pass *p, struct buf *out, const char *base, struct problem *why)
{
	size_t categories = 0, room = LLMS_MAX - LLMS_ROOM;

	while (p->next < p->n) {
		p->next += category_rows(p);
		categories++;
	}
	for (p->next = 0; p->next < p->n && out->len < room; categories--)
		if (put_category(p, out, (room - out->len) / categories, why) < 0)
			return -1;
	if (p->next < p->n)
		buf_printf(out, "\n%zu more rows are not listed here: ask for them, or see "
			   "%s/api/directory/categories\n", p->n - p->next, base);
	return 0;
}

/* Put together beside the sink, which lets go of what it has at each turn: here lines are taken back. */
static int write_llms(struct rest *r, void *ctx, struct large_sink *s, struct problem *why)
{
	const char *base = r->service->conf->base_url;
	struct buf out = BUF_ARENA(r->arena);
	struct pass p;

	(void)ctx;
	pass_begin(&p, r, s, str_of(NULL));
	qsort(p.row, p.n, sizeof(*p.row), by_category);
	put_head(&out, base);
	if (put_categories(&p, &out, base, why) < 0)
		return -1;
	put_tail(&out, base);
	buf_putstr(&s->text, buf_str(&out));
	return 0;
}

void rest_projection_llms(struct rest *r)
{
	struct large l = { .type = "text/plain; charset=utf-8", .write = write_llms };

	l.name = arena_printf(r->arena, "llms %s", r->caller.actor);
	large_answer(r, &l);
}
