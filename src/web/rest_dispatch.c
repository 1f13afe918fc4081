/* Dispatch over HTTP (spec sections 4.2 and 4.3): reading a call from a body or a URL, its answer to the letter;
 * contract documents, protocol index. Whether a call may run and how is call/dispatch.c's. */
#include "config.h"
#include <string.h>
#include "base/crypto.h"
#include "call/explain.h"
#include "call/gate.h"
#include "call/replay.h"
#include "call/text.h"
#include "directory/document.h"
#include "web/emit.h"
#include "web/rest.h"

enum {
	ETAG_DIGITS = 16,               /* of the body's hash in a document's ETag */
	URL_USUAL = 128,                /* bytes of most URLs of a receipt */
};

#define FIELDS "key replay text body args shape contract repairs ask on_behalf_of authorized_by capability_token"

/* Reading a call */

/* A string member, p NULL when absent or null. */
static int take_string(struct json_object *body, const char *name, size_t max, struct str *out, struct problem *why)
{
	struct json_object *o = json_get(body, name);

	*out = json_str(o);
	if (o && !out->p)
		return problem_bad_field(why, name, "is a string");
	if (out->n > max) {
		problem_set(why, 422, "field_too_long");
		problem_field(why, name);
		problem_detail(why, "at most %zu bytes", max);
		return -1;
	}
	return 0;
}

/* One argument as text: a string as it is, null empty, anything else written out as JSON. */
static struct str written(struct arena *a, struct json_object *o)
{
	struct buf text = BUF_ARENA(a);

	if (!o)
		return str_of("");
	if (json_object_is_type(o, json_type_string))
		return json_str(o);
	json_text(&text, o);
	return buf_str(&text);
}

static int take_args(struct dispatch_request *q, struct json_object *args, struct problem *why)
{
	struct str *arg;

	if (json_object_is_type(args, json_type_object)) {
		q->named = args;
		return 0;
	}
	if (!json_object_is_type(args, json_type_array))
		return problem_bad_field(why, "args", "is an array of arguments or an object of named ones");
	q->args = json_object_array_length(args);
	arg = arena_alloc(q->arena, (q->args + 1) * sizeof(*arg));
	for (size_t i = 0; i < q->args; i++)
		arg[i] = written(q->arena, json_object_array_get_idx(args, i));
	q->arg = arg;
	return 0;
}

static int take_input(struct dispatch_request *q, struct json_object *body, struct problem *why)
{
	struct json_object *text = json_get(body, "body"), *args = json_get(body, "args");

	if (args)
		return take_args(q, args, why);
	if (json_object_is_type(text, json_type_object) || json_object_is_type(text, json_type_array))
		return problem_bad_field(why, "body", "is the argument string; arrays and objects go into args");
	q->body = written(q->arena, text);
	return 0;
}

/* Fields of which each stands for something that the other says too, or cannot have. */
static int check_conflicts(struct json_object *body, struct problem *why)
{
	static const char *const pairs[][2] = {
		{ "key", "replay" }, { "key", "text" }, { "replay", "text" }, { "body", "args" },
		{ "replay", "body" }, { "replay", "args" }, { "text", "body" }, { "text", "args" },
		{ "text", "contract" }, { "text", "repairs" },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (!json_get(body, pairs[i][0]) || !json_get(body, pairs[i][1]))
			continue;
		problem_set(why, 400, "conflicting_fields");
		problem_detail(why, "%s and %s exclude each other", pairs[i][0], pairs[i][1]);
		return -1;
	}
	return 0;
}

/* What all forms of a call have in common. */
static int take_call(struct rest *r, struct dispatch_request *q, struct problem *why)
{
	struct json_object *shape;

	if (check_conflicts(r->body, why) < 0)
		return -1;
	if (json_object_object_get_ex(r->body, "shape", &shape) && !json_object_is_type(shape, json_type_boolean))
		return problem_bad_field(why, "shape", "is true or false");
	q->shape = shape && json_object_get_boolean(shape);
	if (take_string(r->body, "contract", CRYPTO_HEX - 1, &q->contract, why) < 0 ||
	    take_string(r->body, "repairs", RECEIPT_ID - 1, &q->repairs, why) < 0 ||
	    take_string(r->body, "ask", DISPATCH_CLAIM_MAX, &q->ask, why) < 0 ||
	    take_string(r->body, "on_behalf_of", DISPATCH_CLAIM_MAX, &q->on_behalf_of, why) < 0 ||
	    take_string(r->body, "authorized_by", DISPATCH_CLAIM_MAX, &q->authorized_by, why) < 0)
		return -1;
	q->caller = &r->caller;
	q->trace = &r->trace;
	q->idempotency = request_header(r->req, "idempotency-key");
	return 0;
}

