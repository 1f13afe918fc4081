/* The service itself: index, health, status, metrics, circuit breakers. */
#include "config.h"
#include <inttypes.h>
#include "base/clock.h"
#include "call/breaker.h"
#include "call/outbound.h"
#include "loop/fiber.h"
#include "store/db.h"
#include "store/shared.h"
#include "store/write.h"
#include "web/emit.h"
#include "web/fastcgi.h"
#include "web/rest.h"

enum { SLOT_WRITER, SLOT_EXEC, SLOT_WORKERS };  /* of shared->pid */
enum { WRITER_ANSWER_MS = 1000 };               /* that a writer which works may take to say so */

void rest_service_index(struct rest *r)
{
	const char *base = r->service->conf->base_url;
	struct json_object *o = json_object_new_object();

	json_put_text(o, "service", PACKAGE_NAME);
	json_put_text(o, "version", PACKAGE_VERSION);
	json_put_text(o, "protocol", arena_printf(r->arena, "%s/api/dispatch", base));
	json_put_text(o, "rows", arena_printf(r->arena, "%s/api/directory", base));
	json_put_text(o, "registry", arena_printf(r->arena, "%s/api/dispatch?registry=1", base));
	json_put_text(o, "health", arena_printf(r->arena, "%s/api/healthz", base));
	response_json(r->res, 200, o);
}

static bool readable(struct db *db, enum sql_id id)
{
	int64_t version;
	bool found;

	return db_one_int(db, id, &version, &found, "") == 0 && found;
}

/* A writer that is stopped, or stuck in its disk, looks ready. */
static bool writer_answers(const struct rest *r)
{
	struct problem why = { 0 };

	return !atomic_load(&r->service->shared->writer_ready) || write_ask(r->arena, WRITER_ANSWER_MS, &why) == 0;
}

/* A call works when the directory can be read and its receipt can be written. */
static struct json_object *problems(const struct rest *r)
{
	struct shared *s = r->service->shared;
	struct directory *d = r->service->directory;
	const struct { bool good; const char *what; } checks[] = {
		{ atomic_load(&s->writer_ready) != 0, "the writer is not ready" },
		{ writer_answers(r), "the writer does not answer" },
		{ atomic_load(&s->ledger_healthy) != 0, "ledger.db cannot be written" },
		{ atomic_load(&s->directory_healthy) != 0, "directory.db cannot be written" },
		{ readable(directory_db(d), SQL_DIRECTORY_DATA_VERSION), "directory.db cannot be read" },
		{ readable(directory_ledger(d), SQL_LEDGER_DATA_VERSION), "ledger.db cannot be read" },
	};
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		if (!checks[i].good)
			json_object_array_add(list, json_object_new_string(checks[i].what));
	}
	return list;
}

void rest_service_healthz(struct rest *r)
{
	struct json_object *list = problems(r), *o = json_object_new_object();
	struct problem why = { 0 };

	if (!json_object_array_length(list)) {
		json_object_put(list);
		json_put_bool(o, "ok", true);
		response_json(r->res, 200, o);
		return;
	}
	problem_set(&why, 503, "not_ready");
	json_put_bool(o, "ok", false);
	json_put(o, "problems", list);
	response_problem(r->res, &why, o);
}

static void emit_processes(const struct shared *s, struct buf *out)
{
	emit_begin(out, "processes", '{');
	emit_int(out, "writer", atomic_load(&s->pid[SLOT_WRITER]));
	emit_begin(out, "workers", '[');
	for (int i = SLOT_WORKERS; i < SHARED_WORKERS_MAX + SLOT_WORKERS; i++) {
		pid_t pid = atomic_load(&s->pid[i]);

		if (pid)
			emit_int(out, NULL, pid);
	}
	emit_end(out, ']');
	emit_end(out, '}');
}

