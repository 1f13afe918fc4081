/* The master process: reads the settings, opens the sockets, starts the children, replaces those that die, reloads,
 * stops. It serves nothing, opens no database and holds no secret, so there is nothing here that could fail with a
 * request.
 *
 * Children have posts: one writer, one exec process where there are programs, N workers. A post whose child ended is
 * filled again, after a pause when the child died young. At a reload a worker's post gets a second child, which takes
 * over the connections of the first (see fastcgi_adopt) and makes it drain; the first is then retired: it has no post. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>
#include <bsd/unistd.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/secret.h"
#include "call/outbound.h"
#include "daemon/exec.h"
#include "daemon/master.h"
#include "daemon/socket.h"
#include "daemon/worker.h"
#include "daemon/writer.h"
#include "store/shared.h"

enum {
	WORKERS_MAX = FASTCGI_SEATS / 2,        /* so that a reload finds a seat for every successor */
	CHILDREN_MAX = FASTCGI_SEATS + 4,       /* and the writer, the exec process, and those they follow */
	PAUSE_MIN_MS = 100,                     /* before a child that died young is replaced; doubles each time */
	PAUSE_MAX_MS = 5000,
	YOUNG_MS = 1000,                        /* a worker that lived shorter died young; who was never ready too */
	LOOK_MS = 5,                            /* how often a child that starts is asked whether it is ready */
	KILL_GRACE_MS = 1000,                   /* between a worker's own limit for draining and the master's */
	DESCRIPTORS_MAX = 65536,
	PID_WRITER = 0, PID_EXEC = 1, PID_WORKERS = 2,        /* places in shared->pid */
};

enum role { WRITER, EXEC, WORKER };

struct child {
	pid_t pid;                      /* 0: free */
	enum role role;
	unsigned number;                /* of the worker, from 1 */
	unsigned seat;
	int link;                       /* worker: the end of the pair that its successor gets; -1: none */
	int64_t started_us;
	int64_t kill_us;                /* it is gone by then, or killed; 0: no limit */
	bool ready, retired;
};

struct post {
	struct child *child;            /* NULL: to be filled */
	int64_t not_before_us;
	int64_t pause_ms;               /* the last pause; 0: the last child lived long enough */
};

struct owner { uid_t uid; gid_t gid, socket_gid; };     /* -1: as the master */

enum stage { STARTING, SERVING, RELOADING, STOPPING };

static struct {
	const struct master_settings *settings;
	struct conf *conf, *former;     /* former: at a reload, the settings of the workers not replaced yet */
	struct owner owner, exec_owner;
	struct shared *shared;
	struct fastcgi_board *board;
	int lock, signals, fcgi, writer, exec;
	char *lock_path, *fcgi_path, *writer_path, *exec_path;
	struct child child[CHILDREN_MAX];
	struct post writer_post, exec_post, post[WORKERS_MAX];
	unsigned workers, old_workers;  /* posts; posts before the reload */
	unsigned turn;                  /* reload: index of the post whose successor is being started */
	struct child *successor;        /* reload: the child being started */
	enum stage stage;
	bool reload_wanted, workers_told, others_told;
	int code;
} master;

/* Settings */

static const struct { const char *name; enum log_level level; } log_levels[] = {
	{ "error", LOG_LEVEL_ERROR }, { "warn", LOG_LEVEL_WARN },
	{ "info", LOG_LEVEL_INFO }, { "debug", LOG_LEVEL_DEBUG },
};

static enum log_level level_of(const struct master_settings *s, const struct conf *c)
{
	if (s->debug)
		return LOG_LEVEL_DEBUG;
	for (size_t i = 0; i < sizeof(log_levels) / sizeof(log_levels[0]); i++)
		if (strcmp(c->log_level, log_levels[i].name) == 0)
			return log_levels[i].level;
	return LOG_LEVEL_INFO;
}

static bool given(const char *s)
{
	return s && *s;
}

/* Who the children become. Names are looked up whoever we are, so that a wrong one shows when the settings are
 * checked. */
