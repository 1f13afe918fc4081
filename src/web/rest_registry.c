/* The registry (spec section 4.2): every enabled row that the caller may read, in one document. How a large document is
 * made, kept and sent: large.c. */
#include "config.h"
#include "directory/document.h"
#include "web/emit.h"
#include "web/large.h"
#include "web/rest.h"

enum { REGISTRY_TURN = 16 };    /* rows rendered before other requests have their turn: about a millisecond */

static void emit_object(struct buf *out, struct arena *a, const struct entry *e)
{
	static const struct { const char *name; enum docstring_label label; } docs[] = {
		{ "what", DOC_WHAT },
		{ "when_to_use", DOC_WHEN_TO_USE },
		{ "args", DOC_ARGS },
		{ "output", DOC_OUTPUT },
	};

	emit_begin(out, NULL, '{');
	emit_str(out, "key", e->key);
	for (size_t i = 0; i < sizeof(docs) / sizeof(docs[0]); i++)
		emit_str(out, docs[i].name, e->doc.label[docs[i].label]);
	emit_str(out, "example", document_example(a, e));
	emit_bool(out, "planner_visible", e->planner_visible);
	emit_text(out, "digest", e->digest);
	emit_raw(out, "contract", e->contract);
	emit_end(out, '}');
}

/* The keys to list, copied: the items may change while others have their turn. */
static struct str *registry_keys(struct rest *r, struct str category, size_t *keys)
{
	size_t n;
	const struct directory_item *item = directory_items(r->service->directory, &n);
	struct str *key = arena_alloc(r->arena, (n + 1) * sizeof(*key));

	*keys = 0;
	for (size_t i = 0; i < n; i++) {
		if (item[i].enabled && (!category.p || str_eq(item[i].category, category)) &&
		    caller_reads(&r->caller, item[i].key, item[i].category, item[i].enabled))
			key[(*keys)++] = arena_copy(r->arena, item[i].key);
	}
	return key;
}

/* *count: those that were still there. */
static int emit_objects(struct rest *r, struct large_sink *s, struct str category, int64_t *count, struct problem *why)
{
	size_t keys;
	const struct str *key = registry_keys(r, category, &keys);

	*count = 0;
	for (size_t i = 0; i < keys; i++) {
		struct entry *e;

		if (i % REGISTRY_TURN == REGISTRY_TURN - 1)
			large_turn(s);
		if (directory_glance(r->service->directory, s->arena, key[i], &e, why) < 0)
			return -1;
		if (!e || !e->enabled || (category.p && !str_eq(e->category, category)) ||
		    !caller_reads(&r->caller, e->key, e->category, e->enabled))
			continue;
		emit_object(&s->text, s->arena, e);
		(*count)++;
	}
	return 0;
}

static int write_registry(struct rest *r, void *ctx, struct large_sink *s, struct problem *why)
{
	struct buf *out = &s->text;
	struct str *category = ctx;
	int64_t count;

	emit_begin(out, NULL, '{');
	emit_text(out, "protocol", REST_PROTOCOL);
	emit_text(out, "version", PACKAGE_VERSION);
	emit_begin(out, "objects", '[');
	if (emit_objects(r, s, *category, &count, why) < 0)
		return -1;
	emit_end(out, ']');
	emit_int(out, "count", count);
	emit_end(out, '}');
	emit_done(out);
	s->keep = count > 0;    /* anybody can ask for categories that are not there */
	return 0;
}

void rest_registry_all(struct rest *r)
{
	struct str category = request_param(r->req, "category");
	struct large l = { .type = "application/json", .write = write_registry, .ctx = &category };

	if (router_switch(r, "registry") < 0)
		return;
	/* An actor holds no blank. */
	l.name = arena_printf(r->arena, "registry %s%s%s", r->caller.actor, category.p ? " " : "",
			      category.p ? category.p : "");
	large_answer(r, &l);
}
