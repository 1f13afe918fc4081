/* The configuration file. A setting is a row of `settings` (or of `model_settings`, within a section [model]), which
 * alone says how it is read, what it is when not given and what its bounds are. Nothing here applies a setting; who needs one takes it from struct conf. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/ascii.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/escape.h"
#include "base/mem.h"
#include "base/secret.h"

enum kind {
	KIND_TEXT,              /* may be empty */
	KIND_PATH,              /* made absolute */
	KIND_PATH_OR_NONE,      /* the same, may be empty */
	KIND_YES_NO,
	KIND_INTEGER,
	KIND_SIZE,              /* bytes; K, M, G are powers of 1024 */
	KIND_DURATION,          /* milliseconds */
	KIND_MONEY,             /* millionths of a US dollar */
	KIND_CHOICE,
	KIND_URL,
	KIND_ORIGINS,
	KIND_ZONE,
	KIND_SCOPES,
	KIND_NETWORKS,
	KIND_UPSTREAMS,         /* as networks; may be given several times */
	KIND_ENDPOINT,          /* an origin, and a path behind it */
	KIND_SECRET_NAME,       /* may be empty */
	KIND_N
};

struct setting {
	const char *name;
	enum kind kind;
	size_t field;           /* offset in struct conf, or in what the section makes */
	const char *dflt;
	int64_t min, max;       /* of numbers, in the field's unit */
	const char *choices;    /* of KIND_CHOICE, with a space between */
	const char *help;
};

#define TEXT(name, kind, field, dflt, help) { name, kind, offsetof(struct conf, field), dflt, 0, 0, NULL, help }
#define NUMBER(name, kind, field, dflt, min, max, help) \
	{ name, kind, offsetof(struct conf, field), dflt, min, max, NULL, help }
#define CHOICE(name, field, dflt, choices, help) \
	{ name, KIND_CHOICE, offsetof(struct conf, field), dflt, 0, 0, choices, help }

#define K INT64_C(1024)
#define M (1024 * K)
#define SECOND INT64_C(1000)
#define HOUR (3600 * SECOND)
#define DAY (24 * HOUR)
#define DOLLAR INT64_C(1000000)

