/* Which addresses may be connected to. Decided on the socket address that is really used, never on a name or a URL's
 * spelling. Resolves and connects nothing. Every address is handled as 16 bytes, IPv4 as ::ffff:a.b.c.d (RFC 4291
 * section 2.5.5.2). */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/net.h"

enum { NET_V4_BITS = 96 };              /* bits of the prefix that marks an IPv4 address */

struct address {
	unsigned char b[16];
	int port;
};

struct range {
	struct address base;            /* port 0: any */
	int bits;                       /* of the 128 */
	struct range *next;
};

struct net_policy {
	struct range *ranges;
};

/* From the IANA special-purpose address registries (RFC 6890 and its updates): what is not for the global network. */
static const struct {
	unsigned char b[4];
	int bits;
} blocked_v4[] = {
	{ { 0, 0, 0, 0 }, 8 },          /* "this network"; 0.0.0.0 reaches the host itself */
	{ { 10, 0, 0, 0 }, 8 },         /* private */
	{ { 100, 64, 0, 0 }, 10 },      /* shared; 100.100.100.200 is a cloud's metadata service */
	{ { 127, 0, 0, 0 }, 8 },        /* loopback */
	{ { 168, 63, 129, 16 }, 32 },   /* a cloud's host agent and metadata */
	{ { 169, 254, 0, 0 }, 16 },     /* link-local; 169.254.169.254 is the usual metadata service */
	{ { 172, 16, 0, 0 }, 12 },      /* private */
	{ { 192, 0, 0, 0 }, 24 },       /* protocol assignments; 192.0.0.192 is a cloud's metadata service */
	{ { 192, 0, 2, 0 }, 24 },       /* documentation */
	{ { 192, 88, 99, 0 }, 24 },     /* old 6to4 relays */
	{ { 192, 168, 0, 0 }, 16 },     /* private */
	{ { 198, 18, 0, 0 }, 15 },      /* benchmarks */
	{ { 198, 51, 100, 0 }, 24 },    /* documentation */
	{ { 203, 0, 113, 0 }, 24 },     /* documentation */
	{ { 224, 0, 0, 0 }, 4 },        /* multicast */
	{ { 240, 0, 0, 0 }, 4 },        /* reserved, and broadcast */
};

static const struct {
	unsigned char b[16];
	int bits;
} blocked_v6[] = {
	{ { 0 }, 96 },                                          /* unspecified, loopback, "compatible" IPv4 */
	{ { 0x00, 0x64, 0xFF, 0x9B, 0x00, 0x01 }, 48 },         /* translation of local networks */
	{ { 0x01, 0x00 }, 64 },                                 /* discard */
	{ { 0x20, 0x01, 0x00 }, 23 },                           /* protocol assignments: Teredo, ORCHID, benchmarks */
	{ { 0x20, 0x01, 0x0D, 0xB8 }, 32 },                     /* documentation */
	{ { 0x3F, 0xFF, 0x00 }, 20 },                           /* documentation */
	{ { 0x5F, 0x00 }, 16 },                                 /* segment routing */
	{ { 0xFC, 0x00 }, 7 },                                  /* unique local; fd00:ec2::254 is a metadata service */
	{ { 0xFE, 0x80 }, 10 },                                 /* link-local */
	{ { 0xFE, 0xC0 }, 10 },                                 /* old site-local */
	{ { 0xFF, 0x00 }, 8 },                                  /* multicast */
};

static const unsigned char v4_prefix[12] = { [10] = 0xFF, [11] = 0xFF };
static const unsigned char nat64_prefix[12] = { 0x00, 0x64, 0xFF, 0x9B };

static bool same_bits(const unsigned char *a, const unsigned char *b, int bits)
{
	int bytes = bits / 8, rest = bits % 8;

	if (memcmp(a, b, (size_t)bytes))
		return false;
	return !rest || ((a[bytes] ^ b[bytes]) >> (8 - rest)) == 0;
}

static bool is_v4(const unsigned char b[16])
{
	return memcmp(b, v4_prefix, sizeof(v4_prefix)) == 0;
}

static bool address_from(const struct sockaddr *sa, struct address *a)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)sa;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)(const void *)sa;

	if (sa->sa_family == AF_INET) {
		memcpy(a->b, v4_prefix, sizeof(v4_prefix));
		memcpy(a->b + 12, &in->sin_addr, 4);
		a->port = ntohs(in->sin_port);
		return true;
	}
	if (sa->sa_family == AF_INET6) {
		memcpy(a->b, &in6->sin6_addr, 16);
		a->port = ntohs(in6->sin6_port);
		return true;
	}
	return false;
}

static bool v4_blocked(const unsigned char b[4])
{
	for (size_t i = 0; i < sizeof(blocked_v4) / sizeof(blocked_v4[0]); i++)
		if (same_bits(b, blocked_v4[i].b, blocked_v4[i].bits))
			return true;
	return false;
}

