/* Splits a pasted command into words as POSIX shells and bash do (XCU 2.2, 2.3). Nothing is expanded or run. */
#include <string.h>
#include "base/buf.h"
#include "base/escape.h"
#include "import/shell.h"

struct scan {
	struct str in;                  /* what is left */
	struct buf out;                 /* the word at hand */
	bool word;                      /* there is one, maybe empty */
	const char *fault;
};

static char peek(const struct scan *s, size_t i)
{
	return i < s->in.n ? s->in.p[i] : '\0';
}

static void skip(struct scan *s, size_t n)
{
	s->in = str_skip(s->in, n < s->in.n ? n : s->in.n);
}

static void take(struct scan *s)
{
	buf_putc(&s->out, s->in.p[0]);
	skip(s, 1);
}

static void single_quoted(struct scan *s)
{
	skip(s, 1);
	while (s->in.n && s->in.p[0] != '\'')
		take(s);
	if (!s->in.n)
		s->fault = "a single quote is not closed";
	skip(s, 1);
}

static int hex_value(char c)
{
	const char *at = c ? strchr("0123456789abcdef", c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;

	return at ? (int)(at - "0123456789abcdef") : -1;
}

/* Up to max digits of a base, 8 or 16; false when there is none. */
static bool number(struct scan *s, int base, int max, uint32_t *value)
{
	int i = 0, digit;

	for (*value = 0; i < max && (digit = hex_value(peek(s, 0))) >= 0 && digit < base; i++) {
		*value = *value * (uint32_t)base + (uint32_t)digit;
		skip(s, 1);
	}
	return i > 0;
}

/* Two \u of a surrogate pair are one character: browsers write them so. */
static void put_unicode(struct scan *s, uint32_t cp)
{
	uint32_t low;
	struct str before = s->in;

	if (cp >= 0xD800 && cp < 0xDC00 && peek(s, 0) == '\\' && peek(s, 1) == 'u') {
		skip(s, 2);
		if (number(s, 16, 4, &low) && low >= 0xDC00 && low < 0xE000)
			cp = 0x10000 + ((cp - 0xD800) << 10) + (low - 0xDC00);
		else
			s->in = before;
	}
	if (!cp || cp > 0x10FFFF || (cp >= 0xD800 && cp < 0xE000))
		s->fault = "an escape in $'…' is no character";
	else
		escape_utf8_put(&s->out, cp);
}

/* Behind the backslash in $'…'. */
static void ansi_escape(struct scan *s)
{
	static const char from[] = "abeEfnrtv\\'\"?", to[] = "\a\b\033\033\f\n\r\t\v\\'\"?";
	char c = peek(s, 0);
	const char *at = c ? strchr(from, c) : NULL;
	uint32_t value = 0;

	if (at) {
		buf_putc(&s->out, to[at - from]);
		skip(s, 1);
		return;
	}
	if (c == 'x' || c == 'u' || c == 'U') {
		skip(s, 1);
		if (!number(s, 16, c == 'x' ? 2 : c == 'u' ? 4 : 8, &value))
			s->fault = "an escape in $'…' has no digits";
		else if (c == 'x')
			buf_putc(&s->out, (char)value);
		else
			put_unicode(s, value);
		return;
	}
	if (number(s, 8, 3, &value))
		buf_putc(&s->out, (char)value);
	else
		buf_putc(&s->out, '\\');
}

static void ansi_quoted(struct scan *s)
{
	skip(s, 2);
	while (s->in.n && s->in.p[0] != '\'' && !s->fault) {
		if (s->in.p[0] != '\\') {
			take(s);
			continue;
		}
		skip(s, 1);
		ansi_escape(s);
	}
	if (!s->in.n && !s->fault)
		s->fault = "a quote $'…' is not closed";
	skip(s, 1);
}

static bool is_name(char c, bool first)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || (!first && c >= '0' && c <= '9');
}

