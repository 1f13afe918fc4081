/* The ranking of rows for a question. How it counts:
 *
 * Each different word of the question is a concept. It is looked for as it is (stemmed), as the beginning of longer
 * words, as what begins with a shorter one, and by the words that are said for it; if no row has any of these, as a
 * typing error, and then as a part of words. What a row has of a concept counts once, by its best word: how often and in which columns, saturating, times
 * how rare the word is among the rows that the reader sees (BM25F). Words that stand in any request count little, and
 * silent ones not at all.
 *
 * Earlier questions that led to a row are its neighbours: a question alike counts for the row, the next alike less, and
 * after a few nothing more, so that repeating a question gains nothing.
 *
 * The work is bounded: each place of a word that is read is counted, and what is over the limit is left out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/escape.h"
#include "directory/rank.h"
#include "directory/related.h"
#include "directory/wording.h"
#include "lang/key.h"

enum {
	PREFIX_MIN = 4,                 /* characters that two words must share to be forms of one */
	SHORTER_MAX = 4,                /* characters that are taken off for it */
	FORMS_MAX = 12,                 /* words tried for one concept */
	LONG_WORD = 8,                  /* bytes from which a word may have two typing errors */
	ENDING_MIN = 6,                 /* bytes of a word before an ending, and of the ending */
	ENDING_MAX = 3,
	QUERY_WORK = 32,                /* places that are read in the time that a query takes to begin */
	COUNTED = 8,                    /* rows of a word that are counted as quickly as a place is read */
	PART_MIN = 3,                   /* characters of a part of a word: what the table of parts holds */
	PARTS_MAX = 256,                /* rows found by a part of a word */
	WORD_BYTES = 64,                /* a longer word is no word */
	NEIGHBOURS = 6,                 /* earlier questions of a row that count */
};

/* The weight of a place by its column. */
static const double column_weight[WORDING_N] = {
	[WORDING_KEY] = 1, [WORDING_WHAT] = 1, [WORDING_WHEN_TO_USE] = 0.8, [WORDING_ARGS] = 0.4,
	[WORDING_EXAMPLES] = 0.4, [WORDING_CATEGORY] = 0.6, [WORDING_DESCRIPTION] = 0.3,
};

static const double saturation = 1.2;           /* BM25's k1 */
static const double form_weight = 0.6;          /* another form of the word, or the word as it was meant */
static const double related_weight = 0.4;       /* another word for it */
static const double repeat_weight = 0.5;        /* of the logarithm of how often the question has the word */
static const double learned_weight = 1;         /* of what earlier questions say, against what the row says */
static const double learned_request = 0.5;      /* of words that stand in any request, there */
static const double neighbour_decay = 0.8;

struct doc {
	int64_t identity;
	size_t item;
	double score, concept, tf;
	bool touched;                   /* by the concept */
};

struct learned { int64_t n; double sim; };
struct neighbour { uint32_t doc; double sim; };

struct form { struct str term; unsigned distance; };

/* The words that rows have for one of the question: those that share its beginning with it, and those that are alike. */
struct forms {
	struct form related[FORMS_MAX], alike[FORMS_MAX];
	unsigned n_related, n_alike;
};

struct word {
	struct str stem;
	double weight;
	unsigned count;
	bool exact;                     /* there are rows with the word itself */
	int64_t rows;                   /* rows that have it or what is related, about; hidden ones too */
	struct forms *forms;            /* NULL: taken as it is */
};

struct rank {
	struct directory *d;
	struct arena *a;
	const struct rank_query *q;
	struct word word[RANK_WORDS_MAX];
	unsigned words;
	struct doc *doc;
	uint32_t docs;
	uint32_t *table, mask;          /* identity → doc + 1 */
	uint32_t *touched, *placed;     /* docs of the concept, of the term */
	uint32_t n_touched;
	unsigned work;
	bool failed;
};

/* The words of the question */

