/* What a compiled schema consists of. A document is one JSON text; it holds resources (a part with an absolute URI of
 * its own), which hold nodes (one subschema each), which hold rules (one keyword each). All of it lies in the schema's
 * arena. */
#ifndef SCHEMA_NODE_H
#define SCHEMA_NODE_H
#include <json-c/json.h>
#include <stdint.h>
#include "base/arena.h"
#include "schema/decimal.h"

enum draft {
	DRAFT_07 = 1,
	DRAFT_2020 = 2,
	DRAFT_ALL = 3,
};

/* The vocabularies of 2020-12. Draft-07 has none and so has all. */
enum vocabulary {
	VOCABULARY_CORE = 1,
	VOCABULARY_APPLICATOR = 2,
	VOCABULARY_UNEVALUATED = 4,
	VOCABULARY_VALIDATION = 8,
	VOCABULARY_META_DATA = 16,
	VOCABULARY_FORMAT = 32,
	VOCABULARY_CONTENT = 64,
	VOCABULARY_ALL = 127,
};

struct dialect {
	enum draft draft;
	unsigned vocabularies;
};

/* A step of a path through JSON, for messages: a member's name, or an item's index when name is NULL. */
struct place {
	const struct place *up;         /* NULL at the first step */
	const char *name;
	size_t index;
};

struct document {
	const char *uri;                /* as it was asked for; "" for the schema that is compiled */
	struct json_object *json;
	struct lh_table *nodes;         /* JSON value -> struct node */
};

struct resource {
	const char *uri;                /* absolute where a base was known, without fragment */
	struct document *document;
	struct dialect dialect;
	struct node *node;              /* its root */
	struct lh_table *anchors;       /* name -> struct node, $anchor and $dynamicAnchor; NULL when there are none */
	struct lh_table *dynamic;       /* the same of $dynamicAnchor only */
};

struct node {
	struct node *next;              /* in the order found */
	struct json_object *json;       /* object or boolean */
	struct resource *resource;
	const struct place *place;      /* in its document; NULL at the root */
	struct rule *rules;             /* in the order of the keyword table */
	size_t n;
	bool refuses;                   /* the schema `false` */
	bool collects;                  /* has unevaluatedProperties or unevaluatedItems */
	unsigned char state;            /* of the search for endless references */
};

struct pattern {
	struct regex *regex;
	struct node *node;
};

/* One keyword in one subschema. Which members are used is the keyword's own affair; see kw.h. */
struct rule {
	const struct keyword *keyword;
	struct json_object *value;
	struct node *node;
	struct node **nodes;            /* n of them; single ones may be NULL */
	struct pattern *patterns;       /* n of them */
	size_t n;
	struct lh_table *names;         /* member name -> struct node */
	const struct rule *properties, *pattern_properties;     /* they decide what is left over */
	const char *anchor;             /* $dynamicRef: the name looked for in the dynamic scope; NULL: as $ref */
	uint64_t min, max;              /* counts */
	unsigned types;                 /* of `type`: bits of enum on */
	struct decimal *number;
};

struct schema {
	struct arena *arena;
	struct json_object *document;   /* what was compiled */
	struct node *root;
};

#endif
