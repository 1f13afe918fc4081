/* Makes the seals; how they are checked is written anew in ctl/audit_seal.c. Nothing of an unfinished seal is kept: after a
 * restart the chain says where to go on. */
#include <inttypes.h>
#include <stdio.h>
#include "base/buf.h"
#include "base/clock.h"
#include "store/event.h"
#include "store/seal.h"

static int look_up(struct seal *s, struct db *d)
{
	bool found;

	seal_free(s);
	if (db_one_int(d, SQL_SEAL_LAST, &s->last, &found, "") < 0)
		return -1;
	s->sum = crypto_digest_new();
	s->known = true;
	s->n = s->last = found ? s->last : 0;
	return 0;
}

static void put_column(struct buf *record, struct db_stmt *s, int column)
{
	struct str text;

	buf_putc(record, db_type(s, column));
	text = db_text(s, column);
	buf_int(record, (int64_t)text.n);
	buf_putc(record, ':');
	buf_putstr(record, text);
}

/* How many receipts came in, or -1. */
static int add_receipts(struct seal *s, struct db *d)
{
	int64_t room = SEAL_MAX - s->count;
	struct db_stmt *st = db_start(d, SQL_SEAL_RECORDS, "ii", s->n, room < SEAL_STEP ? room : (int64_t)SEAL_STEP);
	struct buf record = BUF_MALLOC;
	int rc, added = 0;

	for (; (rc = db_step(st)) == 1; added++) {
		if (s->count++ == 0)
			s->since = clock_mono_us();
		s->n = db_int(st, 0);
		buf_clear(&record);
		for (int c = 0; c < SEAL_COLUMNS; c++)
			put_column(&record, st, c);
		buf_putc(&record, '\n');
		crypto_digest_add(s->sum, buf_str(&record));
	}
	buf_free(&record);
	db_end(st);
	return rc < 0 ? -1 : added;
}

static int put_seal(struct seal *s, struct db *d)
{
	char detail[256], hex[CRYPTO_HEX];

	crypto_digest_hex(s->sum, hex);
	snprintf(detail, sizeof(detail), "{\"first\":%" PRId64 ",\"last\":%" PRId64 ",\"count\":%" PRId64
		",\"columns\":%d,\"sha256\":\"%s\"}", s->last + 1, s->n, s->count, SEAL_COLUMNS, hex);
	s->known = false;       /* should it fail, the chain says whether it is there */
	if (db_begin(d) < 0 || event_note(d, "RECEIPTS_SEAL", detail) < 0 || db_commit(d) < 0)
		return -1;
	s->known = true;
	s->last = s->n;
	s->count = 0;
	return 0;
}

int64_t seal_step(struct seal *s, struct db *ledger, int64_t interval_ms)
{
	int64_t left;
	int added;

	if (!s->known && look_up(s, ledger) < 0)
		return -1;
	added = add_receipts(s, ledger);
	if (added < 0) {
		s->known = false;
		return -1;
	}
	left = interval_ms - (clock_mono_us() - s->since) / 1000;
	if (s->count == SEAL_MAX || (s->count && added < SEAL_STEP && left <= 0))
		return put_seal(s, ledger) < 0 ? -1 : SEAL_PAUSE_MS;
	if (added == SEAL_STEP)
		return SEAL_PAUSE_MS;
	return !s->count ? 0 : left < SEAL_LOOK_MS ? left > 0 ? left : 1 : SEAL_LOOK_MS;
}

void seal_rest(struct seal *s, struct db *ledger)
{
	int64_t end = clock_mono_us() + SEAL_STOP_MS * INT64_C(1000), rc;

	do
		rc = seal_step(s, ledger, 0);
	while (rc > 0 && clock_mono_us() < end);
	if (rc < 0)
		db_rollback(ledger);
}

void seal_free(struct seal *s)
{
	crypto_digest_free(s->sum);
	*s = (struct seal){ 0 };
}
