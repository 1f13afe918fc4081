/* Capability tokens (spec section 8): credentials with limits, made by the owner or, narrower, by a holder. The secret
 * is shown once; what is kept is its digest. What a token may do in a call is the gate's to decide. */
#ifndef CALL_TOKEN_H
#define CALL_TOKEN_H
#include "base/conf.h"
#include "base/crypto.h"
#include "directory/directory.h"
#include "lang/scope.h"
#include "store/write.h"

enum {
	TOKEN_TEXT = 48,                /* "rct_" and 43 characters of base64url, with NUL */
	TOKEN_NAME = 21,                /* "cap_" and 16 hex digits, with NUL */
	TOKEN_SECRET_BYTES = 32,
	TOKEN_DEPTH_MAX = 5,            /* tokens above one */
	TOKEN_TTL_MIN_S = 60, TOKEN_TTL_MAX_S = 30 * 24 * 3600, TOKEN_TTL_S = 24 * 3600,
	TOKEN_USES_MAX = 1000000000, TOKEN_RATE_MAX = 100000, TOKEN_BODY_MAX = 1 << 30,
	TOKEN_PURPOSE_MAX = 256,        /* bytes of purpose and actor, of audience */
	TOKEN_SCOPE_MAX = 16384,        /* bytes of scope, of body_fixed */
};

enum token_gate { GATE_NO, GATE_OWNER, GATE_HOLD };

struct token {
	char name[TOKEN_NAME], digest[CRYPTO_HEX], parent[TOKEN_NAME];  /* parent "": the owner made it */
	int64_t depth, expires_ms, uses, rate, max_body_bytes, identity;        /* 0: no limit; identity 0: not bound */
	struct str scope_text, created_at, created_by, expires_at;
	struct str purpose, actor, audience, body_fixed, contract;      /* p NULL: none */
	struct str revoked_at, revoked_by;                      /* p NULL: not revoked */
	struct scope *scope;
	bool high;                      /* may call rows of high risk */
	enum token_gate gate;
	struct token *above;            /* the token that it was made from, NULL: none */
};

/* True for what looks like a token, known or not. */
bool token_is_text(struct str s);
/* Appends s to out with the token's text, plain or in any of the forms that secret_redact knows, replaced by
 * "[redacted:token]". Returns how many were replaced; 0 leaves out alone. */
size_t token_redact(struct buf *out, struct str s, struct str text);
/* The token whose text this is, with those above it; memory is the arena's. 1 found, 0 there is none, -1 with why 503. */
int token_find(struct directory *d, struct arena *a, struct str text, struct token **out, struct problem *why);
/* The same by its fingerprint. */
int token_get(struct directory *d, struct arena *a, struct str name, struct token **out, struct problem *why);
/* 401 `revoked`, `expired`, `ancestor_revoked`, `ancestor_expired`: of the state that t was read in. */
int token_check_alive(const struct token *t, struct problem *why);

/* What asks for a new token: the fields of POST /api/tokens as they came; an object. */
struct token_order {
	struct directory *directory;
	struct arena *arena;
	struct json_object *fields;
	const struct token *above;      /* the holder's own token; NULL: the owner mints */
	const char *actor, *trace;
};
/* Fields that may stand in an order, separated by blanks. */
#define TOKEN_FIELDS "scope ttl uses rate max_body_bytes risk_ceiling owner_gate purpose actor audience body_fixed contract pin"
/* Makes a token and its event in one write. text is the secret: whoever is answered forgets it. -1: 422 `bad_field` and
 * `bad_scope`, 404 `unknown_key`, 403 `scope_widen_denied` (the dimension in field), 422 `attenuation_depth:5`, 409
 * `contract_changed:…`, 503. */
int token_mint(const struct token_order *o, struct token **out, char text[TOKEN_TEXT], struct problem *why);
/* -1: 404 `token_not_found`, 503. Revoking again changes nothing: *changed tells. */
int token_revoke(struct directory *d, struct arena *a, struct str name, const char *actor, const char *trace,
	bool *changed, struct problem *why);
/* Its record for the owner and the holder; uses from the ledger. A new object. */
struct json_object *token_json(struct directory *d, const struct token *t);
/* Up to limit records behind the fingerprint `after` ("" at the beginning), as token_json. A new array; next is the
 * last one's fingerprint, "" when that was all. NULL with why 503. */
struct json_object *token_list(struct directory *d, struct arena *a, struct str after, int64_t limit,
	char next[TOKEN_NAME], struct problem *why);

/* Calls left to t, as those above it have them too; -1: no limit, 0 also when that cannot be read. */
int64_t token_uses_left(struct directory *d, const struct token *t);
/* Adds to w, a write of the ledger, what one call uses up of t and all above it; how many statements that are. They
 * refuse with `rate_exceeded` and `token_exhausted`. */
unsigned token_take(struct write *w, const struct token *t);
/* Adds what gives the uses back, as long as that invocation's intent is there; the rate stays. */
void token_give_back(struct write *w, const struct token *t, const char *invocation);

#endif
