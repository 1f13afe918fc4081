/* A writer.sock and a process behind it that a test can kill and start again: the real writer, or a function that plays
 * one. */
#ifndef T_UNIT_STORE_SERVICE_H
#define T_UNIT_STORE_SERVICE_H
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include "fixture.h"
#include "loop/fiber.h"
#include "loop/loop.h"
#include "store/shared.h"
#include "store/write.h"

static int service_fd = -1;
static struct shared *service_shared;

static inline const char *service_socket(void)
{
	return fixture_path("writer.sock");
}

static inline void service_listen(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	snprintf(a.sun_path, sizeof(a.sun_path), "%.100s", service_socket());
	unlink(a.sun_path);
	service_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (service_fd < 0 || bind(service_fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(service_fd, 64) < 0) {
		printf("Bail out! %s: %s\n", a.sun_path, strerror(errno));
		exit(1);
	}
	if (!service_shared)
		service_shared = shared_new();
	service_shared->pid[2] = getpid();              /* this process plays a worker */
}

/* A process that runs `play`. */
static inline pid_t service_fork(int (*play)(int fd))
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(play(service_fd));
	}
	return pid;
}

/* The same as the writer. */
static inline pid_t service_start(int (*play)(int fd))
{
	service_shared->pid[0] = service_fork(play);
	return service_shared->pid[0];
}

static inline int service_wait(pid_t pid)
{
	int status;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static inline int service_kill(pid_t pid)
{
	kill(pid, SIGKILL);
	return service_wait(pid);
}

#endif
