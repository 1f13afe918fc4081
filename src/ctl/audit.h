/* The check of directory.db and ledger.db by somebody who did not write them: chains, digests, references, pages. It reads
 * only, by statements of its own, and shares the JSON and digest code of base with the writer and nothing else. */
#ifndef CTL_AUDIT_H
#define CTL_AUDIT_H
#include "directory/verify.h"

enum { AUDIT_CHECKS = 12 };

/* A record that does not verify. */
struct audit_finding {
	const char *file;               /* directory.db or ledger.db */
	const char *check;              /* as in audit_check */
	struct str id;                  /* of the record: number, key, digest or id */
	const char *what;               /* what differs; no secret, no payload */
};

struct audit_check { const char *file, *name; int64_t count, bad; };

struct audit {
	/* in */
	const char *folder;             /* where both files are: of a service, or a backup */
	struct verify_head kept[SQL_FILES];     /* of events and ledger events; seq 0: none */
	void (*found)(void *ctx, const struct audit_finding *f);        /* for each record that does not verify */
	void (*step)(void *ctx, const char *check);     /* before each check; NULL is fine */
	void *ctx;
	/* out */
	struct audit_check check[AUDIT_CHECKS];
	unsigned checks;
	struct verify_head head[SQL_FILES];     /* as the files have them: to be kept elsewhere */
	int64_t receipts;               /* and how many receipts there are */
	int64_t unsealed;               /* receipts that no seal covers yet */
	int64_t open_intents;           /* calls without an outcome: under way, or cut off */
	int64_t bad;                    /* of all checks */
};

/* Runs every check; on a live service too: each reads a thousand records at a time and what is only added. 0 when all ran,
 * whatever they found; -1 when a file cannot be read (why). */
int audit_run(struct audit *a, struct problem *why);

#endif
