/* The contract: what changes its digest and what does not. */
#include <string.h>
#include "directory/contract.h"
#include "tap.h"

static struct arena *a;
static struct row base;

static void set(struct row *r, enum row_column c, const char *text)
{
	r->v[c] = (struct row_value){ .null = !text, .text = str_of(text) };
}

static const char *text_of(const struct row *r, const struct contract_block *block, size_t n, char digest[CRYPTO_HEX])
{
	struct buf b = BUF_ARENA(a);
	struct docstring d;
	struct json_object *o;

	docstring_parse(a, row_text(r, ROW_CONTENT), &d);
	o = contract_build(r, &d, block, n);
	contract_digest(o, &b, digest);
	json_object_put(o);
	return buf_text(&b);
}

/* Whether the digest of base changes when one column does. */
static bool changes(enum row_column c, const char *text, int64_t number)
{
	struct row r = base;
	char x[CRYPTO_HEX], y[CRYPTO_HEX];

	text_of(&base, NULL, 0, x);
	if (row_columns[c].number)
		r.v[c] = (struct row_value){ .number = number };
	else
		set(&r, c, text);
	text_of(&r, NULL, 0, y);
	return strcmp(x, y) != 0;
}

static void make_base(void)
{
	row_defaults(&base);
	set(&base, ROW_KEY, "T");
	set(&base, ROW_TYPE, "http");
	set(&base, ROW_TARGET, "GET https://api.example/v1?q=$1");
	set(&base, ROW_CONTENT, "# WHAT: Looks up.\n# EX: [T]a[/T]\n{\"a\":\"$1\"}");
	set(&base, ROW_INPUT_SCHEMA, "{\"type\":\"object\",\"properties\":{\"zeta\":{},\"alpha\":{}}}");
	set(&base, ROW_UPDATED_AT, "2026-01-01T00:00:00.000Z");
}

static void members(void)
{
	char digest[CRYPTO_HEX], hex[CRYPTO_HEX];
	const char *text;

	set(&base, ROW_AUTH, "bearer:NAME");
	text = text_of(&base, NULL, 0, digest);
	tap_is_str(text,
		"{\"allowed_categories\":null,\"argument_order\":[\"zeta\",\"alpha\"],\"auth\":\"bearer:NAME\","
		"\"category\":null,"
		"\"description\":\"WHAT: Looks up.\\nEX: "
		"[T]a[/T]\",\"directory_type\":\"http\",\"executable\":\"{\\\"a\\\":\\\"$1\\\"}\",\"id\":\"T\","
		"\"includes\":[],\"input_schema\":{\"properties\":{\"alpha\":{},\"zeta\":{}},\"type\":\"object\"},"
		"\"object_type\":\"tool\","
		"\"operation_semantics\":{\"effects\":\"Reads only; nothing is expected to "
		"change.\",\"idempotent\":true,\"operation_type\":\"read\","
		"\"postconditions\":\"None stated; judge by the result.\",\"preconditions\":\"None "
		"stated.\",\"safe\":true},\"requires_approval\":false,"
		"\"risk\":\"low\",\"runner\":\"http\",\"status\":\"active\",\"target\":\"GET "
		"https://api.example/v1?q=$1\"}",
		"a contract is canonical JSON of what decides the call");
	crypto_sha256_hex(str_of(text), hex);
	tap_is_str(digest, hex, "its digest is the SHA-256 of that text");
	set(&base, ROW_AUTH, NULL);
}

