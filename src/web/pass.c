/* Rows one after the other. The rows themselves are looked at (directory_glance) and not kept, so that a document about
 * all of them does not push out of memory what is called. */
#include "web/pass.h"

enum { TURN = 16 };                     /* rows rendered before others have their turn: about a millisecond */

void pass_begin(struct pass *p, struct rest *r, struct large_sink *s, struct str category)
{
	size_t n;
	const struct directory_item *item = directory_items(r->service->directory, &n);

	*p = (struct pass){ .r = r, .sink = s, .row = arena_alloc(r->arena, (n + 1) * sizeof(*p->row)) };
	for (size_t i = 0; i < n; i++) {
		struct str own = item[i].category.p ? item[i].category : str_of("");

		if (item[i].enabled && (!category.p || str_eq(own, category)) &&
		    caller_reads(&r->caller, item[i].key, own, true))
			p->row[p->n++] = (struct pass_row){
				arena_copy(r->arena, item[i].key), arena_copy(r->arena, own), item[i].planner_rank,
			};
	}
}

int pass_next(struct pass *p, struct entry **e, struct problem *why)
{
	while (p->next < p->n) {
		const struct pass_row *row = &p->row[p->next++];

		if (p->next % TURN == 0)
			large_turn(p->sink);
		if (directory_glance(p->r->service->directory, p->sink->arena, row->key, e, why) < 0)
			return -1;
		if (*e && (*e)->enabled && str_eq((*e)->category, row->category) &&
		    caller_reads(&p->r->caller, (*e)->key, (*e)->category, true))
			return 1;
	}
	return 0;
}