static void take_word(void *ctx, struct str stem, struct str from)
{
	struct rank *r = ctx;
	double weight = wording_weight(from);

	if (weight <= 0 || stem.n > WORD_BYTES)
		return;
	for (unsigned i = 0; i < r->words; i++)
		if (str_eq(r->word[i].stem, stem)) {
			r->word[i].count++;
			return;
		}
	if (r->words < RANK_WORDS_MAX)
		r->word[r->words++] = (struct word){ .stem = arena_copy(r->a, stem), .weight = weight, .count = 1 };
}

static void read_words(struct rank *r)
{
	struct str text = str_make(r->q->text.p, escape_cut(r->q->text, RANK_QUESTION_MAX));
	struct buf b = BUF_ARENA(r->a);

	wording_prepare(&b, text);
	if (db_words(directory_db(r->d), buf_str(&b), take_word, r) < 0)
		r->failed = true;
}

/* The rows that count */

static bool counts(const struct rank_query *q, const struct directory_item *i)
{
	return i->enabled && (i->planner_visible || !q->planner) && directory_reads(&q->reader, i) &&
		(!q->category.p || str_eq(i->category, q->category));
}

static uint32_t slot_of(int64_t identity, uint32_t mask)
{
	return (uint32_t)(((uint64_t)identity * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & mask;
}

static void read_docs(struct rank *r)
{
	size_t n;
	const struct directory_item *item = directory_items(r->d, &n);
	uint32_t size = 64;

	while (size < 2 * n)
		size *= 2;
	r->mask = size - 1;
	r->table = arena_alloc(r->a, size * sizeof(*r->table));
	r->doc = arena_alloc(r->a, (n + 1) * sizeof(*r->doc));
	r->touched = arena_alloc(r->a, (n + 1) * sizeof(*r->touched));
	r->placed = arena_alloc(r->a, (n + 1) * sizeof(*r->placed));
	for (size_t i = 0; i < n; i++) {
		uint32_t at = slot_of(item[i].identity, r->mask);

		if (!item[i].identity || !counts(r->q, &item[i]))
			continue;
		while (r->table[at])
			at = (at + 1) & r->mask;
		r->doc[r->docs] = (struct doc){ .identity = item[i].identity, .item = i };
		r->table[at] = ++r->docs;
	}
}

/* The doc's place + 1, or 0: the row does not count. */
static uint32_t find_doc(const struct rank *r, int64_t identity)
{
	uint32_t at = slot_of(identity, r->mask);

	while (r->table[at] && r->doc[r->table[at] - 1].identity != identity)
		at = (at + 1) & r->mask;
	return r->table[at];
}

/* Terms */

static double rarity(double docs, double with)
{
	return log(1 + (docs - with + 0.5) / (with + 0.5));
}

/* What a term's places say: each row's best term of the concept stays. Returns how many rows have it. */
static uint32_t weigh(struct rank *r, uint32_t placed, double weight)
{
	double idf = weight * rarity(r->docs, placed);

	for (uint32_t i = 0; i < placed; i++) {
		struct doc *d = &r->doc[r->placed[i]];
		double x = idf * d->tf * (saturation + 1) / (d->tf + saturation);

		d->tf = 0;
		if (!d->touched)
			r->touched[r->n_touched++] = r->placed[i];
		d->touched = true;
		if (x > d->concept)
			d->concept = x;
	}
	return placed;
}

static void place(struct rank *r, int64_t identity, double weight, uint32_t *placed)
{
	uint32_t at = find_doc(r, identity);

	if (!at)
		return;
	if (r->doc[at - 1].tf <= 0)
		r->placed[(*placed)++] = at - 1;
	r->doc[at - 1].tf += weight;
}

static uint32_t look_up(struct rank *r, struct str term, double weight)
{
	struct db_stmt *s;
	uint32_t placed = 0;
	int rc = 0;

	r->work += QUERY_WORK;
	s = db_start(directory_db(r->d), SQL_WORD_PLACES, "s", term);
	while (r->work < RANK_WORK_MAX && (rc = db_step(s)) == 1) {
		enum wording_column c = wording_column_of(db_text(s, 1));

		r->work++;
		if (c < WORDING_N)
			place(r, db_int(s, 0), column_weight[c], &placed);
	}
	db_end(s);
	r->failed = r->failed || rc < 0;
	return weigh(r, placed, weight);
}

static uint32_t look_up_part(struct rank *r, struct str part, double weight)
{
	struct buf b = BUF_ARENA(r->a);
	struct db_stmt *s;
	uint32_t placed = 0;
	int rc = 0;

	buf_putc(&b, '"');
	for (size_t i = 0; i < part.n; i++)
		buf_puts(&b, part.p[i] == '"' ? "\"\"" : (char[]){ part.p[i], 0 });
	buf_putc(&b, '"');
	r->work += QUERY_WORK;
	s = db_start(directory_db(r->d), SQL_PARTS_FIND, "si", buf_str(&b), (int64_t)PARTS_MAX);
	while (r->work < RANK_WORK_MAX && (rc = db_step(s)) == 1) {
		r->work++;
		place(r, db_int(s, 0), 1, &placed);
	}
	db_end(s);
	r->failed = r->failed || rc < 0;
	return weigh(r, placed, weight);
}

/* Forms of a word */

static size_t characters(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += ((unsigned char)s.p[i] & 0xC0) != 0x80;
	return n;
}

/* Keeps the nearest. */
static void add_form(struct rank *r, struct form *form, unsigned *n, struct str term, unsigned distance)
{
	unsigned at = *n;

	while (at && form[at - 1].distance > distance)
		at--;
	if (at == FORMS_MAX)
		return;
	if (*n < FORMS_MAX)
		++*n;
	memmove(&form[at + 1], &form[at], (*n - at - 1) * sizeof(*form));
	form[at] = (struct form){ arena_copy(r->a, term), distance };
}

/* Two neighbours are swapped, and nothing else. */
static bool is_swapped(struct str a, struct str b)
{
	size_t i = 0;

	if (a.n != b.n)
		return false;
	while (i < a.n && a.p[i] == b.p[i])
		i++;
	return i + 1 < a.n && a.p[i] == b.p[i + 1] && a.p[i + 1] == b.p[i] &&
		memcmp(a.p + i + 2, b.p + i + 2, a.n - i - 2) == 0;
}

static unsigned distance_of(struct str a, struct str b, unsigned most)
{
	return is_swapped(a, b) ? 1 : key_distance(a, b, most);
}

/* How many typing errors are between the words, 0 when they are two words. With an error in it, a word may have kept an
 * ending that was taken off the other. */
static unsigned error_distance(struct str term, struct str wanted)
{
	unsigned most = wanted.n < LONG_WORD ? 1 : 2, distance = most + 1;

	if (term.n <= wanted.n + most && wanted.n <= term.n + most)
		distance = distance_of(term, wanted, most);
	if (distance > most && term.n >= ENDING_MIN && term.n < wanted.n && wanted.n <= term.n + ENDING_MAX)
		distance = distance_of(term, str_make(wanted.p, term.n), most);
	return distance <= most ? distance : 0;
}

static void take_form(struct rank *r, struct word *w, struct str term, int64_t rows)
{
	struct forms *f = w->forms;
	size_t shared = term.n < w->stem.n ? term.n : w->stem.n;
	unsigned distance;

	if (str_eq(term, w->stem)) {
		w->exact = true;
		w->rows += rows;
		return;
	}
	if (!f || term.n > WORD_BYTES)
		return;
	distance = (unsigned)(term.n > shared ? term.n - shared : w->stem.n - shared);
	if (memcmp(term.p, w->stem.p, shared) == 0 && characters(term) >= PREFIX_MIN &&
		term.n + SHORTER_MAX >= w->stem.n) {
		add_form(r, f->related, &f->n_related, term, distance);
		w->rows += rows;
	} else if ((distance = error_distance(term, w->stem)) > 0) {
		add_form(r, f->alike, &f->n_alike, term, distance);
	}
}

/* Looks through the words of all rows that have the first n characters of this one. */
static void read_forms(struct rank *r, struct word *w, size_t n)
{
	char end[WORD_BYTES + 1];
	size_t length = 0;
	struct db_stmt *s;
	uint32_t c;
	int rc = 0;

	if (w->forms)
		*w->forms = (struct forms){ .n_related = 0 };
	while (n-- && length < w->stem.n)
		length += (size_t)abs(escape_utf8_next(w->stem.p + length, w->stem.n - length, &c));
	memcpy(end, w->stem.p, length);
	end[length] = '\xff';           /* behind every character in UTF-8 */
	r->work += QUERY_WORK;
	s = db_start(directory_db(r->d), SQL_WORDS_BETWEEN, "ss", str_make(w->stem.p, length),
		str_make(end, length + 1));
	while (r->work < RANK_WORK_MAX && (rc = db_step(s)) == 1) {
		r->work += 1 + (unsigned)db_int(s, 1) / COUNTED;
		take_form(r, w, db_text(s, 0), db_int(s, 1));
	}
	db_end(s);
	r->failed = r->failed || rc < 0;
}

/* The nearest words to one that no row has. */
static uint32_t look_up_alike(struct rank *r, struct word *w)
{
	struct forms *f = w->forms;
	uint32_t found = 0;

	if (!f->n_alike)
		read_forms(r, w, 1);    /* the first letter is seldom wrong */
	for (unsigned i = 0; i < f->n_alike && f->alike[i].distance == f->alike[0].distance; i++)
		found += look_up(r, f->alike[i].term, form_weight);
	return found;
}

static uint32_t look_up_related(struct rank *r, struct str stem)
{
	struct str related[RELATED_MAX];
	unsigned n = related_stems(directory_db(r->d), stem, related);
	uint32_t found = 0;

	for (unsigned i = 0; i < n; i++)
		found += look_up(r, related[i], related_weight);
	return found;
}

static void look_up_word(struct rank *r, struct word *w)
{
	uint32_t found = w->exact ? look_up(r, w->stem, 1) : 0;

	for (unsigned i = 0; w->forms && i < w->forms->n_related; i++)
		found += look_up(r, w->forms->related[i].term, form_weight);
	if (w->weight >= 1)
		found += look_up_related(r, w->stem);
	if (!found && w->forms)
		found = look_up_alike(r, w);
	if (!found && w->weight >= 1 && characters(w->stem) >= PART_MIN)
		look_up_part(r, w->stem, form_weight);
}

/* A word that stands in any request is taken as it is, and last. */
static void find_forms(struct rank *r, struct word *w)
{
	size_t n = characters(w->stem);

	w->exact = w->weight < 1;
	w->rows = w->weight < 1 ? INT64_MAX : 0;
	if (w->weight < 1)
		return;
	if (n >= PREFIX_MIN)
		w->forms = arena_alloc(r->a, sizeof(*w->forms));
	read_forms(r, w, n < PREFIX_MIN ? n : PREFIX_MIN);
}

static int by_rows(const void *a, const void *b)
{
	const struct word *x = a, *y = b;

	return x->rows < y->rows ? -1 : x->rows > y->rows;
}

static void add_concept(struct rank *r, struct word *w)
{
	double weight = w->weight * (1 + repeat_weight * log(w->count));

	look_up_word(r, w);
	for (uint32_t i = 0; i < r->n_touched; i++) {
		struct doc *d = &r->doc[r->touched[i]];

		d->score += weight * d->concept;
		d->concept = 0;
		d->touched = false;
	}
	r->n_touched = 0;
}

/* Earlier questions */

struct sims { struct learned *at; size_t n, size; };

static struct learned *find_sim(struct sims *s, int64_t n)
{
	size_t at = slot_of(n, (uint32_t)(s->size - 1));

	while (s->at[at].n && s->at[at].n != n)
		at = (at + 1) & (s->size - 1);
	return &s->at[at];
}

static void grow_sims(struct rank *r, struct sims *s)
{
	struct sims old = *s;

	s->size = old.size ? old.size * 2 : 256;
	s->at = arena_alloc(r->a, s->size * sizeof(*s->at));
	for (size_t i = 0; i < old.size; i++)
		if (old.at[i].n)
			*find_sim(s, old.at[i].n) = old.at[i];
}

static void add_sim(struct rank *r, struct sims *s, int64_t n, double x)
{
	struct learned *l;

	if (s->n * 2 >= s->size)
		grow_sims(r, s);
	l = find_sim(s, n);
	s->n += l->n == 0;
	l->n = n;
	l->sim += x;
}

/* How many learned questions there are of the rows that count. */
static int64_t count_learned(struct rank *r)
{
	struct db_stmt *s = db_start(directory_ledger(r->d), SQL_LEARNED_ROWS, "");
	int64_t n = 0;
	int rc;

	while ((rc = db_step(s)) == 1)
		if (find_doc(r, db_int(s, 0)))
			n += db_int(s, 1);
	db_end(s);
	r->failed = r->failed || rc < 0;
	return n;
}

/* The questions that have the word, each once. */
static void add_learned(struct rank *r, struct sims *sims, const struct word *w, int64_t all)
{
	struct db_stmt *s = db_start(directory_ledger(r->d), SQL_LEARNED_PLACES, "s", w->stem);
	struct buf found = BUF_ARENA(r->a);
	int64_t last = 0, n, with = 0;
	double x;
	int rc = 0;

	while (r->work < RANK_WORK_MAX && (rc = db_step(s)) == 1) {
		n = db_int(s, 0);
		r->work++;
		if (n == last || !find_doc(r, n >> RANK_LEARNED_SHIFT))
			continue;
		buf_add(&found, &n, sizeof(n));
		with++;
		last = n;
	}
	db_end(s);
	r->failed = r->failed || rc < 0;
	x = rarity((double)all, (double)with) * (w->weight < 1 ? learned_request : 1);
	for (int64_t i = 0; i < with; i++) {
		memcpy(&n, found.data + (size_t)i * sizeof(n), sizeof(n));
		add_sim(r, sims, n, x);
	}
}

static int by_row(const void *a, const void *b)
{
	const struct neighbour *x = a, *y = b;

	if (x->doc != y->doc)
		return x->doc < y->doc ? -1 : 1;
	return x->sim > y->sim ? -1 : x->sim < y->sim;
}

static void add_neighbours(struct rank *r)
{
	struct sims sims = { .n = 0 };
	struct neighbour *near;
	int64_t all = count_learned(r);
	size_t n = 0;

	if (!all)
		return;
	r->work = 0;
	for (unsigned i = 0; i < r->words; i++)
		add_learned(r, &sims, &r->word[i], all);
	near = arena_alloc(r->a, (sims.n + 1) * sizeof(*near));
	for (size_t i = 0; i < sims.size; i++)
		if (sims.at[i].n)
			near[n++] = (struct neighbour){ find_doc(r, sims.at[i].n >> RANK_LEARNED_SHIFT) - 1, sims.at[i].sim };
	qsort(near, n, sizeof(*near), by_row);
	for (size_t i = 0, nth = 0; i < n; i++) {
		nth = i && near[i].doc == near[i - 1].doc ? nth + 1 : 0;
		if (nth < NEIGHBOURS)
			r->doc[near[i].doc].score += learned_weight * near[i].sim * pow(neighbour_decay, (double)nth);
	}
}

/* The answer */

static int by_score(const void *a, const void *b)
{
	const struct doc *x = a, *y = b;

	if (x->score < y->score || x->score > y->score)
		return x->score > y->score ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

static unsigned take_best(struct rank *r, struct rank_match *out, unsigned max)
{
	size_t items;
	const struct directory_item *item = directory_items(r->d, &items);
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->docs; i++)
		if (r->doc[i].score > 0)
			r->doc[n++] = r->doc[i];
	qsort(r->doc, n, sizeof(*r->doc), by_score);
	if (n > max)
		n = max;
	for (uint32_t i = 0; i < n; i++)
		out[i] = (struct rank_match){
			.key = arena_copy(r->a, item[r->doc[i].item].key), .index = r->doc[i].item, .score = r->doc[i].score,
		};
	return n;
}

/* The rarest words first: what they say weighs most, should the work be too much. */
static void add_concepts(struct rank *r)
{
	for (unsigned i = 0; i < r->words; i++)
		find_forms(r, &r->word[i]);
	qsort(r->word, r->words, sizeof(*r->word), by_rows);
	for (unsigned i = 0; i < r->words; i++)
		add_concept(r, &r->word[i]);
}

/* In one state of each file, and without locking it anew for each statement. */
static void read_all(struct rank *r)
{
	struct db *rows = directory_db(r->d), *ledger = directory_ledger(r->d);

	if (db_begin_read(rows) < 0) {
		r->failed = true;
		return;
	}
	add_concepts(r);
	db_end_read(rows);
	if (db_begin_read(ledger) < 0) {
		r->failed = true;
		return;
	}
	add_neighbours(r);
	db_end_read(ledger);
}

int rank_rows(struct directory *d, struct arena *a, const struct rank_query *q, struct rank_match *out, unsigned max,
	struct problem *why)
{
	struct rank *r = arena_alloc(a, sizeof(*r));

	*r = (struct rank){ .d = d, .a = a, .q = q };
	read_words(r);
	if (r->words) {
		read_docs(r);
		read_all(r);
	}
	if (r->failed)
		return problem_unavailable(why, "the words of rows cannot be read at this moment");
	return r->words ? (int)take_best(r, out, max) : 0;
}

/* Categories */

struct near_category { struct rank_category category; int nearness; };

static int by_nearness(const void *a, const void *b)
{
	const struct near_category *x = a, *y = b;

	if (x->nearness != y->nearness)
		return x->nearness < y->nearness ? -1 : 1;
	if (x->category.rows != y->category.rows)
		return x->category.rows > y->category.rows ? -1 : 1;
	return strcmp(x->category.name.p, y->category.name.p);
}

static int nearness(const struct rank *r, struct str name)
{
	int best = KEY_DISTANCE_MAX;

	for (unsigned i = 0; i < r->words; i++) {
		int n = characters(r->word[i].stem) < PREFIX_MIN ? -1 : key_nearness(r->word[i].stem, name);

		if (n >= 0 && n < best)
			best = n;
	}
	return best;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct rank_category *)a)->name.p, ((const struct rank_category *)b)->name.p);
}

