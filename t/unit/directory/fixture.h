/* A directory with the real writer behind it, in a folder of its own: what a worker has, without the web. */
#ifndef T_UNIT_DIRECTORY_FIXTURE_H
#define T_UNIT_DIRECTORY_FIXTURE_H
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../store/fixture.h"
#include "base/log.h"
#include "daemon/writer.h"
#include "directory/mutate.h"
#include "loop/fiber.h"
#include "loop/loop.h"

static struct {
	struct conf conf;
	struct shared *shared;
	struct secrets *secrets;
	struct directory *d;
	struct arena *a;
	pid_t writer;
	void (*fn)(void);
	void (*after)(void);            /* with the files, when the writer has gone */
} service;

static inline void service_die(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(1);
}

static inline int service_listen(const char *path)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	snprintf(sa.sun_path, sizeof(sa.sun_path), "%s", path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&sa, sizeof(sa)) < 0 || listen(fd, 64) < 0)
		service_die("no socket");
	return fd;
}

static inline void service_start_writer(void)
{
	int fd = service_listen(fixture_path("writer.sock"));

	fflush(stdout);
	service.writer = fork();
	if (service.writer == 0) {
		log_init("writer", LOG_LEVEL_ERROR);
		_exit(writer_main(&service.conf, service.shared, fd));
	}
	close(fd);
	if (!shared_wait_writer(service.shared, 10000))
		service_die("the writer does not start");
}

static inline void service_write_secrets(void)
{
	const char *path = fixture_path("secrets.env");
	FILE *f = fopen(path, "we");

	if (!f)
		service_die("no secrets file");
	fputs("TERMINAL_KEY=owner-key-of-24-characters-or-more\nWEATHER_KEY=sekret-4711-value\n", f);
	fclose(f);
	chmod(path, 0600);
	service.secrets = secret_open(path, NULL);
	if (!service.secrets)
		service_die("secrets file refused");
}

static inline void service_body(void *arg)
{
	struct problem why = { 0 };

	(void)arg;
	service.d = directory_open(&service.conf, service.shared, &why);
	if (!service.d)
		service_die(why.detail);
	service.a = arena_new();
	service.fn();
	arena_free(service.a);
	directory_close(service.d);
}

/* Runs fn in a fiber of a process that is registered as a worker. */
static inline void service_run(void (*fn)(void))
{
	int status;

	fixture_make();
	service.conf = (struct conf){
		.data_dir = fixture_dir,
		.run_dir = fixture_dir,
		.migrations_dir = strdup(fixture_migrations()),
		.synchronous = strdup("NORMAL"),
		.allow_network_fs = true,
		.max_row_field = 64 * 1024,
		.watcher = strdup(""),
		.idempotency_ms = 60 * 1000,
		.ask_budget = 4096,
		.ask_learned = 10000,
		.ask_learned_row = 64,
		.ask_learned_age_ms = INT64_C(4320) * 3600 * 1000,
		.base_url = strdup("https://rowcall.example"),
	};
	service.shared = shared_new();
	service.fn = fn;
	service_start_writer();
	service_write_secrets();
	atomic_store(&service.shared->pid[2], getpid());
	loop_init();
	write_init(fixture_path("writer.sock"), service.shared, 10000);
	fiber_main(service_body, NULL);
	write_done();
	fiber_done();
	loop_done();
	secret_close(service.secrets);
	kill(service.writer, SIGTERM);
	waitpid(service.writer, &status, 0);
	tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the writer ends well");
	if (service.after)
		service.after();
	free(service.conf.migrations_dir);
	free(service.conf.synchronous);
	free(service.conf.watcher);
	free(service.conf.base_url);
	fixture_remove();
}

static inline struct mutate service_mutate(void)
{
	return (struct mutate){
		.directory = service.d,
		.secrets = service.secrets,
		.arena = service.a,
		.actor = "owner:terminal-key",
		.trace = "t_test",
	};
}

static inline struct json_object *service_json(const char *text)
{
	struct json_object *o = NULL;
	struct problem why = { 0 };

	if (json_parse(service.a, str_of(text), &o, &why) < 0)
		service_die(why.detail);
	return o;
}

/* PUT of a row given as JSON text; 0, or the status of the refusal. */
static inline int service_put(const char *key, const char *text)
{
	struct mutate m = service_mutate();
	struct mutate_result r;
	struct problem why = { 0 };

	if (mutate_put(&m, str_of(key), service_json(text), &r, &why) == 0)
		return 0;
	tap_diag("%s: %d %s %s", key, why.status, why.error, why.detail);
	return why.status;
}

static inline struct entry *service_get(const char *key)
{
	struct entry *e = NULL;
	struct problem why = { 0 };

	directory_refresh(service.d);
	if (directory_get(service.d, service.a, str_of(key), &e, &why) < 0)
		tap_diag("%s: %s", key, why.error);
	return e;
}

#endif
