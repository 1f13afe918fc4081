/* A service on this machine: its FastCGI socket (FastCGI 1.0, one request a connection), and rowcalld itself where none
 * runs. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/ascii.h"
#include "base/clock.h"
#include "base/mem.h"
#include "ctl/api.h"
#include "loop/stream.h"

enum {
	FCGI_BEGIN = 1, FCGI_END = 3, FCGI_PARAMS = 4, FCGI_STDIN = 5, FCGI_STDOUT = 6,
	FCGI_HEAD = 8,                  /* bytes of a record's head */
	FCGI_CONTENT_MAX = 32768,       /* bytes of one record that we send */
	START_MS = 20 * 1000,           /* a service may take to start */
	STOP_MS = 15 * 1000,
	POLL_MS = 20,
	LOG_SHOWN = 16 * 1024,          /* bytes of its log that are looked at */
};

static int failed(struct problem *why, const char *socket)
{
	int error = errno;

	problem_set(why, 503, "no_answer");
	problem_detail(why, "%s: %s", socket, strerror(error));
	return -1;
}

/* Records */

static void put_record(struct buf *out, int type, struct str content)
{
	char head[FCGI_HEAD] = { 1, (char)type, 0, 1, (char)(content.n >> 8), (char)content.n, 0, 0 };

	buf_add(out, head, sizeof(head));
	buf_add(out, content.p, content.n);
}

/* A stream: its content in records, and the empty one that ends it. */
static void put_stream(struct buf *out, int type, struct str content)
{
	while (content.n) {
		size_t n = content.n < FCGI_CONTENT_MAX ? content.n : FCGI_CONTENT_MAX;

		put_record(out, type, str_make(content.p, n));
		content = str_skip(content, n);
	}
	put_record(out, type, str_of(""));
}

static void put_length(struct buf *out, size_t n)
{
	if (n > 127) {
		buf_putc(out, (char)(0x80 | (n >> 24)));
		buf_putc(out, (char)(n >> 16));
		buf_putc(out, (char)(n >> 8));
	}
	buf_putc(out, (char)n);
}

static void put_param(struct buf *out, const char *name, struct str value)
{
	put_length(out, strlen(name));
	put_length(out, value.n);
	buf_puts(out, name);
	buf_putstr(out, value);
}

/* A header's name as CGI has it: If-Match is HTTP_IF_MATCH. */
static void put_header(struct buf *out, const struct api_header *h)
{
	char name[64] = "HTTP_";
	size_t n = strlen(name);

	for (const char *p = h->name; *p && n + 1 < sizeof(name); p++)
		name[n++] = *p == '-' ? '_' : ascii_upper(*p);
	name[n] = 0;
	put_param(out, name, str_of(h->value));
}

static void put_request(struct buf *out, const struct api_transfer *t)
{
	static const char begin[FCGI_HEAD] = { 0, 1, 0 };
	struct buf params = BUF_MALLOC, length = BUF_MALLOC;
	const char *query = strchr(t->path, '?');

	put_param(&params, "REQUEST_METHOD", str_of(t->method));
	put_param(&params, "REQUEST_URI", str_of(t->path));
	put_param(&params, "QUERY_STRING", str_of(query ? query + 1 : ""));
	put_param(&params, "SERVER_PROTOCOL", str_of("HTTP/1.1"));
	put_param(&params, "REMOTE_ADDR", str_of("127.0.0.1"));
	if (t->body.p) {
		buf_printf(&length, "%zu", t->body.n);
		put_param(&params, "CONTENT_TYPE", str_of("application/json"));
		put_param(&params, "CONTENT_LENGTH", buf_str(&length));
	}
	for (size_t i = 0; i < t->headers; i++)
		put_header(&params, &t->header[i]);
	put_record(out, FCGI_BEGIN, str_make(begin, sizeof(begin)));
	put_stream(out, FCGI_PARAMS, buf_str(&params));
	put_stream(out, FCGI_STDIN, str_make(t->body.p ? t->body.p : "", t->body.n));
	buf_free(&params);
	buf_free(&length);
}

/* Sending */

static int send_all(int fd, struct str s)
{
	while (s.n) {
		ssize_t n = send(fd, s.p, s.n, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		s = str_skip(s, (size_t)n);
	}
	return 0;
}

/* Exactly n bytes; -1 with errno when they do not come. */
static int read_all(int fd, char *to, size_t n)
{
	while (n) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int ready = poll(&p, 1, API_TIMEOUT_S * 1000);
		ssize_t got = ready > 0 ? read(fd, to, n) : -1;

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			errno = ready == 0 ? ETIMEDOUT : got == 0 ? ECONNRESET : errno;
			return -1;
		}
		to += got;
		n -= (size_t)got;
	}
	return 0;
}

