/* Filling in of defaults. */
#ifndef SCHEMA_DEFAULTS_H
#define SCHEMA_DEFAULTS_H
#include "schema/node.h"

/* As schema_defaults says. */
void defaults_fill(const struct schema *s, struct json_object *instance);

#endif
