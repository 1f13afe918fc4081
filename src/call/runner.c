/* What runners have in common. What each does is in its own file, which of them runs a row is dispatch.c's to find. */
#include "base/clock.h"
#include "base/secret.h"
#include "call/media.h"
#include "call/runner.h"
#include "call/token.h"

struct str runner_redacted(const struct call *c, struct str s, bool *changed)
{
	struct str presented = c->request->caller->presented;
	struct buf b = BUF_ARENA(c->arena), token = BUF_ARENA(c->arena);
	size_t n;

	if (!s.p)
		return s;
	n = secret_redact(dispatch_context()->secrets, &b, s);
	s = buf_str(&b);
	if (presented.p && token_redact(&token, s, presented)) {
		s = buf_str(&token);
		n++;
	}
	if (changed)
		*changed = n > 0;
	return s;
}

void runner_put(struct call *c, struct str content_type, struct str body, bool cut)
{
	struct buf text = BUF_ARENA(c->arena);

	if (!cut) {
		media_text(&c->result, content_type, body, false);
		return;
	}
	media_text(&text, content_type, body, true);
	secret_redact_cut(dispatch_context()->secrets, &c->result, buf_str(&text));
	buf_printf(&c->result, "\xE2\x80\xA6[cut at %zu bytes]", body.n);
}

int64_t runner_time_ms(const struct call *c, int64_t max)
{
	int64_t left = (c->request->trace->deadline_us - clock_mono_us()) / 1000;

	if (left < 1)
		return 1;
	return left < max ? left : max;
}

void runner_progress(const struct call *c, size_t done, size_t total)
{
	const struct dispatch_progress *p = c->request->progress;

	if (p)
		p->step(p->ctx, done, total);
}

void runner_settle(struct call *c, const char *error, struct str detail)
{
	buf_clear(&c->result);
	buf_puts(&c->result, error);
	buf_putstr(&c->result, detail);
	c->settled = true;
}

void runner_include(struct call *c, const struct receipt_spent *used)
{
	c->spent.microusd += used->microusd;
	c->spent.tokens_in += used->tokens_in;
	c->spent.tokens_out += used->tokens_out;
}

void runner_charge(struct call *c, const struct receipt_spent *used)
{
	runner_include(c, used);
	c->request->trace->cost_microusd += used->microusd;
}
