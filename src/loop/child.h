/* Child programs run from a fiber: output drained, killed as a group at the deadline. */
#ifndef LOOP_CHILD_H
#define LOOP_CHILD_H
#include <sys/types.h>
#include "base/buf.h"

struct child_result {
	int status;             /* wait status, or -1 when it could not be started */
	bool timed_out, cut;    /* killed at the deadline; output longer than the cap */
};

/* Where its output goes, and how long it may take. */
struct child_limits {
	struct buf *out;        /* standard output, at most out_max bytes more; the rest is read and dropped */
	size_t out_max;
	struct buf *err;        /* the last err_max bytes of standard error; NULL: inherited */
	size_t err_max;
	int64_t timeout_ms;
};

/* Runs a process that start makes: the leader of a process group of its own whose standard output is the descriptor
 * `out` and standard error `err` (-1: inherited), or -1 when it cannot. Suspends the fiber until it has ended; then
 * its group is killed. */
struct child_result child_run(const struct child_limits *l, pid_t (*start)(void *ctx, int out, int err), void *ctx);
/* Starts argv[0] (a path) with the given environment, standard input empty, signals at their defaults: a `start` whose
 * context is a struct child_program. */
struct child_program { char *const *argv, *const *envp; };
pid_t child_spawn(void *program, int out, int err);
/* The parent of any process; 0 when it has none that is to be seen, -1 when the process is gone. */
pid_t child_parent(pid_t pid);

#endif
