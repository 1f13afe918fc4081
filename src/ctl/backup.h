/* The folder that `rowcall backup` makes and `rowcall restore-backup` takes: both databases as they were at one moment,
 * rowcall.conf, perhaps secrets.env, and backup.json, which names them with their digests. */
#ifndef CTL_BACKUP_H
#define CTL_BACKUP_H
#include "ctl/audit.h"

#define BACKUP_MANIFEST "backup.json"
#define BACKUP_SECRETS "secrets.env"

enum { BACKUP_FILES = 4, BACKUP_MANIFEST_MAX = 64 * 1024 };

struct backup_file { char name[32]; char digest[CRYPTO_HEX]; int64_t size; };

/* backup.json */
struct backup {
	char time[32];
	struct backup_file file[BACKUP_FILES];
	unsigned files;
	struct verify_head head[SQL_FILES];
};

/* Reads folder's backup.json and compares every file that it names. -1 with why: no backup (status 404),
 * or not as it was made. */
int backup_check(const char *folder, struct backup *b, struct problem *why);
bool backup_has(const struct backup *b, const char *name);
/* A line on standard error for a record that does not verify: the `found` of an audit; ctx is not used. */
void backup_found(void *ctx, const struct audit_finding *f);

#endif
