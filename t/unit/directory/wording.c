/* Text that is searched: names in parts, scripts without blanks in pairs, words that say nothing. */
#include "base/arena.h"
#include "directory/wording.h"
#include "tap.h"

static struct arena *a;

static const char *prepared(const char *text)
{
	struct buf b = BUF_ARENA(a);

	wording_prepare(&b, str_of(text));
	return buf_text(&b);
}

static void test_scripts(void)
{
	tap_is_str(prepared("the weather"), "the weather", "text with blanks stays");
	tap_is_str(prepared("天気予報"), "天気 気予 予報 ", "without blanks each pair of characters is a word");
	tap_is_str(prepared("東"), "東", "one alone is one");
	tap_is_str(prepared("a天気b"), "a天気  b", "what is beside them keeps apart");
	tap_is_str(prepared("날씨"), "날씨 ", "Korean too");
	tap_is_str(prepared("a\xff" "b\xe5\xa4"), "ab", "bytes that are no text vanish");
	tap_is_str(prepared(""), "", "nothing is nothing");
}

static void test_weights(void)
{
	tap_ok(wording_weight(str_of("the")) <= 0 && wording_weight(str_of("THE")) <= 0, "an article says nothing");
	tap_ok(wording_weight(str_of("you")) <= 0 && wording_weight(str_of("a")) <= 0 &&
		wording_weight(str_of("yours")) <= 0, "the first and the last of the list too");
	tap_ok(wording_weight(str_of("find")) > 0 && wording_weight(str_of("find")) < 1, "a request says little");
	tap_ok(wording_weight(str_of("able")) < 1 && wording_weight(str_of("ways")) < 1, "… first and last");
	tap_ok(wording_weight(str_of("weather")) >= 1, "any other word counts whole");
	tap_ok(wording_weight(str_of("")) >= 1, "also an empty one");
	tap_ok(wording_weight(str_of("pleasepleasepleaseplease")) >= 1, "and one longer than the lists have");
}

static void test_row(void)
{
	struct row r;
	struct wording w;
	struct buf big = BUF_ARENA(a);

	row_defaults(&r);
	r.v[ROW_KEY] = (struct row_value){ .text = str_of("getWebPage_QRCode") };
	r.v[ROW_CONTENT] = (struct row_value){ .text = str_of("# WHAT: Shows it\n# WHEN_TO_USE: Often\n# ARGS: url|size\nx") };
	r.v[ROW_CATEGORY] = (struct row_value){ .text = str_of("web") };
	r.v[ROW_EXAMPLES] = (struct row_value){ .text = str_of("[\"a|b\"]") };
	r.v[ROW_INPUT_SCHEMA] = (struct row_value){ .text = str_of(
		"{\"type\":\"object\",\"properties\":{\"pageUrl\":{\"title\":\"Address\",\"description\":\"of it\"}}}") };
	wording_of(a, &r, &w);
	tap_is_str(w.column[WORDING_KEY].p, "getWebPage_QRCode get Web Page_QR Code ", "a key is there whole and in parts");
	tap_is_str(w.column[WORDING_WHAT].p, "Shows it ", "the docstring's labels have columns");
	tap_is_str(w.column[WORDING_WHEN_TO_USE].p, "Often ", "… each its own");
	tap_is_str(w.column[WORDING_ARGS].p, "url|size pageUrl page Url Address of it ",
		"arguments are those of docstring and schema");
	tap_is_str(w.column[WORDING_EXAMPLES].p, "[\"a|b\"] ", "examples");
	tap_is_str(w.column[WORDING_CATEGORY].p, "web ", "category");
	tap_is_str(w.parts.p, "getWebPage_QRCode get Web Page_QR Code Shows it web ", "parts are of name, first line, category");
	r.v[ROW_INPUT_SCHEMA] = (struct row_value){ .text = str_of("{\"properties\":[{]") };
	r.v[ROW_CONTENT] = (struct row_value){ .null = true };
	wording_of(a, &r, &w);
	tap_is_str(w.column[WORDING_ARGS].p, "", "a schema that is none has no words");
	buf_puts(&big, "# WHAT: ");
	for (int i = 0; i < WORDING_MAX; i++)
		buf_puts(&big, "é");
	r.v[ROW_CONTENT] = (struct row_value){ .text = buf_str(&big) };
	wording_of(a, &r, &w);
	tap_is_int((long)w.column[WORDING_WHAT].n, WORDING_MAX + 1, "a long text is cut at its limit");
}

static void test_columns(void)
{
	tap_is_int(wording_column_of(str_of("key")), WORDING_KEY, "a column is known by its name");
	tap_is_int(wording_column_of(str_of("description")), WORDING_DESCRIPTION, "… the last one too");
	tap_is_int(wording_column_of(str_of("when")), WORDING_N, "no other is");
}

int main(void)
{
	a = arena_new();
	test_scripts();
	test_weights();
	test_row();
	test_columns();
	arena_free(a);
	return tap_done();
}
