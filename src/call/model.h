/* Where a model is, and what it costs: the sections [model "PATTERN"] of the configuration. */
#ifndef CALL_MODEL_H
#define CALL_MODEL_H
#include "base/conf.h"

struct model {
	const struct conf_model *section;
	struct str name;                /* what the endpoint calls it; points into the target or the section */
};

/* The section of a row's target. `NAME:MODEL` goes to the section whose pattern is exactly NAME, if there is one, and is
 * MODEL there; anything else to the first section whose pattern (glob(7)) fits it. False: there is none. */
bool model_find(const struct conf *c, struct str target, struct model *out);
/* Millionths of a US dollar, rounded up. Tokens are 0 to CHAT_TOKENS_MAX. */
int64_t model_cost(const struct model *m, int64_t tokens_in, int64_t tokens_out);

#endif
