/* The client's side of MCP. A request is built, sent and read here; what an answer means is mcp_message.c's, what becomes
 * of it in a row's call function_mcp.c's. */
#include "config.h"
#include <inttypes.h>
#include <string.h>
#include "base/clock.h"
#include "base/crypto.h"
#include "base/escape.h"
#include "call/mcp_client.h"
#include "call/mcp_message.h"

#define MODERN "2026-07-28"
#define META   "io.modelcontextprotocol/"

enum { UNSUPPORTED_VERSION = -32022 };

/* The newest first, which is asked for. */
static const char *const legacy_versions[] = { "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05" };

/* Which era servers speak */

struct known { char digest[CRYPTO_HEX]; bool legacy; int64_t until_us; };

static struct { struct known server[MCP_CLIENT_SERVERS]; unsigned next; } known;

/* The path is part of it, the query is not: it may hold arguments. */
static void digest_of(const struct mcp_client *m, char digest[CRYPTO_HEX])
{
	struct str rest = m->url;

	crypto_sha256_hex(str_cut(&rest, '?'), digest);
}

static struct known *find_known(const struct mcp_client *m)
{
	char digest[CRYPTO_HEX];

	digest_of(m, digest);
	for (unsigned i = 0; i < MCP_CLIENT_SERVERS; i++)
		if (strcmp(known.server[i].digest, digest) == 0)
			return &known.server[i];
	return NULL;
}

static void remember(const struct mcp_client *m)
{
	struct known *k = find_known(m);

	if (!k) {
		k = &known.server[known.next++ % MCP_CLIENT_SERVERS];
		digest_of(m, k->digest);
	}
	k->legacy = m->legacy;
	k->until_us = clock_mono_us() + (int64_t)MCP_CLIENT_REMEMBER_S * 1000000;
}

static void forget(const struct mcp_client *m)
{
	struct known *k = find_known(m);

	if (k)
		k->digest[0] = 0;
}

/* Faults */

/* The text so far is replaced, and nothing of the answer is behind it. Returns -1. */
static int fail(struct mcp_client *m, const char *text)
{
	m->fault.text = BUF_ARENA(m->arena);
	m->fault.body = str_of(NULL);
	buf_puts(&m->fault.text, text);
	return -1;
}

static int fail_bad_answer(struct mcp_client *m, const char *what)
{
	fail(m, "ERR:mcp:bad_answer:");
	buf_puts(&m->fault.text, what);
	return -1;
}

static int fail_too_large(struct mcp_client *m, size_t n, const char *of)
{
	fail(m, "ERR:mcp:too_large:");
	buf_printf(&m->fault.text, "%zu %s", n, of);
	return -1;
}

/* Behind the text comes what the server says. */
static int fail_with(struct mcp_client *m, struct str content_type, struct str body, bool cut)
{
	m->fault.content_type = content_type;
	m->fault.body = body;
	m->fault.cut = cut;
	return -1;
}

static int fail_status(struct mcp_client *m)
{
	fail(m, "");
	buf_printf(&m->fault.text, "ERR:http:%d:", m->r.status);
	return fail_with(m, m->r.content_type, m->r.body, m->r.cut);
}

/* Requests */

static void add_header(void *ctx, struct str name, struct str value)
{
	struct mcp_client *m = ctx;

	if (value.p)
		outbound_header(&m->q, name, mcp_message_header(m->arena, value), false);
}

static void put_header(struct mcp_client *m, const char *name, const char *value)
{
	outbound_header(&m->q, str_of(name), str_of(value), false);
}

static void begin_request(struct mcp_client *m, const char *method)
{
	m->q = (struct outbound_request){
		.arena = m->arena, .method = str_of(method), .url = m->url, .scheme = m->scheme, .authority = m->authority,
		.max_body = m->max_body, .cancel = m->cancel, .same_method = true, .want = "Mcp-Session-Id",
	};
	if (m->version)
		put_header(m, "MCP-Protocol-Version", m->version);
	if (m->session.n)
		outbound_header(&m->q, str_of("Mcp-Session-Id"), m->session, true);
}

static void put_body(struct mcp_client *m, struct json_object *message)
{
	struct buf body = BUF_ARENA(m->arena);

	json_text(&body, message);
	json_object_put(message);
	m->q.body = buf_str(&body);
	put_header(m, "Content-Type", "application/json");
	put_header(m, "Accept", "application/json, text/event-stream");
}

static struct json_object *message_of(const char *method, struct json_object *params)
{
	struct json_object *o = json_object_new_object();

	json_put_text(o, "jsonrpc", "2.0");
	json_put_text(o, "method", method);
	if (params)
		json_put(o, "params", params);
	return o;
}

static struct json_object *client_info(void)
{
	struct json_object *o = json_object_new_object();

