/* A curl command, as a browser or somebody's documentation has it, into a row. */
#ifndef IMPORT_COMMAND_H
#define IMPORT_COMMAND_H
#include "base/problem.h"
#include "import/draft.h"

enum { COMMAND_SLOTS_MAX = 64 };           /* arguments of the row that is made */

struct command_wishes {
	const char *key;                /* NULL: from host, path and method */
	const char *what;               /* the docstring's WHAT; NULL: method and URL in words */
	const char *category;           /* NULL: from the host */
	const struct str *fixed;        /* names of query parameters, members of the body, segments that stay as they are */
	size_t fixed_n;
	const struct str *slot;         /* names or segments that become arguments although they do not look like it */
	size_t slot_n;
};

/* The words of the command, with or without `curl` in front, as shell_words gives them. Values of the query, of a form
 * and of the top level of a JSON body, and path segments that look like an id (digits, hexadecimal, UUID) become
 * arguments, whose example is what stood there. Credentials (Authorization, Cookie, headers and parameters that look
 * like one, -u, user information in the URL) become names of variables, and d->secrets says what to put there; their
 * values are in no text of d or why. One row in d->rows. -1: 400 `bad_command` with what cannot be a row: an unknown
 * option, a file, a multipart form, two URLs, … */
int command_convert(struct draft *d, const struct str *word, size_t n, const struct command_wishes *wishes, struct problem *why);

#endif
