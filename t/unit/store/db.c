/* SQLite behind db.h: values, transactions, hashes, who may open what, and a WAL that stays bounded. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include "base/crypto.h"
#include "base/json.h"
#include "base/log.h"
#include "fixture.h"

static struct problem why;

static int run(struct db *d, struct db_stmt *s)
{
	int rc = db_step(s);

	(void)d;
	db_end(s);
	return rc;
}

static int put_kv(struct db *d, const char *key, struct str value)
{
	return run(d, db_start(d, SQL_KV_PUT, "tst", key, value, "2026-01-01T00:00:00.000Z"));
}

static int add_event(struct db *d, const char *id, const char *key, const char *before)
{
	return run(d, db_start(d, SQL_EVENT_ADD, "ttttttttttt", id, "2026-01-01T00:00:00.000Z", "DIRECTORY_MUTATE",
		"put", key, "owner", "t_1", before, "{\"a\":1}",
		(const char *)NULL, "ff"));
}

static int64_t one(struct db *d, enum sql_id id)
{
	int64_t v;
	bool found;

	return db_one_int(d, id, &v, &found, "") < 0 ? -1 : found ? v : -2;
}

static void transactions(void)
{
	struct db *d = fixture_open(SQL_DIRECTORY, DB_WRITE);
	struct db_stmt *a, *b;

	tap_ok(db_begin(d) == 0 && db_in_transaction(d), "a transaction begins");
	tap_is_int(add_event(d, "evt_1", "A", NULL), 1, "a statement with RETURNING gives a row");
	db_savepoint(d);
	add_event(d, "evt_2", "A", NULL);
	db_undo(d);
	db_savepoint(d);
	add_event(d, "evt_3", "A", NULL);
	db_release(d);
	tap_is_int(one(d, SQL_DIRECTORY_VERSION), 2,
		"what was undone is gone and leaves no gap, what was released stays");
	tap_ok(db_commit(d) == 0 && !db_in_transaction(d), "it is committed");
	tap_is_int(add_event(d, "evt_3", "A", NULL), -1, "a constraint fails the statement");
	tap_is_str(db_error_kind(d), "constraint", "and is told from other failures");
	db_begin(d);
	add_event(d, "evt_4", "B", NULL);
	db_rollback(d);
	db_rollback(d);
	tap_is_int(one(d, SQL_DIRECTORY_VERSION), 2, "rolled back, nothing is left; a second time is harmless");
	a = db_start(d, SQL_ROW_VERSION, "t", "A");
	b = db_start(d, SQL_ROW_VERSION, "t", "B");
	tap_ok(a != b && db_step(a) == 1 && db_step(b) == 1 && db_int(a, 0) == 2 && db_int(b, 0) == 0,
		"one statement can be in use twice");
	db_end(a);
	db_end(b);
	db_close(d);
}

static void append_only(void)
{
	static const char *const text[] = {
		"UPDATE events SET actor = 'x' WHERE seq = 1", "DELETE FROM events WHERE seq = 1",
		"REPLACE INTO events SELECT * FROM events WHERE seq = 1",
		"INSERT INTO events SELECT 9, 'evt_9', time, action, operation, key, actor, trace, before, after,"
		" contract_before, contract_after, prev, hash FROM events WHERE seq = 1",
	};
	static const char *const ledger[] = { "UPDATE invocations SET ok = 1", "DELETE FROM invocations",
		"REPLACE INTO invocations SELECT * FROM invocations" };
	struct db *d = fixture_open(SQL_DIRECTORY, DB_WRITE);
	char hash[CRYPTO_HEX] = "";
	struct db_stmt *s;

	for (size_t i = 0; i < 4; i++)
		tap_ok(db_exec(d, text[i]) < 0 && strcmp(db_error_kind(d), "constraint") == 0, "refused: %.40s",
			text[i]);
	s = db_start(d, SQL_EVENT_HEAD, "");
	if (db_step(s) == 1)
		memcpy(hash, db_text(s, 1).p, 64);
	db_end(s);
	tap_ok(strlen(hash) == 64, "the chain has its head");
	db_close(d);
	d = fixture_open(SQL_LEDGER, DB_WRITE);
	tap_ok(run(d, db_start(d, SQL_RECEIPT_ADD, "ttttttniiiitnnnninninnii", "inv_1", "2026", "K", "fn", "owner", "ok",
		(int64_t)1, (int64_t)1, (int64_t)0, (int64_t)5,
		"t_1", (int64_t)0, (int64_t)1, (int64_t)0, (int64_t)0)) == 0, "a receipt is added");
	for (size_t i = 0; i < 3; i++)
		tap_ok(db_exec(d, ledger[i]) < 0 && strcmp(db_error_kind(d), "constraint") == 0, "refused: %.40s",
			ledger[i]);
	db_close(d);
}

static void unprepared(void)
{
	struct db *d = fixture_open(SQL_LEDGER, DB_WRITE);
	struct db_stmt *s;

	db_exec(d, "ALTER TABLE kv RENAME TO away");
	s = db_start(d, SQL_KV_GET, "s", str_of("k"));
	tap_is_int(db_step(s), -1, "a statement on a table that is not there fails");
	db_end(s);
	db_exec(d, "ALTER TABLE away RENAME TO kv");
	s = db_start(d, SQL_KV_GET, "s", str_of("k"));
	tap_is_int(db_step(s), 0, "and works when the table is there again");
	db_end(s);
	db_close(d);
}

/* The hash as an outsider computes it. */
static void chain(void)
{
	static const char record[] =
		"{\"action\":\"DIRECTORY_MUTATE\",\"actor\":\"owner\",\"after\":\"{\\\"a\\\":1}\","
		"\"before\":\"\xc3\xa9\\n\","
		"\"contract_after\":\"ff\",\"contract_before\":null,\"id\":\"evt_c\",\"key\":\"C\",\"operation\":\"put\","
		"\"seq\":3,\"time\":\"2026-01-01T00:00:00.000Z\",\"trace\":\"t_1\"}";
	struct db *d = fixture_open(SQL_DIRECTORY, DB_WRITE);
	struct buf b = BUF_MALLOC;
	char want[CRYPTO_HEX];
	struct db_stmt *s = db_start(d, SQL_EVENT_HEAD, "");

	db_step(s);
	buf_putstr(&b, db_text(s, 1));
	db_end(s);
	add_event(d, "evt_c", "C", "\xc3\xa9\n");
	buf_puts(&b, record);
	crypto_sha256_hex(buf_str(&b), want);
	s = db_start(d, SQL_EVENT_HEAD, "");
	tap_ok(db_step(s) == 1 && db_int(s, 0) == 3, "the next event follows");
	tap_ok(str_is(db_text(s, 1), want), "its hash is SHA-256 over the one before and the canonical record");
	db_end(s);
	buf_free(&b);
	db_close(d);
}

