/* completion/complete: keys for the address of a contract document, and what is known of the values of a prompt's
 * arguments. */
#include "call/arguments.h"
#include "web/emit.h"
#include "web/mcp.h"

enum { VALUES_MAX = 100 };              /* of one answer; what the protocol allows */

struct completion {
	struct str name, begin;         /* of the argument, and what is typed of it so far */
	struct str value[VALUES_MAX];
	size_t n, total;                /* total: those that did not fit, too */
};

static void offer(struct completion *c, struct str value)
{
	if (value.n < c->begin.n || !str_eq_fold(str_make(value.p, c->begin.n), c->begin))
		return;
	for (size_t i = 0; i < c->n; i++)
		if (str_eq(c->value[i], value))
			return;
	if (c->n < VALUES_MAX)
		c->value[c->n++] = value;
	c->total++;
}

/* -1 after answering. */
static int no_such(struct mcp *m, const char *what)
{
	mcp_error(m, MCP_INVALID_PARAMS, NULL, "%s", what);
	return -1;
}

/* Rows */

static int complete_resource(struct mcp *m, struct json_object *ref, struct completion *c)
{
	struct str *key;
	size_t n;

	if (!str_is(json_str(json_get(ref, "uri")), MCP_RESOURCES_TEMPLATE))
		return no_such(m, "there is no such resource template");
	if (!str_is(c->name, "key"))
		return no_such(m, "the template has no such argument");
	n = mcp_rows_keys(m, &mcp_resources_view, &key);
	for (size_t i = 0; i < n; i++)
		offer(c, key[i]);
	return 0;
}

/* Values */

static void offer_value(struct completion *c, struct arena *a, struct json_object *value)
{
	if (value)
		offer(c, arguments_text(a, value));
}

static void offer_list(struct completion *c, struct arena *a, struct json_object *list)
{
	for (size_t i = 0; json_object_is_type(list, json_type_array) && i < json_object_array_length(list); i++)
		offer_value(c, a, json_object_array_get_idx(list, i));
}

/* What the schema names; where it names all that is allowed, the row's example is among it. */
static void offer_property(struct completion *c, struct arena *a, struct json_object *property)
{
	offer_list(c, a, json_get(property, "enum"));
	offer_value(c, a, json_get(property, "const"));
	if (str_is(json_str(json_get(property, "type")), "boolean")) {
		offer(c, str_of("true"));
		offer(c, str_of("false"));
	}
	offer_list(c, a, json_get(property, "examples"));
	offer_value(c, a, json_get(property, "default"));
}

static int complete_prompt(struct mcp *m, struct json_object *ref, struct completion *c)
{
	struct arena *a = m->r->arena;
	struct entry *e = mcp_prompts_find(m, json_str(json_get(ref, "name")));
	const char *name = arena_str(a, c->name);
	struct json_object *properties;

	if (!e)
		return -1;
	if (!mcp_rows_callable(m, e))
		return no_such(m, "there is no such prompt");
	properties = json_get(mcp_prompts_schema(m, a, e), "properties");
	if (!json_object_object_get_ex(properties, name, NULL))
		return no_such(m, "the prompt has no such argument");
	offer_property(c, a, json_get(properties, name));
	offer_value(c, a, json_get(arguments_example(a, e), name));
	return 0;
}

/* The request */

/* What can be completed. */
static const struct kind {
	const char *type;
	int (*complete)(struct mcp *m, struct json_object *ref, struct completion *c);
} kinds[] = {
	{ "ref/prompt", complete_prompt },
	{ "ref/resource", complete_resource },
};

static int complete(struct mcp *m, struct completion *c)
{
	struct json_object *ref = json_get(m->params, "ref");
	struct str type = json_str(json_get(ref, "type"));

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (str_is(type, kinds[i].type))
			return kinds[i].complete(m, ref, c);
	return no_such(m, "params.ref.type is ref/prompt or ref/resource");
}

void mcp_complete(struct mcp *m)
{
	struct completion *c = arena_alloc(m->r->arena, sizeof(*c));
	struct json_object *argument = json_get(m->params, "argument");
	struct buf *out;

	c->name = json_str(json_get(argument, "name"));
	c->begin = json_str(json_get(argument, "value"));
	if (!c->name.p || !c->begin.p) {
		no_such(m, "params.argument has name and value, strings");
		return;
	}
	if (complete(m, c) < 0)
		return;
	out = mcp_begin(m);
	emit_begin(out, "completion", '{');
	emit_begin(out, "values", '[');
	for (size_t i = 0; i < c->n; i++)
		emit_str(out, NULL, c->value[i]);
	emit_end(out, ']');
	emit_int(out, "total", (int64_t)c->total);
	emit_bool(out, "hasMore", c->total > c->n);
	emit_end(out, '}');
	mcp_end(m);
}
