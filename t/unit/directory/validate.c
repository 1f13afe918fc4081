/* The rules at the write, one by one, and the hygiene gate. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "directory/validate.h"
#include "lang/authspec.h"
#include "tap.h"

static struct arena *a;
static struct secrets *secrets;
static struct problem why;

/* A row of key K from column name and text in turn, NULL at the end. */
static struct row row_of(const char *const *pair)
{
	struct row r;

	row_defaults(&r);
	r.v[ROW_KEY] = (struct row_value){ .text = str_of("K") };
	for (; *pair; pair += 2) {
		int c = row_column_of(str_of(pair[0]));

		if (row_columns[c].number)
			r.v[c] = (struct row_value){ .number = atoi(pair[1]) };
		else
			r.v[c] = (struct row_value){ .text = str_of(pair[1]) };
	}
	return r;
}

struct expectation { const char *pair[11], *error, *field, *name; };

static const struct expectation rules[] = {
	{ { "type", "fn", "target", "no_such_function" }, NULL, NULL, "an unknown function is told when it runs" },
	{ { "type", "http", "target", "GET https://x.example/$1" }, NULL, NULL, "a target is METHOD and url" },
	{ { "type", "FN" }, "bad_type", "type", "types are exact" },
	{ { "type", "fn", "key", "9A" }, "bad_key", "key", "a key does not begin with a digit" },
	{ { "type", "fn", "key", "p\xd0\xb0y" }, "bad_key", "key", "a letter that only looks like ASCII is refused" },
	{ { "type", "fn", "key", "pay\xe2\x80\x8b" }, "bad_key", "key", "a zero-width character is refused" },
	{ { "type", "fn", "key", "pay\xe2\x80\xae" }, "bad_key", "key", "a direction change is refused" },
	{ { "type", "fn", "key", "weather.today" }, "bad_key", "key", "a dot is refused" },
	{ { "type", "fn", "key", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" }, "bad_key",
		"key", "65 characters are refused" },
	{ { "type", "http" }, "bad_target", "target", "an http row has a target" },
	{ { "type", "http", "target", "GET ftp://x.example/" }, "bad_target", "target", "another scheme is refused" },
	{ { "type", "http", "target", "GET https://$1/" }, "bad_target", "target", "no argument decides the host" },
	{ { "type", "http", "target", "GET http://ok@evil/" }, "bad_target", "target", "user info is refused" },
	{ { "type", "http", "target", "target_map:{\"a\":\"GET https://x.example/\"}" }, NULL, NULL,
		"a target_map is taken" },
	{ { "type", "http", "target", "target_map:{\"a\":\"GET https://$1/\"}" }, "bad_target", "target",
		"and each of its targets checked" },
	{ { "type", "fn", "auth", "apikey:X" }, "bad_auth", "auth", "an unknown form of auth is refused" },
	{ { "type", "fn", "auth", "headers:{\"x-api-key\":\"$KEY\",\"accept\":\"text/plain\"}" }, NULL, NULL,
		"headers may name variables" },
	{ { "type", "fn", "auth", "headers:{\"Authorization\":\"Bearer abcdefgh\"}" }, "secret_in_row", "auth",
		"an authorization header names a variable" },
	{ { "type", "fn", "auth", "headers:{\"Cookie\":\"s=1\"}" }, "secret_in_row", "auth", "so does a cookie" },
	{ { "type", "fn", "auth", "headers:{\"X-My-Key\":\"$ 1\"}" }, "secret_in_row", "auth",
		"a lone dollar sign names nothing" },
	{ { "type", "fn", "auth", "headers:{\"x-token-id\":\"abc\"}" }, "secret_in_row", "auth",
		"so does anything with token in its name" },
	{ { "type", "fn", "input_schema", "{\"type\":\"object\",\"properties\":{}}" }, NULL, NULL,
		"a schema of an object is taken" },
	{ { "type", "fn", "input_schema", "{\"properties\":{}}" }, NULL, NULL, "one that does not say so too" },
	{ { "type", "fn", "input_schema", "{\"type\":\"array\"}" }, "bad_schema", "input_schema",
		"a schema of an array is refused" },
	{ { "type", "fn", "input_schema", "{\"type\":[\"object\",\"null\"]}" }, "bad_schema", "input_schema",
		"one of an object or null is refused" },
	{ { "type", "fn", "input_schema", "true" }, "bad_schema", "input_schema", "one without a root is refused" },
	{ { "type", "fn", "input_schema", "{" }, "bad_schema", "input_schema", "what is no JSON is refused" },
	{ { "type", "fn", "input_schema", "{\"type\":\"object\",\"type\":\"object\"}" }, "bad_schema", "input_schema",
		"a name given twice is refused" },
	{ { "type", "fn", "input_schema", "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"nonsense\"}}}" },
		"bad_schema", "input_schema", "a type that does not exist is refused" },
	{ { "type", "fn", "input_schema", "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/nowhere\"}}}" },
		"bad_schema", "input_schema", "a $ref to nowhere is refused" },
	{ { "type", "fn", "input_schema", "{\"properties\":{\"a\":{\"$ref\":\"https://x.test/schema.json\"}}}" },
		"bad_schema", "input_schema", "one into the network too" },
	{ { "type", "fn", "input_schema", "{\"$ref\":\"#\"}" }, "bad_schema", "input_schema",
		"one that goes round without end too" },
	{ { "type", "fn", "input_schema", "{\"properties\":{\"a\":{\"$ref\":\"#\"}}}" }, "bad_schema", "input_schema",
		"and a schema that contains itself" },
	{ { "type", "fn", "input_schema",
		  "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/x\"}},\"$defs\":{\"x\":{\"type\":\"string\"}}}" },
		NULL, NULL, "another $ref within the schema is taken" },
	{ { "type", "fn", "examples", "[\"a|b\",[\"a\",1]]" }, NULL, NULL, "examples are strings and arrays" },
	{ { "type", "fn", "examples", "\"a\"" }, "bad_examples", "examples", "examples are an array" },
	{ { "type", "fn", "examples", "[1]" }, "bad_examples", "examples", "of strings or arrays" },
	{ { "type", "fn", "examples", "[\"\\ud800\"]" }, "bad_examples", "examples",
		"half a surrogate pair is refused" },
	{ { "type", "agent", "includes", "A, B_1" }, NULL, NULL, "includes are keys" },
	{ { "type", "agent", "includes", "A, B-1" }, "bad_includes", "includes", "and nothing else" },
	{ { "type", "agent", "includes", "A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A" },
		"bad_includes", "includes", "33 are too many" },
	{ { "type", "fn", "content", "x sekret-4711-value y" }, "secret_in_row", "content",
		"a known value is found in content" },
	{ { "type", "fn", "category", "c2VrcmV0LTQ3MTEtdmFsdWU=" }, "secret_in_row", "category",
		"also as base64, in any column" },
	{ { "type", "http", "target", "GET https://sekret-4711-value@x.example/" }, "secret_in_row", "target",
		"before another rule speaks of it" },
};

static void check_rules(void)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		const struct expectation *x = &rules[i];
		struct row r = row_of(x->pair);
		int rc;

		memset(&why, 0, sizeof(why));
		rc = validate_row(a, &r, UINT32_MAX, secrets, &why);
		if (!tap_ok(x->error ? rc == -1 && why.status == 422 && strcmp(why.error, x->error) == 0 &&
					    strcmp(why.field, x->field) == 0
				     : rc == 0,
			    "%s", x->name))
			tap_diag("got %d: %d %s %s: %s", rc, why.status, why.error, why.field, why.detail);
		if (strstr(why.detail, "sekret") || strstr(why.how_to_fix, "sekret"))
			tap_ok(false, "no text of a refusal holds the secret");
	}
}

