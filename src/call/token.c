/* Making, finding, revoking and counting capability tokens. A token is read from the file at each request, with those
 * above it: so what was revoked is refused by the next request of every worker. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "base/secret.h"
#include "call/dispatch.h"
#include "call/token.h"
#include "store/event.h"

static const char *const gate_names[] = { [GATE_NO] = "false", [GATE_OWNER] = "true", [GATE_HOLD] = "hold" };

enum { GATES = sizeof(gate_names) / sizeof(*gate_names) };

static int unreadable(struct problem *why)
{
	return problem_unavailable(why, "tokens cannot be read at this moment");
}

/* Reading */

static struct str column(struct arena *a, struct db_stmt *s, int i)
{
	return arena_copy(a, db_text(s, i));
}

static void copy_name(char *out, size_t size, struct str s)
{
	snprintf(out, size, "%.*s", (int)s.n, s.p ? s.p : "");
}

static enum token_gate gate_of(struct str s)
{
	for (int i = 0; i < GATES; i++)
		if (str_is(s, gate_names[i]))
			return (enum token_gate)i;
	return GATE_OWNER;              /* what is not understood lets nothing run */
}

static struct token *from_stmt(struct arena *a, struct db_stmt *s)
{
	struct token *t = arena_alloc(a, sizeof(*t));
	struct problem why = { 0 };

	copy_name(t->name, sizeof(t->name), db_text(s, 0));
	copy_name(t->digest, sizeof(t->digest), db_text(s, 1));
	copy_name(t->parent, sizeof(t->parent), db_text(s, 2));
	t->depth = db_int(s, 3);
	t->created_at = column(a, s, 4);
	t->created_by = column(a, s, 5);
	t->expires_at = column(a, s, 6);
	if (clock_parse(t->expires_at, &t->expires_ms) < 0)
		t->expires_ms = 0;
	t->scope_text = column(a, s, 7);
	if (scope_parse(a, t->scope_text, &t->scope, &why) < 0)
		scope_parse_setting(a, str_of("none"), &t->scope, &why);
	t->uses = db_int(s, 8);
	t->rate = db_int(s, 9);
	t->max_body_bytes = db_int(s, 10);
	t->high = str_is(db_text(s, 11), "high");
	t->gate = gate_of(db_text(s, 12));
	t->purpose = column(a, s, 13);
	t->actor = column(a, s, 14);
	t->audience = column(a, s, 15);
	t->body_fixed = column(a, s, 16);
	t->contract = column(a, s, 17);
	t->identity = db_int(s, 18);
	t->revoked_at = column(a, s, 19);
	t->revoked_by = column(a, s, 20);
	return t;
}

static int read_one(struct directory *d, struct arena *a, enum sql_id id, struct str value, struct token **out)
{
	struct db_stmt *s = db_start(directory_db(d), id, "s", value);
	int rc = db_step(s);

	*out = rc == 1 ? from_stmt(a, s) : NULL;
	db_end(s);
	return rc;
}

/* Tokens are never deleted, so one above that is not there is a failure. */
static int read_above(struct directory *d, struct arena *a, struct token *t)
{
	int rc = 1;

	for (; rc == 1 && t->parent[0]; t = t->above)
		rc = read_one(d, a, SQL_TOKEN_GET, str_of(t->parent), &t->above);
	return rc == 1 ? 0 : -1;
}

static int read_chain(struct directory *d, struct arena *a, enum sql_id id, struct str value, struct token **out,
	struct problem *why)
{
	int rc = read_one(d, a, id, value, out);

	if (rc < 0 || (rc == 1 && read_above(d, a, *out) < 0))
		return unreadable(why);
	return rc;
}

bool token_is_text(struct str s)
{
	return str_starts(s, "rct_");
}

/* How a token begins in each of the forms: plain, hexadecimal, base64 at its three alignments. */
static const char *const beginnings[] = { "rct_", "7263745f", "7263745F", "cmN0X", "JjdF", "yY3Rf" };

size_t token_redact(struct buf *out, struct str s, struct str text)
{
	bool suspect = false;

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings) && !suspect; i++)
		suspect = str_find(s, str_of(beginnings[i])) >= 0;
	return suspect ? secret_redact_value(out, s, "token", text) : 0;
}

int token_find(struct directory *d, struct arena *a, struct str text, struct token **out, struct problem *why)
{
	char digest[CRYPTO_HEX];

	crypto_sha256_hex(text, digest);
	return read_chain(d, a, SQL_TOKEN_OF_DIGEST, str_of(digest), out, why);
}

