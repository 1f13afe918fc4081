/* `rowcall up`: a whole service in one folder: rowcalld and nginx as children, in the foreground until a signal. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/escape.h"
#include "base/mem.h"
#include "call/outbound.h"
#include "ctl/ctl.h"
#include "ctl/instance.h"
#include "ctl/load.h"
#include "loop/fiber.h"
#include "loop/loop.h"

enum {
	UP_PORT = 8443,                 /* default TLS port */
	UP_READY_MS = 15000,            /* how long a start may take */
	UP_STOP_MS = 45000,             /* how long a stop may take before children are killed; above drain_timeout */
	UP_POLL_MS = 25,
	UP_LOG_SHOWN = 2048,            /* bytes of a log that are shown when a part fails */
};

/* Our own settings stand first: a --set of the same name wins. */
enum { UP_BASE_URL, UP_MIGRATIONS, UP_OWN, UP_OVERRIDES_MAX = UP_OWN + CTL_SET_MAX };

struct up {
	struct instance instance;
	const char *shown_dir;          /* the folder as it was named */
	char *override[UP_OVERRIDES_MAX]; /* NAME=VALUE */
	size_t overrides;
	struct conf *conf;
	bool no_rows;
	char *tz;                       /* TZ as it was given to us */
	pid_t rowcalld, nginx;
	off_t rowcalld_log, nginx_log;  /* where the lines of this start begin in their logs */
	bool ready;
	int rows;
};

static char *setting(const char *name, const char *value)
{
	struct buf b = BUF_MALLOC;

	buf_printf(&b, "%s=%s", name, value);
	return (char *)buf_text(&b);
}

static int parse_port(const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (*text == '\0' || *end != '\0' || n < 0 || n > 65535)
		exit(ctl_fail(CTL_USAGE, "`%s` is no port (0 to 65535)", text));
	return n == 0 ? instance_free_port() : (int)n;
}

/* Options that are a setting under another name. */
static const struct { const char *option, *setting; } setting_options[] = {
	{ "workers", "workers" }, { "allow-upstream", "allow_upstream" },
};

/* An exit code. */
static int take_option(struct up *u, const char *option, const char *value)
{
	for (size_t i = 0; i < sizeof(setting_options) / sizeof(setting_options[0]); i++)
		if (strcmp(option, setting_options[i].option) == 0)
			u->override[u->overrides++] = setting(setting_options[i].setting, value);
	if (strcmp(option, "set") != 0)
		return CTL_OK;
	if (!strchr(value, '='))
		return ctl_fail(CTL_USAGE, "--set wants NAME=VALUE, not `%s`", value);
	u->override[u->overrides++] = mem_strdup(value);
	return CTL_OK;
}

static int parse(struct up *u, const struct ctl_args *args)
{
	const char *port = ctl_value(args, "port"), *http_port = ctl_value(args, "http-port"), *share = ctl_value(args, "share");
	int code = CTL_OK;

	u->instance.port = port ? parse_port(port) : UP_PORT;
	u->instance.http_port = http_port ? parse_port(http_port) : 0;
	u->instance.share = share ? share : PKGDATADIR;
	u->no_rows = ctl_has(args, "no-rows");
	u->shown_dir = args->words ? args->word[0] : "./instance";
	for (unsigned i = 0; i < args->sets && code == CTL_OK; i++)
		code = take_option(u, args->set[i].option->name, args->set[i].value);
	return code;
}

static int open_dir(struct up *u)
{
	const char *share = u->instance.share;

	if ((u->instance.share = realpath(share, NULL)) == NULL)
		return ctl_fail(CTL_FAILED, "%s: %s; --share names the folder where conf and migrations are", share, strerror(errno));
	if (mkdir(u->shown_dir, 0750) < 0 && errno != EEXIST)
		return ctl_fail(CTL_FAILED, "cannot make %s: %s", u->shown_dir, strerror(errno));
	if ((u->instance.dir = realpath(u->shown_dir, NULL)) == NULL)
		return ctl_fail(CTL_FAILED, "%s: %s", u->shown_dir, strerror(errno));
	return 0;
}

