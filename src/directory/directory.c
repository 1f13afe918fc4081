/* A reader's view of directory.db, kept in memory as long as it is true. Not who may see what (the caller's predicate),
 * and no writing: see mutate.c.
 *
 * What keeps it true: the writer raises the generation after each commit and before anybody hears of it, and each
 * change of a row has an event in the same commit. So when the generation has moved, the events behind the last one
 * seen name all rows that are out of date. `seq` is that last one; what is in memory was read at that state of the file
 * or a later one, and reading a row again that had its change already does no harm.
 *
 * An entry is built in a scratch arena and then packed into one piece of memory, so that ten thousand of them are
 * small. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "directory/directory.h"
#include "lang/key.h"
#include "lang/place.h"

enum {
	ENTRY_BUCKETS = 4096,           /* powers of two */
	BODY_BUCKETS = 256,
	SCHEMA_COST = 40,               /* bytes that a byte of a schema's text takes when compiled, about */
	SCHEMA_FIXED = 3000,            /* and what it takes however short: measured */
	TEXTS_MAX = ROW_N + DOC_N + 3,  /* texts of an entry */
};

/* An entry with its place in the cache. `out` is what others see. */
enum part { ARGUMENTS, RESULT, PARTS };         /* of a call, with a schema each */

struct cached {
	struct entry out;
	unsigned refs;                  /* the cache's own one included */
	bool kept;                      /* in the cache */
	bool used;                      /* since the hand passed */
	bool compiled[PARTS];           /* validator says what there is */
	struct schema *validator[PARTS];
	size_t size;
	struct cached *next;            /* in its bucket */
	struct cached *newer, *older;
};

struct body {
	unsigned refs;
	bool used;                      /* since it became the newest */
	char *name;
	struct str text;                /* in the same piece of memory */
	struct body *next;              /* in its bucket */
	struct body *newer;
};

struct directory {
	const struct conf *conf;
	struct shared *shared;
	struct db *db, *ledger;
	uint64_t generation;
	bool opened;                    /* generation is set */
	int64_t seq;                    /* last event seen; -1: not known */
	struct arena *scratch;
	struct cached *entry[ENTRY_BUCKETS], *newest, *oldest;
	size_t entries_size;
	struct directory_item *item;
	size_t items, items_room;
	bool items_read;
	struct body *body[BODY_BUCKETS], *newest_body, *oldest_body;
	size_t bodies_size;
};

/* FNV-1a. Keys come from the owner, and unknown ones are never kept, so nobody can choose collisions. */
static size_t hash(struct str s, size_t buckets)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 16777619u;
	return h & (buckets - 1);
}

static int unreadable(struct problem *why)
{
	return problem_unavailable(why, "the directory cannot be read at this moment");
}

/* Entries: making one */

static void unref(void *p)
{
	struct cached *c = p;

	if (--c->refs)
		return;
	for (int part = 0; part < PARTS; part++)
		schema_free(c->validator[part]);
	free(c);
}

static struct str or_empty(const struct row *r, enum row_column c)
{
	struct str s = row_text(r, c);

	return s.p ? s : str_of("");
}

static void set_views(struct entry *e)
{
	e->key = or_empty(&e->row, ROW_KEY);
	e->type = or_empty(&e->row, ROW_TYPE);
	e->target = or_empty(&e->row, ROW_TARGET);
	e->auth = or_empty(&e->row, ROW_AUTH);
	e->content = or_empty(&e->row, ROW_CONTENT);
	e->category = or_empty(&e->row, ROW_CATEGORY);
	e->enabled = row_number(&e->row, ROW_ENABLED) != 0;
	e->planner_visible = row_number(&e->row, ROW_PLANNER_VISIBLE) != 0;
	e->sensitive = row_number(&e->row, ROW_SENSITIVE) != 0;
}

/* Every text that an entry owns. */
static size_t texts_of(struct entry *e, struct str *out[TEXTS_MAX])
{
	size_t n = 0;

	for (int c = 0; c < ROW_N; c++)
		out[n++] = &e->row.v[c].text;
	for (int l = 0; l < DOC_N; l++)
		out[n++] = &e->doc.label[l];
	out[n++] = &e->doc.text;
	out[n++] = &e->doc.payload;
	out[n++] = &e->contract;
	return n;
}