/* The answer */

static void emit_url(struct rest *r, struct buf *out, const char *name, const char *path, const char *id)
{
	struct buf url = BUF_ARENA(r->arena);

	buf_reserve(&url, URL_USUAL);
	buf_puts(&url, r->service->conf->base_url);
	buf_puts(&url, path);
	buf_puts(&url, id);
	emit_str(out, name, buf_str(&url));
}

static void emit_proof(struct rest *r, struct buf *out, const struct dispatch_result *d, struct str key)
{
	struct buf did = BUF_ARENA(r->arena);

	buf_puts(&did, d->ok ? "ran " : "tried ");
	buf_putstr(&did, key);
	buf_puts(&did, " (");
	buf_puts(&did, d->runner);
	buf_puts(&did, d->material ? ")" : "); nothing material came back");
	emit_begin(out, "proof", '{');
	emit_bool(out, "ok", d->material);
	emit_str(out, "did", buf_str(&did));
	emit_text(out, "invocation_id", d->id);
	emit_url(r, out, "public_receipt", "/receipt/", d->id);
	emit_url(r, out, "confirm", "/api/dispatch?confirm=", d->id);
	emit_end(out, '}');
}

static void emit_invocation(struct buf *out, const struct dispatch_result *d, struct str key)
{
	emit_begin(out, "invocation", '{');
	emit_text(out, "id", d->id);
	emit_str(out, "key", key);
	emit_text(out, "runner", d->runner);
	emit_text(out, "actor", d->actor);
	emit_bool(out, "material", d->material);
	emit_number(out, "cost_usd", (double)d->spent.microusd / 1000000);
	if (d->spent.tokens_in || d->spent.tokens_out) {
		emit_int(out, "tokens_in", d->spent.tokens_in);
		emit_int(out, "tokens_out", d->spent.tokens_out);
	}
	emit_number(out, "duration_ms", (double)d->duration_us / 1000);
	emit_begin(out, "fingerprints", '{');
	emit_text(out, "algorithm", "sha-256");
	emit_text(out, "input", d->input);
	emit_text(out, "output", d->output);
	emit_text(out, "contract", d->contract);
	emit_end(out, '}');
	emit_end(out, '}');
}

/* A dry run: the built request as the result's text, and once more as it is, to be read without parsing a string. */
static void emit_shaped(struct rest *r, struct buf *out, const struct dispatch_result *d, struct str key)
{
	struct buf text = BUF_ARENA(r->arena);

	if (d->shaped)
		json_text(&text, d->shaped);
	emit_str(out, "result", d->shaped ? buf_str(&text) : d->result);
	emit_raw(out, "shaped", d->shaped ? buf_str(&text) : (struct str){ 0 });
	emit_begin(out, "invocation", '{');
	emit_str(out, "key", key);
	emit_text(out, "runner", d->runner);
	emit_text(out, "actor", d->actor);
	emit_begin(out, "fingerprints", '{');
	emit_text(out, "algorithm", "sha-256");
	emit_text(out, "contract", d->contract);
	emit_end(out, '}');
	emit_end(out, '}');
}

static void emit_answer(struct rest *r, struct buf *out, const struct dispatch_result *d, struct str key)
{
	emit_bool(out, "ok", d->ok);
	emit_bool(out, "ran", d->ran);
	emit_text(out, "kind", d->kind);
	emit_text(out, "trace", d->trace);
	if (d->ran) {
		emit_str(out, "result", d->result);
		emit_proof(r, out, d, key);
		emit_invocation(out, d, key);
	} else {
		emit_shaped(r, out, d, key);
	}
}

/* What was run again, and whether row and result are still the same. */
static void emit_replayed(struct buf *out, const struct dispatch_result *d, const struct receipt *older)
{
	emit_begin(out, "replay", '{');
	emit_text(out, "of", older->id);
	emit_text(out, "contract", older->contract);
	emit_bool(out, "contract_changed", strcmp(older->contract, d->contract) != 0);
	if (d->ran)
		emit_bool(out, "output_changed", strcmp(older->output, d->output) != 0);
	emit_end(out, '}');
}

