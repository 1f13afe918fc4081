/* Fibers: start, suspend, wake, time-outs, join, pooled stacks, floating point and deep stacks across switches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "loop/fiber.h"
#include "loop/loop.h"
#include "tap.h"

static char order[256];

static void note(char c)
{
	size_t n = strlen(order);

	if (n + 1 < sizeof(order)) {
		order[n] = c;
		order[n + 1] = '\0';
	}
}

static void letter(void *arg)
{
	note(*(char *)arg);
	fiber_sleep(0);
	note(*(char *)arg);
}

static void test_start(void *arg)
{
	char a[] = "a", b[] = "b";

	(void)arg;
	order[0] = '\0';
	fiber_start(letter, a);
	fiber_start(letter, b);
	note('-');
	fiber_sleep(30);
	tap_is_str(order, "-abab", "a started fiber runs later, in the order of the starts");
	tap_is_int(fiber_count(), 1, "ended fibers are not counted");
}

struct waiter { struct fiber *f; int got; int64_t limit; };

static void wait_once(void *arg)
{
	struct waiter *w = arg;

	w->got = fiber_suspend_for(w->limit);
}

static void test_wake(void *arg)
{
	struct waiter w = { .limit = -1, .got = 99 }, t = { .limit = 2, .got = 99 }, both = { .limit = 1000, .got = 99 };

	(void)arg;
	w.f = fiber_start(wait_once, &w);
	t.f = fiber_start(wait_once, &t);
	both.f = fiber_start(wait_once, &both);
	fiber_sleep(0);
	fiber_wake(w.f, 7);
	fiber_wake(w.f, 8);
	fiber_wake(both.f, 3);
	fiber_sleep(1);
	tap_is_int(w.got, 7, "suspend returns the value of the first wake");
	tap_is_int(both.got, 3, "a wake comes before the time limit");
	fiber_sleep(10);
	tap_is_int(t.got, FIBER_TIMEOUT, "the time limit ends a wait");
	fiber_wake(fiber_self(), 5);
	fiber_wake(fiber_self(), 6);
	tap_is_int(fiber_suspend(), 5, "a wake of the running fiber is kept for its next suspend");
	w = (struct waiter){ .limit = -1 };
	w.f = fiber_start(wait_once, &w);
	fiber_wake(w.f, 9);
	fiber_sleep(1);
	tap_is_int(w.got, 9, "a wake of a fiber that has not begun is kept for its first suspend");
}

struct job { int depth, sum; };

static void fan(void *arg)
{
	struct job *j = arg, part[3];
	struct fiber_group g = { 0 };

	j->sum = 1;
	if (j->depth == 0) {
		fiber_sleep(rand() % 3);
		return;
	}
	for (int i = 0; i < 3; i++) {
		part[i] = (struct job){ .depth = j->depth - 1 };
		fiber_group_start(&g, fan, &part[i]);
	}
	fiber_group_wait(&g);
	for (int i = 0; i < 3; i++)
		j->sum += part[i].sum;
}

static void test_join(void *arg)
{
	struct job j = { .depth = 5 };
	struct fiber_group none = { 0 };

	(void)arg;
	fan(&j);
	tap_is_int(j.sum, 364, "nested groups join all their fibers");
	fiber_group_wait(&none);
	tap_ok(true, "an empty group does not wait");
}

/* Fills much of a stack and keeps values in registers over switches. */
static int deep(int n)
{
	volatile char pad[800];
	double x = n * 1.5, y = x / 3;
	int below;

	memset((void *)pad, n, sizeof(pad));
	if (n % 16 == 0)
		fiber_sleep(0);
	below = n ? deep(n - 1) : 0;
	return below + (pad[n % 800] == (char)n && x == n * 1.5 && y == x / 3);
}

static int wrong;

static void dig(void *arg)
{
	(void)arg;
	if (deep(90) != 91)
		wrong++;
}

