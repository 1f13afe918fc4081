/* The plan of an import; see plan.h. A row is read, what the source says is laid over it, and it is written with the ETag
 * that was read, so that nobody's change in between is lost. */
#include <stdio.h>
#include <string.h>
#include "ctl/plan.h"
#include "directory/validate.h"

static void put_status(struct json_object *item, const char *status, const char *what)
{
	json_put_text(item, "status", status);
	json_put_text(item, "what", what);
}

static unsigned *count_of(struct plan *p, const char *status)
{
	struct { const char *status; unsigned *n; } all[] = {
		{ "created", &p->created }, { "changed", &p->changed }, { "unchanged", &p->unchanged }, { "gone", &p->gone },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(status, all[i].status) == 0)
			return all[i].n;
	return &p->refused;
}

/* {"key", "status", "what"} and, for plan_apply, "row" and "etag". */
static struct json_object *add_item(struct plan *p, const char *key, const char *status, const char *what)
{
	struct json_object *item = json_object_new_object();

	json_put_text(item, "key", key);
	put_status(item, status, what);
	json_object_array_add(p->rows, item);
	json_put_bool(p->keys, key, true);
	++*count_of(p, status);
	return item;
}

static const char *reason(struct plan *p, const char *error, const char *field, const char *detail)
{
	return arena_printf(api_arena(p->api), "%s%s%s%s%s", error, field[0] ? " " : "", field, detail[0] ? ": " : "", detail);
}

static bool is_planned(const struct plan *p, const char *key)
{
	return json_get(p->keys, key) != NULL;
}

/* As POST and PUT take it: what can be set and is not null. */
static struct json_object *request_of(const struct row *r)
{
	struct json_object *o = row_to_json(r);

	for (int c = 0; c < ROW_N; c++)
		if (!row_columns[c].settable || !json_get(o, row_columns[c].name))
			json_object_object_del(o, row_columns[c].name);
	return o;
}

/* Names of the columns that differ. */
static const char *difference(struct plan *p, const struct row *a, const struct row *b)
{
	struct buf names = BUF_ARENA(api_arena(p->api));

	for (int c = 0; c < ROW_N; c++) {
		if (!row_columns[c].settable || row_same(a, b, (enum row_column)c))
			continue;
		buf_puts(&names, names.len ? ", " : "");
		buf_puts(&names, row_columns[c].name);
	}
	return buf_text(&names);
}

static int read_json(struct plan *p, struct json_object *o, struct row *r, struct problem *why)
{
	uint32_t set;
	unsigned ignored;

	return row_from_json(api_arena(p->api), o, ROW_WHOLE, INT64_MAX, r, &set, &ignored, why);
}

/* The row that is there: 1, or 0 when there is none; minus an exit code. */
static int read_stored(struct plan *p, const char *key, struct row *r, struct str *etag)
{
	struct api_request q = { .method = "GET", .quiet = true, .wants = "key",
		.path = arena_printf(api_arena(p->api), "/api/directory/%s", api_escape(p->api, key)) };
	struct api_answer answer;
	struct problem why = { 0 };
	int code = api_send(p->api, &q, &answer);

	if (code)
		return -code;
	if (answer.status == 404)
		return 0;
	if (answer.status >= 400 || read_json(p, answer.json, r, &why) < 0)
		return -ctl_fail(answer.status == 401 || answer.status == 403 ? CTL_DENIED : CTL_FAILED, "%s: cannot be read: %s", key,
				 answer.status >= 400 ? json_object_get_string(json_get(answer.json, "error")) : why.detail);
	*etag = answer.etag;
	return 1;
}

static const char *fault_of(struct plan *p, const struct row *r)
{
	struct problem why = { 0 };

	if (p->as_is && validate_name(api_arena(p->api), r, &why) == 0)
		return NULL;
	if (!p->as_is && validate_row(api_arena(p->api), r, UINT32_MAX, NULL, &why) == 0 && !validate_hygiene(r, &why))
		return NULL;
	return reason(p, why.error, why.field, why.detail);
}

