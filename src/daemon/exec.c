/* Running programs on behalf of workers. Between this process and each program stands a keeper: a fork of this one
 * that leads the program's session and inherits its orphans, so that what a program leaves behind ends with it, even
 * what has left the session. A keeper that is killed at the deadline leaves its orphans to this process. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/log.h"
#include "base/mem.h"
#include "call/program.h"
#include "daemon/exec.h"
#include "loop/child.h"
#include "loop/fiber.h"
#include "loop/loop.h"
#include "loop/stream.h"

enum {
	EXEC_REQUEST_MS = 5000,         /* for a worker to send its request, or take its answer */
	EXEC_FILES = 256,               /* descriptors of a program */
	EXEC_FILE_BYTES = 64 << 20,     /* of a file that a program writes */
	EXEC_SWEEP_US = 1000,           /* between two looks for orphans */
	PROGRAM_FD = 3,                 /* the program's file in its keeper */
};

/* What a program finds in its environment beside the variables of its row. */
static const char *const environment[] = { "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/", "LANG=C.UTF-8" };

enum { ENVIRONMENT = sizeof(environment) / sizeof(*environment) };

static struct {
	const struct conf *conf;
	struct shared *shared;
	struct loop_fd listen, signals;
	int folder;                     /* -1: see refusal */
	const char *refusal;
	pid_t *keeper;                  /* of programs under way; exec_parallel places, 0: free */
	unsigned running;
	bool draining;
} exec;

/* The folder and its programs */

/* Only its owner may change it, and the owner is root or who runs the service. */
static bool is_guarded(const struct stat *st)
{
	return (st->st_uid == 0 || st->st_uid == geteuid()) && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static void open_folder(void)
{
	struct stat st;

	exec.folder = open(exec.conf->exec_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (exec.folder < 0 || fstat(exec.folder, &st) < 0)
		exec.refusal = "no_folder";
	else if (!is_guarded(&st))
		exec.refusal = "folder_not_safe";
	if (!exec.refusal)
		return;
	log_error("exec_dir %s: %s; no program is run", exec.conf->exec_dir,
	          exec.folder < 0 ? strerror(errno) : "others than root or the service may write there");
	if (exec.folder >= 0)
		close(exec.folder);
	exec.folder = -1;
}

/* The same file opened for reading, which some interpreters need; a program may be executable alone. */
static int readable(int fd)
{
	char path[64];
	int again;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_RDONLY | O_CLOEXEC);
	if (again < 0)
		return fd;
	close(fd);
	return again;
}

/* The program's file, or -1 with the reason. A link may lead to another file of the folder, not out of it. */
static int open_program(struct arena *a, struct str name, const char **reason)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS };
	struct stat st;
	int fd;

	*reason = exec.refusal ? exec.refusal : "bad_name";
	if (exec.refusal || !program_name_is_valid(name))
		return -1;
	fd = (int)syscall(SYS_openat2, exec.folder, arena_str(a, name), &how, sizeof(how));
	*reason = errno == EXDEV ? "outside_folder" : "not_found";
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !(st.st_mode & 0111))
		*reason = "not_executable";
	else if (!is_guarded(&st))
		*reason = "not_safe";
	else
		return readable(fd);
	close(fd);
	return -1;
}

/* The keeper */

static bool is_keeper(pid_t pid)
{
	for (int64_t i = 0; i < exec.conf->exec_parallel; i++)
		if (exec.keeper[i] == pid)
			return true;
	return false;
}

/* Kills the children of this process that are no keepers; returns how many there were. The kernel's list may lack one
 * while another ends (proc(5)): see sweep. */
static unsigned kill_orphans(void)
{
	char path[64];
	FILE *f;
	long pid;
	unsigned n = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%ld/children", (long)getpid());
	f = fopen(path, "re");
	while (f && fscanf(f, "%ld", &pid) == 1) {
		if (is_keeper((pid_t)pid))
			continue;
		kill((pid_t)pid, SIGKILL);
		waitpid((pid_t)pid, NULL, 0);
		n++;
	}
	if (f)
		fclose(f);
	return n;
}

/* Until nothing is found twice: children of a killed orphan come to us in turn, and one may have been missed. */
static void sweep(void)
{
	unsigned empty = 0;

	while (empty < 2) {
		if (kill_orphans()) {
			empty = 0;
			usleep(EXEC_SWEEP_US);
		} else {
			empty++;
		}
	}
}

static void limit(int resource, rlim_t value)
{
	setrlimit(resource, &(struct rlimit){ value, value });
}

