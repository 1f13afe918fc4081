/* YAML as a JSON value: YAML 1.1 as libyaml reads it, plain scalars by the core schema of 1.2 (so `no` is a text). */
#ifndef IMPORT_YAML_H
#define IMPORT_YAML_H
#include "base/json.h"

enum {
	YAML_DEPTH_MAX = 64,            /* nesting */
	YAML_NODES_MAX = 500000,        /* values, those that aliases stand for counted each time */
	YAML_ANCHORS_MAX = 4096,
};

/* One document. Anchors, aliases and merge keys (`<<`) are followed; names of members are scalars, taken as text; a
 * name that stands twice is refused, as is an alias inside of what it names. -1: 400 `invalid_yaml`, detail with line
 * and column. *out is the arena's. */
int yaml_read(struct arena *a, struct str text, struct json_object **out, struct problem *why);

#endif
