/* import/tools.c: tools of MCP servers as rows. */
#include <string.h>
#include "fixture.h"
#include "import/tools.h"

static void convert(const char *tools, const struct tools_wishes *w)
{
	struct json_object *o = NULL;
	struct problem why = { 0 };

	arena_reset(arena);
	draft_init(&d, arena);
	if (json_parse(arena, str_of(tools), &o, &why) < 0)
		tap_diag("%s: %s", tools, why.detail);
	tools_convert(&d, o, w);
}

static const char *column(size_t i, const char *name)
{
	struct json_object *o = json_get(json_object_array_get_idx(d.rows, i), name);

	return json_object_is_type(o, json_type_string) ? json_object_get_string(o) : text_of(o);
}

static void rows(void)
{
	struct tools_wishes w = { .url = "https://mcp.forge.test/mcp", .auth = "bearer:FORGE_TOKEN" };

	convert("[{\"name\":\"searchIssues\",\"description\":\"Finds\\nissues.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"},\"q\":{\"type\":\"string\"}},\"required\":[\"q\"]},"
		"\"annotations\":{\"readOnlyHint\":true,\"idempotentHint\":false}},{\"name\":\"search_issues\",\"inputSchema\":{\"type\":\"object\"}},{\"inputSchema\":{}},{\"name\":\"a$1\",\"inputSchema\":{\"type\":\"array\"}},5]", &w);
	tap_is_int((int64_t)json_object_array_length(d.rows), 2, "each tool is a row");
	tap_is_str(column(0, "key"), "FORGE_SEARCH_ISSUES", "its key");
	tap_is_str(column(0, "content"), "# WHAT: Finds issues.\n# EX: [FORGE_SEARCH_ISSUES]|text[/FORGE_SEARCH_ISSUES]\n# SAFE: yes\n# IDEMPOTENT: no\n[\"https://mcp.forge.test/mcp\",\"searchIssues\"]", "its content");
	tap_is_str(column(0, "auth"), "bearer:FORGE_TOKEN", "the credential");
	tap_is_str(column(0, "input_schema"), "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"},\"q\":{\"type\":\"string\"}},\"required\":[\"q\"],\"x-strict\":true,\"x-source\":\"mcp:https://mcp.forge.test/mcp\"}", "its schema");
	tap_ok(strstr(column(1, "content"), "[\"https://mcp.forge.test/mcp\",\"a\\u00241\"]") != NULL, "a $ of a name is no slot");
	tap_is_str(column(1, "input_schema"), "{\"type\":\"object\",\"x-strict\":true,\"x-source\":\"mcp:https://mcp.forge.test/mcp\"}", "a schema of no object is left out");
	tap_is_str(text_of(d.notes), "[{\"at\":\"search_issues\",\"what\":\"its key FORGE_SEARCH_ISSUES is taken\",\"lost\":true},{\"at\":\"tool 3, tool 5\",\"what\":\"has no name\",\"lost\":true,\"count\":2},"
		   "{\"at\":\"a$1\",\"what\":\"its schema is left out: it is no JSON Schema of an object\",\"lost\":true}]", "what is left out is told");
	tap_is_int((int64_t)invalid(), 0, "every row is one that the API takes");
}

static void random_tools(void)
{
	static const char *const piece[] = { "null", "5", "\"x\"", "[]", "{}", "{\"type\":\"object\"}", "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#\"}}}", "{\"type\":\"object\",\"properties\":5}",
		"{\"type\":\"object\",\"required\":[\"a\",5],\"properties\":{\"a\":{\"enum\":[\"a|b\"]}}}", "{\"type\":\"object\",\"pattern\":\"(\"}" };
	struct tools_wishes w = { .url = "http://e.test/$1", .prefix = "p" };
	unsigned seed = 3;
	size_t bad = 0;

	for (int i = 0; i < 2000; i++) {
		struct buf b = BUF_MALLOC;
		static const char *const name[] = { "name", "description", "inputSchema", "annotations" };

		buf_putc(&b, '[');
		for (int t = 0; t < 3; t++) {
			buf_puts(&b, t ? ",{" : "{");
			for (size_t k = 0; k < 4; k++) {
				seed = seed * 1103515245u + 12345u;
				buf_printf(&b, "%s\"%s\":%s", k ? "," : "", name[k], piece[(seed >> 16) % (sizeof(piece) / sizeof(piece[0]))]);
			}
			buf_putc(&b, '}');
		}
		buf_putc(&b, ']');
		convert(buf_text(&b), &w);
		bad += invalid();
		buf_free(&b);
	}
	tap_is_int((int64_t)bad, 0, "2,000 random lists become rows that the API takes");
}

int main(void)
{
	arena = arena_new();
	rows();
	random_tools();
	arena_free(arena);
	return tap_done();
}
