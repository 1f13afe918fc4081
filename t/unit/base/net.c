/* The address policy, on addresses as the resolver gives them. */
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>
#include "base/net.h"
#include "tap.h"

/* As curl does it: a numeric host of whatever spelling through the resolver. */
static bool resolve(const char *host, const char *port, struct sockaddr_storage *out)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST }, *list;

	if (getaddrinfo(host, port, &hints, &list))
		return false;
	memcpy(out, list->ai_addr, list->ai_addrlen);
	freeaddrinfo(list);
	return true;
}

static bool blocked(const struct net_policy *p, const char *host, const char *port)
{
	struct sockaddr_storage ss;
	char text[NET_TEXT];

	if (!resolve(host, port, &ss)) {
		tap_diag("%s is no address", host);
		return tap_ok(false, "an address: %s", host);
	}
	return net_blocked(p, (struct sockaddr *)(void *)&ss, text);
}

static void refused(void)
{
	static const char *const spellings[] = {
		"0", "0.0.0.0", "127.0.0.1", "127.1", "127.255.255.254", "2130706433", "0x7f.1", "017700000001",
		"0x7f000001", "::", "::1", "::ffff:127.0.0.1",
		"::ffff:7f00:1", "64:ff9b::7f00:1", "64:ff9b::127.0.0.1", "2002:7f00:1::", "fe80::1", "fe80::1%lo",
		"169.254.169.254", "::ffff:169.254.169.254",
		"64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "::127.0.0.1", "::ffff:0.0.0.0", "10.0.0.1",
		"10.255.255.255", "172.16.0.0", "172.31.255.255",
		"192.168.0.1", "100.64.0.1", "100.100.100.200", "100.127.255.255", "192.0.0.192", "168.63.129.16",
		"198.18.0.1", "198.19.255.255", "192.0.2.1",
		"198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
		"fc00::1", "fdff::1", "fd00:ec2::254", "febf::1",
		"fec0::1", "ff02::1", "2001:db8::1", "2001::1", "100::1", "64:ff9b:1::1", "3fff::1", "5f00::1",
		"::ffff:10.1.2.3", "2002:0a01:0203::",
	};

	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++)
		tap_ok(blocked(NULL, spellings[i], "80"), "refused: %s", spellings[i]);
}

static void passed(void)
{
	static const char *const spellings[] = {
		"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
		"128.0.0.1", "169.253.255.255",
		"169.255.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0", "198.17.255.255",
		"198.20.0.0", "223.255.255.255",
		"2606:4700:4700::1111", "2001:4860:4860::8888", "2a00::1", "::ffff:1.1.1.1", "64:ff9b::101:101",
		"2002:101:101::1", "168.63.129.17",
	};

	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++)
		tap_ok(!blocked(NULL, spellings[i], "80"), "passed: %s", spellings[i]);
}

static struct net_policy *policy_of(const char *spec)
{
	struct net_policy *p = net_policy_new();

	if (net_policy_allow(p, str_of(spec), NULL))
		tap_ok(false, "a specification: %s", spec);
	return p;
}

