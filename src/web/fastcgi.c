/* FastCGI connections: accept, keep, serve, hand over. What a request means is the router's business.
 *
 * libfcgi reads and writes with blocking calls and closes a connection with a blocking wait for the peer. It therefore
 * never gets a descriptor: each connection has a number beyond all descriptors, and the read and write below, which
 * stand before the C library's in this program, turn it back into the connection, do the transfer without blocking,
 * and suspend the fiber where nothing moves. shutdown and close of such a number fail harmlessly. Everything libfcgi
 * reads has passed record.c. */
#include <errno.h>
#include <fcgiapp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/problem.h"
#include "loop/fiber.h"
#include "loop/loop.h"
#include "store/shared.h"
#include "web/fastcgi.h"
#include "web/record.h"
#include "web/request.h"
#include "web/response.h"

enum {
	NUMBER_FIRST = 0x40000000,      /* of connections, for libfcgi: the kernel's descriptors stay far below */
	RECORDS_ONCE = 16,              /* records sent with one call */
	ARENAS_KEPT = 64,               /* arenas kept for the next requests */
	DRAIN_CHUNK = 4096,             /* bytes of a refused body dropped at a time */
	REBALANCE_MS = 20,              /* how long a worker with too many connections leaves a new one to others */
	SWEEP_MS = 5000,                /* how often connections that never sent a byte are looked for */
	DESCRIPTORS_SHORT_MS = 100,     /* pause after accept failed for want of descriptors */
};

struct conn {
	struct loop_fd io;
	FCGX_Request fcgi;
	struct record_check check;
	unsigned number;                /* index in fastcgi.conn */
	struct fiber *waiting;          /* in read or write */
	struct conn *next, **prev;      /* among the idle ones */
	int64_t deadline_us;            /* the request, on a fresh connection its first byte, must be here by then */
	bool idle, fresh;               /* no fiber serves it; it never had a request */
	bool pending;                   /* an event came since the request began */
	bool hup;                       /* the peer sends no more: edge-triggered events say so only once */
	bool extra;                     /* bytes behind the request: the connection cannot be kept */
	bool broken;                    /* no use writing */
	bool stream, lasting;           /* the answer is one of fastcgi_stream */
};

static struct {
	struct fastcgi_options o;
	struct loop_fd listener, successor;
	struct loop_timer rebalance, sweep, retry;
	struct loop_task finish;
	struct conn **conn;             /* by number; NULL: free */
	unsigned room, first_free, open, active, streams, predecessors;
	struct conn *idle;
	struct arena *arena[ARENAS_KEPT];
	unsigned arenas;
	enum listening { OFF, STANDBY, ACCEPTING } listening;
	bool draining, handing, short_logged;
	void (*done)(void);
} fastcgi;

static void conn_idle(struct conn *c);
static void balance(void);
static void begin(struct conn *c);
static void let_go(struct loop_timer *t);

/* The board */

