/* Puts typed arguments where `x-in` says (lang/place.h): into an http row's URL, headers and body. */
#ifndef CALL_PLACEMENT_H
#define CALL_PLACEMENT_H
#include "call/outbound.h"
#include "call/runner.h"

/* Appends the parameters, percent-encoded, behind what the URL has of a query already. */
void placement_query(struct call *c, struct buf *url);
/* Adds headers, and one Cookie. */
void placement_headers(struct call *c, struct outbound_request *q);
/* True when the row's body is a property: out has it and *type its media type; p NULL when the property has no value. */
bool placement_body(struct call *c, struct buf *out, struct str *type);

#endif
