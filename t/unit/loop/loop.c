/* The event loop: order of delivery, descriptors that go away in mid-batch, timers, tasks. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "base/clock.h"
#include "loop/loop.h"
#include "tap.h"

static char order[4096];

static void note(const char *what)
{
	strncat(order, what, sizeof(order) - strlen(order) - 1);
}

static struct loop_fd fd[3];
static struct loop_task task;
static struct loop_timer stopper;

static void stop(struct loop_timer *t)
{
	(void)t;
	loop_stop();
}

static void run_for(int64_t ms)
{
	stopper.fire = stop;
	loop_timer_set(&stopper, ms);
	loop_run();
}

static void task_run(struct loop_task *t)
{
	(void)t;
	note("t");
}

static void event_posts(struct loop_fd *f, uint32_t events)
{
	uint64_t n;

	(void)events;
	if (read(f->fd, &n, sizeof(n)) < 0)
		note("!");
	note("e");
	loop_post(&task);
}

static void event_deletes_all(struct loop_fd *f, uint32_t events)
{
	(void)f;
	(void)events;
	note("d");
	for (int i = 0; i < 3; i++)
		loop_del(&fd[i]);
}

static void open_fds(void (*ready)(struct loop_fd *f, uint32_t events))
{
	order[0] = '\0';
	for (int i = 0; i < 3; i++) {
		fd[i] = (struct loop_fd){ .fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK), .ready = ready };
		loop_add(&fd[i], EPOLLIN);
	}
}

static void test_batches(void)
{
	task.run = task_run;
	open_fds(event_posts);
	run_for(5);
	tap_is_str(order, "eeet", "tasks run after all events of a batch, a task posted three times once");
	loop_mod(&fd[0], EPOLLOUT);
	order[0] = '\0';
	for (int i = 1; i < 3; i++)
		loop_del(&fd[i]);
	loop_del(&fd[0]);
	for (int i = 0; i < 3; i++)
		close(fd[i].fd);

	open_fds(event_deletes_all);
	run_for(5);
	tap_is_str(order, "d", "a descriptor deleted in a batch gets no event of that batch");
	for (int i = 0; i < 3; i++)
		close(fd[i].fd);
}

static uint64_t turns[2];

static void later_turn(struct loop_timer *t)
{
	(void)t;
	turns[1] = loop_turn();
}

static void event_turns(struct loop_fd *f, uint32_t events)
{
	static struct loop_timer next = { .fire = later_turn };
	uint64_t n;

	(void)events;
	if (read(f->fd, &n, sizeof(n)) < 0 || (turns[0] && turns[0] != loop_turn()))
		note("!");
	turns[0] = loop_turn();
	loop_timer_set(&next, 1);
}

static void test_turns(void)
{
	order[0] = '\0';
	open_fds(event_turns);
	run_for(5);
	tap_is_str(order, "", "the events of a batch are of one turn");
	tap_ok(turns[0] && turns[1] > turns[0], "what comes after waiting is of another");
	for (int i = 0; i < 3; i++) {
		loop_del(&fd[i]);
		close(fd[i].fd);
	}
}

static void test_exclusive(void)
{
	order[0] = '\0';
	fd[0] = (struct loop_fd){ .fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK), .ready = event_posts };
	loop_add(&fd[0], EPOLLIN | EPOLLEXCLUSIVE);
	run_for(2);
	tap_is_str(order, "et", "a descriptor can be watched exclusively");
	loop_del(&fd[0]);
	close(fd[0].fd);
}

enum { TIMERS = 500 };
static struct loop_timer timer[TIMERS];
static int64_t last_at;
static int fired, out_of_order;

static void in_order(struct loop_timer *t)
{
	if (t->at_us < last_at)
		out_of_order++;
	if (t->at_us > clock_mono_us())
		out_of_order++;
	if (t->slot)
		out_of_order++;
	last_at = t->at_us;
	fired++;
}

static void test_timers(void)
{
	int cancelled = 0;

	srand(7);
	for (int i = 0; i < TIMERS; i++) {
		timer[i].fire = in_order;
		loop_timer_set(&timer[i], rand() % 40);
	}
	for (int i = 0; i < TIMERS; i++) {
		if (i % 3 == 0) {
			loop_timer_cancel(&timer[i]);
			loop_timer_cancel(&timer[i]);
			cancelled++;
		} else if (i % 3 == 1) {
			loop_timer_set(&timer[i], rand() % 40);
		}
	}
	run_for(60);
	tap_is_int(fired, TIMERS - cancelled, "every timer that is set fires once, a cancelled one never");
	tap_is_int(out_of_order, 0, "timers fire in the order of their times, never early");
}

static int rounds;

static void again(struct loop_timer *t)
{
	rounds++;
	loop_timer_set(t, -5);
}

static void post_again(struct loop_task *t)
{
	rounds++;
	loop_post(t);
}

static void test_fairness(void)
{
	struct loop_timer t = { .fire = again };
	struct loop_task p = { .run = post_again };

	order[0] = '\0';
	open_fds(event_posts);
	loop_timer_set(&t, 0);
	run_for(5);
	tap_ok(rounds > 1 && strncmp(order, "eee", 3) == 0, "a timer that sets itself again does not keep descriptors waiting");
	loop_timer_cancel(&t);
	rounds = 0;
	loop_post(&p);
	run_for(5);
	tap_ok(rounds > 1, "a task that posts itself again does not keep timers waiting");
	for (int i = 0; i < 3; i++) {
		loop_del(&fd[i]);
		close(fd[i].fd);
	}
}

int main(void)
{
	loop_done();
	loop_init();
	test_batches();
	test_turns();
	test_exclusive();
	test_timers();
	test_fairness();
	loop_done();
	loop_init();
	run_for(1);
	tap_ok(true, "a loop can be made again after loop_done");
	loop_done();
	return tap_done();
}
