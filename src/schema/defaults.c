/* Absent members from `default`. Follows what applies whatever the instance is: properties, $ref and allOf; not what
 * depends on it (anyOf, if, …). A default may bring objects that get defaults in turn, so the whole is bounded: by
 * depth, and by the amount of values put in. */
#include "base/json.h"
#include "schema/keyword.h"
#include "schema/kw.h"
#include "schema/defaults.h"
#include "schema/schema.h"

struct defaults {
	size_t left;            /* steps; a copy costs one for each value in it and each DEFAULTS_BYTES of text */
	unsigned depth;
};

enum { DEFAULTS_BYTES = 64 };

typedef int (*evaluate_fn)(struct evaluate *e, const struct frame *f, const struct rule *rule);

static const struct rule *rule_of(const struct node *n, evaluate_fn fn)
{
	for (size_t i = 0; i < n->n; i++)
		if (n->rules[i].keyword->evaluate == fn)
			return &n->rules[i];
	return NULL;
}

static bool spend(struct defaults *d, size_t n)
{
	if (n > d->left) {
		d->left = 0;
		return false;
	}
	d->left -= n;
	return true;
}

/* Takes what a copy of o costs; false when that is too much or o would nest deeper than `levels`. */
static bool afford(struct defaults *d, struct json_object *o, unsigned levels)
{
	struct lh_entry *e;

	if (!levels || !spend(d, 1 + (json_object_is_type(o, json_type_string) ? json_str(o).n / DEFAULTS_BYTES : 0)))
		return false;
	if (json_object_is_type(o, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(o); i++)
			if (!afford(d, json_object_array_get_idx(o, i), levels - 1))
				return false;
	} else if (json_object_is_type(o, json_type_object)) {
		lh_foreach(json_object_get_object(o), e)
			if (!afford(d, (struct json_object *)lh_entry_v(e), levels - 1))
				return false;
	}
	return true;
}

/* Whether a value described by n has a default, n's own or one of what it refers to. */
static bool find(struct defaults *d, const struct node *n, struct json_object **out)
{
	const struct rule *ref = rule_of(n, kw_core_ref), *all = rule_of(n, kw_logic_all);
	bool ref_alone = ref && n->resource->dialect.draft == DRAFT_07, found = false;

	if (d->depth >= SCHEMA_DEPTH_MAX || !spend(d, 1) || !json_object_is_type(n->json, json_type_object))
		return false;
	if (!ref_alone && json_object_object_get_ex(n->json, "default", out))
		return true;
	d->depth++;
	found = ref && find(d, ref->node, out);
	for (size_t i = 0; all && i < all->n && !found; i++)
		found = find(d, all->nodes[i], out);
	d->depth--;
	return found;
}

static void fill(struct defaults *d, const struct node *n, struct json_object *o, unsigned levels);

static void fill_members(struct defaults *d, const struct rule *properties, struct json_object *o, unsigned levels)
{
	struct lh_entry *e;

	lh_foreach(properties->names, e) {
		const char *name = lh_entry_k(e);
		struct json_object *v = NULL, *copy = NULL;

		if (!json_object_object_get_ex(o, name, &v)) {
			if (!find(d, lh_entry_v(e), &v) || !afford(d, v, levels) ||
				(v && json_object_deep_copy(v, &copy, NULL) < 0))
				continue;
			json_put(o, name, copy);
			v = copy;
		}
		fill(d, lh_entry_v(e), v, levels - 1);
	}
}

/* levels: how many more o may nest. */
static void fill(struct defaults *d, const struct node *n, struct json_object *o, unsigned levels)
{
	const struct rule *ref = rule_of(n, kw_core_ref), *all = rule_of(n, kw_logic_all),
			  *properties = rule_of(n, kw_object_properties);

	if (!levels || d->depth >= SCHEMA_DEPTH_MAX || !json_object_is_type(o, json_type_object) || !spend(d, 1))
		return;
	d->depth++;
	if (properties)
		fill_members(d, properties, o, levels);
	if (ref)
		fill(d, ref->node, o, levels);
	for (size_t i = 0; all && i < all->n; i++)
		fill(d, all->nodes[i], o, levels);
	d->depth--;
}

void defaults_fill(const struct schema *s, struct json_object *instance)
{
	struct defaults d = { .left = SCHEMA_STEPS_MAX };

	fill(&d, s->root, instance, JSON_DEPTH_MAX);
}
