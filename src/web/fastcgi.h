/* FastCGI connections of a worker: the only file that knows libfcgi. Accepts on the shared listening socket, keeps
 * connections open, runs each request in a fiber. It defines read(2) and write(2) for the whole program: see
 * fastcgi.c. */
#ifndef WEB_FASTCGI_H
#define WEB_FASTCGI_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"
#include "store/shared.h"

struct request;
struct response;
struct problem;

enum {
	FASTCGI_SEATS = SHARED_WORKERS_MAX,     /* workers that may be alive at a time, those that drain included */
	FASTCGI_IDLE_MS = 60 * 1000,
};

/* How busy each worker is: memory that all share, so that connections spread evenly. A worker sits on one seat. */
struct fastcgi_board {
	_Atomic uint32_t top;                   /* no seat from here on was ever taken */
	struct {
		_Atomic int32_t connections;    /* open now; -1: nobody serves from this seat */
		_Atomic int32_t listening;      /* takes part in accepting right now */
	} seat[FASTCGI_SEATS];
};

/* Before the fork. */
struct fastcgi_board *fastcgi_board_new(void);
/* For a worker that is gone, or before it starts. */
void fastcgi_board_leave(struct fastcgi_board *b, unsigned seat);
bool fastcgi_board_serving(const struct fastcgi_board *b, unsigned seat);       /* it accepts requests */

struct fastcgi_options {
	int listen_fd;                  /* non-blocking, shared by all workers; closed at a drain */
	int successor_fd;               /* SEQPACKET socket to a later successor, which says when it is ready; or -1 */
	size_t max_body;                /* bytes; a larger body is drained and answered 413 */
	unsigned max_connections;       /* of this worker; more wait in the listening socket's queue */
	unsigned max_streams;           /* answers of this worker that stay open; never more than half of max_connections */
	int64_t idle_ms;                /* for a request to arrive whole, an answer to move; 0: FASTCGI_IDLE_MS */
	struct fastcgi_board *board;
	unsigned seat;
	struct shared *shared;          /* for COUNT_REQUESTS */
	/* Called in a fiber with a complete request; fills res. bad: the request could not be read, problem says why
	 * (400, 411, 413, …). */
	void (*handle)(struct request *req, struct response *res, const struct problem *bad);
	/* The successor is ready: call fastcgi_drain. */
	void (*successor_ready)(void);
};

void fastcgi_start(const struct fastcgi_options *o);
/* Takes over the connections of a predecessor: fd is the other end of its successor_fd, owned from here on. It is told
 * at once that we are ready. */
void fastcgi_adopt(int fd);
/* Stops accepting (what waits is still taken when there is no successor), hands idle kept connections to the successor
 * when that is ready (or closes them), serves what is under way, hands those on as well when they become idle; then
 * calls done() from the loop. May be called again; the first done counts. */
void fastcgi_drain(void (*done)(void));
unsigned fastcgi_active(void);          /* requests under way */

/* Answers of unknown length (response.stream). A handler asks with fastcgi_stream whether there is room for one more;
 * it is given free with the request. lasting: it has no end of its own, so a drain ends it. */
bool fastcgi_stream(struct request *req, bool lasting);
unsigned fastcgi_streams(void);         /* open now */
/* Sends bytes of the body at once; suspends while the peer takes none, for at most idle_ms. -1: nobody reads. */
int fastcgi_put(struct request *req, struct str bytes);
enum fastcgi_wait {
	FASTCGI_WOKEN,
	FASTCGI_TIMEOUT,
	FASTCGI_DRAINS,                 /* of a lasting one: the worker wants to end */
	FASTCGI_GONE,                   /* the peer has closed the connection, or given the request up */
};
/* Suspends the request's fiber until somebody wakes it or ms have passed. The last two are said at once, each time. */
enum fastcgi_wait fastcgi_wait(struct request *req, int64_t ms);

#endif
