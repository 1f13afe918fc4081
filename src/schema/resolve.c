/* Documents, resources, anchors and references. A document is walked as soon as it is known, along the keywords of its
 * dialect that hold subschemas, without recursion: the list of nodes is also the list of work. Nothing is fetched. */
#include <stdlib.h>
#include "base/ascii.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/log.h"
#include "schema/keyword.h"
#include "schema/meta.h"
#include "schema/resolve.h"
#include "schema/uri.h"

struct resolve {
	struct arena *arena;
	const struct schema_registry *registry;
	struct problem *why;
	struct lh_table *resources;     /* URI -> struct resource */
	struct node *first, *last;
	size_t nodes;
};

static void free_table(void *t)
{
	lh_table_free(t);
}

static struct lh_table *new_table(struct arena *a, bool by_text)
{
	struct lh_table *t = by_text ? lh_kchar_table_new(8, NULL) : lh_kptr_table_new(16, NULL);

	if (!t)
		log_fatal("out of memory for a schema");
	arena_defer(a, free_table, t);
	return t;
}

static void *look_up(struct lh_table *t, const void *key)
{
	void *v = NULL;

	if (t)
		lh_table_lookup_ex(t, key, &v);
	return v;
}

static void insert(struct lh_table *t, const void *key, const void *value)
{
	if (lh_table_insert(t, key, value))
		log_fatal("out of memory for a schema");
}

struct resolve *resolve_new(struct arena *a, const struct schema_registry *registry, struct problem *why)
{
	struct resolve *r = arena_alloc(a, sizeof(*r));

	r->arena = a;
	r->registry = registry;
	r->why = why;
	r->resources = new_table(a, true);
	return r;
}

struct node *resolve_first(struct resolve *r)
{
	return r->first;
}

struct node *resolve_node(const struct document *d, struct json_object *value)
{
	return value ? look_up(d->nodes, value) : NULL;
}

void resolve_pointer(struct buf *out, const struct place *at)
{
	if (!at)
		return;
	resolve_pointer(out, at->up);
	buf_putc(out, '/');
	if (!at->name) {
		buf_printf(out, "%zu", at->index);
		return;
	}
	for (const char *p = at->name; *p; p++) {
		if (*p == '~' || *p == '/')
			buf_puts(out, *p == '~' ? "~0" : "~1");
		else
			buf_putc(out, *p);
	}
}

int resolve_bad(
	struct resolve *r, const struct document *d, const struct place *at, const char *keyword, const char *text)
{
	struct place last = { .up = at, .name = keyword };
	struct buf b = BUF_MALLOC;

	resolve_pointer(&b, keyword ? &last : at);
	problem_set(r->why, 422, "bad_schema");
	if (*d->uri)
		problem_detail(r->why, "%s#%s: %s", d->uri, buf_text(&b), text);
	else
		problem_detail(r->why, "%s: %s", b.len ? buf_text(&b) : "(root)", text);
	buf_free(&b);
	return -1;
}

static const struct place *step(struct resolve *r, const struct place *up, const char *name, size_t index)
{
	struct place *p = arena_alloc(r->arena, sizeof(*p));

	*p = (struct place){ up, name, index };
	return p;
}

static struct node *add_node(struct resolve *r, struct resource *in, struct json_object *json, const struct place *at)
{
	struct node *n;

	if (!json_object_is_type(json, json_type_object) && !json_object_is_type(json, json_type_boolean)) {
		resolve_bad(r, in->document, at, NULL, "a schema is an object or a boolean");
		return NULL;
	}
	if (++r->nodes > SCHEMA_NODES_MAX) {
		resolve_bad(r, in->document, at, NULL, "too many subschemas");
		return NULL;
	}
	n = arena_alloc(r->arena, sizeof(*n));
	n->json = json;
	n->resource = in;
	n->place = at;
	n->refuses = json_object_is_type(json, json_type_boolean) && !json_object_get_boolean(json);
	if (r->last)
		r->last->next = n;
	else
		r->first = n;
	r->last = n;
	if (!look_up(in->document->nodes, json))
		insert(in->document->nodes, json, n);
	return n;
}

static int bad_at(struct resolve *r, const struct node *n, const char *keyword, const char *text)
{
	return resolve_bad(r, n->resource->document, n->place, keyword, text);
}

