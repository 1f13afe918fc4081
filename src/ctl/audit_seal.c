/* Reads receipts by a statement of its own, one seal at a time, so that it sees all of a range or, when it is pruned in
 * this moment, nothing. The digest is made by the words in seal.h, not by the code of seal.c. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/crypto.h"
#include "base/json.h"
#include "ctl/audit_seal.h"
#include "store/seal.h"

/* The detail of an event. */
struct range { int64_t first, last, count, columns, seal; struct str digest; };

static int64_t number(struct json_object *o, const char *name)
{
	struct json_object *v = json_get(o, name);

	return json_object_is_type(v, json_type_int) ? json_object_get_int64(v) : -1;
}

static int read_range(struct arena *arena, struct str detail, struct range *r)
{
	struct problem ignored = { 0 };
	struct json_object *o;

	*r = (struct range){ 0 };
	if (!detail.p || json_parse(arena, detail, &o, &ignored) < 0)
		return -1;
	*r = (struct range){ number(o, "first"), number(o, "last"), number(o, "count"), number(o, "columns"),
		number(o, "seal"), json_str(json_get(o, "sha256")) };
	return r->first > 0 && r->last >= r->first && r->last - r->first < INT32_MAX && r->digest.n == CRYPTO_HEX - 1 ? 0 : -1;
}

/* Reads how far the ledger was pruned, which may go on. */
static int64_t read_mark(struct audit_seals *a)
{
	bool found;

	if (db_one_int(a->ledger, SQL_PRUNE_LAST, &a->mark, &found, "") < 0)
		a->mark = 0;
	return a->mark;
}

bool audit_seal_pruned(struct audit_seals *a, int64_t n)
{
	return n > 0 && n == read_mark(a);
}

static void put_receipt(struct buf *out, struct db_stmt *s, int64_t columns)
{
	for (int c = 0; c < columns; c++) {
		char type = db_type(s, c);
		struct str text = db_text(s, c);

		buf_printf(out, "%c%zu:", type, text.n);
		buf_putstr(out, text);
	}
	buf_putc(out, '\n');
}

/* How many receipts there are in the range and their digest, or -1. */
static int64_t read_receipts(struct audit_seals *a, const struct range *r, char digest[CRYPTO_HEX])
{
	struct db_stmt *s = db_start(a->ledger, SQL_RECEIPT_IMAGES, "ii", r->first, r->last);
	struct buf images = BUF_MALLOC;
	int64_t n = 0;
	int rc;

	for (; (rc = db_step(s)) == 1; n++)
		put_receipt(&images, s, r->columns);
	db_end(s);
	crypto_sha256_hex(buf_str(&images), digest);
	buf_free(&images);
	return rc < 0 ? -1 : n;
}

static const char *compare(const struct range *r, int64_t n, const char *digest)
{
	if (n < 0)
		return "the receipts cannot be read";
	if (n < r->count)
		return "receipts are missing: there are fewer than were sealed";
	if (n > r->count)
		return "receipts were added: there are more than were sealed";
	return str_is(r->digest, digest) ? NULL : "a receipt is not as it was sealed: a column was changed, or another one is in its place";
}

static const char *check_receipts(struct audit_seals *a, const struct range *r)
{
	char digest[CRYPTO_HEX];
	const char *what;
	int64_t n;

	if (r->columns != SEAL_COLUMNS)
		return "the seal is over columns that this version does not know";
	n = read_receipts(a, r, digest);
	if (n >= 0 && r->last <= a->mark)
		return n ? "receipts are there that were pruned" : NULL;
	what = compare(r, n, digest);
	return what && n == 0 && r->last <= read_mark(a) ? NULL : what;
}

static const char *check_seal(struct audit_seals *a, const struct range *r)
{
	int64_t expected = a->sealed + 1;

	if (expected == 1)
		read_mark(a);
	a->sealed = r->last;
	return r->first == expected ? check_receipts(a, r) : "the seal does not begin where the one before ends";
}

/* A prune goes on where the one before ended, and says of its seal what the seal says. */
static const char *check_prune(struct audit_seals *a, struct arena *arena, const struct range *r)
{
	struct db_stmt *s = db_start(a->ledger, SQL_SEAL_DETAIL, "i", r->seal);
	struct range of;
	bool same = db_step(s) == 1 && read_range(arena, db_text(s, 0), &of) == 0 && of.first == r->first && of.last == r->last &&
		of.count == r->count && str_eq(of.digest, r->digest), next = r->first == a->gone + 1;

	db_end(s);
	a->gone = r->last;
	return !next ? "the prune does not begin where the one before ends" : same ? NULL : "what was pruned is not what the seal covers";
}

const char *audit_seal(struct audit_seals *a, struct arena *arena, struct db_stmt *s, char range[AUDIT_SEAL_RANGE])
{
	struct range r;
	int good = read_range(arena, db_text(s, 3), &r);

	snprintf(range, AUDIT_SEAL_RANGE, "numbers %" PRId64 " to %" PRId64, r.first, r.last);
	if (good < 0)
		return "the event's detail is no seal";
	return str_is(db_text(s, 2), "RECEIPTS_PRUNE") ? check_prune(a, arena, &r) : check_seal(a, &r);
}

int audit_seal_behind(struct audit_seals *a, int64_t *n)
{
	bool found;

	return db_one_int(a->ledger, SQL_RECEIPTS_BEHIND, n, &found, "i", a->sealed);
}
