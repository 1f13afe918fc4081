/* Row keys: what one looks like and how near two are. Which keys a caller may see is decided elsewhere. */
#include "base/ascii.h"
#include "base/log.h"
#include "lang/key.h"

enum { NEAR_DISTANCE = 3 };     /* spec section 4.2 */

bool key_is_valid(struct str s)
{
	if (s.n < 1 || s.n > KEY_MAX || ascii_is_digit(s.p[0]))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_is_word(s.p[i]))
			return false;
	return true;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* One row of the band, cell k being column i + k - max. Cells outside the text hold max + 1, which no sum makes
 * smaller. Returns the least cell. */
static unsigned band_row(unsigned *cell, struct str a, struct str b, size_t i, unsigned max)
{
	unsigned low = max + 1;

	for (unsigned k = 0; k <= 2 * max; k++) {
		size_t j = i + k;       /* column + max */
		unsigned v = max + 1;

		if (j >= max && j - max <= b.n) {
			j -= max;
			v = k < 2 * max ? least(v, cell[k + 1] + 1) : v;        /* a byte of a too many */
			v = k > 0 ? least(v, cell[k - 1] + 1) : v;              /* one of b too many */
			if (j == 0)
				v = least(v, (unsigned)i);
			else
				v = least(v, cell[k] + (ascii_lower(a.p[i - 1]) != ascii_lower(b.p[j - 1])));
		}
		cell[k] = v;
		low = least(low, v);
	}
	return low;
}

unsigned key_distance(struct str a, struct str b, unsigned max)
{
	unsigned cell[2 * KEY_DISTANCE_MAX + 1];

	if (max > KEY_DISTANCE_MAX)
		log_fatal("key: distance up to %u asked for", max);
	if ((a.n > b.n ? a.n - b.n : b.n - a.n) > max)
		return max + 1;
	for (unsigned k = 0; k <= 2 * max; k++)
		cell[k] = k >= max && k - max <= b.n ? k - max : max + 1;
	for (size_t i = 1; i <= a.n; i++)
		if (band_row(cell, a, b, i, max) > max)
			return max + 1;
	return least(cell[max + b.n - a.n], max + 1);
}

static struct str folded(struct str s, char out[KEY_WANTED_MAX])
{
	for (size_t i = 0; i < s.n; i++)
		out[i] = ascii_lower(s.p[i]);
	return str_make(out, s.n);
}

int key_nearness(struct str wanted, struct str candidate)
{
	char a[KEY_WANTED_MAX], b[KEY_WANTED_MAX];
	unsigned distance;

	if (!wanted.n || !candidate.n || wanted.n > KEY_WANTED_MAX || candidate.n > KEY_WANTED_MAX)
		return -1;
	wanted = folded(wanted, a);
	candidate = folded(candidate, b);
	if (str_eq(wanted, candidate))
		return 0;
	if (str_find(wanted, candidate) >= 0 || str_find(candidate, wanted) >= 0)
		return 1;
	distance = key_distance(wanted, candidate, NEAR_DISTANCE);
	return distance > NEAR_DISTANCE ? -1 : 2 + (int)distance;
}
