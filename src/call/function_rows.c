/* Built-in functions on the directory and the ledger, with the caller's own authority: what the caller may not read
 * is not there for them either, and only the owner changes rows. */
#include "base/escape.h"
#include "call/ask.h"
#include "call/functions.h"
#include "call/prompt.h"
#include "call/question.h"
#include "call/replay.h"
#include "directory/document.h"
#include "directory/mutate.h"

static void fail(struct call *c, const char *error)
{
	buf_clear(&c->result);
	buf_printf(&c->result, "ERR:%s", error);
}

/* "ERR:<error>" and what exactly. */
static void fail_why(struct call *c, const struct problem *why)
{
	fail(c, why->error);
	if (why->detail[0])
		buf_printf(&c->result, ": %s", why->detail);
}

static struct entry *find_row(struct call *c, struct str key)
{
	const struct caller *who = c->request->caller;
	struct problem why = { 0 };
	struct entry *e = NULL;

	if (directory_get(dispatch_context()->directory, c->arena, key, &e, &why) < 0) {
		fail_why(c, &why);
		return NULL;
	}
	if (e && caller_reads(who, e->key, e->category, e->enabled))
		return e;
	fail(c, "unknown_key:");
	escape_add(&c->result, ESCAPE_RAW, str_make(key.p, escape_cut(key, 64)));
	return NULL;
}

/* What there is */

static void add_function(void *ctx, const struct function *f)
{
	struct json_object *o = json_object_new_object();

	json_put_text(o, "name", f->name);
	json_put_int(o, "min_args", f->min_args);
	json_put_bool(o, "safe", !f->writes);
	json_object_array_add(ctx, o);
}

static void run_manifest(struct call *c, struct json_object **arg, unsigned n)
{
	struct directory_reader reader = caller_reader(c->request->caller);
	struct json_object *o = json_object_new_object(), *functions = json_object_new_array();
	struct json_object *rows = json_object_new_array();
	const struct directory_item *item;
	size_t items;

	(void)arg;
	(void)n;
	item = directory_items(dispatch_context()->directory, &items);
	for (size_t i = 0; i < items; i++) {
		struct json_object *row;

		if (!directory_reads(&reader, item + i))
			continue;
		row = json_object_new_object();
		json_put_str(row, "key", item[i].key);
		json_put_str(row, "type", item[i].type);
		json_put_str(row, "category", item[i].category);
		json_object_array_add(rows, row);
	}
	functions_each(add_function, functions);
	json_put(o, "functions", functions);
	json_put_int(o, "count", (int64_t)json_object_array_length(rows));
	json_put(o, "rows", rows);
	functions_json(c, o);
}

static void run_read(struct call *c, struct json_object **arg, unsigned n)
{
	struct entry *e = find_row(c, functions_text(c, arg, n, 0));
	struct document_options o = { .base_url = dispatch_context()->conf->base_url };

	if (e)
		document_markdown(e, &o, &c->result);
}

static void run_dir_get(struct call *c, struct json_object **arg, unsigned n)
{
	struct entry *e = find_row(c, functions_text(c, arg, n, 0));
	struct json_object *o;

	if (!e)
		return;
	o = row_to_json(&e->row);
	json_put_int(o, "row_num", directory_row_num(dispatch_context()->directory, e->key));
	json_put_text(o, "contract", e->digest);
	functions_json(c, o);
}

/* The answer of GET /api/dispatch?ask=; the question is kept in the receipt's own write. */
static void run_ask(struct call *c, struct json_object **arg, unsigned n)
{
	char id[QUESTION_ID] = "";
	struct ask ask = {
		.arena = c->arena, .caller = c->request->caller, .text = functions_text(c, arg, n, 0), .id = id,
		.limit = ASK_LIMIT, .budget = dispatch_context()->conf->ask_budget,
	};
	struct problem why = { 0 };
	struct str out;

	if (question_kept(ask.caller))
		question_add(c->write, c->arena, ask.caller, ask.text, id);
	if (ask_answer(&ask, &out, &why) < 0)
		fail_why(c, &why);
	else
		buf_putstr(&c->result, str_trim(out));
}

/* Receipts */

/* 1 found. Otherwise the result is there. */
static int find_receipt(struct call *c, struct str id, bool payload, struct receipt *r)
{
	struct problem why = { 0 };
	int got = receipt_get(dispatch_context()->directory, c->arena, id, payload, r, &why);

	if (got < 0)
		fail_why(c, &why);
	return got;
}

static void run_confirm(struct call *c, struct json_object **arg, unsigned n)
{
	struct str id = functions_text(c, arg, n, 0);
	struct receipt r;
	int got = find_receipt(c, id, false, &r);

	if (got >= 0)
		functions_json(c, got ? receipt_public(&r, dispatch_context()->conf->base_url) : receipt_none(id));
}

static void run_receipt(struct call *c, struct json_object **arg, unsigned n)
{
	struct receipt r;
	int got;

	if (c->request->caller->kind == CALLER_ANONYMOUS) {
		fail(c, "unauthorized");
		return;
	}
	got = find_receipt(c, functions_text(c, arg, n, 0), true, &r);
	if (got < 0)
		return;
	if (!got || !receipt_is_open_to(&r, c->request->caller))
		fail(c, "receipt_not_found");
	else
		functions_json(c, receipt_full(&r, dispatch_context()->conf->base_url));
}

