/* Row keys: [A-Za-z_][A-Za-z0-9_]{0,63}; look-ups are exact. */
#ifndef LANG_KEY_H
#define LANG_KEY_H
#include "base/str.h"

enum {
	KEY_MAX = 64,
	KEY_DISTANCE_MAX = 16,          /* greatest max of key_distance */
	KEY_WANTED_MAX = 256,           /* a longer wanted text is near nothing: it would be searched for every key */
};

bool key_is_valid(struct str s);
/* Levenshtein distance of a and b in bytes, ASCII case folded, or max + 1 when it is greater than max. max over
 * KEY_DISTANCE_MAX is fatal. Looks only at the 2 * max + 1 diagonals that matter, so a comparison costs some hundred
 * steps. */
unsigned key_distance(struct str a, struct str b, unsigned max);
/* Rank for "did you mean": 0 equal but for case, 1 one contains the other (case folded), 2 + distance up to 3; -1
 * when not near. Empty is near nothing. */
int key_nearness(struct str wanted, struct str candidate);

#endif
