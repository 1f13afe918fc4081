/* The commands that are one request and print what comes back: THE table says which. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/escape.h"
#include "ctl/api.h"
#include "ctl/out.h"

#define FOLLOW_ROWS "500"               /* of a look: as many as an answer has */

enum {
	FOLLOW_S = 1,                   /* between two looks */
	PAGES_MAX = 10000,              /* of a list; more has no end */
};

/* {1} and {2} stand for the operands, escaped for their place; options that are not common ones become parameters of the
 * query under their own names. */
struct verb {
	const char *command;
	const char *method, *path;
	const char *body;               /* JSON; NULL: none */
	const char *list;               /* the member that is the answer's list, all pages of it; NULL: one object */
	const struct out_column *column;        /* of the list, or the fields of the object; NULL: only done is printed */
	unsigned columns;
	const char *done;               /* printed after it; NULL: nothing */
};

#define COLUMNS(c) c, sizeof(c) / sizeof(*(c))

static const struct out_column row_columns[] = {
	{ "KEY", "key", OUT_TEXT }, { "TYPE", "type", OUT_TEXT }, { "ON", "enabled", OUT_NUMBER }, { "CATEGORY", "category", OUT_TEXT },
	{ "TARGET", "target", OUT_TEXT },
};
static const struct out_column event_columns[] = {
	{ "EVENT", "event", OUT_NUMBER }, { "TIME", "time", OUT_TEXT }, { "OPERATION", "operation", OUT_TEXT }, { "KEY", "key", OUT_TEXT },
	{ "ACTOR", "actor", OUT_TEXT }, { "CONTRACT", "contract_after", OUT_TEXT },
};
static const struct out_column receipt_columns[] = {
	{ "TIME", "time", OUT_TEXT }, { "KEY", "key", OUT_TEXT }, { "OUTCOME", "outcome", OUT_TEXT }, { "MS", "duration_ms", OUT_NUMBER },
	{ "ACTOR", "actor", OUT_TEXT }, { "RECEIPT", "invocation_id", OUT_TEXT },
};
static const struct out_column receipt_fields[] = {
	{ "receipt", "invocation_id", OUT_TEXT }, { "status", "status", OUT_TEXT }, { "key", "key", OUT_TEXT }, { "runner", "runner", OUT_TEXT },
	{ "actor", "actor", OUT_TEXT }, { "time", "time", OUT_TEXT }, { "outcome", "outcome", OUT_TEXT }, { "reason", "reason", OUT_TEXT },
	{ "duration ms", "duration_ms", OUT_TEXT }, { "cost usd", "cost_usd", OUT_TEXT }, { "trace", "trace", OUT_TEXT },
	{ "parent", "parent", OUT_TEXT }, { "replays", "replays", OUT_TEXT }, { "repairs", "repairs", OUT_TEXT },
	{ "repaired by", "repaired_by", OUT_TEXT }, { "input", "input", OUT_TEXT }, { "output", "output", OUT_TEXT },
	{ "contract", "/fingerprints/contract", OUT_TEXT }, { "public receipt", "public_receipt", OUT_TEXT },
};
static const struct out_column token_columns[] = {
	{ "TOKEN", "fingerprint", OUT_TEXT }, { "STATUS", "status", OUT_TEXT }, { "EXPIRES", "expires_at", OUT_TEXT }, { "SCOPE", "scope", OUT_TEXT },
	{ "PURPOSE", "purpose", OUT_TEXT },
};
static const struct out_column token_fields[] = {
	{ "token", "fingerprint", OUT_TEXT }, { "status", "status", OUT_TEXT }, { "scope", "scope", OUT_TEXT }, { "purpose", "purpose", OUT_TEXT },
	{ "created", "created_at", OUT_TEXT }, { "by", "created_by", OUT_TEXT }, { "expires", "expires_at", OUT_TEXT },
	{ "uses", "uses", OUT_LIMIT }, { "uses left", "uses_left", OUT_TEXT }, { "calls a minute", "rate", OUT_LIMIT },
	{ "largest body", "max_body_bytes", OUT_LIMIT },
	{ "risk", "risk_ceiling", OUT_TEXT }, { "owner gate", "owner_gate", OUT_TEXT }, { "fixed body", "body_fixed", OUT_TEXT },
	{ "contract", "contract", OUT_TEXT }, { "parent", "parent", OUT_TEXT }, { "revoked", "revoked_at", OUT_TEXT },
	{ "revoked by", "revoked_by", OUT_TEXT },
};
static const struct out_column hold_columns[] = {
	{ "APPROVAL", "approval", OUT_TEXT }, { "STATE", "state", OUT_TEXT }, { "KEY", "key", OUT_TEXT }, { "ACTOR", "actor", OUT_TEXT },
	{ "EXPIRES", "expires_at", OUT_TEXT }, { "REASON", "reason", OUT_TEXT },
};
static const struct out_column hold_fields[] = {
	{ "approval", "approval", OUT_TEXT }, { "state", "state", OUT_TEXT }, { "key", "key", OUT_TEXT }, { "actor", "actor", OUT_TEXT },
	{ "reason", "reason", OUT_TEXT }, { "created", "created_at", OUT_TEXT }, { "expires", "expires_at", OUT_TEXT }, { "input", "input", OUT_TEXT },
	{ "decided", "decided_at", OUT_TEXT }, { "receipt", "invocation_id", OUT_TEXT },
};
static const struct out_column rule_columns[] = {
	{ "RULE", "id", OUT_TEXT }, { "RANK", "rank", OUT_NUMBER }, { "DECISION", "decision", OUT_TEXT }, { "KEYS", "key_pattern", OUT_TEXT },
	{ "BODY", "body_pattern", OUT_TEXT }, { "REASON", "reason", OUT_TEXT },
};
static const struct out_column breaker_columns[] = {
	{ "KEY", "key", OUT_TEXT }, { "STATE", "state", OUT_TEXT }, { "FAILURES", "consecutive", OUT_NUMBER }, { "RETRY", "retry_at", OUT_TEXT },
};

