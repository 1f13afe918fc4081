/* What the doctor looks at of files: who may read and write them, whether the databases open, how long their logs are. */
#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/secret.h"
#include "ctl/ctl.h"
#include "ctl/doctor.h"

enum { LOG_WARN_MB = 256 };     /* the writer starts it anew at 64 MB when no reader holds it */

void doctor_secrets_file(struct doctor *d)
{
	struct problem why = { 0 };
	struct secrets *s = ctl_secrets(d->conf, &why);

	if (!s) {
		doctor_note(d, DOCTOR_FAIL, why.how_to_fix[0] ? why.how_to_fix : "mend the file: NAME=value lines, mode 0600, owned by the service's user",
			"%s", why.detail[0] ? why.detail : why.error);
		return;
	}
	d->key = arena_copy(d->arena, secret_owner(s)).p;
	secret_close(s);
}

/* Who may do at most what. Nothing of it may be there: a start makes it. */
enum owner { BY_DATA, BY_ANY };
static const struct rule { const char *folder, *name; mode_t most; enum owner owner; enum doctor_level level; } rules[] = {
	{ "data", ".", 0755, BY_ANY, DOCTOR_FAIL },
	{ "data", "directory.db", 0640, BY_DATA, DOCTOR_FAIL },
	{ "data", "directory.db-wal", 0640, BY_DATA, DOCTOR_FAIL },
	{ "data", "directory.db-shm", 0640, BY_DATA, DOCTOR_FAIL },
	{ "data", "ledger.db", 0640, BY_DATA, DOCTOR_FAIL },
	{ "data", "ledger.db-wal", 0640, BY_DATA, DOCTOR_FAIL },
	{ "data", "ledger.db-shm", 0640, BY_DATA, DOCTOR_FAIL },
	{ "run", ".", 0755, BY_ANY, DOCTOR_FAIL },
	{ "run", "fcgi.sock", 0660, BY_DATA, DOCTOR_FAIL },
	{ "run", "writer.sock", 0600, BY_DATA, DOCTOR_FAIL },
	{ "run", "exec.sock", 0600, BY_DATA, DOCTOR_FAIL },
	{ "exec", ".", 0755, BY_ANY, DOCTOR_FAIL },
	{ "config", "rowcall.conf", 0664, BY_ANY, DOCTOR_WARN },
	{ "config", "tls/key.pem", 0640, BY_ANY, DOCTOR_FAIL },
};

static const char *folder_of(struct doctor *d, const char *name)
{
	char *file = arena_printf(d->arena, "%s", d->conf->path), *slash = strrchr(file, '/');

	if (strcmp(name, "data") == 0)
		return d->conf->data_dir;
	if (strcmp(name, "run") == 0)
		return d->conf->run_dir;
	if (strcmp(name, "exec") == 0)
		return d->conf->exec_dir && d->conf->exec_dir[0] ? d->conf->exec_dir : NULL;
	if (slash)
		*slash = 0;
	return file;
}

static const char *user_name(uid_t uid)
{
	const struct passwd *pw = getpwuid(uid);

	return pw ? pw->pw_name : "(nobody we know)";
}

static void look_at(struct doctor *d, const struct rule *r, uid_t service)
{
	const char *folder = folder_of(d, r->folder);
	const char *path = folder ? doctor_path(d, folder, r->name) : NULL;
	struct stat st;

	if (!path || lstat(path, &st) < 0)
		return;
	if (st.st_mode & 07777 & ~(r->most | S_ISGID | S_ISVTX))
		doctor_note(d, r->level, arena_printf(d->arena, "chmod %04o %s", r->most, path), "%s has mode %04o, and may have %04o at most", path,
			(unsigned)(st.st_mode & 07777), (unsigned)r->most);
	if (r->owner == BY_DATA && st.st_uid != service)
		doctor_note(d, r->level, arena_printf(d->arena, "chown %s %s", user_name(service), path), "%s belongs to %s, the other files of the service to %s",
			path, arena_printf(d->arena, "%s", user_name(st.st_uid)), user_name(service));
}

void doctor_permissions(struct doctor *d)
{
	struct stat st;

	/* Whose the service's files are. */
	if (stat(doctor_path(d, d->conf->data_dir, "directory.db"), &st) < 0 && stat(d->conf->data_dir, &st) < 0)
		return;
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		look_at(d, &rules[i], st.st_uid);
}

static const char *const names[SQL_FILES] = { [SQL_DIRECTORY] = "directory.db", [SQL_LEDGER] = "ledger.db" };

void doctor_databases(struct doctor *d)
{
	for (int f = 0; f < SQL_FILES; f++) {
		struct problem why = { 0 };

		if (!d->db[f] && access(doctor_path(d, d->conf->data_dir, names[f]), F_OK) < 0 && errno == ENOENT)
			doctor_note(d, DOCTOR_NOTE, "start the service once", "%s/%s is not there yet", d->conf->data_dir, names[f]);
		else if (!d->db[f] && !(d->db[f] = db_open(doctor_path(d, d->conf->data_dir, names[f]), (enum sql_file)f, DB_READ, NULL, &why)))
			doctor_note(d, DOCTOR_FAIL, "see to the rights of the file and its folder; is it damaged, restore a backup", "%s", why.detail);
	}
}

void doctor_logs(struct doctor *d)
{
	for (int f = 0; f < SQL_FILES; f++) {
		const char *path = arena_printf(d->arena, "%s/%s-wal", d->conf->data_dir, names[f]);
		struct stat st;

		if (stat(path, &st) == 0 && st.st_size >> 20 > LOG_WARN_MB)
			doctor_note(d, DOCTOR_WARN, "look for a program that keeps the database open and reading (fuser)", "%s has %" PRId64
				" MB: something reads an old state and keeps it from being used again", path, (int64_t)st.st_size >> 20);
	}
}
