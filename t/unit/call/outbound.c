/* Unit tests of upstream calls against servers that do not behave. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/crypto.h"
#include "base/json.h"
#include "call/outbound.h"
#include "loop/fiber.h"
#include "loop/loop.h"
#include "tap.h"
#include "upstream.h"

static struct upstream *up;
static struct arena *arena;
static struct outbound_request q;
static struct outbound_response r;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char last[65536];                /* the last request, as it came */
static int redirect_status;
static char redirect_to[512];

/* A gzip stream of n times 258 zeros: a literal, then copies of it (RFC 1951, fixed codes). */
static size_t bomb(unsigned char *out, size_t size, unsigned n)
{
	static const unsigned char head[10] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3 };
	size_t len = sizeof(head);
	unsigned bit = 0;

	memset(out, 0, size);
	memcpy(out, head, sizeof(head));
#define PUT(value, count) for (unsigned k = count; k-- > 0; bit++) { \
		if (bit == 8) { bit = 0; len++; } \
		out[len] |= (unsigned char)(((value) >> k & 1u) << bit); \
	}
	PUT(6u, 3)                      /* last block (1), then type 01 with its low bit first */
	PUT(0x30u, 8)                   /* literal 0 */
	for (unsigned i = 0; i < n && len + 4 < size; i++) {
		PUT(0xC5u, 8)           /* length 258 */
		PUT(0u, 5)              /* distance 1 */
	}
	return len + 1;
}