unsigned rank_categories(struct directory *d, struct arena *a, const struct rank_query *q,
	struct rank_category out[RANK_CATEGORIES_MAX])
{
	struct rank *r = arena_alloc(a, sizeof(*r));
	size_t n, names = 0, groups = 0;
	const struct directory_item *item = directory_items(d, &n);
	struct rank_category *name = arena_alloc(a, (n + 1) * sizeof(*name));
	struct near_category *near;

	*r = (struct rank){ .d = d, .a = a, .q = q };
	read_words(r);
	for (size_t i = 0; i < n; i++)
		if (item[i].category.n && counts(q, &item[i]))
			name[names++] = (struct rank_category){ arena_copy(a, item[i].category), 1 };
	qsort(name, names, sizeof(*name), by_name);
	near = arena_alloc(a, (names + 1) * sizeof(*near));
	for (size_t i = 0; i < names; i++) {
		if (groups && str_eq(near[groups - 1].category.name, name[i].name))
			near[groups - 1].category.rows++;
		else
			near[groups++] = (struct near_category){ name[i], nearness(r, name[i].name) };
	}
	qsort(near, groups, sizeof(*near), by_nearness);
	for (n = 0; n < groups && n < RANK_CATEGORIES_MAX; n++)
		out[n] = near[n].category;
	return (unsigned)n;
}
