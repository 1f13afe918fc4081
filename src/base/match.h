/* Finding many byte patterns in a text at once. */
#ifndef BASE_MATCH_H
#define BASE_MATCH_H
#include "base/str.h"

enum { MATCH_MIN = 8 };                 /* least length of a pattern */

struct match;

struct match_hit {
	size_t start, n;                /* where in the text and how long */
	int tag;                        /* what match_add was given */
};

struct match *match_new(void);
void match_free(struct match *m);       /* overwrites the patterns first, since they may be secret; NULL is fine */
/* Copies the pattern, which has at least MATCH_MIN bytes. Of equal patterns the one added first is found. */
void match_add(struct match *m, struct str pattern, int tag);
/* Sorts what was added; call once after the last match_add and before match_next. */
void match_ready(struct match *m);
/* The leftmost place at or behind `from` where a pattern stands, and the longest pattern there. */
bool match_next(const struct match *m, struct str text, size_t from, struct match_hit *hit);
/* Where the longest beginning of a pattern that the text ends with starts, text.n when there is none; a whole pattern is
 * not looked for. *tag is the pattern's. */
size_t match_begun(const struct match *m, struct str text, int *tag);

#endif
