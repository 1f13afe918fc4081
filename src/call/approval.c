/* Held calls. The decision is one write of the directory, which also names the receipt of the run to come, whose intent
 * is in the ledger by then: so there is one run at most, and what became of it can be looked up, whatever is killed. */
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "call/approval.h"
#include "call/replay.h"
#include "store/event.h"

enum { COLUMNS = 17 };

static struct db *db(void)
{
	return directory_db(dispatch_context()->directory);
}

static int unreadable(struct problem *why)
{
	return problem_unavailable(why, "approvals cannot be read at this moment");
}

static struct approval from_stmt(struct arena *a, struct db_stmt *s)
{
	struct approval p = { .id = { NULL, 0 } };
	struct str *const column[COLUMNS] = {
		&p.id, &p.created_at, &p.expires_at, &p.key, &p.contract, &p.actor, &p.token, &p.input, &p.input_form,
		&p.on_behalf_of, &p.authorized_by, &p.reason, &p.state, &p.decided_at, &p.decided_by, &p.invocation,
		&p.parent,
	};

	for (int i = 0; i < COLUMNS; i++)
		*column[i] = arena_copy(a, db_text(s, i));
	p.identity = db_int(s, COLUMNS);
	return p;
}

int approval_get(struct arena *a, struct str id, struct approval *out, struct problem *why)
{
	struct db_stmt *s = db_start(db(), SQL_APPROVAL_GET, "s", id);
	int rc = db_step(s);

	if (rc == 1)
		*out = from_stmt(a, s);
	db_end(s);
	return rc < 0 ? unreadable(why) : rc;
}

const char *approval_state(const struct approval *p)
{
	int64_t expires;

	if (!str_is(p->state, "pending"))
		return p->state.p;
	return clock_parse(p->expires_at, &expires) == 0 && shared_now_ms(dispatch_context()->shared) < expires ?
		"pending" : "expired";
}

struct json_object *approval_json(const struct approval *p, bool owner)
{
	struct json_object *o = json_object_new_object();
	const struct { const char *name; struct str value; } members[] = {
		{ "approval", p->id }, { "state", str_of(approval_state(p)) }, { "key", p->key }, { "contract", p->contract },
		{ "actor", p->actor }, { "reason", p->reason }, { "created_at", p->created_at }, { "expires_at", p->expires_at },
		{ "on_behalf_of", p->on_behalf_of }, { "authorized_by", p->authorized_by },
		{ "decided_at", p->decided_at }, { "invocation_id", p->invocation }, { "parent", p->parent },
	};

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		json_put_str(o, members[i].name, members[i].value);
	if (!owner)
		return o;
	json_put_str(o, "decided_by", p->decided_by);
	json_put_str(o, "input", p->input);
	json_put_str(o, "input_form", p->input_form);
	return o;
}

struct json_object *approval_list(struct arena *a, struct str before, int64_t limit, struct problem *why)
{
	/* "~" is behind every id. */
	struct db_stmt *s = db_start(db(), SQL_APPROVALS, "si", before.p ? before : str_of("~"), limit);
	struct json_object *list = json_object_new_array();
	int rc;

	while ((rc = db_step(s)) == 1) {
		struct approval p = from_stmt(a, s);

		json_object_array_add(list, approval_json(&p, true));
	}
	db_end(s);
	if (rc == 0)
		return list;
	json_object_put(list);
	unreadable(why);
	return NULL;
}

/* Holding */

static int check_input(const struct receipt *p, struct problem *why)
{
	if (p->input_redacted) {
		problem_set(why, 422, "secret_in_input");
		problem_detail(why, "the arguments hold a secret, so they cannot be kept until somebody decides");
		return -1;
	}
	if (p->input_text.n <= APPROVAL_INPUT_MAX)
		return 0;
	problem_set(why, 413, "input_too_long_to_hold");
	problem_detail(why, "at most %d bytes", APPROVAL_INPUT_MAX);
	return -1;
}

int approval_held(struct arena *a, const char *id, struct problem *why)
{
	problem_set(why, 202, "held:%s", id);
	why->extra = arena_json(a, json_object_new_object());
	json_put_bool(why->extra, "ran", false);
	json_put_bool(why->extra, "held", true);
	json_put_text(why->extra, "approval", id);
	return -1;
}

void approval_new_id(char out[APPROVAL_ID])
{
	char text[CRYPTO_ID];

	crypto_id(clock_ms(), text);
	snprintf(out, APPROVAL_ID, "apr_%s", text);
}

