/* The documentation in `content`: leading and trailing runs of `#` lines (and the blank lines within those runs).
 *
 * Lines end with LF or CR LF. A line is documentation when its first non-blank byte (blank: ASCII white space) is "#"
 * and no payload line stands before it, or none behind it; a "#" line between payload lines is payload. The payload
 * is everything from the first payload line to the last, without blank lines before and behind it and without the
 * last line's end: `# WHAT: x`, empty line, `hi`, end of line gives `hi`.
 *
 * A documentation line begins a label when, behind the "#" and blanks, a label's word stands with ":" behind it (any
 * case, blanks before the colon allowed) or in upper case with a blank or the line's end behind it. Lines behind it
 * continue the label, up to the next label or an empty line; but EXAMPLE, SAFE and IDEMPOTENT, once they have a text,
 * are continued only by lines indented by two or more blanks (or a tab) behind the "#". A label that stands several
 * times has all its texts, joined with "\n": so each line of EXAMPLE is an example. When WHAT is missing or empty it
 * is the first line that belongs to no label, with the indented lines behind it. */
#ifndef LANG_DOCSTRING_H
#define LANG_DOCSTRING_H
#include "base/buf.h"

enum docstring_label {
	DOC_WHAT, DOC_WHEN_TO_USE, DOC_INPUT, DOC_ARGS, DOC_OUTPUT, DOC_PRECONDITIONS, DOC_EFFECTS, DOC_POSTCONDITIONS,
	DOC_SAFE, DOC_IDEMPOTENT, DOC_EXAMPLE, DOC_N
};

struct docstring {
	struct str label[DOC_N];        /* each label's lines, trimmed, joined with "\n"; p NULL when absent */
	struct str text;                /* documentation lines without "#" and one space, "\n"-joined; never NULL */
	struct str payload;             /* `content` without the documentation, as executed; never NULL */
	unsigned line;                  /* of content, from 1, on which the payload begins */
};

/* EX is EXAMPLE. Memory is the arena's; every text is NUL-terminated behind its bytes. An absent content (p NULL) is
 * an empty one. */
void docstring_parse(struct arena *a, struct str content, struct docstring *out);
/* SAFE / IDEMPOTENT as a value, from the first word of each of its lines: 0 when one says no, n, false or 0; else 1
 * when one says yes, y, true or 1; else -1: not said. */
int docstring_flag(const struct docstring *d, enum docstring_label l);

#endif
