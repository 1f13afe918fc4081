/* The checks of audit.h, a table of them. Each takes the records of one statement in slices and says what is wrong with
 * one. What a check means is written in migrations/: the chains in 0008-events.sql and 0006-ledger-events.sql, digests in
 * 0009-contracts.sql and 0001-invocations.sql. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/arena.h"
#include "base/json.h"
#include "ctl/audit.h"
#include "ctl/audit_seal.h"
#include "directory/row.h"

enum { AUDIT_SLICE = 1000 };

struct run {
	struct audit *a;
	struct audit_check *check;
	struct db *db[SQL_FILES];
	struct arena *arena;            /* reset after each slice */
	struct audit_seals seals;
};

static const char *const file_names[SQL_FILES] = { [SQL_DIRECTORY] = "directory.db", [SQL_LEDGER] = "ledger.db" };

static void found(struct run *r, struct str id, const char *what)
{
	const struct audit_finding f = { r->check->file, r->check->name, id, what };

	r->check->bad++;
	r->a->bad++;
	r->a->found(r->a->ctx, &f);
}

static bool has_digest(struct str text, struct str digest)
{
	char hex[CRYPTO_HEX];

	crypto_sha256_hex(text, hex);
	return str_is(digest, hex);
}

/* Records: each function gets one that its statement has stepped to, and its name. */

static void contract_record(struct run *r, struct db_stmt *s, struct str id)
{
	if (!has_digest(db_text(s, 1), id))
		found(r, id, "`contract` does not have the digest that it is kept under");
}

/* 1 known, 0 not, -1 unreadable */
static int contract_known(struct run *r, struct str digest)
{
	int64_t one;
	bool known;

	return db_one_int(r->db[SQL_DIRECTORY], SQL_CONTRACT_KNOWN, &one, &known, "s", digest) < 0 ? -1 : known;
}

static void event_record(struct run *r, struct db_stmt *s, struct str id)
{
	for (int column = 10; column <= 11; column++)
		if (db_text(s, column).p && contract_known(r, db_text(s, column)) == 0)
			found(r, id, column == 10 ? "the contract of `contract_before` is missing" :
				"the contract of `contract_after` is missing");
}

/* The row as its columns are now, in the form of an event's image. */
static struct str image(struct run *r, struct db_stmt *s)
{
	struct json_object *o = json_object_new_object();
	struct buf b = BUF_ARENA(r->arena);

	for (int c = 0; c < ROW_N; c++)
		if (row_columns[c].number && !db_is_null(s, c))
			json_put_int(o, row_columns[c].name, db_int(s, c));
		else
			json_put_str(o, row_columns[c].name, db_text(s, c));
	json_canonical(&b, o);
	json_object_put(o);
	return buf_str(&b);
}

static void row_record(struct run *r, struct db_stmt *s, struct str id)
{
	if (!db_text(s, ROW_N).p)
		found(r, id, "is there, but its last event says that it was deleted");
	else if (!str_eq(image(r, s), db_text(s, ROW_N)))
		found(r, id, "is not as its last event has it: it was changed without one");
}

static void lost_record(struct run *r, struct db_stmt *s, struct str id)
{
	(void)s;
	found(r, id, "is not there, and no event says that it was deleted");
}

static void receipt_record(struct run *r, struct db_stmt *s, struct str id)
{
	static const struct { int digest, text, cut; const char *what; } texts[] = {
		{ 2, 5, 7, "the input kept does not have the digest in `fingerprint_input`" },
		{ 3, 6, 8, "the output kept does not have the digest in `fingerprint_output`" },
	};
	struct str contract = db_text(s, 4);

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (db_text(s, texts[i].text).p && !db_int(s, texts[i].cut) &&
		    !has_digest(db_text(s, texts[i].text), db_text(s, texts[i].digest)))
			found(r, id, texts[i].what);
	if (contract.p && contract_known(r, contract) == 0)
		found(r, id, "the contract of `fingerprint_contract` is missing");
}

