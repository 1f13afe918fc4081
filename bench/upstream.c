/* Somebody else's slow server, for load tests: answers each request after a delay that its path names, and does nothing
 * while it waits. One process, one epoll loop, thousands of connections. Prints its port.
 *
 *	upstream [PORT]
 *
 * GET /250 answers 200 after 250 ms; GET /stats answers {"waiting":N,"most":N,"answered":N}.
 *
 * Not a web server: requests have no body, and one that does not fit REQUEST_MAX ends its connection. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
	CONNECTIONS_MAX = 8192,
	REQUEST_MAX = 2048,
	DELAY_MAX_MS = 60 * 1000,
	EVENTS = 256,
	BACKLOG = 4096,
};

struct conn {
	int fd;
	unsigned got;
	bool waiting;
	int64_t due_us;
	struct conn *next, **prev;      /* among those that wait for the same delay, oldest first */
	struct queue *queue;
	char text[REQUEST_MAX];
};

/* Requests of one delay fall due in the order they came: a queue for each delay needs no heap. */
struct queue {
	int delay_ms;
	struct conn *first, **last;
	struct queue *next;
};

static struct queue *queues;
static unsigned connections, waiting, most;
static unsigned long long answered;
static int poller;

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static struct queue *queue_of(int delay_ms)
{
	struct queue *q = queues;

	while (q && q->delay_ms != delay_ms)
		q = q->next;
	if (!q) {
		q = calloc(1, sizeof(*q));
		if (!q)
			exit(1);
		q->delay_ms = delay_ms;
		q->last = &q->first;
		q->next = queues;
		queues = q;
	}
	return q;
}

static void leave(struct conn *c)
{
	if (!c->waiting)
		return;
	*c->prev = c->next;
	if (c->next)
		c->next->prev = c->prev;
	else
		c->queue->last = c->prev;
	c->waiting = false;
	waiting--;
}

static void enter(struct conn *c, int delay_ms)
{
	struct queue *q = queue_of(delay_ms);

	c->queue = q;
	c->due_us = now_us() + (int64_t)delay_ms * 1000;
	c->next = NULL;
	c->prev = q->last;
	*q->last = c;
	q->last = &c->next;
	c->waiting = true;
	if (++waiting > most)
		most = waiting;
}

static void forget(struct conn *c)
{
	leave(c);
	close(c->fd);
	free(c);
	connections--;
}

static void answer(struct conn *c, const char *body)
{
	char text[512];
	int n = snprintf(text, sizeof(text),
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
		strlen(body), body);

	answered++;
	if (send(c->fd, text, (size_t)n, MSG_NOSIGNAL) != n)
		shutdown(c->fd, SHUT_RDWR);
}

static void request(struct conn *c)
{
	char body[128];
	long delay;

	c->text[c->got] = '\0';
	c->got = 0;
	if (strncmp(c->text, "GET /stats ", 11) == 0) {
		snprintf(body, sizeof(body), "{\"waiting\":%u,\"most\":%u,\"answered\":%llu}\n", waiting, most,
			answered);
		answer(c, body);
		return;
	}
	delay = strncmp(c->text, "GET /", 5) == 0 ? strtol(c->text + 5, NULL, 10) : -1;
	if (delay < 0 || delay > DELAY_MAX_MS)
		shutdown(c->fd, SHUT_RDWR);
	else
		enter(c, (int)delay);
}

/* False when the connection is gone. */
static bool receive(struct conn *c)
{
	ssize_t n = recv(c->fd, c->text + c->got, REQUEST_MAX - 1 - c->got, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n <= 0 || c->waiting) {
		forget(c);
		return false;
	}
	c->got += (unsigned)n;
	if (c->got >= 4 && memcmp(c->text + c->got - 4, "\r\n\r\n", 4) == 0)
		request(c);
	else if (c->got == REQUEST_MAX - 1)
		shutdown(c->fd, SHUT_RDWR);
	return true;
}

/* c: NULL for the listener. */
static int watch(int fd, struct conn *c)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = c };

	return epoll_ctl(poller, EPOLL_CTL_ADD, fd, &e);
}

static void take(int listener)
{
	int fd, one = 1;

	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		struct conn *c = connections < CONNECTIONS_MAX ? calloc(1, sizeof(*c)) : NULL;

		if (!c) {
			close(fd);
			continue;
		}
		connections++;
		c->fd = fd;
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		if (watch(fd, c) < 0)
			forget(c);
	}
}

/* Answers what is due; returns how long nothing is, in nanoseconds. */
static int64_t answer_due(void)
{
	int64_t now = now_us(), next = now + 1000000;

	for (struct queue *q = queues; q; q = q->next) {
		while (q->first && q->first->due_us <= now) {
			struct conn *c = q->first;
			char body[64];

			snprintf(body, sizeof(body), "{\"waited_ms\":%d}\n", q->delay_ms);
			leave(c);
			answer(c, body);
		}
		if (q->first && q->first->due_us < next)
			next = q->first->due_us;
	}
	return (next - now) * 1000;
}

static int listen_on(int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	socklen_t n = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, BACKLOG) < 0 ||
	    getsockname(fd, (struct sockaddr *)&a, &n) < 0)
		return -1;
	printf("%d\n", ntohs(a.sin_port));
	fflush(stdout);
	return fd;
}

int main(int argc, char **argv)
{
	int listener = listen_on(argc > 1 ? atoi(argv[1]) : 0);
	struct epoll_event event[EVENTS];

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	poller = epoll_create1(EPOLL_CLOEXEC);
	if (listener < 0 || poller < 0 || watch(listener, NULL) < 0) {
		perror("upstream");
		return 1;
	}
	for (;;) {
		int64_t quiet = answer_due();
		struct timespec t = { .tv_sec = quiet / 1000000000, .tv_nsec = quiet % 1000000000 };
		int n = epoll_pwait2(poller, event, EVENTS, &t, NULL);

		for (int i = 0; i < n; i++) {
			if (!event[i].data.ptr)
				take(listener);
			else
				receive(event[i].data.ptr);
		}
	}
}
