/* gzip (RFC 1952), a piece at a time, so that a large text holds nobody up. The only user of zlib. The same text gives
 * the same bytes, however it is cut into pieces. */
#ifndef BASE_GZIP_H
#define BASE_GZIP_H
#include "base/buf.h"

enum { GZIP_PIECE = 64 * 1024 };        /* bytes of text that gzip_next gives at most */

struct gzip;

struct gzip *gzip_pack(struct buf *out);        /* packs into out, which stays the caller's and must stay alive */
void gzip_add(struct gzip *g, struct str piece);
void gzip_end(struct gzip *g);                  /* after the last piece: all of it is in out */

struct gzip *gzip_unpack(struct str packed);    /* whole, as gzip_end left it; it must stay alive */
/* The next piece of the text, valid until the next call; n 0 at the end. What was not packed here is fatal. */
struct str gzip_next(struct gzip *g);

void gzip_free(struct gzip *g);                 /* at any time; NULL is fine */

#endif
