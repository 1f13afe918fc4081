/* `rowcall backup`: both files of a service as they were at one moment, while it runs.
 *
 * A read transaction on each file pins what it sees; nobody has to hold still while the pages are copied. That both
 * transactions see one moment is made sure thus: the ledger's is opened, then the directory's, then the ledger's anew.
 * When the ledger did not change in between, there was a moment between the two at which both were as they are seen. Else
 * all is opened again; that is a matter of microseconds, and a commit takes the writer longer. So nothing is asked of the
 * writer, and nothing is checkpointed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "config.h"
#include "ctl/backup.h"
#include "ctl/ctl.h"
#include "ctl/file.h"
#include "ctl/out.h"
#include "ctl/place.h"

#define UNFINISHED ".unfinished-"       /* and a process id: a folder that is being filled */

enum { BACKUP_TRIES = 1000 };           /* to find a moment at which neither file changes */

static const char *const db_names[SQL_FILES] = { [SQL_DIRECTORY] = "directory.db", [SQL_LEDGER] = "ledger.db" };

struct making {
	const struct conf *conf;
	char *temporary;                /* the folder until it is whole */
	struct db *db[SQL_FILES];
	struct backup made;
	bool progress;
	const char *shown;              /* what is being copied */
	int64_t bad;
};

/* One moment */

static int64_t version_of(struct db *d)
{
	int64_t version;
	bool found;

	return db_one_int(d, SQL_LEDGER_DATA_VERSION, &version, &found, "") < 0 || !found ? -1 : version;
}

/* Begins the transaction and reads, which is what pins it. */
static int pin_directory(struct db *d)
{
	int64_t n;
	bool found;

	return db_begin_read(d) < 0 || db_one_int(d, SQL_DIRECTORY_VERSION, &n, &found, "") < 0 ? -1 : 0;
}

static int pin_ledger(struct db *d, int64_t *version)
{
	if (db_begin_read(d) < 0)
		return -1;
	*version = version_of(d);
	return *version < 0 ? -1 : 0;
}

/* 1 both are pinned at one moment, 0 the ledger changed meanwhile, -1 */
static int pin(struct db *const db[SQL_FILES])
{
	int64_t before, after;

	if (pin_ledger(db[SQL_LEDGER], &before) < 0 || pin_directory(db[SQL_DIRECTORY]) < 0)
		return -1;
	db_end_read(db[SQL_LEDGER]);
	if (pin_ledger(db[SQL_LEDGER], &after) < 0)
		return -1;
	return before == after;
}

static int pin_moment(struct making *m, struct problem *why)
{
	for (int i = 0; i < BACKUP_TRIES; i++) {
		int rc = pin(m->db);

		if (rc == 1)
			return 0;
		for (int f = 0; f < SQL_FILES; f++)
			db_end_read(m->db[f]);
		if (rc < 0)
			return problem_unavailable(why, "the files cannot be read");
	}
	return problem_unavailable(why, "the ledger changed at each of %d tries", BACKUP_TRIES);
}

/* The parts */

static void show_progress(void *ctx, int64_t done, int64_t total)
{
	const struct making *m = ctx;

	if (m->progress && total > 0)
		fprintf(stderr, "\r\033[Kbackup: %s %" PRId64 " %%", m->shown, done * 100 / total);
}

static int open_files(struct making *m, struct problem *why)
{
	for (int f = 0; f < SQL_FILES; f++) {
		char *path = place_path(m->conf->data_dir, db_names[f]);

		m->db[f] = db_open(path, (enum sql_file)f, DB_READ, NULL, why);
		free(path);
		if (!m->db[f])
			return -1;
	}
	return 0;
}

static void close_files(struct making *m)
{
	for (int f = 0; f < SQL_FILES; f++) {
		if (m->db[f])
			db_end_read(m->db[f]);
		db_close(m->db[f]);
		m->db[f] = NULL;
	}
}

static int copy_databases(struct making *m, struct problem *why)
{
	int rc = open_files(m, why);

	if (rc == 0)
		rc = pin_moment(m, why);
	for (int f = 0; rc == 0 && f < SQL_FILES; f++) {
		char *to = place_path(m->temporary, db_names[f]);

		m->shown = db_names[f];
		rc = db_copy(m->db[f], to, show_progress, m, why);
		if (rc == 0)
			rc = file_sync(to, why);
		free(to);
	}
	close_files(m);
	return rc;
}