static void what_counts(void)
{
	static const struct {
		enum row_column c;
		const char *text;
		int64_t number;
		bool counts;
		const char *name;
	} want[] = {
		{ ROW_EXAMPLES, "[\"51.51|-0.13\"]", 0, false, "examples leave the digest as it is" },
		{ ROW_SEQ, NULL, 9, false, "seq does too" },
		{ ROW_PLANNER_RANK, NULL, 1, false, "planner_rank does too" },
		{ ROW_PLANNER_VISIBLE, NULL, 0, false, "planner_visible does too" },
		{ ROW_UPDATED_AT, "2027-01-01T00:00:00.000Z", 0, false, "updated_at does too" },
		{ ROW_CREATED_AT, "2027-01-01T00:00:00.000Z", 0, false, "created_at does too" },
		{ ROW_AUTH, "", 0, false, "an empty text is the same as none" },
		{ ROW_AUTH, "bearer:X", 0, true, "auth changes it" },
		{ ROW_TARGET, "GET https://api.example/v2?q=$1", 0, true, "target changes it" },
		{ ROW_CONTENT, "# WHAT: Looks up.\n# EX: [T]a[/T]\n{\"b\":\"$1\"}", 0, true,
			"the template changes it" },
		{ ROW_CONTENT, "# WHAT: Looks up!\n# EX: [T]a[/T]\n{\"a\":\"$1\"}", 0, true,
			"a docstring line changes it" },
		{ ROW_CONTENT, "# WHAT: Looks up.\n# EX: [T]b[/T]\n{\"a\":\"$1\"}", 0, true,
			"the docstring's own example does too" },
		{ ROW_INPUT_SCHEMA, "{\"type\":\"object\",\"properties\":{\"alpha\":{},\"zeta\":{}}}", 0, true,
			"the order of the arguments changes it" },
		{ ROW_INPUT_SCHEMA, "{ \"type\":\"object\", \"properties\":{\"zeta\":{},\"alpha\":{}}}", 0, false,
			"spaces in the schema do not" },
		{ ROW_INPUT_SCHEMA, "{broken", 0, true, "a schema that is no JSON counts as its text" },
		{ ROW_TYPE, "fn", 0, true, "type changes it" },
		{ ROW_CATEGORY, "c", 0, true, "category changes it" },
		{ ROW_ALLOWED_CATEGORIES, "*", 0, true, "allowed_categories changes it" },
		{ ROW_RUNNER, "edge", 0, true, "runner changes it" },
		{ ROW_SENSITIVE, NULL, 1, true, "risk changes it" },
		{ ROW_ENABLED, NULL, 0, true, "status changes it" },
		{ ROW_KEY, "U", 0, true, "the key changes it" },
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		tap_ok(changes(want[i].c, want[i].text, want[i].number) == want[i].counts, "%s", want[i].name);
}

static void blocks(void)
{
	struct contract_block b[2] = { { .key = str_of("A"), .digest = "11" }, { .key = str_of("B") } };
	char x[CRYPTO_HEX], y[CRYPTO_HEX];
	const char *text = text_of(&base, b, 2, x);
	struct str name[4];

	tap_ok(strstr(text, "\"includes\":[{\"key\":\"A\",\"sha256\":\"11\"},{\"key\":\"B\",\"sha256\":null}]") != NULL,
		"blocks are named with their digest");
	b[0].digest[0] = '2';
	text_of(&base, b, 2, y);
	tap_ok(strcmp(x, y) != 0, "a change of a block changes the digest of what includes it");
	tap_is_int((int64_t)contract_includes(str_of(" A ,,B\n, ,C_9,"), name, 2), 3,
		"names of blocks are counted beyond the room for them");
	tap_ok(str_is(name[0], "A") && str_is(name[1], "B"), "trimmed");
	tap_is_int((int64_t)contract_includes(str_of(NULL), name, 2), 0, "none is none");
}

static void semantics(void)
{
	static const struct { const char *type, *target, *content, *want; } t[] = {
		{ "http", "POST https://x.example/", "",
			"{\"effects\":\"Not stated: assume that something outside changes.\",\"idempotent\":null,"
			"\"operation_type\":\"write\",\"postconditions\":\"None stated; judge by the "
			"result.\",\"preconditions\":\"None stated.\",\"safe\":null}" },
		{ "http", "put https://x.example/", "# SAFE: no\n# EFFECTS: Sets it.\n# PRECONDITIONS: p",
			"{\"effects\":\"Sets it.\",\"idempotent\":true,"
			"\"operation_type\":\"write\",\"postconditions\":\"None stated; judge by the "
			"result.\",\"preconditions\":\"p\",\"safe\":false}" },
		{ "fn", "now", "# SAFE: yes\n# IDEMPOTENT: no\n# POSTCONDITIONS: q",
			"{\"effects\":\"Reads only; nothing is expected to change.\","
			"\"idempotent\":false,\"operation_type\":\"read\",\"postconditions\":\"q\",\"preconditions\":"
			"\"None stated.\",\"safe\":true}" },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct row r = base;
		struct docstring d;
		struct buf b = BUF_ARENA(a);
		struct json_object *o;

		set(&r, ROW_TYPE, t[i].type);
		set(&r, ROW_TARGET, t[i].target);
		docstring_parse(a, str_of(t[i].content), &d);
		o = contract_semantics(&r, &d);
		json_canonical(&b, o);
		json_object_put(o);
		tap_is_str(buf_text(&b), t[i].want, "semantics come from the docstring, else from type and method");
	}
}

static void agents(void)
{
	struct row r = base;
	char x[CRYPTO_HEX];

	set(&r, ROW_TYPE, "agent");
	set(&r, ROW_CONTENT, "# You are kind.\nAnswer.");
	tap_ok(strstr(text_of(&r, NULL, 0, x), "\"executable\":\"# You are kind.\\nAnswer.\"") != NULL,
		"an agent's content is executed as it stands");
}

static void differences(void)
{
	struct json_object *o =
		contract_diff(str_of("{\"a\":1,\"b\":[1,2],\"c\":null}"), str_of("{\"a\":1,\"b\":[2,1],\"d\":null}"));

	tap_is_str(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN), "[\"b\",\"c\",\"d\"]",
		"a difference names the members");
	json_object_put(o);
	o = contract_diff(str_of("{}"), str_of("nonsense"));
	tap_is_int((int64_t)json_object_array_length(o), 0, "nothing is said of what is no contract");
	json_object_put(o);
}

int main(void)
{
	a = arena_new();
	make_base();
	members();
	what_counts();
	blocks();
	semantics();
	agents();
	differences();
	arena_free(a);
	return tap_done();
}
