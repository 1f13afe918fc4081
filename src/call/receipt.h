/* Receipts: written by the engine in the code path that ran the call, read by anybody who has the id. */
#ifndef CALL_RECEIPT_H
#define CALL_RECEIPT_H
#include "base/crypto.h"
#include "call/caller.h"
#include "store/write.h"

enum {
	RECEIPT_ID = 32,                        /* "inv_" and 26 characters, or "t_" and as many, with NUL */
	RECEIPT_LIMIT = 50, RECEIPT_LIMIT_MAX = 500,    /* rows of a page */
};

struct dispatch_request;

/* What a call has used, with the calls that it made. */
struct receipt_spent { int64_t microusd, tokens_in, tokens_out; };

struct receipt {
	char id[RECEIPT_ID], time[32], key[72], runner[72], actor[96], trace[RECEIPT_ID], parent[RECEIPT_ID];
	char status[16];                /* ok, error, denied, unknown */
	char reason[256];               /* of a denial or an unknown outcome; else "" */
	bool ok, material, sensitive;
	struct receipt_spent spent;
	int64_t duration_us, count;
	/* Fingerprints; "" when there is none. */
	char input[CRYPTO_HEX], output[CRYPTO_HEX], contract[CRYPTO_HEX];
	struct str on_behalf_of, authorized_by;         /* p NULL: none */
	/* Ids of other receipts, "" for none: the one whose input this call ran again, the one that it makes good,
	 * and (as read) the latest that made this one good. */
	char replays[RECEIPT_ID], repairs[RECEIPT_ID], repaired_by[RECEIPT_ID];
	struct str input_text, output_text;             /* payloads, kept for replay; p NULL: not kept */
	char input_form[8];             /* string, array or object; "" when not known */
	bool input_cut, input_redacted, output_cut;
	int64_t n;                      /* as read: order of the commits */
};

/* A new id: "inv_…" or "t_…". */
void receipt_new_id(const char *prefix, char out[RECEIPT_ID]);
/* Fills one of the texts above, cut between characters where it is too long; p NULL gives "". */
void receipt_text(char *out, size_t size, struct str s);
/* What is known of a call before it runs: row, caller, trace, contract. */
void receipt_of_call(struct receipt *p, const struct dispatch_request *r, const struct entry *e);
/* Adds the receipt (and its payload, cut to max_payload bytes a text) to w and makes it the write's proof.
 * max_payload 0: no payload. */
void receipt_add(struct write *w, const struct receipt *r, int64_t max_payload);
/* What is recorded before a call fires that has an effect outside: the receipt without its outcome. */
void receipt_intent_add(struct write *w, const struct receipt *r, int64_t max_payload);
/* Input and output are for the owner and for the credential that made the call; those of a row of high risk not for an
 * agent of low risk. */
bool receipt_is_open_to(const struct receipt *r, const struct caller *c);
/* 1 found, 0 none, -1 with why 503. payload: also input_text and output_text. Memory is the arena's. */
int receipt_get(struct directory *d, struct arena *a, struct str id, bool payload, struct receipt *out,
	struct problem *why);
/* The public view for confirm: `confirmed`, `status` (PROVEN_MATERIAL_RESULT when something material came back, else
 * PROVEN_ATTEMPT_NO_MATERIAL_RESULT), what ran, when, as whom, fingerprints. No payload, no claims, no input and
 * output fingerprints of a sensitive row. A new object, the caller's. */
struct json_object *receipt_public(const struct receipt *r, const char *base_url);
/* The same with claims, all fingerprints and, when they were read, input and output. */
struct json_object *receipt_full(const struct receipt *r, const char *base_url);
/* `confirmed` false for an id that nobody has. A new object. */
struct json_object *receipt_none(struct str id);
/* key, trace, actor: exact, p NULL: any. since: a time (clock_parse). cursor: of the page before. limit 0:
 * RECEIPT_LIMIT. */
struct receipt_filter { struct str key, trace, actor, since, cursor; unsigned limit; };
/* Rows newest first as {count, rows[], cursor}; cursor null at the end. own: only this actor's (NULL: all). The
 * arena's. -1: 400 `bad_since`, `bad_cursor`, `bad_limit`, or 503. */
int receipt_list(struct directory *d, struct arena *a, const struct receipt_filter *f, const char *own,
		 const char *base_url, struct json_object **out, struct problem *why);

#endif
