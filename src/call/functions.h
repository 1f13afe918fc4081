/* The built-in functions of fn rows: one table row {name, least arguments, function} each. */
#ifndef CALL_FUNCTIONS_H
#define CALL_FUNCTIONS_H
#include "call/runner.h"

struct function {
	const char *name;
	unsigned min_args;              /* fewer: ERR:fn:<name>:missing_argument:<n> */
	/* Writes the result; errors are results. arg: the positional values of the substituted template, in JSON. */
	void (*run)(struct call *c, struct json_object **arg, unsigned n);
	bool writes;                    /* changes state (kv_put, dir_*): listed as not safe */
};
const struct function *functions_find(struct str name);        /* NULL: none */
void functions_each(void (*fn)(void *ctx, const struct function *f), void *ctx);

#endif
