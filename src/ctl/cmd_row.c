/* Commands that show and change one row. */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/crypto.h"
#include "ctl/api.h"
#include "ctl/out.h"
#include "ctl/sheet.h"

enum { FILE_MAX = 16 << 20 };           /* bytes of a file of a row */

/* What was done: the service's answer as JSON, or in words. */
static void done(const struct ctl_args *args, const struct api_answer *answer, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void done(const struct ctl_args *args, const struct api_answer *answer, const char *fmt, ...)
{
	va_list ap;

	if (ctl_has(args, "json")) {
		out_json(answer->json);
		return;
	}
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

static const char *row_path(struct api *a, const char *key)
{
	return arena_printf(api_arena(a), "/api/directory/%s", api_escape(a, key));
}

int ctl_show(const struct ctl_args *args)
{
	struct api_answer answer;
	int code = CTL_OK;
	struct api *a = api_open(args, &code);
	const char *key = args->word[0];

	if (!a)
		return code;
	code = ctl_has(args, "json") ? api_get(a, row_path(a, key), "key", &answer)
	     : api_get(a, arena_printf(api_arena(a), "/api/dispatch?key=%s&format=markdown", api_escape(a, key)), "", &answer);
	if (code == CTL_OK && ctl_has(args, "json"))
		out_json(answer.json);
	else if (code == CTL_OK)
		out_text(answer.body);
	api_close(a);
	return code;
}

/* Adding and setting */

/* The whole of a file, or of standard input for "-". */
static int read_file(const char *path, struct buf *out)
{
	FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	char part[8192];
	size_t n;
	bool good;

	if (!f)
		return ctl_fail(CTL_NOT_FOUND, "%s: %m", path);
	while ((n = fread(part, 1, sizeof(part), f)) > 0 && out->len <= FILE_MAX)
		buf_add(out, part, n);
	good = !ferror(f) && out->len <= FILE_MAX;
	if (f != stdin)
		fclose(f);
	return good ? CTL_OK : ctl_fail(CTL_FAILED, "%s: %s", path, out->len > FILE_MAX ? "is larger than 16 MiB" : "cannot be read");
}

static int add_row(struct api *a, const struct ctl_args *args, struct json_object *row)
{
	struct api_request q = { .method = "POST", .path = "/api/directory", .json = row };
	struct api_answer answer;
	int code = api_send(a, &q, &answer);

	if (code == CTL_OK)
		done(args, &answer, "%s", json_object_get_string(json_get(answer.json, "key")));
	return code;
}

int ctl_add(const struct ctl_args *args)
{
	struct problem why = { 0 };
	struct json_object *o;
	int code = CTL_OK;
	struct api *a = api_open(args, &code);
	struct buf text = BUF_MALLOC;

	if (a && (code = read_file(args->word[0], &text)) == CTL_OK && json_parse(api_arena(a), buf_str(&text), &o, &why) < 0)
		code = ctl_fail(CTL_FAILED, "%s: %s", args->word[0], why.detail[0] ? why.detail : why.error);
	if (a && code == CTL_OK && json_object_is_type(o, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(o) && code == CTL_OK; i++)
			code = add_row(a, args, json_object_array_get_idx(o, i));
	} else if (a && code == CTL_OK) {
		code = add_row(a, args, o);
	}
	buf_free(&text);
	api_close(a);
	return code;
}

/* Sends the fields that differ, if the row is still the one that was read; row NULL: whatever it is. */
static int save(struct api *a, const char *key, struct json_object *fields, struct json_object *row, struct str etag,
		struct api_answer *answer, bool quiet)
{
	struct api_request q = { .method = "PATCH", .path = row_path(a, key), .json = fields, .quiet = quiet };

	if (!sheet_is_patch(fields)) {
		int code = row ? CTL_OK : api_get(a, q.path, "key", answer);

		if (code)
			return code;
		etag = row ? etag : answer->etag;
		q.method = "PUT";
		q.json = sheet_whole(api_arena(a), row ? row : answer->json, fields);
	}
	if (etag.p)
		q.header[0] = (struct api_header){ "If-Match", arena_str(api_arena(a), etag) };
	return api_send(a, &q, answer);
}

int ctl_set(const struct ctl_args *args)
{
	struct api_answer answer;
	struct json_object *fields;
	int code = CTL_OK;
	struct api *a = api_open(args, &code);

	if (!a)
		return code;
	fields = arena_json(api_arena(a), json_object_new_object());
	for (int i = 1; i < args->words && code == CTL_OK; i++) {
		struct str value = str_of(args->word[i]), name = str_cut(&value, '=');

		if (!value.p)
			code = ctl_fail(CTL_USAGE, "`%s` is no FIELD=VALUE", args->word[i]);
		else
			sheet_put(api_arena(a), fields, name, value);
	}
	if (code == CTL_OK)
		code = save(a, args->word[0], fields, NULL, str_of(NULL), &answer, false);
	if (code == CTL_OK)
		done(args, &answer, "%s is changed", args->word[0]);
	api_close(a);
	return code;
}

int ctl_rm(const struct ctl_args *args)
{
	struct api_request q = { .method = "DELETE" };
	struct api_answer answer;
	int code = CTL_OK;
	struct api *a = api_open(args, &code);
	const char *key = args->word[0];

	if (!a)
		return code;
	q.path = row_path(a, key);
	code = api_send(a, &q, &answer);
	if (code == CTL_OK && !json_object_get_int(json_get(answer.json, "deleted")))
		code = ctl_fail(CTL_NOT_FOUND, "there is no %s", key);
	else if (code == CTL_OK)
		done(args, &answer, "%s is deleted; rowcall history %s still tells of it", key, key);
	api_close(a);
	return code;
}

/* Editing */

/* Its exit code, 0 when its reader wanted no more of it; -1: it ended by another signal. Ctrl-C is its own meanwhile. */
static int run_program(const char *const argv[])
{
	void (*interrupt)(int) = signal(SIGINT, SIG_IGN), (*quit)(int) = signal(SIGQUIT, SIG_IGN);
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		signal(SIGINT, interrupt);
		signal(SIGQUIT, quit);
		signal(SIGPIPE, SIG_DFL);
		signal(SIGXFSZ, SIG_DFL);
		execvp(argv[0], (char *const *)argv);
		fprintf(stderr, "rowcall: %s: %m\n", argv[0]);
		_exit(127);
	}
	if (pid > 0)
		waitpid(pid, &status, 0);
	signal(SIGINT, interrupt);
	signal(SIGQUIT, quit);
	if (pid < 0 || !WIFEXITED(status))
		return pid > 0 && WTERMSIG(status) == SIGPIPE ? 0 : -1;
	return WEXITSTATUS(status);
}

/* The person's editor, as git and crontab find it; it may have arguments. */
static int run_editor(const char *path)
{
	const char *editor = getenv("VISUAL") && getenv("VISUAL")[0] ? getenv("VISUAL") : getenv("EDITOR");
	const char *argv[] = { "sh", "-c", "exec $ROWCALL_EDITOR \"$1\"", "sh", path, NULL };
	int status;

	setenv("ROWCALL_EDITOR", editor && editor[0] ? editor : "editor", 1);
	status = run_program(argv);
	return status == 0 ? CTL_OK : ctl_fail(CTL_FAILED, "the editor ended with %d; nothing is changed", status);
}

/* A new empty file that nobody else reads: its path, or NULL after saying why there is none. */
static char *temporary(struct api *a, const char *what)
{
	const char *folder = getenv("TMPDIR");
	char id[CRYPTO_ID], *path;
	int fd;

	crypto_id(clock_ms(), id);
	path = arena_printf(api_arena(a), "%s/rowcall-%s-%s", folder && folder[0] ? folder : "/tmp", what, id);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0) {
		ctl_fail(0, "%s: %m", path);
		return NULL;
	}
	close(fd);
	return path;
}

