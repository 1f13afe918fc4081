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
	struct str body;                /* the input as recorded, not redacted yet */
	const char *form;               /* how body is read: "string", split on "|"; "array" or "object", as JSON */
	char id[32];                    /* of the receipt to come; "" in a dry run */
	void *built;                    /* what prepare has made for shape and run */
	/* The ledger write that will carry the receipt; NULL before run. A runner may add statements (kv) to it; when
	 * one of them is refused, nothing of them is applied and the result becomes `ERR:` and the refusal code, its
	 * first "_" a ":". */
	struct write *write;
	struct buf result;              /* the runner writes its result here; errors are results, "ERR:…" */
	size_t label;                   /* bytes at the beginning of the result that only label it ("HTTP 200:") */
	bool settled;                   /* set by prepare: the result is there already, nothing is to be run */
	int upstream_status;            /* of the answer, 0: none */
	struct receipt_spent spent;     /* see runner_charge and runner_include */
};

struct runner {
	const char *type;               /* `type` of the rows */
	bool exec;                      /* only for runner=exec */
	bool breaker;                   /* upstream_status counts for the row's breaker */
	/* Builds what will be sent or run, without doing it. -1 with why: 422, the arguments do not do. What is
	 * wrong with the row is a result: settled. */
	int (*prepare)(struct call *c, struct problem *why);
	/* What was built, credentials removed. A new object. Not called when settled. */
	struct json_object *(*shape)(struct call *c);
	/* Runs what was built; may suspend. */
	void (*run)(struct call *c);
	/* True when the call needs an intent on disk before it fires (spec section 10); rows with `SAFE: no` always
	 * have one. */
	bool (*intent)(const struct call *c);
};

extern const struct runner runner_agent, runner_exec, runner_fn, runner_http, runner_flow;

/* s as it may be shown and kept: known secrets and the token that the caller has presented are replaced; the arena's.
 * *changed: whether any was there; NULL is fine. */
struct str runner_redacted(const struct call *c, struct str s, bool *changed);
/* Adds what came from outside to the result, as media_text writes it. Of one that is cut nothing stays of a secret that
 * begins at its end; the cut is marked. */
void runner_put(struct call *c, struct str content_type, struct str body, bool cut);
/* Milliseconds until the trace's deadline, at least 1, at most max. */
int64_t runner_time_ms(const struct call *c, int64_t max);
/* So many steps of the call are done, of so many (0: nobody knows): told to who asked for it. */
void runner_progress(const struct call *c, size_t done, size_t total);
/* The result is there already, the error and what it is about: nothing is to be run. */
void runner_settle(struct call *c, const char *error, struct str detail);
/* The call itself has used that: it counts on its receipt, and for the trace's budget from now on. */
void runner_charge(struct call *c, const struct receipt_spent *used);
/* A call that it made has used that: it counts on this receipt too. */
void runner_include(struct call *c, const struct receipt_spent *used);

#endif
