/* OpenAPI 3.1, written straight into a buffer. Paths, methods, parameters and who may call are those of routes.c; the
 * tables here say what a parameter or a body looks like. References lead to `components` alone, and none goes round. */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include "base/escape.h"
#include "call/arguments.h"
#include "directory/document.h"
#include "directory/row.h"
#include "directory/tool.h"
#include "web/emit.h"
#include "web/openapi.h"
#include "web/response.h"
#include "web/routes.h"

enum { SUMMARY_MAX = 120 };             /* bytes of an operation's summary */

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

#define TEXT    "{\"type\":\"string\"}"
#define OBJECT  "{\"type\":\"object\"}"
#define TRUTH   "{\"type\":\"boolean\"}"
#define NUMBER  "{\"type\":\"number\"}"
#define COUNTER "{\"type\":\"integer\",\"minimum\":0}"
#define ONE     "{\"type\":\"integer\",\"const\":1}"
#define FLAG    "{\"type\":\"integer\",\"enum\":[0,1]}"
#define KEY     "{\"type\":\"string\",\"pattern\":\"^[A-Za-z_][A-Za-z0-9_]{0,63}$\"}"
#define DIGEST  "{\"type\":\"string\",\"pattern\":\"^[0-9a-f]{64}$\"}"
#define RECEIPT "{\"type\":\"string\",\"pattern\":\"^inv_\"}"
#define TIME    "{\"type\":\"string\",\"examples\":[\"2026-07-26T04:36:19.832Z\"]}"

/* A name with the schema of its value. */
struct member { const char *name, *schema, *what; };

/* Query parameters and what stands for a part of a path. */
static const struct member parameters[] = {
	{ "actor", TEXT, "receipts of this actor" },
	{ "as_is", ONE, "the row comes from elsewhere and may break rules that are younger than it" },
	{ "ask", TEXT, "a question in plain words" },
	{ "body", TEXT, "the argument string, its pieces separated by |" },
	{ "budget", COUNTER, "bytes of the answer, at most" },
	{ "category", TEXT, "only this category" },
	{ "confirm", RECEIPT, "what is public of this receipt" },
	{ "contract", DIGEST, "the contract that the caller has read; nothing runs when the row has another" },
	{ "cursor", TEXT, "goes on behind an earlier answer, which had it" },
	{ "digest", DIGEST, "of a contract" },
	{ "enabled", FLAG, "only rows that are enabled, or disabled" },
	{ "explain", ONE, "what the presented credential may do" },
	{ "fingerprint", "{\"type\":\"string\",\"pattern\":\"^cap_[0-9a-f]{16}$\"}", "of a token" },
	{ "format", "{\"type\":\"string\",\"enum\":[\"markdown\",\"json\"]}", "of the contract document" },
	{ "id", "{\"type\":\"string\",\"pattern\":\"^(inv|apr|wr)_[0-9a-z]{26}$\"}",
	  "of a receipt, a held call or a rule" },
	{ "idempotency_key", TEXT, "stands for the header Idempotency-Key" },
	{ "invoke", KEY, "runs this row" },
	{ "key", KEY, "a row's key" },
	{ "ledger", ONE, "receipts, newest first" },
	{ "limit", COUNTER, "at most so many" },
	{ "mode", "{\"type\":\"string\",\"enum\":[\"loop\"]}", "four tools in place of a tool for each row" },
	{ "newest", ONE, "newest first" },
	{ "ping", ONE, "runs NOW with the presented credential, or says what that cannot do" },
	{ "q", TEXT, "words to look for" },
	{ "receipt", RECEIPT, "this receipt with input and output" },
	{ "registry", ONE, "all readable rows" },
	{ "row_num", COUNTER, "the row at this place" },
	{ "shape", ONE, "builds the request and shows it; nothing is sent" },
	{ "share", TEXT, "a capability token, for callers that can only fetch a URL" },
	{ "since", TEXT, "what came after this time, or of events after this number" },
	{ "tools", "{\"type\":\"string\",\"enum\":[\"anthropic\",\"openai\"]}", "tool definitions in a vendor's form" },
	{ "trace", TEXT, "receipts of this trace" },
	{ "type", "{\"type\":\"string\",\"enum\":[\"fn\",\"http\",\"agent\",\"flow\"]}", "only rows of this type" },
};

