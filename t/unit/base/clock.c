/* Times and their text. */
#include <string.h>
#include <time.h>
#include "base/clock.h"
#include "tap.h"

static const char *iso(int64_t ms)
{
	static char out[CLOCK_ISO];

	clock_iso(ms, out);
	return out;
}

static void reading(void)
{
	int64_t a = clock_mono_us(), b = clock_mono_us();

	tap_ok(b >= a, "the monotonic clock does not go back");
	tap_ok(clock_ms() > 1600000000000, "the wall clock is in milliseconds");
}

static void writing(void)
{
	static const struct { int64_t ms; const char *want; } cases[] = {
		{ 0, "1970-01-01T00:00:00.000Z" }, { -1, "1969-12-31T23:59:59.999Z" },
		{ 1785040579832, "2026-07-26T04:36:19.832Z" },
		{ 951782400000, "2000-02-29T00:00:00.000Z" }, { 2147483647000, "2038-01-19T03:14:07.000Z" },
		{ 2147483648000, "2038-01-19T03:14:08.000Z" },
		{ 4107542400000, "2100-03-01T00:00:00.000Z" }, { 253402300799999, "9999-12-31T23:59:59.999Z" },
		{ 253402300800000, "9999-12-31T23:59:59.999Z" },
		{ -62167219200000, "0000-01-01T00:00:00.000Z" }, { INT64_MIN, "0000-01-01T00:00:00.000Z" },
		{ INT64_MAX, "9999-12-31T23:59:59.999Z" },
	};
	bool same = true;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		tap_is_str(iso(cases[i].ms), cases[i].want, "a time is written");
	/* Against the C library, in steps that visit every month of 1900 to 2200. */
	for (int64_t t = -2208988800; t < 7258118400 && same; t += 86400 * 5 + 3601) {
		char want[32];
		time_t when = (time_t)t;
		struct tm tm;
		int64_t back;

		gmtime_r(&when, &tm);
		strftime(want, sizeof(want), "%Y-%m-%dT%H:%M:%S.007Z", &tm);
		same = strcmp(iso(t * 1000 + 7), want) == 0 && clock_parse(str_of(want), &back) == 0 &&
			back == t * 1000 + 7;
	}
	tap_ok(same, "three centuries are written as the C library does, and read back");
}

static void parsing(void)
{
	static const struct { const char *text; int64_t ms; } good[] = {
		{ "2026-07-26T04:36:19.832Z", 1785040579832 }, { "2026-07-26 04:36:19.832Z", 1785040579832 },
		{ "2026-07-26T04:36:19Z", 1785040579000 },
		{ "2026-07-26T04:36:19.8Z", 1785040579800 }, { "2026-07-26T04:36:19.832999999Z", 1785040579832 },
		{ "2000-02-29T00:00:00Z", 951782400000 },
		{ "1969-12-31T23:59:59.999Z", -1 }, { "0000-01-01T00:00:00Z", -62167219200000 },
	};
	static const char *const bad[] = {
		"", "Z", "2026", "2026-07-26", "2026-07-26T04:36Z", "2026-07-26T04:36:19", "2026-07-26T04:36:19+00:00",
		"2026-07-26t04:36:19Z",
		"2026-07-26T04:36:19z", "2026-7-26T04:36:19Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
		"2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z",
		"2026-04-31T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
		"2026-01-01T00:00:60Z", "2026-01-01T00:00:00.Z",
		"2026-01-01T00:00:00.1234567890Z", "2026-01-01T00:00:00ZZ", " 2026-01-01T00:00:00Z",
		"2026-01-01T00:00:00Z ", "-026-01-01T00:00:00Z",
		"2026-01-01T+1:00:00Z", "2026/01/01T00:00:00Z",
	};
	int64_t ms;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		tap_ok(clock_parse(str_of(good[i].text), &ms) == 0 && ms == good[i].ms, "read: %s", good[i].text);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		tap_ok(clock_parse(str_of(bad[i]), &ms) == -1, "refused: %s", bad[i]);
	tap_ok(clock_parse(str_of(NULL), &ms) == -1, "refused: nothing");
}

static void zones(void)
{
	static const char *const unknown[] = {
		"", "Nowhere/City", "America/Los_Angele", "/etc/localtime", "../zoneinfo/UTC", "America/../UTC",
		"America", ":UTC", "PST8PDT,M3", ".",
		"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
	};
	static const struct { int64_t ms; const char *zone, *iso; } cases[] = {
		{ 1785040579832, "America/Los_Angeles", "2026-07-25T21:36:19.832-07:00" },
		{ 1769500800000, "America/Los_Angeles", "2026-01-27T00:00:00.000-08:00" },
		{ 1785040579832, "Asia/Kolkata", "2026-07-26T10:06:19.832+05:30" },
		{ 1785040579832, "America/St_Johns", "2026-07-26T02:06:19.832-02:30" },
		{ 1785040579832, "UTC", "2026-07-26T04:36:19.832+00:00" },
		{ -1, "UTC", "1969-12-31T23:59:59.999+00:00" },
		{ 4102444800000, "Europe/Berlin", "2100-01-01T01:00:00.000+01:00" },
		{ 1785040579832, "America/Los_Angeles", "2026-07-25T21:36:19.832-07:00" },
	};
	struct clock_local local;

	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		tap_ok(clock_in_zone(0, unknown[i], &local) == -1, "no zone: %s", unknown[i]);
	tap_ok(clock_in_zone(0, "UTC\n", &local) == -1, "no zone: a name with a line break");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!tap_ok(clock_in_zone(cases[i].ms, cases[i].zone, &local) == 0, "a zone: %s", cases[i].zone))
			continue;
		tap_is_str(local.iso, cases[i].iso, "has its offset");
		tap_ok(strncmp(local.date, cases[i].iso, 10) == 0 && strlen(local.date) == 10 &&
		       strncmp(local.time, cases[i].iso + 11, 8) == 0 &&
		       strlen(local.time) == 8, "with date and time the same");
	}
	tap_ok(clock_in_zone(INT64_MAX, "UTC", &local) == 0 &&
	       strlen(local.iso) == 29, "the last time has four digits of a year");
	tap_ok(clock_in_zone(INT64_MIN, "UTC", &local) == 0 && strlen(local.iso) == 29, "the first too");
}

int main(void)
{
	reading();
	writing();
	parsing();
	zones();
	return tap_done();
}
