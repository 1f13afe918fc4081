/* The walk of schema and instance. Recursion follows the schema and is bounded by SCHEMA_DEPTH_MAX; its frames are
 * small since requests run on stacks of 128 KB: what needs room (texts, sets of marks) is kept out of the functions
 * that recurse. */
#include <stdarg.h>
#include <stdio.h>
#include "base/escape.h"
#include "base/json.h"
#include "schema/evaluate.h"
#include "schema/resolve.h"

enum {
	EVALUATE_MESSAGE = 256,         /* bytes of a message with its NUL */
	EVALUATE_PATH = 1024,           /* bytes of a path in an error; longer ones are cut */
	EVALUATE_REGEX_STEP = 64,       /* work of a regular expression that counts as one step */
};

static void put_path(struct buf *out, const struct frame *f)
{
	struct place at = { NULL, f->name, f->index };

	if (f->up)
		put_path(out, f->up);
	if (f->moved)
		resolve_pointer(out, &at);
}

static void __attribute__((noinline)) report(struct evaluate *e, const struct frame *f, const char *keyword,
	const char *fmt, va_list ap) __attribute__((format(printf, 4, 0)));

static void report(struct evaluate *e, const struct frame *f, const char *keyword, const char *fmt, va_list ap)
{
	char text[EVALUATE_MESSAGE + 4];        /* a character more, for the cut to see where it ends */
	struct json_object *o = json_object_new_object();
	struct buf path = BUF_MALLOC;
	struct str s;

	vsnprintf(text, sizeof(text), fmt, ap);
	put_path(&path, f);
	s = buf_str(&path);
	json_put_str(o, "path", str_make(s.p, escape_cut(s, EVALUATE_PATH)));
	json_put_text(o, "keyword", keyword);
	json_put_str(o, "message", str_make(text, escape_cut(str_of(text), EVALUATE_MESSAGE - 1)));
	buf_free(&path);
	if (!e->errors)
		e->errors = arena_json(e->arena, json_object_new_array());
	json_object_array_add(e->errors, o);
	if (json_object_array_length(e->errors) >= SCHEMA_ERRORS_MAX)
		e->ended = true;
}

static const char *keyword_name(const struct frame *f)
{
	return f->rule ? f->rule->keyword->name : "false";
}

int __attribute__((noinline)) evaluate_fail(struct evaluate *e, const struct frame *f, const char *fmt, ...)
{
	va_list ap;

	if (e->quiet || e->ended)
		return -1;
	va_start(ap, fmt);
	report(e, f, keyword_name(f), fmt, ap);
	va_end(ap);
	return -1;
}

static int __attribute__((noinline, format(printf, 3, 4)))
end(struct evaluate *e, const struct frame *f, const char *fmt, ...)
{
	va_list ap;

	if (e->ended)
		return -1;
	va_start(ap, fmt);
	report(e, f, keyword_name(f), fmt, ap);
	va_end(ap);
	e->ended = true;
	return -1;
}

/* The schema `false`: the keyword that led here is the one to name. */
static int __attribute__((noinline)) refuse(struct evaluate *e, const struct frame *f)
{
	struct frame named = *f;

	if (f->up)
		named.rule = f->up->rule;
	return evaluate_fail(e, &named, "is not allowed");
}

bool evaluate_spend(struct evaluate *e, const struct frame *f, uint64_t steps)
{
	if (e->ended)
		return false;
	if (steps > e->steps) {
		end(e, f, "the validation takes more than %d steps", SCHEMA_STEPS_MAX);
		return false;
	}
	e->steps -= steps;
	return true;
}

bool evaluate_matches(struct evaluate *e, const struct frame *f, const struct regex *r, struct str s)
{
	uint64_t work = 0;
	int found;

	if (e->ended)
		return false;
	if (!e->regex)
		e->regex = regex_run_new();
	found = regex_match(r, e->regex, s, &work);
	if (found < 0)
		end(e, f, "the regular expression takes too much work on this text");
	return evaluate_spend(e, f, work / EVALUATE_REGEX_STEP) && found == 1;
}

const struct node *evaluate_dynamic(const struct frame *f, const char *anchor, const struct node *usual)
{
	const struct resource *last = NULL;
	void *found = NULL;

	for (; f; f = f->up) {
		if (f->node->resource == last)
			continue;
		last = f->node->resource;
		if (last->dynamic)
			lh_table_lookup_ex(last->dynamic, anchor, &found);
	}
	return found ? found : usual;
}

