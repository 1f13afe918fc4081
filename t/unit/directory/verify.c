/* The chain of events: what the writer made verifies, and every way to meddle with it is found. */
#include "directory/verify.h"
#include "fixture.h"

static struct verify_result v;
static char good_head[CRYPTO_HEX];

static int verify(void)
{
	struct problem why = { 0 };

	return verify_events(fixture_path("directory.db"), &v, &why);
}

static void chain(void)
{
	struct mutate m = service_mutate();
	struct mutate_result r;
	struct problem why = { 0 };

	tap_ok(verify() == 0 && v.ok && v.count == 0 && strspn(v.head, "0") == 64,
		"an empty log verifies, and its head is 64 zeros");
	service_put("A", "{\"type\":\"fn\",\"content\":\"# \\u00e9 \\\"q\\\" \\n\\u0001 \\ud83d\\ude00\","
		"\"examples\":[\"\"],\"seq\":-7}");
	service_put("B", "{\"type\":\"fn\",\"content\":\"x\",\"examples\":[\"\"]}");
	m.trace = NULL;
	mutate_delete(&m, str_of("A"), &r, &why);
	for (int i = 0; i < 20; i++)
		service_put("B", "{\"type\":\"fn\",\"content\":\"y\",\"examples\":[\"\"]}");
	tap_ok(verify() == 0 && v.ok && v.count == 23 && v.first_bad == 0, "what the writer wrote verifies");
	tap_is_int((int64_t)strspn(v.head, "0123456789abcdef"), 64, "its head is a digest");
	memcpy(good_head, v.head, sizeof(good_head));
}

/* Runs on a log of the same events, each time the whole one: what is done is undone. */
static void meddle(struct db *db, const char *how, const char *undo, int64_t first_bad, const char *name)
{
	if (db_exec(db, how) < 0)
		service_die("no meddling");
	if (!tap_ok(verify() == 0 && v.ok == !first_bad && v.first_bad == first_bad, "%s", name))
		tap_diag("first_bad %lld of %lld", (long long)v.first_bad, (long long)v.count);
	if (undo && db_exec(db, undo) < 0)
		service_die("no undoing");
}

/* On the files after the writer has gone. */
static void meddling(void)
{
	struct db *db = fixture_open(SQL_DIRECTORY, DB_WRITE);

	db_exec(db, "DROP TRIGGER events_no_update; DROP TRIGGER events_no_delete; DROP TRIGGER events_in_order;"
		"CREATE TABLE keep AS SELECT * FROM events");
	meddle(db, "UPDATE events SET actor = 'x' WHERE seq = 5",
		"DELETE FROM events; INSERT INTO events SELECT * FROM keep", 5, "a changed actor is found");
	meddle(db, "UPDATE events SET trace = '' WHERE seq = 3",
		"DELETE FROM events; INSERT INTO events SELECT * FROM keep", 3,
		"an empty text in the place of none is found");
	meddle(db, "UPDATE events SET after = after || ' ' WHERE seq = 1",
		"DELETE FROM events; INSERT INTO events SELECT * FROM keep", 1, "a blank behind an image is found");
	meddle(db, "UPDATE events SET hash = upper(hash) WHERE seq = 4",
		"DELETE FROM events; INSERT INTO events SELECT * FROM keep", 4, "a hash in capitals is found");
	meddle(db, "UPDATE events SET prev = hash WHERE seq = 9",
		"DELETE FROM events; INSERT INTO events SELECT * FROM keep", 9, "a changed link is found");
	meddle(db, "DELETE FROM events WHERE seq = 7", "DELETE FROM events; INSERT INTO events SELECT * FROM keep", 7,
		"a missing event is found");
	meddle(db, "DELETE FROM events WHERE seq = 1", "DELETE FROM events; INSERT INTO events SELECT * FROM keep", 1,
		"a missing first one too");
	meddle(db, "UPDATE events SET seq = seq + 100 WHERE seq = 23",
		"DELETE FROM events; INSERT INTO events SELECT * FROM keep", 23, "a number out of line is found");
	meddle(db, "UPDATE events SET hash = '\",\"x' WHERE seq = 23",
		"DELETE FROM events; INSERT INTO events SELECT * FROM keep", 23, "a hash that is none is found");
	meddle(db, "SELECT 1", NULL, 0, "and what was put back verifies again");
	tap_is_str(v.head, good_head, "with the head it had");
	db_close(db);
	tap_ok(verify_events(fixture_path("nothing.db"), &v, NULL) == -1, "a file that is not there cannot be checked");
}

int main(void)
{
	service.after = meddling;
	service_run(chain);
	return tap_done();
}
