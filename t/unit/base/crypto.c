/* Digests, randomness, ids and encodings. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/crypto.h"
#include "tap.h"

static void digests(void)
{
	/* FIPS 180-2, appendix B. */
	static const struct { const char *text, *want; } cases[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	};
	char hex[CRYPTO_HEX];

	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			crypto_sha256_hex(str_of(cases[i].text), hex);
			tap_is_str(hex, cases[i].want, "a published digest, each time");
		}
	crypto_sha256_hex(str_of(NULL), hex);
	tap_is_str(hex, cases[0].want, "nothing has the digest of the empty text");
}

static void equality(void)
{
	tap_ok(crypto_equal(str_of("secret"), str_of("secret")), "equal texts are equal");
	tap_ok(!crypto_equal(str_of("secret"), str_of("secreT")), "different ones are not");
	tap_ok(!crypto_equal(str_of("secret"), str_of("secre")), "nor those of different length");
	tap_ok(crypto_equal(str_of(NULL), str_of("")), "absent equals empty");
	tap_ok(!crypto_equal(str_of(NULL), str_of("x")), "but nothing else");
}

static void randomness(void)
{
	unsigned char seen[256] = { 0 }, b[100], c[100], big[5000] = { 0 };
	int zeros = 0, values = 0;

	for (int i = 0; i < 4096; i++) {
		crypto_random(b, 1);
		seen[b[0]] = 1;
	}
	for (int i = 0; i < 256; i++)
		values += seen[i];
	tap_ok(values == 256, "every byte occurs");
	crypto_random(b, sizeof(b));
	crypto_random(c, sizeof(c));
	tap_ok(memcmp(b, c, sizeof(b)) != 0, "no two pieces are alike");
	crypto_random(big, sizeof(big));
	for (size_t i = 0; i < sizeof(big); i++)
		zeros += big[i] == 0;
	tap_ok(zeros < 100, "large pieces are filled to the end");
}

static void after_fork(void)
{
	char mine[CRYPTO_ID], theirs[CRYPTO_ID] = "";
	int fds[2], status;
	pid_t pid;

	crypto_id(1, mine);
	if (pipe(fds))
		return;
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		crypto_init();
		crypto_id(1, mine);
		_exit(write(fds[1], mine, sizeof(mine)) != sizeof(mine));
	}
	crypto_id(1, mine);
	waitpid(pid, &status, 0);
	tap_ok(read(fds[0], theirs, sizeof(theirs)) == sizeof(theirs) &&
	       strcmp(mine, theirs) != 0, "after a fork, parent and child have different ids");
	close(fds[0]);
	close(fds[1]);
}

static void ids(void)
{
	char a[CRYPTO_ID], b[CRYPTO_ID];
	bool sorted = true, valid = true;
	int64_t now = clock_ms();

	crypto_id(0, a);
	tap_ok(strncmp(a, "0000000000", 10) == 0, "the epoch is ten zeros");
	crypto_id(1469918176385, a);
	tap_ok(strncmp(a, "01aryz6s41", 10) == 0, "a known time has its known digits");
	crypto_id(0xFFFFFFFFFFFF, a);
	tap_ok(strncmp(a, "7zzzzzzzzz", 10) == 0 && crypto_is_id(str_of(a)), "the last time is still an id");
	crypto_id(now, a);
	for (int i = 1; i < 1000; i++) {
		crypto_id(now + i, b);
		sorted = sorted && strcmp(a, b) < 0;
		valid = valid && strlen(b) == 26 && crypto_is_id(str_of(b));
		memcpy(a, b, sizeof(a));
	}
	tap_ok(sorted && valid, "later ids sort later");
	crypto_id(now, b);
	crypto_id(now, a);
	tap_ok(strcmp(a, b) != 0, "ids of one millisecond differ");
	tap_ok(!crypto_is_id(str_of("")) && !crypto_is_id(str_make(a, 25)) &&
	       !crypto_is_id(str_of(NULL)), "25 characters are no id");
	tap_ok(!crypto_is_id(str_of("8zzzzzzzzzzzzzzzzzzzzzzzzz")), "nor more than 128 bits");
	tap_ok(!crypto_is_id(str_of("01ARYZ6S410000000000000000")) &&
	       !crypto_is_id(str_of("01aryz6s41i000000000000000")) &&
	       !crypto_is_id(str_make("01aryz6s41\0" "000000000000000", 26)),
	           "nor upper case, letters left out, or NUL");
}

static const char *encoded(struct buf *b, void (*encode)(struct buf *, struct str), struct str s)
{
	buf_clear(b);
	encode(b, s);
	return buf_text(b);
}

static void encodings(void)
{
	/* RFC 4648 section 10. */
	static const struct { const char *text, *std, *url; } rfc[] = {
		{ "", "", "" }, { "f", "Zg==", "Zg" }, { "fo", "Zm8=", "Zm8" }, { "foo", "Zm9v", "Zm9v" },
		{ "foob", "Zm9vYg==", "Zm9vYg" },
		{ "fooba", "Zm9vYmE=", "Zm9vYmE" }, { "foobar", "Zm9vYmFy", "Zm9vYmFy" },
		{ "\xFB\xFF\xBE", "+/++", "-_--" },
	};
	static const char *const bad[] = {
		"A", "AB=", "A===", "====", "=", "Zg=", "Zm9v=", "Zm9v====", "Zm 9v", "Zg==Zg==", "Z*==", "Zh==",
		"Zm9=", "Zh", "+_++",
	};
	struct buf b = BUF_MALLOC, back = BUF_MALLOC;
	char all[256];
	bool same = true;

	for (size_t i = 0; i < sizeof(rfc) / sizeof(rfc[0]); i++) {
		tap_is_str(encoded(&b, crypto_base64, str_of(rfc[i].text)), rfc[i].std, "base64");
		tap_is_str(encoded(&b, crypto_base64url, str_of(rfc[i].text)), rfc[i].url, "base64url");
		buf_clear(&b);
		tap_ok(crypto_unbase64(&b, str_of(rfc[i].std)) == 0 &&
		       str_is(buf_str(&b), rfc[i].text), "padded text comes back");
		buf_clear(&b);
		tap_ok(crypto_unbase64(&b, str_of(rfc[i].url)) == 0 &&
		       str_is(buf_str(&b), rfc[i].text), "unpadded text comes back");
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		buf_clear(&b);
		tap_ok(crypto_unbase64(&b, str_of(bad[i])) == -1, "malformed: %s", bad[i]);
	}
	tap_ok(crypto_unbase64(&b, str_of("Zm9v\n")) == -1 &&
	       crypto_unbase64(&b, str_of("Zg==\n")) == -1, "malformed: a line break");
	for (int i = 0; i < 256; i++)
		all[i] = (char)i;
	for (size_t n = 0; n <= 256; n++) {
		encoded(&b, crypto_base64url, str_make(all, n));
		buf_clear(&back);
		same = same && crypto_unbase64(&back, buf_str(&b)) == 0 && str_eq(buf_str(&back), str_make(all, n));
	}
	tap_ok(same, "every length of every byte comes back");
	tap_is_str(encoded(&b, crypto_hex, str_make("\0\x7F\xFF", 3)), "007fff", "hex is lower case");
	buf_free(&b);
	buf_free(&back);
}

int main(void)
{
	crypto_init();
	digests();
	equality();
	randomness();
	after_fork();
	ids();
	encodings();
	return tap_done();
}
