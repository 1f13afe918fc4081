/* Inputs and outputs that are older than they are to be kept, removed a few at a time. Receipts stay. */
#ifndef STORE_PRUNE_H
#define STORE_PRUNE_H
#include "base/clock.h"
#include "store/db.h"

enum {
	PRUNE_STEP = 128,               /* payloads of one transaction, so that no write waits long for it */
	PRUNE_PAUSE_MS = 20,            /* between two of them */
	PRUNE_EVERY_MS = 3600 * 1000,   /* between runs, at most; a short time to keep is looked after more often */
	PRUNE_EVERY_MIN_MS = 1000,
};

struct prune {
	char before[CLOCK_ISO];         /* payloads of receipts from before are removed in this run */
	bool running;
};

/* For the writer: one step on ledger.db, outside a transaction. keep_ms > 0. A run that removes something begins with
 * an event in ledger_events that says up to when. Returns the milliseconds until the next step is due, or -1 when the
 * transaction failed and is to be rolled back. */
int64_t prune_step(struct prune *p, struct db *ledger, int64_t keep_ms);

#endif
