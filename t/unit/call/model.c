/* Which section serves a model, and what tokens cost; which categories an agent has. */
#include <string.h>
#include "call/chat.h"
#include "call/model.h"
#include "call/tools.h"
#include "tap.h"

static struct conf_model section[] = {
	{ .pattern = (char[]){ "gpt-4*" }, .name = (char[]){ "" }, .price_in_microusd = 400000, .price_out_microusd = 1600000 },
	{ .pattern = (char[]){ "gw" }, .name = (char[]){ "" } },
	{ .pattern = (char[]){ "m?" }, .name = (char[]){ "real-name" } },
	{ .pattern = (char[]){ "[xy]/*" }, .name = (char[]){ "" }, .price_in_microusd = INT64_C(100000000000),
	  .price_out_microusd = INT64_C(100000000000) },
	{ .pattern = (char[]){ "*" }, .name = (char[]){ "" } },
};

enum { SECTIONS = sizeof(section) / sizeof(section[0]) };

static void routes(void)
{
	static const struct { const char *target; int section; const char *name; } cases[] = {
		{ "gpt-4.1-mini", 0, "gpt-4.1-mini" }, { "gpt-4", 0, "gpt-4" }, { "gw:openai/gpt-4.1-mini", 1, "openai/gpt-4.1-mini" },
		{ "gw", 1, "gw" }, { "gw:", 4, "gw:" }, { "gw2:x", 4, "gw2:x" }, { "llama3:8b", 4, "llama3:8b" },
		{ "m1", 2, "real-name" }, { "m12", 4, "m12" }, { "x/y/z", 3, "x/y/z" }, { "GPT-4", 4, "GPT-4" },
		{ "gw:a:b", 1, "a:b" },
	};
	struct conf c = { .models = section };
	struct model m;

	for (int i = 0; i + 1 < SECTIONS; i++)
		section[i].next = &section[i + 1];
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		tap_ok(model_find(&c, str_of(cases[i].target), &m) && m.section == &section[cases[i].section] &&
		       str_is(m.name, cases[i].name), "%s is %s of section %d", cases[i].target, cases[i].name, cases[i].section);
	tap_ok(!model_find(&c, str_of(""), &m), "no name has no section");
	section[3].next = NULL;
	tap_ok(!model_find(&c, str_of("other"), &m) && !model_find(&c, str_of("x"), &m), "nor has one that none fits");
	c.models = NULL;
	tap_ok(!model_find(&c, str_of("gpt-4"), &m), "nor any when there are none");
}

static void costs(void)
{
	struct model m = { .section = &section[0] };

	tap_is_int(model_cost(&m, 0, 0), 0, "nothing costs nothing");
	tap_is_int(model_cost(&m, 1000000, 0), 400000, "a million sent");
	tap_is_int(model_cost(&m, 0, 1000000), 1600000, "a million back");
	tap_is_int(model_cost(&m, 1, 0), 1, "a fraction is rounded up");
	tap_is_int(model_cost(&m, 5, 5), 10, "and what is whole is not");
	m.section = &section[3];
	tap_is_int(model_cost(&m, CHAT_TOKENS_MAX, CHAT_TOKENS_MAX), INT64_C(2000000000000), "the most there can be");
}

static void categories(void)
{
	static const struct { const char *allowed, *category; bool want; } cases[] = {
		{ NULL, "a", false }, { "", "a", false }, { "a", "a", true }, { "a, b ,c", "b", true }, { "a,b", "A", false },
		{ "*", "a", true }, { "b,*", "a", true }, { "ab", "a", false }, { "a,,b", "", false }, { " , ", "", false },
		{ "*", NULL, true }, { "a", NULL, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		tap_ok(tools_allow(str_of(cases[i].allowed), str_of(cases[i].category)) == cases[i].want, "`%s` %s `%s`",
		       cases[i].allowed ? cases[i].allowed : "(null)", cases[i].want ? "has" : "has not",
		       cases[i].category ? cases[i].category : "(null)");
}

int main(void)
{
	routes();
	costs();
	categories();
	return tap_done();
}