/* Before anything in the folder is touched: another start may be using it, and its ports. */
static int check_free(const struct up *u)
{
	const struct { const char *option; int port; } ports[] = { { "--port", u->instance.port }, { "--http-port", u->instance.http_port } };
	long pid = instance_running(&u->instance);

	if (pid > 0)
		return ctl_fail(CTL_FAILED, "the service in %s is running already (process %ld)", u->shown_dir, pid);
	if (u->instance.port == u->instance.http_port)
		return ctl_fail(CTL_USAGE, "--port and --http-port are both %d", u->instance.port);
	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
		if (ports[i].port > 0 && !instance_port_free(ports[i].port))
			return ctl_fail(CTL_FAILED, "cannot listen on port %d: %s; choose another with %s (0: any free one)", ports[i].port,
			    strerror(errno), ports[i].option);
	return 0;
}

static int load_conf(struct up *u)
{
	struct buf path = BUF_MALLOC, value = BUF_MALLOC;
	struct problem why = { 0 };

	buf_printf(&value, "https://localhost:%d", u->instance.port);
	u->override[UP_BASE_URL] = setting("base_url", buf_text(&value));
	buf_clear(&value);
	buf_printf(&value, "%s/migrations", u->instance.share);
	u->override[UP_MIGRATIONS] = setting("migrations_dir", buf_text(&value));
	buf_printf(&path, "%s/rowcall.conf", u->instance.dir);
	u->conf = conf_load(buf_text(&path), u->override, u->overrides, &why);
	buf_free(&path);
	buf_free(&value);
	return u->conf ? 0 : ctl_problem(CTL_CONFIG, &why);
}

/* Starts argv with output at the end of the log, in a process group of its own so that the terminal's Ctrl-C reaches only us; it is stopped by
 * `parent_gone` when we die. *log_from: where the log ended before. */
