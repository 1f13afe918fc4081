/* Upstream HTTP: the only user of libcurl. One multi handle a worker driven by the loop; a call suspends its fiber. */
#ifndef CALL_OUTBOUND_H
#define CALL_OUTBOUND_H
#include "base/conf.h"
#include "base/buf.h"
#include "base/problem.h"

enum { OUTBOUND_HEADERS_MAX = 64 };

struct outbound_header { struct str name, value; bool credential; };

struct outbound_request {
	struct arena *arena;
	struct str method, url;         /* url complete; credentials in the query are appended by outbound_fetch from query[] */
	struct outbound_header header[OUTBOUND_HEADERS_MAX];
	unsigned headers;
	struct outbound_header query[8];        /* appended, URL-encoded; credential parts never appear in messages */
	unsigned queries;
	struct str body;                /* p NULL: none */
	int64_t timeout_ms;             /* total; 0: the setting */
	size_t max_body;                /* decoded bytes; 0: the setting */
};

struct outbound_response {
	int status;                     /* 0: no answer */
	struct str body;                /* decoded, at most max_body bytes */
	bool cut;
	struct str content_type;        /* "" when absent */
	struct str retry_after;
	char error[256];                /* with status 0: `ERR:…` result text: `ERR:http:fetch:<host>: <reason>`, `ERR:http:blocked_address:<ip>`, `ERR:http:host_changed`,
	                                 * `ERR:http:<status>:redirect_refused:<host>`; never the URL's query or a secret */
};

int outbound_init(const struct conf *conf, struct problem *why);        /* once a process, after loop_init */
void outbound_done(void);
void outbound_header(struct outbound_request *q, struct str name, struct str value, bool credential);
/* Sends and waits. The response's memory is the request's arena. */
void outbound_fetch(struct outbound_request *q, struct outbound_response *out);
unsigned outbound_active(void);

#endif