int approval_hold(const struct dispatch_request *r, const struct receipt *p, int64_t identity, const char *id,
	const char *reason, struct problem *why)
{
	struct write *w = write_new(r->arena, SQL_DIRECTORY);
	char now[CLOCK_ISO], end[CLOCK_ISO];
	int64_t ms = clock_ms();

	if (check_input(p, why) < 0)
		return -1;
	clock_iso(ms, now);
	clock_iso(ms + dispatch_context()->conf->hold_ms, end);
	write_add(w, SQL_APPROVAL_ROOM, "ti", now, (int64_t)APPROVAL_PENDING_MAX);
	write_add(w, SQL_APPROVAL_ADD, "tttttttstsstit", id, now, end, p->key, p->contract, p->actor,
		r->caller->token ? r->caller->token->name : NULL, p->input_text, p->input_form, p->on_behalf_of,
		p->authorized_by, reason, identity, r->parent);
	if (write_submit(w, why) == 0)
		return approval_held(r->arena, id, why);
	return why->status == 409 ? problem_set(why, 429, "too_many_holds") : -1;
}

/* Deciding */

static int check_pending(const struct approval *p, struct problem *why)
{
	const char *state = approval_state(p);

	return strcmp(state, "pending") == 0 ? 0 : problem_set(why, 409, "approval_decided:%s", state);
}

/* One decision, with its event; refused when there is one already. */
static int decide(struct arena *a, const struct approval *p, const char *state, const char *invocation,
	const char *actor, const char *trace, struct problem *why)
{
	struct write *w = write_new(a, SQL_DIRECTORY);
	struct approval after = *p;
	struct buf image = BUF_ARENA(a);
	char now[CLOCK_ISO];
	struct event e = { .action = "APPROVAL", .operation = strcmp(state, "ran") ? "deny" : "approve",
	                   .key = arena_str(a, p->id), .actor = actor, .trace = trace };

	clock_iso(clock_ms(), now);
	after.state = str_of(state);
	after.decided_at = str_of(now);
	after.invocation = str_of(invocation);
	json_canonical(&image, arena_json(a, approval_json(&after, false)));
	e.after = buf_str(&image);
	write_add(w, SQL_APPROVAL_DECIDE, "sttts", p->id, state, now, actor, after.invocation);
	event_add(w, &e);
	if (write_submit(w, why) == 0)
		return 0;
	return why->status == 409 ? problem_set(why, 409, "approval_decided:already") : -1;
}

int approval_deny(struct arena *a, const struct approval *p, const char *actor, const char *trace, struct problem *why)
{
	return check_pending(p, why) < 0 ? -1 : decide(a, p, "denied", NULL, actor, trace, why);
}

/* Who called, as far as that still holds. */
static int caller_of(struct arena *a, const struct approval *p, struct caller *out, struct problem *why)
{
	struct token *t;
	int rc;

	caller_anonymous(out);
	out->actor = p->actor.p;
	if (!p->token.p) {
		out->kind = CALLER_OWNER;
		return 0;
	}
	rc = token_get(dispatch_context()->directory, a, p->token, &t, why);
	if (rc == 0)
		problem_set(why, 401, "token_invalid");
	out->kind = CALLER_TOKEN;
	out->token = t;
	return rc == 1 ? 0 : -1;
}

int approval_run(struct arena *a, const struct approval *p, struct dispatch_trace *trace, const char *actor,
	struct dispatch_result *out, struct problem *why)
{
	struct caller caller;
	struct dispatch_request r = {
		.arena = a, .caller = &caller, .trace = trace, .key = p->key, .contract = p->contract,
		.on_behalf_of = p->on_behalf_of, .authorized_by = p->authorized_by, .approval = p, .approver = actor,
		.parent = p->parent.p ? arena_str(a, p->parent) : NULL,
	};

	*out = (struct dispatch_result){ .ran = false };
	trace->approved = true;
	if (check_pending(p, why) < 0 || caller_of(a, p, &caller, why) < 0 ||
	    replay_input(&r, p->input, p->input_form.p, why) < 0)
		return -1;
	return dispatch_call(&r, out, why);
}

int approval_claim(const struct dispatch_request *r, const char *invocation, struct problem *why)
{
	return r->approval ? decide(r->arena, r->approval, "ran", invocation, r->approver, r->trace->id, why) : 0;
}
