/* Rows as tools: descriptions and schemas for clients stricter than we are. Who sees which rows, and in what envelope,
 * is the web's. */
#include <string.h>
#include "base/escape.h"
#include "directory/document.h"
#include "directory/tool.h"

enum { NAME_MAX_BYTES = 64 };

#define CUT "…"

/* Descriptions */

static void add_line(struct buf *out, struct arena *a, const char *lead, struct str text)
{
	if (!text.n)
		return;
	if (out->len)
		buf_putc(out, '\n');
	buf_puts(out, lead);
	buf_putstr(out, document_line(a, text));
}

struct str tool_description(struct arena *a, const struct entry *e)
{
	static const struct { enum docstring_label label; const char *lead; } lines[] = {
		{ DOC_WHAT, "" },
		{ DOC_WHEN_TO_USE, "When to use: " },
		{ DOC_OUTPUT, "Returns: " },
		{ DOC_PRECONDITIONS, "Preconditions: " },
		{ DOC_EFFECTS, "Effects: " },
	};
	struct buf out = BUF_ARENA(a);

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		add_line(&out, a, lines[i].lead, e->doc.label[lines[i].label]);
	if (!out.len)
		buf_putstr(&out, e->key);
	if (out.len > TOOL_DESCRIPTION_MAX) {
		out.len = escape_cut(buf_str(&out), TOOL_DESCRIPTION_MAX - strlen(CUT));
		buf_puts(&out, CUT);
	}
	return buf_str(&out);
}

/* Schemas */

static struct json_object *new_root(void)
{
	struct json_object *o = json_object_new_object();

	json_put_text(o, "type", "object");
	return o;
}

static struct json_object *body_schema(struct arena *a, const struct entry *e)
{
	struct json_object *root = new_root(), *properties = json_object_new_object(), *body = json_object_new_object();
	struct str args = e->doc.label[e->doc.label[DOC_ARGS].n ? DOC_ARGS : DOC_INPUT];
	struct buf text = BUF_ARENA(a);

	buf_puts(&text, "The arguments as one string, separated by |");
	if (args.n) {
		buf_puts(&text, ": ");
		buf_putstr(&text, document_line(a, args));
	}
	json_put_text(body, "type", "string");
	json_put_str(body, "description", buf_str(&text));
	json_put(properties, "body", body);
	json_put(root, "properties", properties);
	json_put_bool(root, "additionalProperties", false);
	return root;
}

/* Keywords that may not stand at the root. Those that are lists hold alternatives or additions, then and else too. */
static const char *const combining[] = { "allOf", "anyOf", "oneOf", "then", "else" };
static const char *const dropped[] = {
	"allOf", "anyOf", "oneOf", "then", "else", "if", "not", "enum", "const", "type", "properties", "required",
	"unevaluatedProperties",
};

static bool is_dropped(const char *name)
{
	for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++)
		if (strcmp(name, dropped[i]) == 0)
			return true;
	return false;
}

/* Both: what was said of the property before, and what is said of it here. */
static struct json_object *either(struct json_object *before, struct json_object *more)
{
	struct json_object *o, *list;

	if (json_object_equal(before, more))
		return json_object_get(before);
	o = json_object_new_object();
	list = json_object_new_array();
	json_object_array_add(list, json_object_get(before));
	json_object_array_add(list, json_object_get(more));
	json_put(o, "anyOf", list);
	return o;
}

/* A boolean schema as an object. */
static struct json_object *as_object(struct json_object *schema)
{
	struct json_object *o;

	if (!json_object_is_type(schema, json_type_boolean))
		return json_object_get(schema);
	o = json_object_new_object();
	if (!json_object_get_boolean(schema))
		json_put(o, "not", json_object_new_object());
	return o;
}

/* Adds the properties that o names, itself or in what it combines. */
static void gather(struct json_object *o, struct json_object *properties)
{
	struct json_object *own = json_get(o, "properties");
	struct lh_entry *e;

	if (json_object_is_type(own, json_type_object)) {
		lh_foreach(json_object_get_object(own), e) {
			struct json_object *before, *v = as_object((struct json_object *)lh_entry_v(e));
			const char *name = lh_entry_k(e);

			if (json_object_object_get_ex(properties, name, &before)) {
				json_put(properties, name, either(before, v));
				json_object_put(v);
			} else {
				json_put(properties, name, v);
			}
		}
	}
	for (size_t i = 0; i < sizeof(combining) / sizeof(combining[0]); i++) {
		struct json_object *part = json_get(o, combining[i]);
		bool list = json_object_is_type(part, json_type_array);

		if (json_object_is_type(part, json_type_object))
			gather(part, properties);
		for (size_t k = 0; list && k < json_object_array_length(part); k++)
			gather(json_object_array_get_idx(part, k), properties);
	}
}

