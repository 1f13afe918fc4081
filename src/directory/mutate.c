/* Changing rows. A change reads the row as it is, makes the row that shall be, and sends one write: guards that
 * nothing was changed in between, the row, its event, its contracts, its identity. When a guard refuses, it starts
 * again from the row as it is then. Several changes are made alike, in one write: its guards come before all of them.
 *
 * Contracts of other rows: a block is part of the contract of each row that includes it, so a change of a block's
 * content stores their new contracts too. That needs the state of several rows, hence the guard on the whole directory;
 * a row that neither includes nor is included has a guard of its own, and changes of different rows do not meet. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/log.h"
#include "directory/contract.h"
#include "directory/mutate.h"
#include "directory/validate.h"
#include "directory/wording.h"
#include "store/event.h"

enum {
	CONTRACTS_AT_ONCE = 32, /* contracts of one write */
	CONTRACTS_BYTES = WIRE_FRAME_MAX / 4, /* and their bytes */
	CLOCK_AHEAD_MS = 10000, /* how far updated_at may be in the future and still only move forward */
	BATCH_TRIES = 8,        /* of several changes, in place of MUTATE_TRIES: each try takes memory for all of them */
	CHANGE_STATEMENTS = 12, /* of one change at most, beside contracts */
};

_Static_assert(MUTATE_BATCH_MAX * CHANGE_STATEMENTS + CONTRACTS_AT_ONCE < WIRE_STATEMENTS_MAX, "a batch fits into a write");

enum { TRY_AGAIN = 1 };

/* A contract to be stored with the change. */
struct contract_text {
	struct contract_text *next;
	char digest[CRYPTO_HEX];
	const char *time;
	struct str contract, image;
};

/* Changes of different rows that are made in one write. */
struct batch {
	const struct mutate *m;
	struct change *change;
	struct directory_block *block;          /* what each leaves, in their order */
	size_t n, bad;                          /* how many; which one was refused, n: none of its own */
	bool apart;                             /* each change is alone */
	int64_t directory_version;
	struct contract_text *contracts;
	size_t contracts_n, contracts_bytes;
};

/* A row as it shall be, and what of it is needed to say so. */
struct change {
	const struct mutate *m;
	const char *operation;
	struct str key, if_match;
	struct json_object *input;              /* of create, put and patch */
	struct row given;                       /* of create and put: defaults and what was given */
	struct str image;                       /* of restore */
	/* Looks at the input alone; NULL: there is none. -1 refused: it is wrong whatever row there is. */
	int (*check)(struct change *c, struct problem *why);
	/* Makes c->row from `old` (NULL: there is none). -1 refused; c->nothing when there is nothing to do; c->gone
	 * when the row shall go. */
	int (*make)(struct change *c, const struct entry *old, struct problem *why);
	struct row row;
	bool nothing, gone;
	uint32_t set;                           /* columns that the input named */
	/* What one attempt found. */
	struct entry *old;
	char updated_at[CLOCK_ISO], digest[CRYPTO_HEX];
	struct str before, after;               /* images */
	bool alone;                             /* includes nothing, and its content is in no other contract */
	bool content_changed;
	int64_t version;                        /* of a row that is gone too: its last event stays */
};

/* Answers */

/* Says on every failure what became of the directory. */
static int settle(const struct mutate *m, int rc, bool unknown, struct problem *why)
{
	if (rc == 0 || !why)
		return rc;
	if (!why->extra)
		why->extra = arena_json(m->arena, json_object_new_object());
	json_put(why->extra, "state_changed", unknown ? NULL : json_object_new_boolean(false));
	return rc;
}

static int not_found(struct problem *why, const char *error, const char *fix)
{
	problem_set(why, 404, "%s", error);
	problem_fix(why, "%s", fix);
	return -1;
}

static int row_changed(struct problem *why, int status)
{
	problem_set(why, status, "row_changed");
	problem_fix(why, "somebody else changed the row: read it again and repeat the change on what it is now");
	return -1;
}

