/* Watching calls. What happens to a call that is held is approval.c's. */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "call/watch.h"
#include "schema/regex.h"
#include "store/event.h"

static const char *const decisions[] = { [WATCH_ALLOW] = "allow", [WATCH_HOLD] = "hold", [WATCH_DENY] = "deny" };

enum { DECISIONS = sizeof(decisions) / sizeof(*decisions) };

struct rule { struct str id, key, body, decision, reason, created_at, created_by; int64_t rank; };

static struct db *db(void)
{
	return directory_db(dispatch_context()->directory);
}

static int unreadable(struct problem *why)
{
	return problem_unavailable(why, "the rules cannot be read at this moment");
}

static struct rule rule_of(struct arena *a, struct db_stmt *s)
{
	return (struct rule){
		.id = arena_copy(a, db_text(s, 0)), .rank = db_int(s, 1), .key = arena_copy(a, db_text(s, 2)),
		.body = arena_copy(a, db_text(s, 3)), .decision = arena_copy(a, db_text(s, 4)),
		.reason = arena_copy(a, db_text(s, 5)), .created_at = arena_copy(a, db_text(s, 6)),
		.created_by = arena_copy(a, db_text(s, 7)),
	};
}

/* All rules in their order; -1 when they cannot be read. */
static int read_rules(struct arena *a, struct rule **out, size_t *n)
{
	struct db_stmt *s = db_start(db(), SQL_WATCH_RULES, "");
	struct buf rules = BUF_ARENA(a);
	int rc;

	while ((rc = db_step(s)) == 1) {
		struct rule r = rule_of(a, s);

		buf_add(&rules, &r, sizeof(r));
	}
	db_end(s);
	*out = (struct rule *)(void *)rules.data;
	*n = rules.len / sizeof(**out);
	return rc;
}

/* Deciding */

static void decide(struct watch_verdict *v, enum watch_decision d, struct str reason)
{
	v->decision = d;
	snprintf(v->reason, sizeof(v->reason), "%.*s", (int)reason.n, reason.p ? reason.p : "");
}

/* 1 found, 0 not, -1: it cannot be told. */
static int body_fits(struct str pattern, struct str input)
{
	char error[128];
	struct regex *r;
	struct regex_run *run;
	uint64_t work = 0;
	int rc;

	if (!pattern.p)
		return 1;
	r = regex_new(pattern, error, sizeof(error));
	if (!r)
		return -1;
	run = regex_run_new();
	rc = regex_match(r, run, input, &work);
	regex_run_free(run);
	regex_free(r);
	return rc;
}

/* True when the rule has decided. */
static bool apply(struct arena *a, const struct rule *r, struct str key, struct str input, struct watch_verdict *v)
{
	int fits;

	if (fnmatch(arena_str(a, r->key), arena_str(a, key), 0) != 0)
		return false;
	fits = body_fits(r->body, input);
	if (fits == 0)
		return false;
	if (fits < 0) {
		decide(v, WATCH_DENY, str_of("rule_not_applicable"));
		return true;
	}
	for (int i = 0; i < DECISIONS; i++)
		if (str_is(r->decision, decisions[i])) {
			decide(v, (enum watch_decision)i, r->reason);
			return true;
		}
	decide(v, WATCH_DENY, str_of("rule_not_understood"));
	return true;
}

static bool apply_rules(struct arena *a, struct str key, struct str input, struct watch_verdict *v)
{
	struct rule *rule;
	size_t n;

	if (read_rules(a, &rule, &n) < 0) {
		decide(v, WATCH_DENY, str_of("rules_unreadable"));
		return true;
	}
	for (size_t i = 0; i < n; i++)
		if (apply(a, &rule[i], key, input, v))
			return true;
	return false;
}

/* The row that the setting names, with the key, the actor and the arguments. It is called by the service itself, and
 * nothing watches it. */
static void ask_watcher(const struct dispatch_request *r, const struct entry *e, struct str input, struct watch_verdict *v)
{
	const struct conf *conf = dispatch_context()->conf;
	const struct caller service = { .kind = CALLER_OWNER, .actor = "service:watcher" };
	struct str arg[] = { e->key, str_of(r->caller->actor), input }, answer;
	struct dispatch_trace trace;
	struct dispatch_request q = {
		.arena = r->arena, .caller = &service, .trace = &trace, .key = str_of(conf->watcher), .arg = arg, .args = 3,
		.unwatched = true,
	};
	struct dispatch_result out;
	struct problem why = { 0 };

	dispatch_trace_new(&trace);
	trace.deadline_us = clock_mono_us() + conf->watcher_timeout_ms * 1000;
	if (dispatch_call(&q, &out, &why) < 0 || !out.ok) {
		log_warn("watcher %s: %s", conf->watcher, why.status ? why.error : "an error");
		decide(v, WATCH_DENY, str_of("watcher_failed"));
		return;
	}
	answer = str_trim(str_skip(out.result, out.label));
	if (str_is(answer, "ALLOW"))
		decide(v, WATCH_ALLOW, str_of(""));
	else
		decide(v, WATCH_DENY, str_of("watcher"));
}

static bool has_watcher(void)
{
	const char *key = dispatch_context()->conf->watcher;

	return key && *key;
}

void watch_decide(const struct dispatch_request *r, const struct entry *e, struct str input, struct watch_verdict *out)
{
	decide(out, WATCH_ALLOW, str_of(""));
	if (apply_rules(r->arena, e->key, input, out) || !has_watcher())
		return;
	ask_watcher(r, e, input, out);
}

