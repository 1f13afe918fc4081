/* A worker process: opens what requests need, runs the loop, drains at SIGTERM or when its successor is ready. No
 * request logic here: see web/router.h. */
#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sysexits.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/crypto.h"
#include "base/log.h"
#include "base/secret.h"
#include "call/outbound.h"
#include "daemon/worker.h"
#include "directory/directory.h"
#include "loop/fiber.h"
#include "loop/loop.h"
#include "store/write.h"
#include "web/router.h"

enum {
	TIDY_MS = 2000,                 /* how often it is seen whether a rush is over */
	TIDY_RUSH = 64,                 /* stacks that wait for the next fiber: so many ran at a time */
	TIDY_QUIET = 8,                 /* fibers at most, twice in a row: it is over */
	TIDY_STACKS = 16,               /* stacks kept after it */
};

static struct {
	int64_t drain_ms;
	struct loop_fd signals;
	struct loop_timer limit, tidy;
	bool quiet;                     /* at the last look */
	bool draining;
	int code;
} worker;

static void drained(void)
{
	log_info("drained");
	loop_stop();
}

static void out_of_time(struct loop_timer *t)
{
	(void)t;
	log_warn("stopping with %u requests under way: drain_timeout (%" PRId64 " ms) has passed",
	         fastcgi_active(), worker.drain_ms);
	worker.code = EXIT_FAILURE;
	loop_stop();
}

static void drain(const char *why)
{
	if (worker.draining)
		return;
	worker.draining = true;
	log_info("%s: draining %u requests", why, fastcgi_active());
	loop_timer_set(&worker.limit, worker.drain_ms);
	fastcgi_drain(drained);
}

static void successor_ready(void)
{
	drain("successor is ready");
}

/* After a rush of calls the memory that they had goes back to the system: else it stays, since something small lies
 * above it in the heap. It takes a few milliseconds, so not while there is much to do. */
static void tidy(struct loop_timer *t)
{
	bool quiet = fiber_count() - fastcgi_streams() <= TIDY_QUIET;

	if (quiet && worker.quiet && fiber_pooled() >= TIDY_RUSH) {
		fiber_trim(TIDY_STACKS);
		malloc_trim(0);
	}
	worker.quiet = quiet;
	loop_timer_set(t, TIDY_MS);
}

static void signal_ready(struct loop_fd *f, uint32_t events)
{
	struct signalfd_siginfo info;

	(void)events;
	if (read(f->fd, &info, sizeof(info)) == sizeof(info))
		drain(strsignal((int)info.ssi_signo));
}

static void signals_open(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGQUIT);
	sigprocmask(SIG_SETMASK, &set, NULL);
	worker.signals.fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	worker.signals.ready = signal_ready;
	if (worker.signals.fd < 0)
		log_fatal("signalfd: %s", strerror(errno));
	loop_add(&worker.signals, EPOLLIN);
}

static void serve(const struct worker *w)
{
	struct fastcgi_options o = {
		.listen_fd = w->listen_fd,
		.successor_fd = w->successor_fd,
		.max_body = (size_t)w->conf->max_request_body,
		.max_connections = (unsigned)w->conf->max_connections,
		.max_streams = (unsigned)w->conf->max_streams,
		.board = w->board,
		.seat = w->seat,
		.shared = w->shared,
		.handle = router_handle,
		.successor_ready = successor_ready,
	};

	worker.tidy.fire = tidy;
	loop_timer_set(&worker.tidy, TIDY_MS);
	fastcgi_start(&o);
	for (unsigned i = 0; i < w->predecessors; i++)
		fastcgi_adopt(w->predecessor[i]);
	loop_run();
}

int worker_main(const struct worker *w)
{
	struct router_context context = { .conf = w->conf, .shared = w->shared };
	struct problem why = { 0 };
	struct buf path = BUF_MALLOC;

	worker.drain_ms = w->conf->drain_ms;
	worker.limit.fire = out_of_time;
	worker.code = EX_CONFIG;
	loop_init();
	signals_open();
	crypto_init();
	buf_printf(&path, "%s/writer.sock", w->conf->run_dir);
	write_init(buf_text(&path), w->shared, w->conf->write_timeout_ms);
	context.secrets = secret_open(w->conf->secrets_file, &why);
	if (context.secrets)
		context.directory = directory_open(w->conf, w->shared, &why);
	if (context.directory && outbound_init(w->conf, &why) == 0) {
		router_init(&context);
		worker.code = 0;
		serve(w);
		outbound_done();
	} else {
		log_error("%s", why.detail[0] ? why.detail : why.error);
		worker.code = context.secrets && why.status == 503 ? EXIT_FAILURE : EX_CONFIG;
	}
	/* At the limit of a drain fibers are alive and hold what would be closed here: the process ends instead. */
	if (fiber_count() == 0) {
		router_done();
		directory_close(context.directory);
		secret_close(context.secrets);
		write_done();
		fiber_done();
		loop_done();
	}
	buf_free(&path);
	return worker.code;
}
