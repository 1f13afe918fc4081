/* Putting a prompt together. A prompt is no template: nothing in it is replaced but the one mark for the tools. */
#include <string.h>
#include "base/escape.h"
#include "call/arguments.h"
#include "call/prompt.h"
#include "call/tools.h"

#define MARK "{{TOOLS}}"

static int add_block(struct buf *out, struct arena *a, struct str key, const struct caller *reader, struct problem *why)
{
	struct entry *e = NULL;

	if (directory_get(dispatch_context()->directory, a, key, &e, why) < 0)
		return -1;
	if (!e || !str_is(e->target, "prompt_block") || (reader && !caller_reads(reader, e->key, e->category, true)))
		return 0;
	buf_putstr(out, e->doc.payload);
	buf_puts(out, "\n\n");
	return 0;
}

static int add_blocks(struct buf *out, struct arena *a, const struct entry *e, const struct caller *reader,
	struct problem *why)
{
	struct str *name = arena_alloc(a, CONTRACT_INCLUDES_MAX * sizeof(*name));
	size_t names = contract_includes(row_text(&e->row, ROW_INCLUDES), name, CONTRACT_INCLUDES_MAX);

	for (size_t i = 0; i < names && i < CONTRACT_INCLUDES_MAX; i++)
		if (add_block(out, a, name[i], reader, why) < 0)
			return -1;
	return 0;
}

static void put_tools(struct buf *out, struct str text, struct str list)
{
	long at;

	while ((at = str_find(text, str_of(MARK))) >= 0) {
		buf_add(out, text.p, (size_t)at);
		buf_putstr(out, list);
		text = str_skip(text, (size_t)at + strlen(MARK));
	}
	buf_putstr(out, text);
}

int prompt_system(struct buf *out, struct arena *a, const struct entry *e, const struct caller *tools,
	const struct caller *reader, struct problem *why)
{
	struct buf text = BUF_ARENA(a), list = BUF_ARENA(a);
	bool agent = str_is(e->type, "agent");

	if (add_blocks(&text, a, e, reader, why) < 0)
		return -1;
	buf_putstr(&text, agent ? e->content : e->doc.payload);
	if (!agent || str_find(buf_str(&text), str_of(MARK)) < 0) {
		buf_putstr(out, buf_str(&text));
		return 0;
	}
	if (tools_list(&list, tools, row_text(&e->row, ROW_ALLOWED_CATEGORIES), why) < 0)
		return -1;
	put_tools(out, buf_str(&text), str_trim(buf_str(&list)));
	return 0;
}

int prompt_begin(struct call *c, const struct caller *tools, const struct caller *reader, struct prompt *out,
	struct problem *why)
{
	struct buf system = BUF_ARENA(c->arena), user = BUF_ARENA(c->arena);

	if (prompt_system(&system, c->arena, c->entry, tools, reader, why) < 0)
		return -1;
	escape_utf8(&user, template_join(c->arena, c->args.arg, c->args.n));
	*out = (struct prompt){ buf_str(&system), buf_str(&user) };
	return 0;
}

int prompt_preview(const struct dispatch_request *r, struct entry *e, struct prompt *out, struct problem *why)
{
	struct dispatch_request q = *r;
	struct caller tools = *r->caller;
	struct call c = { .request = &q, .arena = r->arena, .entry = e };

	tools.low_risk = tools.low_risk || !e->sensitive;
	if (dispatch_gate(&q, e, false, why) < 0)
		return -1;
	q.named = arguments_typed(&c, q.named);
	return arguments_read(&c, why) < 0 ? -1 : prompt_begin(&c, &tools, r->caller, out, why);
}
