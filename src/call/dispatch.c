/* The decision to run something, from the budget to the receipt. What a kind of row does is its runner's; how a
 * credential became a caller, and how the answer looks, is the web's. */
#include <inttypes.h>
#include <string.h>
#include "base/clock.h"
#include "base/escape.h"
#include "base/log.h"
#include "call/approval.h"
#include "call/arguments.h"
#include "call/breaker.h"
#include "call/denial.h"
#include "call/functions.h"
#include "call/gate.h"
#include "call/idempotency.h"
#include "call/question.h"
#include "call/receipt.h"
#include "call/watch.h"
#include "directory/nearest.h"
#include "loop/fiber.h"

enum {
	PAYLOAD_MAX = 1024 * 1024,      /* of each kept text, whatever the setting: a write has to fit into a frame */
	RATE_WAIT_S = 60,               /* after rate_exceeded: the minute is over by then */
	ATTEMPTED_MAX = 256,            /* bytes of an unknown key that are shown */
};

static const struct runner *const runners[] = { &runner_agent, &runner_fn, &runner_exec, &runner_http, &runner_flow };

static struct dispatch_context context;

/* One call and what only this file needs to know about it. */
struct run {
	struct dispatch_request request;        /* as it was asked for, but for a fixed body of the token */
	struct call call;
	const struct runner *runner;
	struct dispatch_result *out;
	struct receipt receipt;
	struct idempotency key;                 /* when keyed */
	bool keyed, intended, probe;
	int64_t began_us;
};

void dispatch_init(const struct dispatch_context *c)
{
	context = *c;
}

const struct dispatch_context *dispatch_context(void)
{
	return &context;
}

void dispatch_trace_new(struct dispatch_trace *t)
{
	*t = (struct dispatch_trace){ .deadline_us = clock_mono_us() + context.conf->trace_timeout_ms * 1000 };
	receipt_new_id("t_", t->id);
}

/* Refusals */

static struct json_object *extra_of(struct arena *a, struct problem *why)
{
	if (!why->extra)
		why->extra = arena_json(a, json_object_new_object());
	return why->extra;
}

static int not_run(struct arena *a, struct problem *why)
{
	json_put_bool(extra_of(a, why), "ran", false);
	return -1;
}

static int malformed(struct run *run, struct problem *why)
{
	shared_count(context.shared, COUNT_MALFORMED, 1);
	return not_run(run->call.arena, why);
}

static int denied(struct run *run, struct problem *why)
{
	denial_record(run->call.request, run->call.entry, why->error);
	return not_run(run->call.arena, why);
}

static int check_budget(const struct dispatch_request *r, struct problem *why)
{
	const struct conf *c = context.conf;
	struct dispatch_trace *t = r->trace;

	if (cancel_asked(&t->cancel))
		return problem_set(why, 409, "cancelled");
	if (r->depth >= c->trace_depth)
		return problem_set(why, 422, "budget_exceeded:depth:%" PRId64, c->trace_depth);
	if (t->steps >= c->trace_steps)
		return problem_set(why, 422, "budget_exceeded:steps:%" PRId64, c->trace_steps);
	if (clock_mono_us() >= t->deadline_us)
		return problem_set(why, 422, "budget_exceeded:time:%" PRId64, c->trace_timeout_ms);
	if (t->cost_microusd > c->trace_cost_microusd)
		return problem_set(why, 422, "budget_exceeded:cost:%g", (double)c->trace_cost_microusd / 1e6);
	t->steps++;
	return 0;
}