static int find_owner(const struct conf *c, struct owner *o, struct problem *why)
{
	const struct passwd *u = given(c->user) ? getpwnam(c->user) : NULL;
	const struct group *g = given(c->group) ? getgrnam(c->group) : NULL;
	const struct group *sg;

	*o = (struct owner){ (uid_t)-1, (gid_t)-1, (gid_t)-1 };
	if ((given(c->user) && !u) || (given(c->group) && !g)) {
		bool user = given(c->user) && !u;

		problem_set(why, 500, "bad_user");
		problem_detail(why, "%s: %s %s does not exist", c->path, user ? "user" : "group",
		               user ? c->user : c->group);
		return -1;
	}
	if (geteuid() == 0) {
		o->uid = u ? u->pw_uid : (uid_t)-1;
		o->gid = g ? g->gr_gid : u ? u->pw_gid : (gid_t)-1;
	}
	o->socket_gid = o->gid;
	if (!given(c->socket_group))
		return 0;
	sg = getgrnam(c->socket_group);
	if (sg) {
		o->socket_gid = sg->gr_gid;
		return 0;
	}
	problem_set(why, 500, "bad_group");
	problem_detail(why, "%s: socket_group %s does not exist", c->path, c->socket_group);
	return -1;
}

/* Who the programs of exec rows become. */
static int find_exec_owner(const struct conf *c, struct owner *o, struct problem *why)
{
	const struct passwd *u = given(c->exec_user) ? getpwnam(c->exec_user) : NULL;

	if (given(c->exec_user) && !u) {
		problem_set(why, 500, "bad_user");
		problem_detail(why, "%s: exec_user %s does not exist", c->path, c->exec_user);
		return -1;
	}
	if (u && geteuid() == 0)
		*o = (struct owner){ u->pw_uid, u->pw_gid, u->pw_gid };
	return 0;
}

static char *in_run_dir(const struct conf *c, const char *name)
{
	size_t n = strlen(c->run_dir) + strlen(name) + 2;
	char *path = mem_alloc(n);

	snprintf(path, n, "%s/%s", c->run_dir, name);
	return path;
}

static int check_paths(const struct conf *c, struct problem *why)
{
	char *path = in_run_dir(c, "writer.sock");
	bool fits = socket_fits(path);

	free(path);
	if (fits)
		return 0;
	problem_set(why, 500, "run_dir");
	problem_detail(why, "%s: run_dir %s is too long for a socket's address (107 bytes with /writer.sock)",
	               c->path, c->run_dir);
	return -1;
}

/* As the user who will read them: the master could read anything. */
static int check_files(const struct conf *c, const struct owner *o, struct problem *why)
{
	bool other = o->uid != (uid_t)-1 && o->gid != (gid_t)-1;
	struct secrets *s;
	int rc;

	if (other && (setegid(o->gid) < 0 || seteuid(o->uid) < 0))
		log_fatal("cannot check files as user %ld: %s", (long)o->uid, strerror(errno));
	s = secret_open(c->secrets_file, why);
	rc = s ? outbound_check(c, why) : -1;
	if (other && (seteuid(0) < 0 || setegid(getgid()) < 0))
		log_fatal("cannot become root again: %s", strerror(errno));
	if (s)
		secret_close(s);
	return rc;
}

struct conf *master_load(const struct master_settings *s, struct problem *why)
{
	struct conf *c = conf_load(s->path, s->overrides, s->n, why);
	struct owner o;

	if (c && check_paths(c, why) == 0 && find_owner(c, &o, why) == 0 &&
	    check_files(c, &o, why) == 0 && find_exec_owner(c, &o, why) == 0)
		return c;
	conf_free(c);
	return NULL;
}

static unsigned worker_count(const struct conf *c)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	int64_t n = c->workers > 0 ? c->workers : cores > 0 ? cores : 1;

	return n < WORKERS_MAX ? (unsigned)n : WORKERS_MAX;
}

/* Children */

static void child_name(char out[32], enum role role, unsigned number)
{
	if (role != WORKER)
		snprintf(out, 32, role == WRITER ? "writer" : "exec");
	else
		snprintf(out, 32, "worker %u", number);
}

static void no_core_dumps(void)
{
#ifndef __SANITIZE_ADDRESS__
	/* A core would hold secrets. */
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	prctl(PR_SET_DUMPABLE, 0);
#endif
}

static void become(const struct owner *o)
{
	if (o->gid != (gid_t)-1 && (setgroups(1, &o->gid) < 0 || setgid(o->gid) < 0))
		log_fatal("cannot become group %ld: %s", (long)o->gid, strerror(errno));
	if (o->uid != (uid_t)-1 && setuid(o->uid) < 0)
		log_fatal("cannot become user %ld: %s", (long)o->uid, strerror(errno));
}

