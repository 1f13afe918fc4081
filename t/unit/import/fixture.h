/* What a converter made, and whether the interface would take it. */
#ifndef T_UNIT_IMPORT_FIXTURE_H
#define T_UNIT_IMPORT_FIXTURE_H
#include "directory/validate.h"
#include "import/draft.h"
#include "tap.h"

static struct arena *arena;             /* main makes it */
static struct draft d;

static inline const char *text_of(struct json_object *o)
{
	struct buf b = BUF_ARENA(arena);

	json_text(&b, o);
	return buf_text(&b);
}

/* The row is one that the interface takes; else false with why. */
static inline bool is_valid(struct json_object *row, struct problem *why)
{
	struct row r;
	uint32_t set;
	unsigned ignored;

	row_defaults(&r);
	return row_from_json(arena, row, ROW_WHOLE, 64 * 1024, &r, &set, &ignored, why) == 0 &&
	       validate_row(arena, &r, UINT32_MAX, NULL, why) == 0 && !validate_hygiene(&r, why);
}

/* How many of d's rows it does not take. */
static inline size_t invalid(void)
{
	size_t bad = 0;

	for (size_t i = 0; i < json_length(d.rows); i++) {
		struct problem fault = { 0 };

		if (is_valid(json_at(d.rows, i), &fault))
			continue;
		tap_diag("%s %s %s: %s", fault.error, fault.field, fault.detail, text_of(json_at(d.rows, i)));
		bad++;
	}
	return bad;
}

#endif
