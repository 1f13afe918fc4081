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
	++*count_of(p, status);
	return item;
}

static const char *reason(struct plan *p, const char *error, const char *field, const char *detail)
{
	return arena_printf(api_arena(p->api), "%s%s%s%s%s", error, field[0] ? " " : "", field, detail[0] ? ": " : "", detail);
}

static bool is_planned(const struct plan *p, const char *key)
{
	for (size_t i = 0; i < json_object_array_length(p->rows); i++)
		if (str_is(json_str(json_get(json_object_array_get_idx(p->rows, i), "key")), key))
			return true;
	return false;
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
	struct api_request q = { .method = "GET", .quiet = true,
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
	for (size_t i = 0; !code && i < json_object_array_length(p->d->rows); i++)
		code = plan_row(p, json_object_array_get_idx(p->d->rows, i));
	return code || !p->source ? code : plan_gone(p);
}

/* The request that does it; method NULL: there is nothing to do. */
static struct api_request request_for(struct plan *p, struct json_object *item)
{
	const char *status = json_object_get_string(json_get(item, "status"));
	const char *path = arena_printf(api_arena(p->api), "/api/directory/%s", api_escape(p->api, json_object_get_string(json_get(item, "key"))));
	struct api_request q = { .quiet = true };

	if (p->as_is)
		path = arena_printf(api_arena(p->api), "%s?as_is=1", path);
	if (strcmp(status, "created") == 0 && p->as_is)
		q = (struct api_request){ .method = "PUT", .path = path, .json = json_get(item, "row"), .quiet = true };
	else if (strcmp(status, "created") == 0)
		q = (struct api_request){ .method = "POST", .path = "/api/directory", .json = json_get(item, "row"), .quiet = true };
	else if (strcmp(status, "changed") == 0)
		q = (struct api_request){ .method = "PUT", .path = path, .json = json_get(item, "row"), .quiet = true,
			.header = { { "If-Match", json_object_get_string(json_get(item, "etag")) } } };
	else if (strcmp(status, "gone") == 0 && p->remove)
		q = (struct api_request){ .method = "DELETE", .path = path, .quiet = true };
	return q;
}

int plan_apply(struct plan *p)
{
	for (size_t i = 0; i < json_object_array_length(p->rows); i++) {
		struct json_object *item = json_object_array_get_idx(p->rows, i), *said;
		struct api_request q = request_for(p, item);
		struct api_answer answer;
		int code;

		if (!q.method)
			continue;
		code = api_send(p->api, &q, &answer);
		if (code)
			return code;
		if (answer.status < 400)
			continue;
		--*count_of(p, json_object_get_string(json_get(item, "status")));
		p->refused++;
		said = answer.json;
		put_status(item, "refused", reason(p, json_get(said, "error") ? json_object_get_string(json_get(said, "error")) : "no answer in JSON",
						    json_get(said, "field") ? json_object_get_string(json_get(said, "field")) : "",
						    json_get(said, "detail") ? json_object_get_string(json_get(said, "detail")) : ""));
	}
	return 0;
}
