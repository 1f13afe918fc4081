/* An HTTP/1.1 server for tests, in threads of the test itself: what it answers is the test's own function, so it can
 * misbehave in any way. */
#ifndef T_UPSTREAM_H
#define T_UPSTREAM_H
#include <stdbool.h>
#include <stddef.h>

struct upstream;

struct upstream_request {
	char method[16], target[4096];
	const char *text;               /* the whole request, NUL-terminated */
	const char *body;
	size_t body_n;
	unsigned number;                /* 1 for the first request of all */
};

/* Answers one request on fd; true: the connection stays open. Called from several threads. */
struct upstream *upstream_start(bool (*answer)(void *ctx, int fd, const struct upstream_request *q), void *ctx);
int upstream_port(const struct upstream *u);            /* on 127.0.0.1 */
unsigned upstream_connections(const struct upstream *u);
unsigned upstream_requests(const struct upstream *u);
void upstream_stop(struct upstream *u);                 /* ends all connections and joins their threads */

/* A proper answer; headers are whole lines with CR LF, or "". */
bool upstream_reply(int fd, int status, const char *headers, const void *body, size_t n);
bool upstream_text(int fd, int status, const char *headers, const char *body);
void upstream_send(int fd, const void *p, size_t n);    /* raw bytes; errors are ignored */

#endif
