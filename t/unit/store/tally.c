/* At most one a second for each name, over all processes, and no event is lost from the counts. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "store/tally.h"
#include "tap.h"

enum { SECOND = 1000000, PROCESSES = 4, EVENTS = 20000 };

static struct tally *tally;
static int64_t wait_ms;

static void fresh(void)
{
	memset(tally, 0, sizeof(*tally));
	tally_init(tally);
}

static void one_process(void)
{
	fresh();
	tap_is_int(tally_event(tally, "a", 5, &wait_ms), 1, "the first is told");
	tap_is_int(tally_event(tally, "a", 5 + 400000, &wait_ms), 0, "another in the same second is left out");
	tap_is_int(wait_ms, 600, "and who left it out comes back when the second is over");
	tap_is_int(tally_event(tally, "a", 5 + 999000, &wait_ms), 0, "up to its last millisecond");
	tap_is_int(wait_ms, 0, "with no need for a second one to come back");
	tap_is_int(tally_rest(tally, "a", 5 + 999000), 0, "nobody tells before the second is over");
	tap_is_int(tally_event(tally, "b", 5 + 400000, &wait_ms), 1, "another name has a second of its own");
	tap_is_int(tally_rest(tally, "a", 5 + SECOND), 2, "then two are told");
	tap_is_int(tally_rest(tally, "a", 5 + 2 * SECOND), 0, "and not again");
	tap_is_int(tally_event(tally, "a", 5 + SECOND + 1, &wait_ms), 0, "what was told so begins a second too");
	tap_is_int(tally_event(tally, "a", 5 + 2 * SECOND, &wait_ms), 2, "an event behind it is told with those left out");
	tap_is_int(tally_rest(tally, "a", 5 + 3 * SECOND), 0, "who comes back then finds nothing");
}

static void bounded(void)
{
	char name[16];
	int64_t told = 0;

	fresh();
	for (int i = 0; i < TALLY_SLOTS; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		told += tally_event(tally, name, SECOND, &wait_ms);
	}
	tap_is_int(told, TALLY_SLOTS, "as many names as there are places are told");
	tap_is_int(tally_event(tally, "more", SECOND, &wait_ms), 0, "one more is not");
	tap_is_int(tally_event(tally, "n0", SECOND, &wait_ms), 0, "a name that is there is counted");
	tap_is_int(tally_event(tally, "more", 2 * SECOND, &wait_ms), 1, "when the second is over a place is given away");
	tap_is_int(tally_event(tally, "n0", 2 * SECOND, &wait_ms), 2, "of a name without a count");
	tap_is_int(tally_event(tally, "n0", 2 * SECOND, &wait_ms), 0, "a count whose teller does not come back");
	for (int i = 0; i < TALLY_SLOTS; i++) {
		snprintf(name, sizeof(name), "m%d", i);
		tally_event(tally, name, 61 * SECOND, &wait_ms);
	}
	tap_is_int(tally_event(tally, "n0", 61 * SECOND, &wait_ms), 2, "is kept for a minute");
	tally_event(tally, "n0", 61 * SECOND, &wait_ms);
	for (int i = 0; i < TALLY_SLOTS; i++) {
		snprintf(name, sizeof(name), "o%d", i);
		tally_event(tally, name, 121 * SECOND, &wait_ms);
	}
	tap_is_int(tally_event(tally, "n0", 121 * SECOND, &wait_ms), 0, "and no longer");
}

/* All in one moment: one of them tells one, the others are left out. */
static int child(void)
{
	int64_t told = 0;

	for (int i = 0; i < EVENTS; i++)
		told += tally_event(tally, "shared", 7, &wait_ms);
	return (int)told;
}

static void many_processes(void)
{
	int status, told = 0;

	fresh();
	for (int i = 0; i < PROCESSES; i++)
		if (fork() == 0)
			_exit(child());
	while (wait(&status) > 0)
		told += WIFEXITED(status) ? WEXITSTATUS(status) : 100;
	tap_is_int(told, 1, "of the events of four processes in one second one is told");
	tap_is_int(tally_rest(tally, "shared", 7 + SECOND), PROCESSES * EVENTS - 1, "and the others are counted");
}

static void killed_holder(void)
{
	pid_t pid;

	fresh();
	pid = fork();
	if (pid == 0) {
		pthread_mutex_lock(&tally->lock);
		raise(SIGKILL);
	}
	waitpid(pid, NULL, 0);
	tap_is_int(tally_event(tally, "a", 5, &wait_ms), 1, "a process that is killed with the lock takes it along");
}

int main(void)
{
	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tally == MAP_FAILED)
		return 1;
	one_process();
	bounded();
	many_processes();
	killed_holder();
	return tap_done();
}
