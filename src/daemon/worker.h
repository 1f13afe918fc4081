/* A worker process: serves requests until it is told to drain. */
#ifndef DAEMON_WORKER_H
#define DAEMON_WORKER_H
#include "base/conf.h"
#include "web/fastcgi.h"

struct worker {
	const struct conf *conf;
	struct shared *shared;
	struct fastcgi_board *board;
	unsigned seat;                  /* on the board */
	int listen_fd;
	int successor_fd;               /* see fastcgi_options */
	const int *predecessor;         /* descriptors for fastcgi_adopt */
	unsigned predecessors;
};

/* After the fork, with signals still blocked; log_init was called. Returns the exit code: 0 after a drain, 1, or
 * EX_CONFIG when it refuses to start. */
int worker_main(const struct worker *w);

#endif
