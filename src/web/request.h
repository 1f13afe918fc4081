/* One HTTP request as the handlers see it: complete before any handler runs, strict about the query string. */
#ifndef WEB_REQUEST_H
#define WEB_REQUEST_H
#include "base/json.h"

enum { REQUEST_PARAMS_MAX = 64 };

struct request_param { struct str name, value; };
struct conn;

struct request {
	struct arena *arena;
	struct str method;              /* as sent, "GET" */
	struct str path;                /* percent-decoded; no NUL */
	struct str query;               /* raw */
	struct request_param param[REQUEST_PARAMS_MAX];
	unsigned params;
	struct str body;                /* p NULL when there is none */
	struct request_param *var;      /* FastCGI parameters */
	unsigned vars;
	const char *request_id;         /* nginx's $request_id (REQUEST_ID) or "" */
	struct conn *conn;              /* that it came on: fastcgi.c's */
};

/* Fills r from FastCGI parameters ("NAME=value", NULL at the end) and the body that was read. The path is DOCUMENT_URI, which nginx has decoded and
 * routed by, or REQUEST_URI without its query, decoded here. The query is QUERY_STRING: "+" and %20 are a space, "&"
 * separates (";" is a character), a name without "=" has an empty value, an empty query has no parameters. -1 with
 * why 400: `bad_query` (malformed percent, invalid UTF-8, NUL, a repeated name, an empty name, too many parameters),
 * `bad_path` (malformed percent, invalid UTF-8, NUL, no "/" in front), `bad_method`. After -1 r is still good for an
 * answer: what was wrong is empty, and there are no parameters. */
int request_init(struct request *r, struct arena *a, const char *const *env, struct str body, struct problem *why);
struct str request_param(const struct request *r, const char *name);    /* p NULL when absent */
/* A header by its lower-case name, "x-terminal-key"; p NULL when absent. One sent several times is the list of its
 * values (RFC 9110 section 5.3), so two credentials in headers of one name are a malformed one. */
struct str request_header(const struct request *r, const char *name);
/* A FastCGI parameter by its name, "REMOTE_ADDR"; p NULL when absent. */
struct str request_env(const struct request *r, const char *name);
bool request_is(const struct request *r, const char *method);
/* True when the header Accept (RFC 9110 section 12.5.1) ranks the media type `wanted` above `other`: by q, then by
 * how exactly it is named. Without the header, and when both are as good, false. */
bool request_prefers(const struct request *r, const char *wanted, const char *other);
/* True when Accept-Encoding (RFC 9110 section 12.5.3) takes gzip at least as gladly as the plain form. */
bool request_takes_gzip(const struct request *r);
/* True when If-None-Match (RFC 9110 section 13.1.2) names etag, compared weakly, or is "*". */
bool request_has_etag(const struct request *r, const char *etag);

#endif
