/* Commands about rows. */
#include <string.h>
#include "ctl/api.h"
#include "ctl/out.h"

/* ?limit=1000 and the filters that were given. */
static const char *list_path(struct api *a, const struct ctl_args *args)
{
	static const char *const filters[] = { "type", "category", "enabled", "q" };
	struct buf b = BUF_ARENA(api_arena(a));

	buf_puts(&b, "/api/directory?limit=1000");
	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++) {
		const char *value = ctl_value(args, filters[i]);

		if (value)
			buf_printf(&b, "&%s=%s", filters[i], api_escape(a, value));
	}
	return arena_strdup(api_arena(a), buf_text(&b));
}

/* All pages of a list, as one array; NULL after printing why not. */
static struct json_object *read_rows(struct api *a, const char *path, int *code)
{
	struct json_object *all = arena_json(api_arena(a), json_object_new_array()), *rows;
	struct str cursor = str_of(NULL);
	struct api_answer answer;

	do {
		const char *page = cursor.n ? arena_printf(api_arena(a), "%s&cursor=%.*s", path, (int)cursor.n, cursor.p) : path;

		*code = api_get(a, page, &answer);
		if (*code)
			return NULL;
		rows = json_get(answer.json, "rows");
		for (size_t i = 0; rows && i < json_object_array_length(rows); i++)
			json_object_array_add(all, json_object_get(json_object_array_get_idx(rows, i)));
		cursor = json_str(json_get(answer.json, "cursor"));
	} while (cursor.n);
	return all;
}

int ctl_ls(const struct ctl_args *args)
{
	static const struct out_column columns[] = {
		{ "KEY", "key", false }, { "TYPE", "type", false }, { "ON", "enabled", true }, { "CATEGORY", "category", false },
		{ "TARGET", "target", false },
	};
	struct json_object *rows;
	int code = CTL_OK;
	struct api *a = api_open(args, &code);

	rows = a ? read_rows(a, list_path(a, args), &code) : NULL;
	if (rows && ctl_has(args, "json"))
		out_json(rows);
	else if (rows)
		out_table(rows, columns, sizeof(columns) / sizeof(*columns));
	api_close(a);
	return code;
}

int ctl_show(const struct ctl_args *args)
{
	struct api_answer answer;
	int code = CTL_OK;
	struct api *a = api_open(args, &code);

	if (a && ctl_has(args, "json"))
		code = api_get(a, arena_printf(api_arena(a), "/api/directory/%s", api_escape(a, args->word[0])), &answer);
	else if (a)
		code = api_get(a, arena_printf(api_arena(a), "/api/dispatch?key=%s&format=markdown", api_escape(a, args->word[0])), &answer);
	if (a && code == CTL_OK && ctl_has(args, "json"))
		out_json(answer.json);
	else if (a && code == CTL_OK)
		out_text(answer.body);
	api_close(a);
	return code;
}
