/* Seals: digests over receipts in the chain of the ledger's events, so that a receipt that was altered, added or removed
 * does not fit any more. Each is an event RECEIPTS_SEAL whose detail is
 *
 *     {"first":F,"last":L,"count":C,"columns":25,"sha256":"HEX"}
 *
 * and covers all receipts with F <= n <= L, which are C. The first seal begins with 1 and each other one behind the last
 * of the one before. A receipt is never changed once it is there (a call under way has an intent, which is none), so
 * every one can be sealed.
 *
 * HEX is the SHA-256 over the receipts in the order of n. A receipt is its columns in the order of the table, the first
 * `columns` of them, and a line feed. A column is the first letter of SQLite's typeof() (i, r, t, b, n), the length of
 * its text in bytes as a decimal number, a colon and the text: `t3:NOW`, `i2:17`, and `n0:` for NULL. */
#ifndef STORE_SEAL_H
#define STORE_SEAL_H
#include "base/crypto.h"
#include "store/db.h"

enum {
	SEAL_MAX = 1024,                /* receipts of one seal */
	SEAL_COLUMNS = 25,
	SEAL_STEP = 128,                /* receipts of one step, so that no write waits long for it */
	SEAL_PAUSE_MS = 2,              /* between two steps when there are more */
	SEAL_LOOK_MS = 1000,            /* between two looks for more */
	SEAL_STOP_MS = 500,             /* for what is left at a stop; the rest is sealed after the next start */
};

struct seal {
	struct crypto_digest *sum;
	bool known;                     /* what follows was read from the chain */
	int64_t last;                   /* n of the last receipt in a seal */
	int64_t n, count;               /* of the last receipt in sum, and how many are in it */
	int64_t since;                  /* clock_mono_us when the first came in */
};

/* For the writer, outside a transaction: a few receipts more, and a seal when there are SEAL_MAX, or no more and the
 * first has waited so long. Returns the milliseconds until the next step is due, 0 when all is sealed, or -1 when a
 * transaction failed and is to be rolled back. */
int64_t seal_step(struct seal *s, struct db *ledger, int64_t interval_ms);
/* At a stop: all, as far as SEAL_STOP_MS lets. */
void seal_rest(struct seal *s, struct db *ledger);
void seal_free(struct seal *s);

#endif