struct fastcgi_board *fastcgi_board_new(void)
{
	struct fastcgi_board *b = mmap(NULL, sizeof(*b), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (b == MAP_FAILED)
		log_fatal("no shared memory: %s", strerror(errno));
	for (unsigned i = 0; i < FASTCGI_SEATS; i++)
		fastcgi_board_leave(b, i);
	return b;
}

void fastcgi_board_leave(struct fastcgi_board *b, unsigned seat)
{
	atomic_store(&b->seat[seat].listening, 0);
	atomic_store(&b->seat[seat].connections, -1);
}

bool fastcgi_board_serving(const struct fastcgi_board *b, unsigned seat)
{
	return atomic_load(&b->seat[seat].connections) >= 0;
}

/* Transfers */

/* Waits until something happens on the connection. -1 with errno ETIMEDOUT at the limit. */
static int conn_wait(struct conn *c, int64_t limit_ms)
{
	int value;

	c->waiting = fiber_self();
	value = limit_ms > 0 ? fiber_suspend_for(limit_ms) : FIBER_TIMEOUT;
	c->waiting = NULL;
	if (value != FIBER_TIMEOUT)
		return 0;
	errno = ETIMEDOUT;
	return -1;
}

static ssize_t conn_checked(struct conn *c, const void *p, ssize_t n)
{
	long used = record_take(&c->check, p, (size_t)n);

	if (used < 0) {
		log_warn("fastcgi: connection refused: %s", c->check.why);
		c->broken = true;
		errno = EPROTO;
		return -1;
	}
	if (used < n)
		c->extra = true;
	return used;
}

static ssize_t conn_read(struct conn *c, void *p, size_t n)
{
	for (;;) {
		ssize_t got = recv(c->io.fd, p, n, MSG_DONTWAIT);

		if (got > 0)
			return conn_checked(c, p, got);
		if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
			c->broken = true;
			return got;
		}
		if (errno == EINTR)
			continue;
		if (conn_wait(c, (c->deadline_us - clock_mono_us() + 999) / 1000) < 0) {
			log_info("fastcgi: connection closed: its request did not arrive whole in time");
			c->broken = true;
			return -1;
		}
	}
}

/* A worker that wants to end waits for no reader of an answer that has no end. */
static bool drains(const struct conn *c)
{
	return c->lasting && fastcgi.draining;
}

/* Sends what iov holds, all of it; iov is used up. Every wait for the peer is bounded, the whole is not: a reader that
 * goes on is served. */
static int conn_send(struct conn *c, struct iovec *iov, size_t n)
{
	bool blocked = false;

	while (n && !c->broken) {
		struct msghdr m = { .msg_iov = iov, .msg_iovlen = n };
		ssize_t sent = sendmsg(c->io.fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0 && errno == EAGAIN) {
			if (!blocked)
				loop_mod(&c->io, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
			blocked = true;
			if (!drains(c) && conn_wait(c, fastcgi.o.idle_ms) == 0)
				continue;
			log_info("fastcgi: connection closed: its answer was not read in time");
		}
		if (sent < 0) {
			c->broken = true;
			break;
		}
		for (; n && (size_t)sent >= iov->iov_len; iov++, n--)
			sent -= (ssize_t)iov->iov_len;
		if (n) {
			iov->iov_base = (char *)iov->iov_base + sent;
			iov->iov_len -= (size_t)sent;
		}
	}
	if (blocked)
		loop_mod(&c->io, EPOLLIN | EPOLLRDHUP | EPOLLET);
	if (!c->broken)
		return 0;
	errno = EPIPE;
	return -1;
}

static struct conn *conn_of(int number)
{
	if (number < NUMBER_FIRST || (unsigned)(number - NUMBER_FIRST) >= fastcgi.room)
		return NULL;
	return fastcgi.conn[number - NUMBER_FIRST];
}

/* What libfcgi's (and everybody's) read and write call. Named by label, since <unistd.h> may define them as macros or
 * inline functions. */
ssize_t fastcgi_read(int fd, void *p, size_t n) __asm__("read") __attribute__((used, visibility("default")));
ssize_t fastcgi_write(int fd, const void *p, size_t n) __asm__("write") __attribute__((used, visibility("default")));

ssize_t fastcgi_read(int fd, void *p, size_t n)
{
	struct conn *c = conn_of(fd);

	return c ? conn_read(c, p, n) : syscall(SYS_read, fd, p, n);
}

ssize_t fastcgi_write(int fd, const void *p, size_t n)
{
	struct conn *c = conn_of(fd);
	struct iovec iov = { .iov_base = (void *)p, .iov_len = n };

	if (!c)
		return syscall(SYS_write, fd, p, n);
	return conn_send(c, &iov, 1) < 0 ? -1 : (ssize_t)n;
}

/* Connections */

static void idle_add(struct conn *c)
{
	c->idle = true;
	c->next = fastcgi.idle;
	c->prev = &fastcgi.idle;
	if (c->next)
		c->next->prev = &c->next;
	fastcgi.idle = c;
}

static void idle_remove(struct conn *c)
{
	c->idle = false;
	*c->prev = c->next;
	if (c->next)
		c->next->prev = c->prev;
}

static void finish(struct loop_task *t)
{
	(void)t;
	if (fastcgi.open || fastcgi.active || fastcgi.predecessors || !fastcgi.done)
		return;
	if (fastcgi.successor.fd >= 0) {
		loop_del(&fastcgi.successor);
		close(fastcgi.successor.fd);
		fastcgi.successor.fd = -1;
	}
	fastcgi.done();
	fastcgi.done = NULL;
}

static void publish(void)
{
	if (!fastcgi.draining)
		atomic_store(&fastcgi.o.board->seat[fastcgi.o.seat].connections, (int32_t)fastcgi.open);
}

/* Forgets a connection that is no longer idle or served. Its descriptor is closed here, or lives on elsewhere. */
static void conn_free(struct conn *c)
{
	loop_del(&c->io);
	close(c->io.fd);
	fastcgi.conn[c->number] = NULL;
	if (c->number < fastcgi.first_free)
		fastcgi.first_free = c->number;
	free(c);
	fastcgi.open--;
	publish();
	if (fastcgi.draining)
		loop_post(&fastcgi.finish);
	else
		balance();
}

static bool has_data(struct conn *c)
{
	char byte;
	ssize_t n;

	do
		n = recv(c->io.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n == 0 || (n < 0 && errno != EAGAIN))
		c->broken = true;
	return n > 0;
}

static void conn_ready(struct loop_fd *f, uint32_t events)
{
	struct conn *c = (struct conn *)((char *)f - offsetof(struct conn, io));

	c->pending = true;
	c->hup = c->hup || (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR));
	if (c->waiting) {
		fiber_wake(c->waiting, FIBER_WOKEN);
		return;
	}
	if (!c->idle)
		return;
	/* A hang-up may stand behind a request, or alone. */
	if (c->hup && !has_data(c)) {
		if (c->broken) {
			idle_remove(c);
			conn_free(c);
		}
		return;
	}
	begin(c);
}

