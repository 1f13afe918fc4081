/* What the doctor looks at in the databases. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "base/secret.h"
#include "ctl/ctl.h"
#include "ctl/doctor.h"
#include "directory/row.h"
#include "directory/verify.h"
#include "directory/wording.h"
#include "lang/authspec.h"

enum { SLICE = 1000, SHOWN = 10 };      /* rows read at a time; rows named of those at fault */

void doctor_chain(struct doctor *d)
{
	static const char *const log_names[SQL_FILES] = { [SQL_DIRECTORY] = "events", [SQL_LEDGER] = "ledger events" };

	for (int f = 0; f < SQL_FILES; f++) {
		struct verify_result v;

		if (!d->db[f])
			continue;
		if (verify_chain(d->db[f], (enum sql_file)f, NULL, &v) < 0)
			doctor_note(d, DOCTOR_FAIL, "rowcall verify says more", "the %s cannot be read", log_names[f]);
		else if (v.bad)
			doctor_note(d, DOCTOR_FAIL, "rowcall verify says more; compare with a backup", "%s: number %" PRId64 " %s: %s", log_names[f],
				v.first_bad, v.first_id, v.what);
		else
			doctor_note(d, DOCTOR_OK, "", "%s: head %s@%" PRId64, log_names[f], v.head, v.count);
	}
}

/* Calls fn with each row as it is in the table, s at its statement. */
static void each_row(struct doctor *d, enum sql_id id, void (*fn)(struct doctor *, struct arena *, struct db_stmt *, void *), void *ctx)
{
	struct arena *a = arena_new();
	char after[160] = "";
	int n;

	do {
		struct db_stmt *s = db_start(d->db[SQL_DIRECTORY], id, "ti", after, (int64_t)SLICE);

		for (n = 0; db_step(s) == 1; n++) {
			fn(d, a, s, ctx);
			snprintf(after, sizeof(after), "%.*s", (int)db_text(s, 0).n, db_text(s, 0).p);
		}
		db_end(s);
		arena_reset(a);
	} while (n == SLICE);
	arena_free(a);
}

/* Names some of the rows at fault and counts the rest. */
struct faulty { int64_t n; struct buf keys; };

static void faulty_add(struct faulty *f, struct str key)
{
	if (f->n++ < SHOWN)
		buf_printf(&f->keys, "%s%.*s", f->keys.len ? ", " : "", (int)key.n, key.p);
}

static void check_words(struct doctor *d, struct arena *a, struct db_stmt *s, void *ctx)
{
	struct wording w;
	struct row r;

	(void)d;
	row_from_stmt(a, s, 0, &r);
	wording_of(a, &r, &w);
	for (int c = 0; c < WORDING_N; c++)
		if (!str_eq(db_text(s, ROW_N + c), w.column[c])) {
			faulty_add(ctx, db_text(s, 0));
			return;
		}
}

void doctor_index(struct doctor *d)
{
	struct faulty f = { 0 };
	int64_t lost;
	bool found;

	if (!d->db[SQL_DIRECTORY])
		return;
	each_row(d, SQL_WORDS_RECORDS, check_words, &f);
	if (f.n)
		doctor_note(d, DOCTOR_WARN, "store the rows once more: a change brings their words along",
			"%" PRId64 " rows are not found by the words they have: %s%s", f.n, buf_text(&f.keys), f.n > SHOWN ? ", ..." : "");
	if (db_one_int(d->db[SQL_DIRECTORY], SQL_WORDS_LOST, &lost, &found, "") == 0 && lost > 0)
		doctor_note(d, DOCTOR_WARN, "restore a backup, or leave it: a question may name rows that are gone",
			"%" PRId64 " entries of the full-text index belong to no row", lost);
	buf_free(&f.keys);
}

struct naming { const struct secrets *secrets; struct str key; struct doctor *d; };

static void check_name(void *ctx, struct str name)
{
	const struct naming *n = ctx;

	if (!secret_get(n->secrets, name).p && !conf_var(n->d->conf, name).p)
		doctor_note(n->d, DOCTOR_WARN, arena_printf(n->d->arena, "add a line %.*s=... to the secrets file", (int)name.n, name.p),
			"row %.*s names $%.*s, which is not in the secrets file: it is called without a credential", (int)n->key.n, n->key.p,
			(int)name.n, name.p);
}

static void check_auth(struct doctor *d, struct arena *a, struct db_stmt *s, void *ctx)
{
	struct naming n = { .secrets = ctx, .key = db_text(s, ROW_KEY), .d = d };
	struct problem why = { 0 };
	struct authspec spec;

	if (!db_int(s, ROW_ENABLED))
		return;
	if (authspec_parse(a, db_text(s, ROW_AUTH), &spec, &why) < 0)
		doctor_note(d, DOCTOR_WARN, "correct `auth` of the row", "row %.*s: auth: %s", (int)n.key.n, n.key.p, why.detail);
	else
		authspec_names(&spec, check_name, &n);
}

void doctor_names(struct doctor *d)
{
	struct problem why = { 0 };
	struct secrets *secrets = d->key ? ctl_secrets(d->conf, &why) : NULL;

	if (!secrets || !d->db[SQL_DIRECTORY])
		return;
	each_row(d, SQL_WORDS_RECORDS, check_auth, secrets);
	for (const struct conf_model *m = d->conf->models; m; m = m->next)
		if (m->credential[0] && !secret_get(secrets, str_of(m->credential)).p)
			doctor_note(d, DOCTOR_WARN, arena_printf(d->arena, "add a line %s=... to the secrets file", m->credential),
				"[model \"%s\"] names %s, which is not in the secrets file", m->pattern, m->credential);
	secret_close(secrets);
}

void doctor_breakers(struct doctor *d)
{
	struct db_stmt *s = d->db[SQL_LEDGER] ? db_start(d->db[SQL_LEDGER], SQL_BREAKERS, "") : NULL;

	while (s && db_step(s) == 1) {
		struct str key = db_text(s, 0);
		char since[CLOCK_ISO];

		if (db_is_null(s, 2))
			continue;
		clock_iso(db_int(s, 2), since);
		doctor_note(d, DOCTOR_WARN, arena_printf(d->arena, "replace the row's credential, then rowcall breaker reset %.*s", (int)key.n, key.p),
			"the breaker of %.*s is open since %s: its upstream refused the credential %" PRId64 " times in a row", (int)key.n, key.p,
			since, db_int(s, 1));
	}
	db_end(s);
}

/* Without a service nobody is under way. */
void doctor_intents(struct doctor *d)
{
	int64_t n;
	bool found;

	if (d->db[SQL_LEDGER] && !d->master && db_one_int(d->db[SQL_LEDGER], SQL_INTENT_COUNT, &n, &found, "") == 0 && n > 0)
		doctor_note(d, DOCTOR_NOTE, "start the service: they become receipts with outcome unknown",
			"%" PRId64 " calls were cut off and have no outcome yet", n);
}
