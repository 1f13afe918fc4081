/* Times: reading the clocks and the one text form of a time. Not timers: the loop has those. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "base/clock.h"
#include "base/log.h"

#define ZONE_DIR "/usr/share/zoneinfo"

enum { ZONE_MAX = 64 };                                 /* bytes of a zone's name with its NUL */
static const int64_t first_ms = -62167219200000;        /* 0000-01-01T00:00:00.000Z */
static const int64_t last_ms = 253402300799999;         /* 9999-12-31T23:59:59.999Z */

int64_t clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t clock_mono_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Days since 1970-01-01 of a date of the proleptic Gregorian calendar, counted in eras of 400 years that begin on 1
 * March. */
static int64_t days_of(int year, int month, int day)
{
	int y = year - (month <= 2);
	int era = (y >= 0 ? y : y - 399) / 400;
	int of_era = y - era * 400;
	int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return (int64_t)era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static void date_of(int64_t days, int *year, int *month, int *day)
{
	int64_t z = days + 719468;
	int64_t era = (z >= 0 ? z : z - 146096) / 146097;
	int of_era = (int)(z - era * 146097);
	int y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int of_year = of_era - (365 * y + y / 4 - y / 100);
	int m = (5 * of_year + 2) / 153;

	*day = of_year - (153 * m + 2) / 5 + 1;
	*month = m < 10 ? m + 3 : m - 9;
	*year = y + (int)era * 400 + (*month <= 2);
}

static void put_digits(char *out, int value, int width)
{
	for (int i = width - 1; i >= 0; i--, value /= 10)
		out[i] = (char)('0' + value % 10);
}

static void put_date(char *out, int year, int month, int day)
{
	memcpy(out, "0000-00-00", 11);
	put_digits(out, year, 4);
	put_digits(out + 5, month, 2);
	put_digits(out + 8, day, 2);
}

static void put_time(char *out, int hour, int minute, int second)
{
	memcpy(out, "00:00:00", 9);
	put_digits(out, hour, 2);
	put_digits(out + 3, minute, 2);
	put_digits(out + 6, second, 2);
}

static int64_t in_range(int64_t ms)
{
	return ms < first_ms ? first_ms : ms > last_ms ? last_ms : ms;
}

static void split(int64_t ms, int64_t *seconds, int *milli)
{
	*milli = (int)(ms % 1000);
	*seconds = ms / 1000;
	if (*milli < 0) {
		*milli += 1000;
		--*seconds;
	}
}

void clock_iso(int64_t ms, char out[CLOCK_ISO])
{
	int64_t seconds, days;
	int milli, year, month, day, of_day;

	split(in_range(ms), &seconds, &milli);
	days = (seconds >= 0 ? seconds : seconds - 86399) / 86400;
	of_day = (int)(seconds - days * 86400);
	date_of(days, &year, &month, &day);
	put_date(out, year, month, day);
	put_time(out + 11, of_day / 3600, of_day / 60 % 60, of_day % 60);
	out[10] = 'T';
	memcpy(out + 19, ".000Z", 6);
	put_digits(out + 20, milli, 3);
}

static int days_in_month(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month - 1] + (month == 2 && leap);
}

/* Takes `width` digits off *s; -1 when they are not there. */
static int take_digits(struct str *s, int width)
{
	int value = 0;

	if (s->n < (size_t)width)
		return -1;
	for (int i = 0; i < width; i++) {
		if (s->p[i] < '0' || s->p[i] > '9')
			return -1;
		value = value * 10 + s->p[i] - '0';
	}
	*s = str_skip(*s, (size_t)width);
	return value;
}

/* Takes one of the characters in `any` off *s. */
static bool take_one(struct str *s, const char *any)
{
	if (!s->n || !s->p[0] || !strchr(any, s->p[0]))
		return false;
	*s = str_skip(*s, 1);
	return true;
}

/* Takes ".d" to ".ddddddddd", or nothing, which is 0 milliseconds. */
static int take_fraction(struct str *s)
{
	int milli = 0, digits = 0;

	if (!take_one(s, "."))
		return 0;
	for (int d; digits < 9 && (d = take_digits(s, 1)) >= 0; digits++)
		if (digits < 3)
			milli = milli * 10 + d;
	for (int i = digits; i < 3; i++)
		milli *= 10;
	return digits ? milli : -1;
}

int clock_parse(struct str s, int64_t *ms)
{
	int year = take_digits(&s, 4);
	int month = take_one(&s, "-") ? take_digits(&s, 2) : -1;
	int day = take_one(&s, "-") ? take_digits(&s, 2) : -1;
	int hour = take_one(&s, "T ") ? take_digits(&s, 2) : -1;
	int minute = take_one(&s, ":") ? take_digits(&s, 2) : -1;
	int second = take_one(&s, ":") ? take_digits(&s, 2) : -1;
	int milli = take_fraction(&s);

	if (!take_one(&s, "Z") || s.n)
		return -1;
	if (year < 0 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month))
		return -1;
	if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 || milli < 0)
		return -1;
	*ms = ((days_of(year, month, day) * 24 + hour) * 60 + minute) * 60000 + second * 1000 + milli;
	return 0;
}

/* The C library takes an unknown zone for UTC without a word, hence the look at the file. */
static bool zone_exists(const char *zone)
{
	char path[sizeof(ZONE_DIR) + 1 + ZONE_MAX];
	struct stat st;

	if (!*zone || strlen(zone) >= ZONE_MAX || *zone == '/' || *zone == '.' || strstr(zone, ".."))
		return false;
	if (zone[strspn(zone, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/")])
		return false;
	snprintf(path, sizeof(path), "%s/%s", ZONE_DIR, zone);
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static int use_zone(const char *zone)
{
	static char current[ZONE_MAX];
	char tz[ZONE_MAX + 1];

	if (*zone && strcmp(zone, current) == 0)
		return 0;
	if (!zone_exists(zone))
		return -1;
	snprintf(tz, sizeof(tz), ":%s", zone);
	if (setenv("TZ", tz, 1))
		log_fatal("cannot set TZ");
	tzset();
	snprintf(current, sizeof(current), "%s", zone);
	return 0;
}

int clock_in_zone(int64_t ms, const char *zone, struct clock_local *out)
{
	/* A day inside the years that have four digits, so that no offset leaves them. */
	int64_t seconds, limit = 86400000, t = in_range(ms);
	int milli, offset;
	struct tm tm;
	time_t when;

	if (use_zone(zone))
		return -1;
	t = t < first_ms + limit ? first_ms + limit : t > last_ms - limit ? last_ms - limit : t;
	split(t, &seconds, &milli);
	when = (time_t)seconds;
	localtime_r(&when, &tm);
	offset = (int)(tm.tm_gmtoff / 60);
	put_date(out->date, tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
	put_time(out->time, tm.tm_hour, tm.tm_min, tm.tm_sec);
	memcpy(out->iso, out->date, 10);
	memcpy(out->iso + 10, "T00:00:00.000+00:00", 20);
	memcpy(out->iso + 11, out->time, 8);
	put_digits(out->iso + 20, milli, 3);
	out->iso[23] = offset < 0 ? '-' : '+';
	put_digits(out->iso + 24, abs(offset) / 60 % 100, 2);
	put_digits(out->iso + 27, abs(offset) % 60, 2);
	return 0;
}
