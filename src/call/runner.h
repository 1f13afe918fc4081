/* Runners: one row of the table in dispatch.c for each kind of directory row. */
#ifndef CALL_RUNNER_H
#define CALL_RUNNER_H
#include "call/dispatch.h"
#include "lang/template.h"

/* A call on its way through a runner. */
struct call {
	const struct dispatch_request *request;
	struct arena *arena;
	struct entry *entry;
	struct template_args args;
	struct str body;                /* the argument string as recorded */
	struct write *write;            /* the ledger write that will carry the receipt: runners may add statements (kv, breaker) to it */
	struct buf result;              /* the runner writes its result here */
	int64_t cost_microusd;
};

struct runner {
	const char *type;               /* `type` of the rows */
	bool exec;                      /* only for runner=exec */
	/* Checks and builds what would be sent, credentials removed: shape. -1 with why (4xx). */
	int (*shape)(struct call *c, struct json_object **out, struct problem *why);
	/* Runs; errors are results ("ERR:…"). -1 with why only for what must be refused before anything ran (422 `args_invalid`). */
	int (*run)(struct call *c, struct problem *why);
	/* True when the call needs an intent on disk before it fires (spec section 10). */
	bool (*intent)(const struct call *c);
};

extern const struct runner runner_fn, runner_http;

#endif