static const struct setting settings[] = {
	TEXT("data_dir", KIND_PATH, data_dir, "/var/lib/rowcall", "folder of directory.db and ledger.db"),
	TEXT("run_dir", KIND_PATH, run_dir, "/run/rowcall", "folder of the sockets and the process id"),
	TEXT("migrations_dir", KIND_PATH, migrations_dir, PKGDATADIR "/migrations", "folder of the schema's SQL files"),
	TEXT("secrets_file", KIND_PATH, secrets_file, "secrets.env", "file of NAME=value lines, mode 0600"),
	TEXT("user", KIND_TEXT, user, "", "user of writer and workers when started as root; empty: stay"),
	TEXT("group", KIND_TEXT, group, "", "group of writer and workers when started as root; empty: the user's"),
	TEXT("socket_group", KIND_TEXT, socket_group, "",
	     "group that may connect to fcgi.sock; empty: the service's own"),
	TEXT("base_url", KIND_URL, base_url, "https://localhost",
	     "where clients reach the service; no slash at the end"),
	TEXT("zone", KIND_ZONE, zone, "America/Los_Angeles", "IANA time zone of the built-in function `now`"),
	TEXT("anonymous", KIND_SCOPES, anonymous, "read", "what callers without a credential may do: `none` or scopes"),
	CHOICE("log_level", log_level, "info", "error warn info debug", "least important lines that are logged"),
	NUMBER("workers", KIND_INTEGER, workers, "0", 0, 128, "worker processes; 0: one a core"),
	NUMBER("listen_backlog", KIND_INTEGER, listen_backlog, "4096", 1, 65535,
	       "connections that may wait to be accepted"),
	CHOICE("synchronous", synchronous, "FULL", "FULL NORMAL",
	       "whether a commit is on disk before it is acknowledged"),
	TEXT("allow_network_fs", KIND_YES_NO, allow_network_fs, "no",
	     "start although data_dir is on a network file system"),
	NUMBER("drain_timeout", KIND_DURATION, drain_ms, "30s", 0, HOUR,
	       "how long a worker may finish its requests at a stop"),
	NUMBER("max_request_body", KIND_SIZE, max_request_body, "1M", K, 1024 * M, "largest request body"),
	NUMBER("max_row_field", KIND_SIZE, max_row_field, "64K", K, 16 * M, "largest column of a row"),
	NUMBER("max_upstream_body", KIND_SIZE, max_upstream_body, "4M", K, 1024 * M,
	       "upstream answers are cut here, after decoding"),
	NUMBER("max_kept_payload", KIND_SIZE, max_kept_payload, "64K", 0, 16 * M,
	       "inputs and results are kept in a receipt up to this"),
	NUMBER("payload_keep", KIND_DURATION, payload_keep_ms, "30d", 0, 36500 * DAY,
	       "how long inputs and results are kept; 0: for ever"),
	NUMBER("seal_interval", KIND_DURATION, seal_interval_ms, "1m", SECOND, DAY,
	       "how long a receipt waits to be sealed into the chain of the ledger's events"),
	NUMBER("idempotency_keep", KIND_DURATION, idempotency_ms, "24h", SECOND, 720 * HOUR,
	       "how long a call's Idempotency-Key is remembered"),
	NUMBER("max_connections", KIND_INTEGER, max_connections, "1024", 1, 65535,
	       "connections from the web server, a worker"),
	NUMBER("max_streams", KIND_INTEGER, max_streams, "256", 0, 32767,
	       "answers that stay open, a worker; at most half of max_connections"),
	NUMBER("connect_timeout", KIND_DURATION, connect_timeout_ms, "5s", 1, 600 * SECOND,
	       "connecting to an upstream"),
	NUMBER("upstream_timeout", KIND_DURATION, upstream_timeout_ms, "30s", 1, HOUR, "an upstream call as a whole"),
	NUMBER("max_redirects", KIND_INTEGER, max_redirects, "5", 0, 20, "redirects followed in an upstream call"),
	NUMBER("trace_timeout", KIND_DURATION, trace_timeout_ms, "300s", 1, 24 * HOUR, "a call with all it calls"),
	NUMBER("trace_depth", KIND_INTEGER, trace_depth, "8", 1, 32, "rows calling rows"),
	NUMBER("trace_steps", KIND_INTEGER, trace_steps, "64", 1, 10000, "rows that one call may run"),
	NUMBER("trace_cost", KIND_MONEY, trace_cost_microusd, "1", 0, 1000000 * DOLLAR,
	       "US dollars that one call may cost"),
	NUMBER("flow_branches", KIND_INTEGER, flow_branches, "16", 1, 256, "branches of a flow's block that run at a time"),
	TEXT("exec_dir", KIND_PATH_OR_NONE, exec_dir, "/etc/rowcall/exec.d",
	     "folder of the programs of exec rows; empty or not there: none is run"),
	TEXT("exec_user", KIND_TEXT, exec_user, "", "user of these programs when started as root; empty: the service's"),
	NUMBER("exec_timeout", KIND_DURATION, exec_timeout_ms, "30s", 1, HOUR, "a program as a whole"),
	NUMBER("max_exec_output", KIND_SIZE, max_exec_output, "1M", K, 64 * M, "output of a program is cut here"),
	NUMBER("exec_parallel", KIND_INTEGER, exec_parallel, "16", 1, 256, "programs that run at a time"),
	NUMBER("exec_memory", KIND_SIZE, exec_memory, "512M", 16 * M, 1024 * 1024 * M, "address space of a program"),
	TEXT("exec_network", KIND_YES_NO, exec_network, "no", "let programs open network connections"),
	TEXT("watcher", KIND_TEXT, watcher, "", "row that must answer ALLOW before a sensitive row runs; empty: none"),
	NUMBER("watcher_timeout", KIND_DURATION, watcher_timeout_ms, "10s", 1, 600 * SECOND, "the watcher's answer"),
	NUMBER("hold_keep", KIND_DURATION, hold_ms, "24h", 60 * SECOND, 720 * HOUR, "how long a held call waits for the owner"),
	NUMBER("model_turns", KIND_INTEGER, model_turns, "20", 1, 1000, "answers of models in one call with all it calls"),
	NUMBER("model_timeout", KIND_DURATION, model_timeout_ms, "120s", 1, HOUR, "one answer of a model"),
	NUMBER("write_timeout", KIND_DURATION, write_timeout_ms, "10s", 1, 600 * SECOND,
	       "how long a write may wait for the writer"),
	NUMBER("ask_budget", KIND_SIZE, ask_budget, "4K", 256, 64 * K, "bytes of an answer to a question in plain words"),
	NUMBER("ask_learned", KIND_INTEGER, ask_learned, "10000", 0, 100000,
	       "questions kept that led to a call; 0: none"),
	NUMBER("ask_learned_row", KIND_INTEGER, ask_learned_row, "64", 1, 1000, "the same, of one row"),
	NUMBER("ask_learned_age", KIND_DURATION, ask_learned_age_ms, "4320h", HOUR, 87600 * HOUR,
	       "how long they are kept"),
	NUMBER("mcp_page", KIND_INTEGER, mcp_page, "100", 1, 1000, "entries of one page of MCP's lists"),
	TEXT("strict", KIND_YES_NO, strict, "no", "refuse plain arguments that do not fit a row's schema"),
	TEXT("upstream_ca_file", KIND_PATH_OR_NONE, upstream_ca_file, "",
	     "PEM bundle that upstreams are checked against; empty: the system's"),
	TEXT("metrics_allow", KIND_NETWORKS, metrics_allow, "127.0.0.1, ::1",
	     "addresses that may read /api/status and /api/metrics"),
	TEXT("cors_origins", KIND_ORIGINS, cors_origins, "", "origins whose pages may call the service; empty: none"),
	TEXT("allow_upstream", KIND_UPSTREAMS, upstreams, "", "local or private addresses that rows may call"),
};

