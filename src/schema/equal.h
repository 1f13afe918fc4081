/* Equality of JSON values as JSON Schema has it: numbers by value, objects without regard to order. */
#ifndef SCHEMA_EQUAL_H
#define SCHEMA_EQUAL_H
#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	EQUAL_DEPTH_MAX = 65,           /* nested values looked into; JSON_DEPTH_MAX and the scalars inside */
	EQUAL_BYTES = 64,               /* bytes of a string that count as one unit of work */
};

/* Adds what it did to *work: a unit a value and a unit each EQUAL_BYTES of text. Values nested deeper than
 * EQUAL_DEPTH_MAX are never equal. */
bool equal_values(struct json_object *a, struct json_object *b, size_t *work);
/* Looks for two equal items. Returns true and their positions, or false. *work as above; gives up (false) once it
 * exceeds limit. */
bool equal_items(struct json_object *array, size_t *first, size_t *second, size_t *work, size_t limit);

#endif
