/* Running a program from a fiber: start it, collect its output, wait, kill at the deadline. Not the place for long-lived
 * children of the service: those are the master's. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
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

/* One of its two pipes. */
struct output {
	struct loop_fd fd;              /* fd < 0: closed, or not there */
	struct child *child;
	struct buf *text;
};

struct child {
	struct output out, err;
	struct loop_fd pidfd;
	struct fiber *fiber;
	const struct child_limits *limits;
	pid_t pid;
	size_t cap;
	bool ended;
	int64_t deadline_us;
	struct child_result result;
};

static void pipe_ready(struct loop_fd *f, uint32_t events)
{
	(void)events;
	fiber_wake(((struct output *)(void *)f)->child->fiber, FIBER_WOKEN);
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

pid_t child_spawn(void *program, int out, int err)
{
	const struct child_program *p = program;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t all, none;
	int error;
	pid_t pid;

	sigfillset(&all);
	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (err >= 0)
		posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setsigmask(&attr, &none);
	error = posix_spawn(&pid, p->argv[0], &actions, &attr, p->argv, p->envp);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	if (!error)
		return pid;
	log_warn("cannot run %s: %s", p->argv[0], strerror(error));
	return -1;
}

/* The beginning is kept, up to the cap. */
static void keep_first(struct child *c, const char *chunk, size_t n)
{
	struct buf *b = c->limits->out;

	if (n > c->cap - b->len) {
		c->result.cut = true;
		n = c->cap - b->len;
	}
	buf_add(b, chunk, n);
}

/* The end is kept. */
static void keep_last(struct child *c, const char *chunk, size_t n)
{
	struct buf *b = c->limits->err;
	size_t max = c->limits->err_max;

	buf_add(b, chunk, n);
	if (b->len > max) {
		memmove(b->data, b->data + b->len - max, max);
		b->len = max;
	}
}

/* Takes what the pipe holds; what is not kept is read all the same, so that the program does not stop at a full
 * pipe. */
static void drain(struct output *o, void (*keep)(struct child *c, const char *chunk, size_t n))
{
	char chunk[CHILD_CHUNK];
	ssize_t n;

	while (o->fd.fd >= 0) {
		n = read(o->fd.fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			unwatch(&o->fd);
			return;
		}
		keep(o->child, chunk, (size_t)n);
	}
}

static void drain_both(struct child *c)
{
	drain(&c->out, keep_first);
	drain(&c->err, keep_last);
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

		drain_both(c);
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

/* ends[1] is for the child. False: no descriptors. */
static bool open_pipe(struct output *o, struct child *c, int ends[2])
{
	o->child = c;
	o->fd.fd = -1;
	if (pipe2(ends, O_CLOEXEC) == 0)
		return true;
	log_warn("cannot run a program: pipe: %s", strerror(errno));
	return false;
}

static void close_pair(int ends[2])
{
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
}

static void watch_pipe(struct output *o, int fd)
{
	if (fd >= 0)
		fcntl(fd, F_SETFL, O_NONBLOCK);
	watch(&o->fd, fd, pipe_ready);
}

struct child_result child_run(const struct child_limits *l, pid_t (*start)(void *ctx, int out, int err), void *ctx)
{
	struct child c = {
		.fiber = fiber_self(), .limits = l, .cap = l->out->len + l->out_max, .result = { .status = -1 },
	};
	int out[2] = { -1, -1 }, err[2] = { -1, -1 };

	c.pid = -1;
	c.pidfd.fd = -1;
	if (open_pipe(&c.out, &c, out) && (!l->err || open_pipe(&c.err, &c, err)))
		c.pid = start(ctx, out[1], err[1]);
	if (c.pid < 0) {
		close_pair(out);
		close_pair(err);
		return c.result;
	}
	c.deadline_us = clock_mono_us() + l->timeout_ms * 1000;
	close(out[1]);
	if (err[1] >= 0)
		close(err[1]);
	watch_pipe(&c.out, out[0]);
	watch_pipe(&c.err, err[0]);
	/* Absent under valgrind 3.19; the child is then looked for every few milliseconds. */
	watch(&c.pidfd, (int)syscall(SYS_pidfd_open, c.pid, 0), pidfd_ready);
	wait_for_end(&c);
	drain_both(&c);
	unwatch(&c.out.fd);
	unwatch(&c.err.fd);
	unwatch(&c.pidfd);
	return c.result;
}

pid_t child_parent(pid_t pid)
{
	char path[64], text[512], *end;
	int fd;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	/* "pid (name) state parent": a name may hold anything, so the last ")" counts. */
	end = strrchr(text, ')');
	return end && strlen(end) > 4 ? (pid_t)strtol(end + 4, NULL, 10) : -1;
}
