/* Questions and learning. What a question's words mean for the ranking is directory/rank.c's. */
#include <stdio.h>
#include "base/ascii.h"
#include "base/clock.h"
#include "call/dispatch.h"
#include "call/question.h"
#include "directory/wording.h"

bool question_kept(const struct caller *c)
{
	return c->kind != CALLER_ANONYMOUS && dispatch_context()->conf->ask_learned > 0 && caller_check(c, NULL) == 0;
}

/* So that nobody gets a larger share by making tokens from a token. */
static const char *teacher_of(struct arena *a, const struct caller *c)
{
	const struct token *t = c->token;

	while (t && t->above)
		t = t->above;
	return t ? arena_printf(a, "cap:%s", t->name) : c->actor;
}

static void past(int64_t ms, char out[CLOCK_ISO])
{
	clock_iso(clock_ms() - ms, out);
}

/* Asking */

static void take_word(void *ctx, struct str stem, struct str from)
{
	struct buf *out = ctx;

	(void)stem;
	if (out->len + from.n + 1 > QUESTION_BYTES)
		return;
	if (out->len)
		buf_putc(out, ' ');
	for (size_t i = 0; i < from.n; i++)
		buf_putc(out, ascii_lower(from.p[i]));
}

/* In a form that two questions share when they differ in signs and case alone. */
static struct str words_of(struct arena *a, struct str text)
{
	struct buf clean = BUF_ARENA(a), pairs = BUF_ARENA(a), words = BUF_ARENA(a);

	secret_redact(dispatch_context()->secrets, &clean, text);
	wording_prepare(&pairs, buf_str(&clean));
	db_words(directory_ledger(dispatch_context()->directory), buf_str(&pairs), take_word, &words);
	return buf_str(&words);
}

/* What is too old or too much. */
static void prune(struct write *w)
{
	const struct conf *conf = dispatch_context()->conf;
	char old[CLOCK_ISO];

	past(conf->ask_learned_age_ms, old);
	write_add(w, SQL_LEARN_PRUNE_WORDS, "ti", old, conf->ask_learned);
	write_add(w, SQL_LEARN_PRUNE, "ti", old, conf->ask_learned);
}

void question_add(struct write *w, struct arena *a, const struct caller *c, struct str text, char id[QUESTION_ID])
{
	char now[CLOCK_ISO], old[CLOCK_ISO], random[CRYPTO_ID];

	crypto_id(clock_ms(), random);
	snprintf(id, QUESTION_ID, "ask_%s", random);
	past(0, now);
	past(QUESTION_WAITING_MS, old);
	write_add(w, SQL_QUESTION_ADD, "ttts", id, now, c->actor, words_of(a, text));
	write_add(w, SQL_QUESTION_PRUNE, "ti", old, (int64_t)QUESTION_WAITING_MAX);
	prune(w);
}

/* Teaching */

void question_teach(struct write *w, struct arena *a, const struct caller *c, struct str id, const struct entry *e)
{
	const struct conf *conf = dispatch_context()->conf;
	bool owner = c->kind == CALLER_OWNER;
	char now[CLOCK_ISO], old[CLOCK_ISO];

	if (!question_kept(c) || !id.n || !e->identity)
		return;
	past(0, now);
	past(QUESTION_WAITING_MS, old);
	write_add(w, SQL_LEARN, "ssitttiit", id, e->key, e->identity, teacher_of(a, c), now, old,
		owner ? INT64_MAX : (int64_t)QUESTION_ROW_CREDENTIAL_MAX,
		owner ? INT64_MAX : conf->ask_learned / QUESTION_SHARE + 1, c->actor);
	write_add(w, SQL_LEARN_WORDS, "i", e->identity);
	write_add(w, SQL_LEARN_ROW_WORDS, "ii", e->identity, conf->ask_learned_row);
	write_add(w, SQL_LEARN_ROW_PRUNE, "ii", e->identity, conf->ask_learned_row);
	prune(w);
}

/* For the owner */

static int unreadable(struct problem *why)
{
	return problem_unavailable(why, "ledger.db cannot be read");
}

struct json_object *question_list(struct directory *d, struct arena *a, struct str key, int64_t limit,
	struct problem *why)
{
	struct db_stmt *s = db_start(directory_ledger(d), SQL_LEARNED_LIST, "si", key, limit);
	struct json_object *out = arena_json(a, json_object_new_object()), *list = json_object_new_array();
	int rc;

	while ((rc = db_step(s)) == 1) {
		struct json_object *o = json_object_new_object();

		json_put_str(o, "key", db_text(s, 0));
		json_put_str(o, "words", db_text(s, 3));
		json_put_str(o, "actor", db_text(s, 1));
		json_put_str(o, "time", db_text(s, 2));
		json_object_array_add(list, o);
	}
	db_end(s);
	json_put_int(out, "count", (int64_t)json_object_array_length(list));
	json_put(out, "questions", list);
	if (rc == 0)
		return out;
	unreadable(why);
	return NULL;
}

int question_forget(struct directory *d, struct arena *a, struct str key, const char *actor, const char *trace,
	int64_t *forgot, struct problem *why)
{
	char id[CRYPTO_ID], event[40], now[CLOCK_ISO];
	struct write *w;
	bool found;

	if (db_one_int(directory_ledger(d), SQL_LEARNED_COUNT, forgot, &found, "s", key) < 0)
		return unreadable(why);
	crypto_id(clock_ms(), id);
	snprintf(event, sizeof(event), "evt_%s", id);
	past(0, now);
	w = write_new(a, SQL_LEDGER);
	write_add(w, SQL_LEARNED_FORGET_WORDS, "s", key);
	write_add(w, SQL_LEARNED_FORGET, "s", key);
	if (!key.p)
		write_add(w, SQL_QUESTION_FORGET, "");
	write_add(w, SQL_LEDGER_EVENT_ADD, "tttsttt", event, now, "QUESTIONS_FORGET", key, actor, trace,
		arena_printf(a, "{\"questions\":%lld}", (long long)*forgot));
	write_proof(w, SQL_LEDGER_EVENT_APPLIED, "t", event);
	return write_submit(w, why);
}
