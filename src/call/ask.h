/* The answer to a question in plain words (spec section 7.3), for GET /api/dispatch?ask= and the function `ask`. */
#ifndef CALL_ASK_H
#define CALL_ASK_H
#include "call/caller.h"

enum {
	ASK_LIMIT = 10, ASK_LIMIT_MAX = 50,             /* matches */
	ASK_BUDGET_MIN = 256, ASK_BUDGET_MAX = 65536,   /* bytes of an answer */
};

struct ask {
	struct arena *arena;
	const struct caller *caller;
	struct str text;
	struct str category;            /* p NULL: any */
	int64_t limit, budget;          /* within the bounds above */
	const char *id;                 /* of the kept question; "" when it is not kept */
};

/* One JSON object and a line's end, at most a->budget bytes:
 *
 * {"ask_id", "count", "best": {"key", "what", "call": {"method", "url", "body": {"key", "body", "ask"}}, "invoke"},
 *  "matches": [{"key", "what", "when_to_use", "args", "example", "invoke", "read"}], "cut"}
 *
 * What is too long goes in this order, and then `cut` is true: matches behind the third, texts down to a line and then
 * altogether, matches behind the first, the call of `best`. An example is whole or not there. With no match `best` is
 * null and `categories` lists {"category", "count"}. 0, or -1 with why 503. */
int ask_answer(const struct ask *a, struct str *out, struct problem *why);

#endif
