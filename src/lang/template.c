/* Substitution of arguments into a row's template. One scan serves every position; what differs, text and values by
 * context, is a table of two functions. Secrets are not known here: names resolve to what the caller passes. */
#include <string.h>
#include "base/ascii.h"
#include "lang/template.h"

enum slot_kind { SLOT_ONE, SLOT_REST, SLOT_PREV, SLOT_NAME };

struct slot {
	enum slot_kind kind;
	bool raw;                       /* two sigils */
	size_t number;                  /* $N, $N+; more than TEMPLATE_SLOT_MAX: always empty */
	struct str name;                /* without sigils, with "+" */
	struct str whole;
};

struct scan;

struct context {
	void (*text)(struct scan *s, struct str text);          /* the template's own text */
	void (*open)(struct scan *s);                           /* a slot that has a value begins */
	void (*value)(struct scan *s, bool raw, struct str piece);      /* part of it; may come often, or never */
	void (*join)(struct scan *s, bool raw);                 /* between the arguments of $N+ */
};

struct scan {
	const struct context *context;
	const struct template_args *args;
	struct buf *out;
	size_t begin;                   /* length of out before */
	struct buf json;                /* a named value that is no string */
	enum escape how;                /* template_expand */
	bool quoted, backslash;         /* template_expand_json: inside a string; behind a lone backslash */
	bool query, touched;            /* template_expand_url: behind "?"; the segment holds a value */
	size_t segment;                 /* where in out the path segment begins */
	struct str slot;                /* the last slot, for messages */
	struct buf *ends;               /* template_expand_arguments: lengths of out at which an argument ends */
	const char *fault;
};

/* Reads the slot whose first "$" is at `at`. */
static bool slot_at(struct str text, size_t at, struct slot *slot)
{
	size_t i = at + 1, begin;

	slot->raw = i < text.n && text.p[i] == '$';
	begin = i += slot->raw;
	slot->number = 0;
	for (; i < text.n && ascii_is_digit(text.p[i]); i++)
		if (slot->number <= TEMPLATE_SLOT_MAX)
			slot->number = slot->number * 10 + (size_t)(text.p[i] - '0');
	if (i > begin) {
		slot->kind = i < text.n && text.p[i] == '+' ? SLOT_REST : SLOT_ONE;
		i += slot->kind == SLOT_REST;
		if (!slot->number)
			return false;
	} else {
		while (i < text.n && ascii_is_word(text.p[i]))
			i++;
		if (i == begin)
			return false;
		slot->kind = str_is(str_make(text.p + begin, i - begin), "PREV") ? SLOT_PREV : SLOT_NAME;
	}
	slot->name = str_make(text.p + begin, i - begin);
	slot->whole = str_make(text.p + at, i - at);
	return true;
}

/* Finds the first slot of *rest: true with the text before it, *rest becoming what follows. */
static bool next_slot(struct str *rest, struct str *before, struct slot *slot)
{
	const char *from = rest->p, *end = rest->p + rest->n, *at;

	while (from < end && (at = memchr(from, '$', (size_t)(end - from)))) {
		if (slot_at(*rest, (size_t)(at - rest->p), slot)) {
			*before = str_make(rest->p, (size_t)(at - rest->p));
			*rest = str_skip(*rest, before->n + slot->whole.n);
			return true;
		}
		from = at + 1;
	}
	*before = *rest;
	*rest = str_make(NULL, 0);
	return false;
}

/* The property `name` of the named arguments. False: there is none. */
static bool named_value(struct scan *s, struct str name, struct str *value)
{
	struct buf key = BUF_MALLOC;
	struct json_object *o;
	bool found;

	if (!json_object_is_type(s->args->named, json_type_object))
		return false;
	buf_putstr(&key, name);
	found = json_object_object_get_ex(s->args->named, buf_text(&key), &o);
	buf_free(&key);
	if (!found)
		return false;
	if (!o) {
		*value = str_of("");
	} else if (json_object_is_type(o, json_type_string)) {
		*value = json_str(o);
	} else {
		buf_clear(&s->json);
		json_text(&s->json, o);
		*value = buf_str(&s->json);
	}
	return true;
}

/* The value of a slot other than $N+. False: the slot stays as it stands. */
static bool slot_value(struct scan *s, const struct slot *slot, struct str *value)
{
	*value = str_make(NULL, 0);
	switch (slot->kind) {
	case SLOT_ONE:
		if (slot->number <= s->args->n && slot->number <= TEMPLATE_SLOT_MAX)
			*value = s->args->arg[slot->number - 1];
		return true;
	case SLOT_REST:
		return true;
	case SLOT_PREV:
		*value = s->args->prev;
		return value->p != NULL;
	case SLOT_NAME:
		if (named_value(s, slot->name, value))
			return true;
		if (s->args->lookup)
			*value = s->args->lookup(s->args->ctx, slot->name);
		return value->p != NULL;
	}
	return false;
}

