/* The gate: one function, before any runner, fails closed; the first reason wins (spec section 8). What it cannot see,
 * uses and rates that other workers take at this moment, is counted by the writer: see token_take. */
#ifndef CALL_GATE_H
#define CALL_GATE_H
#include "call/caller.h"

struct gate_request {
	struct arena *arena;            /* for what a refusal says; NULL: only the verdict, uses left are not looked up */
	const struct caller *caller;
	const struct entry *entry;
	bool plain;                     /* the arguments are a string, or none */
	struct str body;                /* that string */
	size_t payload;                 /* bytes of the arguments */
	/* A step of a flow or agent: the token is read again, and its pin, fixed body, ceiling of bytes, uses and rate are
	 * the outer call's alone. */
	bool inner;
	bool paid;                      /* a call that was made before, to be answered again: uses left are not asked for */
};

/* 0 may run. -1 with the literal reason and status; extra "needs" says which token would do, where one would. In this
 * order: 401 `unauthorized` (nobody beyond the setting `anonymous`); 401 `revoked`, `expired`, `ancestor_revoked`,
 * `ancestor_expired`; 403 `scope_mismatch`; 403 `audience_bound:<aud>`; 403 `owner_gate_required`; 409
 * `row_replaced:<KEY>`, `contract_changed:<pinned>!=<current>`; 403 `risk_ceiling:low<row:high`; 403
 * `body_not_allowed:fixed_body_only`; 413 `payload_ceiling:<bytes>><max>`; 429 `token_exhausted`; 409
 * `row_disabled:<KEY>`. */
int gate_check(const struct gate_request *g, struct problem *why);
/* True when each call of the credential waits for the owner. */
bool gate_holds(const struct caller *c);

#endif
