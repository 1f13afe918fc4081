/* A schema without references, and in the words of 2020-12 whatever its dialect is. Each reference is replaced by what
 * it refers to, so a schema that contains itself cannot be written, and one that multiplies itself ends at a bound.
 * What has no meaning for validity or for a reader (identifiers, comments, keywords that nobody knows) is left out. */
#include <string.h>
#include "base/escape.h"
#include "base/json.h"
#include "schema/keyword.h"
#include "schema/kw.h"
#include "schema/plain.h"
#include "schema/resolve.h"

#define DEEP  "nested too deep when its references are written out"
#define LARGE "too large when its references are written out"

enum { REFS_MAX = 2 };                  /* $ref and $dynamicRef of one subschema */

struct plain {
	struct buf *out;
	size_t start;                   /* of the text in out */
	struct problem *why;
};

/* The subschemas around the one at hand. */
struct around {
	const struct node *node;
	const struct around *up;
};

/* What a subschema refers to, and what else it says. */
struct parts {
	const struct node *ref[REFS_MAX];
	size_t refs;
	bool says, asserts;             /* members besides; some that are more than annotations */
};

static int put_node(struct plain *p, const struct node *n, const struct around *up);

static int refuse(struct plain *p, const struct node *n, const char *text)
{
	struct buf at = BUF_MALLOC;

	resolve_pointer(&at, n->place);
	problem_set(p->why, 422, "bad_schema");
	if (*n->resource->document->uri)
		problem_detail(p->why, "%s#%.300s: %s", n->resource->document->uri, buf_text(&at), text);
	else
		problem_detail(p->why, "%.300s: %s", at.len ? buf_text(&at) : "(root)", text);
	problem_fix(p->why, "clients of tools follow no references, so the schema is written out for them: write the "
		    "levels that are needed, and leave the rest to a plain object");
	buf_free(&at);
	return -1;
}

static void put_name(struct plain *p, const char *name)
{
	buf_putc(p->out, '"');
	escape_add(p->out, ESCAPE_JSON, str_of(name));
	buf_puts(p->out, "\":");
}

static void close_with(struct plain *p, char bracket)
{
	if (p->out->data[p->out->len - 1] == ',')
		p->out->len--;
	buf_putc(p->out, bracket);
}

static int put_child(struct plain *p, const struct around *here, struct json_object *value)
{
	return put_node(p, resolve_node(here->node->resource->document, value), here);
}

/* The members of a list of subschemas, without brackets. */
static int put_items(struct plain *p, const struct around *here, struct json_object *list)
{
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		if (put_child(p, here, json_object_array_get_idx(list, i)) < 0)
			return -1;
		buf_putc(p->out, ',');
	}
	return 0;
}

static int put_list(struct plain *p, const struct around *here, const char *name, struct json_object *list)
{
	put_name(p, name);
	buf_putc(p->out, '[');
	if (put_items(p, here, list) < 0)
		return -1;
	close_with(p, ']');
	return 0;
}

/* Members of an object whose values are subschemas, or with `lists` those that are arrays of names. */
static int put_map(struct plain *p, const struct around *here, const char *name, struct json_object *o, bool lists)
{
	struct lh_entry *e;

	put_name(p, name);
	buf_putc(p->out, '{');
	lh_foreach(json_object_get_object(o), e) {
		struct json_object *v = (struct json_object *)lh_entry_v(e);

		if (lists != json_object_is_type(v, json_type_array))
			continue;
		put_name(p, lh_entry_k(e));
		if (lists)
			json_text(p->out, v);
		else if (put_child(p, here, v) < 0)
			return -1;
		buf_putc(p->out, ',');
	}
	close_with(p, '}');
	return 0;
}

static int put_one(struct plain *p, const struct around *here, const char *name, struct json_object *value)
{
	put_name(p, name);
	return put_child(p, here, value);
}

/* `dependencies` of draft-07 has become two keywords. */
static int put_dependencies(struct plain *p, const struct around *here, struct json_object *value)
{
	if (put_map(p, here, "dependentRequired", value, true) < 0)
		return -1;
	buf_putc(p->out, ',');
	return put_map(p, here, "dependentSchemas", value, false);
}

static int put_value(struct plain *p, const struct around *here, const struct keyword *k, struct json_object *value)
{
	switch (k->children) {
	case CHILDREN_NONE:
		put_name(p, k->name);
		json_text(p->out, value);
		return 0;
	case CHILDREN_ONE:
		/* additionalItems of draft-07, which counts beside a list alone */
		return put_one(p, here, strcmp(k->name, "additionalItems") ? k->name : "items", value);
	case CHILDREN_LIST:
		return put_list(p, here, k->name, value);
	case CHILDREN_MEMBERS:
		return put_map(p, here, k->name, value, false);
	case CHILDREN_ONE_OR_LIST:
		if (json_object_is_type(value, json_type_array))
			return put_list(p, here, "prefixItems", value);
		return put_one(p, here, k->name, value);
	case CHILDREN_SOME_MEMBERS:
		return put_dependencies(p, here, value);
	}
	return 0;
}

/* The keyword as it counts here; NULL for what is not written. */
static const struct keyword *keyword_of(const struct node *n, const char *name)
{
	static const struct keyword dflt = { .name = "default", .vocabulary = VOCABULARY_META_DATA };

	if (strcmp(name, "default") == 0)
		return &dflt;
	for (const struct keyword *k = keyword_table; k->name; k++) {
		if (strcmp(k->name, name) || !keyword_in(k, n->resource->dialect))
			continue;
		if (strcmp(name, "additionalItems") == 0 &&
		    !json_object_is_type(json_get(n->json, "items"), json_type_array))
			return NULL;
		return k->vocabulary == VOCABULARY_CORE ? NULL : k;
	}
	return NULL;
}

