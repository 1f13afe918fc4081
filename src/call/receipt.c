/* Receipts as records and as JSON. When one is due, and what goes into it, is dispatch's to say. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "base/escape.h"
#include "base/json.h"
#include "call/dispatch.h"
#include "call/receipt.h"

void receipt_new_id(const char *prefix, char out[RECEIPT_ID])
{
	size_t n = strlen(prefix);

	memcpy(out, prefix, n);
	crypto_id(clock_ms(), out + n);
}

/* "inv_…", canonical. */
static bool is_id(struct str s)
{
	return str_starts(s, "inv_") && crypto_is_id(str_skip(s, 4));
}

/* Writing */

void receipt_text(char *out, size_t size, struct str s)
{
	size_t n = s.p ? escape_cut(s, size - 1) : 0;

	if (n)
		memcpy(out, s.p, n);
	out[n] = 0;
}

void receipt_of_call(struct receipt *p, const struct dispatch_request *r, const struct entry *e)
{
	receipt_text(p->key, sizeof(p->key), e->key);
	receipt_text(p->runner, sizeof(p->runner), str_of(row_runner(&e->row)));
	receipt_text(p->actor, sizeof(p->actor), str_of(r->caller->actor));
	receipt_text(p->trace, sizeof(p->trace), str_of(r->trace->id));
	receipt_text(p->parent, sizeof(p->parent), str_of(r->parent));
	memcpy(p->contract, e->digest, sizeof(p->contract));
	p->sensitive = e->sensitive;
}

static const char *or_null(const char *s)
{
	return *s ? s : NULL;
}

static struct str kept(struct str s, int64_t max, bool *cut)
{
	size_t n = s.p ? escape_cut(s, (size_t)max) : 0;

	*cut = s.p && n < s.n;
	return s.p ? str_make(s.p, n) : s;
}

void receipt_add(struct write *w, const struct receipt *r, int64_t max_payload)
{
	bool input_cut, output_cut;
	struct str input = kept(r->input_text, max_payload, &input_cut);
	struct str output = kept(r->output_text, max_payload, &output_cut);

	write_add(w, SQL_RECEIPT_ADD, "tttttttiiiitttttissittii", r->id, r->time, r->key, r->runner, r->actor, r->status,
		  or_null(r->reason), (int64_t)r->ok, (int64_t)r->material, r->spent.microusd, r->duration_us, r->trace,
		  or_null(r->parent), or_null(r->input), or_null(r->output), or_null(r->contract),
		  (int64_t)r->sensitive, r->on_behalf_of, r->authorized_by, r->count, or_null(r->replays),
		  or_null(r->repairs), r->spent.tokens_in, r->spent.tokens_out);
	if (max_payload > 0 && (input.p || output.p))
		write_add(w, SQL_PAYLOAD_ADD, "tstsiii", r->id, input, or_null(r->input_form), output,
			  (int64_t)r->input_redacted, (int64_t)input_cut, (int64_t)output_cut);
	write_proof(w, SQL_RECEIPT_APPLIED, "t", r->id);
}

void receipt_intent_add(struct write *w, const struct receipt *r, int64_t max_payload)
{
	bool cut;
	struct str input = kept(r->input_text, max_payload, &cut);

	if (max_payload <= 0)
		input = str_make(NULL, 0);
	write_add(w, SQL_INTENT_ADD, "tttttttttissstiitt", r->id, r->time, r->key, r->runner, r->actor, r->trace,
		  or_null(r->parent), or_null(r->input), or_null(r->contract), (int64_t)r->sensitive, r->on_behalf_of,
		  r->authorized_by, input, or_null(r->input_form), (int64_t)r->input_redacted, (int64_t)cut,
		  or_null(r->replays), or_null(r->repairs));
	write_proof(w, SQL_INTENT_APPLIED, "t", r->id);
}

/* Reading */

#define TAKE(field, column) receipt_text(r->field, sizeof(r->field), db_text(s, column))

/* From a statement whose columns are RECEIPT_COLUMNS. */
static void from_stmt(struct arena *a, struct db_stmt *s, struct receipt *r)
{
	*r = (struct receipt){ .n = db_int(s, 0) };
	TAKE(id, 1);
	TAKE(time, 2);
	TAKE(key, 3);
	TAKE(runner, 4);
	TAKE(actor, 5);
	TAKE(status, 6);
	TAKE(reason, 7);
	r->ok = db_int(s, 8);
	r->material = db_int(s, 9);
	r->spent.microusd = db_int(s, 10);
	r->duration_us = db_int(s, 11);
	TAKE(trace, 12);
	TAKE(parent, 13);
	TAKE(input, 14);
	TAKE(output, 15);
	TAKE(contract, 16);
	r->sensitive = db_int(s, 17);
	r->on_behalf_of = arena_copy(a, db_text(s, 18));
	r->authorized_by = arena_copy(a, db_text(s, 19));
	r->count = db_int(s, 20);
	TAKE(replays, 21);
	TAKE(repairs, 22);
	r->spent.tokens_in = db_int(s, 23);
	r->spent.tokens_out = db_int(s, 24);
	TAKE(repaired_by, 25);
}

