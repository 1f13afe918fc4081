/* The secrets file: NAME=value lines, mode 0600, read again when it changes. Values live only here; everybody else names them. */
#ifndef BASE_SECRET_H
#define BASE_SECRET_H
#include "base/buf.h"
#include "base/problem.h"

enum {
	SECRET_MIN = 8,                 /* shorter values are refused by name: they could not be redacted without harm */
	SECRET_OWNER_MIN = 24,          /* least length of TERMINAL_KEY */
	SECRET_VALUE_MAX = 8192,
};

struct secrets;

/* NULL with why (unreadable, group- or world-readable, malformed line, value too short or with control characters: named, never shown;
 * TERMINAL_KEY missing or short). */
struct secrets *secret_open(const char *path, struct problem *why);
void secret_close(struct secrets *s);
/* Reads the file again when its identity, size or time changed; keeps the old values and logs once when the new file is bad. One stat(2). */
void secret_refresh(struct secrets *s);
struct str secret_get(const struct secrets *s, struct str name);        /* p NULL when absent or empty. TERMINAL_KEY is never given: see secret_is_owner */
bool secret_is_owner(const struct secrets *s, struct str presented);    /* constant time */
/* Appends text with every known value (TERMINAL_KEY too) replaced by "[redacted:NAME]": raw, JSON-escaped, percent-encoded (either case),
 * form-encoded, base64 and base64url (at each of the three alignments), hex. Returns how many were replaced. */
size_t secret_redact(const struct secrets *s, struct buf *out, struct str text);
/* Name of the first known value that text holds raw, or NULL. */
const char *secret_find(const struct secrets *s, struct str text);

#endif