#define MODEL(name, kind, field, dflt, min, max, help) \
	{ name, kind, offsetof(struct conf_model, field), dflt, min, max, NULL, help }

/* Within [model "PATTERN"]; a default of NULL: it has to be given. */
static const struct setting model_settings[] = {
	MODEL("base_url", KIND_ENDPOINT, base_url, NULL, 0, 0, "where the chat endpoint is, without /chat/completions"),
	MODEL("model", KIND_TEXT, name, "", 0, 0, "what the model is called there; empty: as rows call it"),
	MODEL("credential", KIND_SECRET_NAME, credential, "", 0, 0, "variable of the key, for rows without auth"),
	MODEL("price_in", KIND_MONEY, price_in_microusd, "0", 0, 100000 * DOLLAR, "US dollars for a million tokens sent"),
	MODEL("price_out", KIND_MONEY, price_out_microusd, "0", 0, 100000 * DOLLAR,
	      "US dollars for a million tokens that come back"),
	MODEL("max_tokens", KIND_INTEGER, max_tokens, "0", 0, 10000000, "longest answer, in tokens; 0: the endpoint's"),
};

enum {
	SETTINGS = sizeof(settings) / sizeof(settings[0]),
	MODEL_SETTINGS = sizeof(model_settings) / sizeof(model_settings[0]),
};

/* What the lines of a part of the file set. */
struct section {
	const struct setting *setting;
	int n;
	void *into;                     /* what their fields lie in */
	bool given[SETTINGS];
};

/* What is being read, for messages. */
struct source {
	struct conf *conf;
	const char *file;               /* NULL: an override */
	size_t line;
	struct section top, model;      /* model.into NULL: no such section is open */
	size_t model_line;
	bool in_vars;
	struct problem *why;
};

