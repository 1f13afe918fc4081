/* Exact decimals over the text of JSON numbers. No arithmetic beyond comparison and divisibility: nothing here rounds.
 * Exponents beyond ±DECIMAL_EXPONENT_MAX count as that bound; no JSON text that this service accepts has so many
 * digits. */
#include <inttypes.h>
#include <stdio.h>
#include "base/ascii.h"
#include "base/json.h"
#include "schema/decimal.h"

#define DECIMAL_EXPONENT_MAX INT64_C(1000000000000000)

static int64_t parse_exponent(const char **s)
{
	bool negative = **s == '-';
	int64_t v = 0;

	if (**s == '-' || **s == '+')
		(*s)++;
	for (; ascii_is_digit(**s); (*s)++)
		v = v >= DECIMAL_EXPONENT_MAX / 10 ? DECIMAL_EXPONENT_MAX : v * 10 + (**s - '0');
	return negative ? -v : v;
}

/* -1 when s is not the text of a JSON number: what json-c keeps beside a double can also be an output format. */
static int parse(struct decimal *d, const char *s)
{
	int64_t at = 0, first = -1, last = -1, whole = -1;

	d->p = NULL;
	d->negative = *s == '-';
	if (d->negative)
		s++;
	if (!ascii_is_digit(*s))
		return -1;
	for (; ascii_is_digit(*s) || (*s == '.' && whole < 0); s++) {
		if (*s == '.') {
			whole = at;
			continue;
		}
		if (*s != '0') {
			if (first < 0) {
				first = at;
				d->p = s;
			}
			last = at;
		}
		at++;
	}
	d->exponent = (whole < 0 ? at : whole) - 1 - last;
	d->n = first < 0 ? 0 : (size_t)(last - first + 1);
	if (*s == 'e' || *s == 'E') {
		s++;
		d->exponent += parse_exponent(&s);
	}
	if (*s)
		return -1;
	if (!d->n) {
		d->exponent = 0;
		d->negative = false;
	}
	return 0;
}

static int read_integer(struct decimal *d, struct json_object *o)
{
	int64_t v = json_object_get_int64(o);

	if (v == INT64_MAX)
		snprintf(d->own, sizeof(d->own), "%" PRIu64, json_object_get_uint64(o));
	else
		snprintf(d->own, sizeof(d->own), "%" PRId64, v);
	return parse(d, d->own);
}

int decimal_read(struct decimal *d, struct json_object *o)
{
	const char *kept;

	if (json_object_is_type(o, json_type_int))
		return read_integer(d, o);
	if (!json_object_is_type(o, json_type_double))
		return -1;
	kept = json_object_get_userdata(o);
	if (kept && parse(d, kept) == 0)
		return 0;
	json_number(json_object_get_double(o), d->own);
	return parse(d, d->own);
}

static char next_digit(const char **p)
{
	if (**p == '.')
		(*p)++;
	return *(*p)++;
}

/* Both are above zero in amount. */
static int compare_amount(const struct decimal *a, const struct decimal *b)
{
	int64_t top_a = a->exponent + (int64_t)a->n, top_b = b->exponent + (int64_t)b->n;
	const char *p = a->p, *q = b->p;

	if (top_a != top_b)
		return top_a < top_b ? -1 : 1;
	for (size_t i = 0; i < a->n && i < b->n; i++) {
		char x = next_digit(&p), y = next_digit(&q);

		if (x != y)
			return x < y ? -1 : 1;
	}
	return a->n < b->n ? -1 : a->n > b->n;
}

int decimal_compare(const struct decimal *a, const struct decimal *b)
{
	int sign_a = a->n ? (a->negative ? -1 : 1) : 0, sign_b = b->n ? (b->negative ? -1 : 1) : 0;

	if (sign_a != sign_b)
		return sign_a < sign_b ? -1 : 1;
	return sign_a * (sign_a ? compare_amount(a, b) : 0);
}

bool decimal_is_integer(const struct decimal *d)
{
	return !d->n || d->exponent >= 0;
}

/* 10^e modulo m */
static uint64_t power_of_ten(int64_t e, uint64_t m)
{
	unsigned __int128 base = 10 % m, result = 1 % m;

	for (; e > 0; e /= 2) {
		if (e % 2)
			result = result * base % m;
		base = base * base % m;
	}
	return (uint64_t)result;
}

bool decimal_is_multiple(const struct decimal *a, const struct decimal *b)
{
	int64_t e = a->exponent - b->exponent;
	uint64_t divisor = 0;
	unsigned __int128 rest = 0;
	const char *p = b->p;

	if (!a->n)
		return true;
	if (e < 0)              /* a's digits do not end in 0, so ten does not divide them */
		return false;
	for (size_t i = 0; i < b->n; i++)
		divisor = divisor * 10 + (uint64_t)(next_digit(&p) - '0');
	p = a->p;
	for (size_t i = 0; i < a->n; i++)
		rest = (rest * 10 + (unsigned)(next_digit(&p) - '0')) % divisor;
	return rest * power_of_ten(e, divisor) % divisor == 0;
}

int decimal_count(const struct decimal *d, uint64_t *out)
{
	const char *p = d->p;
	uint64_t v = 0;

	*out = 0;
	if (d->negative || !decimal_is_integer(d))
		return -1;
	if (!d->n)
		return 0;
	*out = UINT64_MAX;
	if (d->exponent + (int64_t)d->n > 20)
		return 0;
	for (int64_t i = 0; i < (int64_t)d->n + d->exponent; i++) {
		unsigned digit = i < (int64_t)d->n ? (unsigned)(next_digit(&p) - '0') : 0;

		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, digit, &v))
			return 0;
	}
	*out = v;
	return 0;
}

uint64_t decimal_hash(const struct decimal *d)
{
	const char *p = d->p;
	uint64_t h = ((uint64_t)d->exponent * 2 + d->negative) ^ UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < d->n; i++)
		h = (h ^ (unsigned char)next_digit(&p)) * UINT64_C(0x100000001b3);
	return h;
}