/* The dialect of a meta-schema in the registry: its own draft, the vocabularies it lists. */
static const char *custom_dialect(struct json_object *meta, struct dialect *out)
{
	struct str schema = json_str(json_get(meta, "$schema"));
	struct json_object *list = json_get(meta, "$vocabulary");
	struct lh_entry *e;

	if (!schema.p || meta_dialect(schema.p, out) < 0)
		return "the dialect's meta-schema is neither of 2020-12 nor of draft-07";
	if (out->draft != DRAFT_2020 || !json_object_is_type(list, json_type_object))
		return NULL;
	out->vocabularies = VOCABULARY_CORE;
	lh_foreach(json_object_get_object(list), e) {
		unsigned v = meta_vocabulary(lh_entry_k(e));

		if (!v && json_object_get_boolean((struct json_object *)lh_entry_v(e)))
			return "the dialect requires a vocabulary that is not supported";
		out->vocabularies |= v;
	}
	return NULL;
}

/* `$schema`, at the root of a resource. */
static int choose_dialect(struct resolve *r, const struct node *n, struct dialect *out)
{
	struct json_object *schema, *meta;
	struct str fragment, uri;
	const char *bad;

	if (!json_object_object_get_ex(n->json, "$schema", &schema))
		return 0;
	if (!json_object_is_type(schema, json_type_string))
		return bad_at(r, n, "$schema", "must be a string");
	if (meta_dialect(json_object_get_string(schema), out) == 0)
		return 0;
	uri = uri_without_fragment(json_str(schema), &fragment);
	meta = schema_registry_find(r->registry, arena_str(r->arena, uri));
	bad = meta ? custom_dialect(meta, out) : "unknown dialect: 2020-12 and draft-07 are known";
	return bad ? bad_at(r, n, "$schema", bad) : 0;
}

static bool is_anchor(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		bool letter = ascii_is_letter(c) || c == '_';

		if (!letter && (i == 0 || !(ascii_is_digit(c) || c == '-' || c == '.')))
			return false;
	}
	return s.n > 0;
}

static int add_anchor(struct resolve *r, struct node *n, struct str name, const char *keyword, bool dynamic)
{
	struct resource *in = n->resource;
	const char *key;

	if (!is_anchor(name))
		return bad_at(r, n, keyword, "must be a name of letters, digits, \"-\", \"_\" and \".\"");
	key = arena_str(r->arena, name);
	if (!in->anchors)
		in->anchors = new_table(r->arena, true);
	if (look_up(in->anchors, key))
		return bad_at(r, n, keyword, "this name is used twice");
	insert(in->anchors, key, n);
	if (!dynamic)
		return 0;
	if (!in->dynamic)
		in->dynamic = new_table(r->arena, true);
	insert(in->dynamic, key, n);
	return 0;
}

static int add_resource(struct resolve *r, struct node *n, const char *uri, const char *keyword)
{
	struct resource *old = look_up(r->resources, uri), *parent = n->resource, *in;

	if (!n->place) {                /* the document was found under another URI, perhaps this one too */
		parent->uri = uri;
		if (!old)
			insert(r->resources, uri, parent);
		return 0;
	}
	if (old)
		return bad_at(r, n, keyword, "this identifier is used twice");
	in = arena_alloc(r->arena, sizeof(*in));
	in->uri = uri;
	in->document = parent->document;
	in->dialect = parent->dialect;
	in->node = n;
	n->resource = in;
	insert(r->resources, uri, in);
	return 0;
}

/* `$id`; in draft-07 a fragment in it is an anchor. */
static int identify_id(struct resolve *r, struct node *n, struct json_object *id)
{
	struct str fragment, text = json_str(id), before;
	struct buf uri = BUF_ARENA(r->arena);
	bool old = n->resource->dialect.draft == DRAFT_07;

	if (!text.p)
		return bad_at(r, n, "$id", "must be a string");
	before = uri_without_fragment(text, &fragment);
	if (fragment.n && !old)
		return bad_at(r, n, "$id", "must not have a fragment");
	if (before.n || !old) {
		uri_resolve(&uri, str_of(n->resource->uri), before);
		if (add_resource(r, n, buf_text(&uri), "$id") < 0)
			return -1;
	}
	return fragment.n ? add_anchor(r, n, fragment, "$id", false) : 0;
}

static int identify_anchors(struct resolve *r, struct node *n)
{
	static const char *const names[] = { "$anchor", "$dynamicAnchor" };

	for (int i = 0; i < 2; i++) {
		struct json_object *v;

		if (!json_object_object_get_ex(n->json, names[i], &v))
			continue;
		if (!json_object_is_type(v, json_type_string))
			return bad_at(r, n, names[i], "must be a string");
		if (add_anchor(r, n, json_str(v), names[i], i == 1) < 0)
			return -1;
	}
	return 0;
}

