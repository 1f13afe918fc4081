/* The secrets file, and taking its values out of texts. Not the place where credentials are put into requests: see the
 * auth forms. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/ascii.h"
#include "base/clock.h"
#include "base/crypto.h"
#include "base/escape.h"
#include "base/log.h"
#include "base/match.h"
#include "base/mem.h"
#include "base/secret.h"

#define OWNER_NAME "TERMINAL_KEY"

enum { WRAP_MIN = 60 };                 /* digits of a full line: of hexadecimal; PEM has 64, MIME 76 */

struct value {
	struct value *next;
	char *name, *text;              /* text NUL-terminated; n bytes, 0: none */
	size_t n;
	int64_t retired_us;             /* monotonic; 0: current */
	bool learned;                   /* from elsewhere than the file */
};

/* What a match stands for. */
struct form {
	const struct value *value;
	bool base64, before, after;     /* the digit before or after the match holds a part of the value */
};

/* What was read at one time. */
struct generation {
	struct value *values;
	struct form *forms;
	size_t forms_n, forms_cap;
	struct match *match;
};

struct secrets {
	char *path;
	struct stat seen;               /* of the file last looked at, good or bad */
	bool missing;                   /* it could not be looked at, and that was logged */
	struct generation *now;
};

static void value_free(struct value *v)
{
	crypto_forget(v->text, v->n);
	free(v->text);
	free(v->name);
	free(v);
}

static void generation_free(struct generation *g)
{
	if (!g)
		return;
	while (g->values) {
		struct value *v = g->values;

		g->values = v->next;
		value_free(v);
	}
	match_free(g->match);
	free(g->forms);
	free(g);
}

static struct value *find_value(const struct generation *g, struct str name)
{
	for (struct value *v = g->values; v; v = v->next)
		if (!v->retired_us && str_is(name, v->name))
			return v;
	return NULL;
}

static struct value *add_value(struct generation *g, struct str name, struct str text, int64_t retired_us)
{
	struct value *v = mem_alloc(sizeof(*v));

	v->name = mem_strndup(name.p, name.n);
	v->text = mem_alloc(text.n + 1);
	if (text.n)
		memcpy(v->text, text.p, text.n);
	v->n = text.n;
	v->retired_us = retired_us;
	v->next = g->values;
	g->values = v;
	return v;
}

/* Reading */

static int refuse(struct problem *why, const char *path, size_t line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static int refuse(struct problem *why, const char *path, size_t line, const char *fmt, ...)
{
	char text[256], number[24] = "";
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (line)
		snprintf(number, sizeof(number), "%zu: ", line);
	problem_set(why, 500, "bad_secrets_file");
	problem_detail(why, "%s:%s%s", path, line ? number : " ", text);
	return -1;
}

static bool is_name(struct str s)
{
	if (!s.n || s.n > SECRET_NAME_MAX || ascii_is_digit(s.p[0]))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_is_upper(s.p[i]) && !ascii_is_digit(s.p[i]) && s.p[i] != '_')
			return false;
	return true;
}

/* Spaces and tabs only: a carriage return is a fault to be named, not to be passed over. */
static struct str trim_blanks(struct str s)
{
	while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
		s = str_skip(s, 1);
	while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
		s.n--;
	return s;
}

static struct str unquote(struct str s)
{
	if (s.n >= 2 && (s.p[0] == '"' || s.p[0] == '\'') && s.p[s.n - 1] == s.p[0]) {
		s.p++;
		s.n -= 2;
	}
	return s;
}

static bool has_control(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7F)
			return true;
	return false;
}

/* What is wrong with a value, as the end of a sentence that begins with its name, or NULL. */
static const char *value_fault(struct str name, struct str value)
{
	bool owner = str_is(name, OWNER_NAME);

	if (value.n && value.p[value.n - 1] == '\r')
		return "ends in a carriage return (a file with DOS line ends?)";
	if (has_control(value))
		return "has a control character in its value";
	if (!escape_is_utf8(value))
		return "is not UTF-8";
	if (value.n > SECRET_VALUE_MAX)
		return "is longer than 8192 bytes";
	if (owner && value.n < SECRET_OWNER_MIN)
		return "is shorter than 24 bytes";
	if (value.n && value.n < SECRET_MIN)
		return "is shorter than 8 bytes and could not be redacted";
	return NULL;
}

