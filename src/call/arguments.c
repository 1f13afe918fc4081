/* Arguments. The schema's validator judges values; this only finds out which piece is meant for which property. */
#include <string.h>
#include "call/arguments.h"
#include "directory/document.h"
#include "lang/place.h"

static struct str vars_value(void *ctx, struct str name)
{
	return conf_var(ctx, name);
}

/* NULL when the row's schema cannot be had. */
static const struct schema *validator_of(const struct call *c)
{
	return directory_validator(dispatch_context()->directory, c->entry);
}

struct json_object *arguments_properties(const struct call *c)
{
	struct json_object *p = json_get(schema_document(validator_of(c)), "properties");

	return json_object_is_type(p, json_type_object) ? p : NULL;
}

static int invalid(struct problem *why, const char *detail, const char *fix)
{
	problem_set(why, 422, "args_invalid");
	problem_field(why, "args");
	problem_detail(why, "%s", detail);
	problem_fix(why, "%s", fix);
	return -1;
}

static int need_schema(const struct call *c, struct problem *why)
{
	if (validator_of(c))
		return 0;
	if (row_text(&c->entry->row, ROW_INPUT_SCHEMA).n)
		return invalid(why, "the row's input_schema cannot be used",
			"repair the row's input_schema, or send `body` or `args` as an array");
	return invalid(why, "the row has no input_schema, so arguments have no names",
		"send `body`, or `args` as an array or as {\"body\":\"…\"}");
}

/* Laying values onto slots */

struct str arguments_text(struct arena *a, struct json_object *o)
{
	struct buf b = BUF_ARENA(a);

	if (!o)
		return str_of("");
	if (json_object_is_type(o, json_type_string))
		return arena_copy(a, json_str(o));
	json_text(&b, o);
	return buf_str(&b);
}

/* $1… are the properties in the schema's order, up to the last that has a value; $name is each property, null where
 * it has none. */
static void lay(struct call *c, struct json_object *values)
{
	struct json_object *properties = arguments_properties(c);
	size_t n = properties ? (size_t)json_object_object_length(properties) : 0, i = 0;
	struct str *arg = arena_alloc(c->arena, (n ? n : 1) * sizeof(*arg));

	c->args.arg = arg;
	c->args.n = 0;
	c->args.named = values;
	if (!properties)
		return;
	json_object_object_foreach(properties, name, unused) {
		struct json_object *v;

		(void)unused;
		if (!json_object_object_get_ex(values, name, &v))
			json_put(values, name, NULL);
		arg[i++] = arguments_text(c->arena, v);
		if (v)
			c->args.n = i;
	}
}

static int validate_and_lay(struct call *c, struct json_object *values, struct problem *why)
{
	const struct schema *s = validator_of(c);

	schema_defaults(s, values);
	if (schema_validate(s, c->arena, values, why) < 0) {
		problem_field(why, "args");
		return -1;
	}
	lay(c, values);
	return 0;
}

/* Typing of pieces */

static bool type_allows(struct json_object *type, const char *name)
{
	return str_is(json_str(type), name) || json_lists(type, name);
}

static const char *type_name(struct json_object *o)
{
	static const char *const names[] = {
		[json_type_null] = "null", [json_type_boolean] = "boolean", [json_type_double] = "number",
		[json_type_int] = "integer", [json_type_object] = "object",
		[json_type_array] = "array", [json_type_string] = "string",
	};

	return names[json_object_get_type(o)];
}

/* The value that a piece of text stands for under `type`: parsed when it reads as JSON of an allowed type, else the
 * text, which the validator then refuses where text is not allowed. Of a body (x-in) without a type it is JSON first. */
static struct json_object *typed(struct call *c, struct str piece, struct json_object *type, bool body)
{
	struct json_object *o = NULL;
	const char *name;

	if (body && !type && json_parse(c->arena, piece, &o, NULL) == 0)
		return json_object_get(o);
	if (!type || type_allows(type, "string") || json_parse(c->arena, piece, &o, NULL) < 0)
		return json_new_str(piece);
	name = type_name(o);
	if (type_allows(type, name) || (type_allows(type, "number") && strcmp(name, "integer") == 0) ||
	    (type_allows(type, "integer") && strcmp(name, "number") == 0))
		return json_object_get(o);
	return json_new_str(piece);
}

/* True when a template of the row takes argument n and all behind it as one ($n+). */
static bool takes_rest(const struct entry *e, size_t n)
{
	bool rest;

	return (template_slots(e->doc.payload, &rest) == n && rest) || (template_slots(e->target, &rest) == n && rest);
}

/* Pieces as an object: one for each property; a missing piece, or an empty one where text is not allowed or which has a
 * place (x-in), is an absent property. A property that has a place takes all that is left when it is the last. */
static struct json_object *named_from_pieces(struct call *c, const struct str *arg, size_t n)
{
	struct json_object *values = arena_json(c->arena, json_object_new_object());
	struct json_object *properties = arguments_properties(c);
	size_t count = properties ? (size_t)json_object_object_length(properties) : 0, i = 0;

