/* Building an answer: headers, JSON, the error form. Sending is fastcgi.c's. */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "base/escape.h"
#include "base/log.h"
#include "web/response.h"

enum { HEAD_USUAL = 512 };      /* bytes of most heads */

/* Every code of the interface; rowcall-api(7) has a line for each. The texts of `fix` are defaults: whoever knows
 * more fills how_to_fix. */
static const struct response_code codes[] = {
	/* the request itself */
	{ "bad_query", 400, "the query string is malformed", NULL },
	{ "bad_path", 400, "the path is malformed", NULL },
	{ "bad_method", 400, "the method is malformed", NULL },
	{ "bad_content_length", 400, "Content-Length is wrong", "let the client compute Content-Length" },
	{ "bad_parameter", 400, "a query parameter has a value that is not possible", NULL },
	{ "bad_limit", 400, "limit is not a number in its bounds", NULL },
	{ "bad_since", 400, "since is no time", NULL },
	{ "bad_cursor", 400, "the cursor is not one that was given out",
	  "pass `cursor` as the answer before had it, or leave it out" },
	{ "invalid_json", 400, "the body is not exactly one JSON text (RFC 8259) without duplicate names",
	  "send one JSON object in UTF-8" },
	{ "invalid_body", 400, "the body is missing, or is no JSON object", "send one JSON object" },
	{ "unexpected_body", 400, "this request takes no body",
	  "leave the body out, or use the method that takes one" },
	{ "unknown_field", 400, "a field of the body or a parameter of the query is not known here",
	  "remove it, or correct its spelling" },
	{ "conflicting_fields", 400, "fields that exclude each other", "send one of them" },
	{ "unrecognized_request", 400, "GET /api/dispatch with a query that nothing answers",
	  "use one of the forms in `exists`" },
	{ "key required", 400, "a dispatch without `key`, `replay` and `text`", "send {\"key\":\"NAME\",\"body\":\"arguments\"}" },
	{ "key and type required", 400, "a new row without `key` or `type`", NULL },
	{ "field_not_patchable", 400, "a field that PATCH does not set, beside others", "set it with PUT" },
	{ "no recognized fields", 400, "a PATCH that names none of the fields that PATCH sets", NULL },
	{ "bad_idempotency_key", 400, "an Idempotency-Key is 1 to 255 visible characters of ASCII",
	  "take a UUID, a new one for each call" },
	{ "idempotency_needs_credential", 400, "a key is remembered for a credential, and there is none",
	  "present a credential, or send the call without Idempotency-Key" },
	{ "idempotency_not_for_text", 400, "a text holds several calls, a key stands for one",
	  "send each call by itself, with a key of its own" },
	{ "length_required", 411, "a body without Content-Length", NULL },
	{ "body_too_large", 413, "the body is longer than max_request_body", "send less" },
	{ "write_too_large", 413, "what would be stored is larger than one write may be", "store less at once" },
	{ "unsupported_media_type", 415, "the body is not declared as application/json",
	  "send the header Content-Type: application/json" },
	{ "method_not_allowed", 405, "the path exists, the method does not",
	  "use a method that detail and the header Allow name" },
	{ "not_found", 404, "there is no such path, row or document", NULL },
	/* who is calling */
	{ "unauthorized", 401, "a credential is needed", NULL },
	{ "token_invalid", 401, "the presented credential is not a valid one", "send a valid credential, or none" },
	{ "revoked", 401, "the token was revoked", "ask for a new token" },
	{ "expired", 401, "the token's time is over", "ask for a new token" },
	{ "ancestor_revoked", 401, "a token that this one was made from was revoked", "ask for a new token" },
	{ "ancestor_expired", 401, "the time of a token that this one was made from is over", "ask for a new token" },
	{ "scope_mismatch", 403, "the token does not cover calls of this row", "use a token that does: see needs" },
	{ "audience_bound", 403, "the token is for another service", NULL },
	{ "owner_gate_required", 403, "the owner has closed the token to calls", NULL },
	{ "row_replaced", 409, "the row that this was made for is gone", "ask for a token for the row that is there" },
	{ "category_not_allowed", 403, "the agent's allowed_categories do not have the row's category", NULL },
	{ "risk_ceiling", 403, "the token does not call rows of high risk", "use a token that does: see needs" },
	{ "body_not_allowed", 403, "the token has arguments of its own", "send none" },
	{ "payload_ceiling", 413, "the arguments are longer than the token allows", "send less" },
	{ "rate_exceeded", 429, "the token's calls of this minute are used up", "wait for the next minute" },
	{ "token_exhausted", 429, "the token's calls are used up", "ask for a new token" },
	{ "scope_widen_denied", 403, "a token can only be made narrower", NULL },
	{ "attenuation_depth", 422, "too many tokens were made one from another", NULL },
	{ "bad_scope", 422, "the scope is none of those of rowcall-token(7)", NULL },
	{ "token_not_found", 404, "there is no token with that fingerprint", "list them: GET /api/tokens" },
	{ "token_needed", 400, "there is no token to narrow", "present the token that the new one is made from" },
	{ "held", 202, "the call waits for the owner", NULL },
	{ "watcher_denied", 403, "a rule or the watcher row does not let this call run", NULL },
	{ "too_many_holds", 429, "too many calls wait for the owner", "wait until some are decided" },
	{ "secret_in_input", 422, "the arguments hold a secret, so the call cannot wait", "name the secret instead" },
	{ "input_too_long_to_hold", 413, "the arguments are too long for a call that has to wait", "send less" },
	{ "approval_not_found", 404, "there is no such held call, or it is another caller's", NULL },
	{ "approval_decided", 409, "the held call is not pending any more", "look at it: GET /api/approvals/{id}" },
	{ "watch_rule_not_found", 404, "there is no such rule", "list them: GET /api/watch" },
	{ "watch_rules_full", 409, "there are 100 rules already", "remove one that is not needed" },
	{ "ambiguous_credential", 400, "different credentials in one request", "send one credential" },
	{ "origin_not_allowed", 403, "a page of an origin that this service does not trust has sent it",
	  "name the origin in the setting cors_origins" },
	{ "host_not_allowed", 403, "the request was sent to a name that is not this service's",
	  "use the host of base_url, or name the other in the setting cors_origins" },
	{ "prefetch_refused", 403, "a browser's prefetch of a URL that runs something", "open the URL itself" },
	/* rows */
	{ "key_exists", 409, "a row with this key exists", "change it with PUT or PATCH" },
	{ "bad_key", 422, "the key is not [A-Za-z_][A-Za-z0-9_]{0,63}", NULL },
	{ "bad_type", 422, "the type is not fn, http, agent or flow", NULL },
	{ "bad_field", 422, "a field has a type or value that is not possible", NULL },
	{ "field_too_long", 422, "a field is longer than max_row_field", NULL },
	{ "bad_target", 422, "the target is not what this type of row needs", NULL },
	{ "bad_auth", 422, "auth has none of the forms of rowcall-row(5)", NULL },
	{ "bad_schema", 422, "input_schema is not a JSON Schema with an object at its root", NULL },
	{ "bad_flow", 422, "content is not a flow", NULL },
	{ "bad_examples", 422, "examples is not a JSON array of strings or of arrays", NULL },
	{ "bad_includes", 422, "includes is not a list of keys", NULL },
	{ "nothing_to_restore", 422, "there was no row after this event", "restore an event before it" },
	{ "secret_in_row", 422, "the row would hold a secret", "name the secret's variable instead of its value" },
	{ "registry_hygiene_refused", 422, "the row lacks what its callers need", NULL },
	{ "row_changed", 412, "somebody else changed the row first", "read the row again and send its new ETag" },
	{ "event_not_found", 404, "there is no such event of this row", NULL },
	{ "contract_not_found", 404, "no row ever had this contract, or only the owner may see it", NULL },
	{ "verify_running", 429, "the check of the event chain is running already", "wait for it to end" },
	{ "verify_failed", 500, "the check of the event chain could not be run", "see the service's log" },
	/* calls */
	{ "unknown_key", 404, "there is no such row",
	  "use a key of did_you_mean, or look it up in GET /api/dispatch?registry=1" },
	{ "row_disabled", 409, "the row is disabled", "enable it: PATCH {\"enabled\":1}" },
	{ "contract_changed", 409, "the row is not what the caller read any more", "read the contract again" },
	{ "idempotency_key_reused", 422, "the key was used for another call, and this one has not run",
	  "take a new key for a new call" },
	{ "idempotency_in_progress", 409, "the first call with this key is still running",
	  "repeat the call with the same key after Retry-After seconds" },
	{ "outcome_unknown", 409, "the first call with this key was cut off: nobody knows how far it came",
	  "find out whether its effect is there before you send it with a new key" },
	{ "answer_not_kept", 409, "the call with this key has run, and its result was too long to be kept",
	  "read its receipt, or what it has changed" },
	{ "args_invalid", 422, "the arguments do not fit the row", "read the row's contract" },
	{ "budget_exceeded", 422, "the trace's budget of depth, steps, time or cost is used up", NULL },
	{ "cancelled", 409, "the caller has left before it was run", NULL },
	{ "args_too_long", 413, "a program can take fewer, or shorter, arguments",
		"send less, or what the program can fetch itself" },
	{ "receipt_not_found", 404, "there is no such receipt",
	  "send the whole inv_… of proof.invocation_id: it may also have been pruned" },
	{ "prune_refused", 409, "somebody else prunes, or a receipt came under way again", "do it once more" },
	{ "input_not_kept", 409, "the input of that call is not kept, or not as it was",
	  "send the call again with its input" },
	{ "repairs_other_row", 422, "what a call makes good is a call of the same row",
	  "name a receipt of this row in `repairs`, or leave it out" },
	{ "too_many_tags", 422, "a text with more calls than are run at once", "send it in parts" },
	{ "receipt_not_written", 500, "the call ran and could not be recorded; its result is withheld",
	  "do not repeat it blindly: it ran" },
	{ "too_many_streams", 503, "a worker holds max_streams answers that stay open", "end one that is not needed, or try again later" },
	{ "ledger_unavailable", 503, "the database cannot be read or written; nothing ran", "try again later" },
	{ "not_ready", 503, "a call would not work now", "see `problems`" },
	/* answered by nginx in the same form, with texts of its own: conf/nginx/rowcall-http.conf */
	{ "bad_request", 400, "what arrived is not well-formed HTTP", NULL },
	{ "tls_required", 400, "plain HTTP on a port for https", NULL },
	{ "forbidden", 403, "nginx's own rules refuse it", NULL },
	{ "request_timeout", 408, "the request did not arrive whole in time", NULL },
	{ "uri_too_long", 414, "the URL is longer than nginx takes", NULL },
	{ "too_many_requests", 429, "one address sends more than the site takes", NULL },
	{ "headers_too_large", 431, "the header is larger than nginx takes", NULL },
	{ "internal_error", 500, "nginx failed; whether a call ran is not known", NULL },
	{ "not_supported", 501, "nginx does not serve that", NULL },
	{ "bad_gateway", 502, "no worker answered; whether a call ran is not known", NULL },
	{ "unavailable", 503, "nginx cannot serve now; nothing ran", NULL },
	{ "http_version", 505, "nginx does not speak that version of HTTP", NULL },
	{ "gateway_timeout", 504, "the worker took too long; whether a call ran is not known", NULL },
};

