/* Questions in plain words that callers asked, and what is learned from them: a question that led to a successful call
 * of a row. Only the owner and tokens teach, each with its own questions. Kept in ledger.db, bounded, deletable. */
#ifndef CALL_QUESTION_H
#define CALL_QUESTION_H
#include "call/caller.h"
#include "store/write.h"

enum {
	QUESTION_ID = 32,               /* "ask_" and 26 characters, with NUL */
	QUESTION_BYTES = 1024,          /* of its words that are kept */
	QUESTION_WAITING_MAX = 10000,   /* questions that a call may still be tied to; the oldest go */
	QUESTION_WAITING_MS = 24 * 60 * 60 * 1000,      /* and how long each may be */
	QUESTION_ROW_CREDENTIAL_MAX = 8,        /* questions that one token may teach about one row */
	QUESTION_SHARE = 10,            /* one token teaches at most this part of all that is kept */
	QUESTION_LIST_MAX = 1000,       /* learned questions of one answer */
};

/* Whether the caller's questions are kept at all: its credential is good and the setting `ask_learned` is not 0. */
bool question_kept(const struct caller *c);
/* Adds the question to a write on the ledger, under a new id. What is kept are its words, known secrets removed, in
 * lower case. */
void question_add(struct write *w, struct arena *a, const struct caller *c, struct str text, char id[QUESTION_ID]);
/* Adds to the receipt's write what a successful call of the row teaches. Nothing when `id` is no question of this
 * caller, or too old, when the row has it already, or when the caller has taught its share; tokens made from one share
 * that one's. */
void question_teach(struct write *w, struct arena *a, const struct caller *c, struct str id, const struct entry *e);
/* Learned questions, newest first: {count, questions: [{key, words, actor, time}]}, the arena's; key p NULL: of all
 * rows. NULL with why 503. */
struct json_object *question_list(struct directory *d, struct arena *a, struct str key, int64_t limit,
	struct problem *why);
/* Forgets what was learned about the row, or (key p NULL) everything, waiting questions too, with an event. *forgot: how
 * many. */
int question_forget(struct directory *d, struct arena *a, struct str key, const char *actor, const char *trace,
	int64_t *forgot, struct problem *why);

#endif
