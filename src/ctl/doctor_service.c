/* What the doctor looks at of the processes that run: whether they answer, and with which settings. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "ctl/api.h"
#include "ctl/doctor.h"
#include "directory/contract.h"
#include "directory/directory.h"

enum { SHOWN_RESULT = 160 };    /* bytes of a failed example's result */

static int connect_to(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), rc = -1;

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	if (fd >= 0)
		rc = connect(fd, (struct sockaddr *)&a, sizeof(a));
	if (fd >= 0)
		close(fd);
	return rc;
}

/* The body of an answer over the FastCGI socket; NULL with a note. */
static struct json_object *ask(struct doctor *d, const char *method, const char *path, struct str body)
{
	const struct api_header key = { "X-Terminal-Key", d->key };
	struct api_transfer t = { .method = method, .path = path, .body = body, .header = &key, .headers = d->key != NULL };
	struct buf out = BUF_ARENA(d->arena);
	struct json_object *o = NULL;
	struct problem why = { 0 };
	long at;

	if (local_send(doctor_path(d, d->conf->run_dir, "fcgi.sock"), &t, &out, &why) < 0) {
		doctor_note(d, DOCTOR_FAIL, "see the service's log", "no worker answers: %s", why.detail);
		return NULL;
	}
	at = str_find(buf_str(&out), str_of("\r\n\r\n"));
	if (at < 0 || json_parse(d->arena, str_skip(buf_str(&out), (size_t)at + 4), &o, &why) < 0)
		doctor_note(d, DOCTOR_FAIL, "see the service's log", "a worker answered %s with something else than JSON", path);
	return o;
}

void doctor_processes(struct doctor *d)
{
	const char *writer = doctor_path(d, d->conf->run_dir, "writer.sock");
	struct json_object *o, *list;

	if (!d->master) {
		doctor_note(d, DOCTOR_NOTE, "systemctl start rowcall, or rowcall up", "the service does not run");
		return;
	}
	if (connect_to(writer) < 0)
		doctor_note(d, DOCTOR_FAIL, "restart the service", "%s: %s", writer, strerror(errno));
	o = ask(d, "GET", "/api/healthz", str_make(NULL, 0));
	list = json_get(o, "problems");
	for (size_t i = 0; json_object_is_type(list, json_type_array) && i < json_object_array_length(list); i++)
		doctor_note(d, DOCTOR_FAIL, "see the service's log", "%s", json_str(json_object_array_get_idx(list, i)).p);
}

/* When the process began, seconds since 1970; 0: it is gone. */
static time_t began(pid_t pid)
{
	char path[64], text[1024] = "", *p;
	unsigned long long ticks = 0;
	struct timespec up, now;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	p = fgets(text, sizeof(text), f) ? strrchr(text, ')') : NULL;
	fclose(f);
	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	if (!p)
		return 0;
	ticks = strtoull(p, NULL, 10);
	clock_gettime(CLOCK_BOOTTIME, &up);
	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec - up.tv_sec + (time_t)(ticks / (unsigned long long)sysconf(_SC_CLK_TCK));
}

/* A reload replaces the workers: the youngest child has read what holds now. */
static time_t youngest_child(pid_t master)
{
	char path[64];
	time_t latest = 0;
	long pid;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%ld/task/%ld/children", (long)master, (long)master);
	f = fopen(path, "re");
	while (f && fscanf(f, "%ld", &pid) == 1)
		if (began((pid_t)pid) > latest)
			latest = began((pid_t)pid);
	if (f)
		fclose(f);
	return latest;
}

void doctor_config(struct doctor *d)
{
	time_t read = d->master ? youngest_child(d->master) : 0;
	struct stat st;

	if (read && stat(d->conf->path, &st) == 0 && st.st_mtime > read + 1)
		doctor_note(d, DOCTOR_WARN, "systemctl reload rowcall, or rowcall reload",
			"%s was changed after the service read it", d->conf->path);
}

/* Examples */

static void try_example(struct doctor *d, const struct entry *e, struct json_object *example)
{
	struct json_object *request = json_object_new_object(), *o;
	struct buf b = BUF_ARENA(d->arena);
	bool text = json_object_is_type(example, json_type_string);
	struct str result;

	json_put_str(request, "key", e->key);
	json_put(request, text ? "body" : "args", json_object_get(example));
	json_text(&b, request);
	json_object_put(request);
	o = ask(d, "POST", "/api/dispatch", buf_str(&b));
	result = json_str(json_get(o, json_get(o, "result") ? "result" : "error"));
	if (o && !json_object_get_boolean(json_get(o, "ok")))
		doctor_note(d, DOCTOR_WARN, arena_printf(d->arena, "rowcall call %.*s, and correct the row or its example", (int)e->key.n, e->key.p),
			"the example of %.*s fails: %.*s", (int)e->key.n, e->key.p, (int)(result.n < SHOWN_RESULT ? result.n : SHOWN_RESULT),
			result.p ? result.p : "");
}

/* SAFE: yes, or what the type says: no effect outside. */
static bool is_safe(const struct entry *e)
{
	struct json_object *o = contract_semantics(&e->row, &e->doc);
	bool safe = json_object_get_boolean(json_get(o, "safe"));

	json_object_put(o);
	return safe && !e->sensitive;
}

static void try_row(struct doctor *d, struct directory *dir, struct str key)
{
	struct json_object *list = NULL;
	struct problem why = { 0 };
	struct entry *e = NULL;

	if (directory_glance(dir, d->arena, key, &e, &why) < 0 || !e || !e->enabled || str_is(e->target, "prompt_block"))
		return;
	if (d->try == DOCTOR_TRY_SAFE && !is_safe(e))
		return;
	if (json_parse(d->arena, row_text(&e->row, ROW_EXAMPLES), &list, &why) < 0 || !json_object_is_type(list, json_type_array))
		return;
	if (json_object_array_length(list))
		try_example(d, e, json_object_array_get_idx(list, 0));
}

void doctor_examples(struct doctor *d)
{
	struct directory *dir;
	struct problem why = { 0 };
	const struct directory_item *items;
	size_t n;

	if (d->try == DOCTOR_TRY_NONE)
		return;
	if (!d->master || !d->key) {
		doctor_note(d, DOCTOR_NOTE, "start the service", "examples are tried on a service that runs");
		return;
	}
	dir = directory_open(d->conf, NULL, &why);
	items = dir ? directory_items(dir, &n) : NULL;
	for (size_t i = 0; items && i < n; i++)
		try_row(d, dir, items[i].key);
	if (!items)
		doctor_note(d, DOCTOR_FAIL, "", "the rows cannot be read: %s", why.detail);
	arena_reset(d->arena);
	directory_close(dir);
}
