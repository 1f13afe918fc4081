/* JSON numbers as exact decimals, so that 1, 1.0 and 10e-1 are one number, 0.0075 is a multiple of 0.0001, and 2^64 + 1
 * is not 2^64. */
#ifndef SCHEMA_DECIMAL_H
#define SCHEMA_DECIMAL_H
#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	DECIMAL_DIVISOR_DIGITS = 18,    /* significant digits that a divisor may have */
};

/* The digits at p (n of them; a decimal point between them is skipped; neither the first nor the last is 0) times
 * 10^exponent. n is 0 for zero. p may point into `own` or into the JSON value: a decimal is neither copied nor kept
 * longer than the value. */
struct decimal {
	const char *p;
	size_t n;
	int64_t exponent;
	bool negative;
	char own[32];
};

/* -1 when o is no number or not finite. Uses the text that the number was parsed from where json-c kept it. */
int decimal_read(struct decimal *d, struct json_object *o);
int decimal_compare(const struct decimal *a, const struct decimal *b);          /* <0, 0, >0 */
bool decimal_is_integer(const struct decimal *d);
/* b is above zero and has at most DECIMAL_DIVISOR_DIGITS digits. */
bool decimal_is_multiple(const struct decimal *a, const struct decimal *b);
/* A count: -1 when d is negative or has a fraction. Above 2^64 - 1 it becomes that. */
int decimal_count(const struct decimal *d, uint64_t *out);
uint64_t decimal_hash(const struct decimal *d);                                 /* equal numbers have equal hashes */

#endif