/* Rules */

static int take_text(struct json_object *fields, const char *name, size_t max, struct str *out, struct problem *why)
{
	struct json_object *v;

	*out = str_make(NULL, 0);
	if (!json_object_object_get_ex(fields, name, &v) || !v)
		return 0;
	*out = json_str(v);
	if (out->p && out->n <= max && !memchr(out->p, 0, out->n))
		return 0;
	return problem_bad_field(why, name, "is a text of at most %zu bytes without NUL", max);
}

static int take_pattern(struct json_object *fields, struct rule *r, struct problem *why)
{
	char error[128];
	struct regex *regex;

	if (take_text(fields, "body_pattern", WATCH_PATTERN_MAX, &r->body, why) < 0)
		return -1;
	if (!r->body.p)
		return 0;
	regex = regex_new(r->body, error, sizeof(error));
	if (!regex)
		return problem_bad_field(why, "body_pattern", "%s", error);
	regex_free(regex);
	return 0;
}

static int take_rule(struct json_object *fields, struct rule *r, struct problem *why)
{
	struct json_object *rank = json_get(fields, "rank");
	bool known = false;

	*r = (struct rule){ .rank = 100 };
	if (take_text(fields, "key_pattern", WATCH_PATTERN_MAX, &r->key, why) < 0 || take_pattern(fields, r, why) < 0 ||
	    take_text(fields, "reason", WATCH_REASON_MAX, &r->reason, why) < 0 ||
	    take_text(fields, "decision", WATCH_PATTERN_MAX, &r->decision, why) < 0)
		return -1;
	for (int i = 0; i < DECISIONS; i++)
		known = known || str_is(r->decision, decisions[i]);
	if (!known)
		return problem_bad_field(why, "decision", "is allow, hold or deny");
	if (!r->key.n)
		return problem_bad_field(why, "key_pattern", "is needed: * is any row");
	if (rank && (!json_object_is_type(rank, json_type_int) || json_object_get_int64(rank) < 0 ||
	             json_object_get_int64(rank) > 1000000))
		return problem_bad_field(why, "rank", "is a whole number from 0 to 1000000");
	if (rank)
		r->rank = json_object_get_int64(rank);
	return 0;
}

static struct json_object *rule_json(const struct rule *r)
{
	struct json_object *o = json_object_new_object();

	json_put_str(o, "id", r->id);
	json_put_int(o, "rank", r->rank);
	json_put_str(o, "key_pattern", r->key);
	json_put_str(o, "body_pattern", r->body);
	json_put_str(o, "decision", r->decision);
	json_put_str(o, "reason", r->reason);
	json_put_str(o, "created_at", r->created_at);
	json_put_str(o, "created_by", r->created_by);
	return o;
}

static void add_event(struct arena *a, struct write *w, const char *operation, const struct rule *r, const char *actor,
	const char *trace, bool gone)
{
	struct event e = { .action = "WATCH_RULE", .operation = operation, .actor = actor, .trace = trace };
	struct buf image = BUF_ARENA(a);

	json_canonical(&image, arena_json(a, rule_json(r)));
	e.key = arena_str(a, r->id);
	*(gone ? &e.before : &e.after) = buf_str(&image);
	event_add(w, &e);
}

int watch_add(struct arena *a, struct json_object *fields, const char *actor, const char *trace, char id[32],
	struct problem *why)
{
	struct write *w = write_new(a, SQL_DIRECTORY);
	char text[CRYPTO_ID], now[CLOCK_ISO];
	struct rule r;

	if (take_rule(fields, &r, why) < 0)
		return -1;
	crypto_id(clock_ms(), text);
	snprintf(id, 32, "wr_%s", text);
	clock_iso(clock_ms(), now);
	r.id = str_of(id);
	r.created_at = str_of(now);
	r.created_by = str_of(actor);
	write_add(w, SQL_WATCH_RULE_ROOM, "i", (int64_t)WATCH_RULES_MAX);
	write_add(w, SQL_WATCH_RULE_ADD, "sissssss", r.id, r.rank, r.key, r.body, r.decision, r.reason, r.created_at,
		r.created_by);
	add_event(a, w, "create", &r, actor, trace, false);
	if (write_submit(w, why) == 0)
		return 0;
	return why->status == 409 ? problem_set(why, 409, "watch_rules_full") : -1;
}

int watch_drop(struct arena *a, struct str id, const char *actor, const char *trace, struct problem *why)
{
	struct write *w = write_new(a, SQL_DIRECTORY);
	struct rule *rule, *found = NULL;
	size_t n;

	if (read_rules(a, &rule, &n) < 0)
		return unreadable(why);
	for (size_t i = 0; i < n; i++)
		if (str_eq(rule[i].id, id))
			found = &rule[i];
	if (!found)
		return problem_set(why, 404, "watch_rule_not_found");
	write_add(w, SQL_WATCH_RULE_DROP, "s", id);
	add_event(a, w, "delete", found, actor, trace, true);
	if (write_submit(w, why) == 0)
		return 0;
	return why->status == 409 ? problem_set(why, 404, "watch_rule_not_found") : -1;
}

struct json_object *watch_list(struct arena *a, struct problem *why)
{
	struct json_object *list;
	struct rule *rule;
	size_t n;

	if (read_rules(a, &rule, &n) < 0) {
		unreadable(why);
		return NULL;
	}
	list = json_object_new_array();
	for (size_t i = 0; i < n; i++)
		json_object_array_add(list, rule_json(&rule[i]));
	return list;
}
