/* The contract of a row and its digest (spec section 2.4). */
#ifndef DIRECTORY_CONTRACT_H
#define DIRECTORY_CONTRACT_H
#include "base/crypto.h"
#include "directory/row.h"
#include "lang/docstring.h"

/* A block named by `includes`: key and SHA-256 of its content; digest "" when the row is missing. */
struct contract_block { struct str key; char digest[CRYPTO_HEX]; };

/* The contract as an object, to be put by the caller. */
struct json_object *contract_build(const struct row *r, const struct docstring *d, const struct contract_block *block, size_t blocks);
/* Canonical text into out and its digest. */
void contract_digest(struct json_object *contract, struct buf *out, char digest[CRYPTO_HEX]);
/* Names of the members in which two contracts (canonical texts) differ, as a JSON array, for contract_changed answers. */
struct json_object *contract_diff(struct str a, struct str b);
/* Names in `includes`, trimmed, empty ones skipped. */
size_t contract_includes(struct str includes, struct str *out, size_t max);
enum { CONTRACT_INCLUDES_MAX = 32 };

#endif
