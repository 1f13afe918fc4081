/* `rowcall export`: rows as JSON, one a line, in a form that gives the same bytes when it is imported and exported again. */
#include <stdio.h>
#include <string.h>
#include "ctl/api.h"
#include "directory/row.h"

/* Canonical JSON (RFC 8785) of what can be set and is not null; the times are the directory's own. */
static void put_row(struct json_object *row, struct buf *out)
{
	struct json_object *o = json_object_new_object();

	for (int c = 0; c < ROW_N; c++) {
		struct json_object *v = json_get(row, row_columns[c].name);

		if (v && row_columns[c].settable)
			json_put(o, row_columns[c].name, json_object_get(v));
	}
	json_canonical(out, o);
	buf_putc(out, '\n');
	json_object_put(o);
}

static int print(struct buf *b)
{
	if (b->len)
		fwrite(b->data, 1, b->len, stdout);
	buf_clear(b);
	return CTL_OK;
}

static int export_all(struct api *a, struct buf *out)
{
	struct json_object *rows = NULL;
	int code = ctl_pages(a, "/api/directory?limit=1000", "rows", &rows);

	for (size_t i = 0; !code && i < json_object_array_length(rows); i++)
		put_row(json_object_array_get_idx(rows, i), out);
	return code ? code : print(out);
}

static int export_named(struct api *a, const struct ctl_args *args, struct buf *out)
{
	int code = CTL_OK;

	for (int i = 0; i < args->words; i++) {
		struct api_answer answer;
		int rc = api_get(a, arena_printf(api_arena(a), "/api/directory/%s", api_escape(a, args->word[i])), "key", &answer);

		if (rc == CTL_OK)
			put_row(answer.json, out);
		code = rc ? rc : code;
	}
	print(out);
	return code;
}

int ctl_export(const struct ctl_args *args)
{
	struct buf out = BUF_MALLOC;
	int code = CTL_OK;
	struct api *a = api_open(args, &code);

	if (a)
		code = args->words ? export_named(a, args, &out) : export_all(a, &out);
	buf_free(&out);
	api_close(a);
	return code;
}
