/* URI references (RFC 3986): taking apart and resolving. URIs are compared as text after resolving; nothing is fetched.
 */
#ifndef SCHEMA_URI_H
#define SCHEMA_URI_H
#include "base/buf.h"

/* What is before the first "#" and, in *fragment, what is behind it (p NULL when there is no "#"). */
struct str uri_without_fragment(struct str uri, struct str *fragment);
/* Appends ref as seen from base (section 5.2.2), without the fragment. base may be empty; then a relative ref stays
 * relative. */
void uri_resolve(struct buf *out, struct str base, struct str ref);

#endif
