/* A request's memory: allocated piecemeal, freed at once. Also runs the clean-ups of objects of other libraries. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H
#include "base/str.h"

struct arena;
struct json_object;

struct arena *arena_new(void);
/* One that begins with half a kilobyte and grows as it is used: for many that live long. */
struct arena *arena_new_small(void);
void arena_free(struct arena *a);               /* reset, then gone; NULL is fine */
/* Runs the deferred functions, last first, then frees everything but one block that is kept for reuse. */
void arena_reset(struct arena *a);
void *arena_alloc(struct arena *a, size_t n);   /* zeroed, aligned to 16 */
/* A piece of n bytes that begins with the first `old` bytes of p, which was allocated here with size old (or NULL and
 * 0). In place when p is the newest piece and there is room. Unlike arena_alloc the bytes behind the first `old` are
 * undefined. */
void *arena_grow(struct arena *a, void *p, size_t old, size_t n);
char *arena_strdup(struct arena *a, const char *s);     /* NULL gives NULL */
char *arena_str(struct arena *a, struct str s); /* NUL-terminated copy; NULL when s.p is NULL */
/* the copy is NUL-terminated behind its n bytes; p NULL when s.p is */
struct str arena_copy(struct arena *a, struct str s);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void arena_defer(struct arena *a, void (*fn)(void *), void *arg);
/* json_object_put at reset; returns o. */
struct json_object *arena_json(struct arena *a, struct json_object *o);

#endif
