/* Which meta-schemas are built in, and the names of dialects and vocabularies. Meta-schemas are data for `$ref` only:
 * schemas are checked by the keywords' compile functions. */
#include <string.h>
#include "base/json.h"
#include "base/log.h"
#include "schema/meta.h"
#include "schema/meta_schemas.inc"

#define BASE_2020 "https://json-schema.org/draft/2020-12/"
static const struct {
	const char *uri, *text;
} documents[] = {
	{ BASE_2020 "schema", draft_2020 },
	{ BASE_2020 "meta/core", meta_core },
	{ BASE_2020 "meta/applicator", meta_applicator },
	{ BASE_2020 "meta/unevaluated", meta_unevaluated },
	{ BASE_2020 "meta/validation", meta_validation },
	{ BASE_2020 "meta/meta-data", meta_meta_data },
	{ BASE_2020 "meta/format-annotation", meta_format_annotation },
	{ BASE_2020 "meta/content", meta_content },
	{ "http://json-schema.org/draft-07/schema", draft_07 },
};

static const struct {
	const char *uri;
	unsigned bit;
} vocabularies[] = {
	{ BASE_2020 "vocab/core", VOCABULARY_CORE },
	{ BASE_2020 "vocab/applicator", VOCABULARY_APPLICATOR },
	{ BASE_2020 "vocab/unevaluated", VOCABULARY_UNEVALUATED },
	{ BASE_2020 "vocab/validation", VOCABULARY_VALIDATION },
	{ BASE_2020 "vocab/meta-data", VOCABULARY_META_DATA },
	{ BASE_2020 "vocab/format-annotation", VOCABULARY_FORMAT },
	{ BASE_2020 "vocab/content", VOCABULARY_CONTENT },
};

/* http and https name the same thing here. */
static struct str without_scheme(const char *uri)
{
	struct str s = str_of(uri);

	if (str_starts(s, "https://"))
		return str_skip(s, strlen("https://"));
	if (str_starts(s, "http://"))
		return str_skip(s, strlen("http://"));
	return s;
}

struct json_object *meta_document(const char *uri)
{
	struct json_object *o = NULL;

	for (size_t i = 0; i < sizeof(documents) / sizeof(*documents); i++) {
		if (!str_eq(without_scheme(documents[i].uri), without_scheme(uri)))
			continue;
		if (json_parse(NULL, str_of(documents[i].text), &o, NULL) < 0)
			log_fatal("the built-in meta-schema %s is not JSON", uri);
		return o;
	}
	return NULL;
}

int meta_dialect(const char *uri, struct dialect *out)
{
	struct str s = without_scheme(uri);

	if (s.n && s.p[s.n - 1] == '#')
		s.n--;
	if (str_is(s, "json-schema.org/draft/2020-12/schema"))
		*out = (struct dialect){ DRAFT_2020, VOCABULARY_ALL };
	else if (str_is(s, "json-schema.org/draft-07/schema"))
		*out = (struct dialect){ DRAFT_07, VOCABULARY_ALL };
	else
		return -1;
	return 0;
}

unsigned meta_vocabulary(const char *uri)
{
	for (size_t i = 0; i < sizeof(vocabularies) / sizeof(*vocabularies); i++)
		if (strcmp(uri, vocabularies[i].uri) == 0)
			return vocabularies[i].bit;
	return 0;
}
