/* Words of everyday English that are said for one another: who asks for a flight may mean a row that says airline. */
#ifndef DIRECTORY_RELATED_H
#define DIRECTORY_RELATED_H
#include "store/db.h"

enum { RELATED_MAX = 32 };

/* The stems of the words that stand in a group with this stem, each once, at most RELATED_MAX; they live as long as the
 * process. The groups are stemmed with the database's own tokenizer when they are first needed. Returns how many. */
unsigned related_stems(struct db *d, struct str stem, struct str out[RELATED_MAX]);

#endif
