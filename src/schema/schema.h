/* JSON Schema validation: 2020-12 (the default) and draft-07. No network: a `$ref` reaches only the document itself,
 * the meta-schemas built in, and documents given in a registry. `format` and the content keywords are annotations only;
 * patterns are ECMA-262 (regex.h has their bounds).
 *
 * Stack, measured on x86-64 with -O2: validating at SCHEMA_DEPTH_MAX takes at most 42 KB (the same with
 * AddressSanitizer 84 KB), writing out 30 KB, compiling 36 KB, which does not depend on the schema. t/unit/schema/schema.c measures it
 * again. */
#ifndef SCHEMA_SCHEMA_H
#define SCHEMA_SCHEMA_H
#include "base/json.h"

enum {
	SCHEMA_DEPTH_MAX = 96,          /* nested evaluations; {"properties":{"x":{"$ref":"#"}}} takes two a level */
	SCHEMA_STEPS_MAX = 100000,      /* of one validation: a subschema or keyword evaluated, a member looked at */
	SCHEMA_ERRORS_MAX = 16,         /* reported errors of one validation; it ends with the last */
	SCHEMA_NODES_MAX = 20000,       /* subschemas of a schema and of the documents it refers to */
	SCHEMA_PLAIN_MAX = 256 * 1024,  /* bytes of a schema written out */
};

struct schema;
struct schema_registry;

struct schema_registry *schema_registry_new(void);
void schema_registry_free(struct schema_registry *r);
/* Makes doc reachable under uri; takes its own reference. */
void schema_registry_add(struct schema_registry *r, const char *uri, struct json_object *doc);
/* The document with this URI (without fragment), given at schema_registry_add or in its own `$id`; NULL when there is
 * none or r is NULL. */
struct json_object *schema_registry_find(const struct schema_registry *r, const char *uri);

/* Compiles; NULL with why 422 `bad_schema` and why->detail = JSON Pointer and reason (unresolvable $ref, bad regular
 * expression, wrong keyword type, unknown dialect, too deep). r may be NULL; it is not needed afterwards. Takes its own
 * reference to doc, which must not be changed while the schema lives. */
struct schema *schema_compile(struct json_object *doc, const struct schema_registry *r, struct problem *why);
void schema_free(struct schema *s);
struct json_object *schema_document(const struct schema *s);   /* what was compiled, the schema's; NULL of NULL */
/* 0 valid. -1: why is 422 `args_invalid`, detail the first error "/pointer: reason", extra
 * {"errors":[{"path","keyword","message"}]} owned by arena a. Hostile input ends at the bounds above with an error,
 * never a crash. Instance NULL is JSON null. */
int schema_validate(const struct schema *s, struct arena *a, struct json_object *instance, struct problem *why);
/* Fills absent members of the object from `default` in `properties` (nested objects too, plain $ref and allOf
 * followed). A default is not checked against the schema. Bounded like a validation; what is over is not filled. */
void schema_defaults(const struct schema *s, struct json_object *instance);
/* Appends the schema as compact JSON that means the same in 2020-12 and has no references, identifiers, comments and
 * unknown keywords; members keep their order, but allOf is the last. -1 with why 422 `bad_schema` when that cannot be:
 * it contains itself, has a $dynamicRef to a $dynamicAnchor, or grows over SCHEMA_PLAIN_MAX, SCHEMA_DEPTH_MAX (references
 * counted) or JSON_DEPTH_MAX; then what was appended is of no use. */
int schema_plain(const struct schema *s, struct buf *out, struct problem *why);

#endif
