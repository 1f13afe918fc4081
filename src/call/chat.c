/* The chat endpoint's JSON. Nothing in an answer is taken for granted: it may be another program's page, half a text or a
 * lie, and each of these is an error with a name. */
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include "base/ascii.h"
#include "base/clock.h"
#include "base/escape.h"
#include "call/chat.h"
#include "loop/fiber.h"

/* The request */

void chat_say(struct json_object *messages, const char *role, struct str content)
{
	struct json_object *o = json_object_new_object();

	json_put_text(o, "role", role);
	json_put_str(o, "content", content);
	json_object_array_add(messages, o);
}

void chat_build(const struct model *m, struct json_object *messages, struct outbound_request *q)
{
	struct json_object *o = json_object_new_object();
	struct buf body = BUF_ARENA(q->arena);

	json_put_str(o, "model", m->name);
	json_put(o, "messages", json_object_get(messages));
	json_put_bool(o, "stream", false);
	if (m->section->max_tokens)
		json_put_int(o, "max_tokens", m->section->max_tokens);
	json_text(&body, o);
	json_object_put(o);
	q->method = str_of("POST");
	q->url = str_of(arena_printf(q->arena, "%s/chat/completions", m->section->base_url));
	q->body = buf_str(&body);
	q->max_body = CHAT_ANSWER_MAX;
	outbound_header(q, str_of("Content-Type"), str_of("application/json"), false);
	outbound_header(q, str_of("Accept"), str_of("application/json"), false);
}

/* The answer */

static void fail(struct arena *a, struct chat_answer *out, int status, struct str message)
{
	struct buf b = BUF_ARENA(a);

	buf_printf(&b, "ERR:agent:%d:", status);
	escape_add(&b, ESCAPE_TERMINAL, str_make(message.p, escape_cut(message, CHAT_MESSAGE_MAX)));
	out->error = buf_str(&b);
}

/* The message of an error as endpoints write it: {"error":{"message":…}}, {"error":…}, {"message":…}. */
static struct str error_message(struct json_object *o)
{
	struct json_object *error = json_get(o, "error");
	struct str inner = json_str(json_get(error, "message")), outer = json_str(error);

	if (inner.p)
		return inner;
	return outer.p ? outer : json_str(json_get(o, "message"));
}

static void refused(struct arena *a, const struct outbound_response *r, struct json_object *o, struct chat_answer *out)
{
	struct str message = str_trim(error_message(o));

	if (!message.n)
		message = str_of(arena_printf(a, "the endpoint does not say why (%.*s)",
			(int)escape_cut(r->content_type, CHAT_MESSAGE_MAX / 2), r->content_type.p));
	fail(a, out, r->status, message);
}

/* A string, or the texts of an array of parts. */
static struct str content_text(struct arena *a, struct json_object *content)
{
	struct buf b = BUF_ARENA(a);

	if (!json_object_is_type(content, json_type_array))
		return json_str(content);
	for (size_t i = 0; i < json_object_array_length(content); i++) {
		struct str text = json_str(json_get(json_object_array_get_idx(content, i), "text"));

		if (text.p)
			buf_putstr(&b, text);
	}
	return b.len ? buf_str(&b) : str_of(NULL);
}

static int64_t tokens_of(struct json_object *usage, const char *name, size_t bytes)
{
	struct json_object *o = json_get(usage, name);
	int64_t n = json_object_is_type(o, json_type_int) ? json_object_get_int64(o) : -1;

	return n >= 0 && n <= CHAT_TOKENS_MAX ? n : (int64_t)(bytes / 4 + (bytes % 4 > 0));
}

/* Ends that leave something out. */
static bool is_cut(struct str reason)
{
	return str_is(reason, "length") || str_is(reason, "max_tokens") || str_is(reason, "content_filter");
}

static void take_choice(struct arena *a, const struct outbound_response *r, struct json_object *o, size_t sent,
	struct chat_answer *out)
{
	struct json_object *choices = json_get(o, "choices"), *usage = json_get(o, "usage"), *first = NULL;
	struct str reason, text;

