/* Commands that ask and call. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ctl/api.h"
#include "ctl/out.h"

static int usage(const char *what)
{
	return ctl_fail(CTL_USAGE, "%s; see rowcall call --help", what);
}

/* A question may come as several words. */
static const char *joined(struct api *a, const struct ctl_args *args)
{
	struct buf b = BUF_ARENA(api_arena(a));

	for (int i = 0; i < args->words; i++)
		buf_printf(&b, "%s%s", i ? " " : "", args->word[i]);
	return buf_text(&b);
}

int ctl_ask(const struct ctl_args *args)
{
	static const struct out_column columns[] = {
		{ "KEY", "key", false }, { "ARGUMENTS", "args", false }, { "WHAT", "what", false },
	};
	struct api_answer answer;
	int code = CTL_OK;
	struct api *a = api_open(args, &code);

	if (a) {
		const char *limit = ctl_value(args, "limit");

		code = api_get(a, arena_printf(api_arena(a), "/api/dispatch?ask=%s%s%s", api_escape(a, joined(a, args)),
					       limit ? "&limit=" : "", limit ? api_escape(a, limit) : ""), &answer);
	}
	if (a && code == CTL_OK && ctl_has(args, "json"))
		out_json(answer.json);
	else if (a && code == CTL_OK)
		out_table(json_get(answer.json, "matches"), columns, sizeof(columns) / sizeof(*columns));
	if (a && code == CTL_OK && json_object_get_int(json_get(answer.json, "count")) == 0)
		code = ctl_fail(CTL_NOT_FOUND, "no row fits; see rowcall ls");
	api_close(a);
	return code;
}

int ctl_print_call(const struct ctl_args *args, const struct api_answer *answer)
{
	struct json_object *o = answer->json;
	struct str receipt = json_str(json_pointer(o, str_of("/proof/public_receipt"), &(bool){ false }));

	if (ctl_has(args, "json"))
		out_json(o);
	else if (answer->status == 202)
		printf("held for approval: %s\n", json_object_get_string(json_get(o, "approval")));
	else if (ctl_has(args, "shape") && json_get(o, "shaped"))
		out_json(json_get(o, "shaped"));
	else
		out_text(json_str(json_get(o, "result")));
	if (receipt.p && out_terminal() && !ctl_has(args, "json"))
		printf("%sreceipt: %.*s%s\n", out_colour(OUT_GREEN), (int)receipt.n, receipt.p, out_colour(OUT_PLAIN));
	if (answer->status == 202)
		return CTL_HELD;
	return json_object_get_boolean(json_get(o, "ok")) ? CTL_OK : CTL_FAILED;
}

/* --named name=value, as often as there are arguments: a value that is JSON counts as such, any other is a text. */
static struct json_object *named(struct api *a, const struct ctl_args *args)
{
	struct json_object *o = json_object_new_object();

	for (unsigned i = 0; i < args->sets; i++) {
		struct str value = str_of(args->set[i].value), name;
		struct json_object *v = NULL;
		struct problem ignored = { 0 };

		if (strcmp(args->set[i].option->name, "named") != 0)
			continue;
		name = str_cut(&value, '=');
		if (json_parse(api_arena(a), value, &v, &ignored) == 0)
			json_object_get(v);
		else
			v = json_new_str(value.p ? value : str_of(""));
		json_object_object_add(o, arena_str(api_arena(a), name), v);
	}
	return o;
}

/* The request, or NULL after saying what is wrong with the command line. */
static struct json_object *call_of(struct api *a, const struct ctl_args *args)
{
	struct json_object *o = arena_json(api_arena(a), json_object_new_object()), *list;
	bool words = args->words > 1, body = ctl_has(args, "body"), by_name = ctl_has(args, "named");

	if (words + body + by_name > 1) {
		usage("arguments are words, or --body, or --named");
		return NULL;
	}
	json_put_text(o, "key", args->word[0]);
	if (body)
		json_put_text(o, "body", ctl_value(args, "body"));
	if (by_name)
		json_put(o, "args", named(a, args));
	if (words) {
		list = json_object_new_array();
		for (int i = 1; i < args->words; i++)
			json_object_array_add(list, json_new_str(str_of(args->word[i])));
		json_put(o, "args", list);
	}
	if (ctl_has(args, "shape"))
		json_put_bool(o, "shape", true);
	return o;
}

int ctl_call(const struct ctl_args *args)
{
	struct api_request q = { .method = "POST", .path = "/api/dispatch" };
	struct api_answer answer;
	int code = CTL_OK;
	struct api *a = api_open(args, &code);

	if (!a)
		return code;
	if (ctl_has(args, "idempotency-key"))
		q.header[0] = (struct api_header){ "Idempotency-Key", ctl_value(args, "idempotency-key") };
	q.json = call_of(a, args);
	code = q.json ? api_send(a, &q, &answer) : CTL_USAGE;
	if (code == CTL_OK)
		code = ctl_print_call(args, &answer);
	api_close(a);
	return code;
}

int ctl_approve(const struct ctl_args *args)
{
	struct api_request q = { .method = "POST" };
	struct api_answer answer;
	int code = CTL_OK;
	struct api *a = api_open(args, &code);

	if (!a)
		return code;
	q.path = arena_printf(api_arena(a), "/api/approvals/%s", api_escape(a, args->word[0]));
	q.json = arena_json(api_arena(a), json_object_new_object());
	json_put_text(q.json, "decision", "approve");
	code = api_send(a, &q, &answer);
	if (code == CTL_OK)
		code = ctl_print_call(args, &answer);
	api_close(a);
	return code;
}
