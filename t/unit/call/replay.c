/* What a receipt keeps of its call, and what may be done with it: run it again, repair it; and calls that stand in
 * prose. With the real writer. */
#include "../directory/fixture.h"
#include "base/json.h"
#include "call/replay.h"
#include "call/text.h"
#include "tap.h"

static struct caller owner, anonymous, one, other;
static struct dispatch_result out;
static struct dispatch_request req;
static struct dispatch_trace trace;
static struct problem why;
static const struct receipt *older;
static char first[RECEIPT_ID];          /* of the receipt that a test is about */

static void request(const struct caller *who)
{
	why = (struct problem){ 0 };
	directory_refresh(service.d);
	dispatch_trace_new(&trace);
	req = (struct dispatch_request){ .arena = service.a, .caller = who, .trace = &trace };
}

static int call(const struct caller *who, const char *key, const char *body)
{
	request(who);
	req.key = str_of(key);
	req.body = str_of(body);
	return dispatch_call(&req, &out, &why);
}

/* The same, and `first` is its receipt. */
static void call_first(const struct caller *who, const char *key, const char *body)
{
	tap_is_int(call(who, key, body), 0, "a call");
	memcpy(first, out.id, sizeof(first));
}

static int replay(const struct caller *who, const char *id)
{
	request(who);
	return replay_call(&req, str_of(id), &older, &out, &why);
}

static const char *result(void)
{
	return out.result.p ? arena_str(service.a, out.result) : NULL;
}

static struct receipt receipt(const char *id)
{
	struct receipt r = { .n = 0 };

	tap_is_int(receipt_get(service.d, service.a, str_of(id), true, &r, &why), 1, "a receipt");
	return r;
}

static void refused(int rc, int status, const char *error, const char *name)
{
	tap_ok(rc == -1 && why.status == status && strcmp(why.error, error) == 0 && !out.ran, "%s", name);
	if (strcmp(why.error, error))
		tap_diag("%d %s", why.status, why.error);
}

static void put(const char *key, const char *target, const char *content, const char *more)
{
	service_put(key, arena_printf(service.a,
		"{\"type\":\"fn\",\"target\":\"%s\",\"examples\":[\"x\"],\"content\":\"# WHAT: t\\n%s\"%s}", target, content,
		more));
}

static void test_string(void)
{
	char old[RECEIPT_ID];
	struct receipt r;

	call_first(&owner, "PAIR", "a| b ");
	memcpy(old, first, sizeof(old));
	tap_is_int(replay(&owner, old), 0, "its receipt's input runs again");
	tap_is_str(result(), "a, b ", "with the same result");
	tap_ok(strcmp(out.id, old) != 0 && strcmp(older->id, old) == 0, "as a call of its own");
	r = receipt(out.id);
	tap_is_str(r.replays, old, "whose receipt says what it ran again");
	tap_is_str(r.trace, trace.id, "in the trace of the request");
	tap_is_str(r.input, older->input, "on the same input");
	tap_is_str(r.output, older->output, "and came to the same output");
	tap_is_int(replay(&owner, r.id), 0, "a replay can be replayed");
	tap_is_str(receipt(out.id).replays, r.id, "and points to what it ran again");
	tap_is_str(receipt(old).replays, "", "the first one still points to none");
	call_first(&owner, "PAIR", "");
	tap_is_int(replay(&owner, first), 0, "no argument at all is an input too");
	tap_is_str(result(), ",", "as it was");
}

static void check_array(const struct str *arg, size_t n, const char *form, const char *name)
{
	struct receipt r;
	const char *before;

	request(&owner);
	req.key = str_of("LIST");
	req.arg = arg;
	req.args = n;
	tap_is_int(dispatch_call(&req, &out, &why), 0, name);
	before = result();
	r = receipt(out.id);
	tap_is_str(r.input_form, form, "is kept as it can be read again");
	tap_is_int(replay(&owner, r.id), 0, "runs again");
	tap_is_str(result(), before, "with the same arguments");
	tap_is_str(receipt(out.id).input, r.input, "and the same fingerprint");
}

static void test_array(void)
{
	const struct str piped[] = { str_of("a|b"), str_of("c") }, plain[] = { str_of("a"), str_of(""), str_of("[\"c\"]") };

	check_array(piped, 2, "array", "an array with a pipe in it");
	check_array(plain, 3, "string", "an array without one");
	check_array(plain + 2, 1, "string", "an array of one that looks like JSON");
	check_array(plain, 0, "array", "an array of none");
}

