/* JSON as this service reads and writes it: RFC 8259 strictly, duplicate names refused (compared after unescaping),
 * lone surrogates refused, depth bounded; RFC 8785 for what is hashed. Objects are json-c's. */
#ifndef BASE_JSON_H
#define BASE_JSON_H
#include <json-c/json.h>
#include "base/buf.h"
#include "base/problem.h"

enum {
	JSON_DEPTH_MAX = 64,            /* nesting of arrays and objects; 64 is accepted, 65 is not */
	JSON_NUMBER_MAX = 32,           /* bytes of a number as json_number writes it, with NUL */
};

/* Parses exactly one text. NULL: why is 400 `invalid_json` with position and reason. The value `null` has no json-c
 * object, so success is told by the return value 0, failure by -1; *out may be NULL on success. With an arena the arena
 * owns *out, without one the caller puts it. Also refused: U+0000 in a name (json-c ends names there) and numbers that
 * are no finite double. Whole numbers of 64 bits are kept exactly, any other number is a double that keeps its text for
 * json_text. */
int json_parse(struct arena *a, struct str text, struct json_object **out, struct problem *why);
/* The same check without building anything: 0, or -1 with why. */
int json_check(struct str text, struct problem *why);
/* Canonical form (RFC 8785): names sorted by UTF-16 code units, numbers as ECMAScript writes them. */
void json_canonical(struct buf *out, struct json_object *o);
/* Compact text, UTF-8 (malformed bytes in o become U+FFFD), slashes not escaped, members in insertion order, a parsed
 * double as it was written. */
void json_text(struct buf *out, struct json_object *o);
/* ECMAScript's Number::toString; "null" for what is not finite. out holds at least JSON_NUMBER_MAX bytes. */
void json_number(double v, char *out);

/* Member access that never crashes. */
/* NULL when o is no object or has no such member */
struct json_object *json_get(struct json_object *o, const char *name);
/* the string's bytes; p NULL when o is no string */
struct str json_str(struct json_object *o);
/* whether list is an array with that string in it */
bool json_lists(struct json_object *list, const char *text);
/* elements of an array, 0 when o is none; one of them, NULL when there is none */
size_t json_length(struct json_object *o);
struct json_object *json_at(struct json_object *o, size_t i);
/* RFC 6901. NULL and *found false when there is no such value; NULL and true when it is null. found may be NULL. */
struct json_object *json_pointer(struct json_object *o, struct str pointer, bool *found);
/* Builders. */
struct json_object *json_new_str(struct str s);                         /* NULL (JSON null) when s.p is NULL */
/* adds or replaces; value is owned by o */
void json_put(struct json_object *o, const char *name, struct json_object *value);
void json_put_text(struct json_object *o, const char *name, const char *s);                /* null when s is NULL */
void json_put_str(struct json_object *o, const char *name, struct str s);
void json_put_int(struct json_object *o, const char *name, int64_t v);
void json_put_bool(struct json_object *o, const char *name, bool v);

#endif
