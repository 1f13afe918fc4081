/* Reading and writing JSON over json-c's objects. json-c's own parser is not used: it takes duplicate names, lax
 * grammar and malformed UTF-8, and rounds whole numbers beyond 64 bits. One scanner walks the text, without recursion
 * since a fiber's stack is small: first to check it, then to build, so that nothing half-built is ever undone. Not a
 * schema validator. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/ascii.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"

enum {
	NAMES_AT_HAND = 32,             /* names noted before memory is asked for */
	NAMES_PAIRWISE = 8,             /* up to so many names each is compared with each; more are sorted */
	NUMBER_PLAIN = 300,             /* digits a number without exponent may have and surely be finite */
	NUMBER_LAYOUT = 64,           /* bytes of a number being written, more than it ever takes */
};

static const double exact_below = 9007199254740992.0;   /* 2 to 53: below it every whole number is a double */
static const double simple_below = 1e12;                /* a thousandth less has 15 digits */

/* A string of the text, as it stands between its quotes. */
struct piece {
	const char *p;
	size_t n;
	bool escaped;                   /* holds a backslash */
	bool nul;                       /* holds \u0000 */
};

struct frame {
	struct json_object *container;  /* NULL when only checking */
	size_t names;                   /* where its names begin in the list */
	bool object;
};

struct scan {
	const char *p;
	size_t n, at;
	struct problem *why;
	struct frame frames[JSON_DEPTH_MAX];
	int depth;
	/* checking: the names of all open objects, the innermost one's last */
	struct piece *names, at_hand[NAMES_AT_HAND];
	size_t names_n, names_cap;
	/* building */
	bool build;
	struct json_object *root;
	struct buf name, text;
};

static int fail(struct scan *s, size_t at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static int fail(struct scan *s, size_t at, const char *fmt, ...)
{
	char reason[160];
	size_t line = 1, start = 0;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < at; i++) {
		if (s->p[i] == '\n') {
			line++;
			start = i + 1;
		}
	}
	problem_set(s->why, 400, "invalid_json");
	problem_detail(s->why, "%s at line %zu, column %zu", reason, line, at - start + 1);
	return -1;
}

static int hex4(const char *p)
{
	int v = 0;

	for (int i = 0; i < 4; i++) {
		int digit = ascii_hex(p[i]);

		if (digit < 0)
			return -1;
		v = v << 4 | digit;
	}
	return v;
}

/* The character that the escape at p (at its backslash, `left` bytes to the end) stands for, and *used bytes of it; -1
 * and the reason. */
