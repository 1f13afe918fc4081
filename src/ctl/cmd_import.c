/* `rowcall import`: a source is read and converted, the plan shown, asked for, and carried out. What a source becomes is
 * import/'s, what a plan does plan.c's. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/escape.h"
#include "base/mem.h"
#include "base/secret.h"
#include "call/mcp_client.h"
#include "call/outbound.h"
#include "ctl/out.h"
#include "ctl/plan.h"
#include "directory/row.h"
#include "import/command.h"
#include "import/openapi.h"
#include "import/shell.h"
#include "import/sql.h"
#include "import/tools.h"
#include "lang/authspec.h"
#include "lang/target.h"
#include "loop/fiber.h"
#include "loop/loop.h"

enum { IMPORT_FILE_MAX = 64 << 20 };    /* bytes of a file */

struct import {
	const struct ctl_args *args;
	struct api *api;
	struct draft d;
	struct plan plan;
	bool atomic, stored;            /* --atomic; whether anything was */
	bool foreign;                   /* many rows of somebody else's text: they are stored when somebody has said yes */
	bool broken;                    /* a part of the source could not be read */
};

/* The columns that a description says; the rest is whoever's runs the directory. */
static const enum row_column described[] = { ROW_TYPE, ROW_TARGET, ROW_AUTH, ROW_CONTENT, ROW_INPUT_SCHEMA, ROW_EXAMPLES };

static uint32_t described_columns(void)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < sizeof(described) / sizeof(described[0]); i++)
		bits |= row_bit(described[i]);
	return bits;
}

/* Input */

static int read_input(const char *path, struct buf *out)
{
	bool standard = strcmp(path, "-") == 0;
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC), code = CTL_OK;
	ssize_t n = fd < 0 ? -1 : 1;

	while (n > 0 && out->len <= IMPORT_FILE_MAX) {
		buf_reserve(out, 65536);
		n = read(fd, out->data + out->len, 65536);
		out->len += n > 0 ? (size_t)n : 0;
	}
	if (n < 0)
		code = ctl_fail(CTL_NOT_FOUND, "%s: %s", path, strerror(errno));
	else if (out->len > IMPORT_FILE_MAX)
		code = ctl_fail(CTL_FAILED, "%s: is larger than %d MiB", path, IMPORT_FILE_MAX >> 20);
	if (fd >= 0 && !standard)
		close(fd);
	return code;
}

/* The values of a repeatable option; the arena's. */
static const struct str *values(struct import *im, const char *name, size_t *n)
{
	struct str *list = arena_alloc(im->d.arena, CTL_SET_MAX * sizeof(*list));

	*n = 0;
	for (unsigned i = 0; i < im->args->sets; i++)
		if (strcmp(im->args->set[i].option->name, name) == 0)
			list[(*n)++] = str_of(im->args->set[i].value);
	return list;
}

/* Sources: each fills im->d and says what of a row is its. 0, or an exit code after printing why. */

/* One argument is a whole command line, several are its words; none: standard input. */
static int command_words(struct import *im, struct str **word, size_t *n)
{
	const struct ctl_args *a = im->args;
	struct buf text = BUF_ARENA(im->d.arena);
	struct problem why = { 0 };
	struct str rest;
	int code = CTL_OK;

	if (a->words == 0 || (a->words == 1 && strcmp(a->word[0], "-") == 0))
		code = read_input("-", &text);
	else if (a->words == 1 && strpbrk(a->word[0], " \t\n"))
		buf_puts(&text, a->word[0]);
	if (code)
		return code;
	if (!text.len && a->words) {
		*word = arena_alloc(im->d.arena, (size_t)a->words * sizeof(**word));
		for (*n = 0; *n < (size_t)a->words; ++*n)
			(*word)[*n] = str_of(a->word[*n]);
		return CTL_OK;
	}
	if (shell_words(im->d.arena, buf_str(&text), word, n, &rest, &why) < 0)
		return ctl_problem(CTL_FAILED, &why);
	if (str_trim(rest).n)
		draft_note(&im->d, "command line", false, "what stands behind the command is left out");
	return CTL_OK;
}

static int source_curl(struct import *im)
{
	struct command_wishes w = {
		.key = ctl_value(im->args, "key"), .what = ctl_value(im->args, "what"), .category = ctl_value(im->args, "category"),
	};
	struct problem why = { 0 };
	struct str *word;
	size_t n;
	int code = command_words(im, &word, &n);

	w.fixed = values(im, "fixed", &w.fixed_n);
	w.slot = values(im, "slot", &w.slot_n);
	im->plan.owned = described_columns();
	if (code)
		return code;
	return command_convert(&im->d, word, n, &w, &why) < 0 ? ctl_problem(CTL_FAILED, &why) : CTL_OK;
}

