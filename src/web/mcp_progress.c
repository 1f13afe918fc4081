/* tools/call with a progress token: the steps of a flow or an agent are told while it runs, in a stream that ends with the
 * result. The call runs in a fiber of its own, so that its client's leaving is noticed while it waits. What a call does,
 * and what its answer is, is mcp_tools.c's. */
#include <inttypes.h>
#include "loop/fiber.h"
#include "web/emit.h"
#include "web/mcp.h"

struct follow {
	struct mcp *m;
	struct fiber *reader;           /* the request's own */
	struct dispatch_progress progress;
	struct str token;               /* JSON text */
	size_t steps, total, told;      /* ended, of how many (0: nobody knows), and said so */
	bool done;                      /* the answer is there */
};

/* The call's side */

static void step(void *ctx, size_t done, size_t total)
{
	struct follow *f = ctx;

	f->steps = done;
	f->total = total;
	fiber_wake(f->reader, FIBER_WOKEN);
}

static void run(void *ctx)
{
	struct follow *f = ctx;

	mcp_tools_call(f->m);
	f->done = true;
	fiber_wake(f->reader, FIBER_WOKEN);
}

/* The client's side */

/* That a modern client closes its stream means that it wants no more; a legacy one says so otherwise, or may come back. */
static void wait_for_end(struct follow *f, bool left)
{
	if (left && f->m->era == MCP_MODERN)
		cancel_ask(&f->m->r->trace.cancel);
	while (!f->done)
		fiber_suspend();
}

static int tell_steps(struct follow *f, struct sse *s)
{
	while (f->told < f->steps) {
		struct buf out = BUF_MALLOC, message = BUF_ARENA(f->m->r->arena);

		f->told++;
		buf_printf(&message, "step %zu", f->told);
		if (f->total)
			buf_printf(&message, " of %zu", f->total);
		mcp_notice_begin(&out, "notifications/progress");
		emit_raw(&out, "progressToken", f->token);
		emit_int(&out, "progress", (int64_t)f->told);
		if (f->total)
			emit_int(&out, "total", (int64_t)f->total);
		emit_str(&out, "message", buf_str(&message));
		if (mcp_notice_end(&out, s) < 0)
			return -1;
	}
	return 0;
}

static void tell(struct sse *s, void *ctx)
{
	struct follow *f = ctx;
	bool here;

	while ((here = tell_steps(f, s) == 0) && !f->done && (here = sse_wait(s) != FASTCGI_GONE))
		;
	wait_for_end(f, !here);
	if (here)
		sse_send(s, str_trim(f->m->r->res->body));
}

/* A call that ends before it has told anything is answered as always; so is one for which there is no room. */
static void answer(struct follow *f)
{
	enum fastcgi_wait got = FASTCGI_WOKEN;
	struct problem why = { 0 };

	while (!f->done && !f->steps && got == FASTCGI_WOKEN)
		got = fastcgi_wait(f->m->r->req, SSE_KEEPALIVE_MS);
	if (f->done || (got != FASTCGI_GONE && sse_begin(f->m->r, false, tell, f, &why) == 0))
		return;
	wait_for_end(f, got == FASTCGI_GONE);
}

/* The token as JSON; p NULL when none is asked for, or the client does not name event streams among what it takes. */
static struct str asked(const struct mcp *m)
{
	struct json_object *token = json_get(m->meta, "progressToken");
	struct buf text = BUF_ARENA(m->r->arena);

	if (!(json_object_is_type(token, json_type_string) || json_object_is_type(token, json_type_int)) ||
	    !request_prefers(m->r->req, "text/event-stream", "any/other"))
		return (struct str){ 0 };
	json_text(&text, token);
	return buf_str(&text);
}

void mcp_progress_call(struct mcp *m)
{
	struct str token = asked(m);
	struct follow *f;

	if (!token.p) {
		mcp_tools_call(m);
		return;
	}
	f = arena_alloc(m->r->arena, sizeof(*f));
	*f = (struct follow){ .m = m, .reader = fiber_self(), .token = token, .progress = { .step = step, .ctx = f } };
	m->progress = &f->progress;
	fiber_start(run, f);
	answer(f);
}
