/* The event loop: epoll, a binary heap of timers, a queue of tasks. Not the place for anything that knows what a
 * descriptor is for. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "loop/loop.h"

enum {
	LOOP_BATCH = 256,               /* events taken with one epoll_wait */
	LOOP_TASKS_TURN = 2048,         /* tasks run before the loop looks at descriptors again */
	LOOP_WAIT_MAX_MS = 60 * 1000,   /* longest sleep, so that the arithmetic below stays in an int */
};

static struct {
	int fd;                         /* epoll */
	bool open, stopping;
	uint64_t turn;
	struct epoll_event batch[LOOP_BATCH];
	int next, got;                  /* the part of the batch that is still to be delivered */
	struct loop_timer **heap;       /* least at_us first */
	unsigned timers, room;
	struct loop_task *first, **last;
} loop;

void loop_init(void)
{
	if (loop.open)
		log_fatal("loop: initialised twice");
	loop.fd = epoll_create1(EPOLL_CLOEXEC);
	if (loop.fd < 0)
		log_fatal("epoll_create1: %s", strerror(errno));
	loop.open = true;
	loop.last = &loop.first;
}

void loop_done(void)
{
	if (!loop.open)
		return;
	close(loop.fd);
	free(loop.heap);
	memset(&loop, 0, sizeof(loop));
}

static void control(int op, struct loop_fd *f, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.ptr = f };

	if (epoll_ctl(loop.fd, op, f->fd, &e) < 0)
		log_fatal("epoll_ctl %d on descriptor %d: %s", op, f->fd, strerror(errno));
}

void loop_add(struct loop_fd *f, uint32_t events)
{
	control(EPOLL_CTL_ADD, f, events);
}

void loop_mod(struct loop_fd *f, uint32_t events)
{
	control(EPOLL_CTL_MOD, f, events);
}

void loop_del(struct loop_fd *f)
{
	control(EPOLL_CTL_DEL, f, 0);
	for (int i = loop.next; i < loop.got; i++)
		if (loop.batch[i].data.ptr == f)
			loop.batch[i].data.ptr = NULL;
}

static void heap_put(unsigned i, struct loop_timer *t)
{
	loop.heap[i] = t;
	t->slot = i + 1;
}

/* Moves t from position i towards the root or the leaves until the heap is in order. */
static void heap_settle(unsigned i, struct loop_timer *t)
{
	while (i > 0 && t->at_us < loop.heap[(i - 1) / 2]->at_us) {
		heap_put(i, loop.heap[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	for (unsigned child; (child = 2 * i + 1) < loop.timers; i = child) {
		if (child + 1 < loop.timers && loop.heap[child + 1]->at_us < loop.heap[child]->at_us)
			child++;
		if (t->at_us <= loop.heap[child]->at_us)
			break;
		heap_put(i, loop.heap[child]);
	}
	heap_put(i, t);
}

void loop_timer_set(struct loop_timer *t, int64_t after_ms)
{
	t->at_us = clock_mono_us() + (after_ms > 0 ? after_ms * 1000 : 0);
	if (t->slot) {
		heap_settle(t->slot - 1, t);
		return;
	}
	if (loop.timers == loop.room) {
		loop.room = loop.room ? loop.room * 2 : 64;
		loop.heap = mem_resize(loop.heap, loop.room * sizeof(*loop.heap));
	}
	loop.timers++;
	heap_settle(loop.timers - 1, t);
}

void loop_timer_cancel(struct loop_timer *t)
{
	unsigned i = t->slot;
	struct loop_timer *moved;

	if (!i)
		return;
	t->slot = 0;
	moved = loop.heap[--loop.timers];
	if (moved != t)
		heap_settle(i - 1, moved);
}

void loop_post(struct loop_task *t)
{
	if (t->queued)
		return;
	t->queued = 1;
	t->next = NULL;
	*loop.last = t;
	loop.last = &t->next;
}

static int wait_ms(void)
{
	int64_t us;

	if (loop.first)
		return 0;
	if (!loop.timers)
		return -1;
	us = loop.heap[0]->at_us - clock_mono_us();
	if (us <= 0)
		return 0;
	return us > LOOP_WAIT_MAX_MS * 1000LL ? LOOP_WAIT_MAX_MS : (int)((us + 999) / 1000);
}

static void deliver(int got)
{
	loop.got = got;
	for (loop.next = 0; loop.next < loop.got;) {
		struct epoll_event *e = &loop.batch[loop.next++];
		struct loop_fd *f = e->data.ptr;

		if (f)
			f->ready(f, e->events);
	}
	loop.next = loop.got = 0;
}

static void fire_timers(void)
{
	int64_t now;

	if (!loop.timers)
		return;
	/* Read once: a timer that is set while others fire waits for the next turn. */
	now = clock_mono_us();
	while (loop.timers && loop.heap[0]->at_us < now) {
		struct loop_timer *t = loop.heap[0];

		loop_timer_cancel(t);
		t->fire(t);
	}
}

static void run_tasks(void)
{
	for (int i = 0; loop.first && i < LOOP_TASKS_TURN; i++) {
		struct loop_task *t = loop.first;

		loop.first = t->next;
		if (!loop.first)
			loop.last = &loop.first;
		t->queued = 0;
		t->run(t);
	}
}

void loop_run(void)
{
	loop.stopping = false;
	while (!loop.stopping) {
		int got = epoll_wait(loop.fd, loop.batch, LOOP_BATCH, wait_ms());

		if (got < 0 && errno != EINTR)
			log_fatal("epoll_wait: %s", strerror(errno));
		loop.turn++;
		deliver(got > 0 ? got : 0);
		fire_timers();
		run_tasks();
	}
}

uint64_t loop_turn(void)
{
	return loop.turn;
}

void loop_stop(void)
{
	loop.stopping = true;
}