static int identify(struct resolve *r, struct node *n)
{
	struct json_object *id = NULL;

	if (!json_object_is_type(n->json, json_type_object))
		return 0;
	if (!n->place && choose_dialect(r, n, &n->resource->dialect) < 0)
		return -1;
	if (n->resource->dialect.draft == DRAFT_07 && json_object_object_get_ex(n->json, "$ref", NULL))
		return 0;               /* draft-07 section 8.3: neighbours of $ref are ignored, $id too */
	if (json_object_object_get_ex(n->json, "$id", &id) && identify_id(r, n, id) < 0)
		return -1;
	if (n->place && n->resource->node == n && choose_dialect(r, n, &n->resource->dialect) < 0)
		return -1;
	return n->resource->dialect.draft == DRAFT_07 ? 0 : identify_anchors(r, n);
}

static int add_members(
	struct resolve *r, const struct node *n, const struct place *at, struct json_object *o, bool arrays_too)
{
	struct lh_entry *e;

	lh_foreach(json_object_get_object(o), e) {
		struct json_object *v = (struct json_object *)lh_entry_v(e);

		if (!arrays_too && json_object_is_type(v, json_type_array))
			continue;
		if (!add_node(r, n->resource, v, step(r, at, lh_entry_k(e), 0)))
			return -1;
	}
	return 0;
}

static int add_items(struct resolve *r, const struct node *n, const struct place *at, struct json_object *list)
{
	for (size_t i = 0; i < json_object_array_length(list); i++)
		if (!add_node(r, n->resource, json_object_array_get_idx(list, i), step(r, at, NULL, i)))
			return -1;
	return 0;
}

static int add_children(struct resolve *r, const struct node *n, const struct keyword *k, struct json_object *v)
{
	const struct place *at = step(r, n->place, k->name, 0);
	bool list = json_object_is_type(v, json_type_array), object = json_object_is_type(v, json_type_object);

	switch (k->children) {
	case CHILDREN_NONE:
		return 0;
	case CHILDREN_ONE:
		return add_node(r, n->resource, v, at) ? 0 : -1;
	case CHILDREN_LIST:
		return list ? add_items(r, n, at, v) : 0;
	case CHILDREN_MEMBERS:
		return object ? add_members(r, n, at, v, true) : 0;
	case CHILDREN_ONE_OR_LIST:
		return list ? add_items(r, n, at, v) : add_node(r, n->resource, v, at) ? 0 : -1;
	case CHILDREN_SOME_MEMBERS:
		return object ? add_members(r, n, at, v, false) : 0;
	}
	return 0;
}

/* From n to the end of the list, which grows meanwhile. */
static int walk(struct resolve *r, struct node *n)
{
	for (; n; n = n->next) {
		if (identify(r, n) < 0)
			return -1;
		if (!json_object_is_type(n->json, json_type_object))
			continue;
		for (const struct keyword *k = keyword_table; k->name; k++) {
			struct json_object *v;

			if (k->children == CHILDREN_NONE || !keyword_in(k, n->resource->dialect) ||
			    !json_object_object_get_ex(n->json, k->name, &v))
				continue;
			if (add_children(r, n, k, v) < 0)
				return -1;
		}
	}
	return 0;
}

static bool too_deep(struct json_object *o, int left)
{
	struct lh_entry *e;

	if (json_object_is_type(o, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(o); i++)
			if (left == 0 || too_deep(json_object_array_get_idx(o, i), left - 1))
				return true;
		return left == 0;
	}
	if (!json_object_is_type(o, json_type_object))
		return false;
	lh_foreach(json_object_get_object(o), e)
		if (left == 0 || too_deep((struct json_object *)lh_entry_v(e), left - 1))
			return true;
	return left == 0;
}

struct node *resolve_document(struct resolve *r, struct json_object *doc, const char *uri, struct dialect usual)
{
	struct document *d = arena_alloc(r->arena, sizeof(*d));
	struct resource *in = arena_alloc(r->arena, sizeof(*in));

	d->uri = uri;
	d->json = doc;
	d->nodes = new_table(r->arena, false);
	in->uri = uri;
	in->document = d;
	in->dialect = usual;
	insert(r->resources, uri, in);
	if (too_deep(doc, JSON_DEPTH_MAX)) {
		resolve_bad(r, d, NULL, NULL, "nested too deep");
		return NULL;
	}
	in->node = add_node(r, in, doc, NULL);
	return in->node && walk(r, in->node) == 0 ? in->node : NULL;
}