static void put_slot(struct scan *s, const struct slot *slot)
{
	struct str value;

	if (!slot_value(s, slot, &value)) {
		s->context->text(s, slot->whole);
		return;
	}
	s->slot = slot->whole;
	s->context->open(s);
	if (slot->kind != SLOT_REST) {
		s->context->value(s, slot->raw, value);
		return;
	}
	for (size_t i = slot->number; i <= s->args->n && slot->number <= TEMPLATE_SLOT_MAX; i++) {
		if (i > slot->number)
			s->context->join(s, slot->raw);
		s->context->value(s, slot->raw, s->args->arg[i - 1]);
	}
}

static void join_piped(struct scan *s, bool raw)
{
	s->context->value(s, raw, str_of("|"));
}

/* The scan. Returns -1 with s->fault when it was stopped. */
static int scan_text(struct scan *s, struct str text)
{
	struct str before;
	struct slot slot;
	bool more = true;

	s->begin = s->out->len;
	while (more && !s->fault) {
		more = next_slot(&text, &before, &slot);
		if (before.n)
			s->context->text(s, before);
		if (more)
			put_slot(s, &slot);
		if (s->out->len - s->begin > TEMPLATE_OUT_MAX)
			s->fault = "the arguments make it too long";
	}
	buf_free(&s->json);
	return s->fault ? -1 : 0;
}

static void plain_text(struct scan *s, struct str text)
{
	buf_putstr(s->out, text);
}

static void plain_open(struct scan *s)
{
	(void)s;
}

static void plain_value(struct scan *s, bool raw, struct str piece)
{
	escape_add(s->out, raw && s->how != ESCAPE_HEADER ? ESCAPE_RAW : s->how, piece);
}

static const struct context plain_context = { plain_text, plain_open, plain_value, join_piped };

int template_expand(struct buf *out, struct str text, enum escape how, const struct template_args *args)
{
	struct scan s = { .context = &plain_context, .args = args, .out = out, .how = how };

	return scan_text(&s, text);
}

static void argument_join(struct scan *s, bool raw)
{
	(void)raw;
	buf_add(s->ends, &s->out->len, sizeof(s->out->len));
}

/* Only what comes without escaping can begin another argument. */
static void argument_value(struct scan *s, bool raw, struct str rest)
{
	while (raw && rest.p) {
		buf_putstr(s->out, str_cut(&rest, '|'));
		if (rest.p)
			argument_join(s, raw);
	}
	buf_putstr(s->out, rest);
}

static const struct context argument_context = { plain_text, plain_open, argument_value, argument_join };

int template_expand_arguments(struct arena *a, const struct str *piece, size_t pieces, const struct template_args *args,
	struct str **arg, size_t *n)
{
	struct buf out = BUF_ARENA(a), ends = BUF_ARENA(a);
	struct scan s = { .context = &argument_context, .args = args, .out = &out, .ends = &ends };
	size_t begin = 0, end;

	for (size_t i = 0; i < pieces; i++) {
		if (scan_text(&s, piece[i]) < 0 || out.len > TEMPLATE_OUT_MAX)
			return -1;
		argument_join(&s, false);
	}
	*n = ends.len / sizeof(end);
	*arg = arena_alloc(a, *n * sizeof(**arg));
	buf_text(&out);
	for (size_t i = 0; i < *n; begin = end, i++) {
		memcpy(&end, ends.data + i * sizeof(end), sizeof(end));
		(*arg)[i] = str_make(out.data + begin, end - begin);
	}
	return 0;
}

static void json_text_part(struct scan *s, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		if (s->backslash)
			s->backslash = false;
		else if (text.p[i] == '"')
			s->quoted = !s->quoted;
		else
			s->backslash = s->quoted && text.p[i] == '\\';
	}
	buf_putstr(s->out, text);
}

static void json_open(struct scan *s)
{
	if (s->backslash)
		buf_putc(s->out, '\\');
	s->backslash = false;
}

static void json_value(struct scan *s, bool raw, struct str piece)
{
	escape_add(s->out, s->quoted && !raw ? ESCAPE_JSON : ESCAPE_RAW, piece);
}

static const struct context json_context = { json_text_part, json_open, json_value, join_piped };

int template_expand_json(struct buf *out, struct str text, const struct template_args *args)
{
	struct scan s = { .context = &json_context, .args = args, .out = out };

	return scan_text(&s, text);
}

static void put_percent(struct buf *out, char c)
{
	static const char hex[] = "0123456789ABCDEF";
	char text[3] = { '%', hex[(unsigned char)c >> 4], hex[c & 15] };

	buf_add(out, text, sizeof(text));
}

/* Bytes that may stand in a URL's text where an operator wrote them. */
static bool is_url_text(char c)
{
	return c > 0x20 && c < 0x7F && c != '\\' && c != '#';
}