static const struct member call_members[] = {
	{ "key", KEY, "which row" },
	{ "replay", RECEIPT, "instead of a row: runs the kept input of this receipt again" },
	{ "text", TEXT, "instead of a row: prose, in which [KEY]arguments[/KEY] is a call" },
	{ "body", "{\"type\":[\"string\",\"number\",\"boolean\",\"null\"]}",
	  "the argument string, its pieces separated by |; not beside args" },
	{ "args", "{\"type\":[\"array\",\"object\"]}", "the arguments one by one, or by name" },
	{ "shape", TRUTH, "true: build the request and show it; nothing is sent" },
	{ "contract", DIGEST, "the contract that the caller has read; nothing runs when the row has another" },
	{ "repairs", RECEIPT, "the failed call that this one makes good" },
	{ "ask", TEXT, "the ask_id that led here" },
	{ "on_behalf_of", TEXT, "a claim for the receipt; gives no authority" },
	{ "authorized_by", TEXT, "a claim for the receipt; gives no authority" },
	{ "capability_token", TEXT, "a capability token in the place of a header" },
};

static const struct member restore_members[] = {
	{ "event", COUNTER, "the row as it was after this event" },
	{ "contract", DIGEST, "or as it was when it first had this contract" },
};

static const struct member batch_members[] = {
	{ "changes", "{\"type\":\"array\",\"minItems\":1,\"maxItems\":500,\"items\":{\"type\":\"object\",\"properties\":{"
		"\"method\":{\"type\":\"string\",\"enum\":[\"POST\",\"PUT\",\"PATCH\",\"DELETE\"]},\"key\":" KEY ",\"row\":" OBJECT ","
		"\"if_match\":" TEXT "},\"required\":[\"method\"]}}", "changes of different rows" },
};

static const struct member token_members[] = {
	{ "scope", TEXT, "read, act, row:K, rows:A,B, pfx:P, cat:C, or several of them" },
	{ "ttl", COUNTER, "seconds that it lives" },
	{ "uses", COUNTER, "calls that it may make; 0: no limit" },
	{ "rate", COUNTER, "calls a minute; 0: no limit" },
	{ "max_body_bytes", COUNTER, "bytes of arguments; 0: no limit" },
	{ "risk_ceiling", "{\"type\":\"string\",\"enum\":[\"low\",\"high\"]}", "rows of which risk it calls" },
	{ "owner_gate", "{\"enum\":[false,true,\"hold\"]}",
	  "true: it calls nothing; hold: each call waits for the owner" },
	{ "purpose", TEXT, "for people" },
	{ "actor", TEXT, "for people" },
	{ "audience", TEXT, "the host of the service that it is for" },
	{ "body_fixed", TEXT, "the argument string of every call" },
	{ "contract", DIGEST, "of a row: token: it calls nothing when the row has another" },
	{ "pin", TRUTH, "false: a row: token follows the changes of its row" },
};

static const struct member answer_members[] = {
	{ "ok", TRUTH, "false when the result begins with ERR:" },
	{ "ran", TRUTH, "whether anything was carried out" },
	{ "kind", "{\"type\":\"string\",\"enum\":[\"invocation_result\",\"shaped_dry_run\"]}", NULL },
	{ "trace", TEXT, NULL },
	{ "result", TEXT, "what came back, as text" },
	{ "shaped", "{\"type\":[\"object\",\"null\"]}", "of a dry run: the request, without credentials" },
	{ "proof", OBJECT, "ok, did, invocation_id, public_receipt, confirm" },
	{ "invocation", OBJECT, "id, key, runner, actor, material, cost_usd, duration_ms, fingerprints" },
};

static const struct member error_members[] = {
	{ "error", TEXT, "the code; behind a colon what it is about. x-error-codes lists them" },
	{ "detail", TEXT, "what exactly" },
	{ "field", TEXT, "the field at fault" },
	{ "how_to_fix", TEXT, "what to do about it" },
	{ "ran", "{\"type\":[\"boolean\",\"null\"]}", "of a call: whether it ran; null when that cannot be known" },
};

/* Headers of requests */
static const struct member if_match = { "If-Match", TEXT, "changes the row only while it has this ETag" };
static const struct member call_key = {
	"Idempotency-Key", "{\"type\":\"string\",\"pattern\":\"^[!-~]{1,255}$\"}",
	"the call runs once under this key; who repeats it is told what became of it"
};

