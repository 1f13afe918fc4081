/* The real writer: batches, refusals, roles, kill -9 under load, a disk that is full for a while, intents of the dead.
 * */
#include <fcntl.h>
#include <sys/resource.h>
#include "base/clock.h"
#include "base/crypto.h"
#include "base/log.h"
#include "daemon/writer.h"
#include "store/event.h"
#include "unit/store/service.h"

static struct conf conf;

static int play_writer(int fd)
{
	log_init("writer", LOG_LEVEL_ERROR);
	return writer_main(&conf, service_shared, fd);
}

static pid_t writer_start(void)
{
	pid_t pid;

	shared_writer_ready(service_shared, false);
	pid = service_start(play_writer);
	if (!shared_wait_writer(service_shared, 5000))
		printf("# the writer is not ready\n");
	return pid;
}

static int writer_stop(pid_t pid)
{
	kill(pid, SIGTERM);
	return service_wait(pid);
}

/* Writes are submitted from fibers on a loop that lives as long as one test. */
static void on_fiber(void (*fn)(void *), void *arg, int64_t timeout_ms)
{
	loop_init();
	write_init(service_socket(), service_shared, timeout_ms);
	fiber_main(fn, arg);
	write_done();
	loop_done();
}

static int64_t ask(enum sql_file f, enum sql_id id, const char *types, const char *value)
{
	struct db *d = db_open(fixture_path(f == SQL_DIRECTORY ? "directory.db" : "ledger.db"), f, DB_READ, "FULL",
		NULL);
	int64_t v = -2;
	bool found = false;

	if (!d || db_one_int(d, id, &v, &found, types, value) < 0)
		v = -2;
	else if (!found)
		v = -1;
	db_close(d);
	return v;
}

static int put_kv(struct arena *a, const char *key, const char *value, struct problem *why)
{
	struct write *w = write_new(a, SQL_LEDGER);

	write_add(w, SQL_KV_ROOM, "t", key);
	write_add(w, SQL_KV_PUT, "ttt", key, value, "now");
	return write_submit(w, why);
}

static void add_receipt(struct write *w, const char *id, const char *key)
{
	write_add(w, SQL_RECEIPT_ADD, "ttttttniiiitntttinninnii", id, "2026-01-01T00:00:00.000Z", key, "fn", "owner", "ok",
		(int64_t)1, (int64_t)1, (int64_t)0,
		(int64_t)100, "t_1", "aa", "bb", "cc", (int64_t)0, (int64_t)1, (int64_t)0, (int64_t)0);
	write_add(w, SQL_PAYLOAD_ADD, "ttttiii", id, "input", "string", "output", (int64_t)0, (int64_t)0, (int64_t)0);
	write_proof(w, SQL_RECEIPT_APPLIED, "t", id);
}

static void add_intent(struct write *w, const char *id)
{
	write_add(w, SQL_INTENT_ADD, "ttttttnttinnttiinn", id, "2026-01-01T00:00:00.000Z", "K", "http", "owner", "t_1",
		"aa", "cc", (int64_t)0, "the input", "string",
		(int64_t)0, (int64_t)0);
	write_proof(w, SQL_INTENT_APPLIED, "t", id);
}

/* Many at once */

enum { FIBERS = 100 };

struct job { int i, rc; struct problem why; int64_t result; };

static void one_event(void *arg)
{
	struct job *j = arg;
	struct arena *a = arena_new();
	struct write *w = write_new(a, SQL_DIRECTORY);
	struct event e = { .action = "DIRECTORY_MUTATE", .operation = "put", .key = j->i % 4 ? "K" : "OLD",
		.actor = "owner" };

	if (j->i % 8 == 0)
		write_add(w, SQL_ROW_UNCHANGED, "ti", "OLD", (int64_t)7);
	event_add(w, &e);
	if (j->i % 8 == 4)      /* refused when the event is there already */
		write_add(w, SQL_ROW_UNCHANGED, "ti", "OLD", (int64_t)7);
	j->rc = write_submit(w, &j->why);
	j->result = write_result(w);
	arena_free(a);
}

