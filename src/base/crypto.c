/* Digests, random bytes, comparisons and encodings. Not a home for protocols: tokens, receipts and TLS have their own
 * files. */
#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>
#include <sys/random.h>
#include "base/crypto.h"
#include "base/log.h"

enum { RANDOM_POOL = 256 };     /* bytes asked of the kernel at once; up to 256 getrandom(2) is never cut short */

static struct {
	EVP_MD *sha256;
	EVP_MD_CTX *ctx;
} digest;

static struct {
	unsigned char bytes[RANDOM_POOL];
	size_t left;            /* the last `left` bytes are unused */
} pool;

void crypto_init(void)
{
	crypto_forget(&pool, sizeof(pool));
}

/* Fetched once and the context reused: a third of the time for short texts. */
static void digest_init(void)
{
	digest.sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
	digest.ctx = EVP_MD_CTX_new();
	if (!digest.sha256 || !digest.ctx)
		log_fatal("OpenSSL offers no SHA-256");
}

void crypto_sha256(struct str s, unsigned char out[CRYPTO_SHA256])
{
	if (!digest.ctx)
		digest_init();
	if (EVP_DigestInit_ex2(digest.ctx, digest.sha256, NULL) != 1 || EVP_DigestUpdate(digest.ctx, s.p, s.n) != 1 ||
	    EVP_DigestFinal_ex(digest.ctx, out, NULL) != 1)
		log_fatal("SHA-256 failed");
}

static void put_hex(char *out, const unsigned char *p, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		out[2 * i] = digits[p[i] >> 4];
		out[2 * i + 1] = digits[p[i] & 15];
	}
}

void crypto_sha256_hex(struct str s, char out[CRYPTO_HEX])
{
	unsigned char sum[CRYPTO_SHA256];

	crypto_sha256(s, sum);
	put_hex(out, sum, sizeof(sum));
	out[CRYPTO_HEX - 1] = 0;
}

/* The two names are one type: OpenSSL stays in this file. */
struct crypto_digest *crypto_digest_new(void)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();

	if (!digest.ctx)
		digest_init();
	if (!ctx || EVP_DigestInit_ex2(ctx, digest.sha256, NULL) != 1)
		log_fatal("SHA-256 failed");
	return (struct crypto_digest *)ctx;
}

void crypto_digest_add(struct crypto_digest *d, struct str s)
{
	if (EVP_DigestUpdate((EVP_MD_CTX *)d, s.p, s.n) != 1)
		log_fatal("SHA-256 failed");
}

void crypto_digest_hex(struct crypto_digest *d, char out[CRYPTO_HEX])
{
	unsigned char sum[CRYPTO_SHA256];

	if (EVP_DigestFinal_ex((EVP_MD_CTX *)d, sum, NULL) != 1 ||
	    EVP_DigestInit_ex2((EVP_MD_CTX *)d, digest.sha256, NULL) != 1)
		log_fatal("SHA-256 failed");
	put_hex(out, sum, sizeof(sum));
	out[CRYPTO_HEX - 1] = 0;
}

void crypto_digest_free(struct crypto_digest *d)
{
	EVP_MD_CTX_free((EVP_MD_CTX *)d);
}

