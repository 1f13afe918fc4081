/* A row as values: what its columns are, and its way from and to JSON and SQL. Not what makes a row valid: see
 * validate.c. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/crypto.h"
#include "directory/row.h"

#define SET     .settable = true
#define PATCH   .settable = true, .patchable = true
#define FLAG(d) .number = true, .flag = true, .has_default = true, .dflt = (d)

const struct row_column_info row_columns[ROW_N] = {
	[ROW_KEY]                = { .name = "key", SET },
	[ROW_TYPE]               = { .name = "type", PATCH },
	[ROW_TARGET]             = { .name = "target", PATCH },
	[ROW_AUTH]               = { .name = "auth", PATCH },
	[ROW_CONTENT]            = { .name = "content", PATCH },
	[ROW_UPDATED_AT]         = { .name = "updated_at" },
	[ROW_CATEGORY]           = { .name = "category", PATCH },
	[ROW_ALLOWED_CATEGORIES] = { .name = "allowed_categories", PATCH },
	[ROW_SEQ]                = { .name = "seq", PATCH, .number = true },
	[ROW_ENABLED]            = { .name = "enabled", PATCH, FLAG(1) },
	[ROW_PLANNER_VISIBLE]    = { .name = "planner_visible", PATCH, FLAG(1) },
	[ROW_PLANNER_RANK]       = { .name = "planner_rank", PATCH, .number = true, .has_default = true, .dflt = 100 },
	[ROW_INPUT_SCHEMA]       = { .name = "input_schema", PATCH, .json = true },
	[ROW_EXAMPLES]           = { .name = "examples", PATCH, .json = true },
	[ROW_SENSITIVE]          = { .name = "sensitive", SET, FLAG(0) },
	[ROW_RUNNER]             = { .name = "runner", SET },
	[ROW_INCLUDES]           = { .name = "includes", PATCH },
	[ROW_CREATED_AT]         = { .name = "created_at" },
};

/* Members of an answer that are no columns. */
static const char *const computed[] = { "row_num", "contract" };

/* What each type is called in other words. */
static const struct { const char *type, *object_type, *runner; } types[] = {
	{ "fn", "tool", "fn" },
	{ "http", "tool", "http" },
	{ "agent", "agent", "model" },
	{ "flow", "workflow", "flow" },
};

struct str row_text(const struct row *r, enum row_column c)
{
	return r->v[c].null ? str_of(NULL) : r->v[c].text;
}

int64_t row_number(const struct row *r, enum row_column c)
{
	return r->v[c].null ? 0 : r->v[c].number;
}

int row_column_of(struct str name)
{
	for (int c = 0; c < ROW_N; c++)
		if (str_is(name, row_columns[c].name))
			return c;
	return -1;
}

static void set_default(struct row *r, int c)
{
	r->v[c] = (struct row_value){ .null = !row_columns[c].has_default, .number = row_columns[c].dflt };
}

void row_defaults(struct row *r)
{
	for (int c = 0; c < ROW_N; c++)
		set_default(r, c);
}

bool row_same(const struct row *a, const struct row *b, enum row_column c)
{
	const struct row_value *x = &a->v[c], *y = &b->v[c];

	if (x->null || y->null)
		return x->null == y->null;
	return row_columns[c].number ? x->number == y->number : str_eq(x->text, y->text);
}

bool row_blank(const struct row *r, enum row_column c)
{
	return str_trim(row_text(r, c)).n == 0;
}

/* From JSON: names */

static bool is_computed(const char *name)
{
	for (size_t i = 0; i < sizeof(computed) / sizeof(computed[0]); i++)
		if (strcmp(name, computed[i]) == 0)
			return true;
	return false;
}

/* The members of an object by what may be done with them; the first of each kind that is refused. */
struct names { unsigned usable, fixed; const char *first_fixed, *first_unknown; };

