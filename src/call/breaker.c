/* The breaker's record is changed only by the writer; here it is read, and what has to be written is named. */
#include <stdio.h>
#include "base/clock.h"
#include "base/crypto.h"
#include "base/json.h"
#include "call/breaker.h"

struct record { int64_t failures, opened_at_ms, probe_until_ms; bool open; };

static int unreadable(struct problem *why)
{
	return problem_unavailable(why, "ledger.db cannot be read");
}

static void from_stmt(struct db_stmt *s, int first, struct record *r)
{
	r->failures = db_int(s, first);
	r->open = !db_is_null(s, first + 1);
	r->opened_at_ms = db_int(s, first + 1);
	r->probe_until_ms = db_int(s, first + 2);
}

/* 1 found, 0 none, -1. */
static int read_record(struct directory *d, struct str key, struct record *r)
{
	struct db_stmt *s = db_start(directory_ledger(d), SQL_BREAKER_GET, "s", key);
	int got = db_step(s);

	*r = (struct record){ .failures = 0 };
	if (got == 1)
		from_stmt(s, 0, r);
	db_end(s);
	return got;
}

static int claim(struct arena *a, struct str key, int64_t now, enum breaker_state *state, struct problem *why)
{
	struct write *w = write_new(a, SQL_LEDGER);
	struct problem refused = { 0 };

	*state = BREAKER_PROBE;
	write_add(w, SQL_BREAKER_CLAIM, "siii", key, now + BREAKER_LEASE_MS, now - BREAKER_OPEN_MS, now);
	write_proof(w, SQL_BREAKER_CLAIMED, "si", key, now + BREAKER_LEASE_MS);
	if (write_submit(w, &refused) == 0)
		return 0;
	*state = BREAKER_OPEN;          /* somebody else has it */
	if (refused.status == 409)
		return 0;
	if (why)
		*why = refused;
	return -1;
}

int breaker_check(struct directory *d, struct arena *a, struct str key, enum breaker_state *state, struct problem *why)
{
	struct record r;
	int64_t now = clock_ms();

	*state = BREAKER_CLOSED;
	if (read_record(d, key, &r) < 0)
		return unreadable(why);
	if (!r.open)
		return 0;
	*state = BREAKER_OPEN;
	if (now < r.opened_at_ms + BREAKER_OPEN_MS || now < r.probe_until_ms)
		return 0;
	return claim(a, key, now, state, why);
}

void breaker_note(struct write *w, struct str key, int status, bool probe)
{
	if (status == 401 || status == 403)
		write_add(w, SQL_BREAKER_FAILED, "si", key, clock_ms());
	else if (status > 0 && status < 400)
		write_add(w, SQL_BREAKER_CLOSED, "s", key);
	else if (probe)
		write_add(w, SQL_BREAKER_RELEASED, "s", key);
}

static void put_time(struct json_object *o, const char *name, bool known, int64_t ms)
{
	char iso[CLOCK_ISO];

	clock_iso(ms, iso);
	json_put_text(o, name, known ? iso : NULL);
}

static const char *state_name(const struct record *r, int64_t now)
{
	if (!r->open)
		return "closed";
	return now < r->opened_at_ms + BREAKER_OPEN_MS ? "open" : "half_open";
}

struct json_object *breaker_list(struct directory *d, struct arena *a, struct problem *why)
{
	struct db_stmt *s = db_start(directory_ledger(d), SQL_BREAKERS, "");
	struct json_object *list = arena_json(a, json_object_new_array());
	int64_t now = clock_ms();
	int got;

	while ((got = db_step(s)) == 1) {
		struct json_object *o = json_object_new_object();
		struct record r;

		from_stmt(s, 1, &r);
		json_put_str(o, "key", db_text(s, 0));
		json_put_int(o, "consecutive", r.failures);
		json_put_text(o, "state", state_name(&r, now));
		put_time(o, "opened_at", r.open, r.opened_at_ms);
		put_time(o, "retry_at", r.open, r.opened_at_ms + BREAKER_OPEN_MS);
		json_object_array_add(list, o);
	}
	db_end(s);
	if (got == 0)
		return list;
	unreadable(why);
	return NULL;
}

int breaker_reset(struct directory *d, struct arena *a, struct str key, const char *actor, const char *trace, bool *had,
	struct problem *why)
{
	struct record r;
	struct write *w;
	char id[CRYPTO_ID], event[40], now[CLOCK_ISO];
	int got = read_record(d, key, &r);

	*had = got == 1;
	if (got <= 0)
		return got < 0 ? unreadable(why) : 0;
	crypto_id(clock_ms(), id);
	snprintf(event, sizeof(event), "evt_%s", id);
	clock_iso(clock_ms(), now);
	w = write_new(a, SQL_LEDGER);
	write_add(w, SQL_BREAKER_CLOSED, "s", key);
	write_add(w, SQL_LEDGER_EVENT_ADD, "tttsttt", event, now, "BREAKER_RESET", key, actor, trace,
		  arena_printf(a, "{\"consecutive\":%lld,\"open\":%s}", (long long)r.failures,
			       r.open ? "true" : "false"));
	write_proof(w, SQL_LEDGER_EVENT_APPLIED, "t", event);
	return write_submit(w, why);
}
