/* What the ranking promises: which row comes first, which never come, and that no text does harm. */
#include "directory/rank.h"
#include "directory/wording.h"
#include "fixture.h"

static bool all_hidden_too;

static bool reads(void *ctx, struct str key, struct str category, bool enabled)
{
	(void)ctx, (void)key;
	return enabled && (all_hidden_too || !str_is(category, "secret"));
}

static const struct { const char *key, *text; } rows[] = {
	{ "WEATHER", "{\"type\":\"fn\",\"category\":\"weather\",\"examples\":[\"Berlin\"],"
	  "\"content\":\"# WHAT: The weather of a place.\\n# WHEN_TO_USE: Somebody asks whether it rains.\\nx\"}" },
	{ "CURRENCY_RATE", "{\"type\":\"fn\",\"category\":\"money\",\"examples\":[\"EUR|USD\"],"
	  "\"content\":\"# WHAT: Converts an amount from one currency into another.\\nx\"}" },
	{ "TRANSLATE", "{\"type\":\"fn\",\"category\":\"text\",\"examples\":[\"hello\"],"
	  "\"content\":\"# WHAT: Translates a text.\\n# ARGS: text|language\\nx\"}" },
	{ "webPageShot", "{\"type\":\"fn\",\"category\":\"web\",\"examples\":[\"\"],"
	  "\"content\":\"# WHAT: Takes a picture as a browser shows it.\\nx\"}" },
	{ "TENKI", "{\"type\":\"fn\",\"category\":\"weather\",\"examples\":[\"\"],"
	  "\"content\":\"# WHAT: 今日の天気予報を教えます。\\nx\"}" },
	{ "POGODA", "{\"type\":\"fn\",\"category\":\"weather\",\"examples\":[\"\"],"
	  "\"content\":\"# WHAT: Прогноз погоды для города.\\nx\"}" },
	{ "PHOTOREALISTIC", "{\"type\":\"fn\",\"category\":\"text\",\"examples\":[\"\"],"
	  "\"content\":\"# WHAT: Prompts for painters.\\nx\"}" },
	{ "CAFE", "{\"type\":\"fn\",\"category\":\"food\",\"examples\":[\"\"],"
	  "\"content\":\"# WHAT: A table in a café or brasserie.\\nx\"}" },
	{ "HIDDEN_VOLCANO", "{\"type\":\"fn\",\"category\":\"secret\",\"examples\":[\"\"],"
	  "\"content\":\"# WHAT: Erupting volcano picture.\\nx\"}" },
	{ "OFF_GLACIER", "{\"type\":\"fn\",\"category\":\"web\",\"examples\":[\"\"],\"enabled\":0,"
	  "\"content\":\"# WHAT: Melting glacier.\\nx\"}" },
	{ "QUIET_METEOR", "{\"type\":\"fn\",\"category\":\"web\",\"examples\":[\"\"],\"planner_visible\":0,"
	  "\"content\":\"# WHAT: Falling meteor.\\nx\"}" },
};

static struct rank_query query(const char *text)
{
	return (struct rank_query){ .text = str_of(text), .reader = { reads, NULL }, .planner = true };
}

static int found(const struct rank_query *q, struct rank_match *m, unsigned max)
{
	struct problem why = { 0 };

	directory_refresh(service.d);
	return rank_rows(service.d, service.a, q, m, max, &why);
}

/* The key of the best row, "" when there is none. */
static const char *best_of(const struct rank_query *q)
{
	struct rank_match m[1];

	return found(q, m, 1) > 0 ? m[0].key.p : "";
}

static const char *best(const char *text)
{
	struct rank_query q = query(text);

	return best_of(&q);
}

static double score(const char *text)
{
	struct rank_query q = query(text);
	struct rank_match m[1];

	return found(&q, m, 1) > 0 ? m[0].score : 0;
}

