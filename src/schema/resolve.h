/* Identifiers and references: which documents, resources, anchors and subschemas there are, and which of them a
 * reference means. */
#ifndef SCHEMA_RESOLVE_H
#define SCHEMA_RESOLVE_H
#include "base/buf.h"
#include "base/problem.h"
#include "schema/node.h"
#include "schema/schema.h"

struct resolve;

/* Lives as long as the arena. */
struct resolve *resolve_new(struct arena *a, const struct schema_registry *r, struct problem *why);
/* Makes doc, which the caller keeps alive, known under uri with all that is in it. NULL with why. */
struct node *resolve_document(struct resolve *r, struct json_object *doc, const char *uri, struct dialect usual);
/* What ref means where it stands in `from`; documents are taken from the registry and the built-in meta-schemas as
 * needed. NULL: *reason (in the arena) says why, or is NULL when the problem is one of another document and `why` was
 * filled. *anchor gets the name when the reference was by a name. */
struct node *resolve_reference(
	struct resolve *r, const struct node *from, struct str ref, const char **anchor, const char **reason);
/* The node of a value at which a subschema stands in the document; NULL when it is none. */
struct node *resolve_node(const struct document *d, struct json_object *value);
/* The nodes in the order found; new ones are added at the end. */
struct node *resolve_first(struct resolve *r);
/* Fills why: 422 `bad_schema`, detail "<document>#/place/keyword: text". Returns -1. keyword may be NULL. */
int resolve_bad(
	struct resolve *r, const struct document *d, const struct place *at, const char *keyword, const char *text);
/* Appends the JSON Pointer of a place. */
void resolve_pointer(struct buf *out, const struct place *at);

#endif