	json_put_text(o, "name", "rowcall");
	json_put_text(o, "version", PACKAGE_VERSION);
	return o;
}

/* What a request of the modern era says of itself, twice. */
static void put_modern(struct mcp_client *m, const char *method, struct json_object *params)
{
	struct json_object *meta = json_object_new_object();
	struct str name = json_str(json_get(params, "name"));

	json_put_text(meta, META "protocolVersion", MODERN);
	json_put(meta, META "clientInfo", client_info());
	json_put(meta, META "clientCapabilities", json_object_new_object());
	json_put(params, "_meta", meta);
	put_header(m, "Mcp-Method", method);
	if (name.p)
		add_header(m, str_of("Mcp-Name"), name);
	if (name.p && m->schema)
		mcp_message_params(m->schema, json_get(params, "arguments"), add_header, m);
}

/* Takes params. */
static void build_request(struct mcp_client *m, const char *method, struct json_object *params)
{
	struct json_object *message;

	begin_request(m, "POST");
	if (!m->legacy)
		put_modern(m, method, params);
	message = message_of(method, params);
	json_put_int(message, "id", ++m->id);
	put_body(m, message);
}

static struct json_object *call_params(struct str tool, struct json_object *arguments)
{
	struct json_object *params = json_object_new_object();

	json_put_str(params, "name", tool);
	json_put(params, "arguments", json_object_get(arguments));
	return params;
}

static void post(struct mcp_client *m)
{
	upstream_fetch(&m->q, m->auth, m->secrets, m->deadline_us, &m->r);
	m->status = m->r.status;
}

/* Answers */

static bool is_stream(struct str content_type)
{
	return str_starts_fold(content_type, "text/event-stream");
}

static bool stream_enough(void *ctx, struct str body)
{
	return mcp_message_stream(ctx, body);
}

static int read_answer(struct mcp_client *m, struct str text, struct mcp_answer *out)
{
	const char *fault = mcp_message_read(m->arena, text, m->id, out);

	if (!fault)
		return 0;
	if (m->r.status >= 400)
		return fail_status(m);
	return m->r.cut ? fail_too_large(m, m->r.body.n, "bytes") : fail_bad_answer(m, fault);
}

/* A result, which *out has; else the fault, and *out the error that the server answered with, if it did. */
static int ask(struct mcp_client *m, const char *method, struct json_object *params, struct mcp_answer *out)
{
	struct mcp_stream stream;
	int rc;

	*out = (struct mcp_answer){ .result = NULL };
	build_request(m, method, params);
	stream = MCP_STREAM(m->arena, m->id);
	m->q.enough = stream_enough;
	m->q.ctx = &stream;
	post(m);
	if (m->r.error[0])
		return fail(m, m->r.error);
	if (m->r.status == 401 || m->r.status == 403)
		return fail_status(m);
	if (!stream.answer.p && is_stream(m->r.content_type) && m->r.status < 400 && !m->r.cut)
		return fail_bad_answer(m, "the stream has ended without an answer");
	rc = read_answer(m, stream.answer.p ? stream.answer : m->r.body, out);
	if (rc < 0 || out->result)
		return rc;
	fail(m, "");
	buf_printf(&m->fault.text, "ERR:mcp:%" PRId64 ":", out->code);
	return fail_with(m, str_of("text/plain; charset=utf-8"), out->message, false);
}

/* Both eras */

static const char *legacy_version(struct str name)
{
	for (size_t i = 0; i < sizeof(legacy_versions) / sizeof(*legacy_versions); i++)
		if (str_is(name, legacy_versions[i]))
			return legacy_versions[i];
	return NULL;
}

static bool lists_legacy(struct json_object *list)
{
	for (size_t i = 0; i < sizeof(legacy_versions) / sizeof(*legacy_versions); i++)
		if (json_lists(list, legacy_versions[i]))
			return true;
	return false;
}

/* A server of before does not know the request, and says so in many ways. One that is not to be reached, does not let us
 * in or is not well says nothing about its era. */
static bool may_be_legacy(const struct mcp_client *m, const struct mcp_answer *answer)
{
	struct json_object *supported = json_get(answer->data, "supported");

	if (m->r.error[0] || m->r.status == 401 || m->r.status == 403 || m->r.status == 429 ||
	    m->r.status >= 500 || m->r.cut)
		return false;
	return answer->code != UNSUPPORTED_VERSION || !supported || lists_legacy(supported);
}

static int discover(struct mcp_client *m)
{
	struct mcp_answer answer;

	m->version = MODERN;
	if (ask(m, "server/discover", json_object_new_object(), &answer) < 0 && !may_be_legacy(m, &answer))
		return -1;
	m->legacy = !json_lists(json_get(answer.result, "supportedVersions"), MODERN);
	return 0;
}

