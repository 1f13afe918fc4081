/* The kept input of a receipt, run again. */
#ifndef CALL_REPLAY_H
#define CALL_REPLAY_H
#include "call/dispatch.h"
#include "call/receipt.h"

/* Runs the input of receipt `id` on the row of its key as that row is now, as a new call of r, in which only key and
 * input are still to be filled in; they are filled in here. Only the owner and the credential that made the older call
 * may: for others it does not exist. *older: that receipt, with its payload; the arena's.
 *
 * 0 and -1 as dispatch_call; besides, 404 `receipt_not_found`, and 409 `input_not_kept` when the input was redacted,
 * cut, pruned or never recorded. */
int replay_call(struct dispatch_request *r, struct str id, const struct receipt **older, struct dispatch_result *out,
		struct problem *why);

/* Fills the arguments of r from an input as it was recorded, in its form: string, array or object. -1: 409
 * `input_not_kept`. */
int replay_input(struct dispatch_request *r, struct str text, const char *form, struct problem *why);

#endif
