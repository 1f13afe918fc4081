/* The secrets file: NAME=value lines, mode 0600, read again when it changes. Values live only here; everybody else
 * names them. Blank lines and lines that begin with `#` are skipped; a value may stand in a pair of " or ', which are
 * not part of it; there are no escapes. NAME is [A-Z_][A-Z0-9_]*. `NAME=` alone is a name without a value. */
#ifndef BASE_SECRET_H
#define BASE_SECRET_H
#include "base/buf.h"
#include "base/problem.h"

enum {
	/* shorter values are refused by name: they could not be redacted without harm */
	SECRET_MIN = 8,
	SECRET_OWNER_MIN = 24,          /* least length of TERMINAL_KEY */
	SECRET_VALUE_MAX = 8192,
	SECRET_NAME_MAX = 128,
	SECRET_FILE_MAX = 1024 * 1024,
	/* how long a value that was replaced is still redacted: a call that carries it may be under way */
	SECRET_RETIRED_S = 600,
	SECRET_LEARNED_MAX = 256,
};

struct secrets;

/* NULL with why, 500 `bad_secrets_file` (unreadable, no regular file, not owned by root or us, group- or
 * world-accessible, malformed line, value too short or with control characters: named, never shown; TERMINAL_KEY
 * missing or short). */
struct secrets *secret_open(const char *path, struct problem *why);
void secret_close(struct secrets *s);   /* overwrites the values; NULL is fine */
/* Reads the file again when its identity, size or time changed; keeps the old values and logs once when the new file is
 * bad. One stat(2). Ends the validity of what secret_get and secret_find gave. */
void secret_refresh(struct secrets *s);
/* p NULL when absent or empty. TERMINAL_KEY is never given: see secret_is_owner. Valid until the next secret_refresh,
 * which any other fiber may call: use or copy it before waiting. */
struct str secret_get(const struct secrets *s, struct str name);
bool secret_is_owner(const struct secrets *s, struct str presented);    /* constant time */
/* The owner's key itself: for the administrator's tool, which presents it. Valid as long as secret_get's. */
struct str secret_owner(const struct secrets *s);
/* One more value to redact as `name`, such as an access token that a server has issued: for life_s seconds and then
 * SECRET_RETIRED_S more. secret_get never gives it. Of more than SECRET_LEARNED_MAX the one that ends first goes; one of
 * less than SECRET_MIN bytes is not taken. */
void secret_learn(struct secrets *s, const char *name, struct str value, int64_t life_s);
/* Appends text with every known value (TERMINAL_KEY too) replaced by "[redacted:NAME]": raw, JSON-escaped,
 * HTML-escaped, percent-encoded (either case), form-encoded, base64 and base64url (at each of the three alignments,
 * with the digits that hold only part of it), hex. One that is found only across the ends of base64 or hex lines (MIME,
 * PEM) is replaced too, and such lines are joined then. Matches that overlap are one. Returns how many were replaced. */
size_t secret_redact(const struct secrets *s, struct buf *out, struct str text);
/* The same for a text that is the beginning of a longer one: what may be the first part of a known value, in one of
 * these forms, is left out at its end. */
size_t secret_redact_cut(const struct secrets *s, struct buf *out, struct str text);
/* The same as secret_redact for one value, of at least SECRET_MIN bytes, that no file holds. Costs a search table each
 * time: for the rare text that is suspected to hold it. */
size_t secret_redact_value(struct buf *out, struct str text, const char *name, struct str value);
/* Name of the first known value that text holds raw, or NULL. */
const char *secret_find(const struct secrets *s, struct str text);

#endif
