/* mcp_call: a row that calls a tool of somebody else's MCP server. Its content is ["URL", "tool", {arguments}]; the
 * protocol is mcp_client.c's. */
#include "base/clock.h"
#include "call/arguments.h"
#include "call/functions.h"
#include "call/mcp_client.h"
#include "call/mcp_message.h"
#include "call/shape.h"

enum { TOOL_MAX = 256 };                /* bytes of a tool's name */

struct built {
	struct upstream server;
	struct mcp_client *client;
	struct str tool;
	struct json_object *arguments;
};

static bool settle(struct call *c, const char *fault, struct str detail)
{
	functions_fail(c, "mcp_call", fault, detail);
	c->settled = true;
	return false;
}

/* The server is the row's to say: the URL is read from the text of the content, where nothing is substituted yet, and is a
 * template as a target of an http row is. */
static bool read_url(struct call *c, struct target *t)
{
	struct str text = str_trim(c->entry->doc.payload), inside;
	struct buf post = BUF_ARENA(c->arena);
	struct json_object *url = NULL;
	struct problem why = { 0 };
	size_t n = 1;

	inside = str_starts(text, "[") ? str_trim(str_skip(text, 1)) : str_of("");
	while (n < inside.n && inside.p[n] != '"')
		n += inside.p[n] == '\\' ? 2 : 1;
	if (!str_starts(inside, "\"") || n >= inside.n || json_parse(c->arena, str_make(inside.p, n + 1), &url, NULL) < 0)
		return settle(c, "bad_url", str_of("the content does not begin with [\"https://…\""));
	buf_puts(&post, "POST ");
	buf_putstr(&post, json_str(url));
	return target_parse(c->arena, buf_str(&post), t, &why) == 0 || settle(c, "bad_url", str_of(why.detail));
}

/* What stands behind the URL: the tool, and the arguments where they are not the row's own. */
static bool read_call(struct call *c, struct built *b)
{
	struct json_object *list = NULL;
	size_t n;

	if (!arguments_elements(c, &list))
		return false;
	n = json_object_array_length(list);
	b->tool = json_str(n > 1 ? json_object_array_get_idx(list, 1) : NULL);
	if (!b->tool.n)
		return settle(c, "missing_argument", str_of("2"));
	if (b->tool.n > TOOL_MAX)
		return settle(c, "bad_tool", str_of("the name is too long"));
	b->arguments = n > 2 ? json_object_array_get_idx(list, 2) : arguments_named(c);
	return json_object_is_type(b->arguments, json_type_object) || settle(c, "bad_arguments", str_of("not an object"));
}

static int prepare(struct call *c, struct problem *why)
{
	struct built *b = arena_alloc(c->arena, sizeof(*b));
	struct mcp_client *m = b->client = arena_alloc(c->arena, sizeof(*m));

	c->built = b;
	if (!read_url(c, &b->server.target) || !upstream_read_auth(c, &b->server.auth) || !read_call(c, b))
		return 0;
	if (upstream_build(c, &b->server, why) < 0)
		return -1;
	*m = (struct mcp_client){
		.arena = c->arena, .url = b->server.q.url, .scheme = b->server.q.scheme,
		.authority = b->server.q.authority, .auth = &b->server.auth, .secrets = dispatch_context()->secrets,
		.cancel = b->server.q.cancel,
		.schema = schema_document(directory_validator(dispatch_context()->directory, c->entry)),
	};
	return 0;
}

static struct json_object *shape(struct call *c)
{
	struct built *b = c->built;

	mcp_client_preview(b->client, b->tool, b->arguments);
	return shape_request(&b->client->q, &b->server.auth, dispatch_context()->secrets);
}

static void put_fault(struct call *c, struct mcp_fault *f)
{
	buf_putstr(&c->result, buf_str(&f->text));
	if (f->body.p)
		runner_put(c, f->content_type, f->body, f->cut);
}

static void put_result(struct call *c, struct json_object *result)
{
	if (mcp_message_is_error(result))
		buf_puts(&c->result, "ERR:mcp:tool:");
	mcp_message_text(&c->result, result);
}

static void run(struct call *c)
{
	struct built *b = c->built;
	struct mcp_client *m = b->client;
	struct json_object *result;
	int64_t time_ms = runner_time_ms(c, dispatch_context()->conf->upstream_timeout_ms);

	m->deadline_us = clock_mono_us() + time_ms * 1000;
	shared_count(dispatch_context()->shared, COUNT_UPSTREAM_CALLS, 1);
	if (mcp_client_open(m) == 0 && mcp_client_call(m, b->tool, b->arguments, &result) == 0)
		put_result(c, result);
	else
		put_fault(c, &m->fault);
	c->upstream_status = m->status;
	mcp_client_close(m);
}

static bool intent(const struct call *c)
{
	(void)c;
	return true;
}

static const struct runner runner = {
	.type = "fn", .breaker = true, .prepare = prepare, .shape = shape, .run = run, .intent = intent,
};

const struct function function_mcp[] = {
	{ .name = "mcp_call", .min_args = 2, .writes = true, .early = true, .runner = &runner },
	{ .name = NULL },
};
