/* The event loop of a process: epoll, timers, work for later in the same turn. One loop a process. It knows nothing of
 * stacks: see fiber.h. A turn: wait, deliver all events of the batch, fire the timers that are due, run the tasks. So
 * a task may free what an event of the same batch names. */
#ifndef LOOP_LOOP_H
#define LOOP_LOOP_H
#include <stdint.h>
#include <sys/epoll.h>

struct loop_fd {                        /* embedded in its owner, alive until loop_del */
	int fd;
	void (*ready)(struct loop_fd *f, uint32_t events);
};
struct loop_timer {                     /* embedded in its owner; zero it before the first use */
	int64_t at_us;                  /* CLOCK_MONOTONIC */
	void (*fire)(struct loop_timer *t);
	unsigned slot;                  /* heap position + 1; 0: not set */
};
struct loop_task {                      /* embedded in its owner; zero it before the first use */
	void (*run)(struct loop_task *t);
	struct loop_task *next;
	unsigned queued;
};

/* Once a process; a child calls loop_done (which touches nothing of the parent's) and loop_init again after a fork. */
void loop_init(void);
void loop_done(void);                   /* forgets all descriptors, timers and tasks; fine without loop_init */
/* Events as for epoll_ctl; a failure is fatal, since it means that the descriptor is not open or registered already. */
void loop_add(struct loop_fd *f, uint32_t events);
void loop_mod(struct loop_fd *f, uint32_t events);
/* After this no event of f is delivered, not even one of the current batch. Before the descriptor is closed. */
void loop_del(struct loop_fd *f);
/* A timer fires once, never in the call that sets it. A negative time counts as 0. */
void loop_timer_set(struct loop_timer *t, int64_t after_ms);    /* sets again when set */
void loop_timer_cancel(struct loop_timer *t);                   /* fine when not set */
/* Runs t after all events of the current batch were delivered; a task that is queued already stays queued once. */
void loop_post(struct loop_task *t);
void loop_run(void);                    /* until loop_stop */
/* Changes whenever events were taken: what a peer saw before it sent something has happened before the turn in which
 * that is read. */
uint64_t loop_turn(void);
void loop_stop(void);                   /* at the end of the current turn */

#endif
