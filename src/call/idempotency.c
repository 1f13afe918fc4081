/* Idempotency-Keys. A claim names the receipt of the call that made it, so the receipt says what became of the call: none
 * yet, and it runs; one with an unknown outcome, when its process died; else it has ended, and the result lies beside
 * the claim. When a call claims its key is dispatch's to say. */
#include <string.h>
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "call/approval.h"
#include "call/idempotency.h"

enum { RETRY_S = 1 };                   /* Retry-After while the first call is running */

/* Keys and requests as digests */

static int check_key(const struct dispatch_request *r, struct problem *why)
{
	struct str key = r->idempotency;
	bool good = key.n >= 1 && key.n <= IDEMPOTENCY_KEY_MAX;

	for (size_t i = 0; good && i < key.n; i++)
		good = key.p[i] > ' ' && key.p[i] < 127;
	if (!good)
		return problem_set(why, 400, "bad_idempotency_key");
	return r->caller->kind != CALLER_ANONYMOUS ? 0 : problem_set(why, 400, "idempotency_needs_credential");
}

/* Its length before it, so that no two lists of texts look the same. */
static void put(struct buf *b, struct str s)
{
	buf_int(b, s.p ? (int64_t)s.n : -1);
	buf_putc(b, ':');
	buf_putstr(b, s);
}

