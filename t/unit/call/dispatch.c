/* A call from the caller to the receipt, with the real writer and a local upstream. */
#include <pthread.h>
#include "../directory/fixture.h"
#include "base/clock.h"
#include "base/json.h"
#include "call/auth.h"
#include "call/breaker.h"
#include "call/dispatch.h"
#include "call/outbound.h"
#include "call/receipt.h"
#include "tap.h"
#include "upstream.h"

#define OWNER_KEY "owner-key-of-24-characters-or-more"

static struct upstream *up;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char last[65536];
static int status_now = 200;

static struct caller owner, anonymous;
static struct dispatch_result out;
static struct problem why;
static struct dispatch_request req;
static struct dispatch_trace trace;

static bool answer(void *ctx, int fd, const struct upstream_request *in)
{
	int status;

	(void)ctx;
	pthread_mutex_lock(&lock);
	snprintf(last, sizeof(last), "%s", in->text);
	status = status_now;
	pthread_mutex_unlock(&lock);
	if (strncmp(in->target, "/echo", 5) == 0)
		return upstream_text(fd, status, "Content-Type: text/plain\r\n", in->text);
	if (strncmp(in->target, "/japan", 6) == 0)
		return upstream_text(fd, status, "Content-Type: text/plain; charset=shift_jis\r\n", "\x93\xfa\x96\x7b");
	if (strncmp(in->target, "/empty", 6) == 0)
		return upstream_text(fd, 204, "", "");
	return upstream_text(fd, status, "Content-Type: application/json\r\nSet-Cookie: a=b\r\n",
		"{\"temperature_2m\":15.7}");
}

static void answer_status(int status)
{
	pthread_mutex_lock(&lock);
	status_now = status;
	pthread_mutex_unlock(&lock);
}

static bool sent(const char *text)
{
	bool found;

	pthread_mutex_lock(&lock);
	found = strcasestr(last, text) != NULL;
	if (!found)
		tap_diag("sent: %.300s", last);
	pthread_mutex_unlock(&lock);
	return found;
}

static void request(const struct caller *who, const char *key)
{
	why = (struct problem){ 0 };
	directory_refresh(service.d);
	dispatch_trace_new(&trace);
	req = (struct dispatch_request){ .arena = service.a, .caller = who, .trace = &trace, .key = str_of(key) };
}

static int go(void)
{
	int rc = dispatch_call(&req, &out, &why);

	if (rc < 0 && !why.status)
		tap_diag("refused without a reason");
	return rc;
}

static int call(const struct caller *who, const char *key, const char *body)
{
	request(who, key);
	req.body = str_of(body);
	return go();
}

static const char *result(void)
{
	return out.result.p ? arena_str(service.a, out.result) : NULL;
}

static int call_named(const char *key, const char *args)
{
	request(&owner, key);
	req.named = service_json(args);
	return go();
}

static int call_array(const char *key, const char *a, const char *b)
{
	struct str *arg = arena_alloc(service.a, 2 * sizeof(*arg));

	arg[0] = str_of(a);
	arg[1] = str_of(b);
	request(&owner, key);
	req.arg = arg;
	req.args = 2;
	return go();
}

static const char *shape(const char *key, const char *body)
{
	struct buf b = BUF_ARENA(service.a);

	request(&owner, key);
	req.body = str_of(body);
	req.shape = true;
	if (go() < 0)
		return why.error;
	json_text(&b, out.shaped);
	return buf_text(&b);
}

