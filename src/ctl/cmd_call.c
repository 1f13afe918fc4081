/* Commands that ask and call. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ctl/api.h"
#include "ctl/out.h"
#include "schema/schema.h"

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
		{ "KEY", "key", OUT_TEXT }, { "ARGUMENTS", "args", OUT_TEXT }, { "WHAT", "what", OUT_TEXT },
	};
	struct api_answer answer;
	int code = CTL_OK;
	struct api *a = api_open(args, &code);

	if (a) {
		const char *limit = ctl_value(args, "limit");

		code = api_get(a, arena_printf(api_arena(a), "/api/dispatch?ask=%s%s%s", api_escape(a, joined(a, args)),
					       limit ? "&limit=" : "", limit ? api_escape(a, limit) : ""), "matches", &answer);
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

/* Named arguments */

/* Of the row's input_schema what says how each argument may be: whether one has to be there is the service's to judge.
 * NULL: nothing says it. */
static struct schema *argument_schema(struct api *a, const char *key)
{
	static const char *const kept[] = { "$schema", "$id", "$defs", "definitions", "properties" };
	struct api_request q = { .method = "GET", .quiet = true, .wants = "key" };
	struct json_object *o = json_object_new_object(), *whole, *part;
	struct api_answer answer;
	struct problem ignored;
	struct schema *s;

	q.path = arena_printf(api_arena(a), "/api/dispatch?key=%s", api_escape(a, key));
	whole = api_send(a, &q, &answer) == 0 ? json_get(json_get(answer.json, "inputs"), "schema") : NULL;
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		if ((part = json_get(whole, kept[i])) != NULL)
			json_put(o, kept[i], json_object_get(part));
	s = whole ? schema_compile(o, NULL, &ignored) : NULL;
	json_object_put(o);
	return s;
}

static bool fits(struct api *a, const struct schema *s, const char *name, struct json_object *v)
{
	struct json_object *o = json_object_new_object();
	struct problem ignored;
	bool yes;

	json_put(o, name, json_object_get(v));
	yes = !s || schema_validate(s, api_arena(a), o, &ignored) == 0;
	json_object_put(o);
	return yes;
}

/* What a word stands for: a text where the schema takes it as one, else the JSON that it is. Where the schema says no type,
 * 42 is a number. What is neither goes as it is: the service says what it wants. */
static struct json_object *value_of(struct api *a, const struct schema *s, const char *name, struct str word)
{
	struct json_object *type = json_get(json_get(json_get(schema_document(s), "properties"), name), "type");
	struct json_object *text = arena_json(api_arena(a), json_new_str(word)), *parsed = NULL;
	bool is_text = fits(a, s, name, text);

	if (json_parse(api_arena(a), word, &parsed, NULL) < 0 || (is_text && (type || !fits(a, s, name, parsed))))
		return json_object_get(text);
	return json_object_get(parsed);
}

/* --named NAME=VALUE, as often as there are arguments. NULL after saying what is none. */
static struct json_object *named(struct api *a, const struct ctl_args *args)
{
	struct json_object *o = arena_json(api_arena(a), json_object_new_object());
	struct schema *s = argument_schema(a, args->word[0]);

	for (unsigned i = 0; i < args->sets && o; i++) {
		struct str value = str_of(args->set[i].value), name;
		const char *text;

		if (strcmp(args->set[i].option->name, "named") != 0)
			continue;
		name = str_cut(&value, '=');
		text = arena_str(api_arena(a), name);
		if (value.p && name.n) {
			json_put(o, text, value_of(a, s, text, value));
		} else {
			ctl_fail(0, "`%s` is no NAME=VALUE; see rowcall call --help", args->set[i].value);
			o = NULL;
		}
	}
	schema_free(s);
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
	if (by_name) {
		list = named(a, args);
		if (!list)
			return NULL;
		json_put(o, "args", json_object_get(list));
	}
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
	struct api_request q = { .method = "POST", .path = "/api/dispatch", .wants = "ran" };
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
	struct api_request q = { .method = "POST", .wants = "ran" };
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