static int32_t escape_value(const char *p, size_t left, int *used, const char **reason)
{
	static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char *at = left > 1 && p[1] ? strchr(letters, p[1]) : NULL;
	int high, low;

	*used = 2;
	if (at)
		return values[at - letters];
	*used = 6;
	*reason = "unknown escape in a string";
	if (left < 6 || p[1] != 'u' || (high = hex4(p + 2)) < 0)
		return -1;
	if (high < 0xD800 || high > 0xDFFF)
		return high;
	*used = 12;
	*reason = "half a surrogate pair in a string";
	if (high > 0xDBFF || left < 12 || p[6] != '\\' || p[7] != 'u')
		return -1;
	low = hex4(p + 8);
	return low < 0xDC00 || low > 0xDFFF ? -1 : 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* One character of a string that is not plain: an escape or UTF-8. */
static int scan_special(struct scan *s, struct piece *out)
{
	const char *reason;
	uint32_t cp;
	int32_t value;
	int n;

	if (s->p[s->at] == '\\') {
		value = escape_value(s->p + s->at, s->n - s->at, &n, &reason);
		if (value < 0)
			return fail(s, s->at, "%s", reason);
		out->escaped = true;
		if (value == 0)
			out->nul = true;
	} else if ((unsigned char)s->p[s->at] < 0x20) {
		return fail(s, s->at, "control character in a string");
	} else {
		n = escape_utf8_next(s->p + s->at, s->n - s->at, &cp);
		if (n < 0)
			return fail(s, s->at, "malformed UTF-8");
	}
	s->at += (size_t)n;
	return 0;
}

/* At the opening quote; leaves s->at behind the closing one. */
static int scan_string(struct scan *s, struct piece *out)
{
	size_t start = ++s->at;

	*out = (struct piece){ .p = s->p + start };
	for (;;) {
		while (s->at < s->n && is_plain((unsigned char)s->p[s->at]))
			s->at++;
		if (s->at == s->n)
			return fail(s, start - 1, "string without end");
		if (s->p[s->at] == '"')
			break;
		if (scan_special(s, out))
			return -1;
	}
	out->n = s->at++ - start;
	return 0;
}

/* Takes the next character off a piece that was checked. */
static uint32_t next_character(struct piece *t)
{
	const char *reason;
	uint32_t cp;
	int n;

	if (*t->p == '\\')
		cp = (uint32_t)escape_value(t->p, t->n, &n, &reason);
	else
		n = escape_utf8_next(t->p, t->n, &cp);
	t->p += n;
	t->n -= (size_t)n;
	return cp;
}

/* The piece unescaped, in `room` when it has escapes and where it stands when not. */
static struct str unescape(struct buf *room, struct piece t)
{
	if (!t.escaped)
		return str_make(t.p, t.n);
	buf_clear(room);
	while (t.n)
		escape_utf8_put(room, next_character(&t));
	return buf_str(room);
}

/* Order of names by their characters; UTF-8 compared by bytes has the same order, so that both ways may be mixed. */
static int compare_names(const void *x, const void *y)
{
	struct piece a = *(const struct piece *)x, b = *(const struct piece *)y;
	size_t n = a.n < b.n ? a.n : b.n;

	if (!a.escaped && !b.escaped) {
		int c = n ? memcmp(a.p, b.p, n) : 0;

		return c ? c : (a.n > b.n) - (a.n < b.n);
	}
	while (a.n && b.n) {
		uint32_t c = next_character(&a), d = next_character(&b);

		if (c != d)
			return c < d ? -1 : 1;
	}
	return (a.n > 0) - (b.n > 0);
}

static int fail_duplicate(struct scan *s, const struct piece *a, const struct piece *b)
{
	const struct piece *later = a->p > b->p ? a : b;
	size_t shown = escape_cut(str_make(later->p, later->n), 80);

	return fail(s, (size_t)(later->p - s->p) - 1, "duplicate key \"%.*s\"", (int)shown, later->p);
}

/* Sorting keeps an object of 100,000 members, chosen to collide in whatever hash, from taking quadratic time. */
static int check_names(struct scan *s, struct piece *names, size_t n)
{
	if (n <= NAMES_PAIRWISE) {
		for (size_t i = 1; i < n; i++)
			for (size_t j = 0; j < i; j++)
				if (compare_names(&names[i], &names[j]) == 0)
					return fail_duplicate(s, &names[i], &names[j]);
		return 0;
	}
	qsort(names, n, sizeof(*names), compare_names);
	for (size_t i = 1; i < n; i++)
		if (compare_names(&names[i - 1], &names[i]) == 0)
			return fail_duplicate(s, &names[i - 1], &names[i]);
	return 0;
}

static void note_name(struct scan *s, struct piece name)
{
	if (s->names_n == s->names_cap) {
		bool first = s->names == s->at_hand;

		s->names_cap *= 2;
		s->names = mem_resize(first ? NULL : s->names, s->names_cap * sizeof(*s->names));
		if (first)
			memcpy(s->names, s->at_hand, sizeof(s->at_hand));
	}
	s->names[s->names_n++] = name;
}

static void skip_space(struct scan *s)
{
	while (s->at < s->n) {
		char c = s->p[s->at];

		if (c != ' ' && c != '\n' && c != '\t' && c != '\r')
			break;
		s->at++;
	}
}

static bool take(struct scan *s, char c)
{
	if (s->at == s->n || s->p[s->at] != c)
		return false;
	s->at++;
	return true;
}

/* A member's name and its colon. */
static int scan_name(struct scan *s)
{
	struct piece name;
	size_t at;

	skip_space(s);
	at = s->at;
	if (s->at == s->n || s->p[s->at] != '"')
		return fail(s, at, "expected a name in quotes");
	if (scan_string(s, &name))
		return -1;
	if (name.nul)
		return fail(s, at, "U+0000 in a name");
	if (s->build) {
		struct str plain = unescape(&s->text, name);

		buf_clear(&s->name);
		buf_putstr(&s->name, plain);
	} else {
		note_name(s, name);
	}
	skip_space(s);
	return take(s, ':') ? 0 : fail(s, s->at, "expected \":\" after a name");
}

/* Puts a built value where it belongs: into the innermost container, under the name that came before it. */
static void attach(struct scan *s, struct json_object *o)
{
	struct frame *f = s->depth ? &s->frames[s->depth - 1] : NULL;
	int rc = 0;

	if (!f)
		s->root = o;
	else if (f->object)
		rc = json_object_object_add_ex(f->container, buf_text(&s->name), o, JSON_C_OBJECT_ADD_KEY_IS_NEW);
	else
		rc = json_object_array_add(f->container, o);
	if (rc)
		log_fatal("json: out of memory");
}

static size_t skip_digits(struct scan *s)
{
	size_t start = s->at;

	while (s->at < s->n && ascii_is_digit(s->p[s->at]))
		s->at++;
	return s->at - start;
}

static struct json_object *number_object(const char *text, bool whole)
{
	char *end;

	if (whole) {
		intmax_t i;
		uintmax_t u;

		errno = 0;
		i = strtoimax(text, &end, 10);
		if (!errno)
			return json_object_new_int64(i);
		errno = 0;
		u = strtoumax(text, &end, 10);
		if (!errno && *text != '-')
			return json_object_new_uint64(u);
	}
	return json_object_new_double_s(strtod(text, NULL), text);
}

static int scan_number(struct scan *s)
{
	size_t start = s->at, whole;
	bool exponent = false, fraction;
	struct str text;

	take(s, '-');
	if (take(s, '0'))
		whole = 1;
	else
		whole = skip_digits(s);
	fraction = whole && take(s, '.');
	if (!whole || (fraction && !skip_digits(s)))
		return fail(s, start, "malformed number");
	if (take(s, 'e') || take(s, 'E')) {
		exponent = true;
		if (!take(s, '-'))
			take(s, '+');
		if (!skip_digits(s))
			return fail(s, start, "malformed number");
	}
	if (!s->build && !exponent && whole <= NUMBER_PLAIN)
		return 0;
	buf_clear(&s->text);
	buf_add(&s->text, s->p + start, s->at - start);
	text = buf_str(&s->text);
	if (s->build)
		attach(s, number_object(text.p, !exponent && !fraction));
	else if (!isfinite(strtod(text.p, NULL)))
		return fail(s, start, "number too large for a double");
	return 0;
}

static int scan_literal(struct scan *s)
{
	static const char *const words[] = { "null", "false", "true" };
	struct str rest = str_skip(str_make(s->p, s->n), s->at);

	for (int i = 0; i < 3; i++) {
		if (!str_starts(rest, words[i]))
			continue;
		s->at += strlen(words[i]);
		if (s->build)
			attach(s, i ? json_object_new_boolean(i == 2) : NULL);
		return 0;
	}
	return fail(s, s->at, s->at == s->n ? "text ends where a value is expected" : "expected a value");
}

static int open_container(struct scan *s, bool object)
{
	struct json_object *o = NULL;

	if (s->depth == JSON_DEPTH_MAX)
		return fail(s, s->at, "nested deeper than %d", JSON_DEPTH_MAX);
	if (s->build) {
		o = object ? json_object_new_object() : json_object_new_array();
		attach(s, o);
	}
	s->at++;
	s->frames[s->depth++] = (struct frame){ .container = o, .names = s->names_n, .object = object };
	return 0;
}

/* One value, of a container only its opening bracket. */
static int scan_value(struct scan *s)
{
	struct piece t;

	skip_space(s);
	switch (s->at < s->n ? s->p[s->at] : 0) {
	case '{':
	case '[':
		return open_container(s, s->p[s->at] == '{');
	case '"':
		if (scan_string(s, &t))
			return -1;
		if (s->build)
			attach(s, json_new_str(unescape(&s->text, t)));
		return 0;
	case '-': case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
		return scan_number(s);
	default:
		return scan_literal(s);
	}
}

static int close_container(struct scan *s)
{
	struct frame *f = &s->frames[--s->depth];

	if (s->build || !f->object)
		return 0;
	if (check_names(s, s->names + f->names, s->names_n - f->names))
		return -1;
	s->names_n = f->names;
	return 0;
}

/* After a value: closes what ends here, up to the next place where a value begins. 1: there is one; 0: the outermost
 * value is complete. */
static int scan_after(struct scan *s, bool opened)
{
	while (s->depth) {
		struct frame *f = &s->frames[s->depth - 1];

		skip_space(s);
		if (take(s, f->object ? '}' : ']')) {
			if (close_container(s))
				return -1;
			opened = false;
			continue;
		}
		if (!opened && !take(s, ','))
			return fail(s, s->at, f->object ? "expected \",\" or \"}\"" : "expected \",\" or \"]\"");
		return f->object && scan_name(s) ? -1 : 1;
	}
	return 0;
}

static int scan_text(struct scan *s)
{
	int rc;

	do {
		int depth = s->depth;

		if (scan_value(s))
			return -1;
		rc = scan_after(s, s->depth > depth);
	} while (rc > 0);
	if (rc)
		return -1;
	skip_space(s);
	return s->at == s->n ? 0 : fail(s, s->at, "more text after the value");
}

int json_check(struct str text, struct problem *why)
{
	struct scan s;
	int rc;

	s.p = text.p;
	s.n = text.n;
	s.at = s.names_n = 0;
	s.why = why;
	s.depth = 0;
	s.names = s.at_hand;
	s.names_cap = NAMES_AT_HAND;
	s.build = false;
	s.text = BUF_MALLOC;
	rc = scan_text(&s);
	if (s.names != s.at_hand)
		free(s.names);
	buf_free(&s.text);
	return rc;
}

int json_parse(struct arena *a, struct str text, struct json_object **out, struct problem *why)
{
	struct scan s;

	*out = NULL;
	if (json_check(text, why))
		return -1;
	s.p = text.p;
	s.n = text.n;
	s.at = s.names_n = 0;
	s.why = NULL;
	s.depth = 0;
	s.build = true;
	s.root = NULL;
	s.name = s.text = BUF_MALLOC;
	if (scan_text(&s))
		log_fatal("json: a checked text does not parse");
	buf_free(&s.name);
	buf_free(&s.text);
	*out = a ? arena_json(a, s.root) : s.root;
	return 0;
}

/* The fewest digits that give v back, as "d.ddde±x" in out; ECMA-262 section 6.1.6.1.20. 15 digits always survive the
 * way through a double of usual size, so that fewer are those with their zeros stripped; a subnormal has fewer to begin
 * with. Where v is a power of two the neighbour above is further off than the one below, and the next decimal up may do
 * where the nearest does not. */
static void shortest(double v, char out[JSON_NUMBER_MAX])
{
	int exponent;
	bool power = frexp(v, &exponent) == 0.5;

	for (int digits = fpclassify(v) == FP_SUBNORMAL ? 1 : 15; digits < 17; digits++) {
		snprintf(out, JSON_NUMBER_MAX, "%.*e", digits - 1, v);
		if (strtod(out, NULL) == v)
			return;
		if (power && out[digits] < '9') {
			out[digits]++;
			if (strtod(out, NULL) == v)
				return;
		}
	}
	snprintf(out, JSON_NUMBER_MAX, "%.16e", v);
}

/* Lays out the value 0.DIGITS times ten to `point`: ECMA-262 section 6.1.6.1.20, steps 6 to 10. */
static void lay_out(char out[NUMBER_LAYOUT], const char *digits, int point)
{
	int n = (int)strlen(digits);

	if (n <= point && point <= 21)
		snprintf(out, NUMBER_LAYOUT, "%s%.*s", digits, point - n, "000000000000000000000");
	else if (point > 0 && point <= 21)
		snprintf(out, NUMBER_LAYOUT, "%.*s.%s", point, digits, digits + point);
	else if (point > -6 && point <= 0)
		snprintf(out, NUMBER_LAYOUT, "0.%.*s%s", -point, "000000", digits);
	else
		snprintf(out, NUMBER_LAYOUT, "%c%s%se%c%d", *digits, n > 1 ? "." : "", digits + 1,
		         point > 0 ? '+' : '-', abs(point - 1));
}

/* The usual numbers without a search: at most 15 digits of which three stand behind the point. No other decimal of so
 * few digits is the same double. */
static bool put_simple(double v, char *out)
{
	struct buf b = { .data = out, .cap = JSON_NUMBER_MAX };
	int64_t k = fabs(v) < simple_below ? (int64_t)(fabs(v) * 1000 + 0.5) : 0;

	if ((double)k / 1000 != fabs(v))
		return false;
	if (v < 0)
		buf_putc(&b, '-');
	buf_int(&b, k / 1000);
	if (k %= 1000)
		buf_putc(&b, '.');
	for (; k; k = k * 10 % 1000)
		buf_putc(&b, (char)('0' + k / 100));
	buf_putc(&b, 0);
	return true;
}

void json_number(double v, char *out)
{
	char text[JSON_NUMBER_MAX], digits[JSON_NUMBER_MAX], laid[NUMBER_LAYOUT];
	int n = 0;

	if (!isfinite(v)) {
		memcpy(out, "null", sizeof("null"));
		return;
	}
	if (put_simple(v, out))
		return;
	if (fabs(v) < exact_below && v == (double)(int64_t)v) {
		snprintf(out, JSON_NUMBER_MAX, "%" PRId64, (int64_t)v);
		return;
	}
	if (v < 0)
		*out++ = '-';
	shortest(fabs(v), text);
	for (const char *p = text; *p != 'e'; p++)
		if (*p != '.')
			digits[n++] = *p;
	while (n > 1 && digits[n - 1] == '0')
		n--;
	digits[n] = 0;
	lay_out(laid, digits, atoi(strchr(text, 'e') + 1) + 1);
	memcpy(out, laid, strlen(laid) + 1);
}

static void put_quoted(struct buf *out, struct str s)
{
	buf_putc(out, '"');
	escape_add(out, ESCAPE_JSON, s);
	buf_putc(out, '"');
}

static void put_int(struct buf *out, struct json_object *o, bool canonical)
{
	int64_t i = json_object_get_int64(o);
	uint64_t u = i < 0 ? 0 : json_object_get_uint64(o);
	double d = i < 0 ? (double)i : (double)u;
	char text[JSON_NUMBER_MAX];

	if (canonical && fabs(d) >= exact_below)
		json_number(d, text);
	else if (i < 0)
		snprintf(text, sizeof(text), "%" PRId64, i);
	else
		snprintf(text, sizeof(text), "%" PRIu64, u);
	buf_puts(out, text);
}

static void put_double(struct buf *out, struct json_object *o, bool canonical)
{
	/* json-c keeps the text of json_object_new_double_s there, and drops it when the value is changed. */
	const char *text = canonical ? NULL : json_object_get_userdata(o);
	char number[JSON_NUMBER_MAX];

	if (!text) {
		json_number(json_object_get_double(o), number);
		text = number;
	}
	buf_puts(out, text);
}

/* By UTF-16 code units. UTF-8 by bytes gives the order of code points, which differs only in that U+E000 to U+FFFF
 * (first byte EE or EF) come after the surrogates that write what is above (first byte F0 and more). */
static int compare_utf16(const void *x, const void *y)
{
	const unsigned char *a = *(const unsigned char *const *)x, *b = *(const unsigned char *const *)y;

	while (*a && *a == *b) {
		a++;
		b++;
	}
	if (*a >= 0xEE && *b >= 0xEE && (*a >= 0xF0) != (*b >= 0xF0))
		return *a >= 0xF0 ? -1 : 1;
	return (int)*a - (int)*b;
}

static void put_value(struct buf *out, struct json_object *o, bool canonical);

static void put_member(struct buf *out, const char *name, struct json_object *value, bool canonical, bool first)
{
	if (!first)
		buf_putc(out, ',');
	put_quoted(out, str_of(name));
	buf_putc(out, ':');
	put_value(out, value, canonical);
}

static void put_sorted(struct buf *out, struct json_object *o)
{
	size_t n = (size_t)json_object_object_length(o), i = 0;
	const char **names = mem_alloc((n + 1) * sizeof(*names));

	for (struct lh_entry *e = json_object_get_object(o)->head; e; e = e->next)
		names[i++] = lh_entry_k(e);
	qsort(names, n, sizeof(*names), compare_utf16);
	for (i = 0; i < n; i++)
		put_member(out, names[i], json_get(o, names[i]), true, i == 0);
	free(names);
}

static void put_object(struct buf *out, struct json_object *o, bool canonical)
{
	buf_putc(out, '{');
	if (canonical)
		put_sorted(out, o);
	else
		for (struct lh_entry *e = json_object_get_object(o)->head, *head = e; e; e = e->next)
			put_member(out, lh_entry_k(e), lh_entry_v(e), false, e == head);
	buf_putc(out, '}');
}

static void put_array(struct buf *out, struct json_object *o, bool canonical)
{
	size_t n = json_object_array_length(o);

	buf_putc(out, '[');
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_putc(out, ',');
		put_value(out, json_object_array_get_idx(o, i), canonical);
	}
	buf_putc(out, ']');
}