static void test_object(void)
{
	char old[RECEIPT_ID];

	request(&owner);
	req.key = str_of("TYPED");
	req.named = service_json("{\"b\":[1.50,\"|\"],\"a\":null}");
	tap_is_int(dispatch_call(&req, &out, &why), 0, "named arguments");
	tap_is_str(result(), ",[1.50,\"|\"]", "in the schema's order");
	memcpy(old, out.id, sizeof(old));
	tap_is_str(receipt(old).input_form, "object", "are kept as they are");
	tap_is_int(replay(&owner, old), 0, "run again");
	tap_is_str(result(), ",[1.50,\"|\"]", "with the same values");
	put("TYPED", "echo", "[\\\"$1\\\"]",
	    ",\"input_schema\":{\"type\":\"object\",\"properties\":{\"c\":{}},\"additionalProperties\":false}");
	refused(replay(&owner, old), 422, "args_invalid", "but only while the row takes them");
}

static void test_not_kept(void)
{
	char text[128];

	service.conf.max_kept_payload = 16;
	call_first(&owner, "ECHO", "16 bytes of text");
	tap_is_int(replay(&owner, first), 0, "an input as long as what is kept runs again");
	call_first(&owner, "ECHO", "17 bytes of text!");
	refused(replay(&owner, first), 409, "input_not_kept", "one that was cut does not");
	tap_ok(strstr(why.detail, "cut"), "and says so");
	service.conf.max_kept_payload = 0;
	call_first(&owner, "ECHO", "");
	refused(replay(&owner, first), 409, "input_not_kept", "nor one that was not to be kept");
	service.conf.max_kept_payload = 65536;
	snprintf(text, sizeof(text), "x %s", "sekret-4711-value");
	call_first(&owner, "ECHO", text);
	refused(replay(&owner, first), 409, "input_not_kept", "nor one that held a secret");
	tap_ok(strstr(why.detail, "secret") && !strstr(why.detail, "4711"), "which it does not repeat");
}

static void test_who(void)
{
	call_first(&one, "ECHO", "x");
	tap_is_int(replay(&owner, first), 0, "the owner runs anybody's input again");
	tap_is_str(receipt(out.id).actor, "owner:terminal-key", "as the owner");
	refused(replay(&other, first), 404, "receipt_not_found", "another token does not find it");
	refused(replay(&anonymous, first), 404, "receipt_not_found", "nor does nobody");
	refused(replay(&owner, "inv_00000000000000000000000000"), 404, "receipt_not_found", "as one that is not there");
	refused(replay(&owner, "inv_x"), 404, "receipt_not_found", "or is no id");
	call_first(&anonymous, "ECHO", "x");
	refused(replay(&anonymous, first), 404, "receipt_not_found", "what nobody has called is nobody's to run again");
	tap_is_int(replay(&owner, first), 0, "but the owner's");
}

static void test_changed_row(void)
{
	char digest[CRYPTO_HEX];

	call_first(&owner, "CHANGES", "x");
	memcpy(digest, out.contract, sizeof(digest));
	put("CHANGES", "upper", "", "");
	tap_is_int(replay(&owner, first), 0, "a replay runs the row as it is now");
	tap_is_str(result(), "X", "with another result");
	tap_is_str(older->contract, digest, "it knows the contract of then");
	tap_ok(strcmp(out.contract, digest) != 0, "and the one of now");
	request(&owner);
	req.contract = str_of(digest);
	refused(replay_call(&req, str_of(first), &older, &out, &why), 409,
		arena_printf(service.a, "contract_changed:%s!=%s", digest, service_get("CHANGES")->digest),
		"with a pin it does not run");
	request(&owner);
	req.shape = true;
	tap_is_int(replay_call(&req, str_of(first), &older, &out, &why), 0, "a replay can be looked at");
	tap_ok(!out.ran && out.shaped && !out.id[0], "without running");
}

static int repair(const struct caller *who, const char *key, const char *id)
{
	request(who);
	req.key = str_of(key);
	req.body = str_of("better");
	req.repairs = str_of(id);
	return dispatch_call(&req, &out, &why);
}