bool receipt_is_open_to(const struct receipt *r, const struct caller *c)
{
	if (c->low_risk && r->sensitive)
		return false;
	return c->kind == CALLER_OWNER || (c->kind == CALLER_TOKEN && strcmp(r->actor, c->actor) == 0);
}

static int unreadable(struct problem *why)
{
	return problem_unavailable(why, "ledger.db cannot be read");
}

static int read_payload(struct db *db, struct arena *a, struct receipt *r)
{
	struct db_stmt *s = db_start(db, SQL_PAYLOAD_GET, "i", r->n);
	int got = db_step(s);

	if (got == 1) {
		r->input_text = arena_copy(a, db_text(s, 0));
		TAKE(input_form, 1);
		r->output_text = arena_copy(a, db_text(s, 2));
		r->input_redacted = db_int(s, 3);
		r->input_cut = db_int(s, 4);
		r->output_cut = db_int(s, 5);
	}
	db_end(s);
	return got;
}

int receipt_get(struct directory *d, struct arena *a, struct str id, bool payload, struct receipt *out,
	struct problem *why)
{
	struct db *db = directory_ledger(d);
	struct db_stmt *s;
	int got;

	if (!is_id(id))
		return 0;
	s = db_start(db, SQL_RECEIPT_GET, "s", id);
	got = db_step(s);
	if (got == 1)
		from_stmt(a, s, out);
	db_end(s);
	if (got < 0 || (got == 1 && payload && read_payload(db, a, out) < 0))
		return unreadable(why);
	return got;
}

/* JSON */

static void put_link(struct json_object *o, const char *name, const char *base_url, const char *path, const char *id)
{
	struct buf b = BUF_MALLOC;

	buf_printf(&b, "%s%s%s", base_url, path, id);
	json_put_text(o, name, buf_text(&b));
	buf_free(&b);
}

static struct json_object *number(double v)
{
	return v == (double)(int64_t)v ? json_object_new_int64((int64_t)v) : json_object_new_double(v);
}

static struct json_object *fingerprints(const struct receipt *r, bool all)
{
	struct json_object *o = json_object_new_object();

	json_put_text(o, "algorithm", "sha-256");
	if (all) {
		json_put_text(o, "input", or_null(r->input));
		json_put_text(o, "output", or_null(r->output));
	}
	json_put_text(o, "contract", or_null(r->contract));
	return o;
}

static struct json_object *build(const struct receipt *r, const char *base_url, bool all)
{
	struct json_object *o = json_object_new_object();

	json_put_bool(o, "confirmed", true);
	json_put_text(o, "status", r->material ? "PROVEN_MATERIAL_RESULT" : "PROVEN_ATTEMPT_NO_MATERIAL_RESULT");
	json_put_text(o, "invocation_id", r->id);
	json_put_text(o, "key", r->key);
	json_put_text(o, "runner", r->runner);
	json_put_text(o, "actor", r->actor);
	json_put_text(o, "time", r->time);
	json_put_text(o, "trace", r->trace);
	json_put_text(o, "parent", or_null(r->parent));
	json_put_text(o, "replays", or_null(r->replays));
	json_put_text(o, "repairs", or_null(r->repairs));
	json_put_text(o, "repaired_by", or_null(r->repaired_by));
	json_put_text(o, "outcome", r->status);
	json_put_text(o, "reason", or_null(r->reason));
	json_put_bool(o, "ok", r->ok);
	json_put_bool(o, "material", r->material);
	json_put(o, "cost_usd", number((double)r->spent.microusd / 1e6));
	if (r->spent.tokens_in || r->spent.tokens_out) {
		json_put_int(o, "tokens_in", r->spent.tokens_in);
		json_put_int(o, "tokens_out", r->spent.tokens_out);
	}
	json_put(o, "duration_ms", number((double)r->duration_us / 1e3));
	json_put_text(o, "risk", r->sensitive ? "high" : "low");
	if (r->count > 1)
		json_put_int(o, "count", r->count);
	json_put(o, "fingerprints", fingerprints(r, all || !r->sensitive));
	put_link(o, "public_receipt", base_url, "/receipt/", r->id);
	put_link(o, "confirm", base_url, "/api/dispatch?confirm=", r->id);
	return o;
}

struct json_object *receipt_public(const struct receipt *r, const char *base_url)
{
	return build(r, base_url, false);
}

struct json_object *receipt_full(const struct receipt *r, const char *base_url)
{
	struct json_object *o = build(r, base_url, true);

	json_put_str(o, "on_behalf_of", r->on_behalf_of);
	json_put_str(o, "authorized_by", r->authorized_by);
	if (!r->input_text.p && !r->output_text.p)
		return o;
	json_put_str(o, "input", r->input_text);
	json_put_text(o, "input_form", or_null(r->input_form));
	json_put_str(o, "output", r->output_text);
	json_put_bool(o, "input_redacted", r->input_redacted);
	json_put_bool(o, "input_cut", r->input_cut);
	json_put_bool(o, "output_cut", r->output_cut);
	return o;
}

