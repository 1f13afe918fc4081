/* Searchable text: of a row for the full-text tables, and of a question before it is cut into words. Stemming and
 * folding are the tokenizer's (store/db.h), ranking is rank.c's. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/ascii.h"
#include "base/escape.h"
#include "directory/wording.h"
#include "lang/docstring.h"

enum { WORD_MAX = 24 };                 /* bytes of a word of the lists below */

static const double request_weight = 0.3;

/* Both lists in order. */
static const char *const silent[] = {
	"a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because",
	"been", "before", "being", "between", "both", "but", "by", "can", "cannot", "could", "d", "did", "do", "does",
	"doing", "don", "during", "each", "few", "for", "from", "had", "has", "have", "having", "he", "hello", "her",
	"here", "hers", "hey", "hi", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "itself", "just",
	"ll", "m", "me", "might", "mine", "more", "most", "must", "my", "myself", "no", "nor", "not", "of", "off", "ok",
	"okay", "on", "only", "or", "other", "our", "ours", "out", "over", "own", "please", "re", "s", "same", "shall",
	"she", "should", "so", "some", "such", "t", "than", "thank", "thanks", "that", "the", "their", "theirs", "them",
	"then", "there", "these", "they", "this", "those", "through", "to", "too", "under", "until", "up", "us", "ve",
	"very", "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom", "whose", "why", "will",
	"with", "would", "yes", "you", "your", "yours",
};

static const char *const requesting[] = {
	"able", "advice", "allow", "allows", "answer", "anything", "app", "ask", "assist", "assistance", "available",
	"best", "better", "come", "create", "creating", "current", "currently", "detail", "detailed", "details",
	"different", "enable", "enables", "feature", "features", "find", "first", "generate", "get", "getting", "give",
	"go", "going", "good", "great", "help", "idea", "ideas", "include", "includes", "including", "info",
	"information", "interested", "kindly", "know", "latest", "let", "like", "look", "looking", "make", "making",
	"many", "much", "need", "needed", "needs", "new", "now", "offer", "offers", "one", "platform", "possible",
	"possibly", "provide", "provides", "question", "questions", "recommend", "recommendation", "recommendations",
	"see", "service", "services", "show", "something", "specific", "specifically", "start", "suggest",
	"suggestion", "suggestions", "take", "tell", "tips", "tool", "tools", "try", "two", "use", "used", "using",
	"various", "want", "way", "ways",
};

static const char *const columns[WORDING_N] = {
	"key", "what", "when_to_use", "args", "examples", "category", "description",
};

enum wording_column wording_column_of(struct str name)
{
	int c = 0;

	while (c < WORDING_N && !str_is(name, columns[c]))
		c++;
	return (enum wording_column)c;
}

static int compare(const void *key, const void *item)
{
	return strcasecmp(key, *(const char *const *)item);
}

double wording_weight(struct str word)
{
	char w[WORD_MAX];

	if (word.n >= sizeof(w))
		return 1;
	memcpy(w, word.p, word.n);
	w[word.n] = 0;
	if (bsearch(w, silent, sizeof(silent) / sizeof(*silent), sizeof(*silent), compare))
		return 0;
	return bsearch(w, requesting, sizeof(requesting) / sizeof(*requesting), sizeof(*requesting), compare)
		? request_weight
		: 1;
}

/* Scripts without blanks */