/* The entry with its texts in one piece of memory; refs 1. */
static struct cached *pack(const struct entry *e)
{
	struct str *text[TEXTS_MAX];
	struct cached *c;
	struct entry copy = *e;
	size_t n = texts_of(&copy, text), size = sizeof(*c);
	char *at;

	for (size_t i = 0; i < n; i++)
		size += text[i]->p ? text[i]->n + 1 : 0;
	c = mem_alloc(size);
	at = (char *)(c + 1);
	c->out = copy;
	n = texts_of(&c->out, text);
	for (size_t i = 0; i < n; i++) {
		if (!text[i]->p)
			continue;
		memcpy(at, text[i]->p, text[i]->n);
		text[i]->p = at;
		at += text[i]->n + 1;           /* zeroed: the NUL is there */
	}
	set_views(&c->out);
	c->refs = 1;
	c->size = size;
	return c;
}

static bool has_places(const struct entry *e, struct json_object *properties)
{
	struct place place;

	if (!str_is(row_text(&e->row, ROW_TYPE), "http") || !json_object_is_type(properties, json_type_object))
		return false;
	json_object_object_foreach(properties, name, property)
		if (place_read(str_of(name), property, &place))
			return true;
	return false;
}

static bool is_true(struct json_object *o)
{
	return json_object_is_type(o, json_type_boolean) && json_object_get_boolean(o);
}

static bool has_headers(struct json_object *schema)
{
	struct json_object *properties = json_get(schema, "properties");

	if (!json_object_is_type(properties, json_type_object))
		return false;
	json_object_object_foreach(properties, name, property) {
		(void)name;
		if (json_get(property, "x-mcp-header") || has_headers(property))
			return true;
	}
	return false;
}

static void read_keywords(struct arena *a, struct entry *e)
{
	struct json_object *schema = directory_schema(a, e);

	e->strict = is_true(json_get(schema, "x-strict")) || has_places(e, json_get(schema, "properties"));
	e->output = json_object_object_get_ex(schema, "x-output-schema", NULL);
	e->mcp_content = is_true(json_get(schema, "x-mcp-content"));
	e->mcp_headers = has_headers(schema);
	e->mcp_requires = json_object_is_type(json_get(schema, "x-mcp-requires"), json_type_object);
}

/* The entry of the row that s stands at. NULL when its blocks cannot be read. */
static struct cached *build(struct directory *d, struct db_stmt *s)
{
	struct contract_block block[CONTRACT_INCLUDES_MAX];
	struct entry e = { 0 };
	struct buf text = BUF_ARENA(d->scratch);
	struct json_object *contract;
	struct cached *c;
	int blocks;

	row_from_stmt(d->scratch, s, 0, &e.row);
	e.version = db_int(s, ROW_N);
	e.identity = db_int(s, ROW_N + 1);
	/* The statement is still open, so these are read from the same state of the file. */
	blocks = directory_blocks(d, row_text(&e.row, ROW_INCLUDES), NULL, 0, block);
	if (blocks < 0)
		return NULL;
	docstring_parse(d->scratch, row_text(&e.row, ROW_CONTENT), &e.doc);
	contract = contract_build(&e.row, &e.doc, block, (size_t)blocks);
	contract_digest(contract, &text, e.digest);
	json_object_put(contract);
	e.contract = buf_str(&text);
	row_etag(&e.row, e.etag);
	read_keywords(d->scratch, &e);
	c = pack(&e);
	arena_reset(d->scratch);
	return c;
}

static int read_entry(struct directory *d, struct str key, struct cached **out)
{
	struct db_stmt *s;
	int rc;

	*out = NULL;
	if (!key_is_valid(key))
		return 0;
	s = db_start(d->db, SQL_ROW_GET, "s", key);
	rc = db_step(s);
	if (rc == 1) {
		*out = build(d, s);
		rc = *out ? 0 : -1;
	}
	db_end(s);
	return rc;
}

static const struct directory_block *find_block(const struct directory_block *block, size_t n, struct str key)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(block[i].key, key))
			return &block[i];
	return NULL;
}

int directory_blocks(struct directory *d, struct str includes, const struct directory_block *instead, size_t insteads,
	struct contract_block out[CONTRACT_INCLUDES_MAX])
{
	struct str name[CONTRACT_INCLUDES_MAX];
	size_t n = contract_includes(includes, name, CONTRACT_INCLUDES_MAX);

