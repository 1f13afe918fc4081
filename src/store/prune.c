/* Pruning of payloads and keys. Payloads are numbered as their receipts, oldest first, so a step looks only at the first
 * of them; keys have an index by their time. */
#include <stdio.h>
#include "store/event.h"
#include "store/prune.h"

static int run(struct db_stmt *s)
{
	int rc;

	while ((rc = db_step(s)) == 1)
		;
	db_end(s);
	return rc;
}

static int note_begin(struct prune *p, struct db *d)
{
	char detail[CLOCK_ISO + 16];

	snprintf(detail, sizeof(detail), "{\"before\":\"%s\"}", p->before);
	return event_note(d, "PAYLOADS_PRUNE", detail);
}

static int64_t pause_of(int64_t keep_ms)
{
	int64_t every = keep_ms / 24;

	return every < PRUNE_EVERY_MIN_MS ? PRUNE_EVERY_MIN_MS : every < PRUNE_EVERY_MS ? every : PRUNE_EVERY_MS;
}

/* How many went, or -1. */
static int64_t prune_payloads(struct prune *p, struct db *d, int64_t keep_ms)
{
	int64_t gone;

	if (!p->running)
		clock_iso(clock_ms() - keep_ms, p->before);
	if (run(db_start(d, SQL_PAYLOADS_PRUNE, "ti", p->before, (int64_t)PRUNE_STEP)) < 0)
		return -1;
	gone = db_changes(d);
	if (gone && !p->running && note_begin(p, d) < 0)
		return -1;
	p->running = gone == PRUNE_STEP;
	return gone;
}

static int64_t prune_keys(struct db *d, int64_t keep_ms)
{
	int rc = run(db_start(d, SQL_IDEMPOTENCY_PRUNE, "ii", clock_ms() - keep_ms, (int64_t)PRUNE_STEP));

	return rc < 0 ? -1 : db_changes(d);
}

int64_t prune_step(struct prune *p, struct db *ledger, const struct prune_keep *keep)
{
	int64_t keys, payloads = 0, often = keep->keys_ms;

	if (db_begin(ledger) < 0)
		return -1;
	if (keep->payloads_ms > 0) {
		payloads = prune_payloads(p, ledger, keep->payloads_ms);
		often = keep->payloads_ms < often ? keep->payloads_ms : often;
	}
	keys = prune_keys(ledger, keep->keys_ms);
	if (payloads < 0 || keys < 0 || db_commit(ledger) < 0)
		return -1;
	return p->running || keys == PRUNE_STEP ? PRUNE_PAUSE_MS : pause_of(often);
}
