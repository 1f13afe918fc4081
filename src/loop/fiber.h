/* Fibers: code written top to bottom that stops only where it waits. The one file that knows about stacks and
 * switching. Stacks are 128 KB with a guard, pooled: no large objects on them. A fiber runs from the loop, never from
 * another fiber's stack. */
#ifndef LOOP_FIBER_H
#define LOOP_FIBER_H
#include <stdbool.h>
#include <stdint.h>

struct fiber;

enum { FIBER_WOKEN = 0, FIBER_TIMEOUT = -1 };

/* Queues a new fiber that runs fn(arg) in this turn of the loop and is gone when fn returns. */
struct fiber *fiber_start(void (*fn)(void *), void *arg);
struct fiber *fiber_self(void);                 /* NULL on the loop's own stack */
/* Gives the processor back until fiber_wake; returns the value given there. Only on a fiber. */
int fiber_suspend(void);
/* The same, for at most ms (negative: no limit): FIBER_TIMEOUT when they pass first. */
int fiber_suspend_for(int64_t ms);
/* Queues a suspended fiber to go on with `value`; may be called from the loop or from a fiber. A fiber already woken
 * keeps its first value. A fiber that is not suspended yet (it runs, or has not begun) keeps the value for its next
 * suspend, which then returns in the same turn. */
void fiber_wake(struct fiber *f, int value);
void fiber_sleep(int64_t ms);                   /* also ends when somebody wakes the fiber */

/* Join: a group counts fibers; wait returns when all that were started in it have ended. Zero it before the first use;
 * it may live on the waiter's stack. */
struct fiber_group { unsigned running; struct fiber *waiter; };
void fiber_group_start(struct fiber_group *g, void (*fn)(void *), void *arg);
void fiber_group_wait(struct fiber_group *g);

unsigned fiber_count(void);                     /* alive now */
/* Runs fn(arg) in a fiber on a loop of its own until it returns: for programs without a loop (rowcall, tests). Needs
 * loop_init before. */
void fiber_main(void (*fn)(void *), void *arg);
unsigned fiber_pooled(void);                    /* stacks that wait for the next fiber */
/* Gives the stacks that wait for the next fiber back to the system, all but `keep`. */
void fiber_trim(unsigned keep);
/* Gives the pooled stacks back; no fiber may be alive. For a clean end under leak checkers. */
void fiber_done(void);

#endif
