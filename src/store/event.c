/* One record of the directory's event log, added to the write that makes the change. Sequence and hashes are made by
 * the statement, in commit order. */
#include <stdio.h>
#include "base/clock.h"
#include "base/crypto.h"
#include "store/event.h"

void event_add(struct write *w, struct event *e)
{
	char id[CRYPTO_ID], time[CLOCK_ISO];
	int64_t now = clock_ms();

	crypto_id(now, id);
	clock_iso(now, time);
	snprintf(e->id, sizeof(e->id), "evt_%s", id);
	write_add(w, SQL_EVENT_ADD, "tttttttsstt", e->id, time, e->action, e->operation, e->key, e->actor, e->trace,
		e->before, e->after,
		e->contract_before, e->contract_after);
	write_proof(w, SQL_EVENT_APPLIED, "t", e->id);
}
