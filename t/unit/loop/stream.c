/* Messages between two ends of a socket: whole, bounded, in time. */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "loop/fiber.h"
#include "loop/loop.h"
#include "loop/stream.h"
#include "tap.h"

enum { MAX = 1000 };

static int ends[2];
static struct buf big = BUF_MALLOC;

static void open_ends(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) < 0)
		tap_ok(false, "socketpair");
}

static void close_ends(void)
{
	close(ends[0]);
	close(ends[1]);
}

static void send_big(void *arg)
{
	*(int *)arg = stream_send(ends[0], buf_str(&big), 5000);
}

static void test_large(void)
{
	struct fiber_group g = { 0 };
	struct buf got = BUF_MALLOC;
	int sent = -2, rc;

	open_ends();
	buf_clear(&big);
	for (int i = 0; i < 400000; i++)
		buf_add(&big, "0123456789", 10);
	fiber_group_start(&g, send_big, &sent);
	rc = stream_receive(ends[1], &got, big.len, 5000);
	fiber_group_wait(&g);
	tap_ok(rc == 0 && sent == 0 && got.len == big.len && memcmp(got.data, big.data, big.len) == 0,
	       "a message larger than the socket's buffer arrives whole");
	close_ends();
	buf_free(&got);
}

static int take(size_t n, size_t max)
{
	struct buf got = BUF_MALLOC;
	int rc;

	open_ends();
	stream_send(ends[0], str_make(big.data, n), 1000);
	rc = stream_receive(ends[1], &got, max, 1000);
	if (rc == 0 && got.len != n)
		rc = -2;
	close_ends();
	buf_free(&got);
	return rc;
}

static void test_ends(void)
{
	struct buf got = BUF_MALLOC;

	open_ends();
	tap_is_int(stream_receive(ends[1], &got, MAX, 20), -1, "a silent peer is waited for so long and no longer");
	send(ends[0], "\x05\0\0\0ab", 6, 0);
	tap_is_int(stream_receive(ends[1], &got, MAX, 20), -1, "so is one that stops in the middle");
	close(ends[0]);
	tap_is_int(stream_receive(ends[1], &got, MAX, 1000), -1, "a peer that is gone gives no message");
	tap_is_int(stream_send(ends[1], str_of("x"), 1000), -1, "and takes none");
	close(ends[1]);
	tap_is_int(stream_connect("/nonexistent/socket"), -1, "no socket, no connection");
	buf_free(&got);
}

static void all(void *arg)
{
	(void)arg;
	test_large();
	tap_is_int(take(MAX - 1, MAX), 0, "one byte below the limit");
	tap_is_int(take(MAX, MAX), 0, "at the limit");
	tap_is_int(take(MAX + 1, MAX), -1, "one above is refused");
	tap_is_int(take(0, MAX), 0, "an empty message is one");
	test_ends();
}

int main(void)
{
	loop_init();
	fiber_main(all, NULL);
	fiber_done();
	loop_done();
	buf_free(&big);
	return tap_done();
}
