/* Waiting for changes of the directory: every worker is told, once for many, and none where nobody waits. */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "loop/fiber.h"
#include "loop/loop.h"
#include "store/change.h"
#include "tap.h"

enum { WORKERS = 3, BURST = 1000, PATIENCE_MS = 10000 };

static struct shared *shared;

/* What the workers have seen. turns: of the loop, while nobody waited. */
static struct seen { _Atomic int ready, woken, left, turns; } *seen;

/* Waits until the generation is as far above the first as there are changes, and counts how often it was woken. */
static void wait_for_changes(void *arg)
{
	struct seen *s = arg;
	uint64_t end = shared->rows_generation + BURST, before;
	struct change_waiter w;

	change_wait(&w, shared);
	fiber_sleep(2 * CHANGE_GATHER_MS);      /* what adding the descriptor says of the past */
	s->ready = 1;
	while (shared->rows_generation < end && fiber_suspend_for(PATIENCE_MS) != FIBER_TIMEOUT)
		s->woken++;
	change_leave(&w);
	s->left = 1;
	before = loop_turn();
	fiber_sleep(4 * CHANGE_GATHER_MS);
	s->turns = (int)(loop_turn() - before);
}

static pid_t start(struct seen *s)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	loop_init();
	fiber_start(wait_for_changes, s);
	loop_run();
	_exit(0);
}

/* Waits until all have come so far. */
static bool all(size_t what)
{
	for (int n = 0; n < PATIENCE_MS / 10; n++) {
		int have = 0;

		for (int i = 0; i < WORKERS; i++)
			have += *(_Atomic int *)(void *)((char *)&seen[i] + what) != 0;
		if (have == WORKERS)
			return true;
		usleep(10000);
	}
	return false;
}

static void change_much(void)
{
	for (int i = 0; i < BURST; i++)
		shared_raise(shared, true, false);
}

int main(void)
{
	pid_t pid[WORKERS];
	int woken = 0, turns = 0;

	shared = shared_new();
	seen = mmap(NULL, WORKERS * sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	fflush(stdout);
	for (int i = 0; i < WORKERS; i++)
		pid[i] = start(&seen[i]);
	tap_ok(all(offsetof(struct seen, ready)), "workers wait for a change");
	change_much();
	tap_ok(all(offsetof(struct seen, left)), "every one of them hears of it");
	change_much();
	tap_ok(all(offsetof(struct seen, turns)), "they wait no more");
	for (int i = 0; i < WORKERS; i++) {
		woken += seen[i].woken;
		turns += seen[i].turns;
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	tap_ok(woken < WORKERS * BURST / 10, "%d changes in a row did not wake them %d times", BURST, BURST);
	tap_ok(turns <= 2 * WORKERS, "and later ones did not at all");
	return tap_done();
}
