/* Reading what MCP servers answer. How the answers are fetched is mcp_client.c's. */
#include <string.h>
#include "base/crypto.h"
#include "call/media.h"
#include "call/mcp_message.h"
#include "lang/authspec.h"

/* Streams */

/* An answer, and not a request, notification or other answer that comes before it. */
static bool answers(struct str text, int64_t id)
{
	struct json_object *o = NULL, *of;
	bool found = false;

	if (json_parse(NULL, text, &o, NULL) == 0 && !json_get(o, "method")) {
		of = json_get(o, "id");
		found = json_object_is_type(of, json_type_int) && json_object_get_int64(of) == id;
	}
	json_object_put(o);
	return found;
}

/* Fields but data, and comments, which begin with the colon, are nothing here. */
static void take_field(struct mcp_stream *s, struct str line)
{
	struct str value = line, name = str_cut(&value, ':');

	if (!str_is(name, "data"))
		return;
	if (s->data.len)
		buf_putc(&s->data, '\n');
	if (value.n && value.p[0] == ' ')
		value = str_skip(value, 1);
	buf_putstr(&s->data, value);
}

static void take_line(struct mcp_stream *s)
{
	struct str line = buf_str(&s->line);

	if (line.n) {
		take_field(s, line);
	} else if (s->data.len && answers(buf_str(&s->data), s->id)) {
		s->answer = buf_str(&s->data);
		return;                 /* the data stays */
	} else {
		buf_clear(&s->data);
	}
	buf_clear(&s->line);
}

/* Bytes from p up to the first end of a line, or all. */
static size_t up_to_end(const char *p, size_t n)
{
	const char *lf = memchr(p, '\n', n), *cr = memchr(p, '\r', lf ? (size_t)(lf - p) : n);

	return cr ? (size_t)(cr - p) : lf ? (size_t)(lf - p) : n;
}

bool mcp_message_stream(struct mcp_stream *s, struct str body)
{
	static const char mark[] = "\xEF\xBB\xBF";

	if (body.n < strlen(mark))
		return false;           /* no event is that short */
	if (s->at == 0 && str_starts(body, mark))
		s->at = strlen(mark);
	while (!s->answer.p && s->at < body.n) {
		size_t n;

		if (s->after_cr && body.p[s->at] == '\n')
			s->at++;
		s->after_cr = false;
		n = up_to_end(body.p + s->at, body.n - s->at);
		buf_add(&s->line, body.p + s->at, n);
		s->at += n;
		if (s->at == body.n)
			break;
		s->after_cr = body.p[s->at++] == '\r';
		take_line(s);
	}
	return s->answer.p != NULL;
}

/* JSON-RPC */

static const char *read_error(struct json_object *error, struct mcp_answer *out)
{
	struct json_object *code = json_get(error, "code");

	if (!json_object_is_type(code, json_type_int))
		return "an error without a code";
	out->code = json_object_get_int64(code);
	out->message = json_str(json_get(error, "message"));
	out->data = json_get(error, "data");
	return NULL;
}

const char *mcp_message_read(struct arena *a, struct str text, int64_t id, struct mcp_answer *out)
{
	struct json_object *o = NULL, *of, *error;
	struct problem why = { 0 };

	*out = (struct mcp_answer){ .message = str_of(NULL) };
	if (json_parse(a, text, &o, &why) < 0)
		return arena_strdup(a, why.detail);
	if (!str_is(json_str(json_get(o, "jsonrpc")), "2.0") || json_get(o, "method"))
		return "no answer of JSON-RPC 2.0";
	of = json_get(o, "id");
	error = json_get(o, "error");
	if (of ? !json_object_is_type(of, json_type_int) || json_object_get_int64(of) != id : !error)
		return "the answer to another request";
	if (error)
		return read_error(error, out);
	out->result = json_get(o, "result");
	return json_object_is_type(out->result, json_type_object) ? NULL : "a result that is no object";
}

/* Results of tools */

static void put_line(struct buf *out, size_t began)
{
	if (out->len > began && out->data[out->len - 1] != '\n')
		buf_putc(out, '\n');
}

/* A data: URI of what is base64 already; what is not becomes empty. */
static void put_data(struct buf *out, struct json_object *block, const char *name)
{
	struct buf bytes = BUF_MALLOC;
	struct str type = json_str(json_get(block, "mimeType")), data = json_str(json_get(block, name));

	if (data.p && crypto_unbase64(&bytes, data) < 0)
		buf_clear(&bytes);
	media_binary(out, type, buf_str(&bytes));
	buf_free(&bytes);
}

