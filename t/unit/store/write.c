/* The writer's client against processes that play a writer: out of order, not reading, dying at any moment. */
#include <poll.h>
#include "base/clock.h"
#include "base/crypto.h"
#include "base/log.h"
#include "service.h"

enum { MANY = 200, BIG = 64 * 1024 };

struct task {
	bool proof;
	size_t size;
	int rc;
	struct problem why;
	bool unknown;
	int64_t result;
};

static int64_t ticks;

static void submit(void *arg)
{
	struct task *t = arg;
	struct arena *a = arena_new();
	struct write *w = write_new(a, SQL_LEDGER);
	char *text = arena_alloc(a, t->size + 1);

	memset(text, 'x', t->size);
	write_add(w, SQL_KV_PUT, "tst", "k", str_make(text, t->size), "now");
	if (t->proof)
		write_proof(w, SQL_RECEIPT_APPLIED, "t", "inv_1");
	t->rc = write_submit(w, &t->why);
	t->unknown = write_unknown(w);
	t->result = write_result(w);
	arena_free(a);
}

static void ticker(void *arg)
{
	for (bool *stop = arg; !*stop;) {
		fiber_sleep(5);
		ticks++;
	}
}

static struct { struct task *task; int n; } all;

static void run_all(void *arg)
{
	struct fiber_group g = { 0 }, clock = { 0 };
	bool stop = false;

	(void)arg;
	ticks = 0;
	fiber_group_start(&clock, ticker, &stop);
	for (int i = 0; i < all.n; i++)
		fiber_group_start(&g, submit, &all.task[i]);
	fiber_group_wait(&g);
	stop = true;
	fiber_group_wait(&clock);
}

/* Submits n writes at once, each in a fiber, against `play`; true when all were as `want`. */
static void go(struct task *task, int n, int64_t timeout_ms)
{
	all.task = task;
	all.n = n;
	loop_init();
	write_init(service_socket(), service_shared, timeout_ms);
	fiber_main(run_all, NULL);
	write_done();
	loop_done();
}

static int count(const struct task *task, int n, int rc)
{
	int c = 0;

	for (int i = 0; i < n; i++)
		c += task[i].rc == rc;
	return c;
}

/* The players */

static int accept_one(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	poll(&p, 1, 10000);
	return accept(fd, NULL, NULL);
}

struct stream { int fd; struct buf in; };

/* The next request; false at the end. */
static bool next(struct stream *s, struct wire_reader *r)
{
	static struct buf frame_copy;
	struct str frame;

	while (wire_next(buf_str(&s->in), &frame) == 0) {
		ssize_t n;

		buf_reserve(&s->in, 65536);
		n = read(s->fd, s->in.data + s->in.len, 65536);
		if (n <= 0)
			return false;
		s->in.len += (size_t)n;
	}
	buf_clear(&frame_copy);
	buf_putstr(&frame_copy, frame);
	memmove(s->in.data, s->in.data + frame.n, s->in.len - frame.n);
	s->in.len -= frame.n;
	return wire_read(buf_str(&frame_copy), r) == 0;
}

static void answer(int fd, uint64_t id, enum wire_status status, const char *code, int64_t result)
{
	struct wire_answer a = { .id = id, .status = status, .result = result };
	struct buf b = BUF_MALLOC;

	snprintf(a.code, sizeof(a.code), "%s", code);
	wire_answer_add(&b, &a);
	if (write(fd, b.data, b.len) < 0)
		_exit(7);
	buf_free(&b);
}

/* Answers groups of four, last first: committed, refused, failed, committed. */
static int play_backwards(int fd)
{
	struct stream s = { .fd = accept_one(fd) };
	struct wire_reader r[4];

	for (;;) {
		for (int i = 0; i < 4; i++)
			if (!next(&s, &r[i]))
				return 0;
		answer(s.fd, r[3].id, WIRE_COMMITTED, "", 33);
		answer(s.fd, r[2].id, WIRE_FAILED, "full", 0);
		answer(s.fd, r[1].id, WIRE_REFUSED, "row_changed", 0);
		answer(s.fd, r[0].id, WIRE_COMMITTED, "", 30);
	}
}

static int play_plain(int fd)
{
	struct stream s = { .fd = accept_one(fd) };
	struct wire_reader r;

	while (next(&s, &r))
		answer(s.fd, r.id, WIRE_COMMITTED, "", r.repeated);
	return 0;
}

static int play_slow(int fd)
{
	usleep(300 * 1000);
	return play_plain(fd);
}

static int play_deaf(int fd)
{
	accept_one(fd);
	pause();
	return 0;
}

static int play_mute(int fd)
{
	struct stream s = { .fd = accept_one(fd) };
	struct wire_reader r;

	while (next(&s, &r))
		;
	return 0;
}

/* Reads three requests, answers the first, dies; then the next one of its kind lives. */
static int play_dying(int fd)
{
	struct stream s = { .fd = accept_one(fd) };
	struct wire_reader r[3];

	for (int i = 0; i < 3; i++)
		next(&s, &r[i]);
	answer(s.fd, r[0].id, WIRE_COMMITTED, "", 0);
	close(s.fd);
	return play_plain(fd);
}

