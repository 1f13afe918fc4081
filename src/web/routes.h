/* THE table of routes, and finding the row for a request. */
#ifndef WEB_ROUTES_H
#define WEB_ROUTES_H
#include "web/request.h"

struct rest;

enum { ROUTES_ARGS_MAX = 2 };           /* placeholders in a pattern */

enum route_who {
	WHO_ANYONE,                     /* the handler decides by the caller's sets */
	WHO_KNOWN,                      /* the owner or a token */
	WHO_OWNER,
	WHO_METRICS,                    /* the owner, or an address of metrics_allow */
};

enum route_flag {
	ROUTE_DOCUMENT = 1 << 0,        /* GET only: answers HEAD too, never runs anything */
	ROUTE_BODY = 1 << 1,            /* needs a JSON object as its body; without the flag a body is refused */
	ROUTE_BODY_TOKEN = 1 << 2,      /* the body may hold capability_token, so it is read before the credential */
	ROUTE_SHARE = 1 << 3,           /* the query may hold the token as `share` */
	ROUTE_FORGIVING = 1 << 4,       /* an invalid credential is ignored */
	ROUTE_RAN = 1 << 5,             /* errors say "ran":false */
	ROUTE_GATED = 1 << 6,           /* the gate refuses a token that is revoked or expired, and records that */
	ROUTE_RPC = 1 << 7,             /* JSON-RPC: its body is the handler's to read, refusals have its form, and foreign
	                                 * pages are refused (origin.h) */
};

struct route {
	const char *method;
	const char *pattern;            /* "/a/{b}": {…} stands for one segment that is not empty */
	const char *selector;           /* query parameter that chooses this row among those of its path; NULL: none */
	const char *params;             /* further query parameters that it takes, separated by blanks */
	enum route_who who;
	unsigned flags;
	void (*handle)(struct rest *r);
	const char *what;               /* one line for indexes */
};

struct route_match {
	const struct route *route;
	struct str arg[ROUTES_ARGS_MAX];        /* what the placeholders stand for */
};

enum routes_result {
	ROUTES_FOUND,
	ROUTES_NO_PATH,
	ROUTES_NO_METHOD,               /* the path exists: 405 */
	ROUTES_NO_QUERY,                /* path and method exist, not with these parameters */
};

/* Of several rows the first one that fits; HEAD fits rows for documents. With ROUTES_NO_QUERY the match is the first
 * row that fits but for its parameters. */
enum routes_result routes_find(const struct request *r, struct route_match *m);
/* "GET, HEAD, OPTIONS": the methods of the request's path, as far as its query selects among them. Nothing when there
 * is no such path. */
void routes_allow(const struct request *r, struct buf *out);
/* True when path fits the pattern. */
bool routes_fits(const char *pattern, struct str path, struct str arg[ROUTES_ARGS_MAX]);
bool routes_takes(const struct route *r, struct str param);     /* a query parameter of this row */
const struct route *routes_all(size_t *n);      /* in the table's order */
void routes_each(void (*fn)(void *ctx, const struct route *r), void *ctx);

#endif
