/* Claims of Idempotency-Keys: what they are bound to, and what is said of them in each of their states. */
#include "../directory/fixture.h"
#include "base/clock.h"
#include "base/json.h"
#include "call/idempotency.h"
#include "tap.h"

static struct caller owner, other;
static struct dispatch_trace trace;
static struct problem why;

static struct dispatch_request asked(const char *key, const char *body)
{
	return (struct dispatch_request){ .arena = service.a, .caller = &owner, .trace = &trace, .key = str_of("ECHO"),
		.idempotency = str_of(key), .body = str_of(body) };
}

static struct idempotency begun(const struct dispatch_request *r)
{
	struct idempotency i = { .claimed_ms = 0 };

	why = (struct problem){ 0 };
	if (idempotency_begin(r, &i, &why) < 0)
		tap_diag("refused: %s", why.error);
	return i;
}

static bool same_request(const struct dispatch_request *a, const struct dispatch_request *b)
{
	struct idempotency i = begun(a), k = begun(b);

	return strcmp(i.claim, k.claim) == 0 && strcmp(i.request, k.request) == 0;
}

static void test_binding(void)
{
	struct str ab_c[] = { str_of("ab"), str_of("c") }, a_bc[] = { str_of("a"), str_of("bc") };
	struct dispatch_request a = asked("k", "x"), b = a;
	struct idempotency i = begun(&a), k;

	tap_ok(same_request(&a, &b), "the same request is the same");
	b.body = str_of("");
	tap_ok(!same_request(&a, &b), "other arguments are another");
	a.body = str_make(NULL, 0);
	tap_ok(!same_request(&a, &b), "no string is not an empty one");
	a.arg = ab_c;
	b = a;
	b.arg = a_bc;
	a.args = b.args = 2;
	tap_ok(!same_request(&a, &b), "arguments are cut where they are cut");
	a = asked("k", "x");
	b = a;
	b.contract = str_of("");
	tap_ok(!same_request(&a, &b), "with a contract it is another");
	b = a;
	b.on_behalf_of = str_of("y");
	a.authorized_by = str_of("y");
	tap_ok(!same_request(&a, &b), "a claim is not another claim");
	b = asked("k", "x");
	b.caller = &other;
	k = begun(&b);
	tap_ok(strcmp(i.claim, k.claim) != 0, "of another caller it is another key");
	b = asked("k2", "x");
	k = begun(&b);
	tap_ok(strcmp(i.claim, k.claim) != 0 && strcmp(i.request, k.request) != 0,
		"under another key it is another claim, and the digest of the request another");
}

static int claim(const struct idempotency *i, const char *id)
{
	struct write *w = write_new(service.a, SQL_LEDGER);

	why = (struct problem){ 0 };
	idempotency_claim(w, i, id);
	return write_submit(w, &why);
}

static const char *said(struct idempotency *i)
{
	struct dispatch_result out;

	why = (struct problem){ 0 };
	if (idempotency_look(i, &why) < 0 || idempotency_answer(service.a, i, &out, &why) < 0)
		return why.error;
	return arena_str(service.a, out.result);
}

static void test_states(void)
{
	struct dispatch_request r = asked("states", "x");
	struct idempotency i = begun(&r), other_request;
	const char *id = "inv_01m8v5ryaydm99y5cv98m37sqc";

	tap_ok(!i.first[0], "a new key has no call");
	tap_is_str(said(&i), "idempotency_in_progress", "when its claim was refused, and is gone, one is told to come again");
	tap_is_int(claim(&i, id), 0, "it can be claimed");
	tap_is_int(claim(&i, "inv_01m8v5sd787a9675gs5yzc2bx8"), -1, "once");
	tap_is_str(why.error, IDEMPOTENCY_CLAIMED, "the second is told why");
	tap_is_str(said(&i), "idempotency_in_progress", "without a receipt the call is running");
	tap_ok(why.status == 409 && why.retry_after > 0 && !json_get(why.extra, "ran"), "409, try again, and nobody knows");
	tap_is_str(json_object_get_string(json_get(why.extra, "invocation_id")), id, "which call that is");
	r.body = str_of("y");
	other_request = begun(&r);
	tap_is_str(said(&other_request), "idempotency_key_reused", "another request is told that the key is taken");
	tap_is_int(why.status, 422, "422");
	service.conf.trace_timeout_ms = service.conf.write_timeout_ms = 0;
	fiber_sleep(5);
	tap_is_str(said(&i), "outcome_unknown", "when no call can run that long, its outcome is unknown");
	tap_is_int(why.retry_after, 0, "and waiting is of no use");
	service.conf.trace_timeout_ms = 60000;
	idempotency_release(service.a, &i, "inv_01m8v5sd787a9675gs5yzc2bx8");
	tap_is_str(said(&i), "idempotency_in_progress", "who has not claimed it does not give it free");
	idempotency_release(service.a, &i, id);
	idempotency_look(&i, &why);
	tap_ok(!i.first[0], "who has, does");
}