static bool answer_odd(int fd, const char *path)
{
	static unsigned char zip[200000];
	char head[256];

	if (strcmp(path, "/broken-chunks") == 0) {
		static const char text[] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
			"5\r\nhello\r\nzz\r\nworld\r\n0\r\n\r\n";

		upstream_send(fd, text, sizeof(text) - 1);
	} else if (strcmp(path, "/short") == 0) {
		upstream_send(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello", 44);
	} else if (strcmp(path, "/silent") == 0) {
		usleep(3000 * 1000);
	} else if (strcmp(path, "/slow-drip") == 0) {
		upstream_send(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", 40);
		for (int i = 0; i < 20; i++) {
			upstream_send(fd, "x", 1);
			usleep(100 * 1000);
		}
	} else if (strcmp(path, "/not-http") == 0) {
		upstream_send(fd, "SSH-2.0-OpenSSH\r\n", 17);
	} else if (strcmp(path, "/endless-head") == 0) {
		upstream_send(fd, "HTTP/1.1 200 OK\r\n", 17);
		for (int i = 0; i < 20000; i++)
			upstream_send(fd, "X-More: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n", 42);
	} else if (strcmp(path, "/bomb") == 0) {
		size_t n = bomb(zip, sizeof(zip), 100000);

		snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %zu\r\n\r\n",
			n);
		upstream_send(fd, head, strlen(head));
		upstream_send(fd, zip, n);
	}
	return false;
}

static bool answer(void *ctx, int fd, const struct upstream_request *in)
{
	char headers[1024], path[256];
	int status;

	(void)ctx;
	snprintf(path, sizeof(path), "%.*s", (int)strcspn(in->target, "?"), in->target);
	pthread_mutex_lock(&lock);
	snprintf(last, sizeof(last), "%s", in->text);
	status = redirect_status;
	snprintf(headers, sizeof(headers), "Location: %s\r\n", redirect_to);
	pthread_mutex_unlock(&lock);
	if (strcmp(path, "/redirect") == 0)
		return upstream_text(fd, status, headers, "moved");
	if (strcmp(path, "/loop") == 0)
		return upstream_text(fd, 302, "Location: /loop\r\n", "again");
	if (strcmp(path, "/wait") == 0) {
		usleep(300 * 1000);
		return upstream_text(fd, 200, "", "late");
	}
	if (strcmp(path, "/headers") == 0)
		return upstream_text(fd, 429,
			"Content-Type: text/x; charset=utf-8\r\nRetry-After: 7\r\nSet-Cookie: a=b\r\n", "slow down");
	if (strcmp(path, "/large") == 0)
		return upstream_text(fd, 200, "", "0123456789");
	if (strcmp(in->method, "HEAD") == 0) {
		upstream_send(fd, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", 38);
		return true;
	}
	return strcmp(path, "/ok") == 0 || strncmp(path, "/a", 2) == 0 ? upstream_text(fd, 200,
		"Content-Type: text/plain\r\n", "hello") :
		answer_odd(fd, path);
}

static void start(const char *method, const char *path)
{
	arena_reset(arena);
	q = (struct outbound_request){ .arena = arena, .method = str_of(method) };
	q.url = str_of(arena_printf(arena, "http://127.0.0.1:%d%s", upstream_port(up), path));
	q.scheme = str_of("http");
	q.authority = str_of(arena_printf(arena, "127.0.0.1:%d", upstream_port(up)));
}

static void fetch(const char *method, const char *path)
{
	start(method, path);
	outbound_fetch(&q, &r);
}

static bool sent(const char *text)
{
	bool found;

	pthread_mutex_lock(&lock);
	found = strcasestr(last, text) != NULL;
	pthread_mutex_unlock(&lock);
	return found;
}

static bool error_has(const char *text)
{
	bool found = strstr(r.error, text) != NULL;

	if (!found)
		tap_diag("error is %s", r.error);
	return found;
}

static void test_plain(void)
{
	fetch("GET", "/ok?x=1");
	tap_is_int(r.status, 200, "an answer has its status");
	tap_is_str(r.body.p, "hello", "and its body");
	tap_is_str(r.content_type.p, "text/plain", "and its type");
	tap_is_str(r.error, "", "and no error");
	tap_ok(!sent("cookie") && !sent("proxy") && !sent("authorization"), "nothing of the environment is sent");
	fetch("GET", "/headers");
	tap_is_int(r.status, 429, "a status over 400 is an answer too");
	tap_is_str(r.retry_after.p, "7", "Retry-After is given");
	fetch("GET", "/ok");
	tap_ok(!sent("a=b"), "no cookie is kept");
	fetch("GET", "/a/../b/./%2e%2e/c");
	tap_ok(sent("GET /a/../b/./%2e%2e/c HTTP"), "the path goes out as it was built");
	fetch("HEAD", "/ok");
	tap_is_int(r.status, 200, "HEAD has a status");
	tap_is_int((int64_t)r.body.n, 0, "and no body");
}

static void test_methods(void)
{
	static const char *const methods[] = { "POST", "PUT", "PATCH", "DELETE", "OPTIONS" };

	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++) {
		start(methods[i], "/a");
		q.body = str_make("a\0b", 3);
		outbound_header(&q, str_of("X-One"), str_of("1\r\nX-Evil: 2"), false);
		outbound_fetch(&q, &r);
		tap_ok(r.status == 200 && sent(methods[i]) && sent("content-length: 3"), "%s carries a body with NUL",
			methods[i]);
		tap_ok(sent("x-one: 1X-Evil: 2\r\n") && !sent("\nx-evil"),
			"%s: a line break in a value begins no header", methods[i]);
		tap_ok(!sent("content-type") && !sent("expect"), "%s: curl adds no type and no Expect", methods[i]);
	}
	fetch("POST", "/a");
	tap_ok(sent("content-length: 0"), "POST without a body says so");
	start("PUT", "/a");
	outbound_header(&q, str_of("Authorization"), str_of("Bearer abc"), true);
	outbound_header(&q, str_of("X-Empty"), str_of(""), false);
	outbound_fetch(&q, &r);
	tap_ok(sent("authorization: bearer abc") && sent("x-empty:"), "headers are sent, an empty one too");
	fetch("GET", "/ok");
	tap_ok(!sent("authorization") && !sent("x-empty") && sent("GET /ok"),
		"the next request on the handle shows nothing of it");
}

static void test_query(void)
{
	start("GET", "/ok?a=1");
	outbound_query(&q, str_of("key"), str_of("s3cr&t"), true);
	outbound_fetch(&q, &r);
	tap_ok(sent("GET /ok?a=1&key=s3cr%26t HTTP"), "a credential is appended to the query, encoded");
	tap_ok(strstr(outbound_url(&q, false).p, "s3cr") == NULL, "and left out where the URL is shown");
	start("GET", "/ok");
	outbound_query(&q, str_of("key"), str_of("v"), true);
	outbound_fetch(&q, &r);
	tap_ok(sent("GET /ok?key=v HTTP"), "it begins the query where there is none");
}

static void test_misbehaviour(void)
{
	fetch("GET", "/broken-chunks");
	tap_ok(r.status == 0 && error_has("ERR:http:fetch:127.0.0.1: "), "broken chunking is an error");
	fetch("GET", "/short");
	tap_ok(r.status == 0 && error_has("ERR:http:fetch:127.0.0.1: "), "a body shorter than announced is an error");
	fetch("GET", "/not-http");
	tap_ok(r.status == 0 && error_has("ERR:http:fetch:127.0.0.1: "), "what is not HTTP is an error");
	fetch("GET", "/endless-head");
	tap_ok(r.status == 0 && error_has("header lines"), "header lines without end are an error");
	fetch("GET", "/bomb?key=canary");
	tap_ok(r.status == 200 && r.cut && r.body.n == 4096, "a decoded body stops at the cap");
	start("GET", "/large");
	q.max_body = 10;
	outbound_fetch(&q, &r);
	tap_ok(!r.cut && r.body.n == 10, "a body exactly as long as the cap is whole");
	start("GET", "/large");
	q.max_body = 9;
	outbound_fetch(&q, &r);
	tap_ok(r.cut && r.body.n == 9 && !r.error[0], "one byte more is cut");
	start("GET", "/silent?key=canary");
	q.timeout_ms = 150;
	outbound_fetch(&q, &r);
	tap_ok(r.status == 0 && error_has("timed out after 1") && !error_has("canary") ,
		"silence ends at the time limit, without the query in the message");
	start("GET", "/slow-drip");
	q.timeout_ms = 350;
	outbound_fetch(&q, &r);
	tap_ok(r.status == 0 && error_has("timed out"), "so does a body that drips");
}

static void test_addresses(void)
{
	static const char *const hosts[] = {
		"0", "0.0.0.0", "127.1", "2130706433", "0x7f.1", "017700000001", "[::]", "[::1]", "[::ffff:127.0.0.2]",
			"[::ffff:7f00:2]",
		"[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fe80::1]", "169.254.169.254", "10.0.0.1", "localhost",
	};

	for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++) {
		arena_reset(arena);
		q = (struct outbound_request){ .arena = arena, .method = str_of("GET"), .timeout_ms = 2000 };
		q.url = str_of(arena_printf(arena, "http://%s:9/x?key=canary", hosts[i]));
		q.scheme = str_of("http");
		q.authority = str_of(arena_printf(arena, "%s:9", hosts[i]));
		outbound_fetch(&q, &r);
		tap_ok(r.status == 0 && error_has("ERR:http:blocked_address:"), "%s is refused by its address",
			hosts[i]);
	}
	arena_reset(arena);
	q = (struct outbound_request){ .arena = arena, .method = str_of("GET"), .timeout_ms = 3000 };
	q.url = str_of("http://no-such-host.invalid/x?key=canary");
	outbound_fetch(&q, &r);
	tap_ok(r.status == 0 && error_has("ERR:http:fetch:no-such-host.invalid: ") && !strstr(r.error, "canary"),
		"an unknown host is named, the query is not");
}