static unsigned free_number(void)
{
	unsigned i = fastcgi.first_free;

	while (i < fastcgi.room && fastcgi.conn[i])
		i++;
	if (i == fastcgi.room) {
		fastcgi.room = fastcgi.room ? fastcgi.room * 2 : 64;
		fastcgi.conn = mem_resize(fastcgi.conn, fastcgi.room * sizeof(struct conn *));
		memset(fastcgi.conn + i, 0, (fastcgi.room - i) * sizeof(struct conn *));
	}
	fastcgi.first_free = i + 1;
	return i;
}

static void conn_new(int fd)
{
	struct conn *c = mem_alloc(sizeof(*c));

	c->io.fd = fd;
	c->io.ready = conn_ready;
	c->number = free_number();
	c->fresh = true;
	c->deadline_us = clock_mono_us() + fastcgi.o.idle_ms * 1000;
	fastcgi.conn[c->number] = c;
	FCGX_InitRequest(&c->fcgi, -1, FCGI_FAIL_ACCEPT_ON_INTR);
	fastcgi.open++;
	publish();
	idle_add(c);
	loop_add(&c->io, EPOLLIN | EPOLLRDHUP | EPOLLET);
}

static void sweep(struct loop_timer *t)
{
	int64_t now = clock_mono_us();

	for (struct conn *c = fastcgi.idle, *next; c; c = next) {
		next = c->next;
		if (!c->fresh || c->deadline_us > now)
			continue;
		idle_remove(c);
		conn_free(c);
	}
	loop_timer_set(t, SWEEP_MS);
}

/* Requests */

static struct arena *arena_take(void)
{
	return fastcgi.arenas ? fastcgi.arena[--fastcgi.arenas] : arena_new();
}

