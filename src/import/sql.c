/* Rows of a dump; see sql.h. What may run of it is store/db.c's to say. */
#include <string.h>
#include "directory/row.h"
#include "import/sql.h"
#include "store/db.h"

enum { SHOWN_MAX = 60 };                /* bytes of a statement in a note */

struct reading { struct draft *d; struct json_object *unknown; };

static void refused(void *ctx, struct str statement, const char *why)
{
	struct reading *r = ctx;
	struct buf b = BUF_ARENA(r->d->arena);
	bool insert = str_starts(statement, "INSERT") || str_starts(statement, "insert");

	for (size_t i = 0; i < statement.n && b.len < SHOWN_MAX; i++)
		buf_putc(&b, (unsigned char)statement.p[i] < ' ' ? ' ' : statement.p[i]);
	draft_note(r->d, buf_text(&b), insert && strcmp(why, "is not about the table") != 0, "is left out: %s", why);
}

/* Tells once that a column is none of a row's. */
static void note_unknown(struct reading *r, const char *name)
{
	if (json_get(r->unknown, name))
		return;
	json_put_bool(r->unknown, name, true);
	draft_note(r->d, name, true, "the column is left out: rows have none of that name");
}

static void take(void *ctx, struct json_object *from)
{
	struct reading *r = ctx;
	struct json_object *row = json_object_new_object();

	for (int c = 0; c < ROW_N; c++) {
		struct json_object *v = json_get(from, row_columns[c].name);

		if (v && row_columns[c].settable)
			json_put(row, row_columns[c].name, json_object_get(v));
	}
	json_object_object_foreach(from, name, value)
		if (row_column_of(str_of(name)) < 0 && value)
			note_unknown(r, name);
	json_object_array_add(r->d->rows, row);
	json_object_put(from);
}

int sql_convert(struct draft *d, struct str dump, struct problem *why)
{
	struct reading r = { d, arena_json(d->arena, json_object_new_object()) };
	struct db_dump to = { "directory", refused, take, &r };

	if (dump.n > SQL_DUMP_MAX) {
		problem_set(why, 413, "file_too_large");
		problem_detail(why, "a dump has at most %d MiB", SQL_DUMP_MAX >> 20);
		return -1;
	}
	if (db_read_dump(dump, &to) == 0)
		return 0;
	problem_set(why, 400, "bad_dump");
	problem_detail(why, "holds no table `directory`, or makes more work than a dump does");
	return -1;
}