static int refuse(struct source *src, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int refuse(struct source *src, const char *fmt, ...)
{
	char text[384];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	problem_set(src->why, 500, "bad_configuration");
	if (src->file && src->line)
		problem_detail(src->why, "%s:%zu: %s", src->file, src->line, text);
	else
		problem_detail(src->why, "%s: %s", src->file ? src->file : "command line", text);
	return -1;
}

static struct section *section_of(struct source *src)
{
	return src->model.into ? &src->model : &src->top;
}

static void *field_of(void *into, const struct setting *t)
{
	return (char *)into + t->field;
}

static void set_text(struct source *src, const struct setting *t, struct str value)
{
	char **field = field_of(section_of(src)->into, t);

	free(*field);
	*field = mem_strndup(value.p, value.n);
}

static int set_number(struct source *src, const struct setting *t, int64_t v, const char *unit)
{
	if (v < t->min || v > t->max)
		return refuse(src, "%s: must be %" PRId64 "%s to %" PRId64 "%s", t->name, t->min, unit, t->max, unit);
	*(int64_t *)field_of(section_of(src)->into, t) = v;
	return 0;
}

/* Takes a decimal number off *s; -1 when there is none or it is absurdly large. */
static int64_t take_number(struct str *s)
{
	int64_t v = 0;
	size_t i;

	for (i = 0; i < s->n && ascii_is_digit(s->p[i]); i++) {
		if (v > INT64_MAX / 100)
			return -1;
		v = v * 10 + s->p[i] - '0';
	}
	*s = str_skip(*s, i);
	return i ? v : -1;
}

static int read_text(struct source *src, const struct setting *t, struct str value)
{
	set_text(src, t, value);
	return 0;
}

static int read_path_or_none(struct source *src, const struct setting *t, struct str value)
{
	const char *slash = strrchr(src->conf->path, '/');
	char *full = NULL;

	if (!value.n || value.p[0] == '/')
		return read_text(src, t, value);
	if (str_is(value, "."))         /* the folder itself, as people write it */
		return read_text(src, t, str_make(src->conf->path, slash > src->conf->path ? (size_t)(slash - src->conf->path) : 1));
	if (asprintf(&full, "%.*s/%.*s", (int)(slash - src->conf->path), src->conf->path, (int)value.n, value.p) < 0)
		return refuse(src, "%s: out of memory", t->name);
	set_text(src, t, str_of(full));
	free(full);
	return 0;
}

static int read_path(struct source *src, const struct setting *t, struct str value)
{
	return value.n ? read_path_or_none(src, t, value) : refuse(src, "%s: a path is required", t->name);
}

static int read_yes_no(struct source *src, const struct setting *t, struct str value)
{
	if (!str_is(value, "yes") && !str_is(value, "no"))
		return refuse(src, "%s: must be yes or no", t->name);
	*(bool *)field_of(section_of(src)->into, t) = str_is(value, "yes");
	return 0;
}

static int read_integer(struct source *src, const struct setting *t, struct str value)
{
	int64_t v = take_number(&value);

	if (v < 0 || value.n)
		return refuse(src, "%s: must be a whole number", t->name);
	return set_number(src, t, v, "");
}

struct unit { const char *name; int64_t factor; };

static const struct unit sizes[] = { { "", 1 }, { "K", K }, { "M", M }, { "G", 1024 * M }, { NULL, 0 } };
static const struct unit durations[] = {
	{ "ms", 1 }, { "s", SECOND }, { "m", 60 * SECOND }, { "h", HOUR }, { "d", DAY }, { NULL, 0 },
};

/* A number with one of the units; -1 when it is none. */
static int64_t with_unit(struct str value, const struct unit *units)
{
	int64_t v = take_number(&value);

	for (; units->name; units++)
		if (str_is(value, units->name))
			return v < 0 ? -1 : v > INT64_MAX / units->factor ? INT64_MAX : v * units->factor;
	return -1;
}

static int read_size(struct source *src, const struct setting *t, struct str value)
{
	int64_t v = with_unit(value, sizes);

	if (v < 0)
		return refuse(src, "%s: must be a number of bytes, with K, M or G for powers of 1024", t->name);
	return set_number(src, t, v, " bytes");
}

static int read_duration(struct source *src, const struct setting *t, struct str value)
{
	int64_t v = str_is(value, "0") ? 0 : with_unit(value, durations);

	if (v < 0)
		return refuse(src, "%s: must be a number with a unit: ms, s, m, h or d", t->name);
	return set_number(src, t, v, "ms");
}

static int read_money(struct source *src, const struct setting *t, struct str value)
{
	struct str fraction = value, whole = str_cut(&fraction, '.');
	int64_t dollars = take_number(&whole), micro = 0;

	for (size_t i = 0; fraction.p && i < 6; i++)
		micro = micro * 10 + (i < fraction.n ? fraction.p[i] - '0' : 0);
	for (size_t i = 0; i < fraction.n; i++)
		if (fraction.p[i] < '0' || fraction.p[i] > '9')
			dollars = -1;
	if (dollars < 0 || whole.n || fraction.n > 6 || (fraction.p && !fraction.n))
		return refuse(src, "%s: must be US dollars, with at most six decimals", t->name);
	return set_number(src, t, dollars > t->max ? INT64_MAX : dollars * DOLLAR + micro, " millionths of a dollar");
}

static int read_choice(struct source *src, const struct setting *t, struct str value)
{
	struct str rest = str_of(t->choices);

	while (rest.p)
		if (str_eq(str_cut(&rest, ' '), value))
			return read_text(src, t, value);
	return refuse(src, "%s: must be one of: %s", t->name, t->choices);
}

static bool is_host(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!ascii_is_alnum(c) && c != '-' && c != '.')
			return false;
	}
	return s.n > 0 && s.n <= 253;
}

