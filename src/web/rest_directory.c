/* Directory REST (spec section 4.1): reading and changing rows. What a row must be is directory/validate.c's, how a
 * change is stored directory/mutate.c's; the history of rows is rest_event.c's. */
#include <stdlib.h>
#include <string.h>
#include "call/caller.h"
#include "directory/mutate.h"
#include "web/emit.h"
#include "web/rest.h"

enum {
	CURSOR_DIGITS = 9,
};

/* Readable rows */

static bool reads(const struct rest *r, const struct directory_item *i)
{
	return caller_reads(&r->caller, i->key, i->category, i->enabled);
}

/* 1 found and readable, 0 not, -1 after answering 503. */
static int readable_entry(struct rest *r, struct str key, struct entry **e)
{
	struct problem why = { 0 };

	if (directory_get(r->service->directory, r->arena, key, e, &why) < 0) {
		router_fail(r, &why);
		return -1;
	}
	return *e && caller_reads(&r->caller, (*e)->key, (*e)->category, (*e)->enabled);
}

void rest_directory_emit(const struct rest *r, struct buf *out, const struct entry *e, int64_t row_num)
{
	struct json_object *o = arena_json(r->arena, row_to_json(&e->row));

	json_put_int(o, "row_num", row_num);
	json_put_text(o, "contract", e->digest);
	json_text(out, o);
	buf_putc(out, ',');
}

struct filter {
	struct str type, category, q;   /* p NULL: any */
	int enabled;                    /* -1: any */
	int64_t row_num;                /* 0: any */
	int64_t limit;
	size_t start;                   /* index of the first item that counts */
};

static int bad_parameter(struct rest *r, const char *name, const char *code, const char *detail)
{
	struct problem why = { 0 };

	problem_set(&why, 400, "%s", code);
	problem_field(&why, name);
	problem_detail(&why, "%s", detail);
	router_fail(r, &why);
	return -1;
}

/* A cursor is "N.KEY", the last row that was given. The page goes on behind KEY wherever that stands now, or behind
 * place N when it is gone. A key outside the readable set counts as gone, so that a cursor tells nothing about it. */
static int read_cursor(struct rest *r, size_t *start)
{
	struct str cursor = request_param(r->req, "cursor"), key = cursor, digits;
	const struct directory_item *item;
	size_t n, place = 0;

	if (!cursor.p)
		return 0;
	digits = str_cut(&key, '.');
	if (!key.n || !digits.n || digits.n > CURSOR_DIGITS)
		return bad_parameter(r, "cursor", "bad_cursor", "the cursor is malformed");
	for (size_t i = 0; i < digits.n; i++) {
		if (digits.p[i] < '0' || digits.p[i] > '9')
			return bad_parameter(r, "cursor", "bad_cursor", "the cursor is malformed");
		place = place * 10 + (size_t)(digits.p[i] - '0');
	}
	*start = place;
	item = directory_items(r->service->directory, &n);
	for (size_t i = 0; i < n; i++) {
		if (str_eq(item[i].key, key) && reads(r, &item[i]))
			*start = i + 1;
	}
	return 0;
}

static int read_filter(struct rest *r, struct filter *f)
{
	struct str enabled = request_param(r->req, "enabled");

	f->type = request_param(r->req, "type");
	f->category = request_param(r->req, "category");
	f->q = request_param(r->req, "q");
	f->enabled = -1;
	if (enabled.p) {
		f->enabled = str_is(enabled, "1") || str_is(enabled, "true");
		if (!f->enabled && !str_is(enabled, "0") && !str_is(enabled, "false"))
			return bad_parameter(r, "enabled", "bad_parameter", "enabled is 0 or 1");
	}
	if (f->type.p && !str_is(f->type, "fn") && !str_is(f->type, "http") && !str_is(f->type, "agent") &&
	    !str_is(f->type, "flow"))
		return bad_parameter(r, "type", "bad_parameter", "type is fn, http, agent or flow");
	if (router_number(r, "row_num", 1, INT32_MAX, 0, &f->row_num) < 0)
		return -1;
	return router_number(r, "limit", 1, REST_ROWS_MAX, REST_ROWS_MAX, &f->limit);
}

static bool item_fits(const struct rest *r, const struct filter *f, const struct directory_item *i, size_t index)
{
	return (!f->row_num || (size_t)f->row_num == index + 1) && (!f->type.p || str_eq(i->type, f->type)) &&
	       (!f->category.p || str_eq(i->category, f->category)) && (f->enabled < 0 || i->enabled == f->enabled) &&
	       reads(r, i);
}

