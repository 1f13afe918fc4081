/* Building and sending requests to the servers that rows name. The columns' languages are lang's, the credential auth's,
 * the transfer outbound's. */
#include <string.h>
#include "base/clock.h"
#include "call/placement.h"
#include "call/upstream.h"

bool upstream_read_auth(struct call *c, struct authspec *auth)
{
	struct problem why = { 0 };
	struct buf b = BUF_ARENA(c->arena);

	if (authspec_parse(c->arena, c->entry->auth, auth, &why) == 0)
		return true;
	buf_printf(&b, "ERR:http:%.*s:", (int)c->entry->key.n, c->entry->key.p);
	if (strncmp(why.detail, "ERR:", 4) != 0)
		buf_puts(&b, "ERR:auth:malformed:");
	runner_settle(c, buf_text(&b), str_of(why.detail));
	return false;
}

/* The authority holds names of [vars] alone, which the operator set. */
static void build_authority(struct call *c, struct upstream *u)
{
	struct template_args vars = { .lookup = c->args.lookup, .ctx = c->args.ctx };
	struct buf authority = BUF_ARENA(c->arena);

	template_expand(&authority, u->target.authority, ESCAPE_RAW, &vars);
	u->q.scheme = u->target.scheme;
	u->q.authority = buf_str(&authority);
	if (!target_authority_is_valid(u->q.authority))
		runner_settle(c, "ERR:http:host_changed", str_of(""));
}

int upstream_build(struct call *c, struct upstream *u, struct problem *why)
{
	struct buf url = BUF_ARENA(c->arena);

	u->q.arena = c->arena;
	u->q.cancel = &c->request->trace->cancel;
	u->q.method = u->target.method;
	build_authority(c, u);
	if (c->settled)
		return 0;
	buf_putstr(&url, u->q.scheme);
	buf_puts(&url, "://");
	buf_putstr(&url, u->q.authority);
	if (template_expand_url(&url, u->target.rest, &c->args, why) < 0)
		return -1;
	placement_query(c, &url);
	if (url.len > OUTBOUND_URL_MAX) {
		problem_set(why, 422, "args_invalid");
		problem_field(why, "args");
		problem_detail(why, "the URL would be over %d bytes", OUTBOUND_URL_MAX);
		return -1;
	}
	u->q.url = buf_str(&url);
	return 0;
}

static int64_t left_ms(int64_t deadline_us)
{
	int64_t ms = (deadline_us - clock_mono_us()) / 1000;

	return ms > 0 ? ms : 1;
}

/* False: there is no credential to be had, and out says why. *token: the access token, p NULL: none. */
static bool apply_auth(struct outbound_request *q, const struct authspec *auth, struct secrets *s, int64_t deadline_us,
	struct outbound_response *out, struct str *token)
{
	struct auth_applied applied;

	q->timeout_ms = left_ms(deadline_us);
	if (auth_apply(q, auth, s, false, &applied) < 0) {
		*out = (struct outbound_response){ .body = str_of(""), .content_type = str_of(""), .wanted = str_of("") };
		memcpy(out->error, applied.error, sizeof(out->error));
		return false;
	}
	*token = applied.token;
	q->timeout_ms = left_ms(deadline_us);
	return true;
}

void upstream_fetch(struct outbound_request *q, const struct authspec *auth, struct secrets *s, int64_t deadline_us,
	struct outbound_response *out)
{
	unsigned headers = q->headers, queries = q->queries;
	struct str token = str_of(NULL);

	if (apply_auth(q, auth, s, deadline_us, out, &token)) {
		outbound_fetch(q, out);
		if (out->status == 401 && token.p) {
			auth_token_refused(token);
			q->headers = headers;
			q->queries = queries;
			if (apply_auth(q, auth, s, deadline_us, out, &token))
				outbound_fetch(q, out);
		}
	}
	q->headers = headers;
	q->queries = queries;
}
