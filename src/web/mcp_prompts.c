/* Agent rows as MCP's prompts: what a row tells its model, for clients that have a model of their own. Only rows that surely
 * change nothing, for a prompt is there to be tried; nothing is run. */
#include "call/prompt.h"
#include "directory/tool.h"
#include "web/emit.h"
#include "web/mcp.h"

static bool is_prompt(const struct entry *e)
{
	return str_is(e->type, "agent") && contract_read_only(&e->row, &e->doc);
}

static bool lists(const struct caller *who, const struct directory_item *item)
{
	return str_is(item->type, "agent") && caller_calls(who, item->key, item->category, item->enabled, item->sensitive);
}

struct json_object *mcp_prompts_schema(const struct mcp *m, struct arena *a, const struct entry *e)
{
	return tool_schema(a, e, directory_validator(m->r->service->directory, e));
}

static void emit_arguments(struct buf *out, struct json_object *schema)
{
	struct lh_entry *p;

	emit_begin(out, "arguments", '[');
	lh_foreach(json_object_get_object(json_get(schema, "properties")), p) {
		struct json_object *property = (struct json_object *)lh_entry_v(p);
		struct str title = json_str(json_get(property, "title")), description = json_str(json_get(property, "description"));

		emit_begin(out, NULL, '{');
		emit_text(out, "name", lh_entry_k(p));
		if (title.n)
			emit_str(out, "title", title);
		if (description.n)
			emit_str(out, "description", description);
		emit_bool(out, "required", json_lists(json_get(schema, "required"), lh_entry_k(p)));
		emit_end(out, '}');
	}
	emit_end(out, ']');
}

static bool emit_prompt(const struct mcp *m, struct buf *out, struct arena *a, const struct entry *e)
{
	if (!is_prompt(e) || !mcp_rows_callable(m, e))
		return false;
	emit_begin(out, NULL, '{');
	emit_str(out, "name", e->key);
	emit_str(out, "description", tool_description(a, e));
	emit_arguments(out, mcp_prompts_schema(m, a, e));
	mcp_rows_meta(out, e);
	emit_end(out, '}');
	return true;
}

void mcp_prompts_list(struct mcp *m)
{
	static const struct mcp_view view = { .name = "prompts", .lists = lists, .emit = emit_prompt };

	mcp_rows_list(m, &view);
}

struct entry *mcp_prompts_find(struct mcp *m, struct str name)
{
	struct entry *e = NULL;

	if (mcp_rows_find(m, name, &e) < 0)
		return NULL;
	if (e && is_prompt(e))
		return e;
	mcp_error(m, MCP_INVALID_PARAMS, NULL, "there is no such prompt");
	return NULL;
}

/* An object of texts, NULL when absent. -1 after answering. */
static int read_arguments(struct mcp *m, struct json_object **out)
{
	bool good;

	*out = json_get(m->params, "arguments");
	good = !*out || json_object_is_type(*out, json_type_object);
	if (*out && good) {
		json_object_object_foreach(*out, name, text) {
			(void)name;
			good = good && json_object_is_type(text, json_type_string);
		}
	}
	if (!good)
		mcp_error(m, MCP_INVALID_PARAMS, NULL, "params.arguments is an object of strings");
	return good ? 0 : -1;
}

/* Messages. A line that is a picture, a sound or the address of a contract, and nothing else, is a message of its own; what
 * stands between such lines is one each. */

struct messages {
	struct mcp *m;
	size_t contracts;
};

static void emit_message(struct buf *out, struct str content)
{
	emit_begin(out, NULL, '{');
	emit_text(out, "role", "user");
	emit_raw(out, "content", content);
	emit_end(out, '}');
}

static void emit_text_message(struct messages *s, struct str text)
{
	struct buf block = BUF_ARENA(s->m->r->arena);

	if (!str_trim(text).n)
		return;
	mcp_result_block(&block, text);
	emit_message(&s->m->out, str_trim(emit_done(&block)));
}

/* 1: the line is a message of its own, of that content; 0: it is text. -1 after answering. */
static int read_line(struct messages *s, struct str line, struct buf *content)
{
	if (mcp_result_media(content, line, NULL))
		return 1;
	if (!str_starts(line, MCP_RESOURCES_CONTRACT) || s->contracts == MCP_PROMPTS_CONTRACTS)
		return 0;
	s->contracts++;
	return mcp_resources_block(s->m, content, line);
}

/* -1 after answering. */
static int emit_messages(struct messages *s, struct str text)
{
	struct str rest = text, line;
	const char *from = text.p;

	while (rest.p) {
		struct buf content = BUF_ARENA(s->m->r->arena);
		int got;

		line = str_cut(&rest, '\n');
		got = read_line(s, str_trim(line), &content);
		if (got < 0)
			return -1;
		if (!got)
			continue;
		if (line.p > from)
			emit_text_message(s, str_make(from, (size_t)(line.p - from - 1)));
		emit_message(&s->m->out, str_trim(emit_done(&content)));
		from = rest.p;
	}
	if (from)
		emit_text_message(s, str_make(from, (size_t)(text.p + text.n - from)));
	return 0;
}

static void answer(struct mcp *m, const struct entry *e, const struct prompt *p)
{
	struct messages s = { .m = m };
	struct buf *out = mcp_begin(m);

	emit_str(out, "description", tool_description(m->r->arena, e));
	emit_begin(out, "messages", '[');
	if (emit_messages(&s, p->system) < 0 || emit_messages(&s, p->user) < 0)
		return;
	emit_end(out, ']');
	mcp_rows_meta(out, e);
	mcp_end(m);
}

void mcp_prompts_get(struct mcp *m)
{
	struct dispatch_request q = { .arena = m->r->arena, .caller = &m->r->caller, .body = str_of("") };
	struct problem why = { 0 };
	struct prompt prompt;
	struct entry *e;
	struct str name;

	if (mcp_string(m, "name", true, &name) < 0 || read_arguments(m, &q.named) < 0)
		return;
	e = mcp_prompts_find(m, name);
	if (!e)
		return;
	if (prompt_preview(&q, e, &prompt, &why) == 0)
		answer(m, e, &prompt);
	else if (why.status == 422)
		mcp_error(m, MCP_INVALID_PARAMS, response_error(&why), "%s: %s", why.error, why.detail);
	else
		mcp_problem(m, &why);
}