static void test_words(void)
{
	tap_is_str(best("what is the weather like in Paris?"), "WEATHER", "the row that says the word is found");
	tap_is_str(best("will it be raining tomorrow"), "WEATHER", "in another form of it");
	tap_is_str(best("I want to convert currencies"), "CURRENCY_RATE", "in the plural");
	tap_is_str(best("page shot"), "webPageShot", "by the parts of a key");
	tap_is_str(best("rate"), "CURRENCY_RATE", "parts at an underscore too");
	tap_is_str(best("WEBPAGESHOT"), "webPageShot", "by the key in another case");
	tap_is_str(best("which language"), "TRANSLATE", "by an argument");
	tap_is_str(best("Berlin"), "WEATHER", "by an example");
	tap_is_str(best("food"), "CAFE", "by the category");
	tap_is_str(best("a translation please"), "TRANSLATE", "by what the word begins with");
	tap_is_str(best("realist"), "PHOTOREALISTIC", "by a part of a word");
	tap_is_str(best("BRASSERIÉ cafe"), "CAFE", "accents do not matter");
	tap_is_str(best("погода в городе"), "POGODA", "in Cyrillic");
	tap_is_str(best("天気"), "TENKI", "in Japanese, by a word within a sentence");
	tap_is_str(best("明日の天気予報"), "TENKI", "… by a sentence");
}

static void test_related(void)
{
	service_put("AIRFARE", "{\"type\":\"fn\",\"category\":\"air\",\"examples\":[\"\"],"
		"\"content\":\"# WHAT: Seats of every airline.\\nx\"}");
	tap_is_str(best("fly to Oslo, one flight"), "AIRFARE", "a row is found by a word that is said for its own");
	service_put("OSLO", "{\"type\":\"fn\",\"category\":\"air\",\"examples\":[\"\"],"
		"\"content\":\"# WHAT: Every flight of the day.\\nx\"}");
	tap_is_str(best("which flight"), "OSLO", "the word itself weighs more");
	tap_is_str(best("which flihgt"), "OSLO", "a typing error is taken for what rows say");
}

static void test_errors(void)
{
	tap_is_str(best("wether"), "WEATHER", "a letter is missing");
	tap_is_str(best("weathher"), "WEATHER", "a letter is too much");
	tap_is_str(best("weathar"), "WEATHER", "a letter is wrong");
	tap_is_str(best("curerncy"), "CURRENCY_RATE", "two letters are swapped");
	tap_is_str(best("tranzlatte"), "TRANSLATE", "a long word has two errors");
	tap_is_str(best("wxxxxer"), "", "what is too far away is another word");
	tap_ok(score("weathar") < score("weather"), "the word as it is written counts more");
}

static void test_silence(void)
{
	tap_is_str(best("what can you do for me please"), "", "words that say nothing find nothing");
	tap_is_str(best("the of and a an to"), "", "… however many");
	tap_is_str(best(""), "", "no words find nothing");
	tap_is_str(best("xylophone"), "", "a word that no row has finds nothing");
	tap_is_str(best("the the the the the the weather"), "WEATHER", "and do not weigh against one that says something");
}

static void test_hidden(void)
{
	struct rank_query q = query("meteor");
	double before = score("picture");

	tap_is_str(best("volcano"), "", "a row that the reader may not see is not found");
	tap_is_str(best("glacier"), "", "nor is a disabled one");
	tap_is_str(best("meteor"), "", "nor one that planners do not see");
	q.planner = false;
	tap_is_str(best_of(&q), "QUIET_METEOR", "who is no planner finds it");
	q = query("picture");
	q.category = str_of("weather");
	tap_is_str(best_of(&q), "", "another category is not asked");
	for (int i = 0; i < 20; i++) {
		char key[16];

		snprintf(key, sizeof(key), "HIDDEN_%d", i);
		service_put(key, "{\"type\":\"fn\",\"category\":\"secret\",\"examples\":[\"\"],"
			"\"content\":\"# WHAT: picture\\nx\"}");
	}
	tap_ok(score("picture") >= before && score("picture") <= before, "twenty hidden rows with a word change no score");
	all_hidden_too = true;
	tap_ok(score("picture") < before || score("picture") > before, "for who sees them they do");
	all_hidden_too = false;
}

static void test_fresh(void)
{
	struct mutate m = service_mutate();
	struct mutate_result r;

	tap_is_str(best("zeppelin"), "", "before the row is written it is not found");
	service_put("AIRSHIP", "{\"type\":\"fn\",\"examples\":[\"\"],\"content\":\"# WHAT: Books a zeppelin.\\nx\"}");
	tap_is_str(best("zeppelin"), "AIRSHIP", "then it is");
	service_put("AIRSHIP", "{\"type\":\"fn\",\"examples\":[\"\"],\"content\":\"# WHAT: Books a balloon.\\nx\"}");
	tap_is_str(best("zeppelin"), "", "changed, its old words are gone");
	tap_is_str(best("balloon"), "AIRSHIP", "and the new ones there");
	mutate_delete(&m, str_of("AIRSHIP"), &r, NULL);
	tap_is_str(best("balloon"), "", "deleted, it is not found");
	service_put("AIRSHIP", "{\"type\":\"fn\",\"examples\":[\"\"],\"content\":\"# WHAT: Books a balloon.\\nx\"}");
	tap_is_str(best("balloon"), "AIRSHIP", "created anew, it is");
}

