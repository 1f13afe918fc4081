/* Answers that stay open: how many there may be, what ends them, and that they hold up nobody. A process serves; the test
 * plays the web server. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/log.h"
#include "loop/fiber.h"
#include "loop/loop.h"
#include "store/change.h"
#include "tap.h"
#include "web/record.h"
#include "web/sse.h"

enum { PATIENCE_S = 10, FLOOD = 64 * 1024, ANSWER_MAX = 64 * 1024 };

static struct shared *shared;
static char path[64];

/* The server */

static struct fiber *held;              /* of /held */
static struct loop_task drain_task;

/* Says "moved" when the directory has changed. */
static void listen_run(struct sse *s, void *ctx)
{
	uint64_t seen = shared->rows_generation;
	struct change_waiter w;
	enum fastcgi_wait got;

	(void)ctx;
	change_wait(&w, shared);
	sse_send(s, str_of("listening"));
	while ((got = sse_wait(s)) != FASTCGI_GONE && got != FASTCGI_DRAINS)
		if (shared->rows_generation != seen) {
			seen = shared->rows_generation;
			sse_send(s, str_of("moved"));
		}
	if (got == FASTCGI_DRAINS)
		sse_send(s, str_of("bye"));
	change_leave(&w);
}

static void held_run(struct sse *s, void *ctx)
{
	(void)ctx;
	held = fiber_self();
	if (sse_wait(s) == FASTCGI_WOKEN)
		sse_send(s, str_of("done"));
}

static void flood_run(struct sse *s, void *ctx)
{
	memset(ctx, 'x', FLOOD);
	while (sse_send(s, str_make(ctx, FLOOD)) == 0)
		;
}

static void drain(struct loop_task *t)
{
	(void)t;
	fastcgi_drain(loop_stop);
}

static void say(struct rest *r, unsigned n)
{
	response_text(r->res, 200, "text/plain", str_of(arena_printf(r->arena, "%u", n)));
}

static void handle(struct request *req, struct response *res, const struct problem *bad)
{
	struct rest *r = arena_alloc(req->arena, sizeof(*r));
	struct problem why = { 0 };
	int rc = 0;

	*r = (struct rest){ .req = req, .res = res, .arena = req->arena };
	say(r, 0);
	if (bad)
		rc = -1;
	else if (str_is(req->path, "/listen"))
		rc = sse_begin(r, true, listen_run, NULL, &why);
	else if (str_is(req->path, "/held"))
		rc = sse_begin(r, false, held_run, NULL, &why);
	else if (str_is(req->path, "/flood"))
		rc = sse_begin(r, true, flood_run, arena_alloc(req->arena, FLOOD), &why);
	else if (str_is(req->path, "/release"))
		fiber_wake(held, FIBER_WOKEN);
	else if (str_is(req->path, "/drain"))
		loop_post(&drain_task);
	else
		say(r, fastcgi_streams());
	if (rc < 0)
		response_problem(res, &why, NULL);
}

static int listener(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	unlink(path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 64) < 0)
		exit(1);
	return fd;
}

static pid_t serve(unsigned max_connections, unsigned max_streams)
{
	struct fastcgi_options o = {
		.listen_fd = listener(), .successor_fd = -1, .max_body = 1024, .max_connections = max_connections,
		.max_streams = max_streams, .board = fastcgi_board_new(), .shared = shared, .handle = handle,
	};
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid) {
		close(o.listen_fd);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	log_init("server", LOG_LEVEL_ERROR);
	loop_init();
	drain_task.run = drain;
	fastcgi_start(&o);
	loop_run();
	_exit(fastcgi_streams() == 0 ? 0 : 3);
}

/* The web server's side */

static void record(struct buf *out, unsigned char type, struct str content)
{
	unsigned char head[RECORD_HEADER] = { 1, type, 0, 1, (unsigned char)(content.n >> 8), (unsigned char)content.n };

	buf_add(out, head, sizeof(head));
	buf_putstr(out, content);
}

static void pair(struct buf *out, const char *name, const char *value)
{
	buf_putc(out, (char)strlen(name));
	buf_putc(out, (char)strlen(value));
	buf_puts(out, name);
	buf_puts(out, value);
}

/* A connection with a request for it on its way. */
static int ask(const char *what)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct timeval patience = { .tv_sec = PATIENCE_S };
	struct buf params = BUF_MALLOC, all = BUF_MALLOC;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	pair(&params, "REQUEST_METHOD", "GET");
	pair(&params, "REQUEST_URI", what);
	record(&all, 1, str_make("\0\1\1\0\0\0\0", 8));
	record(&all, 4, buf_str(&params));
	record(&all, 4, str_of(""));
	record(&all, 5, str_of(""));
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || send(fd, all.data, all.len, 0) < 0)
		exit(1);
	buf_free(&params);
	buf_free(&all);
	return fd;
}

/* Takes n bytes. False at the end of the connection, and when nothing comes. */
static bool take(int fd, void *p, size_t n)
{
	return recv(fd, p, n, MSG_WAITALL) == (ssize_t)n;
}

/* The content of the next record of standard output; "" at the answer's end, "gone" at the connection's. */
static const char *next(int fd)
{
	static char text[ANSWER_MAX + 1];
	unsigned char head[RECORD_HEADER], end[2 * RECORD_HEADER];
	size_t n;

	if (!take(fd, head, sizeof(head)))
		return "gone";
	n = (size_t)head[4] << 8 | head[5];
	if (n == 0)
		return take(fd, end, sizeof(end)) ? "" : "gone";
	if (!take(fd, text, n))
		return "gone";
	text[n] = 0;
	return text;
}