int token_get(struct directory *d, struct arena *a, struct str name, struct token **out, struct problem *why)
{
	return read_chain(d, a, SQL_TOKEN_GET, name, out, why);
}

/* State */

static const char *own_state(const struct token *t)
{
	if (t->revoked_at.p)
		return "revoked";
	return shared_now_ms(dispatch_context()->shared) >= t->expires_ms ? "expired" : NULL;
}

/* Its own, or that of the first above it that lets it do nothing. */
static const char *status_of(const struct token *t)
{
	const char *state = NULL;

	for (; t && !state; t = t->above)
		state = own_state(t);
	return state ? state : "active";
}

static int dead(const char *state, bool above, struct problem *why)
{
	if (strcmp(state, "revoked") == 0)
		problem_set(why, 401, "%s", above ? "ancestor_revoked" : "revoked");
	else
		problem_set(why, 401, "%s", above ? "ancestor_expired" : "expired");
	problem_fix(why, "ask whoever gave you this token for a new one");
	return -1;
}

int token_check_alive(const struct token *t, struct problem *why)
{
	for (const struct token *one = t; one; one = one->above) {
		const char *state = own_state(one);

		if (state)
			return dead(state, one != t, why);
	}
	return 0;
}

/* Ordering: the fields as they came */

static const struct number_field {
	const char *name;
	size_t field;                   /* in struct token */
	int64_t min, max;
} numbers[] = {
	{ "uses", offsetof(struct token, uses), 0, TOKEN_USES_MAX },
	{ "rate", offsetof(struct token, rate), 0, TOKEN_RATE_MAX },
	{ "max_body_bytes", offsetof(struct token, max_body_bytes), 0, TOKEN_BODY_MAX },
};

static const struct text_field {
	const char *name;
	size_t field;
	size_t max;
	bool binds;                     /* a child of a token that has one has the same */
} texts[] = {
	{ "purpose", offsetof(struct token, purpose), TOKEN_PURPOSE_MAX, false },
	{ "actor", offsetof(struct token, actor), TOKEN_PURPOSE_MAX, false },
	{ "audience", offsetof(struct token, audience), TOKEN_PURPOSE_MAX, true },
	{ "body_fixed", offsetof(struct token, body_fixed), TOKEN_SCOPE_MAX, true },
	{ "contract", offsetof(struct token, contract), CRYPTO_HEX - 1, true },
};

static int64_t *number_of(const struct token *t, size_t field)
{
	return (int64_t *)(void *)((char *)(uintptr_t)t + field);
}

static struct str *text_of(const struct token *t, size_t field)
{
	return (struct str *)(void *)((char *)(uintptr_t)t + field);
}

/* A whole number, `*out` untouched when the field is absent. */
static int read_number(struct json_object *fields, const char *name, int64_t min, int64_t max, int64_t *out,
	struct problem *why)
{
	struct json_object *v;

	if (!json_object_object_get_ex(fields, name, &v))
		return 0;
	if (json_object_is_type(v, json_type_int) && json_object_get_int64(v) >= min && json_object_get_int64(v) <= max) {
		*out = json_object_get_int64(v);
		return 0;
	}
	return problem_bad_field(why, name, "is a whole number from %" PRId64 " to %" PRId64, min, max);
}

static int read_texts(const struct token_order *o, struct token *t, struct problem *why)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct json_object *v;

		if (!json_object_object_get_ex(o->fields, texts[i].name, &v) || !v)
			continue;
		if (!json_object_is_type(v, json_type_string) || json_str(v).n > texts[i].max)
			return problem_bad_field(why, texts[i].name, "is a text of at most %zu bytes", texts[i].max);
		*text_of(t, texts[i].field) = json_str(v);
	}
	return 0;
}

static int read_choices(const struct token_order *o, struct token *t, struct problem *why)
{
	struct json_object *v;
	struct str s;

	if (json_object_object_get_ex(o->fields, "risk_ceiling", &v)) {
		s = json_str(v);
		if (!str_is(s, "low") && !str_is(s, "high"))
			return problem_bad_field(why, "risk_ceiling", "is low or high");
		t->high = str_is(s, "high");
	}
	if (!json_object_object_get_ex(o->fields, "owner_gate", &v))
		return 0;
	if (json_object_is_type(v, json_type_boolean)) {
		t->gate = json_object_get_boolean(v) ? GATE_OWNER : GATE_NO;
		return 0;
	}
	s = json_str(v);
	t->gate = gate_of(s);
	return str_is(s, gate_names[t->gate]) ? 0 : problem_bad_field(why, "owner_gate", "is false, true or hold");
}

