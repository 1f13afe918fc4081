/* `x-in`: where in a request a typed argument goes. Only the words; call/placement.c puts the values there. */
#include <string.h>
#include "lang/authspec.h"
#include "lang/place.h"

static const struct { const char *word; bool named; } kinds[] = {
	[PLACE_QUERY] = { "query", true }, [PLACE_LIST] = { "list", true }, [PLACE_HEADER] = { "header", true },
	[PLACE_COOKIE] = { "cookie", true }, [PLACE_JSON] = { "json", true }, [PLACE_FORM] = { "form", false },
};

static const char *fault_of_header(struct str name)
{
	static const char *const credentials[] = { "authorization", "proxy-authorization", "cookie" };

	for (size_t i = 0; i < sizeof(credentials) / sizeof(*credentials); i++)
		if (str_is_fold(name, credentials[i]))
			return "a credential is no argument: name a variable in auth";
	return authspec_header_fault(name);
}

/* RFC 9110 section 8.3.1: type "/" subtype, with parameters. */
static const char *fault_of_type(struct str type)
{
	const char *slash = memchr(type.p, '/', type.n);

	if (!slash || slash == type.p || slash + 1 == type.p + type.n)
		return "json: is followed by a media type";
	return NULL;
}

static const char *fault_of(const struct place *p)
{
	if (!p->name.n)
		return "x-in names nothing";
	for (size_t i = 0; i < p->name.n; i++)
		if ((unsigned char)p->name.p[i] < ' ' || p->name.p[i] == 0x7F)
			return "x-in holds a control character";
	if (p->kind == PLACE_HEADER)
		return fault_of_header(p->name);
	if (p->kind == PLACE_COOKIE)
		return authspec_header_fault(p->name) ? "a cookie's name is letters, digits and !#$%&'*+-.^_`|~" : NULL;
	return p->kind == PLACE_JSON ? fault_of_type(p->name) : NULL;
}

/* False: there is no such word, or a name behind one that takes none. */
static bool word_place(struct str property, struct str text, struct place *out)
{
	struct str rest = text, word = str_cut(&rest, ':');

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!str_is(word, kinds[i].word) || (rest.p && !kinds[i].named))
			continue;
		out->kind = (enum place_kind)i;
		out->name = rest.p ? rest : out->kind == PLACE_JSON ? str_of("application/json") : property;
		return true;
	}
	return false;
}

bool place_read(struct str property, struct json_object *schema, struct place *out)
{
	struct str text = json_str(json_get(schema, "x-in"));

	return text.p && word_place(property, text, out) && !fault_of(out);
}

const char *place_fault(struct json_object *properties, const char **property)
{
	unsigned bodies = 0, headers = 0;

	json_object_object_foreach(properties, name, schema) {
		struct json_object *o = json_get(schema, "x-in");
		struct place p;

		*property = name;
		if (!o)
			continue;
		if (!json_str(o).p || !word_place(str_of(name), json_str(o), &p))
			return "x-in is query, list, header or cookie, with a name behind a colon or not, json or form";
		if (fault_of(&p))
			return fault_of(&p);
		bodies += place_is_body(&p);
		headers += p.kind == PLACE_HEADER;
		if (bodies > 1)
			return "a request has one body";
		if (headers > PLACE_HEADERS_MAX)
			return "there are more than 24 headers";
	}
	return NULL;
}

_Static_assert(PLACE_HEADERS_MAX == 24, "the text of place_fault");
