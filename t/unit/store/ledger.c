/* The ledger when it has grown: every filter finds its receipts by an index, and payloads leave in small steps. */
#include <sqlite3.h>
#include "base/buf.h"
#include "fixture.h"
#include "store/prune.h"

enum { OLD = 2 * PRUNE_STEP + 3, NEW = 2, DAY_MS = 24 * 3600 * 1000, LONG = 7 * DAY_MS };

/* Plans */

/* The plan in one line. */
static const char *plan_of(sqlite3 *h, enum sql_id id)
{
	static char text[1024];
	struct buf b = BUF_MALLOC;
	sqlite3_stmt *s = NULL;

	buf_printf(&b, "EXPLAIN QUERY PLAN %s", sql_get(id)->text);
	text[0] = 0;
	if (sqlite3_prepare_v2(h, buf_text(&b), -1, &s, NULL) == SQLITE_OK)
		while (sqlite3_step(s) == SQLITE_ROW) {
			size_t n = strlen(text);

			snprintf(text + n, sizeof(text) - n, "%s; ", (const char *)sqlite3_column_text(s, 3));
		}
	sqlite3_finalize(s);
	buf_free(&b);
	return text;
}

static void plans(void)
{
	static const struct { enum sql_id id; const char *by; } want[] = {
		{ SQL_RECEIPT_GET, "INDEX sqlite_autoindex_invocations_1 (id=?)" },
		{ SQL_RECEIPTS_OF_KEY, "INDEX invocations_key (key=? AND rowid>? AND rowid<?)" },
		{ SQL_RECEIPTS_OF_TRACE, "INDEX invocations_trace (trace=? AND rowid>? AND rowid<?)" },
		{ SQL_RECEIPTS_OF_ACTOR, "INDEX invocations_actor (actor=? AND rowid>? AND rowid<?)" },
		{ SQL_RECEIPTS, "INTEGER PRIMARY KEY (rowid>? AND rowid<?)" },
		{ SQL_RECEIPT_TIME, "INTEGER PRIMARY KEY (rowid>?)" },
		{ SQL_RECEIPT_LAST, "SEARCH invocations" },
		{ SQL_PAYLOAD_GET, "INTEGER PRIMARY KEY (rowid=?)" },
		{ SQL_PAYLOADS_PRUNE, "SEARCH payloads USING INTEGER PRIMARY KEY (rowid=?)" },
	};
	static const enum sql_id views[] = {
		SQL_RECEIPT_GET, SQL_RECEIPTS, SQL_RECEIPTS_OF_KEY, SQL_RECEIPTS_OF_TRACE, SQL_RECEIPTS_OF_ACTOR,
	};
	sqlite3 *h = NULL;

	if (sqlite3_open_v2(fixture_file(SQL_LEDGER), &h, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
		tap_ok(false, "the ledger can be opened");
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const char *plan = plan_of(h, want[i].id);

		tap_ok(strstr(plan, want[i].by), "%s searches by %s", sql_get(want[i].id)->name, want[i].by);
		tap_ok(!strstr(plan, "SCAN invocations") && !strstr(plan, "TEMP B-TREE"),
		       "%s neither scans nor sorts", sql_get(want[i].id)->name);
		if (!strstr(plan, want[i].by))
			tap_diag("%s", plan);
	}
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
		tap_ok(strstr(plan_of(h, views[i]), "SEARCH r USING INDEX invocations_repairs (repairs=?)"),
		       "%s finds a repair by its index", sql_get(views[i])->name);
	sqlite3_close(h);
}

/* Pruning */

static void add(struct db *d, int i, int64_t ms)
{
	char id[32], time[CLOCK_ISO];
	struct db_stmt *s;
	int good;

	snprintf(id, sizeof(id), "inv_%d", i);
	clock_iso(ms, time);
	s = db_start(d, SQL_RECEIPT_ADD, "ttttttniiiitnnnninninnii", id, time, "K", "fn", "owner", "ok", (int64_t)1,
		     (int64_t)1, (int64_t)0, (int64_t)5, "t_1", (int64_t)0, (int64_t)1, (int64_t)0, (int64_t)0);
	good = db_step(s) == 0;
	db_end(s);
	s = db_start(d, SQL_PAYLOAD_ADD, "ttttiii", id, "in", "string", "out", (int64_t)0, (int64_t)0, (int64_t)0);
	good += db_step(s) == 0;
	db_end(s);
	if (good != 2)
		tap_ok(false, "receipt %d is added", i);
}

static int64_t payloads(struct db *d)
{
	int64_t n = 0;

	for (int64_t i = 1; i <= OLD + NEW; i++) {
		struct db_stmt *s = db_start(d, SQL_PAYLOAD_GET, "i", i);

		n += db_step(s) == 1;
		db_end(s);
	}
	return n;
}

static int64_t events(void)
{
	sqlite3_stmt *s = NULL;
	sqlite3 *h = NULL;
	int64_t n = -1;

	sqlite3_open_v2(fixture_file(SQL_LEDGER), &h, SQLITE_OPEN_READONLY, NULL);
	sqlite3_prepare_v2(h, "SELECT count(*) FROM ledger_events WHERE action = 'PAYLOADS_PRUNE'", -1, &s, NULL);
	if (sqlite3_step(s) == SQLITE_ROW)
		n = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	sqlite3_close(h);
	return n;
}

static int64_t step(struct prune *p, struct db *d, int64_t payloads_ms, int64_t keys_ms)
{
	const struct prune_keep keep = { payloads_ms, keys_ms };

	return prune_step(p, d, &keep);
}

static void pruning(void)
{
	struct db *d = fixture_open(SQL_LEDGER, DB_WRITE);
	struct prune p = { .running = false };
	int64_t now = clock_ms(), last = 0;
	bool found;

	for (int i = 0; i < OLD; i++)
		add(d, i, now - 2 * DAY_MS);
	for (int i = OLD; i < OLD + NEW; i++)
		add(d, i, now - DAY_MS / 2);
	tap_is_int(step(&p, d, 3 * (int64_t)DAY_MS, LONG), PRUNE_EVERY_MS, "nothing is too old: the next look is in an hour");
	tap_is_int(payloads(d), OLD + NEW, "and nothing is removed");
	tap_is_int(step(&p, d, DAY_MS, LONG), PRUNE_PAUSE_MS, "a step that removes all it may is soon followed");
	tap_is_int(payloads(d), OLD + NEW - PRUNE_STEP, "so many payloads are gone");
	step(&p, d, DAY_MS, LONG);
	tap_is_int(step(&p, d, DAY_MS, LONG), PRUNE_EVERY_MS, "the last one removes the rest");
	tap_is_int(payloads(d), NEW, "up to those that are to be kept");
	tap_is_int(step(&p, d, DAY_MS, LONG), PRUNE_EVERY_MS, "then there is nothing to do");
	tap_ok(db_one_int(d, SQL_RECEIPT_LAST, &last, &found, "") == 0 && last == OLD + NEW, "every receipt is there");
	tap_is_int(step(&p, d, 1, LONG), PRUNE_EVERY_MIN_MS, "a short time to keep is looked after every second");
	tap_is_int(payloads(d), 0, "and nothing is left");
	db_close(d);
	tap_is_int(events(), 2, "each run that removed something is one event in the ledger's own log");
}

static void claim(struct db *d, int i, int64_t ms)
{
	char name[16];
	struct db_stmt *s;

	snprintf(name, sizeof(name), "%d", i);
	s = db_start(d, SQL_IDEMPOTENCY_CLAIM, "tttii", name, "r", name, ms, (int64_t)0);
	db_step(s);
	db_end(s);
}

static bool claimed(struct db *d, int i)
{
	char name[16];
	struct db_stmt *s;
	bool found;

	snprintf(name, sizeof(name), "%d", i);
	s = db_start(d, SQL_IDEMPOTENCY_GET, "ti", name, (int64_t)0);
	found = db_step(s) == 1;
	db_end(s);
	return found;
}

static void pruning_keys(void)
{
	struct db *d = fixture_open(SQL_LEDGER, DB_WRITE);
	struct prune p = { .running = false };
	int64_t now = clock_ms();
	struct db_stmt *s;

	for (int i = 0; i <= PRUNE_STEP; i++)
		claim(d, i, now - DAY_MS - PRUNE_STEP + i);
	claim(d, 1000, now - DAY_MS / 2);
	s = db_start(d, SQL_INTENT_ADD, "tttttttttissstiitt", "0", "t", "k", "r", "a", "t", NULL, NULL, NULL, (int64_t)0, (struct str){ 0 },
		(struct str){ 0 }, (struct str){ 0 }, NULL, (int64_t)0, (int64_t)0, NULL, NULL);
	tap_is_int(db_step(s), 0, "one of the calls is running");
	db_end(s);
	tap_is_int(step(&p, d, 0, DAY_MS), PRUNE_PAUSE_MS, "a step removes as many keys as it may");
	tap_ok(claimed(d, 0) && !claimed(d, 1) && claimed(d, 1000), "old ones, but not that of a running call");
	tap_is_int(step(&p, d, 0, DAY_MS), PRUNE_EVERY_MS, "then none is too old");
	db_close(d);
	tap_is_int(events(), 2, "keys leave without an event");
}

int main(void)
{
	fixture_make();
	plans();
	pruning();
	pruning_keys();
	fixture_remove();
	return tap_done();
}