static void limits(void)
{
	struct db *d = fixture_open(SQL_LEDGER, DB_WRITE);
	static char big[65537];

	memset(big, 'x', sizeof(big));
	tap_is_int(put_kv(d, "k", str_make(big, 65536)), 0, "a value of 64 KiB is kept");
	tap_is_int(put_kv(d, "k", str_make(big, 65537)), -1, "one byte more is refused");
	tap_is_int(put_kv(d, "", str_make("", 0)), -1, "so is an empty key");
	big[257] = 0;
	tap_is_int(put_kv(d, big, str_make("", 0)), -1, "and one of 257 bytes");
	tap_is_int(put_kv(d, big + 1, str_make("", 0)), 0, "256 are fine");
	db_close(d);
}

static void readers(void)
{
	struct db *w = fixture_open(SQL_LEDGER, DB_WRITE), *r;
	const char *path = fixture_path("ledger.db");
	struct stat before, after;

	tap_ok(!db_open(path, SQL_LEDGER, DB_WRITE, "FULL", &why) && strstr(why.detail, "open for writing by process"),
		"a second writer is refused and told who the first is");
	r = db_open(path, SQL_LEDGER, DB_READ, "FULL", &why);
	tap_ok(r != NULL, "a reader may open it");
	tap_ok(put_kv(r, "k", str_of("v")) < 0 && strcmp(db_error_kind(r), "readonly") == 0, "but not write");
	put_kv(w, "a", str_of("1"));
	db_begin_read(r);
	one(r, SQL_INTENT_PIDS);
	put_kv(w, "b", str_of("1"));
	tap_ok(db_wal_pages(w) > 0, "a commit is in the WAL");
	db_end_read(r);
	stat(fixture_path("ledger.db-wal"), &before);
	db_close(r);
	stat(fixture_path("ledger.db-wal"), &after);
	tap_ok(before.st_ino == after.st_ino && before.st_size == after.st_size && after.st_size > 0,
		"a reader that leaves touches no WAL");
	db_close(w);
	r = db_open(path, SQL_LEDGER, DB_READ, "FULL", &why);
	tap_ok(r && one(r, SQL_LEDGER_DATA_VERSION) > 0, "after a clean stop of the writer readers still open it");
	db_close(r);
	memset(&why, 0, sizeof(why));
	tap_ok(!db_open(fixture_path("none.db"), SQL_LEDGER, DB_READ, "FULL", &why) && why.status == 503 &&
		strstr(why.detail, "none.db") && strstr(why.detail, "No such file"),
		"a missing file is named");
	tap_ok(!db_open(fixture_path("none.db"), SQL_LEDGER, DB_WRITE, "FULL", &why) && access(fixture_path("none.db"),
		F_OK) < 0, "and not created");
}

