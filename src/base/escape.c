/* Escaping by output context, percent-decoding and UTF-8. Decides nothing about where a value goes: the caller names
 * the context. */
#include <string.h>
#include "base/ascii.h"
#include "base/escape.h"

#define REPLACEMENT "\xEF\xBF\xBD"      /* U+FFFD */

static const char hex_upper[] = "0123456789ABCDEF";
static const char hex_lower[] = "0123456789abcdef";

int escape_utf8_next(const char *p, size_t n, uint32_t *cp)
{
	const unsigned char *u = (const unsigned char *)p;
	unsigned char low = 0x80, high = 0xBF;          /* bounds of the second byte: RFC 3629 section 4 */
	int len;

	*cp = u[0];
	if (u[0] < 0x80)
		return 1;
	if (u[0] >= 0xC2 && u[0] <= 0xDF) {
		len = 2;
	} else if ((u[0] & 0xF0) == 0xE0) {
		len = 3;
		low = u[0] == 0xE0 ? 0xA0 : 0x80;       /* no overlong forms */
		high = u[0] == 0xED ? 0x9F : 0xBF;      /* no surrogates */
	} else if (u[0] >= 0xF0 && u[0] <= 0xF4) {
		len = 4;
		low = u[0] == 0xF0 ? 0x90 : 0x80;
		high = u[0] == 0xF4 ? 0x8F : 0xBF;      /* nothing above U+10FFFF */
	} else {
		*cp = 0xFFFD;
		return -1;
	}
	*cp = u[0] & (0x7Fu >> len);
	for (int i = 1; i < len; i++) {
		if ((size_t)i >= n || u[i] < low || u[i] > high) {
			*cp = 0xFFFD;
			return -i;
		}
		*cp = *cp << 6 | (u[i] & 0x3F);
		low = 0x80;
		high = 0xBF;
	}
	return len;
}

static bool is_unreserved(unsigned char c)
{
	return ascii_is_word(c) || c == '-' || c == '.' || c == '~';
}

static bool is_path_plain(unsigned char c)
{
	return is_unreserved(c) || c == '/';
}

static bool is_json_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

static bool is_html_plain(unsigned char c)
{
	return c && c < 0x80 && !strchr("&<>\"'", c);
}

static bool is_terminal_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7F;
}

static bool is_header_plain(unsigned char c)
{
	return c == '\t' || (c >= 0x20 && c != 0x7F);
}

/* Which bytes each kind of text takes as they are. */
enum plain { PLAIN_UNRESERVED, PLAIN_PATH, PLAIN_JSON, PLAIN_HTML, PLAIN_TERMINAL, PLAIN_HEADER, PLAIN_N };

static bool (*const is_plain[PLAIN_N])(unsigned char) = {
	[PLAIN_UNRESERVED] = is_unreserved,
	[PLAIN_PATH] = is_path_plain,
	[PLAIN_JSON] = is_json_plain,
	[PLAIN_HTML] = is_html_plain,
	[PLAIN_TERMINAL] = is_terminal_plain,
	[PLAIN_HEADER] = is_header_plain,
};

/* The same as a table, a bit for each kind. */
static const unsigned char *plain_table(void)
{
	static unsigned char table[256];
	static bool filled;

	for (int c = 0; !filled && c < 256; c++)
		for (int k = 0; k < PLAIN_N; k++)
			table[c] |= (unsigned char)(is_plain[k]((unsigned char)c) << k);
	filled = true;
	return table;
}

/* Length of the run at the start of s that is written as it is. */
static size_t plain_run(struct str s, enum plain k)
{
	const unsigned char *table = plain_table(), bit = (unsigned char)(1 << k);
	size_t n = 0;

	while (n < s.n && table[(unsigned char)s.p[n]] & bit)
		n++;
	return n;
}

static void add_raw(struct buf *out, struct str s)
{
	buf_putstr(out, s);
}

static void put_percent(struct buf *out, unsigned char c)
{
	char text[3] = { '%', hex_upper[c >> 4], hex_upper[c & 15] };

	buf_add(out, text, sizeof(text));
}

