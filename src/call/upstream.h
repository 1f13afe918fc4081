/* From a row's columns to a request to somebody else's server: what every row has in common that names one. */
#ifndef CALL_UPSTREAM_H
#define CALL_UPSTREAM_H
#include "call/auth.h"
#include "call/runner.h"
#include "lang/target.h"

struct upstream {
	struct target target;
	struct authspec auth;
	struct outbound_request q;      /* complete but for what auth adds */
};

/* Reads the row's auth. False: it is older than its rules, and c is settled with that. */
bool upstream_read_auth(struct call *c, struct authspec *auth);
/* Fills method, scheme, authority and url of u->q from u->target and the call's arguments. -1 with why 422
 * `args_invalid`; c is settled when the authority is none. */
int upstream_build(struct call *c, struct upstream *u, struct problem *why);
/* Sends q with the credential that auth names, on a fiber. A 401 to an access token may come of its having been withdrawn
 * before its time: once more with a new one. out->error may also be `ERR:http:oauth:…`, with status 0. deadline_us
 * (monotonic) is for all of it. q is as it was afterwards, and can be sent again. */
void upstream_fetch(struct outbound_request *q, const struct authspec *auth, struct secrets *s, int64_t deadline_us,
	struct outbound_response *out);

#endif
