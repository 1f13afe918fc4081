/* The `content` of a flow row (spec section 6.4): steps that call other rows, one after another or side by side.
 * Parsing only; what a step's result means is call/runner_flow.c's.
 *
 *   flow    = step *( ">" step )
 *   step    = call / block / "?:" call ">" choice
 *   block   = "{" call *( "|" call ) "}" [ "=>" NAME ]
 *   choice  = call [ "|" call ]
 *   call    = KEY ":" body [ "=>" NAME ]
 *
 * White space around all of these is dropped; inside a body it stays. A body is an argument string: its pieces stand
 * between "|". Inside double quotes (which stay part of the body; a backslash keeps the character behind it from
 * ending them) everything is text. Outside them a backslash makes text of a `>`, `|`, `{`, `}`, `"` or backslash
 * behind it and is dropped; before any other character it stands for itself. Where "|" parts calls, in a block and a
 * choice, a body that needs a "|" between arguments writes `||`; a bare "{" or "}" is refused there, and text
 * elsewhere. */
#ifndef LANG_FLOW_H
#define LANG_FLOW_H
#include "base/arena.h"
#include "base/problem.h"

enum {
	FLOW_CALLS_MAX = 256,           /* calls written in one flow */
	FLOW_SHOWN_MAX = 80,            /* bytes of the text that a message repeats */
};

struct flow_call {
	struct str key;
	const struct str *piece;        /* templates of the arguments, at least one */
	size_t n;
	struct str name;                /* behind "=>"; p NULL: none */
};

enum flow_kind { FLOW_CALL, FLOW_BLOCK, FLOW_TEST, FLOW_CHOICE };

struct flow_step {
	enum flow_kind kind;
	struct flow_call *call;         /* one; in a block one or more; in a choice one or two: then, else */
	size_t n;
	struct str name;                /* of a whole block */
};

struct flow {
	struct flow_step *step;         /* at least one; a FLOW_TEST is never the last, a FLOW_CHOICE follows it */
	size_t n;
	size_t calls;                   /* in all steps */
	struct str bad_step;            /* after a failure: the text of the step without a colon; p NULL: another fault */
};

/* line: the number of text's first line. Texts are the arena's or point into text. -1 with why 422 `bad_flow`, field
 * "content", and line and column (from 1, in characters) of the fault in its detail. */
int flow_parse(struct arena *a, struct str text, unsigned line, struct flow *out, struct problem *why);

#endif