static int put(const char *key, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int put(const char *key, const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return service_put(key, text);
}

static int put_fn(const char *key, const char *target, const char *content)
{
	return put(key, "{\"type\":\"fn\",\"target\":\"%s\",\"content\":\"# WHAT: t%s\",\"examples\":[\"\"]}", target, content);
}

static int put_typed(const char *key, const char *content, const char *more)
{
	return put(key, "{\"type\":\"fn\",\"target\":\"echo\",\"content\":\"# WHAT: t\\n%s\",\"examples\":[\"\"],\"input_schema\":"
		   "{\"type\":\"object\",\"properties\":{\"lat\":{\"type\":\"number\",\"maximum\":90},"
		   "\"unit\":{\"type\":\"string\",\"default\":\"C\"},\"note\":{\"type\":[\"string\",\"null\"]}},"
		   "\"required\":[\"lat\"],\"additionalProperties\":false%s}}", content, more);
}

/* target is a JSON string in which PORT stands for the upstream's. */
static void put_http(const char *key, const char *target, const char *auth, const char *content)
{
	struct buf text = BUF_ARENA(service.a);
	struct str rest = str_of(target);
	long at;

	while ((at = str_find(rest, str_of("PORT"))) >= 0) {
		buf_add(&text, rest.p, (size_t)at);
		buf_printf(&text, "%d", upstream_port(up));
		rest = str_skip(rest, (size_t)at + 4);
	}
	buf_putstr(&text, rest);
	put(key,
		"{\"type\":\"http\",\"target\":%s,\"auth\":\"%s\",\"examples\":[\"x\"],\"content\":\"# WHAT: t\\n%s\"}",
		buf_text(&text), auth, content);
}

static struct receipt last_receipt(void)
{
	struct receipt r = { .n = 0 };

	tap_is_int(receipt_get(service.d, service.a, str_of(out.id), true, &r, &why), 1,
		"its receipt is there when the answer is");
	return r;
}

static void test_fn(void)
{
	struct receipt r;
	char digest[CRYPTO_HEX];

	tap_is_int(call(&owner, "ECHO", "a|b"), 0, "a call runs");
	tap_is_str(result(), "a", "its result is the function's");
	tap_ok(out.ran && out.ok && out.material && strncmp(out.id, "inv_", 4) == 0,
		"it ran, well, with something material");
	r = last_receipt();
	tap_is_str(r.status, "ok", "which says so");
	tap_is_str(r.actor, "owner:terminal-key", "who called");
	tap_is_str(r.trace, trace.id, "in which trace");
	crypto_sha256_hex(str_of("a|b"), digest);
	tap_is_str(r.input, digest, "the fingerprint of the input");
	crypto_sha256_hex(str_of("a"), digest);
	tap_is_str(r.output, digest, "of the output");
	tap_is_str(r.contract, service_get("ECHO")->digest, "and of the contract");
	tap_is_str(r.input_text.p, "a|b", "the input is kept");
	tap_is_str(r.output_text.p, "a", "and the output");
	call(&owner, "ECHO", "");
	tap_ok(out.ok && !out.material, "an empty result is not material");
	call(&owner, "ECHO", " [] ");
	tap_ok(out.ok && !out.material, "nor is an empty array");
	call(&owner, "ECHO", "ERR:x");
	tap_ok(!out.ok && !out.material, "a result that begins with ERR: is not ok");
	call(&owner, "ECHO", "x WEATHER " "sekret-4711-value");
	tap_is_str(result(), "x WEATHER [redacted:WEATHER_KEY]", "a known secret does not come back");
	tap_ok(last_receipt().input_redacted, "and is not kept");
	call(&owner, "ECHO", OWNER_KEY);
	tap_is_str(result(), "[redacted:TERMINAL_KEY]", "nor does the owner's key");
}

static void test_fn_faults(void)
{
	tap_is_int(put_fn("BAD_TARGET", "nope", ""), 0, "a row");
	call(&owner, "BAD_TARGET", "");
	tap_is_str(result(), "ERR:fn:unknown_target:nope", "unknown target");
	put_fn("BAD_JSON", "echo", "\\n[$1");
	call(&owner, "BAD_JSON", "x");
	tap_ok(strncmp(result(), "ERR:fn:bad_content_json:", 24) == 0, "content that is no JSON");
	put_fn("NOT_ARRAY", "echo", "\\n{\\\"a\\\":\\\"$1\\\"}");
	call(&owner, "NOT_ARRAY", "x");
	tap_is_str(result(), "ERR:fn:content_not_array", "content that is no array");
	put_fn("TOO_FEW", "json_get", "");
	call(&owner, "TOO_FEW", "x");
	tap_is_str(result(), "ERR:fn:json_get:missing_argument:2", "too few arguments");
	put_fn("QUOTED", "echo", "\\n[\\\"<$1+>\\\"]");
	call(&owner, "QUOTED", "a\"b|c\\d\n${OWNER_KEY} $TERMINAL_KEY $HOME");
	tap_is_str(result(), "<a\"b|c\\d\n${OWNER_KEY} $TERMINAL_KEY $HOME>",
		"an argument cannot break out of the template, and is not scanned again");
	put_fn("VARS", "echo", "\\n[\\\"$GREETING $HOME $WEATHER_KEY\\\"]");
	call(&owner, "VARS", "");
	tap_is_str(result(), "hello $HOME $WEATHER_KEY", "names are those of [vars] alone");
}

static void test_unknown(void)
{
	struct json_object *list;

	tap_is_int(call(&owner, "ECH", ""), -1, "an unknown key is refused");
	tap_ok(why.status == 404 && strcmp(why.error, "unknown_key") == 0, "with 404 unknown_key");
	tap_is_str(json_str(json_get(why.extra, "attempted")).p, "ECH", "it says what was attempted");
	tap_ok(!json_object_get_boolean(json_get(why.extra, "ran")), "that nothing ran");
	list = json_get(why.extra, "did_you_mean");
	tap_is_str(json_str(json_get(json_object_array_get_idx(list, 0), "key")).p, "ECHO", "and what was meant");
	tap_is_str(json_str(json_get(json_object_array_get_idx(list, 0), "read")).p,
		"https://rowcall.example/api/dispatch?key=ECHO&format=markdown", "where to read it");
	put("HIDDEN_ECHO",
		"{\"type\":\"fn\",\"target\":\"echo\",\"enabled\":0,\"content\":\"# WHAT: t\",\"examples\":[\"\"]}");
	tap_is_int(call(&owner, "HIDDEN_ECHO", ""), -1, "a disabled row does not run");
	tap_is_str(why.error, "row_disabled:HIDDEN_ECHO", "the owner is told");
	tap_is_int(call(&anonymous, "HIDDEN_ECHO", ""), -1, "nor for anybody else");
	tap_is_str(why.error, "unknown_key", "for whom it does not exist");
	call(&anonymous, "HIDDEN_ECH", "");
	list = json_get(why.extra, "did_you_mean");
	for (size_t i = 0; i < json_object_array_length(list); i++)
		tap_ok(!str_is(json_str(json_get(json_object_array_get_idx(list, i), "key")), "HIDDEN_ECHO"),
			"nor is it suggested");
	tap_is_int(call(&anonymous, "ECHO", "x"), -1, "without a credential nothing runs");
	tap_ok(why.status == 401 && strcmp(why.error, "unauthorized") == 0, "but what the setting allows");
}

static void test_contract(void)
{
	char old[CRYPTO_HEX];

	memcpy(old, service_get("ECHO")->digest, sizeof(old));
	request(&owner, "ECHO");
	req.contract = str_of(old);
	tap_is_int(go(), 0, "a call with the current digest runs");
	put_fn("ECHO", "upper", "");
	request(&owner, "ECHO");
	req.contract = str_of(old);
	tap_is_int(go(), -1, "after an edit it does not");
	tap_ok(why.status == 409 && strncmp(why.error, "contract_changed:", 17) == 0 && strstr(why.error, old) &&
		strstr(why.error, "!="), "contract_changed");
	tap_ok(json_object_array_length(json_get(why.extra, "changed")) > 0, "the members that differ are named");
	put_fn("ECHO", "echo", "");
}

static void test_arguments(void)
{
	put_typed("TYPED", "[\\\"$1,$2,$3,$lat,$unit,$note\\\"]", "");
	tap_is_int(call_named("TYPED", "{\"note\":\"a|b\",\"lat\":37.50}"), 0, "named arguments run");
	tap_is_str(result(), "37.50,C,a|b,37.50,C,a|b", "in the schema's order, with defaults, pipes and all");
	call_named("TYPED", "{\"lat\":1,\"note\":null}");
	tap_is_str(result(), "1,C,,1,C,", "null is empty");
	tap_is_int(call_named("TYPED", "{\"lat\":91}"), -1, "a value that the schema refuses runs nothing");
	tap_ok(why.status == 422 && strcmp(why.error, "args_invalid") == 0 && json_get(why.extra, "errors"),
		"args_invalid with errors");
	tap_is_int(call_named("TYPED", "{\"lat\":1,\"other\":2}"), -1, "so does one it does not know");
	tap_is_int(call_named("ECHO", "{\"a\":1}"), -1, "a row without a schema has no names");
	tap_is_str(why.error, "args_invalid", "and says so");
	tap_is_int(call(&owner, "TYPED", "x|y"), 0, "a plain string is not checked");
	tap_is_str(result(), "x,y,,$lat,$unit,$note", "and has no names");
	put_typed("STRICT", "[\\\"$1,$2,$3+\\\"]", ",\"x-strict\":true");
	tap_is_int(call(&owner, "STRICT", "x|y"), -1, "x-strict checks it");
	tap_is_str(why.error, "args_invalid", "and refuses");
	tap_is_int(call(&owner, "STRICT", "12.50|F|a|b"), 0, "what fits runs");
	tap_is_str(result(), "12.50,F,a|b", "a rest goes whole to the last property");
	tap_is_int(call(&owner, "STRICT", ""), -1, "an empty string is no arguments");
	tap_is_int(call_array("ECHO", "a|b", "c"), 0, "an array is not split");
	tap_is_str(result(), "a|b", "so a piece may hold a pipe");
	tap_is_str(last_receipt().input_text.p, "[\"a|b\",\"c\"]", "which the record keeps apart");
	call_array("ECHO", "a", "c");
	tap_is_str(last_receipt().input_text.p, "a|c", "otherwise it is the string that says the same");
}

static void test_kv(void)
{
	char text[200];

	put_fn("PUT_IT", "kv_put", "\\n# SAFE: no\\n[\\\"$1\\\",\\\"$2+\\\"]");
	put_fn("GET_IT", "kv_get", "");
	put_fn("DEL_IT", "kv_del", "");
	put_fn("LIST_IT", "kv_list", "");
	call(&owner, "PUT_IT", "greeting|hello|you");
	tap_is_str(result(), "greeting", "kv_put gives the key");
	call(&owner, "GET_IT", "greeting");
	tap_is_str(result(), "hello|you", "kv_get the value, at once");
	call(&owner, "PUT_IT", "greet%|x");
	call(&owner, "LIST_IT", "greet");
	tap_is_str(result(), "[\"greet%\",\"greeting\"]", "kv_list the keys that begin so");
	call(&owner, "LIST_IT", "%");
	tap_is_str(result(), "[]", "literally");
	call(&owner, "DEL_IT", "greeting");
	tap_is_str(result(), "1", "kv_del says that there was one");
	call(&owner, "GET_IT", "greeting");
	tap_ok(out.ok && !out.material, "and then there is nothing");
	memset(text, 'k', sizeof(text));
	memcpy(text + sizeof(text) - 3, "|v", 3);
	tap_ok(call(&owner, "PUT_IT", text) == 0 && out.ok, "a key of 197 bytes");
	call(&owner, "PUT_IT", "|v");
	tap_is_str(result(), "ERR:kv:bad_key", "an empty one is refused");
}

static void fill_kv(void)
{
	struct arena *a = arena_new();

	for (int i = 0; i < 10000; i += 60) {
		struct write *w = write_new(a, SQL_LEDGER);

		for (int k = i; k < i + 60; k++)
			write_add(w, SQL_KV_PUT, "ttt", arena_printf(a, "fill-%d", k), "x", "now");
		write_submit(w, NULL);
	}
	arena_free(a);
}

static void test_kv_full(void)
{
	struct receipt r;

	fill_kv();
	tap_is_int(call(&owner, "PUT_IT", "one-more|x"), 0, "a store that is full");
	tap_is_str(result(), "ERR:kv:full", "is a result");
	r = last_receipt();
	tap_is_str(r.status, "error", "with a receipt that says what came of it");
	tap_is_str(r.output_text.p, "ERR:kv:full", "in its output too");
	call(&owner, "GET_IT", "one-more");
	tap_is_str(result(), "", "and nothing was stored");
	tap_ok(call(&owner, "PUT_IT", "fill-1|new") == 0 && out.ok, "a key that is there can be changed");
}

static void test_rows(void)
{
	put_fn("MAKE", "dir_put", "\\n[\\\"$1\\\",\\\"$2+\\\"]");
	put_fn("DROP", "dir_delete", "");
	put_fn("SHOW", "dir_get", "");
	put_fn("READ", "read", "");
	put_fn("MANIFEST", "manifest", "");
	put_fn("CONFIRM", "confirm", "");
	call(&owner, "MAKE",
		"MADE|{\"type\":\"fn\",\"target\":\"echo\",\"content\":\"# WHAT: x|y\",\"examples\":[\"\"]}");
	tap_ok(out.ok && strstr(result(), "\"key\":\"MADE\""), "dir_put makes a row");
	tap_ok(call(&owner, "MADE", "hi") == 0 && out.ok, "which runs at once");
	call(&owner, "SHOW", "MADE");
	tap_ok(strstr(result(), "\"target\":\"echo\"") && strstr(result(), "\"contract\""), "dir_get shows it");
	call(&owner, "READ", "MADE");
	tap_ok(out.ok && strstr(result(), "MADE"), "read gives its document");
	call(&owner, "MANIFEST", "");
	tap_ok(strstr(result(), "\"key\":\"MADE\"") && strstr(result(), "\"name\":\"kv_put\""),
		"manifest lists rows and functions");
	call(&owner, "DROP", "MADE");
	tap_ok(out.ok && strstr(result(), "\"deleted\":1"), "dir_delete takes it away");
	call(&owner, "SHOW", "MADE");
	tap_is_str(result(), "ERR:unknown_key:MADE", "and it is gone");
	call(&owner, "MAKE", "bad key|{\"type\":\"fn\"}");
	tap_ok(strncmp(result(), "ERR:bad_key", 11) == 0, "what REST refuses is refused here");
	call(&owner, "ECHO", "x");
	call(&owner, "CONFIRM", arena_strdup(service.a, out.id));
	tap_ok(strstr(result(), "PROVEN_MATERIAL_RESULT"), "confirm finds a receipt");
	put("BLOCK_A",
		"{\"type\":\"fn\",\"target\":\"prompt_block\",\"enabled\":0,\"content\":\"# WHAT: t\\nBe $1 kind.\"}");
	put("WITH", "{\"type\":\"agent\",\"target\":\"m\",\"includes\":\"BLOCK_A\",\"content\":\"You help.\"}");
	put_fn("ASSEMBLE", "prompt_assemble", "");
	call(&owner, "ASSEMBLE", "WITH");
	tap_is_str(result(), "Be $1 kind.\n\nYou help.",
		"prompt_assemble puts blocks before the content, disabled ones too");
}

static void test_http(void)
{
	put_http("TEMP", "\"GET http://127.0.0.1:PORT/v1?latitude=$1&longitude=$2\"", "bearer:WEATHER_KEY", "");
	tap_is_int(call(&owner, "TEMP", "37.77|-122.42&x=1"), 0, "an http row runs");
	tap_is_str(result(), "HTTP 200:{\"temperature_2m\":15.7}", "its result has the status before it");
	tap_ok(sent("GET /v1?latitude=37.77&longitude=-122.42%26x%3D1 HTTP"),
		"arguments are escaped for where they land");
	tap_ok(sent("authorization: bearer sekret-4711-value"), "the credential is sent");
	tap_is_str(shape("TEMP", "1|2"), arena_printf(service.a,
		"{\"method\":\"GET\",\"url\":\"http://127.0.0.1:%d/v1?latitude=1&longitude=2\",\"headers\":{},\"body\":null}",
		upstream_port(up)), "a dry run shows the request without it");
	tap_ok(!out.ran && !out.id[0] && out.ok, "and has no receipt");
	put_http("ECHO_BACK", "\"POST http://127.0.0.1:PORT/echo\"", "bearer:WEATHER_KEY",
		"{\\\"q\\\":\\\"$1\\\",\\\"n\\\":$2}");
	call(&owner, "ECHO_BACK", "a\"b\\\n|7");
	tap_ok(sent("{\"q\":\"a\\\"b\\\\\\n\",\"n\":7}") && sent("content-type: application/json"), "a JSON body");
	call(&owner, "ECHO_BACK", "\xF0\x9F\x98\x80</script>{{x}}|7");
	tap_ok(sent("{\"q\":\"\xF0\x9F\x98\x80</script>{{x}}\",\"n\":7}"), "which is escaped exactly once");
	tap_ok(strstr(result(), "Bearer [redacted:WEATHER_KEY]") != NULL, "a credential that comes back is taken out");
	put_http("FORM", "\"POST http://127.0.0.1:PORT/echo\"", "", "form:a=$1&b=$2");
	call(&owner, "FORM", "x y&|ü");
	tap_ok(sent("a=x+y%26&b=%C3%BC") && sent("application/x-www-form-urlencoded"), "a form");
	put_http("RAW", "\"PUT http://127.0.0.1:PORT/echo/$1\"", "", "text $2+");
	call(&owner, "RAW", "../a?b#c%2F|x|y");
	tap_ok(sent("PUT /echo/..%2Fa%3Fb%23c%252F HTTP") && sent("text x|y") && sent("text/plain; charset=utf-8"),
		"raw text, and a path of one segment");
	tap_is_int(call(&owner, "RAW", "..|x"), -1, "a segment of dots is refused");
	tap_ok(why.status == 422 && strcmp(why.error, "args_invalid") == 0 && !out.ran, "before anything ran");
	tap_is_int(call(&owner, "RAW", "a\r\nb|x"), -1, "a line break in the path too");
	put_http("NONE", "\"GET http://127.0.0.1:PORT/empty\"", "", "");
	call(&owner, "NONE", "");
	tap_ok(out.ok && !out.material && strcmp(result(), "HTTP 204:") == 0,
		"an answer without a body is not material");
	put_http("JAPAN", "\"GET http://127.0.0.1:PORT/japan\"", "", "");
	call(&owner, "JAPAN", "");
	tap_is_str(result(), "HTTP 200:日本", "an answer in another charset is converted, on a fiber's stack");
	put_http("LACKS", "\"GET http://127.0.0.1:PORT/echo\"", "bearer:NOT_THERE", "");
	tap_ok(strstr(shape("LACKS", ""),
		"\"headers\":{},\"body\":null,\"notes\":[\"credential_missing:NOT_THERE\"]") != NULL,
		"a missing credential is named");
	call(&owner, "LACKS", "");
	tap_ok(!strcasestr(result(), "authorization"), "and no header sent");
	put_http("MAP",
		"\"target_map:{\\\"get\\\":\\\"GET http://127.0.0.1:PORT/echo/$2\\\",\\\"set\\\":{\\\"method\\\":\\\"POST\\\",\\\"url\\\":\\\"http://127.0.0.1:PORT/echo\\\","
		"\\\"body\\\":{\\\"v\\\":\\\"$2\\\"}}}\"", "", "");
	call(&owner, "MAP", "set|x");
	tap_ok(sent("POST /echo") && sent("{\"v\":\"x\"}"), "a target_map picks the operation");
	call(&owner, "MAP", "");
	tap_is_str(result(), "ERR:target_map:missing_op:available=get,set", "a missing operation");
	call(&owner, "MAP", "no");
	tap_is_str(result(), "ERR:target_map:unknown_op:no:available=get,set", "an unknown one");
	answer_status(500);
	call(&owner, "FORM", "x|y");
	tap_ok(strncmp(result(), "ERR:http:500:", 13) == 0 && !out.ok, "a status over 400 is an error");
	answer_status(200);
	put_http("BLOCKED", "\"GET http://169.254.169.254/x\"", "", "");
	call(&owner, "BLOCKED", "");
	tap_is_str(result(), "ERR:http:blocked_address:169.254.169.254", "a metadata address is refused");
}

static struct json_object *breaker_of(const char *key)
{
	struct json_object *list = breaker_list(service.d, service.a, &why);

	for (size_t i = 0; i < json_object_array_length(list); i++)
		if (str_is(json_str(json_get(json_object_array_get_idx(list, i), "key")), key))
			return json_object_array_get_idx(list, i);
	return NULL;
}

static void call_times(const char *key, int n)
{
	while (n--)
		call(&owner, key, "");
}

static void test_breaker(void)
{
	unsigned before;
	bool had;

	put_http("DEAD", "\"GET http://127.0.0.1:PORT/x\"", "bearer:WEATHER_KEY", "");
	answer_status(401);
	call_times("DEAD", 7);
	answer_status(200);
	call_times("DEAD", 1);
	tap_ok(!breaker_of("DEAD"), "an answer under 400 forgets what was counted");
	answer_status(403);
	call_times("DEAD", 7);
	answer_status(500);
	call_times("DEAD", 1);
	tap_is_str(json_str(json_get(breaker_of("DEAD"), "state")).p, "closed", "a 500 neither counts nor forgets");
	answer_status(401);
	call_times("DEAD", 1);
	tap_is_str(json_str(json_get(breaker_of("DEAD"), "state")).p, "open", "the eighth 401 or 403 opens it");
	before = upstream_requests(up);
	call(&owner, "DEAD", "");
	tap_is_str(result(), "ERR:breaker_open:DEAD — 8 consecutive auth failures; credential is dead until replaced.",
		"and says so");
	tap_is_int(upstream_requests(up) - before, 0, "without calling the upstream");
	last_receipt();
	tap_is_int(breaker_reset(service.d, service.a, str_of("DEAD"), "owner:terminal-key", "t_x", &had, &why), 0,
		"it can be closed");
	tap_ok(had && !breaker_of("DEAD"), "by hand");
	tap_ok(breaker_reset(service.d, service.a, str_of("DEAD"), "owner:terminal-key", "t_x", &had, &why) == 0 &&
		!had, "once");
	answer_status(200);
	call(&owner, "DEAD", "");
	tap_ok(out.ok, "and calls go out again");
}

static unsigned denials(const char *code, int64_t *count)
{
	struct receipt_filter f = { .limit = 500 };
	struct json_object *list, *rows;
	unsigned n = 0;

	*count = 0;
	receipt_list(service.d, service.a, &f, NULL, "https://rowcall.example", &list, &why);
	rows = json_get(list, "rows");
	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *o = json_object_array_get_idx(rows, i), *k = json_get(o, "count");
		struct str reason = json_str(json_get(o, "reason"));

		if (!reason.p || !str_starts(reason, code))
			continue;
		n++;
		*count += k ? json_object_get_int64(k) : 1;
	}
	return n;
}