static void add_percent(struct buf *out, struct str s, enum plain plain)
{
	while (s.n) {
		size_t run = plain_run(s, plain);

		buf_add(out, s.p, run);
		s = str_skip(s, run);
		if (s.n) {
			put_percent(out, (unsigned char)s.p[0]);
			s = str_skip(s, 1);
		}
	}
}

static void add_path(struct buf *out, struct str s)
{
	add_percent(out, s, PLAIN_UNRESERVED);
}

static void add_path_slash(struct buf *out, struct str s)
{
	add_percent(out, s, PLAIN_PATH);
}

static void add_form(struct buf *out, struct str s)
{
	do {
		struct str word = str_cut(&s, ' ');

		add_percent(out, word, PLAIN_UNRESERVED);
		if (s.p)
			buf_putc(out, '+');
	} while (s.p);
}

static void put_json_special(struct buf *out, unsigned char c)
{
	static const char shorts[] = "\b\t\n\f\r\"\\", letters[] = "btnfr\"\\";
	const char *at = c ? strchr(shorts, c) : NULL;

	buf_putc(out, '\\');
	if (at) {
		buf_putc(out, letters[at - shorts]);
		return;
	}
	buf_puts(out, "u00");
	buf_putc(out, hex_lower[c >> 4]);
	buf_putc(out, hex_lower[c & 15]);
}

static void put_html_special(struct buf *out, unsigned char c)
{
	static const char *const names[] = { ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;",
		['\''] = "&#39;" };

	buf_puts(out, c ? names[c] : REPLACEMENT);
}

static bool is_bidi_or_break(uint32_t cp)
{
	return cp == 0x61C || cp == 0x200E || cp == 0x200F || (cp >= 0x2028 && cp <= 0x202E) ||
	       (cp >= 0x2066 && cp <= 0x2069);
}

static void put_byte_shown(struct buf *out, unsigned char c)
{
	char text[4] = { '\\', 'x', hex_lower[c >> 4], hex_lower[c & 15] };

	buf_add(out, text, sizeof(text));
}

static void put_code_shown(struct buf *out, uint32_t cp)
{
	buf_puts(out, "\\u{");
	for (int shift = cp > 0xFFF ? 12 : cp > 0xFF ? 8 : 4; shift >= 0; shift -= 4)
		buf_putc(out, hex_lower[cp >> shift & 15]);
	buf_putc(out, '}');
}

/* One step of the escapers that know characters: ASCII that is special goes to `special`, malformed bytes become
 * U+FFFD. Returns the rest. */
static struct str add_character(struct buf *out, struct str s, void (*special)(struct buf *, unsigned char))
{
	uint32_t cp;
	int n = escape_utf8_next(s.p, s.n, &cp);

	if (n < 0)
		buf_puts(out, REPLACEMENT);
	else if (n == 1)
		special(out, (unsigned char)cp);
	else
		buf_add(out, s.p, (size_t)n);
	return str_skip(s, (size_t)(n < 0 ? -n : n));
}

static void add_json(struct buf *out, struct str s)
{
	while (s.n) {
		size_t run = plain_run(s, PLAIN_JSON);

		buf_add(out, s.p, run);
		s = str_skip(s, run);
		if (s.n)
			s = add_character(out, s, put_json_special);
	}
}

static void add_html(struct buf *out, struct str s)
{
	while (s.n) {
		size_t run = plain_run(s, PLAIN_HTML);

		buf_add(out, s.p, run);
		s = str_skip(s, run);
		if (s.n)
			s = add_character(out, s, put_html_special);
	}
}

static void add_header(struct buf *out, struct str s)
{
	while (s.n) {
		size_t run = plain_run(s, PLAIN_HEADER);

		buf_add(out, s.p, run);
		s = str_skip(s, run + 1);
	}
}

static void add_terminal(struct buf *out, struct str s)
{
	while (s.n) {
		size_t run = plain_run(s, PLAIN_TERMINAL);
		uint32_t cp;
		int n;

		buf_add(out, s.p, run);
		s = str_skip(s, run);
		if (!s.n)
			break;
		n = escape_utf8_next(s.p, s.n, &cp);
		if (n < 0 || n == 1) {
			n = 1;
			put_byte_shown(out, (unsigned char)s.p[0]);
		} else if (cp < 0xA0 || is_bidi_or_break(cp)) {
			put_code_shown(out, cp);
		} else {
			buf_add(out, s.p, (size_t)n);
		}
		s = str_skip(s, (size_t)n);
	}
}