int dispatch_unknown_key(struct arena *a, const struct caller *who, struct str key, struct problem *why)
{
	struct directory_reader reader = caller_reader(who);
	struct json_object *list = json_object_new_array();
	struct str near[NEAREST_MAX];
	size_t n = nearest_keys(context.directory, key, &reader, near);
	struct buf url = BUF_ARENA(a);

	shared_count(context.shared, COUNT_UNKNOWN_KEY, 1);
	for (size_t i = 0; i < n; i++) {
		struct json_object *o = json_object_new_object();

		buf_clear(&url);
		buf_printf(&url, "%s/api/dispatch?key=", context.conf->base_url);
		escape_add(&url, ESCAPE_QUERY, near[i]);
		buf_puts(&url, "&format=markdown");
		json_put_str(o, "key", near[i]);
		json_put_str(o, "read", buf_str(&url));
		json_object_array_add(list, o);
	}
	problem_set(why, 404, "unknown_key");
	problem_fix(why, "use a did_you_mean entry, or search: GET %.200s/api/directory/search?q=<words>",
		context.conf->base_url);
	json_put_str(extra_of(a, why), "attempted",
		     str_make(key.p ? key.p : "", escape_cut(key, ATTEMPTED_MAX)));
	json_put_bool(why->extra, "ran", false);
	json_put(why->extra, "did_you_mean", list);
	return -1;
}

/* A row that the caller may not read is as absent as one that is not there. */
static int find_entry(struct run *run, struct problem *why)
{
	const struct dispatch_request *r = run->call.request;
	struct entry *e = NULL;

	if (r->parent)
		directory_refresh(context.directory);   /* time has passed since the request began */
	if (directory_get(context.directory, r->arena, r->key, &e, why) < 0)
		return not_run(r->arena, why);
	if ((!e || !caller_reads(r->caller, e->key, e->category, e->enabled)) && caller_check(r->caller, why) < 0)
		return not_run(r->arena, why);
	if (!e || !caller_reads(r->caller, e->key, e->category, e->enabled))
		return dispatch_unknown_key(r->arena, r->caller, r->key, why);
	run->call.entry = e;
	return 0;
}

/* Which members of the contract differ from the one that the caller has read, if that one ever was. */
static void put_changed(const struct dispatch_request *r, const struct entry *e, struct problem *why)
{
	struct db_stmt *s = db_start(directory_db(context.directory), SQL_CONTRACT_GET, "s", r->contract);

	if (db_step(s) == 1)
		json_put(extra_of(r->arena, why), "changed", contract_diff(db_text(s, 0), e->contract));
	else
		problem_detail(why, "no contract with that digest is known");
	db_end(s);
}

static int check_contract(struct run *run, struct problem *why)
{
	const struct dispatch_request *r = run->call.request;
	const struct entry *e = run->call.entry;

	if (r->approval && r->approval->identity != e->identity)
		return problem_set(why, 409, "row_replaced:%.*s", (int)e->key.n, e->key.p);
	if (!r->contract.p || str_is(r->contract, e->digest))
		return 0;
	problem_set(why, 409, "contract_changed:%.*s!=%s", (int)escape_cut(r->contract, CRYPTO_HEX - 1), r->contract.p,
		e->digest);
	problem_fix(why, "read the row's contract again, then call with its digest");
	put_changed(r, e, why);
	return -1;
}

/* What is made good is a call of the same row, and the caller's to judge. */
static int check_repairs(struct run *run, struct problem *why)
{
	const struct dispatch_request *r = run->call.request;
	struct receipt *older = arena_alloc(r->arena, sizeof(*older));
	int got;

	if (!r->repairs.p)
		return 0;
	got = receipt_get(context.directory, r->arena, r->repairs, false, older, why);
	if (got < 0)
		return -1;
	if (!got || !receipt_is_open_to(older, r->caller))
		problem_set(why, 404, "receipt_not_found");
	else if (!str_is(run->call.entry->key, older->key))
		problem_set(why, 422, "repairs_other_row:%s", older->key);
	else
		return 0;
	problem_field(why, "repairs");
	return -1;
}

static void find_runner(struct run *run)
{
	const struct entry *e = run->call.entry;
	bool exec = row_is_exec(&e->row);
	const struct function *f = str_is(e->type, "fn") && !exec ? functions_find(e->target) : NULL;

	for (size_t i = 0; i < sizeof(runners) / sizeof(*runners); i++)
		if (str_is(e->type, runners[i]->type) && runners[i]->exec == exec)
			run->runner = runners[i];
	if (f && f->runner)
		run->runner = f->runner;
	if (!run->runner)
		log_fatal("a row of type %.*s", (int)e->type.n, e->type.p);
}

