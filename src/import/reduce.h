/* Schemas of OpenAPI (3.0's dialect and 3.1's) as plain JSON Schema 2020-12: references written out, cycles cut, and
 * small enough for a row. */
#ifndef IMPORT_REDUCE_H
#define IMPORT_REDUCE_H
#include "base/json.h"

enum {
	REDUCE_TEXT_MAX = 40 * 1024,    /* bytes of a schema; well below max_row_field */
	REDUCE_DESCRIPTION_MAX = 400,   /* bytes of one description */
};

/* What stands at a `$ref` of the document itself ("#/…", followed through other references), or `o` when it is none.
 * NULL when there is no such place, or it is in another document. */
struct json_object *reduce_target(struct json_object *document, struct json_object *o);
/* The schema as a new object. nullable, boolean exclusiveMinimum/Maximum and example become what 2020-12 has; members
 * that are readOnly are left out; where a schema contains itself, goes below `depth` levels or more than some thousand
 * subschemas, it accepts anything and says so in its description. *cut (may be NULL) is set when that was so. A schema
 * that is absent accepts anything. */
struct json_object *reduce_schema(struct json_object *document, struct json_object *schema, unsigned depth, bool *cut);
/* A value that fits the reduced schema as far as its examples, defaults, enums and types say; only members that are
 * required. A new object, NULL for null. */
struct json_object *reduce_example(struct json_object *schema);

#endif
