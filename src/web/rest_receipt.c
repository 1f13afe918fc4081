/* What calls left behind (spec section 4.3): confirm, the full receipt, the ledger, and the public page of a receipt.
 * Nothing here looks at the directory, so receipts survive the deletion of their rows. */
#include <inttypes.h>
#include <string.h>
#include "call/receipt.h"
#include "call/retention.h"
#include "web/html.h"
#include "web/rest.h"

/* 1 found, 0 none, -1 after answering 503. */
static int load(struct rest *r, struct str id, bool payload, struct receipt *out)
{
	struct problem why = { 0 };
	int got;

	got = receipt_get(r->service->directory, r->arena, id, payload, out, &why);
	if (got < 0)
		router_fail(r, &why);
	return got;
}

static void none(struct rest *r, struct str id)
{
	struct json_object *more = json_object_new_object();
	struct problem why = { 0 };
	char kept[CLOCK_ISO];

	problem_set(&why, 404, "receipt_not_found");
	if (retention_is_older(r->service->directory, id, kept, &(struct problem){ 0 }) > 0)
		problem_detail(&why, "receipts from before %s were pruned; what they were is sealed in the ledger's events", kept);
	json_put_bool(more, "confirmed", false);
	response_problem(r->res, &why, more);
}

void rest_receipt_confirm(struct rest *r)
{
	struct receipt *receipt = arena_alloc(r->arena, sizeof(*receipt));
	int got = load(r, request_param(r->req, "confirm"), false, receipt);

	if (got > 0)
		response_json(r->res, 200, receipt_public(receipt, r->service->conf->base_url));
	else if (!got)
		none(r, request_param(r->req, "confirm"));
}

/* The owner, or the token that made it; for others it does not exist. */
void rest_receipt_full(struct rest *r)
{
	struct receipt *receipt = arena_alloc(r->arena, sizeof(*receipt));
	int got = load(r, request_param(r->req, "receipt"), true, receipt);

	if (got > 0 && receipt_is_open_to(receipt, &r->caller))
		response_json(r->res, 200, receipt_full(receipt, r->service->conf->base_url));
	else if (got >= 0)
		none(r, request_param(r->req, "receipt"));
}

void rest_receipt_ledger(struct rest *r)
{
	struct receipt_filter f = {
		.key = request_param(r->req, "key"),
		.trace = request_param(r->req, "trace"),
		.actor = request_param(r->req, "actor"),
		.since = request_param(r->req, "since"),
		.cursor = request_param(r->req, "cursor"),
	};
	const char *own = r->caller.kind == CALLER_OWNER ? NULL : r->caller.actor;
	struct json_object *o = NULL;
	struct problem why = { 0 };
	int64_t limit;

	if (router_switch(r, "ledger") < 0 ||
	    router_number(r, "limit", 1, RECEIPT_LIMIT_MAX, RECEIPT_LIMIT, &limit) < 0)
		return;
	f.limit = (unsigned)limit;
	if (receipt_list(r->service->directory, r->arena, &f, own, r->service->conf->base_url, &o, &why) < 0)
		router_fail(r, &why);
	else
		response_json(r->res, 200, json_object_get(o));
}

/* What is absent too. */
static bool is_whole(struct json_object *o)
{
	return !o || json_object_is_type(o, json_type_int);
}

void rest_receipt_prune(struct rest *r)
{
	struct retention p = { .actor = r->caller.actor, .trace = r->trace.id };
	struct json_object *keep = json_get(r->body, "keep"), *dry = json_get(r->body, "dry_run"), *o;
	struct json_object *after = json_get(r->body, "after");
	struct problem why = { 0 };

	if (router_fields(r, "before keep after dry_run") < 0)
		return;
	if (dry && !json_object_is_type(dry, json_type_boolean)) {
		problem_bad_field(&why, "dry_run", "is true or false");
		router_fail(r, &why);
		return;
	}
	if (!is_whole(keep) || !is_whole(after)) {
		problem_bad_field(&why, is_whole(keep) ? "after" : "keep", "is a whole number");
		router_fail(r, &why);
		return;
	}
	p.before = json_str(json_get(r->body, "before"));
	p.keep = keep ? json_object_get_int64(keep) : 1;
	p.after = json_object_get_int64(after);
	p.dry_run = json_object_get_boolean(dry);
	if (retention_prune(r->service->directory, r->arena, &p, &why) < 0) {
		router_fail(r, &why);
		return;
	}
	o = json_object_new_object();
	json_put_bool(o, "ok", true);
	json_put_bool(o, "dry_run", p.dry_run);
	json_put_text(o, "before", p.limit);
	json_put_int(o, "receipts", p.receipts);
	json_put_int(o, "through", p.through);
	json_put_bool(o, "more", p.more);
	json_put_int(o, "after", p.seal);
	response_json(r->res, 200, o);
}

/* The page */

struct verdict { const char *status, *class, *headline, *meaning; };

static const struct verdict verdicts[] = {
	{ "ok", "good", "This call ran and returned a result.",
	  "The service wrote this record itself, in the code that ran the call, before it answered. The fingerprints "
	  "let anyone who holds the input or the output check that they are the ones." },
	{ "ok", "plain", "This call ran. Nothing material came back.",
	  "The attempt is on record, written by the service itself. Its result was empty, so it proves that the call "
	  "was made and no more." },
	{ "error", "bad", "This call ran and ended in an error.",
	  "The attempt is on record, written by the service itself. What came back was an error." },
	{ "denied", "bad", "This call was refused. Nothing ran.",
	  "A caller asked for this and the service said no. The reason is among the facts above." },
	{ "unknown", "plain", "This call was started. Its outcome is not known.",
	  "The service had written down that it was about to make the call, and stopped before it could record the "
	  "outcome. It may or may not have taken effect; it was not repeated." },
};

