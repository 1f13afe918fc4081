/* A length-counted view of bytes it does not own. Text in this program is UTF-8 and may hold NUL. */
#ifndef BASE_STR_H
#define BASE_STR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str {
	const char *p;          /* NULL: absent (as against empty) */
	size_t n;
};

struct str str_of(const char *s);               /* NULL gives {NULL, 0} */
struct str str_make(const char *p, size_t n);
bool str_eq(struct str a, struct str b);        /* bytes alone: absent equals empty */
bool str_is(struct str a, const char *s);
bool str_starts(struct str a, const char *prefix);
/* The same whatever the case of ASCII letters in either. */
bool str_eq_fold(struct str a, struct str b);
bool str_is_fold(struct str a, const char *s);
bool str_starts_fold(struct str a, const char *prefix);
struct str str_trim(struct str a);              /* ASCII white space at both ends */
struct str str_skip(struct str a, size_t n);    /* without its first n bytes */
/* The piece of *rest before the first `sep`; *rest becomes what follows it, p NULL when that was the last piece. */
struct str str_cut(struct str *rest, char sep);
/* Position of `needle` in `a`, or -1. */
long str_find(struct str a, struct str needle);
long str_find_fold(struct str a, struct str needle);
/* How many bytes at the end of `a` are a beginning of `whole`, but not all of it: the most that are. */
size_t str_overlap(struct str a, struct str whole);
/* Edit distance in bytes (insertions, deletions, replacements), or max + 1 when it is more than max. Only the first
 * STR_DISTANCE_MAX bytes are looked at; for suggestions such as "did you mean". */
enum { STR_DISTANCE_MAX = 64 };
size_t str_distance(struct str a, struct str b, size_t max);

#endif
