/* Receipts a second through the real writer with 1, 16 and 64 under way, against the rate of plain fdatasync on the
 * same disk in the same run. Not a test: the machine decides the figures, so read the ratios. Usage: writer [FOLDER
 * [ROUNDS]]; the folder should be on the disk that will hold the data. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/crypto.h"
#include "base/log.h"
#include "call/receipt.h"
#include "daemon/writer.h"
#include "unit/store/service.h"

enum { SECONDS_US = 1000000, LEVELS = 3, ROUNDS_MAX = 99, PAYLOAD_MAX = 4096 };

static const int level[LEVELS] = { 1, 16, 64 };
static struct conf conf;
static struct { int64_t end; long done; } run;
static double rate[LEVELS][ROUNDS_MAX], raw_rate[ROUNDS_MAX];

static int play_writer(int fd)
{
	log_init("writer", LOG_LEVEL_WARN);
	return writer_main(&conf, service_shared, fd);
}

/* A receipt as dispatch writes it: about 400 bytes, its payload 300. */
static void one(void *arg)
{
	static char text[150];
	struct receipt p = {
		.time = "2026-01-01T00:00:00.000Z", .key = "NOW", .runner = "fn", .actor = "owner:terminal-key", .status = "ok",
		.ok = true, .duration_us = 100, .input_form = "string", .input_text = str_make(text, sizeof(text)),
		.output_text = str_make(text, sizeof(text)),
	};

	(void)arg;
	memset(text, 'x', sizeof(text));
	crypto_sha256_hex(p.input_text, p.input);
	memcpy(p.output, p.input, sizeof(p.output));
	memcpy(p.contract, p.input, sizeof(p.contract));
	while (clock_mono_us() < run.end) {
		struct arena *a = arena_new();
		struct write *w = write_new(a, SQL_LEDGER);
		struct problem why = { 0 };

		receipt_new_id("inv_", p.id);
		receipt_new_id("t_", p.trace);
		receipt_add(w, &p, PAYLOAD_MAX);
		if (write_submit(w, &why) < 0)
			log_fatal("a receipt is refused: %s %s", why.error, why.detail);
		run.done++;
		arena_free(a);
	}
}

static void load(void *arg)
{
	struct fiber_group g = { 0 };

	run.done = 0;
	run.end = clock_mono_us() + SECONDS_US;
	for (int i = 0; i < *(const int *)arg; i++)
		fiber_group_start(&g, one, NULL);
	fiber_group_wait(&g);
}

/* Appends of one page over a file that is there already, as the WAL is written. */
static double raw(void)
{
	int fd = open(fixture_path("raw"), O_RDWR | O_CREAT, 0600);
	static char page[4096];
	int64_t start;
	long n = 0;

	for (int i = 0; i < 1024; i++)
		if (pwrite(fd, page, sizeof(page), i * 4096L) < 0)
			return 1;
	fsync(fd);
	for (start = clock_mono_us(); clock_mono_us() < start + SECONDS_US; n++)
		if (pwrite(fd, page, sizeof(page), n % 1024 * 4096) < 0 || fdatasync(fd) < 0)
			return 1;
	close(fd);
	return (double)n * 1e6 / (double)(clock_mono_us() - start);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), by_size);
	return v[n / 2];
}

static void measure(int rounds)
{
	for (int r = 0; r < rounds; r++) {
		raw_rate[r] = raw();
		for (int i = 0; i < LEVELS; i++) {
			int n = level[i];

			loop_init();
			write_init(service_socket(), service_shared, 10000);
			fiber_main(load, &n);
			write_done();
			loop_done();
			rate[i][r] = (double)run.done;
		}
	}
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[2]) : 3;
	double base;
	pid_t pid;

	if (argc > 1)
		setenv("TMPDIR", argv[1], 1);
	if (rounds < 1 || rounds > ROUNDS_MAX)
		return 2;
	log_init("bench", LOG_LEVEL_WARN);
	crypto_init();
	fixture_make();
	service_listen();
	conf = (struct conf){ .data_dir = fixture_dir, .synchronous = (char *)"FULL", .allow_network_fs = true };
	conf.migrations_dir = (char *)fixture_migrations();
	pid = service_start(play_writer);
	if (!shared_wait_writer(service_shared, 10000))
		return 1;
	measure(rounds);
	base = median(raw_rate, rounds);
	printf("fdatasync of one page: %.0f/s (medians of %d rounds of 1 s)\n", base, rounds);
	for (int i = 0; i < LEVELS; i++) {
		double m = median(rate[i], rounds);

		printf("%2d under way: %.0f receipts/s, %.1f times as many\n", level[i], m, m / base);
	}
	printf("writes in a batch: %.1f\n",
		(double)service_shared->counter[COUNT_WRITES] / (double)service_shared->counter[COUNT_WRITE_BATCHES]);
	kill(pid, SIGTERM);
	service_wait(pid);
	fiber_done();
	fixture_remove();
	return 0;
}
