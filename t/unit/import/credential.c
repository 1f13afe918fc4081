/* import/credential.c: what looks like a credential by its name, by itself, in a text. All of them are made up. */
#include <string.h>
#include "base/arena.h"
#include "import/credential.h"
#include "tap.h"

static void names(void)
{
	static const char *const yes[] = { "api_key", "apikey", "apiKey", "access_token", "X-Auth-Token", "password", "sig",
		"client_secret", "appid", "hapikey", "pass", "PHPSESSID", "sessionId", "X-Hub-Signature-256", "secretkey", "pin",
		"otp", "code", "auth_code", "X-CSRF", "code_verifier", "card_cvc", "db_pw" };
	static const char *const no[] = { "keyword", "key_id", "monkey", "page_token_size", "q", "signal", "country_code", "status_code",
		"max_tokens", "spin", "pinned", "" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		tap_ok(credential_name(str_of(yes[i])), "%s is the name of a credential", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		tap_ok(!credential_name(str_of(no[i])), "%s is none", no[i]);
}

static void values(void)
{
	static const char *const yes[] = {
		"bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", "aZ3aZ3aZ3aZ3aZ3a", "sk_test_exampleexample", "sk-proj-exampleexample",
		"ghp_examplee", "eyJhbGciOi.eyJzdWIi.c2ln", "AKIAEXAMPLEEXAMPLE", "0123456789abcdef0123456789abcdef", "q7w2k9d4m1z8x3c6v5b0",
		"wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzz0", "aBcDeFgHiJkLmNoPqRsTuV", "it is k3J9fX2pQ7vN8sB1 today", "-----BEGIN X-----", "xoxb-12345678",
		"https://x.test/?u=Zk3J9fX2pQ7vN8sB1w", "cus_9s6XKzkNRiz8i3",
	};
	static const char *const no[] = {
		"a-long-name-of-2026-in-words", "Report-of-the-year-2026.pdf", "aZ3aZ3aZ3aZ3aZ3", "gpt-4o-mini-2024-07-18", "claude-3-5-sonnet-20241022",
		"application/vnd.github.v3+json", "2026-07-26T04:36:19.832Z", "2026-01-31T12:00:00.000+02:00", "3f2b8c1e-5d4a-4c6b-9e7f-0a1b2c3d4e5f",
		"507f1f77bcf86cd799439011", "0123456789abcdef0123456789abcde", "getUserAccountSettingsForTeam", "12345678901234567890123456789012345", "hello, you",
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", "ghp_example", "",
		"https://api.open-meteo.com/v1/forecast?current=temperature_2m,relative_humidity_2m",
	};

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		tap_ok(credential_value(str_of(yes[i])), "nobody has thought up %s", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		tap_ok(!credential_value(str_of(no[i])), "%s is told what it is", no[i]);
}

/* The text with everything that was found as "*". */
static const char *starred(struct arena *a, const char *s)
{
	struct str text = str_of(s);
	size_t at = 0, n, from = 0;
	const char *out = "";

	while (credential_find(text, &at, &n)) {
		out = arena_printf(a, "%s%.*s*", out, (int)(at - from), s + from);
		from = at += n;
	}
	return arena_printf(a, "%s%s", out, s + from);
}

static void texts(void)
{
	static const struct { const char *text, *starred; } cases[] = {
		{ "<login><user>ann</user><password>my pet</password></login>", "<login><user>ann</user><password>*</password></login>" },
		{ "<wsse:Password Type=\"text\">my pet</wsse:Password>", "<wsse:Password Type=\"text\">*</wsse:Password>" },
		{ "<a password=\"my pet\" b='c'/>", "<a password=\"*\" b='c'/>" },
		{ "<a secret='x y'>z</a>", "<a secret='*'>z</a>" },
		{ "<password/> <b>c</b>", "<password/> <b>c</b>" },
		{ "user = ann\npassword = pet\nport = 5", "user = ann\npassword = *\nport = 5" },
		{ "token: abc, then", "token: *, then" },
		{ "the token is lost", "the token is lost" },
		{ "{'apiKey': 'abc', n: 5", "{'apiKey': '*', n: 5" },
		{ "see k3J9fX2pQ7vN8sB1 and k3J9fX2pQ7vN8sB2.", "see * and *" },
		{ "password=", "password=" },
		{ "password", "password" },
		{ "", "" },
	};
	struct arena *a = arena_new();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		tap_is_str(starred(a, cases[i].text), cases[i].starred, cases[i].text);
	arena_free(a);
}

int main(void)
{
	names();
	values();
	texts();
	return tap_done();
}