static void kernel_random(unsigned char *p, size_t n)
{
	while (n) {
		ssize_t got = getrandom(p, n, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			log_fatal("getrandom: %s", strerror(errno));
		p += got;
		n -= (size_t)got;
	}
}

void crypto_random(void *p, size_t n)
{
	unsigned char *from;

	if (n > sizeof(pool.bytes) / 2) {
		kernel_random(p, n);
		return;
	}
	if (pool.left < n) {
		kernel_random(pool.bytes, sizeof(pool.bytes));
		pool.left = sizeof(pool.bytes);
	}
	from = pool.bytes + sizeof(pool.bytes) - pool.left;
	memcpy(p, from, n);
	/* What was handed out is not found here later. */
	crypto_forget(from, n);
	pool.left -= n;
}

bool crypto_equal(struct str a, struct str b)
{
	unsigned char x[CRYPTO_SHA256], y[CRYPTO_SHA256];

	if (a.n == b.n)
		return a.n == 0 || CRYPTO_memcmp(a.p, b.p, a.n) == 0;
	crypto_sha256(a, x);
	crypto_sha256(b, y);
	return CRYPTO_memcmp(x, y, sizeof(x)) == 0;
}

void crypto_forget(void *p, size_t n)
{
	if (p)
		OPENSSL_cleanse(p, n);
}

static const char crockford[] = "0123456789abcdefghjkmnpqrstvwxyz";

void crypto_id(int64_t ms, char out[CRYPTO_ID])
{
	uint64_t time = ms < 0 ? 0 : (uint64_t)ms & 0xFFFFFFFFFFFFu;
	unsigned char r[10];

	/* The 48 bits fill ten digits of five bits, the first of which has two to spare; the 80 bits fill sixteen. */
	for (int i = 9; i >= 0; i--, time >>= 5)
		out[i] = crockford[time & 31];
	crypto_random(r, sizeof(r));
	for (int half = 0; half < 2; half++) {
		uint64_t bits = 0;

		for (int i = 0; i < 5; i++)
			bits = bits << 8 | r[5 * half + i];
		for (int i = 7; i >= 0; i--, bits >>= 5)
			out[10 + 8 * half + i] = crockford[bits & 31];
	}
	out[CRYPTO_ID - 1] = 0;
}

bool crypto_is_id(struct str s)
{
	if (s.n != CRYPTO_ID - 1 || s.p[0] > '7')
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!s.p[i] || !strchr(crockford, s.p[i]))
			return false;
	return true;
}

void crypto_hex(struct buf *out, struct str s)
{
	buf_reserve(out, 2 * s.n);
	put_hex(out->data + out->len, (const unsigned char *)s.p, s.n);
	out->len += 2 * s.n;
}

static const char base64_std[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char base64_url[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static void encode(struct buf *out, struct str s, const char *alphabet, bool pad)
{
	const unsigned char *u = (const unsigned char *)s.p;
	size_t i;

	buf_reserve(out, s.n / 3 * 4 + 4);
	for (i = 0; i + 2 < s.n; i += 3) {
		uint32_t v = (uint32_t)u[i] << 16 | (uint32_t)u[i + 1] << 8 | u[i + 2];
		char quad[4] = { alphabet[v >> 18], alphabet[v >> 12 & 63], alphabet[v >> 6 & 63], alphabet[v & 63] };

		buf_add(out, quad, 4);
	}
	if (i < s.n) {
		bool two = i + 1 < s.n;
		uint32_t v = (uint32_t)u[i] << 16 | (two ? (uint32_t)u[i + 1] << 8 : 0);
		char quad[4] = { alphabet[v >> 18], alphabet[v >> 12 & 63], two ? alphabet[v >> 6 & 63] : '=', '=' };

		buf_add(out, quad, pad ? 4 : two ? 3 : 2);
	}
}

void crypto_base64(struct buf *out, struct str s)
{
	encode(out, s, base64_std, true);
}

void crypto_base64url(struct buf *out, struct str s)
{
	encode(out, s, base64_url, false);
}

static int decode_digit(char c, const char *alphabet)
{
	const char *at = c ? strchr(alphabet, c) : NULL;

	return at ? (int)(at - alphabet) : -1;
}

static struct str without_padding(struct str s)
{
	if (s.n % 4 == 0 && s.n && s.p[s.n - 1] == '=')
		s.n -= s.p[s.n - 2] == '=' ? 2 : 1;
	return s;
}

int crypto_unbase64(struct buf *out, struct str s)
{
	const char *alphabet = s.n && (memchr(s.p, '-', s.n) || memchr(s.p, '_', s.n)) ? base64_url : base64_std;
	uint32_t bits = 0;
	int have = 0;

	s = without_padding(s);
	if (s.n % 4 == 1)
		return -1;
	buf_reserve(out, s.n / 4 * 3 + 3);
	for (size_t i = 0; i < s.n; i++) {
		int v = decode_digit(s.p[i], alphabet);

		if (v < 0)
			return -1;
		bits = bits << 6 | (uint32_t)v;
		have += 6;
		if (have >= 8) {
			have -= 8;
			buf_putc(out, (char)(bits >> have & 0xFF));
		}
	}
	return bits & ((1u << have) - 1) ? -1 : 0;
}
