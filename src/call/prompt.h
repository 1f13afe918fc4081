/* What an agent row's model is told (spec section 6.6). */
#ifndef CALL_PROMPT_H
#define CALL_PROMPT_H
#include "call/runner.h"

/* What the row's model is told, appended to out: the payload of each block that `includes` names (rows with the target
 * prompt_block, disabled ones too), then the row's own content: of an agent all of it, of another row its payload; with
 * an empty line between. `{{TOOLS}}` of an agent becomes the listing of its tools for `tools` (tools.h); what is put in
 * is not scanned again. reader NULL: all blocks; else those that it reads, enabled or not. May suspend. -1 with why 503
 * when a row cannot be read. */
int prompt_system(struct buf *out, struct arena *a, const struct entry *e, const struct caller *tools,
	const struct caller *reader, struct problem *why);

/* What a call begins with: prompt_system, and the arguments as the model is asked them. */
struct prompt { struct str system, user; };
int prompt_begin(struct call *c, const struct caller *tools, const struct caller *reader, struct prompt *out,
	struct problem *why);
/* The same for who wants to read it and asks a model of its own: nothing is run, and there is no receipt. r: arena, caller
 * and `named`, whose values are texts, typed as the pieces of a string are. As a call it passes the gate, and the arguments
 * have to fit: -1 with why as dispatch_call. */
int prompt_preview(const struct dispatch_request *r, struct entry *e, struct prompt *out, struct problem *why);

#endif