static void put_document(void *o)
{
	json_object_put(o);
}

/* The resource with this URI, its document made known if need be. NULL: *unknown tells whether there is none, or why
 * was filled. */
static struct resource *find_resource(struct resolve *r, const char *uri, struct dialect usual, bool *unknown)
{
	struct resource *in = look_up(r->resources, uri);
	struct json_object *doc;
	struct node *n;

	*unknown = false;
	if (in)
		return in;
	doc = json_object_get(schema_registry_find(r->registry, uri));
	if (!doc)
		doc = meta_document(uri);
	if (!doc) {
		*unknown = true;
		return NULL;
	}
	arena_defer(r->arena, put_document, doc);
	n = resolve_document(r, doc, uri, usual);
	return n ? n->resource : NULL;
}

/* One reference token of RFC 6901, NUL-terminated in the arena; NULL when malformed. */
static const char *token(struct resolve *r, struct str raw)
{
	char *out = arena_alloc(r->arena, raw.n + 1), *p = out;

	for (size_t i = 0; i < raw.n; i++) {
		char c = raw.p[i];

		if (c == '~') {
			if (i + 1 == raw.n || (raw.p[i + 1] != '0' && raw.p[i + 1] != '1'))
				return NULL;
			c = raw.p[++i] == '0' ? '~' : '/';
		}
		if (!c)
			return NULL;
		*p++ = c;
	}
	return out;
}

static bool descend(struct json_object **at, const char *name, size_t *index)
{
	char *end;

	if (json_object_is_type(*at, json_type_object))
		return json_object_object_get_ex(*at, name, at);
	if (!json_object_is_type(*at, json_type_array) || *name < '0' || *name > '9' || (*name == '0' && name[1]))
		return false;
	*index = strtoull(name, &end, 10);
	if (*end || *index >= json_object_array_length(*at))
		return false;
	*at = json_object_array_get_idx(*at, *index);
	return true;
}

/* By JSON Pointer from a resource's root. Where it leads to a place that no keyword knows, the value becomes a
 * subschema of the resource that it lies in. */
static struct node *by_pointer(struct resolve *r, struct resource *in, struct str pointer, const char **reason)
{
	struct node *n = in->node;
	struct json_object *at = n->json;
	const struct place *place = n->place;
	struct node *known = n;

	*reason = "the pointer leads nowhere";
	str_cut(&pointer, '/');
	while (pointer.p) {
		const char *name = token(r, str_cut(&pointer, '/'));
		bool in_array = json_object_is_type(at, json_type_array);
		size_t index = 0;

		if (!name || !descend(&at, name, &index))
			return NULL;
		place = step(r, place, in_array ? NULL : name, index);
		known = resolve_node(in->document, at);
		if (known) {
			n = known;
			place = n->place;
		}
	}
	if (known)
		return known;
	*reason = "the pointer does not lead to a schema";
	if (!json_object_is_type(at, json_type_object) && !json_object_is_type(at, json_type_boolean))
		return NULL;
	*reason = NULL;
	known = add_node(r, n->resource, at, place);
	return known && walk(r, known) == 0 ? known : NULL;
}

struct node *resolve_reference(
	struct resolve *r, const struct node *from, struct str ref, const char **anchor, const char **reason)
{
	struct buf uri = BUF_ARENA(r->arena), decoded = BUF_ARENA(r->arena);
	struct str fragment;
	struct resource *in;
	struct node *n;
	bool unknown;

	*anchor = NULL;
	*reason = NULL;
	uri_without_fragment(ref, &fragment);
	uri_resolve(&uri, str_of(from->resource->uri), ref);
	in = find_resource(r, buf_text(&uri), from->resource->dialect, &unknown);
	if (!in) {
		if (unknown)
			*reason = "no such document; references are never fetched";
		return NULL;
	}
	if (fragment.n && escape_unpercent(&decoded, fragment, false) < 0) {
		*reason = "malformed percent-encoding";
		return NULL;
	}
	if (!decoded.len)
		return in->node;
	if (decoded.data[0] == '/')
		return by_pointer(r, in, buf_str(&decoded), reason);
	*anchor = buf_text(&decoded);
	n = look_up(in->anchors, *anchor);
	if (!n)
		*reason = "no such anchor";
	return n;
}