/* Bodies and answers of routes, by the names of components. What is not here answers with a JSON object. */
static const struct shape { const char *method, *pattern, *body, *answer; const struct member *header; } shapes[] = {
	{ "POST", "/api/directory", "Row", "Object", NULL },
	{ "PUT", "/api/directory/{key}", "RowWhole", "Object", &if_match },
	{ "PATCH", "/api/directory/{key}", "RowPatch", "Object", &if_match },
	{ "DELETE", "/api/directory/{key}", NULL, "Object", &if_match },
	{ "POST", "/api/directory/{key}/restore", "Restore", "Object", &if_match },
	{ "POST", "/api/directory/batch", "Batch", "Object", NULL },
	{ "POST", "/api/tokens", "TokenOrder", "Object", NULL },
	{ "POST", "/api/tokens/attenuate", "TokenOrder", "Object", NULL },
	{ "POST", "/api/dispatch", "Call", "Run", &call_key },
	{ "GET", "/api/dispatch", NULL, "Document", &call_key },
	{ "POST", "/api/run/{key}", "Arguments", "Run", &call_key },
	{ "GET", "/api/metrics", NULL, "Text", NULL },
	{ "GET", "/llms.txt", NULL, "Text", NULL },
	{ "GET", "/receipt/{id}", NULL, "Page", NULL },
};

static const struct shape *shape_of(const struct route *r)
{
	static const struct shape usual = { .body = "Arguments", .answer = "Object" };

	for (size_t i = 0; i < COUNT(shapes); i++)
		if (!strcmp(shapes[i].method, r->method) && !strcmp(shapes[i].pattern, r->pattern))
			return &shapes[i];
	return &usual;
}

static void emit_reference(struct buf *out, const char *name, const char *kind, const char *component)
{
	char path[96];

	snprintf(path, sizeof(path), "#/components/%s/%s", kind, component);
	emit_begin(out, name, '{');
	emit_text(out, "$ref", path);
	emit_end(out, '}');
}

/* Parameters */

static void emit_parameter(struct buf *out, const char *name, const struct member *m, const char *in)
{
	emit_begin(out, name, '{');
	emit_text(out, "name", m->name);
	emit_text(out, "in", in);
	if (!strcmp(in, "path"))
		emit_bool(out, "required", true);
	emit_text(out, "description", m->what);
	emit_raw(out, "schema", str_of(m->schema));
	emit_end(out, '}');
}

static bool has_placeholder(const char *pattern, const char *name)
{
	struct str rest = str_of(pattern);

	while (rest.p) {
		struct str piece = str_cut(&rest, '/');

		if (piece.n > 2 && piece.p[0] == '{' && str_is(str_make(piece.p + 1, piece.n - 2), name))
			return true;
	}
	return false;
}

static bool same_operation(const struct route *a, const struct route *b)
{
	return !strcmp(a->pattern, b->pattern) && !strcmp(a->method, b->method);
}

/* True when one of the forms of the operation takes the parameter in its query. */
static bool takes(const struct route *operation, const char *name)
{
	size_t n;
	const struct route *r = routes_all(&n);

	for (size_t i = 0; i < n; i++)
		if (same_operation(&r[i], operation) && routes_takes(&r[i], str_of(name)))
			return true;
	return false;
}

static void emit_parameters(struct buf *out, const struct route *r, const struct member *header)
{
	emit_begin(out, "parameters", '[');
	for (size_t i = 0; i < COUNT(parameters); i++)
		if (has_placeholder(r->pattern, parameters[i].name))
			emit_parameter(out, NULL, &parameters[i], "path");
	for (size_t i = 0; i < COUNT(parameters); i++)
		if (takes(r, parameters[i].name))
			emit_parameter(out, NULL, &parameters[i], "query");
	if (header)
		emit_parameter(out, NULL, header, "header");
	emit_end(out, ']');
}

/* Who may call */

enum scheme { SCHEME_BEARER, SCHEME_OWNER, SCHEME_TOKEN, SCHEME_N };
static const struct { const char *name, *json; } schemes[SCHEME_N] = {
	[SCHEME_BEARER] = { "bearer", "{\"type\":\"http\",\"scheme\":\"bearer\","
				      "\"description\":\"the owner's key or a capability token\"}" },
	[SCHEME_OWNER] = { "ownerKey", "{\"type\":\"apiKey\",\"in\":\"header\",\"name\":\"x-terminal-key\"}" },
	[SCHEME_TOKEN] = { "capabilityToken",
			   "{\"type\":\"apiKey\",\"in\":\"header\",\"name\":\"x-capability-token\"}" },
};

