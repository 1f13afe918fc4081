/* import/reduce.c: OpenAPI's schemas as plain JSON Schema. */
#include <string.h>
#include "import/reduce.h"
#include "schema/schema.h"
#include "tap.h"

static struct arena *arena;

static struct json_object *json(const char *text)
{
	struct json_object *o = NULL;
	struct problem why = { 0 };

	if (json_parse(arena, str_of(text), &o, &why) < 0)
		tap_diag("%s: %s", text, why.detail);
	return o;
}

static const char *text_of(struct json_object *o)
{
	struct buf b = BUF_ARENA(arena);

	json_text(&b, o);
	return buf_text(&b);
}

static const char document[] =
	"{\"c\":{\"A\":{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/c/A\"},\"n\":{\"type\":\"string\"}}},\"L\":{\"$ref\":\"#/c/L2\"},\"L2\":{\"$ref\":\"#/c/L\"},"
	"\"S\":{\"type\":\"string\",\"maxLength\":3},\"a~b/c\":{\"type\":\"integer\"}}}";

static const char *reduced(const char *schema)
{
	return text_of(arena_json(arena, reduce_schema(json(document), json(schema), 24, NULL)));
}

static const char *example(const char *schema)
{
	return text_of(arena_json(arena, reduce_example(json(schema))));
}

static const struct { const char *from, *to, *name; } cases[] = {
	{ "{\"type\":\"string\",\"xml\":{},\"discriminator\":{},\"x-own\":1,\"externalDocs\":{}}", "{\"type\":\"string\"}", "what JSON Schema does not have is left out" },
	{ "{\"type\":\"string\",\"nullable\":true,\"enum\":[\"a\"]}", "{\"type\":[\"string\",\"null\"],\"enum\":[\"a\",null]}", "nullable" },
	{ "{\"nullable\":true,\"allOf\":[{\"$ref\":\"#/c/S\"}]}", "{\"type\":[\"string\",\"null\"],\"maxLength\":3}", "nullable beside a reference" },
	{ "{\"nullable\":true,\"oneOf\":[{\"type\":\"string\"},{\"type\":\"integer\"}]}", "{\"anyOf\":[{\"oneOf\":[{\"type\":\"string\"},{\"type\":\"integer\"}]},{\"type\":\"null\"}]}", "nullable without a type" },
	{ "{\"type\":\"integer\",\"minimum\":0,\"exclusiveMinimum\":true,\"maximum\":9,\"exclusiveMaximum\":false}", "{\"type\":\"integer\",\"maximum\":9,\"exclusiveMinimum\":0}", "exclusive bounds of 3.0" },
	{ "{\"exclusiveMinimum\":0}", "{\"exclusiveMinimum\":0}", "and of 3.1" },
	{ "{\"type\":\"file\"}", "{}", "a type that there is not" },
	{ "{\"type\":[\"string\",\"null\"],\"example\":\"x\"}", "{\"type\":[\"string\",\"null\"],\"examples\":[\"x\"]}", "an example" },
	{ "{\"$ref\":\"#/c/S\",\"description\":\"mine\",\"maxLength\":99}", "{\"type\":\"string\",\"maxLength\":3,\"description\":\"mine\"}", "a reference, with the description beside it" },
	{ "{\"$ref\":\"#/c/a~0b~1c\"}", "{\"type\":\"integer\"}", "an escaped pointer" },
	{ "{\"$ref\":\"#/c/a~0b%7E1c\"}", "{\"type\":\"integer\"}", "also percent-encoded" },
	{ "{\"$ref\":\"#/c/none\"}", "{\"description\":\"Described elsewhere.\"}", "a reference to nothing" },
	{ "{\"$ref\":\"x.json\"}", "{\"description\":\"Described elsewhere.\"}", "one to another document" },
	{ "{\"$ref\":\"#/c/L\"}", "{\"description\":\"The same again; not described further.\"}", "references in a circle" },
	{ "{\"$ref\":\"#/c/A\"}", "{\"type\":\"object\",\"properties\":{\"a\":{\"description\":\"The same again; not described further.\"},\"n\":{\"type\":\"string\"}}}", "a schema that contains itself" },
	{ "{\"type\":\"object\",\"required\":[\"a\",\"b\",\"z\"],\"properties\":{\"a\":{\"readOnly\":true},\"b\":{}}}", "{\"type\":\"object\",\"properties\":{\"b\":{}},\"required\":[\"b\",\"z\"]}", "what is read only is not asked for" },
	{ "{\"required\":true,\"enum\":\"x\",\"allOf\":[],\"properties\":[],\"items\":[]}", "{}", "keywords of a wrong kind" },
	{ "true", "{}", "a schema that is true" },
	{ "{\"items\":false,\"additionalProperties\":true}", "{\"items\":false,\"additionalProperties\":true}", "subschemas that are" },
};