/* One seal with all it covers, or a prune. */
static void seal_record(struct run *r, struct db_stmt *s, struct str id)
{
	char range[AUDIT_SEAL_RANGE];
	const char *what = audit_seal(&r->seals, r->arena, s, range);

	(void)id;
	if (what)
		found(r, str_of(range), what);
}

static void payload_record(struct run *r, struct db_stmt *s, struct str id)
{
	(void)s;
	found(r, id, "a payload without a receipt: its receipt was removed");
}

static void intent_record(struct run *r, struct db_stmt *s, struct str id)
{
	if (db_int(s, 5))
		found(r, id, "an intent beside its receipt");
	else if (db_text(s, 3).p && !db_int(s, 4) && !has_digest(db_text(s, 3), db_text(s, 2)))
		found(r, id, "the input kept does not have the digest in `fingerprint_input`");
	else
		r->a->open_intents++;
}

/* SQLite's own check; it says ok, or what it found. */
static void page_record(struct run *r, struct db_stmt *s, struct str id)
{
	char what[256];

	(void)s;
	if (str_is(id, "ok"))
		return;
	snprintf(what, sizeof(what), "%.*s", (int)id.n, id.p);
	found(r, str_of(r->check->file), what);
}

enum kind { BY_NUMBER, BY_NAME, CHAIN, PAGES };

/* In this order: what is read later may only refer to what was read before, or is never taken away. id: column that names
 * a record. */
static const struct check {
	const char *name;
	enum sql_file file;
	enum kind kind;
	enum sql_id records;
	int id;
	bool gaps;                      /* numbers follow each other: a missing one is a record that was removed */
	void (*record)(struct run *r, struct db_stmt *s, struct str id);
} checks[] = {
	{ "pages", SQL_DIRECTORY, PAGES, SQL_DIRECTORY_PAGES, 0, false, page_record },
	{ "pages", SQL_LEDGER, PAGES, SQL_LEDGER_PAGES, 0, false, page_record },
	{ "receipts", SQL_LEDGER, BY_NUMBER, SQL_RECEIPT_RECORDS, 1, true, receipt_record },
	{ "seals", SQL_LEDGER, BY_NUMBER, SQL_SEAL_EVENTS, 1, false, seal_record },
	{ "orphan payloads", SQL_LEDGER, BY_NUMBER, SQL_PAYLOAD_ORPHANS, 0, false, payload_record },
	{ "intents", SQL_LEDGER, BY_NAME, SQL_INTENT_RECORDS, 0, false, intent_record },
	{ "ledger events", SQL_LEDGER, CHAIN, SQL_LEDGER_EVENT_RECORDS, 1, false, NULL },
	{ "events", SQL_DIRECTORY, CHAIN, SQL_EVENT_RECORDS, 1, false, event_record },
	{ "contracts", SQL_DIRECTORY, BY_NAME, SQL_CONTRACT_RECORDS, 0, false, contract_record },
	{ "rows", SQL_DIRECTORY, BY_NAME, SQL_ROW_RECORDS, 0, false, row_record },
	{ "lost rows", SQL_DIRECTORY, BY_NAME, SQL_ROW_LOST, 0, false, lost_record },
};
_Static_assert(sizeof(checks) / sizeof(checks[0]) <= AUDIT_CHECKS, "room for every check");

/* Numbers that are missing between two records, as one finding. */
static void gap(struct run *r, int64_t last, int64_t n)
{
	char id[64];

	if (n == last + 2)
		snprintf(id, sizeof(id), "number %" PRId64, last + 1);
	else
		snprintf(id, sizeof(id), "numbers %" PRId64 " to %" PRId64, last + 1, n - 1);
	found(r, str_of(id), "missing: records were removed");
}

static void check_number(struct run *r, int64_t last, int64_t n, struct str id)
{
	if (n < 1)
		found(r, id, "has a number that no receipt gets: it was added");
	else if (n != last + 1 && !audit_seal_pruned(&r->seals, n - 1))
		gap(r, last, n);
}

/* Where a slice ends and the next one begins. */
struct place { int64_t number; char name[160]; };

