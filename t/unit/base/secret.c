/* The secrets file, and that no value of it leaves in any of its usual clothes. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/crypto.h"
#include "base/escape.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/secret.h"
#include "tap.h"

#define OWNER "TERMINAL_KEY=0123456789abcdef01234567\n"

static char dir[] = "/tmp/secret-test-XXXXXX", path[64];
static struct buf out;

static void put_file(const char *text, size_t n, mode_t mode)
{
	int fd;

	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || write(fd, text, n) != (ssize_t)n || fchmod(fd, mode))
		exit(99);
	close(fd);
}

static struct secrets *open_text(const char *text, struct problem *why)
{
	put_file(text, strlen(text), 0600);
	return secret_open(path, why);
}

static void parsing(void)
{
	struct problem why = { 0 };
	struct secrets *s = open_text("# a comment\n\n  # another\n" OWNER "API_KEY=abcdefgh\n"
	                                                                   "QUOTED=\"with space # and hash\"\n"
	                                                                   "SINGLE='it is \"so\" '\n"
	                              "EMPTY=\nEQUALS=a=b=c=d=e\n_X9=  trimmed value \t\nHALF=\"abcdefgh\n"
	                              "LAST=lastlast", &why);

	if (!tap_ok(s != NULL, "a good file is read (%s)", why.detail))
		return;
	tap_ok(str_is(secret_get(s, str_of("API_KEY")), "abcdefgh"), "a value is given by name");
	tap_ok(str_is(secret_get(s, str_of("QUOTED")), "with space # and hash"), "quotes are no part of a value");
	tap_ok(str_is(secret_get(s, str_of("SINGLE")), "it is \"so\" "), "single ones neither, and keep blanks");
	tap_ok(str_is(secret_get(s, str_of("EQUALS")), "a=b=c=d=e"), "a value may hold an equals sign");
	tap_ok(str_is(secret_get(s, str_of("_X9")), "trimmed value"), "blanks around a value are no part of it");
	tap_ok(str_is(secret_get(s, str_of("HALF")), "\"abcdefgh"), "a quote without its partner is a character");
	tap_ok(str_is(secret_get(s, str_of("LAST")), "lastlast"), "the last line needs no line break");
	tap_ok(!secret_get(s, str_of("EMPTY")).p && !secret_get(s, str_of("NOPE")).p &&
	       !secret_get(s, str_of("")).p, "what is empty or absent is absent");
	tap_ok(!secret_get(s, str_of("TERMINAL_KEY")).p, "the owner's key is never given");
	tap_ok(secret_is_owner(s, str_of("0123456789abcdef01234567")), "but recognised");
	tap_ok(!secret_is_owner(s, str_of("0123456789abcdef0123456")) &&
	       !secret_is_owner(s, str_of("0123456789abcdef01234568")) &&
	       !secret_is_owner(s, str_of("")) && !secret_is_owner(s, str_of(NULL)) &&
	           !secret_is_owner(s, str_of("abcdefgh")), "and nothing else");
	secret_close(s);
	secret_close(NULL);
}

static void refusals(void)
{
	static const struct { const char *text, *detail; } cases[] = {
		{ OWNER "SHORT=abcdefg\n", "2: SHORT is shorter than 8 bytes and could not be redacted" },
		{ OWNER "API_KEY=canary-value\r\n",
		  "2: API_KEY ends in a carriage return (a file with DOS line ends?)" },
		{ OWNER "API_KEY=canary\rX-Evil: 1\n", "2: API_KEY has a control character in its value" },
		{ OWNER "API_KEY=canary\tvalue\n", "2: API_KEY has a control character in its value" },
		{ OWNER "API_KEY=canary\x7F" "value\n", "2: API_KEY has a control character in its value" },
		{ OWNER "API_KEY=canary\xFFvalue\n", "2: API_KEY is not UTF-8" },
		{ OWNER "A=canaryvalue\nA=canaryvalue2\n", "3: A is given twice" },
		{ OWNER "canaryvalue\n", "2: not NAME=value with NAME of A-Z, 0-9 and _" },
		{ OWNER "lower=canaryvalue\n", "2: not NAME=value with NAME of A-Z, 0-9 and _" },
		{ OWNER "9A=canaryvalue\n", "2: not NAME=value with NAME of A-Z, 0-9 and _" },
		{ OWNER "A B=canaryvalue\n", "2: not NAME=value with NAME of A-Z, 0-9 and _" },
		{ OWNER "A =canaryvalue\n", "2: not NAME=value with NAME of A-Z, 0-9 and _" },
		{ OWNER "=canaryvalue\n", "2: not NAME=value with NAME of A-Z, 0-9 and _" },
		{ OWNER "\xEF\xBB\xBF" "A=canaryvalue\n", "2: not NAME=value with NAME of A-Z, 0-9 and _" },
		{ "A=canaryvalue\n", " TERMINAL_KEY is missing" }, { "", " TERMINAL_KEY is missing" },
		{ "TERMINAL_KEY=canary78901234567890123X\nTERMINAL_KEY=canary78901234567890123X\n",
		  "2: TERMINAL_KEY is given twice" },
		{ "TERMINAL_KEY=canary78901234567890123\n", "1: TERMINAL_KEY is shorter than 24 bytes" },
		{ "TERMINAL_KEY=\n", "1: TERMINAL_KEY is shorter than 24 bytes" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct problem why = { 0 };

		tap_ok(!open_text(cases[i].text, &why) && strcmp(why.error, "bad_secrets_file") == 0 &&
		       !strstr(why.detail, "canary"), "refused, and the value not shown");
		tap_is_str(strncmp(why.detail, path, strlen(path)) ? why.detail : why.detail + strlen(path) + 1,
		           cases[i].detail, "but where and why");
	}
}

static void limits(void)
{
	for (int n = SECRET_VALUE_MAX - 1; n <= SECRET_VALUE_MAX + 1; n++) {
		char *text = mem_alloc(SECRET_VALUE_MAX + 100);
		struct secrets *s;

		snprintf(text, SECRET_VALUE_MAX + 100, OWNER "A=%0*d\n", n, 1);
		s = open_text(text, NULL);
		tap_ok((s != NULL) == (n <= SECRET_VALUE_MAX), "a value of %d bytes is %s", n,
		       n <= SECRET_VALUE_MAX ? "read" : "refused");
		secret_close(s);
		free(text);
	}
	for (int n = SECRET_OWNER_MIN - 1; n <= SECRET_OWNER_MIN + 1; n++) {
		char text[100];
		struct secrets *s;

		snprintf(text, sizeof(text), "TERMINAL_KEY=%0*d", n, 1);
		s = open_text(text, NULL);
		tap_ok((s != NULL) == (n >= SECRET_OWNER_MIN), "an owner's key of %d bytes is %s", n,
		       n >= SECRET_OWNER_MIN ? "read" : "refused");
		secret_close(s);
	}
	{
		char *big = mem_alloc(SECRET_FILE_MAX + 2);

		for (int n = SECRET_FILE_MAX; n <= SECRET_FILE_MAX + 1; n++) {
			struct secrets *s;

			memset(big, '\n', (size_t)n);
			memcpy(big, OWNER, strlen(OWNER));
			put_file(big, (size_t)n, 0600);
			s = secret_open(path, NULL);
			tap_ok((s != NULL) == (n <= SECRET_FILE_MAX), "a file of %d bytes is %s", n,
			       n <= SECRET_FILE_MAX ? "read" : "refused");
			secret_close(s);
		}
		free(big);
	}
}

static void permissions(void)
{
	static const mode_t bad[] = { 0640, 0604, 0660, 0610, 0620, 0601, 0602, 0644 };
	struct problem why = { 0 };
	struct secrets *s;
	char fifo[80];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put_file(OWNER, strlen(OWNER), bad[i]);
		tap_ok(!secret_open(path, &why) && strstr(why.detail, "group and others must have no access") &&
		       strstr(why.how_to_fix, "chmod 600"),
		       "mode %04o is refused", (unsigned)bad[i]);
	}
	put_file(OWNER, strlen(OWNER), 0400);
	s = secret_open(path, &why);
	tap_ok(s != NULL, "mode 0400 is fine");
	secret_close(s);
	unlink(path);
	tap_ok(!secret_open(path, &why) && strstr(why.detail, "No such file"), "a missing file is named");
	tap_ok(!secret_open(dir, &why) && strstr(why.detail, "no regular file"), "a folder is refused");
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	tap_ok(mkfifo(fifo, 0600) == 0 && !secret_open(fifo, &why) &&
	       strstr(why.detail, "no regular file"), "a FIFO is refused and not waited for");
	unlink(fifo);
	if (geteuid() == 0) {
		put_file(OWNER, strlen(OWNER), 0600);
		tap_ok(chown(path, 12345, (gid_t)-1) == 0 && !secret_open(path, &why) &&
		       strstr(why.detail, "belongs to user 12345"), "another user's file is refused");
	}
	put_file(OWNER "A=abc\0defgh\n", strlen(OWNER) + 12, 0600);
	tap_ok(!secret_open(path, &why) && strstr(why.detail, "A has a control character"),
	       "NUL in a value is refused");
}

/* Redaction */