static void take_apart(const struct node *n, struct parts *parts)
{
	struct lh_entry *e;

	*parts = (struct parts){ 0 };
	for (size_t i = 0; i < n->n; i++) {
		const struct rule *r = &n->rules[i];

		if (r->keyword->evaluate == kw_core_ref || r->keyword->evaluate == kw_core_dynamic_ref)
			parts->ref[parts->refs++] = r->node;
	}
	if (parts->refs && n->resource->dialect.draft == DRAFT_07)
		return;                 /* its neighbours do not count there */
	lh_foreach(json_object_get_object(n->json), e) {
		const struct keyword *k = keyword_of(n, lh_entry_k(e));

		parts->says = parts->says || k;
		parts->asserts = parts->asserts || (k && k->vocabulary != VOCABULARY_META_DATA);
	}
}

/* The members of n but allOf, and but those that `hidden` has too. */
static int put_members(struct plain *p, const struct around *here, struct json_object *hidden)
{
	struct lh_entry *e;

	lh_foreach(json_object_get_object(here->node->json), e) {
		const char *name = lh_entry_k(e);
		const struct keyword *k = keyword_of(here->node, name);

		if (!k || strcmp(name, "allOf") == 0 || json_object_object_get_ex(hidden, name, NULL))
			continue;
		if (put_value(p, here, k, (struct json_object *)lh_entry_v(e)) < 0)
			return -1;
		buf_putc(p->out, ',');
	}
	return 0;
}

/* All that must hold besides: what is referred to, and allOf itself. */
static int put_all_of(struct plain *p, const struct around *here, const struct parts *parts)
{
	struct json_object *own = json_get(here->node->json, "allOf");

	if (!parts->refs && !own)
		return 0;
	buf_puts(p->out, "\"allOf\":[");
	for (size_t i = 0; i < parts->refs; i++) {
		if (put_node(p, parts->ref[i], here) < 0)
			return -1;
		buf_putc(p->out, ',');
	}
	if (own && put_items(p, here, own) < 0)
		return -1;
	close_with(p, ']');
	buf_putc(p->out, ',');
	return 0;
}

/* Only a dynamic reference by name goes elsewhere than it says, and that is what recursive schemas are made with. */
static bool is_dynamic(const struct node *n)
{
	for (size_t i = 0; i < n->n; i++)
		if (n->rules[i].keyword->evaluate == kw_core_dynamic_ref && n->rules[i].anchor)
			return true;
	return false;
}

/* Everything that ends the writing. */
static int check(struct plain *p, const struct around *here)
{
	const struct node *n = here->node;
	int depth = 1;

	for (const struct around *a = here->up; a; a = a->up, depth++)
		if (a->node == n)
			return refuse(p, here->up->node, "refers to a schema that it is part of");
	if (depth > SCHEMA_DEPTH_MAX)
		return refuse(p, n, DEEP);
	if (p->out->len - p->start > SCHEMA_PLAIN_MAX)
		return refuse(p, n, LARGE);
	return is_dynamic(n) ? refuse(p, n, "$dynamicRef to a $dynamicAnchor: use $ref") : 0;
}

/* When the only reference of a subschema has nothing but annotations beside it, its target's members are written in
 * their place, but the annotations that the subschema has itself. */
static bool is_annotated(const struct parts *parts)
{
	struct parts target;

	if (parts->refs != 1 || parts->asserts || !json_object_is_type(parts->ref[0]->json, json_type_object))
		return false;
	take_apart(parts->ref[0], &target);
	return !target.refs;
}

static int put_object(struct plain *p, const struct around *here)
{
	const struct parts none = { .refs = 0 };
	struct around there = { .up = here };
	struct parts parts;

	take_apart(here->node, &parts);
	there.node = parts.ref[0];
	if (parts.refs == 1 && !parts.says)
		return put_node(p, there.node, here);
	buf_putc(p->out, '{');
	if (put_members(p, here, NULL) < 0)
		return -1;
	if (!is_annotated(&parts)) {
		if (put_all_of(p, here, &parts) < 0)
			return -1;
	} else if (check(p, &there) < 0 || put_members(p, &there, here->node->json) < 0 ||
		   put_all_of(p, &there, &none) < 0) {
		return -1;
	}
	close_with(p, '}');
	return 0;
}

static int put_node(struct plain *p, const struct node *n, const struct around *up)
{
	const struct around here = { n, up };

	if (check(p, &here) < 0)
		return -1;
	if (json_object_is_type(n->json, json_type_object))
		return put_object(p, &here);
	buf_puts(p->out, n->refuses ? "false" : "true");
	return 0;
}

int plain_write(const struct schema *s, struct buf *out, struct problem *why)
{
	struct plain p = { .out = out, .start = out->len, .why = why };

	if (put_node(&p, s->root, NULL) < 0)
		return -1;
	if (out->len - p.start > SCHEMA_PLAIN_MAX)
		return refuse(&p, s->root, LARGE);
	if (json_check(str_skip(buf_str(out), p.start), NULL) < 0)
		return refuse(&p, s->root, DEEP);
	return 0;
}
