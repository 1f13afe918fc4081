/* The OpenAPI 3.1 document: the service's own interface from the table of routes, and an operation for each row. Only
 * text; who sees which rows is rest_projection.c's. */
#ifndef WEB_OPENAPI_H
#define WEB_OPENAPI_H
#include "directory/directory.h"

struct openapi_row {
	const char *base;               /* base_url */
	struct entry *e;
	const struct schema *schema;    /* of its arguments, or NULL */
	bool anyone;                    /* callable without a credential */
};

/* begin, any number of rows, end: one document. operationId of a row is its key; those of the interface hold a "-", so
 * the two never collide. */
void openapi_begin(struct buf *out, const char *base);
/* Scratch memory is a's. */
void openapi_row(struct buf *out, struct arena *a, const struct openapi_row *r);
void openapi_end(struct buf *out);

#endif