static const char *redacted(const struct secrets *s, struct str text)
{
	buf_clear(&out);
	secret_redact(s, &out, text);
	return buf_text(&out);
}

static void escape_with(struct buf *b, struct str s, enum escape how, bool lower)
{
	size_t from = b->len;

	escape_add(b, how, s);
	for (size_t i = from; lower && i + 2 < b->len; i++)
		if (b->data[i] == '%')
			for (int k = 1; k < 3; k++)
				b->data[i + (size_t)k] = (char)(b->data[i + (size_t)k] | 32);
}

static void hex(struct buf *b, struct str s, bool upper)
{
	for (size_t i = 0; i < s.n; i++)
		buf_printf(b, upper ? "%02X" : "%02x", (unsigned char)s.p[i]);
}

static const char special[] = "S3cr&t/\"k\\y\" <+ %~'\xC3\xA9=x";

static void encodings(void)
{
	struct problem why = { 0 };
	struct buf text = BUF_MALLOC;
	struct str v = str_of(special);
	struct secrets *s;

	buf_printf(&text, OWNER "API_KEY=%s\n", special);
	s = open_text(buf_text(&text), &why);
	if (!tap_ok(s != NULL, "a value of special characters is read (%s)", why.detail))
		return;
	for (int i = 0; i < 13; i++) {
		static const char *const names[] = { "raw", "JSON", "percent", "percent lower", "percent, slash kept",
			"form", "form lower", "HTML", "hex", "hex upper",
			"JSON with slashes escaped", "JSON for HTML", "JSON in ASCII" };
		static const char *const fixed[] = { "S3cr&t\\/\\\"k\\\\y\\\" <+ %~'\xC3\xA9=x",
			"S3cr\\u0026t/\\\"k\\\\y\\\" \\u003c+ %~\\u0027\xC3\xA9=x",
			"S3cr&t/\\\"k\\\\y\\\" <+ %~'\\u00e9=x" };
		static const enum escape hows[] = { ESCAPE_RAW, ESCAPE_JSON, ESCAPE_QUERY, ESCAPE_QUERY,
			ESCAPE_PATH_SLASH, ESCAPE_FORM, ESCAPE_FORM, ESCAPE_HTML };

		buf_clear(&text);
		buf_puts(&text, "<before>");
		if (i < 8)
			escape_with(&text, v, hows[i], i == 3 || i == 6);
		else if (i < 10)
			hex(&text, v, i == 9);
		else
			buf_puts(&text, fixed[i - 10]);
		buf_puts(&text, "<after>");
		tap_is_str(redacted(s, buf_str(&text)), "<before>[redacted:API_KEY]<after>", names[i]);
	}
	secret_close(s);
	buf_free(&text);
}

