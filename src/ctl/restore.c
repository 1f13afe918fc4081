/* `rowcall restore-backup`: puts a backup in the place of a service's files, which stay beside it under other names. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/mem.h"
#include "ctl/backup.h"
#include "ctl/ctl.h"
#include "ctl/file.h"
#include "ctl/out.h"
#include "ctl/place.h"
#include "store/migrate.h"

/* What is put back; those that name a database. */
static const struct target { const char *name; bool database; mode_t mode; } targets[] = {
	{ "directory.db", true, 0640 }, { "ledger.db", true, 0640 }, { BACKUP_SECRETS, false, 0600 },
};
enum { TARGETS = sizeof(targets) / sizeof(targets[0]) };

struct restoring {
	const struct conf *conf;
	const char *folder;
	struct backup backup;
	bool secrets;
	char suffix[64];                /* of what was there before */
	int lock[3];                    /* the service's, directory.db's, ledger.db's */
	uid_t uid;
	gid_t gid;                      /* whose the files are to be */
};

/* The backup is as it was made, and verifies, up to the heads that it had. */
static int check(struct restoring *r, struct problem *why)
{
	struct audit a = { .folder = r->folder, .found = backup_found };

	if (backup_check(r->folder, &r->backup, why) < 0)
		return -1;
	memcpy(a.kept, r->backup.head, sizeof(a.kept));
	if (audit_run(&a, why) < 0 && !a.bad)
		return -1;
	if (a.bad) {
		problem_set(why, 422, "bad_backup");
		problem_detail(why, "%.300s does not verify; nothing was changed", r->folder);
		return -1;
	}
	if (r->secrets && !backup_has(&r->backup, BACKUP_SECRETS)) {
		problem_set(why, 422, "bad_backup");
		problem_detail(why, "%.300s holds no secrets: it was made without --with-secrets", r->folder);
		return -1;
	}
	return 0;
}

/* The master holds a lock on its pid file for as long as it lives. Kept, so that none starts meanwhile. */
static int lock_service(const struct conf *conf, struct problem *why)
{
	char *path = place_path(conf->run_dir, "rowcalld.pid");
	int fd = open(path, O_RDWR | O_CLOEXEC);

	free(path);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	close(fd);
	problem_set(why, 409, "service_running");
	problem_detail(why, "the service runs; nothing was changed");
	problem_fix(why, "stop it first");
	return -2;
}

static int lock_all(struct restoring *r, struct problem *why)
{
	struct stat st;

	if ((r->lock[0] = lock_service(r->conf, why)) == -2)
		return -1;
	if (stat(r->conf->data_dir, &st) < 0)
		return file_failed(why, r->conf->data_dir);
	r->uid = geteuid() == 0 ? st.st_uid : (uid_t)-1;
	r->gid = geteuid() == 0 ? st.st_gid : (gid_t)-1;
	for (int i = 0; i < SQL_FILES; i++) {
		char *path = place_path(r->conf->data_dir, targets[i].name);

		r->lock[i + 1] = db_lock(path, why);
		free(path);
		if (r->lock[i + 1] < 0)
			return -1;
	}
	return 0;
}

static char *with_suffix(const char *path, const char *suffix)
{
	struct buf b = BUF_MALLOC;

	buf_printf(&b, "%s%s", path, suffix);
	return (char *)buf_text(&b);
}

/* Where the file goes; malloc's. */
static char *goal_of(const struct restoring *r, const struct target *t)
{
	return t->database ? place_path(r->conf->data_dir, t->name) : mem_strdup(r->conf->secrets_file);
}

static bool wanted(const struct restoring *r, const struct target *t)
{
	return t->database || r->secrets;
}

/* Copies the file beside the place where it goes. */
static int bring(const struct restoring *r, const struct target *t, struct problem *why)
{
	char *from = place_path(r->folder, t->name), *place = goal_of(r, t), *to = with_suffix(place, ".restored");
	int rc;

	unlink(to);     /* of a try that was cut off */
	rc = file_copy(from, to, t->mode, r->uid, r->gid, why);
	free(from);
	free(place);
	free(to);
	return rc;
}

static void take_back(const struct restoring *r, const struct target *t)
{
	char *place = goal_of(r, t), *to = with_suffix(place, ".restored");

	unlink(to);
	free(place);
	free(to);
}

