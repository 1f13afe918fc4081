/* One row of the table `directory` as plain values: the table of its columns, from and to JSON, defaults. */
#ifndef DIRECTORY_ROW_H
#define DIRECTORY_ROW_H
#include "base/json.h"
#include "store/db.h"

enum row_column {
	ROW_KEY, ROW_TYPE, ROW_TARGET, ROW_AUTH, ROW_CONTENT, ROW_UPDATED_AT, ROW_CATEGORY, ROW_ALLOWED_CATEGORIES,
	ROW_SEQ, ROW_ENABLED, ROW_PLANNER_VISIBLE, ROW_PLANNER_RANK, ROW_INPUT_SCHEMA, ROW_EXAMPLES, ROW_SENSITIVE,
	ROW_RUNNER, ROW_INCLUDES, ROW_CREATED_AT, ROW_N
};

struct row_value { bool null; struct str text; int64_t number; };       /* text or number by the column's kind */
struct row { struct row_value v[ROW_N]; };

struct row_column_info {
	const char *name;
	bool number;                    /* INTEGER column */
	bool flag;                      /* of those: 0 or 1 */
	bool json;                      /* holds JSON as text */
	bool patchable;                 /* among the 13 fields of PATCH */
	bool settable;                  /* by POST and PUT (all but updated_at, created_at) */
	bool has_default; int64_t dflt;
};
extern const struct row_column_info row_columns[ROW_N];

/* Numbers of a row lie between minus and plus this, so that every reader of JSON keeps them exactly. */
#define ROW_NUMBER_MAX INT64_C(9007199254740991)

struct str row_text(const struct row *r, enum row_column c);            /* p NULL when null */
int64_t row_number(const struct row *r, enum row_column c);             /* 0 when null */
int row_column_of(struct str name);                                     /* -1: none */
void row_defaults(struct row *r);
bool row_same(const struct row *a, const struct row *b, enum row_column c);
static inline uint32_t row_bit(enum row_column c) { return UINT32_C(1) << c; }

/* Reads members of o into r; columns that o does not name are left as they are. *set gets a bit per column that was
 * read. Booleans are accepted for 0/1 columns, JSON objects and arrays for input_schema and examples (stored as compact
 * text). Strings live in the arena.
 *
 * ROW_WHOLE (POST, PUT): a member that is null counts as absent. updated_at, created_at, row_num and contract, which an
 * answer has and nobody sets, are not read, so that what GET gave can be PUT again: *ignored counts them. Any other
 * member that is no column: 400 `unknown_field`.
 * ROW_PATCH: null gives the column's default. When no patchable column is named: 400 `no recognized fields`; beside
 * one, a name that is no column is 400 `unknown_field` and a column that PATCH does not set 400 `field_not_patchable`:
 * skipping it silently would say that it was set.
 *
 * A value of the wrong kind (also U+0000 in a text, a number out of range) is 422 `bad_key`, `bad_type` or, for every
 * other column, `bad_field`; a text over max_field bytes is 422 `field_too_long`; why->field names the column. Names
 * are checked before values. o is no object: 400 `invalid_json`. */
enum row_which { ROW_PATCH, ROW_WHOLE };
int row_from_json(struct arena *a, struct json_object *o, enum row_which which, int64_t max_field, struct row *r,
	uint32_t *set, unsigned *ignored, struct problem *why);
/* The row of an image, whatever it holds: columns that it does not have take their defaults. Strings live in the arena.
 * -1 when it is no object. */
int row_from_image(struct arena *a, struct str image, struct row *r);
/* Every column, in table order; for answers and images. */
struct json_object *row_to_json(const struct row *r);
/* Canonical JSON of row_to_json: what events and contracts store. */
void row_image(const struct row *r, struct buf *out);
/* From a statement whose columns are the 18 in table order, starting at `first`. Copies into the arena. */
void row_from_stmt(struct arena *a, struct db_stmt *s, int first, struct row *r);
/* `"<32 hex>"`: a quoted ETag over row_image, 35 bytes with NUL. */
enum { ROW_ETAG = 35 };
void row_etag(const struct row *r, char out[ROW_ETAG]);
bool row_blank(const struct row *r, enum row_column c);                 /* null, empty or white space */
const char *row_object_type(const struct row *r);       /* tool, agent, workflow */
/* The label shown: the stored one (NUL-terminated), or fn, http, model, flow. */
const char *row_runner(const struct row *r);
bool row_is_exec(const struct row *r);                  /* type fn, runner exactly "exec" */

#endif