/* One whole answer, on a connection of its own. */
static const char *answer(const char *what)
{
	static char text[ANSWER_MAX + 1];
	int fd = ask(what);

	snprintf(text, sizeof(text), "%s", next(fd));
	close(fd);
	return text;
}

static unsigned streams(void)
{
	const char *head_end = strstr(answer("/streams"), "\r\n\r\n");

	return head_end ? (unsigned)strtoul(head_end + 4, NULL, 10) : 999;
}

/* Waits until so many are open. */
static bool come_to(unsigned n)
{
	for (int i = 0; i < PATIENCE_S * 100; i++) {
		if (streams() == n)
			return true;
		usleep(10000);
	}
	return false;
}

static void end_server(pid_t pid, const char *name)
{
	int status = -1;

	answer("/drain");
	waitpid(pid, &status, 0);
	tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", name);
}

static bool refused(const char *text)
{
	return strstr(text, "Status: 503") && strstr(text, "too_many_streams") && strstr(text, "Retry-After");
}

/* The tests */

static void test_head(void)
{
	pid_t pid = serve(64, 8);
	int quiet = ask("/held"), fd = ask("/listen");
	const char *head = next(quiet);

	tap_ok(strstr(head, "Status: 200") && strstr(head, "Content-Type: text/event-stream\r\n"),
	       "a stream's head leaves before there is an event");
	tap_ok(!strstr(head, "Content-Length") && strstr(head, "X-Accel-Buffering: no\r\n") &&
	       strstr(head, "Cache-Control: no-store\r\n"), "it has no length, and nobody is to keep it back or for later");
	next(fd);
	tap_is_str(next(fd), "event: message\ndata: listening\n\n", "an event is a line of data");
	shared_raise(shared, true, false);
	tap_is_str(next(fd), "event: message\ndata: moved\n\n", "a change of the directory wakes it, and what it says is sent at once");
	shared_raise(shared, false, true);
	shared_raise(shared, true, false);
	tap_is_str(next(fd), "event: message\ndata: moved\n\n", "the next one does too");
	close(quiet);
	answer("/drain");
	tap_is_str(next(fd), "event: message\ndata: bye\n\n", "a drain lets it say good-bye");
	tap_is_str(next(fd), "", "and then it ends as an answer does");
	close(fd);
	waitpid(pid, NULL, 0);
}

static void test_limit(void)
{
	pid_t pid = serve(64, 3);
	int fd[3];

	tap_is_int(streams(), 0, "in the beginning there is none");
	for (int i = 0; i < 3; i++) {
		fd[i] = ask("/listen");
		tap_ok(strstr(next(fd[i]), "Status: 200"), "stream %d of 3 is opened", i + 1);
	}
	tap_ok(refused(answer("/listen")), "one more than max_streams is refused");
	tap_ok(refused(answer("/held")), "whatever its kind");
	tap_is_int(streams(), 3, "other requests are answered meanwhile");
	close(fd[1]);
	tap_ok(come_to(2), "one whose reader has gone ends");
	fd[1] = ask("/listen");
	tap_ok(strstr(next(fd[1]), "Status: 200"), "and makes room for another");
	for (int i = 0; i < 3; i++)
		close(fd[i]);
	tap_ok(come_to(0), "at the end none is left");
	end_server(pid, "and the server ends");
}

static void test_half(void)
{
	pid_t pid = serve(6, 100);
	int fd[3];

	for (int i = 0; i < 3; i++) {
		fd[i] = ask("/listen");
		next(fd[i]);
	}
	tap_ok(refused(answer("/listen")), "streams take at most half of the connections");
	tap_is_int(streams(), 3, "calls have the others");
	for (int i = 0; i < 3; i++)
		close(fd[i]);
	end_server(pid, "the server ends");
}

static void test_abort(void)
{
	pid_t pid = serve(64, 8);
	struct buf out = BUF_MALLOC;
	int fd = ask("/held");

	next(fd);
	record(&out, 2, str_of(""));
	send(fd, out.data, out.len, 0);
	buf_free(&out);
	tap_is_str(next(fd), "gone", "a request that the web server gives up ends, and its connection with it");
	tap_ok(come_to(0), "its stream too");
	close(fd);
	end_server(pid, "the server ends");
}

static void test_drain(void)
{
	pid_t pid = serve(64, 8);
	int held_fd = ask("/held"), flood = ask("/flood"), status = -1;
	const char *piece;

	next(held_fd);
	next(flood);
	tap_is_int(streams(), 2, "a reader that stops keeps nobody else waiting");
	answer("/drain");
	while (*(piece = next(flood)) && strcmp(piece, "gone") != 0)
		;
	tap_is_str(piece, "gone", "a drain does not wait for it");
	tap_is_int(waitpid(pid, &status, WNOHANG), 0, "it waits for an answer that has an end");
	close(held_fd);
	waitpid(pid, &status, 0);
	tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "and not when its reader has gone");
	close(flood);
}

static void test_release(void)
{
	pid_t pid = serve(64, 8);
	int fd = ask("/held");

	next(fd);
	answer("/release");
	tap_is_str(next(fd), "event: message\ndata: done\n\n", "whoever wakes the fiber lets it go on");
	tap_is_str(next(fd), "", "and the answer ends when its function returns");
	tap_is_int(streams(), 0, "its place is free");
	close(fd);
	end_server(pid, "the server ends");
}

int main(void)
{
	snprintf(path, sizeof(path), "/tmp/rowcall-sse-%d.sock", getpid());
	signal(SIGPIPE, SIG_IGN);
	shared = shared_new();
	test_head();
	test_limit();
	test_half();
	test_abort();
	test_release();
	test_drain();
	unlink(path);
	return tap_done();
}
