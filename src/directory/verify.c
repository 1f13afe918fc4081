/* Checks a log of events as an outsider would, by what migrations/directory/0008-events.sql says of it. It shares the
 * JSON and digest code of base with the writer and nothing else: a fault in how the chain is written must not repeat
 * itself here. */
#include <stdio.h>
#include <string.h>
#include "base/json.h"
#include "base/log.h"
#include "directory/verify.h"

enum { VERIFY_SLICE = 1000 };

/* Both logs: what reads them, and the names of the texts between the number and the two hashes. */
static const struct chain {
	enum sql_id records;
	int texts;
	const char *text[12];
} chains[SQL_FILES] = {
	[SQL_DIRECTORY] = { SQL_EVENT_RECORDS, 11, { "id", "time", "action", "operation", "key", "actor", "trace", "before",
		"after", "contract_before", "contract_after" } },
	[SQL_LEDGER] = { SQL_LEDGER_EVENT_RECORDS, 7, { "id", "time", "action", "key", "actor", "trace", "detail" } },
};

static const char first_prev[] = "0000000000000000000000000000000000000000000000000000000000000000";

static void expected_hash(const struct chain *c, struct db_stmt *s, const char *prev, char out[CRYPTO_HEX])
{
	struct json_object *record = json_object_new_object();
	struct buf b = BUF_MALLOC;

	json_put_int(record, "seq", db_int(s, 0));
	for (int i = 0; i < c->texts; i++)
		json_put_str(record, c->text[i], db_text(s, i + 1));
	buf_puts(&b, prev);
	json_canonical(&b, record);
	crypto_sha256_hex(buf_str(&b), out);
	json_object_put(record);
	buf_free(&b);
}

static void bad(struct verify_result *v, int64_t seq, struct str id, const char *what)
{
	if (v->bad++)
		return;
	v->first_bad = seq;
	snprintf(v->first_id, sizeof(v->first_id), "%.*s", (int)id.n, id.p ? id.p : "");
	snprintf(v->what, sizeof(v->what), "%s", what);
}

static void check_event(const struct chain *c, struct db_stmt *s, int64_t expected_seq, const struct verify_head *kept,
	struct verify_result *v)
{
	int64_t seq = db_int(s, 0);
	struct str prev = db_text(s, c->texts + 1), stored = db_text(s, c->texts + 2), id = db_text(s, 1);
	char hash[CRYPTO_HEX];

	expected_hash(c, s, v->head, hash);
	if (seq != expected_seq)
		bad(v, expected_seq, str_of(""), "is missing");
	else if (!str_is(prev, v->head))
		bad(v, seq, id, "`prev` is not the hash of the event before");
	else if (!str_is(stored, hash))
		bad(v, seq, id, "`hash` is not the digest of the record: a column was changed");
	else if (kept && kept->seq == seq && !str_is(stored, kept->hash))
		bad(v, seq, id, "`hash` is not the one that was kept: the log was written anew");
	snprintf(v->head, sizeof(v->head), "%.*s", (int)stored.n, stored.p ? stored.p : "");
	v->count++;
}

/* Returns how many were read, or -1. */
static int check_slice(struct db *db, const struct chain *c, const struct verify_head *kept, int64_t *seq,
	struct verify_result *v)
{
	struct db_stmt *s = db_start(db, c->records, "ii", *seq, (int64_t)VERIFY_SLICE);
	int rc, n = 0;

	while ((rc = db_step(s)) == 1) {
		check_event(c, s, *seq + 1, kept, v);
		*seq = db_int(s, 0);
		n++;
	}
	db_end(s);
	return rc < 0 ? -1 : n;
}

int verify_chain(struct db *db, enum sql_file file, const struct verify_head *kept, struct verify_result *out)
{
	int64_t seq = 0;
	int n;

	*out = (struct verify_result){ 0 };
	memcpy(out->head, first_prev, sizeof(first_prev));
	do {
		n = check_slice(db, &chains[file], kept, &seq, out);
	} while (n == VERIFY_SLICE);
	if (n < 0)
		return -1;
	if (kept && kept->seq > seq)
		bad(out, seq + 1, str_of(""), "is missing: the log ends before the head that was kept");
	out->ok = !out->bad;
	return 0;
}

int verify_events(const char *path, struct verify_result *out, struct problem *why)
{
	struct db *db = db_open(path, SQL_DIRECTORY, DB_READ, NULL, why);
	int rc;

	if (!db)
		return -1;
	rc = verify_chain(db, SQL_DIRECTORY, NULL, out);
	db_close(db);
	return rc < 0 ? problem_unavailable(why, "the events cannot be read") : 0;
}

/* The head is what the file holds, so it may be anything. */
static void print(const struct verify_result *v)
{
	struct json_object *o = json_object_new_object();
	struct buf b = BUF_MALLOC;

	json_put_bool(o, "ok", v->ok);
	json_put_int(o, "count", v->count);
	json_put_text(o, "head", v->head);
	json_put(o, "first_bad", v->first_bad ? json_object_new_int64(v->first_bad) : NULL);
	json_text(&b, o);
	puts(buf_text(&b));
	json_object_put(o);
	buf_free(&b);
}

int verify_events_main(const struct conf *conf)
{
	struct problem why = { 0 };
	struct verify_result v;
	struct buf path = BUF_MALLOC;
	int rc;

	buf_printf(&path, "%s/directory.db", conf->data_dir);
	rc = verify_events(buf_text(&path), &v, &why);
	buf_free(&path);
	if (rc < 0) {
		log_error("verify: %s", why.detail[0] ? why.detail : why.error);
		return 1;
	}
	print(&v);
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
