/* Media types and charsets of answers. Only charsets of the table below are converted: converters of others are
 * never loaded on an upstream's word. */
#include <errno.h>
#include <iconv.h>
#include <string.h>
#include "base/crypto.h"
#include "base/escape.h"
#include "call/media.h"

#define REPLACEMENT "\xEF\xBF\xBD"      /* U+FFFD */

enum { MEDIA_TYPE_MAX = 127 };          /* bytes of a type shown in a data: URI; RFC 6838 section 4.2 */

static const struct { const char *label, *name; } charsets[] = {        /* name NULL: UTF-8 already */
	{ "utf-8", NULL }, { "utf8", NULL }, { "us-ascii", NULL }, { "ascii", NULL },
	{ "iso-8859-1", "ISO-8859-1" }, { "latin1", "ISO-8859-1" }, { "latin-1", "ISO-8859-1" },
	{ "iso-8859-2", "ISO-8859-2" }, { "iso-8859-5", "ISO-8859-5" }, { "iso-8859-7", "ISO-8859-7" },
	{ "iso-8859-9", "ISO-8859-9" }, { "iso-8859-15", "ISO-8859-15" },
	{ "windows-1250", "CP1250" }, { "windows-1251", "CP1251" }, { "windows-1252", "CP1252" },
	{ "windows-1253", "CP1253" }, { "windows-1254", "CP1254" }, { "windows-1256", "CP1256" },
	{ "koi8-r", "KOI8-R" }, { "koi8-u", "KOI8-U" },
	{ "utf-16", "UTF-16" }, { "utf-16le", "UTF-16LE" }, { "utf-16be", "UTF-16BE" },
	{ "shift_jis", "CP932" }, { "euc-jp", "EUC-JP" }, { "euc-kr", "EUC-KR" },
	{ "gbk", "GBK" }, { "gb2312", "GBK" }, { "gb18030", "GB18030" }, { "big5", "BIG5" },
};

static const char *const text_types[] = {
	"application/json", "application/xml", "application/javascript", "application/ecmascript",
	"application/x-www-form-urlencoded", "application/x-ndjson", "application/yaml", "application/x-yaml",
	"application/toml", "application/graphql", "application/sql",
};
static const char *const text_suffixes[] = { "+json", "+xml", "+yaml" };
static const char *const binary_prefixes[] = { "image/", "audio/", "video/", "font/" };

static bool ends_fold(struct str s, const char *word)
{
	size_t n = strlen(word);

	return s.n >= n && str_is_fold(str_skip(s, s.n - n), word);
}

static bool is_text_type(struct str type)
{
	for (size_t i = 0; i < sizeof(text_types) / sizeof(*text_types); i++)
		if (str_is_fold(type, text_types[i]))
			return true;
	for (size_t i = 0; i < sizeof(text_suffixes) / sizeof(*text_suffixes); i++)
		if (ends_fold(type, text_suffixes[i]))
			return true;
	return str_starts_fold(type, "text/");
}

static bool is_text(struct str type, struct str body)
{
	if (is_text_type(type))
		return true;
	for (size_t i = 0; i < sizeof(binary_prefixes) / sizeof(*binary_prefixes); i++)
		if (str_starts_fold(type, binary_prefixes[i]))
			return false;
	return !(body.n && memchr(body.p, 0, body.n)) && escape_is_utf8(body);
}

/* The charset parameter of a Content-Type. */
static struct str charset_of(struct str parameters)
{
	while (parameters.p) {
		struct str value = str_trim(str_cut(&parameters, ';')), name = str_trim(str_cut(&value, '='));

		if (!value.p || !str_is_fold(name, "charset"))
			continue;
		value = str_trim(value);
		if (value.n >= 2 && value.p[0] == '"' && value.p[value.n - 1] == '"')
			value = str_make(value.p + 1, value.n - 2);
		return value;
	}
	return str_make(NULL, 0);
}

static const char *converter_of(struct str charset)
{
	for (size_t i = 0; charset.n && i < sizeof(charsets) / sizeof(*charsets); i++)
		if (str_is_fold(charset, charsets[i].label))
			return charsets[i].name;
	return NULL;
}

static void convert(struct buf *out, iconv_t cd, struct str body, bool cut)
{
	char piece[2048], *in = (char *)(uintptr_t)body.p;
	size_t left = body.n;

	while (left) {
		char *to = piece;
		size_t room = sizeof(piece), rc = iconv(cd, &in, &left, &to, &room);

		buf_add(out, piece, (size_t)(to - piece));
		if (rc != (size_t)-1 || errno == E2BIG)
			continue;
		if (errno == EINVAL && cut)
			return;
		buf_puts(out, REPLACEMENT);
		if (errno != EILSEQ)
			return;         /* half a character at the end */
		in++;
		left--;
	}
}

/* A cut may have split a character: its beginning is left out. */
static struct str without_half(struct str s)
{
	for (size_t back = 1; back <= 3 && back <= s.n; back++) {
		unsigned char c = (unsigned char)s.p[s.n - back];
		size_t want = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;

		if (c >= 0xC0 && want > back)
			return str_make(s.p, s.n - back);
		if ((c & 0xC0) != 0x80)
			break;
	}
	return s;
}

static void put_text(struct buf *out, struct str parameters, struct str body, bool cut)
{
	const char *name = converter_of(charset_of(parameters));
	iconv_t cd = name ? iconv_open("UTF-8", name) : (iconv_t)-1;

	if (cd == (iconv_t)-1) {
		escape_utf8(out, cut ? without_half(body) : body);
		return;
	}
	convert(out, cd, body, cut);
	iconv_close(cd);
}

static bool is_type(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] <= 0x20 || (unsigned char)s.p[i] >= 0x7F || strchr("\",;<>\\", s.p[i]))
			return false;
	return s.n && s.n <= MEDIA_TYPE_MAX && memchr(s.p, '/', s.n);
}

void media_binary(struct buf *out, struct str type, struct str body)
{
	buf_puts(out, "data:");
	buf_putstr(out, is_type(type) ? type : str_of("application/octet-stream"));
	buf_puts(out, ";base64,");
	crypto_base64(out, body);
}

void media_text(struct buf *out, struct str content_type, struct str body, bool cut)
{
	struct str parameters = content_type, type = str_trim(str_cut(&parameters, ';'));
	struct str probe = cut ? without_half(body) : body;

	if (is_text(type, probe))
		put_text(out, parameters, body, cut);
	else
		media_binary(out, type, cut ? str_make(body.p, body.n - body.n % 3) : body);
}