static int unreadable(struct problem *why)
{
	return problem_unavailable(why, "the directory cannot be read at this moment");
}

/* Making the row */

static int need_key_and_type(const struct row *r, struct problem *why)
{
	if (row_text(r, ROW_KEY).n && row_text(r, ROW_TYPE).n)
		return 0;
	problem_set(why, 400, "key and type required");
	problem_field(why, row_text(r, ROW_KEY).n ? "type" : "key");
	return -1;
}

static int64_t max_field(const struct change *c)
{
	return directory_conf(c->m->directory)->max_row_field;
}

static int check_whole(const struct mutate *m, const struct row *r, struct problem *why)
{
	if (m->as_is)
		return validate_name(m->arena, r, why) < 0 ? -1 : validate_secrets(m->arena, r, UINT32_MAX, m->secrets, why);
	if (validate_row(m->arena, r, UINT32_MAX, m->secrets, why) < 0)
		return -1;
	return validate_hygiene(r, why) ? -1 : 0;
}

static int make_create(struct change *c, const struct entry *old, struct problem *why)
{
	c->row = c->given;
	if (!old)
		return 0;
	problem_set(why, 409, "key_exists");
	problem_field(why, "key");
	problem_fix(why, "PUT or PATCH /api/directory/%.*s changes the row that is there", (int)old->key.n, old->key.p);
	return -1;
}

static int make_put(struct change *c, const struct entry *old, struct problem *why)
{
	static const enum row_column kept[] = { ROW_SENSITIVE, ROW_RUNNER };

	c->row = c->given;
	for (size_t i = 0; old && i < sizeof(kept) / sizeof(kept[0]); i++)
		if (!(c->set & row_bit(kept[i])))
			c->row.v[kept[i]] = old->row.v[kept[i]];
	return check_whole(c->m, &c->row, why);
}

static int make_patch(struct change *c, const struct entry *old, struct problem *why)
{
	uint32_t changed = 0;
	unsigned ignored;

	if (!old)
		return not_found(why, "not_found", "POST /api/directory creates a row");
	c->row = old->row;
	if (row_from_json(c->m->arena, c->input, ROW_PATCH, max_field(c), &c->row, &c->set, &ignored, why) < 0)
		return -1;
	for (int i = 0; i < ROW_N; i++)
		if (!row_same(&c->row, &old->row, (enum row_column)i))
			changed |= row_bit((enum row_column)i);
	if (validate_row(c->m->arena, &c->row, changed, c->m->secrets, why) < 0)
		return -1;
	return !validate_hygiene(&old->row, NULL) && validate_hygiene(&c->row, why) ? -1 : 0;
}

static int make_delete(struct change *c, const struct entry *old, struct problem *why)
{
	(void)why;
	c->gone = true;
	c->nothing = !old;
	return 0;
}

static int make_restore(struct change *c, const struct entry *old, struct problem *why)
{
	(void)old;
	if (row_from_image(c->m->arena, c->image, &c->row) < 0)
		log_fatal("directory: the image of a row is malformed");
	return validate_secrets(c->m->arena, &c->row, UINT32_MAX, c->m->secrets, why);
}

/* If-Match (RFC 9110 section 13.1.1). The tag is made from the row, not from an answer's bytes, so a weak one says as
 * much as a strong one. */

static bool tag_listed(struct str list, const char *etag)
{
	while (list.p) {
		struct str tag = str_trim(str_cut(&list, ','));

		if (str_starts(tag, "W/"))
			tag = str_skip(tag, 2);
		if (str_is(tag, etag))
			return true;
	}
	return false;
}

static int check_match(const struct change *c, const struct entry *old, struct problem *why)
{
	if (!c->if_match.p)
		return 0;
	if (old && (str_is(str_trim(c->if_match), "*") || tag_listed(c->if_match, old->etag)))
		return 0;
	return row_changed(why, 412);
}

/* Times */

