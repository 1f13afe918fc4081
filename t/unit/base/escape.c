/* Escaping by context, percent-decoding and UTF-8. */
#include <stdio.h>
#include <string.h>
#include "base/escape.h"
#include "tap.h"

static struct buf out;

static const char *escaped(enum escape how, struct str s)
{
	buf_clear(&out);
	escape_add(&out, how, s);
	return buf_text(&out);
}

static void contexts(void)
{
	static const char s[] = "a b/c?d&e=\"<'\\+%~\xC3\xA9";
	static const struct { enum escape how; const char *want; } cases[] = {
		{ ESCAPE_RAW, s },
		{ ESCAPE_JSON, "a b/c?d&e=\\\"<'\\\\+%~\xC3\xA9" },
		{ ESCAPE_PATH, "a%20b%2Fc%3Fd%26e%3D%22%3C%27%5C%2B%25~%C3%A9" },
		{ ESCAPE_PATH_SLASH, "a%20b/c%3Fd%26e%3D%22%3C%27%5C%2B%25~%C3%A9" },
		{ ESCAPE_QUERY, "a%20b%2Fc%3Fd%26e%3D%22%3C%27%5C%2B%25~%C3%A9" },
		{ ESCAPE_FORM, "a+b%2Fc%3Fd%26e%3D%22%3C%27%5C%2B%25~%C3%A9" },
		{ ESCAPE_HEADER, s },
		{ ESCAPE_HTML, "a b/c?d&amp;e=&quot;&lt;&#39;\\+%~\xC3\xA9" },
		{ ESCAPE_TERMINAL, s },
		{ ESCAPE_MARKDOWN, s },
	};

	for (size_t i = 0; i < ESCAPE_N; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s escapes what is special there", escape_name(cases[i].how));
		tap_is_str(escaped(cases[i].how, str_of(s)), cases[i].want, name);
		tap_is_str(escaped(cases[i].how, str_of(NULL)), "", "and nothing stays nothing");
	}
}

static void controls(void)
{
	struct str s = str_make("\0\b\t\n\f\r\x1F\x7F", 8);

	tap_is_str(escaped(ESCAPE_JSON, s), "\\u0000\\b\\t\\n\\f\\r\\u001f\x7F", "json: controls by RFC 8259");
	tap_is_str(escaped(ESCAPE_HEADER, s), "\t", "header: only TAB passes");
	tap_is_str(escaped(ESCAPE_HEADER, str_of("x\r\nSet-Cookie: a")), "xSet-Cookie: a",
	           "header: no second one can be begun");
	tap_is_str(escaped(ESCAPE_TERMINAL, s), "\\x00\\x08\\x09\\x0a\\x0c\\x0d\\x1f\\x7f",
	           "terminal: controls are shown");
	tap_is_str(escaped(ESCAPE_TERMINAL, str_of("\xC2\x9B" "2J\x9B\xE2\x80\xAE\xE2\x80\xA8\xE2\x81\xA6\xD8\x9C")),
	           "\\u{9b}2J\\x9b\\u{202e}\\u{2028}\\u{2066}\\u{61c}",
	           "terminal: C1, bidi controls and line breaks are shown");
	tap_is_str(escaped(ESCAPE_TERMINAL, str_of("\xE4\xB8\xAD\xC3\xA9\xF0\x9F\x98\x80")),
	           "\xE4\xB8\xAD\xC3\xA9\xF0\x9F\x98\x80",
	           "terminal: letters pass");
	tap_is_str(escaped(ESCAPE_MARKDOWN, str_of("[a](b) ![c](d) <e> </f> <!-- <https://g> 1 < 2 [H]x[/H] [i] (j) ](")),
	           "[a]\\(b) ![c]\\(d) \\<e> \\</f> \\<!-- \\<https://g> 1 < 2 [H]x[/H] [i] (j) ]\\(",
	           "markdown: no link, image or tag begins, all else stays");
	tap_is_str(escaped(ESCAPE_HTML, str_make("a\0b", 3)), "a\xEF\xBF\xBD" "b", "html: NUL is U+FFFD");
	tap_is_str(escaped(ESCAPE_FORM, str_of(" a  b ")), "+a++b+", "form: every space is a plus");
	tap_is_str(escaped(ESCAPE_PATH, str_make("\0\n..", 4)), "%00%0A..", "path: NUL and line break are encoded");
}