static int read_life(const struct token_order *o, struct token *t, struct problem *why)
{
	int64_t now = clock_ms(), ttl = TOKEN_TTL_S;
	char text[CLOCK_ISO];

	if (read_number(o->fields, "ttl", TOKEN_TTL_MIN_S, TOKEN_TTL_MAX_S, &ttl, why) < 0)
		return -1;
	t->expires_ms = now + ttl * 1000;
	/* What a holder does not ask for is as long as it can be. */
	if (o->above && !json_get(o->fields, "ttl") && t->expires_ms > o->above->expires_ms)
		t->expires_ms = o->above->expires_ms;
	clock_iso(t->expires_ms, text);
	t->expires_at = arena_copy(o->arena, str_of(text));
	clock_iso(now, text);
	t->created_at = arena_copy(o->arena, str_of(text));
	return 0;
}

static int read_scope(const struct token_order *o, struct token *t, struct problem *why)
{
	struct json_object *v = json_get(o->fields, "scope");

	if (v) {
		t->scope_text = json_str(v);
		if (!t->scope_text.p || t->scope_text.n > TOKEN_SCOPE_MAX)
			return problem_bad_field(why, "scope", "is a text such as read, act, row:K, rows:A,B, pfx:P, cat:C");
	} else if (!o->above) {
		return problem_bad_field(why, "scope", "is needed: read, act, row:K, rows:A,B, pfx:P or cat:C");
	}
	return scope_parse(o->arena, t->scope_text, &t->scope, why);
}

/* A token for one row is that row's, not its name's; and, unless pin is false, its contract's. */
static int bind_row(const struct token_order *o, struct token *t, struct problem *why)
{
	struct str key = scope_row(t->scope);
	struct json_object *pin = json_get(o->fields, "pin");
	struct entry *e = NULL;

	if (pin && !json_object_is_type(pin, json_type_boolean))
		return problem_bad_field(why, "pin", "is true or false");
	if (!key.p && (t->contract.p || pin))
		return problem_bad_field(why, t->contract.p ? "contract" : "pin", "belongs to a token with the scope row:KEY");
	if (!key.p)
		return 0;
	if (directory_get(o->directory, o->arena, key, &e, why) < 0)
		return -1;
	if (!e) {
		problem_set(why, 404, "unknown_key");
		problem_field(why, "scope");
		problem_detail(why, "there is no row %.*s to bind the token to", (int)key.n, key.p);
		return -1;
	}
	t->identity = e->identity;
	if (t->contract.p && !str_is(t->contract, e->digest)) {
		problem_set(why, 409, "contract_changed:%.*s!=%s", (int)t->contract.n, t->contract.p, e->digest);
		problem_field(why, "contract");
		return -1;
	}
	if (!t->contract.p && (!pin || json_object_get_boolean(pin)))
		t->contract = str_of(e->digest);
	return 0;
}

/* A child is within its parent in every dimension */

static int widens(struct problem *why, const char *field, const char *detail)
{
	problem_set(why, 403, "scope_widen_denied");
	problem_field(why, field);
	problem_detail(why, "%s: %s", field, detail);
	problem_fix(why, "ask for no more than this token has: GET /api/dispatch?explain=1 shows it");
	return -1;
}

static bool number_within(int64_t child, int64_t parent)
{
	return !parent || (child && child <= parent);
}

static bool text_within(struct str child, struct str parent)
{
	return !parent.p || (child.p && str_eq(child, parent));
}

