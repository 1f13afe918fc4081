/* The rules for a row at the write. Each is a line of a table: the columns whose change calls for it, and a function.
 * What a row may still do wrong when it runs (an unknown function, a variable that is missing) is told then. */
#include <stdio.h>
#include "base/ascii.h"
#include "directory/contract.h"
#include "directory/validate.h"
#include "lang/authspec.h"
#include "lang/docstring.h"
#include "lang/flow.h"
#include "lang/key.h"
#include "lang/place.h"
#include "lang/target.h"
#include "schema/schema.h"

static int refuse(struct problem *why, const char *error, enum row_column c, const char *detail, const char *fix)
{
	problem_set(why, 422, "%s", error);
	problem_field(why, row_columns[c].name);
	problem_detail(why, "%s", detail);
	problem_fix(why, "%s", fix);
	return -1;
}

/* Secrets */

static int refuse_secret(struct problem *why, enum row_column c, const char *detail)
{
	return refuse(why, "secret_in_row", c, detail,
		"a row names a variable and never holds its value: put the value into the secrets file and write "
		"its name, "
		"as in bearer:NAME or headers:{\"x-api-key\":\"$NAME\"}; a value that stood here should be replaced");
}

int validate_secrets(struct arena *a, const struct row *r, uint32_t changed, const struct secrets *secrets,
	struct problem *why)
{
	char detail[256];

	if (!secrets)
		return 0;
	for (int c = 0; c < ROW_N; c++) {
		struct buf b = BUF_ARENA(a);
		const char *name;

		if (!(changed & row_bit((enum row_column)c)) || row_columns[c].number ||
			!row_text(r, (enum row_column)c).n)
			continue;
		if (!secret_redact(secrets, &b, row_text(r, (enum row_column)c)))
			continue;
		name = secret_find(secrets, row_text(r, (enum row_column)c));
		snprintf(detail, sizeof(detail), "%s holds the value of %s", row_columns[c].name,
			name ? name : "a secret, encoded");
		return refuse_secret(why, (enum row_column)c, detail);
	}
	return 0;
}

/* $NAME somewhere in value. */
static bool names_variable(struct str value)
{
	for (size_t i = 0; i + 1 < value.n; i++) {
		char c = value.p[i + 1];

		if (value.p[i] == '$' && (c == '_' || ascii_is_letter(c)))
			return true;
	}
	return false;
}

static int check_headers(struct json_object *headers, struct problem *why)
{
	json_object_object_foreach(headers, name, value) {
		char detail[200];

		if (!authspec_is_credential_header(str_of(name)) || names_variable(json_str(value)))
			continue;
		snprintf(detail, sizeof(detail), "the header %.100s carries a credential and names no variable", name);
		return refuse_secret(why, ROW_AUTH, detail);
	}
	return 0;
}

/* The rules */

static int rule_key(struct arena *a, const struct row *r, struct problem *why)
{
	(void)a;
	if (key_is_valid(row_text(r, ROW_KEY)))
		return 0;
	return refuse(why, "bad_key", ROW_KEY,
		"a key is 1 to 64 letters, digits and \"_\" of ASCII and does not begin with a digit",
		"choose a name like SEND_MAIL: upper case by convention, and looked up exactly as written");
}

static int rule_type(struct arena *a, const struct row *r, struct problem *why)
{
	static const char *const known[] = { "fn", "http", "agent", "flow" };

	(void)a;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (str_is(row_text(r, ROW_TYPE), known[i]))
			return 0;
	return refuse(why, "bad_type", ROW_TYPE, "there is no such type", "type is one of fn, http, agent, flow");
}

static int rule_target(struct arena *a, const struct row *r, struct problem *why)
{
	struct str text = row_text(r, ROW_TARGET);
	struct target t;

	if (!str_is(row_text(r, ROW_TYPE), "http"))
		return 0;
	if (!text.p)
		text = str_of("");
	return target_is_map(text) ? target_map_check(a, text, why) : target_parse(a, text, &t, why);
}

