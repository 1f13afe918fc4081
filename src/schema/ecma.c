/* ECMA-262 section 22.2.1 to PCRE2. What both write alike is copied; what PCRE2 would read otherwise is rewritten; what
 * only PCRE2 has (verbs, possessive quantifiers, recursion, options, \A \Z \Q …) is refused. Whether the rest is
 * well formed is left to PCRE2. */
#include <stdint.h>
#include <string.h>
#include "base/ascii.h"
#include "schema/ecma.h"

/* ECMA-262 WhiteSpace and LineTerminator, and all others; for the inside of a class. Neither begins nor ends in a way
 * that joins with a "-". */
#define SPACES "\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}" \
	"\\x{feff}"
#define NO_SPACES "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}" \
	"\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}"

struct ecma {
	struct buf *out;
	const char *p, *end;
	const char *error;
};

enum kind { SINGLE, SET };      /* what an atom of a class stands for */

static const struct {
	const char *name, *category;
} categories[] = {
	{ "Cased_Letter", "L&" }, { "LC", "L&" }, { "Close_Punctuation", "Pe" },
	{ "Connector_Punctuation", "Pc" }, { "Control", "Cc" }, { "Currency_Symbol", "Sc" },
	{ "Dash_Punctuation", "Pd" }, { "Decimal_Number", "Nd" }, { "Enclosing_Mark", "Me" },
	{ "Final_Punctuation", "Pf" }, { "Format", "Cf" }, { "Initial_Punctuation", "Pi" }, { "Letter", "L" },
	{ "Letter_Number", "Nl" }, { "Line_Separator", "Zl" }, { "Lowercase_Letter", "Ll" }, { "Mark", "M" },
	{ "Math_Symbol", "Sm" }, { "Modifier_Letter", "Lm" }, { "Modifier_Symbol", "Sk" },
	{ "Nonspacing_Mark", "Mn" }, { "Number", "N" }, { "Open_Punctuation", "Ps" }, { "Other", "C" },
	{ "Other_Letter", "Lo" }, { "Other_Number", "No" }, { "Other_Punctuation", "Po" },
	{ "Other_Symbol", "So" }, { "Paragraph_Separator", "Zp" }, { "Private_Use", "Co" },
	{ "Punctuation", "P" }, { "Separator", "Z" }, { "Space_Separator", "Zs" }, { "Spacing_Mark", "Mc" },
	{ "Surrogate", "Cs" }, { "Symbol", "S" }, { "Titlecase_Letter", "Lt" }, { "Unassigned", "Cn" },
	{ "Uppercase_Letter", "Lu" }, { "cntrl", "Cc" }, { "digit", "Nd" }, { "punct", "P" },
};

static void refuse(struct ecma *e, const char *why)
{
	if (!e->error)
		e->error = why;
	e->p = e->end;
}

static int peek(const struct ecma *e, size_t ahead)
{
	return (size_t)(e->end - e->p) > ahead ? (unsigned char)e->p[ahead] : -1;
}

static void copy(struct ecma *e, size_t n)
{
	buf_add(e->out, e->p, n);
	e->p += n;
}

/* Exactly n hex digits at `ahead`; -1 when they are not there. */
static long hex_digits(const struct ecma *e, size_t ahead, size_t n)
{
	long v = 0;

	for (size_t i = 0; i < n; i++) {
		int digit = ascii_hex(peek(e, ahead + i));

		if (digit < 0)
			return -1;
		v = v * 16 + digit;
	}
	return v;
}

/* \xHH, \uHHHH, a pair of surrogates, \u{H…}; p stands at the letter. */
static void code_point(struct ecma *e)
{
	size_t length = e->p[0] == 'x' ? 2 : 4, skip = 1 + length;
	long v = hex_digits(e, 1, length);

	if (length == 4 && peek(e, 1) == '{') {
		size_t digits = 0;

		while (ascii_hex(peek(e, 2 + digits)) >= 0 && digits < 8)
			digits++;
		v = digits && peek(e, 2 + digits) == '}' ? hex_digits(e, 2, digits) : -1;
		skip = digits + 3;
	} else if (length == 4 && v >= 0xD800 && v < 0xDC00 && peek(e, 5) == '\\' && peek(e, 6) == 'u') {
		long low = hex_digits(e, 7, 4);

		if (low >= 0xDC00 && low < 0xE000) {
			v = 0x10000 + ((v - 0xD800) << 10) + (low - 0xDC00);
			skip = 11;
		}
	}
	if (v < 0 || v > 0x10FFFF)
		return refuse(e, "malformed \\x or \\u escape");
	if (v >= 0xD800 && v < 0xE000)
		return refuse(e, "a lone surrogate never occurs in a string");
	buf_printf(e->out, "\\x{%lx}", (unsigned long)v);
	e->p += skip;
}

