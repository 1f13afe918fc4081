/* Numbers by value, and equality of JSON values built on it. */
#include "base/json.h"
#include "schema/decimal.h"
#include "schema/equal.h"
#include "tap.h"

static struct arena *arena;

static struct json_object *json(const char *text)
{
	struct json_object *o = NULL;

	if (json_parse(arena, str_of(text), &o, NULL) < 0)
		tap_ok(false, "the test's own JSON %s", text);
	return o;
}

static const struct {
	const char *a, *b;
	int order;
} orders[] = {
	{ "1", "1.0", 0 },
	{ "1", "10e-1", 0 },
	{ "100", "1e2", 0 },
	{ "0", "-0.0", 0 },
	{ "0", "0e10", 0 },
	{ "0.1", "0.10", 0 },
	{ "-1", "1", -1 },
	{ "-2", "-1", -1 },
	{ "0", "1e-300", -1 },
	{ "-1e-300", "0", -1 },
	{ "9", "10", -1 },
	{ "0.9", "0.11", 1 },
	{ "1.5", "1.25", 1 },
	{ "9007199254740993", "9007199254740992", 1 },
	{ "9007199254740993.0", "9007199254740992", 1 },
	{ "9223372036854775807", "9223372036854775808", -1 },
	{ "18446744073709551615", "18446744073709551616", -1 },
	{ "18446744073709551616", "18446744073709551617", -1 },
	{ "-9223372036854775808", "-9223372036854775809", 1 },
	{ "98249283749234923498293171823948729348710298301928331",
		"98249283749234923498293171823948729348710298301928332", -1 },
	{ "1e308", "1.0000000000000000001e308", -1 },
	{ "123.456", "123.4560", 0 },
	{ "1e-400", "0", 1 },
};

static const struct {
	const char *a, *b;
	bool multiple;
} multiples[] = {
	{ "0.0075", "0.0001", true },
	{ "0.00751", "0.0001", false },
	{ "19.99", "0.01", true },
	{ "0.3", "0.1", true },
	{ "4.35", "0.01", true },
	{ "4.355", "0.01", false },
	{ "0", "3", true },
	{ "7", "2", false },
	{ "-9", "3", true },
	{ "1e308", "0.5", true },
	{ "1e308", "0.123456789", false },
	{ "1e308", "1e-300", true },
	{ "18446744073709551616", "2", true },
	{ "18446744073709551617", "2", false },
	{ "100", "1e2", true },
	{ "10", "1e2", false },
	{ "1e-7", "1e-8", true },
	{ "1e-8", "1e-7", false },
	{ "999999999999999999000000000000000000", "999999999999999999", true },
	{ "999999999999999998", "999999999999999999", false },
};

static const struct {
	const char *a, *b;
	bool equal;
} values[] = {
	{ "null", "null", true },
	{ "null", "false", false },
	{ "0", "false", false },
	{ "1", "true", false },
	{ "1.0", "1", true },
	{ "\"a\"", "\"a\"", true },
	{ "\"a\"", "\"b\"", false },
	{ "\"a\\u0000b\"", "\"a\\u0000c\"", false },
	{ "\"1\"", "1", false },
	{ "[1,2]", "[1.0,2]", true },
	{ "[1,2]", "[2,1]", false },
	{ "[]", "{}", false },
	{ "[1]", "[1,null]", false },
	{ "{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true },
	{ "{\"a\":1}", "{\"a\":1,\"b\":2}", false },
	{ "{\"a\":null}", "{\"b\":null}", false },
	{ "{\"a\":[{\"b\":0}]}", "{\"a\":[{\"b\":-0.0}]}", true },
};

static const struct {
	const char *text;
	int result;
	uint64_t count;
} counts[] = {
	{ "0", 0, 0 },
	{ "2.0", 0, 2 },
	{ "2e3", 0, 2000 },
	{ "-1", -1, 0 },
	{ "1.5", -1, 0 },
	{ "-0.0", 0, 0 },
	{ "18446744073709551615", 0, UINT64_MAX },
	{ "18446744073709551616", 0, UINT64_MAX },
	{ "1e300", 0, UINT64_MAX },
	{ "18446744073709551614", 0, UINT64_MAX - 1 },
	{ "99999999999999999999", 0, UINT64_MAX },
};

static int sign(int v)
{
	return (v > 0) - (v < 0);
}

static void check_numbers(void)
{
	struct decimal a, b;
	uint64_t count;

	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
		bool good = decimal_read(&a, json(orders[i].a)) == 0 && decimal_read(&b, json(orders[i].b)) == 0;

		good = good && sign(decimal_compare(&a, &b)) == orders[i].order &&
			sign(decimal_compare(&b, &a)) == -orders[i].order;
		good = good && (orders[i].order || decimal_hash(&a) == decimal_hash(&b));
		tap_ok(good, "%s is %s %s", orders[i].a,
			orders[i].order ? orders[i].order < 0 ? "below" : "above" : "the same as", orders[i].b);
	}
	for (size_t i = 0; i < sizeof(multiples) / sizeof(*multiples); i++) {
		bool good = decimal_read(&a, json(multiples[i].a)) == 0 && decimal_read(&b, json(multiples[i].b)) == 0;

		tap_ok(good && decimal_is_multiple(&a, &b) == multiples[i].multiple, "%s is %sa multiple of %s",
			multiples[i].a, multiples[i].multiple ? "" : "not ", multiples[i].b);
	}
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		bool good = decimal_read(&a, json(counts[i].text)) == 0;

		tap_ok(good && decimal_count(&a, &count) == counts[i].result && count == counts[i].count,
			"%s as a count", counts[i].text);
	}
}

static void check_values(void)
{
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		struct json_object *pair = json_object_new_array();
		size_t first, second, work = 0;

		arena_json(arena, pair);
		json_object_array_add(pair, json_object_get(json(values[i].a)));
		json_object_array_add(pair, json_object_get(json(values[i].b)));
		tap_ok(equal_values(json(values[i].a), json(values[i].b), &work) == values[i].equal &&
				equal_items(pair, &first, &second, &work, 1000) == values[i].equal,
			"%s and %s are %s", values[i].a, values[i].b, values[i].equal ? "equal" : "different");
	}
}

static void check_built(void)
{
	struct decimal d, e;
	struct json_object *o = arena_json(arena, json_object_new_double(0.1)),
			   *nan = arena_json(arena, json_object_new_double(0.0 / 0.0));
	size_t first = 0, second = 0, work = 0;

	tap_ok(decimal_read(&d, o) == 0 && decimal_read(&e, json("0.1")) == 0 && decimal_compare(&d, &e) == 0,
	       "a double that was not parsed is its shortest decimal");
	tap_ok(decimal_read(&d, nan) < 0, "what is not finite is no number");
	tap_ok(decimal_read(&d, json("\"1\"")) < 0 && decimal_read(&d, NULL) < 0, "neither is a string or null");
	tap_ok(equal_items(json("[5,1,{\"a\":2},1.0,3]"), &first, &second, &work, 1000) && first == 1 && second == 3,
	       "equal items are named by position");
	work = 0;
	tap_ok(!equal_items(json("[1,2,3,4,5,6,7,8,1]"), &first, &second, &work, 4) && work > 4,
		"the search ends at its limit of work");
}

int main(void)
{
	arena = arena_new();
	check_numbers();
	check_values();
	check_built();
	arena_free(arena);
	return tap_done();
}