static void test_hostile(void)
{
	static const char *const texts[] = {
		"weather AND OR NOT NEAR(", "\"weather", "weather\"\"", "weather*", "weather'; DELETE FROM directory; --",
		"what:weather", "{what when_to_use}: weather", "^weather", "weather - + ~ ^ : ( ) { } [ ] | & ! \\",
		"NEAR(weather rain, 5)", "row_words:weather", "weather \xff\xfe\xc3(", "%s%n weather %d",
	};
	struct buf big = BUF_ARENA(service.a);
	struct rank_query q;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		tap_is_str(best(texts[i]), "WEATHER", texts[i]);
	q = query("");
	q.text = str_make("weather\0rain", 12);
	tap_is_str(best_of(&q), "WEATHER", "a NUL is a gap");
	for (int i = 0; i < 20000; i++)
		buf_puts(&big, "\"*(");
	tap_is_str(best(buf_text(&big)), "", "60 KB of signs are nothing");
	buf_clear(&big);
	for (int i = 0; i < 60000; i++)
		buf_putc(&big, 'w');
	tap_is_str(best(buf_text(&big)), "", "a word of 60 KB is none");
}

static const char *words_then(int n, const char *last)
{
	struct buf b = BUF_ARENA(service.a);

	for (int i = 0; i < n; i++)
		buf_printf(&b, "q%03d ", i);
	buf_puts(&b, last);
	return arena_strdup(service.a, buf_text(&b));
}

static const char *bytes_then(size_t n, const char *last)
{
	struct buf b = BUF_ARENA(service.a);

	while (b.len + strlen(last) < n)
		buf_putc(&b, ' ');
	buf_puts(&b, last);
	return arena_strdup(service.a, buf_text(&b));
}

static void test_limits(void)
{
	tap_is_str(best(words_then(RANK_WORDS_MAX - 2, "weather")), "WEATHER", "one word less than the limit");
	tap_is_str(best(words_then(RANK_WORDS_MAX - 1, "weather")), "WEATHER", "the last word within the limit counts");
	tap_is_str(best(words_then(RANK_WORDS_MAX, "weather")), "", "the next one does not");
	tap_is_str(best(bytes_then(RANK_QUESTION_MAX - 1, "weather")), "WEATHER", "one byte less than the limit");
	tap_is_str(best(bytes_then(RANK_QUESTION_MAX, "weather")), "WEATHER", "the last byte within the limit counts");
	tap_is_str(best(bytes_then(RANK_QUESTION_MAX + 5, "weather")), "", "what is beyond does not");
}

static void test_order(void)
{
	struct rank_query q = query("weather picture text");
	struct rank_match m[16];
	int n = found(&q, m, 16), sorted = 1;

	tap_ok(n >= 4, "all rows with any of the words are found");
	for (int i = 1; i < n; i++)
		sorted = sorted && m[i].score <= m[i - 1].score;
	tap_ok(sorted, "in the order of their scores");
	tap_is_int(found(&q, m, 2), 2, "at most as many as wanted");
}

static void test_categories(void)
{
	struct rank_category c[RANK_CATEGORIES_MAX];
	struct rank_query q = query("xylophone");
	unsigned n = rank_categories(service.d, service.a, &q, c);

	tap_ok(n >= 4 && str_is(c[0].name, "weather") && c[0].rows == 3, "with no word near, the largest category is first");
	q = query("foods");
	rank_categories(service.d, service.a, &q, c);
	tap_is_str(c[0].name.p, "food", "one whose name is near comes before it");
	for (unsigned i = 0; i < n; i++)
		if (str_is(c[i].name, "secret"))
			tap_ok(false, "no category that the reader does not see");
}

static void all(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		service_put(rows[i].key, rows[i].text);
	test_words();
	test_errors();
	test_related();
	test_silence();
	test_order();
	test_categories();
	test_hidden();
	test_fresh();
	test_hostile();
	test_limits();
}

int main(void)
{
	service_run(all);
	return tap_done();
}
