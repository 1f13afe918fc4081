/* Unit tests of reading what MCP servers answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "call/mcp_message.h"
#include "tap.h"

static struct arena *arena;

/* The answer to request 7 in a stream that arrives in pieces of n bytes, or "" when there is none. */
static const char *streamed(struct str text, size_t n)
{
	struct mcp_stream s;

	arena_reset(arena);
	s = MCP_STREAM(arena, 7);
	for (size_t have = n; ; have += n) {
		if (mcp_message_stream(&s, str_make(text.p, have < text.n ? have : text.n)))
			return arena_str(arena, s.answer);
		if (have >= text.n)
			return "";
	}
}

static void test_stream(void)
{
#define ANSWER "{\"id\":7,\"x\":1}"
	static const struct { const char *name, *text, *want; } cases[] = {
		{ "an event", "data: " ANSWER "\n\n", ANSWER },
		{ "an event without a space", "data:" ANSWER "\n\n", ANSWER },
		{ "lines that end in CR LF", "data: " ANSWER "\r\n\r\n", ANSWER },
		{ "lines that end in CR", "data: " ANSWER "\r\r", ANSWER },
		{ "a byte order mark", "\xEF\xBB\xBF" "data: " ANSWER "\n\n", ANSWER },
		{ "several lines of data", "data: {\"id\":7,\ndata: \"x\":1}\n\n", "{\"id\":7,\n\"x\":1}" },
		{ "other fields and comments", ": x\nevent: message\nid: 3\nretry: 9\nfoo\ndata: " ANSWER "\n\n", ANSWER },
		{ "comments before", ": x\n\n: y\n\n\n\ndata: " ANSWER "\n\n", ANSWER },
		{ "what is for another", "data: {\"id\":8}\n\ndata: {\"id\":\"7\"}\n\ndata: {\"id\":7.0}\n\ndata: " ANSWER "\n\n", ANSWER },
		{ "a request with our id", "data: {\"id\":7,\"method\":\"ping\"}\n\ndata: " ANSWER "\n\n", ANSWER },
		{ "what is no JSON", "data: {\"id\":7\n\ndata: x\n\ndata:\n\ndata: " ANSWER "\n\n", ANSWER },
		{ "the first of two", "data: " ANSWER "\n\ndata: {\"id\":7,\"x\":2}\n\n", ANSWER },
		{ "no blank line: no event", "data: " ANSWER "\n", "" },
		{ "another field's name", "datas: " ANSWER "\n\n Data: " ANSWER "\n\ndata " ANSWER "\n\n", "" },
		{ "nothing", "", "" },
		{ "a JSON text", ANSWER, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool same = true;

		for (size_t n = 1; n <= 70; n++)
			same = same && strcmp(streamed(str_of(cases[i].text), n), cases[i].want) == 0;
		tap_ok(same, "a stream: %s, in pieces of any size", cases[i].name);
	}
}

/* "" when text is an answer to request 7, else what is wrong with it. */
static const char *read_as_answer(const char *text, struct mcp_answer *out)
{
	const char *fault;

	arena_reset(arena);
	fault = mcp_message_read(arena, str_of(text), 7, out);
	return fault ? fault : "";
}

static void test_answer(void)
{
	static const struct { const char *text, *fault; } bad[] = {
		{ "{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{}}", "the answer to another request" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":\"7\",\"result\":{}}", "the answer to another request" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}", "the answer to another request" },
		{ "{\"jsonrpc\":\"2.0\",\"result\":{}}", "the answer to another request" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":8,\"error\":{\"code\":1}}", "the answer to another request" },
		{ "{\"id\":7,\"result\":{}}", "no answer of JSON-RPC 2.0" },
		{ "{\"jsonrpc\":\"1.0\",\"id\":7,\"result\":{}}", "no answer of JSON-RPC 2.0" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}", "no answer of JSON-RPC 2.0" },
		{ "[]", "no answer of JSON-RPC 2.0" },
		{ "7", "no answer of JSON-RPC 2.0" },
		{ "null", "no answer of JSON-RPC 2.0" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":7}", "a result that is no object" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":[1]}", "a result that is no object" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{}}", "an error without a code" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":\"1\"}}", "an error without a code" },
	};
	struct mcp_answer a;

	tap_is_str(read_as_answer("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"a\":1}}", &a), "", "a result is an answer");
	tap_ok(json_object_get_int64(json_get(a.result, "a")) == 1, "and is there");
	tap_is_str(read_as_answer("{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-5,\"message\":\"m\",\"data\":[]}}", &a), "",
		"an error is one");
	tap_ok(!a.result && a.code == -5 && str_is(a.message, "m") && a.data, "with code, message and data");
	tap_is_str(read_as_answer("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-5}}", &a), "",
		"an error may have no id");
	tap_ok(!a.message.p && !a.data, "nor message and data");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		tap_is_str(read_as_answer(bad[i].text, &a), bad[i].fault, bad[i].text);
	tap_ok(*read_as_answer("{\"jsonrpc\":\"2.0\",\"id\":7", &a), "half a text is none");
}

