/* A command line as somebody copied it, into words: what a shell would do of it that is no execution. */
#ifndef IMPORT_SHELL_H
#define IMPORT_SHELL_H
#include "base/arena.h"
#include "base/problem.h"

enum { SHELL_WORDS_MAX = 1024 };

/* The words of the first command of text: '…', "…", $'…' (ANSI-C), backslashes, lines continued with "\", comments.
 * `$NAME` and `${NAME}` stay as they stand, as $NAME. A pipe or redirection behind the command is left, and *rest is
 * where it begins (p NULL: nothing is). Texts are the arena's. -1: 400 `bad_command`: a quote that is not closed, a
 * substitution of a command, cmd.exe's quoting, more than SHELL_WORDS_MAX words. */
int shell_words(struct arena *a, struct str text, struct str **word, size_t *n, struct str *rest, struct problem *why);

#endif
