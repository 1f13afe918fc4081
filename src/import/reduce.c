/* Keyword by keyword, by a table: copied, reduced as a subschema (or an array or object of them), or translated. What
 * is not in the table is left out. */
#include <string.h>
#include "base/escape.h"
#include "import/reduce.h"

enum { REFERENCES_MAX = 64, NODES_MAX = 4000 };

struct reduction {
	struct json_object *document;
	const char *open[REFERENCES_MAX];       /* references that are being written out */
	unsigned references, depth, limit, nodes;
	bool cut;
};

static struct json_object *reduce(struct reduction *r, struct json_object *schema);

/* References */

static struct json_object *at_pointer(struct json_object *document, struct str ref)
{
	struct buf pointer = BUF_MALLOC;
	struct json_object *found = NULL;

	if (str_starts(ref, "#") && escape_unpercent(&pointer, str_skip(ref, 1), false) == 0)
		found = json_pointer(document, buf_str(&pointer), NULL);
	buf_free(&pointer);
	return found;
}

struct json_object *reduce_target(struct json_object *document, struct json_object *o)
{
	for (unsigned i = 0; o && i < REFERENCES_MAX; i++) {
		struct str ref = json_str(json_get(o, "$ref"));

		if (!ref.p)
			return o;
		o = at_pointer(document, ref);
	}
	return NULL;
}

static struct json_object *anything(struct reduction *r, const char *what)
{
	struct json_object *o = json_object_new_object();

	r->cut = true;
	json_put_text(o, "description", what);
	return o;
}

/* The referred schema, with the members that stand beside the reference. */
static struct json_object *reduce_reference(struct reduction *r, struct json_object *schema, const char *ref)
{
	struct json_object *target = at_pointer(r->document, str_of(ref)), *out;

	for (unsigned i = 0; i < r->references; i++)
		if (strcmp(r->open[i], ref) == 0)
			return anything(r, "The same again; not described further.");
	if (!target || r->references == REFERENCES_MAX)
		return anything(r, "Described elsewhere.");
	r->open[r->references++] = ref;
	out = reduce(r, target);
	r->references--;
	if (!json_object_is_type(out, json_type_object))
		return out;
	json_object_object_foreach(schema, name, value)
		if (strcmp(name, "description") == 0 || strcmp(name, "title") == 0 || strcmp(name, "default") == 0)
			json_put(out, name, json_object_get(value));
	return out;
}

/* Keywords */

static void copy(struct reduction *r, struct json_object *out, const char *name, struct json_object *v)
{
	(void)r;
	json_put(out, name, json_object_get(v));
}

static void description(struct reduction *r, struct json_object *out, const char *name, struct json_object *v)
{
	struct str s = json_str(v);

	(void)r;
	if (s.p)
		json_put_str(out, name, str_make(s.p, escape_cut(s, REDUCE_DESCRIPTION_MAX)));
}

static bool is_type(struct str s)
{
	static const char *const types[] = { "string", "number", "integer", "boolean", "array", "object", "null" };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (str_is(s, types[i]))
			return true;
	return false;
}

static void type(struct reduction *r, struct json_object *out, const char *name, struct json_object *v)
{
	(void)r;
	if (json_object_is_type(v, json_type_array) || is_type(json_str(v)))
		json_put(out, name, json_object_get(v));
}

static void subschema(struct reduction *r, struct json_object *out, const char *name, struct json_object *v)
{
	if (json_object_is_type(v, json_type_object) || json_object_is_type(v, json_type_boolean))
		json_put(out, name, reduce(r, v));
}

static void list(struct reduction *r, struct json_object *out, const char *name, struct json_object *v)
{
	struct json_object *items = json_object_new_array();

	for (size_t i = 0; json_object_is_type(v, json_type_array) && i < json_object_array_length(v); i++)
		json_object_array_add(items, reduce(r, json_object_array_get_idx(v, i)));
	if (json_object_array_length(items))
		json_put(out, name, items);
	else
		json_object_put(items);
}

static bool is_true(struct json_object *o, const char *name)
{
	return json_object_is_type(json_get(o, name), json_type_boolean) && json_object_get_boolean(json_get(o, name));
}

static void members(struct reduction *r, struct json_object *out, const char *name, struct json_object *v)
{
	struct json_object *o;

	if (!json_object_is_type(v, json_type_object))
		return;
	o = json_object_new_object();
	json_object_object_foreach(v, member, schema) {
		struct json_object *target = reduce_target(r->document, schema);

		if (!is_true(target, "readOnly"))
			json_put(o, member, reduce(r, schema));
	}
	json_put(out, name, o);
}

static void names(struct reduction *r, struct json_object *out, const char *name, struct json_object *v)
{
	(void)r;
	if (json_object_is_type(v, json_type_array))
		json_put(out, name, json_object_get(v));
}

