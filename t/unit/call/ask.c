/* The answer to a question within its bytes, and what questions teach. */
#include "../directory/fixture.h"
#include "call/ask.h"
#include "call/dispatch.h"
#include "call/question.h"
#include "directory/rank.h"
#include "tap.h"

static struct caller owner = { .kind = CALLER_OWNER, .actor = "owner:terminal-key" };
static struct token fresh = { .name = "cap_1", .expires_ms = INT64_MAX };
static struct caller token = { .kind = CALLER_TOKEN, .actor = "cap:cap_1", .token = &fresh };
static struct caller anonymous = { .kind = CALLER_ANONYMOUS, .actor = "anonymous" };

static struct str ask_as(const struct caller *c, const char *text, int64_t limit, int64_t budget)
{
	struct ask a = {
		.arena = service.a, .caller = c, .text = str_of(text), .limit = limit, .budget = budget,
		.id = "ask_00000000000000000000000000",
	};
	struct problem why = { 0 };
	struct str out = str_of("");

	directory_refresh(service.d);
	if (ask_answer(&a, &out, &why) < 0)
		tap_diag("%s", why.error);
	return out;
}

static struct json_object *parsed(struct str s)
{
	struct json_object *o = NULL;

	json_parse(service.a, s, &o, NULL);
	return o;
}

static const char *best(const char *text)
{
	struct str key = json_str(json_pointer(parsed(ask_as(&owner, text, 10, 65536)), str_of("/best/key"), NULL));

	return key.p ? arena_str(service.a, key) : "";
}

static void put_row(const char *key, const char *what)
{
	service_put(key, arena_printf(service.a, "{\"type\":\"fn\",\"target\":\"echo\",\"examples\":[\"a|b\"],"
		"\"category\":\"tests\",\"content\":\"# WHAT: %s\\n# WHEN_TO_USE: Now and then.\\n# ARGS: x|y\\n[]\"}", what));
}

/* Budgets */

static void test_answer(void)
{
	struct json_object *o = parsed(ask_as(&owner, "violin lessons", 10, 65536));

	tap_ok(o && json_object_array_length(json_get(o, "matches")) == 5, "every row that fits is a match");
	tap_ok(!json_object_get_boolean(json_get(o, "cut")), "nothing is cut");
	tap_is_str(json_str(json_pointer(o, str_of("/best/call/method"), NULL)).p, "POST", "the best has a call");
	tap_is_str(json_str(json_pointer(o, str_of("/best/call/url"), NULL)).p, "https://rowcall.example/api/dispatch",
		"… its address");
	tap_is_str(json_str(json_pointer(o, str_of("/best/call/body/body"), NULL)).p, "a|b", "… its arguments");
	tap_is_str(json_str(json_pointer(o, str_of("/best/call/body/ask"), NULL)).p, "ask_00000000000000000000000000",
		"… and the question");
	tap_is_str(json_str(json_pointer(o, str_of("/matches/0/example"), NULL)).p, "a|b", "a match has an example");
	tap_ok(str_starts(json_str(json_pointer(o, str_of("/matches/0/invoke"), NULL)),
		"https://rowcall.example/api/dispatch?invoke=VIOLIN_"), "… and the URL that runs it");
	o = parsed(ask_as(&owner, "violin", 2, 65536));
	tap_is_int((long)json_object_array_length(json_get(o, "matches")), 2, "at most `limit` matches");
	o = parsed(ask_as(&owner, "saxophone", 10, 65536));
	tap_ok(o && json_get(o, "best") == NULL && json_object_array_length(json_get(o, "matches")) == 0,
		"nothing found is an empty list");
	tap_is_str(json_str(json_pointer(o, str_of("/categories/0/category"), NULL)).p, "tests", "and categories");
}

