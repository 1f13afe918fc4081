/* The body of an upstream's answer as text: results are UTF-8. */
#ifndef CALL_MEDIA_H
#define CALL_MEDIA_H
#include "base/buf.h"

/* Appends body to out. Text (by its media type; of types that say nothing, by its bytes: UTF-8 without NUL) becomes
 * UTF-8 from the charset that the type declares; what is malformed becomes U+FFFD. Anything else becomes
 * `data:<type>;base64,…`. cut: the body is the beginning of a longer one; a piece of a character, or of three bytes of
 * base64, is left out at its end. */
void media_text(struct buf *out, struct str content_type, struct str body, bool cut);
/* Appends `data:<type>;base64,…`, whatever the bytes are; a type that is none becomes application/octet-stream. */
void media_binary(struct buf *out, struct str type, struct str body);

#endif
