/* Events of libyaml into json-c objects. What an alias stands for is shared, not copied; its size counts anyway, since
 * whoever walks the result walks it again. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>
#include "base/escape.h"
#include "base/log.h"
#include "import/yaml.h"

#define WHOLE_MAX (1LL << 53)             /* below it every whole number is a double */

struct anchor { const char *name; struct json_object *value; size_t nodes; bool open; };

struct reader {
	struct arena *arena;
	yaml_parser_t parser;
	yaml_event_t event;             /* the one at hand */
	bool have;
	struct anchor *anchor;
	size_t anchors, nodes;
	const char *fault;
};

static bool fail(struct reader *r, const char *fault)
{
	if (!r->fault)
		r->fault = fault;
	return false;
}

/* Reads the next event into r->event. */
static bool next(struct reader *r)
{
	if (r->have)
		yaml_event_delete(&r->event);
	r->have = yaml_parser_parse(&r->parser, &r->event);
	return r->have || fail(r, r->parser.problem ? r->parser.problem : "is not understood");
}

static bool is_one_of(struct str s, const char *const *words)
{
	for (; *words; words++)
		if (str_is(s, *words))
			return true;
	return false;
}

/* Decimal, octal (0o), hexadecimal; a number that JSON has too. NULL: it is none. */
static struct json_object *number(struct str s)
{
	static const char decimal[] = "+-.0123456789eE";
	const char *p = s.p;
	char *end;
	size_t sign = s.n && (p[0] == '-' || p[0] == '+');
	bool based = s.n > 2 && p[0] == '0' && (p[1] == 'o' || p[1] == 'x') && isalnum((unsigned char)p[2]);
	double real;
	long long whole;

	if (!s.n || s.n > 64 || (!based && (strspn(p, decimal) != s.n || !strpbrk(p, "0123456789") || p[sign] == 'e' || p[sign] == 'E')))
		return NULL;
	whole = based ? strtoll(p + 2, &end, p[1] == 'o' ? 8 : 16) : strtoll(p, &end, 10);
	if (*end == '\0' && whole > -WHOLE_MAX && whole < WHOLE_MAX)
		return json_object_new_int64(whole);
	real = based ? 0 : strtod(p, &end);
	return *end == '\0' && isfinite(real) ? json_object_new_double(real) : NULL;
}

/* *out NULL is null. */
static void plain(struct str s, struct json_object **out)
{
	static const char *const nulls[] = { "", "~", "null", "Null", "NULL", NULL };
	static const char *const yes[] = { "true", "True", "TRUE", NULL }, *const no[] = { "false", "False", "FALSE", NULL };

	*out = NULL;
	if (is_one_of(s, nulls))
		return;
	if (is_one_of(s, yes) || is_one_of(s, no))
		*out = json_object_new_boolean(is_one_of(s, yes));
	else
		*out = number(s);
	if (!*out)
		*out = json_new_str(s);
}

static bool count(struct reader *r, size_t n)
{
	r->nodes += n;
	return r->nodes <= YAML_NODES_MAX || fail(r, "is too large, aliases written out");
}

static bool scalar(struct reader *r, struct json_object **out)
{
	struct str s = { (const char *)r->event.data.scalar.value, r->event.data.scalar.length };
	const char *tag = (const char *)r->event.data.scalar.tag;
	bool text = r->event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE || (tag && strcmp(tag, "tag:yaml.org,2002:str") == 0);

	if (memchr(s.p, '\0', s.n))
		return fail(r, "holds a NUL");
	if (text)
		*out = json_new_str(s);
	else
		plain(s, out);
	return count(r, 1);
}

/* NULL when there are too many. */
static struct anchor *add_anchor(struct reader *r, const yaml_char_t *name)
{
	struct anchor *a;

	if (r->anchors == YAML_ANCHORS_MAX) {
		fail(r, "has too many anchors");
		return NULL;
	}
	a = &r->anchor[r->anchors++];
	*a = (struct anchor){ .name = arena_strdup(r->arena, (const char *)name), .open = true };
	return a;
}

/* The latest anchor of that name is the one that counts. */
static bool alias(struct reader *r, struct json_object **out)
{
	for (size_t i = r->anchors; i-- > 0;) {
		if (strcmp(r->anchor[i].name, (const char *)r->event.data.alias.anchor) != 0)
			continue;
		if (r->anchor[i].open)
			return fail(r, "has an alias inside of what it names");
		*out = json_object_get(r->anchor[i].value);
		return count(r, r->anchor[i].nodes);
	}
	return fail(r, "has an alias without an anchor");
}

static bool value(struct reader *r, struct json_object **out, unsigned depth);

static bool sequence(struct reader *r, struct json_object *list, unsigned depth)
{
	while (next(r) && r->event.type != YAML_SEQUENCE_END_EVENT) {
		struct json_object *item = NULL;
		bool done = value(r, &item, depth + 1);

		json_object_array_add(list, item);
		if (!done)
			return false;
	}
	return !r->fault;
}

