/* Evaluating: what the keywords' evaluate functions may use. */
#ifndef SCHEMA_EVALUATE_H
#define SCHEMA_EVALUATE_H
#include "base/problem.h"
#include "schema/keyword.h"
#include "schema/marks.h"
#include "schema/regex.h"

/* One subschema applied to one instance. Frames lie on the stack, linked outwards: the dynamic scope. */
struct frame {
	const struct frame *up;
	const struct node *node;
	struct json_object *instance;
	const struct rule *rule;        /* being evaluated */
	struct marks *marks;            /* where evaluated members and items are noted; NULL when nobody asks */
	bool moved;                     /* the instance is a part of the one of the frame above, at name or index */
	const char *name;
	size_t index;
};

struct evaluate {
	struct arena *arena;
	struct json_object *errors;     /* array, or NULL: none so far */
	struct regex_run *regex;        /* NULL until the first match */
	uint64_t steps;                 /* left */
	unsigned depth;
	unsigned quiet;                 /* above 0: failures are not reported, since they do not decide alone */
	bool ended;                     /* at a bound or with enough errors: invalid whatever the rest says */
};

/* 0 valid; -1: why as schema_validate says. */
int evaluate_run(const struct schema *s, struct arena *a, struct json_object *instance, struct problem *why);

/* The same instance by another subschema that must hold. */
int evaluate_here(struct evaluate *e, const struct frame *f, const struct node *n);
/* The same as a mere possibility: failures are not reported, and what it evaluated counts only when it holds. Look at
 * e->ended after -1. */
int evaluate_branch(struct evaluate *e, const struct frame *f, const struct node *n);
/* A member's value; an item; a member's name (not reported). */
int evaluate_member(
	struct evaluate *e, const struct frame *f, const struct node *n, struct json_object *value, const char *name);
int evaluate_item(
	struct evaluate *e, const struct frame *f, const struct node *n, struct json_object *value, size_t index);
int evaluate_name(struct evaluate *e, const struct frame *f, const struct node *n, const char *name);

/* Reports, unless that is not wanted, that the instance breaks the rule at hand; returns -1. */
int evaluate_fail(struct evaluate *e, const struct frame *f, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Takes steps from the budget; false when it is used up: the validation has ended. */
bool evaluate_spend(struct evaluate *e, const struct frame *f, uint64_t steps);
/* False also at a bound; then the validation has ended. */
bool evaluate_matches(struct evaluate *e, const struct frame *f, const struct regex *r, struct str s);
/* Where $dynamicRef leads: the outermost resource in the dynamic scope with that $dynamicAnchor, else `usual`. */
const struct node *evaluate_dynamic(const struct frame *f, const char *anchor, const struct node *usual);

#endif