static int read_answer(int fd, struct buf *out)
{
	unsigned char head[FCGI_HEAD];
	static char content[65536 + 256];

	for (;;) {
		size_t n;

		if (read_all(fd, (char *)head, sizeof(head)) < 0)
			return -1;
		n = (size_t)head[4] << 8 | head[5];
		if (read_all(fd, content, n + head[6]) < 0)
			return -1;
		if (head[1] == FCGI_END)
			return 0;
		if (head[1] == FCGI_STDOUT)
			buf_add(out, content, n);
		if (out->len > API_ANSWER_MAX) {
			errno = EMSGSIZE;
			return -1;
		}
	}
}

int local_send(const char *socket, const struct api_transfer *t, struct buf *out, struct problem *why)
{
	struct buf request = BUF_MALLOC;
	int fd = stream_connect(socket), rc = -1;

	put_request(&request, t);
	if (fd >= 0)            /* nothing else goes on here */
		fcntl(fd, F_SETFL, 0);
	if (fd < 0 || send_all(fd, buf_str(&request)) < 0 || read_answer(fd, out) < 0)
		failed(why, socket);
	else
		rc = 0;
	if (fd >= 0)
		close(fd);
	buf_free(&request);
	return rc;
}

/* A service for the time of a command */

static void run_daemon(const char *program, const struct conf *conf, int log)
{
	const char *argv[] = { program, "-c", conf->path, "-o", "workers=1", NULL };
	int null = open("/dev/null", O_RDONLY);

	setpgid(0, 0);                  /* Ctrl-C is ours: we stop it when we end */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	dup2(null, 0);
	dup2(log, 1);
	dup2(log, 2);
	execv(program, (char *const *)argv);
	dprintf(2, "%s: %s\n", program, strerror(errno));
	_exit(127);
}

/* What kept it from starting: the last error in its log. */
static void last_words(int log, struct problem *why)
{
	char text[LOG_SHOWN];
	off_t end = lseek(log, 0, SEEK_END);
	ssize_t n = pread(log, text, sizeof(text), end > LOG_SHOWN ? end - LOG_SHOWN : 0);
	struct str rest = str_make(text, n > 0 ? (size_t)n : 0), said = str_of("rowcalld said nothing");

	while (rest.n) {
		struct str line = str_cut(&rest, '\n');
		long at = str_find(line, str_of(" error "));

		if (at >= 0)
			said = str_skip(line, (size_t)at + 7);
	}
	problem_set(why, 503, "no_service");
	problem_detail(why, "no service runs here, and none can be started: %.*s", (int)said.n, said.p);
}

static bool answers(const char *socket)
{
	struct api_transfer t = { .method = "GET", .path = "/api/healthz" };
	struct buf out = BUF_MALLOC;
	struct problem ignored = { 0 };
	bool yes = local_send(socket, &t, &out, &ignored) == 0 && str_starts(buf_str(&out), "Status: 200");

	buf_free(&out);
	return yes;
}

long local_start(const struct conf *conf, const char *socket, struct problem *why)
{
	int64_t end = clock_mono_us() + START_MS * 1000LL;
	int log = memfd_create("rowcalld.log", MFD_CLOEXEC), status;
	char *program = ctl_find_daemon();
	pid_t pid = -1, gone = 0;

	if (program && log >= 0 && (pid = fork()) == 0)
		run_daemon(program, conf, log);
	while (pid > 0 && !answers(socket) && (gone = waitpid(pid, &status, WNOHANG)) == 0 && clock_mono_us() < end)
		usleep(POLL_MS * 1000);
	if (pid > 0 && (gone || clock_mono_us() >= end)) {
		if (!gone)
			local_stop(pid);
		pid = -1;
	}
	if (pid < 0)
		last_words(log, why);
	close(log);
	free(program);
	return pid;
}

void local_stop(long pid)
{
	int64_t end = clock_mono_us() + STOP_MS * 1000LL;

	kill((pid_t)pid, SIGTERM);
	while (waitpid((pid_t)pid, NULL, WNOHANG) == 0 && clock_mono_us() < end)
		usleep(POLL_MS * 1000);
}