/* Any one of them. */
static void emit_security(struct buf *out, bool token, bool nobody)
{
	emit_begin(out, "security", '[');
	for (int i = 0; i < SCHEME_N; i++) {
		if (i == SCHEME_TOKEN && !token)
			continue;
		emit_begin(out, NULL, '{');
		emit_raw(out, schemes[i].name, str_of("[]"));
		emit_end(out, '}');
	}
	if (nobody)
		emit_raw(out, NULL, str_of("{}"));
	emit_end(out, ']');
}

/* Operations of the interface */

static void emit_responses(struct buf *out, const char *status, const char *answer)
{
	emit_begin(out, "responses", '{');
	emit_reference(out, status, "responses", answer);
	emit_reference(out, "4XX", "responses", "Error");
	emit_reference(out, "5XX", "responses", "Error");
	emit_end(out, '}');
}

/* "get-directory-key-history": the method and the pieces of the path. */
static void emit_operation_id(struct buf *out, const struct route *r)
{
	struct str rest = str_of(r->pattern);
	char id[128] = "";
	size_t n = 0;

	for (const char *p = r->method; *p && n < sizeof(id) - 2; p++)
		id[n++] = (char)(*p | 0x20);
	while (rest.p) {
		struct str piece = str_cut(&rest, '/');

		if (!piece.n || str_is(piece, "api"))
			continue;
		id[n++] = '-';
		for (size_t i = 0; i < piece.n && n < sizeof(id) - 2; i++)
			if (piece.p[i] != '{' && piece.p[i] != '}')
				id[n++] = (char)(piece.p[i] == '.' ? '-' : piece.p[i]);
	}
	if (!strcmp(r->pattern, "/"))
		n += (size_t)snprintf(id + n, sizeof(id) - n, "-index");
	emit_str(out, "operationId", str_make(id, n));
}

/* Where the query chooses among several forms, a line for each. */
static void emit_forms(struct buf *out, const struct route *first)
{
	struct buf text = BUF_MALLOC;
	size_t n, forms = 0;
	const struct route *r = routes_all(&n);

	for (size_t i = 0; i < n; i++) {
		if (!same_operation(&r[i], first))
			continue;
		buf_printf(&text, "%s- %s%s%s: %s", forms++ ? "\n" : "", r[i].selector ? r[i].selector : "nothing",
			   r[i].params[0] ? " with " : "", r[i].params, r[i].what);
	}
	emit_text(out, "summary", forms > 1 ? "by its query one of several documents" : first->what);
	if (forms > 1)
		emit_str(out, "description", buf_str(&text));
	buf_free(&text);
}

static void emit_operation(struct buf *out, const struct route *r)
{
	const struct shape *s = shape_of(r);
	char method[16];
	size_t n = 0;

	for (; r->method[n] && n < sizeof(method) - 1; n++)
		method[n] = (char)(r->method[n] | 0x20);
	method[n] = 0;
	emit_begin(out, method, '{');
	emit_operation_id(out, r);
	emit_forms(out, r);
	emit_raw(out, "tags", str_of("[\"interface\"]"));
	emit_parameters(out, r, s->header);
	if (r->flags & (ROUTE_BODY | ROUTE_RPC)) {
		emit_begin(out, "requestBody", '{');
		emit_bool(out, "required", true);
		emit_begin(out, "content", '{');
		emit_begin(out, "application/json", '{');
		emit_reference(out, "schema", "schemas", s->body);
		emit_end(out, '}');
		emit_end(out, '}');
		emit_end(out, '}');
	}
	emit_responses(out, "2XX", s->answer);
	emit_security(out, r->who == WHO_ANYONE || r->who == WHO_KNOWN, r->who == WHO_ANYONE || r->who == WHO_METRICS);
	emit_end(out, '}');
}

static void emit_interface(struct buf *out)
{
	size_t n;
	const struct route *r = routes_all(&n);

	for (size_t i = 0; i < n; i++) {
		bool path = !i || strcmp(r[i].pattern, r[i - 1].pattern);

		if (path && i)
			emit_end(out, '}');
		if (path)
			emit_begin(out, r[i].pattern, '{');
		if (path || !same_operation(&r[i], &r[i - 1]))
			emit_operation(out, &r[i]);
	}
	emit_end(out, '}');
}

/* Rows */

/* The example as a body, when it fits the schema; of a row that takes arguments by name, its pieces by name. */
static void emit_example(struct buf *out, struct arena *a, const struct openapi_row *r)
{
	struct json_object *o = arguments_example(a, r->e);
	struct buf text = BUF_ARENA(a);

	if (!o || (r->schema && schema_validate(r->schema, a, o, NULL) < 0))
		return;
	json_text(&text, o);
	emit_begin(out, "examples", '{');
	emit_begin(out, "example", '{');
	emit_raw(out, "value", buf_str(&text));
	emit_end(out, '}');
	emit_end(out, '}');
}

