/* Keywords about arrays. A loop over items ends early when nothing more can be learnt. */
#include <inttypes.h>
#include "schema/compile.h"
#include "schema/equal.h"
#include "schema/evaluate.h"
#include "schema/kw.h"

static bool enough(const struct evaluate *e, int r)
{
	return r < 0 && (e->quiet || e->ended);
}

/* prefixItems, and `items` of draft-07 with an array: each item by its own schema. */
int kw_array_prefix(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	size_t n = json_object_array_length(f->instance);
	int r = 0;

	for (size_t i = 0; i < n && i < rule->n && !enough(e, r); i++) {
		if (evaluate_item(e, f, rule->nodes[i], json_object_array_get_idx(f->instance, i), i) < 0)
			r = -1;
		marks_add(f->marks, i);
	}
	return r;
}

int kw_array_items_compile(struct compile *c, struct rule *rule)
{
	const struct rule *prefix = compile_neighbour(c, "prefixItems");

	rule->min = prefix ? prefix->n : 0;
	rule->node = compile_child(c, rule->value);
	return rule->node ? 0 : -1;
}

/* All items from position min on. */
int kw_array_items(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	size_t n = json_object_array_length(f->instance);
	int r = 0;

	if (!rule->node)
		return 0;
	for (size_t i = rule->min; i < n && !enough(e, r); i++)
		if (evaluate_item(e, f, rule->node, json_object_array_get_idx(f->instance, i), i) < 0)
			r = -1;
	marks_add_all(f->marks);
	return r;
}

int kw_array_old_items_compile(struct compile *c, struct rule *rule)
{
	if (json_object_is_type(rule->value, json_type_array))
		return compile_nodes(c, rule);
	rule->node = compile_child(c, rule->value);
	return rule->node ? 0 : -1;
}

int kw_array_old_items(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	return rule->node ? kw_array_items(e, f, rule) : kw_array_prefix(e, f, rule);
}

/* Means nothing unless `items` is an array (draft-07 validation, section 6.4.2); then the node stays NULL. */
int kw_array_additional_compile(struct compile *c, struct rule *rule)
{
	const struct rule *items = compile_neighbour(c, "items");
	struct node *n = compile_child(c, rule->value);

	if (!n)
		return -1;
	if (items && !items->node) {
		rule->node = n;
		rule->min = items->n;
	}
	return 0;
}

/* The count of a neighbour that has no rule of its own, if it is there and counts in this dialect. */
static void neighbour_count(const struct compile *c, const char *name, uint64_t *out)
{
	struct dialect d = c->node->resource->dialect;
	struct json_object *v;
	struct decimal number;

	if (d.draft == DRAFT_2020 && d.vocabularies & VOCABULARY_VALIDATION &&
		json_object_object_get_ex(c->node->json, name, &v) && decimal_read(&number, v) == 0)
		decimal_count(&number, out);
}

int kw_array_contains_compile(struct compile *c, struct rule *rule)
{
	rule->min = 1;
	rule->max = UINT64_MAX;
	neighbour_count(c, "minContains", &rule->min);
	neighbour_count(c, "maxContains", &rule->max);
	rule->node = compile_child(c, rule->value);
	return rule->node ? 0 : -1;
}

int kw_array_contains(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	size_t n = json_object_array_length(f->instance);
	uint64_t found = 0;

	for (size_t i = 0; i < n && !e->ended; i++) {
		int r;

		if (found > rule->max || (found >= rule->min && rule->max == UINT64_MAX && !f->marks))
			break;
		e->quiet++;
		r = evaluate_item(e, f, rule->node, json_object_array_get_idx(f->instance, i), i);
		e->quiet--;
		if (r < 0)
			continue;
		found++;
		marks_add(f->marks, i);
	}
	if (e->ended)
		return -1;
	if (found < rule->min)
		return evaluate_fail(
			e, f, "must contain at least %" PRIu64 " matching items, has %" PRIu64, rule->min, found);
	if (found > rule->max)
		return evaluate_fail(e, f, "must contain at most %" PRIu64 " matching items", rule->max);
	return 0;
}

int kw_array_max_items(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	size_t n = json_object_array_length(f->instance);

	return n <= rule->max ? 0 : evaluate_fail(e, f, "must have at most %" PRIu64 " items, has %zu", rule->max, n);
}

int kw_array_min_items(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	size_t n = json_object_array_length(f->instance);

	return n >= rule->min ? 0 : evaluate_fail(e, f, "must have at least %" PRIu64 " items, has %zu", rule->min, n);
}

int kw_array_unique(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	size_t first = 0, second = 0, work = 0;
	bool found;

	if (!json_object_get_boolean(rule->value))
		return 0;
	found = equal_items(f->instance, &first, &second, &work, e->steps);
	if (!evaluate_spend(e, f, work))
		return -1;
	return found ? evaluate_fail(e, f, "items %zu and %zu are equal", first, second) : 0;
}

int kw_array_unevaluated(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	size_t n = json_object_array_length(f->instance);
	int r = 0;

	for (size_t i = 0; i < n && !enough(e, r); i++)
		if (!marks_has(f->marks, i) &&
			evaluate_item(e, f, rule->node, json_object_array_get_idx(f->instance, i), i) < 0)
			r = -1;
	marks_add_all(f->marks);
	return r;
}
