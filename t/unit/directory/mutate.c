/* Changes of the directory through the real writer: what each one stores beside the row, what it refuses without a
 * trace, and that two at once never lose one. */
#include "directory/mutate.h"
#include "directory/verify.h"
#include "fixture.h"

static struct mutate_result res;
static struct problem why;

static void clear(void)
{
	memset(&why, 0, sizeof(why));
	directory_refresh(service.d);
}

static int create(const char *text)
{
	struct mutate m = service_mutate();

	clear();
	return mutate_create(&m, service_json(text), &res, &why);
}

static int put(const char *key, const char *text, const char *if_match)
{
	struct mutate m = service_mutate();

	clear();
	m.if_match = str_of(if_match);
	return mutate_put(&m, str_of(key), service_json(text), &res, &why);
}

static int patch(const char *key, const char *text, const char *if_match)
{
	struct mutate m = service_mutate();

	clear();
	m.if_match = str_of(if_match);
	return mutate_patch(&m, str_of(key), service_json(text), &res, &why);
}

static int drop(const char *key, const char *if_match)
{
	struct mutate m = service_mutate();

	clear();
	m.if_match = str_of(if_match);
	return mutate_delete(&m, str_of(key), &res, &why);
}

static int restore(const char *key, int64_t event, const char *digest)
{
	struct mutate m = service_mutate();

	clear();
	return mutate_restore(&m, str_of(key), event, str_of(digest), &res, &why);
}

static int64_t events(void)
{
	int64_t n = -1;
	bool found;

	db_one_int(directory_db(service.d), SQL_DIRECTORY_VERSION, &n, &found, "");
	return n;
}

/* The last call was refused with this, and nothing was stored. */
static void refused(int rc, int64_t before, int status, const char *error, const char *name)
{
	struct json_object *changed = NULL;
	bool told = why.extra && json_object_object_get_ex(why.extra, "state_changed", &changed) &&
		json_object_is_type(changed, json_type_boolean) && !json_object_get_boolean(changed);

	if (!tap_ok(rc == -1 && why.status == status && strcmp(why.error, error) == 0 && told && events() == before,
		    "%s", name))
		tap_diag("%d: %d %s %s %s", rc, why.status, why.error, why.field, why.detail);
}

static bool contract_known(const char *digest)
{
	struct db_stmt *s = db_start(directory_db(service.d), SQL_CONTRACT_GET, "t", digest);
	bool known = db_step(s) == 1;

	db_end(s);
	return known;
}

#define ROW "\"type\":\"fn\",\"target\":\"now\",\"content\":\"# WHAT: x\",\"examples\":[\"\"]"

static void creating(void)
{
	struct entry *e;
	int64_t n;

	tap_is_int(create("{\"key\":\"A\"," ROW ",\"category\":\"c\"}"), 0, "a row is created");
	e = service_get("A");
	tap_ok(e && res.created && res.event == 1 && e->identity == 1 && e->version == 1,
		"as event 1, which is its identity");
	tap_ok(strcmp(res.etag, e->etag) == 0 && strcmp(res.digest, e->digest) == 0,
		"tag and digest are those that readers see");
	tap_ok(str_is(row_text(&e->row, ROW_UPDATED_AT), res.updated_at) &&
			str_is(row_text(&e->row, ROW_CREATED_AT), res.updated_at),
		"both times are that of the answer");
	tap_ok(e->row.v[ROW_PLANNER_RANK].number == 100 && e->row.v[ROW_SEQ].null,
		"numbers are stored as numbers, none as none");
	tap_ok(contract_known(res.digest), "its contract can be had by digest");
	n = events();
	refused(create("{\"key\":\"A\"," ROW "}"), n, 409, "key_exists", "a second one of that key is refused");
	refused(create("{\"key\":\"B\"}"), n, 400, "key and type required", "a row without type is refused");
	refused(create("{\"type\":\"fn\",\"key\":\"\"}"), n, 400, "key and type required",
		"so is one with an empty key");
	refused(create("{\"key\":\"B\",\"type\":\"x\"}"), n, 422, "bad_type", "a type that does not exist is refused");
	refused(create("{\"key\":\"B-1\",\"type\":\"fn\"}"), n, 422, "bad_key", "a bad key is refused");
	refused(create("{\"key\":\"B\",\"type\":\"fn\"}"), n, 422, "registry_hygiene_refused: missing_description",
		"hygiene comes last");
	refused(create("{\"key\":\"B\"," ROW ",\"category\":\"sekret-4711-value\"}"), n, 422, "secret_in_row",
		"a secret is refused");
	refused(create("{\"key\":\"B\"," ROW ",\"colour\":1}"), n, 400, "unknown_field", "an unknown field is refused");
	tap_ok(!service_get("B"), "and nothing is there");
}

