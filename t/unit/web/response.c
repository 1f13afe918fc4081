/* Answers: head, JSON, the error form, the page's frame. */
#include <string.h>
#include "base/crypto.h"
#include "base/escape.h"
#include "tap.h"
#include "web/emit.h"
#include "web/html.h"
#include "web/response.h"

static struct arena *arena;

static const char *head(const struct response *r, const char *trace)
{
	struct buf out = BUF_ARENA(arena);

	response_head(r, trace, &out);
	return buf_text(&out);
}

static void test_head(void)
{
	struct response r;
	const char *h;

	response_init(&r, arena);
	response_text(&r, 200, "text/plain", str_of("hello"));
	response_header(&r, "ETag", "\"x\"");
	response_header(&r, "etag", "\"y\"");
	response_header(&r, "X-Bad", "a\r\nSet-Cookie: b");
	h = head(&r, "t_1");
	tap_ok(!strncmp(h, "Status: 200 OK\r\n", 16), "the head begins with the status");
	tap_ok(strstr(h, "\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n") != NULL,
	       "type and length stand in the head");
	tap_ok(strstr(h, "\"y\"\r\n") && !strstr(h, "\"x\""), "a header set twice has the later value");
	tap_ok(!strstr(h, "\nSet-Cookie"), "a value cannot begin another header");
	tap_ok(strstr(h, "\r\nX-Trace: t_1\r\n") != NULL, "the trace is in every head");
	tap_ok(strstr(h, "\r\nX-Content-Type-Options: nosniff\r\n") &&
		       strstr(h, "\r\nReferrer-Policy: no-referrer\r\n"),
	       "so are the two safety headers");
	tap_ok(strstr(h, "\r\nCache-Control: no-store\r\n") != NULL, "an answer is not stored unless it says so");
	tap_ok(strlen(h) > 4 && !strcmp(h + strlen(h) - 4, "\r\n\r\n"), "an empty line ends the head");
	response_header(&r, "X-Trace", "t_2");
	response_header(&r, "Cache-Control", "private, no-cache");
	h = head(&r, "t_1");
	tap_ok(strstr(h, "X-Trace: t_2") && !strstr(h, "t_1"), "the handler's trace wins");
	tap_ok(!strstr(h, "no-store"), "so does its Cache-Control");
	response_text(&r, 304, NULL, (struct str){ 0 });
	h = head(&r, "");
	tap_ok(!strncmp(h, "Status: 304 Not Modified\r\n", 26) && !strstr(h, "\nContent-"),
	       "an answer without a body has neither type nor length");
	r.omit_body = true;
	response_text(&r, 200, "text/plain", str_of("hello"));
	tap_ok(strstr(head(&r, ""), "Content-Length: 5") != NULL, "HEAD has the length that GET would have");
}

static const char *problem_text(int status, const char *error, const char *fix, int retry, struct json_object *more,
				struct response *r)
{
	struct problem why = { 0 };

	problem_set(&why, status, "%s", error);
	problem_fix(&why, "%s", fix);
	why.retry_after = retry;
	response_init(r, arena);
	response_problem(r, &why, more);
	return arena_str(arena, r->body);
}