static void test_denials(void)
{
	enum { WAIT_S = 20 };
	int64_t count, began_us;
	unsigned n, before = denials("row_disabled", &count);

	fiber_sleep(1100);
	began_us = clock_mono_us();
	for (int i = 0; i < 20; i++)
		call(&owner, "HIDDEN_ECHO", "");
	/* One at once, one a second later; a machine under load may take longer over the calls. */
	do {
		fiber_sleep(100);
		n = denials("row_disabled", &count) - before;
	} while (count < 21 && clock_mono_us() - began_us < WAIT_S * 1000000);
	tap_is_int(count, 21, "each denial is counted");
	tap_ok(n >= 1 && n <= 2 + (clock_mono_us() - began_us) / 1000000, "in one receipt a second, and one for the rest");
	for (int i = 0; i < 5; i++)
		call(&anonymous, "ECHO", "");
	tap_is_int(denials("unauthorized", &count), 0, "those without a credential have none");
}

static void test_receipts(void)
{
	struct receipt_filter f = { .limit = 2 };
	struct json_object *list, *o;
	struct receipt r;
	char iso[CLOCK_ISO];

	call(&owner, "ECHO", "one");
	call(&owner, "ECHO", "two");
	call(&owner, "NOW_NOT", "");
	r = (struct receipt){ .n = 0 };
	f.key = str_of("ECHO");
	tap_is_int(receipt_list(service.d, service.a, &f, NULL, "https://b", &list, &why), 0, "receipts are listed");
	tap_is_int(json_object_get_int64(json_get(list, "count")), 2, "as many as asked for");
	o = json_object_array_get_idx(json_get(list, "rows"), 1);
	f.cursor = json_str(json_get(list, "cursor"));
	tap_ok(f.cursor.p != NULL, "with a cursor");
	receipt_list(service.d, service.a, &f, NULL, "https://b", &list, &why);
	tap_ok(strcmp(json_str(json_get(json_object_array_get_idx(json_get(list, "rows"), 0), "invocation_id")).p,
		json_str(json_get(o, "invocation_id")).p) < 0,
	       "to the next page");
	f = (struct receipt_filter){ .trace = str_of(trace.id) };
	receipt_list(service.d, service.a, &f, NULL, "https://b", &list, &why);
	tap_is_int(json_object_get_int64(json_get(list, "count")), 0, "an unknown key leaves no receipt");
	f = (struct receipt_filter){ .actor = str_of("owner:terminal-key") };
	receipt_list(service.d, service.a, &f, "cap:other", "https://b", &list, &why);
	tap_is_int(json_object_get_int64(json_get(list, "count")), 0, "a caller sees no receipts of others");
	clock_iso(clock_ms() + 3600 * 1000, iso);
	f = (struct receipt_filter){ .since = str_of(iso) };
	receipt_list(service.d, service.a, &f, NULL, "https://b", &list, &why);
	tap_is_int(json_object_get_int64(json_get(list, "count")), 0, "since a time to come there are none");
	clock_iso(clock_ms() - 3600 * 1000, iso);
	receipt_list(service.d, service.a, &f, NULL, "https://b", &list, &why);
	tap_ok(json_object_get_int64(json_get(list, "count")) == RECEIPT_LIMIT, "since an hour ago there are");
	f = (struct receipt_filter){ .cursor = str_of("x") };
	tap_is_int(receipt_list(service.d, service.a, &f, NULL, "https://b", &list, &why), -1,
		"a wrong cursor is refused");
	f = (struct receipt_filter){ .since = str_of("yesterday") };
	tap_is_int(receipt_list(service.d, service.a, &f, NULL, "https://b", &list, &why), -1, "a wrong time too");
	tap_is_int(receipt_get(service.d, service.a, str_of("inv_00000000000000000000000000"), false, &r, &why), 0,
		"an id that nobody has");
	tap_is_int(receipt_get(service.d, service.a, str_of("inv_'; DROP"), false, &r, &why), 0, "and what is no id");
}

