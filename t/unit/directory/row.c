/* Rows as values: which members are read, which are refused, and that nothing is lost on the way. */
#include <string.h>
#include "directory/row.h"
#include "tap.h"

static struct arena *a;
static struct problem why;
static struct row r;
static uint32_t set;
static unsigned ignored;

static int from(const char *text, enum row_which which)
{
	struct json_object *o = NULL;

	memset(&why, 0, sizeof(why));
	if (json_parse(a, str_of(text), &o, &why) < 0)
		return -2;
	return row_from_json(a, o, which, 100, &r, &set, &ignored, &why);
}

static void refuses(const char *text, enum row_which which, int status, const char *error, const char *field,
	const char *name)
{
	bool pass = from(text, which) == -1 && why.status == status && strcmp(why.error, error) == 0 &&
		strcmp(why.field, field) == 0;

	if (!tap_ok(pass, "%s", name))
		tap_diag("got %d %s %s %s", why.status, why.error, why.field, why.detail);
}

static void whole_rows(void)
{
	row_defaults(&r);
	tap_is_int(from("{\"key\":\"A\",\"type\":\"fn\",\"enabled\":false,\"input_schema\":{\"type\":\"object\"},"
			"\"examples\":[\"a\"],"
			"\"seq\":7,\"category\":null}",
			   ROW_WHOLE),
		0, "a whole row is read");
	tap_ok(str_is(row_text(&r, ROW_KEY), "A") && row_number(&r, ROW_ENABLED) == 0 && row_number(&r, ROW_SEQ) == 7,
		"with texts, flags and numbers");
	tap_ok(str_is(row_text(&r, ROW_INPUT_SCHEMA), "{\"type\":\"object\"}") &&
			str_is(row_text(&r, ROW_EXAMPLES), "[\"a\"]"),
		"JSON is kept as text");
	tap_ok(row_number(&r, ROW_PLANNER_RANK) == 100 && row_number(&r, ROW_PLANNER_VISIBLE) == 1 &&
			r.v[ROW_RUNNER].null,
		"absent members take defaults");
	tap_ok(!(set & row_bit(ROW_CATEGORY)) && (set & row_bit(ROW_SEQ)), "a null member counts as absent");
	row_defaults(&r);
	tap_ok(from("{\"key\":\"A\",\"type\":\"fn\",\"row_num\":1,\"contract\":\"x\",\"updated_at\":\"x\",\"created_"
		    "at\":null}",
		       ROW_WHOLE) == 0 &&
			ignored == 4 && r.v[ROW_UPDATED_AT].null,
		"what an answer has beside the columns can be put back and is not set");
	refuses("{\"key\":\"A\",\"colour\":1}", ROW_WHOLE, 400, "unknown_field", "colour",
		"a member that is no column is refused");
	refuses("{\"key\":1}", ROW_WHOLE, 422, "bad_key", "key", "a key is a string");
	refuses("{\"type\":[]}", ROW_WHOLE, 422, "bad_type", "type", "a type is a string");
	refuses("{\"enabled\":2}", ROW_WHOLE, 422, "bad_field", "enabled", "a flag is 0 or 1");
	refuses("{\"enabled\":\"1\"}", ROW_WHOLE, 422, "bad_field", "enabled", "a flag is no string");
	refuses("{\"seq\":1.5}", ROW_WHOLE, 422, "bad_field", "seq", "a number is whole");
	refuses("{\"seq\":true}", ROW_WHOLE, 422, "bad_field", "seq", "a number is no flag");
	refuses("{\"planner_rank\":9007199254740992}", ROW_WHOLE, 422, "bad_field", "planner_rank",
		"a number is one that every reader keeps");
	refuses("{\"planner_rank\":-99999999999999999999}", ROW_WHOLE, 422, "bad_field", "planner_rank",
		"a number beyond 64 bits is refused");
	refuses("{\"category\":{}}", ROW_WHOLE, 422, "bad_field", "category", "an object is no text");
	refuses("{\"input_schema\":true}", ROW_WHOLE, 422, "bad_field", "input_schema",
		"a schema is text, object or array");
	refuses("{\"category\":\"a\\u0000b\"}", ROW_WHOLE, 422, "bad_field", "category", "U+0000 is refused");
	refuses("[]", ROW_WHOLE, 400, "invalid_json", "", "a row is an object");
	tap_is_int(from("{\"content\":"
			"\"01234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901"
			"23456789\"}",
			   ROW_WHOLE),
		0, "a text of the limit's length is taken");
	refuses("{\"content\":"
		"\"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
		"0\"}",
		ROW_WHOLE, 422, "field_too_long", "content", "a longer one is refused");
}