static const struct verb verbs[] = {
	{ "ls", "GET", "/api/directory?limit=1000", NULL, "rows", COLUMNS(row_columns), NULL },
	{ "history", "GET", "/api/directory/{1}/history?limit=1000", NULL, "events", COLUMNS(event_columns), NULL },
	{ "enable", "PATCH", "/api/directory/{1}", "{\"enabled\":1}", NULL, NULL, 0, "{1} is on" },
	{ "disable", "PATCH", "/api/directory/{1}", "{\"enabled\":0}", NULL, NULL, 0, "{1} is off" },
	{ "events", "GET", "/api/events?newest=1", NULL, "events", COLUMNS(event_columns), NULL },
	{ "events --since", "GET", "/api/events", NULL, "events", COLUMNS(event_columns), NULL },
	{ "confirm", "GET", "/api/dispatch?confirm={1}", NULL, NULL, COLUMNS(receipt_fields), NULL },
	{ "receipt", "GET", "/api/dispatch?receipt={1}", NULL, NULL, COLUMNS(receipt_fields), NULL },
	{ "receipts", "GET", "/api/dispatch?ledger=1", NULL, NULL, COLUMNS(receipt_columns), NULL },
	{ "token ls", "GET", "/api/tokens?limit=1000", NULL, "tokens", COLUMNS(token_columns), NULL },
	{ "token show", "GET", "/api/tokens/{1}", NULL, NULL, COLUMNS(token_fields), NULL },
	{ "token revoke", "DELETE", "/api/tokens/{1}", NULL, NULL, NULL, 0, "{1} is revoked, and every token made from it" },
	{ "holds", "GET", "/api/approvals?limit=1000", NULL, "approvals", COLUMNS(hold_columns), NULL },
	{ "hold", "GET", "/api/approvals/{1}", NULL, NULL, COLUMNS(hold_fields), NULL },
	{ "deny", "POST", "/api/approvals/{1}", "{\"decision\":\"deny\"}", NULL, NULL, 0, "{1} is denied" },
	{ "watch ls", "GET", "/api/watch", NULL, "rules", COLUMNS(rule_columns), NULL },
	{ "watch rm", "DELETE", "/api/watch/{1}", NULL, NULL, NULL, 0, "{1} is removed" },
	{ "breaker ls", "GET", "/api/breakers", NULL, "breakers", COLUMNS(breaker_columns), NULL },
	{ "breaker reset", "DELETE", "/api/breakers/{1}", NULL, NULL, NULL, 0, "the breaker of {1} is closed" },
};

