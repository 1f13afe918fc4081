/* How long a program takes from fork to its first answer 200: starts it, asks every half millisecond over plain HTTP on
 * loopback, ends it. Prints milliseconds.
 *
 *	startup PORT PATH PROGRAM [ARGUMENT…] */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	STARTUP_LIMIT_MS = 20 * 1000,   /* given up then */
	STARTUP_ANSWER_MS = 1000,       /* for one answer */
	STARTUP_STOP_MS = 45 * 1000,    /* for a clean end; then it is killed */
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* One request on a connection of its own; true for a 200. */
static int answers(int port, const char *path)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	char text[512];
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), good = 0, n;

	if (fd < 0)
		return 0;
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	n = snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", path);
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0 && write(fd, text, (size_t)n) == n) {
		struct pollfd p = { .fd = fd, .events = POLLIN };

		if (poll(&p, 1, STARTUP_ANSWER_MS) == 1 && read(fd, text, sizeof(text)) >= 12)
			good = memcmp(text + 9, "200", 3) == 0;
	}
	close(fd);
	return good;
}

static pid_t start(char **argv)
{
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		prctl(PR_SET_PDEATHSIG, SIGTERM);
		dup2(null, 0);
		dup2(null, 1);
		execv(argv[0], argv);
		perror(argv[0]);
		_exit(127);
	}
	return pid;
}

static int ended(pid_t pid)
{
	return waitpid(pid, NULL, WNOHANG) != 0;
}

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 500 * 1000 }, NULL);
}

static void stop(pid_t pid)
{
	double end = now_ms() + STARTUP_STOP_MS;

	kill(pid, SIGTERM);
	while (!ended(pid)) {
		if (now_ms() > end)
			kill(pid, SIGKILL);
		nap();
	}
}

int main(int argc, char **argv)
{
	int port = argc > 3 ? atoi(argv[1]) : 0;
	double begin, took;
	pid_t pid;

	if (port <= 0) {
		fputs("usage: startup PORT PATH PROGRAM [ARGUMENT...]\n", stderr);
		return 64;
	}
	begin = now_ms();
	pid = start(argv + 3);
	if (pid < 0)
		return 1;
	while (!answers(port, argv[2])) {
		if (ended(pid)) {
			fprintf(stderr, "startup: %s ended before it answered\n", argv[3]);
			return 1;
		}
		if (now_ms() - begin > STARTUP_LIMIT_MS) {
			stop(pid);
			fprintf(stderr, "startup: %s did not answer in time\n", argv[3]);
			return 1;
		}
		nap();
	}
	took = now_ms() - begin;
	stop(pid);
	printf("%.1f\n", took);
	return 0;
}