static void test_budgets(void)
{
	struct str whole = ask_as(&owner, "violin", 10, 65536);
	int64_t exact = (int64_t)whole.n;
	bool good = true, within = true, callable = true, before = false;

	tap_ok(!json_object_get_boolean(json_get(parsed(ask_as(&owner, "violin", 10, exact)), "cut")), "the exact budget does");
	tap_ok(!json_object_get_boolean(json_get(parsed(ask_as(&owner, "violin", 10, exact + 1)), "cut")), "so does one more");
	tap_ok(json_object_get_boolean(json_get(parsed(ask_as(&owner, "violin", 10, exact - 1)), "cut")), "one less cuts");
	for (int64_t b = ASK_BUDGET_MIN; b <= exact; b++) {
		struct str s = ask_as(&owner, "violin", 10, b);
		struct json_object *o = parsed(s);
		size_t n = o ? json_object_array_length(json_get(o, "matches")) : 0;

		good = good && o && json_object_get_int(json_get(o, "count")) == (int)n;
		within = within && (int64_t)s.n <= b;
		callable = callable && (!before || json_pointer(o, str_of("/best/call/body/key"), NULL));
		before = before || json_pointer(o, str_of("/best/call/body/key"), NULL);
		if (b % 64 == 0)
			arena_reset(service.a);
	}
	tap_ok(good, "every budget gives whole JSON that counts its matches");
	tap_ok(within, "and never more bytes");
	tap_ok(before && callable, "where the call of the best fits, it fits with more bytes too");
}

/* Learning */

/* The id of a question that was kept. */
static const char *asked(const struct caller *c, const char *text)
{
	static char id[QUESTION_ID];
	struct write *w = write_new(service.a, SQL_LEDGER);

	question_add(w, service.a, c, str_of(text), id);
	if (write_submit(w, NULL) < 0)
		tap_diag("not kept");
	return id;
}

static void taught(const struct caller *c, const char *id, const char *key)
{
	struct write *w = write_new(service.a, SQL_LEDGER);
	struct problem why = { 0 };

	question_teach(w, service.a, c, str_of(id), service_get(key));
	if (write_statements(w) && write_submit(w, &why) < 0)
		tap_diag("%s", why.error);
}

static void teach(const struct caller *c, const char *text, const char *key)
{
	taught(c, asked(c, text), key);
}

static long learned(const char *key)
{
	struct problem why = { 0 };

	return json_object_get_int(json_get(question_list(service.d, service.a, str_of(key), 1000, &why), "count"));
}

static void forget(const char *key)
{
	struct problem why = { 0 };
	int64_t n;

	if (question_forget(service.d, service.a, str_of(key), "owner:terminal-key", "t_test", &n, &why) < 0)
		tap_diag("%s", why.error);
}

static void test_learning(void)
{
	tap_is_str(best("squeaky fiddle bow"), "", "before a question was learned its words find nothing");
	teach(&owner, "Why is my FIDDLE squeaky?!", "VIOLIN_3");
	tap_is_str(best("squeaky fiddle bow"), "VIOLIN_3", "learned, they find the row");
	tap_is_int(learned("VIOLIN_3"), 1, "one question is there");
	teach(&owner, "why is my fiddle squeaky", "VIOLIN_3");
	tap_is_int(learned("VIOLIN_3"), 1, "the same words are learned once, signs and case aside");
	teach(&token, "why is my fiddle squeaky", "VIOLIN_3");
	tap_is_int(learned("VIOLIN_3"), 1, "whoever says them");
	taught(&token, asked(&owner, "cello endpin"), "VIOLIN_1");
	tap_is_int(learned("VIOLIN_1"), 0, "a question of another credential teaches nothing");
	taught(&owner, "ask_00000000000000000000000000", "VIOLIN_1");
	taught(&owner, "'; DELETE FROM learned; --", "VIOLIN_1");
	taught(&owner, "", "VIOLIN_1");
	tap_is_int(learned("VIOLIN_1"), 0, "nor does an unknown one, or none");
	tap_ok(!question_kept(&anonymous), "questions of nobody are not kept");
	teach(&owner, "the key is sekret-4711-value indeed", "VIOLIN_1");
	tap_is_str(best("4711"), "", "a known secret is not learned");
	forget("VIOLIN_3");
	tap_is_int(learned("VIOLIN_3"), 0, "the owner can let a row forget");
	tap_is_str(best("squeaky fiddle bow"), "", "then the words find nothing again");
	tap_is_int(learned("VIOLIN_1"), 1, "other rows keep theirs");
	forget(NULL);
	tap_is_int(learned(NULL), 0, "or all rows at once");
}

static void test_new_row(void)
{
	struct mutate m = service_mutate();
	struct mutate_result r;

	teach(&owner, "bassoon reeds", "VIOLIN_2");
	tap_is_str(best("bassoon"), "VIOLIN_2", "a row has learned");
	mutate_delete(&m, str_of("VIOLIN_2"), &r, NULL);
	tap_is_str(best("bassoon"), "", "deleted, it is not found by it");
	put_row("VIOLIN_2", "Violin number 2");
	tap_is_str(best("bassoon"), "", "nor is a new one under its key");
	forget(NULL);
}

