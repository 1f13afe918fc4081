/* The gate: one function, before any runner, fails closed; the first reason wins (spec section 8). */
#ifndef CALL_GATE_H
#define CALL_GATE_H
#include "call/caller.h"

struct gate_request { const struct caller *caller; const struct entry *entry; struct str body; bool shape; };

/* 0 may run. -1 with the literal reason and status: 401 `unauthorized` (anonymous beyond its scope, or a sensitive
 * row), … */
int gate_check(const struct gate_request *g, struct problem *why);

#endif