static const struct verdict *verdict_of(const struct receipt *receipt)
{
	enum { PLAIN_OK = 1, UNKNOWN = 4 };

	if (strcmp(receipt->status, "ok") == 0)
		return &verdicts[receipt->material ? 0 : PLAIN_OK];
	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
		if (strcmp(verdicts[i].status, receipt->status) == 0)
			return &verdicts[i];
	}
	return &verdicts[UNKNOWN];
}

static void add_facts(struct rest *r, struct buf *out, const struct receipt *c)
{
	char cost[JSON_NUMBER_MAX], ms[JSON_NUMBER_MAX];

	json_number((double)c->duration_us / 1000, ms);
	json_number((double)c->spent.microusd / 1000000, cost);
	buf_puts(out, "<dl>\n");
	html_fact(out, "Called", str_of(c->key), true);
	html_fact(out, "When", str_of(c->time), false);
	html_fact(out, "Status", str_of(c->status), false);
	html_fact(out, "Reason", str_of(c->reason), true);
	html_fact(out, "Called by", str_of(c->actor), true);
	html_fact(out, "Run by", str_of(c->runner), false);
	html_fact(out, "Took", str_of(arena_printf(r->arena, "%s ms", ms)), false);
	html_fact(out, "Cost", str_of(arena_printf(r->arena, "%s USD", cost)), false);
	if (c->spent.tokens_in || c->spent.tokens_out)
		html_fact(out, "Tokens", str_of(arena_printf(r->arena, "%" PRId64 " in, %" PRId64 " out",
			c->spent.tokens_in, c->spent.tokens_out)), false);
	if (c->count > 1)
		html_fact(out, "Times",
			  str_of(arena_printf(r->arena, "%lld, gathered in this one record", (long long)c->count)),
			  false);
	html_fact(out, "Receipt", str_of(c->id), true);
	html_fact(out, "Part of", str_of(c->parent), true);
	html_fact(out, "Trace", str_of(c->trace), true);
	html_fact(out, "Runs again", str_of(c->replays), true);
	html_fact(out, "Repairs", str_of(c->repairs), true);
	html_fact(out, "Repaired by", str_of(c->repaired_by), true);
	buf_puts(out, "</dl>\n");
}

static void add_fingerprints(struct buf *out, const struct receipt *c)
{
	buf_puts(out, "<h2>Fingerprints (SHA-256)</h2>\n<dl>\n");
	if (!c->sensitive) {
		html_fact(out, "Input", str_of(c->input), true);
		html_fact(out, "Output", str_of(c->output), true);
	}
	html_fact(out, "Contract", str_of(c->contract), true);
	buf_puts(out, "</dl>\n");
	if (c->sensitive)
		buf_puts(out, "<p>The fingerprints of input and output are not public for a row of high risk.</p>\n");
}

static void add_check(struct rest *r, struct buf *out, const struct receipt *c)
{
	buf_puts(out, "<h2>Check it yourself</h2>\n<p>Anyone can, without a key:</p>\n<pre>curl -s '");
	html_text(out, str_of(r->service->conf->base_url));
	buf_printf(out, "/api/dispatch?confirm=%s'</pre>\n", c->id);
	buf_printf(out, "<p><a href=\"/api/dispatch?confirm=%s\">The same as JSON</a></p>\n", c->id);
}

static const char no_receipt[] =
	"<p class=\"kind\">Receipt of a call</p>\n<h1 class=\"bad\">There is no such receipt.</h1>\n"
	"<p>Check that the address is complete: the part behind <code>inv_</code> has 26 characters. "
	"Old receipts may have been removed by the owner of this service; what they were stays sealed in its ledger.</p>\n";

static void page(struct rest *r, const struct receipt *c)
{
	const struct verdict *v = verdict_of(c);
	struct buf out = BUF_ARENA(r->arena);

	buf_puts(&out, "<p class=\"kind\">Receipt of a call</p>\n");
	buf_printf(&out, "<h1 class=\"%s\">%s</h1>\n", v->class, v->headline);
	add_facts(r, &out, c);
	buf_printf(&out, "<h2>What this means</h2>\n<p>%s</p>\n", v->meaning);
	add_fingerprints(&out, c);
	add_check(r, &out, c);
	html_answer(r->res, 200, arena_printf(r->arena, "Receipt of %s", c->key), buf_str(&out));
}

void rest_receipt_page(struct rest *r)
{
	struct receipt *receipt = arena_alloc(r->arena, sizeof(*receipt));
	bool json = request_prefers(r->req, "application/json", "text/html");
	int got = load(r, r->arg[0], false, receipt);

	response_header(r->res, "Vary", "Accept");
	if (got < 0)
		return;
	if (json && got)
		response_json(r->res, 200, receipt_public(receipt, r->service->conf->base_url));
	else if (json)
		none(r, r->arg[0]);
	else if (got)
		page(r, receipt);
	else
		html_answer(r->res, 404, "No such receipt", str_of(no_receipt));
}
