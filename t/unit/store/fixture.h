/* A folder of its own with freshly migrated databases, removed at the end. For tests that link the store layer. */
#ifndef T_UNIT_STORE_FIXTURE_H
#define T_UNIT_STORE_FIXTURE_H
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "store/db.h"
#include "store/migrate.h"
#include "tap.h"

static char fixture_dir[256];

/* The source tree's migrations: under $srcdir, else found from this file's own place. */
static inline const char *fixture_migrations(void)
{
	static char path[PATH_MAX];
	char from[PATH_MAX];
	const char *slash = strrchr(__FILE__, '/'), *top = getenv("srcdir");

	if (top)
		snprintf(from, sizeof(from), "%s/migrations", top);
	else
		snprintf(from, sizeof(from), "%.*s/../../../migrations", slash ? (int)(slash - __FILE__) : 1,
			slash ? __FILE__ : ".");
	if (!*path && !realpath(from, path)) {
		printf("Bail out! no migrations at %s\n", from);
		exit(1);
	}
	return path;
}

/* "<folder>/<name>"; the last 256 results are alive. */
static inline const char *fixture_path(const char *name)
{
	static char path[256][512];
	static unsigned next;
	char *p = path[next++ % 256];

	snprintf(p, sizeof(path[0]), "%s/%s", fixture_dir, name);
	return p;
}

static inline int fixture_unlink(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}

static inline void fixture_remove(void)
{
	if (*fixture_dir)
		nftw(fixture_dir, fixture_unlink, 16, FTW_DEPTH | FTW_PHYS);
	*fixture_dir = 0;
}

static inline void fixture_make(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(fixture_dir, sizeof(fixture_dir), "%s/rowcall-t-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(fixture_dir)) {
		printf("Bail out! no temporary folder\n");
		exit(1);
	}
}

/* The path of a migrated <name>.db. */
static inline const char *fixture_file(enum sql_file f)
{
	char name[32];
	const char *path;
	struct problem why = { 0 };

	snprintf(name, sizeof(name), "%s.db", sql_file_name(f));
	path = fixture_path(name);
	if (migrate_run(path, f, fixture_migrations(), true, &why) < 0) {
		printf("Bail out! %s\n", why.detail);
		exit(1);
	}
	return path;
}

static inline struct db *fixture_open(enum sql_file f, enum db_mode mode)
{
	struct problem why = { 0 };
	struct db *d = db_open(fixture_file(f), f, mode, "FULL", &why);

	if (!d) {
		printf("Bail out! %s\n", why.detail);
		exit(1);
	}
	return d;
}

#endif