static int parse_line(struct generation *g, struct str line, const char *path, size_t number, struct problem *why)
{
	struct str rest = line, name, value;
	const char *fault;

	if (!trim_blanks(line).n || trim_blanks(line).p[0] == '#')
		return 0;
	name = str_cut(&rest, '=');
	if (!rest.p || !is_name(name))
		return refuse(why, path, number, "not NAME=value with NAME of A-Z, 0-9 and _");
	value = unquote(trim_blanks(rest));
	fault = value_fault(name, value);
	if (fault)
		return refuse(why, path, number, "%.*s %s", (int)name.n, name.p, fault);
	if (find_value(g, name))
		return refuse(why, path, number, "%.*s is given twice", (int)name.n, name.p);
	add_value(g, name, value, 0);
	return 0;
}

static int parse_file(struct generation *g, struct str text, const char *path, struct problem *why)
{
	size_t number = 0;

	while (text.p) {
		struct str line = str_cut(&text, '\n');

		if (parse_line(g, line, path, ++number, why))
			return -1;
	}
	if (!find_value(g, str_of(OWNER_NAME))) {
		refuse(why, path, 0, OWNER_NAME " is missing");
		problem_fix(why, "add a line " OWNER_NAME "=… with at least %d characters, as from `openssl rand -hex 32`",
		            SECRET_OWNER_MIN);
		return -1;
	}
	return 0;
}

static int check_file(const struct stat *st, const char *path, struct problem *why)
{
	if (!S_ISREG(st->st_mode))
		return refuse(why, path, 0, "is no regular file");
	if (st->st_mode & 077) {
		refuse(why, path, 0, "has mode %04o; group and others must have no access",
		       (unsigned)st->st_mode & 07777);
		problem_fix(why, "chmod 600 %s", path);
		return -1;
	}
	if (st->st_uid != 0 && st->st_uid != geteuid()) {
		refuse(why, path, 0, "belongs to user %u, neither root nor us (%u)", (unsigned)st->st_uid,
		       (unsigned)geteuid());
		problem_fix(why, "it belongs to the user of the service: run the command as that one, or chown the file");
		return -1;
	}
	if (st->st_size > SECRET_FILE_MAX)
		return refuse(why, path, 0, "is larger than %d bytes", SECRET_FILE_MAX);
	return 0;
}

static int read_all(int fd, struct buf *out)
{
	ssize_t n;

	do {
		buf_reserve(out, SECRET_FILE_MAX / 16);
		n = read(fd, out->data + out->len, out->cap - out->len);
		if (n > 0)
			out->len += (size_t)n;
	} while ((n > 0 && out->len <= SECRET_FILE_MAX) || (n < 0 && errno == EINTR));
	return n ? -1 : 0;
}

static struct generation *read_file(const char *path, struct stat *st, struct problem *why)
{
	struct generation *g = mem_alloc(sizeof(*g));
	struct buf text = BUF_MALLOC;
	int fd, rc = -1;

	/* Not blocking: a FIFO in the file's place is refused below, not waited for. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, st)) {
		int error = errno;

		refuse(why, path, 0, "%s", strerror(error));
		if (error == ENOENT)
			problem_fix(why, "make it, mode 0600, with a line " OWNER_NAME "=… of at least %d characters",
			            SECRET_OWNER_MIN);
		goto out;
	}
	if (check_file(st, path, why))
		goto out;
	/* One allocation large enough, so that growing leaves no copies behind. */
	buf_reserve(&text, (size_t)st->st_size + SECRET_FILE_MAX / 16 + 1);
	if (read_all(fd, &text)) {
		refuse(why, path, 0, "cannot be read whole");
		goto out;
	}
	rc = parse_file(g, buf_str(&text), path, why);
out:
	if (fd >= 0)
		close(fd);
	crypto_forget(text.data, text.len);
	buf_free(&text);
	if (rc) {
		generation_free(g);
		return NULL;
	}
	return g;
}

