/* Migrations: NNNN-name.sql in migrations/{directory,ledger}, applied in order, each in one transaction together with
 * its line in schema_migrations (number, name, SHA-256 of its text, time). PRAGMA user_version is the highest applied
 * number. */
#ifndef STORE_MIGRATE_H
#define STORE_MIGRATE_H
#include <stdbool.h>
#include "base/problem.h"
#include "store/db.h"

/* The name of a file beside the databases that says that a restore is under way: what was restored so far may not be
 * opened for writing. */
#define MIGRATE_RESTORING "restore.unfinished"

/* Brings the file up to date, creating it (mode 0640) when absent. Returns the number applied now, or -1; why->detail
 * says what is wrong and how_to_fix what to do. why->status is 500 for what every other try would meet again: the file
 * is newer than the program's migrations, an applied migration's text was changed, or the folder is on a network file
 * system (unless allow_network_fs). It is 503 for what may pass: another process has the file open for writing
 * (db_open), migrations that cannot be read, no room, no right. */
int migrate_run(const char *path, enum sql_file file, const char *migrations_dir, bool allow_network_fs,
	struct problem *why);

/* The same, and the file stays open for writing (for the writer): nobody comes in between. NULL when *applied is -1. */
struct migrate_options {
	const char *synchronous;
	bool allow_network_fs;
	bool must_exist;                /* an absent or empty file is refused, not begun */
};
struct db *migrate_open(const char *path, enum sql_file file, const char *migrations_dir,
	const struct migrate_options *o,
	int *applied, struct problem *why);

#endif
