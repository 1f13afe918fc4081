/* Wu and Manber's search: a window of MATCH_MIN bytes moves over the text by as much as its last three bytes allow, so
 * that text without a match is mostly skipped. Only where they end some pattern's first MATCH_MIN bytes are patterns
 * compared. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/crypto.h"
#include "base/log.h"
#include "base/match.h"
#include "base/mem.h"

enum {
	BLOCK = 3,                      /* bytes that decide a move */
	TABLE_BITS = 15,
	TABLE = 1 << TABLE_BITS,
	NO_PATTERN = -1,
};

struct pattern {
	char *p;
	size_t n;
	int tag;
	int order;                      /* when it was added */
	int next;                       /* the next one, not longer, whose window ends alike */
};

struct match {
	struct pattern *patterns;
	size_t n, cap;
	int first[TABLE];               /* by hash of the window's last bytes */
	unsigned char shift[TABLE];     /* how far the window may move; 0: compare */
};

static uint32_t hash(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;
	uint32_t v = u[0] | (uint32_t)u[1] << 8 | (uint32_t)u[2] << 16;

	return v * 0x9E3779B1u >> (32 - TABLE_BITS);
}

struct match *match_new(void)
{
	return mem_alloc(sizeof(struct match));
}

void match_free(struct match *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n; i++) {
		crypto_forget(m->patterns[i].p, m->patterns[i].n);
		free(m->patterns[i].p);
	}
	free(m->patterns);
	free(m);
}

void match_add(struct match *m, struct str pattern, int tag)
{
	struct pattern *t;

	if (pattern.n < MATCH_MIN)
		log_fatal("match: a pattern of %zu bytes", pattern.n);
	if (m->n == m->cap) {
		m->cap = m->cap ? 2 * m->cap : 16;
		m->patterns = mem_resize(m->patterns, m->cap * sizeof(*m->patterns));
	}
	t = &m->patterns[m->n];
	*t = (struct pattern){ .p = mem_alloc(pattern.n), .n = pattern.n, .tag = tag, .order = (int)m->n };
	memcpy(t->p, pattern.p, pattern.n);
	m->n++;
}

static int longest_first(const void *x, const void *y)
{
	const struct pattern *a = x, *b = y;

	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return a->order - b->order;
}

void match_ready(struct match *m)
{
	if (m->n)
		qsort(m->patterns, m->n, sizeof(*m->patterns), longest_first);
	memset(m->shift, MATCH_MIN - BLOCK + 1, sizeof(m->shift));
	for (size_t i = 0; i < TABLE; i++)
		m->first[i] = NO_PATTERN;
	/* Backwards, each put before the others, so that the longest comes first. */
	for (size_t i = m->n; i-- > 0;) {
		struct pattern *t = &m->patterns[i];
		uint32_t last = hash(t->p + MATCH_MIN - BLOCK);

		t->next = m->first[last];
		m->first[last] = (int)i;
		for (int at = 0; at <= MATCH_MIN - BLOCK; at++) {
			unsigned char *shift = &m->shift[hash(t->p + at)];
			unsigned char move = (unsigned char)(MATCH_MIN - BLOCK - at);

			if (move < *shift)
				*shift = move;
		}
	}
}

bool match_next(const struct match *m, struct str text, size_t from, struct match_hit *hit)
{
	if (!m->n)
		return false;
	while (from < text.n && text.n - from >= MATCH_MIN) {
		uint32_t h = hash(text.p + from + MATCH_MIN - BLOCK);

		if (m->shift[h]) {
			from += m->shift[h];
			continue;
		}
		for (int i = m->first[h]; i != NO_PATTERN; i = m->patterns[i].next) {
			const struct pattern *t = &m->patterns[i];

			if (t->n <= text.n - from && memcmp(t->p, text.p + from, t->n) == 0) {
				*hit = (struct match_hit){ .start = from, .n = t->n, .tag = t->tag };
				return true;
			}
		}
		from++;
	}
	return false;
}

size_t match_begun(const struct match *m, struct str text, int *tag)
{
	size_t longest = 0;

	for (size_t i = 0; i < m->n; i++) {
		size_t n = str_overlap(text, str_make(m->patterns[i].p, m->patterns[i].n));

		if (n <= longest)
			continue;
		longest = n;
		*tag = m->patterns[i].tag;
	}
	return text.n - longest;
}