/* A document of the network: https, or http of this machine. */
static int fetch(struct import *im, const char *url, struct buf *out)
{
	const char *path = strstr(url, "://") + 3;
	struct api_transfer t = { .method = "GET" };
	struct buf answer = BUF_ARENA(im->d.arena);
	struct problem why = { 0 };
	struct remote *r;
	struct str rest, line;
	int status, rc;

	if (!remote_is_safe(url))
		return ctl_fail(CTL_FAILED, "%s: only https://…, or http:// of this machine, is fetched; save it to a file else", url);
	path += strcspn(path, "/?#");
	t.path = path[0] == '/' ? path : "/";
	r = remote_open(arena_str(im->d.arena, str_make(url, (size_t)(path - url))), ctl_value(im->args, "cacert"));
	rc = remote_send(r, &t, &answer, &why);
	remote_close(r);
	if (rc < 0)
		return ctl_problem(CTL_UNAVAILABLE, &why);
	rest = buf_str(&answer);
	line = str_cut(&rest, '\n');
	status = str_starts(line, "Status: ") ? atoi(str_skip(line, 8).p) : 0;
	while (str_trim(str_cut(&rest, '\n')).n)
		;
	if (status != 200)
		return ctl_fail(CTL_UNAVAILABLE, "%s: answers with status %d%s", url, status, status / 100 == 3 ? "; give the address that it leads to" : "");
	buf_putstr(out, rest.p ? rest : str_of(""));
	return CTL_OK;
}

static bool is_url(const char *text)
{
	return strncmp(text, "https://", 8) == 0 || strncmp(text, "http://", 7) == 0;
}

static int source_openapi(struct import *im)
{
	struct openapi_wishes w = {
		.prefix = ctl_value(im->args, "prefix"), .category = ctl_value(im->args, "category"), .server = ctl_value(im->args, "server"),
	};
	const char *from = im->args->word[0];
	struct buf text = BUF_ARENA(im->d.arena);
	struct json_object *document;
	struct problem why = { 0 };
	int code = is_url(from) ? fetch(im, from, &text) : read_input(from, &text);

	if (code)
		return code;
	w.source = is_url(from) ? from : NULL;
	w.tag = values(im, "tag", &w.tags);
	w.only = values(im, "only", &w.onlys);
	im->foreign = true;
	im->plan.owned = described_columns();
	im->plan.remove = ctl_has(im->args, "remove");
	if (openapi_read(im->d.arena, buf_str(&text), &document, &why) < 0 || openapi_convert(&im->d, document, &w, &why) < 0)
		return ctl_fail(CTL_FAILED, "%s: %s", from, why.detail[0] ? why.detail : why.error);
	/* A part of a document says nothing about the rest. */
	im->plan.source = w.tags || w.onlys ? NULL : openapi_source(&im->d, document, &w);
	return CTL_OK;
}

/* One row a line, or one array. */
static int source_jsonl(struct import *im)
{
	struct buf text = BUF_ARENA(im->d.arena);
	struct problem why = { 0 };
	struct json_object *o;
	struct str rest;
	const char *path = im->args->words ? im->args->word[0] : "-";
	int code = read_input(path, &text);

	im->plan.owned = UINT32_MAX;
	if (code)
		return code;
	rest = buf_str(&text);
	if (str_starts(str_trim(rest), "[")) {
		if (json_parse(im->d.arena, rest, &o, &why) < 0)
			return ctl_fail(CTL_FAILED, "%s: %s", path, why.detail);
		im->d.rows = o;
		return CTL_OK;
	}
	for (unsigned line = 1; rest.p; line++) {
		struct str one = str_trim(str_cut(&rest, '\n'));

		if (!one.n)
			continue;
		if (json_parse(im->d.arena, one, &o, &why) == 0 && json_object_is_type(o, json_type_object)) {
			json_object_array_add(im->d.rows, json_object_get(o));
		} else {
			im->broken = true;
			draft_note(&im->d, arena_printf(im->d.arena, "line %u", line), true, "is no row: %s", why.status ? why.detail : "no object");
		}
		why = (struct problem){ 0 };
	}
	return CTL_OK;
}

static int source_sql(struct import *im)
{
	struct buf text = BUF_ARENA(im->d.arena);
	struct problem why = { 0 };
	const char *path = im->args->words ? im->args->word[0] : "-";
	int code = read_input(path, &text);

	im->plan.owned = UINT32_MAX;
	if (code)
		return code;
	return sql_convert(&im->d, buf_str(&text), &why) < 0 ? ctl_fail(CTL_FAILED, "%s: %s", path, why.detail) : CTL_OK;
}

