/* Keywords about a value as a whole, numbers and strings. */
#include <inttypes.h>
#include <stdio.h>
#include "base/json.h"
#include "schema/compile.h"
#include "schema/equal.h"
#include "schema/evaluate.h"
#include "schema/kw.h"

enum {
	TYPE_INTEGER = ON_ANY + 1,      /* beside the bits of enum on */
	VALUE_STEP_BYTES = 256,         /* bytes of a string whose characters are counted in one step */
};

static const struct {
	const char *name;
	unsigned bits;
} types[] = {
	{ "null", ON_NULL }, { "boolean", ON_BOOLEAN }, { "object", ON_OBJECT }, { "array", ON_ARRAY },
	{ "number", ON_NUMBER }, { "string", ON_STRING }, { "integer", TYPE_INTEGER },
};

enum { TYPES = sizeof(types) / sizeof(*types) };

static unsigned type_bits(struct json_object *name)
{
	for (size_t i = 0; i < TYPES; i++)
		if (str_is(json_str(name), types[i].name))
			return types[i].bits;
	return 0;
}

int kw_value_type_compile(struct compile *c, struct rule *rule)
{
	bool list = json_object_is_type(rule->value, json_type_array);
	size_t n = list ? json_object_array_length(rule->value) : 1;

	if (!n)
		return compile_bad(c, "must name at least one type");
	for (size_t i = 0; i < n; i++) {
		unsigned bits = type_bits(list ? json_object_array_get_idx(rule->value, i) : rule->value);

		if (!bits)
			return compile_bad(c,
				"must be null, boolean, object, array, number, string, integer, or an array of these");
		rule->types |= bits;
	}
	return 0;
}

static bool is_integer(struct json_object *o)
{
	struct decimal d;

	return json_object_is_type(o, json_type_int) || (decimal_read(&d, o) == 0 && decimal_is_integer(&d));
}

static int __attribute__((noinline)) wrong_type(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	char text[80] = "";
	size_t used = 0;

	for (size_t i = 0; i < TYPES; i++)
		if (rule->types & types[i].bits && used < sizeof(text))
			used += (size_t)snprintf(
				text + used, sizeof(text) - used, "%s%s", used ? " or " : "", types[i].name);
	return evaluate_fail(e, f, "must be of type %s", text);
}

int kw_value_type(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	unsigned on = keyword_on(f->instance);

	if (rule->types & on)
		return 0;
	if (on == ON_NUMBER && rule->types & TYPE_INTEGER && is_integer(f->instance))
		return 0;
	return wrong_type(e, f, rule);
}

int kw_value_enum(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	size_t n = json_object_array_length(rule->value);

	for (size_t i = 0; i < n; i++) {
		size_t work = 0;
		bool same = equal_values(f->instance, json_object_array_get_idx(rule->value, i), &work);

		if (!evaluate_spend(e, f, work))
			return -1;
		if (same)
			return 0;
	}
	return evaluate_fail(e, f, "is none of the %zu values allowed", n);
}

int kw_value_const(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	size_t work = 0;
	bool same = equal_values(f->instance, rule->value, &work);

	if (!evaluate_spend(e, f, work))
		return -1;
	return same ? 0 : evaluate_fail(e, f, "is not the one value allowed");
}

int kw_value_number_compile(struct compile *c, struct rule *rule)
{
	rule->number = compile_alloc(c, sizeof(*rule->number));
	return decimal_read(rule->number, rule->value) == 0 ? 0 : compile_bad(c, "must be a number");
}

int kw_value_multiple_compile(struct compile *c, struct rule *rule)
{
	if (kw_value_number_compile(c, rule) < 0)
		return -1;
	if (!rule->number->n || rule->number->negative)
		return compile_bad(c, "must be above 0");
	if (rule->number->n > DECIMAL_DIVISOR_DIGITS)
		return compile_bad(c, "must have at most %d significant digits", DECIMAL_DIVISOR_DIGITS);
	return 0;
}

/* The number as the schema has it, for messages. */
static const char *bound(const struct rule *rule)
{
	return json_object_get_string(rule->value);
}

int kw_value_multiple(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	struct decimal d;

	if (decimal_read(&d, f->instance) == 0 && decimal_is_multiple(&d, rule->number))
		return 0;
	return evaluate_fail(e, f, "must be a multiple of %s", bound(rule));
}

/* Whether the instance stands to the bound as one of the two allowed signs says; a number that is not finite never
 * does. */
static bool stands(const struct frame *f, const struct rule *rule, int sign, int or_sign)
{
	struct decimal d;
	int c;

	if (decimal_read(&d, f->instance) < 0)
		return false;
	c = decimal_compare(&d, rule->number);
	return c == sign || c == or_sign;
}

int kw_value_maximum(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	return stands(f, rule, -1, 0) ? 0 : evaluate_fail(e, f, "must be at most %s", bound(rule));
}

int kw_value_exclusive_maximum(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	return stands(f, rule, -1, -1) ? 0 : evaluate_fail(e, f, "must be below %s", bound(rule));
}

int kw_value_minimum(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	return stands(f, rule, 1, 0) ? 0 : evaluate_fail(e, f, "must be at least %s", bound(rule));
}

int kw_value_exclusive_minimum(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	return stands(f, rule, 1, 1) ? 0 : evaluate_fail(e, f, "must be above %s", bound(rule));
}

/* Code points of the instance; false when the budget ends. */
static bool length(struct evaluate *e, const struct frame *f, uint64_t *out)
{
	struct str s = json_str(f->instance);

	*out = 0;
	if (!evaluate_spend(e, f, s.n / VALUE_STEP_BYTES))
		return false;
	for (size_t i = 0; i < s.n; i++)
		*out += (s.p[i] & 0xC0) != 0x80;
	return true;
}

int kw_value_max_length(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	uint64_t n;

	if (!length(e, f, &n))
		return -1;
	if (n <= rule->max)
		return 0;
	return evaluate_fail(e, f, "must have at most %" PRIu64 " characters, has %" PRIu64, rule->max, n);
}

int kw_value_min_length(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	uint64_t n;

	if (!length(e, f, &n))
		return -1;
	if (n >= rule->min)
		return 0;
	return evaluate_fail(e, f, "must have at least %" PRIu64 " characters, has %" PRIu64, rule->min, n);
}

int kw_value_pattern_compile(struct compile *c, struct rule *rule)
{
	struct str s = json_str(rule->value);

	if (!s.p)
		return compile_bad(c, "must be a string");
	rule->n = 1;
	rule->patterns = compile_alloc(c, sizeof(*rule->patterns));
	rule->patterns->regex = compile_regex(c, s);
	return rule->patterns->regex ? 0 : -1;
}

int kw_value_pattern(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	if (evaluate_matches(e, f, rule->patterns->regex, json_str(f->instance)))
		return 0;
	return evaluate_fail(e, f, "does not match the pattern %.160s", json_object_get_string(rule->value));
}