static void all_events(void *arg)
{
	struct fiber_group g = { 0 };

	for (int i = 0; i < FIBERS; i++)
		fiber_group_start(&g, one_event, (struct job *)arg + i);
	fiber_group_wait(&g);
}

static void batches(void)
{
	static struct job j[FIBERS];
	uint64_t generation = service_shared->rows_generation, writes = service_shared->counter[COUNT_WRITES],
		batches_before = service_shared->counter[COUNT_WRITE_BATCHES];
	int good = 0, refused = 0;
	int64_t highest = 0;

	for (int i = 0; i < FIBERS; i++)
		j[i].i = i;
	on_fiber(all_events, j, 5000);
	for (int i = 0; i < FIBERS; i++) {
		good += j[i].rc == 0;
		refused += j[i].rc < 0 && j[i].why.status == 409 && strcmp(j[i].why.error, "row_changed") == 0;
		highest = j[i].result > highest ? j[i].result : highest;
	}
	tap_is_int(good, FIBERS * 3 / 4, "of many writes at once those without a hindrance are committed");
	tap_is_int(refused, FIBERS / 4,
		"those whose guard gives no row are refused with its code, and hurt no neighbour");
	tap_is_int(highest, FIBERS * 3 / 4, "sequence numbers have no gap, and are the result");
	tap_is_int(ask(SQL_DIRECTORY, SQL_DIRECTORY_VERSION, "", NULL), FIBERS * 3 / 4, "a reader sees them");
	tap_ok(service_shared->counter[COUNT_WRITES] - writes == FIBERS * 3 / 4 &&
		service_shared->counter[COUNT_WRITE_BATCHES] - batches_before < 20,
		"they shared commits");
	tap_ok(service_shared->rows_generation > generation, "the generation of rows was raised");
}

static void refusals(void *arg)
{
	struct arena *a = arena_new();
	struct problem why = { 0 };
	struct write *w;

	(void)arg;
	w = write_new(a, SQL_LEDGER);
	add_receipt(w, "inv_a", "K");
	tap_is_int(write_submit(w, &why), 0, "a receipt is written");
	w = write_new(a, SQL_LEDGER);
	write_add(w, SQL_KV_PUT, "ttt", "before", "x", "now");
	add_receipt(w, "inv_a", "K");
	tap_ok(write_submit(w, &why) == -1 && strcmp(why.error, "receipt_exists") == 0,
		"a second one with its id is refused by the statement's code");
	tap_is_int(ask(SQL_LEDGER, SQL_KV_ROOM, "t", "before"), 1, "there is room");
	tap_is_int(ask(SQL_LEDGER, SQL_KV_GET, "t", "before"), -1, "and nothing of the refused write is stored");
	w = write_new(a, SQL_LEDGER);
	write_add(w, SQL_PAYLOAD_ADD, "ttttiii", "inv_none", "i", "string", "o", (int64_t)0, (int64_t)0, (int64_t)0);
	tap_ok(write_submit(w, &why) == -1 && strcmp(why.error, "receipt_missing") == 0,
		"a statement that must change one row and changes none is refused");
	w = write_new(a, SQL_LEDGER);
	write_add(w, SQL_LEDGER_PROBE, "t", "x");
	tap_ok(write_submit(w, &why) == -1 && strcmp(why.error, "not_allowed") == 0,
		"a statement of the writer's own is not allowed");
	tap_ok(put_kv(a, "k", "v", &why) == 0, "and the connection goes on");
	arena_free(a);
}

static int stranger(int fd)
{
	struct arena *a = arena_new();
	struct problem why = { 0 };

	(void)fd;
	fiber_done();
	put_kv(a, "k", "v", &why);
	return strcmp(why.error, "not_allowed") == 0 ? 0 : 1;
}

static void as_stranger(void *arg)
{
	*(int *)arg = stranger(-1);
}

static int play_stranger(int fd)
{
	int rc = 9;

	(void)fd;
	on_fiber(as_stranger, &rc, 3000);
	return rc;
}

static void roles(void)
{
	tap_is_int(service_wait(service_fork(play_stranger)), 0,
		"the admin's command may not send a worker's statements");
}

/* Raw connections */

