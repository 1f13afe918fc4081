/* How well questions in plain words find rows, and how long an answer takes. Usage: ask [FOLDER], else $ROWCALL_ASK:
 * tools.jsonl, lines {"tool", "description"}, become rows; queries.jsonl, lines {"query", "tool"}, are asked. Recall@1,
 * @5, @10 and the mean reciprocal rank are printed without learned questions and with half of the questions learned,
 * each half in turn, asking only the other half. Then the time of an answer with 880 and with 10,000 rows, the added
 * ones made of the words of the given ones. The machine decides the times; the rest is the same everywhere. */
#include <ctype.h>
#include <time.h>
#include "base/clock.h"
#include "call/ask.h"
#include "call/dispatch.h"
#include "call/question.h"
#include "directory/rank.h"
#include "unit/directory/fixture.h"

enum {
	ITEMS_MAX = 5000,               /* lines of a file */
	LINE_MAX_BYTES = 64 * 1024,
	RANKS = 10,                     /* deeper is not looked */
	AT_ONCE = 64,                   /* writes under way */
	SMALL = 880, LARGE = 10000,     /* rows of the timed runs */
	WORDS_OF_ROW = 24,
};

struct question { char *text, *key; int half; };

static struct {
	struct question question[ITEMS_MAX];
	size_t questions;
	struct { char *key, *what; } tool[ITEMS_MAX];
	size_t tools;
	char *word[ITEMS_MAX];          /* of the descriptions, in order */
	size_t words, rows, next;
	uint64_t random;
} in;

static const struct caller owner = { .kind = CALLER_OWNER, .actor = "owner:terminal-key" };
static struct scope *everything;
static struct caller anybody = { .kind = CALLER_ANONYMOUS, .actor = "anonymous" };

/* Reading */

static char *key_of(const char *name)
{
	char *key = strdup(name);

	for (char *p = key; *p; p++)
		if (!isalnum((unsigned char)*p))
			*p = '_';
	return key;
}

static char *line_of(const char *text)
{
	char *line = strdup(text ? text : "");

	for (char *p = line; *p; p++)
		if (iscntrl((unsigned char)*p))
			*p = ' ';
	return line;
}

static void take_tool(const char *tool, const char *text)
{
	in.tool[in.tools].key = key_of(tool);
	in.tool[in.tools++].what = line_of(text);
}

static void take_question(const char *tool, const char *text)
{
	struct question *q = &in.question[in.questions];

	*q = (struct question){ .text = line_of(text), .key = key_of(tool) };
	for (size_t i = 0; i < in.questions; i++)
		q->half ^= strcmp(in.question[i].key, q->key) == 0;
	in.questions++;
}

static void read_lines(const char *folder, const char *name, const char *member,
		       void (*take)(const char *tool, const char *text))
{
	static char line[LINE_MAX_BYTES], path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "re");
	if (!f)
		service_die(path);
	for (int i = 0; i < ITEMS_MAX && fgets(line, sizeof(line), f); i++) {
		struct json_object *o = json_tokener_parse(line);

		if (o)
			take(json_object_get_string(json_get(o, "tool")), json_object_get_string(json_get(o, member)));
		json_object_put(o);
	}
	fclose(f);
}

static void cut_words(void)
{
	for (size_t i = 0; i < in.tools; i++) {
		char *save, *text = strdup(in.tool[i].what);

		for (char *w = strtok_r(text, " ", &save); w && in.words < ITEMS_MAX; w = strtok_r(NULL, " ", &save))
			in.word[in.words++] = strdup(w);
		free(text);
	}
}

/* Writing, AT_ONCE under way */

static unsigned dice(size_t n)
{
	in.random = in.random * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (unsigned)((in.random >> 33) % n);
}

static void write_row(struct arena *a, const char *key, const char *what)
{
	struct mutate m = { .directory = service.d, .arena = a, .actor = owner.actor, .trace = "t_bench" };
	struct json_object *o = arena_json(a, json_object_new_object());
	struct mutate_result result;
	struct problem why = { 0 };

	json_put_text(o, "type", "fn");
	json_put_text(o, "target", "echo");
	json_put_text(o, "content", arena_printf(a, "# WHAT: %s\n[\"$1\"]", what));
	json_put_text(o, "examples", "[\"x\"]");
	if (mutate_put(&m, str_of(key), o, &result, &why) < 0)
		service_die(why.detail[0] ? why.detail : why.error);
}

static void write_rows(void *arg)
{
	(void)arg;
	while (in.next < in.rows) {
		struct arena *a = arena_new();
		size_t i = in.next++;

		if (i < in.tools) {
			write_row(a, in.tool[i].key, in.tool[i].what);
		} else {
			struct buf what = BUF_ARENA(a);

			for (int w = 0; w < WORDS_OF_ROW; w++)
				buf_printf(&what, "%s ", in.word[dice(in.words)]);
			write_row(a, arena_printf(a, "ROW_%zu", i), buf_text(&what));
		}
		arena_free(a);
	}
}

