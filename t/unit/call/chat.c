/* What is sent to a chat endpoint, and what its answers mean. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "call/chat.h"
#include "tap.h"

static struct arena *arena;

/* Text, error and tokens of an answer, as one text. */
static const char *read_answer(int status, const char *type, const char *body)
{
	struct outbound_response r = {
		.status = status, .body = str_of(body), .content_type = str_of(type), .retry_after = str_of(""),
	};
	struct chat_answer a;

	chat_read(arena, &r, 401, &a);
	return arena_printf(arena, "%.*s|%.*s|%lld,%lld", (int)a.text.n, a.text.p ? a.text.p : "", (int)a.error.n,
		a.error.p ? a.error.p : "", (long long)a.tokens_in, (long long)a.tokens_out);
}

static const char *json(const char *body)
{
	return read_answer(200, "application/json", body);
}

#define SAYS(content) "{\"choices\":[{\"message\":{\"content\":" content "}}]}"
#define ENDS(reason) "{\"choices\":[{\"finish_reason\":" reason ",\"message\":{\"content\":\"hi\"}}]}"

static void answers(void)
{
	static const struct { const char *body, *want; } cases[] = {
		{ SAYS("\"hi\""), "hi||101,1" },
		{ SAYS("\" h\\u0069 \""), " hi ||101,1" },
		{ "{\"choices\":[{\"message\":{\"content\":\"a\"}},{\"message\":{\"content\":\"b\"}}],"
		  "\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":0}}", "a||7,0" },
		{ SAYS("[{\"type\":\"text\",\"text\":\"a\"},{\"text\":5},7,null,{\"text\":\"b\"}]"), "ab||101,1" },
		{ SAYS("null"), "|ERR:agent:200:the answer has no text|101,0" },
		{ SAYS("\" \\n \""), "|ERR:agent:200:the answer has no text|101,1" },
		{ SAYS("5"), "|ERR:agent:200:the answer has no text|101,0" },
		{ SAYS("[]"), "|ERR:agent:200:the answer has no text|101,0" },
		{ SAYS("{\"text\":\"a\"}"), "|ERR:agent:200:the answer has no text|101,0" },
		{ "{\"choices\":[]}", "|ERR:agent:200:the answer has no choices|101,0" },
		{ "{\"choices\":{}}", "|ERR:agent:200:the answer has no choices|101,0" },
		{ "{\"choices\":[null]}", "|ERR:agent:200:the answer has no choices|101,0" },
		{ "{\"choices\":[[]]}", "|ERR:agent:200:the answer has no text|101,0" },
		{ "{\"choices\":[{\"message\":\"hi\"}]}", "|ERR:agent:200:the answer has no text|101,0" },
		{ "[]", "|ERR:agent:200:the answer has no choices|101,0" },
		{ "null", "|ERR:agent:200:the answer has no choices|101,0" },
		{ "{\"error\":{\"message\":\"m\"}}", "|ERR:agent:200:m|0,0" },
		{ "{\"error\":\"e\"}", "|ERR:agent:200:e|0,0" },
		{ ENDS("\"stop\""), "hi||101,1" }, { ENDS("null"), "hi||101,1" }, { ENDS("7"), "hi||101,1" },
		{ ENDS("\"length\""), "|ERR:agent:truncated:length|101,1" },
		{ ENDS("\"max_tokens\""), "|ERR:agent:truncated:max_tokens|101,1" },
		{ ENDS("\"content_filter\""), "|ERR:agent:truncated:content_filter|101,1" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		tap_is_str(json(cases[i].body), cases[i].want, "an answer");
	tap_ok(strncmp(json("{\"choices\":"), "|ERR:agent:200:the answer is no JSON: ", 38) == 0, "half a text");
	tap_ok(strncmp(json(SAYS("\"\\ud800\"")), "|ERR:agent:200:the answer is no JSON: ", 38) == 0, "half a character");
	tap_ok(strncmp(json(""), "|ERR:agent:200:the answer is no JSON: ", 38) == 0, "nothing");
}

static void tokens(void)
{
	static const struct { const char *in, *out, *want; } cases[] = {
		{ "0", "0", "hi||0,0" }, { "-1", "-1", "hi||101,1" }, { "10000000", "10000000", "hi||10000000,10000000" },
		{ "10000001", "10000001", "hi||101,1" }, { "1.0", "\"1\"", "hi||101,1" }, { "null", "{}", "hi||101,1" },
		{ "9223372036854775807", "1e300", "hi||101,1" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		tap_is_str(json(arena_printf(arena, "{\"choices\":[{\"message\":{\"content\":\"hi\"}}],\"usage\":{\"prompt_tokens\":%s,"
			"\"completion_tokens\":%s}}", cases[i].in, cases[i].out)), cases[i].want, "usage");
}

static void failures(void)
{
	char long_message[1000] = "", want[400];
	struct outbound_response r = { .status = 200, .body = str_of("{"), .cut = true, .content_type = str_of("") };
	struct chat_answer a;

	tap_is_str(read_answer(500, "application/json", "{\"error\":{\"message\":\"no\\nway\"}}"), "|ERR:agent:500:no\\x0away|0,0",
		"an error with its message, in one line");
	tap_is_str(read_answer(404, "application/json", "{\"message\":\"no such model\"}"), "|ERR:agent:404:no such model|0,0",
		"as others write it");
	tap_is_str(read_answer(502, "text/html", "<html>"), "|ERR:agent:502:the endpoint does not say why (text/html)|0,0",
		"a page is not repeated");
	tap_is_str(read_answer(302, "", SAYS("\"hi\"")), "|ERR:agent:302:the endpoint does not say why ()|0,0",
		"no status but 2xx is an answer");
	tap_is_str(read_answer(200, "Text/Event-Stream; charset=utf-8", "data: {}"),
		"|ERR:agent:200:the answer is a stream (text/event-stream), which was not asked for|0,0", "a stream");
	memset(long_message, 'm', sizeof(long_message) - 1);
	snprintf(want, sizeof(want), "|ERR:agent:500:%.*s|0,0", CHAT_MESSAGE_MAX, long_message);
	tap_is_str(read_answer(500, "", arena_printf(arena, "{\"error\":\"%s\"}", long_message)), want, "a long message is cut");
	chat_read(arena, &r, 1, &a);
	tap_is_str(arena_str(arena, a.error), "ERR:agent:200:the answer is over 1 bytes", "an answer that was cut");
	snprintf(r.error, sizeof(r.error), "ERR:http:fetch:h: timed out after 5 ms");
	chat_read(arena, &r, 1, &a);
	tap_ok(!a.text.p && str_is(a.error, "ERR:agent:fetch:h: timed out after 5 ms"), "one that did not come");
}

static void pauses(void)
{
	char date[64];
	time_t t = time(NULL) + 10;
	int64_t ms;

	tap_is_int(chat_pause_ms(str_of("")), -1, "no Retry-After");
	tap_is_int(chat_pause_ms(str_of("0")), 0, "at once");
	tap_is_int(chat_pause_ms(str_of("20")), 20000, "seconds");
	tap_is_int(chat_pause_ms(str_of("999999999")), INT64_C(999999999000), "very many");
	tap_is_int(chat_pause_ms(str_of("9999999999")), -1, "too many");
	tap_is_int(chat_pause_ms(str_of("1.5")), -1, "no whole number");
	tap_is_int(chat_pause_ms(str_of("-1")), -1, "a negative one");
	tap_is_int(chat_pause_ms(str_of("soon")), -1, "a word");
	strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", gmtime(&t));
	ms = chat_pause_ms(str_of(date));
	tap_ok(ms > 5000 && ms <= 10000, "a date");
	tap_ok(chat_pause_ms(str_of("Sun, 06 Nov 1994 08:49:37 GMT")) < 0, "one that is over");
	tap_is_int(chat_pause_ms(str_of("Sun, 06 Nov 1994 08:49:37 GMT+1")), -1, "one that is none");
}

static void requests(void)
{
	struct conf_model section = { .base_url = (char[]){ "https://h/v1" }, .max_tokens = 5 };
	struct model m = { .section = &section, .name = str_of("a/b:c") };
	struct json_object *messages = arena_json(arena, json_object_new_array());
	struct outbound_request q = { .arena = arena };

	chat_say(messages, "system", str_of("\xFF\"x\"\n"));
	chat_say(messages, "user", str_make("a\0b", 3));
	chat_build(&m, messages, &q);
	tap_ok(str_is(q.method, "POST") && str_is(q.url, "https://h/v1/chat/completions"), "method and URL");
	tap_is_str(arena_str(arena, q.body), "{\"model\":\"a/b:c\",\"messages\":[{\"role\":\"system\",\"content\":\"\xEF\xBF\xBD\\\"x\\\"\\n\"},"
		"{\"role\":\"user\",\"content\":\"a\\u0000b\"}],\"stream\":false,\"max_tokens\":5}", "the body is JSON whatever it holds");
	tap_ok(json_check(q.body, NULL) == 0, "… and passes a strict reader");
	section.max_tokens = 0;
	q = (struct outbound_request){ .arena = arena };
	chat_build(&m, messages, &q);
	tap_ok(!strstr(arena_str(arena, q.body), "max_tokens"), "no limit is sent when there is none");
}

int main(void)
{
	arena = arena_new();
	answers();
	tokens();
	failures();
	pauses();
	requests();
	arena_free(arena);
	return tap_done();
}
