/* The table of keywords: what each is called, where subschemas hide in it, how it is compiled, how it is evaluated. */
#ifndef SCHEMA_KEYWORD_H
#define SCHEMA_KEYWORD_H
#include "schema/node.h"

struct compile;
struct evaluate;
struct frame;

/* Where a keyword's value holds subschemas. A value of another form holds none here; the keyword's compile function
 * complains. */
enum children {
	CHILDREN_NONE,
	CHILDREN_ONE,           /* the value */
	CHILDREN_LIST,          /* its items */
	CHILDREN_MEMBERS,       /* its members' values */
	CHILDREN_ONE_OR_LIST,   /* draft-07 `items` */
	CHILDREN_SOME_MEMBERS,  /* draft-07 `dependencies`: those that are not arrays */
};

/* Instances that a keyword looks at; it holds for all others. */
enum on {
	ON_NULL = 1,
	ON_BOOLEAN = 2,
	ON_NUMBER = 4,
	ON_STRING = 8,
	ON_ARRAY = 16,
	ON_OBJECT = 32,
	ON_ANY = 63,
};

struct keyword {
	const char *name;
	enum draft drafts;
	enum vocabulary vocabulary;
	enum children children;
	unsigned on;
	/* True when the subschemas of rule->node and rule->nodes are always applied to the same instance: a way round
	 * through such keywords never ends. */
	bool in_place;
	/* Checks rule->value and prepares the rule. -1: compile_bad was called. NULL: any value will do. */
	int (*compile)(struct compile *c, struct rule *rule);
	/* 0 valid, -1 not: evaluate_fail was called. NULL: the keyword says nothing about validity. */
	int (*evaluate)(struct evaluate *e, const struct frame *f, const struct rule *rule);
};

/* All keywords in the order of evaluation, what depends on a neighbour behind it. Ends with a row without name. */
extern const struct keyword keyword_table[];

bool keyword_in(const struct keyword *k, struct dialect d);
enum on keyword_on(struct json_object *instance);

#endif
