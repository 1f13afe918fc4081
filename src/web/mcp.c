/* The envelope of MCP: the JSON-RPC message, its era, the headers that repeat the body, the table of methods. What a
 * method does is its own file's; whether the request may come in at all (Origin, credential) router.c has decided. */
#include "config.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/crypto.h"
#include "web/emit.h"
#include "web/mcp.h"

#define META_VERSION      MCP_STD "protocolVersion"
#define META_CAPABILITIES MCP_STD "clientCapabilities"

/* Of a legacy client that does not say. */
#define ASSUMED "2025-03-26"

enum {
	MESSAGE_MAX = 512,              /* bytes of an error's message */
	RESULT_USUAL = 1024,            /* bytes of most results */
};

/* Newest first in each era. 2025-03-26 is not among them: it has batches, which are refused. */
static const struct revision { const char *version; enum mcp_era era; } revisions[] = {
	{ "2026-07-28", MCP_MODERN },
	{ "2025-11-25", MCP_LEGACY },
	{ "2025-06-18", MCP_LEGACY },
	{ "2024-11-05", MCP_LEGACY },
};

enum { REVISIONS = sizeof(revisions) / sizeof(revisions[0]), NEWEST_LEGACY = 1 };

static void discover(struct mcp *m);
static void initialize(struct mcp *m);
static void ping(struct mcp *m);

/* THE table of methods. Notifications have no rows: they are accepted, and nothing is done. */
static const struct mcp_method methods[] = {
	{ "server/discover", MCP_MODERN, NULL, NULL, false, discover },
	{ "initialize", MCP_LEGACY, NULL, NULL, false, initialize },
	{ "ping", MCP_LEGACY, NULL, NULL, false, ping },
	{ "tools/list", MCP_LEGACY | MCP_MODERN, NULL, "tools", false, mcp_tools_list },
	{ "tools/call", MCP_LEGACY | MCP_MODERN, "name", "tools", true, mcp_progress_call },
	{ "resources/list", MCP_LEGACY | MCP_MODERN, NULL, "resources", false, mcp_resources_list },
	{ "resources/templates/list", MCP_LEGACY | MCP_MODERN, NULL, NULL, false, mcp_resources_templates },
	{ "resources/read", MCP_LEGACY | MCP_MODERN, "uri", NULL, false, mcp_resources_read },
	{ "prompts/list", MCP_LEGACY | MCP_MODERN, NULL, "prompts", false, mcp_prompts_list },
	{ "prompts/get", MCP_LEGACY | MCP_MODERN, "name", NULL, true, mcp_prompts_get },
	{ "completion/complete", MCP_LEGACY | MCP_MODERN, NULL, "completions", false, mcp_complete },
	{ "subscriptions/listen", MCP_MODERN, NULL, "tools.listChanged prompts.listChanged resources.listChanged", false,
	  mcp_listen },
};

enum { METHODS = sizeof(methods) / sizeof(methods[0]) };

/* Answers */

static void begin_message(struct buf *out, struct str id)
{
	buf_reserve(out, RESULT_USUAL);
	emit_begin(out, NULL, '{');
	emit_text(out, "jsonrpc", "2.0");
	emit_raw(out, "id", id);
}

struct buf *mcp_begin(struct mcp *m)
{
	begin_message(&m->out, m->id);
	emit_begin(&m->out, "result", '{');
	if (m->era == MCP_MODERN)
		emit_text(&m->out, "resultType", "complete");
	return &m->out;
}

void mcp_end(struct mcp *m)
{
	emit_end(&m->out, '}');
	emit_end(&m->out, '}');
	response_text(m->r->res, 200, "application/json", emit_done(&m->out));
}

void mcp_cacheable(struct mcp *m, int64_t ttl_ms, bool shared)
{
	if (m->era != MCP_MODERN)
		return;
	emit_int(&m->out, "ttlMs", ttl_ms);
	emit_text(&m->out, "cacheScope", shared ? "public" : "private");
}

/* data: taken, or NULL. */
static void answer_error(struct rest *r, int status, struct str id, int code, const char *message,
			 struct json_object *data)
{
	struct buf out = BUF_ARENA(r->arena), text = BUF_ARENA(r->arena);

	begin_message(&out, id);
	emit_begin(&out, "error", '{');
	emit_int(&out, "code", code);
	emit_text(&out, "message", message);
	if (data) {
		json_text(&text, data);
		json_object_put(data);
		emit_raw(&out, "data", buf_str(&text));
	}
	emit_end(&out, '}');
	emit_end(&out, '}');
	response_text(r->res, status, "application/json", emit_done(&out));
}