static int check_within(const struct token *t, const struct token *p, struct problem *why)
{
	if (p->depth + 1 > TOKEN_DEPTH_MAX) {
		problem_set(why, 422, "attenuation_depth:%d", TOKEN_DEPTH_MAX);
		problem_fix(why, "ask for a token at a holder nearer to the owner");
		return -1;
	}
	if (!scope_within(t->scope, p->scope))
		return widens(why, "scope", "more than the token itself covers");
	if (t->expires_ms > p->expires_ms)
		return widens(why, "ttl", "longer than the token itself lives");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (!number_within(*number_of(t, numbers[i].field), *number_of(p, numbers[i].field)))
			return widens(why, numbers[i].name, "more than the token itself has");
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (texts[i].binds && !text_within(*text_of(t, texts[i].field), *text_of(p, texts[i].field)))
			return widens(why, texts[i].name, "another than the token's own");
	if (t->high && !p->high)
		return widens(why, "risk_ceiling", "higher than the token's own");
	if (p->gate != GATE_NO && t->gate != p->gate && t->gate != GATE_OWNER)
		return widens(why, "owner_gate", "less than the token's own");
	if (p->identity && t->identity != p->identity)
		return widens(why, "scope", "another row than the token's own");
	return 0;
}

/* What a holder does not ask for is what it has itself. */
static void inherit(struct token *t, const struct token *p)
{
	struct token own = *t;

	*t = *p;
	memcpy(t->name, own.name, sizeof(t->name));
	memcpy(t->digest, own.digest, sizeof(t->digest));
	memcpy(t->parent, p->name, sizeof(t->parent));
	t->depth = p->depth + 1;
	t->above = (struct token *)(uintptr_t)p;
	t->purpose = t->actor = t->revoked_at = t->revoked_by = str_make(NULL, 0);
}

static int read_order(const struct token_order *o, struct token *t, struct problem *why)
{
	if (o->above)
		inherit(t, o->above);
	t->created_by = str_of(o->actor);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (read_number(o->fields, numbers[i].name, numbers[i].min, numbers[i].max, number_of(t, numbers[i].field), why) < 0)
			return -1;
	if (read_texts(o, t, why) < 0 || read_choices(o, t, why) < 0 || read_life(o, t, why) < 0 ||
	    read_scope(o, t, why) < 0 || bind_row(o, t, why) < 0)
		return -1;
	return o->above ? check_within(t, o->above, why) : 0;
}

/* Writing */

static void new_secret(struct token *t, char text[TOKEN_TEXT])
{
	unsigned char random[TOKEN_SECRET_BYTES];
	struct buf b = BUF_MALLOC;

	crypto_random(random, sizeof(random));
	buf_puts(&b, "rct_");
	crypto_base64url(&b, str_make((const char *)random, sizeof(random)));
	snprintf(text, TOKEN_TEXT, "%s", buf_text(&b));
	crypto_sha256_hex(str_of(text), t->digest);
	snprintf(t->name, sizeof(t->name), "cap_%.16s", t->digest);
	crypto_forget(random, sizeof(random));
	crypto_forget(b.data, b.len);
	buf_free(&b);
}

/* What the event log keeps: the record without the digest, which is of use to nobody. */
static struct str event_image(struct arena *a, const struct token *t)
{
	struct buf b = BUF_ARENA(a);
	struct json_object *o = arena_json(a, token_json(NULL, t));

	json_canonical(&b, o);
	return buf_str(&b);
}

static void add_event(struct write *w, const char *action, const char *operation, const struct token *t,
	const char *actor, const char *trace, struct str before, struct str after)
{
	struct event e = {
		.action = action, .operation = operation, .key = t->name, .actor = actor, .trace = trace,
		.before = before, .after = after,
	};

	event_add(w, &e);
}

int token_mint(const struct token_order *o, struct token **out, char text[TOKEN_TEXT], struct problem *why)
{
	struct token *t = arena_alloc(o->arena, sizeof(*t));
	struct write *w = write_new(o->arena, SQL_DIRECTORY);

	if (read_order(o, t, why) < 0)
		return -1;
	new_secret(t, text);
	write_add(w, SQL_TOKEN_ADD, "tttissssiiittsssssi", t->name, t->digest, t->parent[0] ? t->parent : NULL, t->depth,
		t->created_at, t->created_by, t->expires_at, t->scope_text, t->uses, t->rate, t->max_body_bytes,
		t->high ? "high" : "low", gate_names[t->gate], t->purpose, t->actor, t->audience, t->body_fixed, t->contract,
		t->identity);
	add_event(w, "CAPABILITY_MINT", o->above ? "attenuate" : "mint", t, o->actor, o->trace, str_make(NULL, 0),
		event_image(o->arena, t));
	*out = t;
	return write_submit(w, why);
}