/* What every child does first: become itself, leave behind what is the master's, die with it. */
static void child_init(enum role role, unsigned number, pid_t parent)
{
	char name[32];

	child_name(name, role, number);
	setproctitle("%s", name);
	log_init(name, level_of(master.settings, master.conf));
	close(master.lock);
	close(master.signals);
	for (unsigned i = 0; i < CHILDREN_MAX; i++)
		if (master.child[i].pid && master.child[i].link >= 0)
			close(master.child[i].link);
	if (role != WORKER)
		close(master.fcgi);
	if (role != WRITER)
		close(master.writer);
	if (role != EXEC)
		close(master.exec);
	signal(SIGINT, SIG_IGN);        /* from a terminal it comes to all: the master tells its children what to do */
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	become(role == EXEC ? &master.exec_owner : &master.owner);
	no_core_dumps();
	/* After setuid, which clears it. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	unsetenv("NOTIFY_SOCKET");
}

static int writer_run(const struct worker *w)
{
	sigset_t none;

	(void)w;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	return writer_main(master.conf, master.shared, master.writer);
}

static int exec_run(const struct worker *w)
{
	(void)w;
	return exec_main(master.conf, master.shared, master.exec);
}

static struct child *free_child(void)
{
	for (unsigned i = 0; i < CHILDREN_MAX; i++)
		if (!master.child[i].pid)
			return &master.child[i];
	return NULL;
}

static int free_seat(void)
{
	bool taken[FASTCGI_SEATS] = { false };

	for (unsigned i = 0; i < CHILDREN_MAX; i++)
		if (master.child[i].pid && master.child[i].role == WORKER)
			taken[master.child[i].seat] = true;
	for (int i = 0; i < FASTCGI_SEATS; i++)
		if (!taken[i])
			return i;
	return -1;
}

static _Atomic pid_t *pid_place(const struct child *c)
{
	unsigned place[] = { [WRITER] = PID_WRITER, [EXEC] = PID_EXEC, [WORKER] = PID_WORKERS + c->seat };

	return &master.shared->pid[place[c->role]];
}

static int (*const run_role[])(const struct worker *w) = {
	[WRITER] = writer_run, [EXEC] = exec_run, [WORKER] = worker_main
};

/* In the child. */
static int child_run_role(struct child *c, pid_t parent, int successor_fd, const int *predecessor,
                          unsigned predecessors)
{
	struct worker w = {
		.conf = master.conf, .shared = master.shared, .board = master.board, .seat = c->seat,
		.listen_fd = master.fcgi,
		.successor_fd = successor_fd, .predecessor = predecessor, .predecessors = predecessors,
	};

	/* Here as well as in the master: the writer asks who we are as soon as we connect. */
	atomic_store(pid_place(c), getpid());
	child_init(c->role, c->number, parent);
	return run_role[c->role](&w);
}

static void not_serving(const struct child *c)
{
	if (c->role == WORKER)
		fastcgi_board_leave(master.board, c->seat);
	else if (c->role == WRITER)
		shared_writer_ready(master.shared, false);
}

static struct child *start(enum role role, unsigned number, const int *predecessor, unsigned predecessors)
{
	struct child *c = free_child();
	int seat = role == WORKER ? free_seat() : 0, pair[2] = { -1, -1 };
	pid_t parent = getpid(), pid;
	char name[32];

	if (!c || seat < 0)
		return NULL;
	if (role == WORKER && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0) {
		log_error("socketpair: %s", strerror(errno));
		return NULL;
	}
	*c = (struct child){ .role = role, .number = number, .seat = (unsigned)seat, .link = -1 };
	not_serving(c);
	pid = fork();
	if (pid == 0) {
		if (pair[1] >= 0)
			close(pair[1]);
		exit(child_run_role(c, parent, pair[0], predecessor, predecessors));
	}
	if (pair[0] >= 0)
		close(pair[0]);
	if (pid < 0) {
		log_error("fork: %s", strerror(errno));
		if (pair[1] >= 0)
			close(pair[1]);
		return NULL;
	}
	c->pid = pid;
	c->link = pair[1];
	c->started_us = clock_mono_us();
	atomic_store(pid_place(c), pid);
	if (role != EXEC)
		shared_count(master.shared, role == WRITER ? COUNT_WRITER_STARTS : COUNT_WORKER_STARTS, 1);
	child_name(name, role, number);
	log_debug("%s started (process %d)", name, (int)pid);
	return c;
}

static bool is_ready(const struct child *c)
{
	if (c->role == EXEC)
		return true;            /* what comes before waits in its socket */
	if (c->role == WRITER)
		return atomic_load(&master.shared->writer_ready) != 0;
	return fastcgi_board_serving(master.board, c->seat);
}

static struct post *post_of(const struct child *c)
{
	if (c->role == EXEC)
		return &master.exec_post;
	return c->role == WRITER ? &master.writer_post : &master.post[c->number - 1];
}

static void fill(struct post *p, enum role role, unsigned number)
{
	if (p->child || clock_mono_us() < p->not_before_us)
		return;
	p->child = start(role, number, NULL, 0);
	if (!p->child)
		p->not_before_us = clock_mono_us() + PAUSE_MAX_MS * 1000;
}

static bool has_programs(void)
{
	return given(master.conf->exec_dir) && access(master.conf->exec_dir, F_OK) == 0;
}

/* Fills the posts that are due. A worker opens files whose WAL only the writer may create: no writer, no new
 * workers. */
static void fill_posts(void)
{
	fill(&master.writer_post, WRITER, 0);
	if (has_programs())
		fill(&master.exec_post, EXEC, 0);
	if (!master.writer_post.child || !is_ready(master.writer_post.child))
		return;
	for (unsigned i = 0; i < master.workers; i++) {
		/* Those whose turn comes in a reload get their child then. */
		if (master.stage == RELOADING && (i == master.turn || (i > master.turn && i >= master.old_workers)))
			continue;
		fill(&master.post[i], WORKER, i + 1);
	}
}

static void tell(struct child *c, int signo)
{
	if (kill(c->pid, signo) < 0 && errno != ESRCH)
		log_error("kill %d: %s", (int)c->pid, strerror(errno));
}

static void log_end(const struct child *c, int status, bool expected)
{
	char name[32], how[80];

	child_name(name, c->role, c->number);
	if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		snprintf(how, sizeof(how), "exit code %d", WEXITSTATUS(status));
	if (expected && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		log_info("%s (process %d) ended: %s", name, (int)c->pid, how);
	else if (expected)
		log_warn("%s (process %d) ended: %s", name, (int)c->pid, how);
	else
		log_error("%s (process %d) ended unexpectedly: %s", name, (int)c->pid, how);
}

static void vacate(struct child *c)
{
	struct post *p = post_of(c);
	bool young = !c->ready || (c->role != WRITER && clock_mono_us() - c->started_us < YOUNG_MS * 1000);

	if (p->child != c)
		return;
	p->child = NULL;
	if (!young)
		p->pause_ms = 0;
	else if (p->pause_ms == 0)
		p->pause_ms = PAUSE_MIN_MS;
	else
		p->pause_ms = p->pause_ms < PAUSE_MAX_MS / 2 ? p->pause_ms * 2 : PAUSE_MAX_MS;
	p->not_before_us = clock_mono_us() + p->pause_ms * 1000;
	if (young && master.stage != STOPPING)
		log_warn("the next one is started in %" PRId64 " ms", p->pause_ms);
}

static void reload_failed(void);

/* It said itself why it does not go on; another try would say the same. */
static bool refuses(const struct child *c, int status)
{
	if (!WIFEXITED(status) || WEXITSTATUS(status) == 0)
		return false;
	return master.stage == STARTING || (c->role == WRITER && WEXITSTATUS(status) == EX_CONFIG);
}

static void ended(struct child *c, int status)
{
	bool expected = c->retired || master.stage == STOPPING, failed = c == master.successor;
	bool refused = refuses(c, status);
	pid_t pid = c->pid;

	c->ready = c->ready || is_ready(c);
	if (!refused || expected)
		log_end(c, status, expected);
	not_serving(c);
	atomic_compare_exchange_strong(pid_place(c), &pid, 0);
	if (c->link >= 0)
		close(c->link);
	if (refused) {
		master.code = WEXITSTATUS(status);
		master.stage = STOPPING;
	}
	if (!c->retired && !failed)
		vacate(c);
	c->pid = 0;
	if (failed)
		reload_failed();
}

static void reap(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (unsigned i = 0; i < CHILDREN_MAX; i++)
			if (master.child[i].pid == pid)
				ended(&master.child[i], status);
}

static unsigned children(enum role role)
{
	unsigned n = 0;

	for (unsigned i = 0; i < CHILDREN_MAX; i++)
		if (master.child[i].pid && master.child[i].role == role)
			n++;
	return n;
}

/* Ends what did not end in its time. */
static void enforce(void)
{
	int64_t now = clock_mono_us();
	char name[32];

	for (unsigned i = 0; i < CHILDREN_MAX; i++) {
		struct child *c = &master.child[i];

		if (!c->pid || !c->kill_us || now < c->kill_us)
			continue;
		child_name(name, c->role, c->number);
		log_warn("%s (process %d) does not end: killed", name, (int)c->pid);
		c->kill_us = 0;
		tell(c, SIGKILL);
	}
}

static void limit(struct child *c)
{
	c->kill_us = clock_mono_us() + (master.conf->drain_ms + KILL_GRACE_MS) * 1000;
}

/* Reload */

static void notify_serving(void)
{
	sd_notifyf(0, "READY=1\nSTATUS=serving with %u workers", master.workers);
	log_info("serving with %u workers on %s", master.workers, master.fcgi_path);
}

static bool same(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

/* Settings that belong to what the master has open already, or to the one writer. */
static const char *needs_restart(const struct conf *a, const struct conf *b)
{
	const struct { const char *name; bool same; } fixed[] = {
		{ "data_dir", same(a->data_dir, b->data_dir) },
		{ "run_dir", same(a->run_dir, b->run_dir) },
		{ "user", same(a->user, b->user) },
		{ "group", same(a->group, b->group) },
		{ "socket_group", same(a->socket_group, b->socket_group) },
		{ "exec_user", same(a->exec_user, b->exec_user) },
		{ "listen_backlog", a->listen_backlog == b->listen_backlog },
		{ "synchronous", same(a->synchronous, b->synchronous) },
	};

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (!fixed[i].same)
			return fixed[i].name;
	return NULL;
}

static void reload_begin(void)
{
	struct problem why = { 0 };
	struct conf *c;
	const char *fixed;

	master.reload_wanted = false;
	c = master_load(master.settings, &why);
	if (!c) {
		log_error("reload refused, the settings stay as they were: %s", why.detail);
		return;
	}
	fixed = needs_restart(master.conf, c);
	if (fixed) {
		log_error("reload refused, the settings stay as they were: %s can only change with a restart", fixed);
		conf_free(c);
		return;
	}
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRId64 "\nSTATUS=reloading", clock_mono_us());
	log_info("reloading");
	master.former = master.conf;
	master.conf = c;
	log_init("master", level_of(master.settings, c));
	master.old_workers = master.workers;
	master.workers = worker_count(c);
	master.turn = 0;
	master.stage = RELOADING;
}

static void reload_end(void)
{
	conf_free(master.former);
	master.former = NULL;
	master.successor = NULL;
	master.stage = SERVING;
}

/* The successor died before it served. Its predecessor was told nothing and goes on. */
static void reload_failed(void)
{
	log_error("reload given up: the new worker does not start; %s with the former settings",
	          master.turn ? "the workers not replaced go on" : "all go on");
	if (master.turn == 0) {
		struct conf *c = master.conf;

		master.conf = master.former;
		master.former = c;
	}
	if (master.workers < master.old_workers || master.turn == 0)
		master.workers = master.old_workers;
	reload_end();
	notify_serving();
}

/* Old workers whose connections post i takes over: its own, and those of posts that are no more. */
static unsigned predecessors_of(unsigned i, struct child *out[WORKERS_MAX])
{
	unsigned n = 0;

	for (unsigned k = i; k < master.old_workers; k += master.workers)
		if (master.post[k].child)
			out[n++] = master.post[k].child;
	return n;
}

static void successor_start(void)
{
	struct child *old[WORKERS_MAX];
	int link[WORKERS_MAX];
	unsigned links = 0, n = predecessors_of(master.turn, old);

	if (!master.writer_post.child || !is_ready(master.writer_post.child))
		return;
	for (unsigned k = 0; k < n; k++) {
		link[links] = dup(old[k]->link);
		links += link[links] >= 0;
	}
	master.successor = start(WORKER, master.turn + 1, link, links);
	for (unsigned k = 0; k < links; k++)
		close(link[k]);
	if (!master.successor)
		reload_failed();
}

/* The successor serves and has told its predecessors, or there were none to tell. */
static void successor_serves(void)
{
	struct child *old[WORKERS_MAX];
	unsigned n = predecessors_of(master.turn, old);

	for (unsigned k = 0; k < n; k++) {
		old[k]->retired = true;
		limit(old[k]);
		master.post[old[k]->number - 1] = (struct post){ 0 };
	}
	master.post[master.turn].child = master.successor;
	master.successor = NULL;
	master.turn++;
}

/* What is under way in the old one ends there; what comes meanwhile waits in the socket. */
static void replace_exec(void)
{
	struct child *c = master.exec_post.child;

	if (!c)
		return;
	c->retired = true;
	tell(c, SIGTERM);
	limit(c);
	master.exec_post = (struct post){ 0 };
}

static void reload_step(void)
{
	if (master.successor && is_ready(master.successor)) {
		master.successor->ready = true;
		successor_serves();
	}
	if (master.successor)
		return;
	if (master.turn < master.workers) {
		successor_start();
		return;
	}
	reload_end();
	replace_exec();
	notify_serving();
}

/* Stages */

static void starting_step(void)
{
	if (!master.writer_post.child || !is_ready(master.writer_post.child))
		return;
	for (unsigned i = 0; i < master.workers; i++)
		if (!master.post[i].child || !is_ready(master.post[i].child))
			return;
	master.stage = SERVING;
	notify_serving();
}

static void close_fcgi(void)
{
	if (master.fcgi < 0)
		return;
	unlink(master.fcgi_path);
	close(master.fcgi);
	master.fcgi = -1;
}

/* Workers first: they need the writer for what is under way. True when all are gone. */
static bool stopping_step(void)
{
	close_fcgi();
	for (unsigned i = 0; i < CHILDREN_MAX && !master.workers_told; i++)
		if (master.child[i].pid && master.child[i].role == WORKER) {
			tell(&master.child[i], SIGTERM);
			limit(&master.child[i]);
		}
	master.workers_told = true;
	if (children(WORKER))
		return false;
	for (unsigned i = 0; i < CHILDREN_MAX && !master.others_told; i++)
		if (master.child[i].pid) {
			tell(&master.child[i], SIGTERM);
			limit(&master.child[i]);
		}
	master.others_told = true;
	return children(WRITER) + children(EXEC) == 0;
}

static bool step(void)
{
	for (unsigned i = 0; i < CHILDREN_MAX; i++)
		if (master.child[i].pid && !master.child[i].ready)
			master.child[i].ready = is_ready(&master.child[i]);
	enforce();
	if (master.stage == STOPPING) {
		if (!master.others_told && master.code == 0 && children(WORKER))
			fill(&master.writer_post, WRITER, 0);
		return stopping_step();
	}
	fill_posts();
	if (master.stage == STARTING)
		starting_step();
	if (master.stage == SERVING && master.reload_wanted)
		reload_begin();
	if (master.stage == RELOADING)
		reload_step();
	return false;
}

/* Milliseconds until step has something to do without a signal; -1: nothing is expected. */
static int wait_ms(void)
{
	int64_t now = clock_mono_us(), at = INT64_MAX;
	bool starting = master.stage == STARTING || master.stage == RELOADING;

	for (unsigned i = 0; i < CHILDREN_MAX; i++) {
		const struct child *c = &master.child[i];

		if (!c->pid)
			continue;
		starting = starting || (!c->ready && master.stage != STOPPING);
		if (c->kill_us && c->kill_us < at)
			at = c->kill_us;
	}
	if (starting)
		return LOOK_MS;
	for (unsigned i = 0; i <= master.workers; i++) {
		const struct post *p = i ? &master.post[i - 1] : &master.writer_post;

		if (!p->child && p->not_before_us < at && (master.stage != STOPPING || i == 0))
			at = p->not_before_us;
	}
	if (has_programs() && !master.exec_post.child && master.stage != STOPPING && master.exec_post.not_before_us < at)
		at = master.exec_post.not_before_us;
	if (at == INT64_MAX)
		return -1;
	return at <= now ? LOOK_MS : (int)((at - now) / 1000 + 1);
}

static void take_signals(void)
{
	struct signalfd_siginfo info;

	while (read(master.signals, &info, sizeof(info)) == sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGHUP:
			if (master.stage != STOPPING)
				master.reload_wanted = true;
			break;
		case SIGCHLD:
			break;
		default:
			if (master.stage == STOPPING)
				break;
			log_info("%s: stopping, at most %" PRId64 " ms for what is under way",
			         strsignal((int)info.ssi_signo), master.conf->drain_ms);
			sd_notify(0, "STOPPING=1\nSTATUS=draining");
			master.stage = STOPPING;
		}
	}
	reap();
}

static void run(void)
{
	while (!step()) {
		struct pollfd p = { .fd = master.signals, .events = POLLIN };

		if (poll(&p, 1, wait_ms()) < 0 && errno != EINTR)
			log_fatal("poll: %s", strerror(errno));
		take_signals();
	}
}

/* Start and end */

static int signals_open(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_SETMASK, &set, NULL);
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static void raise_descriptors(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0)
		return;
	r.rlim_cur = r.rlim_max < DESCRIPTORS_MAX ? r.rlim_max : DESCRIPTORS_MAX;
	if (setrlimit(RLIMIT_NOFILE, &r) < 0)
		log_warn("cannot raise the number of descriptors: %s", strerror(errno));
}