static void add_required(struct json_object *o, struct json_object *names)
{
	struct json_object *own = json_get(o, "required"), *all = json_get(o, "allOf");

	for (size_t i = 0; json_object_is_type(own, json_type_array) && i < json_object_array_length(own); i++)
		json_put(names, json_str(json_object_array_get_idx(own, i)).p, NULL);
	for (size_t i = 0; json_object_is_type(all, json_type_array) && i < json_object_array_length(all); i++)
		add_required(json_object_array_get_idx(all, i), names);
}

/* What every call must have: not what only one of several alternatives asks for. */
static struct json_object *required_of(struct json_object *o)
{
	struct json_object *names = json_object_new_object(), *list = json_object_new_array();
	struct lh_entry *e;

	add_required(o, names);
	lh_foreach(json_object_get_object(names), e)
		json_object_array_add(list, json_object_new_string(lh_entry_k(e)));
	json_object_put(names);
	return list;
}

/* A root of the allowed form that says no more than o. Where o allows no other properties, those of its parts are no
 * arguments. */
static struct json_object *safe_root(struct json_object *o)
{
	struct json_object *root = new_root(), *properties = json_object_new_object(), *required = required_of(o);
	struct json_object *closed = json_get(o, "additionalProperties"), *alone = json_object_new_object();
	struct lh_entry *e;

	json_put(alone, "properties", json_object_get(json_get(o, "properties")));
	gather(json_object_is_type(closed, json_type_boolean) && !json_object_get_boolean(closed) ? alone : o,
		properties);
	json_object_put(alone);
	json_put(root, "properties", properties);
	if (json_object_array_length(required))
		json_put(root, "required", required);
	else
		json_object_put(required);
	lh_foreach(json_object_get_object(o), e)
		if (!is_dropped(lh_entry_k(e)))
			json_put(root, lh_entry_k(e), json_object_get((struct json_object *)lh_entry_v(e)));
	return root;
}

/* Of a schema that cannot be written out: the names that its root has. */
static struct json_object *names_only(struct arena *a, const struct entry *e)
{
	struct json_object *root = new_root(), *names = json_object_new_object();
	struct json_object *properties = json_get(directory_schema(a, e), "properties");
	struct lh_entry *m;

	if (json_object_is_type(properties, json_type_object))
		lh_foreach(json_object_get_object(properties), m)
			json_put(names, lh_entry_k(m), json_object_new_object());
	json_put(root, "properties", names);
	return root;
}

struct json_object *tool_schema(struct arena *a, const struct entry *e, const struct schema *s)
{
	struct buf text = BUF_ARENA(a);
	struct json_object *o = NULL;

	if (!s)
		return arena_json(a, body_schema(a, e));
	if (schema_plain(s, &text, NULL) < 0 || json_parse(a, buf_str(&text), &o, NULL) < 0)
		return arena_json(a, names_only(a, e));
	return arena_json(a, json_object_is_type(o, json_type_object) ? safe_root(o) : names_only(a, e));
}

struct json_object *tool_declared(struct arena *a, const struct entry *e)
{
	static const char *const elsewhere[] = { "x-output-schema", "x-mcp-content", "x-mcp-requires" };
	struct json_object *o = directory_schema(a, e);

	if (!json_object_is_type(o, json_type_object))
		return NULL;
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
		json_object_object_del(o, elsewhere[i]);
	if (!json_get(o, "type"))
		json_put_text(o, "type", "object");
	if (!json_get(o, "properties"))
		json_put(o, "properties", json_object_new_object());
	return o;
}

bool tool_output_wraps(const struct schema *s)
{
	return !str_is(json_str(json_get(schema_document(s), "type")), "object");
}

struct json_object *tool_output(struct arena *a, const struct schema *s)
{
	struct json_object *o = NULL, *root, *properties, *required;
	struct buf text = BUF_ARENA(a);

	if (schema_plain(s, &text, NULL) < 0 || json_parse(a, buf_str(&text), &o, NULL) < 0)
		return NULL;
	if (!tool_output_wraps(s))
		return o;
	root = new_root();
	properties = json_object_new_object();
	required = json_object_new_array();
	json_put(properties, "result", json_object_get(o));
	json_object_array_add(required, json_object_new_string("result"));
	json_put(root, "properties", properties);
	json_put(root, "required", required);
	return arena_json(a, root);
}

struct tool_hints tool_hints(const struct entry *e)
{
	bool reads = contract_read_only(&e->row, &e->doc);

	return (struct tool_hints){
		.read_only = reads,
		.destructive = !reads,
		.idempotent = reads || contract_idempotent(&e->row, &e->doc),
		.open_world = !str_is(e->type, "fn") || row_is_exec(&e->row) || str_is(e->target, "mcp_call"),
	};
}

static bool name_fits(const char *name)
{
	size_t n = strlen(name);

	return n && n <= NAME_MAX_BYTES &&
		strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-") == n;
}

bool tool_names_fit(struct json_object *schema)
{
	struct lh_entry *e;

	lh_foreach(json_object_get_object(json_get(schema, "properties")), e)
		if (!name_fits(lh_entry_k(e)))
			return false;
	return true;
}
