/* Questions in plain words over HTTP (spec section 7.3), the search by the same ranking, and for the owner what was learned
 * from questions. How rows are ranked is directory/rank.c's, what an answer holds call/ask.c's. */
#include "call/ask.h"
#include "call/question.h"
#include "directory/rank.h"
#include "web/emit.h"
#include "web/rest.h"

enum { SEARCH_LIMIT = 20 };

/* -1 after answering 400: there are no words. */
static int need_words(struct rest *r, const char *name, struct str text)
{
	struct problem why = { 0 };

	if (str_trim(text).n)
		return 0;
	problem_set(&why, 400, "bad_parameter");
	problem_field(&why, name);
	problem_detail(&why, "%s holds the words to search for", name);
	router_fail(r, &why);
	return -1;
}

/* Keeps the question, so that a call can be tied to it. An answer without an id is an answer too. */
static void keep(struct rest *r, struct str text, char id[QUESTION_ID])
{
	struct write *w;

	id[0] = 0;
	if (!question_kept(&r->caller) || request_is(r->req, "HEAD"))
		return;
	w = write_new(r->arena, SQL_LEDGER);
	question_add(w, r->arena, &r->caller, text, id);
	if (write_submit(w, NULL) < 0)
		id[0] = 0;
}

int rest_ask_answer(struct rest *r, struct ask *ask, struct str *out, struct problem *why)
{
	char *id = arena_alloc(r->arena, QUESTION_ID);

	ask->arena = r->arena;
	ask->caller = &r->caller;
	ask->id = id;
	keep(r, ask->text, id);
	directory_refresh(r->service->directory);       /* keeping took its time */
	return ask_answer(ask, out, why);
}

void rest_ask(struct rest *r)
{
	struct ask ask = { .text = request_param(r->req, "ask"), .category = request_param(r->req, "category") };
	struct problem why = { 0 };
	struct str out;

	if (need_words(r, "ask", ask.text) < 0 ||
	    router_number(r, "limit", 1, ASK_LIMIT_MAX, ASK_LIMIT, &ask.limit) < 0 ||
	    router_number(r, "budget", ASK_BUDGET_MIN, ASK_BUDGET_MAX, r->service->conf->ask_budget, &ask.budget) < 0)
		return;
	if (rest_ask_answer(r, &ask, &out, &why) < 0)
		router_fail(r, &why);
	else
		response_text(r->res, 200, "application/json", out);
}

void rest_ask_search(struct rest *r)
{
	struct rank_query q = { .text = request_param(r->req, "q"), .reader = caller_reader(&r->caller) };
	struct rank_match *m = arena_alloc(r->arena, REST_ROWS_MAX * sizeof(*m));
	struct buf out = BUF_ARENA(r->arena);
	struct problem why = { 0 };
	int64_t limit, count = 0;
	int n;

	if (need_words(r, "q", q.text) < 0 || router_number(r, "limit", 1, REST_ROWS_MAX, SEARCH_LIMIT, &limit) < 0)
		return;
	n = rank_rows(r->service->directory, r->arena, &q, m, (unsigned)limit, &why);
	emit_begin(&out, NULL, '{');
	emit_str(&out, "q", q.text);
	emit_begin(&out, "rows", '[');
	for (int i = 0; i < n; i++) {
		struct entry *e = NULL;

		if (directory_get(r->service->directory, r->arena, m[i].key, &e, &why) < 0)
			n = -1;
		else if (e) {
			rest_directory_emit(r, &out, e, (int64_t)m[i].index + 1);
			count++;
		}
	}
	if (n < 0) {
		router_fail(r, &why);
		return;
	}
	emit_end(&out, ']');
	emit_int(&out, "count", count);
	emit_end(&out, '}');
	response_text(r->res, 200, "application/json", emit_done(&out));
}

/* What was learned */

void rest_ask_learned(struct rest *r)
{
	struct problem why = { 0 };
	struct json_object *o;
	int64_t limit;

	if (router_number(r, "limit", 1, QUESTION_LIST_MAX, QUESTION_LIST_MAX, &limit) < 0)
		return;
	o = question_list(r->service->directory, r->arena, request_param(r->req, "key"), limit, &why);
	if (o)
		response_json(r->res, 200, json_object_get(o));
	else
		router_fail(r, &why);
}

/* Of the row in the path, or of all rows. */
void rest_ask_forget(struct rest *r)
{
	struct json_object *o;
	struct problem why = { 0 };
	int64_t forgot;

	if (question_forget(r->service->directory, r->arena, r->arg[0], r->caller.actor, r->trace.id, &forgot, &why) < 0) {
		router_fail(r, &why);
		return;
	}
	o = json_object_new_object();
	json_put_bool(o, "ok", true);
	json_put_int(o, "deleted", forgot);
	response_json(r->res, 200, o);
}
