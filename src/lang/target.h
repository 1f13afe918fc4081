/* The `target` of an http row: `METHOD url`, or `target_map:{…}` (spec section 6.3). Parsing only; nothing is fetched
 * here.
 *
 * `METHOD url`: one of the methods below in any case, one or more spaces, the URL; white space around it all is
 * dropped. The URL is scheme "://" authority rest, strictly (any other reading of these characters, as browsers or
 * curl have, is refused rather than followed):
 *   scheme     http or https, any case
 *   authority  host [":" port]; no user information
 *   host       letters, digits, "-", "_", ".", and $NAME; labels of 1 to 63 bytes, 253 in all, a dot at the end
 *              allowed; or an IPv6 address in brackets without zone id. Whether the address may be connected to is
 *              base/net.h's to say.
 *   port       1 to 65535 without leading zeros, or one $NAME
 *   $NAME      a [vars] name: upper case, digits and "_", not PREV, one "$"
 *   rest       empty or from "/" or "?". In the whole URL no control characters, white space, backslash or "#" and no
 *              invalid UTF-8; "@" not between a "?" directly behind the authority and the next "/", where parsers
 *              disagree. */
#ifndef LANG_TARGET_H
#define LANG_TARGET_H
#include "base/json.h"

enum {
	TARGET_HOST_MAX = 253,          /* RFC 1035 section 2.3.4 less the length octets */
	TARGET_LABEL_MAX = 63,
	TARGET_OP_MAX = 64,             /* bytes of the name of an operation */
};

struct target {
	struct str method;              /* upper case: GET HEAD POST PUT PATCH DELETE OPTIONS */
	struct str url;                 /* the template */
	struct str scheme;              /* "http" or "https" */
	struct str authority;           /* host[:port], may hold $NAME of [vars] */
	struct str rest;                /* path, query: from the first "/", "?" behind the authority; may be empty */
	struct str body;                /* body template from a target_map; p NULL: the row's own payload */
	struct str result;              /* set by target_map_pick when it fails with status 200: why->error uncut */
};

/* One `METHOD url`. -1 with why 422 `bad_target`, field "target" (unknown method, other scheme, user info, an
 * argument slot ($N, $PREV, or $name that is no [vars]-style NAME) in the authority, backslash, white space or
 * control characters, fragment, empty or malformed host). Texts are the arena's. */
int target_parse(struct arena *a, struct str text, struct target *out, struct problem *why);
/* The same check of an authority whose names are substituted: a "$" is refused. */
bool target_authority_is_valid(struct str authority);
/* True when text begins, behind white space, with `target_map:`. */
bool target_is_map(struct str text);
/* Checks every entry of a target_map: an object of at least one operation, values `METHOD url` or {method,url,body};
 * method and url are needed; body a string, or an object or array (its JSON text is the template). Names of
 * operations: 1 to TARGET_OP_MAX bytes, no "|", ",", control characters. -1: 422 `bad_target`. */
int target_map_check(struct arena *a, struct str text, struct problem *why);
/* Picks operation `op`. -1: why->error is the row's result: `ERR:target_map:missing_op:available=a,b` or
 * `ERR:target_map:unknown_op:<op>:available=a,b` (status 200; names in the order of the map, <op> cut to
 * TARGET_OP_MAX bytes), or 422 `bad_target` when the map itself or that operation is malformed. */
int target_map_pick(struct arena *a, struct str text, struct str op, struct target *out, struct problem *why);

#endif