/* One value between a prefix and a suffix, encoded as a whole. What may stay are the digits before and behind all bits
 * of the value; the padding right behind them goes. */
static int base64_faults(const struct secrets *s, struct str value, const char *prefix, const char *suffix, bool url)
{
	struct buf plain = BUF_MALLOC, text = BUF_MALLOC, want = BUF_MALLOC;
	size_t before = strlen(prefix) * 8 / 6, behind = ((strlen(prefix) + value.n) * 8 + 5) / 6;
	struct str tail;
	int faults;

	buf_puts(&plain, prefix);
	buf_putstr(&plain, value);
	buf_puts(&plain, suffix);
	(url ? crypto_base64url : crypto_base64)(&text, buf_str(&plain));
	tail = str_skip(buf_str(&text), behind);
	while (str_starts(tail, "="))
		tail = str_skip(tail, 1);
	buf_printf(&want, "\"%.*s[redacted:K]%.*s\"", (int)before, text.data, (int)tail.n, tail.p);
	buf_clear(&plain);
	buf_printf(&plain, "\"%s\"", buf_text(&text));
	faults = strcmp(redacted(s, buf_str(&plain)), buf_text(&want)) != 0;
	if (faults)
		tap_diag("%s: got %s, want %s", buf_text(&plain), buf_text(&out), buf_text(&want));
	buf_free(&plain);
	buf_free(&text);
	buf_free(&want);
	return faults;
}