static int copy_plain(struct making *m, const char *from, const char *name, struct problem *why)
{
	char *to = place_path(m->temporary, name);
	int rc = file_copy(from, to, 0600, (uid_t)-1, (gid_t)-1, why);

	free(to);
	return rc;
}

static int note_file(struct making *m, const char *name, struct problem *why)
{
	struct backup_file *f = &m->made.file[m->made.files++];
	char *path = place_path(m->temporary, name);
	int rc = file_digest(path, f->digest, &f->size, why);

	snprintf(f->name, sizeof(f->name), "%s", name);
	free(path);
	return rc;
}

void backup_found(void *ctx, const struct audit_finding *f)
{
	(void)ctx;
	ctl_fail(0, "%s: %s: %.*s: %s", f->file, f->check, (int)f->id.n, f->id.p, f->what);
}

static int audit_copy(struct making *m, struct problem *why)
{
	struct audit a = { .folder = m->temporary, .found = backup_found };
	int rc;

	if (m->progress)
		fputs("\r\033[Kbackup: verify", stderr);
	rc = audit_run(&a, why);
	memcpy(m->made.head, a.head, sizeof(a.head));
	m->bad = a.bad;
	return a.bad ? 0 : rc;
}

static void put_head(struct json_object *o, const char *name, const struct verify_head *h)
{
	struct buf b = BUF_MALLOC;

	buf_printf(&b, "%s@%" PRId64, h->hash, h->seq);
	json_put_text(o, name, buf_text(&b));
	buf_free(&b);
}

static int write_manifest(struct making *m, struct problem *why)
{
	struct json_object *o = json_object_new_object(), *files = json_object_new_array();
	char *path = place_path(m->temporary, BACKUP_MANIFEST);
	struct buf b = BUF_MALLOC;
	int rc;

	json_put_text(o, "rowcall", PACKAGE_VERSION);
	json_put_text(o, "time", m->made.time);
	put_head(o, "head", &m->made.head[SQL_DIRECTORY]);
	put_head(o, "ledger_head", &m->made.head[SQL_LEDGER]);
	for (unsigned i = 0; i < m->made.files; i++) {
		struct json_object *f = json_object_new_object();

		json_put_text(f, "name", m->made.file[i].name);
		json_put_int(f, "bytes", m->made.file[i].size);
		json_put_text(f, "sha256", m->made.file[i].digest);
		json_object_array_add(files, f);
	}
	json_put(o, "files", files);
	json_text(&b, o);
	buf_putc(&b, '\n');
	rc = file_write(path, buf_str(&b), 0600, why);
	buf_free(&b);
	json_object_put(o);
	free(path);
	return rc;
}

static int fill(struct making *m, bool with_secrets, struct problem *why)
{
	char now[CLOCK_ISO];

	clock_iso(clock_ms(), now);
	memcpy(m->made.time, now, sizeof(now));
	if (copy_databases(m, why) < 0 || copy_plain(m, m->conf->path, "rowcall.conf", why) < 0 ||
	    (with_secrets && copy_plain(m, m->conf->secrets_file, BACKUP_SECRETS, why) < 0))
		return -1;
	for (int f = 0; f < SQL_FILES; f++)
		if (note_file(m, db_names[f], why) < 0)
			return -1;
	if (note_file(m, "rowcall.conf", why) < 0 || (with_secrets && note_file(m, BACKUP_SECRETS, why) < 0))
		return -1;
	return audit_copy(m, why) < 0 || write_manifest(m, why) < 0 ? -1 : file_sync(m->temporary, why);
}

/* Left by others */

/* The backup's own files alone: of what else is in it nobody knows whose it is, so then the folder stays. */
static void remove_left(int parent, int fd, const char *name)
{
	static const char *const suffix[] = { "", "-journal", "-wal", "-shm" };
	static const char *const plain[] = { "rowcall.conf", BACKUP_SECRETS, BACKUP_MANIFEST };

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		unlinkat(fd, plain[i], 0);
	for (size_t i = 0; i < SQL_FILES * sizeof(suffix) / sizeof(suffix[0]); i++) {
		char file[64];

		snprintf(file, sizeof(file), "%s%s", db_names[i % SQL_FILES], suffix[i / SQL_FILES]);
		unlinkat(fd, file, 0);
	}
	unlinkat(parent, name, AT_REMOVEDIR);
}

