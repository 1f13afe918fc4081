/* Replays: from a receipt back to a request. Whether that may run, and its receipt, is dispatch's. */
#include <string.h>
#include "base/json.h"
#include "call/replay.h"

static int find(const struct dispatch_request *r, struct str id, struct receipt *older, struct problem *why)
{
	int got = receipt_get(dispatch_context()->directory, r->arena, id, true, older, why);

	if (got > 0 && receipt_is_open_to(older, r->caller))
		return 0;
	return got < 0 ? -1 : problem_set(why, 404, "receipt_not_found");
}

static const char *missing(const struct receipt *r)
{
	if (r->input_redacted)
		return "it held a secret, which was removed";
	if (r->input_cut)
		return "it was longer than max_kept_payload and was cut";
	if (strcmp(r->status, "denied") == 0)
		return "nothing ran, so there is no input";
	return r->input_text.p && r->input_form[0] ? NULL : "it is older than payload_keep, or was not to be kept";
}

static int not_kept(const char *because, struct problem *why)
{
	problem_set(why, 409, "input_not_kept");
	problem_detail(why, "the input is not here any more: %s", because);
	return -1;
}

static void take_array(struct dispatch_request *r, struct json_object *list)
{
	struct str *arg;

	r->args = json_object_array_length(list);
	arg = arena_alloc(r->arena, (r->args + 1) * sizeof(*arg));
	for (size_t i = 0; i < r->args; i++)
		arg[i] = json_str(json_object_array_get_idx(list, i));
	r->arg = arg;
}

int replay_input(struct dispatch_request *r, struct str text, const char *form, struct problem *why)
{
	struct json_object *o = NULL;

	if (strcmp(form, "string") == 0) {
		r->body = text;
		return 0;
	}
	if (json_parse(r->arena, text, &o, NULL) < 0)
		return not_kept("it cannot be read", why);
	if (json_object_is_type(o, json_type_array))
		take_array(r, o);
	else
		r->named = o;
	return 0;
}

int replay_call(struct dispatch_request *r, struct str id, const struct receipt **older, struct dispatch_result *out,
		struct problem *why)
{
	struct receipt *from = arena_alloc(r->arena, sizeof(*from));
	const char *because;

	*older = from;
	*out = (struct dispatch_result){ .ran = false };
	if (find(r, id, from, why) < 0)
		return -1;
	because = missing(from);
	if (because)
		return not_kept(because, why);
	if (replay_input(r, from->input_text, from->input_form, why) < 0)
		return -1;
	r->key = str_of(from->key);
	r->replays = from->id;
	return dispatch_call(r, out, why);
}
