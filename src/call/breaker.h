/* The circuit breaker of a row, in ledger.db, shared by all workers (spec section 6.3): consecutive 401 and 403 of
 * its upstream. */
#ifndef CALL_BREAKER_H
#define CALL_BREAKER_H
#include "directory/directory.h"
#include "store/write.h"

/* FAILURES stands in SQL_BREAKER_FAILED too. */
enum { BREAKER_FAILURES = 8, BREAKER_OPEN_MS = 3600 * 1000, BREAKER_LEASE_MS = 60 * 1000 };

enum breaker_state { BREAKER_CLOSED, BREAKER_OPEN, BREAKER_PROBE };

/* PROBE: this caller has claimed the probe by a write, which was awaited. -1 with why 503. */
int breaker_check(struct directory *d, struct arena *a, struct str key, enum breaker_state *state, struct problem *why);
/* Adds what an upstream status means for the breaker to the receipt's own write; status 0: no answer. */
void breaker_note(struct write *w, struct str key, int status, bool probe);
/* [{key, consecutive, state, opened_at, retry_at}], state "closed", "open" or "half_open"; the arena's. NULL with
 * why 503. */
struct json_object *breaker_list(struct directory *d, struct arena *a, struct problem *why);
/* Closes, with a ledger event in the same write. *had false when there was nothing to close. trace may be NULL. */
int breaker_reset(struct directory *d, struct arena *a, struct str key, const char *actor, const char *trace, bool *had,
	struct problem *why);

#endif