static void test_problem(void)
{
	struct json_object *extra = json_object_new_object(), *more = json_object_new_object();
	struct problem why = { 0 };
	struct response r;

	tap_is_str(problem_text(401, "unauthorized", "", 0, NULL, &r), "{\"error\":\"unauthorized\"}\n",
		   "a write without the key is answered to the letter");
	tap_is_str(response_get(&r, "WWW-Authenticate"), "Bearer", "401 names the scheme");
	tap_is_str(problem_text(400, "key and type required", "", 0, NULL, &r),
		   "{\"error\":\"key and type required\"}\n", "a code without a remedy stands alone");
	tap_is_str(problem_text(415, "unsupported_media_type", "", 0, NULL, &r),
		   "{\"error\":\"unsupported_media_type\",\"how_to_fix\":\"send the header Content-Type: "
		   "application/json\"}\n",
		   "a code has its remedy from the list");
	tap_is_str(problem_text(415, "unsupported_media_type", "other", 0, NULL, &r),
		   "{\"error\":\"unsupported_media_type\",\"how_to_fix\":\"other\"}\n",
		   "the problem's own remedy is preferred");
	problem_text(503, "ledger_unavailable", "", 0, NULL, &r);
	tap_is_str(response_get(&r, "Retry-After"), "1", "503 says when to come again");
	problem_text(429, "rate_exceeded", "", 17, NULL, &r);
	tap_is_str(response_get(&r, "Retry-After"), "17", "the problem's own time is preferred");
	problem_text(404, "not_found", "", 0, NULL, &r);
	tap_ok(!response_get(&r, "Retry-After") && !response_get(&r, "WWW-Authenticate"),
	       "other answers have neither header");
	json_put_text(extra, "attempted", "<b>\"\xC3\xA9");
	json_put_bool(extra, "ran", true);
	json_put_bool(more, "ran", false);
	json_put_bool(more, "x", true);
	problem_set(&why, 404, "unknown");
	problem_field(&why, "key");
	problem_detail(&why, "text");
	why.extra = arena_json(arena, extra);
	response_init(&r, arena);
	response_problem(&r, &why, more);
	tap_is_str(arena_str(arena, r.body),
		   "{\"error\":\"unknown\",\"detail\":\"text\",\"field\":\"key\",\"attempted\":\"<b>\\\"\xC3\xA9\","
		   "\"ran\":true,\"x\":true}\n",
		   "further members follow, the problem's own first, in UTF-8 and not escaped for HTML");
	tap_ok(response_code("contract_changed:a!=b") &&
		       !strcmp(response_code("contract_changed:a!=b")->code, "contract_changed"),
	       "a code with a variable part is found by its first word");
	tap_ok(!response_code("contract") && !response_code(""), "part of a code is no code");
}

static void count_code(void *ctx, const struct response_code *c)
{
	int *bad = ctx;

	if (response_code(c->code) != c || (c->status != 202 && c->status < 400) || c->status > 599 || !c->meaning[0] ||
	    (c->fix && !c->fix[0]))
		++*bad;
}

static void test_emit(void)
{
	struct buf out = BUF_ARENA(arena);
	struct json_object *o;
	struct problem why;

	emit_begin(&out, NULL, '{');
	emit_text(&out, "a\"", "x\ny\xFF");
	emit_str(&out, "none", (struct str){ 0 });
	emit_begin(&out, "list", '[');
	emit_end(&out, ']');
	emit_begin(&out, "more", '[');
	emit_int(&out, NULL, -5);
	emit_number(&out, NULL, 0.25);
	emit_raw(&out, NULL, str_of("{\"k\":1}"));
	emit_bool(&out, NULL, true);
	emit_end(&out, ']');
	emit_end(&out, '}');
	tap_ok(str_is(emit_done(&out), "{\"a\\\"\":\"x\\ny\xEF\xBF\xBD\",\"none\":null,\"list\":[],\"more\":[-5,0.25,{"
				       "\"k\":1},true]}\n"),
	       "JSON is written with its commas in place and its texts escaped");
	tap_ok(json_parse(arena, buf_str(&out), &o, &why) == 0, "and parses strictly");
}

static void test_html(void)
{
	struct response r;
	struct buf main = BUF_ARENA(arena), hash = BUF_ARENA(arena);
	unsigned char digest[CRYPTO_SHA256];
	const char *text, *style, *end, *policy;

	response_init(&r, arena);
	html_fact(&main, "La<bel", str_of("<script>\"'&"), true);
	html_fact(&main, "Empty", str_of(""), false);
	html_answer(&r, 200, "a<b>", buf_str(&main));
	text = arena_str(arena, r.body);
	tap_ok(!strstr(text, "<script") && strstr(text, "&lt;script&gt;") && strstr(text, "La&lt;bel") &&
		       strstr(text, "<title>a&lt;b&gt;</title>"),
	       "texts on a page are escaped");
	tap_ok(!strstr(text, "Empty"), "a fact without a value is left out");
	style = strstr(text, "<style>") + 7;
	end = strstr(style, "</style>");
	crypto_sha256(str_make(style, (size_t)(end - style)), digest);
	crypto_base64(&hash, str_make((const char *)digest, sizeof(digest)));
	policy = response_get(&r, "Content-Security-Policy");
	tap_ok(policy && strstr(policy, buf_text(&hash)) && strstr(policy, "default-src 'none'"),
	       "the policy allows the page's own style and nothing else");
	tap_ok(strstr(text, "width=device-width") && strstr(text, "prefers-color-scheme:dark"),
	       "the page fits a phone and a dark screen");
}

int main(void)
{
	int bad = 0;

	arena = arena_new();
	test_head();
	test_problem();
	response_each_code(count_code, &bad);
	tap_is_int(bad, 0, "every code stands once in the list, with status and meaning");
	test_emit();
	test_html();
	arena_free(arena);
	return tap_done();
}
