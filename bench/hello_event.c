/* The cheapest answer that Rowcall's own FastCGI layer can give, as a baseline: the real event loop, fibers and kept
 * connections, and a constant answer. What the service needs beyond this is its own work.
 *
 *	hello_event SOCKET [PROCESSES] */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/log.h"
#include "loop/loop.h"
#include "web/fastcgi.h"
#include "web/request.h"
#include "web/response.h"

enum {
	EVENT_PROCESSES = 2,
	EVENT_PROCESSES_MAX = 64,
	EVENT_BACKLOG = 4096,
	EVENT_CONNECTIONS = 1024,       /* of a process, as max_connections has it */
	EVENT_BODY_MAX = 1 << 20,
};

static pid_t child[EVENT_PROCESSES_MAX];
static unsigned children;

static void answer(struct request *req, struct response *res, const struct problem *bad)
{
	(void)req;
	response_text(res, bad ? 400 : 200, "text/plain", str_of("Hello, world\n"));
}

static int listen_on(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (strlen(path) >= sizeof(a.sun_path))
		return -1;
	memcpy(a.sun_path, path, strlen(path));
	umask(0);
	return fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0 && listen(fd, EVENT_BACKLOG) == 0 ? fd : -1;
}

static void work(struct fastcgi_options *o)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	loop_init();
	fastcgi_start(o);
	loop_run();
	_exit(0);
}

static void stop(int signal_number)
{
	(void)signal_number;
	for (unsigned i = 0; i < children; i++)
		kill(child[i], SIGKILL);
	for (unsigned i = 0; i < children; i++)
		waitpid(child[i], NULL, 0);
	_exit(0);
}

int main(int argc, char **argv)
{
	unsigned wanted = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : EVENT_PROCESSES;
	struct fastcgi_options o = {
		.successor_fd = -1,
		.max_body = EVENT_BODY_MAX,
		.max_connections = EVENT_CONNECTIONS,
		.handle = answer,
	};

	if (argc < 2 || wanted == 0 || wanted > EVENT_PROCESSES_MAX) {
		fputs("usage: hello_event SOCKET [PROCESSES]\n", stderr);
		return 64;
	}
	log_init("hello_event", LOG_LEVEL_WARN);
	o.board = fastcgi_board_new();
	o.shared = shared_new();
	o.listen_fd = listen_on(argv[1]);
	if (o.listen_fd < 0) {
		fprintf(stderr, "hello_event: %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	for (; children < wanted; children++) {
		o.seat = children;
		child[children] = fork();
		if (child[children] == 0)
			work(&o);
		if (child[children] < 0)
			stop(0);
	}
	signal(SIGTERM, stop);
	signal(SIGINT, stop);
	while (wait(NULL) > 0)
		;
	return 1;
}
