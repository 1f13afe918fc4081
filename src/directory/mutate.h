/* Every change of the directory: validated, with its event, contract and identity in one write. Used by the REST interface, the dir_* functions and rowcall(1) alike. */
#ifndef DIRECTORY_MUTATE_H
#define DIRECTORY_MUTATE_H
#include "base/clock.h"
#include "base/secret.h"
#include "directory/directory.h"
#include "store/write.h"

struct mutate {
	struct directory *directory;
	const struct secrets *secrets;
	struct arena *arena;
	const char *actor, *trace;
	struct str if_match;            /* the header, p NULL when absent: 412 `row_changed`; "*" any existing row; lists are understood */
};
struct mutate_result {
	char updated_at[CLOCK_ISO];
	bool created;                   /* PUT: the row was not there before */
	int64_t deleted;
	int64_t event;                  /* its sequence */
	char etag[ROW_ETAG];
	char digest[CRYPTO_HEX];
	struct json_object *fields;     /* PATCH: names that were set (array, the arena's) */
};

/* All: 0 durable and visible to every later request; -1 with why, nothing stored, extra has "state_changed":false. A concurrent change of the row is retried unless if_match was given. */
int mutate_create(const struct mutate *m, struct json_object *row, struct mutate_result *out, struct problem *why);
int mutate_put(const struct mutate *m, struct str key, struct json_object *row, struct mutate_result *out, struct problem *why);
int mutate_patch(const struct mutate *m, struct str key, struct json_object *fields, struct mutate_result *out, struct problem *why);
int mutate_delete(const struct mutate *m, struct str key, struct mutate_result *out, struct problem *why);
/* To the image after event `event`, or to the row image stored with contract `digest` (one of them: event 0 means by digest). 404 `event_not_found` / `contract_not_found`. */
int mutate_restore(const struct mutate *m, struct str key, int64_t event, struct str digest, struct mutate_result *out, struct problem *why);

#endif