/* Every alignment in base64, with bytes before and behind it, for values of every length modulo three. */
static void base64(void)
{
	static const char value[] = "\xC3\xBF\xC3\xBFsecret-key";
	static const char *const prefixes[] = { "", "u", "us", "use", "user:" };
	static const char *const suffixes[] = { "", ":", "::", ":::" };
	int faults[2] = { 0, 0 };

	for (size_t n = 10; n <= 14; n++) {
		char file[200];
		struct secrets *s;

		snprintf(file, sizeof(file), OWNER "K=%.*s\n", (int)n, value);
		s = open_text(file, NULL);
		for (size_t i = 0; i < 5 * 4 * 2; i++)
			faults[i % 2] += base64_faults(s, str_make(value, n), prefixes[i / 8], suffixes[i / 2 % 4],
			                               i % 2);
		secret_close(s);
	}
	tap_is_int(faults[0], 0, "base64 at every alignment, to the bit");
	tap_is_int(faults[1], 0, "base64url at every alignment, to the bit");
}

static const char *cut(const struct secrets *s, const char *text)
{
	buf_clear(&out);
	secret_redact_cut(s, &out, str_of(text));
	return buf_text(&out);
}

/* Texts that end within a value. */
static void cuts(void)
{
	static const char value[] = "p4ss\"w\\rd/with+all";
	struct secrets *s = open_text(OWNER "A=abcdefgh1234\nLONG=abcdefgh1234-longer\nE=4ndsofA=\nK=p4ss\"w\\rd/with+all\n", NULL);
	struct buf digits = BUF_MALLOC;
	bool none = true;

	for (size_t n = 1; n < sizeof(value) - 1; n++) {
		char text[64];

		snprintf(text, sizeof(text), "x %.*s", (int)n, value);
		none = none && strcmp(cut(s, text), "x ") == 0;
	}
	tap_ok(none, "no first part of a value stays at the end of a cut text");
	tap_is_str(cut(s, "x p4ss\\\"w\\"), "x ", "JSON-escaped neither, to the middle of an escape");
	crypto_base64(&digits, str_of("user:p4ss\"w\\rd/"));
	tap_is_str(cut(s, buf_text(&digits)), "dXNlcj", "in base64 neither, with the digit that holds part of it");
	tap_is_str(cut(s, "x abcdefgh1234-lon"), "x [redacted:A]", "a whole value that goes on as another is taken with it");
	tap_is_str(cut(s, "x abcdefgh1234"), "x [redacted:A]", "a whole value at the end is replaced");
	tap_is_str(cut(s, "x p4ss\"w\\rd/with+all y"), "x [redacted:K] y", "so is one before it");
	tap_is_str(cut(s, "abcdefgh1234 abcdefgh1234 a"), "[redacted:A] [redacted:A] ", "and several");
	tap_is_str(cut(s, "harmless!"), "harmless!", "text without a value stays");
	tap_is_str(cut(s, ""), "", "nothing stays nothing");
	buf_free(&digits);
	secret_close(s);
}

