/* Every change of the directory: validated, with its event, contract and identity in one write. Used by the REST
 * interface, the dir_* functions and rowcall(1) alike. */
#ifndef DIRECTORY_MUTATE_H
#define DIRECTORY_MUTATE_H
#include "base/clock.h"
#include "base/secret.h"
#include "directory/directory.h"
#include "store/write.h"

/* Tries of a change whose row somebody else changed in between, each from the row as it is then. */
enum { MUTATE_TRIES = 256 };
enum { MUTATE_BATCH_MAX = 500 };        /* changes that are made together */

struct mutate {
	struct directory *directory;
	const struct secrets *secrets;  /* may be NULL: then no row is searched for their values */
	struct arena *arena;
	const char *actor, *trace;
	/* The header, p NULL when absent: 412 `row_changed`; "*" any existing row; lists are understood, W/ is taken
	 * off (nginx puts it there). */
	struct str if_match;
	/* put: the row comes from elsewhere and may break rules: of them only those of key and type are asked, and a
	 * known secret is refused. The event's operation is `import`. */
	bool as_is;
};
struct mutate_result {
	char updated_at[CLOCK_ISO];
	bool created;                   /* the row was not there before */
	int64_t deleted;
	int64_t event;                  /* its sequence; 0: nothing was to do */
	char etag[ROW_ETAG];
	char digest[CRYPTO_HEX];
	struct json_object *fields;     /* PATCH: names that were set, in the columns' order (array, the arena's) */
};

enum mutate_kind { MUTATE_CREATE, MUTATE_PUT, MUTATE_PATCH, MUTATE_DELETE, MUTATE_KINDS };
/* One of several changes that are made together. */
struct mutate_step {
	enum mutate_kind kind;
	struct str key;                 /* of create p NULL: the row names it */
	struct json_object *row;        /* of delete NULL */
	struct str if_match;            /* in place of that of struct mutate */
};

/* All: 0 durable and visible to every later request; -1 with why, nothing stored, extra has "state_changed":false (null
 * when a 503 leaves it unknown). A concurrent change of the row is retried; with if_match that ends in 412
 * `row_changed` as soon as the row is another one. Only on a fiber. Besides what row_from_json, validate_row and
 * write_submit say:
 *
 * create   400 `key and type required`; 409 `key_exists`; 422 `registry_hygiene_refused: …`
 * put      the same but for 409; a `key` in the row is that of the path, else 422 `bad_key`; absent sensitive and
 *          runner keep what is stored
 * patch    404 `not_found`; of the columns given only those whose value is another one are validated; hygiene is asked
 *          only of a row that complied before
 * delete   a row that is not there: deleted 0 and no event
 * restore  see below */
int mutate_create(const struct mutate *m, struct json_object *row, struct mutate_result *out, struct problem *why);
int mutate_put(const struct mutate *m, struct str key, struct json_object *row, struct mutate_result *out,
	struct problem *why);
int mutate_patch(const struct mutate *m, struct str key, struct json_object *fields, struct mutate_result *out,
	struct problem *why);
int mutate_delete(const struct mutate *m, struct str key, struct mutate_result *out, struct problem *why);
/* To the image after event `event`, or to the row image stored with contract `digest` (one of them: event 0 means by
 * digest). 404 `event_not_found` / `contract_not_found` (also when it is another row's), 422 `nothing_to_restore` for
 * the event of a deletion. The row may break rules that are younger than it; a known secret is refused all the same.
 * Times are those of now; a row that was deleted is a new one, with a new identity. */
int mutate_restore(const struct mutate *m, struct str key, int64_t event, struct str digest, struct mutate_result *out,
	struct problem *why);

/* All of them or none, in one write: 1 to MUTATE_BATCH_MAX changes of different rows (else 422 `bad_field`), out has room for
 * each; their event and fields are not told. A row may include one that the same batch makes or changes. -1: *bad is the
 * first that was refused, n when it was none in particular; 413 `write_too_large` when all together exceed WIRE_FRAME_MAX
 * bytes. */
int mutate_batch(const struct mutate *m, const struct mutate_step *step, size_t n, struct mutate_result *out, size_t *bad,
	struct problem *why);

#endif