static void arena_give(struct arena *a)
{
	arena_reset(a);
	if (fastcgi.arenas < ARENAS_KEPT)
		fastcgi.arena[fastcgi.arenas++] = a;
	else
		arena_free(a);
}

/* The decimal number that CONTENT_LENGTH holds: digits only. -1 when absent or empty, -2 when malformed. */
static int64_t content_length(struct conn *c)
{
	const char *s = FCGX_GetParam("CONTENT_LENGTH", c->fcgi.envp);
	int64_t n = 0;

	if (!s || !*s)
		return -1;
	for (; *s; s++) {
		if (*s < '0' || *s > '9' || n > INT64_MAX / 10 - 1)
			return -2;
		n = n * 10 + (*s - '0');
	}
	return n;
}

/* Reads the body to its end, whatever becomes of it: a web server that still writes takes an early answer for an
 * error. Keeps `limit` bytes; returns how many there were. */
static size_t read_body(struct conn *c, struct buf *body, size_t limit)
{
	char chunk[DRAIN_CHUNK];
	size_t all;
	int n;

	buf_reserve(body, limit + 1);
	body->len = (size_t)FCGX_GetStr(body->data, (int)limit, c->fcgi.in);
	for (all = body->len; (n = FCGX_GetStr(chunk, sizeof(chunk), c->fcgi.in)) > 0;)
		all += (size_t)n;
	return all;
}

static int body_problem(int64_t length, size_t got, struct problem *why)
{
	if (length == -2) {
		problem_set(why, 400, "bad_content_length");
		problem_detail(why, "Content-Length is not a decimal number");
	} else if (length > (int64_t)fastcgi.o.max_body || got > fastcgi.o.max_body) {
		problem_set(why, 413, "body_too_large");
		problem_detail(why, "the request body is longer than %zu bytes", fastcgi.o.max_body);
		problem_fix(why, "send less, or raise max_request_body");
	} else if (length == -1 && got) {
		problem_set(why, 411, "length_required");
		problem_detail(why, "the request has a body without Content-Length");
		problem_fix(why, "send Content-Length, or let the web server buffer request bodies");
	} else if (length >= 0 && (size_t)length != got) {
		problem_set(why, 400, "bad_content_length");
		problem_detail(why, "Content-Length says %lld bytes, the body has %zu", (long long)length, got);
	} else {
		return 0;
	}
	return -1;
}

/* Fills req from the connection. 0, -1 with why for an answer, -2 when there is nobody to answer. */
static int read_request(struct conn *c, struct arena *a, struct request *req, struct problem *why)
{
	const char *const *env = (const char *const *)c->fcgi.envp;
	int64_t length = content_length(c);
	bool kept = length >= 0 && length <= (int64_t)fastcgi.o.max_body;
	struct buf body = BUF_ARENA(a);
	struct problem path_why = { 0 };
	size_t got = read_body(c, &body, kept ? (size_t)length : 0);
	struct str text = { 0 };

	if (FCGX_GetError(c->fcgi.in) || !record_complete(&c->check))
		return -2;
	if (body_problem(length, got, why) < 0) {
		request_init(req, a, env, text, &path_why);
		return -1;
	}
	if (got)
		text = buf_str(&body);
	return request_init(req, a, env, text, why);
}

/* Writes head and body as records of our own, as large as they may be, and with `last` the end of the request: half the
 * CPU of copying through libfcgi's buffer, and one call for most answers. */