void rest_service_status(struct rest *r)
{
	struct shared *s = r->service->shared;
	struct json_object *list = arena_json(r->arena, problems(r));
	struct buf out = BUF_ARENA(r->arena), text = BUF_ARENA(r->arena);
	char started[CLOCK_ISO];

	clock_iso(s->started_ms, started);
	json_text(&text, list);
	emit_begin(&out, NULL, '{');
	emit_text(&out, "service", PACKAGE_NAME);
	emit_text(&out, "version", PACKAGE_VERSION);
	emit_bool(&out, "ok", !json_object_array_length(list));
	emit_raw(&out, "problems", buf_str(&text));
	emit_text(&out, "started_at", started);
	emit_int(&out, "uptime_s", (clock_ms() - s->started_ms) / 1000);
	emit_processes(s, &out);
	emit_begin(&out, "generations", '{');
	emit_int(&out, "rows", (int64_t)atomic_load(&s->rows_generation));
	emit_int(&out, "authority", (int64_t)atomic_load(&s->authority_generation));
	emit_end(&out, '}');
	emit_begin(&out, "this_worker", '{');
	emit_int(&out, "requests", fastcgi_active());
	emit_int(&out, "streams", fastcgi_streams());
	emit_int(&out, "upstream_calls", outbound_active());
	emit_int(&out, "fibers", fiber_count());
	emit_end(&out, '}');
	emit_begin(&out, "counters", '{');
	for (int c = 0; c < COUNT_N; c++)
		emit_int(&out, shared_counter_name((enum shared_counter)c), (int64_t)atomic_load(&s->counter[c]));
	emit_end(&out, '}');
	emit_end(&out, '}');
	response_text(r->res, 200, "application/json", emit_done(&out));
}

static void gauge(struct buf *out, const char *name, const char *help, int64_t v)
{
	buf_printf(out, "# HELP rowcall_%s %s\n# TYPE rowcall_%s gauge\nrowcall_%s %" PRId64 "\n", name, help, name,
		   name, v);
}

void rest_service_metrics(struct rest *r)
{
	struct shared *s = r->service->shared;
	struct buf out = BUF_ARENA(r->arena);
	int64_t workers = 0;

	for (int i = SLOT_WORKERS; i < SHARED_WORKERS_MAX + SLOT_WORKERS; i++)
		workers += atomic_load(&s->pid[i]) != 0;
	for (int c = 0; c < COUNT_N; c++) {
		const char *name = shared_counter_name((enum shared_counter)c);

		buf_printf(&out, "# TYPE rowcall_%s_total counter\nrowcall_%s_total %" PRIu64 "\n", name, name,
			   atomic_load(&s->counter[c]));
	}
	gauge(&out, "start_time_seconds", "When the service started, seconds since 1970.", s->started_ms / 1000);
	gauge(&out, "workers", "Worker processes that are alive.", workers);
	gauge(&out, "writer_ready", "1 while the writer takes writes.", atomic_load(&s->writer_ready) != 0);
	gauge(&out, "ledger_healthy", "0 while ledger.db cannot be written.", atomic_load(&s->ledger_healthy) != 0);
	gauge(&out, "directory_healthy", "0 while directory.db cannot be written.",
	      atomic_load(&s->directory_healthy) != 0);
	gauge(&out, "rows_generation", "Raised by each change of the directory.",
	      (int64_t)atomic_load(&s->rows_generation));
	response_text(r->res, 200, "text/plain; version=0.0.4; charset=utf-8", buf_str(&out));
}

void rest_service_breakers(struct rest *r)
{
	struct problem why = { 0 };
	struct json_object *list = breaker_list(r->service->directory, r->arena, &why), *o;

	if (!list) {
		router_fail(r, &why);
		return;
	}
	o = json_object_new_object();
	json_put_int(o, "count", (int64_t)json_object_array_length(list));
	json_put(o, "breakers", json_object_get(list));
	response_json(r->res, 200, o);
}

void rest_service_breaker_reset(struct rest *r)
{
	struct problem why = { 0 };
	struct json_object *o;
	bool had;

	if (breaker_reset(r->service->directory, r->arena, r->arg[0], r->caller.actor, r->trace.id, &had, &why) < 0) {
		router_fail(r, &why);
		return;
	}
	o = json_object_new_object();
	json_put_bool(o, "ok", true);
	json_put_str(o, "key", r->arg[0]);
	json_put_int(o, "deleted", had);
	response_json(r->res, 200, o);
}