/* Who makes a backup holds a lock on its folder: those beside it that nobody holds were left by who was killed. */
static void sweep(const char *folder)
{
	char *copy = mem_strdup(folder);
	DIR *d = opendir(dirname(copy));
	struct dirent *e;

	while (d && (e = readdir(d)) != NULL) {
		const char *at = strstr(e->d_name, UNFINISHED), *number = at ? at + strlen(UNFINISHED) : "";
		int fd = *number && !number[strspn(number, "0123456789")]
			? openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;

		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
			remove_left(dirfd(d), fd, e->d_name);
		if (fd >= 0)
			close(fd);
	}
	if (d)
		closedir(d);
	free(copy);
}

/* The folder, and the lock on it, which is the descriptor's that is returned. */
static int make_folder(const char *path, struct problem *why)
{
	int fd = mkdir(path, 0700) < 0 ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return file_failed(why, path);
	flock(fd, LOCK_EX | LOCK_NB);   /* where there are none, nobody else gets one either */
	return fd;
}

/* Gives the whole folder its name. */
static int put_in_place(const struct making *m, const char *folder, struct problem *why)
{
	char *copy = mem_strdup(folder);
	int rc = rename(m->temporary, folder) < 0 ? file_failed(why, folder) : file_sync(dirname(copy), why);

	free(copy);
	return rc;
}

/* Reading */

static int not_as_made(struct problem *why, const char *folder, const char *what)
{
	problem_set(why, 422, "bad_backup");
	problem_detail(why, "%.300s: %s", folder, what);
	return -1;
}

static void read_head(struct json_object *o, struct verify_head *h)
{
	struct str rest = json_str(o), hash = str_cut(&rest, '@');

	snprintf(h->hash, sizeof(h->hash), "%.*s", (int)hash.n, hash.p ? hash.p : "");
	h->seq = rest.p ? strtoll(rest.p, NULL, 10) : 0;
}

static int read_manifest(struct arena *arena, const char *folder, struct json_object **o, struct problem *why)
{
	char *path = place_path(folder, BACKUP_MANIFEST), *text = arena_alloc(arena, BACKUP_MANIFEST_MAX);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, BACKUP_MANIFEST_MAX);

	if (n < 0) {
		file_failed(why, path);
		why->status = 404;
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return n < 0 ? -1 : json_parse(arena, str_make(text, (size_t)n), o, why);
}

/* Takes the names that a backup has and no other: what is named is opened. */
static int read_file_entry(struct json_object *o, struct backup_file *f)
{
	static const char *const names[] = { "directory.db", "ledger.db", "rowcall.conf", BACKUP_SECRETS };
	struct str digest = json_str(json_get(o, "sha256"));

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (str_is(json_str(json_get(o, "name")), names[i]) && digest.n == CRYPTO_HEX - 1) {
			snprintf(f->name, sizeof(f->name), "%s", names[i]);
			memcpy(f->digest, digest.p, digest.n);
			f->size = json_object_get_int64(json_get(o, "bytes"));
			return 0;
		}
	return -1;
}

static int compare(const char *folder, const struct backup_file *f, struct problem *why)
{
	char *path = place_path(folder, f->name), digest[CRYPTO_HEX];
	int64_t size;
	int rc = file_digest(path, digest, &size, why);

	if (rc == 0 && (size != f->size || strcmp(digest, f->digest) != 0))
		rc = not_as_made(why, path, "is not as the backup was made: its digest differs from the one in " BACKUP_MANIFEST);
	free(path);
	return rc;
}

bool backup_has(const struct backup *b, const char *name)
{
	for (unsigned i = 0; i < b->files; i++)
		if (strcmp(b->file[i].name, name) == 0)
			return true;
	return false;
}

static int read_files(struct json_object *list, const char *folder, struct backup *b, struct problem *why)
{
	size_t n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;

	if (n > BACKUP_FILES)
		return not_as_made(why, folder, BACKUP_MANIFEST " names files that no backup has");
	for (size_t i = 0; i < n; i++) {
		if (read_file_entry(json_object_array_get_idx(list, i), &b->file[b->files]) < 0)
			return not_as_made(why, folder, BACKUP_MANIFEST " names files that no backup has");
		if (compare(folder, &b->file[b->files++], why) < 0)
			return -1;
	}
	if (!backup_has(b, "directory.db") || !backup_has(b, "ledger.db"))
		return not_as_made(why, folder, BACKUP_MANIFEST " does not name both databases");
	return 0;
}

