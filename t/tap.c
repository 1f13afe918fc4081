/* Test Anything Protocol for unit tests; see tap.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tap.h"

static int tests, failures;

static void diag_lines(const char *label, const char *text)
{
	printf("# %s: ", label);
	for (const char *p = text ? text : "(null)"; *p; p++) {
		putchar(*p);
		if (*p == '\n')
			fputs("#   ", stdout);
	}
	putchar('\n');
}

static bool report(bool pass, const char *name)
{
	tests++;
	if (!pass)
		failures++;
	printf("%s %d - %s\n", pass ? "ok" : "not ok", tests, name);
	fflush(stdout);
	return pass;
}

bool tap_ok(bool pass, const char *fmt, ...)
{
	char name[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	return report(pass, name);
}

bool tap_is_str(const char *got, const char *want, const char *name)
{
	bool pass = got == want || (got && want && strcmp(got, want) == 0);

	report(pass, name);
	if (!pass) {
		diag_lines("got", got);
		diag_lines("want", want);
	}
	return pass;
}

bool tap_is_int(int64_t got, int64_t want, const char *name)
{
	bool pass = report(got == want, name);

	if (!pass)
		printf("# got: %lld\n# want: %lld\n", (long long)got, (long long)want);
	return pass;
}

void tap_diag(const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	diag_lines("note", text);
}

void tap_skip_all(const char *why)
{
	printf("1..0 # SKIP %s\n", why);
	exit(0);
}

int tap_done(void)
{
	printf("1..%d\n", tests);
	return failures ? 1 : 0;
}