int token_revoke(struct directory *d, struct arena *a, struct str name, const char *actor, const char *trace,
	bool *changed, struct problem *why)
{
	struct write *w = write_new(a, SQL_DIRECTORY);
	char now[CLOCK_ISO];
	struct str before;
	struct token *t;
	int rc = token_get(d, a, name, &t, why);

	*changed = false;
	if (rc < 0)
		return -1;
	if (!rc) {
		problem_set(why, 404, "token_not_found");
		return -1;
	}
	if (t->revoked_at.p)
		return 0;
	before = event_image(a, t);
	clock_iso(clock_ms(), now);
	t->revoked_at = str_of(now);
	t->revoked_by = str_of(actor);
	write_add(w, SQL_TOKEN_REVOKE, "ttt", t->name, now, actor);
	add_event(w, "CAPABILITY_REVOKE", "revoke", t, actor, trace, before, event_image(a, t));
	rc = write_submit(w, why);
	/* Somebody else was first: the token is revoked, which is all that was asked for. */
	if (rc < 0 && why->status == 409) {
		*why = (struct problem){ 0 };
		return 0;
	}
	*changed = rc == 0;
	return rc;
}

/* Showing */

struct json_object *token_json(struct directory *d, const struct token *t)
{
	struct json_object *o = json_object_new_object();
	int64_t used = 0;
	bool found;

	json_put_text(o, "fingerprint", t->name);
	json_put_text(o, "status", status_of(t));
	json_put_str(o, "scope", t->scope_text);
	json_put_str(o, "created_at", t->created_at);
	json_put_str(o, "created_by", t->created_by);
	json_put_str(o, "expires_at", t->expires_at);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		json_put_int(o, numbers[i].name, *number_of(t, numbers[i].field));
	if (d && t->uses && db_one_int(directory_ledger(d), SQL_TOKEN_USES, &used, &found, "t", t->name) == 0)
		json_put_int(o, "uses_left", used < t->uses ? t->uses - used : 0);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		json_put_str(o, texts[i].name, *text_of(t, texts[i].field));
	json_put_text(o, "risk_ceiling", t->high ? "high" : "low");
	json_put_text(o, "owner_gate", gate_names[t->gate]);
	json_put_text(o, "parent", t->parent[0] ? t->parent : NULL);
	json_put_int(o, "depth", t->depth);
	json_put_str(o, "revoked_at", t->revoked_at);
	json_put_str(o, "revoked_by", t->revoked_by);
	return o;
}

struct json_object *token_list(struct directory *d, struct arena *a, struct str after, int64_t limit,
	char next[TOKEN_NAME], struct problem *why)
{
	struct db_stmt *s = db_start(directory_db(d), SQL_TOKENS, "si", after.p ? after : str_of(""), limit + 1);
	struct json_object *list = json_object_new_array();
	struct token *t = NULL;
	int rc;

	next[0] = 0;
	while ((rc = db_step(s)) == 1) {
		if ((int64_t)json_object_array_length(list) == limit) {
			snprintf(next, TOKEN_NAME, "%s", t->name);
			break;
		}
		t = from_stmt(a, s);
		if (read_above(d, a, t) < 0) {
			rc = -1;
			break;
		}
		json_object_array_add(list, token_json(d, t));
	}
	db_end(s);
	if (rc >= 0)
		return list;
	json_object_put(list);
	unreadable(why);
	return NULL;
}

/* Counting */

int64_t token_uses_left(struct directory *d, const struct token *t)
{
	int64_t left = -1;

	for (; t; t = t->above) {
		int64_t used = 0, own;
		bool found;

		if (!t->uses)
			continue;
		if (db_one_int(directory_ledger(d), SQL_TOKEN_USES, &used, &found, "t", t->name) < 0)
			return 0;
		own = used < t->uses ? t->uses - used : 0;
		if (left < 0 || own < left)
			left = own;
	}
	return left;
}

unsigned token_take(struct write *w, const struct token *t)
{
	int64_t now = clock_ms();
	unsigned n = 0;

	for (const struct token *one = t; one; one = one->above)
		if (one->rate) {
			write_add(w, SQL_TOKEN_RATE, "tii", one->name, now, one->rate);
			n++;
		}
	for (const struct token *one = t; one; one = one->above)
		if (one->uses) {
			write_add(w, SQL_TOKEN_USE, "ti", one->name, one->uses);
			n++;
		}
	return n;
}

void token_give_back(struct write *w, const struct token *t, const char *invocation)
{
	for (; t; t = t->above)
		if (t->uses)
			write_add(w, SQL_TOKEN_USE_BACK, "tt", t->name, invocation);
}
