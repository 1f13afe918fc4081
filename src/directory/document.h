/* The contract document of a row (spec section 7): one model of it, two presentations. */
#ifndef DIRECTORY_DOCUMENT_H
#define DIRECTORY_DOCUMENT_H
#include "directory/directory.h"

/* A move that the presented credential can make: decided by call/gate, presented here. */
struct document_affordance {
	const char *name;               /* "invoke" */
	const char *method;
	struct str url;                 /* complete */
	bool allowed;
	const char *reason;             /* why not; NULL or "" when allowed */
	const char *adds;               /* JSON object: members that make the call this move; NULL: none */
};

struct document_options {
	const char *base_url;           /* without a slash at the end */
	const struct document_affordance *affordance;
	size_t affordances;
};

/* Markdown of about 4.4 KB: the scaffolding is the same for every row, and the key stands in it five times. */
void document_markdown(const struct entry *e, const struct document_options *o, struct buf *out);
/* The same facts as fields; to be put by the caller. */
struct json_object *document_json(const struct entry *e, const struct document_options *o);
/* The example argument string: the first of `examples`, else of the docstring's EXAMPLE, else made from the argument
 * labels (ARGS, the schema's properties, the slots of the template). The arena's; never NULL. */
struct str document_example(struct arena *a, const struct entry *e);
/* A text as one line: runs of white space and control characters are one blank, none at the ends. The arena's. */
struct str document_line(struct arena *a, struct str s);
/* The URL that runs that example, with a mark in the place of the token. The arena's. */
struct str document_run_url(struct arena *a, const struct entry *e, const char *base_url);

#endif
