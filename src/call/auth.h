/* Applies an `auth` spec to an outgoing request: the only place where a secret's value meets a request. */
#ifndef CALL_AUTH_H
#define CALL_AUTH_H
#include "base/secret.h"
#include "call/outbound.h"
#include "lang/authspec.h"

/* Adds headers or query parameters to q (marked credential). Names of missing or empty variables are listed in missing (", "-joined) and nothing is sent for them. -1: why->error is the row's
 * result text, `ERR:http:<KEY>:ERR:auth:unknown_prefix:<prefix>` or an OAuth failure `ERR:http:oauth:…`. oauth fetches (suspends) unless shape. */
int auth_apply(struct outbound_request *q, const struct authspec *spec, const struct secrets *s, bool shape, struct buf *missing, struct problem *why);
/* Forgets the cached token after a 401; true when the request should be built and sent once more. */
bool auth_oauth_refused(const struct authspec *spec);

#endif
