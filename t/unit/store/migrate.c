/* Migrations: old or new, never between; nothing else opens the file meanwhile. */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include "base/log.h"
#include "fixture.h"

static struct problem why;

static int migrate(const char *path, const char *dir)
{
	memset(&why, 0, sizeof(why));
	return migrate_run(path, SQL_LEDGER, dir, true, &why);
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(fixture_path(name), "w");

	fputs(text, f);
	fclose(f);
}

static const char *folder(const char *name)
{
	char sub[128];

	mkdir(fixture_path(name), 0755);
	snprintf(sub, sizeof(sub), "%s/ledger", name);
	mkdir(fixture_path(sub), 0755);
	return fixture_path(name);
}

/* One value of the file, by sqlite3's own eyes: db.h gives none. */
static int version_of(const char *path)
{
	struct db *d = db_open(path, SQL_LEDGER, DB_WRITE, "FULL", &why);
	int v = d ? db_user_version(d) : -2;

	db_close(d);
	return v;
}

static void real_ones(void)
{
	const char *path = fixture_path("ledger.db");
	struct stat st;
	int n;

	n = migrate(path, fixture_migrations());
	tap_ok(n >= 7, "a new file gets all migrations");
	tap_ok(stat(path, &st) == 0 && (st.st_mode & 0777 & ~0640) == 0, "it is nobody else's to read");
	tap_is_int(migrate(path, fixture_migrations()), 0, "run again, there is nothing to do");
	tap_is_int(version_of(path), n, "user_version is the highest number");
	tap_ok(migrate_run(fixture_path("directory.db"), SQL_DIRECTORY, fixture_migrations(), true, &why) >= 11,
		"directory.db has its own");
	tap_ok(migrate_run(fixture_path("nowhere/x.db"), SQL_LEDGER, fixture_migrations(), true, &why) == -1 &&
		strstr(why.detail, "nowhere"),
		"a folder that does not exist is named");
}

static void refusals(void)
{
	const char *dir = folder("m"), *path = fixture_path("a.db");
	struct db *d;

	put("m/ledger/0001-a.sql", "CREATE TABLE a (x);\n");
	put("m/ledger/0002-b.sql", "CREATE TABLE b (x);\n");
	put("m/ledger/README", "no migration\n");
	tap_is_int(migrate(path, dir), 2, "only NNNN-name.sql counts");
	put("m/ledger/0001-a.sql", "CREATE TABLE a (x, y);\n");
	tap_ok(migrate(path, dir) == -1 && strstr(why.detail, "0001-a.sql") && *why.how_to_fix,
		"an applied migration with another text is refused by name");
	put("m/ledger/0001-a.sql", "CREATE TABLE a (x);\n");
	tap_is_int(migrate(path, dir), 0, "and accepted when the text is back");
	unlink(fixture_path("m/ledger/0002-b.sql"));
	tap_ok(migrate(path, dir) == -1 && strstr(why.detail, "version 2") && *why.how_to_fix,
		"an old program refuses a newer file");
	put("m/ledger/0003-c.sql", "CREATE TABLE c (x);\n");
	tap_ok(migrate(path, dir) == -1 && strstr(why.detail, "0003-c.sql"), "a gap in the numbers is refused");
	unlink(fixture_path("m/ledger/0003-c.sql"));
	put("m/ledger/0002-b.sql", "CREATE TABLE b (x);\n");
	d = db_open(path, SQL_LEDGER, DB_WRITE, "FULL", &why);
	tap_ok(d != NULL, "the file can be opened");
	tap_ok(migrate(path, dir) == -1 && strstr(why.detail, "open for writing by process"),
		"refused while the writer has the file open");
	db_close(d);
	tap_is_int(migrate(path, dir), 0, "not after it has left");
	tap_ok(migrate(path, fixture_path("none")) == -1 && strstr(why.detail, "none/ledger"),
		"a folder without migrations is named");
}

static void a_failure(void)
{
	const char *dir = folder("f"), *path = fixture_path("f.db");

	put("f/ledger/0001-a.sql", "CREATE TABLE a (x);\n");
	put("f/ledger/0002-b.sql", "CREATE TABLE b (x);\nINSERT INTO b VALUES (1);\nINSERT INTO nowhere VALUES (1);\n");
	log_init("test", LOG_LEVEL_ERROR);
	tap_ok(migrate(path, dir) == -1 && strstr(why.detail, "0002-b.sql"), "a migration that fails is named");
	tap_is_int(version_of(path), 1, "the one before it stays");
	put("f/ledger/0002-b.sql", "CREATE TABLE b (x);\nCOMMIT;\n");
	tap_is_int(migrate(path, dir), -1, "one that ends the transaction itself is refused");
	put("f/ledger/0002-b.sql", "CREATE TABLE b2 (x);\n");
	tap_is_int(migrate(path, dir), 1, "repaired, it is applied to the same file");
}

/* A file is at a version and its tables are those of that version, wherever the process was killed. */
static void killed(void)
{
	const char *dir = folder("k"), *path = fixture_path("k.db");
	int between = 0, partly = 0;
	char name[64], text[4096];

	for (int i = 1; i <= 12; i++) {
		int n = 0;

		snprintf(name, sizeof(name), "k/ledger/%04d-t.sql", i);
		for (int j = 0; j < 20; j++)
			n += snprintf(text + n, sizeof(text) - (size_t)n, "CREATE TABLE t%d_%d (x, y UNIQUE);\n", i, j);
		put(name, text);
	}
	/* On a busy machine more rounds are needed until enough of them end in the middle. */
	for (int round = 0; round < 40 || (partly < 5 && round < 400); round++) {
		pid_t pid;
		int status, v;
		struct db *d;

		pid = fork();
		if (pid == 0)
			_exit(migrate_run(path, SQL_LEDGER, dir, true, NULL) < 0);
		usleep((useconds_t)(round % 100 * 3000));
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		if (access(path, F_OK) < 0)
			continue;
		v = version_of(path);
		partly += v > 0 && v < 12;
		d = db_open(path, SQL_LEDGER, DB_WRITE, "FULL", NULL);
		/* The last table of version v is there, the first of the next is not: creating it says so. */
		snprintf(text, sizeof(text), "BEGIN; SELECT * FROM t%d_19; CREATE TABLE t%d_0 (x); ROLLBACK",
			v > 0 ? v : 1, v + 1);
		if (v < 0 || (v > 0 && db_exec(d, text) < 0))
			between++;
		db_close(d);
		if (v == 12) {
			unlink(path);
			unlink(fixture_path("k.db-wal"));
			unlink(fixture_path("k.db-shm"));
		}
	}
	tap_is_int(between, 0, "after kill -9 the file is at one version or the next, never between");
	tap_ok(partly > 0, "and it was killed half-way %d times", partly);
	tap_ok(migrate(path, dir) >= 0 && version_of(path) == 12, "and goes on from there");
}

int main(void)
{
	log_init("test", LOG_LEVEL_WARN);
	fixture_make();
	real_ones();
	refusals();
	a_failure();
	killed();
	fixture_remove();
	return tap_done();
}