/* Recursive: what was parsed is at most JSON_DEPTH_MAX deep, and what this program builds is shallow. */
static void put_value(struct buf *out, struct json_object *o, bool canonical)
{
	switch (json_object_get_type(o)) {
	case json_type_null:
		buf_puts(out, "null");
		break;
	case json_type_boolean:
		buf_puts(out, json_object_get_boolean(o) ? "true" : "false");
		break;
	case json_type_int:
		put_int(out, o, canonical);
		break;
	case json_type_double:
		put_double(out, o, canonical);
		break;
	case json_type_string:
		put_quoted(out, json_str(o));
		break;
	case json_type_object:
		put_object(out, o, canonical);
		break;
	case json_type_array:
		put_array(out, o, canonical);
		break;
	}
}

void json_canonical(struct buf *out, struct json_object *o)
{
	put_value(out, o, true);
}

void json_text(struct buf *out, struct json_object *o)
{
	put_value(out, o, false);
}

struct json_object *json_get(struct json_object *o, const char *name)
{
	struct json_object *value = NULL;

	if (json_object_is_type(o, json_type_object))
		json_object_object_get_ex(o, name, &value);
	return value;
}

size_t json_length(struct json_object *o)
{
	return json_object_is_type(o, json_type_array) ? json_object_array_length(o) : 0;
}

