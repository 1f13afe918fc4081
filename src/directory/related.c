/* The groups of related words, by stem. What a related word weighs is rank.c's. */
#include <string.h>
#include "base/mem.h"
#include "directory/related.h"

/* A word may be in several. */
static const char *const groups[] = {
#include "directory/related.inc"
};

struct member { struct str stem; size_t group; };

static struct {
	struct member *member;          /* those of a group side by side */
	size_t n, size;
} related;

static void add_member(void *group, struct str stem, struct str from)
{
	char *copy = mem_alloc(stem.n + 1);

	(void)from;
	if (related.n == related.size) {
		related.size = related.size ? related.size * 2 : 1024;
		related.member = mem_resize(related.member, related.size * sizeof(*related.member));
	}
	memcpy(copy, stem.p, stem.n);
	related.member[related.n++] = (struct member){ str_make(copy, stem.n), *(size_t *)group };
}

static void read_groups(struct db *d)
{
	for (size_t g = 0; g < sizeof(groups) / sizeof(*groups); g++)
		db_words(d, str_of(groups[g]), add_member, &g);
}

static unsigned add_stem(struct str *out, unsigned n, struct str stem)
{
	for (unsigned i = 0; i < n; i++)
		if (str_eq(out[i], stem))
			return n;
	if (n < RELATED_MAX)
		out[n++] = stem;
	return n;
}

unsigned related_stems(struct db *d, struct str stem, struct str out[RELATED_MAX])
{
	unsigned n = 0;

	if (!related.n)
		read_groups(d);
	for (size_t i = 0, first = 0; i < related.n; i++) {
		if (related.member[i].group != related.member[first].group)
			first = i;
		if (!str_eq(related.member[i].stem, stem))
			continue;
		for (size_t k = first; k < related.n && related.member[k].group == related.member[first].group; k++)
			if (k != i)
				n = add_stem(out, n, related.member[k].stem);
	}
	return n;
}
