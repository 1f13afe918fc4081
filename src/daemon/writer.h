/* The writer: the only process that has directory.db and ledger.db open for writing. */
#ifndef DAEMON_WRITER_H
#define DAEMON_WRITER_H
#include "base/conf.h"
#include "store/shared.h"

/* Runs in the child that the master forked for it, until SIGTERM or SIGQUIT; listen_fd is run_dir/writer.sock,
 * listening. Migrates both files, settles what the last writer left, raises both generations, then says
 * shared_writer_ready. Ends with the master. Returns the exit status: 0 after a stop, 1 when the files could not be
 * opened, EX_CONFIG when the next try would say the same (migrate.h); both are logged. */
int writer_main(const struct conf *conf, struct shared *shared, int listen_fd);

#endif
