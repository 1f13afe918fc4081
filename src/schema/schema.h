/* JSON Schema validation: 2020-12 (the default) and draft-07. No network: a `$ref` reaches only the document itself, the meta-schemas built in,
 * and documents given in a registry. */
#ifndef SCHEMA_SCHEMA_H
#define SCHEMA_SCHEMA_H
#include "base/json.h"

enum {
	SCHEMA_DEPTH_MAX = 64,          /* nested evaluations */
	SCHEMA_STEPS_MAX = 100000,      /* of one validation: a step is a keyword or subschema evaluated, a member looked at, ... */
	SCHEMA_ERRORS_MAX = 16,         /* reported errors of one validation; it ends with the last */
	SCHEMA_NODES_MAX = 20000,       /* subschemas of a schema and of the documents it refers to */
};

struct schema;
struct schema_registry;

struct schema_registry *schema_registry_new(void);
void schema_registry_free(struct schema_registry *r);
/* Makes doc reachable under uri; takes its own reference. */
void schema_registry_add(struct schema_registry *r, const char *uri, struct json_object *doc);
/* The document with this URI (without fragment), given at schema_registry_add or in its own `$id`; NULL when there is none or r is NULL. */
struct json_object *schema_registry_find(const struct schema_registry *r, const char *uri);

/* Compiles; NULL with why 422 `bad_schema` and why->detail = JSON Pointer and reason (unresolvable $ref, bad regular expression, wrong keyword type,
 * too deep). r may be NULL. Takes its own reference to doc. */
struct schema *schema_compile(struct json_object *doc, const struct schema_registry *r, struct problem *why);
void schema_free(struct schema *s);
/* 0 valid. -1: why is 422 `args_invalid`, detail the first error "/pointer: reason", extra {"errors":[{"path","keyword","message"}]} owned by arena a. Hostile input ends
 * at the bounds above with an error, never a crash. Instance NULL is JSON null. */
int schema_validate(const struct schema *s, struct arena *a, struct json_object *instance, struct problem *why);
/* Fills absent members of the object from `default` in `properties` (nested objects too, plain $ref and allOf followed). */
void schema_defaults(const struct schema *s, struct json_object *instance);

#endif
