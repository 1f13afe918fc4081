/* The memory that all processes of the service share. Plain counters and flags; nothing in it points anywhere. */
#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/log.h"
#include "store/shared.h"

static const char *const counter_name[COUNT_N] = {
	[COUNT_REQUESTS] = "requests",
	[COUNT_CALLS] = "calls",
	[COUNT_RECEIPTS] = "receipts",
	[COUNT_DENIED_ANONYMOUS] = "denied_anonymous",
	[COUNT_UNKNOWN_KEY] = "unknown_key",
	[COUNT_MALFORMED] = "malformed",
	[COUNT_WRITES] = "writes",
	[COUNT_WRITE_BATCHES] = "write_batches",
	[COUNT_WRITES_REFUSED] = "writes_refused",
	[COUNT_WRITER_STARTS] = "writer_starts",
	[COUNT_WORKER_STARTS] = "worker_starts",
	[COUNT_UPSTREAM_CALLS] = "upstream_calls",
};

_Static_assert((int)COUNT_N <= (int)SHARED_COUNTERS, "room for every counter");

struct shared *shared_new(void)
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (s == MAP_FAILED)
		log_fatal("shared memory: %s", strerror(errno));
	s->rows_generation = s->authority_generation = SHARED_GENERATION_FIRST;
	s->ledger_healthy = s->directory_healthy = 1;   /* until the writer knows better */
	s->changed_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->changed_fd < 0)
		log_fatal("eventfd: %s", strerror(errno));
	tally_init(&s->denials);
	s->started_ms = clock_ms();
	s->ahead_ms = INT64_MIN;
	return s;
}

void shared_raise(struct shared *s, bool rows, bool authority)
{
	atomic_fetch_add(&s->rows_generation, rows);
	atomic_fetch_add(&s->authority_generation, authority);
	eventfd_write(s->changed_fd, 1);
}

void shared_writer_ready(struct shared *s, bool ready)
{
	atomic_store(&s->writer_ready, ready);
	syscall(SYS_futex, &s->writer_ready, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

bool shared_wait_writer(struct shared *s, int64_t ms)
{
	int64_t end = clock_mono_us() + ms * 1000, left;

	while (!atomic_load(&s->writer_ready)) {
		struct timespec t;

		left = end - clock_mono_us();
		if (left <= 0)
			return false;
		t = (struct timespec){ .tv_sec = left / 1000000, .tv_nsec = left % 1000000 * 1000 };
		syscall(SYS_futex, &s->writer_ready, FUTEX_WAIT, 0, &t, NULL, 0);
	}
	return true;
}

enum shared_role shared_role_of(struct shared *s, pid_t pid)
{
	if (pid <= 0)
		return ROLE_NONE;
	for (unsigned i = 0; i < sizeof(s->pid) / sizeof(s->pid[0]); i++)
		if (atomic_load_explicit(&s->pid[i], memory_order_relaxed) == pid)
			return i == 0 ? ROLE_WRITER : i == 1 ? ROLE_EXEC : ROLE_WORKER;
	return ROLE_NONE;
}

int64_t shared_now_ms(struct shared *s)
{
	int64_t wall = clock_ms(), mono = clock_mono_us() / 1000, ahead;

	if (!s)
		return wall;
	ahead = atomic_load(&s->ahead_ms);
	while (ahead < wall - mono)
		if (atomic_compare_exchange_weak(&s->ahead_ms, &ahead, wall - mono))
			return wall;
	return mono + ahead;
}

void shared_count(struct shared *s, enum shared_counter c, uint64_t n)
{
	if (s)
		atomic_fetch_add_explicit(&s->counter[c], n, memory_order_relaxed);
}

const char *shared_counter_name(enum shared_counter c)
{
	return counter_name[c];
}
