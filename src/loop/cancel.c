/* Who is to be woken when a piece of work is given up. What giving up means is the waiter's. */
#include <stddef.h>
#include "loop/cancel.h"
#include "loop/fiber.h"

void cancel_enter(struct cancel *c, struct cancel_point *p)
{
	*p = (struct cancel_point){ .fiber = fiber_self() };
	if (!c)
		return;
	p->next = c->first;
	p->prev = &c->first;
	if (p->next)
		p->next->prev = &p->next;
	c->first = p;
}

void cancel_leave(struct cancel_point *p)
{
	if (!p->prev)
		return;
	*p->prev = p->next;
	if (p->next)
		p->next->prev = p->prev;
}

bool cancel_asked(const struct cancel *c)
{
	return c && c->asked;
}

void cancel_ask(struct cancel *c)
{
	c->asked = true;
	for (struct cancel_point *p = c->first; p; p = p->next)
		fiber_wake(p->fiber, FIBER_WOKEN);
}