static void putting(void)
{
	char tag[ROW_ETAG];
	struct entry *e;
	int64_t n;

	tap_ok(put("P",
		       "{" ROW ",\"input_schema\":{\"type\":\"object\"},\"sensitive\":true,\"runner\":\"edge\","
			       "\"category\":\"x\"}",
		       NULL) == 0 &&
			res.created,
		"PUT creates");
	tap_ok(put("P", "{\"key\":\"P\"," ROW ",\"input_schema\":\"{\\\"type\\\":\\\"object\\\"}\"}", NULL) == 0 &&
			!res.created,
		"and replaces");
	e = service_get("P");
	tap_ok(e->sensitive && str_is(row_text(&e->row, ROW_RUNNER), "edge") && e->row.v[ROW_CATEGORY].null,
		"what is absent takes its default, but sensitive and runner stay");
	put("P", "{" ROW ",\"sensitive\":0,\"runner\":\"\"}", NULL);
	e = service_get("P");
	tap_ok(!e->sensitive && strcmp(row_runner(&e->row), "fn") == 0, "unless they are given");
	n = events();
	refused(put("P", "{\"key\":\"Q\"," ROW "}", NULL), n, 422, "bad_key",
		"another key in the row than in the path is refused");
	refused(put("P", "{\"content\":\"x\"}", NULL), n, 400, "key and type required", "so is a row without type");
	refused(put("P", "{" ROW ",\"sensitive\":1}", NULL), n, 422,
		"registry_hygiene_refused: high_risk_missing_schema", "and a sensitive one without schema");
	memcpy(tag, e->etag, sizeof(tag));
	tap_is_int(put("P", "{" ROW "}", tag), 0, "If-Match with the tag of the row lets it pass");
	n = events();
	refused(put("P", "{" ROW "}", tag), n, 412, "row_changed",
		"which is another tag then, though the row says the same");
	refused(put("NEW", "{" ROW "}", "*"), n, 412, "row_changed", "* asks for a row that is there");
	tap_is_int(put("P", "{" ROW "}", "*"), 0, "and takes any");
	tap_is_int(put("P", "{" ROW "}", arena_printf(service.a, "\"x\", W/%s", service_get("P")->etag)), 0,
		"lists and weak tags are read");
}

static void patching(void)
{
	struct str at;
	int64_t n;

	tap_is_int(patch("A", "{\"examples\":[\"51.51|-0.13\"],\"category\":null}", NULL), 0,
		"PATCH changes what it names");
	tap_is_str(json_object_to_json_string_ext(res.fields, JSON_C_TO_STRING_PLAIN), "[\"category\",\"examples\"]",
		"and says what");
	at = row_text(&service_get("A")->row, ROW_TARGET);
	tap_ok(str_is(at, "now") && service_get("A")->identity == 1, "the rest stays");
	n = events();
	refused(patch("NOPE", "{\"category\":\"x\"}", NULL), n, 404, "not_found",
		"a row that is not there is not found");
	refused(patch("A", "{\"runner\":\"edge\"}", NULL), n, 400, "no recognized fields",
		"runner alone is no recognized field");
	refused(patch("A", "{\"type\":\"http\"}", NULL), n, 422, "bad_target",
		"a change of type calls for another target");
	refused(patch("A", "{\"content\":\" \"}", NULL), n, 422, "registry_hygiene_refused: missing_description",
		"a patch that makes a good row bad is refused");
	refused(patch("A", "{\"category\":\"x\"}", "\"no\""), n, 412, "row_changed", "If-Match holds for PATCH");
}

/* A row of an age without rules, put there behind the service's back. */
static void old_rows(void)
{
	struct mutate m = service_mutate();
	struct write *w = write_new(m.arena, SQL_DIRECTORY);
	int64_t n;

	write_add(w, SQL_ROW_INSERT, "tttttttttttttttttt", "OLD", "http", "not a target", NULL, NULL,
		"2026-06-10 02:22:52", NULL, NULL, NULL, "1", "1", "100", "{broken", NULL, "0", NULL, NULL, NULL);
	tap_is_int(write_submit(w, &why), 0, "a row from before the rules is there");
	tap_ok(service_get("OLD")->version == 0 && !directory_validator(service.d, service_get("OLD")), "without an event, and it can be read");
	tap_is_int(patch("OLD", "{\"category\":\"kept\",\"target\":\"not a target\"}", NULL), 0,
		"it stays editable, also where a bad value is repeated");
	tap_ok(service_get("OLD")->row.v[ROW_CREATED_AT].null, "its time of creation stays unknown");
	n = events();
	refused(patch("OLD", "{\"input_schema\":\"{worse\"}", NULL), n, 422, "bad_schema",
		"but what changes must be good");
	tap_ok(drop("OLD", NULL) == 0 && res.deleted == 1, "it can be deleted");
}