/* The time of the change: later than that of the one before, even within a millisecond, so that no two states of a row
 * have the same tag. */
static void set_times(struct change *c)
{
	int64_t now = clock_ms(), last;

	if (c->old && clock_parse(row_text(&c->old->row, ROW_UPDATED_AT), &last) == 0 && now <= last &&
		last - now < CLOCK_AHEAD_MS)
		now = last + 1;
	clock_iso(now, c->updated_at);
	if (c->gone)
		return;
	c->row.v[ROW_UPDATED_AT] = (struct row_value){ .text = str_of(c->updated_at) };
	c->row.v[ROW_CREATED_AT] = c->old ? c->old->row.v[ROW_CREATED_AT] : c->row.v[ROW_UPDATED_AT];
}

/* Contracts */

static int add_contract(struct batch *b, const struct row *r, const char *time)
{
	struct arena *a = b->m->arena;
	struct contract_block block[CONTRACT_INCLUDES_MAX];
	int blocks = directory_blocks(b->m->directory, row_text(r, ROW_INCLUDES), b->block, b->n, block);
	struct contract_text *t = arena_alloc(a, sizeof(*t));
	struct buf text = BUF_ARENA(a), image = BUF_ARENA(a);
	struct json_object *contract;
	struct docstring d;

	if (blocks < 0)
		return -1;
	docstring_parse(a, row_text(r, ROW_CONTENT), &d);
	contract = contract_build(r, &d, block, (size_t)blocks);
	contract_digest(contract, &text, t->digest);
	json_object_put(contract);
	row_image(r, &image);
	t->contract = buf_str(&text);
	t->image = buf_str(&image);
	t->time = time;
	t->next = b->contracts;
	b->contracts = t;
	b->contracts_n++;
	b->contracts_bytes += t->contract.n + t->image.n;
	return 0;
}

static bool includes(const struct row *r, struct str key)
{
	struct str name[CONTRACT_INCLUDES_MAX];
	size_t n = contract_includes(row_text(r, ROW_INCLUDES), name, CONTRACT_INCLUDES_MAX);

	for (size_t i = 0; i < n && i < CONTRACT_INCLUDES_MAX; i++)
		if (str_eq(name[i], key))
			return true;
	return false;
}

/* The contracts that other rows will have, and whether any row's `includes` holds the key at all. */
static int add_includers(struct batch *b, struct change *c)
{
	struct db_stmt *s = db_start(directory_db(c->m->directory), SQL_INCLUDERS, "s", c->key);
	int rc;

	while ((rc = db_step(s)) == 1) {
		struct row r;

		c->alone = false;
		row_from_stmt(c->m->arena, s, 0, &r);
		if (str_eq(row_text(&r, ROW_KEY), c->key) || !includes(&r, c->key))
			continue;
		rc = add_contract(b, &r, c->updated_at);
		if (rc < 0)
			break;
	}
	db_end(s);
	return rc < 0 ? -1 : 0;
}

/* The row's own contract comes first in the list. */
static int add_contracts(struct batch *b, struct change *c)
{
	c->content_changed = !c->old || c->gone || !row_same(&c->old->row, &c->row, ROW_CONTENT);
	c->alone = c->gone || row_blank(&c->row, ROW_INCLUDES);
	if (c->content_changed && add_includers(b, c) < 0)
		return -1;
	if (c->gone)
		return 0;
	if (add_contract(b, &c->row, c->updated_at) < 0)
		return -1;
	memcpy(c->digest, b->contracts->digest, sizeof(c->digest));
	return 0;
}

/* One attempt: reading */

static void set_images(struct change *c)
{
	struct buf before = BUF_ARENA(c->m->arena), after = BUF_ARENA(c->m->arena);

	c->before = c->after = str_of(NULL);
	if (c->old) {
		row_image(&c->old->row, &before);
		c->before = buf_str(&before);
	}
	if (!c->gone) {
		row_image(&c->row, &after);
		c->after = buf_str(&after);
	}
}

