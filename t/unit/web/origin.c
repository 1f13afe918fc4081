/* Where a request comes from: pages of this service, pages of the list, strangers, and strangers' names for this address. */
#include <string.h>
#include "tap.h"
#include "web/origin.h"

#define BASE "https://rows.example.org:8443"
#define LIST "https://pages.example.org, http://other.example.org:81"

static struct arena *arena;

/* NULL: the request has no such header. */
static void make(struct request *r, const char *host, const char *origin, bool tls)
{
	const char **env = arena_alloc(arena, 8 * sizeof(*env));
	struct problem why = { 0 };
	size_t n = 0;

	env[n++] = "REQUEST_METHOD=POST";
	env[n++] = "REQUEST_URI=/mcp";
	env[n++] = "QUERY_STRING=";
	if (tls)
		env[n++] = "HTTPS=on";
	if (host)
		env[n++] = arena_printf(arena, "HTTP_HOST=%s", host);
	if (origin)
		env[n++] = arena_printf(arena, "HTTP_ORIGIN=%s", origin);
	request_init(r, arena, env, (struct str){ 0 }, &why);
}

static const char *check(const char *host, const char *origin, bool tls)
{
	struct problem why = { 0 };
	struct request r;

	make(&r, host, origin, tls);
	if (origin_check(&r, BASE, LIST, &why) == 0)
		return "";
	tap_is_int(why.status, 403, "what is refused is forbidden");
	return arena_strdup(arena, why.error);
}

static void test_hosts(void)
{
	static const char *const good[] = {
		"rows.example.org", "rows.example.org:8443", "rows.example.org:1", "ROWS.Example.Org", "localhost", "localhost:99",
		"127.0.0.1", "10.1.2.3:80", "[::1]", "[::1]:443", "pages.example.org", "other.example.org:7", "",
	};
	static const char *const bad[] = {
		"evil", "evil:8443", "rows.example.org.evil", "evil.rows.example.org", "127.0.0.1.evil", "localhost.evil",
		"1.2.3", "1.2.3.4.5", "rows.example.or",
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		tap_is_str(check(good[i], NULL, true), "", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		tap_is_str(check(bad[i], NULL, true), "host_not_allowed", bad[i]);
	tap_is_str(check(NULL, NULL, true), "", "a program that is no browser is not asked");
	tap_is_str(check("evil", BASE, true), "host_not_allowed", "the own origin does not help a foreign host");
}

static void test_origins(void)
{
	static const struct { const char *host, *origin; bool tls; const char *want; } cases[] = {
		{ "rows.example.org:8443", BASE, true, "" },
		{ "rows.example.org:8443", "HTTPS://rows.example.org:8443", true, "" },
		{ "127.0.0.1:9", "https://127.0.0.1:9", true, "" },
		{ "127.0.0.1:9", "http://127.0.0.1:9", false, "" },
		{ "localhost", "https://pages.example.org", true, "" },
		{ "localhost", "http://other.example.org:81", true, "" },
		{ NULL, BASE, true, "" },
		{ "127.0.0.1:9", "http://127.0.0.1:9", true, "origin_not_allowed" },
		{ "127.0.0.1:9", "https://127.0.0.1:9", false, "origin_not_allowed" },
		{ "127.0.0.1:9", "https://127.0.0.1", true, "origin_not_allowed" },
		{ "localhost", "https://localhost:8443", true, "origin_not_allowed" },
		{ "localhost", "http://pages.example.org", true, "origin_not_allowed" },
		{ "localhost", "https://pages.example.org.evil", true, "origin_not_allowed" },
		{ "localhost", "https://PAGES.example.org", true, "origin_not_allowed" },
		{ "localhost", LIST, true, "origin_not_allowed" },
		{ "localhost", "null", true, "origin_not_allowed" },
		{ "localhost", "", true, "origin_not_allowed" },
		{ NULL, "https://evil", true, "origin_not_allowed" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		tap_is_str(check(cases[i].host, cases[i].origin, cases[i].tls), cases[i].want, cases[i].origin);
}

static void test_listed(void)
{
	static const char *const none[] = { "", ",", "https://pages.example.org/", "https://pages.example.or" };
	struct request r;

	make(&r, NULL, "https://pages.example.org", true);
	tap_is_str(origin_listed(&r, LIST).p, "https://pages.example.org", "an origin of the list is told");
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		tap_ok(!origin_listed(&r, none[i]).p, "'%s' does not list it", none[i]);
	make(&r, NULL, "", true);
	tap_ok(!origin_listed(&r, ",").p, "an empty origin is in no list");
	make(&r, NULL, NULL, true);
	tap_ok(!origin_listed(&r, LIST).p, "none is listed where none is sent");
}

int main(void)
{
	arena = arena_new();
	test_hosts();
	test_origins();
	test_listed();
	arena_free(arena);
	return tap_done();
}