/* PATH-wal goes to PATH.before-…-wal, so that the two stay together; the shared memory is made anew by who opens it. */
static int keep_log(const char *path, const char *kept, struct problem *why)
{
	char *wal = with_suffix(path, "-wal"), *shm = with_suffix(path, "-shm"), *to = with_suffix(kept, "-wal");
	int rc = rename(wal, to) < 0 && errno != ENOENT ? file_failed(why, wal) : 0;

	if (rc == 0 && unlink(shm) < 0 && errno != ENOENT)
		rc = file_failed(why, shm);
	free(wal);
	free(shm);
	free(to);
	return rc;
}

/* What was there gets its other name too. */
static int keep(const struct restoring *r, const struct target *t, struct problem *why)
{
	char *place = goal_of(r, t), *kept = with_suffix(place, r->suffix);
	int rc = link(place, kept) < 0 && errno != ENOENT ? file_failed(why, kept) : 0;

	free(place);
	free(kept);
	return rc;
}

/* The new one takes the place, which is never empty. */
static int exchange(const struct restoring *r, const struct target *t, struct problem *why)
{
	char *place = goal_of(r, t), *kept = with_suffix(place, r->suffix), *from = with_suffix(place, ".restored");
	int rc = t->database ? keep_log(place, kept, why) : 0;

	if (rc == 0 && rename(from, place) < 0)
		rc = file_failed(why, place);
	free(place);
	free(kept);
	free(from);
	return rc;
}

static int each(const struct restoring *r, int (*fn)(const struct restoring *, const struct target *, struct problem *),
	struct problem *why)
{
	for (int i = 0; i < TARGETS; i++)
		if (wanted(r, &targets[i]) && fn(r, &targets[i], why) < 0)
			return -1;
	return file_sync(r->conf->data_dir, why);
}

/* While the mark is there no service starts: one file may be the new one and the other not, or lack its log. */
static int set_mark(const struct restoring *r, struct problem *why)
{
	char *path = place_path(r->conf->data_dir, MIGRATE_RESTORING);
	int rc = access(path, F_OK) == 0 ? 0 : file_write(path, str_of(r->folder), 0600, why);

	free(path);
	return rc < 0 ? -1 : file_sync(r->conf->data_dir, why);
}

static int clear_mark(const struct restoring *r, struct problem *why)
{
	char *path = place_path(r->conf->data_dir, MIGRATE_RESTORING);
	int rc = unlink(path) < 0 ? file_failed(why, path) : file_sync(r->conf->data_dir, why);

	free(path);
	return rc;
}

static int restore(struct restoring *r, struct problem *why)
{
	char now[CLOCK_ISO];

	if (check(r, why) < 0 || lock_all(r, why) < 0)
		return -1;
	clock_iso(clock_ms(), now);
	snprintf(r->suffix, sizeof(r->suffix), ".before-%s", now);
	if (each(r, bring, why) < 0 || each(r, keep, why) < 0 || set_mark(r, why) < 0) {
		for (int i = 0; i < TARGETS; i++)
			take_back(r, &targets[i]);
		return -1;
	}
	return each(r, exchange, why) < 0 ? -1 : clear_mark(r, why);
}

static void print_json(const struct restoring *r)
{
	struct json_object *o = json_object_new_object();

	json_put_bool(o, "ok", true);
	json_put_text(o, "data_dir", r->conf->data_dir);
	json_put_text(o, "time", r->backup.time);
	json_put_text(o, "kept", r->suffix);
	out_json(o);
	json_object_put(o);
}

static int run(struct restoring *r, bool json)
{
	struct problem why = { 0 };
	int rc = restore(r, &why);

	for (size_t i = 0; i < sizeof(r->lock) / sizeof(r->lock[0]); i++)
		if (r->lock[i] >= 0)
			close(r->lock[i]);
	if (rc < 0)
		return ctl_problem(why.status == 404 ? CTL_NOT_FOUND : CTL_FAILED, &why);
	if (json)
		print_json(r);
	else
		printf("%s is as it was at %s; what was there ends in %s\n", r->conf->data_dir, r->backup.time, r->suffix);
	return CTL_OK;
}

int ctl_restore_backup(const struct ctl_args *args)
{
	struct restoring r = { .folder = args->word[0], .secrets = ctl_has(args, "with-secrets"), .lock = { -1, -1, -1 } };
	const struct place at = place_of(args);
	struct problem why = { 0 };
	struct conf *conf = place_conf(&at, &why);
	int rc;

	if (!conf)
		return ctl_problem(CTL_CONFIG, &why);
	r.conf = conf;
	rc = run(&r, ctl_has(args, "json"));
	conf_free(conf);
	return rc;
}
