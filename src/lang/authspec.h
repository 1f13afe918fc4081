/* The `auth` column as text: a form and names of variables (spec section 6.3). Values are applied in call/auth.c;
 * this only reads.
 *
 * White space around the text is dropped; blank and `oauth:` alone are "none". Prefixes are exact. NAME is
 * [A-Za-z_][A-Za-z0-9_]{0,127}.
 *   bearer:NAME   oauth:NAME   basic:NAME
 *   basic:USER:PASS    cut at the first ":" behind the prefix; both without control characters, PASS may hold ":";
 *                      not both empty
 *   headers:{json}     object of strings; names are RFC 9110 tokens, not two that differ by case alone, none that
 *                      frames a message (Host, Content-Length, Transfer-Encoding, …); values without control
 *                      characters but TAB, and without argument slots ($1, $PREV): names alone are replaced; at most
 *                      AUTHSPEC_HEADERS_MAX
 *   query:param=NAME   param: letters, digits and - . _ ~ [ ] : */
#ifndef LANG_AUTHSPEC_H
#define LANG_AUTHSPEC_H
#include "base/json.h"

enum {
	AUTHSPEC_NAME_MAX = 128,
	AUTHSPEC_HEADERS_MAX = 32,
};

enum authspec_form { AUTH_NONE, AUTH_BEARER, AUTH_BASIC, AUTH_HEADERS, AUTH_QUERY, AUTH_OAUTH };

struct authspec {
	enum authspec_form form;
	struct str name;                /* variable: bearer, basic:NAME, query, oauth; p NULL for basic:USER:PASS */
	struct str user, pass;          /* basic:USER:PASS, each a NAME when one of that name exists, else literal */
	struct str param;               /* query */
	struct json_object *headers;    /* headers: object of strings with $NAME; the arena's */
};

/* -1: why is 422 `bad_auth` with field "auth"; for an unknown prefix why->detail is exactly
 * `ERR:auth:unknown_prefix:<prefix>` (up to the first ":", cut to 64 bytes). `oauth:` alone and blank are AUTH_NONE.
 * Texts are the arena's. */
int authspec_parse(struct arena *a, struct str text, struct authspec *out, struct problem *why);
/* Calls fn with every variable name the spec needs (oauth: NAME_TOKEN_URL, NAME_CLIENT_ID, NAME_CLIENT_SECRET).
 * basic:USER:PASS: those of the two that are written as names are, [A-Z_][A-Z0-9_]*, since the others are most likely
 * literal. A name that stands twice comes twice. */
void authspec_names(const struct authspec *s, void (*fn)(void *ctx, struct str name), void *ctx);
/* Why a row cannot set a header of that name (it is no token of RFC 9110, or frames the message); NULL when it can. */
const char *authspec_header_fault(struct str name);
/* Whether a row may choose it as the part of a header's name behind a prefix: a token of RFC 9110, not too long. */
enum { AUTHSPEC_HEADER_PART_MAX = 128 };
bool authspec_header_part(struct str name);
/* True for a header name that carries credentials: authorization, proxy-authorization, cookie, anything with "key",
 * "token" or "secret" in it. */
bool authspec_is_credential_header(struct str name);

#endif