static void emit_row_body(struct buf *out, struct arena *a, const struct openapi_row *r)
{
	struct buf schema = BUF_ARENA(a);

	if (!r->schema || schema_plain(r->schema, &schema, NULL) < 0) {
		buf_clear(&schema);
		json_text(&schema, tool_schema(a, r->e, r->schema));
	}
	emit_begin(out, "requestBody", '{');
	emit_bool(out, "required", true);
	emit_begin(out, "content", '{');
	emit_begin(out, "application/json", '{');
	emit_raw(out, "schema", buf_str(&schema));
	emit_example(out, a, r);
	emit_end(out, '}');
	emit_end(out, '}');
	emit_end(out, '}');
}

void openapi_row(struct buf *out, struct arena *a, const struct openapi_row *r)
{
	const struct entry *e = r->e;
	struct str what = document_line(a, e->doc.label[DOC_WHAT].n ? e->doc.label[DOC_WHAT] : e->key);
	const char *path = arena_printf(a, "/api/run/%.*s", (int)e->key.n, e->key.p);

	emit_begin(out, path, '{');
	emit_begin(out, "post", '{');
	emit_str(out, "operationId", e->key);
	emit_str(out, "summary", str_make(what.p, escape_cut(what, SUMMARY_MAX)));
	emit_str(out, "description", tool_description(a, e));
	emit_begin(out, "tags", '[');
	emit_str(out, NULL, e->category.n ? e->category : str_of("general"));
	emit_end(out, ']');
	emit_begin(out, "externalDocs", '{');
	emit_text(out, "url", arena_printf(a, "%s/api/dispatch?key=%.*s&format=markdown", r->base, (int)e->key.n,
					   e->key.p));
	emit_end(out, '}');
	emit_begin(out, "parameters", '[');
	emit_reference(out, NULL, "parameters", "shape");
	emit_reference(out, NULL, "parameters", "contract");
	emit_reference(out, NULL, "parameters", call_key.name);
	emit_end(out, ']');
	emit_row_body(out, a, r);
	emit_responses(out, "200", "Run");
	if (r->anyone)
		emit_security(out, true, true);
	emit_text(out, "x-contract", e->digest);
	emit_text(out, "x-risk", e->sensitive ? "high" : "low");
	emit_end(out, '}');
	emit_end(out, '}');
}

/* Components */

static void emit_members(struct buf *out, const struct member *m, size_t n)
{
	emit_text(out, "type", "object");
	emit_begin(out, "properties", '{');
	for (size_t i = 0; i < n; i++) {
		if (!m[i].what) {
			emit_raw(out, m[i].name, str_of(m[i].schema));
			continue;
		}
		emit_begin(out, m[i].name, '{');
		buf_add(out, m[i].schema + 1, strlen(m[i].schema) - 2);        /* without its braces */
		buf_putc(out, ',');
		emit_text(out, "description", m[i].what);
		emit_end(out, '}');
	}
	emit_end(out, '}');
}

static void emit_schema(struct buf *out, const char *name, const struct member *m, size_t n, const char *required)
{
	emit_begin(out, name, '{');
	emit_members(out, m, n);
	if (required)
		emit_raw(out, "required", str_of(required));
	emit_end(out, '}');
}

static const char *column_schema(const struct row_column_info *c)
{
	if (c->flag)
		return "{\"type\":[\"integer\",\"boolean\",\"null\"],\"enum\":[0,1,false,true,null]}";
	if (c->number)
		return "{\"type\":[\"integer\",\"null\"]}";
	return c->json ? "{\"type\":[\"string\",\"object\",\"array\",\"null\"]}" : "{\"type\":[\"string\",\"null\"]}";
}

static void emit_row_schema(struct buf *out, const char *name, bool patch, const char *required)
{
	emit_begin(out, name, '{');
	emit_text(out, "type", "object");
	emit_begin(out, "properties", '{');
	for (int c = 0; c < ROW_N; c++)
		if (patch ? row_columns[c].patchable : row_columns[c].settable)
			emit_raw(out, row_columns[c].name, str_of(column_schema(&row_columns[c])));
	emit_end(out, '}');
	if (required)
		emit_raw(out, "required", str_of(required));
	emit_end(out, '}');
}