static int rule_auth(struct arena *a, const struct row *r, struct problem *why)
{
	struct authspec spec;

	if (row_blank(r, ROW_AUTH))
		return 0;
	if (authspec_parse(a, row_text(r, ROW_AUTH), &spec, why) < 0)
		return -1;
	return spec.form == AUTH_HEADERS && spec.headers ? check_headers(spec.headers, why) : 0;
}

static int rule_flow(struct arena *a, const struct row *r, struct problem *why)
{
	struct docstring doc;
	struct flow flow;

	if (!str_is(row_text(r, ROW_TYPE), "flow") || row_blank(r, ROW_CONTENT))
		return 0;
	docstring_parse(a, row_text(r, ROW_CONTENT), &doc);
	return flow_parse(a, doc.payload, doc.line, &flow, why);
}

static int check_places(struct arena *a, const struct row *r, struct json_object *properties, struct problem *why)
{
	const char *property, *fault = NULL;

	if (str_is(row_text(r, ROW_TYPE), "http") && json_object_is_type(properties, json_type_object))
		fault = place_fault(properties, &property);
	if (!fault)
		return 0;
	return refuse(why, "bad_schema", ROW_INPUT_SCHEMA, arena_printf(a, "/properties/%.64s/x-in: %s", property, fault),
		"see TYPED ARGUMENTS in rowcall-row(5)");
}

/* The keywords of the root that are ours. */
static int check_keywords(struct arena *a, struct json_object *o, struct problem *why)
{
	static const struct { const char *name; enum json_type type; const char *is; } ours[] = {
		{ "x-mcp-content", json_type_boolean, "true or false" },
		{ "x-mcp-requires", json_type_object, "an object, as ClientCapabilities of MCP" },
	};
	struct json_object *output, *v;
	struct problem parser = { 0 };
	struct schema *s;

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		if (json_object_object_get_ex(o, ours[i].name, &v) && !json_object_is_type(v, ours[i].type))
			return refuse(why, "bad_schema", ROW_INPUT_SCHEMA, arena_printf(a, "/%s is not %s", ours[i].name,
				ours[i].is), "correct it, or leave it out");
	}
	if (!json_object_object_get_ex(o, "x-output-schema", &output))
		return 0;
	s = schema_compile(output, NULL, &parser);
	schema_free(s);
	return s ? 0 : refuse(why, "bad_schema", ROW_INPUT_SCHEMA, arena_printf(a, "/x-output-schema%s", parser.detail),
		"x-output-schema is a JSON Schema of the row's result");
}

/* What is wrong with the header that repeats the property, NULL: nothing. seen: names so far, in lower case. */
static const char *header_fault(struct arena *a, struct json_object *property, struct json_object *seen)
{
	static const char *const kinds[] = { "string", "number", "integer", "boolean" };
	struct str name = json_str(json_get(property, "x-mcp-header")), type = json_str(json_get(property, "type"));
	bool fits = !json_get(property, "type");
	char *lower;

	if (!authspec_header_part(name))
		return "the name behind Mcp-Param- is a token of at most 128 bytes";
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		fits = fits || str_is(type, kinds[i]);
	if (!fits)
		return "a header repeats a string, number, integer or boolean";
	lower = arena_str(a, name);
	for (char *p = lower; *p; p++)
		*p = ascii_lower(*p);
	if (json_object_object_get_ex(seen, lower, NULL))
		return "another property has that header";
	json_put_bool(seen, lower, true);
	return NULL;
}

/* The headers that MCP clients send, of properties and those inside of them. */
static int check_repeated(struct arena *a, struct json_object *schema, const char *at, struct json_object *seen,
	struct problem *why)
{
	struct json_object *properties = json_get(schema, "properties");

