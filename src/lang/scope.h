/* Scopes (spec sections 3 and 8): `read`, `act`, `row:K`, `rows:A,B`, `pfx:P`, `cat:C`, or several of them,
 * comma-separated.
 *
 * White space around a member is dropped. K, A, B are row keys; P is the beginning of a row key, never empty; C is a
 * category: 1 to SCOPE_CATEGORY_MAX bytes, no comma, no control characters, compared exactly. A `rows:` member takes
 * what follows, up to the next member with one of the four prefixes, as keys; `read` and `act` there are keys too
 * (the narrower reading), so put them before `rows:`. Anything else, empty members too, is malformed. */
#ifndef LANG_SCOPE_H
#define LANG_SCOPE_H
#include "base/buf.h"
#include "base/problem.h"

enum {
	SCOPE_MEMBERS_MAX = 1024,       /* members of one scope, each key of `rows:` counted */
	SCOPE_CATEGORY_MAX = 128,
};

struct scope;

/* 422 `bad_scope`, field "scope", when malformed. Memory is the arena's. */
int scope_parse(struct arena *a, struct str text, struct scope **out, struct problem *why);
/* The setting `anonymous`: as scope_parse, and `none` alone is a scope without members. */
int scope_parse_setting(struct arena *a, struct str text, struct scope **out, struct problem *why);
bool scope_reads(const struct scope *s, struct str key, struct str category);   /* `read`, `act`: every row */
bool scope_calls(const struct scope *s, struct str key, struct str category);   /* `act`: every row; `read`: none */
/* True when every row that child covers is covered by parent, and child calls no more than parent, whatever rows
 * there are: a `row:` is not within a `cat:`, since a row's category may change; nor is one within `read`, since it
 * is callable. */
bool scope_within(const struct scope *child, const struct scope *parent);
/* The one key of a scope that is a single `row:K`, else p NULL. */
struct str scope_row(const struct scope *s);

#endif
