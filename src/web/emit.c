/* Writing JSON into a buffer member by member. The caller keeps brackets in order; texts are escaped here. */
#include "base/escape.h"
#include "base/json.h"
#include "web/emit.h"

static void emit_name(struct buf *out, const char *name)
{
	if (!name)
		return;
	buf_putc(out, '"');
	escape_add(out, ESCAPE_JSON, str_of(name));
	buf_puts(out, "\":");
}

void emit_begin(struct buf *out, const char *name, char bracket)
{
	emit_name(out, name);
	buf_putc(out, bracket);
}

void emit_end(struct buf *out, char bracket)
{
	if (out->len && out->data[out->len - 1] == ',')
		out->len--;
	buf_putc(out, bracket);
	buf_putc(out, ',');
}

void emit_raw(struct buf *out, const char *name, struct str json)
{
	emit_name(out, name);
	buf_putstr(out, json.p ? json : str_of("null"));
	buf_putc(out, ',');
}

void emit_str(struct buf *out, const char *name, struct str s)
{
	if (!s.p) {
		emit_raw(out, name, s);
		return;
	}
	emit_name(out, name);
	buf_putc(out, '"');
	escape_add(out, ESCAPE_JSON, s);
	buf_puts(out, "\",");
}

void emit_text(struct buf *out, const char *name, const char *s)
{
	emit_str(out, name, str_of(s));
}

void emit_int(struct buf *out, const char *name, int64_t v)
{
	emit_name(out, name);
	buf_int(out, v);
	buf_putc(out, ',');
}

void emit_number(struct buf *out, const char *name, double v)
{
	char text[JSON_NUMBER_MAX];

	json_number(v, text);
	emit_raw(out, name, str_of(text));
}

void emit_bool(struct buf *out, const char *name, bool v)
{
	emit_raw(out, name, str_of(v ? "true" : "false"));
}

struct str emit_done(struct buf *out)
{
	if (out->len && out->data[out->len - 1] == ',')
		out->data[out->len - 1] = '\n';
	return buf_str(out);
}