static int send_records(struct conn *c, struct str head, struct str body, bool last)
{
	unsigned char header[RECORDS_ONCE][RECORD_HEADER], end[RECORD_END];
	struct iovec iov[3 * RECORDS_ONCE + 1];

	while (head.n + body.n || last) {
		size_t n = 0;

		for (unsigned i = 0; i < RECORDS_ONCE && head.n + body.n; i++) {
			size_t from_head = head.n < RECORD_CONTENT_MAX ? head.n : RECORD_CONTENT_MAX;
			size_t room = RECORD_CONTENT_MAX - from_head, from_body = body.n < room ? body.n : room;

			record_stdout(header[i], (unsigned)c->fcgi.requestId, from_head + from_body);
			iov[n++] = (struct iovec){ header[i], RECORD_HEADER };
			if (from_head)
				iov[n++] = (struct iovec){ (void *)head.p, from_head };
			if (from_body)
				iov[n++] = (struct iovec){ (void *)body.p, from_body };
			head = str_skip(head, from_head);
			body = str_skip(body, from_body);
		}
		if (last && !(head.n + body.n)) {
			record_end(end, (unsigned)c->fcgi.requestId);
			iov[n++] = (struct iovec){ end, RECORD_END };
			last = false;
		}
		if (conn_send(c, iov, n) < 0)
			return -1;
	}
	return 0;
}

/* The same for a body that is made on the way. */
static void send_pieces(struct conn *c, struct str head, const struct response *res)
{
	for (struct str piece = res->next(res->ctx); piece.n; piece = res->next(res->ctx)) {
		if (send_records(c, head, piece, false) < 0)
			return;
		head = (struct str){ 0 };
	}
	send_records(c, head, head, true);
}

/* The same for one that leaves as it comes. */
static void send_stream(struct conn *c, struct str head, const struct response *res)
{
	send_records(c, head, (struct str){ 0 }, false);
	res->stream(res->ctx);
	send_records(c, (struct str){ 0 }, (struct str){ 0 }, true);
}

static void send_answer(struct conn *c, const struct request *req, const struct response *res)
{
	struct buf head = BUF_ARENA(req->arena);
	struct str body = res->omit_body || !res->body.p ? (struct str){ 0 } : res->body;

	response_head(res, req->request_id, &head);
	if (res->stream)
		send_stream(c, buf_str(&head), res);
	else if (res->next && !res->omit_body)
		send_pieces(c, buf_str(&head), res);
	else
		send_records(c, buf_str(&head), body, true);
}

/* Answers of unknown length */

bool fastcgi_stream(struct request *req, bool lasting)
{
	unsigned half = fastcgi.o.max_connections / 2;

	if (fastcgi.streams >= (fastcgi.o.max_streams < half ? fastcgi.o.max_streams : half))
		return false;
	fastcgi.streams++;
	req->conn->stream = true;
	req->conn->lasting = lasting;
	return true;
}

static void stream_end(struct conn *c)
{
	fastcgi.streams -= c->stream;
	c->stream = c->lasting = false;
}

unsigned fastcgi_streams(void)
{
	return fastcgi.streams;
}

int fastcgi_put(struct request *req, struct str bytes)
{
	return send_records(req->conn, (struct str){ 0 }, bytes, false);
}

