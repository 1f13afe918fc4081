/* Upstream HTTP: the only user of libcurl. One multi handle a process, driven by the loop on its own stack; a call
 * suspends its fiber.
 *
 * What holds for every call, whatever the request says: http and https only; each connection's address passes the
 * address policy when it is opened, on every hop; no proxy, netrc, cookies or credentials of the environment; the path
 * goes out as it was built; redirects are followed here, by hand, and only to the same scheme, host and port. */
#ifndef CALL_OUTBOUND_H
#define CALL_OUTBOUND_H
#include "base/conf.h"
#include "base/buf.h"
#include "base/problem.h"
#include "loop/cancel.h"

enum {
	OUTBOUND_HEADERS_MAX = 64,
	OUTBOUND_QUERIES_MAX = 8,
	OUTBOUND_ERROR_MAX = 384,
	OUTBOUND_URL_MAX = 64 * 1024,           /* bytes of a URL as it is sent */
	OUTBOUND_ANSWER_HEAD_MAX = 256 * 1024,  /* bytes of header lines of one answer, interim ones and trailers too */
};

struct outbound_header { struct str name, value; bool credential; };

struct outbound_request {
	struct arena *arena;
	struct str method, url;         /* url complete but for query[] */
	struct str scheme, authority;   /* what the row's target says that url has to have; p NULL: not checked */
	struct outbound_header header[OUTBOUND_HEADERS_MAX];
	unsigned headers;
	struct outbound_header query[OUTBOUND_QUERIES_MAX];     /* appended, URL-encoded */
	unsigned queries;
	struct str body;                /* p NULL: none */
	int64_t timeout_ms;             /* total, redirects included; 0: the setting */
	size_t max_body;                /* decoded bytes; 0: the setting */
	struct cancel *cancel;          /* when it is asked the call is broken off: an error, `…: cancelled`; NULL: never */
	bool same_method;               /* a redirect that would make it a GET is refused */
	const char *want;               /* name of one more header of the answer; NULL: none */
	/* Asked on the loop's stack whenever more of an answer's body has come: true ends the transfer, and what has come
	 * is the answer. NULL: all of it is waited for. */
	bool (*enough)(void *ctx, struct str body);
	void *ctx;
};

struct outbound_response {
	int status;                     /* 0: no answer */
	struct str body;                /* decoded, at most max_body bytes; NUL-terminated behind them */
	bool cut;
	struct str content_type;        /* "" when absent */
	struct str retry_after;         /* the same */
	struct str wanted;              /* the same, of the header that the request wants */
	/* "" or a result text: `ERR:http:fetch:<host>: <reason>`, `ERR:http:blocked_address:<ip>`,
	 * `ERR:http:host_changed` (all with status 0), `ERR:http:<status>:redirect_refused:<host>` (with that
	 * status). Never a URL's path or query, nor anything of a header. */
	char error[OUTBOUND_ERROR_MAX];
};

/* -1: 500 `bad_configuration`, the CA file cannot be read, or holds no certificate. */
int outbound_check(const struct conf *conf, struct problem *why);
/* Once a process, after loop_init. As outbound_check. */
int outbound_init(const struct conf *conf, struct problem *why);
void outbound_done(void);               /* fine without outbound_init; no call may be under way */
/* Copies into the request's arena; control characters of the value are dropped. More than OUTBOUND_HEADERS_MAX: -1. */
int outbound_header(struct outbound_request *q, struct str name, struct str value, bool credential);
int outbound_query(struct outbound_request *q, struct str name, struct str value, bool credential);
/* url with query[] behind it; credentials: those marked so too. The arena's. */
struct str outbound_url(const struct outbound_request *q, bool credentials);
/* Sends and waits, on a fiber. The response's memory is the request's arena. */
void outbound_fetch(struct outbound_request *q, struct outbound_response *out);
unsigned outbound_active(void);         /* calls under way */

#endif