static void overlaps(void)
{
	struct secrets *s = open_text("TERMINAL_KEY=ownerownerownerownerowner\nA=abcdefgh1234\nB=gh12345678\n"
	                              "LONG=abcdefgh1234-longer\nP=pppppppp\n", NULL);

	tap_is_str(redacted(s, str_of("")), "", "nothing stays nothing");
	tap_is_str(redacted(s, str_of("harmless text")), "harmless text", "text without a value stays");
	tap_is_str(redacted(s, str_of("x abcdefgh1234 y abcdefgh1234")), "x [redacted:A] y [redacted:A]",
	           "each place is replaced");
	tap_is_str(redacted(s, str_of("abcdefgh1234-longer")), "[redacted:LONG]",
	           "of two that begin alike the longer is taken");
	tap_is_str(redacted(s, str_of("abcdefgh12345678!")), "[redacted:A]!", "of two that overlap nothing stays");
	tap_is_str(redacted(s, str_of("gh12345678gh12345678")), "[redacted:B][redacted:B]",
	           "those side by side are two");
	tap_is_str(redacted(s, str_of("ppppppppppppp")), "[redacted:P]", "a run of a repeating value is one");
	tap_is_str(redacted(s, str_of("ownerownerownerownerowner")), "[redacted:TERMINAL_KEY]",
	           "the owner's key is redacted too");
	tap_is_str(redacted(s, str_of("abcdefgh123")), "abcdefgh123", "a part of a value stays");
	buf_clear(&out);
	tap_is_int((int64_t)secret_redact(s, &out, str_of("pppppppp abcdefgh1234")), 2, "what was replaced is counted");
	tap_is_str(redacted(s, str_make("a\0pppppppp", 10)) + 2, "[redacted:P]", "NUL does not end the text");
	tap_is_str(secret_find(s, str_of("x gh12345678 y")), "B", "a value in a text is named");
	tap_ok(secret_find(s, str_of("cHBwcHBwcHA=")) == NULL && secret_find(s, str_of("")) == NULL &&
	       secret_find(s, str_of(NULL)) == NULL, "but only a raw one");
	tap_ok(secret_find(s, str_of("ownerownerownerownerowner")) != NULL, "the owner's key is found");
	secret_close(s);
}

static void learning(void)
{
	struct secrets *s = open_text(OWNER "A=first-value\n", NULL);
	struct buf raw = BUF_MALLOC;

	secret_learn(s, "oauth", str_of("issued-token-1"), 3600);
	tap_is_str(redacted(s, str_of("issued-token-1 69737375 first-value 6973737565642d746f6b656e2d31")),
	           "[redacted:oauth] 69737375 [redacted:A] [redacted:oauth]", "what is learned is redacted, encoded too");
	tap_ok(!secret_get(s, str_of("oauth")).p, "and never given");
	put_file(OWNER "A=second-value\n", strlen(OWNER) + 15, 0600);
	secret_refresh(s);
	tap_is_str(redacted(s, str_of("issued-token-1")), "[redacted:oauth]", "a change of the file does not end that");
	secret_learn(s, "oauth", str_of("seven77"), 3600);
	tap_is_str(redacted(s, str_of("seven77")), "seven77", "a value of seven bytes is not learned");
	secret_learn(s, "oauth", str_of("eight888"), 3600);
	tap_is_str(redacted(s, str_of("eight888")), "[redacted:oauth]", "one of eight is");
	for (int i = 0; i < SECRET_LEARNED_MAX - 2; i++) {
		buf_clear(&raw);
		buf_printf(&raw, "more-tokens-%d", i);
		secret_learn(s, "more", buf_str(&raw), 7200);
	}
	secret_learn(s, "oauth", str_of("eight888"), 9000);
	tap_is_str(redacted(s, str_of("issued-token-1 eight888")), "[redacted:oauth] [redacted:oauth]", "256 are kept");
	secret_learn(s, "more", str_of("more-tokens-last"), 7200);
	tap_is_str(redacted(s, str_of("issued-token-1 eight888 more-tokens-last")), "issued-token-1 [redacted:oauth] [redacted:more]",
	           "of 257 the one that would end first is dropped");
	buf_free(&raw);
	secret_close(s);
}