static bool is_bracketed(struct str s)
{
	struct net_policy *p = net_policy_new();
	bool ok = s.p[0] == '[' && s.p[s.n - 1] == ']' && net_policy_allow(p, s, NULL) == 0;

	net_policy_free(p);
	return ok;
}

/* scheme://host or scheme://host:port, and nothing more: RFC 6454 calls it an origin. */
static bool is_origin(struct str s)
{
	struct str host, port;
	const char *colon;

	if (!str_starts(s, "http://") && !str_starts(s, "https://"))
		return false;
	host = str_skip(s, str_starts(s, "https") ? 8 : 7);
	colon = host.n ? memrchr(host.p, ':', host.n) : NULL;
	if (colon && host.p[host.n - 1] != ']') {
		int64_t v;

		port = str_skip(host, (size_t)(colon + 1 - host.p));
		host.n = (size_t)(colon - host.p);
		v = take_number(&port);
		if (v < 1 || v > 65535 || port.n)
			return false;
	}
	return host.n && (is_host(host) || is_bracketed(host));
}

static int read_url(struct source *src, const struct setting *t, struct str value)
{
	if (value.n && value.p[value.n - 1] == '/')
		return refuse(src, "%s: no slash at the end", t->name);
	if (!is_origin(value))
		return refuse(src, "%s: must be http://HOST or https://HOST, with :PORT where it is not the usual one",
		              t->name);
	return read_text(src, t, value);
}

static int read_origins(struct source *src, const struct setting *t, struct str value)
{
	struct str rest = value;

	while (rest.n)
		if (!is_origin(str_trim(str_cut(&rest, ','))))
			return refuse(src, "%s: must be origins as https://HOST:PORT, with commas between", t->name);
	return read_text(src, t, value);
}

static int read_zone(struct source *src, const struct setting *t, struct str value)
{
	struct clock_local local;
	char zone[CONF_ZONE_MAX] = "";

	if (value.n < sizeof(zone))
		memcpy(zone, value.p, value.n);
	if (clock_in_zone(clock_ms(), zone, &local))
		return refuse(src, "%s: unknown time zone (is the package tzdata there?)", t->name);
	return read_text(src, t, value);
}

/* Only the characters; what a scope means is checked where scopes are known. */
static int read_scopes(struct source *src, const struct setting *t, struct str value)
{
	bool ok = value.n > 0;

	for (size_t i = 0; i < value.n; i++) {
		char c = value.p[i];

		ok = ok && (ascii_is_word(c) || (c && strchr("-:,.* ", c)));
	}
	return ok ? read_text(src, t, value) : refuse(src, "%s: must be none, or scopes with commas between", t->name);
}

static int add_networks(struct source *src, const struct setting *t, struct net_policy *to, struct str value)
{
	struct problem why = { 0 };

	while (value.n)
		if (net_policy_allow(to, str_trim(str_cut(&value, ',')), &why))
			return refuse(src, "%s: %s", t->name, why.detail);
	return 0;
}

static int read_networks(struct source *src, const struct setting *t, struct str value)
{
	struct net_policy *p = net_policy_new();
	int rc = add_networks(src, t, p, value);

	net_policy_free(p);
	return rc ? -1 : read_text(src, t, value);
}

static int read_upstreams(struct source *src, const struct setting *t, struct str value)
{
	return add_networks(src, t, src->conf->upstreams, value);
}

