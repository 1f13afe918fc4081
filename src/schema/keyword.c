/* The table, and nothing else: a new keyword is a row here and its functions in a kw_*.c. */
#include "schema/keyword.h"
#include "schema/kw.h"

#define CORE        VOCABULARY_CORE
#define APPLICATOR  VOCABULARY_APPLICATOR
#define UNEVALUATED VOCABULARY_UNEVALUATED
#define VALIDATION  VOCABULARY_VALIDATION
#define META_DATA   VOCABULARY_META_DATA
#define CONTENT     VOCABULARY_CONTENT
#define NONE        CHILDREN_NONE
#define ONE         CHILDREN_ONE
#define LIST        CHILDREN_LIST
#define MEMBERS     CHILDREN_MEMBERS

/* $id, $anchor, $dynamicAnchor and $schema are read by resolve.c, where they count; elsewhere they only have to be
 * strings. */
const struct keyword keyword_table[] = {
	{ "$id", DRAFT_ALL, CORE, NONE, ON_ANY, false, kw_core_string_compile, NULL },
	{ "$schema", DRAFT_ALL, CORE, NONE, ON_ANY, false, kw_core_string_compile, NULL },
	{ "$anchor", DRAFT_2020, CORE, NONE, ON_ANY, false, kw_core_string_compile, NULL },
	{ "$dynamicAnchor", DRAFT_2020, CORE, NONE, ON_ANY, false, kw_core_string_compile, NULL },
	{ "$vocabulary", DRAFT_2020, CORE, NONE, ON_ANY, false, kw_core_object_compile, NULL },
	{ "$comment", DRAFT_ALL, CORE, NONE, ON_ANY, false, kw_core_string_compile, NULL },
	{ "$defs", DRAFT_2020, CORE, MEMBERS, ON_ANY, false, kw_core_schemas_compile, NULL },
	{ "definitions", DRAFT_ALL, CORE, MEMBERS, ON_ANY, false, kw_core_schemas_compile, NULL },
	{ "$ref", DRAFT_ALL, CORE, NONE, ON_ANY, true, kw_core_ref_compile, kw_core_ref },
	{ "$dynamicRef", DRAFT_2020, CORE, NONE, ON_ANY, false, kw_core_dynamic_ref_compile, kw_core_dynamic_ref },

	{ "type", DRAFT_ALL, VALIDATION, NONE, ON_ANY, false, kw_value_type_compile, kw_value_type },
	{ "enum", DRAFT_ALL, VALIDATION, NONE, ON_ANY, false, kw_core_array_compile, kw_value_enum },
	{ "const", DRAFT_ALL, VALIDATION, NONE, ON_ANY, false, NULL, kw_value_const },
	{ "multipleOf", DRAFT_ALL, VALIDATION, NONE, ON_NUMBER, false, kw_value_multiple_compile, kw_value_multiple },
	{ "maximum", DRAFT_ALL, VALIDATION, NONE, ON_NUMBER, false, kw_value_number_compile, kw_value_maximum },
	{ "exclusiveMaximum", DRAFT_ALL, VALIDATION, NONE, ON_NUMBER, false, kw_value_number_compile,
		kw_value_exclusive_maximum },
	{ "minimum", DRAFT_ALL, VALIDATION, NONE, ON_NUMBER, false, kw_value_number_compile, kw_value_minimum },
	{ "exclusiveMinimum", DRAFT_ALL, VALIDATION, NONE, ON_NUMBER, false, kw_value_number_compile,
		kw_value_exclusive_minimum },
	{ "maxLength", DRAFT_ALL, VALIDATION, NONE, ON_STRING, false, kw_core_count_compile, kw_value_max_length },
	{ "minLength", DRAFT_ALL, VALIDATION, NONE, ON_STRING, false, kw_core_count_compile, kw_value_min_length },
	{ "pattern", DRAFT_ALL, VALIDATION, NONE, ON_STRING, false, kw_value_pattern_compile, kw_value_pattern },

	{ "maxItems", DRAFT_ALL, VALIDATION, NONE, ON_ARRAY, false, kw_core_count_compile, kw_array_max_items },
	{ "minItems", DRAFT_ALL, VALIDATION, NONE, ON_ARRAY, false, kw_core_count_compile, kw_array_min_items },
	{ "uniqueItems", DRAFT_ALL, VALIDATION, NONE, ON_ARRAY, false, kw_core_boolean_compile, kw_array_unique },
	{ "maxContains", DRAFT_2020, VALIDATION, NONE, ON_ARRAY, false, kw_core_count_compile, NULL },
	{ "minContains", DRAFT_2020, VALIDATION, NONE, ON_ARRAY, false, kw_core_count_compile, NULL },
	{ "prefixItems", DRAFT_2020, APPLICATOR, LIST, ON_ARRAY, false, kw_logic_list_compile, kw_array_prefix },
	{ "items", DRAFT_2020, APPLICATOR, ONE, ON_ARRAY, false, kw_array_items_compile, kw_array_items },
	{ "items", DRAFT_07, APPLICATOR, CHILDREN_ONE_OR_LIST, ON_ARRAY, false, kw_array_old_items_compile,
		kw_array_old_items },
	{ "additionalItems", DRAFT_07, APPLICATOR, ONE, ON_ARRAY, false, kw_array_additional_compile, kw_array_items },
	{ "contains", DRAFT_ALL, APPLICATOR, ONE, ON_ARRAY, false, kw_array_contains_compile, kw_array_contains },

	{ "maxProperties", DRAFT_ALL, VALIDATION, NONE, ON_OBJECT, false, kw_core_count_compile,
		kw_object_max_properties },
	{ "minProperties", DRAFT_ALL, VALIDATION, NONE, ON_OBJECT, false, kw_core_count_compile,
		kw_object_min_properties },
	{ "required", DRAFT_ALL, VALIDATION, NONE, ON_OBJECT, false, kw_object_required_compile, kw_object_required },
	{ "dependentRequired", DRAFT_2020, VALIDATION, NONE, ON_OBJECT, false, kw_object_dependent_required_compile,
		kw_object_dependencies },
	{ "properties", DRAFT_ALL, APPLICATOR, MEMBERS, ON_OBJECT, false, kw_core_schemas_compile,
		kw_object_properties },
	{ "patternProperties", DRAFT_ALL, APPLICATOR, MEMBERS, ON_OBJECT, false, kw_object_patterns_compile,
		kw_object_patterns },
	{ "additionalProperties", DRAFT_ALL, APPLICATOR, ONE, ON_OBJECT, false, kw_object_additional_compile,
		kw_object_additional },
	{ "propertyNames", DRAFT_ALL, APPLICATOR, ONE, ON_OBJECT, false, kw_core_schema_compile, kw_object_names },
	{ "dependentSchemas", DRAFT_2020, APPLICATOR, MEMBERS, ON_OBJECT, false, kw_core_schemas_compile,
		kw_object_dependent_schemas },
	{ "dependencies", DRAFT_07, APPLICATOR, CHILDREN_SOME_MEMBERS, ON_OBJECT, false, kw_object_dependencies_compile,
		kw_object_dependencies },

	{ "allOf", DRAFT_ALL, APPLICATOR, LIST, ON_ANY, true, kw_logic_list_compile, kw_logic_all },
	{ "anyOf", DRAFT_ALL, APPLICATOR, LIST, ON_ANY, false, kw_logic_list_compile, kw_logic_any },
	{ "oneOf", DRAFT_ALL, APPLICATOR, LIST, ON_ANY, false, kw_logic_list_compile, kw_logic_one },
	{ "not", DRAFT_ALL, APPLICATOR, ONE, ON_ANY, true, kw_core_schema_compile, kw_logic_not },
	{ "then", DRAFT_ALL, APPLICATOR, ONE, ON_ANY, false, kw_core_schema_compile, NULL },
	{ "else", DRAFT_ALL, APPLICATOR, ONE, ON_ANY, false, kw_core_schema_compile, NULL },
	{ "if", DRAFT_ALL, APPLICATOR, ONE, ON_ANY, false, kw_logic_if_compile, kw_logic_if },

	{ "unevaluatedItems", DRAFT_2020, UNEVALUATED, ONE, ON_ARRAY, false, kw_core_schema_compile,
		kw_array_unevaluated },
	{ "unevaluatedProperties", DRAFT_2020, UNEVALUATED, ONE, ON_OBJECT, false, kw_core_schema_compile,
		kw_object_unevaluated },

	{ "title", DRAFT_ALL, META_DATA, NONE, ON_ANY, false, kw_core_string_compile, NULL },
	{ "description", DRAFT_ALL, META_DATA, NONE, ON_ANY, false, kw_core_string_compile, NULL },
	{ "deprecated", DRAFT_2020, META_DATA, NONE, ON_ANY, false, kw_core_boolean_compile, NULL },
	{ "readOnly", DRAFT_ALL, META_DATA, NONE, ON_ANY, false, kw_core_boolean_compile, NULL },
	{ "writeOnly", DRAFT_ALL, META_DATA, NONE, ON_ANY, false, kw_core_boolean_compile, NULL },
	{ "examples", DRAFT_ALL, META_DATA, NONE, ON_ANY, false, kw_core_array_compile, NULL },
	{ "format", DRAFT_ALL, VOCABULARY_FORMAT, NONE, ON_ANY, false, kw_core_string_compile, NULL },
	{ "contentEncoding", DRAFT_ALL, CONTENT, NONE, ON_ANY, false, kw_core_string_compile, NULL },
	{ "contentMediaType", DRAFT_ALL, CONTENT, NONE, ON_ANY, false, kw_core_string_compile, NULL },
	{ "contentSchema", DRAFT_2020, CONTENT, ONE, ON_ANY, false, kw_core_schema_compile, NULL },
	{ .name = NULL },
};

bool keyword_in(const struct keyword *k, struct dialect d)
{
	return (k->drafts & d.draft) && (k->vocabulary & d.vocabularies);
}

enum on keyword_on(struct json_object *instance)
{
	switch (json_object_get_type(instance)) {
	case json_type_boolean:
		return ON_BOOLEAN;
	case json_type_int:
	case json_type_double:
		return ON_NUMBER;
	case json_type_string:
		return ON_STRING;
	case json_type_array:
		return ON_ARRAY;
	case json_type_object:
		return ON_OBJECT;
	default:
		return ON_NULL;
	}
}