struct json_object *receipt_none(struct str id)
{
	struct json_object *o = json_object_new_object();

	json_put_bool(o, "confirmed", false);
	json_put_text(o, "error", "not_found");
	json_put_str(o, "invocation_id", id);
	return o;
}

/* Lists */

/* The first n whose time may be at or behind `since`. Receipts are numbered in the order of their commits, and their
 * times follow that order but for the moment between taking the time and the commit, hence the margin; each row's
 * own time is compared afterwards. */
static int first_since(struct db *db, int64_t since_ms, int64_t *n)
{
	enum { MARGIN_MS = 60 * 1000 };
	int64_t low = 1, high, middle;
	char limit[CLOCK_ISO];
	bool found;

	clock_iso(since_ms - MARGIN_MS, limit);
	if (db_one_int(db, SQL_RECEIPT_LAST, &high, &found, "") < 0)
		return -1;
	while (low < high) {
		struct db_stmt *s;
		bool before;

		middle = low + (high - low) / 2;
		s = db_start(db, SQL_RECEIPT_TIME, "i", middle);
		if (db_step(s) < 0) {
			db_end(s);
			return -1;
		}
		before = db_text(s, 0).p && strcmp(db_text(s, 0).p, limit) < 0;
		db_end(s);
		if (before)
			low = middle + 1;
		else
			high = middle;
	}
	*n = low;
	return 0;
}

struct page { struct str key, trace, actor, since; int64_t before, from; unsigned limit; };

static int parse_number(struct str s, int64_t *out)
{
	if (!s.n || s.n > 18)
		return -1;
	*out = 0;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return -1;
		*out = *out * 10 + (s.p[i] - '0');
	}
	return 0;
}

static int read_filter(struct db *db, struct arena *a, const struct receipt_filter *f, struct page *p,
	struct problem *why)
{
	int64_t ms;
	char iso[CLOCK_ISO];

	*p = (struct page){
		.key = f->key, .trace = f->trace, .actor = f->actor, .before = INT64_MAX,
		.limit = f->limit ? f->limit : RECEIPT_LIMIT,
	};
	if (p->limit > RECEIPT_LIMIT_MAX) {
		problem_set(why, 400, "bad_limit");
		problem_detail(why, "limit is at most %d", RECEIPT_LIMIT_MAX);
		return -1;
	}
	if (f->cursor.p && parse_number(f->cursor, &p->before) < 0) {
		problem_set(why, 400, "bad_cursor");
		problem_detail(why, "a cursor is what the page before gave");
		return -1;
	}
	if (!f->since.p)
		return 0;
	if (clock_parse(f->since, &ms) < 0) {
		problem_set(why, 400, "bad_since");
		problem_detail(why, "since is a time like 2026-07-26T04:36:19Z");
		return -1;
	}
	clock_iso(ms, iso);
	p->since = arena_copy(a, str_of(iso));
	return first_since(db, ms, &p->from) < 0 ? unreadable(why) : 0;
}

/* The list whose index finds least. */
static enum sql_id list_of(const struct page *p)
{
	if (p->trace.p)
		return SQL_RECEIPTS_OF_TRACE;
	if (p->key.p)
		return SQL_RECEIPTS_OF_KEY;
	return p->actor.p ? SQL_RECEIPTS_OF_ACTOR : SQL_RECEIPTS;
}

static int read_page(struct db *db, struct arena *a, const struct page *p, const char *base_url,
	struct json_object *out)
{
	struct db_stmt *s = db_start(db, list_of(p), "ssssiii", p->key, p->trace, p->actor, p->since, p->before,
		(int64_t)p->limit + 1, p->from);
	struct json_object *rows = json_object_new_array();
	struct receipt r = { .n = 0 };
	unsigned n = 0;
	int64_t last = 0;
	int got;

	while ((got = db_step(s)) == 1 && n < p->limit) {
		from_stmt(a, s, &r);
		json_object_array_add(rows, receipt_full(&r, base_url));
		last = r.n;
		n++;
	}
	db_end(s);
	json_put_int(out, "count", n);
	json_put(out, "rows", rows);
	json_put(out, "cursor", NULL);
	if (got == 1) {
		char cursor[24];

		snprintf(cursor, sizeof(cursor), "%" PRId64, last);
		json_put_text(out, "cursor", cursor);
	}
	return got < 0 ? -1 : 0;
}

int receipt_list(struct directory *d, struct arena *a, const struct receipt_filter *f, const char *own,
		 const char *base_url, struct json_object **out, struct problem *why)
{
	struct db *db = directory_ledger(d);
	struct page p;

	if (read_filter(db, a, f, &p, why) < 0)
		return -1;
	*out = arena_json(a, json_object_new_object());
	if (own && p.actor.p && !str_is(p.actor, own))
		p.before = 0;           /* of somebody else's receipts a caller sees none */
	if (own)
		p.actor = str_of(own);
	return read_page(db, a, &p, base_url, *out) < 0 ? unreadable(why) : 0;
}
