/* The writer's client: one connection a process, on which the writes of many fibers are under way together.
 *
 * Every write is in one list, in the order of sending, from submit until its answer; `unsent` is the first that has not
 * left completely. Frames are sent from the writes' own memory at the end of the loop's turn, many with one system
 * call. When the socket is full the rest waits for EPOLLOUT, and each fiber waits for its answer anyway, so nothing
 * else is held up.
 *
 * When the writer dies, a write that had left completely may or may not have been applied: with a proof it is sent
 * again, marked as repeated, and the new writer looks first; without one its fate cannot be known and it fails. The
 * rest had not been applied and is simply sent to the new writer. The master holds the listening socket, so connecting
 * works while there is no writer: the frames wait for the next one. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/log.h"
#include "loop/fiber.h"
#include "loop/loop.h"
#include "store/wire.h"
#include "store/write.h"

enum {
	WRITE_IOV = 64,                 /* frames sent with one system call */
	WRITE_READ = 16 * 1024,         /* answers read with one; an answer has 24 bytes and a short code */
	WRITE_RETRY_MIN_MS = 5,         /* between attempts to connect, doubled up to the other */
	WRITE_RETRY_MAX_MS = 250,
};

enum state { NEW, PENDING, ANSWERED, LOST };

struct write {
	struct arena *arena;
	enum sql_file file;
	struct buf frame;
	unsigned statements;
	bool proof, unknown;
	enum state state;
	uint64_t id;
	struct fiber *fiber;
	struct wire_answer answer;
	struct write *next, **link;     /* in client.first; link is what points here */
};

static struct {
	bool open, connected, blocked;  /* blocked: waits for EPOLLOUT */
	struct sockaddr_un address;
	struct shared *shared;
	int64_t timeout_ms;
	uint64_t last_id;
	struct loop_fd fd;
	struct loop_task flush;
	struct loop_timer retry;
	int64_t retry_ms;
	struct write *first, **last, *unsent;
	size_t sent;                    /* bytes of `unsent` that have left */
	struct buf rest;                /* what is left of a frame whose write gave up half-way: goes first */
	struct buf in;
} client;

static void connect_now(void);
static void lose_connection(const char *what);

/* Building */

struct write *write_new(struct arena *a, enum sql_file file)
{
	struct write *w = arena_alloc(a, sizeof(*w));

	w->arena = a;
	w->file = file;
	w->frame = BUF_ARENA(a);
	w->id = ++client.last_id;
	wire_begin(&w->frame, w->id, file, false);
	return w;
}

static void check(const struct write *w, enum sql_id id)
{
	if (w->state != NEW || sql_get(id)->file != w->file)
		log_fatal("write: %s in a write that is sent or for the other file", sql_get(id)->name);
}

void write_add(struct write *w, enum sql_id id, const char *types, ...)
{
	va_list ap;

	check(w, id);
	va_start(ap, types);
	wire_statement(&w->frame, id, false, types, ap);
	va_end(ap);
	w->statements++;
}

void write_proof(struct write *w, enum sql_id id, const char *types, ...)
{
	va_list ap;

	check(w, id);
	va_start(ap, types);
	wire_statement(&w->frame, id, true, types, ap);
	va_end(ap);
	w->proof = true;
}

unsigned write_statements(const struct write *w)
{
	return w->statements;
}

int64_t write_result(const struct write *w)
{
	return w->answer.result;
}

bool write_unknown(const struct write *w)
{
	return w->unknown;
}

/* The list */

static void append(struct write *w)
{
	w->state = PENDING;
	w->next = NULL;
	w->link = client.last;
	*client.last = w;
	client.last = &w->next;
	if (!client.unsent) {
		client.unsent = w;
		client.sent = 0;
	}
}

static void unlink_write(struct write *w)
{
	if (client.unsent == w) {
		client.unsent = w->next;
		client.sent = 0;
	}
	*w->link = w->next;
	if (w->next)
		w->next->link = w->link;
	else
		client.last = w->link;
}

/* True when the whole frame of w has left: w stands before the first that has not. */
static bool has_left(const struct write *w)
{
	for (const struct write *u = client.unsent; u; u = u->next)
		if (u == w)
			return false;
	return true;
}

