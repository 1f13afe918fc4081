/* Inputs and outputs of calls, and their Idempotency-Keys, removed a few at a time when they are older than they are to
 * be kept. Receipts stay. */
#ifndef STORE_PRUNE_H
#define STORE_PRUNE_H
#include "base/clock.h"
#include "store/db.h"

enum {
	PRUNE_STEP = 128,               /* payloads, and keys, of one transaction, so that no write waits long for it */
	PRUNE_PAUSE_MS = 20,            /* between two of them */
	PRUNE_EVERY_MS = 3600 * 1000,   /* between runs, at most; a short time to keep is looked after more often */
	PRUNE_EVERY_MIN_MS = 1000,
};

struct prune {
	char before[CLOCK_ISO];         /* payloads of receipts from before are removed in this run */
	bool running;
};

/* How long; payloads_ms 0: for ever. */
struct prune_keep { int64_t payloads_ms, keys_ms; };

/* For the writer: one step on ledger.db, outside a transaction. A run that removes payloads begins with an event in
 * ledger_events that says up to when. Returns the milliseconds until the next step is due, or -1 when the
 * transaction failed and is to be rolled back. */
int64_t prune_step(struct prune *p, struct db *ledger, const struct prune_keep *keep);

#endif
