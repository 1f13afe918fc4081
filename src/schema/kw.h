/* The keywords' functions, by file. Those that end in _compile are for keyword.compile, the others for
 * keyword.evaluate; keyword.h has what they promise. Said at each file: which fields of struct rule it uses. */
#ifndef SCHEMA_KW_H
#define SCHEMA_KW_H

struct compile;
struct evaluate;
struct frame;
struct rule;

/* kw_core.c: references (node; anchor), and the types of values that are not evaluated. */
int kw_core_ref_compile(struct compile *c, struct rule *rule);
int kw_core_ref(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_core_dynamic_ref_compile(struct compile *c, struct rule *rule);
int kw_core_dynamic_ref(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_core_string_compile(struct compile *c, struct rule *rule);
int kw_core_boolean_compile(struct compile *c, struct rule *rule);
int kw_core_array_compile(struct compile *c, struct rule *rule);
int kw_core_object_compile(struct compile *c, struct rule *rule);
int kw_core_schema_compile(struct compile *c, struct rule *rule);               /* and sets node */
int kw_core_schemas_compile(struct compile *c, struct rule *rule);              /* an object of schemas; sets names */
int kw_core_count_compile(struct compile *c, struct rule *rule); /* a non-negative integer; sets min and max to it */

/* kw_logic.c: nodes of a list; node of `not` and `if`, whose nodes are then and else. */
int kw_logic_list_compile(struct compile *c, struct rule *rule);
int kw_logic_all(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_logic_any(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_logic_one(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_logic_not(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_logic_if_compile(struct compile *c, struct rule *rule);
int kw_logic_if(struct evaluate *e, const struct frame *f, const struct rule *rule);

/* kw_value.c: types; value; number; min, max; patterns of one. */
int kw_value_type_compile(struct compile *c, struct rule *rule);
int kw_value_type(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_value_enum(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_value_const(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_value_number_compile(struct compile *c, struct rule *rule);
int kw_value_multiple_compile(struct compile *c, struct rule *rule);
int kw_value_multiple(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_value_maximum(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_value_exclusive_maximum(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_value_minimum(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_value_exclusive_minimum(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_value_max_length(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_value_min_length(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_value_pattern_compile(struct compile *c, struct rule *rule);
int kw_value_pattern(struct evaluate *e, const struct frame *f, const struct rule *rule);

/* kw_array.c: nodes of a list; node of a schema for items, the first `min` of which others look after; min, max. */
int kw_array_prefix(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_array_items_compile(struct compile *c, struct rule *rule);
int kw_array_items(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_array_old_items_compile(struct compile *c, struct rule *rule);
int kw_array_old_items(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_array_additional_compile(struct compile *c, struct rule *rule);
int kw_array_contains_compile(struct compile *c, struct rule *rule);
int kw_array_contains(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_array_max_items(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_array_min_items(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_array_unique(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_array_unevaluated(struct evaluate *e, const struct frame *f, const struct rule *rule);

/* kw_object.c: names; patterns; node, properties, pattern_properties; value; min, max. */
int kw_object_properties(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_object_patterns_compile(struct compile *c, struct rule *rule);
int kw_object_patterns(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_object_additional_compile(struct compile *c, struct rule *rule);
int kw_object_additional(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_object_names(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_object_required_compile(struct compile *c, struct rule *rule);
int kw_object_required(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_object_max_properties(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_object_min_properties(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_object_dependent_required_compile(struct compile *c, struct rule *rule);
int kw_object_dependent_schemas(struct evaluate *e, const struct frame *f, const struct rule *rule);
int kw_object_dependencies_compile(struct compile *c, struct rule *rule);       /* draft-07 */
int kw_object_dependencies(
	struct evaluate *e, const struct frame *f, const struct rule *rule); /* dependentRequired too */
int kw_object_unevaluated(struct evaluate *e, const struct frame *f, const struct rule *rule);

#endif