struct json_object *json_at(struct json_object *o, size_t i)
{
	return i < json_length(o) ? json_object_array_get_idx(o, i) : NULL;
}

struct str json_str(struct json_object *o)
{
	if (!json_object_is_type(o, json_type_string))
		return str_of(NULL);
	return str_make(json_object_get_string(o), (size_t)json_object_get_string_len(o));
}

bool json_lists(struct json_object *list, const char *text)
{
	for (size_t i = 0; json_object_is_type(list, json_type_array) && i < json_object_array_length(list); i++)
		if (str_is(json_str(json_object_array_get_idx(list, i)), text))
			return true;
	return false;
}

/* The array index of a reference token, or -1: RFC 6901 section 4 forbids leading zeros. */
static int64_t token_index(struct str token)
{
	int64_t i = 0;

	if (!token.n || token.n > 9 || (token.p[0] == '0' && token.n > 1))
		return -1;
	for (size_t k = 0; k < token.n; k++) {
		if (token.p[k] < '0' || token.p[k] > '9')
			return -1;
		i = i * 10 + token.p[k] - '0';
	}
	return i;
}

static int unescape_token(struct buf *out, struct str token)
{
	buf_clear(out);
	for (size_t i = 0; i < token.n; i++) {
		char c = token.p[i];

		if (c == '~') {
			if (++i == token.n || (token.p[i] != '0' && token.p[i] != '1'))
				return -1;
			c = token.p[i] == '1' ? '/' : '~';
		}
		buf_putc(out, c);
	}
	return memchr(buf_text(out), 0, out->len) ? -1 : 0;
}

