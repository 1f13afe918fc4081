/* Digests, random bytes, comparisons and encodings (OpenSSL underneath). Call crypto_init once after each fork. */
#ifndef BASE_CRYPTO_H
#define BASE_CRYPTO_H
#include <stdint.h>
#include "base/buf.h"

enum {
	CRYPTO_SHA256 = 32,
	CRYPTO_HEX = 65,                /* a SHA-256 in lower-case hex with NUL */
	CRYPTO_ID = 27,                 /* an id with NUL */
};

/* Forgets the random bytes that the parent of a fork may have in hand too. What uses OpenSSL sets itself up at the
 * first digest. */
void crypto_init(void);
void crypto_sha256(struct str s, unsigned char out[CRYPTO_SHA256]);
void crypto_sha256_hex(struct str s, char out[CRYPTO_HEX]);
/* A digest in pieces. hex gives the one over all that was added and begins anew. */
struct crypto_digest *crypto_digest_new(void);
void crypto_digest_add(struct crypto_digest *d, struct str s);
void crypto_digest_hex(struct crypto_digest *d, char out[CRYPTO_HEX]);
void crypto_digest_free(struct crypto_digest *d);       /* NULL is fine */
void crypto_random(void *p, size_t n);                  /* fatal when the kernel gives none */
/* constant time for equal lengths (compares digests otherwise) */
bool crypto_equal(struct str a, struct str b);
void crypto_forget(void *p, size_t n);                  /* overwrites in a way the compiler keeps; NULL is fine */
/* 26 characters of lower-case Crockford base 32: 48 bits of milliseconds since 1970, then 80 random bits; sorts by
 * time. */
void crypto_id(int64_t ms, char out[CRYPTO_ID]);
bool crypto_is_id(struct str s);                        /* the 26 characters, canonical */
void crypto_hex(struct buf *out, struct str s);         /* lower case */
void crypto_base64(struct buf *out, struct str s);      /* RFC 4648 section 4, padded */
void crypto_base64url(struct buf *out, struct str s);   /* section 5, unpadded */
/* Either alphabet (not both in one text), padding optional. -1 when malformed, also when the unused bits are not 0: one
 * text for one value. */
int crypto_unbase64(struct buf *out, struct str s);

#endif