/* older: the receipt whose input ran again, or NULL. */
static void answer(struct rest *r, const struct dispatch_result *d, struct str key, const struct receipt *older)
{
	struct buf out = BUF_ARENA(r->arena);

	buf_reserve(&out, d->result.n + 1024);
	emit_begin(&out, NULL, '{');
	emit_answer(r, &out, d, key);
	if (older)
		emit_replayed(&out, d, older);
	emit_end(&out, '}');
	if (d->replayed)
		response_header(r->res, "Idempotent-Replayed", "true");
	response_text(r->res, 200, "application/json", emit_done(&out));
}

static void call(struct rest *r, struct dispatch_request *q)
{
	struct dispatch_result *d = arena_alloc(r->arena, sizeof(*d));
	struct problem why = { 0 };

	if (dispatch_call(q, d, &why) == 0)
		answer(r, d, q->key, NULL);
	else
		router_fail(r, &why);   /* why->extra says whether it ran */
}

static void call_key(struct rest *r, struct dispatch_request *q)
{
	struct problem why = { 0 };

	q->key = json_str(json_get(r->body, "key"));
	if (!q->key.n)
		problem_set(&why, 400, "key required");
	if (why.status || take_input(q, r->body, &why) < 0)
		router_fail(r, &why);
	else
		call(r, q);
}

static void call_replay(struct rest *r, struct dispatch_request *q)
{
	struct dispatch_result *d = arena_alloc(r->arena, sizeof(*d));
	const struct receipt *older = NULL;
	struct problem why = { 0 };
	struct str id;

	if (take_string(r->body, "replay", RECEIPT_ID - 1, &id, &why) == 0 &&
	    replay_call(q, id, &older, d, &why) == 0)
		answer(r, d, q->key, older);
	else
		router_fail(r, &why);
}

static void emit_refusal(struct rest *r, struct buf *out, const struct problem *why)
{
	struct json_object *o = arena_json(r->arena, response_error(why));

	emit_bool(out, "ok", false);
	emit_int(out, "status", why->status);
	json_object_object_foreach(o, name, value) {
		struct buf text = BUF_ARENA(r->arena);

		json_text(&text, value);
		emit_raw(out, name, buf_str(&text));
	}
}

/* One tag, and the answer that its call would have had alone. */
static void emit_run(struct rest *r, struct buf *out, const struct text_run *t)
{
	emit_begin(out, NULL, '{');
	emit_begin(out, "tag", '{');
	emit_str(out, "key", t->tag.key);
	emit_str(out, "body", t->tag.body);
	emit_int(out, "begin", (int64_t)t->tag.begin);
	emit_int(out, "end", (int64_t)t->tag.end);
	emit_end(out, '}');
	if (t->why.status)
		emit_refusal(r, out, &t->why);
	else
		emit_answer(r, out, &t->result, t->tag.key);
	emit_end(out, '}');
}

static void answer_text(struct rest *r, const struct text_run *t, size_t n)
{
	struct buf out = BUF_ARENA(r->arena);
	bool ok = true, ran = false;

	for (size_t i = 0; i < n; i++) {
		ok = ok && t[i].result.ok;
		ran = ran || t[i].result.ran;
	}
	emit_begin(&out, NULL, '{');
	emit_bool(&out, "ok", ok);
	emit_bool(&out, "ran", ran);
	emit_text(&out, "kind", "text_runs");
	emit_text(&out, "trace", r->trace.id);
	emit_int(&out, "count", (int64_t)n);
	emit_begin(&out, "runs", '[');
	for (size_t i = 0; i < n; i++)
		emit_run(r, &out, &t[i]);
	emit_end(&out, ']');
	emit_end(&out, '}');
	response_text(r->res, 200, "application/json", emit_done(&out));
}

static void call_text(struct rest *r, struct dispatch_request *q)
{
	struct str text = json_str(json_get(r->body, "text"));
	struct text_run *t = NULL;
	struct problem why = { 0 };
	size_t n;

	if (!text.p)
		problem_bad_field(&why, "text", "is a string");
	else if (q->idempotency.p)      /* one key cannot stand for calls that are refused or fail one by one */
		problem_set(&why, 400, "idempotency_not_for_text");
	if (why.status || text_call(q, text, &t, &n, &why) < 0)
		router_fail(r, &why);
	else
		answer_text(r, t, n);
}

