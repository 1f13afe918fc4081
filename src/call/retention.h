/* Retention: receipts that are old enough are removed, the oldest first, a whole seal (store/seal.h) at a time. Each is
 * one write: the mark in `pruned`, the receipts with their payloads, and a ledger event RECEIPTS_PRUNE with the detail
 * {"seal":SEQ,"first":F,"last":L,"count":C,"sha256":HEX,"before":TIME}, which repeats what event SEQ has sealed. So the
 * chain goes on to say what there was, and a prune that is cut off leaves nothing half done. */
#ifndef CALL_RETENTION_H
#define CALL_RETENTION_H
#include "base/clock.h"
#include "directory/directory.h"

enum { RETENTION_SEALS = 8 };           /* of one request, each at most SEAL_MAX receipts */

struct retention {
	/* in */
	struct str before;              /* UTC, ISO 8601: receipts from then on stay */
	int64_t keep;                   /* so many of the newest stay, whatever their age; at least 1 */
	int64_t after;                  /* with dry_run: number of the seal's event to go on behind; 0: from the first */
	bool dry_run;                   /* only counts */
	const char *actor, *trace;
	/* out */
	char limit[CLOCK_ISO];          /* the earlier of `before` and what may still be referred to */
	int64_t receipts, through;      /* how many went, and the number of the last of them; 0: none */
	int64_t seal;                   /* `after` of the next request */
	bool more;                      /* RETENTION_SEALS were done */
};

/* Never removes receipts that no seal covers, that are younger than idempotency_keep, than a call that is held or its
 * trace, those that a call under way belongs to, and the last one. -1 with why: 422 `bad_field`, 409 `prune_refused` when
 * somebody else prunes, 503. */
int retention_prune(struct directory *d, struct arena *a, struct retention *r, struct problem *why);
/* Whether a receipt with that id, if there ever was one, is older than what is kept; kept: since when. -1 with why 503. */
int retention_is_older(struct directory *d, struct str id, char kept[CLOCK_ISO], struct problem *why);

#endif