static void test_repairs(void)
{
	struct json_object *o;
	char second[RECEIPT_ID];

	call_first(&one, "ECHO", "ERR:x");
	tap_ok(!out.ok, "that failed");
	tap_is_str(receipt(first).repaired_by, "", "has no repair");
	tap_is_int(repair(&one, "ECHO", first), 0, "who made it repairs it");
	memcpy(second, out.id, sizeof(second));
	tap_is_str(receipt(second).repairs, first, "the new receipt says what it repairs");
	tap_is_str(receipt(first).repaired_by, second, "and the old one what repaired it");
	tap_is_int(repair(&owner, "ECHO", first), 0, "so does the owner");
	tap_is_str(receipt(first).repaired_by, out.id, "the last repair counts");
	memcpy(second, out.id, sizeof(second));
	request(&owner);
	req.key = str_of("ECHO");
	req.body = str_of("ERR:again");
	req.repairs = str_of(first);
	dispatch_call(&req, &out, &why);
	tap_is_str(receipt(first).repaired_by, second, "one that fails repairs nothing");
	refused(repair(&other, "ECHO", first), 404, "receipt_not_found", "others do not find it");
	tap_is_str(why.field, "repairs", "by that field");
	refused(repair(&anonymous, "ECHO", first), 404, "receipt_not_found", "nor does nobody");
	refused(repair(&owner, "ECHO", "inv_00000000000000000000000000"), 404, "receipt_not_found", "one that is not there");
	refused(repair(&owner, "PAIR", first), 422, "repairs_other_row:ECHO", "another row is no repair");
	tap_is_str(receipt(first).repaired_by, second, "and none of that changed the receipt");
	o = arena_json(service.a, receipt_public(&(struct receipt){ .repaired_by = "inv_x", .status = "ok" }, "https://b"));
	tap_is_str(json_object_get_string(json_get(o, "repaired_by")), "inv_x", "the public receipt says it");
}

static void test_function(void)
{
	char inner[RECEIPT_ID];
	struct receipt r;

	put("AGAIN", "replay", "", "");
	call_first(&one, "ECHO", "x|y");
	memcpy(inner, first, sizeof(inner));
	tap_is_int(call(&one, "AGAIN", inner), 0, "the function replay");
	tap_is_str(result(), "x", "gives the result of what it ran");
	r = receipt(out.id);
	tap_is_str(r.replays, "", "its own receipt replays nothing");
	call(&other, "AGAIN", inner);
	tap_is_str(result(), "ERR:receipt_not_found", "it has the caller's authority");
	call(&owner, "AGAIN", out.id);
	tap_is_str(result(), "ERR:receipt_not_found", "and may run itself again");
	call_first(&owner, "AGAIN", "inv_x");
	for (int i = 0; i < 9; i++)
		call_first(&owner, "AGAIN", first);
	tap_is_str(result(), "ERR:budget_exceeded:depth:8", "down to the depth that a trace has");
}

/* Prose */

static struct text_run *run;

static size_t text(const struct caller *who, const char *prose)
{
	size_t n = 0;

	request(who);
	out.ran = false;
	if (text_call(&req, str_of(prose), &run, &n, &why) < 0)
		return SIZE_MAX;
	return n;
}

static const char *run_result(size_t i)
{
	return arena_str(service.a, run[i].result.result);
}

static void test_text(void)
{
	tap_is_int((int64_t)text(&owner, "First [PUT]k|1[/PUT], then [GET]k[/GET] and `[PUT]k|2[/PUT]`."), 2, "two calls");
	tap_is_str(run_result(0), "k", "one after the other");
	tap_is_str(run_result(1), "1", "so the second finds what the first has done");
	tap_ok(strcmp(run[0].result.id, run[1].result.id) != 0, "each with a receipt of its own");
	tap_is_str(receipt(run[0].result.id).trace, receipt(run[1].result.id).trace, "under one trace");
	tap_is_int((int64_t)text(&owner, "[NOPE]x[/NOPE] nothing"), 0, "what is no row is text");
	tap_is_int((int64_t)text(&owner, "[OFF]x[/OFF][ECHO]x[/ECHO]"), 2, "a refused call");
	tap_ok(run[0].why.status == 409 && strcmp(run[0].why.error, "row_disabled:OFF") == 0 && !run[0].result.ran,
	       "says why");
	tap_is_str(run_result(1), "x", "and the next one runs");
	tap_is_int((int64_t)text(&anonymous, "[OFF]x[/OFF][ECHO]x[/ECHO][GET]k[/GET]"), 2,
		   "a row that the caller does not read is text");
	tap_ok(run[0].result.ok && run[1].why.status == 401, "and each call has the caller's authority");
}

