/* A call's result as MCP shows it: content blocks, structured content, receipt. */
#include <string.h>
#include "base/ascii.h"
#include "directory/tool.h"
#include "web/emit.h"
#include "web/mcp.h"

/* Blocks of content */

void mcp_result_block(struct buf *out, struct str text)
{
	emit_begin(out, NULL, '{');
	emit_text(out, "type", "text");
	emit_str(out, "text", text);
	emit_end(out, '}');
}

static void emit_text_content(struct buf *out, struct str text)
{
	emit_begin(out, "content", '[');
	mcp_result_block(out, text);
	emit_end(out, ']');
}

/* What media.c makes of bytes: data:TYPE;base64,BYTES and nothing else. */
struct media { struct str type, bytes; };

static bool read_media(struct str s, struct media *out)
{
	static const char head[] = "data:", mark[] = ";base64,";
	struct str rest = str_skip(s, sizeof(head) - 1), type;
	long at;

	if (!str_starts(s, head) || (at = str_find(str_make(rest.p, rest.n < 256 ? rest.n : 256), str_of(mark))) < 0)
		return false;
	type = str_make(rest.p, (size_t)at);
	out->type = str_cut(&type, ';');
	out->bytes = str_skip(rest, (size_t)at + sizeof(mark) - 1);
	for (size_t i = 0; i < out->bytes.n; i++) {
		char c = out->bytes.p[i];

		if (!ascii_is_alnum(c) && c != '+' && c != '/' && c != '=')
			return false;
	}
	return out->type.n && out->bytes.n;
}

bool mcp_result_media(struct buf *out, struct str text, const char *uri)
{
	struct media media;
	bool image, audio;

	if (!read_media(text, &media))
		return false;
	image = str_starts(media.type, "image/");
	audio = str_starts(media.type, "audio/");
	if (!image && !audio && !uri)
		return false;
	emit_begin(out, NULL, '{');
	emit_text(out, "type", image ? "image" : audio ? "audio" : "resource");
	if (!image && !audio) {
		emit_begin(out, "resource", '{');
		emit_text(out, "uri", uri);
	}
	emit_str(out, "mimeType", media.type);
	emit_str(out, image || audio ? "data" : "blob", media.bytes);
	if (!image && !audio)
		emit_end(out, '}');
	emit_end(out, '}');
	return true;
}

/* Results of rows that say x-mcp-content */

static bool has_texts(struct json_object *o, const char *first, const char *second)
{
	return json_str(json_get(o, first)).p && (!second || json_str(json_get(o, second)).p);
}

static bool is_block(struct json_object *o)
{
	static const struct { const char *type, *first, *second; } kinds[] = {
		{ "text", "text", NULL },
		{ "image", "data", "mimeType" },
		{ "audio", "data", "mimeType" },
		{ "resource_link", "uri", "name" },
	};
	struct str type = json_str(json_get(o, "type"));
	struct json_object *resource = json_get(o, "resource");

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (str_is(type, kinds[i].type))
			return has_texts(o, kinds[i].first, kinds[i].second);
	}
	return str_is(type, "resource") && (has_texts(resource, "uri", "text") || has_texts(resource, "uri", "blob"));
}

/* {"content":[…]} of known blocks, at least one. */
static bool is_content(struct json_object *o)
{
	struct json_object *list = json_get(o, "content");
	size_t n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;

	for (size_t i = 0; i < n; i++) {
		if (!is_block(json_object_array_get_idx(list, i)))
			return false;
	}
	return n > 0;
}

static void emit_json(struct mcp *m, const char *name, struct json_object *o)
{
	struct buf text = BUF_ARENA(m->r->arena);

	json_text(&text, o);
	emit_raw(&m->out, name, buf_str(&text));
}

/* Legacy clients take objects alone. */
static void emit_structured(struct mcp *m, struct json_object *o, bool wrap)
{
	if (wrap)
		emit_begin(&m->out, "structuredContent", '{');
	emit_json(m, wrap ? "result" : "structuredContent", o);
	if (wrap)
		emit_end(&m->out, '}');
}

static void emit_own_content(struct mcp *m, struct json_object *o)
{
	struct json_object *structured, *error = json_get(o, "isError");
	bool is_error = json_object_is_type(error, json_type_boolean) && json_object_get_boolean(error);

	emit_json(m, "content", json_get(o, "content"));
	if (!is_error && json_object_object_get_ex(o, "structuredContent", &structured))
		emit_structured(m, structured,
				m->era == MCP_LEGACY && !json_object_is_type(structured, json_type_object));
	emit_bool(&m->out, "isError", is_error);
}

