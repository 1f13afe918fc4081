/* rowcall.conf: `name = value` lines, `#` comments (at the start of a line or behind a blank), values in quotes where
 * they hold such a `#`, and the sections `[vars]` and `[model "PATTERN"]`. Every setting is one row of a table in
 * conf.c: name, kind, default, bounds, one line of help. rowcall.conf(5) has a paragraph for each. Settings bear the
 * names of the fields below without the unit: `connect_timeout = 5s`. */
#ifndef BASE_CONF_H
#define BASE_CONF_H
#include <stdint.h>
#include "base/net.h"
#include "base/problem.h"
#include "base/str.h"

struct conf {
	char *path;                     /* the file itself, absolute */
	/* places; relative ones are relative to the configuration file's folder */
	char *data_dir;                 /* directory.db and ledger.db */
	char *run_dir;                  /* fcgi.sock, writer.sock, rowcalld.pid */
	char *migrations_dir;           /* default: PKGDATADIR/migrations */
	char *secrets_file;
	char *user, *group;             /* who writer and workers become when started as root; empty: stay */
	char *socket_group;             /* group that may connect to fcgi.sock (nginx's); empty: the service's own */
	/* the service */
	char *base_url;                 /* "https://host:port", without a slash at the end */
	char *zone;                     /* IANA zone of NOW */
	char *anonymous;                /* `none`, or scopes, comma-separated */
	char *log_level;
	int64_t workers;                /* 0: one a core */
	int64_t listen_backlog;
	char *synchronous;              /* FULL or NORMAL */
	bool allow_network_fs;
	int64_t drain_ms;               /* how long a worker may take to finish at a stop */
	/* limits; spec section 4.4 */
	int64_t max_request_body, max_row_field, max_upstream_body, max_connections, max_streams, max_kept_payload;
	int64_t payload_keep_ms;        /* how long inputs and outputs stay with their receipts; 0: for ever */
	int64_t seal_interval_ms;       /* how long a receipt waits, at most, to be sealed into the chain */
	int64_t idempotency_ms;         /* how long a call's Idempotency-Key is remembered, with its result */
	int64_t connect_timeout_ms, upstream_timeout_ms, max_redirects;
	int64_t trace_timeout_ms, trace_depth, trace_steps, trace_cost_microusd, flow_branches;
	char *exec_dir, *exec_user, *watcher;
	int64_t watcher_timeout_ms, hold_ms;
	int64_t exec_timeout_ms, max_exec_output, exec_parallel, exec_memory;
	bool exec_network;
	int64_t model_turns, model_timeout_ms;
	int64_t write_timeout_ms;       /* how long a write may wait for the writer */
	int64_t ask_budget;             /* bytes of an answer to a question */
	int64_t ask_learned, ask_learned_row, ask_learned_age_ms;
	int64_t mcp_page;               /* tools of one page of MCP's list */
	bool strict;
	char *upstream_ca_file;         /* PEM bundle for upstream TLS; empty: the system's */
	char *metrics_allow;            /* addresses that may read /api/status and /api/metrics; comma-separated */
	char *cors_origins;             /* comma-separated; empty: no CORS */
	struct net_policy *upstreams;   /* from allow_upstream, which may be given several times */
	struct conf_var *vars;          /* [vars], a list */
	struct conf_model *models;      /* [model "PATTERN"], a list in the order of the file */
};

struct conf_var { char *name, *value; struct conf_var *next; };

/* A chat endpoint, for the models whose id fits the pattern: see call/model.h. */
struct conf_model {
	char *pattern;
	char *base_url;                 /* "https://host/v1", without a slash at the end */
	char *name;                     /* what the endpoint calls the model; empty: as it is asked for */
	char *credential;               /* name in the secrets file; empty: none */
	int64_t price_in_microusd, price_out_microusd;  /* of a million tokens */
	int64_t max_tokens;             /* of an answer; 0: not said */
	struct conf_model *next;
};

enum { CONF_FILE_MAX = 1024 * 1024, CONF_ZONE_MAX = 64, CONF_PATTERN_MAX = 128 };

/* Reads and checks the file, then `overrides` ("NAME=VALUE", n of them; they win). NULL: why is 500 `bad_configuration`
 * and why->detail one clear line, "FILE:LINE: what". Sets the process's time zone: see clock_in_zone. */
struct conf *conf_load(const char *path, char *const *overrides, size_t n, struct problem *why);
void conf_free(struct conf *c);
struct str conf_var(const struct conf *c, struct str name);     /* p NULL when not in [vars] */
/* Calls fn for every setting at the top of the file, for its test. */
void conf_each(void (*fn)(void *ctx, const char *name, const char *kind, const char *dflt, const char *help),
               void *ctx);

#endif