static void test_text_limit(void)
{
	struct buf b = BUF_ARENA(service.a);
	char before[RECEIPT_ID];

	for (int i = 1; i < TEXT_TAGS_MAX; i++)
		buf_printf(&b, "[ECHO]%d[/ECHO]", i);
	tap_is_int((int64_t)text(&owner, buf_text(&b)), 19, "19 tags run");
	buf_puts(&b, "[ECHO]20[/ECHO]");
	tap_is_int((int64_t)text(&owner, buf_text(&b)), 20, "20 too");
	tap_is_str(run_result(19), "20", "to the last");
	buf_puts(&b, "[ECHO]21[/ECHO]");
	call(&owner, "ECHO", "");
	memcpy(before, out.id, sizeof(before));
	refused(text(&owner, buf_text(&b)) == SIZE_MAX ? -1 : 0, 422, "too_many_tags:21>20", "21 do not");
	tap_is_int(receipt(before).n + 1, (call(&owner, "ECHO", ""), receipt(out.id).n), "and none of them has run");
}

static void test_text_names(void)
{
	struct buf b = BUF_ARENA(service.a);

	for (int i = 0; i < 2000; i++)
		buf_printf(&b, "[X%d][/X%d]", i, i);
	buf_puts(&b, "[ECHO]x[/ECHO]");
	tap_is_int((int64_t)text(&owner, buf_text(&b)), 1, "many unknown names are looked up in turns");
}

/* A token that calls every row. */
static const struct token *minted(void)
{
	struct token_order o = {
		.directory = service.d, .arena = service.a, .actor = "owner:terminal-key",
		.fields = service_json("{\"scope\":\"act\"}"), .trace = "t_test",
	};
	struct token *t = NULL;
	char text[TOKEN_TEXT];

	tap_is_int(token_mint(&o, &t, text, &why), 0, "a token is minted");
	return t;
}

static void set_up(void)
{
	struct conf *c = &service.conf;
	struct dispatch_context context = {
		.conf = c, .secrets = service.secrets, .shared = service.shared, .directory = service.d,
	};

	c->zone = (char *)(uintptr_t)"";
	c->anonymous = (char *)(uintptr_t)"read, row:ECHO";
	c->max_kept_payload = 65536;
	c->trace_timeout_ms = 60000;
	c->trace_depth = 8;
	c->trace_steps = 64;
	c->trace_cost_microusd = 1000000;
	dispatch_init(&context);
	caller_init(c, service.secrets, service.d, &why);
	caller_anonymous(&anonymous);
	owner = (struct caller){ .kind = CALLER_OWNER, .actor = "owner:terminal-key", .anonymous = anonymous.anonymous };
	one = (struct caller){ .kind = CALLER_TOKEN, .actor = "cap:one", .anonymous = anonymous.anonymous, .token = minted() };
	other = (struct caller){ .kind = CALLER_TOKEN, .actor = "cap:other", .anonymous = anonymous.anonymous, .token = minted() };
	put("ECHO", "echo", "", "");
	put("CHANGES", "echo", "", "");
	put("PAIR", "echo", "[\\\"$1,$2\\\"]", "");
	put("LIST", "echo", "[\\\"$1;$2;$3+\\\"]", "");
	put("TYPED", "echo", "[\\\"$1,$2\\\"]",
	    ",\"input_schema\":{\"type\":\"object\",\"properties\":{\"a\":{},\"b\":{}}}");
	put("PUT", "kv_put", "[\\\"$1\\\",\\\"$2\\\"]", "");
	put("GET", "kv_get", "", "");
	put("OFF", "echo", "", ",\"enabled\":0");
}

static void all_tests(void)
{
	set_up();
	test_string();
	test_array();
	test_object();
	test_not_kept();
	test_who();
	test_changed_row();
	test_repairs();
	test_function();
	test_text();
	test_text_limit();
	test_text_names();
	caller_done();
}

int main(void)
{
	service_run(all_tests);
	return tap_done();
}