/* The receipt */

static struct str claim(const struct call *c, struct str s)
{
	s = runner_redacted(c, s, NULL);
	return s.p ? str_make(s.p, escape_cut(s, DISPATCH_CLAIM_MAX)) : s;
}

static int64_t payload_max(void)
{
	return context.conf->max_kept_payload < PAYLOAD_MAX ? context.conf->max_kept_payload : PAYLOAD_MAX;
}

static void stamp(struct receipt *r)
{
	char now[CLOCK_ISO];

	clock_iso(clock_ms(), now);
	memcpy(r->time, now, sizeof(now));
}

/* What is known before it runs. */
static void begin_receipt(struct run *run)
{
	const struct dispatch_request *r = run->call.request;
	const struct entry *e = run->call.entry;
	struct receipt *p = &run->receipt;

	receipt_new_id("inv_", p->id);
	memcpy(run->call.id, p->id, sizeof(run->call.id));
	stamp(p);
	receipt_of_call(p, r, e);
	receipt_text(p->replays, sizeof(p->replays), str_of(r->replays));
	receipt_text(p->repairs, sizeof(p->repairs), r->repairs);
	p->count = 1;
	p->on_behalf_of = claim(&run->call, r->on_behalf_of);
	p->authorized_by = claim(&run->call, r->authorized_by);
	receipt_text(p->input_form, sizeof(p->input_form), str_of(run->call.form));
	p->input_text = runner_redacted(&run->call, run->call.body, &p->input_redacted);
	crypto_sha256_hex(p->input_text, p->input);
}

static bool is_material(struct str s)
{
	static const char *const hollow[] = { "", "null", "[]", "{}", "\"\"" };

	s = str_trim(s);
	for (size_t i = 0; i < sizeof(hollow) / sizeof(*hollow); i++)
		if (str_is(s, hollow[i]))
			return false;
	return true;
}

/* The result as it leaves, and what the receipt says of it. */
static void end_receipt(struct run *run)
{
	static const char status[2][8] = { "error", "ok" };
	struct call *c = &run->call;
	struct receipt *p = &run->receipt;
	struct dispatch_result *out = run->out;

	out->result = runner_redacted(c, buf_str(&c->result), NULL);
	out->ok = !str_starts(out->result, "ERR:");
	out->label = c->label;
	out->material = out->ok && is_material(str_skip(out->result, out->label));
	stamp(p);
	memcpy(p->status, status[out->ok], sizeof(status[0]));
	p->ok = out->ok;
	p->material = out->material;
	p->spent = c->spent;
	p->duration_us = clock_mono_us() - run->began_us;
	p->output_text = out->result;
	crypto_sha256_hex(out->result, p->output);
}

static void fill_result(struct run *run)
{
	struct dispatch_result *out = run->out;
	const struct receipt *p = &run->receipt;

	out->ran = true;
	out->kind = "invocation_result";
	out->actor = run->call.request->caller->actor;
	out->runner = row_runner(&run->call.entry->row);
	out->spent = p->spent;
	out->duration_us = p->duration_us;
	memcpy(out->id, p->id, sizeof(out->id));
	memcpy(out->trace, p->trace, sizeof(out->trace));
	memcpy(out->input, p->input, sizeof(out->input));
	memcpy(out->output, p->output, sizeof(out->output));
	memcpy(out->contract, p->contract, sizeof(out->contract));
}

/* It ran, and that cannot be recorded. Where it had no effect and its receipt certainly is not there either, it is
 * as if it had not run. */
