/* Tools of other MCP servers as rows. Everything in a tool is somebody else's text: what does not fit is reduced. */
#include <string.h>
#include "import/naming.h"
#include "import/reduce.h"
#include "import/tools.h"
#include "schema/schema.h"

enum { EXAMPLE_MAX = 32 };              /* arguments of an example */

const char *tools_source(struct draft *d, const struct tools_wishes *wishes)
{
	return arena_printf(d->arena, "mcp:%s", wishes->url);
}

static struct str host_of(const char *url)
{
	const char *at = strstr(url, "://");

	at = at ? at + 3 : url;
	return str_make(at, strcspn(at, "/?#"));
}

static bool is_usable(struct json_object *schema)
{
	struct problem why = { 0 };
	struct str type = json_str(json_get(schema, "type"));
	struct schema *s = str_is(type, "object") ? schema_compile(schema, NULL, &why) : NULL;
	struct buf plain = BUF_MALLOC, text = BUF_MALLOC;
	bool usable = s && schema_plain(s, &plain, &why) == 0;

	json_text(&text, schema);
	usable = usable && text.len <= REDUCE_TEXT_MAX;
	buf_free(&plain);
	buf_free(&text);
	schema_free(s);
	return usable;
}

/* The tool's own, else with less and less of its depth, else one that takes anything. */
static struct json_object *schema_of(struct draft *d, struct json_object *tool, const char *name)
{
	struct json_object *given = json_get(tool, "inputSchema"), *out = NULL;

	json_object_deep_copy(given, &out, NULL);
	for (unsigned depth = 16; !is_usable(out) && depth > 1; depth /= 2) {
		json_object_put(out);
		out = reduce_schema(given, given, depth, NULL);
	}
	if (is_usable(out))
		return out;
	json_object_put(out);
	draft_note(d, name, true, "its schema is left out: it is no JSON Schema of an object");
	out = json_object_new_object();
	json_put_text(out, "type", "object");
	return out;
}

/* What is required, each argument at its place. */
static struct json_object *examples(struct draft *d, struct buf *content, const char *key, struct json_object *schema)
{
	struct json_object *properties = json_get(schema, "properties");
	struct str value[EXAMPLE_MAX] = { { 0 } };
	size_t i = 0, n = 0;

	if (json_object_is_type(properties, json_type_object)) {
		json_object_object_foreach(properties, name, property) {
			struct buf text = BUF_ARENA(d->arena);
			struct json_object *o;

			if (i == EXAMPLE_MAX)
				break;
			if (json_lists(json_get(schema, "required"), name)) {
				o = arena_json(d->arena, reduce_example(property));
				if (json_object_is_type(o, json_type_string))
					buf_putstr(&text, json_str(o));
				else
					json_text(&text, o);
				value[i] = buf_str(&text);
				n = i + 1;
			}
			i++;
		}
	}
	return draft_example(content, key, value, n);
}

static void put_flag(struct buf *content, const char *label, struct json_object *annotations, const char *name)
{
	struct json_object *flag = json_get(annotations, name);

	if (json_object_is_type(flag, json_type_boolean))
		draft_line(content, label, str_of(json_object_get_boolean(flag) ? "yes" : "no"));
}

/* ["url","tool"], in which a "$" is no slot. */
static void put_payload(struct buf *content, const char *url, struct str tool)
{
	struct json_object *list = json_object_new_array();
	struct buf text = BUF_MALLOC;

	json_object_array_add(list, json_object_new_string(url));
	json_object_array_add(list, json_new_str(tool));
	json_text(&text, list);
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] == '$')
			buf_puts(content, "\\u0024");
		else
			buf_putc(content, text.data[i]);
	}
	buf_free(&text);
	json_object_put(list);
}

static void put_content(struct draft *d, struct json_object *row, struct json_object *tool, const struct tools_wishes *w)
{
	const char *key = json_object_get_string(json_get(row, "key"));
	struct json_object *annotations = json_get(tool, "annotations");
	struct str name = json_str(json_get(tool, "name")), title = json_str(json_get(tool, "title"));
	struct str description = json_str(json_get(tool, "description"));
	struct buf content = BUF_ARENA(d->arena);

	draft_line(&content, "WHAT", str_trim(description).n ? description : str_trim(title).n ? title : name);
	json_put(row, "examples", examples(d, &content, key, json_get(row, "input_schema")));
	put_flag(&content, "SAFE", annotations, "readOnlyHint");
	put_flag(&content, "IDEMPOTENT", annotations, "idempotentHint");
	put_payload(&content, w->url, name);
	json_put_str(row, "content", buf_str(&content));
}

static bool is_taken(struct draft *d, const char *key)
{
	for (size_t i = 0; i < json_object_array_length(d->rows); i++)
		if (str_is(json_str(json_get(json_object_array_get_idx(d->rows, i), "key")), key))
			return true;
	return false;
}

static void convert(struct draft *d, struct json_object *tool, size_t place, const struct tools_wishes *w)
{
	struct str name = json_str(json_get(tool, "name"));
	struct buf words = BUF_ARENA(d->arena);
	struct json_object *row, *schema;
	const char *key;

	if (!name.n) {
		draft_note(d, arena_printf(d->arena, "tool %zu", place), true, "has no name");
		return;
	}
	if (w->prefix)
		naming_words(&words, str_of(w->prefix));
	else
		naming_host(&words, host_of(w->url));
	naming_words(&words, name);
	key = naming_key(d->arena, buf_str(&words));
	if (is_taken(d, key)) {
		draft_note(d, arena_str(d->arena, name), true, "its key %s is taken", key);
		return;
	}
	row = json_object_new_object();
	json_object_array_add(d->rows, row);
	json_put_text(row, "key", key);
	json_put_text(row, "type", "fn");
	json_put_text(row, "target", "mcp_call");
	if (w->auth)
		json_put_text(row, "auth", w->auth);
	schema = schema_of(d, tool, arena_str(d->arena, name));
	json_put(row, "input_schema", schema);
	put_content(d, row, tool, w);
	json_put_bool(schema, "x-strict", true);
	json_put_text(schema, "x-source", tools_source(d, w));
	json_put_text(row, "category", "mcp");
}

void tools_convert(struct draft *d, struct json_object *tools, const struct tools_wishes *wishes)
{
	for (size_t i = 0; json_object_is_type(tools, json_type_array) && i < json_object_array_length(tools); i++)
		convert(d, json_object_array_get_idx(tools, i), i + 1, wishes);
}