static bool entry_fits(const struct filter *f, const struct entry *e)
{
	return !f->q.n || str_find_fold(e->key, f->q) >= 0 || str_find_fold(e->category, f->q) >= 0 || str_find_fold(e->content, f->q) >= 0;
}

/* The rows that fit, from f->start on. *cursor is set when there are more than f->limit. -1 after answering 503. */
static int64_t emit_rows(struct rest *r, struct buf *out, const struct filter *f, const char **cursor)
{
	const char *last = NULL;
	int64_t count = 0;
	struct problem why = { 0 };
	size_t n;
	const struct directory_item *item = directory_items(r->service->directory, &n);

	for (size_t i = f->start; i < n; i++) {
		struct entry *e = NULL;

		if (!item_fits(r, f, &item[i], i))
			continue;
		if (directory_get(r->service->directory, r->arena, item[i].key, &e, &why) < 0) {
			router_fail(r, &why);
			return -1;
		}
		if (!e || !entry_fits(f, e))
			continue;
		if (count == f->limit) {
			*cursor = last;
			break;
		}
		rest_directory_emit(r, out, e, (int64_t)i + 1);
		if (++count == f->limit)
			last = arena_printf(r->arena, "%zu.%.*s", i + 1, (int)e->key.n, e->key.p);
	}
	return count;
}

void rest_directory_list(struct rest *r)
{
	struct buf out = BUF_ARENA(r->arena);
	struct filter f = { 0 };
	const char *cursor = NULL;
	int64_t count;

	if (read_filter(r, &f) < 0 || read_cursor(r, &f.start) < 0)
		return;
	emit_begin(&out, NULL, '{');
	emit_begin(&out, "rows", '[');
	count = emit_rows(r, &out, &f, &cursor);
	if (count < 0)
		return;
	emit_end(&out, ']');
	emit_int(&out, "count", count);
	emit_text(&out, "cursor", cursor);
	emit_end(&out, '}');
	response_text(r->res, 200, "application/json", emit_done(&out));
}

static int by_text(const void *a, const void *b)
{
	const struct str *x = a, *y = b;
	size_t n = x->n < y->n ? x->n : y->n;
	int order = n ? memcmp(x->p, y->p, n) : 0;

	return order ? order : x->n < y->n ? -1 : x->n > y->n;
}

void rest_directory_categories(struct rest *r)
{
	struct buf out = BUF_ARENA(r->arena);
	const struct directory_item *item;
	int64_t categories = 0;
	struct str *name;
	size_t n, names = 0;

	item = directory_items(r->service->directory, &n);
	name = arena_alloc(r->arena, (n + 1) * sizeof(*name));
	for (size_t i = 0; i < n; i++) {
		if (reads(r, &item[i]))
			name[names++] = item[i].category.p ? item[i].category : str_of("");
	}
	if (names)
		qsort(name, names, sizeof(*name), by_text);
	emit_begin(&out, NULL, '{');
	emit_begin(&out, "categories", '[');
	for (size_t i = 0, next; i < names; i = next, categories++) {
		for (next = i; next < names && str_eq(name[next], name[i]);)
			next++;
		emit_begin(&out, NULL, '{');
		emit_str(&out, "category", name[i]);
		emit_int(&out, "count", (int64_t)(next - i));
		emit_end(&out, '}');
	}
	emit_end(&out, ']');
	emit_int(&out, "count", categories);
	emit_end(&out, '}');
	response_text(r->res, 200, "application/json", emit_done(&out));
}

/* The body is the same for everybody who may read the row, so it is kept for the generation. */
void rest_directory_get(struct rest *r)
{
	struct directory *d = r->service->directory;
	struct buf out = BUF_ARENA(r->arena);
	struct entry *e = NULL;
	const char *name;
	struct str body;
	int found = readable_entry(r, r->arg[0], &e);

	if (found < 0)
		return;
	if (!found) {
		router_not_found(r, "there is no such row");
		return;
	}
	name = arena_printf(r->arena, "row:%.*s", (int)e->key.n, e->key.p);
	body = directory_body_get(d, name);
	if (!body.p) {
		rest_directory_emit(r, &out, e, directory_row_num(d, e->key));
		body = directory_body_put(d, name, emit_done(&out));
	}
	directory_body_hold(d, r->arena, name);
	router_document(r, "application/json", e->etag, body);
}

/* Changes */