static void test_sensitive(void)
{
	struct json_object *o;
	struct receipt r;

	put("RISKY",
		"{\"type\":\"fn\",\"target\":\"echo\",\"sensitive\":1,\"content\":\"# WHAT: t\",\"examples\":[\"\"],\"input_schema\":{\"type\":\"object\",\"properties\":{}}}");
	call(&owner, "RISKY", "x");
	r = last_receipt();
	o = arena_json(service.a, receipt_public(&r, "https://b"));
	tap_ok(!json_get(json_get(o, "fingerprints"), "input") && !json_get(json_get(o, "fingerprints"), "output") &&
		json_get(json_get(o, "fingerprints"), "contract"),
	       "the public receipt of a sensitive row shows neither input nor output");
	o = arena_json(service.a, receipt_full(&r, "https://b"));
	tap_ok(json_get(json_get(o, "fingerprints"), "input") && json_get(o, "output"), "the full one does");
}

static void test_caller(void)
{
	struct caller c;
	struct caller_presented p = { .terminal_key = str_of(OWNER_KEY) };

	tap_ok(caller_resolve(&c, service.a, &p, &why) == 0 && c.kind == CALLER_OWNER, "the owner's key in its header");
	p = (struct caller_presented){ .bearer = str_of(OWNER_KEY), .terminal_key = str_of(OWNER_KEY) };
	tap_ok(caller_resolve(&c, service.a, &p, &why) == 0 && c.kind == CALLER_OWNER, "twice the same is one");
	p = (struct caller_presented){ .bearer = str_of("other"), .terminal_key = str_of(OWNER_KEY) };
	tap_ok(caller_resolve(&c, service.a, &p, &why) == -1 && why.status == 400 && strcmp(why.error,
		"ambiguous_credential") == 0, "different ones are ambiguous");
	p = (struct caller_presented){ .share = str_of(OWNER_KEY) };
	tap_ok(caller_resolve(&c, service.a, &p, &why) == -1 && why.status == 401, "in a URL it is refused");
	p = (struct caller_presented){ .share = str_of(OWNER_KEY), .terminal_key = str_of(OWNER_KEY) };
	tap_ok(caller_resolve(&c, service.a, &p, &why) == -1 && why.status == 401, "there always");
	p = (struct caller_presented){ .body_token = str_of(OWNER_KEY) };
	tap_ok(caller_resolve(&c, service.a, &p, &why) == -1 && strcmp(why.error, "token_invalid") == 0,
		"as a token it is none");
	p = (struct caller_presented){ .terminal_key = str_of("") };
	tap_ok(caller_resolve(&c, service.a, &p, &why) == -1 && c.kind == CALLER_ANONYMOUS, "an empty one is invalid");
	p = (struct caller_presented){ .terminal_key = { NULL, 0 } };
	tap_ok(caller_resolve(&c, service.a, &p, &why) == 0 && c.kind == CALLER_ANONYMOUS, "none is anybody");
}

