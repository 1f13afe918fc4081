/* What commands print: columns for people on a terminal, tab-separated values for scripts, JSON as it came. Texts of
 * rows and callers are escaped wherever they are printed as text. */
#ifndef CTL_OUT_H
#define CTL_OUT_H
#include "base/json.h"
#include "ctl/ctl.h"

/* A column: the member of each object, as text. member may be a JSON Pointer ("/proof/did"). */
enum out_form { OUT_TEXT, OUT_NUMBER, OUT_LIMIT };       /* to the right; a number of which 0 is no limit */
struct out_column {
	const char *title, *member;
	enum out_form form;
};

bool out_terminal(void);                /* standard output is one */
/* One line an object. Columns and a head on a terminal, cut to its width in the last one, unless that holds names (no
 * blanks), which other commands take; else tab-separated without a head. */
void out_table(struct json_object *rows, const struct out_column *column, unsigned columns);
/* NAME: value lines of one object, in the given order; what is absent or null is left out. */
void out_fields(struct json_object *o, const struct out_column *column, unsigned columns);
/* JSON on one line for a program, indented on a terminal. */
void out_json(struct json_object *o);
/* A text with its line breaks; other controls escaped on a terminal, as it is elsewhere. */
void out_text(struct str s);
/* The same into a buffer, as a terminal gets it. */
void out_escape(struct buf *out, struct str s);
/* Name of a colour that is used on a terminal unless NO_COLOR is set; "" elsewhere. */
enum out_colour { OUT_PLAIN, OUT_BOLD, OUT_GREEN, OUT_YELLOW, OUT_RED };
const char *out_colour(enum out_colour c);

#endif