static void deleting(void)
{
	int64_t n = events(), first;

	tap_ok(drop("NOPE", NULL) == 0 && res.deleted == 0 && res.event == 0 && events() == n,
		"deleting nothing is no event");
	refused(drop("NOPE", "*"), n, 412, "row_changed", "unless something was to be there");
	refused(drop("A", "\"no\""), n, 412, "row_changed", "If-Match holds for DELETE");
	tap_ok(drop("A", NULL) == 0 && res.deleted == 1 && res.event == n + 1, "a deletion is an event");
	tap_ok(!service_get("A") && directory_row_num(service.d, str_of("A")) == 0,
		"the row is gone, from the list too");
	tap_is_int(create("{\"key\":\"A\"," ROW "}"), 0, "the key may be used again");
	first = service_get("A")->identity;
	tap_ok(first == n + 2 && first == res.event, "by a row with another identity");
	drop("A", NULL);
	tap_ok(put("A", "{" ROW "}", NULL) == 0 && service_get("A")->identity == n + 4, "and so on");
}

static void restoring(void)
{
	char digest[CRYPTO_HEX], later[CRYPTO_HEX];
	int64_t n, first, gone, identity;

	put("R", "{" ROW ",\"category\":\"one\"}", NULL);
	first = res.event;
	memcpy(digest, res.digest, sizeof(digest));
	put("R", "{" ROW ",\"category\":\"two\"}", NULL);
	memcpy(later, res.digest, sizeof(later));
	identity = service_get("R")->identity;
	tap_ok(restore("R", first, NULL) == 0 && str_is(service_get("R")->category, "one"),
		"a row is restored to what it was after an event");
	tap_ok(service_get("R")->identity == identity && strcmp(res.digest, digest) == 0,
		"as the same row, with the contract of then");
	tap_ok(restore("R", 0, later) == 0 && str_is(service_get("R")->category, "two"), "or to a contract");
	drop("R", NULL);
	gone = res.event;
	n = events();
	refused(restore("R", gone, NULL), n, 422, "nothing_to_restore", "after its deletion there was none");
	refused(restore("R", 1, NULL), n, 404, "event_not_found", "an event of another row is not found");
	refused(restore("R", 99999, NULL), n, 404, "event_not_found", "nor one that never was");
	refused(restore("R", 0, "00"), n, 404, "contract_not_found", "nor a contract that never was");
	refused(restore("A", 0, digest), n, 404, "contract_not_found", "nor one of another row");
	tap_ok(restore("R", first, NULL) == 0 && service_get("R")->identity == res.event && res.created,
		"after a deletion it is another row");
}

static void blocks(void)
{
	static char before[100][CRYPTO_HEX];
	bool known = true, all = true;
	char key[16];

	put("BLOCK", "{\"type\":\"fn\",\"target\":\"prompt_block\",\"content\":\"one\"}", NULL);
	for (int i = 0; i < 100; i++) {
		snprintf(key, sizeof(key), "AG%d", i);
		put(key, "{\"type\":\"agent\",\"target\":\"m\",\"content\":\"hi\",\"includes\":\"BLOCK,OTHER\"}", NULL);
		memcpy(before[i], res.digest, CRYPTO_HEX);
	}
	put("AGX", "{\"type\":\"agent\",\"target\":\"m\",\"content\":\"hi\",\"includes\":\"BLOCKS\"}", NULL);
	tap_is_int(patch("BLOCK", "{\"content\":\"two\"}", NULL), 0, "a block that a hundred rows include is changed");
	for (int i = 0; i < 100; i++) {
		snprintf(key, sizeof(key), "AG%d", i);
		all &= strcmp(service_get(key)->digest, before[i]) != 0;
		known &= contract_known(service_get(key)->digest);
	}
	tap_ok(all, "every one has another contract");
	tap_ok(known, "and each can be had by its digest");
	put("OTHER", "{\"type\":\"fn\",\"target\":\"prompt_block\",\"content\":\"o\"}", NULL);
	tap_ok(contract_known(service_get("AG7")->digest), "so when a missing block comes");
	drop("BLOCK", NULL);
	tap_ok(contract_known(service_get("AG7")->digest), "and when one goes");
	put("SELF", "{\"type\":\"agent\",\"target\":\"m\",\"content\":\"me\",\"includes\":\"SELF\"}", NULL);
	tap_ok(contract_known(service_get("SELF")->digest) && strcmp(service_get("SELF")->digest, res.digest) == 0,
		"a row that includes itself is no exception");
}

