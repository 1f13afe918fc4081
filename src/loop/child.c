/* Running a program from a fiber: spawn, collect its output, wait, kill at the deadline. Not the place for long-lived
 * children of the service: those are the master's. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/log.h"
#include "loop/child.h"
#include "loop/fiber.h"
#include "loop/loop.h"

enum {
	CHILD_CHUNK = 8192,             /* bytes taken with one read */
	CHILD_POLL_MS = 10,             /* how often a child is looked for where there is no pidfd */
};

struct child {
	struct loop_fd pipe, pidfd;     /* fd < 0: closed, or not there */
	struct fiber *fiber;
	pid_t pid;
	struct buf *out;
	size_t cap;
	bool ended;
	int64_t deadline_us;
	struct child_result result;
};

static void pipe_ready(struct loop_fd *f, uint32_t events)
{
	(void)events;
	fiber_wake(((struct child *)((char *)f - offsetof(struct child, pipe)))->fiber, FIBER_WOKEN);
}

static void pidfd_ready(struct loop_fd *f, uint32_t events)
{
	(void)events;
	fiber_wake(((struct child *)((char *)f - offsetof(struct child, pidfd)))->fiber, FIBER_WOKEN);
}

static void watch(struct loop_fd *f, int fd, void (*ready)(struct loop_fd *f, uint32_t events))
{
	f->fd = fd;
	f->ready = ready;
	if (fd >= 0)
		loop_add(f, EPOLLIN);
}

static void unwatch(struct loop_fd *f)
{
	if (f->fd < 0)
		return;
	loop_del(f);
	close(f->fd);
	f->fd = -1;
}

static int spawn(struct child *c, char *const argv[], char *const envp[], int out)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t all, none;
	int error;

	sigfillset(&all);
	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setsigmask(&attr, &none);
	error = posix_spawn(&c->pid, argv[0], &actions, &attr, argv, envp);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	if (!error)
		return 0;
	log_warn("cannot run %s: %s", argv[0], strerror(error));
	return -1;
}

/* Takes what the pipe holds; what exceeds the cap is read and dropped, so that the program does not stop at a full
 * pipe. */
static void drain(struct child *c)
{
	char chunk[CHILD_CHUNK];
	ssize_t n;

	while (c->pipe.fd >= 0) {
		n = read(c->pipe.fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			unwatch(&c->pipe);
			return;
		}
		if ((size_t)n > c->cap - c->out->len) {
			c->result.cut = true;
			n = (ssize_t)(c->cap - c->out->len);
		}
		buf_add(c->out, chunk, (size_t)n);
	}
}

/* The zombie is kept until its group was killed: as long as it is there, no other process has the group's number. */
static void reap(struct child *c)
{
	siginfo_t info = { 0 };

	if (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0)
		return;
	kill(-c->pid, SIGKILL);
	if (waitpid(c->pid, &c->result.status, 0) < 0)
		c->result.status = -1;
	c->ended = true;
}

static void wait_for_end(struct child *c)
{
	for (;;) {
		int64_t left = c->deadline_us - clock_mono_us();

		drain(c);
		reap(c);
		if (c->ended)
			return;
		if (left <= 0) {
			c->result.timed_out = true;
			kill(-c->pid, SIGKILL);
			left = CHILD_POLL_MS * 1000;
			c->deadline_us += left;
		}
		left = (left + 999) / 1000;
		fiber_suspend_for(c->pidfd.fd < 0 && left > CHILD_POLL_MS ? CHILD_POLL_MS : left);
	}
}

struct child_result child_run(char *const argv[], char *const envp[], struct buf *out, size_t cap, int64_t timeout_ms)
{
	struct child c = { .fiber = fiber_self(), .out = out, .cap = out->len + cap, .result = { .status = -1 } };
	int ends[2];

	c.pipe.fd = c.pidfd.fd = -1;
	if (pipe2(ends, O_CLOEXEC) < 0) {
		log_warn("cannot run %s: pipe: %s", argv[0], strerror(errno));
		return c.result;
	}
	c.deadline_us = clock_mono_us() + timeout_ms * 1000;
	if (spawn(&c, argv, envp, ends[1]) < 0) {
		close(ends[0]);
		close(ends[1]);
		return c.result;
	}
	close(ends[1]);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	watch(&c.pipe, ends[0], pipe_ready);
	/* Absent under valgrind 3.19; the child is then looked for every few milliseconds. */
	watch(&c.pidfd, (int)syscall(SYS_pidfd_open, c.pid, 0), pidfd_ready);
	wait_for_end(&c);
	drain(&c);
	unwatch(&c.pipe);
	unwatch(&c.pidfd);
	return c.result;
}