/* 3.0's single example; 2020-12 has a list. */
static void example(struct reduction *r, struct json_object *out, const char *name, struct json_object *v)
{
	struct json_object *one = json_object_new_array();

	(void)r;
	(void)name;
	json_object_array_add(one, json_object_get(v));
	json_put(out, "examples", one);
}

static const struct keyword {
	const char *name;
	void (*put)(struct reduction *r, struct json_object *out, const char *name, struct json_object *v);
} keywords[] = {
	{ "type", type }, { "title", description }, { "description", description }, { "enum", names }, { "const", copy },
	{ "default", copy }, { "format", copy }, { "pattern", copy }, { "example", example }, { "examples", names },
	{ "minimum", copy }, { "maximum", copy }, { "exclusiveMinimum", copy }, { "exclusiveMaximum", copy }, { "multipleOf", copy },
	{ "minLength", copy }, { "maxLength", copy }, { "minItems", copy }, { "maxItems", copy }, { "uniqueItems", copy },
	{ "minProperties", copy }, { "maxProperties", copy }, { "minContains", copy }, { "maxContains", copy },
	{ "items", subschema }, { "prefixItems", list }, { "contains", subschema },
	{ "properties", members }, { "required", names }, { "additionalProperties", subschema }, { "patternProperties", members },
	{ "propertyNames", subschema }, { "dependentRequired", copy }, { "dependentSchemas", members },
	{ "allOf", list }, { "anyOf", list }, { "oneOf", list }, { "not", subschema }, { "if", subschema }, { "then", subschema },
	{ "else", subschema },
};

/* Translations of what 3.0 says otherwise */

/* exclusiveMinimum: true makes minimum the bound that is excluded. */
static void exclusive(struct json_object *out, const char *bound, const char *exclusive_bound)
{
	struct json_object *flag = json_get(out, exclusive_bound), *value = json_get(out, bound);

	if (!json_object_is_type(flag, json_type_boolean))
		return;
	if (json_object_get_boolean(flag) && value) {
		json_put(out, exclusive_bound, json_object_get(value));
		json_object_object_del(out, bound);
	} else {
		json_object_object_del(out, exclusive_bound);
	}
}

static bool has_null(struct json_object *array)
{
	for (size_t i = 0; i < json_object_array_length(array); i++)
		if (!json_object_array_get_idx(array, i))
			return true;
	return false;
}

static struct json_object *nullable(struct json_object *out)
{
	struct json_object *t = json_get(out, "type"), *values = json_get(out, "enum"), *both;

	if (json_str(t).p) {
		both = json_object_new_array();
		json_object_array_add(both, json_object_get(t));
		json_object_array_add(both, json_object_new_string("null"));
		json_put(out, "type", both);
		if (values && !has_null(values)) {
			both = NULL;
			json_object_deep_copy(values, &both, NULL);
			json_object_array_add(both, NULL);
			json_put(out, "enum", both);
		}
		return out;
	}
	both = json_object_new_array();
	json_object_array_add(both, out);
	t = json_object_new_object();
	json_put_text(t, "type", "null");
	json_object_array_add(both, t);
	out = json_object_new_object();
	json_put(out, "anyOf", both);
	return out;
}

/* A single schema in allOf, as is written to put something beside a reference, becomes one with what is beside it. */
static struct json_object *flatten(struct json_object *out)
{
	struct json_object *all = json_get(out, "allOf"), *one;

	if (!all || json_object_array_length(all) != 1 || json_get(out, "type") || json_get(out, "properties"))
		return out;
	one = json_object_array_get_idx(all, 0);
	if (!json_object_is_type(one, json_type_object))
		return out;
	json_object_get(one);
	json_object_object_del(out, "allOf");
	json_object_object_foreach(out, name, value)
		json_put(one, name, json_object_get(value));
	json_object_put(out);
	return one;
}

/* Members that were left out are not required. */
static void keep_required(struct json_object *out, struct json_object *schema)
{
	struct json_object *required = json_get(out, "required"), *properties = json_get(out, "properties"), *kept;
	struct json_object *all = json_get(schema, "properties");

	if (!required || !properties)
		return;
	kept = json_object_new_array();
	for (size_t i = 0; i < json_object_array_length(required); i++) {
		struct json_object *name = json_object_array_get_idx(required, i);
		const char *text = json_object_get_string(name);

		if (json_str(name).p && (json_object_object_get_ex(properties, text, NULL) || !json_object_object_get_ex(all, text, NULL)))
			json_object_array_add(kept, json_object_get(name));
	}
	if (json_object_array_length(kept)) {
		json_put(out, "required", kept);
	} else {
		json_object_put(kept);
		json_object_object_del(out, "required");
	}
}

static struct json_object *reduce(struct reduction *r, struct json_object *schema)
{
	struct json_object *out;
	struct str ref = json_str(json_get(schema, "$ref"));

