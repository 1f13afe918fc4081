/* What a credential may do, told to whoever presents it. */
#ifndef CALL_EXPLAIN_H
#define CALL_EXPLAIN_H
#include "call/caller.h"

enum { EXPLAIN_KEYS_MAX = 100 };        /* callable keys that are named; `count` counts all */

/* `credential`, `actor`, `scope`, `readable` and `callable` (with count; callable also keys), `may`, `limits`,
 * `uses_left`, `expires_at`; null where there is no limit. A new object, the caller's. Rows are those of the
 * directory as it was refreshed last. */
struct json_object *explain_caller(const struct caller *c);

#endif