static bool take_prefix(struct str *s, const char *prefix)
{
	if (!str_starts(*s, prefix))
		return false;
	*s = str_skip(*s, strlen(prefix));
	return true;
}

/* \p{…} and \P{…}: ECMA-262 has long names of general categories, PCRE2 the short ones. p stands at the letter. */
static void property(struct ecma *e)
{
	const char *close = memchr(e->p, '}', (size_t)(e->end - e->p));
	struct str name;
	const char *script = "";

	if (peek(e, 1) != '{' || !close)
		return refuse(e, "\\p and \\P need a property in braces");
	name = str_make(e->p + 2, (size_t)(close - e->p - 2));
	if (take_prefix(&name, "Script=") || take_prefix(&name, "sc="))
		script = "sc:";
	else if (take_prefix(&name, "Script_Extensions=") || take_prefix(&name, "scx="))
		script = "scx:";
	else if (!take_prefix(&name, "General_Category="))
		take_prefix(&name, "gc=");
	for (size_t i = 0; i < name.n; i++)
		if (!ascii_is_word(name.p[i]))
			return refuse(e, "malformed property name");
	for (size_t i = 0; i < sizeof(categories) / sizeof(*categories) && !*script; i++)
		if (str_is(name, categories[i].name))
			name = str_of(categories[i].category);
	buf_printf(e->out, "\\%c{%s%.*s}", e->p[0], script, (int)name.n, name.p);
	e->p = close + 1;
}

static void put_spaces(struct ecma *e, char which, bool in_class)
{
	if (!in_class)
		buf_puts(e->out, which == 's' ? "[" : "[^");
	buf_puts(e->out, which == 'S' && in_class ? NO_SPACES : SPACES);
	if (!in_class)
		buf_putc(e->out, ']');
	e->p++;
}

/* Digits behind a backslash: \0, and outside a class a reference to a group. */
static void decimal_escape(struct ecma *e, bool in_class)
{
	size_t n = 0;

	while (ascii_is_digit(peek(e, n)))
		n++;
	if (n == 1 && e->p[0] == '0')
		buf_puts(e->out, "\\x{0}");
	else if (e->p[0] == '0' || in_class || n > 4)
		return refuse(e, "octal escapes are not allowed");
	else
		buf_printf(e->out, "\\g{%.*s}", (int)n, e->p);
	e->p += n;
}

/* Escapes that stand for one character, and for what only exists outside a class. p stands behind the backslash. */
static void other_escape(struct ecma *e, bool in_class)
{
	int c = peek(e, 0);

	if (c == 'v') {
		buf_puts(e->out, "\\x{b}");
	} else if (c == 'b' && in_class) {
		buf_puts(e->out, "\\x{8}");
	} else if (c == 'c' && ascii_is_letter(peek(e, 1))) {
		buf_printf(e->out, "\\x{%x}", peek(e, 1) & 0x1Fu);
		e->p++;
	} else if ((c == 'k' && peek(e, 1) == '<' && !in_class) || ((c == 'b' || c == 'B') && !in_class) ||
		strchr("tnfr", c)) {
		buf_printf(e->out, "\\%c", c);
	} else if (c >= 0x80) {
		buf_putc(e->out, (char)c);      /* a backslash before a character outside ASCII means nothing */
	} else if (c > ' ' && c < 0x7F && !ascii_is_letter(c)) {
		buf_printf(e->out, "\\%c", c);
	} else {
		return refuse(e, "unknown escape");
	}
	e->p++;
}