static const struct { const char *schema, *want, *name; } examples[] = {
	{ "{\"type\":\"string\"}", "\"text\"", "a text" },
	{ "{\"type\":\"string\",\"format\":\"date\"}", "\"2026-01-31\"", "by its format" },
	{ "{\"type\":\"integer\",\"minimum\":5}", "5", "a number within bounds" },
	{ "{\"type\":\"number\"}", "1.5", "a number" },
	{ "{\"default\":7,\"examples\":[8]}", "7", "the default" },
	{ "{\"examples\":[8,9],\"enum\":[1]}", "8", "an example" },
	{ "{\"enum\":[\"x\",\"y\"]}", "\"x\"", "a choice" },
	{ "{\"const\":null}", "null", "a constant" },
	{ "{\"type\":[\"boolean\",\"null\"]}", "true", "the first of the types" },
	{ "{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":{\"type\":\"array\",\"minItems\":1,\"items\":{\"type\":\"integer\"}},\"b\":{}}}", "{\"a\":[1]}", "an object with what is required" },
	{ "{\"allOf\":[{\"required\":[\"a\"],\"properties\":{\"a\":{\"type\":\"integer\"}}},{\"required\":[\"b\"],\"properties\":{\"b\":{\"type\":\"boolean\"}}}]}", "{\"a\":1,\"b\":true}", "from all of its parts" },
	{ "{\"oneOf\":[{\"type\":\"integer\"},{}]}", "1", "the first alternative" },
};

static void sizes(void)
{
	struct buf b = BUF_ARENA(arena);
	bool cut = false;

	/* Each level refers twice to the next: 2^30 schemas written out. */
	buf_puts(&b, "{\"c\":{\"S30\":{}");
	for (int i = 0; i < 30; i++)
		buf_printf(&b, ",\"S%d\":{\"properties\":{\"a\":{\"$ref\":\"#/c/S%d\"},\"b\":{\"$ref\":\"#/c/S%d\"}}}", i, i + 1, i + 1);
	buf_puts(&b, "}}");
	arena_json(arena, reduce_schema(json(buf_text(&b)), json("{\"$ref\":\"#/c/S0\"}"), 64, &cut));
	tap_ok(cut, "what would be endless is cut");
	cut = false;
	arena_json(arena, reduce_schema(json(document), json("{\"properties\":{\"a\":{\"properties\":{\"b\":{}}}}}"), 3, &cut));
	tap_ok(!cut, "three levels are three levels");
	arena_json(arena, reduce_schema(json(document), json("{\"properties\":{\"a\":{\"properties\":{\"b\":{}}}}}"), 2, &cut));
	tap_ok(cut, "two are cut");
}

int main(void)
{
	arena = arena_new();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		tap_is_str(reduced(cases[i].from), cases[i].to, cases[i].name);
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++)
		tap_is_str(example(examples[i].schema), examples[i].want, examples[i].name);
	sizes();
	arena_free(arena);
	return tap_done();
}