static struct db_stmt *slice(struct run *r, const struct check *c, const struct place *at)
{
	struct db *db = r->db[c->file];

	switch (c->kind) {
	case BY_NAME: return db_start(db, c->records, "ti", at->name, (int64_t)AUDIT_SLICE);
	case PAGES: return db_start(db, c->records, "");
	default: return db_start(db, c->records, "ii", at->number, (int64_t)AUDIT_SLICE);
	}
}

/* Returns how many were read, or -1. */
static int run_slice(struct run *r, const struct check *c, struct place *at)
{
	struct db_stmt *s = slice(r, c, at);
	int rc, n = 0;

	for (; (rc = db_step(s)) == 1; n++) {
		struct str id = db_text(s, c->id);
		int64_t number = db_int(s, 0);

		if (c->gaps)
			check_number(r, at->number > 0 ? at->number : 0, number, id);
		c->record(r, s, id);
		if (c->kind == BY_NAME)
			snprintf(at->name, sizeof(at->name), "%.*s", (int)id.n, id.p ? id.p : "");
		else
			at->number = number;
	}
	db_end(s);
	arena_reset(r->arena);
	return rc < 0 ? -1 : n;
}

static int run_records(struct run *r, const struct check *c)
{
	struct place at = { .number = c->gaps ? INT64_MIN : 0 };
	int n;

	do {
		n = run_slice(r, c, &at);
		r->check->count += n > 0 ? n : 0;
	} while (n == AUDIT_SLICE);
	if (c->record == receipt_record)
		r->a->receipts = r->check->count;
	if (c->record == seal_record && n >= 0)
		return audit_seal_behind(&r->seals, &r->a->unsealed);
	return n < 0 ? -1 : 0;
}

static int run_chain(struct run *r, const struct check *c)
{
	const struct verify_head *kept = &r->a->kept[c->file];
	struct verify_result v;
	char id[96];

	if (verify_chain(r->db[c->file], c->file, kept->seq ? kept : NULL, &v) < 0)
		return -1;
	if (v.bad) {
		snprintf(id, sizeof(id), "%" PRId64 "%s%s", v.first_bad, v.first_id[0] ? " " : "", v.first_id);
		found(r, str_of(id), v.what);
		r->check->bad = v.bad;
		r->a->bad += v.bad - 1;
	}
	r->a->head[c->file].seq = v.count;
	memcpy(r->a->head[c->file].hash, v.head, sizeof(v.head));
	if (!c->record)
		r->check->count = v.count;
	return c->record ? run_records(r, c) : 0;
}

static int run_check(struct run *r, const struct check *c)
{
	r->check = &r->a->check[r->a->checks++];
	*r->check = (struct audit_check){ .file = file_names[c->file], .name = c->name };
	if (r->a->step)
		r->a->step(r->a->ctx, c->name);
	return c->kind == CHAIN ? run_chain(r, c) : run_records(r, c);
}

static int open_files(struct run *r, struct problem *why)
{
	for (int f = 0; f < SQL_FILES; f++) {
		struct buf path = BUF_MALLOC;

		buf_printf(&path, "%s/%s", r->a->folder, file_names[f]);
		r->db[f] = db_open(buf_text(&path), (enum sql_file)f, DB_READ, NULL, why);
		buf_free(&path);
		if (!r->db[f])
			return -1;
	}
	return 0;
}

int audit_run(struct audit *a, struct problem *why)
{
	struct run r = { .a = a };
	int rc = open_files(&r, why);

	r.arena = arena_new();
	r.seals.ledger = r.db[SQL_LEDGER];
	for (size_t i = 0; rc == 0 && i < sizeof(checks) / sizeof(checks[0]); i++) {
		rc = run_check(&r, &checks[i]);
		if (rc < 0)
			problem_unavailable(why, "%s/%s: %s", a->folder, file_names[checks[i].file],
				db_error_text(r.db[checks[i].file]));
	}
	arena_free(r.arena);
	for (int f = 0; f < SQL_FILES; f++)
		db_close(r.db[f]);
	return rc;
}
