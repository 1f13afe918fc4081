/* The check of the seals over receipts (store/seal.h says what they are), by somebody who did not make them. */
#ifndef CTL_AUDIT_SEAL_H
#define CTL_AUDIT_SEAL_H
#include "base/arena.h"
#include "store/db.h"

enum { AUDIT_SEAL_RANGE = 96 };

struct audit_seals {
	struct db *ledger;
	int64_t sealed;                 /* last receipt of the seals seen so far */
	int64_t gone;                   /* last receipt of the prunes seen so far */
	int64_t mark;                   /* last receipt that was pruned, when it was read last */
};

/* The record of SQL_SEAL_EVENTS that s stands at. NULL when it fits, else what does not, and in range which receipts.
 * What was pruned meanwhile fits too. */
const char *audit_seal(struct audit_seals *a, struct arena *arena, struct db_stmt *s, char range[AUDIT_SEAL_RANGE]);
/* Whether the ledger says that the receipts up to n were pruned. */
bool audit_seal_pruned(struct audit_seals *a, int64_t n);
/* How many receipts are behind the last seal; -1 when they cannot be read. */
int audit_seal_behind(struct audit_seals *a, int64_t *n);

#endif
