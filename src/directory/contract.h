/* The contract of a row and its digest (spec section 2.4): what a caller relies on, and what decides what runs. Not in
 * it: examples, seq, planner_*, times. */
#ifndef DIRECTORY_CONTRACT_H
#define DIRECTORY_CONTRACT_H
#include "base/crypto.h"
#include "directory/row.h"
#include "lang/docstring.h"

/* A block named by `includes`: key and SHA-256 of its content; digest "" when the row is missing. */
struct contract_block { struct str key; char digest[CRYPTO_HEX]; };

/* The contract as an object, to be put by the caller. Members: id, object_type, runner, directory_type, category,
 * target, description (the whole docstring), input_schema (parsed; the stored text when it is no JSON), argument_order,
 * auth, risk, requires_approval, status, operation_semantics, executable (the payload of `content`; of an agent the
 * content as it stands), allowed_categories, includes [{key,sha256}]. Blank texts are null: they mean the same. */
struct json_object *contract_build(const struct row *r, const struct docstring *d, const struct contract_block *block,
	size_t blocks);
/* {operation_type, safe, idempotent, preconditions, effects, postconditions}, from the docstring, else what the type
 * and the method say; safe and idempotent are null when nothing says so. To be put by the caller. */
struct json_object *contract_semantics(const struct row *r, const struct docstring *d);
/* True when a call surely changes nothing: the semantics say safe, an http row does not change by its method, and the row
 * is not of high risk. */
bool contract_read_only(const struct row *r, const struct docstring *d);
/* True when calling again with the same arguments changes no more than once. */
bool contract_idempotent(const struct row *r, const struct docstring *d);
/* Canonical text into out and its digest. */
void contract_digest(struct json_object *contract, struct buf *out, char digest[CRYPTO_HEX]);
/* Names of the members in which two contracts (canonical texts) differ, as a JSON array, for contract_changed answers.
 * To be put by the caller. */
struct json_object *contract_diff(struct str a, struct str b);
/* Names in `includes`, trimmed, empty ones skipped, at most max. Returns how many there are, which may be more than
 * max. */
size_t contract_includes(struct str includes, struct str *out, size_t max);
enum { CONTRACT_INCLUDES_MAX = 32 };

#endif
