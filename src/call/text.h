/* Prose whose router tags are calls (lang/tag.h). */
#ifndef CALL_TEXT_H
#define CALL_TEXT_H
#include "call/dispatch.h"
#include "lang/tag.h"

enum { TEXT_TAGS_MAX = 20 };            /* calls of one text */

struct text_run {
	struct tag tag;
	struct dispatch_result result;
	struct problem why;             /* status 0: it ran, or was shaped */
};

/* The tags of rows that r's caller reads, in order. Returns how many there are; the first TEXT_TAGS_MAX are in tag. reply:
 * see tag_find. May suspend. why has a status when the directory cannot be read, 503. */
size_t text_tags(const struct dispatch_request *r, struct str text, struct tag tag[TEXT_TAGS_MAX], struct tag *reply,
	struct problem *why);
/* Runs the tags of rows that the caller reads, one after the other, each as a call of its own in r's trace; r has all
 * but key and input. A call that is refused or fails ends nothing but itself. *out: one entry a tag, the arena's. -1
 * with why, and nothing ran: 422 `too_many_tags:<n>><max>`, 503 `ledger_unavailable`. */
int text_call(const struct dispatch_request *r, struct str text, struct text_run **out, size_t *n, struct problem *why);

#endif