static int raw(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%.100s", service_socket());
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		return -1;
	return fd;
}

static bool is_closed(int fd)
{
	char c;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){ .tv_sec = 3 }, sizeof(struct timeval));
	return read(fd, &c, 1) == 0;
}

static void frame(struct buf *b, enum sql_id id, const char *types, ...)
{
	va_list ap;

	buf_clear(b);
	wire_begin(b, 1, SQL_LEDGER, false);
	va_start(ap, types);
	wire_statement(b, id, false, types, ap);
	va_end(ap);
	wire_end(b);
}

static void plain_put(void *arg)
{
	struct arena *a = arena_new();

	*(int *)arg = put_kv(a, "others", "go on", NULL);
	arena_free(a);
}

static void strangers(void)
{
	struct buf b = BUF_MALLOC;
	struct str f;
	struct wire_answer answer = { 0 };
	char in[4096];
	int fd, rc = -1, half;
	ssize_t n;

	fd = raw();
	tap_ok(write(fd, "GET / HTTP/1.1\r\n\r\n", 18) == 18 && is_closed(fd),
		"bytes that are no frame end the connection");
	close(fd);
	fd = raw();
	frame(&b, SQL_KV_DEL, "t", "k");
	b.data[22] = 0;
	b.data[23] = 0;
	tap_ok(write(fd, b.data, b.len) > 0 && is_closed(fd), "so does a number that is no statement");
	close(fd);
	fd = raw();
	frame(&b, SQL_KV_DEL, "tt", "k", "one too many");
	n = write(fd, b.data, b.len) > 0 ? read(fd, in, sizeof(in)) : -1;
	tap_ok(n > 0 && wire_next(str_make(in, (size_t)n), &f) == 1 && wire_answer_read(f, &answer) == 0 &&
		answer.status == WIRE_FAILED,
		"a wrong number of values fails that write");
	frame(&b, SQL_KV_DEL, "t", "k");
	b.data[8] ^= 1;
	n = write(fd, b.data, b.len) > 0 ? read(fd, in, sizeof(in)) : -1;
	tap_ok(n > 0 && wire_next(str_make(in, (size_t)n), &f) == 1 && wire_answer_read(f, &answer) == 0 &&
		strcmp(answer.code, "other_version") == 0,
		"another build is refused as such");
	half = raw();
	tap_ok(write(half, b.data, b.len - 1) > 0, "half a frame");
	/* Never reads its answers. */
	fcntl(fd, F_SETFL, O_NONBLOCK);
	frame(&b, SQL_KV_DEL, "t", "k");
	for (int i = 0; i < 200000 && (n = write(fd, b.data, b.len)) > 0; i++)
		if ((size_t)n < b.len)
			break;
	on_fiber(plain_put, &rc, 3000);
	tap_is_int(rc, 0, "neither it nor a client that reads no answers holds up the others");
	close(fd);
	close(half);
	buf_free(&b);
}

/* kill -9 */

struct load { int acknowledged, sent, failed; bool stop; char (*id)[32]; };

static void loader(void *arg)
{
	struct load *l = arg;

	while (!l->stop && l->sent < 100000) {
		struct arena *a = arena_new();
		struct write *w = write_new(a, SQL_LEDGER);
		char id[32];

		snprintf(id, sizeof(id), "inv_%d", l->sent++);
		add_receipt(w, id, "LOAD");
		if (write_submit(w, NULL) == 0)
			snprintf(l->id[l->acknowledged++], 32, "%s", id);
		else
			l->failed++;
		arena_free(a);
	}
}

static void murders(void *arg)
{
	struct load *l = arg;
	struct fiber_group g = { 0 };

	for (int i = 0; i < 16; i++)
		fiber_group_start(&g, loader, l);
	for (int i = 0; i < 15; i++) {
		while (!service_shared->writer_ready)
			fiber_sleep(1);
		fiber_sleep(20 + i * 5);
		service_kill(service_shared->pid[0]);
		shared_writer_ready(service_shared, false);
		service_start(play_writer);
	}
	fiber_sleep(500);
	l->stop = true;
	fiber_group_wait(&g);
}

