/* The circuit breaker of a row, in ledger.db, shared by all workers (spec section 6.3). */
#ifndef CALL_BREAKER_H
#define CALL_BREAKER_H
#include "directory/directory.h"
#include "store/write.h"

enum { BREAKER_FAILURES = 8, BREAKER_OPEN_MS = 3600 * 1000, BREAKER_LEASE_MS = 60 * 1000 };

enum breaker_state { BREAKER_CLOSED, BREAKER_OPEN, BREAKER_PROBE };

/* PROBE: this caller has claimed the probe by a write. -1 with why 503. */
int breaker_check(struct directory *d, struct arena *a, struct str key, enum breaker_state *state, struct problem *why);
/* Adds what an upstream status means for the breaker to the receipt's own write; status 0: no answer. */
void breaker_note(struct directory *d, struct write *w, struct str key, int status, bool probe);
struct json_object *breaker_list(struct directory *d, struct arena *a, struct problem *why);   /* [{key,consecutive,state,opened_at,retry_at}] */
/* Closes; also a ledger event. *was_open false when there was none. */
int breaker_reset(struct directory *d, struct arena *a, struct str key, const char *actor, const char *trace, bool *had, struct problem *why);

#endif