static void test_anonymous_scope(void)
{
	service.conf.anonymous = (char *)(uintptr_t)"row:ECHO, row:RISKY";
	caller_init(&service.conf, service.secrets, service.d, &why);
	caller_anonymous(&anonymous);
	tap_is_int(call(&anonymous, "ECHO", "x"), 0, "a row that everybody may call runs");
	tap_is_str(out.actor, "anonymous", "as nobody");
	call(&anonymous, "RISKY", "x");
	tap_is_str(why.error, "unauthorized", "one of high risk never");
	call(&anonymous, "TYPED", "x");
	tap_is_str(why.error, "unknown_key", "others do not exist");
}

static void test_budget(void)
{
	request(&owner, "ECHO");
	trace.steps = 64;
	tap_ok(go() == -1 && strcmp(why.error, "budget_exceeded:steps:64") == 0, "a trace has only so many steps");
	request(&owner, "ECHO");
	req.depth = 8;
	tap_ok(go() == -1 && strcmp(why.error, "budget_exceeded:depth:8") == 0, "and so much depth");
	request(&owner, "ECHO");
	trace.deadline_us = clock_mono_us();
	tap_ok(go() == -1 && strcmp(why.error, "budget_exceeded:time:60000") == 0, "and so much time");
}

/* What a flow has said of its steps, "1/3 2/3 ", and whether its caller leaves after the second. */
static struct buf steps = BUF_MALLOC;
static bool cancel_when_two;

