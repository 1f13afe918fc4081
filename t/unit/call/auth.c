/* Unit tests of the auth forms and of OAuth tokens. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/crypto.h"
#include "base/json.h"
#include "call/auth.h"
#include "loop/fiber.h"
#include "loop/loop.h"
#include "tap.h"
#include "upstream.h"

static struct upstream *up;
static struct arena *arena;
static struct secrets *secrets;
static struct outbound_request q;
static struct auth_applied applied;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char last[8192];
static unsigned issued;                 /* tokens */
static const char *answer_body;         /* NULL: a token */
static int answer_status;

static bool answer(void *ctx, int fd, const struct upstream_request *in)
{
	char body[256];
	const char *text;
	int status;

	(void)ctx;
	pthread_mutex_lock(&lock);
	snprintf(last, sizeof(last), "%s", in->text);
	text = answer_body;
	status = answer_status;
	snprintf(body, sizeof(body),
		"{\"access_token\":\"token-number-%u\",\"token_type\":\"Bearer\",\"expires_in\":3600}", text ? issued :
		++issued);
	pthread_mutex_unlock(&lock);
	usleep(100 * 1000);
	return upstream_text(fd, status, "Content-Type: application/json\r\n", text ? text : body);
}

static int apply(const char *spec, bool shape)
{
	struct authspec s;
	struct problem why = { 0 };

	arena_reset(arena);
	q = (struct outbound_request){ .arena = arena, .method = str_of("GET"), .url = str_of("http://example.com/") };
	if (authspec_parse(arena, str_of(spec), &s, &why) < 0) {
		tap_diag("%s: %s", spec, why.detail);
		return -2;
	}
	return auth_apply(&q, &s, secrets, shape, &applied);
}

static const char *header(const char *name)
{
	for (unsigned i = 0; i < q.headers; i++)
		if (str_is(q.header[i].name, name))
			return arena_str(arena, q.header[i].value);
	return NULL;
}

static const char *missing(void)
{
	return buf_text(&applied.missing);
}

static void test_forms(void)
{
	apply("", false);
	tap_is_int(q.headers + q.queries, 0, "an empty spec adds nothing");
	apply("bearer:API_TOKEN", false);
	tap_is_str(header("Authorization"), "Bearer value-of-token", "bearer: puts the value in");
	tap_ok(q.header[0].credential, "and marks it as a credential");
	apply("basic:API_TOKEN", false);
	tap_is_str(header("Authorization"), "Basic dmFsdWUtb2YtdG9rZW46",
		"basic:NAME has the value as user and no password");
	apply("basic:alice:API_TOKEN", false);
	tap_is_str(header("Authorization"), "Basic YWxpY2U6dmFsdWUtb2YtdG9rZW4=",
		"basic:USER:PASS takes a name as password");
	apply("basic:USER_NAME:plain", false);
	tap_is_str(header("Authorization"), "Basic dXNlci1uYW1lLTE6cGxhaW4=", "and as user, and literals");
	apply("headers:{\"X-Key\":\"a $API_TOKEN b $USER_NAME\",\"X-Version\":\"2\"}", false);
	tap_is_str(header("X-Key"), "a value-of-token b user-name-1", "headers: replaces names");
	tap_is_str(header("X-Version"), "2", "and keeps other values");
	apply("query:key=API_TOKEN", false);
	tap_is_str(outbound_url(&q, true).p, "http://example.com/?key=value-of-token", "query: appends the parameter");
	tap_is_str(outbound_url(&q, false).p, "http://example.com/", "which is a credential");
	tap_is_str(missing(), "", "nothing was missing");
}

static void test_missing(void)
{
	apply("bearer:NOT_THERE", false);
	tap_ok(!q.headers, "a missing variable adds no header");
	tap_is_str(missing(), "NOT_THERE", "and is named");
	apply("bearer:EMPTY_ONE", false);
	tap_is_str(missing(), "EMPTY_ONE", "an empty one counts as missing");
	apply("basic:NOT_THERE", false);
	tap_ok(!q.headers, "basic: sends no empty password");
	apply("basic:alice:NOT_THERE", false);
	tap_ok(!q.headers, "nor the name of a missing variable as password");
	apply("query:key=NOT_THERE", false);
	tap_ok(!q.queries, "query: appends nothing");
	apply("headers:{\"A\":\"$NOT_THERE$ALSO_NOT\",\"B\":\"$API_TOKEN\",\"C\":\"$NOT_THERE\"}", false);
	tap_ok(!header("A") && !header("C") && header("B"), "headers: leaves out only what lacks its variable");
	tap_is_str(missing(), "NOT_THERE, ALSO_NOT", "and names each once");
	apply("bearer:TERMINAL_KEY", false);
	tap_ok(!q.headers, "no row resolves TERMINAL_KEY");
	apply("bearer:PATH", false);
	tap_ok(!q.headers, "nor the process environment");
}

