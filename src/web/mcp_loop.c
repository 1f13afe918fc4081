/* /mcp?mode=loop: the loop itself as four tools, for models that should not carry the definitions of all rows. Each is
 * what the interface has under the same name. */
#include <string.h>
#include "base/log.h"
#include "call/ask.h"
#include "schema/schema.h"
#include "web/emit.h"
#include "web/mcp.h"

static void ask(struct mcp *m, struct json_object *arguments);
static void read_row(struct mcp *m, struct json_object *arguments);
static void invoke(struct mcp *m, struct json_object *arguments);
static void confirm(struct mcp *m, struct json_object *arguments);

#define OBJECT(properties, required) \
	"{\"type\":\"object\",\"properties\":{" properties "},\"required\":[\"" required "\"],\"additionalProperties\":false}"
#define STRING(name, description) "\"" name "\":{\"type\":\"string\",\"description\":\"" description "\"}"

static const struct loop_tool {
	const char *name, *description, *schema;
	bool changes;                   /* more than this service's memory of questions */
	void (*call)(struct mcp *m, struct json_object *arguments);
} tools[] = {
	{ "ask", "Finds capabilities for a wish in plain words: the best match with its call filled in, and others. Begin here.",
	  OBJECT(STRING("question", "what you want, in plain words") ","
		 "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":50,\"description\":\"matches at most\"}", "question"),
	  false, ask },
	{ "read", "The contract of a capability: what it does, its arguments, effects, examples. Read it before you invoke it.",
	  OBJECT(STRING("key", "as ask gave it"), "key"), false, read_row },
	{ "invoke", "Runs a capability. The result's _meta has the id of its receipt. ERR: begins an error.",
	  OBJECT(STRING("key", "as ask gave it") ","
		 "\"arguments\":{\"type\":\"object\",\"description\":\"by name, as the contract says\"},"
		 STRING("body", "in their place: one string, its pieces separated by |") ","
		 STRING("ask", "the ask_id of the answer that led here"), "key"),
	  true, invoke },
	{ "confirm", "The public receipt of a call: proof of whether it ran and brought something.",
	  OBJECT(STRING("id", "inv_… as invoke gave it"), "id"), false, confirm },
};

enum { TOOLS = sizeof(tools) / sizeof(tools[0]) };

void mcp_loop_list(struct mcp *m)
{
	struct buf *out;

	if (mcp_rows_only_page(m) < 0)
		return;
	out = mcp_begin(m);
	emit_begin(out, "tools", '[');
	for (size_t i = 0; i < TOOLS; i++) {
		emit_begin(out, NULL, '{');
		emit_text(out, "name", tools[i].name);
		emit_text(out, "description", tools[i].description);
		emit_raw(out, "inputSchema", str_of(tools[i].schema));
		emit_begin(out, "annotations", '{');
		emit_bool(out, "readOnlyHint", !tools[i].changes);
		emit_bool(out, "destructiveHint", tools[i].changes);
		emit_bool(out, "idempotentHint", !tools[i].changes);
		emit_bool(out, "openWorldHint", tools[i].changes);
		emit_end(out, '}');
		emit_end(out, '}');
	}
	emit_end(out, ']');
	mcp_cacheable(m, MCP_FIXED_TTL_MS, true);
	mcp_end(m);
}

/* Compiled at the first call, for the life of the process. */
static const struct schema *schema_of(const struct loop_tool *t)
{
	static struct schema *compiled[TOOLS];
	struct schema **s = &compiled[t - tools];
	struct json_object *o = NULL;
	struct problem why = { 0 };

	if (*s)
		return *s;
	if (json_parse(NULL, str_of(t->schema), &o, &why) < 0 || !(*s = schema_compile(o, NULL, &why)))
		log_fatal("the schema of the tool %s: %s", t->name, why.detail);
	json_object_put(o);
	return *s;
}

void mcp_loop_call(struct mcp *m, struct str name, struct json_object *arguments)
{
	struct problem why = { 0 };

	for (size_t i = 0; i < TOOLS; i++) {
		if (!str_is(name, tools[i].name))
			continue;
		if (schema_validate(schema_of(&tools[i]), m->r->arena, arguments, &why) < 0)
			mcp_result_refused(m, &why);
		else
			tools[i].call(m, arguments);
		return;
	}
	mcp_error(m, MCP_INVALID_PARAMS, NULL, "there is no such tool");
}

static void ask(struct mcp *m, struct json_object *arguments)
{
	struct ask a = {
		.text = json_str(json_get(arguments, "question")), .limit = ASK_LIMIT,
		.budget = m->r->service->conf->ask_budget,
	};
	struct json_object *limit = json_get(arguments, "limit");
	struct problem why = { 0 };
	struct str out;

	if (limit)
		a.limit = json_object_get_int64(limit);
	if (rest_ask_answer(m->r, &a, &out, &why) < 0)
		mcp_result_refused(m, &why);
	else
		mcp_result_text(m, str_trim(out), true);
}

static void read_row(struct mcp *m, struct json_object *arguments)
{
	struct problem why = { 0 };
	struct str out;

	if (rest_dispatch_markdown(m->r, json_str(json_get(arguments, "key")), &out, &why) < 0)
		mcp_result_refused(m, &why);
	else
		mcp_result_text(m, out, false);
}

static void invoke(struct mcp *m, struct json_object *arguments)
{
	struct dispatch_request q = {
		.key = json_str(json_get(arguments, "key")), .named = json_get(arguments, "arguments"),
		.body = json_str(json_get(arguments, "body")), .ask = json_str(json_get(arguments, "ask")),
	};
	struct entry *e = NULL;
	struct problem why = { 0 };

	if (q.named && q.body.p) {
		problem_set(&why, 400, "conflicting_fields");
		problem_detail(&why, "arguments and body exclude each other");
	} else if (directory_get(m->r->service->directory, m->r->arena, q.key, &e, &why) == 0) {
		if (!q.named && !q.body.p)
			q.body = str_of("");
		mcp_tools_run(m, &q, e);
		return;
	}
	mcp_result_refused(m, &why);
}

static void confirm(struct mcp *m, struct json_object *arguments)
{
	struct receipt *receipt = arena_alloc(m->r->arena, sizeof(*receipt));
	struct str id = json_str(json_get(arguments, "id"));
	struct buf text = BUF_ARENA(m->r->arena);
	struct problem why = { 0 };
	int got = receipt_get(m->r->service->directory, m->r->arena, id, false, receipt, &why);

	if (!got)
		problem_set(&why, 404, "receipt_not_found");
	if (got <= 0) {
		mcp_result_refused(m, &why);
		return;
	}
	json_text(&text, arena_json(m->r->arena, receipt_public(receipt, m->r->service->conf->base_url)));
	mcp_result_text(m, buf_str(&text), true);
}