static void allowed(void)
{
	static const struct { const char *spec, *host, *port; bool blocked; } cases[] = {
		{ "127.0.0.1", "127.0.0.1", "80", false }, { "127.0.0.1", "127.0.0.1", "9999", false },
		{ "127.0.0.1", "127.0.0.2", "80", true },
		{ "127.0.0.1", "::1", "80", true }, { "127.0.0.1", "::ffff:127.0.0.1", "80", false },
		{ "127.0.0.1", "64:ff9b::7f00:1", "80", true },
		{ "127.0.0.1", "2002:7f00:1::", "80", true }, { "127.0.0.1:8080", "127.0.0.1", "8080", false },
		{ "127.0.0.1:8080", "127.0.0.1", "8081", true },
		{ "127.0.0.1:8080", "127.1", "8080", false }, { "10.0.0.0/8", "10.200.3.4", "80", false },
		{ "10.0.0.0/8", "11.0.0.0", "80", false },
		{ "10.0.0.0/9", "10.127.255.255", "80", false }, { "10.0.0.0/9", "10.128.0.0", "80", true },
		{ "10.1.2.3/32", "10.1.2.3", "80", false },
		{ "10.1.2.3/32", "10.1.2.2", "80", true }, { "0.0.0.0/0", "127.0.0.1", "80", false },
		{ "0.0.0.0/0", "::1", "80", true },
		{ "::/0", "::1", "80", false }, { "::1", "::1", "80", false }, { "[::1]", "::1", "80", false },
		{ "[::1]:443", "::1", "443", false },
		{ "[::1]:443", "::1", "80", true }, { "fd00::/8", "fd12::1", "80", false },
		{ "fd00::/8", "fc00::1", "80", true },
		{ "::ffff:127.0.0.1", "127.0.0.1", "80", false }, { "64:ff9b::7f00:1", "64:ff9b::7f00:1", "80", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct net_policy *p = policy_of(cases[i].spec);

		tap_ok(blocked(p, cases[i].host, cases[i].port) == cases[i].blocked, "with %s, %s port %s is %s",
		       cases[i].spec, cases[i].host, cases[i].port,
		       cases[i].blocked ? "refused" : "passed");
		net_policy_free(p);
	}
}

static void specifications(void)
{
	static const char *const bad[] = {
		"", " ", "localhost", "127.1", "0x7f.1", "2130706433", "127.0.0.1/", "127.0.0.1/33", "127.0.0.1/8",
		"10.0.0.0/08", "10.0.0.0/-1", "10.0.0.0/8 ",
		"127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:080", "127.0.0.1:80:80", "10.0.0.0/8:80",
		"[::1", "[::1]x", "[::1]:", "[::1]:0",
		"[127.0.0.1]", "::1/129", "fd00::1/8", "::1%lo", "http://127.0.0.1", "*", "127.0.0.1,127.0.0.2",
		"1.2.3.4/8.0.0.0",
	};
	struct net_policy *p = net_policy_new();
	struct problem why;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		why = (struct problem){ 0 };
		tap_ok(net_policy_allow(p, str_of(bad[i]), &why) == -1 && why.status == 422 &&
		       why.detail[0], "no specification: \"%s\"", bad[i]);
	}
	tap_ok(net_policy_allow(p, str_make("127.0.0.1\0x", 11), NULL) == -1, "nor one with NUL");
	tap_ok(blocked(p, "127.0.0.1", "80"), "and none of them allowed anything");
	net_policy_free(p);
}

static void texts(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	struct sockaddr_storage ss;
	char text[NET_TEXT];
	struct net_policy *p = policy_of("8.8.8.8");

	tap_ok(net_blocked(p, (struct sockaddr *)(void *)&un, text), "what is no internet address is refused");
	tap_is_str(text, "address family 1", "and named");
	resolve("0x7f.1", "80", &ss);
	net_blocked(p, (struct sockaddr *)(void *)&ss, text);
	tap_is_str(text, "127.0.0.1", "the address is told in its usual spelling");
	resolve("::ffff:7f00:1", "80", &ss);
	net_blocked(p, (struct sockaddr *)(void *)&ss, text);
	tap_is_str(text, "::ffff:127.0.0.1", "also an embedded one");
	tap_ok(!net_listed(p, (struct sockaddr *)(void *)&ss) &&
	       !net_listed(NULL, (struct sockaddr *)(void *)&ss), "what is not in a list is not listed");
	resolve("8.8.8.8", "80", &ss);
	tap_ok(net_listed(p, (struct sockaddr *)(void *)&ss), "a public address may be listed as well");
	net_policy_free(p);
	net_policy_free(NULL);
}

int main(void)
{
	refused();
	passed();
	allowed();
	specifications();
	texts();
	return tap_done();
}