enum { CODES = sizeof(codes) / sizeof(codes[0]) };

static const struct { int status; const char *phrase; } phrases[] = {
	{ 200, "OK" },
	{ 201, "Created" },
	{ 202, "Accepted" },
	{ 204, "No Content" },
	{ 304, "Not Modified" },
	{ 400, "Bad Request" },
	{ 401, "Unauthorized" },
	{ 403, "Forbidden" },
	{ 404, "Not Found" },
	{ 405, "Method Not Allowed" },
	{ 409, "Conflict" },
	{ 411, "Length Required" },
	{ 412, "Precondition Failed" },
	{ 413, "Content Too Large" },
	{ 415, "Unsupported Media Type" },
	{ 422, "Unprocessable Content" },
	{ 429, "Too Many Requests" },
	{ 500, "Internal Server Error" },
	{ 503, "Service Unavailable" },
};

const struct response_code *response_code(const char *error)
{
	size_t n = strcspn(error, ":");

	for (size_t i = 0; i < CODES; i++) {
		if (strlen(codes[i].code) == n && memcmp(codes[i].code, error, n) == 0)
			return &codes[i];
	}
	return NULL;
}

void response_each_code(void (*fn)(void *ctx, const struct response_code *c), void *ctx)
{
	for (size_t i = 0; i < CODES; i++)
		fn(ctx, &codes[i]);
}

