/* References, and the checks that many keywords share. Which document and place a reference means is decided in
 * resolve.c. */
#include "base/json.h"
#include "schema/compile.h"
#include "schema/evaluate.h"
#include "schema/kw.h"

int kw_core_ref_compile(struct compile *c, struct rule *rule)
{
	struct str ref = json_str(rule->value);
	const char *reason;

	if (!ref.p)
		return compile_bad(c, "must be a string");
	rule->node = resolve_reference(c->resolve, c->node, ref, &rule->anchor, &reason);
	if (rule->node)
		return 0;
	return reason ? compile_bad(c, "\"%.200s\" cannot be resolved: %s", ref.p, reason) : -1;
}

int kw_core_ref(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	return evaluate_here(e, f, rule->node);
}

/* Only a reference by name to a $dynamicAnchor of that name is dynamic (core, section 8.2.3.2). */
int kw_core_dynamic_ref_compile(struct compile *c, struct rule *rule)
{
	struct json_object *own;

	if (kw_core_ref_compile(c, rule) < 0)
		return -1;
	if (!rule->anchor)
		return 0;
	if (!json_object_object_get_ex(rule->node->json, "$dynamicAnchor", &own) ||
		!str_is(json_str(own), rule->anchor))
		rule->anchor = NULL;
	return 0;
}

int kw_core_dynamic_ref(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	return evaluate_here(e, f, rule->anchor ? evaluate_dynamic(f, rule->anchor, rule->node) : rule->node);
}

static int check_type(struct compile *c, const struct rule *rule, enum json_type t, const char *must)
{
	return json_object_is_type(rule->value, t) ? 0 : compile_bad(c, "must be %s", must);
}

int kw_core_string_compile(struct compile *c, struct rule *rule)
{
	return check_type(c, rule, json_type_string, "a string");
}

int kw_core_boolean_compile(struct compile *c, struct rule *rule)
{
	return check_type(c, rule, json_type_boolean, "a boolean");
}

int kw_core_array_compile(struct compile *c, struct rule *rule)
{
	return check_type(c, rule, json_type_array, "an array");
}

int kw_core_object_compile(struct compile *c, struct rule *rule)
{
	return check_type(c, rule, json_type_object, "an object");
}

int kw_core_schema_compile(struct compile *c, struct rule *rule)
{
	rule->node = compile_child(c, rule->value);
	return rule->node ? 0 : -1;
}

int kw_core_schemas_compile(struct compile *c, struct rule *rule)
{
	if (check_type(c, rule, json_type_object, "an object of schemas") < 0)
		return -1;
	return compile_names(c, rule);
}

int kw_core_count_compile(struct compile *c, struct rule *rule)
{
	struct decimal d;

	if (decimal_read(&d, rule->value) < 0 || decimal_count(&d, &rule->min) < 0)
		return compile_bad(c, "must be an integer of at least 0");
	rule->max = rule->min;
	return 0;
}