/* Commands that may find nothing to do: the member of the answer that is 0 then, and what is said. */
static const struct idle { const char *command, *member, *said; } idles[] = {
	{ "token revoke", "revoked", "{1} was revoked already" },
	{ "breaker reset", "deleted", "{1} has no breaker to reset: see rowcall breaker ls" },
};

static const struct verb *find_verb(const char *command)
{
	const struct verb *v = verbs;

	while (strcmp(v->command, command) != 0)
		v++;
	return v;
}

/* What there is to say when nothing was done; NULL: something was. */
static const char *idle_text(const struct verb *v, struct json_object *answer)
{
	for (size_t i = 0; i < sizeof(idles) / sizeof(*idles); i++)
		if (strcmp(idles[i].command, v->command) == 0 && !json_object_get_int(json_get(answer, idles[i].member)))
			return idles[i].said;
	return NULL;
}

/* The text with its operands in it. */
static void fill(struct buf *out, const char *text, const struct ctl_args *args, enum escape how)
{
	for (const char *p = text; *p; p++)
		if (p[0] == '{' && (p[1] == '1' || p[1] == '2') && p[2] == '}') {
			escape_add(out, how, str_of(args->word[p[1] - '1']));
			p += 2;
		} else {
			buf_putc(out, *p);
		}
}

/* limit: instead of what --limit says; NULL: that. */
static const char *path_of(struct api *a, const struct verb *v, const struct ctl_args *args, const char *limit)
{
	struct buf b = BUF_ARENA(api_arena(a));
	char sep = strchr(v->path, '?') ? '&' : '?';

	fill(&b, v->path, args, ESCAPE_PATH);
	for (const struct ctl_option *o = args->command->options; o && o->name; o++) {
		const char *value = o->argument ? ctl_value(args, o->name) : NULL;

		if (limit && strcmp(o->name, "limit") == 0)
			value = limit;
		if (value) {
			buf_printf(&b, "%c%s=%s", sep, o->name, api_escape(a, value));
			sep = '&';
		}
	}
	return buf_text(&b);
}

int ctl_pages(struct api *a, const char *path, const char *list, struct json_object **out)
{
	struct json_object *all = arena_json(api_arena(a), json_object_new_array()), *part;
	const char *page = path;
	struct str cursor;
	struct api_answer answer;

	for (unsigned pages = 0; page; pages++) {
		struct api_request q = { .method = "GET", .path = page, .wants = list, .list = true };
		int code = pages < PAGES_MAX ? api_send(a, &q, &answer)
			 : ctl_fail(CTL_UNAVAILABLE, "GET %s: the list does not end after %d pages", path, PAGES_MAX);

		if (code)
			return code;
		part = json_get(answer.json, list);
		for (size_t i = 0; i < json_length(part); i++)
			json_object_array_add(all, json_object_get(json_at(part, i)));
		cursor = json_str(json_get(answer.json, "cursor"));
		page = cursor.n ? arena_printf(api_arena(a), "%s%ccursor=%s", path, strchr(path, '?') ? '&' : '?',
					       api_escape(a, arena_str(api_arena(a), cursor))) : NULL;
	}
	*out = all;
	return CTL_OK;
}

static void print_list(const struct verb *v, const struct ctl_args *args, struct json_object *list)
{
	if (ctl_has(args, "json"))
		out_json(list);
	else
		out_table(list, v->column, v->columns);
}