/* Legacy errors ride on 200, but those that say that the request itself is not one. */
static int status_of(const struct mcp *m, enum mcp_code code)
{
	if (code == MCP_PARSE_ERROR || code == MCP_INVALID_REQUEST || code == MCP_VERSION_UNSUPPORTED)
		return 400;
	if (m->era != MCP_MODERN)
		return 200;
	return code == MCP_METHOD_NOT_FOUND ? 404 : 400;
}

void mcp_error(struct mcp *m, enum mcp_code code, struct json_object *data, const char *fmt, ...)
{
	char message[MESSAGE_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	answer_error(m->r, status_of(m, code), m->id, code, message, data);
}

static void answer_problem(struct rest *r, struct str id, const struct problem *why)
{
	response_problem_headers(r->res, why);
	answer_error(r, why->status, id, why->status >= 500 ? MCP_INTERNAL_ERROR : MCP_REFUSED, why->error,
		     response_error(why));
}

void mcp_problem(struct mcp *m, const struct problem *why)
{
	answer_problem(m->r, m->id, why);
}

void mcp_notice_begin(struct buf *out, const char *method)
{
	emit_begin(out, NULL, '{');
	emit_text(out, "jsonrpc", "2.0");
	emit_text(out, "method", method);
	emit_begin(out, "params", '{');
}

int mcp_notice_end(struct buf *out, struct sse *s)
{
	int rc;

	emit_end(out, '}');
	emit_end(out, '}');
	rc = sse_send(s, str_trim(emit_done(out)));
	buf_free(out);
	return rc;
}

/* Reading the message */

/* The id's JSON text, p NULL when o has none that can be one: a string or a whole number. */
static struct str read_id(struct arena *a, struct json_object *o)
{
	struct json_object *id = json_get(o, "id");
	struct buf text = BUF_ARENA(a);

	if (!json_object_is_type(id, json_type_string) && !json_object_is_type(id, json_type_int))
		return (struct str){ 0 };
	json_text(&text, id);
	return buf_str(&text);
}

void mcp_refuse(struct rest *r, const struct problem *why)
{
	struct json_object *o = NULL;

	if (r->req->body.n && json_parse(r->arena, r->req->body, &o, NULL) < 0)
		o = NULL;
	answer_problem(r, read_id(r->arena, o), why);
}

/* 0; 1: a notification. -1 after answering. */
static int read_message(struct mcp *m, struct json_object **message)
{
	struct problem why = { 0 };
	struct json_object *o = NULL;
	bool has_id;

	if (json_parse(m->r->arena, m->r->req->body, &o, &why) < 0) {
		mcp_error(m, MCP_PARSE_ERROR, NULL, "%s", why.detail[0] ? why.detail : "the body is no JSON");
		return -1;
	}
	m->id = read_id(m->r->arena, o);
	has_id = json_object_object_get_ex(o, "id", NULL);
	if (json_object_is_type(o, json_type_array))
		mcp_error(m, MCP_INVALID_REQUEST, NULL, "batches are refused: send one message a request");
	else if (!str_is(json_str(json_get(o, "jsonrpc")), "2.0"))
		mcp_error(m, MCP_INVALID_REQUEST, NULL, "the body is an object with \"jsonrpc\":\"2.0\"");
	else if (has_id && !m->id.p)
		mcp_error(m, MCP_INVALID_REQUEST, NULL, "id is a string or a whole number");
	else if (!json_str(json_get(o, "method")).n)
		mcp_error(m, MCP_INVALID_REQUEST, NULL, "method is a string; this server asks nothing of its clients");
	else {
		*message = o;
		return !has_id;
	}
	return -1;
}

/* -1 after answering. */
static int read_params(struct mcp *m, struct json_object *message)
{
	m->params = json_get(message, "params");
	m->meta = json_get(m->params, "_meta");
	if (m->params && !json_object_is_type(m->params, json_type_object))
		mcp_error(m, MCP_INVALID_PARAMS, NULL, "params is an object");
	else if (m->meta && !json_object_is_type(m->meta, json_type_object))
		mcp_error(m, MCP_INVALID_PARAMS, NULL, "params._meta is an object");
	else
		return 0;
	return -1;
}

int mcp_string(struct mcp *m, const char *name, bool needed, struct str *out)
{
	struct json_object *o = json_get(m->params, name);

	*out = json_str(o);
	if (out->p || (!o && !needed))
		return 0;
	mcp_error(m, MCP_INVALID_PARAMS, NULL, "params.%s is a string", name);
	return -1;
}

/* Eras */

static bool is_version(struct str version, enum mcp_era era)
{
	for (size_t i = 0; i < REVISIONS; i++) {
		if (revisions[i].era == era && str_is(version, revisions[i].version))
			return true;
	}
	return false;
}

/* A body that names a version is modern, and so is one that should have: its header does. */
static enum mcp_era era_of(const struct mcp *m, struct str method)
{
	if (json_get(m->meta, META_VERSION))
		return MCP_MODERN;
	if (str_is(method, "initialize"))
		return MCP_LEGACY;
	return is_version(request_header(m->r->req, "mcp-protocol-version"), MCP_MODERN) ? MCP_MODERN : MCP_LEGACY;
}

static int unsupported(struct mcp *m, struct str version)
{
	struct json_object *data = json_object_new_object(), *supported = json_object_new_array();

	for (size_t i = 0; i < REVISIONS; i++)
		json_object_array_add(supported, json_object_new_string(revisions[i].version));
	json_put(data, "supported", supported);
	json_put_str(data, "requested", version);
	mcp_error(m, MCP_VERSION_UNSUPPORTED, data, "this protocol version is not served");
	return -1;
}

/* A header's value, which may be wrapped as =?base64?…?=. False: it is wrapped, and malformed. */
static bool unwrap(struct arena *a, struct str value, struct str *out)
{
	static const char head[] = "=?base64?", tail[] = "?=";
	size_t h = sizeof(head) - 1, t = sizeof(tail) - 1;
	struct buf text = BUF_ARENA(a);

	*out = str_trim(value);
	if (!str_starts(*out, head) || out->n < h + t || memcmp(out->p + out->n - t, tail, t))
		return true;
	if (crypto_unbase64(&text, str_make(out->p + h, out->n - h - t)) < 0)
		return false;
	*out = buf_str(&text);
	return true;
}

int mcp_agree(struct mcp *m, const char *name, struct str body)
{
	char *lower = arena_strdup(m->r->arena, name);
	struct str value, text;

	for (char *p = lower; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	value = request_header(m->r->req, lower);
	if (!value.p && !body.p)
		return 0;
	if (value.p && body.p && unwrap(m->r->arena, value, &text) && str_eq(text, body))
		return 0;
	mcp_error(m, MCP_HEADER_MISMATCH, NULL, "the header %s %s", name,
		  value.p ? "differs from the body" : "is missing: it repeats what the body says");
	return -1;
}

static int check_modern(struct mcp *m, struct str method)
{
	struct str version = json_str(json_get(m->meta, META_VERSION));

	if (!version.n || !json_object_is_type(json_get(m->meta, META_CAPABILITIES), json_type_object)) {
		mcp_error(m, MCP_INVALID_PARAMS, NULL, "params._meta has %s, a string, and %s, an object", META_VERSION,
			  META_CAPABILITIES);
		return -1;
	}
	if (mcp_agree(m, "MCP-Protocol-Version", version) < 0)
		return -1;
	if (!is_version(version, MCP_MODERN))
		return unsupported(m, version);
	m->version = version.p;
	return mcp_agree(m, "Mcp-Method", method);
}

static int check_legacy(struct mcp *m, struct str method)
{
	struct str version = request_header(m->r->req, "mcp-protocol-version");

	m->version = version.p ? version.p : ASSUMED;
	if (!version.p || is_version(version, MCP_LEGACY) || str_is(method, "initialize"))
		return 0;
	return unsupported(m, version);
}

static const struct mcp_method *find_method(const struct mcp *m, struct str name)
{
	for (size_t i = 0; i < METHODS; i++) {
		if (methods[i].eras & m->era && str_is(name, methods[i].name))
			return &methods[i];
	}
	return NULL;
}

/* -1 after answering. */
static int check_name(struct mcp *m, const struct mcp_method *method)
{
	struct str name;

	if (m->era != MCP_MODERN || !method->named)
		return 0;
	return mcp_string(m, method->named, true, &name) < 0 ? -1 : mcp_agree(m, "Mcp-Name", name);
}

static void answer_request(struct mcp *m, struct json_object *message)
{
	struct str name = json_str(json_get(message, "method"));
	const struct mcp_method *method;
	struct problem why = { 0 };

	if (read_params(m, message) < 0)
		return;
	m->era = era_of(m, name);
	if ((m->era == MCP_MODERN ? check_modern(m, name) : check_legacy(m, name)) < 0)
		return;
	method = find_method(m, name);
	if (!method)
		mcp_error(m, MCP_METHOD_NOT_FOUND, NULL, "there is no such method in this protocol version");
	else if (!method->gated && caller_check(&m->r->caller, &why) < 0)
		mcp_problem(m, &why);
	else if (check_name(m, method) == 0)
		method->handle(m);
}

void mcp_post(struct rest *r)
{
	struct str mode = request_param(r->req, "mode");
	struct mcp *m = arena_alloc(r->arena, sizeof(*m));
	struct json_object *message;

	m->r = r;
	m->era = MCP_LEGACY;            /* until it is known */
	m->loop = str_is(mode, "loop");
	m->out = BUF_ARENA(r->arena);
	if (mode.p && !m->loop) {
		struct problem why = { 0 };

		problem_set(&why, 400, "bad_parameter");
		problem_field(&why, "mode");
		problem_detail(&why, "mode is loop");
		router_fail(r, &why);
		return;
	}
	switch (read_message(m, &message)) {
	case 0:
		answer_request(m, message);
		break;
	case 1:
		response_text(r->res, 202, NULL, (struct str){ 0 });
		break;
	}
}

/* What the server can do */

bool mcp_serves(enum mcp_era era, const char *capability)
{
	for (size_t i = 0; i < METHODS; i++) {
		struct str rest = str_of(methods[i].brings);

		while (methods[i].eras & era && rest.p) {
			if (str_is(str_cut(&rest, ' '), capability))
				return true;
		}
	}
	return false;
}

/* "tools", or "tools.listChanged". */
static void add_capability(struct arena *a, struct json_object *all, enum mcp_era era, struct str name)
{
	struct str inner = name, outer = str_cut(&inner, '.');
	const char *text = arena_str(a, outer);
	struct json_object *o = json_get(all, text);

	if (inner.p && !mcp_serves(era, text))
		return;
	if (!o) {
		o = json_object_new_object();
		json_put(all, text, o);
	}
	if (inner.p)
		json_put_bool(o, arena_str(a, inner), true);
}

static void emit_capabilities(struct mcp *m)
{
	struct json_object *all = arena_json(m->r->arena, json_object_new_object());
	struct buf text = BUF_ARENA(m->r->arena);

	for (size_t i = 0; i < METHODS; i++) {
		struct str rest = str_of(methods[i].brings);

		while (methods[i].eras & m->era && rest.p)
			add_capability(m->r->arena, all, m->era, str_cut(&rest, ' '));
	}
	json_text(&text, all);
	emit_raw(&m->out, "capabilities", buf_str(&text));
}

static void emit_server(struct buf *out, const char *name)
{
	emit_begin(out, name, '{');
	emit_text(out, "name", PACKAGE_NAME);
	emit_text(out, "title", "Rowcall");
	emit_text(out, "version", PACKAGE_VERSION);
	emit_end(out, '}');
}

static void emit_instructions(const struct mcp *m, struct buf *out)
{
	emit_text(out, "instructions", m->loop ?
		"Go round one loop. Ask for a capability in plain words, read the contract of the row you choose, invoke it, "
		"and confirm the receipt of what was done. Do not guess what a row takes: read it first." :
		"Each tool is a row of a directory. Every call leaves a receipt, whose public address is in the result's "
		"_meta as " MCP_OWN "receipt. A result that begins with ERR: is an error; one that begins with ERR:held: "
		"waits for a person's yes.");
}

static void discover(struct mcp *m)
{
	struct buf *out = mcp_begin(m);

	emit_begin(out, "supportedVersions", '[');
	for (size_t i = 0; i < REVISIONS; i++)
		emit_text(out, NULL, revisions[i].version);
	emit_end(out, ']');
	emit_capabilities(m);
	emit_instructions(m, out);
	mcp_cacheable(m, MCP_FIXED_TTL_MS, true);
	emit_begin(out, "_meta", '{');
	emit_server(out, MCP_STD "serverInfo");
	emit_end(out, '}');
	mcp_end(m);
}

/* The version that was asked for where it is served, else the newest of the era. */
static void initialize(struct mcp *m)
{
	struct str asked;
	struct buf *out;

	if (mcp_string(m, "protocolVersion", true, &asked) < 0)
		return;
	out = mcp_begin(m);
	emit_text(out, "protocolVersion", is_version(asked, MCP_LEGACY) ? asked.p : revisions[NEWEST_LEGACY].version);
	emit_capabilities(m);
	emit_server(out, "serverInfo");
	emit_instructions(m, out);
	mcp_end(m);
}

static void ping(struct mcp *m)
{
	mcp_begin(m);
	mcp_end(m);
}

/* What the client can do */

/* Whether `has` names all that `needs` does, however deep. */
static bool covers(struct json_object *has, struct json_object *needs)
{
	if (!has)
		return false;
	if (!json_object_is_type(needs, json_type_object))
		return true;
	json_object_object_foreach(needs, name, inner) {
		if (!covers(json_get(has, name), inner))
			return false;
	}
	return true;
}

int mcp_client_has(struct mcp *m, struct json_object *needed)
{
	struct json_object *has = json_get(m->meta, META_CAPABILITIES), *missing, *data;

	if (m->era != MCP_MODERN || !needed || covers(has, needed))
		return 0;
	missing = json_object_new_object();
	json_object_object_foreach(needed, name, inner) {
		if (!covers(json_get(has, name), inner))
			json_put(missing, name, json_object_get(inner));
	}
	data = json_object_new_object();
	json_put(data, "requiredCapabilities", missing);
	mcp_error(m, MCP_CAPABILITY_MISSING, data, "the client has not declared a capability that this needs");
	return -1;
}