static void test_bounds(void)
{
	int64_t row = service.conf.ask_learned_row, all = service.conf.ask_learned;

	for (int i = 0; i < QUESTION_ROW_CREDENTIAL_MAX + 1; i++) {
		teach(&token, arena_printf(service.a, "oboe number %d", i), "VIOLIN_1");
		if (i >= QUESTION_ROW_CREDENTIAL_MAX - 2)
			tap_ok(learned("VIOLIN_1") == (i < QUESTION_ROW_CREDENTIAL_MAX ? i + 1 : i),
				"a token teaches a row its share: %d", i + 1);
	}
	teach(&token, "oboe for another", "VIOLIN_2");
	tap_is_int(learned("VIOLIN_2"), 1, "and another row still");
	forget(NULL);
	service.conf.ask_learned_row = 3;
	for (int i = 1; i <= 4; i++) {
		teach(&owner, arena_printf(service.a, "tuba%d", i), "VIOLIN_1");
		if (i >= 2)
			tap_ok(learned("VIOLIN_1") == (i < 3 ? i : 3), "a row keeps its number of %d", i);
	}
	tap_is_str(best("tuba1"), "", "the oldest is gone");
	tap_is_str(best("tuba4"), "VIOLIN_1", "the newest is there");
	forget(NULL);
	service.conf.ask_learned = 3;
	for (int i = 1; i <= 4; i++) {
		teach(&owner, arena_printf(service.a, "lute%d", i), arena_printf(service.a, "VIOLIN_%d", i));
		if (i >= 2)
			tap_ok(learned(NULL) == (i < 3 ? i : 3), "all rows keep theirs of %d", i);
	}
	service.conf.ask_learned = 0;
	tap_ok(!question_kept(&owner), "0 is none");
	teach(&owner, "harp", "VIOLIN_1");
	service.conf.ask_learned_row = row;
	service.conf.ask_learned = all;
	tap_is_str(best("harp"), "", "and teaches nothing");
	forget(NULL);
	service.conf.ask_learned_age_ms = -1000;
	teach(&owner, "zither", "VIOLIN_1");
	tap_is_int(learned(NULL), 0, "what is too old goes");
	service.conf.ask_learned_age_ms = 3600000;
}

/* The right row was taught once; the other one by a token that repeats itself. */
static void test_repetition(void)
{
	double mine = 0, other = 0;
	struct json_object *o;

	put_row("RIGHT", "Rents out a contrabass.");
	put_row("WRONG", "Sells strings.");
	teach(&owner, "where may somebody rent a contrabass", "RIGHT");
	for (int i = 0; i < 40; i++)
		teach(&token, i % 2 ? "rent a contrabass" : "Rent a CONTRABASS!", "WRONG");
	tap_is_int(learned("WRONG"), 1, "a question repeated is one question");
	tap_is_str(best("rent a contrabass"), "RIGHT", "and does not push the right row away");
	for (int i = 0; i < 40; i++)
		teach(&token, arena_printf(service.a, "rent a contrabass %d times", i), "WRONG");
	o = parsed(ask_as(&owner, "rent a contrabass", 10, 65536));
	tap_ok(json_object_array_length(json_get(o, "matches")) >= 2, "repeated in many words, both rows are among the best");
	for (int n = 0; n < 2; n++) {
		struct rank_query q = { .text = str_of("rent a contrabass"), .reader = caller_reader(&owner), .planner = true };
		struct rank_match m[2];

		directory_refresh(service.d);
		if (rank_rows(service.d, service.a, &q, m, 2, NULL) == 2) {
			mine = str_is(m[n].key, "RIGHT") ? m[n].score : mine;
			other = str_is(m[n].key, "WRONG") ? m[n].score : other;
		}
	}
	tap_ok(mine > 0 && other < 4 * mine, "and the gain is bounded: %.1f, %.1f", mine, other);
	forget(NULL);
}

static void all(void)
{
	dispatch_init(&(struct dispatch_context){
		.conf = &service.conf, .secrets = service.secrets, .shared = service.shared, .directory = service.d,
	});
	for (int i = 1; i <= 5; i++)
		put_row(arena_printf(service.a, "VIOLIN_%d", i), arena_printf(service.a, "Violin number %d", i));
	test_answer();
	test_budgets();
	test_learning();
	test_new_row();
	test_bounds();
	test_repetition();
}

int main(void)
{
	service_run(all);
	return tap_done();
}
