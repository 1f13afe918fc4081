/* Filling a problem. */
#include <string.h>
#include "base/escape.h"
#include "base/problem.h"
#include "tap.h"

int main(void)
{
	struct problem why = { .retry_after = 9, .detail = "old", .how_to_fix = "old", .field = "old" };
	char longer[2000];
	bool whole = true;

	tap_is_int(problem_set(&why, 409, "contract_changed:%s!=%s", "a", "b"), -1, "setting a problem is -1");
	tap_is_int(why.status, 409, "the status is kept");
	tap_is_str(why.error, "contract_changed:a!=b", "the code is formatted");
	tap_ok(!why.detail[0] && !why.how_to_fix[0] && !why.field[0] && !why.retry_after &&
	       !why.extra, "what was there before is cleared");
	problem_detail(&why, "line %d", 3);
	problem_fix(&why, "do %s", "this");
	problem_field(&why, "target");
	tap_is_str(why.detail, "line 3", "the detail is formatted");
	tap_is_str(why.how_to_fix, "do this", "the remedy is formatted");
	tap_is_str(why.field, "target", "the field is kept");
	problem_detail(&why, "file: %s", why.detail);
	tap_is_str(why.detail, "file: line 3", "a detail may be put before itself");
	problem_set(&why, 500, "again:%s", why.error);
	tap_is_str(why.error, "again:contract_changed:a!=b", "a code may be put before itself");
	tap_is_int(problem_set(NULL, 400, "x"), -1, "nobody needs to be told why");
	problem_detail(NULL, "x");
	problem_fix(NULL, "x");
	problem_field(NULL, "x");

	memset(longer, 'a', sizeof(longer));
	for (size_t at = 500; at < 520; at++) {
		memcpy(longer, "aaaa", 4);
		memset(longer + 4, 'a', sizeof(longer) - 4);
		memcpy(longer + at, "\xF0\x9F\x98\x80", 4);
		longer[sizeof(longer) - 1] = 0;
		problem_detail(&why, "%s", longer);
		whole = whole && escape_is_utf8(str_of(why.detail)) && strlen(why.detail) < PROBLEM_TEXT_MAX;
	}
	tap_ok(whole, "a text too long is cut between characters");
	problem_field(&why, longer);
	tap_is_int((int64_t)strlen(why.field), sizeof(why.field) - 1, "a field's name too long is cut");

	tap_is_int(problem_bad_field(&why, "pin", "is %s", "true or false"), -1, "a bad field is -1");
	tap_ok(why.status == 422 && strcmp(why.error, "bad_field") == 0, "422 bad_field");
	tap_is_str(why.field, "pin", "the field is named");
	tap_is_str(why.detail, "pin is true or false", "and begins the detail");
	tap_is_int(problem_unavailable(&why, "%s: gone", why.field), -1, "an unreadable database is -1");
	tap_ok(why.status == 503 && strcmp(why.error, "ledger_unavailable") == 0 && why.retry_after == PROBLEM_RETRY_S,
	       "503 ledger_unavailable, to be tried again");
	tap_is_str(why.detail, "pin: gone", "with what cannot be read");
	tap_ok(problem_bad_field(NULL, "pin", "x") == -1 && problem_unavailable(NULL, "x") == -1, "told to nobody");
	return tap_done();
}