static int not_recorded(struct run *run, struct problem *why)
{
	struct arena *a = run->call.arena;
	bool outside = run->intended || (run->runner->breaker && !run->call.settled);

	if (!outside && !write_unknown(run->call.write)) {
		run->out->ran = false;
		run->out->id[0] = 0;
		run->out->result = str_make(NULL, 0);
		return not_run(a, why);
	}
	log_error("%s ran and could not be recorded: %s", run->receipt.id, why->detail[0] ? why->detail : why->error);
	problem_set(why, 500, "receipt_not_written");
	problem_detail(why, "the call ran, its receipt could not be written, its result is withheld");
	run->out->result = str_make(NULL, 0);
	json_put_bool(extra_of(a, why), "ran", true);
	json_put_text(why->extra, "invocation_id", run->receipt.id);
	return -1;
}

static void add_receipt(struct run *run)
{
	struct call *c = &run->call;

	if (run->runner->breaker && !c->settled)
		breaker_note(c->write, c->entry->key, c->upstream_status, run->probe);
	end_receipt(run);
	receipt_add(c->write, &run->receipt, payload_max());
	if (run->keyed)
		idempotency_result(c->write, &run->key, run->receipt.id, run->out->result);
	if (run->out->ok)
		question_teach(c->write, c->arena, c->request->caller, c->request->ask, c->entry);
}

/* What the runner wanted written with the receipt was refused: that is the call's result, and the receipt is written
 * without it. */
static void refused_by_writer(struct run *run, const char *code)
{
	struct call *c = &run->call;
	size_t n = strcspn(code, "_");

	buf_clear(&c->result);
	c->label = 0;
	buf_printf(&c->result, "ERR:%.*s:%s", (int)n, code, code[n] ? code + n + 1 : "refused");
	c->write = write_new(c->arena, SQL_LEDGER);
	add_receipt(run);
}

/* One write: what the runner and the breaker want, and the receipt. */
static int record(struct run *run, struct problem *why)
{
	struct call *c = &run->call;
	bool own = write_statements(c->write) > 0;
	int rc;

	add_receipt(run);
	rc = write_submit(c->write, why);
	if (rc < 0 && own && why->status == 409) {
		refused_by_writer(run, why->error);
		rc = write_submit(c->write, why);
	}
	fill_result(run);
	if (rc < 0)
		return not_recorded(run, why);
	*why = (struct problem){ 0 };
	shared_count(context.shared, COUNT_CALLS, 1);
	shared_count(context.shared, COUNT_RECEIPTS, 1);
	return 0;
}

/* Running */

static int shape(struct run *run)
{
	struct call *c = &run->call;
	struct dispatch_result *out = run->out;

	out->kind = "shaped_dry_run";
	out->ok = !c->settled;
	out->actor = c->request->caller->actor;
	out->runner = row_runner(&c->entry->row);
	out->result = runner_redacted(c, buf_str(&c->result), NULL);
	memcpy(out->contract, c->entry->digest, sizeof(out->contract));
	memcpy(out->trace, c->request->trace->id, sizeof(out->trace));
	if (!c->settled)
		out->shaped = arena_json(c->arena, run->runner->shape(c));
	return 0;
}

static int need_ledger(struct arena *a, struct problem *why)
{
	if (write_healthy(SQL_LEDGER))
		return 0;
	problem_unavailable(why, "receipts cannot be written now, so nothing is run");
	return not_run(a, why);
}

/* An open breaker is a result. */
static int check_breaker(struct run *run, struct problem *why)
{
	struct call *c = &run->call;
	enum breaker_state state;

	if (!run->runner->breaker)
		return 0;
	if (breaker_check(context.directory, c->arena, c->entry->key, &state, why) < 0)
		return not_run(c->arena, why);
	run->probe = state == BREAKER_PROBE;
	if (state != BREAKER_OPEN)
		return 0;
	c->settled = true;
	buf_clear(&c->result);
	buf_printf(&c->result,
		"ERR:breaker_open:%.*s \xE2\x80\x94 %d consecutive auth failures; credential is dead until replaced.",
		   (int)c->entry->key.n, c->entry->key.p, BREAKER_FAILURES);
	return 0;
}

/* The token of the outer call: what a step takes was taken with it. */
static const struct token *counted_token(const struct dispatch_request *r)
{
	return r->parent ? NULL : r->caller->token;
}