/* The row as it is and as it shall be. */
static int look(struct change *c, struct problem *why)
{
	if (c->check && c->check(c, why) < 0)
		return -1;
	if (directory_read(c->m->directory, c->m->arena, c->key, &c->old, why) < 0)
		return -1;
	if (check_match(c, c->old, why) < 0 || c->make(c, c->old, why) < 0)
		return -1;
	if (c->nothing)
		return 0;
	set_times(c);
	set_images(c);
	return 0;
}

/* What is around it: contracts, and what the guards compare. */
static int look_around(struct batch *b, struct change *c)
{
	bool found;

	if (c->nothing)
		return 0;
	if (add_contracts(b, c) < 0 ||
		db_one_int(directory_db(b->m->directory), SQL_ROW_VERSION, &c->version, &found, "s", c->key) < 0)
		return -1;
	b->apart = b->apart && c->alone;
	return 0;
}

/* -1: an earlier change is of the same row. */
static int check_once(const struct batch *b, const struct change *c, struct problem *why)
{
	for (size_t i = 0; i < b->bad; i++)
		if (str_eq(b->change[i].key, c->key))
			return problem_bad_field(why, "key", "stands twice: make one change of the row");
	return 0;
}

/* In one read transaction, so that rows, blocks and versions belong together. */
static int look_all(struct batch *b, struct problem *why)
{
	bool found;

	b->contracts = NULL;
	b->contracts_n = b->contracts_bytes = 0;
	b->apart = true;
	for (b->bad = 0; b->bad < b->n; b->bad++) {
		struct change *c = &b->change[b->bad];

		if (look(c, why) < 0 || check_once(b, c, why) < 0)
			return -1;
		b->block[b->bad] = (struct directory_block){ c->key, row_text(&c->row, ROW_CONTENT), c->gone };
	}
	for (size_t i = 0; i < b->n; i++)
		if (look_around(b, &b->change[i]) < 0)
			return unreadable(why);
	if (db_one_int(directory_db(b->m->directory), SQL_DIRECTORY_VERSION, &b->directory_version, &found, "") < 0)
		return unreadable(why);
	return 0;
}

/* One attempt: writing */

static void add_contract_to(struct write *w, const struct contract_text *t)
{
	write_add(w, SQL_CONTRACT_ADD, "tsst", t->digest, t->contract, t->image, t->time);
}

/* Contracts that do not fit into the change's own write go before it: one that is stored and then not needed harms
 * nobody. */
static int store_ahead(struct batch *b, bool *unknown, struct problem *why)
{
	while (b->contracts_n > CONTRACTS_AT_ONCE || (b->contracts_n > 1 && b->contracts_bytes > CONTRACTS_BYTES)) {
		struct write *w = write_new(b->m->arena, SQL_DIRECTORY);
		size_t bytes = 0;

		for (int n = 0; b->contracts && n < CONTRACTS_AT_ONCE && (n == 0 || bytes < CONTRACTS_BYTES); n++) {
			struct contract_text *t = b->contracts;

			bytes += t->contract.n + t->image.n;
			add_contract_to(w, t);
			b->contracts = t->next;
			b->contracts_n--;
			b->contracts_bytes -= t->contract.n + t->image.n;
		}
		if (write_submit(w, why) < 0) {
			*unknown = false;       /* the rows themselves are as they were */
			return -1;
		}
	}
	return 0;
}

/* All values as text: SQLite makes integers of them, and a value may be NULL without a type string for each case. */
static void add_row(struct write *w, enum sql_id id, const struct row *r)
{
	char number[ROW_N][24];
	struct str v[ROW_N];

	for (int c = 0; c < ROW_N; c++) {
		v[c] = row_text(r, (enum row_column)c);
		if (row_columns[c].number && !r->v[c].null) {
			snprintf(number[c], sizeof(number[c]), "%" PRId64, r->v[c].number);
			v[c] = str_of(number[c]);
		}
	}
	_Static_assert(ROW_N == 18, "a value for each column");
	write_add(w, id, "ssssssssssssssssss", v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11],
		v[12], v[13], v[14], v[15], v[16], v[17]);
}

