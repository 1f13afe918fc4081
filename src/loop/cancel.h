/* Breaking off: fibers that wait for something which may be given up are woken when somebody asks for that. */
#ifndef LOOP_CANCEL_H
#define LOOP_CANCEL_H
#include <stdbool.h>

struct fiber;
struct cancel_point { struct fiber *fiber; struct cancel_point *next, **prev; };        /* its owner's */
struct cancel { bool asked; struct cancel_point *first; };      /* zero it before the first use */

/* From here until cancel_leave the fiber that calls this is woken when breaking off is asked for. c NULL: never. */
void cancel_enter(struct cancel *c, struct cancel_point *p);
void cancel_leave(struct cancel_point *p);
bool cancel_asked(const struct cancel *c);      /* c NULL: false */
void cancel_ask(struct cancel *c);              /* for good */

#endif