#define HEADER(type, name) "{" type "\"x-mcp-header\":" name "}"
#define HEADERS(one, two) "{\"properties\":{\"a\":" one ",\"b\":" two "}}"

/* Headers that repeat a property: names of headers, one each, of what fits into a header. */
static void repeated_headers(void)
{
	static const struct { const char *schema, *fault; } cases[] = {
		{ HEADERS(HEADER("\"type\":\"string\",", "\"City\""), HEADER("\"type\":\"boolean\",", "\"Days\"")), NULL },
		{ HEADERS(HEADER("", "\"City\""), "{\"type\":\"object\"}"), NULL },
		{ HEADERS(HEADER("", "\"City\""), HEADER("", "\"cITY\"")), "/properties/b/x-mcp-header: another property has that header" },
		{ HEADERS(HEADER("", "\"City\""), "{\"properties\":{\"c\":" HEADER("", "\"city\"") "}}"),
			"/properties/b/properties/c/x-mcp-header: another property has that header" },
		{ HEADERS(HEADER("\"type\":\"object\",", "\"City\""), "{}"),
			"/properties/a/x-mcp-header: a header repeats a string, number, integer or boolean" },
		{ HEADERS(HEADER("\"type\":[\"string\",\"null\"],", "\"City\""), "{}"),
			"/properties/a/x-mcp-header: a header repeats a string, number, integer or boolean" },
		{ HEADERS(HEADER("", "\"a b\""), "{}"),
			"/properties/a/x-mcp-header: the name behind Mcp-Param- is a token of at most 128 bytes" },
		{ HEADERS(HEADER("", "\"\""), "{}"),
			"/properties/a/x-mcp-header: the name behind Mcp-Param- is a token of at most 128 bytes" },
		{ HEADERS(HEADER("", "7"), "{}"),
			"/properties/a/x-mcp-header: the name behind Mcp-Param- is a token of at most 128 bytes" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *pair[] = { "type", "fn", "input_schema", cases[i].schema, NULL };
		struct row r = row_of(pair);
		int rc;

		memset(&why, 0, sizeof(why));
		rc = validate_row(a, &r, row_bit(ROW_INPUT_SCHEMA), secrets, &why);
		tap_ok(rc == (cases[i].fault ? -1 : 0), "%s is %s", cases[i].schema, cases[i].fault ? "refused" : "taken");
		tap_is_str(why.detail, cases[i].fault ? cases[i].fault : "", "and it is said why");
	}
	for (int n = AUTHSPEC_HEADER_PART_MAX - 1; n <= AUTHSPEC_HEADER_PART_MAX + 1; n++) {
		char name[AUTHSPEC_HEADER_PART_MAX + 2] = { 0 };
		const char *pair[] = { "type", "fn", "input_schema", NULL, NULL };
		struct row r;

		memset(name, 'a', (size_t)n);
		pair[3] = arena_printf(a, "{\"properties\":{\"a\":{\"x-mcp-header\":\"%s\"}}}", name);
		r = row_of(pair);
		tap_ok(validate_row(a, &r, row_bit(ROW_INPUT_SCHEMA), secrets, &why) == (n > AUTHSPEC_HEADER_PART_MAX ? -1 : 0),
			"a name of %d bytes", n);
	}
}

static void only_what_changed(void)
{
	static const char *const pair[] = { "type", "http", "target", "bad", "input_schema", "{", "category", "c",
		NULL };
	struct row r = row_of(pair);

	tap_is_int(validate_row(a, &r, row_bit(ROW_CATEGORY), secrets, &why), 0,
		"a column that does not change is not judged");
	tap_is_int(validate_row(a, &r, row_bit(ROW_TYPE), secrets, &why), -1, "a change of type calls for the target");
	tap_is_str(why.error, "bad_target", "which is named");
}

static const struct expectation gate[] = {
	{ { "type", "fn", "content", "# WHAT: x", "examples", "[\"\"]" }, NULL, NULL,
		"a described row with examples complies" },
	{ { "type", "fn", "content", " \n", "sensitive", "1" }, "registry_hygiene_refused: missing_description",
		"content", "blank content comes first" },
	{ { "type", "fn", "content", "x", "sensitive", "1" }, "registry_hygiene_refused: high_risk_missing_schema",
		"input_schema", "then the schema" },
	{ { "type", "fn", "content", "x" }, "registry_hygiene_refused: keyless_missing_examples", "examples",
		"then the examples" },
	{ { "type", "fn", "content", "x", "examples", "[]" }, "registry_hygiene_refused: keyless_missing_examples",
		"examples", "an empty list is none" },
	{ { "type", "fn", "content", "x", "auth", "bearer:X" }, NULL, NULL, "a row with auth needs no examples" },
	{ { "type", "fn", "content", "x", "target", "prompt_block" }, NULL, NULL, "nor does a prompt block" },
	{ { "type", "agent", "content", "x" }, NULL, NULL, "nor does an agent" },
};

static void check_gate(void)
{
	for (size_t i = 0; i < sizeof(gate) / sizeof(gate[0]); i++) {
		const struct expectation *x = &gate[i];
		struct row r = row_of(x->pair);
		const char *code = validate_hygiene(&r, &why);

		tap_ok(x->error ? code && why.status == 422 && strcmp(why.error, x->error) == 0 &&
					strcmp(why.field, x->field) == 0
				: !code,
			"%s", x->name);
		tap_ok((validate_hygiene(&r, NULL) != NULL) == (x->error != NULL), "and is told without a problem too");
	}
	validate_hygiene(&(struct row){ .v[ROW_CONTENT].null = true }, &why);
	tap_ok(strncmp(why.how_to_fix, "content (the docstring", 22) == 0, "how_to_fix begins as the article has it");
}

int main(void)
{
	char path[] = "/tmp/rowcall-t-validate-XXXXXX";
	int fd = mkstemp(path);

	a = arena_new();
	dprintf(fd, "TERMINAL_KEY=owner-key-of-24-characters-or-more\nWEATHER_KEY=sekret-4711-value\n");
	fchmod(fd, 0600);
	close(fd);
	secrets = secret_open(path, &why);
	if (!tap_ok(secrets != NULL, "secrets are there"))
		tap_diag("%s", why.detail);
	unlink(path);
	check_rules();
	repeated_headers();
	only_what_changed();
	check_gate();
	secret_close(secrets);
	arena_free(a);
	return tap_done();
}
