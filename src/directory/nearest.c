/* Suggestions for an unknown key. What is near is decided by lang/key; here the best few of all readable keys are
 * picked. */
#include <string.h>
#include "directory/nearest.h"
#include "lang/key.h"

struct candidate { int rank; size_t difference; struct str key; };

static bool better(const struct candidate *a, const struct candidate *b)
{
	size_t n = a->key.n < b->key.n ? a->key.n : b->key.n;
	int c;

	if (a->rank != b->rank)
		return a->rank < b->rank;
	if (a->difference != b->difference)
		return a->difference < b->difference;
	c = memcmp(a->key.p, b->key.p, n);
	return c ? c < 0 : a->key.n < b->key.n;
}

/* Keeps the best NEAREST_MAX in order. */
static void offer(struct candidate best[NEAREST_MAX], size_t *n, struct candidate c)
{
	size_t at = *n;

	while (at && better(&c, &best[at - 1]))
		at--;
	if (at == NEAREST_MAX)
		return;
	if (*n < NEAREST_MAX)
		++*n;
	memmove(&best[at + 1], &best[at], (*n - at - 1) * sizeof(*best));
	best[at] = c;
}

size_t nearest_keys(struct directory *d, struct str wanted, const struct directory_reader *who,
	struct str out[NEAREST_MAX])
{
	struct candidate best[NEAREST_MAX];
	size_t n, found = 0;
	const struct directory_item *item = directory_items(d, &n);

	for (size_t i = 0; i < n; i++) {
		struct candidate c = { .key = item[i].key, .rank = key_nearness(wanted, item[i].key) };

		if (c.rank < 0 || !directory_reads(who, &item[i]))
			continue;
		c.difference = c.key.n > wanted.n ? c.key.n - wanted.n : wanted.n - c.key.n;
		offer(best, &found, c);
	}
	for (size_t i = 0; i < found; i++)
		out[i] = best[i].key;
	return found;
}
