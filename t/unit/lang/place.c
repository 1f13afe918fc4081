/* `x-in`: words, names, and what is refused. */
#include <string.h>
#include "lang/place.h"
#include "tap.h"

static struct arena *arena;

static struct json_object *json(const char *text)
{
	struct json_object *o = NULL;
	struct problem why;

	if (json_parse(arena, str_of(text), &o, &why) < 0)
		tap_diag("%s: %s", text, why.detail);
	return o;
}

static const char *place(const char *text)
{
	static const char *const names[] = { "query", "list", "header", "cookie", "json", "form" };
	struct place p;
	struct json_object *schema = arena_json(arena, json_object_new_object());

	json_put_text(schema, "x-in", text);
	if (!place_read(str_of("own"), schema, &p))
		return "none";
	return arena_printf(arena, "%s %.*s%s", names[p.kind], (int)p.name.n, p.name.p, place_is_body(&p) ? " body" : "");
}

static const char *fault(const char *properties)
{
	const char *property = "";
	const char *text = place_fault(json(properties), &property);

	return text ? arena_printf(arena, "%s: %s", property, text) : "";
}

static const struct { const char *text, *want; } places[] = {
	{ "query", "query own" }, { "query:page[size]", "query page[size]" }, { "list:tags", "list tags" }, { "header:X-Trace", "header X-Trace" },
	{ "cookie", "cookie own" }, { "json", "json application/json body" }, { "json:application/vnd.api+json", "json application/vnd.api+json body" },
	{ "form", "form own body" }, { "query:a:b", "query a:b" },
	{ "", "none" }, { "Query", "none" }, { "path", "none" }, { "query:", "none" }, { "form:x", "none" }, { "json:text", "none" }, { "json:/x", "none" },
	{ "json:x/", "none" }, { "header:", "none" }, { "header:a b", "none" }, { "header:Host", "none" }, { "header:content-length", "none" },
	{ "header:Authorization", "none" }, { "header:COOKIE", "none" }, { "cookie:a;b", "none" }, { "query:a\nb", "none" },
};

static void faults(void)
{
	struct buf b = BUF_ARENA(arena);

	tap_is_str(fault("{}"), "", "no properties");
	tap_is_str(fault("{\"a\":{\"x-in\":\"query\"},\"b\":{},\"c\":true}"), "", "places and properties without one");
	tap_ok(strstr(fault("{\"a\":{\"x-in\":\"path\"}}"), "a: x-in is query"), "an unknown word");
	tap_ok(strstr(fault("{\"a\":{\"x-in\":1}}"), "a: x-in is query"), "no string");
	tap_ok(strstr(fault("{\"a\":{\"x-in\":\"json\"},\"b\":{\"x-in\":\"form\"}}"), "b: a request has one body"), "two bodies");
	tap_ok(strstr(fault("{\"a\":{\"x-in\":\"header:Cookie\"}}"), "a: a credential is no argument"), "a credential");
	buf_putc(&b, '{');
	for (int i = 0; i < PLACE_HEADERS_MAX; i++)
		buf_printf(&b, "%s\"h%d\":{\"x-in\":\"header\"}", i ? "," : "", i);
	tap_is_str(fault(arena_printf(arena, "%s}", buf_text(&b))), "", "24 headers");
	tap_ok(strstr(fault(arena_printf(arena, "%s,\"z\":{\"x-in\":\"header\"}}", buf_text(&b))), "z: there are more than 24"), "but not 25");
}

int main(void)
{
	arena = arena_new();
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		tap_is_str(place(places[i].text), places[i].want, arena_printf(arena, "x-in %s", places[i].text));
	faults();
	arena_free(arena);
	return tap_done();
}
