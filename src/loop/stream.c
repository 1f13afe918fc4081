/* Messages over a stream socket, from a fiber. One reader and one writer at a time for each descriptor. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "base/clock.h"
#include "loop/fiber.h"
#include "loop/loop.h"
#include "loop/stream.h"

struct waiter { struct loop_fd fd; struct fiber *fiber; };

static void wake(struct loop_fd *f, uint32_t events)
{
	(void)events;
	fiber_wake(((struct waiter *)(void *)f)->fiber, FIBER_WOKEN);
}

/* -1: the time is over. */
static int wait_for(int fd, uint32_t events, int64_t deadline_us)
{
	struct waiter w = { .fd = { .fd = fd, .ready = wake }, .fiber = fiber_self() };
	int64_t left = (deadline_us - clock_mono_us() + 999) / 1000;
	int rc;

	if (left <= 0)
		return -1;
	loop_add(&w.fd, events);
	rc = fiber_suspend_for(left);
	loop_del(&w.fd);
	return rc == FIBER_TIMEOUT ? -1 : 0;
}

int stream_connect(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(a.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(a.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
		return fd;
	close(fd);
	return -1;
}

static int send_all(int fd, const char *p, size_t n, int64_t deadline_us)
{
	while (n) {
		ssize_t sent = send(fd, p, n, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (sent > 0) {
			p += sent;
			n -= (size_t)sent;
		} else if (errno != EINTR && (errno != EAGAIN || wait_for(fd, EPOLLOUT, deadline_us) < 0)) {
			return -1;
		}
	}
	return 0;
}

static int receive_all(int fd, char *p, size_t n, int64_t deadline_us)
{
	while (n) {
		ssize_t got = recv(fd, p, n, MSG_DONTWAIT);

		if (got > 0) {
			p += got;
			n -= (size_t)got;
		} else if (got == 0 || (errno != EINTR && (errno != EAGAIN || wait_for(fd, EPOLLIN, deadline_us) < 0))) {
			return -1;
		}
	}
	return 0;
}

int stream_send(int fd, struct str message, int64_t timeout_ms)
{
	int64_t deadline_us = clock_mono_us() + timeout_ms * 1000;
	uint32_t n = (uint32_t)message.n;

	if (message.n > UINT32_MAX || send_all(fd, (const char *)&n, sizeof(n), deadline_us) < 0)
		return -1;
	return send_all(fd, message.p, message.n, deadline_us);
}

int stream_receive(int fd, struct buf *out, size_t max, int64_t timeout_ms)
{
	int64_t deadline_us = clock_mono_us() + timeout_ms * 1000;
	uint32_t n;

	if (receive_all(fd, (char *)&n, sizeof(n), deadline_us) < 0 || n > max)
		return -1;
	buf_reserve(out, n);
	if (receive_all(fd, out->data + out->len, n, deadline_us) < 0)
		return -1;
	out->len += n;
	return 0;
}