/* The forms a value is looked for in */

static void lower_percent(struct buf *b, size_t from)
{
	for (size_t i = from; i + 2 < b->len; i++)
		if (b->data[i] == '%')
			for (int k = 0; k < 2; k++, i++)
				b->data[i + 1] = ascii_lower(b->data[i + 1]);
}

static void put_raw(struct buf *out, struct str s)
{
	escape_add(out, ESCAPE_RAW, s);
}

static void put_json(struct buf *out, struct str s)
{
	escape_add(out, ESCAPE_JSON, s);
}

/* As encoders write it that also escape what is special in HTML. */
static void put_json_html(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (memchr("<>&'", s.p[i], 4))
			buf_printf(out, "\\u%04x", (unsigned)s.p[i]);
		else
			escape_add(out, s.p[i] & 0x80 ? ESCAPE_RAW : ESCAPE_JSON, str_make(s.p + i, 1));
	}
}

/* As encoders write it that also escape the slash. */
static void put_json_slash(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '/')
			buf_putc(out, '\\');
		escape_add(out, s.p[i] & 0x80 ? ESCAPE_RAW : ESCAPE_JSON, str_make(s.p + i, 1));
	}
}

/* As encoders write it that keep to ASCII. */
static void put_json_ascii(struct buf *out, struct str s)
{
	uint32_t cp;

	for (int n; s.n; s = str_skip(s, (size_t)n)) {
		n = escape_utf8_next(s.p, s.n, &cp);
		if (cp >= 0x10000)
			buf_printf(out, "\\u%04x\\u%04x", 0xD800 + ((cp - 0x10000) >> 10), 0xDC00 + (cp & 0x3FF));
		else if (cp >= 0x80)
			buf_printf(out, "\\u%04x", cp);
		else
			escape_add(out, ESCAPE_JSON, str_make(s.p, 1));
	}
}

static void put_html(struct buf *out, struct str s)
{
	escape_add(out, ESCAPE_HTML, s);
}

static void put_percent(struct buf *out, struct str s)
{
	escape_add(out, ESCAPE_QUERY, s);
}

static void put_percent_lower(struct buf *out, struct str s)
{
	put_percent(out, s);
	lower_percent(out, 0);
}

static void put_percent_slash(struct buf *out, struct str s)
{
	escape_add(out, ESCAPE_PATH_SLASH, s);
}

/* As JavaScript's encodeURIComponent writes it. */
static void put_component(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		escape_add(out, memchr("!'()*", s.p[i], 5) ? ESCAPE_RAW : ESCAPE_QUERY, str_make(s.p + i, 1));
}

static void put_form(struct buf *out, struct str s)
{
	escape_add(out, ESCAPE_FORM, s);
}

static void put_form_lower(struct buf *out, struct str s)
{
	put_form(out, s);
	lower_percent(out, 0);
}

static void put_hex(struct buf *out, struct str s)
{
	crypto_hex(out, s);
}

static void put_hex_upper(struct buf *out, struct str s)
{
	crypto_hex(out, s);
	for (size_t i = 0; i < out->len; i++)
		out->data[i] = ascii_upper(out->data[i]);
}

static const struct {
	const char *name;
	void (*put)(struct buf *out, struct str s);
} encodings[] = {
	{ "raw", put_raw },
	{ "json", put_json },
	{ "json_html", put_json_html },
	{ "json_slash", put_json_slash },
	{ "json_ascii", put_json_ascii },
	{ "html", put_html },
	{ "percent", put_percent },
	{ "percent_lower", put_percent_lower },
	{ "percent_slash", put_percent_slash },
	{ "component", put_component },
	{ "form", put_form },
	{ "form_lower", put_form_lower },
	{ "hex", put_hex },
	{ "hex_upper", put_hex_upper },
};

enum { ENCODINGS = sizeof(encodings) / sizeof(encodings[0]) };

