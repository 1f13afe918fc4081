/* A schema written out, for readers that follow no references. */
#ifndef SCHEMA_PLAIN_H
#define SCHEMA_PLAIN_H
#include "base/buf.h"
#include "schema/node.h"

struct problem;

/* As schema_plain says. */
int plain_write(const struct schema *s, struct buf *out, struct problem *why);

#endif
