/* Allocation that cannot fail: out of memory is a broken invariant and ends the process. */
#ifndef BASE_MEM_H
#define BASE_MEM_H
#include <stddef.h>

void *mem_alloc(size_t n);                      /* zeroed; free() it */
void *mem_resize(void *p, size_t n);            /* as realloc */
char *mem_strdup(const char *s);                /* NULL gives NULL */
char *mem_strndup(const char *s, size_t n);

#endif
