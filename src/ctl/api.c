/* Which service is meant and with which credential; sending a request to it. How bytes travel is local.c's for a service
 * of this machine, remote.c's for one elsewhere. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/escape.h"
#include "base/mem.h"
#include "base/secret.h"
#include "ctl/api.h"
#include "ctl/hint.h"
#include "ctl/place.h"

enum { API_HEADERS_MAX = 8 };

struct api {
	struct arena *own, *arena;      /* what lives as long as this; answers and what they are asked with */
	struct conf *conf;              /* of a service of this machine */
	char *socket;
	long started;                   /* process id of the service that we have started; 0: none */
	struct remote *remote;
	struct api_header credential;   /* name NULL: none */
	bool sent;
};

/* Which service */

static int bad_token_file(struct problem *why, const char *path, const char *what)
{
	problem_set(why, 400, "bad_token_file");
	problem_detail(why, "%s: %s", path, what);
	return -1;
}

/* What others may read is no secret: as ssh(1) does with keys. A pipe is the caller's own. */
static int check_mode(int fd, const char *path, struct problem *why)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !(st.st_mode & 077))
		return 0;
	bad_token_file(why, path, "others may read or change this file");
	problem_fix(why, "chmod 600 %.400s; whoever could read it has the credential", path);
	return -1;
}

static int read_credential(struct api *a, const char *path, struct problem *why)
{
	char *text = arena_alloc(a->own, API_CREDENTIAL_MAX + 2);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 || check_mode(fd, path, why) < 0 ? -1 : read(fd, text, API_CREDENTIAL_MAX + 1);
	struct str s = str_trim(str_make(text, n > 0 ? (size_t)n : 0));

	if (n < 0 && !why->status) {
		bad_token_file(why, path, strerror(errno));
		why->status = 404;
	} else if (!why->status && (n > API_CREDENTIAL_MAX || !s.n)) {
		bad_token_file(why, path, s.n ? "is too long for a token" : "is empty");
	}
	if (fd >= 0)
		close(fd);
	if (why->status)
		return -1;
	text[(size_t)(s.p - text) + s.n] = 0;
	a->credential.value = s.p;
	return 0;
}

/* A token or the owner's key: which it is shows in its prefix. */
static int take_credential(struct api *a, const struct ctl_args *args, struct problem *why)
{
	const char *file = ctl_value(args, "token-file");

	a->credential.value = getenv("ROWCALL_TOKEN");
	if (file && read_credential(a, file, why) < 0)
		return -1;
	if (!a->credential.value || !a->credential.value[0])
		return 0;
	a->credential.name = strncmp(a->credential.value, "rct_", 4) == 0 ? "X-Capability-Token" : "X-Terminal-Key";
	return 0;
}

static int open_remote(struct api *a, const struct ctl_args *args, struct problem *why)
{
	const char *url = ctl_value(args, "url"), *cacert = ctl_value(args, "cacert");

	if (cacert && access(cacert, R_OK) < 0) {
		problem_set(why, 404, "bad_cacert");
		problem_detail(why, "%s: %s", cacert, strerror(errno));
		return -1;
	}
	if (!remote_is_safe(url)) {
		problem_set(why, 400, "bad_url");
		problem_detail(why, "--url wants https://HOST; http:// is for this machine alone, since the credential would be seen");
		return -1;
	}
	a->remote = remote_open(url, cacert);
	return take_credential(a, args, why);
}

static int open_local(struct api *a, const struct ctl_args *args, struct problem *why)
{
	const struct place p = place_of(args);
	struct secrets *s;

	a->conf = place_conf(&p, why);
	s = a->conf ? ctl_secrets(a->conf, why) : NULL;
	if (!s && a->conf && access(a->conf->secrets_file, R_OK) < 0 && errno == EACCES) {
		why->status = 403;
		problem_fix(why, "only root and the service's user may act as the owner: try sudo");
	}
	if (!s)
		return -1;
	a->credential = (struct api_header){ "X-Terminal-Key", arena_copy(a->own, secret_owner(s)).p };
	secret_close(s);
	a->socket = arena_printf(a->own, "%s/fcgi.sock", a->conf->run_dir);
	return 0;
}

