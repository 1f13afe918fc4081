/* Presents what rank.c found, within a number of bytes: pieces are written one by one, and what fits is joined. */
#include "base/escape.h"
#include "call/ask.h"
#include "call/dispatch.h"
#include "directory/document.h"
#include "directory/rank.h"

enum { KEPT_MATCHES = 3 };              /* before texts are cut */

/* How long texts may be, from generous to none. */
static const size_t text_max[] = { SIZE_MAX, 240, 80, 0 };

enum { TEXTS_N = sizeof(text_max) / sizeof(*text_max) };

struct found { struct entry *entry; struct str example; };

struct answer {
	const struct ask *ask;
	struct found found[ASK_LIMIT_MAX];
	unsigned n;
	struct buf out;
};

static void put_cut(struct json_object *o, struct arena *a, const char *name, struct str text, size_t max)
{
	struct buf b = BUF_ARENA(a);

	if (!max)
		return;
	if (text.n > max) {
		buf_putstr(&b, str_make(text.p, escape_cut(text, max)));
		buf_puts(&b, "…");
		text = buf_str(&b);
	}
	json_put_str(o, name, text);
}

static struct str url(const struct answer *a, const char *query, struct str key, const char *rest)
{
	struct buf b = BUF_ARENA(a->ask->arena);

	buf_printf(&b, "%s/api/dispatch?%s=", dispatch_context()->conf->base_url, query);
	escape_add(&b, ESCAPE_QUERY, key);
	buf_puts(&b, rest);
	return buf_str(&b);
}

static struct json_object *match(const struct answer *a, const struct found *f, size_t max)
{
	struct json_object *o = json_object_new_object();
	const struct str *label = f->entry->doc.label;
	struct arena *arena = a->ask->arena;

	json_put_str(o, "key", f->entry->key);
	put_cut(o, arena, "what", label[DOC_WHAT], max);
	put_cut(o, arena, "when_to_use", label[DOC_WHEN_TO_USE], max);
	put_cut(o, arena, "args", label[DOC_ARGS].n ? label[DOC_ARGS] : label[DOC_INPUT], max);
	if (f->example.n <= max) {
		json_put_str(o, "example", f->example);
		json_put_str(o, "invoke", document_run_url(arena, f->entry, dispatch_context()->conf->base_url));
	}
	json_put_str(o, "read", url(a, "key", f->entry->key, "&format=markdown"));
	return o;
}

static struct json_object *ready_call(const struct answer *a, const struct found *f)
{
	struct json_object *call = json_object_new_object(), *body = json_object_new_object();

	json_put_str(body, "key", f->entry->key);
	json_put_str(body, "body", f->example);
	if (a->ask->id[0])
		json_put_text(body, "ask", a->ask->id);
	json_put_text(call, "method", "POST");
	json_put_text(call, "url", arena_printf(a->ask->arena, "%s/api/dispatch", dispatch_context()->conf->base_url));
	json_put(call, "body", body);
	return call;
}

static struct json_object *best(const struct answer *a, size_t max, bool call)
{
	const struct found *f = a->found;
	struct json_object *o = json_object_new_object();

	json_put_str(o, "key", f->entry->key);
	put_cut(o, a->ask->arena, "what", f->entry->doc.label[DOC_WHAT], max);
	if (call) {
		json_put(o, "call", ready_call(a, f));
		json_put_str(o, "invoke",
			document_run_url(a->ask->arena, f->entry, dispatch_context()->conf->base_url));
	} else {
		json_put_str(o, "read", url(a, "key", f->entry->key, "&format=markdown"));
	}
	return o;
}

/* Compact text of o, which is put. */
static struct str text_of(const struct answer *a, struct json_object *o)
{
	struct buf b = BUF_ARENA(a->ask->arena);

	json_text(&b, o);
	json_object_put(o);
	return buf_str(&b);
}

