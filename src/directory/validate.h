/* What a row must be to be stored: the rules of spec section 4.1, in a table; the hygiene gate. */
#ifndef DIRECTORY_VALIDATE_H
#define DIRECTORY_VALIDATE_H
#include "base/conf.h"
#include "base/secret.h"
#include "directory/row.h"

/* Checks the columns in `changed` (a bit per column; all ones for a whole row) of the row as it would be stored. -1
 * with why (status, error, field, detail, how_to_fix; extra {"state_changed":false} is added by the caller), all 422:
 * `secret_in_row`, `bad_key`, `bad_type`, `bad_target`, `bad_auth`, `bad_schema`, `bad_examples`, `bad_includes`.
 * secrets may be NULL. No text of why holds a known secret. */
int validate_row(struct arena *a, const struct row *r, uint32_t changed, const struct secrets *secrets,
	struct problem *why);
/* Of these only the search for known secret values, in any of the forms that secret_redact knows. */
int validate_secrets(struct arena *a, const struct row *r, uint32_t changed, const struct secrets *secrets,
	struct problem *why);
/* Of the rules only those that no row may break: `bad_key`, `bad_type`. */
int validate_name(struct arena *a, const struct row *r, struct problem *why);
/* The hygiene gate: NULL when the row complies, else the code (`missing_description`, …); how_to_fix through why when
 * it is not NULL (422 `registry_hygiene_refused: <code>`). An empty list of examples counts as none. */
const char *validate_hygiene(const struct row *r, struct problem *why);

#endif
