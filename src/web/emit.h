/* JSON written straight into a buffer, for answers that are large or frequent; the others are built as json-c
 * objects. Every function leaves a comma behind its value, which emit_end takes back. */
#ifndef WEB_EMIT_H
#define WEB_EMIT_H
#include "base/buf.h"

/* name NULL: an element of an array, or the text's own value. */
void emit_begin(struct buf *out, const char *name, char bracket);       /* '{' or '[' */
void emit_end(struct buf *out, char bracket);                           /* '}' or ']' */
void emit_str(struct buf *out, const char *name, struct str s);         /* null when s.p is NULL */
void emit_text(struct buf *out, const char *name, const char *s);
/* JSON text as it is; null when json.p is NULL. */
void emit_raw(struct buf *out, const char *name, struct str json);
void emit_int(struct buf *out, const char *name, int64_t v);
void emit_number(struct buf *out, const char *name, double v);
void emit_bool(struct buf *out, const char *name, bool v);
/* Ends the whole text: the last comma becomes a line's end. Returns the text, the buffer's. */
struct str emit_done(struct buf *out);

#endif