/* Only where the text would be markup: what stands in docstrings stays as readable as it was. */
static void add_markdown(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i], before = i ? s.p[i - 1] : 0, next = i + 1 < s.n ? s.p[i + 1] : 0;
		bool link = before == ']' && c == '(';  /* others need a definition, which begins a line */
		bool tag = c == '<' && (ascii_is_letter(next) || next == '/' ||
		                        next == '!' || next == '?');

		if (link || tag)
			buf_putc(out, '\\');
		buf_putc(out, c);
	}
}

static const struct {
	const char *name;
	void (*add)(struct buf *out, struct str s);
} escapes[ESCAPE_N] = {
	[ESCAPE_RAW] = { "raw", add_raw },
	[ESCAPE_JSON] = { "json", add_json },
	[ESCAPE_PATH] = { "path", add_path },
	[ESCAPE_PATH_SLASH] = { "path_slash", add_path_slash },
	[ESCAPE_QUERY] = { "query", add_path },
	[ESCAPE_FORM] = { "form", add_form },
	[ESCAPE_HEADER] = { "header", add_header },
	[ESCAPE_HTML] = { "html", add_html },
	[ESCAPE_TERMINAL] = { "terminal", add_terminal },
	[ESCAPE_MARKDOWN] = { "markdown", add_markdown },
};

void escape_add(struct buf *out, enum escape how, struct str s)
{
	escapes[how].add(out, s);
}

const char *escape_name(enum escape how)
{
	return escapes[how].name;
}

int escape_unpercent(struct buf *out, struct str s, bool plus)
{
	buf_reserve(out, s.n);
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c == '%') {
			if (s.n - i < 3 || ascii_hex(s.p[i + 1]) < 0 || ascii_hex(s.p[i + 2]) < 0)
				return -1;
			c = (char)(ascii_hex(s.p[i + 1]) << 4 | ascii_hex(s.p[i + 2]));
			i += 2;
		} else if (c == '+' && plus) {
			c = ' ';
		}
		buf_putc(out, c);
	}
	return 0;
}

/* Length of the well-formed UTF-8 at the start of s. */
static size_t well_formed(struct str s)
{
	size_t i = 0;
	uint32_t cp;

	while (i < s.n) {
		int n = (unsigned char)s.p[i] < 0x80 ? 1 : escape_utf8_next(s.p + i, s.n - i, &cp);

		if (n < 0)
			break;
		i += (size_t)n;
	}
	return i;
}

size_t escape_utf8(struct buf *out, struct str s)
{
	size_t replaced = 0;
	uint32_t cp;

	while (s.n) {
		size_t good = well_formed(s);

		buf_add(out, s.p, good);
		s = str_skip(s, good);
		if (s.n) {
			buf_puts(out, REPLACEMENT);
			replaced++;
			s = str_skip(s, (size_t)-escape_utf8_next(s.p, s.n, &cp));
		}
	}
	return replaced;
}

bool escape_is_utf8(struct str s)
{
	return well_formed(s) == s.n;
}

size_t escape_cut(struct str s, size_t max)
{
	size_t n = max;

	if (s.n <= max)
		return s.n;
	/* Back over at most three continuation bytes; more of them are no character, and then the cut is anywhere. */
	while (n && max - n < 3 && ((unsigned char)s.p[n] & 0xC0) == 0x80)
		n--;
	return ((unsigned char)s.p[n] & 0xC0) == 0x80 ? max : n;
}

void escape_utf8_put(struct buf *out, uint32_t cp)
{
	if (cp < 0x80) {
		buf_putc(out, (char)cp);
		return;
	}
	if (cp < 0x800) {
		buf_putc(out, (char)(0xC0 | cp >> 6));
	} else {
		if (cp < 0x10000) {
			buf_putc(out, (char)(0xE0 | cp >> 12));
		} else {
			buf_putc(out, (char)(0xF0 | cp >> 18));
			buf_putc(out, (char)(0x80 | (cp >> 12 & 0x3F)));
		}
		buf_putc(out, (char)(0x80 | (cp >> 6 & 0x3F)));
	}
	buf_putc(out, (char)(0x80 | (cp & 0x3F)));
}