static bool is_unspaced(uint32_t c)
{
	static const struct { uint32_t from, to; } ranges[] = {
		{ 0x0E00, 0x0EFF },     /* Thai, Lao */
		{ 0x1000, 0x109F },     /* Burmese */
		{ 0x1780, 0x17FF },     /* Khmer */
		{ 0x3041, 0x30FF },     /* Hiragana, Katakana */
		{ 0x31F0, 0x31FF },
		{ 0x3400, 0x4DBF },     /* Chinese characters */
		{ 0x4E00, 0x9FFF },
		{ 0xAC00, 0xD7AF },     /* Hangul */
		{ 0xF900, 0xFAFF },
		{ 0xFF66, 0xFF9F },
		{ 0x20000, 0x2FA1F },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
		if (c >= ranges[i].from && c <= ranges[i].to)
			return true;
	return false;
}

void wording_prepare(struct buf *out, struct str text)
{
	bool inside = false;            /* the character before is of such a script */

	for (size_t at = 0, length; at < text.n; at += length) {
		uint32_t c, next = 0;
		int n = escape_utf8_next(text.p + at, text.n - at, &c);
		bool unspaced = n > 0 && is_unspaced(c);

		length = (size_t)(n < 0 ? -n : n);
		if (inside && !unspaced)
			buf_putc(out, ' ');
		if (n > 0)
			buf_add(out, text.p + at, length);
		if (inside && unspaced) {
			buf_putc(out, ' ');
			if (at + length < text.n)
				escape_utf8_next(text.p + at + length, text.n - at - length, &next);
			if (is_unspaced(next))
				buf_add(out, text.p + at, length);
		}
		inside = unspaced;
	}
}

/* Rows */

/* A new part begins between the characters a and b, which c follows (0 at the end): "webPage", "QRCode", "mp3". */
static bool parts_at(char a, char b, char c)
{
	if (ascii_is_lower(a) || ascii_is_digit(a))
		return ascii_is_upper(b);
	return ascii_is_upper(a) && ascii_is_upper(b) && ascii_is_lower(c);
}

/* A name, and its parts where it changes case; the tokenizer cuts it at "_" itself. */
static void add_name(struct buf *out, struct str name)
{
	bool cut = false;

	buf_putstr(out, name);
	buf_putc(out, ' ');
	for (size_t i = 1; i < name.n; i++)
		cut = cut || parts_at(name.p[i - 1], name.p[i], i + 1 < name.n ? name.p[i + 1] : 0);
	for (size_t i = 0; cut && i < name.n; i++) {
		if (i && parts_at(name.p[i - 1], name.p[i], i + 1 < name.n ? name.p[i + 1] : 0))
			buf_putc(out, ' ');
		buf_putc(out, name.p[i]);
	}
	buf_putc(out, ' ');
}

static void add_text(struct buf *out, struct str text)
{
	if (!text.n || out->len >= WORDING_MAX)
		return;
	wording_prepare(out, str_make(text.p, escape_cut(text, WORDING_MAX - out->len)));
	buf_putc(out, ' ');
}

static void add_schema(struct arena *a, struct buf *out, struct str schema)
{
	struct json_object *o = NULL, *properties;

	if (!schema.n || json_parse(a, schema, &o, NULL) < 0)
		return;
	add_text(out, json_str(json_get(o, "description")));
	properties = json_get(o, "properties");
	if (!json_object_is_type(properties, json_type_object))
		return;
	json_object_object_foreach(properties, name, value) {
		if (out->len >= WORDING_MAX)
			break;
		add_name(out, str_of(name));
		add_text(out, json_str(json_get(value, "title")));
		add_text(out, json_str(json_get(value, "description")));
	}
}

void wording_of(struct arena *a, const struct row *r, struct wording *out)
{
	struct buf b[WORDING_N], parts = BUF_ARENA(a);
	struct docstring d;

	for (int c = 0; c < WORDING_N; c++)
		b[c] = BUF_ARENA(a);
	docstring_parse(a, row_text(r, ROW_CONTENT), &d);
	add_name(&b[WORDING_KEY], row_text(r, ROW_KEY));
	add_text(&b[WORDING_WHAT], d.label[DOC_WHAT]);
	add_text(&b[WORDING_WHEN_TO_USE], d.label[DOC_WHEN_TO_USE]);
	add_text(&b[WORDING_ARGS], d.label[DOC_ARGS]);
	add_text(&b[WORDING_ARGS], d.label[DOC_INPUT]);
	add_schema(a, &b[WORDING_ARGS], row_text(r, ROW_INPUT_SCHEMA));
	add_text(&b[WORDING_EXAMPLES], row_text(r, ROW_EXAMPLES));
	add_text(&b[WORDING_EXAMPLES], d.label[DOC_EXAMPLE]);
	add_text(&b[WORDING_CATEGORY], row_text(r, ROW_CATEGORY));
	add_text(&b[WORDING_DESCRIPTION], d.text);
	for (int c = 0; c < WORDING_N; c++)
		out->column[c] = buf_str(&b[c]);
	add_name(&parts, row_text(r, ROW_KEY));
	buf_putstr(&parts, out->column[WORDING_WHAT]);
	buf_putstr(&parts, out->column[WORDING_CATEGORY]);
	out->parts = buf_str(&parts);
}
