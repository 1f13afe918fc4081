/* Calls that wait for the owner (spec section 8): held with their input and contract, decided out of band, run once,
 * exactly as held. */
#ifndef CALL_APPROVAL_H
#define CALL_APPROVAL_H
#include "call/dispatch.h"
#include "call/receipt.h"

enum {
	APPROVAL_ID = 32,               /* "apr_" and 26 characters, with NUL */
	APPROVAL_PENDING_MAX = 1000,    /* calls that wait at a time */
	APPROVAL_INPUT_MAX = 256 * 1024,        /* bytes of the arguments of one */
};

struct approval {
	struct str id, created_at, expires_at, key, contract, actor, token, input, input_form, on_behalf_of, authorized_by,
		reason, state, decided_at, decided_by, invocation, parent;
	int64_t identity;               /* of the row */
};

void approval_new_id(char out[APPROVAL_ID]);
/* Holds the call of the row with that identity that p is about to be, under that id: always -1, with why 202 `held:<id>`, extra "held":true and "approval"; or what
 * stood against it: 413 `input_too_long_to_hold`, 422 `secret_in_input`, 429 `too_many_holds`, 503. */
int approval_hold(const struct dispatch_request *r, const struct receipt *p, int64_t identity, const char *id,
	const char *reason, struct problem *why);
/* The answer of a call that is held: why as above. Returns -1. */
int approval_held(struct arena *a, const char *id, struct problem *why);
/* 1 found, 0 none, -1 with why 503. The arena's. */
int approval_get(struct arena *a, struct str id, struct approval *out, struct problem *why);
/* pending, denied, expired or ran. */
const char *approval_state(const struct approval *p);
/* A new object; with its input for the owner alone. */
struct json_object *approval_json(const struct approval *p, bool owner);
/* Newest first, those before the id `before` (p NULL: all), at most limit: a new array, or NULL with why 503. */
struct json_object *approval_list(struct arena *a, struct str before, int64_t limit, struct problem *why);
/* Denies a pending one, with its event. -1: 409 `approval_decided:<state>`, 503. */
int approval_deny(struct arena *a, const struct approval *p, const char *actor, const char *trace, struct problem *why);
/* Runs a pending one as held, under the authority of who called: every check of a call once more, but for the hold; a
 * step as the step that it was. actor is who approves. As dispatch_call, and 401 `token_invalid`, 409
 * `approval_decided:<state>`. */
int approval_run(struct arena *a, const struct approval *p, struct dispatch_trace *trace, const char *actor,
	struct dispatch_result *out, struct problem *why);
/* For dispatch: takes the one run of r->approval for the receipt id, with its event. The intent of that receipt is on
 * disk before, so that an approval never names a receipt that will not be. 0 or -1. */
int approval_claim(const struct dispatch_request *r, const char *invocation, struct problem *why);

#endif
