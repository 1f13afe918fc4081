/* From JSON to rules. One loop over the nodes that resolve.c found; a reference may add nodes at the end of that list.
 * No recursion, so the stack does not depend on the schema. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/escape.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "schema/compile.h"
#include "schema/regex.h"

int compile_bad(struct compile *c, const char *fmt, ...)
{
	char text[PROBLEM_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text[escape_cut(str_of(text), sizeof(text) - 1)] = 0;
	return resolve_bad(c->resolve, c->node->resource->document, c->node->place, c->keyword, text);
}

void *compile_alloc(struct compile *c, size_t n)
{
	return arena_alloc(c->schema->arena, n);
}

struct node *compile_child(struct compile *c, struct json_object *value)
{
	struct node *n = resolve_node(c->node->resource->document, value);

	if (!n)
		compile_bad(c, "a schema is an object or a boolean");
	return n;
}

const struct rule *compile_neighbour(const struct compile *c, const char *name)
{
	for (size_t i = 0; i < c->node->n; i++)
		if (str_is(str_of(c->node->rules[i].keyword->name), name))
			return &c->node->rules[i];
	return NULL;
}

static void free_regex(void *r)
{
	regex_free(r);
}

struct regex *compile_regex(struct compile *c, struct str pattern)
{
	char error[160];
	struct regex *r = regex_new(pattern, error, sizeof(error));

	if (!r) {
		compile_bad(c, "bad regular expression: %s", error);
		return NULL;
	}
	arena_defer(c->schema->arena, free_regex, r);
	c->regex_bytes += regex_bytes(r);
	if (c->regex_bytes > COMPILE_REGEX_BYTES_MAX) {
		compile_bad(c, "the regular expressions take too much memory");
		return NULL;
	}
	return r;
}

int compile_nodes(struct compile *c, struct rule *rule)
{
	rule->n = json_object_array_length(rule->value);
	rule->nodes = compile_alloc(c, rule->n * sizeof(*rule->nodes));
	for (size_t i = 0; i < rule->n; i++) {
		rule->nodes[i] = compile_child(c, json_object_array_get_idx(rule->value, i));
		if (!rule->nodes[i])
			return -1;
	}
	return 0;
}

static void free_table(void *t)
{
	lh_table_free(t);
}

int compile_names(struct compile *c, struct rule *rule)
{
	struct lh_entry *e;

	rule->names = lh_kchar_table_new(8, NULL);
	if (!rule->names)
		log_fatal("out of memory for a schema");
	arena_defer(c->schema->arena, free_table, rule->names);
	lh_foreach(json_object_get_object(rule->value), e) {
		struct json_object *v = (struct json_object *)lh_entry_v(e);
		struct node *n;

		if (rule->keyword->children == CHILDREN_SOME_MEMBERS && json_object_is_type(v, json_type_array))
			continue;
		n = compile_child(c, v);
		if (!n)
			return -1;
		if (lh_table_insert(rule->names, lh_entry_k(e), n))
			log_fatal("out of memory for a schema");
	}
	return 0;
}

static int compile_keyword(struct compile *c, struct node *n, const struct keyword *k, struct json_object *value)
{
	struct rule rule = { .keyword = k, .value = value };

	c->keyword = k->name;
	if (k->compile && k->compile(c, &rule) < 0)
		return -1;
	if (k->evaluate)
		n->rules[n->n++] = rule;
	n->collects = n->collects || k->vocabulary == VOCABULARY_UNEVALUATED;
	return 0;
}

static int compile_node(struct compile *c, struct node *n)
{
	size_t left = (size_t)json_object_object_length(n->json);
	bool ref_alone = n->resource->dialect.draft == DRAFT_07 && json_object_object_get_ex(n->json, "$ref", NULL);

	c->node = n;
	n->rules = compile_alloc(c, left * sizeof(*n->rules));
	for (const struct keyword *k = keyword_table; k->name && left; k++) {
		struct json_object *value;

		if (!keyword_in(k, n->resource->dialect) || !json_object_object_get_ex(n->json, k->name, &value))
			continue;
		left--;
		if (ref_alone && !str_is(str_of(k->name), "$ref"))
			continue;
		if (compile_keyword(c, n, k, value) < 0)
			return -1;
	}
	return 0;
}

/* Where a search through in-place keywords stands at one node. */
struct trail {
	struct node *node;
	size_t rule, child;
};

static struct node *next_in_place(struct trail *t)
{
	for (; t->rule < t->node->n; t->rule++, t->child = 0) {
		const struct rule *r = &t->node->rules[t->rule];

		if (!r->keyword->in_place)
			continue;
		if (r->node && t->child++ == 0)
			return r->node;
		if (!r->node && t->child < r->n)
			return r->nodes[t->child++];
	}
	return NULL;
}

/* A way from a node back to itself that looks at no smaller part of the instance would never end. Depth first, with its
 * own stack. */
static int refuse_endless(struct compile *c, struct node *from, struct trail *stack)
{
	size_t depth = 0;

	stack[depth++] = (struct trail){ .node = from };
	from->state = 1;
	while (depth) {
		struct node *n = next_in_place(&stack[depth - 1]);

		if (!n) {
			stack[--depth].node->state = 2;
		} else if (n->state == 1) {
			c->node = stack[depth - 1].node;
			c->keyword = NULL;
			return compile_bad(c, "refers to itself without end");
		} else if (n->state == 0) {
			n->state = 1;
			stack[depth++] = (struct trail){ .node = n };
		}
	}
	return 0;
}

static int refuse_all_endless(struct compile *c)
{
	struct trail *stack;
	size_t count = 0;
	int r = 0;

	for (struct node *n = resolve_first(c->resolve); n; n = n->next)
		count++;
	stack = mem_alloc(count * sizeof(*stack));
	for (struct node *n = resolve_first(c->resolve); n && r == 0; n = n->next)
		if (n->state == 0)
			r = refuse_endless(c, n, stack);
	free(stack);
	return r;
}

int compile_run(struct schema *s, struct json_object *doc, const struct schema_registry *r, struct problem *why)
{
	struct compile c = { .schema = s, .resolve = resolve_new(s->arena, r, why), .why = why };
	struct dialect usual = { DRAFT_2020, VOCABULARY_ALL };

	s->root = resolve_document(c.resolve, doc, "", usual);
	if (!s->root)
		return -1;
	for (struct node *n = resolve_first(c.resolve); n; n = n->next)
		if (json_object_is_type(n->json, json_type_object) && compile_node(&c, n) < 0)
			return -1;
	return refuse_all_endless(&c);
}