static void killed(void)
{
	struct load l = { .id = calloc(100000, 32) };
	uint64_t generation = service_shared->rows_generation, authority = service_shared->authority_generation;
	struct db *d;
	int missing = 0, bare = 0;

	on_fiber(murders, &l, 20000);
	d = db_open(fixture_path("ledger.db"), SQL_LEDGER, DB_READ, "FULL", NULL);
	for (int i = 0; i < l.acknowledged; i++) {
		struct db_stmt *s = db_start(d, SQL_RECEIPT_GET, "t", l.id[i]), *p;

		if (db_step(s) != 1) {
			missing++;
		} else {
			p = db_start(d, SQL_PAYLOAD_GET, "i", db_int(s, 0));
			bare += db_step(p) != 1;
			db_end(p);
		}
		db_end(s);
	}
	db_close(d);
	tap_ok(l.acknowledged > 100, "under kill -9 of the writer %d writes of %d were acknowledged", l.acknowledged,
		l.sent);
	tap_is_int(l.failed, 0, "with a proof, every one of them: nobody saw the deaths");
	tap_is_int(missing, 0, "none that was acknowledged is lost");
	tap_is_int(bare, 0, "none is half there");
	tap_ok(service_shared->rows_generation >= generation + 15 &&
		service_shared->authority_generation >= authority + 15, "every new writer raised both generations");
	free(l.id);
}

/* A full disk */

static void limit_files(pid_t pid, rlim_t n)
{
	prlimit(pid, RLIMIT_FSIZE, &(struct rlimit){ .rlim_cur = n, .rlim_max = RLIM_INFINITY }, NULL);
}

static void disk(void *arg)
{
	struct arena *a = arena_new();
	struct problem why = { 0 };
	pid_t pid = service_shared->pid[0];
	int64_t start;
	int failed = 0;

	(void)arg;
	put_kv(a, "disk", "before", &why);
	limit_files(pid, 4096);
	for (int i = 0; i < 5; i++)
		failed += put_kv(a, "disk", "during", &why) == -1 && why.status == 503 && strcmp(why.error,
			"ledger_unavailable") == 0;
	tap_is_int(failed, 5, "on a full disk writes fail with 503");
	tap_ok(!write_healthy(SQL_LEDGER) && write_healthy(SQL_DIRECTORY), "the file is marked, the other is not");
	fiber_sleep(1200);
	tap_ok(!write_healthy(SQL_LEDGER) && service_shared->pid[0] == pid && kill(pid, 0) == 0,
		"it stays so while the disk is full, and the writer lives");
	tap_is_int(ask(SQL_LEDGER, SQL_KV_GET, "t", "disk"), 0, "readers go on reading");
	limit_files(pid, RLIM_INFINITY);
	for (start = clock_mono_us(); !write_healthy(SQL_LEDGER) && clock_mono_us() < start + 3000000;)
		fiber_sleep(20);
	tap_ok(write_healthy(SQL_LEDGER), "when there is room again it heals by itself, in %lld ms",
		(long long)(clock_mono_us() - start) / 1000);
	tap_is_int(put_kv(a, "disk", "after", &why), 0, "and writes go on");
	arena_free(a);
}

/* Intents */

static void intend(void *arg)
{
	struct arena *a = arena_new();
	struct write *w = write_new(a, SQL_LEDGER);

	add_intent(w, arg);
	if (write_submit(w, NULL) < 0)
		_exit(1);
	arena_free(a);
}

static int play_worker(int fd)
{
	char *id = getenv("INTENT");

	(void)fd;
	service_shared->pid[3] = getpid();
	on_fiber(intend, id, 3000);
	return 0;
}

static void worker_with_intent(const char *id)
{
	setenv("INTENT", id, 1);
	service_wait(service_fork(play_worker));
	service_shared->pid[3] = 0;
}

