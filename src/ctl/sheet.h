/* A row as a text that people edit: `field: value` lines, then the content as it is. */
#ifndef CTL_SHEET_H
#define CTL_SHEET_H
#include "base/json.h"
#include "base/problem.h"

/* Appends the row's sheet. note (may be NULL) stands on top as comment lines. */
void sheet_write(struct buf *out, struct json_object *row, const char *note);
/* The sheet once more with another note on top. */
void sheet_again(struct buf *out, struct str sheet, const char *note);
/* The sheet without its notes on top. */
struct str sheet_body(struct str sheet);
/* The fields that differ from the row's; a new object in the arena, empty when none does. NULL with why->detail: a line
 * that is none of a sheet, a field that is not there. */
struct json_object *sheet_read(struct arena *a, struct json_object *row, struct str sheet, struct problem *why);
/* Sets a field as a person writes it: empty is null, true and false and whole numbers go as such where the column is a number,
 * JSON where it holds JSON, else a text. */
void sheet_put(struct arena *a, struct json_object *fields, struct str name, struct str value);
/* The row with the fields in it, as PUT takes it; a new object in the arena. */
struct json_object *sheet_whole(struct arena *a, struct json_object *row, struct json_object *fields);
/* Whether PATCH sets all of the fields; sensitive and runner are set by PUT alone. */
bool sheet_is_patch(struct json_object *fields);

#endif