/* A value in base64 or hexadecimal that is broken into lines, at every place of it. */
static void wrapped(void)
{
	struct secrets *s = open_text(OWNER "K=canary/value+of_lines\n", NULL);
	static const char *const breaks[] = { "\n", "\r\n", "\\n", "\\r\\n" };
	static const size_t widths[] = { 60, 64, 76 };
	struct buf plain = BUF_MALLOC, digits = BUF_MALLOC, text = BUF_MALLOC;
	int left = 0, tried = 0;

	for (int i = 0; i < 100 * 2 * 3 * 4; i++) {
		size_t width = widths[i / 2 % 3];

		buf_clear(&plain);
		buf_clear(&digits);
		buf_clear(&text);
		buf_printf(&plain, "%0*dcanary/value+of_lines%050d", i / 24 + 1, 0, 0);
		(i % 2 ? crypto_hex : crypto_base64)(&digits, buf_str(&plain));
		for (size_t at = 0; at < digits.len; at += width)
			buf_printf(&text, "%s%.*s", at ? breaks[i / 6 % 4] : "", (int)width, digits.data + at);
		tried++;
		left += !strstr(redacted(s, buf_str(&text)), "[redacted:K]");
	}
	tap_ok(!left, "a value across lines of base64 or hexadecimal is redacted, wherever they break (%d of %d left)", left, tried);
	tap_is_str(redacted(s, str_of("0123456789012345678901234567890123456789012345678901234567890123\nabc\nK")),
	           "0123456789012345678901234567890123456789012345678901234567890123\nabc\nK", "without one the lines stay");
	buf_clear(&text);
	buf_printf(&text, "%059d\ncanary/value+of_lines\n%060d\nx", 1, 2);
	tap_ok(strstr(redacted(s, buf_str(&text)), "1\n[redacted:K]\n0") && strstr(buf_text(&out), "2\nx"),
	       "nor do they change for a value that is on one line");
	buf_free(&plain);
	buf_free(&digits);
	buf_free(&text);
	secret_close(s);
}

static void single(void)
{
	buf_clear(&out);
	tap_is_int((int64_t)secret_redact_value(&out, str_of("x=some%2Fvalue c29tZS92YWx1ZQ=="), "one", str_of("some/value")), 2,
	           "one value alone is redacted in every form");
	tap_is_str(buf_text(&out), "x=[redacted:one] [redacted:one]", "under its name");
}

