/* Rows as MCP's tools: tools/list and tools/call. A tool's schemas and hints are directory/tool.c's, the pages of the
 * list mcp_rows.c's, whether a call may run and how call/dispatch.c's, what its result looks like mcp_result.c's. */
#include <string.h>
#include "call/mcp_message.h"
#include "directory/tool.h"
#include "web/emit.h"
#include "web/mcp.h"

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

	if (!mcp_rows_callable(m, e))
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
	mcp_rows_meta(out, e);
	emit_end(out, '}');
	return true;
}

static bool lists(const struct caller *who, const struct directory_item *item)
{
	return caller_calls(who, item->key, item->category, item->enabled, item->sensitive);
}

static const struct mcp_view view = { .name = "tools", .lists = lists, .emit = emit_tool };

void mcp_tools_list(struct mcp *m)
{
	if (m->loop)
		mcp_loop_list(m);
	else
		mcp_rows_list(m, &view);
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

/* The row, when the caller sees it as a tool or may at least know why it is none. NULL after answering. */
static struct entry *find_tool(struct mcp *m, struct str name)
{
	struct entry *e = NULL;

	if (mcp_rows_find(m, name, &e) == 0 && !e)
		mcp_error(m, MCP_INVALID_PARAMS, NULL, "there is no such tool");
	return e;
}

static int check_requires(struct mcp *m, const struct entry *e)
{
	if (!e->mcp_requires)
		return 0;
	return mcp_client_has(m, json_get(directory_schema(m->r->arena, e), "x-mcp-requires"));
}

/* Arguments that headers repeat. */
struct repeated { struct mcp *m; bool differs; };

static void check_param(void *ctx, struct str name, struct str value)
{
	struct repeated *r = ctx;

	if (!r->differs)
		r->differs = mcp_agree(r->m, arena_str(r->m->r->arena, name), value) < 0;
}

/* -1 after answering. */
static int check_params(struct mcp *m, const struct entry *e, struct json_object *arguments)
{
	struct repeated r = { .m = m };

	if (e->mcp_headers && m->era == MCP_MODERN)
		mcp_message_params(directory_schema(m->r->arena, e), arguments, check_param, &r);
	return r.differs ? -1 : 0;
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
	if (e && check_requires(m, e) == 0 && check_params(m, e, arguments) == 0)
		mcp_tools_run(m, &(struct dispatch_request){ .key = e->key, .named = arguments }, e);
}
