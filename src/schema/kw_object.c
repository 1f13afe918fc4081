/* Keywords about objects. Positions of members, for the marks, are those of the instance's own order. */
#include <inttypes.h>
#include <string.h>
#include "base/json.h"
#include "schema/compile.h"
#include "schema/evaluate.h"
#include "schema/kw.h"

static bool enough(const struct evaluate *e, int r)
{
	return r < 0 && (e->quiet || e->ended);
}

static struct json_object *value_of(const struct lh_entry *e)
{
	return (struct json_object *)lh_entry_v(e);
}

static const struct node *named(const struct rule *properties, const char *name)
{
	void *n = NULL;

	if (properties)
		lh_table_lookup_ex(properties->names, name, &n);
	return n;
}

int kw_object_properties(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	struct lh_entry *m;
	size_t i = 0;
	int r = 0;

	lh_foreach(json_object_get_object(f->instance), m) {
		const struct node *n = named(rule, lh_entry_k(m));

		if (enough(e, r) || !evaluate_spend(e, f, 1))
			return -1;
		if (n) {
			if (evaluate_member(e, f, n, value_of(m), lh_entry_k(m)) < 0)
				r = -1;
			marks_add(f->marks, i);
		}
		i++;
	}
	return r;
}

int kw_object_patterns_compile(struct compile *c, struct rule *rule)
{
	struct lh_entry *m;

	if (!json_object_is_type(rule->value, json_type_object))
		return compile_bad(c, "must be an object of schemas");
	rule->patterns = compile_alloc(c, (size_t)json_object_object_length(rule->value) * sizeof(*rule->patterns));
	lh_foreach(json_object_get_object(rule->value), m) {
		struct pattern *p = &rule->patterns[rule->n++];

		p->node = compile_child(c, value_of(m));
		p->regex = p->node ? compile_regex(c, str_of(lh_entry_k(m))) : NULL;
		if (!p->regex)
			return -1;
	}
	return 0;
}

/* One member by all patterns. */
static int match_member(
	struct evaluate *e, const struct frame *f, const struct rule *rule, const struct lh_entry *m, size_t index)
{
	const char *name = lh_entry_k(m);
	int r = 0;

	for (size_t i = 0; i < rule->n; i++) {
		if (!evaluate_spend(e, f, 1))
			return -1;
		if (!evaluate_matches(e, f, rule->patterns[i].regex, str_of(name)))
			continue;
		if (evaluate_member(e, f, rule->patterns[i].node, value_of(m), name) < 0)
			r = -1;
		marks_add(f->marks, index);
	}
	return r;
}

int kw_object_patterns(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	struct lh_entry *m;
	size_t i = 0;
	int r = 0;

	lh_foreach(json_object_get_object(f->instance), m) {
		if (match_member(e, f, rule, m, i++) < 0)
			r = -1;
		if (enough(e, r))
			break;
	}
	return e->ended ? -1 : r;
}

int kw_object_additional_compile(struct compile *c, struct rule *rule)
{
	rule->properties = compile_neighbour(c, "properties");
	rule->pattern_properties = compile_neighbour(c, "patternProperties");
	rule->node = compile_child(c, rule->value);
	return rule->node ? 0 : -1;
}

static bool matches_any(struct evaluate *e, const struct frame *f, const struct rule *patterns, const char *name)
{
	for (size_t i = 0; patterns && i < patterns->n && evaluate_spend(e, f, 1); i++)
		if (evaluate_matches(e, f, patterns->patterns[i].regex, str_of(name)))
			return true;
	return false;
}

int kw_object_additional(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	struct lh_entry *m;
	size_t i = 0;
	int r = 0;

	lh_foreach(json_object_get_object(f->instance), m) {
		const char *name = lh_entry_k(m);
		size_t at = i++;

		if (enough(e, r) || !evaluate_spend(e, f, 1))
			return -1;
		if (named(rule->properties, name) || matches_any(e, f, rule->pattern_properties, name))
			continue;
		if (evaluate_member(e, f, rule->node, value_of(m), name) < 0)
			r = -1;
		marks_add(f->marks, at);
	}
	return e->ended ? -1 : r;
}

int kw_object_names(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	struct lh_entry *m;
	int r = 0;

	lh_foreach(json_object_get_object(f->instance), m) {
		if (evaluate_name(e, f, rule->node, lh_entry_k(m)) < 0)
			r = evaluate_fail(e, f, "the name \"%.160s\" is not allowed", (const char *)lh_entry_k(m));
		if (enough(e, r))
			break;
	}
	return r;
}