static void teach(struct arena *a, const struct question *q)
{
	struct write *w = write_new(a, SQL_LEDGER);
	struct entry *e = NULL;
	struct problem why = { 0 };
	char id[QUESTION_ID];

	directory_get(service.d, a, str_of(q->key), &e, &why);
	if (!e)
		service_die(q->key);
	question_add(w, a, &owner, str_of(q->text), id);
	question_teach(w, a, &owner, str_of(id), e);
	if (write_submit(w, &why) < 0)
		service_die(why.error);
}

static void teach_all(void *arg)
{
	while (in.next < in.questions) {
		struct arena *a = arena_new();
		const struct question *q = &in.question[in.next++];

		if (q->half == *(const int *)arg)
			teach(a, q);
		arena_free(a);
	}
}

static void many(void (*fn)(void *), void *arg)
{
	struct fiber_group g = { 0 };

	in.next = 0;
	for (int i = 0; i < AT_ONCE; i++)
		fiber_group_start(&g, fn, arg);
	fiber_group_wait(&g);
	directory_refresh(service.d);
}

static void fill(size_t rows)
{
	in.rows = rows;
	many(write_rows, NULL);
}

static void forget(void)
{
	struct problem why = { 0 };
	int64_t n;

	if (question_forget(service.d, service.a, str_of(NULL), owner.actor, "t_bench", &n, &why) < 0)
		service_die(why.error);
}

/* Measuring */

struct score { double at1, at5, at10, reciprocal; int n; };

static void ask_one(const struct question *q, struct score *s)
{
	struct arena *a = arena_new();
	struct rank_query query = { .text = str_of(q->text), .reader = caller_reader(&anybody), .planner = true };
	struct rank_match m[RANKS];
	struct problem why = { 0 };
	int n = rank_rows(service.d, a, &query, m, RANKS, &why), at = 0;

	if (n < 0)
		service_die(why.detail);
	while (at < n && !str_is(m[at].key, q->key))
		at++;
	s->n++;
	if (at < n) {
		s->at1 += at < 1;
		s->at5 += at < 5;
		s->at10++;
		s->reciprocal += 1.0 / (at + 1);
	}
	arena_free(a);
}

static void print_score(const char *what, const struct score *s)
{
	printf("%-34s %5d   %.3f   %.3f   %.3f   %.3f\n", what, s->n, s->at1 / s->n, s->at5 / s->n, s->at10 / s->n,
		s->reciprocal / s->n);
	fflush(stdout);
}

static void measure(const char *what, int half)
{
	struct score s = { .n = 0 };

	for (size_t i = 0; i < in.questions; i++)
		if (half < 0 || in.question[i].half == half)
			ask_one(&in.question[i], &s);
	print_score(what, &s);
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Of this process: another's load does not count. Answers never wait. */
static int64_t cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000) + t.tv_nsec / 1000;
}

static void measure_time(size_t rows)
{
	static int64_t us[ITEMS_MAX];
	struct problem why = { 0 };
	struct str out;
	size_t n = in.questions;

	for (size_t i = 0; i < n; i++) {
		struct arena *a = arena_new();
		struct ask ask = {
			.arena = a, .caller = &anybody, .text = str_of(in.question[i].text), .limit = ASK_LIMIT,
			.budget = 4096, .id = "",
		};
		int64_t begin = cpu_us();

		if (ask_answer(&ask, &out, &why) < 0)
			service_die(why.detail);
		us[i] = cpu_us() - begin;
		arena_free(a);
	}
	qsort(us, n, sizeof(*us), by_number);
	printf("%6zu rows, CPU time: p50 %.2f ms, p99 %.2f ms, longest %.2f ms\n", rows, (double)us[n / 2] / 1e3,
		(double)us[n * 99 / 100] / 1e3, (double)us[n - 1] / 1e3);
	fflush(stdout);
}

static void all(void)
{
	struct problem why = { 0 };
	int half[] = { 0, 1 };

	dispatch_init(&(struct dispatch_context){
		.conf = &service.conf, .secrets = service.secrets, .shared = service.shared, .directory = service.d,
	});
	if (scope_parse_setting(service.a, str_of("read"), &everything, &why) < 0)
		service_die(why.detail);
	anybody.anonymous = everything;
	fill(in.tools);
	printf("%-34s %5s   %5s   %5s   %5s   %5s\n", "", "asked", "R@1", "R@5", "R@10", "MRR");
	measure("nothing learned", -1);
	measure("nothing learned, first half", 0);
	measure("nothing learned, second half", 1);
	for (int i = 0; i < 2; i++) {
		forget();
		many(teach_all, &half[i]);
		measure(i ? "second half learned, first asked" : "first half learned, second asked", 1 - i);
	}
	measure_time(in.tools);
	fill(SMALL);
	measure_time(SMALL);
	fill(LARGE);
	measure_time(LARGE);
}

int main(int argc, char **argv)
{
	const char *folder = argc > 1 ? argv[1] : getenv("ROWCALL_ASK");

	if (!folder) {
		fprintf(stderr, "usage: ask FOLDER (or $ROWCALL_ASK), with tools.jsonl and queries.jsonl\n");
		return 64;
	}
	read_lines(folder, "tools.jsonl", "description", take_tool);
	read_lines(folder, "queries.jsonl", "query", take_question);
	cut_words();
	service_run(all);
	return tap_done();
}
