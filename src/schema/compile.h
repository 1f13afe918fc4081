/* Compiling: what the keywords' compile functions may use. */
#ifndef SCHEMA_COMPILE_H
#define SCHEMA_COMPILE_H
#include "schema/keyword.h"
#include "schema/resolve.h"

enum {
	COMPILE_REGEX_BYTES_MAX = 1024 * 1024,  /* memory of all regular expressions of one schema */
};

struct compile {
	struct schema *schema;
	struct resolve *resolve;
	struct problem *why;
	const struct node *node;        /* being compiled */
	const char *keyword;
	size_t regex_bytes;
};

/* Fills s->root. -1 with why 422 `bad_schema`. */
int compile_run(struct schema *s, struct json_object *doc, const struct schema_registry *r, struct problem *why);

/* For compile functions: fills why with the place and the reason, returns -1. */
int compile_bad(struct compile *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The node of a subschema of the node at hand; NULL after compile_bad when the value is no schema. */
struct node *compile_child(struct compile *c, struct json_object *value);
/* The rule of a keyword of the same node that stands earlier in the table, or NULL. */
const struct rule *compile_neighbour(const struct compile *c, const char *name);
/* NULL after compile_bad. Freed with the schema. */
struct regex *compile_regex(struct compile *c, struct str pattern);
/* rule->n and rule->nodes from an array; rule->names from an object. */
int compile_nodes(struct compile *c, struct rule *rule);
int compile_names(struct compile *c, struct rule *rule);
void *compile_alloc(struct compile *c, size_t n);

#endif
