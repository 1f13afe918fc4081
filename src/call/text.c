/* Calls that stand in prose. What is a tag is lang/tag.c's, whether it may run is dispatch's. */
#include "call/text.h"
#include "loop/fiber.h"

enum {
	TURN = 256,                     /* names looked up before other requests have their turn */
	PAUSE_MS = 1,
};

struct names { const struct dispatch_request *request; unsigned asked; struct problem *why; };

static bool is_row(void *ctx, struct str key)
{
	struct names *names = ctx;
	const struct dispatch_request *r = names->request;
	struct entry *e = NULL;

	if (++names->asked % TURN == 0)
		fiber_sleep(PAUSE_MS);
	if (names->why->status || directory_get(dispatch_context()->directory, r->arena, key, &e, names->why) < 0)
		return false;
	return e && caller_reads(r->caller, e->key, e->category, e->enabled);
}

size_t text_tags(const struct dispatch_request *r, struct str text, struct tag tag[TEXT_TAGS_MAX], struct tag *reply,
	struct problem *why)
{
	struct names names = { .request = r, .why = why };

	return tag_find(r->arena, text, is_row, &names, tag, TEXT_TAGS_MAX, reply);
}

static void run(const struct dispatch_request *r, struct text_run *t)
{
	struct dispatch_request q = *r;

	q.key = t->tag.key;
	q.body = t->tag.body;
	dispatch_call(&q, &t->result, &t->why);
}

int text_call(const struct dispatch_request *r, struct str text, struct text_run **out, size_t *n, struct problem *why)
{
	struct tag *tag = arena_alloc(r->arena, TEXT_TAGS_MAX * sizeof(*tag));

	*n = text_tags(r, text, tag, NULL, why);
	if (why->status)
		return -1;
	if (*n > TEXT_TAGS_MAX)
		return problem_set(why, 422, "too_many_tags:%zu>%d", *n, TEXT_TAGS_MAX);
	*out = arena_alloc(r->arena, (*n + 1) * sizeof(**out));
	for (size_t i = 0; i < *n; i++) {
		(*out)[i].tag = tag[i];
		run(r, &(*out)[i]);
	}
	return 0;
}
