/* The contract document of a row (spec section 7): one model of it, two presentations. */
#ifndef DIRECTORY_DOCUMENT_H
#define DIRECTORY_DOCUMENT_H
#include "directory/directory.h"

/* A move that the presented credential can make: decided by call/gate, presented here. */
struct document_affordance { const char *name; const char *method; struct str url; bool allowed; const char *reason; };

struct document_options {
	const char *base_url;
	const struct document_affordance *affordance;
	size_t affordances;
};

/* Markdown of about 4.4 KB: the scaffolding is the same for every row. */
void document_markdown(const struct entry *e, const struct document_options *o, struct buf *out);
struct json_object *document_json(const struct entry *e, const struct document_options *o);
/* The example argument string: the first of `examples`, else of the docstring's EXAMPLE, else made from the argument labels. The arena's. */
struct str document_example(struct arena *a, const struct entry *e);

#endif
