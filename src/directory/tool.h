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
/* The row's input_schema as it was declared, keyword for keyword, for clients that take 2020-12 whole: only the keywords
 * that MCP shows elsewhere (x-output-schema, x-mcp-…) are left out, and `type` and `properties` are there. NULL when it
 * has none. The arena's. */
struct json_object *tool_declared(struct arena *a, const struct entry *e);
/* x-output-schema for clients of MCP before 2026-07-28: an object at the root, without references. One of another type
 * stands as the member `result` of an object (tool_output_wraps). s: the schema compiled. NULL when it cannot be written
 * out. The arena's. */
struct json_object *tool_output(struct arena *a, const struct schema *s);
bool tool_output_wraps(const struct schema *s);

/* What MCP says of a tool; each is meant as it stands, none as a default. */
struct tool_hints { bool read_only, destructive, idempotent, open_world; };
/* From SAFE, IDEMPOTENT, method and risk. What is not surely reading counts as destructive, what reaches further than
 * this process as open. */
struct tool_hints tool_hints(const struct entry *e);
/* True when every argument's name is [A-Za-z0-9_.-]{1,64}: vendors refuse a whole list for one that is not. */
bool tool_names_fit(struct json_object *schema);

#endif
