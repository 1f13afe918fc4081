/* Commands about the service itself, and about rowcall. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/secret.h"
#include "ctl/api.h"
#include "ctl/out.h"
#include "ctl/place.h"

int ctl_status(const struct ctl_args *args)
{
	static const struct out_column fields[] = {
		{ "service", "service", OUT_TEXT }, { "version", "version", OUT_TEXT }, { "ok", "ok", OUT_TEXT }, { "problems", "problems", OUT_TEXT },
		{ "started", "started_at", OUT_TEXT }, { "writer", "/processes/writer", OUT_TEXT }, { "workers", "/processes/workers", OUT_TEXT },
		{ "calls", "/counters/calls", OUT_TEXT }, { "receipts", "/counters/receipts", OUT_TEXT },
	};
	struct api_request q = { .method = "GET", .path = "/api/status", .running = true };
	struct api_answer answer;
	int code = CTL_OK;
	struct api *a = api_open(args, &code);

	if (a)
		code = api_send(a, &q, &answer);
	if (a && code == CTL_OK && ctl_has(args, "json"))
		out_json(answer.json);
	else if (a && code == CTL_OK)
		out_fields(answer.json, fields, sizeof(fields) / sizeof(*fields));
	if (a && code == CTL_OK && !json_object_get_boolean(json_get(answer.json, "ok")))
		code = CTL_FAILED;
	api_close(a);
	return code;
}

/* The service migrates when it starts; where none runs, asking starts one. */
int ctl_migrate(const struct ctl_args *args)
{
	struct api_answer answer;
	int code = CTL_OK;
	struct api *a = api_open(args, &code);

	if (a)
		code = api_get(a, "/api/healthz", NULL, &answer);
	if (a && code == CTL_OK && ctl_has(args, "json"))
		out_json(answer.json);
	else if (a && code == CTL_OK)
		puts("both databases are as this version wants them");
	api_close(a);
	return code;
}

static void print_reload(long pid, bool json)
{
	struct json_object *o = json_object_new_object();

	json_put_bool(o, "ok", true);
	json_put_int(o, "pid", pid);
	if (json)
		out_json(o);
	else
		printf("process %ld reads its configuration again\n", pid);
	json_object_put(o);
}

/* What the service would refuse is refused here, where it is seen: it tells only its log. */
int ctl_reload(const struct ctl_args *args)
{
	const struct place p = place_of(args);
	struct problem why = { 0 };
	struct secrets *s = NULL;
	struct conf *conf = place_conf(&p, &why);
	char *path, text[32] = "";
	int code = CTL_OK;
	long pid;
	FILE *f;

	if (!conf)
		return ctl_problem(CTL_CONFIG, &why);
	path = place_path(conf->run_dir, "rowcalld.pid");
	f = fopen(path, "re");
	pid = f && fgets(text, sizeof(text), f) ? strtol(text, NULL, 10) : 0;
	if (f)
		fclose(f);
	if (pid <= 0)
		code = ctl_fail(CTL_UNAVAILABLE, "no service runs here: %s", path);
	else if (!(s = ctl_secrets(conf, &why)) && access(conf->secrets_file, R_OK) == 0)
		code = ctl_problem(CTL_CONFIG, &why);
	else if (kill((pid_t)pid, SIGHUP) < 0)
		code = ctl_fail(errno == EPERM ? CTL_DENIED : CTL_UNAVAILABLE, "process %ld: %s", pid, strerror(errno));
	else
		print_reload(pid, ctl_has(args, "json"));
	secret_close(s);
	free(path);
	conf_free(conf);
	return code;
}
