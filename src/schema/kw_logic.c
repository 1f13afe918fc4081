/* Schemas combined: allOf, anyOf, oneOf, not, if. */
#include "schema/compile.h"
#include "schema/evaluate.h"
#include "schema/kw.h"

int kw_logic_list_compile(struct compile *c, struct rule *rule)
{
	if (!json_object_is_type(rule->value, json_type_array) || !json_object_array_length(rule->value))
		return compile_bad(c, "must be an array of at least one schema");
	return compile_nodes(c, rule);
}

int kw_logic_all(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	int r = 0;

	for (size_t i = 0; i < rule->n; i++) {
		if (evaluate_here(e, f, rule->nodes[i]) == 0)
			continue;
		r = -1;
		if (e->quiet || e->ended)
			break;
	}
	return r;
}

/* When marks are asked for, each alternative that holds adds its own. */
int kw_logic_any(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	bool any = false;

	for (size_t i = 0; i < rule->n && !e->ended && (!any || f->marks); i++)
		any |= evaluate_branch(e, f, rule->nodes[i]) == 0;
	return any ? 0 : evaluate_fail(e, f, "matches none of the %zu alternatives", rule->n);
}

int kw_logic_one(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	size_t holds = 0, first = 0, second = 0;

	for (size_t i = 0; i < rule->n && !e->ended && holds < 2; i++) {
		if (evaluate_branch(e, f, rule->nodes[i]) < 0)
			continue;
		holds++;
		first = holds == 1 ? i : first;
		second = i;
	}
	if (holds == 1)
		return 0;
	if (holds == 0)
		return evaluate_fail(e, f, "matches none of the %zu alternatives, exactly one must hold", rule->n);
	return evaluate_fail(
		e, f, "matches the alternatives %zu and %zu (from 0), exactly one must hold", first, second);
}

int kw_logic_not(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	if (evaluate_branch(e, f, rule->node) == 0)
		return evaluate_fail(e, f, "matches what it must not");
	return e->ended ? -1 : 0;
}

static int optional_child(struct compile *c, const char *name, struct node **out)
{
	struct json_object *v;

	if (!json_object_object_get_ex(c->node->json, name, &v))
		return 0;
	*out = compile_child(c, v);
	return *out ? 0 : -1;
}

int kw_logic_if_compile(struct compile *c, struct rule *rule)
{
	rule->node = compile_child(c, rule->value);
	rule->n = 2;
	rule->nodes = compile_alloc(c, 2 * sizeof(*rule->nodes));
	if (!rule->node || optional_child(c, "then", &rule->nodes[0]) < 0 ||
		optional_child(c, "else", &rule->nodes[1]) < 0)
		return -1;
	return 0;
}

int kw_logic_if(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	bool holds = evaluate_branch(e, f, rule->node) == 0;
	const struct node *next = rule->nodes[holds ? 0 : 1];

	if (e->ended)
		return -1;
	return next ? evaluate_here(e, f, next) : 0;
}
