/* What watches calls of sensitive rows (spec section 8): rules, the first that fits decides; then the row that the setting
 * `watcher` names, if any, which must answer ALLOW. Fails closed. */
#ifndef CALL_WATCH_H
#define CALL_WATCH_H
#include "call/dispatch.h"

enum {
	WATCH_RULES_MAX = 100,
	WATCH_PATTERN_MAX = 256,        /* bytes of a pattern */
	WATCH_REASON_MAX = 128,         /* bytes of a reason */
};

enum watch_decision { WATCH_ALLOW, WATCH_HOLD, WATCH_DENY };

struct watch_verdict {
	enum watch_decision decision;
	char reason[WATCH_REASON_MAX + 1];
};

/* input: the arguments as they are recorded. May suspend: the watcher row is called. */
void watch_decide(const struct dispatch_request *r, const struct entry *e, struct str input, struct watch_verdict *out);

#define WATCH_FIELDS "key_pattern body_pattern decision reason rank"
/* Adds a rule from the fields of POST /api/watch, with its event. id is "wr_…". -1: 422 `bad_field`, 409
 * `watch_rules_full`, 503. */
int watch_add(struct arena *a, struct json_object *fields, const char *actor, const char *trace, char id[32],
	struct problem *why);
/* -1: 404 `watch_rule_not_found`, 503. */
int watch_drop(struct arena *a, struct str id, const char *actor, const char *trace, struct problem *why);
/* The rules in their order: a new array, or NULL with why 503. */
struct json_object *watch_list(struct arena *a, struct problem *why);

#endif