static void test_time(void)
{
	struct dispatch_request r = asked("time", "x");
	struct idempotency i = begun(&r);

	claim(&i, "inv_01m8v5ryaydm99y5cv98m37sqc");
	service.conf.idempotency_ms = 1;
	fiber_sleep(5);
	idempotency_look(&i, &why);
	tap_ok(!i.first[0], "after its time a key is free");
	tap_is_int(claim(&i, "inv_01m8v5sd787a9675gs5yzc2bx8"), 0, "and can be claimed again");
	service.conf.idempotency_ms = 60000;
	idempotency_look(&i, &why);
	tap_is_str(i.first, "inv_01m8v5sd787a9675gs5yzc2bx8", "for the new call");
}

/* Calls under one key, side by side. */
static int ran, replayed, busy;

static void run_one(void *arg)
{
	struct dispatch_request r = asked(arg, "x");
	struct dispatch_result out;
	struct problem p = { 0 };
	struct dispatch_trace t;

	dispatch_trace_new(&t);
	r.trace = &t;
	if (dispatch_call(&r, &out, &p) == 0)
		*(out.replayed ? &replayed : &ran) += 1;
	else
		busy += strcmp(p.error, "idempotency_in_progress") == 0;
}

static void test_race(void)
{
	struct fiber_group group = { 0 };
	char key[] = "race";

	for (int i = 0; i < 50; i++)
		fiber_group_start(&group, run_one, key);
	fiber_group_wait(&group);
	tap_is_int(ran, 1, "of fifty calls side by side one runs");
	tap_is_int(ran + replayed + busy, 50, "the others have its answer, or wait");
	run_one(key);
	tap_is_int(ran, 1, "and never another");
	tap_ok(replayed > 0, "but its answer");
}

static void test_ledger_down(void)
{
	char key[] = "down";

	ran = 0;
	atomic_store(&service.shared->ledger_healthy, 0);
	run_one(key);
	tap_is_int(ran, 0, "while receipts cannot be written nothing runs");
	atomic_store(&service.shared->ledger_healthy, 1);
	run_one(key);
	tap_is_int(ran, 1, "and the key is free afterwards");
}

static void all_tests(void)
{
	struct conf *c = &service.conf;
	struct dispatch_context context = { .conf = c, .secrets = service.secrets, .shared = service.shared, .directory = service.d };

	c->zone = c->upstream_ca_file = (char *)(uintptr_t)"";
	c->anonymous = (char *)(uintptr_t)"read";
	c->max_kept_payload = 65536;
	c->trace_timeout_ms = 60000;
	c->trace_depth = 8;
	c->trace_steps = 64;
	c->trace_cost_microusd = 1000000;
	dispatch_init(&context);
	caller_init(c, service.secrets, service.d, &why);
	caller_anonymous(&owner);
	other = owner = (struct caller){ .kind = CALLER_OWNER, .actor = "owner:terminal-key", .anonymous = owner.anonymous };
	other.actor = "cap:cap_0000000000000000";
	service_put("ECHO", "{\"type\":\"fn\",\"target\":\"echo\",\"content\":\"# WHAT: t\",\"examples\":[\"\"]}");
	directory_refresh(service.d);
	test_binding();
	test_states();
	test_time();
	test_race();
	test_ledger_down();
	caller_done();
}

int main(void)
{
	service_run(all_tests);
	return tap_done();
}
