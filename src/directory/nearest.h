/* "Did you mean": readable keys near a wanted one. */
#ifndef DIRECTORY_NEAREST_H
#define DIRECTORY_NEAREST_H
#include "directory/directory.h"

enum { NEAREST_MAX = 6 };
/* Keys containing or contained in wanted (case folded), then those at edit distance <= 3, nearest first (of equal ones
 * the one nearer in length, then by key); at most NEAREST_MAX, readable ones only. They live as long as
 * directory_items. Returns how many. */
size_t nearest_keys(struct directory *d, struct str wanted, const struct directory_reader *who,
	struct str out[NEAREST_MAX]);

#endif