/* Dies in the middle of the first frame. */
static int play_half(int fd)
{
	int c = accept_one(fd);
	char part[1000];

	if (read(c, part, sizeof(part)) <= 0)
		return 1;
	close(c);
	return play_plain(fd);
}

static int play_nonsense(int fd)
{
	int c = accept_one(fd);

	if (write(c, "\x16\0\0\0HTTP/1.1 400 Bad\r\n", 22) < 0)
		return 1;
	poll(&(struct pollfd){ .fd = c, .events = POLLRDHUP }, 1, 10000);
	close(c);
	return play_plain(fd);
}

/* The tests */

static void answers(void)
{
	struct task t[4] = { { .size = 1 }, { .size = 2 }, { .size = 3 }, { .size = 4 } };
	pid_t pid = service_start(play_backwards);

	go(t, 4, 5000);
	service_wait(pid);
	tap_ok(t[0].rc == 0 && t[0].result == 30 && t[3].rc == 0 && t[3].result == 33,
		"answers in any order reach the fibers that wait for them");
	tap_ok(t[1].rc == -1 && t[1].why.status == 409 && strcmp(t[1].why.error, "row_changed") == 0 && !t[1].unknown,
		"refused: 409 with the code");
	tap_ok(t[2].rc == -1 && t[2].why.status == 503 && strcmp(t[2].why.error, "ledger_unavailable") == 0 &&
		t[2].why.retry_after == 1 &&
		strstr(t[2].why.detail, "full") && !t[2].unknown, "failed: 503 with the reason, certainly not applied");
}

static void full_socket(void)
{
	static struct task t[MANY];
	pid_t pid = service_start(play_slow);

	for (int i = 0; i < MANY; i++)
		t[i].size = BIG;
	go(t, MANY, 10000);
	service_wait(pid);
	tap_is_int(count(t, MANY, 0), MANY, "12 MB into a writer that does not read yet: all are written in the end");
	tap_ok(ticks > 2, "and the loop went on meanwhile: %lld ticks", (long long)ticks);
}

static void timeouts(void)
{
	static struct task t[MANY];
	struct task one = { .size = 10 };
	pid_t pid = service_start(play_deaf);
	int unknown = 0;

	for (int i = 0; i < MANY; i++)
		t[i].size = BIG;
	go(t, MANY, 200);
	service_kill(pid);
	for (int i = 0; i < MANY; i++)
		unknown += t[i].unknown;
	tap_is_int(count(t, MANY, -1), MANY, "a writer that never answers: all fail in time");
	tap_ok(unknown > 0 && unknown < MANY / 2 && t[MANY - 1].why.status == 503,
		"those that never left are certainly not applied");
	service_listen();
	pid = service_start(play_mute);
	go(&one, 1, 100);
	service_wait(pid);
	tap_ok(one.rc == -1 && one.unknown, "one that left may have been applied");
	close(service_fd);
	unlink(service_socket());
	go(&one, 1, 100);
	tap_ok(one.rc == -1 && !one.unknown && one.why.status == 503,
		"without a socket it fails in time, certainly not applied");
	service_listen();
}

static void death(void)
{
	struct task t[3] = { { .size = 10 }, { .size = 10, .proof = true }, { .size = 10 } },
		big[2] = { { .size = 2000000 }, { .size = 5 } };
	pid_t pid = service_start(play_dying);

	go(t, 3, 5000);
	service_wait(pid);
	tap_ok(t[0].rc == 0 && !t[0].result, "what was answered before the death is committed");
	tap_ok(t[1].rc == 0 && t[1].result == 1, "unanswered with a proof: sent again, marked as repeated");
	tap_ok(t[2].rc == -1 && t[2].unknown && t[2].why.status == 503, "unanswered without: 503, its fate unknown");
	pid = service_start(play_half);
	go(big, 2, 5000);
	service_wait(pid);
	tap_ok(big[0].rc == 0 && big[0].result == 0 && big[1].rc == 0,
		"a frame that had not left completely is sent anew, and is no repetition");
	pid = service_start(play_nonsense);
	t[1].rc = -1;
	go(&t[1], 1, 5000);
	service_wait(pid);
	tap_ok(t[1].rc == 0, "after a malformed answer the connection is made again");
}

static void too_large(void)
{
	struct task t = { .size = WIRE_FRAME_MAX };
	pid_t pid = service_start(play_plain);

	go(&t, 1, 1000);
	tap_ok(t.rc == -1 && t.why.status == 413 && !t.unknown, "a write over the limit is refused before it is sent");
	service_kill(pid);
}

static void healthy(void)
{
	loop_init();
	write_init(service_socket(), service_shared, 1000);
	service_shared->ledger_healthy = 0;
	tap_ok(!write_healthy(SQL_LEDGER) && write_healthy(SQL_DIRECTORY),
		"the health of each file is what the writer says");
	service_shared->ledger_healthy = 1;
	write_done();
	write_init(service_socket(), NULL, 1000);
	tap_ok(write_healthy(SQL_LEDGER), "without shared memory it is assumed");
	write_done();
	loop_done();
}

int main(void)
{
	log_init("test", LOG_LEVEL_ERROR);
	signal(SIGPIPE, SIG_IGN);
	crypto_init();
	fixture_make();
	service_listen();
	answers();
	full_socket();
	timeouts();
	death();
	too_large();
	healthy();
	fiber_done();
	fixture_remove();
	return tap_done();
}