void response_init(struct response *r, struct arena *a)
{
	*r = (struct response){ .arena = a, .status = 500 };
}

const char *response_get(const struct response *r, const char *name)
{
	for (unsigned i = 0; i < r->headers; i++) {
		if (strcasecmp(r->header[i].name, name) == 0)
			return r->header[i].value;
	}
	return NULL;
}

void response_header(struct response *r, const char *name, const char *value)
{
	struct buf clean = BUF_ARENA(r->arena);
	unsigned i;

	escape_add(&clean, ESCAPE_HEADER, str_of(value));
	for (i = 0; i < r->headers && strcasecmp(r->header[i].name, name); i++)
		;
	if (i == RESPONSE_HEADERS_MAX)
		log_fatal("more than %d headers in an answer: %s", RESPONSE_HEADERS_MAX, name);
	r->header[i].name = name;
	r->header[i].value = buf_text(&clean);
	if (i == r->headers)
		r->headers++;
}

void response_text(struct response *r, int status, const char *type, struct str body)
{
	r->status = status;
	r->type = type;
	r->body = body;
}

void response_json(struct response *r, int status, struct json_object *o)
{
	struct buf text = BUF_ARENA(r->arena);

	json_text(&text, o);
	json_object_put(o);
	buf_putc(&text, '\n');
	response_text(r, status, "application/json", buf_str(&text));
}