/* Looks only when something has happened on the connection. What else may have come is the next request, which waits. */
static bool has_left(struct conn *c)
{
	unsigned char head[RECORD_HEADER];
	ssize_t n;

	if (c->broken || !(c->pending || c->hup))
		return c->broken;
	do
		n = recv(c->io.fd, head, sizeof(head), MSG_PEEK | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	c->broken = n == 0 || (n < 0 && errno != EAGAIN) ||
		    (n > 0 && record_is_abort(head, (size_t)n, (unsigned)c->fcgi.requestId));
	return c->broken;
}

enum fastcgi_wait fastcgi_wait(struct request *req, int64_t ms)
{
	struct conn *c = req->conn;
	int value = FIBER_WOKEN;

	if (!has_left(c) && !drains(c)) {
		c->waiting = fiber_self();
		value = fiber_suspend_for(ms);
		c->waiting = NULL;
	}
	if (has_left(c))
		return FASTCGI_GONE;
	if (drains(c))
		return FASTCGI_DRAINS;
	return value == FIBER_TIMEOUT ? FASTCGI_TIMEOUT : FASTCGI_WOKEN;
}

/* Streams that have no end of their own come to one. */
static void end_streams(void)
{
	for (unsigned i = 0; i < fastcgi.room; i++) {
		struct conn *c = fastcgi.conn[i];

		if (c && c->lasting && c->waiting)
			fiber_wake(c->waiting, FIBER_WOKEN);
	}
}

/* libfcgi's three streams hold 17 KB: they end before the wait. Only the parameters stay. */
static void free_streams(struct conn *c)
{
	FCGX_FreeStream(&c->fcgi.in);
	FCGX_FreeStream(&c->fcgi.out);
	FCGX_FreeStream(&c->fcgi.err);
}

/* One request from its first byte to the end of its answer. False when the connection is of no further use. */
static bool serve_request(struct conn *c)
{
	struct arena *a;
	struct request *req;
	struct response *res;
	struct problem *why;
	int got;

	record_begin(&c->check);
	c->pending = false;
	c->deadline_us = clock_mono_us() + fastcgi.o.idle_ms * 1000;
	c->fcgi.ipcFd = NUMBER_FIRST + (int)c->number;
	c->fcgi.keepConnection = 1;     /* else FCGX_Accept_r would first end a request that never was */
	if (FCGX_Accept_r(&c->fcgi) < 0)
		return false;
	a = arena_take();
	req = arena_alloc(a, sizeof(*req));
	res = arena_alloc(a, sizeof(*res));
	why = arena_alloc(a, sizeof(*why));
	got = read_request(c, a, req, why);
	req->conn = c;
	free_streams(c);
	if (got != -2) {
		shared_count(fastcgi.o.shared, COUNT_REQUESTS, 1);
		response_init(res, a);
		fastcgi.o.handle(req, res, got < 0 ? why : NULL);
		send_answer(c, req, res);
	} else {
		c->broken = true;
	}
	stream_end(c);
	FCGX_Free(&c->fcgi, 0);
	arena_give(a);
	return c->fcgi.keepConnection && !c->extra && !c->broken;
}

static void serve(void *arg)
{
	struct conn *c = arg;
	bool good;

	do
		good = serve_request(c);
	while (good && !fastcgi.handing && (c->pending || c->hup) && has_data(c));
	fastcgi.active--;
	if (good && !c->broken)
		conn_idle(c);
	else
		conn_free(c);
}

static void begin(struct conn *c)
{
	idle_remove(c);
	c->fresh = false;
	fastcgi.active++;
	fiber_start(serve, c);
}

/* Accepting */

/* STANDBY is told of every new connection beside the one that is to take it; ACCEPTING is that one, or the next. */
static void listener_set(enum listening how)
{
	if (how == fastcgi.listening)
		return;
	if (fastcgi.listening != OFF)
		loop_del(&fastcgi.listener);
	fastcgi.listening = how;
	if (how != OFF)
		loop_add(&fastcgi.listener, how == STANDBY ? EPOLLIN : EPOLLIN | EPOLLEXCLUSIVE);
	atomic_store(&fastcgi.o.board->seat[fastcgi.o.seat].listening, how == ACCEPTING);
}

/* True when another worker that is accepting has clearly fewer connections. So the one with the fewest never stops,
 * and nobody waits for a stopped one. */
static bool others_have_fewer(void)
{
	int32_t mine = (int32_t)fastcgi.open, slack = 1 + mine / 16;

	for (unsigned i = 0; i < atomic_load(&fastcgi.o.board->top); i++) {
		int32_t n = atomic_load_explicit(&fastcgi.o.board->seat[i].connections, memory_order_relaxed);

		if (i != fastcgi.o.seat && n >= 0 && n < mine - slack &&
		    atomic_load(&fastcgi.o.board->seat[i].listening))
			return true;
	}
	return false;
}

/* Kept connections stay where they were accepted, so the choice made here is the share of the load: the kernel alone
 * would give most of them to one worker. */
static void balance(void)
{
	if (fastcgi.draining || fastcgi.retry.slot)
		return;
	if (fastcgi.open >= fastcgi.o.max_connections)
		listener_set(OFF);
	else if (!others_have_fewer())
		listener_set(ACCEPTING);
	else
		listener_set(fastcgi.rebalance.slot ? OFF : STANDBY);
}

/* The others had their time: when somebody still waits, they are stuck. */
static void rebalance(struct loop_timer *t)
{
	struct pollfd p = { .fd = fastcgi.o.listen_fd, .events = POLLIN };

	(void)t;
	balance();
	if (fastcgi.listening == STANDBY && poll(&p, 1, 0) > 0)
		listener_set(ACCEPTING);
}

static void retry(struct loop_timer *t)
{
	(void)t;
	balance();
}

static void accept_ready(struct loop_fd *f, uint32_t events)
{
	int fd;

	(void)events;
	if (fastcgi.listening == STANDBY && others_have_fewer()) {
		loop_timer_set(&fastcgi.rebalance, REBALANCE_MS);
		listener_set(OFF);
		return;
	}
	fd = accept4(f->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd >= 0) {
		fastcgi.short_logged = false;
		conn_new(fd);
		balance();
		return;
	}
	if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM)
		return;         /* another worker was faster, or the peer went away */
	if (!fastcgi.short_logged)
		log_warn("fastcgi: cannot accept: %s; trying again", strerror(errno));
	fastcgi.short_logged = true;
	listener_set(OFF);
	loop_timer_set(&fastcgi.retry, DESCRIPTORS_SHORT_MS);
}

