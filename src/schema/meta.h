/* The meta-schemas that are built in: 2020-12 with its vocabularies, and draft-07. */
#ifndef SCHEMA_META_H
#define SCHEMA_META_H
#include "schema/node.h"

/* A new reference to the document with this URI (without fragment); NULL when it is not built in. */
struct json_object *meta_document(const char *uri);
/* What `$schema` names; -1 when it is neither of the two drafts. A trailing "#" does not matter, nor does http or
 * https. */
int meta_dialect(const char *uri, struct dialect *out);
/* The bit of a vocabulary's URI, 0 when it is unknown. */
unsigned meta_vocabulary(const char *uri);

#endif