/* Adds the members of `from` that o does not have. from stays its owner's. */
static void merge(struct json_object *o, struct json_object *from)
{
	if (!from)
		return;
	json_object_object_foreach(from, name, value) {
		if (!json_object_object_get_ex(o, name, NULL))
			json_put(o, name, json_object_get(value));
	}
}

void response_problem_headers(struct response *r, const struct problem *why)
{
	int retry = why->retry_after;
	char seconds[16];

	if (!retry && (why->status == 429 || why->status == 503))
		retry = RESPONSE_RETRY_S;
	if (retry) {
		snprintf(seconds, sizeof(seconds), "%d", retry);
		response_header(r, "Retry-After", seconds);
	}
	if (why->status == 401)
		response_header(r, "WWW-Authenticate", "Bearer");
}

struct json_object *response_error(const struct problem *why)
{
	const struct response_code *code = response_code(why->error);
	const char *fix = why->how_to_fix[0] || !code ? why->how_to_fix : code->fix;
	struct json_object *o = json_object_new_object();

	if (why->status >= 400)         /* 202: held, which is no error */
		json_put_text(o, "error", why->error);
	if (why->detail[0])
		json_put_text(o, "detail", why->detail);
	if (why->field[0])
		json_put_text(o, "field", why->field);
	if (fix && *fix)
		json_put_text(o, "how_to_fix", fix);
	merge(o, why->extra);
	return o;
}

void response_problem(struct response *r, const struct problem *why, struct json_object *more)
{
	struct json_object *o = response_error(why);

	merge(o, more);
	json_object_put(more);
	response_problem_headers(r, why);
	response_json(r, why->status, o);
}

static const char *phrase(int status)
{
	for (size_t i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++) {
		if (phrases[i].status == status)
			return phrases[i].phrase;
	}
	return "Unknown";
}

static void put_field(struct buf *out, const char *name, const char *value)
{
	buf_puts(out, name);
	buf_puts(out, ": ");
	buf_puts(out, value);
	buf_puts(out, "\r\n");
}

void response_head(const struct response *r, const char *trace, struct buf *out)
{
	buf_reserve(out, HEAD_USUAL);
	buf_puts(out, "Status: ");
	buf_int(out, r->status);
	buf_putc(out, ' ');
	buf_puts(out, phrase(r->status));
	buf_puts(out, "\r\n");
	for (unsigned i = 0; i < r->headers; i++)
		put_field(out, r->header[i].name, r->header[i].value);
	if (trace && *trace && !response_get(r, "X-Trace")) {
		buf_puts(out, "X-Trace: ");
		escape_add(out, ESCAPE_HEADER, str_of(trace));
		buf_puts(out, "\r\n");
	}
	if (!response_get(r, "Cache-Control"))
		buf_puts(out, "Cache-Control: no-store\r\n");
	buf_puts(out, "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n");
	if (r->type)
		put_field(out, "Content-Type", r->type);
	if (r->type && !r->stream) {
		buf_puts(out, "Content-Length: ");
		buf_int(out, (int64_t)r->body.n);
		buf_puts(out, "\r\n");
	}
	buf_puts(out, "\r\n");
}
