/* Redaction for dry runs. */
#include <string.h>
#include "base/ascii.h"
#include "call/shape.h"

#define SHAPED_NAME "_API_KEY"

static bool is_name(char c)
{
	return ascii_is_upper(c) || ascii_is_digit(c) || c == '_';
}

/* The first word of text that has SHAPED_NAME in it and something before it: its place, and its end with "=value"
 * behind it. */
static bool next_word(struct str text, size_t *begin, size_t *end)
{
	size_t from = 0;
	long at;

	while ((at = str_find(str_skip(text, from), str_of(SHAPED_NAME))) >= 0) {
		*begin = *end = from + (size_t)at;
		from = *end + strlen(SHAPED_NAME);
		while (*begin > 0 && is_name(text.p[*begin - 1]))
			(*begin)--;
		if (*begin == *end)
			continue;
		*end = from;
		while (*end < text.n && is_name(text.p[*end]))
			(*end)++;
		if (*end < text.n && text.p[*end] == '=')
			while (*end < text.n && !strchr(" \t\r\n&;,\"'", text.p[*end]))
				(*end)++;
		return true;
	}
	return false;
}

struct str shape_text(struct arena *a, const struct secrets *s, struct str text)
{
	struct buf known = BUF_ARENA(a), out = BUF_ARENA(a);
	size_t begin, end;

	if (!text.p)
		return text;
	secret_redact(s, &known, text);
	text = buf_str(&known);
	while (next_word(text, &begin, &end)) {
		buf_add(&out, text.p, begin);
		buf_puts(&out, "[redacted]");
		text = str_skip(text, end);
	}
	buf_putstr(&out, text);
	return buf_str(&out);
}

static struct json_object *shape_object(struct arena *a, const struct secrets *s, struct json_object *o)
{
	struct json_object *out = json_object_new_object();

	json_object_object_foreach(o, name, value) {
		struct str shown = shape_text(a, s, str_of(name));

		json_put(out, arena_str(a, shown), shape_json(a, s, value));
	}
	return out;
}

struct json_object *shape_json(struct arena *a, const struct secrets *s, struct json_object *o)
{
	struct json_object *out;

	switch (json_object_get_type(o)) {
	case json_type_string:
		return json_new_str(shape_text(a, s, json_str(o)));
	case json_type_object:
		return shape_object(a, s, o);
	case json_type_array:
		out = json_object_new_array();
		for (size_t i = 0; i < json_object_array_length(o); i++)
			json_object_array_add(out, shape_json(a, s, json_object_array_get_idx(o, i)));
		return out;
	default:
		return json_object_get(o);
	}
}

static struct json_object *notes_of(struct arena *a, struct str missing)
{
	struct json_object *notes = json_object_new_array();

	while (missing.p) {
		struct str name = str_trim(str_cut(&missing, ','));

		json_object_array_add(notes, json_object_new_string(
			arena_printf(a, "credential_missing:%.*s", (int)name.n, name.p)));
	}
	return notes;
}

struct json_object *shape_request(struct outbound_request *q, const struct authspec *auth, struct secrets *s)
{
	struct json_object *o = json_object_new_object(), *headers = json_object_new_object();
	struct auth_applied applied;

	auth_apply(q, auth, s, true, &applied);
	json_put_str(o, "method", q->method);
	json_put_str(o, "url", shape_text(q->arena, s, outbound_url(q, false)));
	for (unsigned i = 0; i < q->headers; i++)
		if (!q->header[i].credential && !authspec_is_credential_header(q->header[i].name))
			json_put_str(headers, arena_str(q->arena, q->header[i].name),
				     shape_text(q->arena, s, q->header[i].value));
	json_put(o, "headers", headers);
	json_put_str(o, "body", shape_text(q->arena, s, q->body));
	if (applied.missing.len)
		json_put(o, "notes", notes_of(q->arena, buf_str(&applied.missing)));
	return o;
}