static void note_step(void *ctx, size_t done, size_t total)
{
	buf_printf(ctx, "%zu/%zu ", done, total);
	if (done == 2 && cancel_when_two)
		cancel_ask(&trace.cancel);
}

static int follow(const char *key)
{
	static struct dispatch_progress progress = { .step = note_step };

	buf_clear(&steps);
	progress.ctx = &steps;
	request(&owner, key);
	req.body = str_of("x");
	req.progress = &progress;
	return go();
}

static void test_progress(void)
{
	struct receipt r;

	put_fn("UPPER", "upper", "");
	put("INNER", "{\"type\":\"flow\",\"content\":\"# WHAT: x\\nECHO: a > UPPER: $PREV\",\"examples\":[\"x\"]}");
	put("OUTER", "{\"type\":\"flow\",\"content\":\"# WHAT: x\\nECHO: a > { INNER: | ECHO: b } > UPPER: c\","
	    "\"examples\":[\"x\"]}");
	follow("OUTER");
	tap_is_str(result(), "C", "a flow that is followed runs");
	tap_is_str(buf_text(&steps), "1/3 2/3 3/3 ", "and tells of its own steps, not of those of what it calls");
	follow("ECHO");
	tap_is_str(buf_text(&steps), "", "what has no steps tells of none");
	cancel_when_two = true;
	follow("OUTER");
	cancel_when_two = false;
	tap_is_str(result(), "ERR:flow:UPPER:cancelled", "when the caller leaves the next step is not run");
	r = last_receipt();
	tap_ok(strcmp(r.status, "error") == 0 && str_is(r.output_text, "ERR:flow:UPPER:cancelled"), "and the flow's receipt says so");
	buf_free(&steps);
}