/* The kept input of a receipt as a step of this call. */
static void run_replay(struct call *c, struct json_object **arg, unsigned n)
{
	const struct dispatch_request *outer = c->request;
	struct dispatch_request r = {
		.arena = c->arena, .caller = outer->caller, .trace = outer->trace, .parent = c->id,
		.depth = outer->depth + 1,
	};
	struct dispatch_result *result = arena_alloc(c->arena, sizeof(*result));
	const struct receipt *older;
	struct problem why = { 0 };

	if (replay_call(&r, functions_text(c, arg, n, 0), &older, result, &why) < 0)
		fail_why(c, &why);
	else
		buf_putstr(&c->result, result->result);
	runner_include(c, &result->spent);
}

/* Changes */

/* False: the caller may not; the result is there. */
static bool may_change(struct call *c)
{
	if (caller_is_owner(c->request->caller))
		return true;
	fail(c, "unauthorized");
	return false;
}

static struct mutate mutation(struct call *c)
{
	const struct dispatch_context *d = dispatch_context();

	return (struct mutate){
		.directory = d->directory, .secrets = d->secrets, .arena = c->arena, .actor = c->request->caller->actor,
		.trace = c->request->trace->id,
	};
}

static void put_change(struct call *c, struct str key, const struct mutate_result *m, bool deleted)
{
	struct json_object *o = json_object_new_object();

	json_put_bool(o, "ok", true);
	json_put_str(o, "key", key);
	if (deleted) {
		json_put_int(o, "deleted", m->deleted);
	} else {
		json_put_text(o, "updated_at", m->updated_at);
		json_put_text(o, "contract", m->digest);
	}
	if (m->fields)
		json_put(o, "fields", json_object_get(m->fields));
	functions_json(c, o);
}

static void change(struct call *c, struct json_object **arg, unsigned n,
		   int (*mutate)(const struct mutate *m, struct str key, struct json_object *o,
		   struct mutate_result *out, struct problem *why))
{
	struct str key = functions_text(c, arg, n, 0);
	struct json_object *o = NULL;
	struct mutate m = mutation(c);
	struct mutate_result result = { .created = false };
	struct problem why = { 0 };

	if (!may_change(c))
		return;
	if (json_parse(c->arena, functions_text(c, arg, n, 1), &o, &why) < 0 || mutate(&m, key, o, &result, &why) < 0)
		fail_why(c, &why);
	else
		put_change(c, key, &result, false);
}

static void run_dir_put(struct call *c, struct json_object **arg, unsigned n)
{
	change(c, arg, n, mutate_put);
}

static void run_dir_patch(struct call *c, struct json_object **arg, unsigned n)
{
	change(c, arg, n, mutate_patch);
}

static void run_dir_delete(struct call *c, struct json_object **arg, unsigned n)
{
	struct str key = functions_text(c, arg, n, 0);
	struct mutate m = mutation(c);
	struct mutate_result result = { .created = false };
	struct problem why = { 0 };

	if (!may_change(c))
		return;
	if (mutate_delete(&m, key, &result, &why) < 0)
		fail_why(c, &why);
	else
		put_change(c, key, &result, true);
}

/* Prompts */

/* The content of a prompt_block row, as it stands behind its documentation. */
static void run_prompt_block(struct call *c, struct json_object **arg, unsigned n)
{
	buf_putstr(&c->result, functions_text(c, arg, n, 0));
}

/* What the model of a row is told, as far as the caller may read it. */
static void run_prompt_assemble(struct call *c, struct json_object **arg, unsigned n)
{
	const struct caller *who = c->request->caller;
	struct entry *e = find_row(c, functions_text(c, arg, n, 0));
	struct problem why = { 0 };

	if (e && prompt_system(&c->result, c->arena, e, who, who, &why) < 0)
		fail_why(c, &why);
}

const struct function function_rows[] = {
	{ .name = "manifest", .run = run_manifest },
	{ .name = "ask", .min_args = 1, .run = run_ask },
	{ .name = "read", .min_args = 1, .run = run_read },
	{ .name = "confirm", .min_args = 1, .run = run_confirm },
	{ .name = "receipt", .min_args = 1, .run = run_receipt },
	{ .name = "replay", .min_args = 1, .run = run_replay, .writes = true },
	{ .name = "dir_get", .min_args = 1, .run = run_dir_get },
	{ .name = "dir_put", .min_args = 2, .run = run_dir_put, .writes = true, .early = true },
	{ .name = "dir_patch", .min_args = 2, .run = run_dir_patch, .writes = true, .early = true },
	{ .name = "dir_delete", .min_args = 1, .run = run_dir_delete, .writes = true, .early = true },
	{ .name = "prompt_assemble", .min_args = 1, .run = run_prompt_assemble },
	{ .name = "prompt_block", .run = run_prompt_block, .verbatim = true },
	{ .name = NULL },
};