static void answer_with(int status, const char *body)
{
	pthread_mutex_lock(&lock);
	answer_status = status;
	answer_body = body;
	pthread_mutex_unlock(&lock);
}

static bool sent(const char *text)
{
	bool found;

	pthread_mutex_lock(&lock);
	found = strcasestr(last, text) != NULL;
	pthread_mutex_unlock(&lock);
	return found;
}

struct one { struct arena *a; struct outbound_request q; struct auth_applied applied; struct authspec spec; int rc; };

static void apply_one(void *arg)
{
	struct one *o = arg;

	o->rc = auth_apply(&o->q, &o->spec, secrets, false, &o->applied);
}

static unsigned together(unsigned n, bool *same)
{
	static struct one all[16];
	struct fiber_group g = { 0 };
	unsigned before = upstream_requests(up);

	*same = true;
	for (unsigned i = 0; i < n; i++) {
		all[i] = (struct one){ .a = arena_new() };
		all[i].q = (struct outbound_request){ .arena = all[i].a, .method = str_of("GET"),
			.url = str_of("http://example.com/") };
		authspec_parse(all[i].a, str_of("oauth:SERVICE"), &all[i].spec, NULL);
		fiber_group_start(&g, apply_one, &all[i]);
	}
	fiber_group_wait(&g);
	for (unsigned i = 0; i < n; i++)
		*same = *same && all[i].rc == all[0].rc && str_eq(all[i].applied.token, all[0].applied.token) &&
			strcmp(all[i].applied.error, all[0].applied.error) == 0;
	for (unsigned i = 0; i < n; i++)
		arena_free(all[i].a);
	return upstream_requests(up) - before;
}

static void test_oauth(void)
{
	bool same;
	unsigned before;

	answer_with(200, NULL);
	before = upstream_requests(up);
	tap_is_int(apply("oauth:SERVICE", true), 0, "a dry run succeeds");
	tap_ok(upstream_requests(up) == before && !q.headers, "without fetching a token");
	tap_is_int(apply("oauth:SERVICE", false), 0, "a token is fetched");
	tap_is_str(header("Authorization"), "Bearer token-number-1", "and sent as Bearer");
	tap_ok(sent("POST /token") && sent("grant_type=client_credentials&scope=read+write%3Aall"),
		"the grant and the scope are in the form");
	tap_ok(sent("authorization: basic Y2xpZW50LWlkOnMlMjZjcmV0JTNBJTJCdmFsdWU="),
		"id and secret are form-encoded, then in Basic (RFC 6749 section 2.3.1)");
	before = upstream_requests(up);
	apply("oauth:SERVICE", false);
	tap_ok(upstream_requests(up) == before && header("Authorization"), "the token is kept");
	auth_token_refused(str_of("token-number-0"));
	apply("oauth:SERVICE", false);
	tap_is_str(header("Authorization"), "Bearer token-number-1", "a refusal of an older token does not touch it");
	auth_token_refused(str_of("token-number-1"));
	tap_is_int(together(16, &same), 1, "sixteen calls that need a token fetch it once");
	tap_ok(same, "and all have it");
	apply("oauth:SERVICE", false);
	tap_is_str(header("Authorization"), "Bearer token-number-2", "which is a new one");
}

static void failing(int status, const char *body, const char *error)
{
	bool same;

	auth_done();
	answer_with(status, body);
	tap_is_int(apply("oauth:SERVICE", false), -1, body);
	tap_is_str(applied.error, error, "the error names the cause and nothing of the answer");
	tap_ok(together(4, &same) == 1 && same, "who waits for the same fetch shares its end");
}