static void add_form(struct generation *g, struct str pattern, struct form form)
{
	if (g->forms_n == g->forms_cap) {
		g->forms_cap = g->forms_cap ? 2 * g->forms_cap : 32;
		g->forms = mem_resize(g->forms, g->forms_cap * sizeof(*g->forms));
	}
	g->forms[g->forms_n] = form;
	match_add(g->match, pattern, (int)g->forms_n++);
}

static void add_encodings(struct generation *g, const struct value *v)
{
	struct str text = str_make(v->text, v->n);
	struct buf done[ENCODINGS];

	for (int i = 0; i < ENCODINGS; i++) {
		bool known = false;

		done[i] = BUF_MALLOC;
		encodings[i].put(&done[i], text);
		for (int j = 0; j < i; j++)
			known = known || str_eq(buf_str(&done[i]), buf_str(&done[j]));
		if (!known)
			add_form(g, buf_str(&done[i]), (struct form){ .value = v });
	}
	for (int i = 0; i < ENCODINGS; i++) {
		crypto_forget(done[i].data, done[i].len);
		buf_free(&done[i]);
	}
}

/* Base64 writes three bytes as four digits, so a value looks different by where in a three it begins. Only digits that
 * hold nothing but bits of the value can be looked for; those at its two ends depend on what stands beside it. */
static void add_base64(struct generation *g, const struct value *v, void (*encode)(struct buf *out, struct str s))
{
	for (size_t before = 0; before < 3; before++) {
		struct buf bytes = BUF_MALLOC, digits = BUF_MALLOC;
		size_t start = (8 * before + 5) / 6, end = 8 * (before + v->n) / 6;

		buf_add(&bytes, "\0\0", before);
		buf_add(&bytes, v->text, v->n);
		encode(&digits, buf_str(&bytes));
		add_form(g, str_make(digits.data + start, end - start), (struct form){
			.value = v, .base64 = true, .before = before != 0, .after = 8 * (before + v->n) % 6 != 0 });
		crypto_forget(bytes.data, bytes.len);
		crypto_forget(digits.data, digits.len);
		buf_free(&bytes);
		buf_free(&digits);
	}
}

static void prepare(struct generation *g)
{
	g->match = match_new();
	for (const struct value *v = g->values; v; v = v->next) {
		if (!v->n)
			continue;
		add_encodings(g, v);
		add_base64(g, v, crypto_base64);
		add_base64(g, v, crypto_base64url);
	}
	match_ready(g->match);
}

/* Opening, refreshing, asking */

static void log_problem(const struct problem *why)
{
	log_error("secrets: %s; the values read before stay in use", why->detail);
}

struct secrets *secret_open(const char *path, struct problem *why)
{
	struct stat st;
	struct generation *g = read_file(path, &st, why);
	struct secrets *s;

	if (!g)
		return NULL;
	prepare(g);
	s = mem_alloc(sizeof(*s));
	s->path = mem_strdup(path);
	s->seen = st;
	s->now = g;
	return s;
}

void secret_close(struct secrets *s)
{
	if (!s)
		return;
	generation_free(s->now);
	free(s->path);
	free(s);
}

static bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* The time of the inode too, which changes with owner and mode. */
static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       same_time(a->st_mtim, b->st_mtim) && same_time(a->st_ctim, b->st_ctim);
}

/* Takes over the values of `old` that `g` has no longer, for redaction alone. */
static void keep_retired(struct generation *g, const struct generation *old)
{
	int64_t now = clock_mono_us();

	for (const struct value *v = old->values; v; v = v->next) {
		const struct value *same = find_value(g, str_of(v->name));
		int64_t since = v->retired_us ? v->retired_us : now;

		if (!v->n || now - since > (int64_t)SECRET_RETIRED_S * 1000000)
			continue;
		if (!same || !str_eq(str_make(same->text, same->n), str_make(v->text, v->n)))
			add_value(g, str_of(v->name), str_make(v->text, v->n), since)->learned = v->learned;
	}
}