static bool step(struct json_object **o, struct str token, struct buf *room)
{
	int64_t i;

	if (json_object_is_type(*o, json_type_object))
		return unescape_token(room, token) == 0 && json_object_object_get_ex(*o, buf_text(room), o);
	i = token_index(token);
	if (i < 0 || !json_object_is_type(*o, json_type_array) || (size_t)i >= json_object_array_length(*o))
		return false;
	*o = json_object_array_get_idx(*o, (size_t)i);
	return true;
}

struct json_object *json_pointer(struct json_object *o, struct str pointer, bool *found)
{
	struct str first, rest = pointer;
	struct buf room = BUF_MALLOC;
	bool there = true;

	if (pointer.n) {
		/* What comes before the first slash has to be nothing. */
		first = str_cut(&rest, '/');
		there = first.n == 0;
		while (there && rest.p)
			there = step(&o, str_cut(&rest, '/'), &room);
	}
	buf_free(&room);
	if (found)
		*found = there;
	return there ? o : NULL;
}

struct json_object *json_new_str(struct str s)
{
	struct json_object *o;

	if (!s.p)
		return NULL;
	o = json_object_new_string_len(s.p, (int)s.n);
	if (!o)
		log_fatal("json: out of memory");
	return o;
}

void json_put(struct json_object *o, const char *name, struct json_object *value)
{
	if (json_object_object_add(o, name, value))
		log_fatal("json: out of memory");
}

void json_put_text(struct json_object *o, const char *name, const char *s)
{
	json_put_str(o, name, str_of(s));
}

void json_put_str(struct json_object *o, const char *name, struct str s)
{
	json_put(o, name, json_new_str(s));
}

void json_put_int(struct json_object *o, const char *name, int64_t v)
{
	json_put(o, name, json_object_new_int64(v));
}

void json_put_bool(struct json_object *o, const char *name, bool v)
{
	json_put(o, name, json_object_new_boolean(v));
}
