/* Allocation that ends the process when there is no memory, so that no caller has a half-built object to undo. Not a
 * pool: see arena.c. */
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/mem.h"

void *mem_alloc(size_t n)
{
	void *p = calloc(1, n ? n : 1);

	if (!p)
		log_fatal("out of memory for %zu bytes", n);
	return p;
}

void *mem_resize(void *p, size_t n)
{
	void *q = realloc(p, n ? n : 1);

	if (!q)
		log_fatal("out of memory for %zu bytes", n);
	return q;
}

char *mem_strdup(const char *s)
{
	return s ? mem_strndup(s, strlen(s)) : NULL;
}

char *mem_strndup(const char *s, size_t n)
{
	char *p;

	if (!s)
		return NULL;
	n = strnlen(s, n);
	p = mem_alloc(n + 1);
	memcpy(p, s, n);
	return p;
}
