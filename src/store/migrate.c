/* Brings a database up to date. Each migration is one transaction together with its line in schema_migrations and the
 * file's user_version, so a file is always at one version or the next, whenever the process is killed. Nothing here
 * knows a table but that one. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/crypto.h"
#include "base/log.h"
#include "base/mem.h"
#include "store/db.h"
#include "store/migrate.h"

enum {
	MIGRATE_MAX = 9999,             /* four digits */
	MIGRATE_TEXT_MAX = 1 << 20,     /* bytes of one migration */
};

struct migration {
	char *name;                     /* of the file */
	struct buf text;
	char digest[CRYPTO_HEX];
};

struct list { struct migration *m; int n; };

static const char lines_table[] =
	"CREATE TABLE IF NOT EXISTS schema_migrations (\n"
	"	number INTEGER PRIMARY KEY,     -- 1, 2, 3, … as in the name of the file\n"
	"	name   TEXT NOT NULL,           -- of the file that was applied\n"
	"	digest TEXT NOT NULL,           -- SHA-256 in hex of its text\n"
	"	time   TEXT NOT NULL            -- when it was applied, UTC, ISO 8601\n"
	")";

static const enum sql_id lines_get[SQL_FILES] = { SQL_DIRECTORY_MIGRATIONS, SQL_LEDGER_MIGRATIONS };
static const enum sql_id lines_add[SQL_FILES] = { SQL_DIRECTORY_MIGRATION_ADD, SQL_LEDGER_MIGRATION_ADD };

/* File systems on which the WAL's shared memory or its locks do not hold between machines, or are somebody's program. */
static const struct { unsigned long magic; const char *name; } network_fs[] = {
	{ 0x6969, "NFS" },
	{ 0x517b, "SMB" },
	{ 0xff534d42, "CIFS" },
	{ 0xfe534d42, "SMB2" },
	{ 0x01021997, "9p" },
	{ 0x65735546, "FUSE or virtiofs" },
	{ 0x00c36400, "Ceph" },
	{ 0x5346414f, "AFS" },
	{ 0x6b414653, "AFS" },
	{ 0x73757245, "Coda" },
	{ 0x564c, "NCP" },
	{ 0x47504653, "GPFS" },
	{ 0x0bd00bd0, "Lustre" },
	{ 0x01161970, "GFS2" },
	{ 0x7461636f, "OCFS2" },
	{ 0x786f4256, "VirtualBox shared folder" },
	{ 0xbacbacbc, "VMware shared folder" },
};

/* What another try would meet again. */
static int refuse(struct problem *why, const char *path, const char *what, const char *fix)
{
	problem_set(why, 500, "migration_refused");
	problem_detail(why, "%.200s: %s", path, what);
	problem_fix(why, "%s", fix);
	return -1;
}

/* What may have passed by the next try: no room, no right, a package being installed. */
static int failed(struct problem *why, const char *path, const char *what, const char *fix)
{
	refuse(why, path, what, fix);
	if (why)
		why->status = 503;
	return -1;
}

static int check_folder(const char *path, bool allow_network_fs, struct problem *why)
{
	char folder[PATH_MAX], what[160];
	const char *slash = strrchr(path, '/');
	struct statfs fs;

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
	if (statfs(*folder ? folder : "/", &fs) < 0)
		return failed(why, *folder ? folder : "/", strerror(errno),
			"create the folder and give the service's user the right to write in it");
	for (size_t i = 0; !allow_network_fs && i < sizeof(network_fs) / sizeof(network_fs[0]); i++)
		if (((unsigned long)fs.f_type & 0xffffffff) == network_fs[i].magic) {
			snprintf(what, sizeof(what),
				"the folder is on a network or shared file system (%s), where a WAL can be damaged",
				network_fs[i].name);
			return refuse(why, path, what,
				"move data_dir to a local disk, or set allow_network_fs = yes if you know that one"
				" machine alone uses it");
		}
	return 0;
}