static int write_sheet(const char *path, struct str text)
{
	FILE *f = fopen(path, "we");
	bool good = f && fwrite(text.p, 1, text.n, f) == text.n;

	if (f && fclose(f) != 0)
		good = false;
	return good ? CTL_OK : ctl_fail(CTL_FAILED, "%s: %m", path);
}

/* A row that is edited. */
struct editing {
	const struct ctl_args *args;
	struct api *a;
	struct json_object *row;
	struct str etag;
	const char *key, *path;
};

static int as_it_was(const struct editing *e)
{
	struct api_answer none = { .json = arena_json(api_arena(e->a), json_object_new_object()) };

	json_put_bool(none.json, "ok", true);
	json_put_text(none.json, "key", e->key);
	json_put(none.json, "fields", json_object_new_array());
	done(e->args, &none, "%s is as it was", e->key);
	return CTL_OK;
}

/* One round: the editor, then the service. *again: what to say on top of the sheet in the next one; NULL: it is over. */
static int edit_round(const struct editing *e, const char **again)
{
	struct api *a = e->a;
	struct buf text = BUF_ARENA(api_arena(a));
	struct json_object *fields;
	struct api_answer answer = { 0 };
	struct problem why = { 0 };
	int code;

	*again = NULL;
	api_pause(a);
	code = run_editor(e->path);
	if (code || (code = read_file(e->path, &text)))
		return code;
	if (!str_trim(sheet_body(buf_str(&text))).n)
		return ctl_fail(CTL_FAILED, "the text is empty; %s is as it was", e->key);
	fields = sheet_read(api_arena(a), e->row, buf_str(&text), &why);
	if (fields && !json_object_object_length(fields))
		return as_it_was(e);
	if (fields && (code = save(a, e->key, fields, e->row, e->etag, &answer, true)))
		return code;
	if (fields && answer.status < 400) {
		done(e->args, &answer, "%s is changed", e->key);
		return CTL_OK;
	}
	if (answer.status == 412)
		return ctl_fail(CTL_FAILED, "%s was changed by somebody else meanwhile; edit it again", e->key);
	*again = why.status ? arena_strdup(api_arena(a), why.detail) : api_objection(a, &answer);
	return CTL_FAILED;
}