static void test_ledger_down(void)
{
	unsigned before = upstream_requests(up);

	atomic_store(&service.shared->ledger_healthy, 0);
	tap_is_int(call(&owner, "FORM", "x"), -1, "while receipts cannot be written nothing runs");
	tap_ok(why.status == 503 && strcmp(why.error, "ledger_unavailable") == 0 && why.retry_after > 0,
		"503 ledger_unavailable");
	tap_is_int(upstream_requests(up) - before, 0, "and no upstream is called");
	atomic_store(&service.shared->ledger_healthy, 1);
	tap_is_int(call(&owner, "ECHO", "x"), 0, "afterwards it runs again");
}

static struct conf_var greeting = { (char *)(uintptr_t)"GREETING", (char *)(uintptr_t)"hello", NULL };

static void set_up(void)
{
	struct conf *c = &service.conf;
	struct dispatch_context context = { .conf = c, .secrets = service.secrets, .shared = service.shared,
		.directory = service.d };

	c->zone = c->anonymous = c->upstream_ca_file = (char *)(uintptr_t)"";
	c->anonymous = (char *)(uintptr_t)"read";
	c->vars = &greeting;
	c->max_upstream_body = c->max_kept_payload = 65536;
	c->connect_timeout_ms = 2000;
	c->upstream_timeout_ms = 5000;
	c->max_redirects = 5;
	c->trace_timeout_ms = 60000;
	c->trace_depth = 8;
	c->trace_steps = 64;
	c->trace_cost_microusd = 1000000;
	c->upstreams = net_policy_new();
	net_policy_allow(c->upstreams, str_of(arena_printf(service.a, "127.0.0.1:%d", upstream_port(up))), &why);
	dispatch_init(&context);
	caller_init(c, service.secrets, service.d, &why);
	outbound_init(c, &why);
	caller_anonymous(&anonymous);
	owner = (struct caller){ .kind = CALLER_OWNER, .actor = "owner:terminal-key", .anonymous = anonymous.anonymous };
	put_fn("ECHO", "echo", "");
}

static void all_tests(void)
{
	up = upstream_start(answer, NULL);      /* here, since the writer must be forked while there are no threads */
	set_up();
	test_fn();
	test_fn_faults();
	test_unknown();
	test_contract();
	test_arguments();
	test_kv();
	test_kv_full();
	test_rows();
	test_http();
	test_breaker();
	test_receipts();
	test_sensitive();
	test_denials();
	test_caller();
	test_budget();
	test_progress();
	test_ledger_down();
	test_anonymous_scope();
	auth_done();
	outbound_done();
	caller_done();
	net_policy_free(service.conf.upstreams);
	upstream_stop(up);
}

int main(void)
{
	service_run(all_tests);
	return tap_done();
}
