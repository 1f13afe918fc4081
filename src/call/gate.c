/* The rules of the gate in their order; the first that refuses is the answer. Whether a row is readable was decided
 * before: a row that is not is unknown to the caller. */
#include <inttypes.h>
#include "call/dispatch.h"
#include "call/gate.h"

/* The token as it is now; of a step of a long flow it was presented some time ago. */
struct state { const struct gate_request *g; const struct token *token; };

/* Says which token would do: the narrowest. */
static void needs(const struct gate_request *g, bool high, struct problem *why)
{
	struct json_object *o;
	const char *key;

	if (!g->arena || !why)
		return;
	o = json_object_new_object();
	key = arena_str(g->arena, g->entry->key);

	json_put_text(o, "scope", arena_printf(g->arena, "row:%s", key));
	json_put_text(o, "risk_ceiling", high ? "high" : "low");
	if (!why->extra)
		why->extra = arena_json(g->arena, json_object_new_object());
	json_put(why->extra, "needs", o);
	json_put_text(why->extra, "mint", arena_printf(g->arena, "rowcall token mint --scope row:%s%s", key,
		high ? " --risk-ceiling high" : ""));
}

/* Nobody without a credential runs a row of high risk, or one outside the setting `anonymous`. */
static int check_anonymous(const struct state *s, struct problem *why)
{
	const struct caller *c = s->g->caller;
	const struct entry *e = s->g->entry;

	if (c->kind != CALLER_ANONYMOUS)
		return 0;

	if (caller_calls(c, e->key, e->category, true, e->sensitive))
		return 0;
	problem_set(why, 401, "unauthorized");
	problem_fix(why, "present a credential that may call this row: the owner's key as x-terminal-key, or a token as "
		"Authorization: Bearer");
	needs(s->g, e->sensitive, why);
	return -1;
}

static int check_alive(const struct state *s, struct problem *why)
{
	return s->token ? token_check_alive(s->token, why) : 0;
}

static int check_scope(const struct state *s, struct problem *why)
{
	if (!s->token || scope_calls(s->token->scope, s->g->entry->key, s->g->entry->category))
		return 0;
	problem_set(why, 403, "scope_mismatch");
	problem_detail(why, "the token's scope does not cover calls of this row");
	needs(s->g, s->g->entry->sensitive, why);
	return -1;
}

/* The host of base_url, and the host with its port. */
static bool is_audience(struct str audience)
{
	struct str rest = str_of(dispatch_context()->conf->base_url), host;

	rest = str_skip(rest, (size_t)(str_find(rest, str_of("://")) + 3));
	if (str_eq(audience, rest))
		return true;
	host = rest;
	for (size_t i = rest.n; i > 0 && rest.p[i - 1] != ']'; i--)
		if (rest.p[i - 1] == ':')
			host = str_make(rest.p, i - 1);
	return str_eq(audience, host);
}

static int check_audience(const struct state *s, struct problem *why)
{
	if (!s->token || !s->token->audience.p || is_audience(s->token->audience))
		return 0;
	problem_set(why, 403, "audience_bound:%.*s", (int)s->token->audience.n, s->token->audience.p);
	problem_detail(why, "the token is for another service");
	return -1;
}

static int check_owner_gate(const struct state *s, struct problem *why)
{
	if (!s->token || s->token->gate != GATE_OWNER)
		return 0;
	problem_set(why, 403, "owner_gate_required");
	problem_detail(why, "the owner has closed this token to calls");
	return -1;
}

static int check_pin(const struct state *s, struct problem *why)
{
	const struct token *t = s->token;
	const struct entry *e = s->g->entry;

	if (!t || s->g->inner)
		return 0;
	if (t->identity && t->identity != e->identity) {
		problem_set(why, 409, "row_replaced:%.*s", (int)e->key.n, e->key.p);
		problem_detail(why, "the row that the token is for is gone; this one has its name alone");
		return -1;
	}
	if (!t->contract.p || str_is(t->contract, e->digest))
		return 0;
	problem_set(why, 409, "contract_changed:%.*s!=%s", (int)t->contract.n, t->contract.p, e->digest);
	problem_detail(why, "the token is for the row as it was");
	problem_fix(why, "ask whoever gave you this token for one for the row as it is now");
	return -1;
}

static int check_risk(const struct state *s, struct problem *why)
{
	bool agent = s->g->caller->low_risk;

	if (!s->g->entry->sensitive || (!agent && (!s->token || s->token->high)))
		return 0;
	problem_set(why, 403, "risk_ceiling:low<row:high");
	if (agent)
		problem_fix(why, "an agent reaches a row of high risk only when its own row is sensitive");
	else
		needs(s->g, true, why);
	return -1;
}

static int check_body(const struct state *s, struct problem *why)
{
	const struct gate_request *g = s->g;
	struct str fixed = s->token ? s->token->body_fixed : str_make(NULL, 0);

	if (!fixed.p || g->inner || (g->plain && (!g->body.n || str_eq(g->body, fixed))))
		return 0;
	problem_set(why, 403, "body_not_allowed:fixed_body_only");
	problem_fix(why, "send no arguments: the token has its own");
	return -1;
}

static int check_payload(const struct state *s, struct problem *why)
{
	int64_t max = s->token && !s->g->inner ? s->token->max_body_bytes : 0;

	if (!max || (int64_t)s->g->payload <= max)
		return 0;
	problem_set(why, 413, "payload_ceiling:%zu>%" PRId64, s->g->payload, max);
	return -1;
}

static int check_left(const struct state *s, struct problem *why)
{
	if (!s->token || s->g->inner || s->g->paid || !s->g->arena || token_uses_left(dispatch_context()->directory, s->token))
		return 0;
	return problem_set(why, 429, "token_exhausted");
}

static int check_enabled(const struct state *s, struct problem *why)
{
	const struct entry *e = s->g->entry;

	if (e->enabled)
		return 0;
	problem_set(why, 409, "row_disabled:%.*s", (int)e->key.n, e->key.p);
	problem_fix(why, "enable the row: PATCH enabled to 1");
	return -1;
}

static int (*const checks[])(const struct state *s, struct problem *why) = {
	check_anonymous, check_alive, check_scope, check_audience, check_owner_gate, check_pin, check_risk, check_body,
	check_payload, check_left, check_enabled,
};

bool gate_holds(const struct caller *c)
{
	for (const struct token *t = c->token; t; t = t->above)
		if (t->gate == GATE_HOLD)
			return true;
	return false;
}

static int read_again(struct state *s, struct problem *why)
{
	struct token *t;
	int rc = token_get(dispatch_context()->directory, s->g->arena, str_of(s->token->name), &t, why);

	if (rc == 0)
		problem_set(why, 401, "token_invalid");
	s->token = t;
	return rc == 1 ? 0 : -1;
}

int gate_check(const struct gate_request *g, struct problem *why)
{
	struct state s = { g, g->caller->token };

	if (s.token && g->inner && read_again(&s, why) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++)
		if (checks[i](&s, why) < 0)
			return -1;
	return 0;
}
