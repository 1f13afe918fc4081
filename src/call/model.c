/* Routing of models. What is said to one is chat's. */
#include <fnmatch.h>
#include <stdlib.h>
#include "base/mem.h"
#include "call/model.h"

/* The section of a name in front of a colon. */
static bool find_named(const struct conf *c, struct str target, struct model *out)
{
	struct str rest = target, name = str_cut(&rest, ':');

	if (!rest.n)
		return false;
	for (out->section = c->models; out->section; out->section = out->section->next)
		if (str_is(name, out->section->pattern))
			break;
	out->name = rest;
	return out->section != NULL;
}

static bool find_pattern(const struct conf *c, struct str target, struct model *out)
{
	char *text = mem_strndup(target.p, target.n);

	for (out->section = c->models; out->section; out->section = out->section->next)
		if (fnmatch(out->section->pattern, text, 0) == 0)
			break;
	out->name = target;
	free(text);
	return out->section != NULL;
}

bool model_find(const struct conf *c, struct str target, struct model *out)
{
	if (!target.n || (!find_named(c, target, out) && !find_pattern(c, target, out)))
		return false;
	if (out->section->name[0])
		out->name = str_of(out->section->name);
	return true;
}

int64_t model_cost(const struct model *m, int64_t tokens_in, int64_t tokens_out)
{
	const int64_t million = 1000000;
	int64_t v = tokens_in * m->section->price_in_microusd + tokens_out * m->section->price_out_microusd;

	return v / million + (v % million > 0);
}
