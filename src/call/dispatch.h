/* The whole decision to run something, readable top to bottom in dispatch_call. Flows and agents come back here with
 * their trace's budget. */
#ifndef CALL_DISPATCH_H
#define CALL_DISPATCH_H
#include "base/clock.h"
#include "call/receipt.h"
#include "loop/cancel.h"
#include "store/write.h"

/* What a process needs to make calls; set once. */
struct dispatch_context {
	const struct conf *conf;
	struct secrets *secrets;
	struct shared *shared;
	struct directory *directory;
};
void dispatch_init(const struct dispatch_context *c);
const struct dispatch_context *dispatch_context(void);

/* One budget per trace, shared by all its calls. */
struct dispatch_trace {
	char id[32];                    /* "t_…" */
	int64_t deadline_us;            /* monotonic */
	unsigned steps;                 /* calls begun */
	unsigned turns;                 /* answers of models asked for */
	int64_t cost_microusd;
	bool approved;                  /* the owner has said yes to the outer call, so its token's gate is open */
	struct cancel cancel;           /* asked: nothing more is begun, and what waits for an upstream is broken off */
};
void dispatch_trace_new(struct dispatch_trace *t);      /* after dispatch_init */

struct approval;

/* Who wants to hear how far a flow or an agent has come. */
struct dispatch_progress {
	/* A step of the outermost call has ended: `done` of `total` so far, each time one more; total 0: nobody knows. On
	 * the fiber of the call; it does not suspend. */
	void (*step)(void *ctx, size_t done, size_t total);
	void *ctx;
};

struct dispatch_request {
	struct arena *arena;
	const struct caller *caller;
	struct dispatch_trace *trace;
	const char *parent;             /* invocation id of the calling flow or agent, or NULL */
	unsigned depth;                 /* calls above this one */
	struct str key;
	struct str body;                /* the argument string; p NULL when args are given */
	const struct str *arg;          /* args as an array, or NULL */
	size_t args;
	struct json_object *named;      /* args as an object, or NULL */
	bool shape;
	const struct dispatch_progress *progress;       /* NULL: nobody asks */
	struct str ask;                 /* the question that led here, "ask_…"; p NULL: none */
	struct str contract;            /* the digest that the caller read; p NULL: none */
	bool unwatched;                 /* the watcher's own call */
	const struct approval *approval;        /* the held call that this one is, decided by approver; NULL: none */
	const char *approver;
	/* claims, p NULL: none; recorded up to DISPATCH_CLAIM_MAX bytes */
	struct str on_behalf_of, authorized_by;
	const char *replays;            /* id of the receipt whose input this is, or NULL: replay.c's to set */
	struct str repairs;             /* id of the receipt that this call makes good; p NULL: none */
	/* Idempotency-Key: the call runs once under it, see idempotency.h; p NULL: none. A dry run takes no notice. */
	struct str idempotency;
};

struct dispatch_result {
	bool ran, ok, material;
	bool replayed;                  /* it ran before, under the same Idempotency-Key: all this is of that call */
	const char *kind;               /* "invocation_result" or "shaped_dry_run" */
	/* Text, redacted. Of a dry run: "", or the error that a call would give, and ok is false. */
	struct str result;
	size_t label;                   /* bytes at its beginning that only label it ("HTTP 200:") */
	struct json_object *shaped;     /* the built request of a dry run, the arena's; NULL when there is none */
	char id[32];                    /* "inv_…"; "" for a dry run */
	char trace[32];
	const char *runner, *actor;
	struct receipt_spent spent;
	int64_t duration_us;
	char input[CRYPTO_HEX], output[CRYPTO_HEX], contract[CRYPTO_HEX];       /* fingerprints */
};

enum { DISPATCH_CLAIM_MAX = 1024 };

/* 0: it ran (out->ok says how it went) and its receipt is durable, or it was shaped. -1 with why: nothing ran, and
 * extra has "ran":false; or it ran and could not be recorded: 500 `receipt_not_written`, out->ran is true and
 * out->id set, the result is withheld, extra has "ran":true and "invocation_id".
 *
 * What refuses, in this order: the trace's budget, 422 `budget_exceeded:steps:<n>`, `…:depth:<n>`, `…:time:<ms>`,
 * `…:cost:<usd>`; 409 `cancelled`; 404 `unknown_key`, extra also "attempted" and "did_you_mean"; of an Idempotency-Key
 * `bad_idempotency_key`, `idempotency_needs_credential`; the gate (gate.h); what is said of a key that was used before
 * (idempotency_answer, and once more where calls race); 409
 * `contract_changed:<pinned>!=<current>`, extra also "changed", the members that differ; of `repairs`, 404
 * `receipt_not_found`, also when the caller may not open it, and 422 `repairs_other_row:<KEY>`; 422
 * `args_invalid`; of a sensitive row 403 `watcher_denied:<reason>`; 202 `held:<id>`,
 * extra also "held":true and "approval"; 503 `ledger_unavailable`; by the writer's count 429 `rate_exceeded` and
 * `token_exhausted`. Refusals of the gate, of the watcher and of the count, and contract_changed, have receipts when the
 * caller has a credential.
 *
 * material: the result is no error and holds something: behind its label ("HTTP 200:") and without white space
 * around it is not empty, nor `null`, `[]`, `{}` or `""`. */
int dispatch_call(const struct dispatch_request *r, struct dispatch_result *out, struct problem *why);
/* The gate for the request as it stands, before anything else of dispatch_call: gate_check. A fixed body of the token takes
 * the place of an empty one. paid: the call was made before. */
int dispatch_gate(struct dispatch_request *r, const struct entry *e, bool paid, struct problem *why);
/* The answer for a key that who cannot read, or that is not there: why becomes 404 `unknown_key`, extra (of a) has
 * "attempted", "ran":false and "did_you_mean", near keys that who reads. Counted. Returns -1. */
int dispatch_unknown_key(struct arena *a, const struct caller *who, struct str key, struct problem *why);

#endif