	if (json_object_is_type(schema, json_type_boolean))
		return json_object_get(schema);
	if (r->depth >= r->limit || r->nodes++ >= NODES_MAX)
		return anything(r, "Not described further.");
	r->depth++;
	if (ref.p) {
		out = reduce_reference(r, schema, ref.p);
		r->depth--;
		return out;
	}
	out = json_object_new_object();
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
		struct json_object *v;

		if (json_object_is_type(schema, json_type_object) && json_object_object_get_ex(schema, keywords[i].name, &v))
			keywords[i].put(r, out, keywords[i].name, v);
	}
	r->depth--;
	exclusive(out, "minimum", "exclusiveMinimum");
	exclusive(out, "maximum", "exclusiveMaximum");
	keep_required(out, schema);
	out = flatten(out);
	return is_true(schema, "nullable") ? nullable(out) : out;
}

struct json_object *reduce_schema(struct json_object *document, struct json_object *schema, unsigned depth, bool *cut)
{
	struct reduction r = { .document = document, .limit = depth };
	struct json_object *out = schema ? reduce(&r, schema) : json_object_new_object();

	if (json_object_is_type(out, json_type_boolean)) {
		json_object_put(out);
		out = json_object_new_object();
	}
	if (cut)
		*cut = *cut || r.cut;
	return out;
}

/* Examples */

static struct json_object *first_of(struct json_object *schema, const char *name)
{
	struct json_object *array = json_get(schema, name);

	return json_object_is_type(array, json_type_array) && json_object_array_length(array) ? json_object_array_get_idx(array, 0) : NULL;
}

static const char *sample_text(struct str format)
{
	static const struct { const char *format, *text; } known[] = {
		{ "date", "2026-01-31" }, { "date-time", "2026-01-31T12:00:00Z" }, { "email", "ada@example.org" }, { "uri", "https://example.org/" },
		{ "uuid", "3f2b8c1e-5d4a-4c6b-9e7f-0a1b2c3d4e5f" }, { "ipv4", "192.0.2.1" }, { "hostname", "example.org" }, { "byte", "dGV4dA==" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (str_is(format, known[i].format))
			return known[i].text;
	return "text";
}

static struct json_object *sample_object(struct json_object *schema, struct json_object *out)
{
	struct json_object *required = json_get(schema, "required"), *properties = json_get(schema, "properties");
	struct json_object *all = json_get(schema, "allOf");

	for (size_t i = 0; i < json_length(required); i++) {
		const char *name = json_object_get_string(json_at(required, i));

		if (name && json_get(properties, name))
			json_put(out, name, reduce_example(json_get(properties, name)));
	}
	for (size_t i = 0; i < json_length(all); i++)
		sample_object(json_at(all, i), out);
	return out;
}

static struct json_object *sample_number(struct json_object *schema, bool whole)
{
	struct json_object *least = json_get(schema, "minimum"), *over = json_get(schema, "exclusiveMinimum");
	struct json_object *most = json_get(schema, "maximum");

	if (least)
		return json_object_get(least);
	if (over)
		return json_object_new_int64(json_object_get_int64(over) + (json_object_get_int64(over) < INT64_MAX));
	if (most && json_object_get_double(most) < 1)
		return json_object_get(most);
	return whole ? json_object_new_int64(1) : json_object_new_double(1.5);
}

static struct json_object *sample(struct json_object *schema, struct str kind)
{
	struct json_object *o;

	if (str_is(kind, "string"))
		return json_object_new_string(sample_text(json_str(json_get(schema, "format"))));
	if (str_is(kind, "integer") || str_is(kind, "number"))
		return sample_number(schema, str_is(kind, "integer"));
	if (str_is(kind, "boolean"))
		return json_object_new_boolean(true);
	if (str_is(kind, "null"))
		return NULL;
	if (str_is(kind, "array")) {
		o = json_object_new_array();
		if (json_get(schema, "minItems") && json_get(schema, "items"))
			json_object_array_add(o, reduce_example(json_get(schema, "items")));
		return o;
	}
	return sample_object(schema, json_object_new_object());
}

struct json_object *reduce_example(struct json_object *schema)
{
	static const char *const said[] = { "examples", "enum" }, *const alternatives[] = { "oneOf", "anyOf" };
	struct json_object *type_of = json_get(schema, "type");
	struct json_object *v;

	if (json_object_is_type(schema, json_type_object) && json_object_object_get_ex(schema, "const", &v))
		return json_object_get(v);
	if (json_get(schema, "default"))
		return json_object_get(json_get(schema, "default"));
	for (size_t i = 0; i < 2; i++)
		if (first_of(schema, said[i]))
			return json_object_get(first_of(schema, said[i]));
	for (size_t i = 0; !type_of && i < 2; i++)
		if (first_of(schema, alternatives[i]))
			return reduce_example(first_of(schema, alternatives[i]));
	if (json_object_is_type(type_of, json_type_array))
		type_of = json_object_array_get_idx(type_of, 0);
	return sample(schema, json_str(type_of).p ? json_str(type_of) : str_of("object"));
}