static void refreshing(void)
{
	struct secrets *s = open_text(OWNER "A=first-value\nB=same-value\n", NULL);
	char saved[80];
	int old = dup(STDERR_FILENO), log;
	struct stat st;
	off_t size;

	snprintf(saved, sizeof(saved), "%s/log", dir);
	log = open(saved, O_RDWR | O_CREAT | O_TRUNC, 0600);
	dup2(log, STDERR_FILENO);
	secret_refresh(s);
	tap_ok(str_is(secret_get(s, str_of("A")), "first-value"), "a file that did not change is kept");
	put_file(OWNER "A=second-value\nB=same-value\n", strlen(OWNER) + 28, 0600);
	secret_refresh(s);
	tap_ok(str_is(secret_get(s, str_of("A")), "second-value"), "a file that changed is read again");
	tap_is_str(redacted(s, str_of("first-value second-value same-value")), "[redacted:A] [redacted:A] [redacted:B]",
	           "the value before is still redacted");

	put_file("TERMINAL_KEY=new-owner-key-0123456789abcdef\nA=second-value\n", 59, 0600);
	secret_refresh(s);
	tap_ok(secret_is_owner(s, str_of("new-owner-key-0123456789abcdef")) &&
	       !secret_is_owner(s, str_of("0123456789abcdef01234567")),
	       "the owner's key changes with the file");
	tap_ok(!secret_get(s, str_of("B")).p, "a name that is gone is absent");
	tap_is_str(redacted(s, str_of("first-value same-value 0123456789abcdef01234567")),
	           "[redacted:A] [redacted:B] [redacted:TERMINAL_KEY]",
	           "but what was read in the last minutes stays redacted");

	fstat(STDERR_FILENO, &st);
	size = st.st_size;
	put_file("A=canary\n", 9, 0600);
	secret_refresh(s);
	fstat(STDERR_FILENO, &st);
	tap_ok(st.st_size > size, "a bad file is logged");
	size = st.st_size;
	secret_refresh(s);
	secret_refresh(s);
	fstat(STDERR_FILENO, &st);
	tap_ok(st.st_size == size, "once");
	tap_ok(str_is(secret_get(s, str_of("A")), "second-value"), "and the values before stay in use");
	chmod(path, 0644);
	secret_refresh(s);
	unlink(path);
	secret_refresh(s);
	secret_refresh(s);
	tap_ok(str_is(secret_get(s, str_of("A")), "second-value"), "also when it is unreadable or gone");
	put_file(OWNER "A=third-value\n", strlen(OWNER) + 14, 0600);
	secret_refresh(s);
	tap_ok(str_is(secret_get(s, str_of("A")), "third-value"), "until a good one is there");
	dup2(old, STDERR_FILENO);
	close(old);
	{
		char text[8192];
		ssize_t n = pread(log, text, sizeof(text) - 1, 0);
		int lines = 0;

		text[n < 0 ? 0 : n] = 0;
		for (char *p = text; *p; p++)
			lines += *p == '\n';
		tap_is_int(lines, 6, "each change is one line");
		tap_ok(!strstr(text, "canary") && !strstr(text, "-value"), "and no value is in the log");
	}
	close(log);
	unlink(saved);
	secret_close(s);
}

static void speed(void)
{
	struct buf file = BUF_MALLOC;
	struct secrets *s;
	size_t n = 1 << 20;
	char *text = mem_alloc(n);
	int64_t start;

	buf_puts(&file, OWNER);
	for (int i = 0; i < 50; i++) {
		unsigned char r[24];

		crypto_random(r, sizeof(r));
		buf_printf(&file, "KEY_%d=", i);
		crypto_base64(&file, str_make((char *)r, sizeof(r)));
		buf_putc(&file, '\n');
	}
	s = open_text(buf_text(&file), NULL);
	for (size_t i = 0; i < n; i++)
		text[i] = "{\"name\":\"a usual answer\",\"id\":12345}"[i % 36];
	start = clock_mono_us();
	buf_clear(&out);
	secret_redact(s, &out, str_make(text, n));
	start = clock_mono_us() - start;
	tap_ok(out.len == n && start < 500000, "50 secrets are looked for in 1 MiB in little time (%lld us)",
	       (long long)start);
	start = clock_mono_us();
	for (int i = 0; i < 1000; i++) {
		buf_clear(&out);
		secret_redact(s, &out, str_make(text, 500));
	}
	start = clock_mono_us() - start;
	tap_ok(start < 500000, "and in 500 bytes in hardly any (%lld ns)", (long long)start);
	secret_close(s);
	buf_free(&file);
	free(text);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 99;
	snprintf(path, sizeof(path), "%s/secrets", dir);
	log_init("test", LOG_LEVEL_INFO);
	parsing();
	refusals();
	limits();
	permissions();
	encodings();
	base64();
	overlaps();
	cuts();
	learning();
	wrapped();
	single();
	refreshing();
	speed();
	unlink(path);
	rmdir(dir);
	buf_free(&out);
	return tap_done();
}