static bool is_session(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] <= 0x20 || (unsigned char)s.p[i] >= 0x7F)
			return false;
	return s.n <= MCP_CLIENT_SESSION_MAX;
}

static int say_initialized(struct mcp_client *m)
{
	begin_request(m, "POST");
	put_body(m, message_of("notifications/initialized", NULL));
	post(m);
	if (m->r.error[0])
		return fail(m, m->r.error);
	return m->r.status >= 400 ? fail_status(m) : 0;
}

static int initialize(struct mcp_client *m)
{
	struct json_object *params = json_object_new_object();
	struct mcp_answer answer;
	struct str version;

	m->version = NULL;
	json_put_text(params, "protocolVersion", legacy_versions[0]);
	json_put(params, "capabilities", json_object_new_object());
	json_put(params, "clientInfo", client_info());
	if (ask(m, "initialize", params, &answer) < 0)
		return -1;
	if (!is_session(m->r.wanted))
		return fail_bad_answer(m, "the session id is no token");
	m->session = m->r.wanted;
	version = json_str(json_get(answer.result, "protocolVersion"));
	m->version = legacy_version(version);
	if (m->version)
		return say_initialized(m);
	fail(m, "ERR:mcp:unsupported_version:");
	return fail_with(m, str_of("text/plain; charset=utf-8"), version, false);
}

int mcp_client_open(struct mcp_client *m)
{
	const struct known *k = find_known(m);
	int rc = 0;

	m->session = str_of("");
	if (k && k->until_us > clock_mono_us()) {
		m->legacy = k->legacy;
		m->version = MODERN;
	} else {
		rc = discover(m);
	}
	if (rc == 0 && m->legacy)
		rc = initialize(m);
	if (rc == 0)
		remember(m);
	else
		forget(m);
	return rc;
}

void mcp_client_close(struct mcp_client *m)
{
	if (!m->session.n)
		return;
	m->cancel = NULL;
	begin_request(m, "DELETE");
	upstream_fetch(&m->q, m->auth, m->secrets, clock_mono_us() + MCP_CLIENT_GOODBYE_MS * 1000, &m->r);
	m->session = str_of("");
}

/* Tools */

/* One that refuses a request altogether may have become another server. */
static int ask_known(struct mcp_client *m, const char *method, struct json_object *params, struct mcp_answer *out)
{
	int rc = ask(m, method, params, out);
	struct str type = json_str(json_get(out->result, "resultType"));

	if (rc < 0 && m->r.status >= 400)
		forget(m);
	if (rc < 0 || !type.p || str_is(type, "complete"))
		return rc;
	if (str_is(type, "input_required"))
		return fail(m, "ERR:mcp:input_required");
	return fail_bad_answer(m, "a type of result that is not known");
}

int mcp_client_call(struct mcp_client *m, struct str tool, struct json_object *arguments, struct json_object **result)
{
	struct mcp_answer answer;

	if (ask_known(m, "tools/call", call_params(tool, arguments), &answer) < 0)
		return -1;
	*result = answer.result;
	return 0;
}

void mcp_client_preview(struct mcp_client *m, struct str tool, struct json_object *arguments)
{
	m->version = MODERN;
	build_request(m, "tools/call", call_params(tool, arguments));
}

/* One page's tools into list. *cursor: of the next page, NULL at the end. */
static int list_page(struct mcp_client *m, struct json_object *list, struct json_object **cursor)
{
	struct json_object *params = json_object_new_object(), *tools;
	struct mcp_answer answer;

	if (*cursor)
		json_put(params, "cursor", json_object_get(*cursor));
	if (ask_known(m, "tools/list", params, &answer) < 0)
		return -1;
	tools = json_get(answer.result, "tools");
	if (!json_object_is_type(tools, json_type_array))
		return fail_bad_answer(m, "a list of tools that is no array");
	for (size_t i = 0; i < json_object_array_length(tools); i++) {
		if (json_object_array_length(list) == MCP_CLIENT_TOOLS)
			return fail_too_large(m, MCP_CLIENT_TOOLS, "tools");
		json_object_array_add(list, json_object_get(json_object_array_get_idx(tools, i)));
	}
	*cursor = json_get(answer.result, "nextCursor");
	return 0;
}

int mcp_client_list_tools(struct mcp_client *m, struct json_object **tools)
{
	struct json_object *cursor = NULL;

	*tools = arena_json(m->arena, json_object_new_array());
	for (int page = 0; page < MCP_CLIENT_PAGES; page++) {
		if (list_page(m, *tools, &cursor) < 0)
			return -1;
		if (!cursor)
			return 0;
	}
	return fail_too_large(m, MCP_CLIENT_PAGES, "pages of tools");
}
