/* Recomputes the event chain from the file, independently of the code that writes it. */
#ifndef DIRECTORY_VERIFY_H
#define DIRECTORY_VERIFY_H
#include "base/conf.h"
#include "base/crypto.h"

struct verify_result {
	bool ok;
	int64_t count;                  /* events looked at; all of them */
	char head[CRYPTO_HEX];          /* hash of the last event as stored; 64 zeros when there is none */
	int64_t first_bad;              /* sequence of the first event that does not fit, or that is missing; 0: none */
};

/* An event fits when its sequence follows the one before without a gap, `prev` is the hash stored before it, and `hash`
 * is the SHA-256 of prev and the canonical JSON of its other columns. -1 with why 503 when the file cannot be read.
 * Reads a thousand at a time, so it holds up no checkpoint. */
int verify_events(const char *path, struct verify_result *out, struct problem *why);
/* Child mode of rowcalld: prints {"ok","count","head","first_bad"} on standard output; exit code 0 when the check ran,
 * whatever it found. */
int verify_events_main(const struct conf *conf);

#endif