	if (n > CONTRACT_INCLUDES_MAX)
		n = CONTRACT_INCLUDES_MAX; /* more cannot be stored today; what is beyond composes nothing either */
	for (size_t i = 0; i < n; i++) {
		const struct directory_block *own = find_block(instead, insteads, name[i]);
		struct db_stmt *s = own ? NULL : db_start(d->db, SQL_BLOCK_CONTENT, "s", name[i]);
		int rc = own ? !own->gone : db_step(s);

		out[i] = (struct contract_block){ .key = name[i] };
		if (rc == 1)
			crypto_sha256_hex(own ? own->content : db_text(s, 0), out[i].digest);
		db_end(s);
		if (rc < 0)
			return -1;
	}
	return (int)n;
}

/* Entries: the cache */

static struct cached **find_entry(struct directory *d, struct str key)
{
	struct cached **at = &d->entry[hash(key, ENTRY_BUCKETS)];

	while (*at && !str_eq((*at)->out.key, key))
		at = &(*at)->next;
	return at;
}

static void drop_entry(struct directory *d, struct cached **at)
{
	struct cached *c = *at;

	*at = c->next;
	*(c->newer ? &c->newer->older : &d->newest) = c->older;
	*(c->older ? &c->older->newer : &d->oldest) = c->newer;
	d->entries_size -= c->size;
	c->kept = false;
	unref(c);
}

static void to_front(struct directory *d, struct cached *c)
{
	c->newer = NULL;
	c->older = d->newest;
	*(d->newest ? &d->newest->newer : &d->oldest) = c;
	d->newest = c;
}

/* Second chance: the hand goes from the oldest on and spares, once, what was used since it passed last. */
static void make_room(struct directory *d)
{
	while (d->entries_size > DIRECTORY_ENTRIES_MAX && d->oldest != d->newest) {
		struct cached *c = d->oldest;

		if (!c->used) {
			drop_entry(d, find_entry(d, c->out.key));
			continue;
		}
		c->used = false;
		d->oldest = c->newer;
		d->oldest->older = NULL;
		to_front(d, c);
	}
}

static void keep_entry(struct directory *d, struct cached *c)
{
	struct cached **at = &d->entry[hash(c->out.key, ENTRY_BUCKETS)];

	c->next = *at;
	*at = c;
	to_front(d, c);
	c->kept = true;
	d->entries_size += c->size;
	make_room(d);
}

static void drop_entries(struct directory *d)
{
	while (d->newest)
		drop_entry(d, find_entry(d, d->newest->out.key));
}

/* Entries that compose the block `key`. */
static void drop_includers(struct directory *d, struct str key)
{
	struct str name[CONTRACT_INCLUDES_MAX];

	for (struct cached *c = d->newest, *older; c; c = older) {
		size_t n = contract_includes(row_text(&c->out.row, ROW_INCLUDES), name, CONTRACT_INCLUDES_MAX);

		older = c->older;
		for (size_t i = 0; i < n && i < CONTRACT_INCLUDES_MAX; i++)
			if (str_eq(name[i], key)) {
				drop_entry(d, find_entry(d, c->out.key));
				break;
			}
	}
}

/* From the cache, or read; then its one reference is the caller's. */
static int find_or_read(struct directory *d, struct str key, struct cached **c, struct problem *why)
{
	if (!d->shared)
		directory_refresh(d);
	*c = *find_entry(d, key);
	if (*c)
		(*c)->refs++;
	else if (read_entry(d, key, c) < 0)
		return unreadable(why);
	return 0;
}

static void lend(struct cached *c, struct arena *a, struct entry **out)
{
	*out = c ? &c->out : NULL;
	if (c)
		arena_defer(a, unref, c);
}

int directory_get(struct directory *d, struct arena *a, struct str key, struct entry **out, struct problem *why)
{
	struct cached *c;

	*out = NULL;
	if (find_or_read(d, key, &c, why) < 0)
		return -1;
	lend(c, a, out);
	if (!c)
		return 0;
	c->used = true;
	if (!c->kept) {
		c->refs++;
		keep_entry(d, c);
	}
	return 0;
}

int directory_glance(struct directory *d, struct arena *a, struct str key, struct entry **out, struct problem *why)
{
	struct cached *c;

	*out = NULL;
	if (find_or_read(d, key, &c, why) < 0)
		return -1;
	lend(c, a, out);
	return 0;
}