static void changed(const char *url, const char *scheme, const char *authority)
{
	arena_reset(arena);
	q = (struct outbound_request){ .arena = arena, .method = str_of("GET"), .url = str_of(url),
		.scheme = str_of(scheme), .authority = str_of(authority) };
	outbound_fetch(&q, &r);
	tap_is_str(r.error, "ERR:http:host_changed", url);
}

static void test_host_changed(void)
{
	changed("http://ok@evil/", "http", "ok");
	changed("http://evil/", "http", "ok");
	changed("https://ok/", "http", "ok");
	changed("http://ok:81/", "http", "ok");
	changed("http://ok:80@evil/", "http", "ok:80");
	changed("http://ok.evil/", "http", "ok");
	changed("http://ok\\@evil/", "http", "ok");
	changed("http://u:p@ok/", "http", "ok");
	changed("file:///etc/passwd", "http", "ok");
	changed("http:///evil", "http", "ok");
	changed("http://ok/", "http", "ok/../evil");
}

static void redirect(const char *method, int status, const char *to)
{
	pthread_mutex_lock(&lock);
	redirect_status = status;
	snprintf(redirect_to, sizeof(redirect_to), "%s", to);
	pthread_mutex_unlock(&lock);
	start(method, "/redirect?key=canary");
	if (strcmp(method, "GET") != 0)
		q.body = str_of("payload");
	outbound_header(&q, str_of("Content-Type"), str_of("text/x"), false);
	outbound_header(&q, str_of("Authorization"), str_of("Bearer abc"), true);
	outbound_fetch(&q, &r);
}