static void finish(struct write *w, enum state state)
{
	unlink_write(w);
	w->state = state;
	fiber_wake(w->fiber, FIBER_WOKEN);
}

/* Sending */

static int gather(struct iovec *iov)
{
	int n = 0;
	size_t skip = client.sent;

	if (client.rest.len)
		iov[n++] = (struct iovec){ client.rest.data, client.rest.len };
	for (struct write *w = client.unsent; w && n < WRITE_IOV; w = w->next, skip = 0)
		iov[n++] = (struct iovec){ w->frame.data + skip, w->frame.len - skip };
	return n;
}

static void advance(size_t n)
{
	size_t part = n < client.rest.len ? n : client.rest.len;

	if (part) {
		memmove(client.rest.data, client.rest.data + part, client.rest.len - part);
		client.rest.len -= part;
		n -= part;
	}
	while (n) {
		part = client.unsent->frame.len - client.sent;
		if (n < part) {
			client.sent += n;
			return;
		}
		n -= part;
		client.sent = 0;
		client.unsent = client.unsent->next;
	}
}

static void want_room(bool on)
{
	if (client.blocked == on)
		return;
	client.blocked = on;
	loop_mod(&client.fd, EPOLLIN | (on ? EPOLLOUT : 0u));
}

static void flush_now(void)
{
	struct iovec iov[WRITE_IOV];
	struct msghdr m = { .msg_iov = iov };
	ssize_t n;

	while (client.connected && (client.unsent || client.rest.len)) {
		m.msg_iovlen = (size_t)gather(iov);
		n = sendmsg(client.fd.fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == ENOBUFS)) {
			want_room(true);
			return;
		}
		if (n < 0) {
			lose_connection(strerror(errno));
			return;
		}
		advance((size_t)n);
	}
	if (client.connected)
		want_room(false);
}

static void on_flush(struct loop_task *t)
{
	(void)t;
	if (!client.first)
		return;
	if (!client.connected && !client.retry.slot)
		connect_now();
	if (!client.blocked)
		flush_now();
}

/* Receiving */

static void answered(const struct wire_answer *a)
{
	for (struct write *w = client.first; w && w != client.unsent; w = w->next)
		if (w->id == a->id) {
			w->answer = *a;
			finish(w, ANSWERED);
			return;
		}
	/* No match: its fiber has given up waiting. */
}

static int take_answers(void)
{
	struct str in = buf_str(&client.in), frame;
	struct wire_answer a;
	int rc;

	while ((rc = wire_next(in, &frame)) == 1) {
		if (wire_answer_read(frame, &a) < 0)
			return -1;
		answered(&a);
		in = str_skip(in, frame.n);
	}
	memmove(client.in.data, in.p, in.n);
	client.in.len = in.n;
	return rc;
}

static void on_ready(struct loop_fd *f, uint32_t events)
{
	ssize_t n;

	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
		buf_reserve(&client.in, WRITE_READ);
		n = recv(f->fd, client.in.data + client.in.len, WRITE_READ, MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
			lose_connection(n == 0 ? "closed" : strerror(errno));
			return;
		}
		client.in.len += n > 0 ? (size_t)n : 0;
		if (take_answers() < 0) {
			log_error("writer's answer is malformed");
			lose_connection("malformed answer");
			return;
		}
		client.retry_ms = 0;    /* it lives */
	}
	if (events & EPOLLOUT)
		flush_now();
}

/* The connection */

static void retry_later(void)
{
	client.retry_ms = client.retry_ms ? client.retry_ms * 2 : WRITE_RETRY_MIN_MS;
	if (client.retry_ms > WRITE_RETRY_MAX_MS)
		client.retry_ms = WRITE_RETRY_MAX_MS;
	loop_timer_set(&client.retry, client.retry_ms);
}

static void on_retry(struct loop_timer *t)
{
	(void)t;
	if (!client.connected && client.first)
		connect_now();
	flush_now();
}

static void connect_now(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&client.address, sizeof(client.address)) < 0) {
		log_debug("writer at %s: %s", client.address.sun_path, strerror(errno));
		if (fd >= 0)
			close(fd);
		retry_later();
		return;
	}
	client.fd.fd = fd;
	client.connected = true;
	client.blocked = false;
	loop_add(&client.fd, EPOLLIN);
}