static void test_result(void)
{
	static const struct { const char *json, *want; bool error; } cases[] = {
		{ "{\"content\":[{\"type\":\"text\",\"text\":\"one\"},{\"type\":\"text\",\"text\":\"two\"}]}", "one\ntwo", false },
		{ "{\"content\":[{\"type\":\"text\",\"text\":\"one\\n\"},{\"type\":\"text\",\"text\":\"two\"}]}", "one\ntwo", false },
		{ "{\"content\":[{\"type\":\"text\",\"text\":\"{}\"}],\"structuredContent\":{\"a\":[1]}}", "{\"a\":[1]}", false },
		{ "{\"content\":[],\"structuredContent\":7,\"isError\":false}", "7", false },
		{ "{\"content\":[],\"structuredContent\":null}", "null", false },
		{ "{\"content\":[{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"QUJD\"}],\"structuredContent\":{}}",
			"{}\ndata:image/png;base64,QUJD", false },
		{ "{\"content\":[{\"type\":\"audio\",\"mimeType\":\"audio/wav\",\"data\":\"QUJD\"}]}", "data:audio/wav;base64,QUJD", false },
		{ "{\"content\":[{\"type\":\"image\",\"mimeType\":\"a b\",\"data\":\"Q!\"}]}", "data:application/octet-stream;base64,", false },
		{ "{\"content\":[{\"type\":\"image\"}]}", "data:application/octet-stream;base64,", false },
		{ "{\"content\":[{\"type\":\"resource_link\",\"uri\":\"x://y\"}]}", "x://y", false },
		{ "{\"content\":[{\"type\":\"resource\",\"resource\":{\"text\":\"t\"}}]}", "t", false },
		{ "{\"content\":[{\"type\":\"resource\",\"resource\":{\"blob\":\"QUJD\",\"mimeType\":\"a/b\"}}]}", "data:a/b;base64,QUJD", false },
		{ "{\"content\":[{\"type\":\"resource\"},{\"type\":\"text\"},{\"type\":\"x\"},{},7,null]}", "", false },
		{ "{\"content\":\"text\",\"isError\":true}", "", true },
		{ "{}", "", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct json_object *o = NULL;
		struct buf b;

		arena_reset(arena);
		b = BUF_ARENA(arena);
		json_parse(arena, str_of(cases[i].json), &o, NULL);
		mcp_message_text(&b, o);
		tap_is_str(buf_text(&b), cases[i].want, cases[i].json);
		tap_ok(mcp_message_is_error(o) == cases[i].error, "… and whether it is an error");
	}
}

static void test_header_value(void)
{
	static const struct { const char *value, *want; } cases[] = {
		{ "plain-name", "plain-name" },
		{ "two words", "two words" },
		{ "", "=?base64?" "?=" },
		{ " x", "=?base64?IHg=?=" },
		{ "x\t", "=?base64?eAk=?=" },
		{ "gr\xC3\xBC\xC3\x9F", "=?base64?Z3LDvMOf?=" },
		{ "a\nb", "=?base64?YQpi?=" },
		{ "=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?=" },
		{ "=?base64?=", "=?base64?=" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		tap_is_str(arena_str(arena, mcp_message_header(arena, str_of(cases[i].value))), cases[i].want, cases[i].want);
}

static void note_header(void *ctx, struct str name, struct str value)
{
	buf_putstr(ctx, str_skip(name, strlen("Mcp-Param-")));
	buf_putstr(ctx, value.p ? str_of("=") : str_of(" is none"));
	buf_putstr(ctx, value);
	buf_putc(ctx, ';');
}

static void test_params(void)
{
	static const char schema[] = "{\"properties\":{\"a\":{\"x-mcp-header\":\"A\"},\"b\":{\"properties\":{\"c\":{\"x-mcp-header\":\"C\"}}},"
		"\"d\":{\"x-mcp-header\":\"a b\"},\"e\":{\"x-mcp-header\":\"E\"},\"f\":{\"x-mcp-header\":7},\"g\":{\"x-mcp-header\":\"G\"},"
		"\"h\":{\"x-mcp-header\":\"H\"}}}";
	static const char values[] = "{\"a\":\"x\",\"b\":{\"c\":7},\"d\":\"no\",\"e\":null,\"f\":\"no\",\"g\":[1],\"h\":true,\"i\":\"no\"}";
	struct json_object *s = NULL, *v = NULL;
	struct buf b;

	arena_reset(arena);
	b = BUF_ARENA(arena);
	json_parse(arena, str_of(schema), &s, NULL);
	json_parse(arena, str_of(values), &v, NULL);
	mcp_message_params(s, v, note_header, &b);
	tap_is_str(buf_text(&b), "A=x;C=7;E is none;G is none;H=true;", "arguments that a schema marks are headers too");
	buf_clear(&b);
	mcp_message_params(NULL, v, note_header, &b);
	tap_is_str(buf_text(&b), "", "without a schema there are none");
	mcp_message_params(s, NULL, note_header, &b);
	tap_is_str(buf_text(&b), "A is none;C is none;E is none;G is none;H is none;", "without arguments each is none");
}

/* A text that is like an answer in places: pieces of the language put together at random, some bytes changed. */
static struct str nonsense(struct buf *b)
{
	static const char *const piece[] = {
		"data: ", "data:", "\n", "\r", "\r\n", "\n\n", ": c\n", "event: x\n", "{\"jsonrpc\":\"2.0\",\"id\":7,", "\"result\":{", "}}",
		"\"content\":[", "{\"type\":\"text\",\"text\":\"", "\"}", "]", "\"error\":{\"code\":", "-1}", "\"structuredContent\":",
		"{\"type\":\"image\",\"data\":\"QQ==\"}", "{\"type\":\"resource\",\"resource\":{\"blob\":\"", "\xEF\xBB\xBF", "[[[[", "null", ",", "\"isError\":true",
	};

	buf_clear(b);
	for (int n = rand() % 30; n >= 0; n--)
		buf_puts(b, piece[(size_t)rand() % (sizeof(piece) / sizeof(*piece))]);
	for (int n = rand() % 4; n > 0 && b->len; n--)
		b->data[(size_t)rand() % b->len] = (char)rand();
	return buf_str(b);
}

static void test_nonsense(void)
{
	struct buf text = BUF_MALLOC;
	unsigned found = 0;

	srand(4711);
	for (int i = 0; i < 20000; i++) {
		struct str s = nonsense(&text), copy;
		struct mcp_answer answer;
		struct buf out;

		found += *streamed(s, 1 + (size_t)rand() % 40) != 0;
		arena_reset(arena);
		out = BUF_ARENA(arena);
		copy = arena_copy(arena, s);
		if (!mcp_message_read(arena, copy, 7, &answer))
			mcp_message_text(&out, answer.result);
		mcp_message_text(&out, NULL);
		mcp_message_header(arena, copy);
	}
	buf_free(&text);
	tap_ok(true, "20000 texts of nonsense do no harm (%u had an answer in them)", found);
}

int main(void)
{
	arena = arena_new();
	test_stream();
	test_answer();
	test_result();
	test_header_value();
	test_params();
	test_nonsense();
	arena_free(arena);
	return tap_done();
}