/* Many at once */

struct job { int n; int *good; };

static void one_job(void *arg)
{
	struct job *j = arg;
	struct arena *a = arena_new();
	struct mutate m = service_mutate();
	struct mutate_result r;
	struct problem p = { 0 };
	char text[80];
	struct json_object *o;

	m.arena = a;
	snprintf(text, sizeof(text), "{\"planner_rank\":%d,\"content\":\"# %d\"}", j->n, j->n);
	json_parse(a, str_of(text), &o, NULL);
	if (mutate_patch(&m, str_of(j->n % 2 ? "HOT" : "BLOCK2"), o, &r, &p) == 0)
		++*j->good;
	else
		tap_diag("%d: %d %s", j->n, p.status, p.error);
	arena_free(a);
}

static void at_once(void)
{
	struct job job[100];
	struct fiber_group g = { 0 };
	struct verify_result v;
	int good = 0;
	int64_t n;

	put("HOT", "{\"type\":\"agent\",\"target\":\"m\",\"content\":\"hi\",\"includes\":\"BLOCK2\"}", NULL);
	put("BLOCK2", "{\"type\":\"fn\",\"target\":\"prompt_block\",\"content\":\"one\"}", NULL);
	n = events();
	for (int i = 0; i < 100; i++) {
		job[i] = (struct job){ i, &good };
		fiber_group_start(&g, one_job, &job[i]);
	}
	fiber_group_wait(&g);
	tap_is_int(good, 100, "a hundred changes at once of a row and its block all succeed");
	tap_is_int(events(), n + 100, "each with its event");
	tap_ok(contract_known(service_get("HOT")->digest), "and the contract that results is known");
	verify_events(fixture_path("directory.db"), &v, &why);
	tap_ok(v.ok && v.count == n + 100, "the chain verifies");
}

static void creating_at_once(void *arg)
{
	struct job *j = arg;
	struct arena *a = arena_new();
	struct mutate m = service_mutate();
	struct mutate_result r;
	struct problem p = { 0 };
	struct json_object *o;

	m.arena = a;
	json_parse(a, str_of("{\"key\":\"RACE\"," ROW "}"), &o, NULL);
	if (mutate_create(&m, o, &r, &p) == 0)
		++*j->good;
	else if (p.status != 409 || strcmp(p.error, "key_exists") != 0)
		*j->good += 1000;
	arena_free(a);
}

static void one_winner(void)
{
	struct job job[20];
	struct fiber_group g = { 0 };
	int good = 0;

	for (int i = 0; i < 20; i++) {
		job[i] = (struct job){ i, &good };
		fiber_group_start(&g, creating_at_once, &job[i]);
	}
	fiber_group_wait(&g);
	tap_is_int(good, 1, "of twenty who create the same row one does, the others are told key_exists");
}

static void history(void)
{
	struct db_stmt *s = db_start(directory_db(service.d), SQL_EVENT_RECORDS, "ii", (int64_t)0, (int64_t)1);
	struct row r;

	tap_is_int(db_step(s), 1, "the first event can be read");
	tap_ok(str_is(db_text(s, 3), "DIRECTORY_MUTATE") && str_is(db_text(s, 4), "create") &&
			str_is(db_text(s, 5), "A") && str_is(db_text(s, 6), "owner:terminal-key") &&
			str_is(db_text(s, 7), "t_test"),
		"it says what, to what, by whom and in which trace");
	tap_ok(db_is_null(s, 8) && row_from_image(service.a, db_text(s, 9), &r) == 0 &&
			str_is(row_text(&r, ROW_CATEGORY), "c"),
		"with the row before, none, and after");
	db_end(s);
}

static void all(void)
{
	creating();
	putting();
	patching();
	old_rows();
	deleting();
	restoring();
	blocks();
	at_once();
	one_winner();
	history();
}

int main(void)
{
	service_run(all);
	return tap_done();
}
