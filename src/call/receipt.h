/* Receipts: written by the engine in the code path that ran the call, read by anybody who has the id. */
#ifndef CALL_RECEIPT_H
#define CALL_RECEIPT_H
#include "base/crypto.h"
#include "directory/directory.h"
#include "store/write.h"

struct receipt {
	char id[32], time[32], key[72], runner[72], actor[96], trace[32], parent[32];
	char status[16];                /* ok, error, denied, unknown */
	char reason[256];               /* of a denial; else "" */
	bool ok, material, sensitive;
	int64_t cost_microusd, duration_us, count;
	char input[CRYPTO_HEX], output[CRYPTO_HEX], contract[CRYPTO_HEX];
	struct str on_behalf_of, authorized_by;
	struct str input_text, output_text;             /* payloads, kept for replay; p NULL: not kept */
	bool input_cut, input_redacted, output_cut;
};

/* Adds the receipt (and its payload) to w and makes it the write's proof. */
void receipt_add(struct write *w, const struct receipt *r, int64_t max_payload);
void receipt_intent_add(struct write *w, const struct receipt *r);
/* 1 found, 0 none, -1 with why 503. payload: also input_text and output_text. Memory is the arena's. */
int receipt_get(struct directory *d, struct arena *a, struct str id, bool payload, struct receipt *out, struct problem *why);
/* The public view for confirm: no payload, no claims, no input/output fingerprints for a sensitive row. */
struct json_object *receipt_public(const struct receipt *r, const char *base_url);
struct json_object *receipt_full(const struct receipt *r, const char *base_url);
struct receipt_filter { struct str key, trace, actor, since, cursor; unsigned limit; };
/* Rows newest first as {count, rows[], cursor}. own: only this actor's (NULL: all). */
int receipt_list(struct directory *d, struct arena *a, const struct receipt_filter *f, const char *own, const char *base_url, struct json_object **out, struct problem *why);

#endif
