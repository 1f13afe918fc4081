/* Printing; what is printed is the commands'. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>
#include "base/escape.h"
#include "ctl/out.h"

enum { GAP = 2, WIDTH = 80, COLUMN_MAX = 64, COLUMNS_MAX = 16 };

bool out_terminal(void)
{
	return isatty(STDOUT_FILENO) == 1;
}

static size_t terminal_width(void)
{
	struct winsize w;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0 ? w.ws_col : WIDTH;
}

const char *out_colour(enum out_colour c)
{
	static const char *const codes[] = {
		[OUT_PLAIN] = "\033[0m", [OUT_BOLD] = "\033[1m", [OUT_GREEN] = "\033[32m", [OUT_YELLOW] = "\033[33m",
		[OUT_RED] = "\033[31m",
	};
	const char *off = getenv("NO_COLOR");

	return out_terminal() && (!off || !off[0]) ? codes[c] : "";
}

/* Cells */

/* Takes the first character off s: the columns that it fills, by the locale of main.c. What no locale knows fills one. */
static size_t take(struct str *s)
{
	mbstate_t state = { 0 };
	wchar_t c;
	size_t n = mbrtowc(&c, s->p, s->n, &state);
	bool known = n > 0 && n <= s->n;
	int columns = known ? wcwidth(c) : 1;

	*s = str_skip(*s, known ? n : 1);
	return columns < 0 ? 1 : (size_t)columns;
}

static size_t columns_of(struct str s)
{
	size_t n = 0;

	while (s.n)
		n += take(&s);
	return n;
}

/* What of it fits into n columns, marks that belong to its last character included. */
static struct str first(struct str s, size_t n)
{
	struct str rest = s, after = s;
	size_t columns;

	while (rest.n && (columns = take(&after)) <= n) {
		n -= columns;
		rest = after;
	}
	return str_make(s.p, s.n - rest.n);
}

static struct json_object *member(struct json_object *o, const char *name)
{
	bool found;

	return name[0] == '/' ? json_pointer(o, str_of(name), &found) : json_get(o, name);
}

/* The object's value of the column on one line, escaped. */
static void put_cell(struct buf *out, struct json_object *o, const struct out_column *c)
{
	struct json_object *v = member(o, c->member);
	struct buf text = BUF_MALLOC;

	if (c->form == OUT_LIMIT && v && !json_object_get_int64(v)) {
		buf_puts(out, "no limit");
	} else if (json_object_is_type(v, json_type_string)) {
		escape_add(out, ESCAPE_TERMINAL, json_str(v));
	} else if (v) {
		json_text(&text, v);
		escape_add(out, ESCAPE_TERMINAL, buf_str(&text));
	}
	buf_free(&text);
}

static void put_padded(struct str s, size_t width, bool right, bool last)
{
	size_t pad;

	s = first(s, width);
	pad = width - columns_of(s);
	printf("%*s%.*s%*s", right ? (int)pad : 0, "", (int)s.n, s.n ? s.p : "", right || last ? 0 : (int)pad, "");
	fputs(last ? "\n" : "  ", stdout);
}

static size_t widest(struct json_object *rows, const struct out_column *c)
{
	size_t w = strlen(c->title);

	for (size_t i = 0; i < json_length(rows); i++) {
		struct buf b = BUF_MALLOC;
		size_t n;

		put_cell(&b, json_at(rows, i), c);
		n = columns_of(buf_str(&b));
		w = n > w ? n : w;
		buf_free(&b);
	}
	return w < COLUMN_MAX ? w : COLUMN_MAX;
}

static bool are_names(struct json_object *rows, const struct out_column *c)
{
	bool names = true;

	for (size_t i = 0; names && i < json_object_array_length(rows); i++) {
		struct buf b = BUF_MALLOC;

		put_cell(&b, json_object_array_get_idx(rows, i), c);
		names = str_find(buf_str(&b), str_of(" ")) < 0;
		buf_free(&b);
	}
	return names;
}

/* Tables */

static void columns_for_people(struct json_object *rows, const struct out_column *column, unsigned columns)
{
	size_t width[COLUMNS_MAX] = { 0 }, used = 0, whole = terminal_width();

	for (unsigned c = 0; c < columns; c++) {
		width[c] = widest(rows, &column[c]);
		used += c + 1 < columns ? width[c] + GAP : 0;
	}
	if (!are_names(rows, &column[columns - 1]) || whole > used + width[columns - 1])
		width[columns - 1] = whole > used + GAP ? whole - used : COLUMN_MAX;
	fputs(out_colour(OUT_BOLD), stdout);
	for (unsigned c = 0; c < columns; c++)
		put_padded(str_of(column[c].title), width[c], column[c].form != OUT_TEXT, c + 1 == columns);
	fputs(out_colour(OUT_PLAIN), stdout);
	for (size_t i = 0; i < json_length(rows); i++)
		for (unsigned c = 0; c < columns; c++) {
			struct buf b = BUF_MALLOC;

			put_cell(&b, json_at(rows, i), &column[c]);
			put_padded(buf_str(&b), width[c], column[c].form != OUT_TEXT, c + 1 == columns);
			buf_free(&b);
		}
}

static void values_for_scripts(struct json_object *rows, const struct out_column *column, unsigned columns)
{
	for (size_t i = 0; i < json_length(rows); i++) {
		struct buf b = BUF_MALLOC;

		for (unsigned c = 0; c < columns; c++) {
			if (c)
				buf_putc(&b, '\t');
			put_cell(&b, json_at(rows, i), &column[c]);
		}
		puts(buf_text(&b));
		buf_free(&b);
	}
}

void out_table(struct json_object *rows, const struct out_column *column, unsigned columns)
{
	if (!json_length(rows))
		return;
	(out_terminal() ? columns_for_people : values_for_scripts)(rows, column, columns);
}

void out_fields(struct json_object *o, const struct out_column *column, unsigned columns)
{
	size_t width = 0;

	for (unsigned c = 0; c < columns; c++)
		if (strlen(column[c].title) > width)
			width = strlen(column[c].title);
	for (unsigned c = 0; c < columns; c++) {
		struct json_object *v = member(o, column[c].member);
		struct buf b = BUF_MALLOC;

		put_cell(&b, o, &column[c]);
		if (v)
			printf("%s%-*s%s  %s\n", out_colour(OUT_BOLD), (int)width, column[c].title, out_colour(OUT_PLAIN), buf_text(&b));
		buf_free(&b);
	}
}

void out_json(struct json_object *o)
{
	struct buf b = BUF_MALLOC;

	if (out_terminal()) {
		out_text(str_of(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE)));
		return;
	}
	json_text(&b, o);
	puts(buf_text(&b));
	buf_free(&b);
}

void out_escape(struct buf *out, struct str s)
{
	for (struct str rest = s; rest.p;) {
		struct str line = str_cut(&rest, '\n');

		if (!rest.p && !line.n && s.n)
			break;
		escape_add(out, ESCAPE_TERMINAL, line);
		buf_putc(out, '\n');
	}
}

void out_text(struct str s)
{
	struct buf b = BUF_MALLOC;

	if (!out_terminal()) {
		if (s.n)
			fwrite(s.p, 1, s.n, stdout);
		if (!s.n || s.p[s.n - 1] != '\n')
			putchar('\n');
		return;
	}
	out_escape(&b, s);
	fputs(buf_text(&b), stdout);
	buf_free(&b);
}
