/* Allocation: zeroed, never NULL. */
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "tap.h"

int main(void)
{
	char *p = mem_alloc(100), *q;
	bool zero = true;

	for (int i = 0; i < 100; i++)
		zero = zero && !p[i];
	tap_ok(zero, "new memory is zeroed");
	memcpy(p, "abc", 4);
	p = mem_resize(p, 1000);
	tap_is_str(p, "abc", "resizing keeps the bytes");
	free(p);
	p = mem_alloc(0);
	tap_ok(p != NULL, "no bytes are a pointer that can be freed");
	p = mem_resize(p, 0);
	tap_ok(p != NULL, "resizing to no bytes too");
	free(p);
	tap_ok(!mem_strdup(NULL), "a copy of NULL is NULL");
	tap_ok(!mem_strndup(NULL, 3), "a part of NULL is NULL");
	p = mem_strdup("hello");
	q = mem_strndup("hello", 2);
	tap_is_str(p, "hello", "a string is copied");
	tap_is_str(q, "he", "a part of a string is copied and ended");
	free(q);
	q = mem_strndup("he", 100);
	tap_is_str(q, "he", "a part ends where the string ends");
	free(p);
	free(q);
	return tap_done();
}