static void test_stacks(void *arg)
{
	(void)arg;
	for (int round = 0; round < 3; round++) {
		struct fiber_group g = { 0 };

		for (int i = 0; i < 400; i++)
			fiber_group_start(&g, dig, NULL);
		fiber_group_wait(&g);
	}
	tap_is_int(wrong, 0, "1,200 fibers on reused stacks of 128 KB keep their locals over 6 switches each");
	tap_is_int(fiber_count(), 1, "none of them is left");
}

static void print_float(void *arg)
{
	char text[64];

	(void)arg;
	snprintf(text, sizeof(text), "%.3f|%Lg", 1.0625, (long double)2.5);
	tap_is_str(text, "1.062|2.5", "floating-point formatting works in a fiber (stack alignment)");
}

static struct loop_fd io;
static struct fiber *reader;

static void io_ready(struct loop_fd *f, uint32_t events)
{
	uint64_t n;

	(void)events;
	tap_ok(fiber_self() == NULL, "callbacks run on the loop's own stack");
	if (read(f->fd, &n, sizeof(n)) == sizeof(n))
		fiber_wake(reader, (int)n);
}

static void test_io(void *arg)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	uint64_t n = 42;

	(void)arg;
	io = (struct loop_fd){ .fd = fd, .ready = io_ready };
	reader = fiber_self();
	loop_add(&io, EPOLLIN);
	if (write(fd, &n, sizeof(n)) != sizeof(n))
		tap_ok(false, "eventfd");
	tap_is_int(fiber_suspend_for(1000), 42, "a fiber waits for a descriptor");
	loop_del(&io);
	close(fd);
}

static __attribute__((noinline)) int overflow(int n)
{
	volatile char pad[4096];

	pad[0] = (char)n;
	return n < 100000 ? overflow(n + 1) + pad[0] : 0;
}

static void overflow_fiber(void *arg)
{
	(void)arg;
	exit(overflow(0) == 12345 ? 1 : 0);
}

static void test_guard(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(1);
		loop_done();
		loop_init();
		fiber_main(overflow_fiber, NULL);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	tap_ok(WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) != 0), "a stack that overflows stops at the guard");
}

static void spin(void *arg)
{
	for (int i = 0; i < 50000; i++) {
		fiber_wake(fiber_self(), 0);
		fiber_suspend();
		fiber_sleep(0);
	}
	*(int *)arg = 1;
}

static void measure(void *arg)
{
	int done = 0;
	int64_t t = clock_mono_us();
	struct fiber_group g = { 0 };

	(void)arg;
	fiber_group_start(&g, spin, &done);
	fiber_group_wait(&g);
	tap_diag("a sleep of 0 ms (two switches, a timer, a turn of the loop): %.2f us", (double)(clock_mono_us() - t) / 50000);
	tap_ok(done, "100,000 suspensions end");
}

static size_t guards(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];
	size_t n = 0;

	while (f && fgets(line, sizeof(line), f))
		n += strstr(line, " ---p 00000000 00:00 0") != NULL;
	if (f)
		fclose(f);
	return n;
}

static void nap(void *arg)
{
	(void)arg;
	fiber_sleep(1);
}

static void test_trim(void *arg)
{
	struct fiber_group g = { 0 };
	size_t before, with;
	unsigned pooled;

	(void)arg;
	fiber_trim(0);
	before = guards();
	for (int i = 0; i < 100; i++)
		fiber_group_start(&g, nap, NULL);
	fiber_group_wait(&g);
	with = guards();
	pooled = fiber_pooled();
	fiber_trim(10);
	tap_ok(with >= before + 100 && pooled == 100, "stacks of ended fibers are kept for the next");
	tap_is_int((int64_t)guards(), (int64_t)before + 10, "until they are given back, all but ten");
}

int main(void)
{
	loop_init();
	fiber_main(test_start, NULL);
	fiber_main(test_wake, NULL);
	fiber_main(test_join, NULL);
	fiber_main(test_stacks, NULL);
	fiber_main(print_float, NULL);
	fiber_main(test_io, NULL);
	fiber_main(measure, NULL);
	fiber_main(test_trim, NULL);
	test_guard();
	tap_is_int(fiber_count(), 0, "no fiber is left at the end");
	fiber_done();
	loop_done();
	return tap_done();
}