static void add_guards(struct write *w, const struct change *c)
{
	write_add(w, SQL_ROW_UNCHANGED, "si", c->key, c->version);
	if (c->alone && c->content_changed)
		write_add(w, SQL_NOT_INCLUDED, "s", c->key);
}

static void add_words(struct write *w, const struct change *c)
{
	struct wording o;

	wording_of(c->m->arena, &c->row, &o);
	write_add(w, SQL_WORDS_ADD, "ssssssss", c->key, o.column[WORDING_KEY], o.column[WORDING_WHAT],
		o.column[WORDING_WHEN_TO_USE], o.column[WORDING_ARGS], o.column[WORDING_EXAMPLES],
		o.column[WORDING_CATEGORY], o.column[WORDING_DESCRIPTION]);
	write_add(w, SQL_PARTS_ADD, "ss", c->key, o.parts);
}

static void add_change(struct write *w, const struct change *c)
{
	struct event e = {
		.action = "DIRECTORY_MUTATE",
		.operation = c->operation,
		.key = arena_str(c->m->arena, c->key),
		.actor = c->m->actor,
		.trace = c->m->trace,
		.before = c->before,
		.after = c->after,
		.contract_before = c->old ? c->old->digest : NULL,
		.contract_after = c->gone ? NULL : c->digest,
	};

	write_add(w, SQL_WORDS_DROP, "s", c->key);
	write_add(w, SQL_PARTS_DROP, "s", c->key);
	if (c->gone)
		write_add(w, SQL_ROW_DELETE, "s", c->key);
	else
		add_row(w, c->old ? SQL_ROW_UPDATE : SQL_ROW_INSERT, &c->row);
	event_add(w, &e);
	if (c->gone || !c->old)
		write_add(w, SQL_IDENTITY_DROP, "s", c->key);
	if (!c->gone && !c->old)
		write_add(w, SQL_IDENTITY_SET, "s", c->key);
	if (!c->gone)
		add_words(w, c);
}

/* NULL: there is nothing to do. */
static struct write *build(const struct batch *b)
{
	struct write *w = write_new(b->m->arena, SQL_DIRECTORY);

	for (size_t i = 0; i < b->n; i++)
		if (!b->change[i].nothing)
			add_guards(w, &b->change[i]);
	if (!b->apart)
		write_add(w, SQL_DIRECTORY_UNCHANGED, "i", b->directory_version);
	for (size_t i = 0; i < b->n; i++)
		if (!b->change[i].nothing)
			add_change(w, &b->change[i]);
	for (const struct contract_text *t = b->contracts; t; t = t->next)
		add_contract_to(w, t);
	return write_statements(w) ? w : NULL;
}

static void report(const struct change *c, struct mutate_result *out, int64_t event)
{
	if (c->nothing)
		return;
	memcpy(out->updated_at, c->updated_at, sizeof(out->updated_at));
	memcpy(out->digest, c->digest, sizeof(out->digest));
	out->created = !c->old;
	out->deleted = c->gone;
	out->event = event;
	if (!c->gone)
		row_etag(&c->row, out->etag);
}

static int attempt(struct batch *b, struct mutate_result *out, bool *unknown, struct problem *why)
{
	struct db *db = directory_db(b->m->directory);
	struct write *w;
	int rc;

	if (db_begin_read(db) < 0)
		return unreadable(why);
	rc = look_all(b, why);
	db_end_read(db);
	if (rc < 0 || store_ahead(b, unknown, why) < 0)
		return -1;
	w = build(b);
	if (!w)
		return 0;
	if (write_submit(w, why) == 0) {
		/* The number is that of the last event, or the first when the writer died meanwhile. */
		for (size_t i = 0; i < b->n; i++)
			report(&b->change[i], &out[i], b->n == 1 ? write_result(w) : 0);
		return 0;
	}
	*unknown = write_unknown(w);
	if (strcmp(why->error, "other_version") == 0) {
		problem_fix(why, "the service that runs is of another build than this program: restart it");
		return -1;
	}
	/* 409 is a guard's word, or a constraint's that a guard was to keep: the row is another one by now. */
	return why->status == 409 ? TRY_AGAIN : -1;
}