/* A server's list of tools, asked for on a fiber. */
struct listing { struct import *im; const struct conf *conf; struct secrets *secrets; struct mcp_client client; struct json_object *tools; };

/* Why there is no list. An address that the policy refuses is one that the settings can open. */
static void tell_fault(struct listing *l)
{
	const char *fault = buf_text(&l->client.fault.text), *blocked = "ERR:http:blocked_address:";
	size_t n = strlen(blocked);

	if (strncmp(fault, blocked, n) == 0)
		ctl_fail(0, "%s; rows reach no loopback, private or link-local address unless it is listed: put `allow_upstream = %s` into %s "
			 "(see rowcall.conf(5)) and run `rowcall reload`, then import again", fault, fault + n, l->conf->path);
	else
		ctl_fail(0, "%s", fault);
}

static void list_tools(void *arg)
{
	struct listing *l = arg;
	struct problem why = { 0 };

	if (outbound_init(l->conf, &why) < 0) {
		ctl_problem(0, &why);
		return;
	}
	l->client.deadline_us = clock_mono_us() + l->conf->upstream_timeout_ms * 1000;
	if (mcp_client_open(&l->client) < 0 || mcp_client_list_tools(&l->client, &l->tools) < 0) {
		tell_fault(l);
		l->tools = NULL;        /* a part of the list is none */
	}
	mcp_client_close(&l->client);
	outbound_done();
}

/* Asked from here, as the service would: with its address policy, its secrets and its limits. */
static int source_mcp(struct import *im)
{
	struct tools_wishes w = { .url = im->args->word[0], .auth = ctl_value(im->args, "auth"), .prefix = ctl_value(im->args, "prefix") };
	struct listing l = { .im = im, .conf = api_conf(im->api), .client = { .arena = im->d.arena } };
	struct authspec auth = { 0 };
	struct target t;
	struct problem why = { 0 };

	if (!l.conf)
		return ctl_fail(CTL_USAGE, "import mcp asks the server with the settings and secrets of a service of this machine");
	if (target_parse(im->d.arena, str_of(arena_printf(im->d.arena, "POST %s", w.url)), &t, &why) < 0 ||
	    authspec_parse(im->d.arena, str_of(w.auth ? w.auth : ""), &auth, &why) < 0)
		return ctl_problem(CTL_USAGE, &why);
	l.secrets = ctl_secrets(l.conf, &why);
	if (!l.secrets)
		return ctl_problem(CTL_CONFIG, &why);
	l.client.url = t.url;
	l.client.scheme = t.scheme;
	l.client.authority = t.authority;
	l.client.auth = &auth;
	l.client.secrets = l.secrets;
	loop_init();
	fiber_main(list_tools, &l);
	loop_done();
	secret_close(l.secrets);
	im->foreign = true;
	im->plan.owned = described_columns();
	im->plan.remove = ctl_has(im->args, "remove");
	im->plan.source = tools_source(&im->d, &w);
	tools_convert(&im->d, l.tools, &w);
	return l.tools ? CTL_OK : CTL_UNAVAILABLE;
}

/* Telling */

/* One line on standard error, behind what was printed; texts of the source are escaped. */
static void tell(const char *before, struct str text)
{
	struct buf b = BUF_MALLOC;

	buf_puts(&b, before);
	escape_add(&b, ESCAPE_TERMINAL, text);
	buf_putc(&b, '\n');
	fflush(stdout);
	fputs(buf_text(&b), stderr);
	buf_free(&b);
}

static void tell_notes(struct import *im)
{
	for (size_t i = 0; i < json_object_array_length(im->d.notes); i++) {
		struct json_object *note = json_object_array_get_idx(im->d.notes, i);
		int64_t others = json_get(note, "count") ? json_object_get_int64(json_get(note, "count")) - DRAFT_PLACES_MAX : 0;
		const char *more = others > 0 ? arena_printf(im->d.arena, " and %" PRId64 " more", others) : "";
		const char *text = arena_printf(im->d.arena, "%s%s: %s", json_object_get_string(json_get(note, "at")), more,
						json_object_get_string(json_get(note, "what")));

		tell(json_object_get_boolean(json_get(note, "lost")) ? "left out: " : "note: ", str_of(text));
	}
}

/* The lines that the secrets file lacks. */
static void tell_secrets(struct import *im)
{
	const struct conf *conf = api_conf(im->api);
	struct problem why = { 0 };
	struct secrets *known = conf ? ctl_secrets(conf, &why) : NULL;
	bool said = false;

	json_object_object_foreach(im->d.secrets, name, what) {
		if (known && secret_get(known, str_of(name)).n)
			continue;
		if (!said)
			tell("put into the secrets file", str_of(conf ? arena_printf(im->d.arena, " %s:", conf->secrets_file) : " of the service:"));
		said = true;
		tell("  ", str_of(arena_printf(im->d.arena, "%s=<%s>", name, json_object_get_string(what))));
	}
	secret_close(known);
}

