/* The exec process: starts the programs of exec rows (spec section 6.5) and nothing else. It has no database, no
 * secrets file and no socket but its own. */
#ifndef DAEMON_EXEC_H
#define DAEMON_EXEC_H
#include "base/conf.h"
#include "store/shared.h"

/* Runs in the child that the master forked for it, until SIGTERM or SIGQUIT, then until the programs under way have
 * ended; listen_fd is run_dir/exec.sock, listening. Serves workers only. Ends with the master. Returns the exit status. */
int exec_main(const struct conf *conf, struct shared *shared, int listen_fd);

#endif