/* The whole with n matches. True when it fits. */
static bool join(struct answer *a, struct str head, const struct str *piece, unsigned n, struct str rest, bool cut)
{
	buf_clear(&a->out);
	buf_puts(&a->out, "{\"ask_id\":");
	if (a->ask->id[0])
		buf_printf(&a->out, "\"%s\"", a->ask->id);
	else
		buf_puts(&a->out, "null");
	buf_printf(&a->out, ",\"count\":%u,\"best\":", n);
	buf_putstr(&a->out, head);
	buf_puts(&a->out, ",\"matches\":[");
	for (unsigned i = 0; i < n; i++) {
		buf_puts(&a->out, i ? "," : "");
		buf_putstr(&a->out, piece[i]);
	}
	buf_puts(&a->out, "]");
	buf_putstr(&a->out, rest);
	buf_printf(&a->out, ",\"cut\":%s}\n", cut ? "true" : "false");
	return a->out.len <= (size_t)a->ask->budget;
}

/* With at least `least` matches and as many more as fit. */
static bool fits(struct answer *a, size_t max, bool call, unsigned least)
{
	struct str piece[ASK_LIMIT_MAX], none = str_of("");
	struct str head = text_of(a, best(a, max, call));

	for (unsigned i = 0; i < a->n; i++)
		piece[i] = text_of(a, match(a, &a->found[i], max));
	for (unsigned n = a->n; n >= least; n--) {
		if (join(a, head, piece, n, none, n < a->n || max < SIZE_MAX || !call))
			return true;
		if (!n)
			break;
	}
	return false;
}

static void present(struct answer *a)
{
	unsigned least = a->n < KEPT_MATCHES ? a->n : KEPT_MATCHES;

	for (int i = 0; i < TEXTS_N; i++)
		if (fits(a, text_max[i], true, least))
			return;
	if (!fits(a, 0, true, 1) && !fits(a, 0, false, 1) && !fits(a, 0, false, 0))
		join(a, str_of("null"), NULL, 0, str_of(""), true);
}

static void present_nothing(struct answer *a, const struct rank_query *q)
{
	struct rank_category category[RANK_CATEGORIES_MAX];
	unsigned n = rank_categories(dispatch_context()->directory, a->ask->arena, q, category), all = n;

	do {
		struct buf rest = BUF_ARENA(a->ask->arena);
		struct json_object *list = json_object_new_array();

		for (unsigned i = 0; i < n; i++) {
			struct json_object *o = json_object_new_object();

			json_put_str(o, "category", category[i].name);
			json_put_int(o, "count", category[i].rows);
			json_object_array_add(list, o);
		}
		buf_puts(&rest, ",\"categories\":");
		buf_putstr(&rest, text_of(a, list));
		if (join(a, str_of("null"), NULL, 0, buf_str(&rest), n < all))
			return;
	} while (n-- > 0);
}

int ask_answer(const struct ask *ask, struct str *out, struct problem *why)
{
	struct directory *d = dispatch_context()->directory;
	struct rank_query q = {
		.text = ask->text, .category = ask->category, .reader = caller_reader(ask->caller), .planner = true,
	};
	struct rank_match *m = arena_alloc(ask->arena, ASK_LIMIT_MAX * sizeof(*m));
	struct answer *a = arena_alloc(ask->arena, sizeof(*a));
	int n = rank_rows(d, ask->arena, &q, m, (unsigned)ask->limit, why);

	*a = (struct answer){ .ask = ask, .out = BUF_ARENA(ask->arena) };
	for (int i = 0; i < n; i++) {
		struct found *f = &a->found[a->n];

		if (directory_get(d, ask->arena, m[i].key, &f->entry, why) < 0)
			return -1;
		if (!f->entry)
			continue;
		f->example = document_example(ask->arena, f->entry);
		a->n++;
	}
	if (n < 0)
		return -1;
	if (a->n)
		present(a);
	else
		present_nothing(a, &q);
	*out = buf_str(&a->out);
	return 0;
}