/* Every byte, in every percent context, decodes to itself. */
static void round_trip(void)
{
	static const enum escape hows[] = { ESCAPE_PATH, ESCAPE_PATH_SLASH, ESCAPE_QUERY, ESCAPE_FORM };
	char all[256];

	for (int i = 0; i < 256; i++)
		all[i] = (char)i;
	for (int i = 0; i < 4; i++) {
		struct buf back = BUF_MALLOC;

		escaped(hows[i], str_make(all, 256));
		tap_ok(escape_unpercent(&back, buf_str(&out), hows[i] == ESCAPE_FORM) == 0 &&
		       str_eq(buf_str(&back), str_make(all, 256)),
		       "%s: every byte comes back", escape_name(hows[i]));
		buf_free(&back);
	}
}

static void unpercent(void)
{
	static const char *const bad[] = { "%", "%z", "%zz", "%4", "a%2", "%%41", "%4g", "%-1", "% 1" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		buf_clear(&out);
		tap_ok(escape_unpercent(&out, str_of(bad[i]), true) == -1, "\"%s\" is malformed", bad[i]);
	}
	buf_clear(&out);
	tap_ok(escape_unpercent(&out, str_of("a+b%2fC%2F%00"), true) == 0 &&
	       str_eq(buf_str(&out), str_make("a b/C/\0", 7)),
	       "either case of hex digits; plus is a space");
	buf_clear(&out);
	tap_ok(escape_unpercent(&out, str_of("a+b"), false) == 0, "plus is itself elsewhere");
	tap_is_str(buf_text(&out), "a+b", "and stays");
}

static void utf8(void)
{
	static const struct { const char *s; int replaced; const char *want, *what; } cases[] = {
		{ "\xC0\x80", 2, "??", "an overlong NUL" },
		{ "\xED\xA0\x80", 3, "???", "a surrogate" },
		{ "\xF4\x90\x80\x80", 4, "????", "beyond U+10FFFF" },
		{ "\xFF", 1, "?", "FF" },
		{ "a\x80" "b", 1, "a?b", "a lone continuation" },
		{ "\xE2\x82", 1, "?", "a character cut at the end" },
		{ "\xE2\x82" "A", 1, "?A", "a character cut in the middle" },
		{ "\xF0\x9F\x98", 1, "?", "an emoji cut" },
		{ "\xE0\x80\x80", 3, "???", "an overlong form of three" },
		{ "\xF0\x8F\xBF\xBF", 4, "????", "an overlong form of four" },
		{ "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF", 0, NULL,
		  "well-formed text" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf want = BUF_MALLOC;

		for (const char *p = cases[i].want ? cases[i].want : cases[i].s; *p; p++)
			cases[i].want && *p == '?' ? buf_puts(&want, "\xEF\xBF\xBD") : buf_putc(&want, *p);
		buf_clear(&out);
		tap_ok((int)escape_utf8(&out, str_of(cases[i].s)) == cases[i].replaced &&
		       str_eq(buf_str(&out), buf_str(&want)) &&
		       escape_is_utf8(str_of(cases[i].s)) == !cases[i].replaced, "%s: %d replaced", cases[i].what,
		           cases[i].replaced);
		tap_is_str(escaped(ESCAPE_JSON, str_of(cases[i].s)), buf_text(&want), "and in JSON the same");
		buf_free(&want);
	}
	tap_ok(escape_is_utf8(str_of(NULL)), "nothing is well-formed");
}

/* All code points through the decoder, against an encoder written here. */
static void all_characters(void)
{
	bool ok = true;

	for (uint32_t cp = 0; cp < 0x110000 && ok; cp++) {
		char s[4];
		int n = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
		bool surrogate = cp >= 0xD800 && cp < 0xE000;
		uint32_t got, v = cp;

		for (int i = n - 1; i > 0; i--, v >>= 6)
			s[i] = (char)(0x80 | (v & 63));
		s[0] = (char)(n == 1 ? v : (0xF0u << (4 - n) & 0xFF) | v);
		ok = (escape_utf8_next(s, (size_t)n, &got) == n && got == cp) != surrogate;
	}
	tap_ok(ok, "every character is decoded, and no surrogate");
}

static void cut(void)
{
	struct str s = str_of("a\xC3\xA9\xF0\x9F\x98\x80z");
	static const size_t want[] = { 0, 1, 1, 3, 3, 3, 3, 7, 8, 8 };

	for (size_t max = 0; max < 10; max++)
		tap_ok(escape_cut(s, max) == want[max], "a cut at most %zu is at %zu", max, want[max]);
	tap_is_int((int64_t)escape_cut(str_of("\x80\x80\x80\x80\x80\x80"), 5), 5,
	           "bytes that are no text are cut anywhere");
	tap_is_int((int64_t)escape_cut(str_of(NULL), 5), 0, "nothing is cut at 0");
}

int main(void)
{
	contexts();
	controls();
	round_trip();
	unpercent();
	utf8();
	all_characters();
	cut();
	buf_free(&out);
	return tap_done();
}