static void test_redirects(void)
{
	static const char *const bad[] = {
		"http://127.0.0.2/ok", "https://127.0.0.1/ok", "//evil/ok", "/\\evil", "https://u:p@evil/", "http://",
			"/a b", "ftp://127.0.0.1/", "javascript:x",
	};
	unsigned before;
	char text[64];

	redirect("GET", 302, "/ok");
	tap_ok(r.status == 200 && sent("GET /ok") && sent("bearer abc"),
		"a redirect to the same place is followed with its credential");
	snprintf(text, sizeof(text), "http://127.0.0.1:%d/ok#x", upstream_port(up));
	redirect("GET", 301, text);
	tap_ok(r.status == 200 && sent("GET /ok HTTP"), "so is a whole URL, without its fragment");
	redirect("POST", 302, "/ok");
	tap_ok(r.status == 200 && sent("GET /ok") && !sent("payload") && !sent("content-type"),
		"302 makes POST a GET without body");
	redirect("PUT", 303, "/ok");
	tap_ok(r.status == 200 && sent("GET /ok"), "303 makes everything a GET");
	redirect("PUT", 301, "/ok");
	tap_ok(sent("PUT /ok") && sent("payload"), "301 keeps PUT and its body");
	redirect("POST", 307, "/ok");
	tap_ok(r.status == 200 && sent("POST /ok") && sent("payload") && sent("text/x"), "307 keeps method and body");
	snprintf(text, sizeof(text), "http://127.0.0.1:%d/ok", upstream_port(up) == 65535 ? 1 : upstream_port(up) + 1);
	before = upstream_requests(up);
	redirect("GET", 302, text);
	tap_is_str(r.error, "ERR:http:302:redirect_refused:127.0.0.1", "another port is refused");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		redirect("GET", 302, bad[i]);
		tap_ok(r.status == 302 && error_has("ERR:http:302:redirect_refused:") && !strstr(r.error, "canary"),
			"refused: %s", bad[i]);
	}
	tap_is_int(upstream_requests(up) - before, 1 + (int64_t)(sizeof(bad) / sizeof(*bad)),
		"nothing was requested behind a refused redirect");
	before = upstream_requests(up);
	fetch("GET", "/loop");
	tap_is_str(r.error, "ERR:http:302:redirect_refused:127.0.0.1", "a loop of redirects ends");
	tap_is_int(upstream_requests(up) - before, 6, "after five of them");
	redirect("GET", 302, "");
	tap_ok(r.status == 302 && !r.error[0], "a redirect without a place is an answer");
}

struct one { struct outbound_request q; struct outbound_response r; struct arena *a; };

static void fetch_one(void *arg)
{
	struct one *o = arg;

	outbound_fetch(&o->q, &o->r);
}

static void test_together(void)
{
	enum { N = 40 };
	static struct one all[N];
	struct fiber_group g = { 0 };
	int64_t began = clock_mono_us();
	unsigned good = 0;

	for (int i = 0; i < N; i++) {
		all[i].a = arena_new();
		all[i].q = (struct outbound_request){ .arena = all[i].a, .method = str_of("GET") };
		all[i].q.url = str_of(arena_printf(all[i].a, "http://127.0.0.1:%d/wait", upstream_port(up)));
		fiber_group_start(&g, fetch_one, &all[i]);
	}
	fiber_group_wait(&g);
	for (int i = 0; i < N; i++) {
		good += all[i].r.status == 200;
		arena_free(all[i].a);
	}
	tap_is_int(good, N, "forty calls at once succeed");
	tap_ok(clock_mono_us() - began < 2000000, "and wait together, not one after the other");
	tap_is_int(outbound_active(), 0, "none is left under way");
}