static pid_t start(const struct up *u, const char *const argv[], const char *log, off_t *log_from, int parent_gone)
{
	struct buf path = BUF_MALLOC;
	sigset_t none;
	pid_t pid;
	int fd;

	buf_printf(&path, "%s/log/%s", u->instance.dir, log);
	fd = open(buf_text(&path), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
	buf_free(&path);
	if (fd < 0)
		return -1;
	*log_from = lseek(fd, 0, SEEK_END);
	if ((pid = fork()) < 0) {
		close(fd);
		return -1;
	}
	if (pid == 0) {
		int null = open("/dev/null", O_RDONLY);

		if (u->tz)      /* conf_load has set it for the built-in functions */
			setenv("TZ", u->tz, 1);
		else
			unsetenv("TZ");
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		signal(SIGPIPE, SIG_DFL);
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, parent_gone);
		dup2(null, 0);
		dup2(fd, 1);
		dup2(fd, 2);
		execv(argv[0], (char *const *)argv);
		dprintf(2, "%s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	close(fd);
	return pid;
}

static int start_rowcalld(struct up *u)
{
	char *program = ctl_find_daemon();
	const char *argv[2 * UP_OVERRIDES_MAX + 8];
	size_t n = 0;

	if (program == NULL)
		return ctl_fail(CTL_FAILED, "rowcalld is neither beside rowcall nor in " SBINDIR);
	argv[n++] = program;
	argv[n++] = "-c";
	argv[n++] = u->conf->path;
	for (size_t i = 0; i < u->overrides; i++) {
		argv[n++] = "-o";
		argv[n++] = u->override[i];
	}
	argv[n] = NULL;
	u->rowcalld = start(u, argv, "rowcalld.log", &u->rowcalld_log, SIGTERM);
	free(program);
	return u->rowcalld > 0 ? 0 : ctl_fail(CTL_FAILED, "rowcalld cannot be started: %s", strerror(errno));
}

static int start_nginx(struct up *u)
{
	static const char *const dirs[] = { "/usr/sbin", "/usr/local/sbin", "/usr/bin", "/usr/local/bin", NULL };
	char *program = ctl_find_program("nginx", dirs);
	const char *const argv[] = { program, "-p", u->instance.dir, "-e", "log/nginx-error.log", "-c", "nginx.conf", NULL };

	if (program == NULL)
		return ctl_fail(CTL_FAILED, "nginx is not installed (Debian: apt-get install nginx-light)");
	u->nginx = start(u, argv, "nginx-error.log", &u->nginx_log, SIGQUIT);
	free(program);
	return u->nginx > 0 ? 0 : ctl_fail(CTL_FAILED, "nginx cannot be started: %s", strerror(errno));
}

static bool gone(pid_t *pid)
{
	if (*pid > 0 && waitpid(*pid, NULL, WNOHANG) == *pid)
		*pid = 0;
	return *pid == 0;
}

/* Asks the whole way, through nginx and TLS, until a call would work or a part has ended. */
static void wait_ready(void *arg)
{
	struct up *u = arg;
	int64_t end = clock_mono_us() + (int64_t)UP_READY_MS * 1000;
	struct arena *a = arena_new();
	struct problem why = { 0 };

	if (outbound_init(u->conf, &why) < 0) {
		ctl_problem(0, &why);
		arena_free(a);
		return;
	}
	while (!u->ready && clock_mono_us() < end && !gone(&u->rowcalld) && !gone(&u->nginx)) {
		struct outbound_request q = { .arena = a, .method = str_of("GET"), .timeout_ms = 1000 };
		struct outbound_response r = { 0 };

		q.url = str_of(arena_printf(a, "https://localhost:%d/api/healthz", u->instance.port));
		outbound_fetch(&q, &r);
		u->ready = r.status == 200;
		if (!u->ready)
			fiber_sleep(UP_POLL_MS);
		arena_reset(a);
	}
	outbound_done();
	arena_free(a);
}

/* The client's own settings: loopback is allowed, our certificate is trusted. */
static int await(struct up *u)
{
	static char loopback4[] = "allow_upstream=127.0.0.1", loopback6[] = "allow_upstream=::1";
	struct buf ca = BUF_MALLOC;
	struct problem why = { 0 };
	struct conf *mine;
	struct up probe = *u;
	char *override[UP_OVERRIDES_MAX + 3];

	memcpy(override, u->override, u->overrides * sizeof(*override));
	buf_printf(&ca, "upstream_ca_file=%s/tls/cert.pem", u->instance.dir);
	override[u->overrides] = loopback4;
	override[u->overrides + 1] = loopback6;
	override[u->overrides + 2] = (char *)buf_text(&ca);
	mine = conf_load(u->conf->path, override, u->overrides + 3, &why);
	if (mine == NULL)
		return ctl_problem(CTL_CONFIG, &why);
	probe.conf = mine;
	loop_init();
	fiber_main(wait_ready, &probe);
	loop_done();
	u->ready = probe.ready;
	u->rowcalld = probe.rowcalld;
	u->nginx = probe.nginx;
	conf_free(mine);
	buf_free(&ca);
	return 0;
}

/* What a log got since the start of its program, the last of it when that is long. */
static void show_log(const struct up *u, bool nginx)
{
	struct buf path = BUF_MALLOC, shown = BUF_MALLOC;
	char tail[UP_LOG_SHOWN];
	off_t from = nginx ? u->nginx_log : u->rowcalld_log;
	ssize_t n = 0;
	int fd;

	buf_printf(&path, "%s/log/%s", u->instance.dir, nginx ? "nginx-error.log" : "rowcalld.log");
	fd = open(buf_text(&path), O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		off_t end = lseek(fd, 0, SEEK_END);

		n = pread(fd, tail, sizeof(tail), end - from > UP_LOG_SHOWN ? end - UP_LOG_SHOWN : from);
		close(fd);
	}
	for (struct str rest = str_make(tail, n > 0 ? (size_t)n : 0), line; rest.p != NULL && rest.n > 0;) {
		line = str_cut(&rest, '\n');
		buf_puts(&shown, "  ");
		escape_add(&shown, ESCAPE_TERMINAL, line);
		buf_putc(&shown, '\n');
	}
	fprintf(stderr, "%s:\n%s", buf_text(&path), buf_text(&shown));
	buf_free(&path);
	buf_free(&shown);
}

static void stop_child(pid_t *pid, int signal_number)
{
	int64_t end = clock_mono_us() + (int64_t)UP_STOP_MS * 1000;

	if (*pid <= 0)
		return;
	kill(*pid, signal_number);
	while (!gone(pid) && clock_mono_us() < end)
		usleep(10 * 1000);
	if (*pid > 0) {
		kill(-*pid, SIGKILL);
		waitpid(*pid, NULL, 0);
		*pid = 0;
	}
}

/* nginx first: it finishes what it has, and the workers answer until then. */
static void stop(struct up *u)
{
	stop_child(&u->nginx, SIGQUIT);
	stop_child(&u->rowcalld, SIGTERM);
}

static void load_starter_rows(struct up *u)
{
	struct buf dir = BUF_MALLOC;
	char *path;
	struct load l = { .conf = u->conf, .quiet = true };

	buf_printf(&dir, "%s/conf/rows", u->instance.share);
	path = (char *)buf_text(&dir);
	l.path = &path;
	l.paths = 1;
	load_rows(&l);
	u->rows = l.loaded;
	if (l.failed > 0)
		ctl_fail(0, "%d of the starter rows were refused", l.failed);
	buf_free(&dir);
}

static void greet(const struct up *u)
{
	const char *d = u->shown_dir;
	const char *base = u->conf->base_url;

	printf("Rowcall is ready at %s\n", base);
	if (u->instance.http_port)
		printf("  plain HTTP   http://127.0.0.1:%d\n", u->instance.http_port);
	if (u->rows)
		printf("  loaded       %d starter rows\n", u->rows);
	printf("  owner's key  TERMINAL_KEY in %s/secrets.env\n"
	       "  logs         %s/log\n"
	       "\nRead a contract, call the row, see the receipts:\n"
	       "  curl -sS --cacert %s/tls/cert.pem '%s/api/dispatch?key=NOW&format=markdown'\n"
	       "  curl -sS --cacert %s/tls/cert.pem -H \"x-terminal-key: $(sed -n s/^TERMINAL_KEY=//p %s/secrets.env)\" -H 'content-type: application/json' "
	       "-d '{\"key\":\"NOW\"}' %s/api/dispatch\n"
	       "  curl -sS --cacert %s/tls/cert.pem -H \"x-terminal-key: $(sed -n s/^TERMINAL_KEY=//p %s/secrets.env)\" '%s/api/dispatch?ledger=1'\n"
	       "\nCtrl-C stops it.\n", d, d, d, base, d, d, base, d, d, base);
	fflush(stdout);
}

/* Until a signal to stop, or a part ends by itself. */
static int supervise(struct up *u, const sigset_t *signals)
{
	for (;;) {
		int s = sigwaitinfo(signals, NULL);

		if (s == SIGHUP) {
			kill(u->rowcalld, SIGHUP);
			kill(u->nginx, SIGHUP);
		} else if (s == SIGCHLD) {
			bool nginx = gone(&u->nginx), rowcalld = gone(&u->rowcalld);

			if (nginx || rowcalld) {
				ctl_fail(0, "%s ended by itself", nginx ? "nginx" : "rowcalld");
				show_log(u, nginx);
				return CTL_FAILED;
			}
		} else if (s > 0) {
			return CTL_OK;
		}
	}
}

static int run(struct up *u)
{
	sigset_t signals;
	int rc = CTL_FAILED;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGQUIT);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	if (start_rowcalld(u) == 0 && start_nginx(u) == 0 && await(u) == 0) {
		if (u->ready) {
			if (!u->no_rows && instance_wants_rows(&u->instance))
				load_starter_rows(u);
			instance_has_rows(&u->instance);
			greet(u);
			rc = supervise(u, &signals);
		} else {
			ctl_fail(0, "%s", gone(&u->rowcalld) ? "rowcalld did not start" : gone(&u->nginx) ? "nginx did not start" : "the service did not become ready");
			show_log(u, gone(&u->nginx) && !gone(&u->rowcalld));
		}
	}
	stop(u);
	return rc;
}

static int prepare(struct up *u, const struct ctl_args *args)
{
	struct problem why = { 0 };
	int rc = parse(u, args);

	if (rc != 0 || (rc = open_dir(u)) != 0 || (rc = check_free(u)) != 0)
		return rc;
	if (instance_nginx(&u->instance, &why) < 0 || instance_prepare(&u->instance, &why) < 0)
		return ctl_problem(CTL_FAILED, &why);
	return load_conf(u);
}

int ctl_up(const struct ctl_args *args)
{
	struct up u = { .overrides = UP_OWN, .tz = mem_strdup(getenv("TZ")) };
	int rc = prepare(&u, args);

	if (rc == 0)
		rc = run(&u);
	conf_free(u.conf);
	for (size_t i = 0; i < u.overrides; i++)
		free(u.override[i]);
	free(u.tz);
	free(u.instance.dir);
	free((char *)u.instance.share);
	return rc;
}
