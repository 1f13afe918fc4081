/* Commands that make what others are allowed by: tokens, and rules for sensitive calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ctl/api.h"
#include "ctl/out.h"

/* An option that is a member of the request's body: its own name, with "_" for "-". Numbers and switches go as such. An exit
 * code after saying why it cannot. */
static int put_option(struct arena *a, struct json_object *o, const struct ctl_option *option, const char *value)
{
	char *name = arena_strdup(a, option->name), *end;
	bool number = option->argument && strcmp(option->argument, "N") == 0;
	long long n = number ? strtoll(value, &end, 10) : 0;

	for (char *p = name; *p; p++)
		*p = *p == '-' ? '_' : *p;
	if (number && (!*value || *end))
		return ctl_fail(CTL_USAGE, "--%s wants a number, not `%s`", option->name, value);
	if (!option->argument)
		json_put_bool(o, name, true);
	else if (number)
		json_put_int(o, name, n);
	else
		json_put_text(o, name, value);
	return CTL_OK;
}

/* Sends what the command's own options say. */
static int send_options(struct api *a, const struct ctl_args *args, const char *path, const char *wants,
			struct api_answer *answer)
{
	struct api_request q = { .method = "POST", .path = path, .wants = wants };
	int code = CTL_OK;

	q.json = arena_json(api_arena(a), json_object_new_object());
	for (const struct ctl_option *o = args->command->options; o->name && code == CTL_OK; o++)
		if (ctl_has(args, o->name))
			code = put_option(api_arena(a), q.json, o, ctl_value(args, o->name));
	if (code == CTL_OK)
		code = api_send(a, &q, answer);
	/* Each field is an option. */
	return code == CTL_FAILED && str_is(json_str(json_get(answer->json, "error")), "bad_field") ? CTL_USAGE : code;
}

int ctl_token_mint(const struct ctl_args *args)
{
	struct api_answer answer;
	int code = CTL_OK;
	struct api *a = api_open(args, &code);
	bool narrower = strcmp(args->command->name, "token attenuate") == 0;

	if (a)
		code = send_options(a, args, narrower ? "/api/tokens/attenuate" : "/api/tokens", "token", &answer);
	if (a && code == CTL_OK && ctl_has(args, "json")) {
		out_json(answer.json);
	} else if (a && code == CTL_OK) {
		/* The token alone on standard output, for $(…); what it is goes to whoever looks. */
		out_text(json_str(json_get(answer.json, "token")));
		fprintf(stderr, "rowcall: %s, until %s; it is shown this once\n",
			json_object_get_string(json_get(answer.json, "fingerprint")),
			json_object_get_string(json_get(answer.json, "expires_at")));
	}
	api_close(a);
	return code;
}

int ctl_watch_add(const struct ctl_args *args)
{
	struct api_answer answer;
	int code = CTL_OK;
	struct api *a = api_open(args, &code);

	if (a)
		code = send_options(a, args, "/api/watch", "id", &answer);
	if (a && code == CTL_OK && ctl_has(args, "json"))
		out_json(answer.json);
	else if (a && code == CTL_OK)
		out_text(json_str(json_get(answer.json, "id")));
	api_close(a);
	return code;
}
