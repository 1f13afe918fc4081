/* A growing byte string. With an arena its memory is the arena's and buf_free does nothing; without one it is
 * malloc's. */
#ifndef BASE_BUF_H
#define BASE_BUF_H
#include <stdint.h>
#include "base/arena.h"

struct buf {
	char *data;
	size_t len, cap;
	struct arena *arena;
};

#define BUF_ARENA(a) ((struct buf){ .arena = (a) })
#define BUF_MALLOC   ((struct buf){ 0 })

void buf_reserve(struct buf *b, size_t more);
void buf_add(struct buf *b, const void *p, size_t n);
void buf_puts(struct buf *b, const char *s);
void buf_putstr(struct buf *b, struct str s);
void buf_putc(struct buf *b, char c);
void buf_int(struct buf *b, int64_t v);         /* in decimal */
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *buf_text(struct buf *b);            /* NUL-terminated, valid until the next change; never NULL */
struct str buf_str(struct buf *b);              /* the bytes, valid until the next change; NUL-terminated */
void buf_clear(struct buf *b);                  /* len = 0, memory kept */
void buf_free(struct buf *b);

#endif