	if (!properties || (n == 1 && !arg[0].n))
		return values;
	json_object_object_foreach(properties, name, property) {
		struct json_object *type = json_get(property, "type");
		struct place place;
		bool placed = place_read(str_of(name), property, &place);
		struct str piece;

		if (i >= n)
			break;
		piece = arg[i];
		if (i + 1 == count && n > count && (placed || takes_rest(c->entry, count)))
			piece = template_join(c->arena, arg + i, n - i);
		if (piece.n || (!placed && (!type || type_allows(type, "string"))))
			json_put(values, name, typed(c, piece, type, placed && place_is_body(&place)));
		i++;
	}
	return values;
}

struct json_object *arguments_typed(struct call *c, struct json_object *texts)
{
	struct json_object *values, *properties = arguments_properties(c);

	if (!texts)
		return NULL;
	values = arena_json(c->arena, json_object_new_object());
	json_object_object_foreach(texts, name, text) {
		struct json_object *type = json_get(json_get(properties, name), "type");

		if (json_str(text).n || !type || type_allows(type, "string"))
			json_put(values, name, typed(c, json_str(text), type, false));
	}
	return values;
}

/* What is recorded */

static void record_array(struct call *c, const struct str *arg, size_t n)
{
	struct json_object *list;
	struct buf b = BUF_ARENA(c->arena);
	bool joins = n > 0;

	for (size_t i = 0; i < n; i++)
		joins = joins && !(arg[i].n && memchr(arg[i].p, '|', arg[i].n));
	c->form = joins ? "string" : "array";
	if (joins) {
		c->body = template_join(c->arena, arg, n);
		return;
	}
	list = arena_json(c->arena, json_object_new_array());
	for (size_t i = 0; i < n; i++)
		json_object_array_add(list, json_new_str(arg[i].p ? arg[i] : str_of("")));
	json_text(&b, list);
	c->body = buf_str(&b);
}

static int read_named(struct call *c, struct problem *why)
{
	struct json_object *copy = NULL;
	struct buf b = BUF_ARENA(c->arena);

	json_text(&b, c->request->named);
	c->body = buf_str(&b);
	c->form = "object";
	if (need_schema(c, why) < 0)
		return -1;
	/* Defaults and nulls are put into a copy: the caller's object may be another call's too. */
	if (json_parse(c->arena, c->body, &copy, why) < 0 || !copy)
		return invalid(why, "the arguments cannot be read", "send an object of values");
	return validate_and_lay(c, copy, why);
}

static bool is_strict(const struct call *c)
{
	return (dispatch_context()->conf->strict || c->entry->strict) && validator_of(c);
}

/* Tools that have no schema take one argument, the string. */
static bool names_body(const struct call *c, struct str *body)
{
	struct json_object *o = c->request->named;
	int n = json_object_object_length(o);

	if (n > 1 || validator_of(c))
		return false;
	*body = n ? json_str(json_get(o, "body")) : str_of("");
	return body->p != NULL;
}

int arguments_read(struct call *c, struct problem *why)
{
	const struct dispatch_request *r = c->request;
	struct str body = r->body, *arg;
	size_t n;

	c->args = (struct template_args){ .lookup = vars_value, .ctx = (void *)(uintptr_t)dispatch_context()->conf };
	if (r->named && !names_body(c, &body))
		return read_named(c, why);
	if (r->arg) {
		c->args.arg = r->arg;
		c->args.n = r->args;
		record_array(c, r->arg, r->args);
	} else {
		template_split(c->arena, body, &arg, &n);
		c->args.arg = arg;
		c->args.n = n;
		c->body = body.p ? body : str_of("");
		c->form = "string";
	}
	return is_strict(c) ? validate_and_lay(c, named_from_pieces(c, c->args.arg, c->args.n), why) : 0;
}

static bool bad_elements(struct call *c, const char *error, struct str detail)
{
	buf_puts(&c->result, error);
	buf_putstr(&c->result, detail);
	c->settled = true;
	return false;
}

bool arguments_elements(struct call *c, struct json_object **list)
{
	struct buf text = BUF_ARENA(c->arena);
	struct problem why = { 0 };
	struct str template = str_trim(c->entry->doc.payload);

	if (!template.n)
		template = str_of("[\"$1\"]");
	if (template_expand_json(&text, template, &c->args) < 0)
		return bad_elements(c, "ERR:fn:bad_content_json:", str_of("the arguments make it too long"));
	if (json_parse(c->arena, buf_str(&text), list, &why) < 0)
		return bad_elements(c, "ERR:fn:bad_content_json:", str_of(why.detail));
	if (!json_object_is_type(*list, json_type_array))
		return bad_elements(c, "ERR:fn:content_not_array", str_of(""));
	return true;
}

struct json_object *arguments_named(struct call *c)
{
	struct json_object *out;

	if (!c->args.named)
		return named_from_pieces(c, c->args.arg, c->args.n);
	out = arena_json(c->arena, json_object_new_object());
	json_object_object_foreach(c->args.named, name, v)
		if (v || json_object_object_get_ex(c->request->named, name, NULL))
			json_put(out, name, json_object_get(v));
	return out;
}

struct json_object *arguments_example(struct arena *a, struct entry *e)
{
	struct call c = { .arena = a, .entry = e };
	struct str text = document_example(a, e), *arg;
	struct json_object *o;
	size_t n;

	template_split(a, text, &arg, &n);
	if (validator_of(&c))
		return named_from_pieces(&c, arg, n);
	o = arena_json(a, json_object_new_object());
	json_put_str(o, "body", text);
	return o;
}
