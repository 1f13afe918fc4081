/* One escaper per output context; each is a row of a table, so the context is named where text is written. */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H
#include <stdint.h>
#include "base/buf.h"

enum escape {
	ESCAPE_RAW,             /* as it is */
	ESCAPE_JSON,            /* inside the quotes of a JSON string (RFC 8259); invalid UTF-8 becomes U+FFFD */
	ESCAPE_PATH,            /* one URL path segment: all but unreserved characters (RFC 3986), "/" too */
	ESCAPE_PATH_SLASH,      /* the same, "/" kept */
	ESCAPE_QUERY,           /* a URL query value: all but unreserved */
	ESCAPE_FORM,            /* application/x-www-form-urlencoded: space is "+" */
	ESCAPE_HEADER,          /* an HTTP field value: CR, LF, NUL and other controls but TAB are dropped */
	ESCAPE_HTML,            /* text and quoted attribute values; NUL and invalid UTF-8 become U+FFFD */
	/* for a terminal or a log line: C0, DEL, C1, bidi controls and line breaks shown as \xNN or \u{N} */
	ESCAPE_TERMINAL,
	/* text of one line of Markdown: it begins no link, image, autolink or HTML tag (CommonMark 0.31, 6.3 to 6.6) */
	ESCAPE_MARKDOWN,
	ESCAPE_N
};

void escape_add(struct buf *out, enum escape how, struct str s);
const char *escape_name(enum escape how);       /* "json", "path" …, for messages and tests */
/* Percent-decoding, strict: a "%" without two hex digits is -1 and out holds what was decoded before. plus: "+" is a
 * space (query strings). */
int escape_unpercent(struct buf *out, struct str s, bool plus);
/* Appends s with every malformed UTF-8 sequence (RFC 3629) replaced by U+FFFD, one for each maximal part as Unicode
 * recommends; returns how many were replaced. */
size_t escape_utf8(struct buf *out, struct str s);
bool escape_is_utf8(struct str s);
/* The character at the start of the n > 0 bytes at p: its length 1 to 4 and *cp, or minus the length of the malformed
 * part and *cp U+FFFD. */
int escape_utf8_next(const char *p, size_t n, uint32_t *cp);
/* Greatest length <= max at which s may be cut without splitting a character. */
size_t escape_cut(struct str s, size_t max);
/* Appends the character cp, at most 0x10FFFF, in UTF-8. */
void escape_utf8_put(struct buf *out, uint32_t cp);

#endif
