/* The directory's event log: one chained record per mutation, in the same write as the change. */
#ifndef STORE_EVENT_H
#define STORE_EVENT_H
#include "store/db.h"
#include "store/write.h"

struct event {
	char id[32];                    /* "evt_" + crypto_id; made by event_add */
	const char *action;             /* DIRECTORY_MUTATE, … */
	const char *operation;          /* create put patch delete restore import */
	const char *key, *actor, *trace;
	struct str before, after;       /* row images as canonical JSON; p NULL: no row */
	const char *contract_before, *contract_after;   /* digests or NULL */
};

/* Adds the record to w and makes it the write's proof. */
void event_add(struct write *w, struct event *e);

/* For the writer: a record of its own in ledger_events, within its transaction. detail: JSON. -1 when it failed. */
int event_note(struct db *ledger, const char *action, const char *detail);

#endif