void secret_refresh(struct secrets *s)
{
	struct problem why = { 0 };
	struct generation *g;
	struct stat st;

	if (stat(s->path, &st)) {
		if (!s->missing) {
			refuse(&why, s->path, 0, "%s", strerror(errno));
			log_problem(&why);
		}
		s->missing = true;
		return;
	}
	if (!s->missing && same_file(&st, &s->seen))
		return;
	s->missing = false;
	s->seen = st;
	g = read_file(s->path, &st, &why);
	if (!g) {
		log_problem(&why);
		return;
	}
	s->seen = st;
	keep_retired(g, s->now);
	prepare(g);
	generation_free(s->now);
	s->now = g;
	log_info("secrets: %s read again", s->path);
}

/* Learning */

static struct value *find_learned(const struct generation *g, struct str text)
{
	for (struct value *v = g->values; v; v = v->next)
		if (v->learned && str_eq(text, str_make(v->text, v->n)))
			return v;
	return NULL;
}

/* So that one more fits. */
static void drop_learned(struct generation *g)
{
	struct value **first = NULL, *gone;
	size_t n = 0;

	for (struct value **v = &g->values; *v; v = &(*v)->next)
		if ((*v)->learned) {
			n++;
			first = first && (*first)->retired_us <= (*v)->retired_us ? first : v;
		}
	if (n < SECRET_LEARNED_MAX)
		return;
	gone = *first;
	*first = gone->next;
	value_free(gone);
}

void secret_learn(struct secrets *s, const char *name, struct str value, int64_t life_s)
{
	struct generation *g = s->now;
	int64_t until = clock_mono_us() + life_s * 1000000;
	struct value *known = find_learned(g, value);

	if (value.n < SECRET_MIN)
		return;
	if (known) {
		known->retired_us = until > known->retired_us ? until : known->retired_us;
		return;
	}
	drop_learned(g);
	add_value(g, str_of(name), value, until)->learned = true;
	match_free(g->match);
	g->forms_n = 0;
	prepare(g);
}

struct str secret_get(const struct secrets *s, struct str name)
{
	const struct value *v = str_is(name, OWNER_NAME) ? NULL : find_value(s->now, name);

	return v && v->n ? str_make(v->text, v->n) : str_of(NULL);
}

struct str secret_owner(const struct secrets *s)
{
	const struct value *v = find_value(s->now, str_of(OWNER_NAME));

	return str_make(v->text, v->n);
}

bool secret_is_owner(const struct secrets *s, struct str presented)
{
	return crypto_equal(presented, secret_owner(s));
}

static bool is_base64_digit(char c)
{
	return ascii_is_word(c) || c == '+' || c == '/' || c == '-';
}

/* Where the match ends, with the digit that holds the value's last bits and the padding. */
static size_t widened_end(const struct form *f, struct str text, size_t end)
{
	if (!f->base64)
		return end;
	if (f->after && end < text.n && is_base64_digit(text.p[end]))
		end++;
	for (int i = 0; i < 2 && end < text.n && text.p[end] == '='; i++)
		end++;
	return end;
}

static size_t widened_start(const struct form *f, struct str text, size_t start)
{
	return f->before && start && is_base64_digit(text.p[start - 1]) ? start - 1 : start;
}

static void put_redacted(struct buf *out, struct str text, size_t start, const char *name)
{
	buf_add(out, text.p, start);
	buf_puts(out, "[redacted:");
	buf_puts(out, name);
	buf_putc(out, ']');
}

/* begun: where the first part of a value begins that is cut off at the end of text; text.n when there is none. */
static size_t redact(const struct generation *g, struct buf *out, struct str text, size_t begun)
{
	/* [start, end): a match that others may still extend */
	size_t done = 0, start = 0, end = 0, from = 0, count = 0;
	const char *name = NULL;
	struct match_hit hit;

	while (match_next(g->match, text, from, &hit)) {
		const struct form *f = &g->forms[hit.tag];
		size_t hit_end = widened_end(f, text, hit.start + hit.n);

		from = hit.start + 1;
		if (name && hit.start < end) {
			end = hit_end > end ? hit_end : end;
			continue;
		}
		if (name) {
			put_redacted(out, str_skip(text, done), start - done, name);
			done = end;
		}
		name = f->value->name;
		start = widened_start(f, text, hit.start);
		start = start < done ? done : start;
		end = hit_end;
		count++;
	}
	if (name && begun < end) {
		start = begun < done ? done : begun < start ? begun : start;
		end = text.n;
	}
	if (name) {
		put_redacted(out, str_skip(text, done), start - done, name);
		done = end;
	}
	buf_putstr(out, str_skip(str_make(text.p, begun), done));
	return count;
}