/* At a "$" that opens no quote. */
static void dollar(struct scan *s)
{
	size_t n = 2;

	if (peek(s, 1) == '(') {
		s->fault = "a command is substituted with $(…); put in what it prints";
	} else if (peek(s, 1) == '{' && is_name(peek(s, 2), true)) {
		while (is_name(peek(s, n), false))
			n++;
		if (peek(s, n) != '}') {
			s->fault = "${…} is more than a name";
			return;
		}
		buf_putc(&s->out, '$');
		buf_add(&s->out, s->in.p + 2, n - 2);
		skip(s, n + 1);
	} else {
		take(s);
	}
}

static void double_quoted(struct scan *s)
{
	skip(s, 1);
	while (s->in.n && s->in.p[0] != '"' && !s->fault) {
		char next = peek(s, 1);

		if (s->in.p[0] == '\\' && next && strchr("$`\"\\", next)) {
			skip(s, 1);
			take(s);
		} else if (s->in.p[0] == '\\' && next == '\n') {
			skip(s, 2);
		} else if (s->in.p[0] == '`') {
			s->fault = "a command is substituted with `…`; put in what it prints";
		} else if (s->in.p[0] == '$') {
			dollar(s);
		} else {
			take(s);
		}
	}
	if (!s->in.n && !s->fault)
		s->fault = "a double quote is not closed";
	skip(s, 1);
}

static size_t line_end(const struct scan *s)
{
	return peek(s, 0) == '\n' ? 1 : peek(s, 0) == '\r' && peek(s, 1) == '\n' ? 2 : 0;
}

static void backslash(struct scan *s)
{
	size_t n;

	skip(s, 1);
	if ((n = line_end(s)) > 0) {
		skip(s, n);
	} else if (s->in.n) {
		take(s);
		s->word = true;
	}
}

/* One piece of a word. */
static void piece(struct scan *s)
{
	char c = s->in.p[0];

	if (c == '\\') {
		backslash(s);
		return;
	}
	s->word = true;
	if (c == '\'')
		single_quoted(s);
	else if (c == '"')
		double_quoted(s);
	else if (c == '$' && peek(s, 1) == '\'')
		ansi_quoted(s);
	else if (c == '$')
		dollar(s);
	else if (c == '`')
		s->fault = "a command is substituted with `…`; put in what it prints";
	else if (c == '^' && peek(s, 1) && strchr("\"\r\n", peek(s, 1)))
		s->fault = "this is quoted for cmd.exe of Windows; in the browser choose \"Copy as cURL (bash)\"";
	else
		take(s);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* An unquoted character that ends the command: pipe, list, redirection; a line's end behind which there is no "\". */
static bool is_operator(const struct scan *s)
{
	return !s->word && s->in.n && strchr("|&;<>()", s->in.p[0]);
}

int shell_words(struct arena *a, struct str text, struct str **word, size_t *n, struct str *rest, struct problem *why)
{
	struct scan s = { .in = text, .out = BUF_ARENA(a) };

	*word = arena_alloc(a, SHELL_WORDS_MAX * sizeof(**word));
	*n = 0;
	while (!s.fault && (s.in.n || s.word)) {
		if (s.in.n && !is_blank(s.in.p[0]) && !is_operator(&s) && !(s.word && strchr("|;<>()", s.in.p[0])) &&
		    !(!s.word && s.in.p[0] == '#')) {
			piece(&s);
			continue;
		}
		if (s.word && *n == SHELL_WORDS_MAX) {
			s.fault = "there are too many words";
		} else if (s.word) {
			(*word)[(*n)++] = arena_copy(a, s.out.len ? buf_str(&s.out) : str_of(""));
			buf_clear(&s.out);
			s.word = false;
			continue;
		}
		if (is_operator(&s))
			break;
		if (s.in.n && s.in.p[0] == '#')
			while (s.in.n && s.in.p[0] != '\n')
				skip(&s, 1);
		skip(&s, 1);
	}
	*rest = s.in.n ? s.in : str_make(NULL, 0);
	if (!s.fault)
		return 0;
	problem_set(why, 400, "bad_command");
	problem_detail(why, "%s", s.fault);
	return -1;
}
