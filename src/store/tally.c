/* A small table in shared memory under one lock, held for a search through it and nothing else. What is told, and how,
 * is its callers'. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/log.h"
#include "store/tally.h"

void tally_init(struct tally *t)
{
	pthread_mutexattr_t a;

	if (pthread_mutexattr_init(&a) || pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED) ||
	    pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST) || pthread_mutex_init(&t->lock, &a))
		log_fatal("no lock that processes can share");
	pthread_mutexattr_destroy(&a);
}

/* Killed half-way, a holder leaves a count or a name that is at worst wrong by one event. */
static void lock(struct tally *t)
{
	int rc = pthread_mutex_lock(&t->lock);

	if (rc == EOWNERDEAD)
		rc = pthread_mutex_consistent(&t->lock);
	if (rc)
		log_fatal("tally: %s", strerror(rc));
}

static struct tally_slot *find(struct tally *t, const char *name)
{
	for (struct tally_slot *s = t->slot; s < t->slot + TALLY_SLOTS; s++)
		if (strncmp(s->name, name, TALLY_NAME - 1) == 0)
			return s;
	return NULL;
}

/* Free, or of a name that has nothing to remember. */
static struct tally_slot *take(struct tally *t, const char *name, int64_t now_us)
{
	for (struct tally_slot *s = t->slot; s < t->slot + TALLY_SLOTS; s++) {
		int64_t ms = (now_us - s->told_us) / 1000;

		if (s->name[0] && ms < (s->left_out ? TALLY_FORGET_MS : TALLY_MS))
			continue;
		*s = (struct tally_slot){ .told_us = now_us - TALLY_MS * 1000 };
		snprintf(s->name, sizeof(s->name), "%s", name);
		return s;
	}
	return NULL;
}

static int64_t event(struct tally_slot *s, int64_t now_us, int64_t *wait_ms)
{
	int64_t ms = (now_us - s->told_us) / 1000, n = s->left_out + 1;

	if (ms >= TALLY_MS) {
		s->told_us = now_us;
		s->left_out = 0;
		return n;
	}
	if (s->left_out++ == 0)
		*wait_ms = TALLY_MS - ms;
	return 0;
}

int64_t tally_event(struct tally *t, const char *name, int64_t now_us, int64_t *wait_ms)
{
	struct tally_slot *s;
	int64_t n;

	*wait_ms = 0;
	lock(t);
	s = find(t, name);
	if (!s)
		s = take(t, name, now_us);
	n = s ? event(s, now_us, wait_ms) : 0;
	pthread_mutex_unlock(&t->lock);
	return n;
}

int64_t tally_rest(struct tally *t, const char *name, int64_t now_us)
{
	struct tally_slot *s;
	int64_t n = 0;

	lock(t);
	s = find(t, name);
	if (s && (now_us - s->told_us) / 1000 >= TALLY_MS) {
		n = s->left_out;
		s->left_out = 0;
		if (n)
			s->told_us = now_us;
	}
	pthread_mutex_unlock(&t->lock);
	return n;
}