/* Line breaks at i, plain or JSON-escaped: how many bytes. */
static size_t break_at(struct str text, size_t i)
{
	size_t n = 0;

	for (;;) {
		struct str rest = str_skip(text, i + n);

		if (str_starts(rest, "\n") || str_starts(rest, "\r"))
			n++;
		else if (str_starts(rest, "\\n") || str_starts(rest, "\\r"))
			n += 2;
		else
			return n;
	}
}

/* Where, at or behind `from`, a full line of base64 or hexadecimal goes on in the next; text.n when nowhere. *n: bytes of
 * the break. Every full line covers one of the places that are looked at. */
static size_t next_wrap(struct str text, size_t from, size_t *n)
{
	for (size_t i = from + WRAP_MIN - 1; i < text.n; i += WRAP_MIN) {
		size_t begin = i, end = i;

		while (end < text.n && is_base64_digit(text.p[end]))
			end++;
		while (end > i && begin > from && is_base64_digit(text.p[begin - 1]))
			begin--;
		*n = end - begin >= WRAP_MIN ? break_at(text, end) : 0;
		if (*n && end + *n < text.n && is_base64_digit(text.p[end + *n]))
			return end;
		i = end;
	}
	return text.n;
}

/* text with the lines of base64 and hexadecimal in one. False, and out is untouched: there are none. */
static bool unwrap(struct buf *out, struct str text)
{
	size_t from = 0, n = 0, at = next_wrap(text, 0, &n);

	if (at == text.n)
		return false;
	for (; at < text.n; at = next_wrap(text, from, &n)) {
		buf_add(out, text.p + from, at - from);
		from = at + n;
	}
	buf_putstr(out, str_skip(text, from));
	return true;
}

/* What is found only across the ends of lines is taken out of a text where they are one. */
static size_t redact_whole(const struct generation *g, struct buf *out, struct str text)
{
	size_t before = out->len, n = redact(g, out, text, text.n), more;
	struct buf line = BUF_MALLOC, clean = BUF_MALLOC;

	if (unwrap(&line, text)) {
		more = redact(g, &clean, buf_str(&line), line.len);
		if (more > n) {
			out->len = before;
			buf_putstr(out, buf_str(&clean));
			n = more;
		}
		crypto_forget(line.data, line.len);
	}
	buf_free(&line);
	buf_free(&clean);
	return n;
}

size_t secret_redact(const struct secrets *s, struct buf *out, struct str text)
{
	return redact_whole(s->now, out, text);
}

size_t secret_redact_cut(const struct secrets *s, struct buf *out, struct str text)
{
	int tag = 0;
	size_t begun = match_begun(s->now->match, text, &tag);

	if (begun < text.n)
		begun = widened_start(&s->now->forms[tag], text, begun);
	return redact(s->now, out, text, begun);
}

size_t secret_redact_value(struct buf *out, struct str text, const char *name, struct str value)
{
	struct generation *g = mem_alloc(sizeof(*g));
	size_t n;

	add_value(g, str_of(name), value, 0);
	prepare(g);
	n = redact_whole(g, out, text);
	generation_free(g);
	return n;
}

/* Not by the matcher: there a longer form of another value may stand where this one begins. Rows are written seldom. */
const char *secret_find(const struct secrets *s, struct str text)
{
	for (const struct value *v = s->now->values; v; v = v->next)
		if (v->n && str_find(text, str_make(v->text, v->n)) >= 0)
			return v->name;
	return NULL;
}