static int read_endpoint(struct source *src, const struct setting *t, struct str value)
{
	size_t scheme = str_starts(value, "https") ? 8 : 7;
	const char *slash = value.n > scheme ? memchr(value.p + scheme, '/', value.n - scheme) : NULL;
	struct str origin = str_make(value.p, slash ? (size_t)(slash - value.p) : value.n);
	bool ok = is_origin(origin) && value.p[value.n - 1] != '/';

	for (size_t i = origin.n; i < value.n; i++)
		ok = ok && value.p[i] > ' ' && (unsigned char)value.p[i] < 0x7F && !strchr("?#\\", value.p[i]);
	if (!ok)
		return refuse(src, "%s: must be https://HOST/PATH or http://HOST/PATH, without a slash at the end", t->name);
	return read_text(src, t, value);
}

static int read_secret_name(struct source *src, const struct setting *t, struct str value)
{
	bool ok = value.n <= SECRET_NAME_MAX && !str_is(value, "TERMINAL_KEY");

	for (size_t i = 0; i < value.n; i++) {
		char c = value.p[i];

		ok = ok && (ascii_is_upper(c) || c == '_' || (i && ascii_is_digit(c)));
	}
	return ok ? read_text(src, t, value) : refuse(src, "%s: must be a name of the secrets file, but TERMINAL_KEY", t->name);
}

static const struct {
	const char *name;
	int (*read)(struct source *src, const struct setting *t, struct str value);
} kinds[KIND_N] = {
	[KIND_TEXT] = { "text", read_text },
	[KIND_PATH] = { "path", read_path },
	[KIND_PATH_OR_NONE] = { "path or nothing", read_path_or_none },
	[KIND_YES_NO] = { "yes or no", read_yes_no },
	[KIND_INTEGER] = { "integer", read_integer },
	[KIND_SIZE] = { "size", read_size },
	[KIND_DURATION] = { "duration", read_duration },
	[KIND_MONEY] = { "US dollars", read_money },
	[KIND_CHOICE] = { "choice", read_choice },
	[KIND_URL] = { "URL", read_url },
	[KIND_ORIGINS] = { "origins", read_origins },
	[KIND_ZONE] = { "time zone", read_zone },
	[KIND_SCOPES] = { "scopes", read_scopes },
	[KIND_NETWORKS] = { "addresses", read_networks },
	[KIND_UPSTREAMS] = { "addresses, repeatable", read_upstreams },
	[KIND_ENDPOINT] = { "URL", read_endpoint },
	[KIND_SECRET_NAME] = { "variable", read_secret_name },
};

static int find_setting(const struct section *s, struct str name)
{
	for (int i = 0; i < s->n; i++)
		if (str_is(name, s->setting[i].name))
			return i;
	return -1;
}

static int refuse_unknown(struct source *src, struct str name)
{
	const struct section *s = section_of(src);
	size_t best = name.n < 6 ? name.n / 2 + 1 : 4;         /* of a short name less may be wrong */
	const char *near = NULL, *where = src->model.into ? " of a model" : "";
	int shown = (int)escape_cut(name, 60);

	for (int i = 0; i < s->n; i++) {
		size_t d = str_distance(name, str_of(s->setting[i].name), 3);

		if (d < best) {
			best = d;
			near = s->setting[i].name;
		}
	}
	if (!near)
		return refuse(src, "unknown setting `%.*s`%s", shown, name.p, where);
	return refuse(src, "unknown setting `%.*s`%s (did you mean `%s`?)", shown, name.p, where, near);
}

static int read_setting(struct source *src, struct str name, struct str value)
{
	struct section *s = section_of(src);
	int i = find_setting(s, name);

	if (i < 0)
		return refuse_unknown(src, name);
	/* What comes from the command line wins over the file. */
	if (src->file && s->given[i] && s->setting[i].kind != KIND_UPSTREAMS)
		return refuse(src, "%s is given twice", s->setting[i].name);
	s->given[i] = true;
	return kinds[s->setting[i].kind].read(src, &s->setting[i], value);
}

static int read_defaults(struct source *src)
{
	struct section *s = section_of(src);

	for (int i = 0; i < s->n; i++) {
		const struct setting *t = &s->setting[i];

		if (!s->given[i] && !t->dflt)
			return refuse(src, "%s is missing", t->name);
		if (!s->given[i] && kinds[t->kind].read(src, t, str_of(t->dflt)))
			return -1;
	}
	return 0;
}

static bool is_var_name(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!ascii_is_word(c) || (i == 0 && ascii_is_digit(c)))
			return false;
	}
	return s.n > 0 && s.n <= 64;
}

