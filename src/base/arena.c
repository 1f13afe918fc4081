/* Bump allocation in blocks, and a list of clean-ups. Not for what outlives a request. Each piece starts at a
 * multiple of 16; a piece too large for a block gets a block of its own, so that it does not waste the rest of
 * the current one. */
#include <json-c/json.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/log.h"
#include "base/mem.h"

enum {
	ARENA_ALIGN = 16,
	ARENA_BLOCK = 16 * 1024,        /* usable bytes of a usual block */
	ARENA_SMALL = 512,              /* of the first block of a small arena; each further one is twice as large */
	ARENA_OWN = 4,                  /* pieces larger than this part of a block get their own */
};

struct block {
	struct block *next;
	size_t size, used;
	char data[] __attribute__((aligned(ARENA_ALIGN)));
};

struct deferred {
	struct deferred *next;
	void (*fn)(void *);
	void *arg;
};

struct arena {
	struct block *current;          /* the block that small pieces come from; the others hang behind it */
	size_t block;                   /* usable bytes of the next one */
	struct deferred *deferred;      /* newest first; the nodes lie in the blocks */
};

static size_t round_up(size_t n)
{
	if (n > SIZE_MAX / 2)
		log_fatal("arena: absurd size %zu", n);
	return (n + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
}

static struct block *block_new(size_t size)
{
	struct block *b = malloc(sizeof(*b) + size);

	if (!b)
		log_fatal("out of memory for %zu bytes", size);
	b->next = NULL;
	b->size = size;
	b->used = 0;
	return b;
}

static struct arena *new_with(size_t first)
{
	struct arena *a = mem_alloc(sizeof(*a));

	a->block = first;
	a->current = block_new(first);
	return a;
}

struct arena *arena_new(void)
{
	return new_with(ARENA_BLOCK);
}

struct arena *arena_new_small(void)
{
	return new_with(ARENA_SMALL);
}

void arena_reset(struct arena *a)
{
	/* A clean-up may defer another one, hence the loop on the head. */
	while (a->deferred) {
		struct deferred *d = a->deferred;

		a->deferred = d->next;
		d->fn(d->arg);
	}
	while (a->current->next) {
		struct block *b = a->current->next;

		a->current->next = b->next;
		free(b);
	}
	a->current->used = 0;
}

void arena_free(struct arena *a)
{
	if (!a)
		return;
	arena_reset(a);
	free(a->current);
	free(a);
}

static void *take(struct arena *a, size_t n)
{
	struct block *b = a->current;
	void *p;

	n = round_up(n ? n : 1);
	if (b->size - b->used < n) {
		if (n > a->block / ARENA_OWN) {
			b = block_new(n);
			b->next = a->current->next;
			a->current->next = b;
		} else {
			a->block = a->block < ARENA_BLOCK ? a->block * 2 : ARENA_BLOCK;
			b = block_new(a->block);
			b->next = a->current;
			a->current = b;
		}
	}
	p = b->data + b->used;
	b->used += n;
	return p;
}

void *arena_alloc(struct arena *a, size_t n)
{
	return memset(take(a, n), 0, n);
}

void *arena_grow(struct arena *a, void *p, size_t old, size_t n)
{
	struct block *b = a->current;
	size_t had = round_up(old ? old : 1);
	void *q;

	if (p && (char *)p >= b->data && (char *)p + had == b->data + b->used && round_up(n) >= had &&
	    round_up(n) - had <= b->size - b->used) {
		b->used += round_up(n) - had;
		return p;
	}
	q = take(a, n);
	if (old)
		memcpy(q, p, old < n ? old : n);
	return q;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_str(a, str_of(s));
}

char *arena_str(struct arena *a, struct str s)
{
	char *p;

	if (!s.p)
		return NULL;
	p = take(a, s.n + 1);
	memcpy(p, s.p, s.n);
	p[s.n] = 0;
	return p;
}

struct str arena_copy(struct arena *a, struct str s)
{
	return str_make(arena_str(a, s), s.n);
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	char *p;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		log_fatal("arena: bad format \"%s\"", fmt);
	p = take(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}

void arena_defer(struct arena *a, void (*fn)(void *), void *arg)
{
	struct deferred *d = take(a, sizeof(*d));

	d->fn = fn;
	d->arg = arg;
	d->next = a->deferred;
	a->deferred = d;
}

static void put_json(void *o)
{
	json_object_put(o);
}

struct json_object *arena_json(struct arena *a, struct json_object *o)
{
	if (o)
		arena_defer(a, put_json, o);
	return o;
}
