/* The handlers of routes.c and what they share: one struct rest a request. Adding one: a function here, a row in
 * routes.c, a test in t/api. */
#ifndef WEB_REST_H
#define WEB_REST_H
#include "call/caller.h"
#include "call/dispatch.h"
#include "web/request.h"
#include "web/response.h"
#include "web/router.h"
#include "web/routes.h"

#define REST_PROTOCOL "rowcall/1"

enum { REST_ROWS_MAX = 1000 };          /* entries of one answer that is a list */

struct rest {
	const struct router_context *service;
	const struct route *route;      /* NULL when none was found */
	struct str arg[ROUTES_ARGS_MAX];
	struct request *req;
	struct response *res;
	struct arena *arena;
	struct json_object *body;       /* with ROUTE_BODY: an object, the arena's */
	struct caller caller;
	struct dispatch_trace trace;
};

/* router.c: shared by handlers */
/* Answers with the error, with "ran":false where the route says so. */
void router_fail(struct rest *r, const struct problem *why);
/* 404 `not_found`. */
void router_not_found(struct rest *r, const char *detail);
/* A document that depends on the credential: ETag, Vary, Cache-Control: private, no-cache; 304 when If-None-Match has
 * etag. body is the arena's. */
void router_document(struct rest *r, const char *type, const char *etag, struct str body);
/* A whole number from the query, `dflt` when absent. -1 after answering 400 `bad_parameter`. */
int router_number(struct rest *r, const char *name, int64_t min, int64_t max, int64_t dflt, int64_t *out);
/* A parameter that is there or not, "registry=1": -1 after answering 400 `bad_parameter` when its value is another. */
int router_switch(struct rest *r, const char *name);
/* 400 `unknown_field` unless every member of the body is among `names`, separated by blanks. -1 after answering. */
int router_fields(struct rest *r, const char *names);
/* 422 `secret_in_input` when a text of the body holds a known secret or the token presented: what is stored never does.
 * -1 after answering. */
int router_no_secrets(struct rest *r);

/* rest_directory.c: rows */
void rest_directory_list(struct rest *r);
void rest_directory_categories(struct rest *r);
void rest_directory_get(struct rest *r);
void rest_directory_create(struct rest *r);
void rest_directory_put(struct rest *r);
void rest_directory_patch(struct rest *r);
void rest_directory_delete(struct rest *r);
void rest_directory_restore(struct rest *r);
void rest_directory_batch(struct rest *r);

/* An element of a list: the row as the interface shows it, its columns, row_num, and the digest of its contract. */
void rest_directory_emit(const struct rest *r, struct buf *out, const struct entry *e, int64_t row_num);

/* rest_ask.c: questions in plain words */
void rest_ask(struct rest *r);
void rest_ask_search(struct rest *r);
void rest_ask_learned(struct rest *r);
void rest_ask_forget(struct rest *r);

struct ask;
/* ask_answer for the caller of the request, the question kept. a: text, category, limit and budget. */
int rest_ask_answer(struct rest *r, struct ask *a, struct str *out, struct problem *why);

/* rest_event.c: what happened to rows */
void rest_event_history(struct rest *r);
void rest_event_contract(struct rest *r);
void rest_event_list(struct rest *r);
void rest_event_verify(struct rest *r);

/* rest_dispatch.c: calls and contract documents */
void rest_dispatch_post(struct rest *r);
void rest_dispatch_invoke(struct rest *r);
void rest_dispatch_ping(struct rest *r);
void rest_dispatch_explain(struct rest *r);
void rest_dispatch_run(struct rest *r);
void rest_dispatch_document(struct rest *r);
void rest_dispatch_index(struct rest *r);

/* The contract document of a row in markdown, as it is for the caller; the arena's. -1 with why: 404 `unknown_key`,
 * also for what the caller may not read, or 503. */
int rest_dispatch_markdown(struct rest *r, struct str key, struct str *out, struct problem *why);

/* rest_projection.c: rows in the forms of others */
void rest_projection_openapi(struct rest *r);
void rest_projection_tools(struct rest *r);
void rest_projection_llms(struct rest *r);

/* rest_registry.c: all rows in one document */
void rest_registry_all(struct rest *r);

/* rest_receipt.c: what calls left behind */
void rest_receipt_confirm(struct rest *r);
void rest_receipt_full(struct rest *r);
void rest_receipt_ledger(struct rest *r);
void rest_receipt_prune(struct rest *r);
void rest_receipt_page(struct rest *r);

/* rest_token.c: capability tokens */
void rest_token_mint(struct rest *r);
void rest_token_attenuate(struct rest *r);
void rest_token_list(struct rest *r);
void rest_token_get(struct rest *r);
void rest_token_revoke(struct rest *r);

/* rest_watch.c: rules for sensitive calls, and calls that wait for the owner */
void rest_watch_add(struct rest *r);
void rest_watch_list(struct rest *r);
void rest_watch_drop(struct rest *r);
void rest_approval_list(struct rest *r);
void rest_approval_get(struct rest *r);
void rest_approval_decide(struct rest *r);

/* rest_service.c: the service itself */
void rest_service_index(struct rest *r);
void rest_service_healthz(struct rest *r);
void rest_service_status(struct rest *r);
void rest_service_metrics(struct rest *r);
void rest_service_breakers(struct rest *r);
void rest_service_breaker_reset(struct rest *r);

#endif
