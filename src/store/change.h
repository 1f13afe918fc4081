/* Fibers that wait for a change of the directory: those of all workers are woken by one write of the writer, and a worker
 * where nobody waits is not. */
#ifndef STORE_CHANGE_H
#define STORE_CHANGE_H
#include "store/shared.h"

struct fiber;

enum { CHANGE_GATHER_MS = 200 };        /* changes that follow one another so closely wake once */

struct change_waiter { struct fiber *fiber; struct change_waiter *next, **prev; };      /* its owner's */

/* From here until change_leave the fiber that calls this is woken at most CHANGE_GATHER_MS after a generation was raised,
 * now and then also when none was: the waiter compares. */
void change_wait(struct change_waiter *w, struct shared *s);
void change_leave(struct change_waiter *w);

#endif