static void set_limits(void)
{
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NOFILE, EXEC_FILES);
	limit(RLIMIT_FSIZE, EXEC_FILE_BYTES);
	limit(RLIMIT_AS, (rlim_t)exec.conf->exec_memory);
	limit(RLIMIT_CPU, (rlim_t)(exec.conf->exec_timeout_ms / 1000 + 1));
}

static void default_signals(void)
{
	sigset_t none;

	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

struct start { int program; char **argv, **envp; };

/* In the program's process to be. */
static void become_program(const struct start *s)
{
	default_signals();
	set_limits();
	syscall(SYS_execveat, PROGRAM_FD, "", s->argv, s->envp, AT_EMPTY_PATH);
	dprintf(STDERR_FILENO, "cannot be run: %s\n", strerror(errno));
	_exit(126);
}

/* Leaves the keeper nothing but standard input, output and error, and the program. */
static void keeper_files(const struct start *s, int out, int err)
{
	int null = open("/dev/null", O_RDONLY), program = fcntl(s->program, F_DUPFD, 64);

	/* Above those that are put in place here; a script's interpreter opens the program once more, so it stays open. */
	out = fcntl(out, F_DUPFD, 64);
	err = fcntl(err, F_DUPFD, 64);
	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	dup2(program, PROGRAM_FD);
	close_range(PROGRAM_FD + 1, ~0U, 0);
}

static pid_t kept;                      /* the keeper's program */

static void end_program(int signal_number)
{
	(void)signal_number;
	kill(kept, SIGKILL);
}

/* When the exec process is gone, the program ends, and then the keeper does as always: what it leaves is killed. */
static void end_with(pid_t parent)
{
	sigset_t term;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	signal(SIGTERM, end_program);
	sigprocmask(SIG_UNBLOCK, &term, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		end_program(SIGTERM);
}

/* Never returns. Ends as the program does: a signal as 128 and its number, as shells say it. */
static void keep(const struct start *s, int out, int err)
{
	pid_t parent = getppid();
	int status = 0;

	setsid();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	keeper_files(s, out, err);
	if (chdir("/") < 0)
		_exit(126);
	umask(077);
	memset(exec.keeper, 0, (size_t)exec.conf->exec_parallel * sizeof(*exec.keeper));
	kept = fork();
	if (kept == 0)
		become_program(s);
	if (kept > 0)
		end_with(parent);
	for (int fd = 0; fd <= PROGRAM_FD; fd++)
		close(fd);
	while (kept > 0 && waitpid(kept, &status, 0) < 0 && errno == EINTR)
		;
	sweep();
	_exit(kept < 0 ? 126 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

static pid_t start_keeper(void *ctx, int out, int err)
{
	pid_t pid = fork();

	if (pid == 0)
		keep(ctx, out, err);
	if (pid < 0) {
		log_error("fork: %s", strerror(errno));
		return -1;
	}
	for (int64_t i = 0; i < exec.conf->exec_parallel; i++) {
		if (exec.keeper[i])
			continue;
		exec.keeper[i] = pid;
		break;
	}
	return pid;
}

static void forget_keeper(pid_t pid)
{
	for (int64_t i = 0; i < exec.conf->exec_parallel; i++)
		if (exec.keeper[i] == pid)
			exec.keeper[i] = 0;
}

/* A request */

static char **strings(struct arena *a, const char *const *first, size_t n, const struct str *s, size_t more)
{
	char **list = arena_alloc(a, (n + more + 1) * sizeof(*list));

	for (size_t i = 0; i < n; i++)
		list[i] = arena_strdup(a, first[i]);
	for (size_t i = 0; i < more; i++)
		list[n + i] = arena_str(a, s[i]);
	return list;
}

static void refuse(struct program_answer *answer, const char *reason)
{
	answer->end = PROGRAM_REFUSED;
	answer->err = str_of(reason);
}

struct job { struct start start; pid_t keeper; };

static pid_t start_job(void *ctx, int out, int err)
{
	struct job *j = ctx;

	j->keeper = start_keeper(&j->start, out, err);
	return j->keeper;
}

static void run_program(struct arena *a, const struct program_request *q, int program, struct buf *out, struct buf *err,
	struct program_answer *answer)
{
	const char *name = arena_str(a, q->name);
	struct job job = { .start = { program, strings(a, &name, 1, q->arg, q->args),
	                              strings(a, environment, ENVIRONMENT, q->env, q->envs) } };
	int64_t timeout_ms = q->timeout_ms < exec.conf->exec_timeout_ms ? q->timeout_ms : exec.conf->exec_timeout_ms;
	struct child_limits limits = {
		.out = out, .out_max = (size_t)exec.conf->max_exec_output,
		.err = err, .err_max = PROGRAM_ERR_MAX, .timeout_ms = timeout_ms,
	};
	struct child_result r = child_run(&limits, start_job, &job);

	forget_keeper(job.keeper);
	sweep();
	answer->cut = r.cut;
	answer->out = buf_str(out);
	answer->err = buf_str(err);
	if (r.status == -1)
		refuse(answer, "not_started");
	else if (r.timed_out)
		answer->end = PROGRAM_TIMEOUT;
	else
		answer->code = WIFEXITED(r.status) ? WEXITSTATUS(r.status) : 128 + WTERMSIG(r.status);
}

static void answer_request(struct arena *a, struct str message, struct buf *out, struct buf *err,
	struct program_answer *answer)
{
	struct program_request q;
	const char *reason;
	int program;

	if (program_get_request(a, message, &q) < 0) {
		refuse(answer, "bad_request");
		return;
	}
	if (exec.running > exec.conf->exec_parallel) {
		refuse(answer, "busy");
		return;
	}
	program = open_program(a, q.name, &reason);
	if (program < 0) {
		refuse(answer, reason);
		return;
	}
	run_program(a, &q, program, out, err, answer);
	close(program);
}

static void serve(void *arg)
{
	int fd = (int)(intptr_t)arg;
	struct arena *a = arena_new();
	struct buf message = BUF_ARENA(a), out = BUF_ARENA(a), err = BUF_ARENA(a), text = BUF_ARENA(a);
	struct program_answer answer = { 0 };

	if (stream_receive(fd, &message, PROGRAM_REQUEST_MAX, EXEC_REQUEST_MS) == 0) {
		answer_request(a, buf_str(&message), &out, &err, &answer);
		program_put_answer(&text, &answer);
		if (stream_send(fd, buf_str(&text), EXEC_REQUEST_MS) < 0)
			log_warn("a worker did not take its answer");
	}
	close(fd);
	arena_free(a);
	exec.running--;
	if (exec.draining && !exec.running)
		loop_stop();
}

static bool is_worker(int fd)
{
	struct ucred peer = { 0 };
	socklen_t n = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0 && shared_role_of(exec.shared, peer.pid) == ROLE_WORKER;
}

static void accept_ready(struct loop_fd *f, uint32_t events)
{
	int fd;

	(void)events;
	while ((fd = accept4(f->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		if (!is_worker(fd)) {
			log_warn("a process that is no worker was refused");
			close(fd);
			continue;
		}
		exec.running++;
		fiber_start(serve, (void *)(intptr_t)fd);
	}
}

static void signal_ready(struct loop_fd *f, uint32_t events)
{
	struct signalfd_siginfo info;

	(void)events;
	if (read(f->fd, &info, sizeof(info)) != sizeof(info) || exec.draining)
		return;
	exec.draining = true;
	loop_del(&exec.listen);
	if (!exec.running)
		loop_stop();
}

/* Neither this process nor a program opens a connection to anywhere but this machine's own sockets by path. Programs
 * gain no rights either: no set-user-ID. */
static void deny_network(void)
{
	scmp_filter_ctx filter;

	if (exec.conf->exec_network) {
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		return;
	}
	filter = seccomp_init(SCMP_ACT_ALLOW);
	if (!filter || seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_NE, AF_UNIX)) < 0 ||
	    seccomp_load(filter) < 0)
		log_fatal("cannot deny the network to programs");
	seccomp_release(filter);
}

static void open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGQUIT);
	sigprocmask(SIG_SETMASK, &set, NULL);
	exec.signals = (struct loop_fd){ signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC), signal_ready };
	if (exec.signals.fd < 0)
		log_fatal("signalfd: %s", strerror(errno));
	loop_add(&exec.signals, EPOLLIN);
}

int exec_main(const struct conf *conf, struct shared *shared, int listen_fd)
{
	exec.conf = conf;
	exec.shared = shared;
	exec.keeper = mem_alloc((size_t)conf->exec_parallel * sizeof(*exec.keeper));
	exec.listen = (struct loop_fd){ listen_fd, accept_ready };
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	loop_init();
	open_signals();
	open_folder();
	deny_network();
	loop_add(&exec.listen, EPOLLIN);
	loop_run();
	if (exec.folder >= 0)
		close(exec.folder);
	free(exec.keeper);
	fiber_done();
	loop_done();
	return EXIT_SUCCESS;
}