/* A restore that was cut off has left the files of two moments. */
static int check_whole(const char *path, struct problem *why)
{
	const char *slash = strrchr(path, '/');
	char mark[PATH_MAX];

	snprintf(mark, sizeof(mark), "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, MIGRATE_RESTORING);
	return access(mark, F_OK) < 0 ? 0 : refuse(why, mark, "a restore was cut off", "run rowcall restore-backup again");
}

/* The texts */

/* Number of "NNNN-name.sql", or 0. */
static int number_of(const char *name)
{
	size_t n = strlen(name);

	if (n < 10 || strspn(name, "0123456789") != 4 || name[4] != '-' || strcmp(name + n - 4, ".sql") != 0)
		return 0;
	return atoi(name);
}

static int is_migration(const struct dirent *e)
{
	return number_of(e->d_name) > 0;
}

static int read_text(const char *path, struct buf *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	if (fd < 0)
		return -1;
	do {
		buf_reserve(out, 16384);
		n = read(fd, out->data + out->len, 16384);
		out->len += n > 0 ? (size_t)n : 0;
	} while (n > 0 && out->len <= MIGRATE_TEXT_MAX);
	close(fd);
	return n == 0 && out->len && !memchr(out->data, 0, out->len) ? 0 : -1;
}

static void list_free(struct list *l)
{
	for (int i = 0; i < l->n; i++) {
		free(l->m[i].name);
		buf_free(&l->m[i].text);
	}
	free(l->m);
}

static int list_add(struct list *l, const char *folder, const char *name, struct problem *why)
{
	struct migration *m = &l->m[l->n];
	char path[PATH_MAX + 256];

	*m = (struct migration){ .name = mem_strdup(name), .text = BUF_MALLOC };
	l->n++;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (number_of(name) != l->n)
		return failed(why, path, "its number does not follow the one before",
			"install the program's migrations completely");
	if (read_text(path, &m->text) < 0)
		return failed(why, path, "cannot be read as a text", "install the program's migrations completely");
	crypto_sha256_hex(buf_str(&m->text), m->digest);
	return 0;
}

static int list_read(struct list *l, const char *folder, struct problem *why)
{
	struct dirent **entry = NULL;
	int n = scandir(folder, &entry, is_migration, alphasort), rc = 0;

	if (n <= 0)
		rc = failed(why, folder, n < 0 ? strerror(errno) : "holds no migrations",
			"install the program's migrations, or set migrations_dir");
	else
		l->m = mem_alloc((size_t)n * sizeof(*l->m));
	for (int i = 0; i < n; i++) {
		if (rc == 0)
			rc = list_add(l, folder, entry[i]->d_name, why);
		free(entry[i]);
	}
	free(entry);
	return rc;
}

/* The file */

static int create(const char *path, bool must_exist, struct problem *why)
{
	struct stat st;
	int fd;

	if (must_exist && (stat(path, &st) < 0 || st.st_size == 0))
		return failed(why, path, stat(path, &st) < 0 ? strerror(errno) : "it is empty",
			"put the file back, or restore both databases from a backup");
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0640);

	if (fd < 0 && errno != EEXIST)
		return failed(why, path, strerror(errno), "give the service's user the right to write in the folder");
	if (fd >= 0)
		close(fd);
	return 0;
}

/* What the file says was applied must be what this program has. */
static int check_lines(struct db *d, const char *path, enum sql_file file, const struct list *l, int version,
	struct problem *why)
{
	struct db_stmt *s = db_start(d, lines_get[file], "");
	int rc, row, n = 0;
	char what[300];

	while ((row = db_step(s)) == 1) {
		int number = (int)db_int(s, 0);

		n++;
		if (number != n || n > version || !str_is(db_text(s, 2), l->m[n - 1].digest)) {
			struct str name = db_text(s, 1);

			snprintf(what, sizeof(what),
				"migration %.*s was applied with another text than this program's",
				name.n < 100 ? (int)name.n : 100, name.p);
			row = -2;
			break;
		}
	}
	db_end(s);
	if (row == -2)
		rc = refuse(why, path, what, "start the program that the file belongs to; a migration is never edited");
	else if (row < 0 || n != version)
		rc = refuse(why, path, "its list of migrations does not agree with its version",
			"restore it from a backup");
	else
		rc = 0;
	return rc;
}

static int apply(struct db *d, enum sql_file file, const struct migration *m, int number)
{
	char now[CLOCK_ISO];
	struct db_stmt *s;
	int rc;

	clock_iso(clock_ms(), now);
	if (db_begin(d) < 0)
		return -1;
	if (db_exec(d, lines_table) < 0 || db_exec(d, m->text.data) < 0 || !db_in_transaction(d))
		goto out;
	s = db_start(d, lines_add[file], "ittt", (int64_t)number, m->name, m->digest, now);
	rc = db_step(s);
	db_end(s);
	if (rc == 0 && db_set_user_version(d, number) == 0 && db_commit(d) == 0)
		return 0;
out:
	db_rollback(d);
	return -1;
}

static int bring_up(struct db *d, const char *path, enum sql_file file, struct list *l, struct problem *why)
{
	int version = db_user_version(d), first = version;
	char what[300];

	if (version > l->n) {
		snprintf(what, sizeof(what), "it is at version %d, this program knows %d", version, l->n);
		return refuse(why, path, what, "start the newer program, or restore the backup made before it ran");
	}
	if (version < 0 || (version > 0 && check_lines(d, path, file, l, version, why) < 0))
		return version < 0 ? failed(why, path, db_error_text(d), "restore it from a backup") : -1;
	for (; version < l->n; version++) {
		buf_text(&l->m[version].text);
		if (apply(d, file, &l->m[version], version + 1) < 0) {
			snprintf(what, sizeof(what), "migration %s failed: %s; the file is at version %d",
				l->m[version].name, db_error_text(d), version);
			return failed(why, path, what, "free the cause and start again");
		}
		log_debug("%s: %s applied", path, l->m[version].name);
	}
	return version - first;
}

struct db *migrate_open(const char *path, enum sql_file file, const char *migrations_dir,
	const struct migrate_options *o,
	int *applied, struct problem *why)
{
	struct list l = { 0 };
	struct db *d = NULL;
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%s/%s", migrations_dir, sql_file_name(file));
	if (check_folder(path, o->allow_network_fs, why) == 0 && check_whole(path, why) == 0 && list_read(&l, folder, why) == 0 &&
	    create(path, o->must_exist, why) == 0)
		d = db_open(path, file, DB_WRITE, o->synchronous, why);
	*applied = d ? bring_up(d, path, file, &l, why) : -1;
	if (*applied < 0) {
		db_close(d);
		d = NULL;
	}
	list_free(&l);
	return d;
}

int migrate_run(const char *path, enum sql_file file, const char *migrations_dir, bool allow_network_fs,
	struct problem *why)
{
	struct migrate_options o = { .synchronous = "FULL", .allow_network_fs = allow_network_fs };
	int applied;

	db_close(migrate_open(path, file, migrations_dir, &o, &applied, why));
	return applied;
}
