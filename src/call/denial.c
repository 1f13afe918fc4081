/* Denials, recorded with measure. What is denied is the gate's to decide. */
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "call/denial.h"
#include "call/receipt.h"
#include "loop/fiber.h"
#include "loop/loop.h"

enum { PENDING_MAX = 64 };              /* counts that this process is to record; more wait for the next denial */

/* Denials of a credential and a reason that were left out, to be recorded when their second is over. */
struct pending {
	char name[TALLY_NAME];
	struct receipt first;
	struct loop_timer timer;
	bool used;
};

static struct pending pending[PENDING_MAX];

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
	struct pending *p = arg;
	struct receipt r = p->first;
	int64_t count = tally_rest(&dispatch_context()->shared->denials, p->name, clock_mono_us());

	p->used = false;
	if (count)
		write_receipt(&r, count);
}

static void second_over(struct loop_timer *t)
{
	fiber_start(write_left_out, (char *)t - offsetof(struct pending, timer));
}

static void come_back(const char *name, const struct receipt *r, int64_t wait_ms)
{
	for (struct pending *p = pending; p < pending + PENDING_MAX; p++) {
		if (p->used)
			continue;
		*p = (struct pending){ .first = *r, .timer.fire = second_over, .used = true };
		snprintf(p->name, sizeof(p->name), "%s", name);
		loop_timer_set(&p->timer, wait_ms);
		return;
	}
}

static void fill(struct receipt *out, const struct dispatch_request *r, const struct entry *e, const char *reason)
{
	*out = (struct receipt){ .status = "denied" };
	receipt_of_call(out, r, e);
	snprintf(out->reason, sizeof(out->reason), "%s", reason);
}

void denial_record(const struct dispatch_request *r, const struct entry *e, const char *reason)
{
	struct shared *shared = dispatch_context()->shared;
	char name[TALLY_NAME];
	struct receipt receipt;
	int64_t count, wait_ms;

	if (r->caller->kind == CALLER_ANONYMOUS) {
		shared_count(shared, COUNT_DENIED_ANONYMOUS, 1);
		return;
	}
	/* The code alone: what stands behind its ":" varies. */
	snprintf(name, sizeof(name), "%s %.*s", r->caller->actor, (int)strcspn(reason, ":"), reason);
	count = tally_event(&shared->denials, name, clock_mono_us(), &wait_ms);
	fill(&receipt, r, e, reason);
	if (count)
		write_receipt(&receipt, count);
	else if (wait_ms)
		come_back(name, &receipt, wait_ms);
}
