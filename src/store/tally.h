/* Events that are told at most once a second for each name, counted over all processes of the service: whoever comes
 * first in a second tells it, those behind are counted for the next one who tells. */
#ifndef STORE_TALLY_H
#define STORE_TALLY_H
#include <pthread.h>
#include <stdint.h>

enum {
	TALLY_SLOTS = 256,              /* names remembered; an event of one more is neither told nor counted */
	TALLY_NAME = 160,               /* bytes with NUL; longer names are the same when they begin alike */
	TALLY_MS = 1000,
	TALLY_FORGET_MS = 60 * 1000,    /* then a name that still has a count, because its process ended, may go */
};

struct tally_slot {
	char name[TALLY_NAME];          /* "": free */
	int64_t told_us;                /* monotonic */
	int64_t left_out;               /* since then */
};

/* In memory that the processes share. The lock survives its holder's end. */
struct tally {
	pthread_mutex_t lock;
	struct tally_slot slot[TALLY_SLOTS];
};

void tally_init(struct tally *t);
/* An event at now_us. > 0: tell it now, as so many. 0: it was left out; *wait_ms > 0 for the first one left out, who
 * is to call tally_rest in so many milliseconds, else 0. */
int64_t tally_event(struct tally *t, const char *name, int64_t now_us, int64_t *wait_ms);
/* For the one who was to come back: > 0: tell so many. 0: others have told them. */
int64_t tally_rest(struct tally *t, const char *name, int64_t now_us);

#endif