static struct mutate mutation(const struct rest *r)
{
	return (struct mutate){
		.directory = r->service->directory,
		.secrets = r->service->secrets,
		.arena = r->arena,
		.actor = r->caller.actor,
		.trace = r->trace.id,
		.if_match = request_header(r->req, "if-match"),
	};
}

static struct json_object *done(struct rest *r, struct str key, const struct mutate_result *m)
{
	struct json_object *o = json_object_new_object();

	json_put_bool(o, "ok", true);
	json_put_str(o, "key", key);
	if (m->updated_at[0])
		json_put_text(o, "updated_at", m->updated_at);
	if (m->etag[0])
		response_header(r->res, "ETag", m->etag);
	return o;
}

static void add_location(struct rest *r, struct str key)
{
	response_header(r->res, "Location",
			arena_printf(r->arena, "%s/api/directory/%.*s", r->service->conf->base_url, (int)key.n, key.p));
}

void rest_directory_create(struct rest *r)
{
	struct mutate m = mutation(r);
	struct mutate_result result = { 0 };
	struct problem why = { 0 };
	struct str key = json_str(json_get(r->body, "key"));

	if (mutate_create(&m, r->body, &result, &why) < 0) {
		router_fail(r, &why);
		return;
	}
	add_location(r, key);
	response_json(r->res, 201, done(r, key, &result));
}

/* -1 after answering. */
static int read_as_is(struct rest *r, struct mutate *m)
{
	struct str as_is = request_param(r->req, "as_is");

	m->as_is = str_is(as_is, "1");
	return as_is.p && !m->as_is ? bad_parameter(r, "as_is", "bad_parameter", "as_is is 1") : 0;
}

void rest_directory_put(struct rest *r)
{
	struct mutate m = mutation(r);
	struct mutate_result result = { 0 };
	struct problem why = { 0 };

	if (read_as_is(r, &m) < 0)
		return;
	if (mutate_put(&m, r->arg[0], r->body, &result, &why) < 0) {
		router_fail(r, &why);
		return;
	}
	if (result.created)
		add_location(r, r->arg[0]);
	response_json(r->res, result.created ? 201 : 200, done(r, r->arg[0], &result));
}

void rest_directory_patch(struct rest *r)
{
	struct mutate m = mutation(r);
	struct mutate_result result = { 0 };
	struct problem why = { 0 };
	struct json_object *o;

	if (mutate_patch(&m, r->arg[0], r->body, &result, &why) < 0) {
		router_fail(r, &why);
		return;
	}
	o = done(r, r->arg[0], &result);
	json_put(o, "fields", json_object_get(result.fields));
	response_json(r->res, 200, o);
}

void rest_directory_delete(struct rest *r)
{
	struct mutate m = mutation(r);
	struct mutate_result result = { 0 };
	struct problem why = { 0 };
	struct json_object *o;

	if (mutate_delete(&m, r->arg[0], &result, &why) < 0) {
		router_fail(r, &why);
		return;
	}
	o = json_object_new_object();
	json_put_bool(o, "ok", true);
	json_put_str(o, "key", r->arg[0]);
	json_put_int(o, "deleted", result.deleted);
	response_json(r->res, 200, o);
}

/* Several changes */

static const char *const methods[MUTATE_KINDS] = {
	[MUTATE_CREATE] = "POST", [MUTATE_PUT] = "PUT", [MUTATE_PATCH] = "PATCH", [MUTATE_DELETE] = "DELETE",
};

/* {"method", "key", "row", "if_match"}, what the method has of these. -1 with why. */
static int read_step(struct json_object *o, struct mutate_step *s, struct problem *why)
{
	struct str method = json_str(json_get(o, "method"));

	if (!json_object_is_type(o, json_type_object))
		return problem_bad_field(why, "changes", "is a list of objects");
	json_object_object_foreach(o, name, value) {
		bool row = strcmp(name, "row") == 0;

		if (!row && strcmp(name, "method") != 0 && strcmp(name, "key") != 0 && strcmp(name, "if_match") != 0) {
			problem_set(why, 400, "unknown_field");
			problem_field(why, name);
			return -1;
		}
		if (!json_object_is_type(value, row ? json_type_object : json_type_string))
			return problem_bad_field(why, name, row ? "is an object" : "is a text");
	}
	*s = (struct mutate_step){ 0, json_str(json_get(o, "key")), json_get(o, "row"), json_str(json_get(o, "if_match")) };
	while (s->kind < MUTATE_KINDS && !str_is(method, methods[s->kind]))
		s->kind++;
	if (s->kind == MUTATE_KINDS)
		return problem_bad_field(why, "method", "is POST, PUT, PATCH or DELETE");
	if (!s->key.p != (s->kind == MUTATE_CREATE))
		return problem_bad_field(why, "key", "names the row, but for POST: there the row does");
	if (!s->row != (s->kind == MUTATE_DELETE))
		return problem_bad_field(why, "row", "is what the method's body is");
	return 0;
}