static int plan_row(struct plan *p, struct json_object *from)
{
	const char *key = json_object_get_string(json_get(from, "key"));
	struct row given, stored, row;
	struct problem why = { 0 };
	struct str etag = { NULL, 0 };
	struct json_object *item;
	const char *fault, *what;
	int there;

	row_defaults(&given);
	if (!key || read_json(p, from, &given, &why) < 0 || is_planned(p, key)) {
		add_item(p, key ? key : "?", "refused", !key ? "has no key" : why.status ? reason(p, why.error, why.field, why.detail) : "its key stands twice");
		return 0;
	}
	row_defaults(&stored);
	there = read_stored(p, key, &stored, &etag);
	if (there < 0)
		return -there;
	row = there ? stored : given;
	for (int c = 0; c < ROW_N; c++)
		if (p->owned & row_bit((enum row_column)c))
			row.v[c] = given.v[c];
	fault = fault_of(p, &row);
	if (fault) {
		add_item(p, key, "refused", fault);
		return 0;
	}
	what = there ? difference(p, &stored, &row) : arena_str(api_arena(p->api), row_text(&row, ROW_TARGET));
	item = add_item(p, key, !there ? "created" : what[0] ? "changed" : "unchanged", what);
	json_put_str(item, "etag", etag);
	json_put(item, "row", request_of(&row));
	return 0;
}

/* Rows of the same source that are in the directory and not in the draft. */
static bool is_gone(struct plan *p, struct json_object *row)
{
	struct str text = json_str(json_get(row, "input_schema"));
	struct json_object *schema = NULL;
	const char *key = json_object_get_string(json_get(row, "key"));

	return text.n && json_parse(api_arena(p->api), text, &schema, NULL) == 0 && str_is(json_str(json_get(schema, "x-source")), p->source) &&
	       key && !is_planned(p, key);
}

static int plan_gone(struct plan *p)
{
	struct json_object *rows = NULL;
	int code = ctl_pages(p->api, "/api/directory?limit=1000", "rows", &rows);

	for (size_t i = 0; !code && i < json_object_array_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		if (is_gone(p, row))
			add_item(p, json_object_get_string(json_get(row, "key")), "gone",
				 p->remove ? "is deleted" : "is in the source no more; --remove deletes it");
	}
	return code;
}

int plan_make(struct plan *p)
{
	int code = 0;

	p->rows = arena_json(api_arena(p->api), json_object_new_array());
	p->keys = arena_json(api_arena(p->api), json_object_new_object());
	for (size_t i = 0; !code && i < json_object_array_length(p->d->rows); i++)
		code = plan_row(p, json_object_array_get_idx(p->d->rows, i));
	return code || !p->source ? code : plan_gone(p);
}

static const char *text_of(struct json_object *o, const char *name)
{
	struct json_object *v = json_get(o, name);

	return v ? json_object_get_string(v) : "";
}

/* What an item asks of the service; method NULL: nothing. */
static const char *method_of(const struct plan *p, struct json_object *item)
{
	const char *status = text_of(item, "status");

	if (strcmp(status, "created") == 0)
		return p->as_is ? "PUT" : "POST";
	return strcmp(status, "changed") == 0 ? "PUT" : strcmp(status, "gone") == 0 && p->remove ? "DELETE" : NULL;
}

/* Both: where rows may break rules, the parameter says so. */
static const char *path_of(struct plan *p, const char *path)
{
	return p->as_is ? arena_printf(api_arena(p->api), "%s?as_is=1", path) : path;
}

static void refuse(struct plan *p, struct json_object *item, struct json_object *said)
{
	--*count_of(p, text_of(item, "status"));
	p->refused++;
	put_status(item, "refused", reason(p, json_get(said, "error") ? text_of(said, "error") : "no answer in JSON", text_of(said, "field"),
					    text_of(said, "detail")));
}

static struct api_request request_for(struct plan *p, struct json_object *item)
{
	const char *method = method_of(p, item), *path = "/api/directory", *etag = text_of(item, "etag");
	struct api_request q = { .method = method, .json = json_get(item, "row"), .quiet = true };

