/* The places in run_dir that say which instance this is: the lock with its process id, and the listening sockets. */
#ifndef DAEMON_SOCKET_H
#define DAEMON_SOCKET_H
#include <stdbool.h>
#include <sys/types.h>
#include "base/problem.h"

/* Takes PATH as this instance's lock and writes the process id into it. The descriptor, or -1 with why->detail.
 * Children close it: the lock is gone as soon as the master is. */
int socket_lock(const char *path, struct problem *why);

/* Listens on the Unix socket PATH, non-blocking. A dead socket in its place is replaced; a live one, a symbolic link
 * and anything that is no socket are refused. A live one is given a few seconds first: workers of a killed master may
 * be on their way out. owner and group (-1: as they are) are set before anybody can connect. -1 with why->detail. */
int socket_listen(const char *path, mode_t mode, uid_t owner, gid_t group, int backlog, struct problem *why);
/* True when PATH is short enough for a socket's address. */
bool socket_fits(const char *path);

#endif
