/* The master process: settings, sockets, children. It serves nothing and opens no database. */
#ifndef DAEMON_MASTER_H
#define DAEMON_MASTER_H
#include "base/conf.h"

/* How the settings were read, to read them again. */
struct master_settings {
	const char *path;
	char *const *overrides;
	size_t n;
	bool debug;                     /* log level debug, whatever the settings say */
};

/* NULL with why->detail: the settings, read and checked as far as one process can without starting (secrets, users,
 * groups, names of sockets). */
struct conf *master_load(const struct master_settings *s, struct problem *why);
/* Runs the service until SIGTERM, SIGQUIT or SIGINT. Owns conf. Returns the exit code. */
int master_main(const struct master_settings *s, struct conf *conf);

#endif