	if (method && strcmp(method, "POST") != 0)
		path = arena_printf(api_arena(p->api), "%s/%s", path, api_escape(p->api, text_of(item, "key")));
	q.path = path_of(p, path);
	if (method && etag[0])
		q.header[0] = (struct api_header){ "If-Match", etag };
	return q;
}

/* No answer has come to what the item asked for, so nothing more is asked. */
static void cut_off(struct plan *p, size_t from, bool whole)
{
	for (size_t i = from; i < json_object_array_length(p->rows); i++) {
		struct json_object *item = json_object_array_get_idx(p->rows, i);

		if (!method_of(p, item))
			continue;
		--*count_of(p, text_of(item, "status"));
		p->undone++;
		put_status(item, "undone", i == from || whole ? "no answer came: whether it is stored is not known" : "was not asked for");
	}
}

int plan_apply(struct plan *p)
{
	for (size_t i = 0; i < json_object_array_length(p->rows); i++) {
		struct json_object *item = json_object_array_get_idx(p->rows, i);
		struct api_request q = request_for(p, item);
		struct api_answer answer;
		int code = q.method ? api_send(p->api, &q, &answer) : 0;

		if (code) {
			cut_off(p, i, false);
			return code;
		}
		if (q.method && answer.status >= 400)
			refuse(p, item, answer.json);
	}
	return 0;
}

/* Together */

static struct json_object *change_for(struct plan *p, struct json_object *item)
{
	const char *method = method_of(p, item);
	struct json_object *change = json_object_new_object();

	json_put_text(change, "method", method);
	if (strcmp(method, "POST") != 0)
		json_put_text(change, "key", text_of(item, "key"));
	if (json_get(item, "row"))
		json_put(change, "row", json_object_get(json_get(item, "row")));
	if (text_of(item, "etag")[0])
		json_put_text(change, "if_match", text_of(item, "etag"));
	return change;
}

static struct json_object *first_refused(const struct plan *p)
{
	for (size_t i = 0; i < json_object_array_length(p->rows); i++)
		if (strcmp(text_of(json_object_array_get_idx(p->rows, i), "status"), "refused") == 0)
			return json_object_array_get_idx(p->rows, i);
	return NULL;
}

/* The item whose change was the one of that number. */
static struct json_object *item_of(const struct plan *p, int64_t change)
{
	for (size_t i = 0; i < json_object_array_length(p->rows); i++)
		if (method_of(p, json_object_array_get_idx(p->rows, i)) && change-- == 0)
			return json_object_array_get_idx(p->rows, i);
	return NULL;
}

int plan_apply_whole(struct plan *p)
{
	struct json_object *body = arena_json(api_arena(p->api), json_object_new_object()), *changes = json_object_new_array(), *bad;
	struct api_request q = { .method = "POST", .path = path_of(p, "/api/directory/batch"), .json = body, .quiet = true };
	struct api_answer answer = { 0 };
	int code = 0;

	json_put(body, "changes", changes);
	for (size_t i = 0; !p->refused && i < json_object_array_length(p->rows); i++)
		if (method_of(p, json_object_array_get_idx(p->rows, i)))
			json_object_array_add(changes, change_for(p, json_object_array_get_idx(p->rows, i)));
	if (json_object_array_length(changes) && (code = api_send(p->api, &q, &answer))) {
		cut_off(p, 0, true);
		return code;
	}
	bad = answer.status >= 400 && json_get(answer.json, "change") ? item_of(p, json_object_get_int64(json_get(answer.json, "change"))) : NULL;
	if (bad)
		refuse(p, bad, answer.json);
	bad = first_refused(p);
	if (bad)
		return ctl_fail(CTL_FAILED, "%s: %s; nothing is stored", text_of(bad, "key"), text_of(bad, "what"));
	if (answer.status >= 400)
		return ctl_fail(CTL_FAILED, "%s; nothing is stored; without --atomic rows are stored one by one",
				reason(p, text_of(answer.json, "error"), "", text_of(answer.json, "detail")));
	return 0;
}