void rest_dispatch_post(struct rest *r)
{
	struct dispatch_request q = { .arena = r->arena };
	struct problem why = { 0 };

	if (router_fields(r, FIELDS) < 0)
		return;
	if (take_call(r, &q, &why) < 0)
		router_fail(r, &why);
	else if (json_get(r->body, "replay"))
		call_replay(r, &q);
	else if (json_get(r->body, "text"))
		call_text(r, &q);
	else
		call_key(r, &q);
}

void rest_dispatch_run(struct rest *r)
{
	struct dispatch_request q = {
		.arena = r->arena, .caller = &r->caller, .trace = &r->trace, .key = r->arg[0], .named = r->body,
		.contract = request_param(r->req, "contract"), .shape = request_param(r->req, "shape").p != NULL,
		.idempotency = request_header(r->req, "idempotency-key"),
	};

	if (router_switch(r, "shape") == 0)
		call(r, &q);
}

/* The same key may stand in the URL: for callers that cannot set a header. */
static int take_key(struct rest *r, struct dispatch_request *q, struct problem *why)
{
	struct str header = request_header(r->req, "idempotency-key"), param = request_param(r->req, "idempotency_key");

	q->idempotency = header.p ? header : param;
	if (!header.p || !param.p || str_eq(header, param))
		return 0;
	problem_set(why, 400, "conflicting_fields");
	problem_detail(why, "Idempotency-Key and idempotency_key differ");
	return -1;
}

/* A browser that only looks ahead must not run anything. */
static bool is_prefetch(const struct request *req)
{
	return request_header(req, "sec-purpose").n || request_header(req, "purpose").n ||
	       request_header(req, "x-purpose").n || request_header(req, "x-moz").n;
}

void rest_dispatch_invoke(struct rest *r)
{
	struct dispatch_request q = {
		.arena = r->arena, .caller = &r->caller, .trace = &r->trace,
		.key = request_param(r->req, "invoke"), .body = request_param(r->req, "body"),
	};
	struct problem why = { 0 };

	if (is_prefetch(r->req))
		problem_set(&why, 403, "prefetch_refused");
	else if (!q.key.n)
		problem_set(&why, 400, "key required");
	else
		take_key(r, &q, &why);
	if (why.status) {
		router_fail(r, &why);
		return;
	}
	if (!q.body.p)
		q.body = str_of("");
	call(r, &q);
}

/* A call that needs no arguments and is the same everywhere, to try a credential out. */
void rest_dispatch_ping(struct rest *r)
{
	struct dispatch_request q = {
		.arena = r->arena, .caller = &r->caller, .trace = &r->trace, .key = str_of("NOW"), .body = str_of(""),
	};
	struct dispatch_result *d = arena_alloc(r->arena, sizeof(*d));
	struct problem why = { 0 };

	if (router_switch(r, "ping") < 0)
		return;
	if (is_prefetch(r->req)) {
		problem_set(&why, 403, "prefetch_refused");
		router_fail(r, &why);
		return;
	}
	if (dispatch_call(&q, d, &why) == 0) {
		answer(r, d, q.key, NULL);
		return;
	}
	if (!why.extra)
		why.extra = arena_json(r->arena, json_object_new_object());
	json_put(why.extra, "explain", explain_caller(&r->caller));
	router_fail(r, &why);
}

void rest_dispatch_explain(struct rest *r)
{
	if (router_switch(r, "explain") == 0)
		response_json(r->res, 200, explain_caller(&r->caller));
}

/* Documents: kept for the generation as "ETag\nbody". */

static bool send_kept(struct rest *r, const char *name, const char *type)
{
	struct str body = directory_body_get(r->service->directory, name), etag;

	if (!body.p)
		return false;
	directory_body_hold(r->service->directory, r->arena, name);
	etag = str_cut(&body, '\n');
	router_document(r, type, arena_str(r->arena, etag), body);
	return true;
}

enum affordance { CAN_RUN, CAN_SHAPE, CAN_URL, CAN_CONFIRM, CAN_EDIT, CAN_HISTORY, CAN_N };