static void emit_schemas(struct buf *out)
{
	emit_begin(out, "schemas", '{');
	emit_row_schema(out, "Row", false, "[\"key\",\"type\"]");
	emit_row_schema(out, "RowWhole", false, "[\"type\"]");
	emit_row_schema(out, "RowPatch", true, NULL);
	emit_schema(out, "Restore", restore_members, COUNT(restore_members), NULL);
	emit_schema(out, "Batch", batch_members, COUNT(batch_members), "[\"changes\"]");
	emit_schema(out, "Call", call_members, COUNT(call_members), NULL);
	emit_schema(out, "TokenOrder", token_members, COUNT(token_members), "[\"scope\"]");
	emit_raw(out, "Arguments", str_of(OBJECT));
	emit_schema(out, "Answer", answer_members, COUNT(answer_members),
		    "[\"ok\",\"ran\",\"kind\",\"trace\",\"result\"]");
	emit_schema(out, "Error", error_members, COUNT(error_members), "[\"error\"]");
	emit_end(out, '}');
}

/* Media types of an answer; the schema stands for JSON. */
static void emit_response(struct buf *out, const char *name, const char *what, const char *schema, const char *other)
{
	emit_begin(out, name, '{');
	emit_text(out, "description", what);
	emit_begin(out, "content", '{');
	if (schema) {
		emit_begin(out, "application/json", '{');
		emit_reference(out, "schema", "schemas", schema);
		emit_end(out, '}');
	}
	if (other) {
		emit_begin(out, other, '{');
		emit_raw(out, "schema", str_of(TEXT));
		emit_end(out, '}');
	}
	emit_end(out, '}');
	emit_end(out, '}');
}

static void emit_code(void *ctx, const struct response_code *c)
{
	struct buf *out = ctx;

	emit_begin(out, c->code, '{');
	emit_int(out, "status", c->status);
	emit_text(out, "meaning", c->meaning);
	emit_end(out, '}');
}

static void emit_components(struct buf *out)
{
	emit_begin(out, "components", '{');
	emit_begin(out, "securitySchemes", '{');
	for (int i = 0; i < SCHEME_N; i++)
		emit_raw(out, schemes[i].name, str_of(schemes[i].json));
	emit_end(out, '}');
	emit_begin(out, "parameters", '{');
	for (size_t i = 0; i < COUNT(parameters); i++) {
		if (strcmp(parameters[i].name, "shape") && strcmp(parameters[i].name, "contract"))
			continue;
		emit_parameter(out, parameters[i].name, &parameters[i], "query");
	}
	emit_parameter(out, call_key.name, &call_key, "header");
	emit_end(out, '}');
	emit_schemas(out);
	emit_begin(out, "responses", '{');
	emit_response(out, "Run", "It ran, or was shaped; `ok` says how it went.", "Answer", NULL);
	emit_response(out, "Object", "A JSON object.", "Arguments", NULL);
	emit_response(out, "Document", "A JSON object, or the contract document as Markdown.", "Arguments",
		      "text/markdown");
	emit_response(out, "Text", "Plain text.", NULL, "text/plain");
	emit_response(out, "Page", "A JSON object, or a page for people.", "Arguments", "text/html");
	emit_response(out, "Error", "Refused: nothing was done, unless `ran` says otherwise.", "Error", NULL);
	emit_end(out, '}');
	emit_end(out, '}');
	emit_begin(out, "x-error-codes", '{');
	response_each_code(emit_code, out);
	emit_end(out, '}');
}

void openapi_begin(struct buf *out, const char *base)
{
	emit_begin(out, NULL, '{');
	emit_text(out, "openapi", "3.1.0");
	emit_begin(out, "info", '{');
	emit_text(out, "title", PACKAGE_NAME);
	emit_text(out, "version", PACKAGE_VERSION);
	emit_text(out, "description",
		  "A registry and dispatcher of capabilities. Each readable row is an operation, POST /api/run/KEY, "
		  "whose operationId is its key; the others are the interface of the service. Whether the presented "
		  "credential may call a row is decided at each call.");
	emit_end(out, '}');
	emit_begin(out, "servers", '[');
	emit_begin(out, NULL, '{');
	emit_text(out, "url", base);
	emit_end(out, '}');
	emit_end(out, ']');
	emit_security(out, true, false);
	emit_begin(out, "paths", '{');
	emit_interface(out);
}

void openapi_end(struct buf *out)
{
	emit_end(out, '}');
	emit_components(out);
	emit_end(out, '}');
	emit_done(out);
}
