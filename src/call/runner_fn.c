/* fn rows: the content is a JSON array whose elements, after substitution, are the arguments of a built-in function.
 * What the functions do is in function_*.c. */
#include <stdio.h>
#include "call/arguments.h"
#include "call/functions.h"
#include "call/shape.h"

struct built { const struct function *function; struct json_object **arg; unsigned n; };

static void take_array(struct call *c, struct built *b, struct json_object *list)
{
	b->n = (unsigned)json_object_array_length(list);
	b->arg = arena_alloc(c->arena, (b->n ? b->n : 1) * sizeof(*b->arg));
	for (unsigned i = 0; i < b->n; i++)
		b->arg[i] = json_object_array_get_idx(list, i);
}

static void take_verbatim(struct call *c, struct built *b)
{
	b->n = 1;
	b->arg = arena_alloc(c->arena, sizeof(*b->arg));
	b->arg[0] = arena_json(c->arena, json_new_str(c->entry->doc.payload));
}

static int prepare(struct call *c, struct problem *why)
{
	struct built *b = arena_alloc(c->arena, sizeof(*b));
	struct json_object *list = NULL;
	char missing[32];

	(void)why;
	c->built = b;
	b->function = functions_find(c->entry->target);
	if (!b->function) {
		runner_settle(c, "ERR:fn:unknown_target:", c->entry->target);
		return 0;
	}
	if (b->function->verbatim)
		take_verbatim(c, b);
	else if (arguments_elements(c, &list))
		take_array(c, b, list);
	else
		return 0;
	if (b->n < b->function->min_args) {
		snprintf(missing, sizeof(missing), "%u", b->n + 1);
		functions_fail(c, b->function->name, "missing_argument", str_of(missing));
		c->settled = true;
	}
	return 0;
}

static struct json_object *shape(struct call *c)
{
	const struct built *b = c->built;
	struct json_object *o = json_object_new_object(), *args = json_object_new_array();

	json_put_text(o, "function", b->function->name);
	for (unsigned i = 0; i < b->n; i++)
		json_object_array_add(args, shape_json(c->arena, dispatch_context()->secrets, b->arg[i]));
	json_put(o, "args", args);
	return o;
}

static void run(struct call *c)
{
	const struct built *b = c->built;

	b->function->run(c, b->arg, b->n);
}

static bool intent(const struct call *c)
{
	const struct built *b = c->built;

	return b->function->early;
}

const struct runner runner_fn = { .type = "fn", .prepare = prepare, .shape = shape, .run = run, .intent = intent };