/* Says which change was refused. */
static void fail_change(struct rest *r, struct json_object *list, size_t bad, struct problem *why)
{
	struct json_object *o = json_object_array_get_idx(list, bad);
	struct json_object *key = json_get(o, "key") ? json_get(o, "key") : json_get(json_get(o, "row"), "key");

	if (!why->extra) {
		why->extra = arena_json(r->arena, json_object_new_object());
		json_put_bool(why->extra, "state_changed", false);
	}
	if (bad < json_object_array_length(list)) {
		json_put_int(why->extra, "change", (int64_t)bad);
		json_put(why->extra, "key", json_object_get(key));
	}
	router_fail(r, why);
}

static struct json_object *batch_done(const struct mutate_step *step, struct json_object *list, const struct mutate_result *result)
{
	struct json_object *o = json_object_new_object(), *changes = json_object_new_array();

	json_put_bool(o, "ok", true);
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *one = json_object_new_object(), *row = json_get(json_object_array_get_idx(list, i), "row");

		json_put_str(one, "key", step[i].key.p ? step[i].key : json_str(json_get(row, "key")));
		if (step[i].kind == MUTATE_DELETE)
			json_put_int(one, "deleted", result[i].deleted);
		else
			json_put_bool(one, "created", result[i].created);
		if (result[i].updated_at[0])
			json_put_text(one, "updated_at", result[i].updated_at);
		if (result[i].etag[0])
			json_put_text(one, "etag", result[i].etag);
		json_object_array_add(changes, one);
	}
	json_put(o, "changes", changes);
	return o;
}

void rest_directory_batch(struct rest *r)
{
	struct mutate m = mutation(r);
	struct json_object *list = json_get(r->body, "changes");
	size_t n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0, bad = 0;
	struct mutate_step *step;
	struct mutate_result *result;
	struct problem why = { 0 };

	if (read_as_is(r, &m) < 0 || router_fields(r, "changes") < 0)
		return;
	if (n < 1 || n > MUTATE_BATCH_MAX) {
		problem_bad_field(&why, "changes", "is a list of 1 to %d changes", MUTATE_BATCH_MAX);
		router_fail(r, &why);
		return;
	}
	m.if_match = str_of(NULL);      /* each change has its own */
	step = arena_alloc(r->arena, n * sizeof(*step));
	result = arena_alloc(r->arena, n * sizeof(*result));
	while (bad < n && read_step(json_object_array_get_idx(list, bad), &step[bad], &why) == 0)
		bad++;
	if (bad < n || mutate_batch(&m, step, n, result, &bad, &why) < 0)
		fail_change(r, list, bad, &why);
	else
		response_json(r->res, 200, batch_done(step, list, result));
}

/* {"event":N} or {"contract":"digest"}; -1 after answering. */
static int read_restore(struct rest *r, int64_t *event, struct str *digest)
{
	struct json_object *e = json_get(r->body, "event"), *c = json_get(r->body, "contract");
	struct problem why = { 0 };

	if (router_fields(r, "event contract") < 0)
		return -1;
	*digest = json_str(c);
	*event = json_object_is_type(e, json_type_int) ? json_object_get_int64(e) : 0;
	if (e && c) {
		problem_set(&why, 400, "conflicting_fields");
		problem_detail(&why, "send event or contract");
	} else if (!digest->p && *event <= 0) {
		problem_set(&why, 422, "bad_field");
		problem_field(&why, c ? "contract" : "event");
		problem_detail(&why, "event is the number of an event of the row, contract a digest");
	} else {
		return 0;
	}
	router_fail(r, &why);
	return -1;
}

void rest_directory_restore(struct rest *r)
{
	struct mutate m = mutation(r);
	struct mutate_result result = { 0 };
	struct problem why = { 0 };
	struct json_object *o;
	struct str digest;
	int64_t event;

	if (read_restore(r, &event, &digest) < 0)
		return;
	if (mutate_restore(&m, r->arg[0], event, digest, &result, &why) < 0) {
		router_fail(r, &why);
		return;
	}
	o = done(r, r->arg[0], &result);
	json_put_int(o, "event", result.event);
	json_put_text(o, "contract", result.digest);
	response_json(r->res, 200, o);
}