/* The key goes in, which is kept nowhere: nobody finds a short secret in the arguments by trying. */
static void digest_request(const struct dispatch_request *r, char out[CRYPTO_HEX])
{
	struct buf b = BUF_ARENA(r->arena), named = BUF_ARENA(r->arena);
	const struct str fields[] = {
		r->idempotency, r->key, r->contract, str_of(r->replays), r->repairs, r->on_behalf_of, r->authorized_by, r->ask,
		r->body,
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		put(&b, fields[i]);
	buf_int(&b, r->arg ? (int64_t)r->args : -1);
	for (size_t i = 0; r->arg && i < r->args; i++)
		put(&b, r->arg[i]);
	if (r->named)
		json_canonical(&named, r->named);
	put(&b, buf_str(&named));
	crypto_sha256_hex(buf_str(&b), out);
}

static void digest_claim(const struct dispatch_request *r, char out[CRYPTO_HEX])
{
	struct buf b = BUF_ARENA(r->arena);

	put(&b, str_of(r->caller->actor));
	put(&b, r->idempotency);
	crypto_sha256_hex(buf_str(&b), out);
}

static struct db *ledger(void)
{
	return directory_ledger(dispatch_context()->directory);
}

static int64_t over_before(void)
{
	return clock_ms() - dispatch_context()->conf->idempotency_ms;
}

static int unreadable(struct problem *why)
{
	problem_set(why, 503, "ledger_unavailable");
	problem_detail(why, "ledger.db cannot be read");
	why->retry_after = RETRY_S;
	return -1;
}

int idempotency_look(struct idempotency *i, struct problem *why)
{
	struct db_stmt *s = db_start(ledger(), SQL_IDEMPOTENCY_GET, "ti", i->claim, over_before());
	int got = db_step(s);

	i->first[0] = 0;
	if (got == 1) {
		receipt_text(i->first_request, sizeof(i->first_request), db_text(s, 0));
		receipt_text(i->first, sizeof(i->first), db_text(s, 1));
		i->claimed_ms = db_int(s, 2);
	}
	db_end(s);
	return got < 0 ? unreadable(why) : 0;
}

int idempotency_begin(const struct dispatch_request *r, struct idempotency *out, struct problem *why)
{
	*out = (struct idempotency){ .claimed_ms = 0 };
	if (check_key(r, why) < 0)
		return -1;
	digest_claim(r, out->claim);
	digest_request(r, out->request);
	return idempotency_look(out, why);
}

/* Claims */

void idempotency_claim(struct write *w, const struct idempotency *i, const char *id)
{
	write_add(w, SQL_IDEMPOTENCY_CLAIM, "tttii", i->claim, i->request, id, clock_ms(), over_before());
}

void idempotency_result(struct write *w, const struct idempotency *i, const char *id, struct str result)
{
	if (result.n <= IDEMPOTENCY_RESULT_MAX)
		write_add(w, SQL_IDEMPOTENCY_RESULT, "tts", i->claim, id, result);
}

void idempotency_release(struct arena *a, const struct idempotency *i, const char *id)
{
	struct write *w = write_new(a, SQL_LEDGER);
	struct problem why = { 0 };

	write_add(w, SQL_IDEMPOTENCY_RELEASE, "tt", i->claim, id);
	if (write_submit(w, &why) < 0)
		log_warn("a key of a call that did not run could not be given free: %s", why.error);
}

/* What became of the first */

/* Adds to why what is known of the first call; ran -1: not even that. Returns -1. */
static int of_first(struct arena *a, const char *id, int ran, struct problem *why)
{
	why->extra = arena_json(a, json_object_new_object());
	json_put(why->extra, "ran", ran < 0 ? NULL : json_object_new_boolean(ran));
	json_put_text(why->extra, "invocation_id", *id ? id : NULL);
	return -1;
}

/* No receipt. When no call can run that long, its process could not write one, or has just died. */
static int not_ended(struct arena *a, const char *id, int64_t since_ms, struct problem *why)
{
	const struct conf *c = dispatch_context()->conf;

	if (clock_ms() - since_ms > c->trace_timeout_ms + c->write_timeout_ms) {
		problem_set(why, 409, "outcome_unknown");
	} else {
		problem_set(why, 409, "idempotency_in_progress");
		why->retry_after = RETRY_S;
	}
	return of_first(a, id, -1, why);
}

/* A held call goes by its approval's id until it runs. Puts the receipt's in its place; -1 with why when it
 * has not run. */
static int follow(struct arena *a, char id[RECEIPT_ID], int64_t *since_ms, struct problem *why)
{
	struct approval p;
	const char *state;
	int got = approval_get(a, str_of(id), &p, why);

	if (got <= 0)
		return got < 0 ? -1 : not_ended(a, id, *since_ms, why);
	state = approval_state(&p);
	if (strcmp(state, "pending") == 0)
		return approval_held(a, id, why);
	if (!p.invocation.p)
		return problem_set(why, 409, "approval_decided:%s", state);
	clock_parse(p.decided_at, since_ms);
	receipt_text(id, RECEIPT_ID, p.invocation);
	return 0;
}

/* p NULL: not kept. */
static int kept_result(struct arena *a, const struct idempotency *i, const char *id, struct str *out, struct problem *why)
{
	struct db_stmt *s = db_start(ledger(), SQL_IDEMPOTENCY_RESULT_GET, "tt", i->claim, id);
	int got = db_step(s);

	*out = got == 1 ? arena_copy(a, db_text(s, 0)) : str_make(NULL, 0);
	db_end(s);
	return got < 0 ? unreadable(why) : 0;
}

static void fill(const struct receipt *p, struct str result, struct dispatch_result *out)
{
	*out = (struct dispatch_result){
		.ran = true, .ok = p->ok, .material = p->material, .replayed = true, .kind = "invocation_result", .result = result,
		.runner = p->runner, .actor = p->actor, .spent = p->spent, .duration_us = p->duration_us,
	};
	memcpy(out->id, p->id, sizeof(out->id));
	memcpy(out->trace, p->trace, sizeof(out->trace));
	memcpy(out->input, p->input, sizeof(out->input));
	memcpy(out->output, p->output, sizeof(out->output));
	memcpy(out->contract, p->contract, sizeof(out->contract));
}

int idempotency_answer(struct arena *a, const struct idempotency *i, struct dispatch_result *out, struct problem *why)
{
	struct receipt *p = arena_alloc(a, sizeof(*p));
	bool held = str_starts(str_of(i->first), "apr_");
	int64_t since_ms = i->claimed_ms;
	char id[RECEIPT_ID];
	struct str result;
	int got;

	memcpy(id, i->first, sizeof(id));
	if (*id && strcmp(i->request, i->first_request) != 0)
		return problem_set(why, 422, "idempotency_key_reused");
	if (held && follow(a, id, &since_ms, why) < 0)
		return -1;
	got = receipt_get(dispatch_context()->directory, a, str_of(id), held, p, why);
	if (got <= 0)
		return got < 0 ? -1 : not_ended(a, id, *id ? since_ms : clock_ms(), why);
	if (strcmp(p->status, "unknown") == 0) {
		problem_set(why, 409, "outcome_unknown");
		return of_first(a, id, -1, why);
	}
	if (held)
		result = p->output_cut ? str_make(NULL, 0) : p->output_text;
	else if (kept_result(a, i, id, &result, why) < 0)
		return -1;
	if (!result.p) {
		problem_set(why, 409, "answer_not_kept");
		return of_first(a, id, true, why);
	}
	fill(p, result, out);
	return 0;
}
