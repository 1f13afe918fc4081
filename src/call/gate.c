/* The rules of the gate in their order; the first that refuses is the answer. Whether a row is readable was decided
 * before: a row that is not is unknown to the caller. */
#include "call/gate.h"

static int check_scope(const struct gate_request *g, struct problem *why)
{
	const struct entry *e = g->entry;

	if (caller_calls(g->caller, e->key, e->category, true, e->sensitive))
		return 0;
	problem_set(why, 401, "unauthorized");
	problem_fix(why, "present a credential that may call this row: the owner's key as x-terminal-key or Authorization: Bearer");
	return -1;
}

static int check_enabled(const struct gate_request *g, struct problem *why)
{
	if (g->entry->enabled)
		return 0;
	problem_set(why, 409, "row_disabled:%.*s", (int)g->entry->key.n, g->entry->key.p);
	problem_fix(why, "enable the row: PATCH enabled to 1");
	return -1;
}

static int (*const checks[])(const struct gate_request *g, struct problem *why) = { check_scope, check_enabled };

int gate_check(const struct gate_request *g, struct problem *why)
{
	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++)
		if (checks[i](g, why) < 0)
			return -1;
	return 0;
}