static void sort_names(struct json_object *o, enum row_which which, struct names *n)
{
	*n = (struct names){ 0 };
	json_object_object_foreach(o, name, value) {
		int c = row_column_of(str_of(name));

		(void)value;
		if (c >= 0 && (which == ROW_PATCH ? row_columns[c].patchable : row_columns[c].settable)) {
			n->usable++;
		} else if (c >= 0 || is_computed(name)) {
			n->fixed++;
			n->first_fixed = n->first_fixed ? n->first_fixed : name;
		} else if (!n->first_unknown) {
			n->first_unknown = name;
		}
	}
}

static int refuse_name(struct problem *why, const char *error, const char *name, const char *fix)
{
	problem_set(why, 400, "%s", error);
	problem_field(why, name);
	problem_fix(why, "%s", fix);
	return -1;
}

static int check_names(struct json_object *o, enum row_which which, unsigned *ignored, struct problem *why)
{
	struct names n;

	sort_names(o, which, &n);
	*ignored = n.fixed;
	if (which == ROW_PATCH && !n.usable) {
		problem_set(why, 400, "no recognized fields");
		if (n.first_unknown || n.first_fixed)
			problem_field(why, n.first_unknown ? n.first_unknown : n.first_fixed);
		problem_fix(why, "PATCH sets type, target, auth, content, category, allowed_categories, seq, "
			"enabled, planner_visible, planner_rank, input_schema, examples and includes; PUT sets "
			"sensitive and runner too");
		return -1;
	}
	if (n.first_unknown)
		return refuse_name(why, "unknown_field", n.first_unknown, "a row has no such column");
	if (which == ROW_PATCH && n.fixed)
		return refuse_name(why, "field_not_patchable", n.first_fixed,
			"PUT sets sensitive and runner; key, times and computed members are not set at all");
	return 0;
}

/* From JSON: values */

static int bad_value(struct problem *why, int c, const char *what)
{
	problem_set(why, 422, c == ROW_KEY ? "bad_key" : c == ROW_TYPE ? "bad_type" : "bad_field");
	problem_field(why, row_columns[c].name);
	problem_detail(why, "%s %s", row_columns[c].name, what);
	return -1;
}

static int read_text(struct arena *a, struct json_object *o, int c, int64_t max, struct row_value *v,
	struct problem *why)
{
	struct buf b = BUF_ARENA(a);
	enum json_type t = json_object_get_type(o);

	if (t == json_type_string)
		v->text = arena_copy(a, json_str(o));
	else if (row_columns[c].json && (t == json_type_object || t == json_type_array)) {
		json_text(&b, o);
		v->text = buf_str(&b);
	} else
		return bad_value(why, c, row_columns[c].json ? "is a string, an object or an array" : "is a string");
	if (memchr(v->text.p, 0, v->text.n))
		return bad_value(why, c, "holds U+0000");
	if ((int64_t)v->text.n > max) {
		problem_set(why, 422, "field_too_long");
		problem_field(why, row_columns[c].name);
		problem_detail(why, "%s has %zu bytes, the limit is %" PRId64, row_columns[c].name, v->text.n, max);
		return -1;
	}
	return 0;
}

static int read_number(struct json_object *o, int c, struct row_value *v, struct problem *why)
{
	enum json_type t = json_object_get_type(o);

	if (row_columns[c].flag) {
		v->number = t == json_type_boolean ? json_object_get_boolean(o) : json_object_get_int64(o);
		if ((t != json_type_boolean && t != json_type_int) || v->number < 0 || v->number > 1)
			return bad_value(why, c, "is 0 or 1");
		return 0;
	}
	v->number = json_object_get_int64(o);
	if (t != json_type_int || v->number > ROW_NUMBER_MAX || v->number < -ROW_NUMBER_MAX)
		return bad_value(why, c, "is a whole number between -2^53 and 2^53");
	return 0;
}

