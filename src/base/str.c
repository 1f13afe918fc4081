/* Views of bytes: comparing, cutting, searching. Nothing here allocates. */
#include <string.h>
#include "base/ascii.h"
#include "base/str.h"

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

struct str str_of(const char *s)
{
	return (struct str){ s, s ? strlen(s) : 0 };
}

struct str str_make(const char *p, size_t n)
{
	return (struct str){ p, n };
}

bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool str_is(struct str a, const char *s)
{
	return str_eq(a, str_of(s));
}

bool str_starts(struct str a, const char *prefix)
{
	size_t n = strlen(prefix);

	return a.n >= n && (n == 0 || memcmp(a.p, prefix, n) == 0);
}

bool str_eq_fold(struct str a, struct str b)
{
	size_t i = 0;

	while (i < a.n && i < b.n && ascii_lower(a.p[i]) == ascii_lower(b.p[i]))
		i++;
	return i == a.n && i == b.n;
}

bool str_is_fold(struct str a, const char *s)
{
	return str_eq_fold(a, str_of(s));
}

bool str_starts_fold(struct str a, const char *prefix)
{
	size_t n = strlen(prefix);

	return a.n >= n && str_is_fold(str_make(a.p, n), prefix);
}

struct str str_trim(struct str a)
{
	while (a.n && is_space(a.p[0])) {
		a.p++;
		a.n--;
	}
	while (a.n && is_space(a.p[a.n - 1]))
		a.n--;
	return a;
}

struct str str_skip(struct str a, size_t n)
{
	if (n > a.n)
		n = a.n;
	if (!n)
		return a;
	return (struct str){ a.p + n, a.n - n };
}

struct str str_cut(struct str *rest, char sep)
{
	struct str piece = *rest;
	const char *at = rest->n ? memchr(rest->p, sep, rest->n) : NULL;

	if (at) {
		piece.n = (size_t)(at - rest->p);
		*rest = str_skip(*rest, piece.n + 1);
	} else {
		*rest = (struct str){ NULL, 0 };
	}
	return piece;
}

long str_find(struct str a, struct str needle)
{
	const char *at;

	if (!needle.n)
		return 0;
	if (!a.n)
		return -1;
	at = memmem(a.p, a.n, needle.p, needle.n);
	return at ? (long)(at - a.p) : -1;
}

long str_find_fold(struct str a, struct str needle)
{
	for (size_t i = 0; i + needle.n <= a.n; i++)
		if (str_eq_fold(str_make(a.p + i, needle.n), needle))
			return (long)i;
	return needle.n ? -1 : 0;
}

size_t str_overlap(struct str a, struct str whole)
{
	size_t n = whole.n ? whole.n - 1 : 0;

	if (n > a.n)
		n = a.n;
	while (n && memcmp(a.p + a.n - n, whole.p, n))
		n--;
	return n;
}

static size_t least(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

size_t str_distance(struct str a, struct str b, size_t max)
{
	unsigned char row[STR_DISTANCE_MAX + 1];

	if (a.n > STR_DISTANCE_MAX)
		a.n = STR_DISTANCE_MAX;
	if (b.n > STR_DISTANCE_MAX)
		b.n = STR_DISTANCE_MAX;
	if ((a.n > b.n ? a.n - b.n : b.n - a.n) > max)
		return max + 1;
	for (size_t j = 0; j <= b.n; j++)
		row[j] = (unsigned char)j;
	for (size_t i = 1; i <= a.n; i++) {
		size_t diagonal = row[0];

		row[0] = (unsigned char)i;
		for (size_t j = 1; j <= b.n; j++) {
			size_t above = row[j];

			row[j] = (unsigned char)least(above + 1, row[j - 1] + 1u,
			                              diagonal + (a.p[i - 1] != b.p[j - 1]));
			diagonal = above;
		}
	}
	return row[b.n] > max ? max + 1 : row[b.n];
}
