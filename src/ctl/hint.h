/* What somebody at the shell does about a refusal of the interface. */
#ifndef CTL_HINT_H
#define CTL_HINT_H
#include "base/str.h"

/* By the code of the refusal, `row_disabled:KEY` too: what to do, in commands; NULL: the interface's own `how_to_fix` is as good here. */
const char *hint_of(struct str error);

#endif
