/* Server-Sent Events on top of fastcgi.c's answers of unknown length. What the events say is the handler's. */
#include "base/clock.h"
#include "web/sse.h"

static void run(void *ctx)
{
	struct sse *s = ctx;

	s->sent_us = clock_mono_us();
	s->run(s, s->ctx);
}

int sse_begin(struct rest *r, bool lasting, void (*fn)(struct sse *s, void *ctx), void *ctx, struct problem *why)
{
	struct sse *s;

	if (!fastcgi_stream(r->req, lasting)) {
		problem_set(why, 503, "too_many_streams");
		return -1;
	}
	s = arena_alloc(r->arena, sizeof(*s));
	*s = (struct sse){ .req = r->req, .run = fn, .ctx = ctx };
	response_text(r->res, 200, "text/event-stream", (struct str){ 0 });
	response_header(r->res, "X-Accel-Buffering", "no");
	r->res->stream = run;
	r->res->ctx = s;
	return 0;
}

static int put(struct sse *s, struct str bytes)
{
	s->sent_us = clock_mono_us();
	return fastcgi_put(s->req, bytes);
}

int sse_send(struct sse *s, struct str data)
{
	struct buf event = BUF_MALLOC;
	int rc;

	buf_puts(&event, "event: message\ndata: ");
	buf_putstr(&event, data);
	buf_puts(&event, "\n\n");
	rc = put(s, buf_str(&event));
	buf_free(&event);
	return rc;
}

enum fastcgi_wait sse_wait(struct sse *s)
{
	int64_t left_us = s->sent_us + SSE_KEEPALIVE_MS * INT64_C(1000) - clock_mono_us();
	enum fastcgi_wait got = fastcgi_wait(s->req, left_us > 0 ? (left_us + 999) / 1000 : 0);

	if (got == FASTCGI_TIMEOUT && put(s, str_of(": keep-alive\n\n")) < 0)
		return FASTCGI_GONE;
	return got;
}