/* Handing over. Messages between predecessor and successor: one byte, 'r' from the successor when it is ready, 'c'
 * with a connection to it. */

static int send_byte(int fd, char byte, int passed)
{
	union { struct cmsghdr align; char space[CMSG_SPACE(sizeof(int))]; } control = { 0 };
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (passed >= 0) {
		struct cmsghdr *h;

		m.msg_control = control.space;
		m.msg_controllen = sizeof(control.space);
		h = CMSG_FIRSTHDR(&m);
		h->cmsg_level = SOL_SOCKET;
		h->cmsg_type = SCM_RIGHTS;
		h->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(h), &passed, sizeof(int));
	}
	do
		n = sendmsg(fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == 1 ? 0 : -1;
}

/* One message: its byte, 0 at the end, -1 with errno. *passed gets the descriptor that came with it, or -1. */
static int take_byte(int fd, int *passed)
{
	union { struct cmsghdr align; char space[CMSG_SPACE(sizeof(int))]; } control;
	char byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof(control.space),
	};
	ssize_t n;

	*passed = -1;
	do
		n = recvmsg(fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return (int)n;
	for (struct cmsghdr *h = CMSG_FIRSTHDR(&m); h; h = CMSG_NXTHDR(&m, h))
		if (h->cmsg_level == SOL_SOCKET && h->cmsg_type == SCM_RIGHTS && h->cmsg_len == CMSG_LEN(sizeof(int)))
			memcpy(passed, CMSG_DATA(h), sizeof(int));
	return byte;
}

static void predecessor_ready(struct loop_fd *f, uint32_t events)
{
	int byte, fd;

	(void)events;
	while ((byte = take_byte(f->fd, &fd)) > 0)
		if (byte == 'c' && fd >= 0)
			conn_new(fd);
		else if (fd >= 0)
			close(fd);
	if (byte == 0 || errno != EAGAIN) {
		loop_del(f);
		close(f->fd);
		free(f);
		fastcgi.predecessors--;
	}
	if (fastcgi.draining)
		let_go(&fastcgi.retry);
	else
		balance();
}

void fastcgi_adopt(int fd)
{
	struct loop_fd *f = mem_alloc(sizeof(*f));

	f->fd = fd;
	f->ready = predecessor_ready;
	fastcgi.predecessors++;
	loop_add(f, EPOLLIN);
	if (send_byte(fd, 'r', -1) < 0)
		log_warn("fastcgi: the predecessor cannot be told: %s", strerror(errno));
}

