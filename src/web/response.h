/* One HTTP answer, built whole by a handler and sent by fastcgi.c. Also the one list of error codes and what to do
 * about them. */
#ifndef WEB_RESPONSE_H
#define WEB_RESPONSE_H
#include "base/json.h"

enum {
	RESPONSE_HEADERS_MAX = 24,
	RESPONSE_RETRY_S = 1,                   /* Retry-After of a 429 or 503 that does not say */
};

struct response {
	struct arena *arena;
	int status;
	const char *type;                       /* Content-Type; NULL: no body */
	struct { const char *name, *value; } header[RESPONSE_HEADERS_MAX];
	unsigned headers;
	/* Must stay alive until the answer is sent, which may suspend: the arena's, held in it, or static. */
	struct str body;
	/* A body that is made while it is sent: body.p NULL, body.n its whole length, at least 1; next gives the next
	 * piece, valid until it is called again, n 0 at the end. It may suspend. NULL: body is all. */
	struct str (*next)(void *ctx);
	/* A body whose length nobody knows: called when the head has left, on the request's fiber, after fastcgi_stream;
	 * it sends with fastcgi_put, and where it returns the answer ends. NULL: none. */
	void (*stream)(void *ctx);
	void *ctx;                              /* of next and stream */
	bool omit_body;                         /* HEAD: Content-Length of body, no bytes */
};

/* A code of the member `error`, up to its first ":" when it has a variable part. */
struct response_code {
	const char *code;
	int status;
	const char *meaning;                    /* for rowcall-api(7) */
	const char *fix;                        /* how_to_fix when the problem brings none, or NULL */
};
const struct response_code *response_code(const char *error);           /* NULL: not in the list */
void response_each_code(void (*fn)(void *ctx, const struct response_code *c), void *ctx);

void response_init(struct response *r, struct arena *a);
/* Value is escaped as a field value and copied; name must be static. Replaces one of the same name. */
void response_header(struct response *r, const char *name, const char *value);
const char *response_get(const struct response *r, const char *name);  /* NULL when it was not set */
void response_json(struct response *r, int status, struct json_object *o);      /* takes o; serialized now */
void response_text(struct response *r, int status, const char *type, struct str body);  /* body is not copied */
/* The error form {"error":…,"detail"?,"field"?,"how_to_fix"?,extra…}; a new object. */
struct json_object *response_error(const struct problem *why);
/* Answers with it, with Retry-After and, for 401, WWW-Authenticate: Bearer. more: object of further members, taken, or NULL; its members do not replace those of why->extra. */
void response_problem(struct response *r, const struct problem *why, struct json_object *more);
/* The headers alone: Retry-After and WWW-Authenticate where why needs them. */
void response_problem_headers(struct response *r, const struct problem *why);
/* The CGI head ("Status: …\r\n…\r\n\r\n"), with the headers every answer has. X-Trace is the one the handler set,
 * else `trace` unless that is empty. */
void response_head(const struct response *r, const char *trace, struct buf *out);

#endif