/* A call is broken off: while it is under way, before it begins, and when it has just ended. */
static void test_cancel(void)
{
	struct fiber_group g = { 0 };
	struct cancel cancel = { 0 };
	int64_t began = clock_mono_us();
	struct one late = { .a = arena_new() };

	late.q = (struct outbound_request){ .arena = late.a, .method = str_of("GET"), .cancel = &cancel };
	late.q.url = str_of(arena_printf(late.a, "http://127.0.0.1:%d/silent", upstream_port(up)));
	fiber_group_start(&g, fetch_one, &late);
	fiber_sleep(50);
	tap_is_int(outbound_active(), 1, "a call waits for an upstream that says nothing");
	cancel_ask(&cancel);
	fiber_group_wait(&g);
	tap_is_int(late.r.status, 0, "broken off it has no answer");
	tap_is_str(late.r.error, "ERR:http:fetch:127.0.0.1: cancelled", "and an error that says so");
	tap_ok(clock_mono_us() - began < 2000000, "and it has not waited for the upstream");
	tap_is_int(outbound_active(), 0, "none is left under way");
	start("GET", "/ok");
	q.cancel = &cancel;
	outbound_fetch(&q, &r);
	tap_is_str(r.error, "ERR:http:fetch:127.0.0.1: cancelled", "nothing is begun after that");
	late.r = (struct outbound_response){ 0 };
	cancel.asked = false;
	fiber_group_start(&g, fetch_one, &late);
	fiber_sleep(0);
	cancel_ask(&cancel);
	fiber_group_wait(&g);
	tap_is_str(late.r.error, "ERR:http:fetch:127.0.0.1: cancelled", "one that has hardly begun is broken off too");
	cancel.asked = false;
	start("GET", "/ok");
	q.cancel = &cancel;
	outbound_fetch(&q, &r);
	tap_is_int(r.status, 200, "one that nobody breaks off has its answer");
	tap_ok(!cancel.first, "and nobody is left who waits");
	arena_free(late.a);
}

static void test_reuse(void)
{
	unsigned before;

	fetch("GET", "/ok");
	before = upstream_connections(up);
	for (int i = 0; i < 20; i++)
		fetch("GET", "/ok");
	tap_is_int(upstream_connections(up) - before, 0, "a connection is used again");
}

static void all_tests(void *arg)
{
	(void)arg;
	test_plain();
	test_methods();
	test_query();
	test_misbehaviour();
	test_addresses();
	test_host_changed();
	test_redirects();
	test_reuse();
	test_together();
	test_cancel();
}

int main(void)
{
	struct conf conf = {
		.upstream_ca_file = (char *)(uintptr_t)"", .connect_timeout_ms = 2000, .upstream_timeout_ms = 4000,
			.max_redirects = 5, .max_upstream_body = 4096,
	};
	struct problem why = { 0 };

	setenv("http_proxy", "http://127.0.0.1:9", 1);
	setenv("HTTP_PROXY", "http://127.0.0.1:9", 1);
	setenv("ALL_PROXY", "http://127.0.0.1:9", 1);
	up = upstream_start(answer, NULL);
	conf.upstreams = net_policy_new();
	arena = arena_new();
	net_policy_allow(conf.upstreams, str_of(arena_printf(arena, "127.0.0.1:%d", upstream_port(up))), &why);
	crypto_init();
	loop_init();
	tap_is_int(outbound_init(&conf, &why), 0, "it starts");
	fiber_main(all_tests, NULL);
	outbound_done();
	fiber_done();
	loop_done();
	arena_free(arena);
	net_policy_free(conf.upstreams);
	upstream_stop(up);
	conf.upstream_ca_file = (char *)(uintptr_t)"/nonexistent/ca.pem";
	loop_init();
	tap_ok(outbound_init(&conf, &why) < 0 && strstr(why.detail, "/nonexistent/ca.pem"),
		"a CA file that is not there is named");
	loop_done();
	return tap_done();
}
