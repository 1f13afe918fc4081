/* Templates of rows (spec section 5): one left-to-right scan over the text, values escaped for the position they land
 * in, what was substituted is not scanned again.
 *
 * A slot is one or two "$" and, tried in this order: digits and "+"; digits; PREV as a whole word; an identifier,
 * [A-Za-z_][A-Za-z0-9_]*, as long as it goes. Of three and more "$" the last two count: `$$$1` is "$" and then `$$1`.
 * Anything else stays as it stands: a lone "$", `${X}`, `$0` and `$0+` (arguments count from 1). Zeros before a
 * number do not count. A number over TEMPLATE_SLOT_MAX is a slot that is always empty.
 *
 *   $N     argument N, missing: empty          $N+  arguments N to the last, joined with "|"
 *   $PREV  args->prev; absent: stays as it stands
 *   $NAME  args->named, then args->lookup; in neither: stays as it stands, with its "$" or "$$". A property that the
 *          schema has and the caller did not give is to stand in args->named as null, which is empty.
 *   $$…    the same value without escaping; what still holds then is said at each function */
#ifndef LANG_TEMPLATE_H
#define LANG_TEMPLATE_H
#include "base/escape.h"
#include "base/json.h"

enum {
	TEMPLATE_SLOT_MAX = 9999,               /* greatest N */
	TEMPLATE_OUT_MAX = 16 * 1024 * 1024,    /* bytes of one expansion: many slots multiply the arguments */
};

/* The arguments of one call. */
struct template_args {
	const struct str *arg;          /* $1 is arg[0] */
	size_t n;
	struct json_object *named;      /* typed arguments by property name, or NULL; null is empty */
	struct str prev;                /* $PREV; p NULL outside a flow: the token stays as it stands */
	/* Other names (flow bindings, then [vars]): the value, p NULL when unknown. May be NULL. */
	struct str (*lookup)(void *ctx, struct str name);
	void *ctx;
};

/* Splits an argument string on every "|", untrimmed; an empty (or absent) string is one empty argument. The array is
 * the arena's, the pieces point into body. */
void template_split(struct arena *a, struct str body, struct str **arg, size_t *n);
/* Arguments joined with "|" again. */
struct str template_join(struct arena *a, const struct str *arg, size_t n);

/* Substitutes into out with one escape for the whole text ($$… skips it, but not ESCAPE_HEADER: CR, LF and NUL of a
 * value never pass there). The expanders return 0, or -1 when the result would be longer than TEMPLATE_OUT_MAX; out
 * then holds its beginning. */
int template_expand(struct buf *out, struct str text, enum escape how, const struct template_args *args);
/* A JSON body. Whether a slot stands inside string quotes is decided by the template's text alone. Inside, values are
 * JSON-escaped ($$… raw); outside, the value is written as it is (a named non-string as JSON). A lone backslash
 * directly before a slot inside a string would make an escape with the value's first byte, so it is doubled and
 * stands for itself. */
int template_expand_json(struct buf *out, struct str text, const struct template_args *args);
/* A URL after its authority; the result begins with "/", which is put before a text that does not. Up to the first
 * "?" of the template's text, the path: ESCAPE_PATH, `$$` ESCAPE_PATH_SLASH. Behind it, the query: ESCAPE_QUERY; `$$`
 * keeps what RFC 3986 section 3.4 allows there (and "%") and percent-encodes the rest, "#" too, so no value opens a
 * fragment. Bytes of the text itself that no URL may hold (controls, space, "\", "#", all above ASCII) are
 * percent-encoded; its own "." and ".." segments are left alone. -1 with why 422 `args_invalid`: NUL in any value; CR
 * or LF in a value of the path, or raw ($$) in the query (an escaped line break in a query is %0A and may stand); a
 * path segment that holds a value, or a part of one, and reads "." or ".." (also percent-encoded, also before ";"); a
 * result longer than TEMPLATE_OUT_MAX. */
int template_expand_url(struct buf *out, struct str text, const struct template_args *args, struct problem *why);
/* The arguments of a flow's call, from the templates of its pieces: a piece is one argument, whatever its values hold;
 * but each argument of $N+ stays one of its own, and a value without escaping ($$…) is split at its "|". -1: too long
 * in all. */
int template_expand_arguments(struct arena *a, const struct str *piece, size_t pieces, const struct template_args *args,
	struct str **arg, size_t *n);
/* Highest N of $N / $N+ in text up to TEMPLATE_SLOT_MAX, 0 when there is none. *rest (may be NULL): true when "$N+"
 * of that N occurs. */
unsigned template_slots(struct str text, bool *rest);
/* Calls fn for each slot found, in order: its name without sigils ("1", "2+", "PREV", "lat"), as written. */
void template_each(struct str text, void (*fn)(void *ctx, struct str name), void *ctx);

#endif