/* Nobody should act as the owner here who thinks to act as somebody elsewhere. */
static int check_options(const struct ctl_args *args)
{
	bool url = ctl_has(args, "url");

	if (url && (ctl_has(args, "dir") || ctl_has(args, "config")))
		return ctl_fail(CTL_USAGE, "--url is a service elsewhere, --dir and --config are one of this machine");
	if (!url && (ctl_has(args, "token-file") || ctl_has(args, "cacert")))
		return ctl_fail(CTL_USAGE, "--token-file and --cacert go with --url; on this machine the owner's key is used");
	return CTL_OK;
}

struct api *api_open(const struct ctl_args *args, int *code)
{
	struct api *a = mem_alloc(sizeof(*a));
	struct problem why = { 0 };

	a->own = arena_new();
	a->arena = arena_new();
	*code = check_options(args);
	if (*code == CTL_OK) {
		if ((ctl_value(args, "url") ? open_remote : open_local)(a, args, &why) == 0)
			return a;
		*code = ctl_problem(why.status == 403 ? CTL_DENIED : why.status == 404 ? CTL_NOT_FOUND : CTL_CONFIG, &why);
	}
	api_close(a);
	return NULL;
}

void api_pause(struct api *a)
{
	if (a->started > 0) {
		local_stop(a->started);
		a->started = 0;
		a->sent = false;
	}
}

void api_close(struct api *a)
{
	if (!a)
		return;
	api_pause(a);
	remote_close(a->remote);
	conf_free(a->conf);
	arena_free(a->arena);
	arena_free(a->own);
	free(a);
}

struct arena *api_arena(struct api *a)
{
	return a->arena;
}

void api_forget(struct api *a)
{
	arena_reset(a->arena);
}

const struct conf *api_conf(const struct api *a)
{
	return a->conf;
}

const char *api_escape(struct api *a, const char *text)
{
	struct buf b = BUF_ARENA(a->arena);

	escape_add(&b, ESCAPE_PATH, str_of(text));
	return buf_text(&b);
}

/* Sending */

/* The first that is asked is started when nobody listens there. */
static int send_local(struct api *a, const struct api_transfer *t, struct buf *out, struct problem *why)
{
	int rc = local_send(a->socket, t, out, why);

	if (rc == 0 || a->sent || out->len)
		return rc;
	a->started = local_start(a->conf, a->socket, why);
	if (a->started < 0)
		return -1;
	*why = (struct problem){ 0 };
	return local_send(a->socket, t, out, why);
}

/* Answers */

/* What the head says; the rest is the body. */
static void read_answer(struct api *a, struct str text, struct api_answer *out)
{
	struct problem ignored = { 0 };

	while (text.n) {
		struct str line = str_trim(str_cut(&text, '\n')), name = str_cut(&line, ':');

		if (!name.n)
			break;
		line = str_trim(line);
		if (str_is_fold(name, "Status"))
			out->status = atoi(line.p);
		else if (str_is_fold(name, "Content-Type"))
			out->type = line;
		else if (str_is_fold(name, "ETag"))
			out->etag = line;
	}
	out->body = text;
	if (str_starts(out->type, "application/json"))
		json_parse(a->arena, out->body, &out->json, &ignored);
}

static const struct { int status; const char *error; int code; } exit_codes[] = {
	{ 400, "bad_parameter", CTL_USAGE }, { 400, "bad_since", CTL_USAGE },
	{ 401, NULL, CTL_DENIED }, { 403, NULL, CTL_DENIED }, { 404, NULL, CTL_NOT_FOUND }, { 410, NULL, CTL_NOT_FOUND },
	{ 502, NULL, CTL_UNAVAILABLE }, { 503, NULL, CTL_UNAVAILABLE }, { 504, NULL, CTL_UNAVAILABLE },
};

static int exit_code(const struct api_answer *out, struct str error)
{
	for (size_t i = 0; i < sizeof(exit_codes) / sizeof(*exit_codes); i++)
		if (exit_codes[i].status == out->status && (!exit_codes[i].error || str_is(error, exit_codes[i].error)))
			return exit_codes[i].code;
	return CTL_FAILED;
}