static void successor_ready(struct loop_fd *f, uint32_t events)
{
	int fd, byte = take_byte(f->fd, &fd);

	(void)events;
	if (byte < 0 && errno == EAGAIN)
		return;
	if (fd >= 0)
		close(fd);
	if (byte == 'r' && !fastcgi.handing) {
		fastcgi.handing = true;
		fastcgi.o.successor_ready();
		return;
	}
	/* Nobody is at the other end any more. */
	fastcgi.handing = false;
	loop_del(f);
	close(f->fd);
	f->fd = -1;
}

/* Passes an idle connection on. 0 done, 1 not now, -1 never. */
static int hand_over(struct conn *c)
{
	if (!fastcgi.handing || fastcgi.successor.fd < 0)
		return -1;
	if (send_byte(fastcgi.successor.fd, 'c', c->io.fd) == 0)
		return 0;
	return errno == EAGAIN || errno == ETOOMANYREFS || errno == ENOBUFS || errno == ENOMEM ? 1 : -1;
}

/* Empties the list of idle connections as far as it goes now. Without a successor a request that has arrived meanwhile
 * is still served. */
static void let_go(struct loop_timer *t)
{
	for (struct conn *c = fastcgi.idle, *next; c; c = next) {
		int got = hand_over(c);

		next = c->next;
		if (got > 0) {
			loop_timer_set(t, 1);
			return;
		}
		if (got < 0 && has_data(c)) {
			begin(c);
			continue;
		}
		idle_remove(c);
		conn_free(c);
	}
	loop_post(&fastcgi.finish);
}

static void conn_idle(struct conn *c)
{
	idle_add(c);
	if (fastcgi.draining)
		let_go(&fastcgi.retry);
}

void fastcgi_drain(void (*done)(void))
{
	int fd;

	if (fastcgi.draining)
		return;
	listener_set(OFF);
	fastcgi_board_leave(fastcgi.o.board, fastcgi.o.seat);
	fastcgi.draining = true;
	/* Without a successor nobody else will take those that wait. */
	while (!fastcgi.handing && (fd = accept4(fastcgi.o.listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0)
		conn_new(fd);
	close(fastcgi.o.listen_fd);
	fastcgi.done = done;
	loop_timer_cancel(&fastcgi.rebalance);
	loop_timer_cancel(&fastcgi.sweep);
	loop_timer_cancel(&fastcgi.retry);
	fastcgi.retry.fire = let_go;
	end_streams();
	let_go(&fastcgi.retry);
}

void fastcgi_start(const struct fastcgi_options *o)
{
	if (FCGX_Init() != 0)
		log_fatal("fastcgi: libfcgi does not start");
	memset(&fastcgi, 0, sizeof(fastcgi));
	fastcgi.o = *o;
	if (!fastcgi.o.idle_ms)
		fastcgi.o.idle_ms = FASTCGI_IDLE_MS;
	fastcgi.listener = (struct loop_fd){ .fd = o->listen_fd, .ready = accept_ready };
	fastcgi.successor = (struct loop_fd){ .fd = o->successor_fd, .ready = successor_ready };
	fastcgi.rebalance.fire = rebalance;
	fastcgi.sweep.fire = sweep;
	fastcgi.retry.fire = retry;
	fastcgi.finish.run = finish;
	for (uint32_t top = atomic_load(&o->board->top); top <= o->seat;)
		atomic_compare_exchange_weak(&o->board->top, &top, o->seat + 1);
	if (o->successor_fd >= 0)
		loop_add(&fastcgi.successor, EPOLLIN);
	publish();
	listener_set(ACCEPTING);
	loop_timer_set(&fastcgi.sweep, SWEEP_MS);
}

unsigned fastcgi_active(void)
{
	return fastcgi.active;
}
