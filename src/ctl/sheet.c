/* The text of a row and back. Which rules a row obeys is the service's. */
#include <stdlib.h>
#include <string.h>
#include "ctl/sheet.h"

#define MARK "----- content, to the end -----\n"

enum kind { TEXT, NUMBER, DOCUMENT };   /* DOCUMENT: JSON, or a text with JSON in it */

static const struct column { const char *name; enum kind kind; } columns[] = {
	{ "type", TEXT }, { "target", TEXT }, { "auth", TEXT }, { "category", TEXT }, { "runner", TEXT },
	{ "allowed_categories", TEXT }, { "includes", TEXT }, { "seq", NUMBER }, { "enabled", NUMBER },
	{ "planner_visible", NUMBER }, { "planner_rank", NUMBER }, { "sensitive", NUMBER }, { "input_schema", DOCUMENT },
	{ "examples", DOCUMENT },
};

static const struct column *find_column(struct str name)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		if (str_is(name, columns[i].name))
			return &columns[i];
	return NULL;
}

/* Writing */

static void put_note(struct buf *out, const char *note)
{
	for (struct str rest = str_of(note); rest.p;) {
		struct str line = str_cut(&rest, '\n');

		if (line.n) {
			buf_puts(out, "# ");
			buf_putstr(out, line);
			buf_putc(out, '\n');
		}
	}
}

/* On one line: a text that would need more, or would be read as something else, is a JSON string. */
static void put_value(struct buf *out, struct json_object *v)
{
	struct str s = json_str(v);

	if (s.p && !memchr(s.p, '\n', s.n) && !(s.n && s.p[0] == '"') && s.n == str_trim(s).n)
		buf_putstr(out, s);
	else if (v)
		json_text(out, v);
}

void sheet_write(struct buf *out, struct json_object *row, const char *note)
{
	struct str content = json_str(json_get(row, "content"));

	if (note)
		put_note(out, note);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		buf_printf(out, "%s: ", columns[i].name);
		put_value(out, json_get(row, columns[i].name));
		buf_putc(out, '\n');
	}
	buf_puts(out, MARK);
	buf_putstr(out, content.p ? content : str_of(""));
	buf_putc(out, '\n');
}

struct str sheet_body(struct str sheet)
{
	while (sheet.n && sheet.p[0] == '#')
		str_cut(&sheet, '\n');
	return sheet.p ? sheet : str_of("");
}

void sheet_again(struct buf *out, struct str sheet, const char *note)
{
	put_note(out, note);
	buf_putstr(out, sheet_body(sheet));
}

/* Reading */

static struct json_object *value_of(struct arena *a, const struct column *c, struct str value)
{
	struct problem ignored = { 0 };
	struct json_object *o = NULL;

	if (!value.n)
		return NULL;
	if ((!c || c->kind == TEXT) && value.p[0] != '"')
		return json_new_str(value);
	if (json_parse(a, value, &o, &ignored) < 0)
		return json_new_str(value);
	return json_object_get(o);
}

void sheet_put(struct arena *a, struct json_object *fields, struct str name, struct str value)
{
	json_put(fields, arena_str(a, name), value_of(a, find_column(name), value));
}

struct json_object *sheet_whole(struct arena *a, struct json_object *row, struct json_object *fields)
{
	struct json_object *whole = arena_json(a, json_object_new_object()), *v;

	for (size_t i = 0; i <= sizeof(columns) / sizeof(*columns); i++) {
		const char *name = i < sizeof(columns) / sizeof(*columns) ? columns[i].name : "content";

		if (!json_object_object_get_ex(fields, name, &v))
			v = json_get(row, name);
		json_put(whole, name, json_object_get(v));
	}
	json_object_object_foreach(fields, name, unknown)
		json_put(whole, name, json_object_get(unknown));
	return whole;
}

bool sheet_is_patch(struct json_object *fields)
{
	return !json_object_object_get_ex(fields, "sensitive", NULL) && !json_object_object_get_ex(fields, "runner", NULL);
}

/* A row keeps its documents as text: what is the same JSON is no change. */
static bool same(struct arena *a, const struct column *c, struct json_object *was, struct json_object *is)
{
	struct problem ignored = { 0 };
	struct json_object *parsed = NULL;

	if (c->kind == DOCUMENT && json_str(was).p && json_parse(a, json_str(was), &parsed, &ignored) == 0 &&
	    json_object_equal(parsed, is))
		return true;
	return json_object_equal(was, is);
}

/* One line of the head. -1 with why. */
static int read_line(struct arena *a, struct json_object *row, struct json_object *fields, struct str line, struct problem *why)
{
	struct str value = line, name = str_trim(str_cut(&value, ':'));
	const struct column *c = find_column(name);
	struct json_object *o;

	if (!value.p || !c) {
		problem_set(why, 400, "bad_sheet");
		problem_detail(why, "`%.*s` is no field of a row; the content begins below the line of dashes", (int)line.n, line.p);
		return -1;
	}
	o = value_of(a, c, str_trim(value));
	if (same(a, c, json_get(row, c->name), o))
		json_object_put(o);
	else
		json_put(fields, c->name, o);
	return 0;
}

struct json_object *sheet_read(struct arena *a, struct json_object *row, struct str sheet, struct problem *why)
{
	struct json_object *fields = arena_json(a, json_object_new_object());
	struct str rest = sheet_body(sheet), was = json_str(json_get(row, "content"));
	long mark = str_find(rest, str_of(MARK));
	struct str head = mark < 0 ? rest : str_make(rest.p, (size_t)mark);

	while (head.n) {
		struct str line = str_trim(str_cut(&head, '\n'));

		if (line.n && read_line(a, row, fields, line, why) < 0)
			return NULL;
	}
	if (mark < 0) {
		problem_set(why, 400, "bad_sheet");
		problem_detail(why, "the line above the content is gone: %.*s", (int)strlen(MARK) - 1, MARK);
		return NULL;
	}
	rest = str_skip(rest, (size_t)mark + strlen(MARK));
	/* Editors end a file with a line break that is not the content's. */
	if (rest.n && rest.p[rest.n - 1] == '\n')
		rest.n--;
	if (!str_eq(rest, was.p ? was : str_of("")))
		json_put_str(fields, "content", rest.n || was.p ? rest : str_of(NULL));
	return fields;
}
