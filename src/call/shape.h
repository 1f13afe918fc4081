/* What a dry run may show of a request that was built: texts without anything that is a secret or is named like one. */
#ifndef CALL_SHAPE_H
#define CALL_SHAPE_H
#include "call/auth.h"

/* text without known secret values and with every `*_API_KEY`-shaped word (and what is assigned to it) replaced by
 * "[redacted]". The arena's. */
struct str shape_text(struct arena *a, const struct secrets *s, struct str text);
/* The same for every string in o, names of members too. A new object, the caller's. o is not deeper than
 * JSON_DEPTH_MAX. */
struct json_object *shape_json(struct arena *a, const struct secrets *s, struct json_object *o);
/* {"method","url","headers","body"} of a request that lacks nothing but its auth; left out are what auth adds and headers
 * that carry credentials; "notes" names variables of auth that are missing. Nothing is sent. */
struct json_object *shape_request(struct outbound_request *q, const struct authspec *auth, struct secrets *s);

#endif
