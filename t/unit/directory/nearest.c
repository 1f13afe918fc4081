/* "Did you mean" names what is near, in order, and nothing that the reader may not see. */
#include "directory/nearest.h"
#include "fixture.h"

static bool reads_enabled(void *ctx, struct str key, struct str category, bool enabled)
{
	(void)ctx, (void)key;
	return enabled && !str_is(category, "hidden");
}

static const struct directory_reader reader = { reads_enabled, NULL };

/* The suggestions, separated by blanks. */
static const char *suggest(const char *wanted)
{
	static char text[1024];
	struct str out[NEAREST_MAX];
	size_t n = nearest_keys(service.d, str_of(wanted), &reader, out);

	text[0] = 0;
	for (size_t i = 0; i < n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%.*s", i ? " " : "", (int)out[i].n,
			out[i].p);
	return text;
}

static void all(void)
{
	static const char *const keys[] = { "ZZ_TEST_TEMPERATURE", "WEATHER", "WEATHER_NOW", "NOW", "KNOWN", "SHADOW",
		"LEATHER", "FEATHERS", "ECHO" };
	struct buf b = BUF_ARENA(service.a);

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		service_put(keys[i], "{\"type\":\"fn\",\"content\":\"x\",\"examples\":[\"\"]}");
	service_put("NOW_HIDDEN", "{\"type\":\"fn\",\"content\":\"x\",\"examples\":[\"\"],\"category\":\"hidden\"}");
	service_put("NOW_OFF", "{\"type\":\"fn\",\"content\":\"x\",\"examples\":[\"\"],\"enabled\":0}");
	tap_is_str(suggest("ZZ_TEST_TEMPERATUR"), "ZZ_TEST_TEMPERATURE", "a key that lost its last letter is found");
	tap_is_str(suggest("WEATHRE"), "WEATHER LEATHER FEATHERS",
		"a swapped pair is at distance 2, then what is at 3");
	tap_is_str(suggest("weather"), "WEATHER WEATHER_NOW LEATHER FEATHERS",
		"another case first, then what contains it, then by distance");
	tap_is_str(suggest("NOW"), "NOW KNOWN WEATHER_NOW",
		"shorter ones first; rows hidden or disabled are not named");
	tap_is_str(suggest("NOW_HIDDE"), "NOW", "not even when nothing else is as near");
	tap_is_str(suggest("QQQQQQQQQQ"), "", "nothing near is nothing");
	tap_is_str(suggest(""), "", "nothing wanted is nothing");
	for (int i = 0; i < 5000; i++)
		buf_putc(&b, 'W');
	tap_is_str(suggest(buf_text(&b)), "", "an endless key is near nothing");
	for (int i = 0; i < 9; i++) {
		char key[8];

		snprintf(key, sizeof(key), "ROW_%d", 9 - i);
		service_put(key, "{\"type\":\"fn\",\"content\":\"x\",\"examples\":[\"\"]}");
	}
	tap_is_str(suggest("ROW_"), "ROW_1 ROW_2 ROW_3 ROW_4 ROW_5 ROW_6", "six at most, equals by key");
}

int main(void)
{
	service_run(all);
	return tap_done();
}