/* The same text refused twice: nobody mends it. */
static int edit_until_good(const struct editing *e)
{
	struct api *a = e->a;
	struct buf text = BUF_ARENA(api_arena(a)), before = BUF_ARENA(api_arena(a));
	const char *again = NULL;
	int code;

	sheet_write(&text, e->row, NULL);
	for (;;) {
		struct buf after = BUF_ARENA(api_arena(a));

		code = write_sheet(e->path, buf_str(&text));
		if (code || !(code = edit_round(e, &again)) || !again || (code = read_file(e->path, &after)))
			return code;
		if (str_eq(sheet_body(buf_str(&after)), buf_str(&before)))
			return ctl_fail(CTL_FAILED, "%s", again);
		buf_clear(&before);
		buf_putstr(&before, sheet_body(buf_str(&after)));
		buf_clear(&text);
		sheet_again(&text, buf_str(&after), again);
	}
}

/* Removes the file, unless there is work in it. */
static void put_away(const struct editing *e)
{
	struct buf text = BUF_ARENA(api_arena(e->a)), first = BUF_ARENA(api_arena(e->a));

	sheet_write(&first, e->row, NULL);
	if (access(e->path, F_OK) < 0 || read_file(e->path, &text) != CTL_OK)
		return;
	if (!str_trim(sheet_body(buf_str(&text))).n || str_eq(buf_str(&text), buf_str(&first)))
		unlink(e->path);
	else
		ctl_fail(0, "your text is kept in %s", e->path);
}

int ctl_edit(const struct ctl_args *args)
{
	struct editing e = { .args = args, .key = args->word[0] };
	struct api_answer answer;
	int code = CTL_OK;

	e.a = api_open(args, &code);
	if (!e.a)
		return code;
	code = api_get(e.a, row_path(e.a, e.key), "key", &answer);
	if (code == CTL_OK && !json_str(json_get(answer.json, "key")).n)
		code = ctl_fail(CTL_UNAVAILABLE, "the service's answer is no row");
	e.row = answer.json;
	e.etag = answer.etag;
	if (code == CTL_OK && !(e.path = temporary(e.a, "edit")))
		code = CTL_FAILED;
	if (e.path) {
		code = edit_until_good(&e);
		if (code == CTL_OK)
			unlink(e.path);
		else
			put_away(&e);
	}
	api_close(e.a);
	return code;
}

/* Versions */

/* An event of the row; NULL after saying why there is none. */
static struct json_object *event_of(struct api *a, const char *key, const char *event)
{
	struct api_answer answer;
	struct json_object *e;
	char *end;
	long long n = strtoll(event, &end, 10);

	if (n < 1 || *end) {
		ctl_fail(0, "`%s` is no number of an event; see rowcall history %s", event, key);
		return NULL;
	}
	if (api_get(a, arena_printf(api_arena(a), "/api/events?since=%lld&limit=1", n - 1), "events", &answer))
		return NULL;
	e = json_at(json_get(answer.json, "events"), 0);
	if (json_object_get_int64(json_get(e, "event")) == n && str_is(json_str(json_get(e, "key")), key))
		return e;
	ctl_fail(0, "event %s is none of %s; see rowcall history %s", event, key, key);
	return NULL;
}