static int make_run_dir(const struct conf *c, struct problem *why)
{
	struct stat st;

	if (mkdir(c->run_dir, 0755) == 0) {
		if (master.owner.uid == (uid_t)-1 || chown(c->run_dir, master.owner.uid, master.owner.gid) == 0)
			return 0;
	} else if (errno == EEXIST && stat(c->run_dir, &st) == 0 && S_ISDIR(st.st_mode)) {
		return 0;
	}
	problem_set(why, 500, "run_dir");
	problem_detail(why, "%s: %s", c->run_dir, errno == EEXIST ? "is no directory" : strerror(errno));
	return -1;
}

static int open_all(struct problem *why)
{
	const struct conf *c = master.conf;

	master.lock = master.fcgi = master.writer = master.exec = -1;
	master.lock_path = in_run_dir(c, "rowcalld.pid");
	master.fcgi_path = in_run_dir(c, "fcgi.sock");
	master.writer_path = in_run_dir(c, "writer.sock");
	master.exec_path = in_run_dir(c, "exec.sock");
	if (find_owner(c, &master.owner, why) < 0 || make_run_dir(c, why) < 0)
		return -1;
	master.exec_owner = master.owner;
	if (find_exec_owner(c, &master.exec_owner, why) < 0)
		return -1;
	master.lock = socket_lock(master.lock_path, why);
	if (master.lock < 0)
		return -1;
	master.writer = socket_listen(master.writer_path, 0600, master.owner.uid, master.owner.gid,
	                              (int)c->listen_backlog, why);
	if (master.writer < 0)
		return -1;
	master.exec = socket_listen(master.exec_path, 0600, master.owner.uid, master.owner.gid, (int)c->listen_backlog, why);
	if (master.exec < 0)
		return -1;
	master.fcgi = socket_listen(master.fcgi_path, 0660, master.owner.uid, master.owner.socket_gid,
	                            (int)c->listen_backlog, why);
	return master.fcgi < 0 ? -1 : 0;
}

