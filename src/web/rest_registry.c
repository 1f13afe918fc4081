/* The registry (spec section 4.2): every enabled row that the caller may read, in one document. How a large document is
 * made, kept and sent: large.c. */
#include "config.h"
#include "directory/document.h"
#include "web/emit.h"
#include "web/pass.h"

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

static int write_registry(struct rest *r, void *ctx, struct large_sink *s, struct problem *why)
{
	struct buf *out = &s->text;
	struct str *category = ctx;
	int64_t count = 0;
	struct entry *e;
	struct pass p;
	int got;

	emit_begin(out, NULL, '{');
	emit_text(out, "protocol", REST_PROTOCOL);
	emit_text(out, "version", PACKAGE_VERSION);
	emit_begin(out, "objects", '[');
	pass_begin(&p, r, s, *category);
	for (; (got = pass_next(&p, &e, why)) == 1; count++)
		emit_object(out, s->arena, e);
	if (got < 0)
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
