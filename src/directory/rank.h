/* Rows for a question in plain words, best first: the words of rows, and the words of earlier questions that led to a
 * successful call. Reads the full-text tables of both files; keeps nothing. */
#ifndef DIRECTORY_RANK_H
#define DIRECTORY_RANK_H
#include "directory/directory.h"

enum {
	RANK_QUESTION_MAX = 4096,       /* bytes of a question that count */
	RANK_WORDS_MAX = 32,            /* different words of a question that count */
	RANK_WORK_MAX = 8000,           /* places of words that are looked at in either file for one question, about */
	RANK_LEARNED_SHIFT = 20,        /* learned.n is the row's identity shifted by this, and a number */
};

struct rank_query {
	struct str text;                /* anything; never read as a query language */
	struct str category;            /* p NULL: any; else exactly this one */
	struct directory_reader reader;
	bool planner;                   /* without the rows that planners do not see */
};

struct rank_match {
	struct str key;                 /* the arena's */
	size_t index;                   /* in directory_items */
	double score;                   /* greater is better; comparable within one answer alone */
};

/* Fills out with at most max rows that have something of the question. Rows that are disabled, that the reader may not
 * see or that are of another category neither appear nor weigh in how rare a word is. Returns how many, or -1 with why
 * 503. Does not suspend. */
int rank_rows(struct directory *d, struct arena *a, const struct rank_query *q, struct rank_match *out, unsigned max,
	struct problem *why);

enum { RANK_CATEGORIES_MAX = 6 };
struct rank_category { struct str name; int64_t rows; };
/* The categories of the same rows, those whose name is near a word of the question first, then the largest. Returns how
 * many. */
unsigned rank_categories(struct directory *d, struct arena *a, const struct rank_query *q,
	struct rank_category out[RANK_CATEGORIES_MAX]);

#endif