static bool blocked(const unsigned char b[16])
{
	if (is_v4(b) || memcmp(b, nat64_prefix, sizeof(nat64_prefix)) == 0)
		return v4_blocked(b + 12);
	if (b[0] == 0x20 && b[1] == 0x02)
		return v4_blocked(b + 2);
	for (size_t i = 0; i < sizeof(blocked_v6) / sizeof(blocked_v6[0]); i++)
		if (same_bits(b, blocked_v6[i].b, blocked_v6[i].bits))
			return true;
	return false;
}

/* A NAT64 or 6to4 address has to be listed as it is: listing 127.0.0.1 says nothing of what a translator makes of
 * 64:ff9b::7f00:1. */
static bool listed(const struct net_policy *p, const struct address *a)
{
	for (const struct range *r = p ? p->ranges : NULL; r; r = r->next)
		if (same_bits(a->b, r->base.b, r->bits) && (!r->base.port || r->base.port == a->port))
			return true;
	return false;
}

bool net_listed(const struct net_policy *p, const struct sockaddr *sa)
{
	struct address a;

	return address_from(sa, &a) && listed(p, &a);
}

bool net_blocked(const struct net_policy *p, const struct sockaddr *sa, char text[NET_TEXT])
{
	struct address a;

	if (!address_from(sa, &a)) {
		snprintf(text, NET_TEXT, "address family %d", sa->sa_family);
		return true;
	}
	if (sa->sa_family == AF_INET)
		inet_ntop(AF_INET, a.b + 12, text, NET_TEXT);
	else
		inet_ntop(AF_INET6, a.b, text, NET_TEXT);
	return blocked(a.b) && !listed(p, &a);
}

struct net_policy *net_policy_new(void)
{
	return mem_alloc(sizeof(struct net_policy));
}

void net_policy_free(struct net_policy *p)
{
	if (!p)
		return;
	while (p->ranges) {
		struct range *r = p->ranges;

		p->ranges = r->next;
		free(r);
	}
	free(p);
}

/* A decimal number from least to most without sign or leading zeros, or -1. */
static int small_number(struct str s, int least, int most)
{
	int v = 0;

	if (!s.n || s.n > 5 || (s.p[0] == '0' && s.n > 1))
		return -1;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return -1;
		v = v * 10 + s.p[i] - '0';
	}
	return v < least || v > most ? -1 : v;
}

/* inet_pton takes no other spelling than the full one: no octal, no hexadecimal, no missing parts, no zone. */
static int numeric(struct str s, unsigned char out[16])
{
	char text[NET_TEXT];

	if (!s.n || s.n >= sizeof(text) || memchr(s.p, 0, s.n))
		return -1;
	memcpy(text, s.p, s.n);
	text[s.n] = 0;
	if (inet_pton(AF_INET6, text, out) == 1)
		return 0;
	memcpy(out, v4_prefix, sizeof(v4_prefix));
	return inet_pton(AF_INET, text, out + 12) == 1 ? 0 : -1;
}

static bool tail_is_zero(const unsigned char b[16], int bits)
{
	unsigned char zero[16] = { 0 };

	memcpy(zero, b, (size_t)bits / 8);
	if (bits % 8)
		zero[bits / 8] = b[bits / 8] & (unsigned char)(0xFF << (8 - bits % 8));
	return memcmp(zero, b, 16) == 0;
}

static int parse_bits(struct range *r, struct str bits)
{
	int n = small_number(bits, 0, is_v4(r->base.b) ? 32 : 128);

	if (n < 0)
		return -1;
	r->bits = is_v4(r->base.b) ? NET_V4_BITS + n : n;
	return tail_is_zero(r->base.b, r->bits) ? 0 : -1;
}

static int parse_port(struct range *r, struct str port)
{
	r->base.port = small_number(port, 1, 65535);
	return r->base.port < 0 ? -1 : 0;
}

static int parse_range(struct str spec, struct range *r)
{
	struct str rest = spec, host;

	r->bits = 128;
	if (str_starts(spec, "[")) {
		rest = str_skip(rest, 1);
		host = str_cut(&rest, ']');
		if (!rest.p || numeric(host, r->base.b) || !memchr(host.p, ':', host.n))
			return -1;
		return !rest.n ? 0 : rest.p[0] == ':' ? parse_port(r, str_skip(rest, 1)) : -1;
	}
	host = str_cut(&rest, '/');
	if (rest.p)
		return numeric(host, r->base.b) || parse_bits(r, rest) ? -1 : 0;
	if (numeric(host, r->base.b) == 0)
		return 0;
	rest = spec;
	host = str_cut(&rest, ':');
	return !rest.p || numeric(host, r->base.b) || parse_port(r, rest) ? -1 : 0;
}

int net_policy_allow(struct net_policy *p, struct str spec, struct problem *why)
{
	struct range *r = mem_alloc(sizeof(*r));

	if (parse_range(spec, r)) {
		free(r);
		problem_set(why, 422, "bad_address");
		problem_detail(why, "\"%.*s\" is no address, network (ADDR/bits, nothing behind the bits), "
		                    "ADDR:port or [v6]:port",
		               (int)(spec.n < 80 ? spec.n : 80), spec.n ? spec.p : "");
		return -1;
	}
	r->next = p->ranges;
	p->ranges = r;
	return 0;
}