/* True when this node is already being applied to this very instance: it would be for ever. */
static bool goes_round(const struct frame *f)
{
	const struct node *n = f->node;

	while (!f->moved && f->up) {
		f = f->up;
		if (f->node == n)
			return true;
	}
	return false;
}

static int evaluate_rules(struct evaluate *e, struct frame *f)
{
	enum on on = keyword_on(f->instance);
	int r = 0;

	for (size_t i = 0; i < f->node->n; i++) {
		const struct rule *rule = &f->node->rules[i];

		if (!(rule->keyword->on & on))
			continue;
		f->rule = rule;
		if (evaluate_spend(e, f, 1) && rule->keyword->evaluate(e, f, rule) == 0)
			continue;
		r = -1;
		if (e->quiet || e->ended)
			break;
	}
	return r;
}

static size_t parts(struct json_object *o)
{
	if (json_object_is_type(o, json_type_object))
		return (size_t)json_object_object_length(o);
	return json_object_is_type(o, json_type_array) ? json_object_array_length(o) : 0;
}

static int __attribute__((noinline)) evaluate_collecting(struct evaluate *e, struct frame *f)
{
	struct marks *outer = f->marks, own;
	int r;

	marks_start(&own, parts(f->instance));
	f->marks = &own;
	r = evaluate_rules(e, f);
	if (r == 0)
		marks_merge(outer, &own);
	f->marks = outer;
	marks_end(&own);
	return r;
}

static int evaluate_node(struct evaluate *e, struct frame *f)
{
	int r;

	if (!evaluate_spend(e, f, 1))
		return -1;
	if (f->node->refuses)
		return refuse(e, f);
	if (!f->node->n)
		return 0;
	if (e->depth >= SCHEMA_DEPTH_MAX)
		return end(e, f, "more than %d schemas are nested here", SCHEMA_DEPTH_MAX);
	if (goes_round(f))
		return end(e, f, "the schema refers to itself without end");
	e->depth++;
	r = f->node->collects ? evaluate_collecting(e, f) : evaluate_rules(e, f);
	e->depth--;
	return r;
}

int evaluate_here(struct evaluate *e, const struct frame *f, const struct node *n)
{
	struct frame next = { .up = f, .node = n, .instance = f->instance, .marks = f->marks };

	return evaluate_node(e, &next);
}

int evaluate_branch(struct evaluate *e, const struct frame *f, const struct node *n)
{
	struct frame next = { .up = f, .node = n, .instance = f->instance };
	struct marks own;
	int r;

	if (f->marks) {
		marks_start(&own, f->marks->n);
		next.marks = &own;
	}
	e->quiet++;
	r = evaluate_node(e, &next);
	e->quiet--;
	if (r == 0)
		marks_merge(f->marks, next.marks);
	marks_end(next.marks);
	return r;
}

int evaluate_member(
	struct evaluate *e, const struct frame *f, const struct node *n, struct json_object *value, const char *name)
{
	struct frame next = { .up = f, .node = n, .instance = value, .moved = true, .name = name };

	return evaluate_node(e, &next);
}

int evaluate_item(
	struct evaluate *e, const struct frame *f, const struct node *n, struct json_object *value, size_t index)
{
	struct frame next = { .up = f, .node = n, .instance = value, .moved = true, .index = index };

	return evaluate_node(e, &next);
}

int evaluate_name(struct evaluate *e, const struct frame *f, const struct node *n, const char *name)
{
	struct frame next = {
		.up = f, .node = n, .instance = json_object_new_string(name), .moved = true, .name = name
	};
	int r;

	e->quiet++;
	r = evaluate_node(e, &next);
	e->quiet--;
	json_object_put(next.instance);
	return r;
}

/* The problem from the errors: the first in words, all of them as data. */
static int refused(const struct evaluate *e, struct problem *why)
{
	struct json_object *first = json_object_array_get_idx(e->errors, 0), *extra;
	struct str path = json_str(json_get(first, "path"));

	problem_set(why, 422, "args_invalid");
	problem_detail(why, "%s: %s", path.n ? path.p : "(root)", json_object_get_string(json_get(first, "message")));
	if (!why)
		return -1;
	extra = json_object_new_object();
	json_put(extra, "errors", json_object_get(e->errors));
	why->extra = arena_json(e->arena, extra);
	return -1;
}

int evaluate_run(const struct schema *s, struct arena *a, struct json_object *instance, struct problem *why)
{
	struct evaluate e = { .arena = a, .steps = SCHEMA_STEPS_MAX };
	struct frame root = { .node = s->root, .instance = instance };
	int r = evaluate_node(&e, &root);

	regex_run_free(e.regex);
	return r < 0 || e.ended ? refused(&e, why) : 0;
}
