/* `rowcall doctor`: the table of checks, and how findings are printed. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "base/escape.h"
#include "ctl/ctl.h"
#include "ctl/doctor.h"
#include "ctl/out.h"
#include "ctl/place.h"

static const struct { const char *name; void (*run)(struct doctor *d); } checks[] = {
	{ "databases", doctor_databases },      /* opens them for the others */
	{ "libraries", doctor_libraries },
	{ "clock", doctor_clock },
	{ "disk", doctor_disk },
	{ "backlog", doctor_backlog },
	{ "secrets file", doctor_secrets_file },
	{ "permissions", doctor_permissions },
	{ "write-ahead logs", doctor_logs },
	{ "processes", doctor_processes },
	{ "configuration", doctor_config },
	{ "event chain", doctor_chain },
	{ "index", doctor_index },
	{ "names", doctor_names },
	{ "breakers", doctor_breakers },
	{ "intents", doctor_intents },
	{ "nginx", doctor_nginx },
	{ "examples", doctor_examples },
};

static const char *const level_names[DOCTOR_LEVELS] = { "ok", "note", "warn", "fail" };
static const enum out_colour level_colours[DOCTOR_LEVELS] = { OUT_GREEN, OUT_PLAIN, OUT_YELLOW, OUT_RED };

void doctor_note(struct doctor *d, enum doctor_level level, const char *fix, const char *fmt, ...)
{
	struct json_object *o = json_object_new_object();
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	json_put_text(o, "level", level_names[level]);
	json_put_text(o, "check", d->check);
	json_put_text(o, "what", text);
	json_put_text(o, "fix", fix[0] ? fix : NULL);
	json_object_array_add(d->findings, o);
	d->count[level]++;
}

char *doctor_path(struct doctor *d, const char *folder, const char *name)
{
	return arena_printf(d->arena, "%s/%s", folder, name);
}

/* The master holds a lock on its pid file. */
static pid_t running(struct doctor *d)
{
	char text[32] = "";
	int fd = open(doctor_path(d, d->conf->run_dir, "rowcalld.pid"), O_RDONLY | O_CLOEXEC);
	pid_t pid = 0;

	if (fd < 0)
		return 0;
	if (flock(fd, LOCK_SH | LOCK_NB) < 0 && read(fd, text, sizeof(text) - 1) > 0)
		pid = (pid_t)strtol(text, NULL, 10);
	close(fd);
	return pid;
}

static void examine(struct doctor *d)
{
	d->findings = json_object_new_array();
	d->arena = arena_new();
	d->master = running(d);
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		size_t before = json_object_array_length(d->findings);

		d->check = checks[i].name;
		checks[i].run(d);
		if (before == json_object_array_length(d->findings))
			doctor_note(d, DOCTOR_OK, "", "nothing found");
	}
}

static void print_finding(struct json_object *f, bool verbose)
{
	const char *level = json_str(json_get(f, "level")).p;
	struct str fix = json_str(json_get(f, "fix"));
	struct buf b = BUF_MALLOC;
	size_t l = 0;

	while (l < DOCTOR_FAIL && strcmp(level, level_names[l]) != 0)
		l++;
	if (l == DOCTOR_OK && !verbose)
		return;
	buf_printf(&b, "%s%-4s%s  %-16s  ", out_colour(level_colours[l]), level, out_colour(OUT_PLAIN),
		json_str(json_get(f, "check")).p);
	escape_add(&b, ESCAPE_TERMINAL, json_str(json_get(f, "what")));
	if (fix.p) {
		buf_puts(&b, "\n                        -> ");
		escape_add(&b, ESCAPE_TERMINAL, fix);
	}
	puts(buf_text(&b));
	buf_free(&b);
}

static void print(const struct doctor *d, bool json, bool verbose)
{
	struct json_object *o;

	if (!json) {
		for (size_t i = 0; i < json_object_array_length(d->findings); i++)
			print_finding(json_object_array_get_idx(d->findings, i), verbose);
		printf("%zu checks: %" PRId64 " failures, %" PRId64 " warnings, %" PRId64 " notes\n", sizeof(checks) / sizeof(checks[0]),
			d->count[DOCTOR_FAIL], d->count[DOCTOR_WARN], d->count[DOCTOR_NOTE]);
		return;
	}
	o = json_object_new_object();
	json_put_bool(o, "ok", d->count[DOCTOR_WARN] + d->count[DOCTOR_FAIL] == 0);
	json_put(o, "findings", json_object_get(d->findings));
	out_json(o);
	json_object_put(o);
}

static int doctor(struct doctor *d, bool json, bool verbose)
{
	examine(d);
	print(d, json, verbose);
	for (int f = 0; f < SQL_FILES; f++)
		db_close(d->db[f]);
	json_object_put(d->findings);
	arena_free(d->arena);
	return d->count[DOCTOR_FAIL] ? CTL_BROKEN : d->count[DOCTOR_WARN] ? CTL_FAILED : CTL_OK;
}

int ctl_doctor(const struct ctl_args *args)
{
	struct doctor d = { .nginx = ctl_value(args, "nginx") };
	const struct place at = place_of(args);
	struct problem why = { 0 };
	struct conf *conf = place_conf(&at, &why);
	int rc;

	if (!conf)
		return ctl_problem(CTL_CONFIG, &why);
	d.conf = conf;
	d.try = ctl_has(args, "try-all") ? DOCTOR_TRY_ALL : ctl_has(args, "try") ? DOCTOR_TRY_SAFE : DOCTOR_TRY_NONE;
	rc = doctor(&d, ctl_has(args, "json"), ctl_has(args, "verbose"));
	conf_free(conf);
	return rc;
}
