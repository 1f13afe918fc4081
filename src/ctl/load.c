/* `rowcall load`; see load.h. Rows go through directory/mutate.c, so every rule and the event log hold for them too. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/crypto.h"
#include "base/log.h"
#include "base/mem.h"
#include "ctl/ctl.h"
#include "ctl/load.h"
#include "ctl/out.h"
#include "ctl/place.h"
#include "directory/mutate.h"
#include "loop/fiber.h"
#include "loop/loop.h"

enum { LOAD_FILE_MAX = 16 << 20 };      /* bytes of one file of rows */

static int read_whole(const char *path, struct buf *out, struct problem *why)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = -1;
	ssize_t n = 0;

	if (fd < 0 || fstat(fd, &st) < 0) {
		problem_set(why, 400, "cannot_read");
		problem_detail(why, "%m");
	} else if (!S_ISREG(st.st_mode)) {
		problem_set(why, 400, "cannot_read");
		problem_detail(why, "is no regular file");
	} else if (st.st_size > LOAD_FILE_MAX) {
		problem_set(why, 413, "file_too_large");
	} else {
		buf_reserve(out, (size_t)st.st_size + 1);
		while (out->len < (size_t)st.st_size && (n = read(fd, out->data + out->len, (size_t)st.st_size - out->len)) > 0)
			out->len += (size_t)n;
		rc = n < 0 ? problem_set(why, 400, "cannot_read") : 0;
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

/* FILE: KEY: error: what exactly (else the field), and how to fix it on a line of its own. */
static void report(const char *path, struct str key, const struct problem *why)
{
	const char *what = why->detail[0] ? why->detail : why->field;

	ctl_fail(0, "%s: %.*s%s%s%s%s%s%s", path, (int)key.n, key.p ? key.p : "", key.n ? ": " : "", why->error, what[0] ? ": " : "", what,
	    why->how_to_fix[0] ? "\n  " : "", why->how_to_fix);
}

static void load_row(struct load *l, const struct mutate *m, const char *path, struct json_object *row)
{
	struct mutate_result r;
	struct problem why = { 0 };
	struct str key = json_str(json_get(row, "key"));
	int rc = mutate_create(m, row, &r, &why);

	if (rc < 0 && strcmp(why.error, "key_exists") == 0) {
		if (!l->replace) {
			l->kept++;
			return;
		}
		rc = mutate_put(m, key, row, &r, &why);
	}
	if (rc == 0) {
		l->loaded++;
		if (l->keys)
			json_object_array_add(l->keys, json_new_str(key));
		if (!l->quiet)
			printf("%.*s\n", (int)key.n, key.p);
	} else {
		l->failed++;
		l->unanswered = l->unanswered || why.status == 503;
		report(path, key, &why);
	}
}

static void load_file(struct load *l, const struct mutate *m, const char *path)
{
	struct buf text = BUF_ARENA(m->arena);
	struct json_object *o = NULL;
	struct problem why = { 0 };

	bool unread = read_whole(path, &text, &why) < 0;

	l->unread = l->unread || unread;
	if (unread || json_parse(m->arena, buf_str(&text), &o, &why) < 0) {
		l->failed++;
		report(path, str_of(""), &why);
	} else if (json_object_is_type(o, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(o); i++)
			load_row(l, m, path, json_object_array_get_idx(o, i));
	} else {
		load_row(l, m, path, o);
	}
	arena_reset(m->arena);
}

static void load_path(struct load *l, const struct mutate *m, const char *path)
{
	struct buf pattern = BUF_MALLOC;
	struct stat st;
	glob_t found;

	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode)) {
		load_file(l, m, path);
		return;
	}
	buf_printf(&pattern, "%s/*.json", path);
	if (glob(buf_text(&pattern), 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			load_file(l, m, found.gl_pathv[i]);
		globfree(&found);
	} else {
		ctl_fail(0, "%s: no *.json files here", path);
	}
	buf_free(&pattern);
}

static void load_all(void *arg)
{
	struct load *l = arg;
	struct problem why = { 0 };
	struct secrets *secrets = NULL;
	struct buf socket = BUF_MALLOC;
	struct mutate m = { .arena = arena_new(), .actor = "owner:rowcall" };
	char trace[32] = "t_";

	crypto_id(clock_ms(), trace + 2);
	m.trace = trace;
	buf_printf(&socket, "%s/writer.sock", l->conf->run_dir);
	write_init(buf_text(&socket), NULL, l->conf->write_timeout_ms);
	if ((secrets = ctl_secrets(l->conf, &why)) == NULL ||
	    (m.directory = directory_open(l->conf, NULL, &why)) == NULL) {
		l->failed++;
		ctl_problem(0, &why);
		goto out;
	}
	m.secrets = secrets;
	for (int i = 0; i < l->paths; i++)
		load_path(l, &m, l->path[i]);
out:
	directory_close(m.directory);
	secret_close(secrets);
	write_done();
	arena_free(m.arena);
	buf_free(&socket);
}

void load_rows(struct load *l)
{
	loop_init();
	fiber_main(load_all, l);
	loop_done();
}

static void print_json(const struct load *l)
{
	struct json_object *o = json_object_new_object();

	json_put_bool(o, "ok", l->failed == 0);
	json_put(o, "loaded", json_object_get(l->keys));
	json_put_int(o, "already_there", l->kept);
	json_put_int(o, "refused", l->failed);
	out_json(o);
	json_object_put(o);
}

int ctl_load(const struct ctl_args *args)
{
	const char *set[CTL_SET_MAX];
	struct place p = place_of(args);
	struct load l = { .path = args->word, .paths = args->words };
	struct problem why = { 0 };
	struct conf *conf;
	bool json = ctl_has(args, "json");

	p.sets = ctl_values(args, "set", set);
	p.set = (char *const *)set;
	l.replace = ctl_has(args, "replace");
	l.quiet = json || ctl_has(args, "quiet");
	conf = place_conf(&p, &why);
	if (!conf)
		return ctl_problem(CTL_CONFIG, &why);
	l.conf = conf;
	l.keys = json_object_new_array();
	load_rows(&l);
	conf_free(conf);
	if (json)
		print_json(&l);
	else if (!l.quiet)
		fprintf(stderr, "rowcall: %d loaded, %d already there, %d refused\n", l.loaded, l.kept, l.failed);
	json_object_put(l.keys);
	return l.unread ? CTL_NOT_FOUND : l.unanswered ? CTL_UNAVAILABLE : l.failed ? CTL_FAILED : CTL_OK;
}
