/* http rows: the row's target, content and auth become one request. What other rows that send one share is in
 * upstream.c. */
#include <string.h>
#include <strings.h>
#include "base/clock.h"
#include "call/placement.h"
#include "call/shape.h"
#include "call/upstream.h"

/* Building */

/* A row whose columns are older than their rules says so as the call's result. False: settled. */
static bool read_target(struct call *c, struct target *t)
{
	struct str text = c->entry->target;
	struct problem why = { 0 };
	int rc;

	if (target_is_map(text))
		rc = target_map_pick(c->arena, text, c->args.n ? c->args.arg[0] : str_of(""), t, &why);
	else
		rc = target_parse(c->arena, text, t, &why);
	if (rc == 0)
		return true;
	if (why.status == 200)
		runner_settle(c, "", t->result.p ? t->result : str_of(why.error));
	else
		runner_settle(c, "ERR:http:bad_target:", str_of(why.detail));
	return false;
}

static int expand_form(struct buf *out, struct str text, const struct template_args *args)
{
	return template_expand(out, text, ESCAPE_FORM, args);
}

static int expand_raw(struct buf *out, struct str text, const struct template_args *args)
{
	return template_expand(out, text, ESCAPE_RAW, args);
}

/* How a body is written, by what its template begins with; the first that fits. */
static const struct body_kind {
	const char *begins, *type;
	size_t skip;
	int (*expand)(struct buf *out, struct str text, const struct template_args *args);
} body_kinds[] = {
	{ "form:", "application/x-www-form-urlencoded", 5, expand_form },
	{ "{", "application/json", 0, template_expand_json },
	{ "[", "application/json", 0, template_expand_json },
	{ "", "text/plain; charset=utf-8", 0, expand_raw },
};

/* The row's own Content-Type, among the headers of its auth, comes before what the body is by its look. */
static bool has_own_type(const struct authspec *auth)
{
	if (auth->form == AUTH_HEADERS) {
		json_object_object_foreach(auth->headers, name, unused) {
			(void)unused;
			if (strcasecmp(name, "content-type") == 0)
				return true;
		}
	}
	return false;
}

/* type p NULL: there is none. */
static void set_body(struct upstream *b, struct buf *body, struct str type)
{
	if (!type.p)
		return;
	b->q.body = buf_str(body);
	if (!has_own_type(&b->auth))
		outbound_header(&b->q, str_of("Content-Type"), type, false);
}

static int build_body(struct call *c, struct upstream *b, struct problem *why)
{
	struct str text = b->target.body.p ? b->target.body : c->entry->doc.payload, start = str_trim(text);
	const struct body_kind *kind = body_kinds;
	struct buf body = BUF_ARENA(c->arena);
	struct str type;

	if (str_is(b->q.method, "GET") || str_is(b->q.method, "HEAD"))
		return 0;
	if (placement_body(c, &body, &type)) {
		set_body(b, &body, type);
		return 0;
	}
	if (!start.n)
		return 0;
	while (!str_starts(start, kind->begins))
		kind++;
	if (kind->expand(&body, kind->begins[0] ? str_trim(str_skip(start, kind->skip)) : text, &c->args) < 0) {
		problem_set(why, 422, "args_invalid");
		problem_field(why, "args");
		problem_detail(why, "the body would be over %d bytes", TEMPLATE_OUT_MAX);
		return -1;
	}
	set_body(b, &body, str_of(kind->type));
	return 0;
}

static int prepare(struct call *c, struct problem *why)
{
	struct upstream *b = arena_alloc(c->arena, sizeof(*b));

	c->built = b;
	if (!read_target(c, &b->target) || !upstream_read_auth(c, &b->auth))
		return 0;
	if (upstream_build(c, b, why) < 0 || (!c->settled && build_body(c, b, why) < 0))
		return -1;
	placement_headers(c, &b->q);
	return 0;
}

static bool intent(const struct call *c)
{
	const struct upstream *b = c->built;

	return !str_is(b->target.method, "GET") && !str_is(b->target.method, "HEAD");
}

/* The dry run */

static struct json_object *shape(struct call *c)
{
	struct upstream *b = c->built;

	return shape_request(&b->q, &b->auth, dispatch_context()->secrets);
}

/* Running */

static void put_result(struct call *c, const struct outbound_response *r)
{
	c->upstream_status = r->status;
	if (r->error[0]) {
		buf_puts(&c->result, r->error);
		return;
	}
	buf_printf(&c->result, r->status < 400 ? "HTTP %d:" : "ERR:http:%d:", r->status);
	c->label = c->result.len;
	runner_put(c, r->content_type, r->body, r->cut);
}

static void run(struct call *c)
{
	struct upstream *b = c->built;
	struct outbound_response *r = arena_alloc(c->arena, sizeof(*r));
	int64_t time_ms = runner_time_ms(c, dispatch_context()->conf->upstream_timeout_ms);

	shared_count(dispatch_context()->shared, COUNT_UPSTREAM_CALLS, 1);
	upstream_fetch(&b->q, &b->auth, dispatch_context()->secrets, clock_mono_us() + time_ms * 1000, r);
	put_result(c, r);
}

const struct runner runner_http = {
	.type = "http", .breaker = true, .prepare = prepare, .shape = shape, .run = run, .intent = intent,
};