	if (!json_object_is_type(properties, json_type_object))
		return 0;
	json_object_object_foreach(properties, name, property) {
		const char *here = arena_printf(a, "%s/properties/%.64s", at, name), *fault = NULL;

		if (json_object_is_type(property, json_type_object) &&
		    json_object_object_get_ex(property, "x-mcp-header", NULL))
			fault = header_fault(a, property, seen);
		if (fault)
			return refuse(why, "bad_schema", ROW_INPUT_SCHEMA, arena_printf(a, "%s/x-mcp-header: %s", here, fault),
				"correct it, or leave it out: see TYPED ARGUMENTS in rowcall-row(5)");
		if (check_repeated(a, property, here, seen, why) < 0)
			return -1;
	}
	return 0;
}

_Static_assert(AUTHSPEC_HEADER_PART_MAX == 128, "the text of header_fault");

/* A schema that cannot be written out without references is refused too: its row could not be shown as a tool. */
static int rule_schema(struct arena *a, const struct row *r, struct problem *why)
{
	struct json_object *o, *type;
	struct problem parser = { 0 };
	struct buf plain = BUF_ARENA(a);
	struct schema *s;
	int rc;

	if (row_blank(r, ROW_INPUT_SCHEMA))
		return 0;
	if (json_parse(a, row_text(r, ROW_INPUT_SCHEMA), &o, &parser) < 0)
		return refuse(why, "bad_schema", ROW_INPUT_SCHEMA, parser.detail,
			"input_schema is a JSON Schema as JSON text");
	type = json_get(o, "type");
	if (!json_object_is_type(o, json_type_object) || (type && !str_is(json_str(type), "object")))
		return refuse(why, "bad_schema", ROW_INPUT_SCHEMA, "/type: the root is not an object",
			"the arguments of a row are an object: {\"type\":\"object\",\"properties\":{…}}");
	if (check_places(a, r, json_get(o, "properties"), why) < 0 || check_keywords(a, o, why) < 0 ||
	    check_repeated(a, o, "", arena_json(a, json_object_new_object()), why) < 0)
		return -1;
	s = schema_compile(o, NULL, why);
	rc = s ? schema_plain(s, &plain, why) : -1;
	if (rc < 0)
		problem_field(why, row_columns[ROW_INPUT_SCHEMA].name);
	schema_free(s);
	return rc;
}

static int rule_examples(struct arena *a, const struct row *r, struct problem *why)
{
	static const char fix[] =
		"examples is a JSON array of argument strings [\"37.77|-122.42\"], or of arrays of arguments";
	struct problem parser = { 0 };
	struct json_object *o;

	if (row_blank(r, ROW_EXAMPLES))
		return 0;
	if (json_parse(a, row_text(r, ROW_EXAMPLES), &o, &parser) < 0)
		return refuse(why, "bad_examples", ROW_EXAMPLES, parser.detail, fix);
	if (!json_object_is_type(o, json_type_array))
		return refuse(why, "bad_examples", ROW_EXAMPLES, "not an array", fix);
	for (size_t i = 0; i < json_object_array_length(o); i++) {
		struct json_object *item = json_object_array_get_idx(o, i);
		char detail[80];

		if (json_object_is_type(item, json_type_string) || json_object_is_type(item, json_type_array))
			continue;
		snprintf(detail, sizeof(detail), "/%zu: neither a string nor an array", i);
		return refuse(why, "bad_examples", ROW_EXAMPLES, detail, fix);
	}
	return 0;
}

static int rule_includes(struct arena *a, const struct row *r, struct problem *why)
{
	struct str name[CONTRACT_INCLUDES_MAX];
	size_t n = contract_includes(row_text(r, ROW_INCLUDES), name, CONTRACT_INCLUDES_MAX);

	(void)a;
	if (n > CONTRACT_INCLUDES_MAX)
		return refuse(why, "bad_includes", ROW_INCLUDES, "more than 32 blocks", "put several blocks into one");
	for (size_t i = 0; i < n; i++)
		if (!key_is_valid(name[i]))
			return refuse(why, "bad_includes", ROW_INCLUDES, "a name in it is no key",
				"includes is a comma-separated list of keys of prompt blocks");
	return 0;
}