/* The row as it was after the event, as a sheet in a file of its own; the file's path, or NULL after saying why not. */
static char *version_file(struct api *a, struct json_object *event)
{
	struct buf text = BUF_ARENA(api_arena(a)), shown = BUF_ARENA(api_arena(a));
	char *path = temporary(a, json_object_get_string(json_get(event, "event")));

	if (json_get(event, "after"))
		sheet_write(&text, json_get(event, "after"), NULL);
	if (text.len && out_terminal())         /* diff(1) prints what it reads */
		out_escape(&shown, buf_str(&text));
	return path && write_sheet(path, buf_str(shown.len ? &shown : &text)) == CTL_OK ? path : NULL;
}

/* The number of the row's last event but `back`. */
static const char *event_back(struct api *a, const char *key, unsigned back)
{
	struct api_answer answer;
	struct json_object *e;

	if (api_get(a, arena_printf(api_arena(a), "%s/history?limit=%u", row_path(a, key), back + 1), "events", &answer))
		return NULL;
	e = json_at(json_get(answer.json, "events"), back);
	if (!e)
		ctl_fail(0, "%s has no earlier version", key);
	return e ? arena_printf(api_arena(a), "%lld", (long long)json_object_get_int64(json_get(e, "event"))) : NULL;
}

/* Prints with diff(1), whose exit codes 0 and 1 are both good news. */
static int show_diff(struct api *a, const char *key, struct json_object *from, struct json_object *to)
{
	char *left = version_file(a, from), *right = left ? version_file(a, to) : NULL;
	const char *argv[] = { "diff", "-u", "--label", NULL, "--label", NULL, out_terminal() ? "--color=auto" : "--color=never", left, right, NULL };
	int status = -1;

	if (right) {
		argv[3] = arena_printf(api_arena(a), "%s at event %s", key, json_object_get_string(json_get(from, "event")));
		argv[5] = arena_printf(api_arena(a), "%s at event %s", key, json_object_get_string(json_get(to, "event")));
		fflush(stdout);
		status = run_program(argv);
	}
	if (left)
		unlink(left);
	if (right)
		unlink(right);
	return status == 0 || status == 1 ? CTL_OK : CTL_FAILED;
}

static int print_both(const char *key, struct json_object *from, struct json_object *to)
{
	struct json_object *o = json_object_new_object();

	json_put_text(o, "key", key);
	json_put(o, "from", json_object_get(json_get(from, "event")));
	json_put(o, "to", json_object_get(json_get(to, "event")));
	json_put(o, "before", json_object_get(json_get(from, "after")));
	json_put(o, "after", json_object_get(json_get(to, "after")));
	out_json(o);
	json_object_put(o);
	return CTL_OK;
}

int ctl_diff(const struct ctl_args *args)
{
	const char *key = args->word[0], *number;
	struct json_object *event[2] = { NULL, NULL };
	int code = CTL_OK;
	struct api *a = api_open(args, &code);

	if (!a)
		return code;
	for (int i = 0; i < 2 && (i == 0 || event[0]); i++) {
		number = args->words > i + 1 ? args->word[i + 1] : event_back(a, key, 1 - (unsigned)i);
		event[i] = number ? event_of(a, key, number) : NULL;
	}
	if (!event[1])
		code = CTL_NOT_FOUND;
	else
		code = ctl_has(args, "json") ? print_both(key, event[0], event[1]) : show_diff(a, key, event[0], event[1]);
	api_close(a);
	return code;
}

int ctl_restore(const struct ctl_args *args)
{
	struct api_request q = { .method = "POST" };
	struct api_answer answer;
	char *end;
	long long event = strtoll(args->word[1], &end, 10);
	int code = CTL_OK;
	struct api *a = api_open(args, &code);

	if (!a)
		return code;
	q.path = arena_printf(api_arena(a), "%s/restore", row_path(a, args->word[0]));
	q.json = arena_json(api_arena(a), json_object_new_object());
	/* An event is a number; a contract's digest has 64 digits. */
	if (!*end && strlen(args->word[1]) < 20)
		json_put_int(q.json, "event", event);
	else
		json_put_text(q.json, "contract", args->word[1]);
	code = api_send(a, &q, &answer);
	if (code == CTL_OK)
		done(args, &answer, "%s is as it was at %s", args->word[0], args->word[1]);
	api_close(a);
	return code;
}