	if (json_object_is_type(choices, json_type_array))
		first = json_object_array_get_idx(choices, 0);
	text = content_text(a, json_get(json_get(first, "message"), "content"));
	reason = json_str(json_get(first, "finish_reason"));
	out->tokens_in = tokens_of(usage, "prompt_tokens", sent);
	out->tokens_out = tokens_of(usage, "completion_tokens", text.n);
	if (is_cut(reason))
		out->error = str_of(arena_printf(a, "ERR:agent:truncated:%.*s", (int)reason.n, reason.p));
	else if (!first)
		fail(a, out, r->status, str_of("the answer has no choices"));
	else if (!str_trim(text).n)
		fail(a, out, r->status, str_of("the answer has no text"));
	else
		out->text = arena_copy(a, text);
}

static bool is_stream(struct str content_type)
{
	return str_starts_fold(content_type, "text/event-stream");
}

/* The text behind "ERR:http:" of an answer that did not come. */
static void not_fetched(struct arena *a, const struct outbound_response *r, struct chat_answer *out)
{
	out->error = str_of(arena_printf(a, "ERR:agent:%s", r->error + strlen("ERR:http:")));
}

void chat_read(struct arena *a, const struct outbound_response *r, size_t sent, struct chat_answer *out)
{
	struct json_object *o = NULL;
	struct problem why = { 0 };
	bool parsed;

	*out = (struct chat_answer){ .text = str_of(NULL) };
	if (r->error[0]) {
		not_fetched(a, r, out);
		return;
	}
	parsed = !r->cut && json_parse(a, r->body, &o, &why) == 0;
	if (r->status >= 300 || error_message(o).p)
		refused(a, r, o, out);
	else if (is_stream(r->content_type))
		fail(a, out, r->status, str_of("the answer is a stream (text/event-stream), which was not asked for"));
	else if (r->cut)
		fail(a, out, r->status, str_of(arena_printf(a, "the answer is over %zu bytes", r->body.n)));
	else if (!parsed)
		fail(a, out, r->status, str_of(arena_printf(a, "the answer is no JSON: %s", why.detail)));
	else
		take_choice(a, r, o, sent, out);
}

/* Coming back later */

/* The form of a date that servers send: "Sun, 06 Nov 1994 08:49:37 GMT". */
static int64_t date_ms(struct arena *a, struct str s)
{
	struct tm tm = { 0 };
	const char *end = strptime(arena_str(a, s), "%a, %d %b %Y %H:%M:%S GMT", &tm);

	return end && !*end ? (int64_t)timegm(&tm) * 1000 - clock_ms() : -1;
}

int64_t chat_pause_ms(struct str retry_after)
{
	struct arena *a;
	int64_t ms = 0;
	size_t i;

	if (!retry_after.n)
		return -1;
	for (i = 0; i < retry_after.n && ascii_is_digit(retry_after.p[i]) && i < 9; i++)
		ms = ms * 10 + (retry_after.p[i] - '0') * 1000;
	if (i == retry_after.n)
		return ms;
	a = arena_new();
	ms = date_ms(a, retry_after);
	arena_free(a);
	return ms;
}

void chat_fetch(struct outbound_request *q, struct chat_answer *out)
{
	struct outbound_response *r = arena_alloc(q->arena, sizeof(*r));
	int64_t deadline_us = clock_mono_us() + q->timeout_ms * 1000;

	for (int again = CHAT_RETRIES;; again--) {
		struct cancel_point point;
		int64_t left_ms = (deadline_us - clock_mono_us()) / 1000, pause_ms;

		q->timeout_ms = left_ms > 0 ? left_ms : 1;
		outbound_fetch(q, r);
		pause_ms = r->status == 429 || r->status == 503 ? chat_pause_ms(r->retry_after) : -1;
		if (again <= 0 || pause_ms < 0 || pause_ms > CHAT_PAUSE_MAX_S * 1000 ||
		    pause_ms >= (deadline_us - clock_mono_us()) / 1000)
			break;
		cancel_enter(q->cancel, &point);
		fiber_sleep(pause_ms);
		cancel_leave(&point);
	}
	chat_read(q->arena, r, q->body.n, out);
}
