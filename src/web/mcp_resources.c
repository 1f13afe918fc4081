/* Contract documents as MCP's resources: rowcall://contract/KEY is what GET /api/dispatch?key=KEY gives in markdown. */
#include <string.h>
#include "directory/document.h"
#include "web/emit.h"
#include "web/mcp.h"

#define MARKDOWN "text/markdown"

static bool lists(const struct caller *who, const struct directory_item *item)
{
	return caller_reads(who, item->key, item->category, item->enabled);
}

static struct str uri_of(struct arena *a, struct str key)
{
	return str_of(arena_printf(a, MCP_RESOURCES_CONTRACT "%.*s", (int)key.n, key.p));
}

static bool emit_resource(const struct mcp *m, struct buf *out, struct arena *a, const struct entry *e)
{
	struct str what = document_line(a, e->doc.label[DOC_WHAT]);

	if (!caller_reads(&m->r->caller, e->key, e->category, e->enabled))
		return false;
	emit_begin(out, NULL, '{');
	emit_str(out, "uri", uri_of(a, e->key));
	emit_str(out, "name", e->key);
	if (what.n)
		emit_str(out, "description", what);
	emit_text(out, "mimeType", MARKDOWN);
	mcp_rows_meta(out, e);
	emit_end(out, '}');
	return true;
}

const struct mcp_view mcp_resources_view = { .name = "resources", .lists = lists, .emit = emit_resource };

void mcp_resources_list(struct mcp *m)
{
	mcp_rows_list(m, &mcp_resources_view);
}

/* One page, which never changes. */
void mcp_resources_templates(struct mcp *m)
{
	struct buf *out;

	if (mcp_rows_only_page(m) < 0)
		return;
	out = mcp_begin(m);
	emit_begin(out, "resourceTemplates", '[');
	emit_begin(out, NULL, '{');
	emit_text(out, "uriTemplate", MCP_RESOURCES_TEMPLATE);
	emit_text(out, "name", "contract");
	emit_text(out, "title", "Contract of a row");
	emit_text(out, "description", "What the row does, its arguments, effects and examples, and how to call it.");
	emit_text(out, "mimeType", MARKDOWN);
	emit_end(out, '}');
	emit_end(out, ']');
	mcp_cacheable(m, MCP_FIXED_TTL_MS, true);
	mcp_end(m);
}

static void not_found(struct mcp *m, struct str uri)
{
	struct json_object *data = json_object_new_object();

	json_put_str(data, "uri", uri);
	mcp_error(m, m->era == MCP_MODERN ? MCP_INVALID_PARAMS : MCP_RESOURCE_NOT_FOUND, data, "there is no such resource");
}

/* What is read of a contract, as an object of that name. 1; 0: uri is none that the caller sees, and nothing was emitted.
 * -1 after answering. */
static int emit_contents(struct mcp *m, struct buf *out, const char *name, struct str uri)
{
	struct problem why = { 0 };
	struct entry *e = NULL;
	struct str text;

	if (str_starts(uri, MCP_RESOURCES_CONTRACT) &&
	    mcp_rows_find(m, str_skip(uri, strlen(MCP_RESOURCES_CONTRACT)), &e) < 0)
		return -1;
	if (!e)
		return 0;
	if (rest_dispatch_markdown(m->r, e->key, &text, &why) < 0) {
		mcp_problem(m, &why);
		return -1;
	}
	emit_begin(out, name, '{');
	emit_str(out, "uri", uri);
	emit_text(out, "mimeType", MARKDOWN);
	emit_str(out, "text", text);
	mcp_rows_meta(out, e);
	emit_end(out, '}');
	return 1;
}

int mcp_resources_block(struct mcp *m, struct buf *out, struct str uri)
{
	size_t before = out->len;
	int got;

	emit_begin(out, NULL, '{');
	emit_text(out, "type", "resource");
	got = emit_contents(m, out, "resource", uri);
	emit_end(out, '}');
	if (got <= 0)
		out->len = before;
	return got;
}

void mcp_resources_read(struct mcp *m)
{
	struct str uri;
	struct buf *out;
	int got;

	if (mcp_string(m, "uri", true, &uri) < 0)
		return;
	out = mcp_begin(m);
	emit_begin(out, "contents", '[');
	got = emit_contents(m, out, NULL, uri);
	if (got < 0)
		return;
	if (!got) {
		not_found(m, uri);
		return;
	}
	emit_end(out, ']');
	mcp_rows_cacheable(m);
	mcp_end(m);
}