static void close_socket(int fd, const char *path)
{
	if (fd < 0)
		return;
	unlink(path);
	close(fd);
}

/* Removes what this instance made, the lock last: whoever starts next finds either all or nothing. */
static void close_all(void)
{
	close_fcgi();
	close_socket(master.writer, master.writer_path);
	close_socket(master.exec, master.exec_path);
	if (master.lock >= 0) {
		unlink(master.lock_path);
		close(master.lock);
	}
	free(master.fcgi_path);
	free(master.writer_path);
	free(master.exec_path);
	free(master.lock_path);
	conf_free(master.conf);
	conf_free(master.former);
}

int master_main(const struct master_settings *s, struct conf *conf)
{
	struct problem why = { 0 };

	master.settings = s;
	master.conf = conf;
	setproctitle("master");
	log_init("master", level_of(s, conf));
	no_core_dumps();
	raise_descriptors();
	if (open_all(&why) < 0) {
		log_error("%s", why.detail);
		close_all();
		return EXIT_FAILURE;
	}
	master.shared = shared_new();
	master.board = fastcgi_board_new();
	master.workers = worker_count(conf);
	master.signals = signals_open();
	if (master.signals < 0)
		log_fatal("signalfd: %s", strerror(errno));
	log_info("starting");
	run();
	log_info("stopped");
	close_all();
	return master.code;
}
