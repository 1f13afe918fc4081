/* A row as a tool of a model: the name is the key, the rest is here. For vendors' tool definitions, OpenAPI and MCP. */
#ifndef DIRECTORY_TOOL_H
#define DIRECTORY_TOOL_H
#include "directory/directory.h"

enum { TOOL_DESCRIPTION_MAX = 1024 };   /* bytes; what the strictest vendor takes */

/* What the docstring says to a model: WHAT, WHEN_TO_USE, OUTPUT, PRECONDITIONS and EFFECTS, a line each, cut at
 * TOOL_DESCRIPTION_MAX. Never empty; the arena's. */
struct str tool_description(struct arena *a, const struct entry *e);
/* The arguments as a schema that strict clients take: 2020-12 without references; an object at the root, with `type`
 * and `properties` and without anyOf, oneOf, allOf, not, if, enum and const there. It accepts what the row's schema s
 * accepts, and more, since those are left to the row; only what not all alternatives describe is described as in those
 * that do. s NULL: the row takes the one string `body`. A schema that cannot be written out (schema_plain) gives its
 * properties' names alone. The arena's. */
struct json_object *tool_schema(struct arena *a, const struct entry *e, const struct schema *s);
/* True when every argument's name is [A-Za-z0-9_.-]{1,64}: vendors refuse a whole list for one that is not. */
bool tool_names_fit(struct json_object *schema);

#endif