int directory_read(struct directory *d, struct arena *a, struct str key, struct entry **out, struct problem *why)
{
	struct cached *c;

	*out = NULL;
	if (read_entry(d, key, &c) < 0)
		return unreadable(why);
	lend(c, a, out);
	return 0;
}

/* Entries: their schemas. A row older than a rule may hold anything. */

struct json_object *directory_schema(struct arena *a, const struct entry *e)
{
	struct json_object *o = NULL;

	if (row_blank(&e->row, ROW_INPUT_SCHEMA) || json_parse(a, row_text(&e->row, ROW_INPUT_SCHEMA), &o, NULL) < 0)
		return NULL;
	return o;
}

static const struct schema *validator(struct directory *d, const struct entry *e, enum part part)
{
	struct cached *c = (struct cached *)e;
	size_t more = SCHEMA_FIXED + SCHEMA_COST * row_text(&e->row, ROW_INPUT_SCHEMA).n;
	struct json_object *whole, *o;

	if (c->compiled[part])
		return c->validator[part];
	c->compiled[part] = true;
	whole = directory_schema(NULL, e);
	o = part == RESULT ? json_get(whole, "x-output-schema") : whole;
	c->validator[part] = o ? schema_compile(o, NULL, NULL) : NULL;
	json_object_put(whole);
	if (!c->validator[part])
		return NULL;
	c->size += more;
	if (c->kept) {
		d->entries_size += more;
		make_room(d);           /* may let it go: the caller holds it */
	}
	return c->validator[part];
}

const struct schema *directory_validator(struct directory *d, const struct entry *e)
{
	return validator(d, e, ARGUMENTS);
}

const struct schema *directory_output(struct directory *d, const struct entry *e)
{
	return e->output ? validator(d, e, RESULT) : NULL;
}

/* The list */

static int compare_bytes(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.n > b.n) - (a.n < b.n);
}

/* The order of SQL_ITEM_ALL. */
static int compare_items(const struct directory_item *a, const struct directory_item *b)
{
	if (a->has_seq != b->has_seq)
		return a->has_seq ? -1 : 1;
	if (a->has_seq && a->seq != b->seq)
		return a->seq < b->seq ? -1 : 1;
	return compare_bytes(a->key, b->key);
}

