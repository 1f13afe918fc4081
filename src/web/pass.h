/* A pass over the rows that a caller may read, for large documents (large.h) with a part for each row. */
#ifndef WEB_PASS_H
#define WEB_PASS_H
#include "web/large.h"

struct pass_row { struct str key, category; int64_t rank; };    /* category: empty when there is none */

struct pass {
	struct rest *r;
	struct large_sink *sink;
	struct pass_row *row;           /* may be sorted before the first pass_next */
	size_t n, next;
};

/* The enabled rows of the category (p NULL: of all) that the caller may read, in canonical order. They are copied,
 * since the directory may change while others have their turn. */
void pass_begin(struct pass *p, struct rest *r, struct large_sink *s, struct str category);
/* The next row that is still there and as it was listed; it lives until the one after it. Others have their turn now
 * and then. 1; 0 at the end; -1 with why. */
int pass_next(struct pass *p, struct entry **e, struct problem *why);

#endif