static void patches(void)
{
	row_defaults(&r);
	r.v[ROW_CATEGORY] = (struct row_value){ .text = str_of("old") };
	r.v[ROW_PLANNER_RANK].number = 5;
	tap_ok(from("{\"category\":null,\"planner_rank\":null,\"target\":\"t\"}", ROW_PATCH) == 0 &&
			r.v[ROW_CATEGORY].null && row_number(&r, ROW_PLANNER_RANK) == 100,
		"null gives a column its default");
	tap_ok(set == (row_bit(ROW_CATEGORY) | row_bit(ROW_PLANNER_RANK) | row_bit(ROW_TARGET)),
		"what was set is told");
	refuses("{\"runner\":\"edge\"}", ROW_PATCH, 400, "no recognized fields", "runner",
		"PATCH of runner alone has no recognized fields");
	refuses("{\"sensitive\":1}", ROW_PATCH, 400, "no recognized fields", "sensitive", "nor has sensitive alone");
	refuses("{\"colour\":1}", ROW_PATCH, 400, "no recognized fields", "colour", "nor has a name that is no column");
	refuses("{}", ROW_PATCH, 400, "no recognized fields", "", "nor has nothing");
	refuses("{\"target\":\"x\",\"runner\":\"edge\"}", ROW_PATCH, 400, "field_not_patchable", "runner",
		"runner beside a field is refused, not skipped");
	refuses("{\"target\":\"x\",\"colour\":1}", ROW_PATCH, 400, "unknown_field", "colour",
		"an unknown name beside a field is refused");
	refuses("{\"type\":null}", ROW_PATCH, 422, "bad_type", "type", "type cannot be taken away");
	tap_is_int(from("{\"type\":\"fn\",\"target\":\"\",\"auth\":\"\",\"content\":\"\",\"category\":\"\",\"allowed_"
			"categories\":\"\",\"seq\":1,\"enabled\":1,"
			"\"planner_visible\":1,\"planner_rank\":1,\"input_schema\":\"\",\"examples\":\"\",\"includes\":"
			"\"\"}",
			   ROW_PATCH),
		0, "all 13 fields can be patched");
	tap_is_int(__builtin_popcount(set), 13, "and all 13 are told");
}

static void images(void)
{
	struct buf b = BUF_ARENA(a), again = BUF_ARENA(a);
	struct row back;
	char x[ROW_ETAG], y[ROW_ETAG];

	row_defaults(&r);
	from("{\"key\":\"K\",\"type\":\"http\",\"content\":\"a\\n\\\"b\\\" \\u00e9\",\"seq\":-3}", ROW_WHOLE);
	row_image(&r, &b);
	tap_is_str(buf_text(&b),
		"{\"allowed_categories\":null,\"auth\":null,\"category\":null,\"content\":\"a\\n\\\"b\\\" "
		"é\",\"created_at\":null,\"enabled\":1,"
		"\"examples\":null,\"includes\":null,\"input_schema\":null,\"key\":\"K\",\"planner_rank\":100,"
		"\"planner_visible\":1,\"runner\":null,"
		"\"sensitive\":0,\"seq\":-3,\"target\":null,\"type\":\"http\",\"updated_at\":null}",
		"an image is the canonical JSON of all 18 columns");
	tap_is_int(row_from_image(a, buf_str(&b), &back), 0, "it is read back");
	row_image(&back, &again);
	tap_ok(str_eq(buf_str(&b), buf_str(&again)), "without a loss");
	row_etag(&r, x);
	back.v[ROW_SEQ].number = -4;
	row_etag(&back, y);
	tap_ok(strlen(x) == 34 && x[0] == '"' && x[33] == '"' && strcmp(x, y) != 0,
		"the tag is quoted, 32 digits, and another one for another row");
	tap_ok(row_from_image(a, str_of("{\"key\":\"K\",\"later\":1}"), &back) == 0 &&
			row_number(&back, ROW_ENABLED) == 1,
		"an image of another age takes defaults for what it lacks");
	tap_is_int(row_from_image(a, str_of("[1]"), &back), -1, "what is no object is no image");
}

static void names(void)
{
	static const struct { const char *type, *label, *object, *runner; bool exec;
	} want[] = {
		{ "fn", NULL, "tool", "fn", false },
		{ "http", "", "tool", "http", false },
		{ "agent", NULL, "agent", "model", false },
		{ "flow", NULL, "workflow", "flow", false },
		{ "fn", "exec", "tool", "exec", true },
		{ "fn", "Exec", "tool", "Exec", false },
		{ "http", "exec", "tool", "exec", false },
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		row_defaults(&r);
		r.v[ROW_TYPE] = (struct row_value){ .text = str_of(want[i].type) };
		r.v[ROW_RUNNER] = (struct row_value){ .null = !want[i].label, .text = str_of(want[i].label) };
		tap_ok(strcmp(row_object_type(&r), want[i].object) == 0 &&
				strcmp(row_runner(&r), want[i].runner) == 0 && row_is_exec(&r) == want[i].exec,
			"%s with runner %s is shown as %s, %s", want[i].type, want[i].label ? want[i].label : "null",
			want[i].object, want[i].runner);
	}
	for (int c = 0; c < ROW_N; c++)
		if (row_column_of(str_of(row_columns[c].name)) != c)
			tap_ok(false, "column %d is found by its name", c);
	tap_is_int(row_column_of(str_of("KEY")), -1, "names of columns are exact");
}

int main(void)
{
	a = arena_new();
	whole_rows();
	patches();
	images();
	names();
	arena_free(a);
	return tap_done();
}