static bool is_names(struct json_object *list)
{
	if (!json_object_is_type(list, json_type_array))
		return false;
	for (size_t i = 0; i < json_object_array_length(list); i++)
		if (!json_object_is_type(json_object_array_get_idx(list, i), json_type_string))
			return false;
	return true;
}

int kw_object_required_compile(struct compile *c, struct rule *rule)
{
	return is_names(rule->value) ? 0 : compile_bad(c, "must be an array of strings");
}

/* A name with a NUL in it is never there: member names are C strings. */
static bool has_member(struct json_object *o, struct json_object *name)
{
	struct str s = json_str(name);

	return strlen(s.p) == s.n && json_object_object_get_ex(o, s.p, NULL);
}

/* because: the member that asks for them, or NULL. */
static int all_there(struct evaluate *e, const struct frame *f, struct json_object *list, const char *because)
{
	size_t n = json_object_array_length(list);
	int r = 0;

	if (!evaluate_spend(e, f, n))
		return -1;
	for (size_t i = 0; i < n && !enough(e, r); i++) {
		struct json_object *name = json_object_array_get_idx(list, i);

		if (has_member(f->instance, name))
			continue;
		if (because)
			r = evaluate_fail(e, f, "\"%.100s\" is missing, which \"%.100s\" needs",
				json_object_get_string(name), because);
		else
			r = evaluate_fail(e, f, "\"%.160s\" is missing", json_object_get_string(name));
	}
	return r;
}

int kw_object_required(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	return all_there(e, f, rule->value, NULL);
}

static uint64_t members(const struct frame *f)
{
	return (uint64_t)json_object_object_length(f->instance);
}

int kw_object_max_properties(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	if (members(f) <= rule->max)
		return 0;
	return evaluate_fail(e, f, "must have at most %" PRIu64 " members, has %" PRIu64, rule->max, members(f));
}

int kw_object_min_properties(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	if (members(f) >= rule->min)
		return 0;
	return evaluate_fail(e, f, "must have at least %" PRIu64 " members, has %" PRIu64, rule->min, members(f));
}

int kw_object_dependent_required_compile(struct compile *c, struct rule *rule)
{
	struct lh_entry *m;

	if (!json_object_is_type(rule->value, json_type_object))
		return compile_bad(c, "must be an object");
	lh_foreach(json_object_get_object(rule->value), m)
		if (!is_names(value_of(m)))
			return compile_bad(c, "\"%.100s\" must be an array of strings", (const char *)lh_entry_k(m));
	return 0;
}

int kw_object_dependent_schemas(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	struct lh_entry *m;
	int r = 0;

	lh_foreach(rule->names, m) {
		if (!evaluate_spend(e, f, 1))
			return -1;
		if (json_object_object_get_ex(f->instance, lh_entry_k(m), NULL) &&
			evaluate_here(e, f, lh_entry_v(m)) < 0)
			r = -1;
		if (enough(e, r))
			break;
	}
	return r;
}

int kw_object_dependencies_compile(struct compile *c, struct rule *rule)
{
	struct lh_entry *m;

	if (!json_object_is_type(rule->value, json_type_object))
		return compile_bad(c, "must be an object");
	lh_foreach(json_object_get_object(rule->value), m) {
		const char *name = lh_entry_k(m);

		if (json_object_is_type(value_of(m), json_type_array) && !is_names(value_of(m)))
			return compile_bad(c, "\"%.100s\" must be a schema or an array of strings", name);
	}
	return compile_names(c, rule);
}

int kw_object_dependencies(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	struct lh_entry *m;
	int r = 0;

	lh_foreach(json_object_get_object(rule->value), m) {
		if (!evaluate_spend(e, f, 1))
			return -1;
		if (json_object_is_type(value_of(m), json_type_array) &&
			json_object_object_get_ex(f->instance, lh_entry_k(m), NULL) &&
			all_there(e, f, value_of(m), lh_entry_k(m)) < 0)
			r = -1;
		if (enough(e, r))
			return r;
	}
	if (rule->names && kw_object_dependent_schemas(e, f, rule) < 0)
		r = -1;
	return r;
}

int kw_object_unevaluated(struct evaluate *e, const struct frame *f, const struct rule *rule)
{
	struct lh_entry *m;
	size_t i = 0;
	int r = 0;

	lh_foreach(json_object_get_object(f->instance), m) {
		if (enough(e, r) || !evaluate_spend(e, f, 1))
			return -1;
		if (!marks_has(f->marks, i) && evaluate_member(e, f, rule->node, value_of(m), lh_entry_k(m)) < 0)
			r = -1;
		i++;
	}
	marks_add_all(f->marks);
	return r;
}