/* All results */

static bool may_be_json(struct str s)
{
	return s.n && strchr("{[\"-0123456789tfn", s.p[0]);
}

static void emit_failed(struct mcp *m, struct str text)
{
	emit_text_content(&m->out, text);
	emit_bool(&m->out, "isError", true);
}

/* The result of a row with an output schema that it does not fit: a client would throw it away whole. */
static void emit_unfit(struct mcp *m, struct str text, const struct problem *why)
{
	struct buf said = BUF_ARENA(m->r->arena);

	buf_puts(&said, "ERR:output_schema:");
	buf_puts(&said, why->detail[0] ? why->detail : "the result is no JSON");
	emit_begin(&m->out, "content", '[');
	mcp_result_block(&m->out, buf_str(&said));
	mcp_result_block(&m->out, text);
	emit_end(&m->out, ']');
	emit_bool(&m->out, "isError", true);
}

/* A result without its label, and what it is as JSON. */
static void emit_value(struct mcp *m, const struct dispatch_result *d, const struct entry *e)
{
	struct str text = str_skip(d->result, d->label);
	const struct schema *s = e ? directory_output(m->r->service->directory, e) : NULL;
	struct json_object *o = NULL;
	struct problem why = { 0 };
	bool json = may_be_json(str_trim(text)) && json_parse(m->r->arena, text, &o, NULL) == 0;

	if (json && e && e->mcp_content && is_content(o)) {
		emit_own_content(m, o);
	} else if (s && (!json || schema_validate(s, m->r->arena, o, &why) < 0)) {
		emit_unfit(m, text, &why);
	} else {
		emit_begin(&m->out, "content", '[');
		if (json || !mcp_result_media(&m->out, text, arena_printf(m->r->arena, "rowcall://result/%s", d->id)))
			mcp_result_block(&m->out, text);
		emit_end(&m->out, ']');
		if (json)
			emit_structured(m, o, m->era == MCP_LEGACY &&
					(json_object_is_type(o, json_type_object) ? s && tool_output_wraps(s) : true));
		emit_bool(&m->out, "isError", false);
	}
}

static void emit_receipt(struct mcp *m, const char *id)
{
	struct buf url = BUF_ARENA(m->r->arena);

	buf_puts(&url, m->r->service->conf->base_url);
	buf_puts(&url, "/receipt/");
	buf_puts(&url, id);
	emit_text(&m->out, MCP_OWN "invocation", id);
	emit_str(&m->out, MCP_OWN "receipt", buf_str(&url));
}

void mcp_result_run(struct mcp *m, const struct dispatch_result *d, const struct entry *e)
{
	struct buf *out = mcp_begin(m);

	if (d->ok)
		emit_value(m, d, e);
	else
		emit_failed(m, d->result);
	emit_begin(out, "_meta", '{');
	emit_receipt(m, d->id);
	emit_text(out, MCP_OWN "trace", d->trace);
	emit_text(out, MCP_OWN "contract", d->contract);
	if (d->replayed)
		emit_bool(out, MCP_OWN "replayed", true);
	emit_end(out, '}');
	if (d->replayed)
		response_header(m->r->res, "Idempotent-Replayed", "true");
	mcp_end(m);
}

static void add_line(struct buf *out, struct str line)
{
	if (line.n)
		buf_putc(out, '\n');
	buf_putstr(out, line);
}

void mcp_result_refused(struct mcp *m, const struct problem *why)
{
	struct json_object *o = arena_json(m->r->arena, response_error(why));
	struct buf said = BUF_ARENA(m->r->arena), *out = mcp_begin(m);

	buf_puts(&said, "ERR:");
	buf_puts(&said, why->error);
	add_line(&said, json_str(json_get(o, "detail")));
	add_line(&said, json_str(json_get(o, "how_to_fix")));
	add_line(&said, json_str(json_get(o, "mint")));
	emit_failed(m, buf_str(&said));
	emit_begin(out, "_meta", '{');
	emit_text(out, MCP_OWN "trace", m->r->trace.id);
	emit_json(m, MCP_OWN "refusal", o);
	emit_end(out, '}');
	mcp_end(m);
}

void mcp_result_text(struct mcp *m, struct str text, bool json)
{
	struct buf *out = mcp_begin(m);

	emit_text_content(out, text);
	if (json)
		emit_raw(out, "structuredContent", str_trim(text));
	emit_bool(out, "isError", false);
	mcp_end(m);
}
