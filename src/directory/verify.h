/* Recomputes a chain of events from its file, independently of the code that writes it. */
#ifndef DIRECTORY_VERIFY_H
#define DIRECTORY_VERIFY_H
#include "base/conf.h"
#include "base/crypto.h"
#include "store/db.h"

enum { VERIFY_WHAT = 160 };

/* A hash that somebody has kept: of event number seq; seq 0: none. */
struct verify_head { int64_t seq; char hash[CRYPTO_HEX]; };

struct verify_result {
	bool ok;
	int64_t count;                  /* events looked at; all of them */
	char head[CRYPTO_HEX];          /* hash of the last event as stored; 64 zeros when there is none */
	int64_t first_bad;              /* sequence of the first event that does not fit, or that is missing; 0: none */
	char first_id[40];              /* its id, "" when it is missing */
	char what[VERIFY_WHAT];         /* what is wrong with it */
	int64_t bad;                    /* events that do not fit, each against the stored hash before it */
};

/* The log of the file that db is (events, or ledger_events); -1 when it cannot be read (logged). With a kept head the event
 * of that number must be there and have that hash: so a tail that was cut, which leaves a chain that fits, is found. */
int verify_chain(struct db *db, enum sql_file file, const struct verify_head *kept, struct verify_result *out);
/* An event fits when its sequence follows the one before without a gap, `prev` is the hash stored before it, and `hash`
 * is the SHA-256 of prev and the canonical JSON of its other columns. -1 with why 503 when the file cannot be read.
 * Reads a thousand at a time, so it holds up no checkpoint. */
int verify_events(const char *path, struct verify_result *out, struct problem *why);
/* Child mode of rowcalld: prints {"ok","count","head","first_bad"} on standard output; exit code 0 when the check ran,
 * whatever it found. */
int verify_events_main(const struct conf *conf);

#endif
