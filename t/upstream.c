/* A server for tests of clients; see upstream.h. Not for anything else: it trusts its peer. */
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>
#include "upstream.h"

enum { CONNECTIONS_MAX = 512, TEXT_MAX = 4 << 20 };

struct connection { struct upstream *u; int fd; pthread_t thread; };

struct upstream {
	int fd, port;
	pthread_t thread;
	bool (*answer)(void *ctx, int fd, const struct upstream_request *q);
	void *ctx;
	atomic_uint requests, connections;
	struct connection connection[CONNECTIONS_MAX];
};

void upstream_send(int fd, const void *p, size_t n)
{
	while (n) {
		ssize_t w = send(fd, p, n, MSG_NOSIGNAL);

		if (w <= 0)
			return;
		p = (const char *)p + w;
		n -= (size_t)w;
	}
}

bool upstream_reply(int fd, int status, const char *headers, const void *body, size_t n)
{
	char head[4096];
	int len = snprintf(head, sizeof(head), "HTTP/1.1 %d Answer\r\nContent-Length: %zu\r\n%s\r\n", status, n,
		headers);

	upstream_send(fd, head, (size_t)len);
	upstream_send(fd, body, n);
	return true;
}

bool upstream_text(int fd, int status, const char *headers, const char *body)
{
	return upstream_reply(fd, status, headers, body, strlen(body));
}

static size_t body_length(const char *text)
{
	const char *at = strcasestr(text, "\r\ncontent-length:");

	return at ? strtoul(at + 17, NULL, 10) : 0;
}

/* Reads one request into text. False: the peer has gone. */
static bool read_request(int fd, char *text, struct upstream_request *q)
{
	size_t n = 0;
	char *end = NULL;

	text[0] = 0;
	for (;;) {
		ssize_t r;

		end = end ? end : strstr(text, "\r\n\r\n");
		if (end && n >= (size_t)(end + 4 - text) + body_length(text))
			break;
		r = n < TEXT_MAX - 1 ? recv(fd, text + n, TEXT_MAX - 1 - n, 0) : 0;
		if (r <= 0)
			return false;
		n += (size_t)r;
		text[n] = 0;
	}
	q->text = text;
	q->body = end + 4;
	q->body_n = n - (size_t)(end + 4 - text);
	return sscanf(text, "%15s %4095s", q->method, q->target) == 2;
}

static void *serve(void *arg)
{
	struct connection *c = arg;
	char *text = malloc(TEXT_MAX);
	struct upstream_request q;

	while (text && read_request(c->fd, text, &q)) {
		q.number = atomic_fetch_add(&c->u->requests, 1) + 1;
		if (!c->u->answer(c->u->ctx, c->fd, &q))
			break;
	}
	shutdown(c->fd, SHUT_RDWR);
	free(text);
	return NULL;
}

static void *accept_all(void *arg)
{
	struct upstream *u = arg;

	for (unsigned i = 0; i < CONNECTIONS_MAX; i++) {
		struct connection *c = &u->connection[i];
		int fd = accept(u->fd, NULL, NULL);

		if (fd < 0)
			break;
		*c = (struct connection){ .u = u, .fd = fd };
		if (pthread_create(&c->thread, NULL, serve, c) != 0)
			abort();
		atomic_fetch_add(&u->connections, 1);
	}
	return NULL;
}

struct upstream *upstream_start(bool (*answer)(void *ctx, int fd, const struct upstream_request *q), void *ctx)
{
	struct upstream *u = calloc(1, sizeof(*u));
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(a);

	if (!u)
		abort();
	u->answer = answer;
	u->ctx = ctx;
	u->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(u->fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(u->fd, 256) < 0 || getsockname(u->fd,
		(struct sockaddr *)&a, &n) < 0)
		abort();
	u->port = ntohs(a.sin_port);
	if (pthread_create(&u->thread, NULL, accept_all, u) != 0)
		abort();
	return u;
}

int upstream_port(const struct upstream *u)
{
	return u->port;
}

unsigned upstream_connections(const struct upstream *u)
{
	return atomic_load(&u->connections);
}

unsigned upstream_requests(const struct upstream *u)
{
	return atomic_load(&u->requests);
}

void upstream_stop(struct upstream *u)
{
	unsigned n;

	shutdown(u->fd, SHUT_RDWR);
	pthread_join(u->thread, NULL);
	close(u->fd);
	n = atomic_load(&u->connections);
	for (unsigned i = 0; i < n; i++) {
		shutdown(u->connection[i].fd, SHUT_RDWR);
		pthread_join(u->connection[i].thread, NULL);
		close(u->connection[i].fd);
	}
	free(u);
}