static int read_member(struct arena *a, struct json_object *o, int c, enum row_which which, int64_t max, struct row *r,
	uint32_t *set, struct problem *why)
{
	struct row_value v = { 0 };

	if (!o && which == ROW_WHOLE)
		return 0;
	if (!o && c == ROW_TYPE)
		return bad_value(why, c, "is a string");
	*set |= row_bit((enum row_column)c);
	if (!o) {
		set_default(r, c);
		return 0;
	}
	if ((row_columns[c].number ? read_number(o, c, &v, why) : read_text(a, o, c, max, &v, why)) < 0)
		return -1;
	r->v[c] = v;
	return 0;
}

int row_from_json(struct arena *a, struct json_object *o, enum row_which which, int64_t max_field, struct row *r,
	uint32_t *set, unsigned *ignored, struct problem *why)
{
	*set = 0;
	*ignored = 0;
	if (!json_object_is_type(o, json_type_object)) {
		problem_set(why, 400, "invalid_json");
		problem_detail(why, "a row is a JSON object");
		return -1;
	}
	if (check_names(o, which, ignored, why) < 0)
		return -1;
	for (int c = 0; c < ROW_N; c++) {
		struct json_object *member;

		if (!(which == ROW_PATCH ? row_columns[c].patchable : row_columns[c].settable) ||
		    !json_object_object_get_ex(o, row_columns[c].name, &member))
			continue;
		if (read_member(a, member, c, which, max_field, r, set, why) < 0)
			return -1;
	}
	return 0;
}

int row_from_image(struct arena *a, struct str image, struct row *r)
{
	struct json_object *o, *member;

	if (json_parse(a, image, &o, NULL) < 0 || !json_object_is_type(o, json_type_object))
		return -1;
	row_defaults(r);
	for (int c = 0; c < ROW_N; c++) {
		if (!json_object_object_get_ex(o, row_columns[c].name, &member))
			continue;
		r->v[c] = (struct row_value){ .null = !member };
		if (row_columns[c].number)
			r->v[c].number = json_object_get_int64(member);
		else if (json_object_is_type(member, json_type_string))
			r->v[c].text = arena_copy(a, json_str(member));
		else
			r->v[c].null = true;
	}
	return 0;
}

/* To JSON */

struct json_object *row_to_json(const struct row *r)
{
	struct json_object *o = json_object_new_object();

	for (int c = 0; c < ROW_N; c++) {
		const char *name = row_columns[c].name;

		if (row_columns[c].number && !r->v[c].null)
			json_put_int(o, name, r->v[c].number);
		else
			json_put_str(o, name, row_text(r, (enum row_column)c));
	}
	return o;
}

void row_image(const struct row *r, struct buf *out)
{
	struct json_object *o = row_to_json(r);

	json_canonical(out, o);
	json_object_put(o);
}

void row_etag(const struct row *r, char out[ROW_ETAG])
{
	struct buf b = BUF_MALLOC;
	char hex[CRYPTO_HEX];

	row_image(r, &b);
	crypto_sha256_hex(buf_str(&b), hex);
	snprintf(out, ROW_ETAG, "\"%.32s\"", hex);
	buf_free(&b);
}

/* From SQL */

void row_from_stmt(struct arena *a, struct db_stmt *s, int first, struct row *r)
{
	for (int c = 0; c < ROW_N; c++) {
		struct row_value *v = &r->v[c];

		*v = (struct row_value){ .null = db_is_null(s, first + c) };
		if (row_columns[c].number)
			v->number = db_int(s, first + c);
		else
			v->text = arena_copy(a, db_text(s, first + c));
	}
}

/* What a row is called */

const char *row_object_type(const struct row *r)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (str_is(row_text(r, ROW_TYPE), types[i].type))
			return types[i].object_type;
	return "tool";
}

const char *row_runner(const struct row *r)
{
	struct str label = row_text(r, ROW_RUNNER);

	if (label.n)
		return label.p;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (str_is(row_text(r, ROW_TYPE), types[i].type))
			return types[i].runner;
	return "";
}

bool row_is_exec(const struct row *r)
{
	return str_is(row_text(r, ROW_TYPE), "fn") && str_is(row_text(r, ROW_RUNNER), "exec");
}