int backup_check(const char *folder, struct backup *b, struct problem *why)
{
	struct arena *arena = arena_new();
	struct json_object *o = NULL;
	int rc = read_manifest(arena, folder, &o, why);

	*b = (struct backup){ 0 };
	if (rc == 0) {
		snprintf(b->time, sizeof(b->time), "%s", json_str(json_get(o, "time")).p ? json_str(json_get(o, "time")).p : "");
		read_head(json_get(o, "head"), &b->head[SQL_DIRECTORY]);
		read_head(json_get(o, "ledger_head"), &b->head[SQL_LEDGER]);
		rc = read_files(json_get(o, "files"), folder, b, why);
	}
	arena_free(arena);
	return rc;
}

/* The command */

static int64_t total_size(const struct backup *b)
{
	int64_t n = 0;

	for (unsigned i = 0; i < b->files; i++)
		n += b->file[i].size;
	return n;
}

static void print_made(const struct making *m, const char *folder)
{
	static const char *const titles[SQL_FILES] = { [SQL_DIRECTORY] = "head       ", [SQL_LEDGER] = "ledger head" };

	printf("%s: %" PRId64 " bytes of %s\n", folder, total_size(&m->made), m->made.time);
	for (int f = 0; f < SQL_FILES; f++)
		printf("%s %s@%" PRId64 "\n", titles[f], m->made.head[f].hash, m->made.head[f].seq);
}

static void print_json(const struct making *m, const char *folder)
{
	static const char *const names[SQL_FILES] = { [SQL_DIRECTORY] = "head", [SQL_LEDGER] = "ledger_head" };
	struct json_object *o = json_object_new_object();

	json_put_bool(o, "ok", !m->bad);
	json_put_text(o, "folder", folder);
	json_put_int(o, "bytes", total_size(&m->made));
	json_put_text(o, "time", m->made.time);
	for (int f = 0; f < SQL_FILES; f++) {
		struct buf b = BUF_MALLOC;

		buf_printf(&b, "%s@%" PRId64, m->made.head[f].hash, m->made.head[f].seq);
		json_put_text(o, names[f], buf_text(&b));
		buf_free(&b);
	}
	out_json(o);
	json_object_put(o);
}

static int make(struct making *m, const char *folder, const struct ctl_args *args)
{
	bool quiet = ctl_has(args, "quiet"), json = ctl_has(args, "json");
	struct buf name = BUF_MALLOC;
	struct problem why = { 0 };
	struct stat st;
	int rc = -1, lock = -1;

	m->progress = !quiet && !json && isatty(STDERR_FILENO);
	buf_printf(&name, "%s" UNFINISHED "%ld", folder, (long)getpid());
	m->temporary = (char *)buf_text(&name);
	if (lstat(folder, &st) == 0) {
		errno = EEXIST;
		file_failed(&why, folder);
	} else {
		sweep(folder);
		lock = make_folder(m->temporary, &why);
	}
	if (lock >= 0) {
		rc = fill(m, ctl_has(args, "with-secrets"), &why);
		if (rc == 0)
			rc = put_in_place(m, folder, &why);
		if (rc < 0)
			file_remove_folder(m->temporary);
		close(lock);
	}
	if (m->progress)
		fputs("\r\033[K", stderr);
	buf_free(&name);
	if (rc < 0)
		return ctl_problem(CTL_FAILED, &why);
	if (json)
		print_json(m, folder);
	else if (!m->bad && !quiet)
		print_made(m, folder);
	if (m->bad)
		return ctl_fail(CTL_FAILED, "%s is a copy of what the service has, and that does not verify", folder);
	return CTL_OK;
}

/* A folder's name without the slashes at its end: the temporary one stands beside it. */
static char *folder_name(const char *text)
{
	char *name = mem_strdup(text);

	for (size_t n = strlen(name); n > 1 && name[n - 1] == '/'; n--)
		name[n - 1] = 0;
	return name;
}

int ctl_backup(const struct ctl_args *args)
{
	const struct place at = place_of(args);
	struct making m = { 0 };
	struct problem why = { 0 };
	struct conf *conf = place_conf(&at, &why);
	char *folder;
	int rc;

	if (!conf)
		return ctl_problem(CTL_CONFIG, &why);
	m.conf = conf;
	folder = folder_name(args->word[0]);
	rc = make(&m, folder, args);
	free(folder);
	conf_free(conf);
	return rc;
}