/* refusal NULL: allowed. */
static struct document_affordance move(const char *name, const char *method, const char *url, const char *refusal)
{
	return (struct document_affordance){
		.name = name, .method = method, .url = str_of(url), .allowed = !refusal, .reason = refusal,
	};
}

/* The gate's reason, NULL when it lets the call pass. */
static const char *refusal(struct rest *r, const struct entry *e)
{
	struct gate_request g = { .arena = r->arena, .caller = &r->caller, .entry = e, .plain = true };
	struct problem why = { 0 };

	return gate_check(&g, &why) < 0 ? arena_strdup(r->arena, why.error) : NULL;
}

/* What this credential can do with the row. */
static void affordances(struct rest *r, const struct entry *e, struct document_affordance a[CAN_N])
{
	bool owner = r->caller.kind == CALLER_OWNER;
	const char *not_owner = owner ? NULL : "unauthorized";
	const char *run = refusal(r, e);
	const char *key = arena_str(r->arena, e->key), *base = r->service->conf->base_url;
	const char *dispatch = arena_printf(r->arena, "%s/api/dispatch", base);
	const char *row = arena_printf(r->arena, "%s/api/directory/%s", base, key);

	a[CAN_RUN] = move("run", "POST", dispatch, run);
	a[CAN_SHAPE] = move("preview", "POST", dispatch, run);
	a[CAN_SHAPE].adds = "{\"shape\":true}";
	/* The owner's key is never accepted in a URL, so a URL alone runs what its token, or anybody, may run. */
	a[CAN_URL] = move("run_by_url", "GET", arena_printf(r->arena, "%s?invoke=%s", dispatch, key),
			  owner ? "owner_key_never_in_url" : run);
	a[CAN_CONFIRM] = move("confirm", "GET", arena_printf(r->arena, "%s?confirm=inv_...", dispatch), NULL);
	a[CAN_EDIT] = move("edit", "PATCH", row, not_owner);
	a[CAN_HISTORY] = move("history", "GET", arena_printf(r->arena, "%s/history", row), not_owner);
}

/* Callers with the same affordances see the same document. */
static const char *document_name(struct rest *r, const struct entry *e, const struct document_affordance *a,
				 bool markdown)
{
	struct buf name = BUF_ARENA(r->arena);

	buf_printf(&name, "document:%.*s:%s", (int)e->key.n, e->key.p, markdown ? "md" : "json");
	for (int i = 0; i < CAN_N; i++)
		buf_printf(&name, ":%s", a[i].allowed ? "" : a[i].reason);
	return buf_text(&name);
}

/* -1 after answering. */
static int document_format(struct rest *r, bool *markdown)
{
	struct str format = request_param(r->req, "format");
	struct problem why = { 0 };

	*markdown = format.p ? str_is(format, "markdown")
			     : request_prefers(r->req, "text/markdown", "application/json");
	if (!format.p || *markdown || str_is(format, "json"))
		return 0;
	problem_set(&why, 400, "bad_parameter");
	problem_field(&why, "format");
	problem_detail(&why, "format is markdown or json");
	router_fail(r, &why);
	return -1;
}

static void render(struct rest *r, const struct entry *e, const struct document_affordance *a, bool markdown,
		   struct buf *out)
{
	struct document_options o = { .base_url = r->service->conf->base_url, .affordance = a, .affordances = CAN_N };

	if (markdown) {
		document_markdown(e, &o, out);
	} else {
		json_text(out, arena_json(r->arena, document_json(e, &o)));
		buf_putc(out, '\n');
	}
}

/* Renders it and keeps it with its ETag, which is returned. */
static const char *make(struct rest *r, const struct entry *e, const struct document_affordance *a, bool markdown,
			const char *name, struct buf *out)
{
	struct buf kept = BUF_ARENA(r->arena);
	char hash[CRYPTO_HEX];
	const char *etag;

	render(r, e, a, markdown, out);
	crypto_sha256_hex(buf_str(out), hash);
	etag = arena_printf(r->arena, "\"%s.%.*s\"", e->digest, ETAG_DIGITS, hash);
	buf_puts(&kept, etag);
	buf_putc(&kept, '\n');
	buf_putstr(&kept, buf_str(out));
	directory_body_put(r->service->directory, name, buf_str(&kept));
	return etag;
}

