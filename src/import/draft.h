/* What a converter makes of somebody's text: rows to be stored, and what whoever imports is to know about them. */
#ifndef IMPORT_DRAFT_H
#define IMPORT_DRAFT_H
#include "base/json.h"

struct draft {
	struct arena *arena;            /* owns all that follows */
	struct json_object *rows;       /* array of objects: columns by name, as POST /api/directory takes them */
	/* Array of {"at": text, "what": text, "lost": bool}: where in the source, what was left out or changed and why.
	 * lost: a row is missing because of it, or does less than its source. What is said of many places stands once:
	 * "at" names the first DRAFT_PLACES_MAX of them, "count" (absent: 1) says how many there are. */
	struct json_object *notes;
	struct json_object *causes;     /* object: text of a note → the note, to find it */
	/* Object: name of a variable → what is to stand there, in words. The lines for the secrets file. */
	struct json_object *secrets;
};

enum { DRAFT_PLACES_MAX = 3 };          /* named in one note */

void draft_init(struct draft *d, struct arena *a);
void draft_note(struct draft *d, const char *at, bool lost, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* The text of the first who asks for a name stays. */
void draft_secret(struct draft *d, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Text for a target's path or query: percent-encodes what may not stand there (white space, controls, \ and the like,
 * above ASCII) and the "$" of a slot. */
void draft_url(struct buf *out, struct str text);
/* A docstring line by line: `# LABEL: text`, the text on one line and cut at DRAFT_LINE_MAX bytes. Nothing when it is
 * blank. */
enum { DRAFT_LINE_MAX = 1000 };
void draft_line(struct buf *content, const char *label, struct str text);
/* The line EX of a call and the column `examples` for the arguments values[n]: a string, or an array when one of them
 * holds a "|". n 0 is the empty string. Returns the column, a new array. */
struct json_object *draft_example(struct buf *content, const char *key, const struct str *value, size_t n);

#endif