/* A call under a key that was used before: what became of the first. */
static int answer_again(struct run *run, struct problem *why)
{
	int rc = idempotency_answer(run->call.arena, &run->key, run->out, why);

	return rc < 0 && !why->extra ? not_run(run->call.arena, why) : rc;
}

/* The writer's word on key, uses and rate. 0: another call came first with the key, and its answer is the answer. */
static int refused_claim(struct run *run, struct problem *why)
{
	bool rate;

	if (why->status != 409)
		return not_run(run->call.arena, why);
	if (strcmp(why->error, IDEMPOTENCY_CLAIMED) == 0)
		return idempotency_look(&run->key, why) < 0 ? not_run(run->call.arena, why) : answer_again(run, why);
	rate = strcmp(why->error, "rate_exceeded") == 0;
	problem_set(why, 429, "%s", rate ? "rate_exceeded" : "token_exhausted");
	why->retry_after = rate ? RATE_WAIT_S : 0;
	return denied(run, why);
}

/* Before it fires: a call with an effect outside, under a key, or that was held leaves its trace, the key is claimed, and
 * a token with limits pays, in one write. */
static int claim_call(struct run *run, struct problem *why)
{
	struct call *c = &run->call;
	bool fires = !c->settled;
	struct write *w = write_new(c->arena, SQL_LEDGER);
	unsigned taken;

	run->intended = run->keyed || c->request->approval || (fires && (docstring_flag(&c->entry->doc, DOC_SAFE) == 0 || run->runner->intent(c)));
	if (run->keyed)
		idempotency_claim(w, &run->key, run->receipt.id);
	taken = fires ? token_take(w, counted_token(c->request)) : 0;
	if (run->intended)
		receipt_intent_add(w, &run->receipt, payload_max());
	return taken || run->intended ? write_submit(w, why) : 0;
}

/* The owner has to say yes before a token with that gate runs anything, and wherever a rule wants it. */
static int pass_watch(struct run *run, struct watch_verdict *v, struct problem *why)
{
	const struct dispatch_request *r = run->call.request;

	if (r->approval || r->unwatched)
		return 0;
	if (run->call.entry->sensitive)
		watch_decide(r, run->call.entry, run->receipt.input_text, v);
	if (v->decision == WATCH_DENY) {
		problem_set(why, 403, "watcher_denied:%s", v->reason);
		return denied(run, why);
	}
	if (!r->trace->approved && gate_holds(r->caller))
		v->decision = WATCH_HOLD;
	return 0;
}

/* Under a key the call is held once: the key is claimed for the approval, and given free when that did not come about. */
static int hold(struct run *run, const char *reason, struct problem *why)
{
	const struct dispatch_request *r = run->call.request;
	struct write *w = write_new(r->arena, SQL_LEDGER);
	struct problem ignored = { 0 };
	struct approval p;
	char id[APPROVAL_ID];

	approval_new_id(id);
	if (run->keyed) {
		idempotency_claim(w, &run->key, id);
		if (write_submit(w, why) < 0)
			return refused_claim(run, why);
	}
	approval_hold(r, &run->receipt, run->call.entry->identity, id, reason, why);
	if (run->keyed && why->status != 202 && approval_get(r->arena, str_of(id), &p, &ignored) == 0)
		idempotency_release(r->arena, &run->key, id);
	return not_run(r->arena, why);
}

/* The owner's word could not be taken: nothing is fired. Where it may have been taken, the intent stays and its outcome
 * is unknown; else somebody has decided meanwhile. */
static int withdraw(struct run *run, struct problem *why)
{
	struct write *w = write_new(run->call.arena, SQL_LEDGER);
	struct problem failure = { 0 };

	if (why->status != 409)
		return not_run(run->call.arena, why);
	token_give_back(w, counted_token(run->call.request), run->receipt.id);
	write_add(w, SQL_INTENT_DROP, "t", run->receipt.id);
	if (write_submit(w, &failure) < 0)
		log_warn("the intent of %s, which has not run, stays: %s", run->receipt.id, failure.error);
	return not_run(run->call.arena, why);
}

