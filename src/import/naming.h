/* Names made from the words of others: keys of rows, names of arguments and of variables. The same words always give
 * the same name. */
#ifndef IMPORT_NAMING_H
#define IMPORT_NAMING_H
#include "base/arena.h"
#include "base/buf.h"

/* Adds the words of text to name, in upper case with "_" before each but the first: letters and digits of ASCII, cut
 * where anything else stands and where a lower case letter is followed by an upper case one. */
void naming_words(struct buf *name, struct str text);
/* name as a key: at most KEY_MAX bytes, cut behind a whole word where there is one, not beginning with a digit. Never
 * empty. A key that is cut ends in four hex digits of the whole name's digest, so that two long names stay two. */
const char *naming_key(struct arena *a, struct str name);
/* [A-Za-z0-9_.-]{1,64}, what vendors' tools take: anything else becomes "_". */
const char *naming_property(struct arena *a, struct str name);
/* Whose service a host is, as the beginning of a variable's name: `api.github.com` gives GITHUB, `localhost:8080`
 * LOCALHOST, an address HOST. */
void naming_host(struct buf *name, struct str host);

#endif
