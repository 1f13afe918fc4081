/* A growing byte string, doubling its room. Not a stream: everything is in memory. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"

enum { BUF_FIRST = 64 };        /* bytes of the first allocation */

static void grow(struct buf *b, size_t more)
{
	size_t cap = b->cap ? b->cap : BUF_FIRST;

	if (more > SIZE_MAX / 4 || b->len > SIZE_MAX / 4)
		log_fatal("buf: absurd size %zu + %zu", b->len, more);
	while (cap - b->len < more)
		cap *= 2;
	b->data = b->arena ? arena_grow(b->arena, b->data, b->cap, cap) : mem_resize(b->data, cap);
	b->cap = cap;
}

static inline void room(struct buf *b, size_t more)
{
	if (more > b->cap - b->len)
		grow(b, more);
}

void buf_reserve(struct buf *b, size_t more)
{
	room(b, more);
}

void buf_add(struct buf *b, const void *p, size_t n)
{
	if (!n)
		return;
	room(b, n);
	memcpy(b->data + b->len, p, n);
	b->len += n;
}

void buf_puts(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_putstr(struct buf *b, struct str s)
{
	buf_add(b, s.p, s.n);
}

void buf_putc(struct buf *b, char c)
{
	room(b, 1);
	b->data[b->len++] = c;
}

void buf_int(struct buf *b, int64_t v)
{
	char text[20], *at = text + sizeof(text);
	uint64_t left = v < 0 ? -(uint64_t)v : (uint64_t)v;

	do
		*--at = (char)('0' + left % 10);
	while (left /= 10);
	if (v < 0)
		*--at = '-';
	buf_add(b, at, (size_t)(text + sizeof(text) - at));
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	room(b, BUF_FIRST);
	va_start(ap, fmt);
	n = vsnprintf(b->data + b->len, b->cap - b->len, fmt, ap);
	va_end(ap);
	if (n < 0)
		log_fatal("buf: bad format \"%s\"", fmt);
	if ((size_t)n >= b->cap - b->len) {
		room(b, (size_t)n + 1);
		va_start(ap, fmt);
		vsnprintf(b->data + b->len, b->cap - b->len, fmt, ap);
		va_end(ap);
	}
	b->len += (size_t)n;
}

const char *buf_text(struct buf *b)
{
	room(b, 1);
	b->data[b->len] = 0;
	return b->data;
}

struct str buf_str(struct buf *b)
{
	return str_make(buf_text(b), b->len);
}

void buf_clear(struct buf *b)
{
	b->len = 0;
}

void buf_free(struct buf *b)
{
	if (b->arena)
		return;
	free(b->data);
	*b = BUF_MALLOC;
}
