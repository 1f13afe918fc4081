/* Checks the event log as an outsider would, by what migrations/directory/0008-events.sql says of it. It shares the
 * JSON and digest code of base with the writer and nothing else: a fault in how the chain is written must not repeat
 * itself here. */
#include <stdio.h>
#include <string.h>
#include "base/json.h"
#include "base/log.h"
#include "directory/verify.h"
#include "store/db.h"

enum { VERIFY_SLICE = 1000 };

/* Columns of SQL_EVENT_RECORDS: the number, texts, then the two hashes. */
static const char *const texts[] = {
	"id", "time", "action", "operation", "key", "actor", "trace", "before", "after", "contract_before",
	"contract_after",
};
enum { TEXTS = sizeof(texts) / sizeof(texts[0]), PREV = TEXTS + 1, HASH };

static const char first_prev[] = "0000000000000000000000000000000000000000000000000000000000000000";

static void expected_hash(struct db_stmt *s, const char *prev, char out[CRYPTO_HEX])
{
	struct json_object *record = json_object_new_object();
	struct buf b = BUF_MALLOC;

	json_put_int(record, "seq", db_int(s, 0));
	for (int i = 0; i < TEXTS; i++)
		json_put_str(record, texts[i], db_text(s, i + 1));
	buf_puts(&b, prev);
	json_canonical(&b, record);
	crypto_sha256_hex(buf_str(&b), out);
	json_object_put(record);
	buf_free(&b);
}

static void check_event(struct db_stmt *s, int64_t expected_seq, struct verify_result *v)
{
	char hash[CRYPTO_HEX];
	bool gap = db_int(s, 0) != expected_seq;

	if (!v->first_bad && gap)
		v->first_bad = expected_seq;
	if (!v->first_bad) {
		expected_hash(s, v->head, hash);
		if (!str_is(db_text(s, PREV), v->head) || !str_is(db_text(s, HASH), hash))
			v->first_bad = db_int(s, 0);
	}
	snprintf(v->head, sizeof(v->head), "%.*s", (int)db_text(s, HASH).n,
		db_text(s, HASH).p ? db_text(s, HASH).p : "");
	v->count++;
}

/* Returns how many were read, or -1. */
static int check_slice(struct db *db, int64_t *seq, struct verify_result *v)
{
	struct db_stmt *s = db_start(db, SQL_EVENT_RECORDS, "ii", *seq, (int64_t)VERIFY_SLICE);
	int rc, n = 0;

	while ((rc = db_step(s)) == 1) {
		check_event(s, *seq + 1, v);
		*seq = db_int(s, 0);
		n++;
	}
	db_end(s);
	return rc < 0 ? -1 : n;
}

int verify_events(const char *path, struct verify_result *out, struct problem *why)
{
	struct db *db = db_open(path, SQL_DIRECTORY, DB_READ, NULL, why);
	int64_t seq = 0;
	int n = 0;

	*out = (struct verify_result){ 0 };
	memcpy(out->head, first_prev, sizeof(first_prev));
	if (!db)
		return -1;
	do {
		n = check_slice(db, &seq, out);
	} while (n == VERIFY_SLICE);
	db_close(db);
	if (n < 0)
		return problem_unavailable(why, "the events cannot be read");
	out->ok = !out->first_bad;
	return 0;
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