static int apply_all(struct batch *b, struct mutate_result *out, struct problem *why)
{
	struct problem own = { 0 };
	bool unknown = false;
	int rc = TRY_AGAIN;

	for (int i = 0; rc == TRY_AGAIN && i < (b->n == 1 ? MUTATE_TRIES : BATCH_TRIES); i++)
		rc = attempt(b, out, &unknown, &own);
	if (rc == TRY_AGAIN)
		rc = row_changed(&own, 409);
	if (rc == 0)
		directory_refresh(b->m->directory);
	else if (why)
		*why = own;
	return settle(b->m, rc, unknown, why);
}

static int apply(struct change *c, struct mutate_result *out, struct problem *why)
{
	struct directory_block block;
	struct batch b = { .m = c->m, .change = c, .block = &block, .n = 1 };

	*out = (struct mutate_result){ 0 };
	return apply_all(&b, out, why);
}

/* The kinds of changes */

/* Reads a whole row for create and put; the change's key p NULL: the row names it. */
static int check_row(struct change *c, struct problem *why)
{
	struct str key = c->key;
	unsigned ignored;

	row_defaults(&c->given);
	if (key.p)
		c->given.v[ROW_KEY] = (struct row_value){ .text = key };
	if (row_from_json(c->m->arena, c->input, ROW_WHOLE, max_field(c), &c->given, &c->set, &ignored, why) < 0 ||
		need_key_and_type(&c->given, why) < 0)
		return -1;
	c->key = row_text(&c->given, ROW_KEY);
	if (!key.p || str_eq(c->key, key))
		return 0;
	problem_set(why, 422, "bad_key");
	problem_field(why, "key");
	problem_detail(why, "the key in the row is another one than in the path");
	problem_fix(why, "leave it out; to rename a row, create the new one and delete the old");
	return -1;
}

static int check_create(struct change *c, struct problem *why)
{
	return check_row(c, why) < 0 ? -1 : check_whole(c->m, &c->given, why);
}

static int check_patch(struct change *c, struct problem *why)
{
	struct row scratch;
	unsigned ignored;

	row_defaults(&scratch);
	return row_from_json(c->m->arena, c->input, ROW_PATCH, max_field(c), &scratch, &c->set, &ignored, why);
}

static const struct {
	const char *operation;
	int (*check)(struct change *c, struct problem *why);
	int (*make)(struct change *c, const struct entry *old, struct problem *why);
} kinds[MUTATE_KINDS] = {
	[MUTATE_CREATE] = { "create", check_create, make_create },
	[MUTATE_PUT] = { "put", check_row, make_put },
	[MUTATE_PATCH] = { "patch", check_patch, make_patch },
	[MUTATE_DELETE] = { "delete", NULL, make_delete },
};

static struct change change_of(const struct mutate *m, enum mutate_kind kind, struct str key, struct json_object *input)
{
	return (struct change){
		.m = m,
		.operation = m->as_is && kind == MUTATE_PUT ? "import" : kinds[kind].operation,
		.key = key,
		.if_match = m->if_match,
		.input = input,
		.check = kinds[kind].check,
		.make = kinds[kind].make,
	};
}

int mutate_create(const struct mutate *m, struct json_object *row, struct mutate_result *out, struct problem *why)
{
	struct change c = change_of(m, MUTATE_CREATE, str_of(NULL), row);

	return apply(&c, out, why);
}

int mutate_put(const struct mutate *m, struct str key, struct json_object *row, struct mutate_result *out,
	struct problem *why)
{
	struct change c = change_of(m, MUTATE_PUT, key, row);