static void tell_plan(struct import *im)
{
	static const struct out_column columns[] = { { "KEY", "key", OUT_TEXT }, { "STATUS", "status", OUT_TEXT }, { "WHAT", "what", OUT_TEXT } };
	struct json_object *o;

	if (!ctl_has(im->args, "json")) {
		out_table(im->plan.rows, columns, sizeof(columns) / sizeof(columns[0]));
		return;
	}
	o = arena_json(im->d.arena, json_object_new_object());
	json_put_bool(o, "stored", im->stored);
	for (size_t i = 0; i < json_object_array_length(im->plan.rows); i++) {
		json_object_object_del(json_object_array_get_idx(im->plan.rows, i), "row");
		json_object_object_del(json_object_array_get_idx(im->plan.rows, i), "etag");
	}
	json_put(o, "rows", json_object_get(im->plan.rows));
	json_put(o, "notes", json_object_get(im->d.notes));
	json_put(o, "secrets", json_object_get(im->d.secrets));
	out_json(o);
}

static void tell_counts(struct import *im, const char *verb)
{
	const struct plan *p = &im->plan;
	const char *undone = p->undone ? arena_printf(im->d.arena, ", %u undone", p->undone) : "";

	tell("rowcall: ", str_of(arena_printf(im->d.arena, "%s%u created, %u changed, %u unchanged, %u gone, %u refused%s", verb, p->created, p->changed,
					      p->unchanged, p->gone, p->refused, undone)));
}

/* Asking */

/* True when what the plan does may be done. */
static bool may_go_on(struct import *im, int *code)
{
	char line[16];

	if (ctl_has(im->args, "dry-run"))
		return false;
	if (!im->foreign || ctl_has(im->args, "yes") || (im->atomic && im->plan.refused) || im->plan.created + im->plan.changed + im->plan.gone * im->plan.remove == 0)
		return true;
	*code = CTL_FAILED;
	if (!isatty(STDIN_FILENO)) {
		ctl_fail(0, "nothing is stored without --yes");
		return false;
	}
	fprintf(stderr, "Store this? [y/N] ");
	if (!fgets(line, sizeof(line), stdin) || (line[0] != 'y' && line[0] != 'Y')) {
		ctl_fail(0, "nothing is stored");
		return false;
	}
	*code = CTL_OK;
	return true;
}

/* The exit code. Row by row what is refused does not stop the others; together one does. */
static int store(struct import *im)
{
	int code = !im->atomic ? plan_apply(&im->plan)
		 : im->broken ? ctl_fail(CTL_FAILED, "not every line is a row; nothing is stored") : plan_apply_whole(&im->plan);

	im->stored = !im->atomic || code == CTL_OK;
	return code;
}

/* On a terminal the plan is shown before it is asked for; a script gets it once, as it came out. */
static int carry_out(struct import *im)
{
	bool first = out_terminal() && im->foreign && !ctl_has(im->args, "json");
	int code = plan_make(&im->plan);

	if (code)
		return code;
	if (first)
		tell_plan(im);
	tell_notes(im);
	if (may_go_on(im, &code) && code == CTL_OK)
		code = store(im);
	if (!first || im->plan.refused)
		tell_plan(im);
	tell_secrets(im);
	tell_counts(im, im->stored || im->plan.undone ? "" : "nothing is stored; it would be: ");
	return code ? code : im->plan.refused || im->broken ? CTL_FAILED : CTL_OK;
}

static int import(const struct ctl_args *args, int (*source)(struct import *im))
{
	struct import im = { .args = args, .atomic = ctl_has(args, "atomic") };
	int code = CTL_OK;

	draft_init(&im.d, arena_new());
	im.api = api_open(args, &code);
	if (im.api && (code = source(&im)) == CTL_OK) {
		im.plan.api = im.api;
		im.plan.d = &im.d;
		im.plan.as_is = ctl_has(args, "as-is");
		code = carry_out(&im);
	}
	api_close(im.api);
	arena_free(im.d.arena);
	return code;
}

int ctl_import_curl(const struct ctl_args *args) { return import(args, source_curl); }
int ctl_import_mcp(const struct ctl_args *args) { return import(args, source_mcp); }
int ctl_import_openapi(const struct ctl_args *args) { return import(args, source_openapi); }
int ctl_import_jsonl(const struct ctl_args *args) { return import(args, source_jsonl); }
int ctl_import_sql(const struct ctl_args *args) { return import(args, source_sql); }