static int fire(struct run *run, struct problem *why)
{
	struct call *c = &run->call;

	if (need_ledger(c->arena, why) < 0 || (!c->settled && check_breaker(run, why) < 0))
		return -1;
	if (claim_call(run, why) < 0)
		return refused_claim(run, why);
	if (c->request->approval && approval_claim(c->request, run->receipt.id, why) < 0)
		return withdraw(run, why);
	c->write = write_new(c->arena, SQL_LEDGER);
	if (!c->settled)
		run->runner->run(c);
	return record(run, why);
}

static size_t payload_of(const struct dispatch_request *r)
{
	struct buf b = BUF_ARENA(r->arena);
	size_t n = r->body.n;

	for (size_t i = 0; i < r->args; i++)
		n += r->arg[i].n + (i > 0);
	if (r->named)
		json_text(&b, r->named);
	return n + b.len;
}

int dispatch_gate(struct dispatch_request *r, const struct entry *e, bool paid, struct problem *why)
{
	struct gate_request g = {
		.arena = r->arena, .caller = r->caller, .entry = e,
		.plain = !r->arg && (!r->named || !json_object_object_length(r->named)), .body = r->body,
		.payload = r->caller->token ? payload_of(r) : 0, .inner = r->parent != NULL,
		.paid = paid,
	};

	if (gate_check(&g, why) < 0)
		return -1;
	if (!g.inner && r->caller->token && r->caller->token->body_fixed.p) {
		r->body = r->caller->token->body_fixed;
		r->named = NULL;
	}
	return 0;
}

static int call(const struct dispatch_request *r, struct dispatch_result *out, struct problem *why)
{
	struct run *run = arena_alloc(r->arena, sizeof(*run));
	struct watch_verdict verdict = { .decision = WATCH_ALLOW };

	*out = (struct dispatch_result){ .ran = false };
	*run = (struct run){
		.request = *r, .out = out, .began_us = clock_mono_us(),
		.call = { .request = &run->request, .arena = r->arena, .result = BUF_ARENA(r->arena) },
	};
	if (check_budget(r, why) < 0)
		return not_run(r->arena, why);
	if (find_entry(run, why) < 0)
		return -1;
	run->keyed = r->idempotency.p && !r->shape;
	if (run->keyed && idempotency_begin(r, &run->key, why) < 0)
		return malformed(run, why);
	if (dispatch_gate(&run->request, run->call.entry, run->keyed && run->key.first[0], why) < 0)
		return denied(run, why);
	if (run->keyed && run->key.first[0])
		return answer_again(run, why);
	if (check_contract(run, why) < 0)
		return denied(run, why);
	find_runner(run);
	if (check_repairs(run, why) < 0 || arguments_read(&run->call, why) < 0 ||
	    run->runner->prepare(&run->call, why) < 0)
		return malformed(run, why);
	if (r->shape)
		return shape(run);
	begin_receipt(run);
	if (pass_watch(run, &verdict, why) < 0)
		return -1;
	if (verdict.decision == WATCH_HOLD)
		return hold(run, verdict.reason[0] ? verdict.reason : NULL, why);
	return fire(run, why);
}

/* A call within another has a stack of its own, so that how deep they nest is the budget's business and not the stack's. */
struct nested {
	const struct dispatch_request *request;
	struct dispatch_result *out;
	struct problem *why;
	int rc;
};

static void run_nested(void *arg)
{
	struct nested *n = arg;

	n->rc = call(n->request, n->out, n->why);
}

int dispatch_call(const struct dispatch_request *r, struct dispatch_result *out, struct problem *why)
{
	struct nested n = { .request = r, .out = out, .why = why };
	struct fiber_group group = { 0 };

	if (!r->depth)
		return call(r, out, why);
	fiber_group_start(&group, run_nested, &n);
	fiber_group_wait(&group);
	return n.rc;
}
