/* The configuration file: what is read, what is refused and how that is said. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/conf.h"
#include "tap.h"

static char dir[] = "/tmp/conf-test-XXXXXX", path[64];
static struct problem why;

static void put_file(const char *text, size_t n)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(text, 1, n, f) != n || fclose(f))
		exit(99);
}

static struct conf *load(const char *text)
{
	why = (struct problem){ 0 };
	put_file(text, strlen(text));
	return conf_load(path, NULL, 0, &why);
}

static bool allowed(const struct conf *c, const char *address, int port)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	char text[NET_TEXT];

	inet_pton(AF_INET, address, &in.sin_addr);
	return !net_blocked(c->upstreams, (struct sockaddr *)(void *)&in, text);
}

static void defaults(void)
{
	struct conf *c = load("");
	char want[100];

	if (!tap_ok(c != NULL, "an empty file is fine (%s)", why.detail))
		return;
	snprintf(want, sizeof(want), "%s/secrets.env", dir);
	tap_is_str(c->path, path, "the file's own path is absolute");
	tap_is_str(c->data_dir, "/var/lib/rowcall", "data_dir");
	tap_is_str(c->run_dir, "/run/rowcall", "run_dir");
	tap_is_str(c->migrations_dir, PKGDATADIR "/migrations", "migrations_dir");
	tap_is_str(c->secrets_file, want, "secrets_file is beside the file");
	tap_ok(!*c->user && !*c->group && !*c->socket_group && !*c->upstream_ca_file &&
	       !*c->cors_origins, "what may be empty is");
	tap_is_str(c->base_url, "https://localhost", "base_url");
	tap_is_str(c->zone, "America/Los_Angeles", "zone");
	tap_is_str(c->anonymous, "read", "anonymous");
	tap_is_str(c->log_level, "info", "log_level");
	tap_is_str(c->synchronous, "FULL", "synchronous");
	tap_ok(!c->allow_network_fs && !c->strict && !c->vars, "what is off by default is");
	tap_ok(c->workers == 0 && c->listen_backlog == 4096 && c->max_connections == 1024 && c->max_streams == 256, "workers and connections");
	tap_ok(c->max_request_body == 1048576 && c->max_row_field == 65536 && c->max_upstream_body == 4194304 &&
	       c->max_kept_payload == 65536, "sizes");
	tap_ok(c->payload_keep_ms == INT64_C(30) * 24 * 3600 * 1000, "payloads are kept for 30 days");
	tap_is_int(c->seal_interval_ms, 60000, "receipts are sealed after a minute");
	tap_ok(c->connect_timeout_ms == 5000 && c->upstream_timeout_ms == 30000 && c->max_redirects == 5 &&
	       c->write_timeout_ms == 10000 && c->drain_ms == 30000,
	       "times");
	tap_ok(c->trace_timeout_ms == 300000 && c->trace_depth == 8 && c->trace_steps == 64 &&
	       c->trace_cost_microusd == 1000000, "a trace's budget");
	tap_ok(!allowed(c, "127.0.0.1", 80), "no local upstream");
	conf_free(c);
	conf_free(NULL);
}

static void reading(void)
{
	struct conf *c = load("# comment\n  # another\n\nbase_url = https://rows.example:8443   # trailing\n"
	                      "workers=4\n\tconnect_timeout =\t250ms\n"
	                      "upstream_timeout = 2m\npayload_keep = 2d\ntrace_timeout = 1h\nwrite_timeout = 7s\ndrain_timeout = 0\n"
	                      "max_request_body = 2M\nmax_row_field = 10000\n"
	                      "trace_cost = 0.25\nstrict = yes\nsynchronous = NORMAL\nlog_level = debug\n"
	                      "data_dir = data\nsecrets_file = /etc/x\n"
	                      "user = \"with # hash\"  # and a comment\nallow_upstream = 127.0.0.1:8080\n"
	                      "allow_upstream = 10.0.0.0/8, 192.168.1.1\n"
	                      "anonymous = none\nmetrics_allow = 10.0.0.0/8\n"
	                      "cors_origins = https://a.example, http://[::1]:3000\nzone = UTC\r\n"
	                      "[vars]\nREGION = eu-west\nHOST = \"a b\"\nEMPTY =\nworkers = 9\n");
	char want[100];

	if (!tap_ok(c != NULL, "a full file is read (%s)", why.detail))
		return;
	snprintf(want, sizeof(want), "%s/data", dir);
	tap_is_str(c->base_url, "https://rows.example:8443", "a comment behind a blank is no part of the value");
	tap_is_int(c->workers, 4, "blanks around the equals sign do not matter");
	tap_ok(c->connect_timeout_ms == 250 && c->upstream_timeout_ms == 120000 && c->trace_timeout_ms == 3600000 &&
	       c->payload_keep_ms == 172800000 &&
	       c->write_timeout_ms == 7000 &&
	       c->drain_ms == 0, "every unit of time, and a plain 0");
	tap_ok(c->max_request_body == 2097152 && c->max_row_field == 10000, "sizes with unit and without");
	tap_is_int(c->trace_cost_microusd, 250000, "a quarter of a dollar");
	tap_ok(c->strict && strcmp(c->synchronous, "NORMAL") == 0 &&
	       strcmp(c->log_level, "debug") == 0, "switches and choices");
	tap_is_str(c->data_dir, want, "a relative path is beside the file");
	tap_is_str(c->secrets_file, "/etc/x", "an absolute path stays");
	tap_is_str(c->user, "with # hash", "quotes keep a hash");
	tap_ok(allowed(c, "127.0.0.1", 8080) && !allowed(c, "127.0.0.1", 8081) && allowed(c, "10.9.9.9", 1) &&
	       allowed(c, "192.168.1.1", 1),
	       "allow_upstream adds up");
	tap_is_str(c->cors_origins, "https://a.example, http://[::1]:3000", "origins are kept as written");
	tap_ok(str_is(conf_var(c, str_of("REGION")), "eu-west") && str_is(conf_var(c, str_of("HOST")), "a b") &&
	       conf_var(c, str_of("EMPTY")).p &&
	       str_is(conf_var(c, str_of("workers")), "9"), "variables are apart from settings");
	tap_ok(!conf_var(c, str_of("NOPE")).p && !conf_var(c, str_of("region")).p, "one that is not there is absent");
	conf_free(c);
}

#define MODEL "[model \"m*\"]\nbase_url = http://a\n"

static void models(void)
{
	struct conf *c = load("[vars]\nA = b\n"
	                      "[model \"gpt-*\"]   # the first\nbase_url = https://api.example/v1\nprice_in = 0.4\n"
	                      "price_out = 1.25\ncredential = OPENAI_KEY\nmax_tokens = 500\nmodel = other\n"
	                      " [model  \"a # b\"]\nbase_url = \"http://[::1]:8080\" # local\n[vars]\nC = d\n");
	const struct conf_model *m = c ? c->models : NULL;

	if (!tap_ok(m && m->next && !m->next->next, "two sections of models (%s)", why.detail))
		return;
	tap_ok(str_is(conf_var(c, str_of("A")), "b") && str_is(conf_var(c, str_of("C")), "d"),
	       "variables may stand around them");
	tap_ok(strcmp(m->pattern, "gpt-*") == 0 && strcmp(m->base_url, "https://api.example/v1") == 0 &&
	       strcmp(m->credential, "OPENAI_KEY") == 0 && strcmp(m->name, "other") == 0, "texts of the first");
	tap_ok(m->price_in_microusd == 400000 && m->price_out_microusd == 1250000 && m->max_tokens == 500,
	       "prices and numbers");
	m = m->next;
	tap_ok(strcmp(m->pattern, "a # b") == 0 && strcmp(m->base_url, "http://[::1]:8080") == 0, "the second");
	tap_ok(!*m->credential && !*m->name && !m->price_in_microusd && !m->price_out_microusd && !m->max_tokens,
	       "what is not given has its default");
	conf_free(c);
}

static void endpoints(void)
{
	static const struct { const char *url; bool good; } cases[] = {
		{ "https://a", true }, { "http://127.0.0.1:11434/v1", true }, { "https://a/b%20c/v1", true }, { "", false },
		{ "a/v1", false }, { "https://a/", false }, { "https://a/v1/", false }, { "https://a/v1?k=v", false },
		{ "\"https://a/v1#x\"", false }, { "https://u:p@a/v1", false }, { "https://a/v 1", false },
		{ "https:///v1", false }, { "ftp://a/v1", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[200];
		struct conf *c;

		snprintf(text, sizeof(text), "[model \"m\"]\nbase_url = %s\n", cases[i].url);
		c = load(text);
		tap_ok((c != NULL) == cases[i].good, "a base_url of a model: %s is %s", cases[i].url,
		       cases[i].good ? "accepted" : "refused");
		conf_free(c);
	}
}

static void refusals(void)
{
	static const struct { const char *text, *detail; } cases[] = {
		{ "foo = 1\n", "1: unknown setting `foo`" },
		{ "\nworker = 4\n", "2: unknown setting `worker` (did you mean `workers`?)" },
		{ "connect_timeout_ms = 5s\n", "1: unknown setting `connect_timeout_ms` (did you mean "
		                               "`connect_timeout`?)" },
		{ "nonsense = 1\n", "1: unknown setting `nonsense`" },
		{ "Workers = 1\n", "1: unknown setting `Workers` (did you mean `workers`?)" },
		{ "workers = 1\nworkers = 1\n", "2: workers is given twice" },
		{ "workers\n", "1: neither `name = value` nor a section nor a comment" },
		{ "[section]\n", "1: unknown section [section]" },
		{ "[vars\n", "1: unknown section [vars" },
		{ "[model]\n", "1: unknown section [model]" },
		{ "[model x]\n", "1: unknown section [model x]" },
		{ "[model \"x]\n", "1: unknown section [model \"x]" },
		{ "[model \"x\"] y\n", "1: unknown section [model \"x\"] y" },
		{ "[models \"x\"]\n", "1: unknown section [models \"x\"]" },
		{ "[model \"\"]\n", "1: a model's pattern has 1 to 128 bytes" },
		{ "\n[model \"x\"]\n\n", "2: base_url is missing" },
		{ "[model \"x\"]\nprice_in = 1\n[vars]\n", "1: base_url is missing" },
		{ MODEL "[model \"m*\"]\n", "3: [model \"m*\"] is there twice" },
		{ MODEL "base_url = http://b\n", "3: base_url is given twice" },
		{ MODEL "price = 1\n", "3: unknown setting `price` of a model" },
		{ MODEL "price_inn = 1\n", "3: unknown setting `price_inn` of a model (did you mean `price_in`?)" },
		{ MODEL "workers = 1\n", "3: unknown setting `workers` of a model" },
		{ MODEL "price_in = -1\n", "3: price_in: must be US dollars, with at most six decimals" },
		{ MODEL "price_out = 100001\n", "3: price_out: must be 0 millionths of a dollar to 100000000000 millionths"
		                                " of a dollar" },
		{ MODEL "max_tokens = 10000001\n", "3: max_tokens: must be 0 to 10000000" },
		{ MODEL "credential = key\n", "3: credential: must be a name of the secrets file, but TERMINAL_KEY" },
		{ MODEL "credential = TERMINAL_KEY\n",
		  "3: credential: must be a name of the secrets file, but TERMINAL_KEY" },
		{ "user = \"a\n", "1: user: a quote without its partner, or text behind it" },
		{ "user = \"a\" b\n", "1: user: a quote without its partner, or text behind it" },
		{ "connect_timeout = 5\n", "1: connect_timeout: must be a number with a unit: ms, s, m, h or d" },
		{ "connect_timeout = s\n", "1: connect_timeout: must be a number with a unit: ms, s, m, h or d" },
		{ "connect_timeout = 5 s\n", "1: connect_timeout: must be a number with a unit: ms, s, m, h or d" },
		{ "connect_timeout = 1.5s\n", "1: connect_timeout: must be a number with a unit: ms, s, m, h or d" },
		{ "connect_timeout = -5s\n", "1: connect_timeout: must be a number with a unit: ms, s, m, h or d" },
		{ "connect_timeout = 0\n", "1: connect_timeout: must be 1ms to 600000ms" },
		{ "connect_timeout = 9999999999999999999h\n",
		  "1: connect_timeout: must be a number with a unit: ms, s, m, h or d" },
		{ "connect_timeout = 90000000000000h\n", "1: connect_timeout: must be 1ms to 600000ms" },
		{ "max_row_field = 64k\n", "1: max_row_field: must be a number of bytes, with K, M or G for powers "
		                           "of 1024" },
		{ "max_row_field = 64KB\n", "1: max_row_field: must be a number of bytes, with K, M or G for powers "
		                            "of 1024" },
		{ "max_row_field =\n", "1: max_row_field: must be a number of bytes, with K, M or G for powers of "
		                       "1024" },
		{ "workers = 0x4\n", "1: workers: must be a whole number" },
		{ "workers = +4\n", "1: workers: must be a whole number" },
		{ "workers =\n", "1: workers: must be a whole number" },
		{ "strict = true\n", "1: strict: must be yes or no" },
		{ "synchronous = full\n", "1: synchronous: must be one of: FULL NORMAL" },
		{ "synchronous = FULL NORMAL\n", "1: synchronous: must be one of: FULL NORMAL" },
		{ "log_level = verbose\n", "1: log_level: must be one of: error warn info debug" },
		{ "trace_cost = 1.1234567\n", "1: trace_cost: must be US dollars, with at most six decimals" },
		{ "trace_cost = $1\n", "1: trace_cost: must be US dollars, with at most six decimals" },
		{ "trace_cost = .5\n", "1: trace_cost: must be US dollars, with at most six decimals" },
		{ "trace_cost = 1.\n", "1: trace_cost: must be US dollars, with at most six decimals" },
		{ "trace_cost = 1.-1\n", "1: trace_cost: must be US dollars, with at most six decimals" },
		{ "data_dir =\n", "1: data_dir: a path is required" },
		{ "zone = Mars/Olympus\n", "1: zone: unknown time zone (is the package tzdata there?)" },
		{ "zone =\n", "1: zone: unknown time zone (is the package tzdata there?)" },
		{ "anonymous =\n", "1: anonymous: must be none, or scopes with commas between" },
		{ "anonymous = read;act\n", "1: anonymous: must be none, or scopes with commas between" },
		{ "base_url = https://a/\n", "1: base_url: no slash at the end" },
		{ "[vars]\n9A = 1\n", "2: a variable's name is letters, digits and _, at most 64" },
		{ "[vars]\nA = 1\nA = 2\n", "3: variable A is given twice" },
		{ "user = a\x1b[2J\n", "1: control character 0x1b" },
		{ "\n\nuser = \xFF\n", " not UTF-8" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct conf *c = load(cases[i].text);

		tap_ok(!c && strcmp(why.error, "bad_configuration") == 0, "refused");
		tap_is_str(strncmp(why.detail, path, strlen(path)) ? why.detail : why.detail + strlen(path) + 1,
		           cases[i].detail, "with place and reason");
		conf_free(c);
	}
}

static void urls(void)
{
	static const char *const good[] = { "http://localhost", "https://a.example", "https://a.example:8443",
		"http://127.0.0.1:80", "http://[::1]", "http://[::1]:65535" };
	static const char *const bad[] = {
		"", "a.example", "ftp://a", "https://", "https://:80", "https://a:", "https://a:0", "https://a:65536",
		"https://a:x", "https://a/b", "https://a?x",
		"https://u@a", "https://a b", "https://a\\b", "HTTPS://a", "http://[::1", "http://::1", "http://[a]",
		"http://[::1]x", "https:/a", "https://a,https://b",
	};
	char text[200];

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct conf *c;

		snprintf(text, sizeof(text), "base_url = %s\n", good[i]);
		c = load(text);
		tap_ok(c && strcmp(c->base_url, good[i]) == 0, "a base_url: %s", good[i]);
		conf_free(c);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct conf *c;

		snprintf(text, sizeof(text), "base_url = %s\n", bad[i]);
		c = load(text);
		tap_ok(!c && strstr(why.detail, "base_url: "), "no base_url: %s", bad[i]);
		conf_free(c);
	}
}

static void bounds(void)
{
	static const struct { const char *name, *unit; long long min, max; } cases[] = {
		{ "workers", "", 0, 128 }, { "listen_backlog", "", 1, 65535 }, { "max_connections", "", 1, 65535 }, { "max_streams", "", 0, 32767 },
		{ "max_redirects", "", 0, 20 },
		{ "trace_depth", "", 1, 32 }, { "trace_steps", "", 1, 10000 },
		{ "max_request_body", "", 1024, 1073741824 }, { "max_row_field", "", 1024, 16777216 },
		{ "max_upstream_body", "", 1024, 1073741824 }, { "max_kept_payload", "", 0, 16777216 },
		{ "payload_keep", "ms", 0, 3153600000000 }, { "seal_interval", "ms", 1000, 86400000 }, { "idempotency_keep", "ms", 1000, 2592000000 },
		{ "connect_timeout", "ms", 1, 600000 },
		{ "upstream_timeout", "ms", 1, 3600000 }, { "trace_timeout", "ms", 1, 86400000 },
		{ "write_timeout", "ms", 1, 600000 },
		{ "drain_timeout", "ms", 0, 3600000 }, { "trace_cost", "", 0, 1000000 },
		{ "model_turns", "", 1, 1000 }, { "model_timeout", "ms", 1, 3600000 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const long long values[] = { cases[i].min - 1, cases[i].min, cases[i].min + 1, cases[i].max - 1,
			cases[i].max, cases[i].max + 1 };

		for (int k = 0; k < 6; k++) {
			bool want = k != 0 && k != 5;
			struct conf *c;
			char text[100];

			snprintf(text, sizeof(text), "%s = %lld%s\n", cases[i].name, values[k], cases[i].unit);
			c = load(text);
			tap_ok((c != NULL) == want, "%s = %lld%s is %s", cases[i].name, values[k], cases[i].unit,
			       want ? "accepted" : "refused");
			conf_free(c);
		}
	}
}

static void overrides(void)
{
	char *const good[] = { (char[]){ "workers=7" }, (char[]){ " data_dir = other" }, (char[]){ "workers=8" },
		(char[]){ "allow_upstream=127.0.0.1" } };
	char *const unknown[] = { (char[]){ "wrkers=7" } }, *const shapeless[] = { (char[]){ "workers" } },
		*const wrong[] = { (char[]){ "workers=x" } };
	char want[100];
	struct conf *c;

	put_file("workers = 2\nrun_dir = .\n[vars]\nX = 1\n", 36);
	c = conf_load(path, good, 4, &why);
	snprintf(want, sizeof(want), "%s/other", dir);
	if (tap_ok(c != NULL, "overrides are read")) {
		tap_is_str(c->run_dir, dir, "a dot is the folder that the file is in");
		tap_is_int(c->workers, 8, "the last one wins, over the file too");
		tap_is_str(c->data_dir, want, "a relative path is beside the file");
		tap_ok(allowed(c, "127.0.0.1", 1), "a list is added to");
	}
	conf_free(c);
	tap_ok(!conf_load(path, unknown, 1, &why), "an unknown one is refused");
	tap_is_str(why.detail, "command line: unknown setting `wrkers` (did you mean `workers`?)",
	           "and said to come from the command line");
	tap_ok(!conf_load(path, shapeless, 1, &why), "one without a value is refused");
	tap_is_str(why.detail, "command line: `workers` is not NAME=VALUE", "and shown");
	tap_ok(!conf_load(path, wrong, 1, &why), "a wrong value is refused");
}

static void files(void)
{
	char *big = malloc(CONF_FILE_MAX + 2), old[4096];
	struct conf *c;

	for (int n = CONF_FILE_MAX; n <= CONF_FILE_MAX + 1; n++) {
		memset(big, '\n', (size_t)n);
		put_file(big, (size_t)n);
		c = conf_load(path, NULL, 0, &why);
		tap_ok((c != NULL) == (n == CONF_FILE_MAX), "a file of %d bytes is %s", n, c ? "read" : "refused");
		conf_free(c);
	}
	free(big);
	put_file("user = a\0b\n", 11);
	tap_ok(!conf_load(path, NULL, 0, &why) && strstr(why.detail, "control character 0x00"), "NUL is refused");
	tap_ok(!conf_load(dir, NULL, 0, &why) && strstr(why.detail, "no regular file"), "a folder is refused");
	tap_ok(!conf_load("/nonexistent/rowcall.conf", NULL, 0, &why), "a missing file is refused");
	tap_is_str(why.detail, "/nonexistent/rowcall.conf: No such file or directory", "and named");
	put_file("", 0);
	if (getcwd(old, sizeof(old)) && chdir(dir) == 0) {
		c = conf_load("rowcall.conf", NULL, 0, &why);
		tap_ok(c && strcmp(c->path, path) == 0, "a relative path of the file is made absolute");
		conf_free(c);
		tap_ok(chdir(old) == 0, "and the folder is left as it was");
	}
}

static int rows, unhelpful;

static void look(void *ctx, const char *name, const char *kind, const char *dflt, const char *help)
{
	struct buf *file = ctx;

	rows++;
	unhelpful += !*help || !*kind;
	buf_printf(file, "%s = %s\n", name, dflt);
}

static void table(void)
{
	struct buf file = BUF_MALLOC;
	struct conf *c;

	conf_each(look, &file);
	tap_ok(rows > 30 && !unhelpful, "every setting has a kind and a line of help");
	c = load(buf_text(&file));
	tap_ok(c != NULL, "every default may be written in the file (%s)", why.detail);
	conf_free(c);
	buf_free(&file);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 99;
	snprintf(path, sizeof(path), "%s/rowcall.conf", dir);
	defaults();
	reading();
	models();
	endpoints();
	refusals();
	urls();
	bounds();
	overrides();
	files();
	table();
	unlink(path);
	rmdir(dir);
	return tap_done();
}
