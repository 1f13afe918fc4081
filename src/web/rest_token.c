/* Capability tokens over HTTP (spec section 8). */
#include "call/token.h"
#include "web/rest.h"

enum { TOKEN_PAGE = 100, TOKEN_PAGE_MAX = REST_ROWS_MAX };

static void mint(struct rest *r, const struct token *above)
{
	struct token_order o = {
		.directory = r->service->directory, .arena = r->arena, .fields = r->body,
		.above = above, .actor = r->caller.actor, .trace = r->trace.id,
	};
	char text[TOKEN_TEXT];
	struct problem why = { 0 };
	struct json_object *answer;
	struct token *t;

	if (router_fields(r, TOKEN_FIELDS) < 0 || router_no_secrets(r) < 0)
		return;
	if (token_mint(&o, &t, text, &why) < 0) {
		router_fail(r, &why);
		return;
	}
	answer = token_json(r->service->directory, t);
	json_put_bool(answer, "ok", true);
	json_put_text(answer, "token", text);
	crypto_forget(text, sizeof(text));
	response_header(r->res, "Cache-Control", "no-store");
	response_json(r->res, 201, answer);
}

void rest_token_mint(struct rest *r)
{
	mint(r, NULL);
}

/* The owner has no limits to narrow. */
void rest_token_attenuate(struct rest *r)
{
	struct problem why = { 0 };

	if (r->caller.token) {
		mint(r, r->caller.token);
		return;
	}
	problem_set(&why, 400, "token_needed");
	router_fail(r, &why);
}

void rest_token_list(struct rest *r)
{
	struct json_object *answer, *list;
	struct problem why = { 0 };
	char next[TOKEN_NAME];
	int64_t limit;

	if (router_number(r, "limit", 1, TOKEN_PAGE_MAX, TOKEN_PAGE, &limit) < 0)
		return;
	list = token_list(r->service->directory, r->arena, request_param(r->req, "cursor"), limit, next, &why);
	if (!list) {
		router_fail(r, &why);
		return;
	}
	answer = json_object_new_object();
	json_put_int(answer, "count", (int64_t)json_object_array_length(list));
	json_put(answer, "tokens", list);
	json_put_text(answer, "cursor", next[0] ? next : NULL);
	response_json(r->res, 200, answer);
}

void rest_token_get(struct rest *r)
{
	struct problem why = { 0 };
	struct token *t;
	int rc = token_get(r->service->directory, r->arena, r->arg[0], &t, &why);

	if (rc == 0)
		problem_set(&why, 404, "token_not_found");
	if (rc != 1)
		router_fail(r, &why);
	else
		response_json(r->res, 200, token_json(r->service->directory, t));
}

void rest_token_revoke(struct rest *r)
{
	struct json_object *answer;
	struct problem why = { 0 };
	bool changed;

	if (token_revoke(r->service->directory, r->arena, r->arg[0], r->caller.actor, r->trace.id, &changed, &why) < 0) {
		router_fail(r, &why);
		return;
	}
	answer = json_object_new_object();
	json_put_bool(answer, "ok", true);
	json_put_str(answer, "fingerprint", r->arg[0]);
	json_put_int(answer, "revoked", changed);
	response_json(r->res, 200, answer);
}
