/* The operations of an OpenAPI document, 3.0 or 3.1, as http rows. */
#ifndef IMPORT_OPENAPI_H
#define IMPORT_OPENAPI_H
#include "base/problem.h"
#include "import/draft.h"

enum {
	OPENAPI_DOCUMENT_MAX = 8 << 20, /* bytes */
	OPENAPI_ARGUMENTS_MAX = 64,     /* of one row */
	OPENAPI_ROWS_MAX = 10000,       /* of one document */
	OPENAPI_TEXT_MAX = 32 << 20,    /* bytes of all its rows together: what many operations refer to is written out in each */
};

struct openapi_wishes {
	const char *prefix;             /* put before every key and every variable; NULL: keys have none, variables the host */
	const char *category;           /* NULL: an operation's first tag, else the host */
	const char *server;             /* URL in place of the document's servers */
	const char *source;             /* URL that the document is from, for servers without a host; NULL: none */
	const struct str *tag;          /* only operations with one of these; n 0: all */
	size_t tags;
	const struct str *only;         /* only those whose key, operationId or `METHOD /path` fits a pattern (* ? [) */
	size_t onlys;
};

/* Reads JSON (a text that begins with "{") or YAML. -1: 400 `invalid_json`, `invalid_yaml`; 413 `file_too_large`. */
int openapi_read(struct arena *a, struct str text, struct json_object **document, struct problem *why);
/* What the input_schema of the document's rows has as `x-source`: whose they are. The arena's. */
const char *openapi_source(struct draft *d, struct json_object *document, const struct openapi_wishes *wishes);
/* A row for each operation, in the document's order. Arguments are, in this order, those of path, query, headers,
 * cookies (x-in, lang/place.h) and `body`. Keys are made of operationId, else of method and path; of two that are the
 * same the later one is made of both. d->notes tells what is left out. -1: 400 `invalid_openapi`: no document of these
 * versions; 413 `file_too_large`: more than OPENAPI_ROWS_MAX rows or OPENAPI_TEXT_MAX bytes of them. */
int openapi_convert(struct draft *d, struct json_object *document, const struct openapi_wishes *wishes, struct problem *why);

#endif