static void test_oauth_failures(void)
{
	failing(401, "{\"error\":\"invalid_client\",\"error_description\":\"secret s&cret:+value is wrong\"}",
		"ERR:http:oauth:401:invalid_client");
	failing(500, "<html>oops</html>", "ERR:http:oauth:500");
	failing(200, "{\"token\":\"x\"}", "ERR:http:oauth:200:no access_token in the answer");
	failing(200, "{\"access_token\":\"a b\\r\\nX: y\"}", "ERR:http:oauth:200:no access_token in the answer");
	failing(400, "{\"error\":\"<script>\"}", "ERR:http:oauth:400");
	auth_done();
	tap_is_int(apply("oauth:ELSEWHERE", false), -1, "the token's address passes the address policy");
	tap_ok(strstr(applied.error, "ERR:http:oauth:blocked_address:") == applied.error, "and is refused by it");
	apply("oauth:NOTHING", false);
	tap_is_str(missing(), "NOTHING_TOKEN_URL, NOTHING_CLIENT_ID, NOTHING_CLIENT_SECRET",
		"missing variables are named");
	tap_ok(!q.headers, "and nothing is sent");
}

static const char *redacted(const char *text)
{
	struct buf b = BUF_ARENA(arena);

	secret_redact(secrets, &b, str_of(text));
	return buf_text(&b);
}

static void test_redact(void)
{
	auth_done();
	answer_with(200, "{\"access_token\":\"issued/by+\\\"server\"}");
	tap_is_int(apply("oauth:SERVICE", false), 0, "a token of special characters is taken");
	tap_is_str(header("Authorization"), "Bearer issued/by+\"server", "and sent");
	tap_is_str(redacted("a issued/by+\"server b"), "a [redacted:oauth] b", "it is redacted like a secret");
	tap_is_str(redacted("a issued%2Fby%2B%22server b aXNzdWVkL2J5KyJzZXJ2ZXI= c"), "a [redacted:oauth] b [redacted:oauth] c",
		"encoded too");
	auth_token_refused(str_of("issued/by+\"server"));
	tap_is_str(redacted("issued/by+\"server"), "[redacted:oauth]", "also when it was withdrawn");
	failing(200, "{\"access_token\":\"1234567\"}", "ERR:http:oauth:200:no access_token in the answer");
}

static void all_tests(void *arg)
{
	(void)arg;
	test_forms();
	test_missing();
	test_oauth();
	test_oauth_failures();
	test_redact();
}

static void write_secrets(const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f)
		abort();
	fprintf(f,
		"TERMINAL_KEY=0123456789abcdef0123456789abcdef\nAPI_TOKEN=value-of-token\nUSER_NAME=user-name-1\n"
		"EMPTY_ONE=\n"
		"SERVICE_TOKEN_URL=http://127.0.0.1:%d/token\nSERVICE_CLIENT_ID=client-id\nSERVICE_CLIENT_SECRET=s&cret:+value\n"
		"SERVICE_SCOPE=read write:all\n"
		"ELSEWHERE_TOKEN_URL=http://127.0.0.2:9/token\nELSEWHERE_CLIENT_ID=client-id-2\n"
		"ELSEWHERE_CLIENT_SECRET=long-enough-secret\n",
		upstream_port(up));
	fchmod(fileno(f), 0600);
	fclose(f);
}

int main(void)
{
	struct conf conf = {
		.upstream_ca_file = (char *)(uintptr_t)"", .connect_timeout_ms = 2000, .upstream_timeout_ms = 4000,
			.max_redirects = 5, .max_upstream_body = 65536,
	};
	struct problem why = { 0 };
	char folder[] = "/tmp/rowcall-auth-XXXXXX", path[64];

	if (!mkdtemp(folder))
		abort();
	snprintf(path, sizeof(path), "%s/secrets", folder);
	up = upstream_start(answer, NULL);
	arena = arena_new();
	conf.upstreams = net_policy_new();
	net_policy_allow(conf.upstreams, str_of(arena_printf(arena, "127.0.0.1:%d", upstream_port(up))), &why);
	write_secrets(path);
	secrets = secret_open(path, &why);
	if (!tap_ok(secrets != NULL, "the secrets are read"))
		tap_diag("%s", why.detail);
	crypto_init();
	loop_init();
	outbound_init(&conf, &why);
	if (secrets)
		fiber_main(all_tests, NULL);
	auth_done();
	outbound_done();
	fiber_done();
	loop_done();
	secret_close(secrets);
	arena_free(arena);
	net_policy_free(conf.upstreams);
	upstream_stop(up);
	unlink(path);
	rmdir(folder);
	return tap_done();
}