static int read_var(struct source *src, struct str name, struct str value)
{
	struct conf_var **end = &src->conf->vars;

	if (!is_var_name(name))
		return refuse(src, "a variable's name is letters, digits and _, at most 64");
	for (; *end; end = &(*end)->next)
		if (str_is(name, (*end)->name))
			return refuse(src, "variable %s is given twice", (*end)->name);
	*end = mem_alloc(sizeof(**end));
	(*end)->name = mem_strndup(name.p, name.n);
	(*end)->value = mem_strndup(value.p, value.n);
	return 0;
}

/* The value without its comment and quotes; -1 when quotes do not match. */
static int strip_value(struct str *value)
{
	struct str s = str_trim(*value), rest;

	if (s.n && s.p[0] == '"') {
		rest = str_skip(s, 1);
		*value = str_cut(&rest, '"');
		s = str_trim(rest);
		return !rest.p || (s.n && s.p[0] != '#') ? -1 : 0;
	}
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '#' && (i == 0 || s.p[i - 1] == ' ' || s.p[i - 1] == '\t'))
			s.n = i;
	*value = str_trim(s);
	return 0;
}

/* Ends the section that is open; what it lacks is told of its first line. */
static int end_section(struct source *src)
{
	size_t line = src->line;

	src->in_vars = false;
	if (!src->model.into)
		return 0;
	src->line = src->model_line;
	if (read_defaults(src))
		return -1;
	src->line = line;
	src->model.into = NULL;
	return 0;
}

static int begin_model(struct source *src, struct str pattern)
{
	struct conf_model **end = &src->conf->models;

	if (!pattern.n || pattern.n > CONF_PATTERN_MAX)
		return refuse(src, "a model's pattern has 1 to %d bytes", CONF_PATTERN_MAX);
	for (; *end; end = &(*end)->next)
		if (str_is(pattern, (*end)->pattern))
			return refuse(src, "[model \"%s\"] is there twice", (*end)->pattern);
	*end = mem_alloc(sizeof(**end));
	(*end)->pattern = mem_strndup(pattern.p, pattern.n);
	src->model = (struct section){ .setting = model_settings, .n = MODEL_SETTINGS, .into = *end };
	src->model_line = src->line;
	return 0;
}

/* The pattern of a line `[model "PATTERN"]`; p NULL when it is none. */
static struct str model_pattern(struct str line)
{
	struct str rest = str_trim(str_skip(line, strlen("[model"))), pattern;

	if (!str_starts(line, "[model") || !str_starts(rest, "\""))
		return str_of(NULL);
	rest = str_skip(rest, 1);
	pattern = str_cut(&rest, '"');
	if (!str_starts(rest, "]"))
		return str_of(NULL);
	rest = str_skip(rest, 1);
	return strip_value(&rest) == 0 && !rest.n ? pattern : str_of(NULL);
}

static int read_section(struct source *src, struct str line)
{
	struct str pattern = model_pattern(line);

	if (end_section(src))
		return -1;
	if (pattern.p)
		return begin_model(src, pattern);
	if (strip_value(&line) || !str_is(line, "[vars]"))
		return refuse(src, "unknown section %.*s", (int)escape_cut(line, 60), line.p);
	src->in_vars = true;
	return 0;
}

static int read_line(struct source *src, struct str line)
{
	struct str name, value = str_trim(line);

	if (!value.n || value.p[0] == '#')
		return 0;
	if (value.p[0] == '[')
		return read_section(src, value);
	name = str_trim(str_cut(&value, '='));
	if (!value.p)
		return refuse(src, "neither `name = value` nor a section nor a comment");
	if (strip_value(&value))
		return refuse(src, "%.*s: a quote without its partner, or text behind it", (int)escape_cut(name, 60),
		              name.p);
	return src->in_vars ? read_var(src, name, value) : read_setting(src, name, value);
}

static int check_text(struct source *src, struct str text)
{
	src->line = 1;
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if ((c < 0x20 && !strchr("\n\t\r", c)) || c == 0 || c == 0x7F)
			return refuse(src, "control character 0x%02x", c);
		src->line += c == '\n';
	}
	src->line = 0;
	return escape_is_utf8(text) ? 0 : refuse(src, "not UTF-8");
}