/* Members of `from` that o does not have, o's own come first. */
static bool merge(struct reader *r, struct json_object *o, struct json_object *from)
{
	if (json_object_is_type(from, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(from); i++)
			if (!merge(r, o, json_object_array_get_idx(from, i)))
				return false;
		return true;
	}
	if (!json_object_is_type(from, json_type_object))
		return fail(r, "merges (<<) what is no mapping");
	json_object_object_foreach(from, name, member)
		if (!json_object_object_get_ex(o, name, NULL))
			json_put(o, name, json_object_get(member));
	return true;
}

static bool member(struct reader *r, struct json_object *o, struct json_object **merged, unsigned depth)
{
	struct json_object *v = NULL;
	const char *name;
	bool done;

	if (r->event.type != YAML_SCALAR_EVENT)
		return fail(r, "has a member whose name is no scalar");
	if (memchr(r->event.data.scalar.value, '\0', r->event.data.scalar.length))
		return fail(r, "holds a NUL");
	name = arena_strdup(r->arena, (const char *)r->event.data.scalar.value);
	if (!next(r))
		return false;
	done = value(r, &v, depth + 1);
	if (done && strcmp(name, "<<") == 0 && !*merged)
		*merged = v;
	else if (done && json_object_object_get_ex(o, name, NULL)) {
		json_object_put(v);
		return fail(r, "has a member twice");
	} else {
		json_put(o, name, v);
	}
	return done;
}

static bool mapping(struct reader *r, struct json_object *o, unsigned depth)
{
	struct json_object *merged = NULL;
	bool done = true;

	while (done && next(r) && r->event.type != YAML_MAPPING_END_EVENT)
		done = member(r, o, &merged, depth);
	arena_json(r->arena, merged);           /* an anchor in it may be named still */
	return done && !r->fault && (!merged || merge(r, o, merged));
}

static const yaml_char_t *anchor_of(const yaml_event_t *e)
{
	switch (e->type) {
	case YAML_SCALAR_EVENT: return e->data.scalar.anchor;
	case YAML_SEQUENCE_START_EVENT: return e->data.sequence_start.anchor;
	case YAML_MAPPING_START_EVENT: return e->data.mapping_start.anchor;
	default: return NULL;
	}
}

/* The value that begins with the event at hand. */
static bool value(struct reader *r, struct json_object **out, unsigned depth)
{
	const yaml_char_t *name = anchor_of(&r->event);
	struct anchor *a = name ? add_anchor(r, name) : NULL;
	size_t before = r->nodes;
	bool done;

	if (r->fault || depth > YAML_DEPTH_MAX)
		return fail(r, "is too deep");
	switch (r->event.type) {
	case YAML_SCALAR_EVENT:
		done = scalar(r, out);
		break;
	case YAML_ALIAS_EVENT:
		done = alias(r, out);
		break;
	case YAML_SEQUENCE_START_EVENT:
		*out = json_object_new_array();
		done = count(r, 1) && sequence(r, *out, depth);
		break;
	case YAML_MAPPING_START_EVENT:
		*out = json_object_new_object();
		done = count(r, 1) && mapping(r, *out, depth);
		break;
	default:
		return fail(r, "is not understood");
	}
	if (a) {
		a->value = *out;
		a->nodes = r->nodes - before;
		a->open = false;
	}
	return done;
}

static bool document(struct reader *r, struct json_object **out)
{
	if (!next(r) || !next(r))
		return false;
	if (r->event.type == YAML_STREAM_END_EVENT)
		return fail(r, "is empty");
	if (!next(r) || !value(r, out, 1) || !next(r) || !next(r))
		return false;
	return r->event.type == YAML_STREAM_END_EVENT || fail(r, "has a second document");
}

int yaml_read(struct arena *a, struct str text, struct json_object **out, struct problem *why)
{
	struct reader r = { .arena = a };
	struct json_object *o = NULL;
	bool done;

	*out = NULL;
	if (!escape_is_utf8(text)) {
		problem_set(why, 400, "invalid_yaml");
		problem_detail(why, "is not valid UTF-8");
		return -1;
	}
	r.anchor = arena_alloc(a, YAML_ANCHORS_MAX * sizeof(*r.anchor));
	if (!yaml_parser_initialize(&r.parser))
		log_fatal("libyaml cannot start");
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text.p, text.n);
	done = document(&r, &o);
	if (!done) {
		yaml_mark_t at = r.have ? r.event.start_mark : r.parser.problem_mark;

		problem_set(why, 400, "invalid_yaml");
		problem_detail(why, "line %zu, column %zu: %s", at.line + 1, at.column + 1, r.fault ? r.fault : "is not understood");
	}
	if (r.have)
		yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
	*out = o ? arena_json(a, o) : NULL;
	if (!done)
		*out = NULL;
	return done ? 0 : -1;
}
