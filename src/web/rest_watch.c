/* Watch rules and held calls over HTTP (spec section 8). */
#include "call/approval.h"
#include "call/watch.h"
#include "web/rest.h"

enum { APPROVAL_PAGE = 100 };

static void send_list(struct rest *r, const char *name, struct json_object *list, const char *cursor)
{
	struct json_object *o = json_object_new_object();

	json_put_int(o, "count", (int64_t)json_object_array_length(list));
	json_put(o, name, list);
	json_put_text(o, "cursor", cursor);
	response_json(r->res, 200, o);
}

static void send_ok(struct rest *r, int status, const char *name, struct str id)
{
	struct json_object *o = json_object_new_object();

	json_put_bool(o, "ok", true);
	json_put_str(o, name, id);
	response_json(r->res, status, o);
}

void rest_watch_add(struct rest *r)
{
	struct problem why = { 0 };
	char id[32];

	if (router_fields(r, WATCH_FIELDS) < 0 || router_no_secrets(r) < 0)
		return;
	if (watch_add(r->arena, r->body, r->caller.actor, r->trace.id, id, &why) < 0)
		router_fail(r, &why);
	else
		send_ok(r, 201, "id", str_of(id));
}

void rest_watch_list(struct rest *r)
{
	struct problem why = { 0 };
	struct json_object *list = watch_list(r->arena, &why);

	if (list)
		send_list(r, "rules", list, NULL);
	else
		router_fail(r, &why);
}

void rest_watch_drop(struct rest *r)
{
	struct problem why = { 0 };

	if (watch_drop(r->arena, r->arg[0], r->caller.actor, r->trace.id, &why) < 0)
		router_fail(r, &why);
	else
		send_ok(r, 200, "id", r->arg[0]);
}

void rest_approval_list(struct rest *r)
{
	struct json_object *list, *last;
	struct problem why = { 0 };
	int64_t limit;
	size_t n;

	if (router_number(r, "limit", 1, REST_ROWS_MAX, APPROVAL_PAGE, &limit) < 0)
		return;
	list = approval_list(r->arena, request_param(r->req, "cursor"), limit, &why);
	if (!list) {
		router_fail(r, &why);
		return;
	}
	n = json_object_array_length(list);
	last = (int64_t)n == limit ? json_get(json_object_array_get_idx(list, n - 1), "approval") : NULL;
	send_list(r, "approvals", list, last ? json_object_get_string(last) : NULL);
}

/* What a token may not see is not there for it. -1 after answering. */
static int load(struct rest *r, struct approval *p)
{
	bool owner = r->caller.kind == CALLER_OWNER;
	struct problem why = { 0 };
	int rc = approval_get(r->arena, r->arg[0], p, &why);

	if (rc == 1 && (owner || (p->token.p && str_is(p->token, r->caller.token->name))))
		return 0;
	if (rc >= 0)
		problem_set(&why, 404, "approval_not_found");
	router_fail(r, &why);
	return -1;
}

void rest_approval_get(struct rest *r)
{
	struct approval p;

	if (load(r, &p) == 0)
		response_json(r->res, 200, approval_json(&p, r->caller.kind == CALLER_OWNER));
}

static void run(struct rest *r, const struct approval *p)
{
	struct dispatch_result *d = arena_alloc(r->arena, sizeof(*d));
	struct problem why = { 0 };
	struct json_object *o;

	if (approval_run(r->arena, p, &r->trace, r->caller.actor, d, &why) < 0) {
		router_fail(r, &why);
		return;
	}
	o = json_object_new_object();
	json_put_bool(o, "ok", d->ok);
	json_put_bool(o, "ran", true);
	json_put_str(o, "approval", p->id);
	json_put_text(o, "state", "ran");
	json_put_text(o, "invocation_id", d->id);
	json_put_str(o, "result", d->result);
	response_json(r->res, 200, o);
}

static void deny(struct rest *r, const struct approval *p)
{
	struct problem why = { 0 };
	struct json_object *o;

	if (approval_deny(r->arena, p, r->caller.actor, r->trace.id, &why) < 0) {
		router_fail(r, &why);
		return;
	}
	o = json_object_new_object();
	json_put_bool(o, "ok", true);
	json_put_bool(o, "ran", false);
	json_put_str(o, "approval", p->id);
	json_put_text(o, "state", "denied");
	response_json(r->res, 200, o);
}

void rest_approval_decide(struct rest *r)
{
	struct str decision = json_str(json_get(r->body, "decision"));
	struct problem why = { 0 };
	struct approval p;

	if (router_fields(r, "decision") < 0 || load(r, &p) < 0)
		return;
	if (str_is(decision, "approve")) {
		run(r, &p);
	} else if (str_is(decision, "deny")) {
		deny(r, &p);
	} else {
		problem_bad_field(&why, "decision", "is approve or deny");
		router_fail(r, &why);
	}
}
