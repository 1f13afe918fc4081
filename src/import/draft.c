/* Collects rows, notes and names of variables; see draft.h. What becomes of them is the command's. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/escape.h"
#include "import/draft.h"

void draft_init(struct draft *d, struct arena *a)
{
	*d = (struct draft){
		.arena = a, .rows = arena_json(a, json_object_new_array()), .notes = arena_json(a, json_object_new_array()),
		.causes = arena_json(a, json_object_new_object()), .secrets = arena_json(a, json_object_new_object()),
	};
}

/* The same of one more place. */
static void add_place(struct draft *d, struct json_object *note, const char *at)
{
	int64_t count = json_get(note, "count") ? json_object_get_int64(json_get(note, "count")) : 1;

	if (count < DRAFT_PLACES_MAX)
		json_put_text(note, "at", arena_printf(d->arena, "%s, %s", json_object_get_string(json_get(note, "at")), at));
	json_put_int(note, "count", count + 1);
}

void draft_note(struct draft *d, const char *at, bool lost, const char *fmt, ...)
{
	struct json_object *note;
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	note = json_get(d->causes, text);
	if (note) {
		add_place(d, note, at);
		return;
	}
	note = json_object_new_object();
	json_put(d->causes, text, json_object_get(note));
	json_put_text(note, "at", at);
	json_put_text(note, "what", text);
	json_put_bool(note, "lost", lost);
	json_object_array_add(d->notes, note);
}

void draft_secret(struct draft *d, const char *name, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (json_get(d->secrets, name))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	json_put_text(d->secrets, name, text);
}

void draft_url(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		unsigned char b = (unsigned char)text.p[i];

		if (b <= ' ' || b >= 0x7F || strchr("\\$\"<>^`{}|#", b))
			buf_printf(out, "%%%02X", b);
		else
			buf_putc(out, (char)b);
	}
}

void draft_line(struct buf *content, const char *label, struct str text)
{
	bool blank = false, any = false;

	text = str_trim(text);
	if (!text.n)
		return;
	text.n = escape_cut(text, DRAFT_LINE_MAX);
	buf_printf(content, "# %s: ", label);
	for (size_t i = 0; i < text.n; i++) {
		if ((unsigned char)text.p[i] <= ' ' || text.p[i] == 0x7F) {
			blank = any;
			continue;
		}
		if (blank)
			buf_putc(content, ' ');
		buf_putc(content, text.p[i]);
		blank = false;
		any = true;
	}
	buf_putc(content, '\n');
}

static bool is_one_line(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ')
			return false;
	return true;
}

struct json_object *draft_example(struct buf *content, const char *key, const struct str *value, size_t n)
{
	struct json_object *column = json_object_new_array(), *list = json_object_new_array();
	struct buf joined = BUF_MALLOC;
	bool joins = true;

	for (size_t i = 0; i < n; i++) {
		joins = joins && !(value[i].n && memchr(value[i].p, '|', value[i].n));
		json_object_array_add(list, json_new_str(value[i].p ? value[i] : str_of("")));
		if (i)
			buf_putc(&joined, '|');
		buf_putstr(&joined, value[i]);
	}
	if (joins) {
		if (is_one_line(buf_str(&joined)) && joined.len < DRAFT_LINE_MAX)
			buf_printf(content, "# EX: [%s]%s[/%s]\n", key, buf_text(&joined), key);
		json_object_array_add(column, json_new_str(buf_str(&joined)));
		json_object_put(list);
	} else {
		json_object_array_add(column, list);
	}
	buf_free(&joined);
	return column;
}