static void drop_connection(void)
{
	loop_del(&client.fd);
	close(client.fd.fd);
	client.connected = client.blocked = false;
	buf_clear(&client.in);
	buf_clear(&client.rest);
}

static void lose_connection(const char *what)
{
	struct write *unsent = client.unsent, *next;
	unsigned again = 0, lost = 0;

	drop_connection();
	for (struct write *w = client.first; w && w != unsent; w = next) {
		next = w->next;
		if (w->proof) {
			wire_mark_repeated(&w->frame);
			again++;
			continue;
		}
		w->unknown = true;
		finish(w, LOST);
		lost++;
	}
	client.unsent = client.first;
	client.sent = 0;
	log_warn("connection to the writer lost (%s): %u writes sent again, %u given up", what, again, lost);
	if (client.first)
		retry_later();
}

/* Submitting */

static int unavailable(struct problem *why, const char *detail)
{
	return problem_unavailable(why, "%s", detail);
}

/* The fiber's time is over: a frame that has begun to leave must be completed, or the stream would be broken. */
static int give_up(struct write *w, struct problem *why)
{
	w->unknown = has_left(w) || (w == client.unsent && client.sent > 0);
	if (w == client.unsent && client.sent > 0)
		buf_add(&client.rest, w->frame.data + client.sent, w->frame.len - client.sent);
	unlink_write(w);
	w->state = LOST;
	return unavailable(why,
		w->unknown ? "the writer did not answer in time" : "the writer could not be reached in time");
}

static int outcome(struct write *w, struct problem *why)
{
	if (w->state == LOST)
		return unavailable(why, "the writer ended before it answered");
	if (w->answer.status == WIRE_COMMITTED)
		return 0;
	if (w->answer.status == WIRE_REFUSED)
		return problem_set(why, 409, "%s", w->answer.code);
	unavailable(why, "");
	problem_detail(why, "the %s cannot be written: %s", sql_file_name(w->file), w->answer.code);
	return -1;
}

static int submit(struct write *w, int64_t timeout_ms, struct problem *why)
{
	if (!client.open || w->state != NEW || !fiber_self())
		log_fatal("write: submitted twice, too early or outside a fiber");
	if (wire_end(&w->frame) < 0) {
		w->state = LOST;
		return problem_set(why, 413, "write_too_large");
	}
	w->fiber = fiber_self();
	append(w);
	loop_post(&client.flush);
	for (int64_t end = clock_mono_us() + timeout_ms * 1000; w->state == PENDING;) {
		int64_t left = (end - clock_mono_us() + 999) / 1000;

		if (left <= 0)
			return give_up(w, why);
		fiber_suspend_for(left);
	}
	return outcome(w, why);
}

int write_submit(struct write *w, struct problem *why)
{
	return submit(w, client.timeout_ms, why);
}

int write_ask(struct arena *a, int64_t timeout_ms, struct problem *why)
{
	return submit(write_new(a, SQL_LEDGER), timeout_ms, why);
}

/* The process */

void write_init(const char *socket, struct shared *shared, int64_t timeout_ms)
{
	size_t n = strlen(socket);

	if (client.open || n >= sizeof(client.address.sun_path))
		log_fatal("writer's socket: initialised twice, or longer than %zu bytes: %s",
			sizeof(client.address.sun_path) - 1, socket);
	memset(&client, 0, sizeof(client));
	client.address.sun_family = AF_UNIX;
	memcpy(client.address.sun_path, socket, n + 1);
	client.shared = shared;
	client.timeout_ms = timeout_ms;
	client.last = &client.first;
	client.fd.ready = on_ready;
	client.flush.run = on_flush;
	client.retry.fire = on_retry;
	client.open = true;
}

void write_done(void)
{
	if (!client.open)
		return;
	if (client.first)
		log_fatal("write: closed with writes under way");
	loop_timer_cancel(&client.retry);
	if (client.connected)
		drop_connection();
	buf_free(&client.in);
	buf_free(&client.rest);
	client.open = false;
}

bool write_healthy(enum sql_file file)
{
	if (!client.shared)
		return true;
	return file == SQL_DIRECTORY ? client.shared->directory_healthy : client.shared->ledger_healthy;
}