static const char *status_of(const char *id)
{
	static char status[32];
	struct db *d = db_open(fixture_path("ledger.db"), SQL_LEDGER, DB_READ, "FULL", NULL);
	struct db_stmt *s = db_start(d, SQL_RECEIPT_GET, "t", id), *p;

	snprintf(status, sizeof(status), "none");
	if (db_step(s) == 1) {
		p = db_start(d, SQL_PAYLOAD_GET, "i", db_int(s, 0));
		snprintf(status, sizeof(status), "%.*s %s", (int)db_text(s, 6).n, db_text(s, 6).p,
			db_step(p) == 1 ? "with input" : "bare");
		db_end(p);
	}
	db_end(s);
	db_close(d);
	return status;
}

static void kept_by_a_living_worker(void *arg)
{
	struct arena *a = arena_new();
	struct write *w = write_new(a, SQL_LEDGER);

	(void)arg;
	add_intent(w, "inv_live");
	tap_is_int(write_submit(w, NULL), 0, "an intent is written");
	service_kill(service_shared->pid[0]);
	writer_start();
	tap_is_str(status_of("inv_live"), "none", "a new writer leaves the intents of living workers alone");
	w = write_new(a, SQL_LEDGER);
	add_receipt(w, "inv_live", "K");
	tap_is_int(write_submit(w, NULL), 0, "and takes the receipt when it comes");
	tap_is_str(status_of("inv_live"), "ok with input", "which takes the place of the intent");
	arena_free(a);
}

static void intents(void)
{
	worker_with_intent("inv_dead");
	for (int i = 0; i < 100 && strcmp(status_of("inv_dead"), "none") == 0; i++)
		usleep(20000);
	tap_is_str(status_of("inv_dead"), "unknown with input",
		"a worker's death makes its intent a receipt with unknown outcome");
	on_fiber(kept_by_a_living_worker, NULL, 3000);
	tap_is_int(ask(SQL_LEDGER, SQL_INTENT_PIDS, "", NULL), -1, "no intent is left open");
}

static void left_behind(void)
{
	struct db *d;
	pid_t pid;

	writer_stop(service_shared->pid[0]);
	d = fixture_open(SQL_LEDGER, DB_WRITE);
	db_exec(d, "INSERT INTO intents (invocation, time, key, runner, actor, trace, pid)"
		" VALUES ('inv_old', '2026', 'K', 'http', 'owner', 't_1', 2097152)");
	db_close(d);
	pid = writer_start();
	tap_is_str(status_of("inv_old"), "unknown bare",
		"what a service that is gone left open is settled before the first frame");
	tap_is_int(writer_stop(pid), 0, "told to stop, the writer ends with 0");
	tap_ok(access(fixture_path("ledger.db-wal"), F_OK) == 0 && access(fixture_path("ledger.db-shm"), F_OK) == 0,
		"and leaves the WAL for its readers");
}

static void stop_late(void *arg)
{
	struct arena *a = arena_new();
	pid_t pid = service_shared->pid[0];

	(void)arg;
	put_kv(a, "stop", "1", NULL);
	kill(pid, SIGTERM);
	fiber_sleep(50);
	tap_is_int(put_kv(a, "stop", "2", NULL), 0, "told to stop, it still takes what its clients send");
	arena_free(a);
}

int main(void)
{
	struct problem why;
	pid_t pid;

	log_init("test", LOG_LEVEL_ERROR);
	signal(SIGPIPE, SIG_IGN);
	crypto_init();
	fixture_make();
	service_listen();
	conf = (struct conf){ .data_dir = fixture_dir, .synchronous = (char *)"FULL", .allow_network_fs = true };
	conf.migrations_dir = strdup(fixture_migrations());
	tap_ok(!db_open(fixture_path("ledger.db"), SQL_LEDGER, DB_READ, "FULL", &why),
		"before the first start there is no file");
	pid = writer_start();
	tap_ok(service_shared->writer_ready, "the writer creates its files and is ready");
	batches();
	on_fiber(refusals, NULL, 3000);
	roles();
	strangers();
	tap_is_int(service_shared->pid[0], pid, "all this by one writer");
	killed();
	on_fiber(disk, NULL, 3000);
	intents();
	on_fiber(stop_late, NULL, 3000);
	tap_is_int(service_wait(service_shared->pid[0]), 0, "and ends with 0 when they have left");
	writer_start();
	left_behind();
	free(conf.migrations_dir);
	fiber_done();
	fixture_remove();
	return tap_done();
}
