/* One row of the table `directory` as plain values: the table of its columns, from and to JSON, defaults. */
#ifndef DIRECTORY_ROW_H
#define DIRECTORY_ROW_H
#include "base/json.h"
#include "store/db.h"

enum row_column {
	ROW_KEY, ROW_TYPE, ROW_TARGET, ROW_AUTH, ROW_CONTENT, ROW_UPDATED_AT, ROW_CATEGORY, ROW_ALLOWED_CATEGORIES, ROW_SEQ, ROW_ENABLED,
	ROW_PLANNER_VISIBLE, ROW_PLANNER_RANK, ROW_INPUT_SCHEMA, ROW_EXAMPLES, ROW_SENSITIVE, ROW_RUNNER, ROW_INCLUDES, ROW_CREATED_AT, ROW_N
};

struct row_value { bool null; struct str text; int64_t number; };       /* text or number by the column's kind */
struct row { struct row_value v[ROW_N]; };

struct row_column_info {
	const char *name;
	bool number;                    /* INTEGER column */
	bool patchable;                 /* among the 13 fields of PATCH */
	bool settable;                  /* by POST and PUT (all but updated_at, created_at) */
	bool has_default; int64_t dflt;
};
extern const struct row_column_info row_columns[ROW_N];

struct str row_text(const struct row *r, enum row_column c);            /* p NULL when null */
int64_t row_number(const struct row *r, enum row_column c);             /* 0 when null */
int row_column_of(struct str name);                                     /* -1: none */
void row_defaults(struct row *r);
/* Reads members of o into r. Booleans are accepted for 0/1 columns; JSON objects and arrays are accepted for input_schema, examples (stored as compact text).
 * Members that are no column: 400 `unknown_field`. A wrong type or a text over max_field bytes: 422 `bad_field` / `field_too_long` with field. `which` selects: patchable or settable
 * columns only; others are listed in *ignored (count). Strings live in the arena. *set gets a bit per column present. */
enum row_which { ROW_PATCH, ROW_WHOLE };
int row_from_json(struct arena *a, struct json_object *o, enum row_which which, int64_t max_field, struct row *r, uint32_t *set, unsigned *ignored, struct problem *why);
/* Every column, in table order; for answers and images. */
struct json_object *row_to_json(const struct row *r);
void row_image(const struct row *r, struct buf *out);                   /* canonical JSON of row_to_json: what events and contracts store */
/* From a statement whose columns are the 18 in table order, starting at `first`. Copies into the arena. */
void row_from_stmt(struct arena *a, struct db_stmt *s, int first, struct row *r);
/* `"<32 hex>"`: a quoted ETag over row_image, 35 bytes with NUL. */
enum { ROW_ETAG = 35 };
void row_etag(const struct row *r, char out[ROW_ETAG]);
const char *row_object_type(const struct row *r);       /* tool, agent, workflow */
const char *row_runner(const struct row *r);            /* the label shown: the stored one, or fn, http, model, flow */
bool row_is_exec(const struct row *r);                  /* type fn, runner exactly "exec" */

#endif
