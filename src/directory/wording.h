/* What a row says of itself, as the text that questions are compared with. The columns are those of the table
 * row_words. */
#ifndef DIRECTORY_WORDING_H
#define DIRECTORY_WORDING_H
#include "directory/row.h"

enum wording_column {
	WORDING_KEY, WORDING_WHAT, WORDING_WHEN_TO_USE, WORDING_ARGS, WORDING_EXAMPLES, WORDING_CATEGORY,
	WORDING_DESCRIPTION, WORDING_N
};

enum { WORDING_MAX = 8 * 1024 };        /* bytes of a column's text that count */

struct wording {
	struct str column[WORDING_N];   /* never NULL */
	struct str parts;               /* what is found by parts of words: name, first line, category */
};

/* Memory is the arena's. */
void wording_of(struct arena *a, const struct row *r, struct wording *out);
/* Which column a name of row_words means; WORDING_N: none. */
enum wording_column wording_column_of(struct str name);
/* Appends the text, runs of characters of scripts that do without blanks (Chinese, Japanese, Korean, Thai, Lao, Khmer,
 * Burmese) as overlapping pairs with blanks between, so that the tokenizer finds words in them. */
void wording_prepare(struct buf *out, struct str text);
/* 0: the word says nothing (an article, a pronoun, "please"). Less than 1: it stands in any request ("find", "help").
 * Else 1. English; the word in any case. */
double wording_weight(struct str word);

#endif
