/* What may go is decided by the statement that sets the mark; here it is looked up, so that a dry run can say so. */
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "base/crypto.h"
#include "call/retention.h"
#include "store/write.h"

/* A seal as its event has it. */
struct sealed { int64_t seq, first, last, count; char digest[CRYPTO_HEX]; };

static int unreadable(struct problem *why)
{
	return problem_unavailable(why, "the databases cannot be read");
}

/* Milliseconds since 1970 of the first call that waits for the owner; INT64_MAX: none does. -1. */
static int first_hold(struct directory *d, int64_t *ms)
{
	char now[CLOCK_ISO];
	struct db_stmt *s;
	int rc;

	clock_iso(clock_ms(), now);
	s = db_start(directory_db(d), SQL_APPROVAL_FIRST, "t", now);
	rc = db_step(s);
	*ms = INT64_MAX;
	if (rc == 1 && db_text(s, 0).p && clock_parse(db_text(s, 0), ms) < 0)
		*ms = 0;
	db_end(s);
	return rc < 0 ? -1 : 0;
}

static int find_limit(struct directory *d, struct retention *r, struct problem *why)
{
	const struct conf *conf = directory_conf(d);
	int64_t before, claimed = clock_ms() - conf->idempotency_ms, held;

	if (clock_parse(r->before, &before) < 0)
		return problem_bad_field(why, "before", "is a time in UTC: 2026-01-31T00:00:00Z");
	if (first_hold(d, &held) < 0)
		return unreadable(why);
	if (held != INT64_MAX)
		held -= conf->trace_timeout_ms;
	before = before < claimed ? before : claimed;
	clock_iso(before < held ? before : held, r->limit);
	return 0;
}

/* 1 the next seal whose receipts may go, 0 none, -1. */
static int next_seal(struct directory *d, const struct retention *r, struct sealed *next)
{
	struct db_stmt *s = db_start(directory_ledger(d), SQL_PRUNE_NEXT, "iti", r->seal, r->limit, r->keep);
	int rc = db_step(s);

	if (rc == 1) {
		*next = (struct sealed){ db_int(s, 0), db_int(s, 1), db_int(s, 2), db_int(s, 3), "" };
		snprintf(next->digest, sizeof(next->digest), "%.*s", (int)db_text(s, 4).n, db_text(s, 4).p);
	}
	db_end(s);
	return rc;
}

static int prune_one(struct arena *a, const struct retention *r, const struct sealed *s, struct problem *why)
{
	struct write *w = write_new(a, SQL_LEDGER);
	char id[CRYPTO_ID], event[CRYPTO_ID + 4], now[CLOCK_ISO];
	int64_t ms = clock_ms();

	crypto_id(ms, id);
	snprintf(event, sizeof(event), "evt_%s", id);
	clock_iso(ms, now);
	write_add(w, SQL_PRUNE_MARK, "iti", s->seq, r->limit, r->keep);
	write_add(w, SQL_PRUNE_PAYLOADS, "");
	write_add(w, SQL_PRUNE_RECEIPTS, "");
	write_add(w, SQL_LEDGER_EVENT_ADD, "tttnttt", event, now, "RECEIPTS_PRUNE", r->actor, r->trace,
		arena_printf(a, "{\"seal\":%lld,\"first\":%lld,\"last\":%lld,\"count\":%lld,\"sha256\":\"%s\",\"before\":\"%s\"}",
			(long long)s->seq, (long long)s->first, (long long)s->last, (long long)s->count, s->digest, r->limit));
	write_proof(w, SQL_LEDGER_EVENT_APPLIED, "t", event);
	if (write_submit(w, why) == 0)
		return 0;
	return why->status == 409 ? problem_set(why, 409, "prune_refused") : -1;
}

int retention_prune(struct directory *d, struct arena *a, struct retention *r, struct problem *why)
{
	struct sealed next;
	int rc = 0;

	if (r->keep < 1)
		return problem_bad_field(why, "keep", "is a number from 1 on");
	if (find_limit(d, r, why) < 0)
		return -1;
	r->seal = r->dry_run ? r->after : 0;
	for (int i = 0; i < RETENTION_SEALS && (rc = next_seal(d, r, &next)) == 1; i++) {
		if (!r->dry_run && prune_one(a, r, &next, why) < 0)
			return -1;
		r->receipts += next.count;
		r->through = next.last;
		r->seal = next.seq;
	}
	r->more = rc == 1;
	return rc < 0 ? unreadable(why) : 0;
}

int retention_is_older(struct directory *d, struct str id, char kept[CLOCK_ISO], struct problem *why)
{
	struct db_stmt *s = db_start(directory_ledger(d), SQL_RECEIPT_FIRST, "");
	int rc = db_step(s), older = 0;

	if (rc == 1 && db_int(s, 0) > 1) {     /* an id begins with its time */
		older = id.n == db_text(s, 1).n && memcmp(id.p, db_text(s, 1).p, id.n) < 0;
		snprintf(kept, CLOCK_ISO, "%.*s", (int)db_text(s, 2).n, db_text(s, 2).p);
	}
	db_end(s);
	return rc < 0 ? unreadable(why) : older;
}