/* What another user sees; only root can become one. */
static int as_nobody(int (*fn)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (setgid(65534) < 0 || setuid(65534) < 0)
			_exit(9);
		_exit(fn());
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int opens(void)
{
	struct db *d = db_open(fixture_path("ledger.db"), SQL_LEDGER, DB_READ, "FULL", &why);
	int rc = d && one(d, SQL_LEDGER_DATA_VERSION) > 0 ? 0 : strstr(why.detail, "no right to read") ? 1 : 2;

	db_close(d);
	return rc;
}

static void other_user(void)
{
	struct db *w;

	if (geteuid() != 0)
		return;
	w = fixture_open(SQL_LEDGER, DB_WRITE);
	chmod(fixture_dir, 0755);
	tap_is_int(as_nobody(opens), 1, "without the right to read, the message says so");
	chmod(fixture_path("ledger.db"), 0644);
	chmod(fixture_path("ledger.db-wal"), 0644);
	chmod(fixture_path("ledger.db-shm"), 0644);
	tap_is_int(as_nobody(opens), 0, "with it, another user reads while the writer has the file open");
	db_close(w);
	tap_is_int(as_nobody(opens), 0, "and after the writer has left");
}

struct tally { _Atomic long reads, failures; };

static pid_t reader(struct tally *t, bool reopen)
{
	pid_t pid = fork();
	struct db *d = NULL;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		if (!d)
			d = db_open(fixture_path("ledger.db"), SQL_LEDGER, DB_READ, "FULL", &why);
		if (!d) {
			t->failures++;
			fprintf(stderr, "# %s\n", why.detail);
			continue;
		}
		db_begin_read(d);
		if (one(d, SQL_INTENT_PIDS) == -1)
			t->failures++;
		usleep(200);
		if (one(d, SQL_INTENT_PIDS) == -1)
			t->failures++;
		db_end_read(d);
		t->reads++;
		if (reopen) {
			db_close(d);
			d = NULL;
		}
	}
}

/* Under readers that are always there, and while the writer comes and goes. */
static void under_load(void)
{
	static char page[4000];
	struct tally *t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct db *w;
	int64_t longest = 0;
	pid_t pid[4];
	struct stat st;
	char key[32];

	memset(page, 'p', sizeof(page));
	for (int i = 0; i < 4; i++)
		pid[i] = reader(t, i == 3);
	w = fixture_open(SQL_LEDGER, DB_WRITE);         /* after the forks: they would hold its lock */
	for (int i = 0; i < 3000; i++) {
		snprintf(key, sizeof(key), "k%d", i % 500);
		db_begin(w);
		put_kv(w, key, str_make(page, sizeof(page)));
		put_kv(w, "last", str_of(key));
		db_commit(w);
		longest = db_wal_pages(w) > longest ? db_wal_pages(w) : longest;
		db_checkpoint(w, 100);
	}
	stat(fixture_path("ledger.db-wal"), &st);
	tap_ok(longest < 1000, "under readers that are always there the WAL stays bounded: %lld pages at most",
		(long long)longest);
	tap_ok(st.st_size < 1000 * 4200, "and so does its file");
	for (int i = 0; i < 40; i++) {
		db_close(w);
		w = db_open(fixture_path("ledger.db"), SQL_LEDGER, DB_WRITE, "FULL", &why);
		if (!w) {
			tap_diag("%s", why.detail);
			break;
		}
		for (int j = 0; j < 5; j++)
			put_kv(w, "again", str_of("x"));
	}
	for (int i = 0; i < 4; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	tap_ok(w != NULL, "the writer can be opened again under readers");
	tap_is_int(t->failures, 0, "no reader fails, also while the writer comes and goes");
	tap_ok(t->reads > 100, "of %ld reads", t->reads);
	db_close(w);
}

int main(void)
{
	log_init("test", LOG_LEVEL_ERROR);
	crypto_init();
	fixture_make();
	transactions();
	append_only();
	unprepared();
	chain();
	limits();
	readers();
	other_user();
	under_load();
	fixture_remove();
	return tap_done();
}
