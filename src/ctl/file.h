/* Files of a backup: copied whole, on disk when the function returns. All: -1 with why, which names the file. */
#ifndef CTL_FILE_H
#define CTL_FILE_H
#include <stdbool.h>
#include <sys/types.h>
#include "base/crypto.h"
#include "base/problem.h"

/* Into a new file of that mode and owner (-1: as it comes); `to` must not exist. */
int file_copy(const char *from, const char *to, mode_t mode, uid_t uid, gid_t gid, struct problem *why);
int file_write(const char *path, struct str text, mode_t mode, struct problem *why);
int file_digest(const char *path, char digest[CRYPTO_HEX], int64_t *size, struct problem *why);
int file_sync(const char *path, struct problem *why);   /* of a folder: its names */
/* A folder of files, and it: as far as it can be. */
void file_remove_folder(const char *path);
int file_failed(struct problem *why, const char *path);  /* with what errno says */

#endif
