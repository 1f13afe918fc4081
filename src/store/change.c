/* Who waits for changes of the directory. What has changed, and whom that concerns, is the waiter's to find out. */
#include "loop/fiber.h"
#include "loop/loop.h"
#include "store/change.h"

static void changed(struct loop_fd *f, uint32_t events);
static void tell(struct loop_timer *t);

static struct {
	struct loop_fd news;            /* in the loop while somebody waits */
	struct loop_timer gather;
	struct change_waiter *first;
} change = { .news.ready = changed, .gather.fire = tell };

/* The descriptor is every process's and stays readable: edge-triggered, each write is told once to each. */
static void changed(struct loop_fd *f, uint32_t events)
{
	(void)f;
	(void)events;
	if (!change.gather.slot)
		loop_timer_set(&change.gather, CHANGE_GATHER_MS);
}

static void tell(struct loop_timer *t)
{
	(void)t;
	for (struct change_waiter *w = change.first; w; w = w->next)
		fiber_wake(w->fiber, FIBER_WOKEN);
}

void change_wait(struct change_waiter *w, struct shared *s)
{
	if (!change.first) {
		change.news.fd = s->changed_fd;
		loop_add(&change.news, EPOLLIN | EPOLLET);
	}
	*w = (struct change_waiter){ fiber_self(), change.first, &change.first };
	if (w->next)
		w->next->prev = &w->next;
	change.first = w;
}

void change_leave(struct change_waiter *w)
{
	*w->prev = w->next;
	if (w->next)
		w->next->prev = w->prev;
	if (change.first)
		return;
	loop_del(&change.news);
	loop_timer_cancel(&change.gather);
}
