/* Applies an `auth` spec to an outgoing request: the only place where a secret's value meets a request. */
#ifndef CALL_AUTH_H
#define CALL_AUTH_H
#include "base/secret.h"
#include "call/outbound.h"
#include "lang/authspec.h"

#define AUTH_TOKEN_NAME "oauth"         /* what an access token is redacted as */

enum {
	AUTH_TOKEN_MAX = 8192,                  /* bytes of an OAuth access token */
	AUTH_TOKEN_LIFE_S = 300,                /* of a token whose server does not say */
	AUTH_TOKEN_LIFE_MAX_S = 24 * 3600,
	/* a token is not used in its last minute, or last half when it lives less than two */
	AUTH_TOKEN_MARGIN_S = 60,
	AUTH_TOKENS_MAX = 256,                  /* cached by a process */
};

/* What was done. */
struct auth_applied {
	struct buf missing;                     /* names of missing or empty variables, ", "-joined, each once */
	struct str token;                       /* the OAuth access token that was put in; p NULL: none */
	char error[OUTBOUND_ERROR_MAX];         /* with -1: result text of an OAuth failure, `ERR:http:oauth:…` */
};

/* Adds headers or query parameters to q (marked credential). A header or parameter of which a variable is missing is
 * left out. With shape no token is fetched and none put in. -1: nothing can be sent, out->error says why. Suspends
 * for oauth, whose tokens are redacted as secrets are. out->missing is BUF_ARENA of q's arena. */
int auth_apply(struct outbound_request *q, const struct authspec *spec, struct secrets *s, bool shape,
	struct auth_applied *out);
/* The upstream answered 401 to `token`: forgets it, unless it was replaced meanwhile. */
void auth_token_refused(struct str token);
/* Forgets all cached tokens. */
void auth_done(void);

#endif
