/* Server-Sent Events (WHATWG HTML, section 9.2): answers that stay open and say what happens. A handler begins one and
 * gives the function that goes on with it, top to bottom, in the request's fiber. */
#ifndef WEB_SSE_H
#define WEB_SSE_H
#include "web/fastcgi.h"
#include "web/rest.h"

/* After so long without an event a comment is sent, so that nobody in between takes the connection for a dead one. Far
 * below nginx's fastcgi_read_timeout (330 s) and what proxies usually allow (60 s). */
enum { SSE_KEEPALIVE_MS = 15 * 1000 };

struct sse {
	struct request *req;
	void (*run)(struct sse *s, void *ctx);
	void *ctx;
	int64_t sent_us;                /* monotonic: when something was sent last */
};

/* Answers r with a stream: once its head has left, run sends events; where it returns the answer ends. lasting: nothing
 * but a drain or the client ends it. What ctx points to lives as long as the request. -1: why is 503 `too_many_streams`,
 * and nothing is answered yet. */
int sse_begin(struct rest *r, bool lasting, void (*run)(struct sse *s, void *ctx), void *ctx, struct problem *why);
/* Sends an event of type `message`; data has no line ends. -1: nobody reads any more. */
int sse_send(struct sse *s, struct str data);
/* fastcgi_wait, FASTCGI_TIMEOUT after a comment was sent. */
enum fastcgi_wait sse_wait(struct sse *s);

#endif
