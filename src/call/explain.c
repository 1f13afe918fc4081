/* Explaining a credential: the same rules that decide a call, applied to every row and counted. */
#include "base/json.h"
#include "call/dispatch.h"
#include "call/explain.h"

static const char *const credentials[] = {
	[CALLER_ANONYMOUS] = "none", [CALLER_TOKEN] = "token", [CALLER_OWNER] = "owner",
};
static const char *const receipts[] = {
	[CALLER_ANONYMOUS] = "confirm", [CALLER_TOKEN] = "own", [CALLER_OWNER] = "all",
};

static void put_rows(struct json_object *o, const struct caller *c)
{
	struct json_object *readable = json_object_new_object(), *callable = json_object_new_object();
	struct json_object *keys = json_object_new_array();
	size_t n, reads = 0, calls = 0;
	const struct directory_item *item = directory_items(dispatch_context()->directory, &n);

	for (size_t i = 0; i < n; i++) {
		const struct directory_item *r = item + i;

		reads += caller_reads(c, r->key, r->category, r->enabled);
		if (caller_calls(c, r->key, r->category, r->enabled, r->sensitive) && calls++ < EXPLAIN_KEYS_MAX)
			json_object_array_add(keys, json_new_str(r->key));
	}
	json_put_int(readable, "count", (int64_t)reads);
	json_put_int(callable, "count", (int64_t)calls);
	json_put(callable, "keys", keys);
	json_put(o, "readable", readable);
	json_put(o, "callable", callable);
}

static struct json_object *may_of(const struct caller *c)
{
	struct json_object *o = json_object_new_object();
	bool owner = c->kind == CALLER_OWNER;

	json_put_bool(o, "run_sensitive_rows", owner || (c->token && c->token->high));
	json_put_bool(o, "run_by_url", !owner);
	json_put_bool(o, "change_rows", owner);
	json_put_text(o, "receipts", receipts[c->kind]);
	return o;
}

/* Of the token and those above it; null: no limit. */
static struct json_object *limit(const struct token *t, int64_t (*of)(const struct token *t))
{
	int64_t least = 0;

	for (; t; t = t->above)
		if (of(t) && (!least || of(t) < least))
			least = of(t);
	return least ? json_object_new_int64(least) : NULL;
}

static int64_t uses_of(const struct token *t) { return t->uses; }
static int64_t rate_of(const struct token *t) { return t->rate; }
static int64_t bytes_of(const struct token *t) { return t->max_body_bytes; }

static struct json_object *limits_of(const struct caller *c)
{
	const struct conf *conf = dispatch_context()->conf;
	struct json_object *o = json_object_new_object();
	struct json_object *bytes = limit(c->token, bytes_of);

	json_put(o, "uses", limit(c->token, uses_of));
	json_put(o, "rate_per_minute", limit(c->token, rate_of));
	json_put(o, "max_body_bytes", bytes ? bytes : json_object_new_int64(conf->max_request_body));
	json_put_int(o, "trace_depth", conf->trace_depth);
	json_put_int(o, "trace_steps", conf->trace_steps);
	json_put(o, "trace_seconds", json_object_new_double((double)conf->trace_timeout_ms / 1e3));
	json_put(o, "trace_usd", json_object_new_double((double)conf->trace_cost_microusd / 1e6));
	return o;
}

static const char *scope_of(const struct caller *c)
{
	if (c->kind == CALLER_OWNER)
		return "everything";
	return c->token ? c->token->scope_text.p : dispatch_context()->conf->anonymous;
}

struct json_object *explain_caller(const struct caller *c)
{
	struct json_object *o = json_object_new_object();
	int64_t left = c->token ? token_uses_left(dispatch_context()->directory, c->token) : -1;

	json_put_text(o, "credential", credentials[c->kind]);
	json_put_text(o, "actor", c->actor);
	json_put_text(o, "scope", scope_of(c));
	put_rows(o, c);
	json_put(o, "may", may_of(c));
	json_put(o, "limits", limits_of(c));
	json_put(o, "uses_left", left < 0 ? NULL : json_object_new_int64(left));
	json_put_str(o, "expires_at", c->token ? c->token->expires_at : str_make(NULL, 0));
	if (c->token)
		json_put(o, "token", token_json(NULL, c->token));
	return o;
}
