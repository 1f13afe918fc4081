/* http rows: the row's target, content and auth become one request. Sending it is outbound's, the credential auth's. */
#include <string.h>
#include <strings.h>
#include "base/escape.h"
#include "call/auth.h"
#include "call/placement.h"
#include "call/runner.h"
#include "call/shape.h"
#include "lang/target.h"

struct built {
	struct target target;
	struct authspec auth;
	struct outbound_request q;      /* complete but for what auth adds */
	unsigned headers, queries;      /* of q before auth */
};

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

static bool read_auth(struct call *c, struct authspec *spec)
{
	struct problem why = { 0 };
	struct buf b = BUF_ARENA(c->arena);

	if (authspec_parse(c->arena, c->entry->auth, spec, &why) == 0)
		return true;
	buf_printf(&b, "ERR:http:%.*s:", (int)c->entry->key.n, c->entry->key.p);
	if (strncmp(why.detail, "ERR:", 4) != 0)
		buf_puts(&b, "ERR:auth:malformed:");
	runner_settle(c, buf_text(&b), str_of(why.detail));
	return false;
}

/* The authority holds names of [vars] alone, which the operator set. */
static void build_authority(struct call *c, struct built *b)
{
	struct template_args vars = { .lookup = c->args.lookup, .ctx = c->args.ctx };
	struct buf authority = BUF_ARENA(c->arena);

	template_expand(&authority, b->target.authority, ESCAPE_RAW, &vars);
	b->q.scheme = b->target.scheme;
	b->q.authority = buf_str(&authority);
	if (!target_authority_is_valid(b->q.authority))
		runner_settle(c, "ERR:http:host_changed", str_of(""));
}

static int build_url(struct call *c, struct built *b, struct problem *why)
{
	struct buf url = BUF_ARENA(c->arena);

	buf_putstr(&url, b->q.scheme);
	buf_puts(&url, "://");
	buf_putstr(&url, b->q.authority);
	if (template_expand_url(&url, b->target.rest, &c->args, why) < 0)
		return -1;
	placement_query(c, &url);
	if (url.len > OUTBOUND_URL_MAX) {
		problem_set(why, 422, "args_invalid");
		problem_field(why, "args");
		problem_detail(why, "the URL would be over %d bytes", OUTBOUND_URL_MAX);
		return -1;
	}
	b->q.url = buf_str(&url);
	return 0;
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
static void set_body(struct built *b, struct buf *body, struct str type)
{
	if (!type.p)
		return;
	b->q.body = buf_str(body);
	if (!has_own_type(&b->auth))
		outbound_header(&b->q, str_of("Content-Type"), type, false);
}

static int build_body(struct call *c, struct built *b, struct problem *why)
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
	struct built *b = arena_alloc(c->arena, sizeof(*b));

	c->built = b;
	b->q.arena = c->arena;
	b->q.cancel = &c->request->trace->cancel;
	if (!read_target(c, &b->target) || !read_auth(c, &b->auth))
		return 0;
	b->q.method = b->target.method;
	build_authority(c, b);
	if (c->settled)
		return 0;
	if (build_url(c, b, why) < 0 || build_body(c, b, why) < 0)
		return -1;
	placement_headers(c, &b->q);
	b->headers = b->q.headers;
	b->queries = b->q.queries;
	return 0;
}

static bool intent(const struct call *c)
{
	const struct built *b = c->built;

	return !str_is(b->target.method, "GET") && !str_is(b->target.method, "HEAD");
}

/* The dry run */

static struct json_object *shape(struct call *c)
{
	struct built *b = c->built;

	return shape_request(&b->q, &b->auth, dispatch_context()->secrets);
}

/* Running */

/* False: there is no credential to be had, and the result says why. *token: the access token, p NULL: none. */
static bool apply_auth(struct call *c, struct built *b, struct str *token)
{
	struct auth_applied applied;

	b->q.headers = b->headers;
	b->q.queries = b->queries;
	b->q.timeout_ms = runner_time_ms(c, dispatch_context()->conf->upstream_timeout_ms);
	if (auth_apply(&b->q, &b->auth, dispatch_context()->secrets, false, &applied) < 0) {
		buf_puts(&c->result, applied.error);
		return false;
	}
	*token = applied.token;
	b->q.timeout_ms = runner_time_ms(c, dispatch_context()->conf->upstream_timeout_ms);
	return true;
}

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
	struct built *b = c->built;
	struct outbound_response *r = arena_alloc(c->arena, sizeof(*r));
	struct str token;

	if (!apply_auth(c, b, &token))
		return;
	shared_count(dispatch_context()->shared, COUNT_UPSTREAM_CALLS, 1);
	outbound_fetch(&b->q, r);
	if (r->status == 401 && token.p) {
		/* The token may have been withdrawn before its time: once more with a new one. */
		auth_token_refused(token);
		if (!apply_auth(c, b, &token))
			return;
		outbound_fetch(&b->q, r);
	}
	put_result(c, r);
}

const struct runner runner_http = {
	.type = "http", .breaker = true, .prepare = prepare, .shape = shape, .run = run, .intent = intent,
};
