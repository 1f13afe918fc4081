/* Values of typed arguments at their places in a request; see placement.h. A property without a value, or null, is left
 * out, which no template can do. */
#include <string.h>
#include "base/escape.h"
#include "call/arguments.h"
#include "call/placement.h"
#include "lang/place.h"

/* A property with a place; value NULL: it has none. */
struct placed { struct place place; struct json_object *value; };

static void each(struct call *c, void (*fn)(struct call *c, const struct placed *p, void *ctx), void *ctx)
{
	struct json_object *properties = arguments_properties(c);

	if (!properties || !c->args.named)
		return;
	json_object_object_foreach(properties, name, schema) {
		struct placed p;

		if (!place_read(str_of(name), schema, &p.place))
			continue;
		p.value = json_get(c->args.named, name);
		fn(c, &p, ctx);
	}
}

/* The elements of an array, else the value itself, joined. */
static struct str joined(struct call *c, struct json_object *value, const char *between)
{
	struct buf b = BUF_ARENA(c->arena);

	if (!json_object_is_type(value, json_type_array))
		return arguments_text(c->arena, value);
	for (size_t i = 0; i < json_object_array_length(value); i++) {
		buf_puts(&b, i ? between : "");
		buf_putstr(&b, arguments_text(c->arena, json_object_array_get_idx(value, i)));
	}
	return buf_str(&b);
}

static void put_pair(struct buf *out, enum escape how, struct str name, const char *member, struct str value)
{
	escape_add(out, how, name);
	if (member) {
		escape_add(out, how, str_of("["));
		escape_add(out, how, str_of(member));
		escape_add(out, how, str_of("]"));
	}
	buf_putc(out, '=');
	escape_add(out, how, value);
}

/* Query */

static void put_parameter(struct call *c, struct buf *url, struct str name, const char *member, struct json_object *value)
{
	bool query = memchr(url->data, '?', url->len) != NULL;
	char last = url->data[url->len - 1];

	if (!query)
		buf_putc(url, '?');
	else if (last != '?' && last != '&')
		buf_putc(url, '&');
	put_pair(url, ESCAPE_QUERY, name, member, arguments_text(c->arena, value));
}

static void add_parameter(struct call *c, const struct placed *p, void *ctx)
{
	struct json_object *v = p->value;

	if (!v || p->place.kind > PLACE_LIST)
		return;
	if (json_object_is_type(v, json_type_object)) {
		json_object_object_foreach(v, member, value)
			put_parameter(c, ctx, p->place.name, member, value);
	} else if (json_object_is_type(v, json_type_array) && p->place.kind == PLACE_QUERY) {
		for (size_t i = 0; i < json_object_array_length(v); i++)
			put_parameter(c, ctx, p->place.name, NULL, json_object_array_get_idx(v, i));
	} else {
		put_parameter(c, ctx, p->place.name, NULL, arena_json(c->arena, json_new_str(joined(c, v, ","))));
	}
}

void placement_query(struct call *c, struct buf *url)
{
	each(c, add_parameter, url);
}

/* Headers */

struct headers { struct outbound_request *q; struct buf cookie; };

static void add_header(struct call *c, const struct placed *p, void *ctx)
{
	struct headers *h = ctx;

	if (p->value && p->place.kind == PLACE_HEADER) {
		outbound_header(h->q, p->place.name, joined(c, p->value, ", "), false);
	} else if (p->value && p->place.kind == PLACE_COOKIE) {
		buf_puts(&h->cookie, h->cookie.len ? "; " : "");
		buf_putstr(&h->cookie, p->place.name);
		buf_putc(&h->cookie, '=');
		escape_add(&h->cookie, ESCAPE_QUERY, joined(c, p->value, ","));
	}
}

void placement_headers(struct call *c, struct outbound_request *q)
{
	struct headers h = { q, BUF_ARENA(c->arena) };

	each(c, add_header, &h);
	if (h.cookie.len)
		outbound_header(q, str_of("Cookie"), buf_str(&h.cookie), false);
}

/* Body */

struct body { struct buf *out; struct str type; bool found; };

static void put_field(struct call *c, struct buf *out, const char *name, struct json_object *value)
{
	buf_puts(out, out->len ? "&" : "");
	put_pair(out, ESCAPE_FORM, str_of(name), NULL, arguments_text(c->arena, value));
}

static void put_form(struct call *c, struct buf *out, struct json_object *o)
{
	if (!json_object_is_type(o, json_type_object)) {
		buf_putstr(out, arguments_text(c->arena, o));
		return;
	}
	json_object_object_foreach(o, name, value) {
		if (!json_object_is_type(value, json_type_array)) {
			put_field(c, out, name, value);
			continue;
		}
		for (size_t i = 0; i < json_object_array_length(value); i++)
			put_field(c, out, name, json_object_array_get_idx(value, i));
	}
}

static void put_body(struct call *c, const struct placed *p, void *ctx)
{
	struct body *b = ctx;

	if (!place_is_body(&p->place))
		return;
	b->found = true;
	if (!p->value)
		return;
	if (p->place.kind == PLACE_JSON) {
		b->type = p->place.name;
		json_text(b->out, p->value);
	} else {
		b->type = str_of("application/x-www-form-urlencoded");
		put_form(c, b->out, p->value);
	}
}

bool placement_body(struct call *c, struct buf *out, struct str *type)
{
	struct body b = { .out = out };

	each(c, put_body, &b);
	*type = b.type;
	return b.found;
}
