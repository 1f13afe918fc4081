/* Which service on this machine a command is about: its configuration and the files that it names. */
#ifndef CTL_PLACE_H
#define CTL_PLACE_H
#include "base/conf.h"
#include "base/buf.h"
#include "ctl/ctl.h"

/* What the options said; NULL: not given. */
struct place {
	const char *dir;                /* --dir: a folder of rowcall up */
	const char *config;             /* --config: a configuration file */
	char *const *set;               /* settings, NAME=VALUE, that win over it */
	size_t sets;
};

/* What --dir and --config say. */
struct place place_of(const struct ctl_args *args);
/* The configuration of the folder, else of the file, else of the folder in ROWCALL_DIR, else the installed one. NULL with
 * why. */
struct conf *place_conf(const struct place *p, struct problem *why);
/* FOLDER/NAME; malloc's. */
char *place_path(const char *folder, const char *name);

#endif