	return apply(&c, out, why);
}

static struct json_object *names_of(const struct mutate *m, uint32_t set)
{
	struct json_object *list = arena_json(m->arena, json_object_new_array());

	for (int i = 0; i < ROW_N; i++)
		if (set & row_bit((enum row_column)i))
			json_object_array_add(list, json_object_new_string(row_columns[i].name));
	return list;
}

int mutate_patch(const struct mutate *m, struct str key, struct json_object *fields, struct mutate_result *out,
	struct problem *why)
{
	struct change c = change_of(m, MUTATE_PATCH, key, fields);

	if (apply(&c, out, why) < 0)
		return -1;
	out->fields = names_of(m, c.set);
	return 0;
}

int mutate_delete(const struct mutate *m, struct str key, struct mutate_result *out, struct problem *why)
{
	struct change c = change_of(m, MUTATE_DELETE, key, NULL);

	return apply(&c, out, why);
}

/* Several */

int mutate_batch(const struct mutate *m, const struct mutate_step *step, size_t n, struct mutate_result *out, size_t *bad,
	struct problem *why)
{
	struct batch b = { .m = m, .n = n };

	if (n < 1 || n > MUTATE_BATCH_MAX)
		log_fatal("directory: a batch of %zu changes", n);
	b.change = arena_alloc(m->arena, n * sizeof(*b.change));
	b.block = arena_alloc(m->arena, n * sizeof(*b.block));
	for (size_t i = 0; i < n; i++) {
		b.change[i] = change_of(m, step[i].kind, step[i].key, step[i].row);
		b.change[i].if_match = step[i].if_match;
		out[i] = (struct mutate_result){ 0 };
	}
	*bad = n;
	if (apply_all(&b, out, why) == 0)
		return 0;
	*bad = b.bad;
	return -1;
}

/* The image of the row after an event. */
static int image_of_event(struct change *c, int64_t event, struct problem *why)
{
	struct db_stmt *s = db_start(directory_db(c->m->directory), SQL_EVENT_IMAGE, "i", event);
	int rc = db_step(s);
	bool own = rc == 1 && str_is(db_text(s, 0), "DIRECTORY_MUTATE") && str_eq(db_text(s, 1), c->key);

	if (own)
		c->image = arena_copy(c->m->arena, db_text(s, 2));
	db_end(s);
	if (rc < 0)
		return unreadable(why);
	if (!own)
		return not_found(why, "event_not_found", "GET /api/directory/KEY/history lists the events of the row");
	if (c->image.p)
		return 0;
	problem_set(why, 422, "nothing_to_restore");
	problem_field(why, "event");
	problem_fix(why, "after that event there was no row: name an earlier one");
	return -1;
}

static int image_of_contract(struct change *c, struct str digest, struct problem *why)
{
	struct db_stmt *s = db_start(directory_db(c->m->directory), SQL_CONTRACT_GET, "s", digest);
	struct row r;
	int rc = db_step(s);
	bool own;

	if (rc == 1)
		c->image = arena_copy(c->m->arena, db_text(s, 1));
	db_end(s);
	if (rc < 0)
		return unreadable(why);
	own = rc == 1 && row_from_image(c->m->arena, c->image, &r) == 0 && str_eq(row_text(&r, ROW_KEY), c->key);
	return own
		? 0
		: not_found(why, "contract_not_found", "GET /api/directory/KEY/history lists the contracts of the row");
}

int mutate_restore(const struct mutate *m, struct str key, int64_t event, struct str digest, struct mutate_result *out,
	struct problem *why)
{
	struct change c = { .m = m, .operation = "restore", .key = key, .if_match = m->if_match, .make = make_restore };

	*out = (struct mutate_result){ 0 };
	if ((event ? image_of_event(&c, event, why) : image_of_contract(&c, digest, why)) < 0)
		return settle(m, -1, false, why);
	return apply(&c, out, why);
}
