/* Denials, recorded with measure. What is denied is the gate's to decide. */
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "call/denial.h"
#include "call/receipt.h"
#include "loop/fiber.h"
#include "loop/loop.h"

enum {
	DENIAL_SLOTS = 64,              /* credentials and reasons remembered; more at once are counted, not recorded */
	DENIAL_EVERY_MS = 1000,
};

/* A credential and a reason (its code, without what stands behind ":"). */
struct slot {
	char actor[96], code[64];
	int64_t last_us;
	int64_t left_out;               /* since the last receipt */
	struct receipt last;            /* the latest of those left out */
	struct loop_timer timer;        /* runs while left_out */
};

static struct slot slots[DENIAL_SLOTS];

static void write_receipt(struct receipt *r, int64_t count)
{
	struct arena *a = arena_new();
	struct write *w = write_new(a, SQL_LEDGER);
	struct problem why = { 0 };
	char now[CLOCK_ISO];

	receipt_new_id("inv_", r->id);
	clock_iso(clock_ms(), now);
	memcpy(r->time, now, sizeof(now));
	r->count = count;
	receipt_add(w, r, 0);
	if (write_submit(w, &why) < 0)
		log_warn("a denial could not be recorded: %s", why.error);
	else
		shared_count(dispatch_context()->shared, COUNT_RECEIPTS, 1);
	arena_free(a);
}

static void write_left_out(void *arg)
{
	struct slot *s = arg;
	struct receipt r = s->last;
	int64_t count = s->left_out;

	s->left_out = 0;
	s->last_us = clock_mono_us();
	write_receipt(&r, count);
}

static void second_over(struct loop_timer *t)
{
	struct slot *s = (struct slot *)(void *)((char *)t - offsetof(struct slot, timer));

	fiber_start(write_left_out, s);
}

/* The slot of actor and code: its own, else one that is not needed any more. NULL: none. */
static struct slot *find_slot(const char *actor, const char *code, int64_t now)
{
	struct slot *unused = NULL;

	for (struct slot *s = slots; s < slots + DENIAL_SLOTS; s++) {
		if (strcmp(s->actor, actor) == 0 && strcmp(s->code, code) == 0)
			return s;
		if (!unused && !s->left_out && now - s->last_us >= DENIAL_EVERY_MS * 1000)
			unused = s;
	}
	if (!unused)
		return NULL;
	*unused = (struct slot){ .timer.fire = second_over, .last_us = now - DENIAL_EVERY_MS * 1000 };
	snprintf(unused->actor, sizeof(unused->actor), "%s", actor);
	snprintf(unused->code, sizeof(unused->code), "%s", code);
	return unused;
}

static void fill(struct receipt *out, const struct dispatch_request *r, const struct entry *e, const char *reason)
{
	*out = (struct receipt){ .status = "denied", .sensitive = e->sensitive };
	snprintf(out->key, sizeof(out->key), "%.*s", (int)e->key.n, e->key.p);
	snprintf(out->runner, sizeof(out->runner), "%s", row_runner(&e->row));
	snprintf(out->actor, sizeof(out->actor), "%s", r->caller->actor);
	snprintf(out->trace, sizeof(out->trace), "%s", r->trace->id);
	snprintf(out->parent, sizeof(out->parent), "%s", r->parent ? r->parent : "");
	snprintf(out->reason, sizeof(out->reason), "%s", reason);
	memcpy(out->contract, e->digest, sizeof(out->contract));
}

void denial_record(const struct dispatch_request *r, const struct entry *e, const char *reason)
{
	int64_t now = clock_mono_us();
	char code[sizeof(slots->code)];
	struct receipt receipt;
	struct slot *s;

	if (r->caller->kind == CALLER_ANONYMOUS) {
		shared_count(dispatch_context()->shared, COUNT_DENIED_ANONYMOUS, 1);
		return;
	}
	snprintf(code, sizeof(code), "%.*s", (int)strcspn(reason, ":"), reason);
	s = find_slot(r->caller->actor, code, now);
	if (!s)
		return;
	fill(&receipt, r, e, reason);
	if (!s->left_out && now - s->last_us >= DENIAL_EVERY_MS * 1000) {
		s->last_us = now;
		write_receipt(&receipt, 1);
		return;
	}
	s->last = receipt;
	if (!s->left_out++)
		loop_timer_set(&s->timer, DENIAL_EVERY_MS - (now - s->last_us) / 1000);
}
