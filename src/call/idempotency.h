/* Calls that run once, however often they are asked for (spec section 10): who repeats a call under the same
 * Idempotency-Key is told what became of the first. A key is claimed in the write of the call's intent. */
#ifndef CALL_IDEMPOTENCY_H
#define CALL_IDEMPOTENCY_H
#include "call/dispatch.h"
#include "call/receipt.h"

enum {
	IDEMPOTENCY_KEY_MAX = 255,              /* bytes of a key, each a visible character of ASCII */
	IDEMPOTENCY_RESULT_MAX = 1024 * 1024,   /* bytes of a result that is kept to be given again */
};

/* A call under its key. */
struct idempotency {
	char claim[CRYPTO_HEX];                 /* digest of actor and key */
	char request[CRYPTO_HEX];               /* digest of the key and all that is asked for */
	/* What the claim was when it was looked up; first[0] 0: there was none. */
	char first_request[CRYPTO_HEX], first[RECEIPT_ID];
	int64_t claimed_ms;
};

/* Looks up what r->idempotency stands for. -1: 400 `bad_idempotency_key`, `idempotency_needs_credential`, 503. */
int idempotency_begin(const struct dispatch_request *r, struct idempotency *out, struct problem *why);
/* Looks it up again: after a claim that was refused. -1: 503. */
int idempotency_look(struct idempotency *i, struct problem *why);
/* What became of the call that has the claim, if any has (else it is still running). 0: it ran, and out is what it was
 * answered, `replayed` set. -1: 422 `idempotency_key_reused`; 409 `idempotency_in_progress`, `outcome_unknown` and
 * `answer_not_kept`, extra "invocation_id" and "ran", null where that is not known; of a call that the owner has to
 * decide, 202 `held:<id>` as in the first answer, 409 `approval_decided:<state>`; 503. */
int idempotency_answer(struct arena *a, const struct idempotency *i, struct dispatch_result *out, struct problem *why);

/* Adds to w, a write of the ledger, the claim for the receipt, or the held call, with that id; it refuses with
 * IDEMPOTENCY_CLAIMED. */
void idempotency_claim(struct write *w, const struct idempotency *i, const char *id);
#define IDEMPOTENCY_CLAIMED "idempotency_claimed"
/* What the call was answered, to the write of its receipt. */
void idempotency_result(struct write *w, const struct idempotency *i, const char *id, struct str result);
/* Gives the key free again: nothing ran. */
void idempotency_release(struct arena *a, const struct idempotency *i, const char *id);

#endif
