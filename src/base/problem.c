/* Filling a struct problem. A text too long is cut at a character, since it goes into a JSON answer. Arguments may
 * point into the problem itself (a detail put before an older one), so everything is written aside first. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/escape.h"
#include "base/problem.h"

static void fill(char *out, size_t size, const char *fmt, va_list ap) __attribute__((format(printf, 3, 0)));

static void fill(char *out, size_t size, const char *fmt, va_list ap)
{
	char text[PROBLEM_TEXT_MAX + 4];        /* a character more, for the cut to see where it ends */
	size_t n;

	vsnprintf(text, sizeof(text), fmt, ap);
	n = escape_cut(str_of(text), size - 1);
	memcpy(out, text, n);
	out[n] = 0;
}

int problem_set(struct problem *why, int status, const char *fmt, ...)
{
	char error[PROBLEM_ERROR_MAX];
	va_list ap;

	if (!why)
		return -1;
	va_start(ap, fmt);
	fill(error, sizeof(error), fmt, ap);
	va_end(ap);
	why->status = status;
	memcpy(why->error, error, sizeof(error));
	why->detail[0] = why->how_to_fix[0] = why->field[0] = 0;
	why->retry_after = 0;
	why->extra = NULL;
	return -1;
}

void problem_detail(struct problem *why, const char *fmt, ...)
{
	va_list ap;

	if (!why)
		return;
	va_start(ap, fmt);
	fill(why->detail, sizeof(why->detail), fmt, ap);
	va_end(ap);
}

void problem_fix(struct problem *why, const char *fmt, ...)
{
	va_list ap;

	if (!why)
		return;
	va_start(ap, fmt);
	fill(why->how_to_fix, sizeof(why->how_to_fix), fmt, ap);
	va_end(ap);
}

void problem_field(struct problem *why, const char *name)
{
	size_t n;

	if (!why)
		return;
	n = escape_cut(str_of(name), sizeof(why->field) - 1);
	memmove(why->field, name, n);
	why->field[n] = 0;
}

int problem_bad_field(struct problem *why, const char *name, const char *fmt, ...)
{
	char text[PROBLEM_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	fill(text, sizeof(text), fmt, ap);
	va_end(ap);
	problem_set(why, 422, "bad_field");
	problem_field(why, name);
	problem_detail(why, "%s %s", name, text);
	return -1;
}

int problem_unavailable(struct problem *why, const char *fmt, ...)
{
	char text[PROBLEM_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	fill(text, sizeof(text), fmt, ap);
	va_end(ap);
	problem_set(why, 503, "ledger_unavailable");
	problem_detail(why, "%s", text);
	if (why)
		why->retry_after = PROBLEM_RETRY_S;
	return -1;
}