/* Where the item stands, or would. */
static size_t place_of(const struct directory *d, const struct directory_item *i)
{
	size_t low = 0, high = d->items;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (compare_items(&d->item[mid], i) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The key's memory holds the other texts too. */
static struct directory_item item_from(struct db_stmt *s)
{
	struct str key = db_text(s, 0), category = db_text(s, 1), type = db_text(s, 2);
	char *p = mem_alloc(key.n + category.n + type.n + 1);
	struct directory_item i = {
		.key = str_make(p, key.n),
		.category = str_make(category.p ? p + key.n : NULL, category.n),
		.type = str_make(p + key.n + category.n, type.n),
		.enabled = db_int(s, 3) != 0,
		.planner_visible = db_int(s, 4) != 0,
		.sensitive = db_int(s, 5) != 0,
		.planner_rank = db_int(s, 6),
		.has_seq = !db_is_null(s, 7),
		.seq = db_int(s, 7),
		.identity = db_int(s, 8),
	};

	memcpy(p, key.p, key.n);
	if (category.n)
		memcpy(p + key.n, category.p, category.n);
	memcpy(p + key.n + category.n, type.p, type.n);
	return i;
}

static void item_free(struct directory_item *i)
{
	free((char *)i->key.p);
}

static void insert_item(struct directory *d, size_t at, struct directory_item i)
{
	if (d->items == d->items_room) {
		d->items_room = d->items_room ? d->items_room * 2 : 64;
		d->item = mem_resize(d->item, d->items_room * sizeof(*d->item));
	}
	memmove(d->item + at + 1, d->item + at, (d->items - at) * sizeof(*d->item));
	d->item[at] = i;
	d->items++;
}

static void drop_items(struct directory *d)
{
	for (size_t i = 0; i < d->items; i++)
		item_free(&d->item[i]);
	d->items = 0;
	d->items_read = false;
}

static int read_items(struct directory *d)
{
	struct db_stmt *s = db_start(d->db, SQL_ITEM_ALL, "");
	int rc;

	while ((rc = db_step(s)) == 1)
		insert_item(d, d->items, item_from(s));
	db_end(s);
	if (rc < 0)
		drop_items(d);
	d->items_read = rc == 0;
	return rc;
}

static int update_item(struct directory *d, struct str key)
{
	struct db_stmt *s;
	int rc;

	for (size_t i = 0; i < d->items; i++)
		if (str_eq(d->item[i].key, key)) {
			item_free(&d->item[i]);
			d->items--;
			memmove(d->item + i, d->item + i + 1, (d->items - i) * sizeof(*d->item));
			break;
		}
	s = db_start(d->db, SQL_ITEM_GET, "s", key);
	rc = db_step(s);
	if (rc == 1) {
		struct directory_item i = item_from(s);

		insert_item(d, place_of(d, &i), i);
	}
	db_end(s);
	return rc < 0 ? -1 : 0;
}

const struct directory_item *directory_items(struct directory *d, size_t *n)
{
	if (!d->shared)
		directory_refresh(d);
	if (!d->items_read)
		read_items(d);
	*n = d->items;
	return d->items ? d->item : NULL;
}

int64_t directory_row_num(struct directory *d, struct str key)
{
	size_t n, at;
	const struct directory_item *list = directory_items(d, &n);
	const struct cached *c = *find_entry(d, key);

	if (c) {
		struct directory_item i = {
			.key = key, .has_seq = !c->out.row.v[ROW_SEQ].null, .seq = row_number(&c->out.row, ROW_SEQ),
		};

		at = place_of(d, &i);
		if (at < n && str_eq(list[at].key, key))
			return (int64_t)at + 1;
	}
	for (at = 0; at < n; at++)
		if (str_eq(list[at].key, key))
			return (int64_t)at + 1;
	return 0;
}

/* Bodies */

static void body_unref(void *p)
{
	struct body *b = p;

	if (--b->refs == 0)
		free(b);
}

static struct body **find_body(struct directory *d, const char *name)
{
	struct body **at = &d->body[hash(str_of(name), BODY_BUCKETS)];

	while (*at && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	return at;
}

static size_t body_size(size_t name, size_t text)
{
	return sizeof(struct body) + name + text + 1;
}

static void link_newest_body(struct directory *d, struct body *b)
{
	b->newer = NULL;
	*(d->newest_body ? &d->newest_body->newer : &d->oldest_body) = b;
	d->newest_body = b;
}

static struct body *unlink_oldest_body(struct directory *d)
{
	struct body *b = d->oldest_body;

	d->oldest_body = b->newer;
	if (!d->oldest_body)
		d->newest_body = NULL;
	return b;
}

static void drop_oldest_body(struct directory *d)
{
	struct body *b = unlink_oldest_body(d), **at = &d->body[hash(str_of(b->name), BODY_BUCKETS)];

	while (*at != b)
		at = &(*at)->next;
	*at = b->next;
	d->bodies_size -= body_size(strlen(b->name) + 1, b->text.n);
	body_unref(b);
}

/* Second chance, as for entries. The one just put counts as used, so it stays. */
static void make_body_room(struct directory *d)
{
	while (d->bodies_size > DIRECTORY_BODIES_MAX) {
		struct body *b = d->oldest_body;

		if (!b->used) {
			drop_oldest_body(d);
			continue;
		}
		b->used = false;
		link_newest_body(d, unlink_oldest_body(d));
	}
}

static void drop_bodies(struct directory *d)
{
	while (d->oldest_body)
		drop_oldest_body(d);
}

struct str directory_body_get(struct directory *d, const char *name)
{
	struct body *b;

	if (!d->shared)
		directory_refresh(d);
	b = *find_body(d, name);
	if (!b)
		return str_of(NULL);
	b->used = true;
	return b->text;
}

struct str directory_body_put(struct directory *d, const char *name, struct str body)
{
	struct body **at = find_body(d, name), *b;
	size_t n = strlen(name) + 1;
	char *p;

	if (*at)                        /* another fiber was first; it rendered the same */
		return (*at)->text;
	if (body_size(n, body.n) > DIRECTORY_BODIES_MAX)
		return body;
	b = mem_alloc(body_size(n, body.n));
	p = (char *)(b + 1);
	*b = (struct body){ .refs = 1, .used = true, .name = p, .text = str_make(p + n, body.n), .next = *at };
	memcpy(p, name, n);
	if (body.n)
		memcpy(p + n, body.p, body.n);
	*at = b;
	link_newest_body(d, b);
	d->bodies_size += body_size(n, body.n);
	make_body_room(d);
	return b->text;
}

void directory_body_hold(struct directory *d, struct arena *a, const char *name)
{
	struct body *b = *find_body(d, name);

	if (!b)
		return;
	b->refs++;
	arena_defer(a, body_unref, b);
}

/* Following the changes */

static void forget_everything(struct directory *d)
{
	drop_entries(d);
	drop_items(d);
	drop_bodies(d);
}

static int forget_row(struct directory *d, struct str key)
{
	struct cached **at = find_entry(d, key);

	if (*at)
		drop_entry(d, at);
	drop_includers(d, key);
	return d->items_read ? update_item(d, key) : 0;
}

/* Forgets what the events behind d->seq are about. -1 when they cannot be read or are too many. */
static int follow(struct directory *d)
{
	struct db_stmt *s = db_start(d->db, SQL_EVENT_KEYS, "ii", d->seq, (int64_t)DIRECTORY_CHANGES_MAX + 1);
	int64_t n = 0;
	int rc;

	while ((rc = db_step(s)) == 1 && n++ < DIRECTORY_CHANGES_MAX) {
		if (forget_row(d, db_text(s, 1)) < 0) {
			rc = -1;
			break;
		}
		d->seq = db_int(s, 0);
	}
	db_end(s);
	return rc == 0 ? 0 : -1;
}

/* The last event, known before anything is read. */
static void begin_anew(struct directory *d)
{
	bool found;

	forget_everything(d);
	if (db_one_int(d->db, SQL_DIRECTORY_VERSION, &d->seq, &found, "") < 0 || !found)
		d->seq = -1;
}

static uint64_t current_generation(struct directory *d)
{
	int64_t version;
	bool found;

	if (d->shared)
		return atomic_load_explicit(&d->shared->rows_generation, memory_order_acquire);
	/* Without a writer's word: SQLite's own counter, which moves when another connection commits. */
	if (db_one_int(d->db, SQL_DIRECTORY_DATA_VERSION, &version, &found, "") < 0 || !found)
		return d->generation + 1;
	return (uint64_t)version;
}

uint64_t directory_refresh(struct directory *d)
{
	uint64_t now = current_generation(d);

	if (d->opened && now == d->generation)
		return now;
	drop_bodies(d);
	if (d->seq < 0 || follow(d) < 0)
		begin_anew(d);
	d->generation = now;
	d->opened = true;
	return now;
}

/* The whole */

static struct db *open_file(const struct conf *conf, const char *name, enum sql_file file, struct problem *why)
{
	struct buf path = BUF_MALLOC;
	struct db *db;

	buf_printf(&path, "%s/%s", conf->data_dir, name);
	db = db_open(buf_text(&path), file, DB_READ, NULL, why);
	buf_free(&path);
	return db;
}

struct directory *directory_open(const struct conf *conf, struct shared *shared, struct problem *why)
{
	struct directory *d = mem_alloc(sizeof(*d));

	d->conf = conf;
	d->shared = shared;
	d->seq = -1;
	d->scratch = arena_new();
	d->db = open_file(conf, "directory.db", SQL_DIRECTORY, why);
	if (d->db)
		d->ledger = open_file(conf, "ledger.db", SQL_LEDGER, why);
	if (d->ledger) {
		directory_refresh(d);
		return d;
	}
	directory_close(d);
	return NULL;
}

void directory_close(struct directory *d)
{
	if (!d)
		return;
	forget_everything(d);
	free(d->item);
	db_close(d->db);
	db_close(d->ledger);
	arena_free(d->scratch);
	free(d);
}

struct db *directory_db(struct directory *d)
{
	return d->db;
}

struct db *directory_ledger(struct directory *d)
{
	return d->ledger;
}

const struct conf *directory_conf(const struct directory *d)
{
	return d->conf;
}

bool directory_reads(const struct directory_reader *r, const struct directory_item *i)
{
	return r->reads(r->ctx, i->key, i->category.p ? i->category : str_of(""), i->enabled);
}
