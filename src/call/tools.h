/* The rows that an agent has as its tools: those of its `allowed_categories` that its caller may call. */
#ifndef CALL_TOOLS_H
#define CALL_TOOLS_H
#include "call/dispatch.h"

/* Whether `allowed` (names with commas between; `*`: all; empty: none) has the category; of a row without one only `*`
 * does. */
bool tools_allow(struct str allowed, struct str category);
/* A line for each callable row that lists of tools show, by planner_rank, then key: `KEY: what it does [KEY]example[/KEY]`.
 * May suspend. -1 with why 503 when a row cannot be read. */
int tools_list(struct buf *out, const struct caller *who, struct str allowed, struct problem *why);

#endif
