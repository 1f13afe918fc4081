/* Origin and Host of a request (RFC 6454, RFC 9110 section 7.2). What an answer to another origin says is router.c's. */
#include <arpa/inet.h>
#include <string.h>
#include "web/origin.h"

struct str origin_listed(const struct request *req, const char *list)
{
	struct str origin = request_header(req, "origin"), rest = str_of(list);

	while (origin.n && rest.p) {
		struct str one = str_trim(str_cut(&rest, ','));

		if (one.n && str_eq(one, origin))
			return origin;
	}
	return (struct str){ 0 };
}

/* What stands behind "scheme://". */
static struct str authority(struct str url)
{
	long at = str_find(url, str_of("://"));

	return at < 0 ? url : str_skip(url, (size_t)at + 3);
}

/* Without its port; the brackets of an IPv6 address stay. */
static struct str host_of(struct str authority)
{
	struct str rest = authority, host;

	if (!authority.n || authority.p[0] != '[')
		return str_cut(&authority, ':');
	host = str_cut(&rest, ']');
	return rest.p ? str_make(host.p, host.n + 1) : host;
}

/* A name that no page can have been loaded from but one of this machine, or an address: neither is a stranger's name
 * that now stands for this service. */
static bool is_no_name(struct arena *a, struct str host)
{
	struct in_addr v4;

	return str_is_fold(host, "localhost") || (host.n && host.p[0] == '[') || inet_pton(AF_INET, arena_str(a, host), &v4) == 1;
}

static bool host_fits(const struct request *req, struct str host, const char *base, const char *list)
{
	struct str rest = str_of(list);

	if (str_eq_fold(host, host_of(authority(str_of(base)))) || is_no_name(req->arena, host))
		return true;
	while (rest.p) {
		if (str_eq_fold(host, host_of(authority(str_trim(str_cut(&rest, ','))))))
			return true;
	}
	return false;
}

/* The origin of pages that were loaded from where the request went. */
static struct str own(const struct request *req, struct str host)
{
	bool tls = request_env(req, "HTTPS").n > 0;

	return str_of(arena_printf(req->arena, "%s://%.*s", tls ? "https" : "http", (int)host.n, host.p));
}

int origin_check(const struct request *req, const char *base, const char *list, struct problem *why)
{
	struct str host = request_header(req, "host"), origin = request_header(req, "origin");

	if (host.n && !host_fits(req, host_of(host), base, list)) {
		problem_set(why, 403, "host_not_allowed");
		return -1;
	}
	if (!origin.p || str_is_fold(origin, base) || (host.n && str_eq_fold(origin, own(req, host))) ||
	    origin_listed(req, list).p)
		return 0;
	return problem_set(why, 403, "origin_not_allowed");
}
