/* Memory that the master maps before it forks and all processes share: generations, health, who is who, counters for
 * /api/status. */
#ifndef STORE_SHARED_H
#define STORE_SHARED_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "store/tally.h"

enum { SHARED_WORKERS_MAX = 256, SHARED_COUNTERS = 32, SHARED_GENERATION_FIRST = 1 };    /* before any writer */

enum shared_role { ROLE_NONE, ROLE_WORKER, ROLE_EXEC, ROLE_CTL, ROLE_WRITER };

enum shared_counter {           /* the metrics of /api/metrics, names in shared.c */
	COUNT_REQUESTS, COUNT_CALLS, COUNT_RECEIPTS, COUNT_DENIED_ANONYMOUS, COUNT_UNKNOWN_KEY, COUNT_MALFORMED,
	COUNT_WRITES, COUNT_WRITE_BATCHES, COUNT_WRITES_REFUSED,
	COUNT_WRITER_STARTS, COUNT_WORKER_STARTS, COUNT_UPSTREAM_CALLS, COUNT_N
};

struct shared {
	/* Never fall. Rows: directory rows; authority: tokens and watch rules. The writer raises one after the commit
	 * and before the acknowledgement, every new writer raises both before it takes a frame; a worker reads it
	 * before it opens its read transaction. */
	_Atomic uint64_t rows_generation, authority_generation;
	/* 0 while the last transaction on the file failed (disk full, locked, read-only) */
	_Atomic int32_t ledger_healthy, directory_healthy;
	_Atomic int32_t writer_ready;
	_Atomic pid_t pid[SHARED_WORKERS_MAX + 2];              /* slot 0 writer, 1 exec, 2… workers; 0: none */
	_Atomic uint64_t counter[SHARED_COUNTERS];
	int changed_fd;                         /* eventfd: written to when a generation was raised, never read */
	struct tally denials;                   /* "<actor> <code>" */
	int64_t started_ms;
	_Atomic int64_t ahead_ms;               /* the most that the wall clock was ever before the monotonic one */
};

/* Anonymous shared mapping; before any fork. For tests and rowcall(1) without a service: a private one does. */
struct shared *shared_new(void);
/* Raises the generations that are named, and tells who waits for that (change.h). */
void shared_raise(struct shared *s, bool rows, bool authority);
/* The writer says that it takes frames; the master waits for it (at most ms; true when it is ready). */
void shared_writer_ready(struct shared *s, bool ready);
bool shared_wait_writer(struct shared *s, int64_t ms);
/* The role of a peer process by its pid: ROLE_NONE when it is no child of this master. A worker stores its own pid
 * before it connects to the writer, since the master may get to it later. */
enum shared_role shared_role_of(struct shared *s, pid_t pid);
/* Milliseconds since 1970, never falling in the life of the service: what has expired stays so when the wall clock is set
 * back. NULL: the wall clock. */
int64_t shared_now_ms(struct shared *s);
void shared_count(struct shared *s, enum shared_counter c, uint64_t n);
const char *shared_counter_name(enum shared_counter c);

#endif