static int read_lines(struct source *src, struct str text)
{
	if (check_text(src, text))
		return -1;
	for (src->line = 1; text.p; src->line++)
		if (read_line(src, str_cut(&text, '\n')))
			return -1;
	if (end_section(src))
		return -1;
	src->line = 0;
	return 0;
}

static int load_file(struct source *src, const char *path, struct buf *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc = -1;
	struct stat st;
	ssize_t n = 1;

	if (fd < 0 || fstat(fd, &st)) {
		refuse(src, "%s", strerror(errno));
		goto out;
	}
	if (!S_ISREG(st.st_mode)) {
		refuse(src, "is no regular file");
		goto out;
	}
	while (n > 0 && text->len <= CONF_FILE_MAX) {
		buf_reserve(text, 4096);
		n = read(fd, text->data + text->len, text->cap - text->len);
		text->len += n > 0 ? (size_t)n : 0;
	}
	if (n < 0)
		refuse(src, "%s", strerror(errno));
	else if (n > 0)
		refuse(src, "is larger than %d bytes", CONF_FILE_MAX);
	else
		rc = 0;
out:
	if (fd >= 0)
		close(fd);
	return rc;
}

static int read_overrides(struct source *src, char *const *overrides, size_t n)
{
	src->file = NULL;
	for (size_t i = 0; i < n; i++) {
		struct str value = str_of(overrides[i]), name = str_trim(str_cut(&value, '='));

		if (!value.p)
			return refuse(src, "`%.*s` is not NAME=VALUE", (int)escape_cut(name, 60), name.p);
		if (read_setting(src, name, str_trim(value)))
			return -1;
	}
	return 0;
}

static void refuse_path(struct source *src, int error)
{
	refuse(src, "%s", strerror(error));
	if (error == ENOENT)
		problem_fix(src->why, "begin with rowcall.conf.sample, which is installed, or name another file with -c");
}

struct conf *conf_load(const char *path, char *const *overrides, size_t n, struct problem *why)
{
	struct conf *c = mem_alloc(sizeof(*c));
	struct source src = {
		.conf = c, .file = path, .why = why, .top = { .setting = settings, .n = SETTINGS, .into = c },
	};
	struct buf text = BUF_MALLOC;
	int rc = -1;

	c->upstreams = net_policy_new();
	c->path = realpath(path, NULL);
	if (!c->path)
		refuse_path(&src, errno);
	else if (load_file(&src, c->path, &text) == 0 && read_lines(&src, buf_str(&text)) == 0 &&
	         read_overrides(&src, overrides, n) == 0)
		rc = read_defaults(&src);
	buf_free(&text);
	if (rc) {
		conf_free(c);
		return NULL;
	}
	return c;
}

static bool is_number_kind(enum kind kind)
{
	return kind == KIND_INTEGER || kind == KIND_SIZE || kind == KIND_DURATION || kind == KIND_MONEY;
}

static void free_texts(void *into, const struct setting *setting, int n)
{
	for (int i = 0; i < n; i++) {
		enum kind kind = setting[i].kind;

		if (!is_number_kind(kind) && kind != KIND_YES_NO && kind != KIND_UPSTREAMS)
			free(*(char **)field_of(into, &setting[i]));
	}
}

void conf_free(struct conf *c)
{
	if (!c)
		return;
	free_texts(c, settings, SETTINGS);
	while (c->vars) {
		struct conf_var *v = c->vars;

		c->vars = v->next;
		free(v->name);
		free(v->value);
		free(v);
	}
	while (c->models) {
		struct conf_model *m = c->models;

		c->models = m->next;
		free_texts(m, model_settings, MODEL_SETTINGS);
		free(m->pattern);
		free(m);
	}
	net_policy_free(c->upstreams);
	free(c->path);
	free(c);
}

struct str conf_var(const struct conf *c, struct str name)
{
	for (const struct conf_var *v = c->vars; v; v = v->next)
		if (str_is(name, v->name))
			return str_of(v->value);
	return str_of(NULL);
}

void conf_each(void (*fn)(void *ctx, const char *name, const char *kind, const char *dflt, const char *help), void *ctx)
{
	for (int i = 0; i < SETTINGS; i++)
		fn(ctx, settings[i].name, kinds[settings[i].kind].name, settings[i].dflt, settings[i].help);
}
