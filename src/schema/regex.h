/* Regular expressions of `pattern` and `patternProperties`: ECMA-262 by way of PCRE2, with bounds on what they may
 * cost. */
#ifndef SCHEMA_REGEX_H
#define SCHEMA_REGEX_H
#include <stdint.h>
#include "base/str.h"

enum {
	REGEX_PATTERN_MAX = 4096,               /* bytes of a pattern as written */
	REGEX_NESTING_MAX = 24,                 /* nested parentheses; PCRE2 compiles by recursion */
	REGEX_WORK_MAX = 2000000,               /* work of one match: items tried and characters passed over */
	REGEX_HEAP_KIB = 32 * 1024,             /* memory that one match may use to remember where to go back to */
};

struct regex;
/* What the matches of one validation share. */
struct regex_run;

/* NULL with a reason in error (size bytes) when the pattern is malformed or too large. */
struct regex *regex_new(struct str pattern, char *error, size_t size);
void regex_free(struct regex *r);
size_t regex_bytes(const struct regex *r);      /* memory it takes */

struct regex_run *regex_run_new(void);
void regex_run_free(struct regex_run *run);
/* 1: found somewhere in s. 0: not. -1: given up at a bound, or s is not UTF-8. *work is increased by what it cost. */
int regex_match(const struct regex *r, struct regex_run *run, struct str s, uint64_t *work);

#endif