/* A row that the caller reads. -1 with why. */
static int find_row(struct rest *r, struct str key, struct entry **e, struct problem *why)
{
	if (directory_get(r->service->directory, r->arena, key, e, why) < 0)
		return -1;
	if (*e && caller_reads(&r->caller, (*e)->key, (*e)->category, (*e)->enabled))
		return 0;
	return dispatch_unknown_key(r->arena, &r->caller, key, why);
}

void rest_dispatch_document(struct rest *r)
{
	struct document_affordance a[CAN_N];
	struct buf out = BUF_ARENA(r->arena);
	struct problem why = { 0 };
	struct entry *e = NULL;
	const char *name, *type;
	bool markdown;

	if (document_format(r, &markdown) < 0)
		return;
	if (find_row(r, request_param(r->req, "key"), &e, &why) < 0) {
		router_fail(r, &why);
		return;
	}
	affordances(r, e, a);
	name = document_name(r, e, a, markdown);
	type = markdown ? "text/markdown; charset=utf-8" : "application/json";
	if (!send_kept(r, name, type)) {
		const char *etag = make(r, e, a, markdown, name, &out);

		router_document(r, type, etag, buf_str(&out));
	}
}

int rest_dispatch_markdown(struct rest *r, struct str key, struct str *out, struct problem *why)
{
	struct document_affordance a[CAN_N];
	struct buf made = BUF_ARENA(r->arena);
	struct entry *e = NULL;
	const char *name;

	if (find_row(r, key, &e, why) < 0)
		return -1;
	affordances(r, e, a);
	name = document_name(r, e, a, true);
	*out = arena_copy(r->arena, directory_body_get(r->service->directory, name));
	if (out->p) {
		str_cut(out, '\n');
		return 0;
	}
	make(r, e, a, true, name, &made);
	*out = buf_str(&made);
	return 0;
}

/* The protocol index */

static void add_endpoint(void *ctx, const struct route *route)
{
	static const char *const who[] = {
		[WHO_ANYONE] = "anyone",
		[WHO_KNOWN] = "owner or token",
		[WHO_OWNER] = "owner",
		[WHO_METRICS] = "owner or metrics_allow",
	};
	struct buf *out = ctx;

	emit_begin(out, NULL, '{');
	emit_text(out, "method", route->method);
	emit_text(out, "path", route->pattern);
	if (route->selector)
		emit_text(out, "query", route->selector);
	if (route->params[0])
		emit_text(out, "with", route->params);
	emit_text(out, "who", who[route->who]);
	emit_text(out, "what", route->what);
	emit_end(out, '}');
}

static void emit_loop(struct buf *out, const char *base)
{
	static const struct { const char *step, *how; } steps[] = {
		{ "ask", "GET %s/api/dispatch?ask=what you want in plain words" },
		{ "read", "GET %s/api/dispatch?key=KEY&format=markdown" },
		{ "invoke", "POST %s/api/dispatch {\"key\":\"KEY\",\"body\":\"first|second\"}" },
		{ "confirm", "GET %s/api/dispatch?confirm=inv_..." },
	};
	struct buf how = BUF_MALLOC;

	emit_begin(out, "loop", '[');
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		const char *base_at = strstr(steps[i].how, "%s");

		buf_clear(&how);
		buf_add(&how, steps[i].how, (size_t)(base_at - steps[i].how));
		buf_puts(&how, base);
		buf_puts(&how, base_at + 2);
		emit_begin(out, NULL, '{');
		emit_text(out, "step", steps[i].step);
		emit_str(out, "how", buf_str(&how));
		emit_end(out, '}');
	}
	emit_end(out, ']');
	buf_free(&how);
}

void rest_dispatch_index(struct rest *r)
{
	struct buf out = BUF_ARENA(r->arena);
	const char *base = r->service->conf->base_url;

	emit_begin(&out, NULL, '{');
	emit_text(&out, "protocol", REST_PROTOCOL);
	emit_text(&out, "version", PACKAGE_VERSION);
	emit_text(&out, "base", base);
	emit_loop(&out, base);
	emit_begin(&out, "endpoints", '[');
	routes_each(add_endpoint, &out);
	emit_end(&out, ']');
	emit_end(&out, '}');
	response_text(r->res, 200, "application/json", emit_done(&out));
}