_Static_assert(CONTRACT_INCLUDES_MAX == 32, "the text of rule_includes");
_Static_assert(ROW_N <= 32, "a bit per column");

#define BIT(c) (UINT32_C(1) << (c))

static const struct rule {
	uint32_t columns;               /* a change of one of them calls for it */
	int (*check)(struct arena *a, const struct row *r, struct problem *why);
} rules[] = {
	{ BIT(ROW_KEY), rule_key },
	{ BIT(ROW_TYPE), rule_type },
	{ BIT(ROW_TYPE) | BIT(ROW_TARGET), rule_target },
	{ BIT(ROW_TYPE) | BIT(ROW_CONTENT), rule_flow },
	{ BIT(ROW_AUTH), rule_auth },
	{ BIT(ROW_INPUT_SCHEMA), rule_schema },
	{ BIT(ROW_EXAMPLES), rule_examples },
	{ BIT(ROW_INCLUDES), rule_includes },
};

int validate_row(struct arena *a, const struct row *r, uint32_t changed, const struct secrets *secrets,
	struct problem *why)
{
	/* Known secrets first: so no parser's message repeats one that stands in what it refuses. */
	if (validate_secrets(a, r, changed, secrets, why) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if ((rules[i].columns & changed) && rules[i].check(a, r, why) < 0)
			return -1;
	return 0;
}

int validate_name(struct arena *a, const struct row *r, struct problem *why)
{
	return rule_key(a, r, why) < 0 ? -1 : rule_type(a, r, why);
}

/* Hygiene */

static bool no_description(const struct row *r)
{
	return row_blank(r, ROW_CONTENT);
}

static bool risk_without_schema(const struct row *r)
{
	return row_number(r, ROW_SENSITIVE) && row_blank(r, ROW_INPUT_SCHEMA);
}

static bool keyless_without_examples(const struct row *r)
{
	struct json_object *o = NULL;
	bool none;

	if (!row_blank(r, ROW_AUTH) || str_is(row_text(r, ROW_TARGET), "prompt_block") ||
		str_is(row_text(r, ROW_TYPE), "agent"))
		return false;
	if (row_blank(r, ROW_EXAMPLES))
		return true;
	none = json_parse(NULL, row_text(r, ROW_EXAMPLES), &o, NULL) == 0 && json_object_is_type(o, json_type_array) &&
		json_object_array_length(o) == 0;
	json_object_put(o);
	return none;
}

static const struct hygiene {
	const char *code;
	enum row_column column;
	bool (*violated)(const struct row *r);
	const char *fix;
} gate[] = {
	{ "missing_description", ROW_CONTENT, no_description,
		"content (the docstring and, behind it, the template) is required: write lines "
		"# WHAT: …, # WHEN_TO_USE: …, # ARGS: …, # OUTPUT: …, # EX: …" },
	{ "high_risk_missing_schema", ROW_INPUT_SCHEMA, risk_without_schema,
		"input_schema is required on a sensitive row: give a JSON Schema of its arguments in the same write" },
	{ "keyless_missing_examples", ROW_EXAMPLES, keyless_without_examples,
		"examples is required on a row without auth: give a JSON array with at least one argument string that "
		"works, [\"\"] when it takes none" },
};

const char *validate_hygiene(const struct row *r, struct problem *why)
{
	for (size_t i = 0; i < sizeof(gate) / sizeof(gate[0]); i++) {
		if (!gate[i].violated(r))
			continue;
		problem_set(why, 422, "registry_hygiene_refused: %s", gate[i].code);
		problem_field(why, row_columns[gate[i].column].name);
		problem_fix(why, "%s", gate[i].fix);
		return gate[i].code;
	}
	return NULL;
}
