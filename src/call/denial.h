/* Receipts of denials: of callers with a credential only, and at most one a second for each credential and reason over
 * all workers, with a count of those left out, so that nobody fills the disk by being refused. */
#ifndef CALL_DENIAL_H
#define CALL_DENIAL_H
#include "call/dispatch.h"

/* Records that r was refused on row e for `reason`; a denial without a credential only raises the shared counter.
 * May suspend. A receipt that cannot be written is logged: the denial stands either way. */
void denial_record(const struct dispatch_request *r, const struct entry *e, const char *reason);

#endif
