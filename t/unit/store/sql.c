/* Every statement of the program, prepared against freshly migrated files. */
#include "fixture.h"

static struct db *db[SQL_FILES];

static bool writes(enum sql_kind k)
{
	return k == WRITE || k == WRITE_ONE;
}

static void check(enum sql_id id)
{
	const struct sql *q = sql_get(id);
	int parameters = -1;
	bool readonly = false;

	if (!tap_ok(db_inspect(db[q->file], id, &parameters, &readonly) == 0, "%s can be prepared", q->name))
		return;
	tap_ok(readonly == !writes(q->kind), "%s %s", q->name,
		writes(q->kind) ? "is marked as a write and writes" : "only reads");
	tap_ok(q->kind == READ ? q->roles == BY_NOBODY : q->kind == PROOF || q->refusal,
		"%s says who may send it and how it is refused", q->name);
}

int main(void)
{
	unsigned n = 0;

	fixture_make();
	for (enum sql_file f = 0; f < SQL_FILES; f++)
		db[f] = fixture_open(f, DB_WRITE);
	for (unsigned id = 0; id < SQL_N; id++)
		if (sql_exists(id)) {
			check((enum sql_id)id);
			n++;
		}
	tap_ok(n > 20, "there are statements");
	tap_ok(!sql_exists(SQL_NONE) && !sql_exists(SQL_LEDGER_FIRST) && !sql_exists(SQL_N) && !sql_exists(65535),
		"marks and numbers out of range are no statements");
	tap_ok(sql_get(SQL_EVENT_ADD)->file == SQL_DIRECTORY && sql_get(SQL_RECEIPT_ADD)->file == SQL_LEDGER,
		"a statement knows its file");
	tap_ok(sql_fingerprint() != 0 && sql_fingerprint() == sql_fingerprint(), "the fingerprint stays");
	for (enum sql_file f = 0; f < SQL_FILES; f++)
		db_close(db[f]);
	fixture_remove();
	return tap_done();
}
