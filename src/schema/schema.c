/* The layer's front: schemas and registries as others see them. The work is done in compile.c, evaluate.c,
 * defaults.c and plain.c. */
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "schema/compile.h"
#include "schema/defaults.h"
#include "schema/evaluate.h"
#include "schema/plain.h"
#include "schema/schema.h"
#include "schema/uri.h"

struct registered {
	struct registered *next;
	char *uri;
	struct json_object *doc;
};

struct schema_registry {
	struct registered *first;
};

struct schema_registry *schema_registry_new(void)
{
	return mem_alloc(sizeof(struct schema_registry));
}

void schema_registry_free(struct schema_registry *r)
{
	struct registered *next;

	if (!r)
		return;
	for (struct registered *d = r->first; d; d = next) {
		next = d->next;
		json_object_put(d->doc);
		free(d->uri);
		free(d);
	}
	free(r);
}

void schema_registry_add(struct schema_registry *r, const char *uri, struct json_object *doc)
{
	struct registered *d = mem_alloc(sizeof(*d));
	struct str fragment;

	d->uri = mem_strndup(uri, uri_without_fragment(str_of(uri), &fragment).n);
	d->doc = json_object_get(doc);
	d->next = r->first;
	r->first = d;
}

static bool is_own_id(struct json_object *doc, const char *uri)
{
	struct str fragment, id = json_str(json_get(doc, "$id"));

	return id.p && str_is(uri_without_fragment(id, &fragment), uri);
}

struct json_object *schema_registry_find(const struct schema_registry *r, const char *uri)
{
	if (!r)
		return NULL;
	for (const struct registered *d = r->first; d; d = d->next)
		if (strcmp(d->uri, uri) == 0)
			return d->doc;
	for (const struct registered *d = r->first; d; d = d->next)
		if (is_own_id(d->doc, uri))
			return d->doc;
	return NULL;
}

static void put_document(void *doc)
{
	json_object_put(doc);
}

struct schema *schema_compile(struct json_object *doc, const struct schema_registry *r, struct problem *why)
{
	struct schema *s = mem_alloc(sizeof(*s));

	s->arena = arena_new_small();
	s->document = json_object_get(doc);
	arena_defer(s->arena, put_document, doc);
	if (compile_run(s, doc, r, why) == 0)
		return s;
	schema_free(s);
	return NULL;
}

struct json_object *schema_document(const struct schema *s)
{
	return s ? s->document : NULL;
}

void schema_free(struct schema *s)
{
	if (!s)
		return;
	arena_free(s->arena);
	free(s);
}

int schema_validate(const struct schema *s, struct arena *a, struct json_object *instance, struct problem *why)
{
	return evaluate_run(s, a, instance, why);
}

void schema_defaults(const struct schema *s, struct json_object *instance)
{
	defaults_fill(s, instance);
}

int schema_plain(const struct schema *s, struct buf *out, struct problem *why)
{
	return plain_write(s, out, why);
}