/* p stands behind the backslash. */
static enum kind escape(struct ecma *e, bool in_class)
{
	int c = peek(e, 0);

	switch (c) {
	case -1:
		refuse(e, "a backslash at the end");
		return SINGLE;
	case 'd': case 'D': case 'w': case 'W':
		buf_printf(e->out, "\\%c", c);
		e->p++;
		return SET;
	case 's': case 'S':
		put_spaces(e, (char)c, in_class);
		return SET;
	case 'p': case 'P':
		property(e);
		return SET;
	case 'x': case 'u':
		code_point(e);
		return SINGLE;
	case 0:
		refuse(e, "unknown escape");
		return SINGLE;
	default:
		if (ascii_is_digit(c))
			decimal_escape(e, in_class);
		else
			other_escape(e, in_class);
		return SINGLE;
	}
}

static enum kind class_atom(struct ecma *e)
{
	int c = peek(e, 0);

	if (c == '\\') {
		e->p++;
		return escape(e, true);
	}
	if (c == '[' || c == '-' || c == '^')
		buf_putc(e->out, '\\');
	do
		copy(e, 1);
	while ((peek(e, 0) & 0xC0) == 0x80 && peek(e, 0) > 0);
	return SINGLE;
}

/* p stands at the "[". PCRE2 is told to take "[]" and "[^]" as ECMA-262 does. */
static void class(struct ecma *e)
{
	copy(e, 1);
	if (peek(e, 0) == '^')
		copy(e, 1);
	while (peek(e, 0) >= 0 && peek(e, 0) != ']') {
		enum kind from = class_atom(e);

		if (peek(e, 0) != '-' || peek(e, 1) == ']' || peek(e, 1) < 0)
			continue;
		copy(e, 1);
		if (class_atom(e) == SET || from == SET)
			refuse(e, "a range in a class needs single characters at both ends");
	}
	if (peek(e, 0) == ']')
		copy(e, 1);
	else
		refuse(e, "a class is not closed");
}

/* p stands at the "(". */
static void group(struct ecma *e)
{
	copy(e, 1);
	if (peek(e, 0) == '*')
		return refuse(e, "nothing to repeat");
	if (peek(e, 0) != '?')
		return;
	if (strchr(":=!", peek(e, 1)) && peek(e, 1) > 0)
		copy(e, 2);
	else if (peek(e, 1) == '<' &&
		(peek(e, 2) == '=' || peek(e, 2) == '!' || ascii_is_letter(peek(e, 2)) || peek(e, 2) == '_'))
		copy(e, 3);
	else
		refuse(e, "ECMA-262 has no such group");
}

/* Length of {n}, {n,} or {n,m}; 0 when the brace is a plain character. */
static size_t braces(const struct ecma *e)
{
	size_t n = 1;

	while (ascii_is_digit(peek(e, n)))
		n++;
	if (n == 1)
		return 0;
	if (peek(e, n) == ',')
		n++;
	while (ascii_is_digit(peek(e, n)))
		n++;
	return peek(e, n) == '}' ? n + 1 : 0;
}

/* p stands at "*", "+", "?" or "{". */
static void quantifier(struct ecma *e)
{
	size_t n = e->p[0] == '{' ? braces(e) : 1;

	if (!n) {
		buf_putc(e->out, '\\');
		copy(e, 1);
		return;
	}
	copy(e, n);
	if (peek(e, 0) == '?')
		copy(e, 1);
	if (peek(e, 0) == '+' || peek(e, 0) == '*' || peek(e, 0) == '?')
		refuse(e, "nothing to repeat");
}

const char *ecma_translate(struct buf *out, struct str pattern)
{
	struct ecma e = { out, pattern.p, pattern.p + pattern.n, NULL };

	while (e.p < e.end) {
		switch (*e.p) {
		case '\\':
			e.p++;
			escape(&e, false);
			break;
		case '[':
			class(&e);
			break;
		case '(':
			group(&e);
			break;
		case '*': case '+': case '?': case '{':
			quantifier(&e);
			break;
		case '.':
			buf_puts(out, "[^\\n\\r\\x{2028}\\x{2029}]");
			e.p++;
			break;
		default:
			copy(&e, 1);
		}
	}
	return e.error;
}