/* RFC 3986 section 3.4, and "%" of escapes that the value brings along. */
static bool is_query_raw(char c)
{
	return ascii_is_word(c) || (c && strchr("-.~!$&'()*+,;=:@/?%", c));
}

/* True for "." and "..", each dot maybe as %2E, maybe with parameters behind ";". */
static bool is_dot_segment(struct str s)
{
	int dots = 0;

	while (s.n && s.p[0] != ';') {
		if (s.p[0] == '.')
			s = str_skip(s, 1);
		else if (s.n >= 3 && s.p[0] == '%' && s.p[1] == '2' && (s.p[2] == 'e' || s.p[2] == 'E'))
			s = str_skip(s, 3);
		else
			return false;
		dots++;
	}
	return dots == 1 || dots == 2;
}

static void end_segment(struct scan *s)
{
	if (s->touched && is_dot_segment(str_make(s->out->data + s->segment, s->out->len - s->segment)))
		s->fault = "a path segment would be \".\" or \"..\"";
	s->touched = false;
}

static void url_text(struct scan *s, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (!s->query && (c == '/' || c == '?'))
			end_segment(s);
		if (is_url_text(c))
			buf_putc(s->out, c);
		else
			put_percent(s->out, c);
		if (!s->query && c == '/')
			s->segment = s->out->len;
		if (c == '?')
			s->query = true;
	}
}

static void url_open(struct scan *s)
{
	s->touched = true;
}

static void path_value(struct scan *s, bool raw, struct str value)
{
	while (value.p) {
		struct str piece = value;

		if (raw)
			piece = str_cut(&value, '/');
		else
			value = str_make(NULL, 0);
		escape_add(s->out, ESCAPE_PATH, piece);
		if (!value.p)
			break;
		end_segment(s);
		buf_putc(s->out, '/');
		s->segment = s->out->len;
		s->touched = true;
	}
}

static void query_raw(struct scan *s, struct str value)
{
	for (size_t i = 0; i < value.n; i++) {
		if (is_query_raw(value.p[i]))
			buf_putc(s->out, value.p[i]);
		else
			put_percent(s->out, value.p[i]);
	}
}

static void url_value(struct scan *s, bool raw, struct str value)
{
	/* An escaped line break is a legitimate part of a query's value; in a path it is somebody probing, as NUL is
	 * everywhere. */
	bool breaks = raw || !s->query;

	for (size_t i = 0; i < value.n; i++) {
		if (!value.p[i])
			s->fault = "a NUL byte cannot stand in a URL";
		else if (breaks && (value.p[i] == '\n' || value.p[i] == '\r'))
			s->fault = "a line break cannot stand there in a URL";
		if (s->fault)
			return;
	}
	if (!s->query)
		path_value(s, raw, value);
	else if (raw)
		query_raw(s, value);
	else
		escape_add(s->out, ESCAPE_QUERY, value);
}

static const struct context url_context = { url_text, url_open, url_value, join_piped };

int template_expand_url(struct buf *out, struct str text, const struct template_args *args, struct problem *why)
{
	struct scan s = { .context = &url_context, .args = args, .out = out, .segment = out->len };

	if (!str_starts(text, "/"))
		url_text(&s, str_of("/"));
	if (scan_text(&s, text) == 0 && !s.query)
		end_segment(&s);
	if (!s.fault)
		return 0;
	problem_set(why, 422, "args_invalid");
	problem_field(why, "body");
	problem_detail(why, "%.*s: %s", (int)(s.slot.n < 64 ? s.slot.n : 64), s.slot.n ? s.slot.p : "", s.fault);
	return -1;
}

void template_split(struct arena *a, struct str body, struct str **arg, size_t *n)
{
	struct str rest = body.p ? body : str_of("");
	size_t count = 1, i = 0;

	for (size_t k = 0; k < body.n; k++)
		count += body.p[k] == '|';
	*arg = arena_alloc(a, count * sizeof(**arg));
	*n = count;
	while (rest.p)
		(*arg)[i++] = str_cut(&rest, '|');
}

struct str template_join(struct arena *a, const struct str *arg, size_t n)
{
	struct buf out = BUF_ARENA(a);

	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_putc(&out, '|');
		buf_putstr(&out, arg[i]);
	}
	return buf_str(&out);
}

unsigned template_slots(struct str text, bool *rest)
{
	struct str before;
	struct slot slot;
	unsigned highest = 0;
	bool whole = false;

	while (next_slot(&text, &before, &slot)) {
		if (slot.kind > SLOT_REST || slot.number > TEMPLATE_SLOT_MAX || slot.number < highest)
			continue;
		whole = slot.kind == SLOT_REST || (whole && slot.number == highest);
		highest = (unsigned)slot.number;
	}
	if (rest)
		*rest = whole;
	return highest;
}

void template_each(struct str text, void (*fn)(void *ctx, struct str name), void *ctx)
{
	struct str before;
	struct slot slot;

	while (next_slot(&text, &before, &slot))
		fn(ctx, slot.name);
}