static void put_text(struct buf *out, struct json_object *block)
{
	struct str text = json_str(json_get(block, "text"));

	if (text.p)
		buf_putstr(out, text);
}

static void put_image(struct buf *out, struct json_object *block)
{
	put_data(out, block, "data");
}

static void put_link(struct buf *out, struct json_object *block)
{
	struct str uri = json_str(json_get(block, "uri"));

	if (uri.p)
		buf_putstr(out, uri);
}

static void put_resource(struct buf *out, struct json_object *block)
{
	struct json_object *resource = json_get(block, "resource");

	if (json_get(resource, "blob"))
		put_data(out, resource, "blob");
	else
		put_text(out, resource);
}

/* Blocks of another type are left out. */
static const struct block { const char *type; void (*put)(struct buf *out, struct json_object *block); } blocks[] = {
	{ "text", put_text },
	{ "image", put_image },
	{ "audio", put_image },
	{ "resource_link", put_link },
	{ "resource", put_resource },
};

void mcp_message_text(struct buf *out, struct json_object *result)
{
	struct json_object *content = json_get(result, "content"), *structured;
	bool repeated = json_object_object_get_ex(result, "structuredContent", &structured);
	size_t began = out->len, n = json_object_is_type(content, json_type_array) ?
		json_object_array_length(content) : 0;

	if (repeated)
		json_text(out, structured);
	for (size_t i = 0; i < n; i++) {
		struct json_object *block = json_object_array_get_idx(content, i);
		struct str type = json_str(json_get(block, "type"));

		for (size_t k = repeated ? 1 : 0; k < sizeof(blocks) / sizeof(*blocks); k++)
			if (str_is(type, blocks[k].type)) {
				put_line(out, began);
				blocks[k].put(out, block);
			}
	}
}

bool mcp_message_is_error(struct json_object *result)
{
	return json_object_get_boolean(json_get(result, "isError"));
}

/* Headers that mirror the body */

#define MARK_BEGIN "=?base64?"
#define MARK_END   "?="

static bool fits_header(struct str s)
{
	if (!s.n || str_trim(s).n != s.n)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] > 0x7E || ((unsigned char)s.p[i] < 0x20 && s.p[i] != '\t'))
			return false;
	return !(str_starts(s, MARK_BEGIN) && s.n >= strlen(MARK_BEGIN MARK_END) &&
		 memcmp(s.p + s.n - strlen(MARK_END), MARK_END, strlen(MARK_END)) == 0);
}

struct str mcp_message_header(struct arena *a, struct str value)
{
	struct buf b = BUF_ARENA(a);

	if (fits_header(value))
		return value;
	buf_puts(&b, MARK_BEGIN);
	crypto_base64(&b, value);
	buf_puts(&b, MARK_END);
	return buf_str(&b);
}

static void one_param(struct str name, struct json_object *value, void (*fn)(void *ctx, struct str name, struct str value),
	void *ctx)
{
	struct buf header = BUF_MALLOC, number = BUF_MALLOC;

	buf_puts(&header, "Mcp-Param-");
	buf_putstr(&header, name);
	switch (json_object_get_type(value)) {
	case json_type_string:
		fn(ctx, buf_str(&header), json_str(value));
		break;
	case json_type_boolean:
	case json_type_double:
	case json_type_int:
		json_text(&number, value);
		fn(ctx, buf_str(&header), buf_str(&number));
		break;
	default:
		fn(ctx, buf_str(&header), (struct str){ 0 });
		break;
	}
	buf_free(&header);
	buf_free(&number);
}

void mcp_message_params(struct json_object *schema, struct json_object *arguments,
	void (*fn)(void *ctx, struct str name, struct str value), void *ctx)
{
	struct json_object *properties = json_get(schema, "properties");

	if (!json_object_is_type(properties, json_type_object))
		return;
	json_object_object_foreach(properties, key, property) {
		struct json_object *value = json_get(arguments, key);
		struct str name = json_str(json_get(property, "x-mcp-header"));

		if (authspec_header_part(name))
			one_param(name, value, fn, ctx);
		mcp_message_params(property, value, fn, ctx);
	}
}
