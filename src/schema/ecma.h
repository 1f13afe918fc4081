/* ECMA-262 regular expressions (with the u flag, without lookbehind of variable length) written as PCRE2 patterns. */
#ifndef SCHEMA_ECMA_H
#define SCHEMA_ECMA_H
#include "base/buf.h"

/* Appends the translation of the pattern (UTF-8). NULL, or a static text that says what ECMA-262 does not have or PCRE2
 * cannot do. */
const char *ecma_translate(struct buf *out, struct str pattern);

#endif
