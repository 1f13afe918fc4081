/* The built-in functions of fn rows: one table row {name, least arguments, function} each, in the file of its
 * subject. */
#ifndef CALL_FUNCTIONS_H
#define CALL_FUNCTIONS_H
#include "call/runner.h"

struct function {
	const char *name;
	unsigned min_args;              /* fewer: ERR:fn:<name>:missing_argument:<n> */
	/* Writes the result; errors are results. arg: the positional values of the substituted template, in JSON; n
	 * >= min_args. */
	void (*run)(struct call *c, struct json_object **arg, unsigned n);
	bool writes;                    /* changes state: listed as not safe */
	bool early;                     /* what it changes is there before its receipt: it needs an intent */
	bool verbatim;                  /* the row's content is no template: it is the one argument, as it stands */
	const struct runner *runner;    /* runs the function's rows in place of run: it sends a request, as http rows do */
};

/* Each ends with a name of NULL. */
extern const struct function function_text[], function_rows[], function_kv[], function_mcp[];

const struct function *functions_find(struct str name);        /* NULL: none */
void functions_each(void (*fn)(void *ctx, const struct function *f), void *ctx);

/* For the functions: */
/* Argument i as text: a string's bytes, else its JSON; "" for null and what is not there. */
struct str functions_text(struct call *c, struct json_object **arg, unsigned n, unsigned i);
/* Result `ERR:fn:<name>:<fault>` or, with detail, `ERR:fn:<name>:<fault>:<detail>`. */
void functions_fail(struct call *c, const char *name, const char *fault, struct str detail);
/* The JSON text of o as result; puts o. */
void functions_json(struct call *c, struct json_object *o);

#endif