static int run_one(struct api *a, const struct verb *v, const struct ctl_args *args, const char *path)
{
	struct buf body = BUF_ARENA(api_arena(a)), said = BUF_ARENA(api_arena(a));
	struct api_request q = { .method = v->method, .path = path, .wants = v->column ? v->column[0].member : NULL };
	struct problem why = { 0 };
	struct api_answer answer;
	const char *idle;
	int code;

	if (v->body) {
		fill(&body, v->body, args, ESCAPE_JSON);
		if (json_parse(api_arena(a), buf_str(&body), &q.json, &why) < 0)
			return ctl_problem(CTL_USAGE, &why);
	}
	code = api_send(a, &q, &answer);
	if (code)
		return code;
	idle = idle_text(v, answer.json);
	fill(&said, idle ? idle : v->done ? v->done : "", args, ESCAPE_TERMINAL);
	if (ctl_has(args, "json"))
		out_json(answer.json);
	else if (v->column)
		out_fields(answer.json, v->column, v->columns);
	else if (!idle)
		puts(buf_text(&said));
	if (idle)
		return ctl_fail(CTL_NOT_FOUND, "%s", buf_text(&said));
	return CTL_OK;
}

static int run_verb(const struct ctl_args *args, const struct verb *v)
{
	struct json_object *list;
	int code = CTL_OK;
	struct api *a = api_open(args, &code);

	if (!a)
		return code;
	if (!v->list) {
		code = run_one(a, v, args, path_of(a, v, args, NULL));
	} else if ((code = ctl_pages(a, path_of(a, v, args, NULL), v->list, &list)) == CTL_OK) {
		print_list(v, args, list);
	}
	api_close(a);
	return code;
}

int ctl_verb(const struct ctl_args *args)
{
	return run_verb(args, find_verb(args->command->name));
}

int ctl_events(const struct ctl_args *args)
{
	return run_verb(args, find_verb(ctl_has(args, "since") ? "events --since" : "events"));
}

/* Receipts */

/* Prints those of the page that came after the receipt `last`, oldest first, and makes last the newest. */
static void print_newer(const struct verb *v, const struct ctl_args *args, struct json_object *page, char last[64])
{
	size_t n = 0, all = json_length(page);

	while (n < all && !str_is(json_str(json_get(json_at(page, n), "invocation_id")), last))
		n++;
	while (n-- > 0) {
		struct json_object *one = json_at(page, n), *list = json_object_new_array();
		struct str id;

		json_object_array_add(list, json_object_get(one));
		if (ctl_has(args, "json"))
			out_json(one);
		else
			out_table(list, v->column, v->columns);
		id = json_str(json_get(one, "invocation_id"));
		snprintf(last, 64, "%.*s", (int)(id.n < 64 ? id.n : 63), id.p ? id.p : "");
		json_object_put(list);
	}
	fflush(stdout);
}

static int look(struct api *a, const char *path, bool running, struct api_answer *answer)
{
	struct api_request q = { .method = "GET", .path = path, .wants = "rows", .list = true, .running = running };

	return api_send(a, &q, answer);
}

/* Until it is interrupted, or nobody reads any more. */
static int follow(struct api *a, const struct verb *v, const struct ctl_args *args)
{
	char last[64] = "";
	int code = CTL_OK;

	while (code == CTL_OK && !ferror(stdout)) {
		/* A service that was started for this would have no caller. --limit is for the first look. */
		struct api_answer answer;

		code = look(a, path_of(a, v, args, last[0] ? FOLLOW_ROWS : NULL), true, &answer);
		if (code == CTL_OK)
			print_newer(v, args, json_get(answer.json, "rows"), last);
		api_forget(a);
		sleep(FOLLOW_S);
	}
	return code;
}

int ctl_receipts(const struct ctl_args *args)
{
	const struct verb *v = find_verb(args->command->name);
	struct api_answer answer;
	int code = CTL_OK;
	struct api *a = api_open(args, &code);

	if (a && ctl_has(args, "follow"))
		code = follow(a, v, args);
	else if (a && (code = look(a, path_of(a, v, args, NULL), false, &answer)) == CTL_OK)
		print_list(v, args, json_get(answer.json, "rows"));
	api_close(a);
	return code;
}
