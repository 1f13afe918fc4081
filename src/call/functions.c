/* Finding a built-in function, and what all of them share. */
#include "call/functions.h"

static const struct function *const tables[] = { function_text, function_rows, function_kv, function_mcp };

const struct function *functions_find(struct str name)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		for (const struct function *f = tables[i]; f->name; f++)
			if (str_is(name, f->name))
				return f;
	return NULL;
}

void functions_each(void (*fn)(void *ctx, const struct function *f), void *ctx)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		for (const struct function *f = tables[i]; f->name; f++)
			fn(ctx, f);
}

struct str functions_text(struct call *c, struct json_object **arg, unsigned n, unsigned i)
{
	struct buf b = BUF_ARENA(c->arena);

	if (i >= n || !arg[i])
		return str_of("");
	if (json_object_is_type(arg[i], json_type_string))
		return json_str(arg[i]);
	json_text(&b, arg[i]);
	return buf_str(&b);
}

void functions_fail(struct call *c, const char *name, const char *fault, struct str detail)
{
	buf_clear(&c->result);
	buf_printf(&c->result, "ERR:fn:%s:%s", name, fault);
	if (!detail.n)
		return;
	buf_putc(&c->result, ':');
	buf_putstr(&c->result, detail);
}

void functions_json(struct call *c, struct json_object *o)
{
	json_text(&c->result, o);
	json_object_put(o);
}
