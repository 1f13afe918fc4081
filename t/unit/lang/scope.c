/* Scopes: the forms, what they cover, and that none covers more than its parent. */
#include <stdio.h>
#include <string.h>
#include "lang/scope.h"
#include "tap.h"

static struct arena *arena;

static struct scope *parsed(const char *text)
{
	struct problem why = { 0 };
	struct scope *s = NULL;

	if (scope_parse(arena, str_of(text), &s, &why) < 0)
		tap_ok(false, "%s is a scope (%s)", text, why.detail);
	return s;
}

static bool reads(const char *scope, const char *key, const char *category)
{
	return scope_reads(parsed(scope), str_of(key), str_of(category));
}

static bool calls(const char *scope, const char *key, const char *category)
{
	return scope_calls(parsed(scope), str_of(key), str_of(category));
}

static void cover(void)
{
	tap_ok(reads("read", "A", "c") && !calls("read", "A", "c"), "read reads every row and calls none");
	tap_ok(reads("act", "A", "c") && calls("act", "A", "c"), "act reads and calls every row");
	tap_ok(calls("row:NOW", "NOW", "") && reads("row:NOW", "NOW", ""), "row: calls and reads its row");
	tap_ok(!calls("row:NOW", "now", "") && !reads("row:NOW", "NOW2", ""), "row: is exact");
	tap_ok(calls("rows:A,B", "A", "") && calls("rows:A,B", "B", "") && !calls("rows:A,B", "C", ""),
	       "rows: has each key");
	tap_ok(calls("pfx:SEND_", "SEND_MAIL", "") && !calls("pfx:SEND_", "SEND", ""), "pfx: has what begins so");
	tap_ok(calls("cat:time", "NOW", "time") && !calls("cat:time", "NOW", "Time"), "cat: is exact");
	tap_ok(!calls("cat:time", "NOW", ""), "a row without category is in none");
	tap_ok(!scope_calls(parsed("cat:time"), str_of("NOW"), str_make(NULL, 0)), "nor is one with NULL");
}

static void lists(void)
{
	const char *mixed = "read , rows:A, B ,cat:time,pfx:X_";

	tap_ok(reads(mixed, "ANY", "") && !calls(mixed, "ANY", ""), "a list reads what one member reads");
	tap_ok(calls(mixed, "A", "") && calls(mixed, "B", ""), "rows: in a list takes the keys up to the next prefix");
	tap_ok(calls(mixed, "Z", "time") && calls(mixed, "X_1", ""), "members behind rows: count");
	tap_ok(!reads("rows:A,read", "ANY", "") && calls("rows:A,read", "read", ""),
	       "read behind rows: is a key, the narrower reading");
	tap_ok(!calls("rows:A,act", "ANY", ""), "and act too");
	tap_ok(calls("rows:A,row:B", "B", ""), "row: ends rows:");
	tap_is_str(scope_row(parsed("row:NOW")).p, "NOW", "the key of a single row: is known");
	tap_ok(!scope_row(parsed("row:A,row:B")).p && !scope_row(parsed("act")).p, "other scopes have no single key");
}

static void refused(void)
{
	static const char *const bad[] = {
		"",        " ",       ",",       "read,",    ",read",   "none",      "write",    "READ",     "row:",
		"row:a.b", "row:A,B", "rows:",   "rows:A,",  "rows:,A", "rows:A,,B", "pfx:",     "pfx:*",    "pfx:9",
		"cat:",    "cat: ",   "cat:a,b", "cat:a\nb", "row",     "row:A;B",   "row: A B", "act read",
	};
	struct problem why;
	struct scope *s;
	char many[3 * SCOPE_MEMBERS_MAX];

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		memset(&why, 0, sizeof(why));
		tap_ok(scope_parse(arena, str_of(bad[i]), &s, &why) < 0 && why.status == 422 &&
			       strcmp(why.error, "bad_scope") == 0 && strcmp(why.field, "scope") == 0 && why.detail[0],
		       "malformed scope %zu is refused", i);
	}
	tap_ok(scope_parse(arena, str_make(NULL, 0), &s, &why) < 0, "an absent scope is refused");
	memset(many, 'A', sizeof(many));
	memcpy(many, "rows:", 5);
	for (size_t i = 6; i < sizeof(many); i += 2)
		many[i] = ',';
	tap_ok(scope_parse(arena, str_make(many, 2 * SCOPE_MEMBERS_MAX + 4), &s, &why) == 0,
	       "1,024 members are accepted");
	tap_ok(scope_parse(arena, str_make(many, 2 * SCOPE_MEMBERS_MAX + 6), &s, &why) < 0, "1,025 are not");
	tap_ok(scope_parse(arena, str_of("read"), &s, NULL) == 0 && scope_parse(arena, str_of("x"), &s, NULL) < 0,
	       "why may be NULL");
}

