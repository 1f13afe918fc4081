/* What a dry run may show of a request that was built: texts without anything that is a secret or is named like one. */
#ifndef CALL_SHAPE_H
#define CALL_SHAPE_H
#include "base/json.h"
#include "base/secret.h"

/* text without known secret values and with every `*_API_KEY`-shaped word (and what is assigned to it) replaced by
 * "[redacted]". The arena's. */
struct str shape_text(struct arena *a, const struct secrets *s, struct str text);
/* The same for every string in o, names of members too. A new object, the caller's. o is not deeper than
 * JSON_DEPTH_MAX. */
struct json_object *shape_json(struct arena *a, const struct secrets *s, struct json_object *o);

#endif
