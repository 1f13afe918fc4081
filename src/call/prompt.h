/* The system prompt of an agent row (spec section 6.6). */
#ifndef CALL_PROMPT_H
#define CALL_PROMPT_H
#include "call/dispatch.h"

/* What the row's model is told, appended to out: the payload of each block that `includes` names (rows with the target
 * prompt_block, disabled ones too), then the row's own content: of an agent all of it, of another row its payload; with
 * an empty line between. `{{TOOLS}}` of an agent becomes the listing of its tools for `tools` (tools.h); what is put in
 * is not scanned again. reader NULL: all blocks; else those that it reads, enabled or not. May suspend. -1 with why 503
 * when a row cannot be read. */
int prompt_system(struct buf *out, struct arena *a, const struct entry *e, const struct caller *tools,
	const struct caller *reader, struct problem *why);

#endif