static void setting(void)
{
	struct scope *s = NULL;
	struct problem why;

	tap_ok(scope_parse_setting(arena, str_of(" none "), &s, &why) == 0 && !scope_reads(s, str_of("A"), str_of("c")),
	       "the setting may say none, which covers nothing");
	tap_ok(scope_within(s, parsed("row:A")) && !scope_within(parsed("row:A"), s),
	       "none is within everything, nothing in none");
	tap_ok(scope_parse_setting(arena, str_of("read,cat:x"), &s, &why) == 0 &&
		       scope_calls(s, str_of("A"), str_of("x")),
	       "the setting may have scopes");
	tap_ok(scope_parse_setting(arena, str_of("none,read"), &s, &why) < 0, "but not none among them");
}

static void containment(void)
{
	static const struct {
		const char *child, *parent;
		bool within;
	} cases[] = {
		{ "read", "read", true },
		{ "read", "act", true },
		{ "act", "read", false },
		{ "act", "act", true },
		{ "row:A", "act", true },
		{ "row:A", "read", false },
		{ "row:A", "row:A", true },
		{ "row:A", "row:B", false },
		{ "row:A", "rows:A,B", true },
		{ "rows:A,B", "row:A", false },
		{ "rows:A,B", "rows:B,A,C", true },
		{ "row:SEND_X", "pfx:SEND_", true },
		{ "row:SEN", "pfx:SEND_", false },
		{ "pfx:SEND_X", "pfx:SEND_", true },
		{ "pfx:SEN", "pfx:SEND_", false },
		{ "pfx:S", "row:S", false },
		{ "cat:x", "cat:x", true },
		{ "cat:x", "cat:y", false },
		{ "cat:x", "read", false },
		{ "row:A", "cat:x", false },
		{ "cat:x", "act", true },
		{ "read", "pfx:A", false },
		{ "read,row:A", "read,rows:A,B", true },
		{ "read,row:C", "read,rows:A,B", false },
		{ "act", "read,pfx:A", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		tap_ok(scope_within(parsed(cases[i].child), parsed(cases[i].parent)) == cases[i].within,
		       "%s is %swithin %s", cases[i].child, cases[i].within ? "" : "not ", cases[i].parent);
}

/* Whatever the pair, within must never be said of a child that reaches a row that its parent does not. */
static void soundness(void)
{
	static const char *const scopes[] = {
		"read",   "act",   "row:A", "row:AB",     "rows:A,AB",   "pfx:A",
		"pfx:AB", "cat:x", "cat:y", "read,row:A", "cat:x,pfx:B",
	};
	static const char *const keys[] = { "A", "AB", "ABC", "B", "C" }, *const categories[] = { "", "x", "y" };
	int wrong = 0;

	for (size_t c = 0; c < sizeof(scopes) / sizeof(*scopes); c++)
		for (size_t p = 0; p < sizeof(scopes) / sizeof(*scopes); p++)
			for (size_t k = 0; k < 15 && scope_within(parsed(scopes[c]), parsed(scopes[p])); k++) {
				const char *key = keys[k % 5], *category = categories[k / 5];

				wrong += reads(scopes[c], key, category) && !reads(scopes[p], key, category);
				wrong += calls(scopes[c], key, category) && !calls(scopes[p], key, category);
			}
	tap_is_int(wrong, 0, "no child that is within its parent covers a row that the parent does not");
}

int main(void)
{
	arena = arena_new();
	cover();
	lists();
	refused();
	setting();
	containment();
	soundness();
	arena_free(arena);
	return tap_done();
}
