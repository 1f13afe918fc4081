/* Seals: what they cover, when they are made, that they go on from what the chain says, and that their digest is the one
 * which the header describes. */
#include <sqlite3.h>
#include "base/buf.h"
#include "fixture.h"
#include "store/seal.h"

static sqlite3 *raw;

static void exec(const char *sql)
{
	char *why = NULL;

	if (sqlite3_exec(raw, sql, NULL, NULL, &why) != SQLITE_OK)
		tap_ok(false, "%s: %s", sql, why);
	sqlite3_free(why);
}

/* One column of one row as text; the last result is alive. */
static const char *get(const char *sql)
{
	static char text[512];
	sqlite3_stmt *s = NULL;

	text[0] = 0;
	if (sqlite3_prepare_v2(raw, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW && sqlite3_column_text(s, 0))
		snprintf(text, sizeof(text), "%s", (const char *)sqlite3_column_text(s, 0));
	sqlite3_finalize(s);
	return text;
}

static void add(int from, int to)
{
	char sql[512];

	snprintf(sql, sizeof(sql), "WITH RECURSIVE c(i) AS (SELECT %d UNION ALL SELECT i + 1 FROM c WHERE i < %d)"
		" INSERT INTO invocations (id, time, key, runner, actor, status, ok, material, trace)"
		" SELECT 'inv_' || i, '2026-01-01T00:00:00.000Z', 'K', 'fn', 'owner', 'ok', 1, 1, 't_1' FROM c", from, to);
	exec(sql);
}

#define DETAIL(k) "SELECT detail FROM ledger_events ORDER BY seq LIMIT 1 OFFSET " #k
#define RANGES "SELECT group_concat(json_extract(detail, '$.first') || '-' || json_extract(detail, '$.last'), ' ') FROM ledger_events"

static int64_t run(struct seal *s, struct db *d, int64_t interval_ms)
{
	int64_t rc;

	while ((rc = seal_step(s, d, interval_ms)) == SEAL_PAUSE_MS)
		;
	return rc;
}

static void digest(struct db *d)
{
	struct seal s = { 0 };

	exec("INSERT INTO invocations (id, time, key, runner, actor, status, reason, ok, material, trace, on_behalf_of) VALUES"
		" ('inv_1', '2026-01-02T03:04:05.678Z', 'NOW', 'fn', 'owner', 'denied', 'no:\n\"x\"', 0, 0, 't_1', 'Jörg')");
	tap_is_int(run(&s, d, 3600 * 1000), SEAL_LOOK_MS, "a receipt waits until its time has come");
	tap_is_str(get("SELECT count(*) FROM ledger_events"), "0", "and is not sealed before");
	tap_is_int(run(&s, d, 0), 0, "then it is sealed");
	tap_is_str(get(DETAIL(0)), "{\"first\":1,\"last\":1,\"count\":1,\"columns\":25,\"sha256\":\"ec08727f1d46c982a31f6eea2fbe3c50e0c9d9091338b769cfca667a6b69e6bb\"}",
		"with the digest that the header describes");
	tap_is_str(get("SELECT action || ' ' || actor FROM ledger_events"), "RECEIPTS_SEAL rowcalld: writer", "as an event of the writer");
	tap_is_int(run(&s, d, 0), 0, "with nothing new");
	tap_is_str(get("SELECT count(*) FROM ledger_events"), "1", "there is no new seal");
	seal_free(&s);
}

static void sizes(struct db *d)
{
	struct seal s = { 0 };

	add(2, SEAL_MAX);
	tap_is_int(run(&s, d, 3600 * 1000), SEAL_LOOK_MS, "one less than the most of a seal waits");
	tap_is_str(get(RANGES), "1-1", "and is not sealed before");
	add(SEAL_MAX + 1, SEAL_MAX + 1);
	run(&s, d, 3600 * 1000);
	tap_is_str(get(RANGES), "1-1 2-1025", "the most of a seal is sealed at once");
	add(SEAL_MAX + 2, 2 * SEAL_MAX + 2);
	tap_is_int(run(&s, d, 3600 * 1000), SEAL_LOOK_MS, "what is more than that waits");
	tap_is_str(get(RANGES), "1-1 2-1025 1026-2049", "for the next seal");
	seal_free(&s);
}

/* Another writer has the chain and nothing else. */
static void restart(struct db *d)
{
	struct seal s = { 0 };
	char first[512];

	seal_rest(&s, d);
	tap_is_str(get(RANGES), "1-1 2-1025 1026-2049 2050-2050", "a new writer goes on behind the last seal");
	seal_free(&s);
	snprintf(first, sizeof(first), "%s", get(DETAIL(1)));
	exec("DROP TRIGGER ledger_events_no_delete; DELETE FROM ledger_events");
	seal_rest(&s, d);
	tap_is_str(get(RANGES), "1-1024 1025-2048 2049-2050", "a ledger without seals is sealed from its beginning");
	tap_ok(strcmp(first, get(DETAIL(0))) != 0, "other receipts have another digest");
	seal_free(&s);
}

int main(void)
{
	struct problem why = { 0 };
	struct db *d;

	fixture_make();
	d = db_open(fixture_file(SQL_LEDGER), SQL_LEDGER, DB_WRITE, "NORMAL", &why);
	sqlite3_open_v2(fixture_path("ledger.db"), &raw, SQLITE_OPEN_READWRITE, NULL);
	digest(d);
	sizes(d);
	restart(d);
	sqlite3_close(raw);
	db_close(d);
	fixture_remove();
	return tap_done();
}