/* What how_to_fix speaks of, a line each: keys that are near, and the command that makes a token that would do. */
static void add_help(struct buf *out, struct json_object *answer)
{
	struct json_object *near = json_get(answer, "did_you_mean");
	struct str mint = json_str(json_get(answer, "mint"));

	for (size_t i = 0; near && i < json_object_array_length(near); i++)
		buf_printf(out, "%s%s", i ? ", " : "\n  did_you_mean: ", json_object_get_string(json_get(json_object_array_get_idx(near, i), "key")));
	if (mint.n)
		buf_printf(out, "\n  the owner makes one: %.*s", (int)mint.n, mint.p);
}

const char *api_objection(struct api *a, const struct api_answer *out)
{
	struct str error = json_str(json_get(out->json, "error")), detail = json_str(json_get(out->json, "detail"));
	struct str fix = json_str(json_get(out->json, "how_to_fix"));
	struct buf text = BUF_ARENA(a->arena);

	if (!error.p)
		return arena_printf(a->arena, "the service answers with status %d", out->status);
	if (hint_of(error))
		fix = str_of(hint_of(error));
	else if (!fix.n && out->status == 401)
		fix = str_of("it is the owner's to do, with the owner's key in ROWCALL_TOKEN or --token-file");
	buf_putstr(&text, error);
	if (detail.n)
		buf_printf(&text, ": %.*s", (int)detail.n, detail.p);
	if (fix.n)
		buf_printf(&text, "\n  %.*s", (int)fix.n, fix.p);
	add_help(&text, out->json);
	return buf_text(&text);
}

static int refused(struct api *a, const struct api_answer *out)
{
	return ctl_fail(exit_code(out, json_str(json_get(out->json, "error"))), "%s", api_objection(a, out));
}

static bool is_wanted(const struct api_request *q, const struct api_answer *out)
{
	struct json_object *v = json_get(out->json, q->wants ? q->wants : "ok");

	if (out->status < 200 || out->status > 299)
		return false;
	if (q->wants && !q->wants[0])
		return str_starts(out->type, "text/markdown");
	return q->list ? json_object_is_type(v, json_type_array) : q->wants ? v != NULL : json_object_is_type(v, json_type_boolean);
}

int api_send(struct api *a, const struct api_request *q, struct api_answer *out)
{
	struct api_header header[API_HEADERS_MAX];
	struct api_transfer t = { .method = q->method, .path = q->path, .header = header };
	struct buf text = BUF_ARENA(a->arena), body = BUF_ARENA(a->arena);
	struct problem why = { 0 };
	int rc;

	*out = (struct api_answer){ .status = 0 };
	if (a->credential.name)
		header[t.headers++] = a->credential;
	for (size_t i = 0; i < sizeof(q->header) / sizeof(*q->header) && q->header[i].name; i++)
		header[t.headers++] = q->header[i];
	if (q->json) {
		json_text(&body, q->json);
		t.body = buf_str(&body);
	}
	a->sent = a->sent || q->running;
	rc = a->remote ? remote_send(a->remote, &t, &text, &why) : send_local(a, &t, &text, &why);
	a->sent = true;
	if (rc < 0 && q->running && !a->remote)
		problem_fix(&why, "no service runs there; systemctl start rowcall or rowcall up starts one");
	if (rc < 0)
		return ctl_problem(CTL_UNAVAILABLE, &why);
	read_answer(a, buf_str(&text), out);
	if (out->status >= 400)
		return q->quiet ? 0 : refused(a, out);
	if (!is_wanted(q, out))
		return ctl_fail(CTL_UNAVAILABLE, "%s %s: the answer, with status %d, is none of Rowcall's%s", q->method, q->path, out->status,
				a->remote ? "; is --url the address of a service?" : "");
	return 0;
}

int api_get(struct api *a, const char *path, const char *wants, struct api_answer *out)
{
	struct api_request q = { .method = "GET", .path = path, .wants = wants };

	return api_send(a, &q, out);
}
