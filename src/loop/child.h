/* Child programs started from a fiber: posix_spawn with default signals, output drained, killed at the deadline. */
#ifndef LOOP_CHILD_H
#define LOOP_CHILD_H
#include "base/buf.h"

struct child_result {
	int status;             /* wait status, or -1 when it could not be started */
	bool timed_out, cut;    /* killed at the deadline; output longer than the cap */
};

/* Runs argv[0] (a path) with the given environment, standard input empty, standard output into out (at most cap bytes
 * more), standard error inherited. Suspends the fiber. The child is in a process group of its own, killed as a
 * group. */
struct child_result child_run(char *const argv[], char *const envp[], struct buf *out, size_t cap, int64_t timeout_ms);

#endif
