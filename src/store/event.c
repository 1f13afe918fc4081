/* One record of an event log: the directory's, added to the write that makes the change, or the writer's own in the
 * ledger's. Sequence and hashes are made by the statement, in commit order. */
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

int event_note(struct db *ledger, const char *action, const char *detail)
{
	char id[CRYPTO_ID], event[CRYPTO_ID + 4], now[CLOCK_ISO];
	int64_t ms = clock_ms();
	struct db_stmt *s;
	int rc;

	clock_iso(ms, now);
	crypto_id(ms, id);
	snprintf(event, sizeof(event), "evt_%s", id);
	s = db_start(ledger, SQL_LEDGER_EVENT_ADD, "tttnttt", event, now, action, "rowcalld: writer", NULL, detail);
	while ((rc = db_step(s)) == 1)
		;
	db_end(s);
	return rc;
}
