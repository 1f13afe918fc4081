/* Names are judged by their words, values by known beginnings and by how letters and figures are mixed; see
 * credential.h. What becomes of what was found is the converter's. */
#include <string.h>
#include "base/ascii.h"
#include "base/buf.h"
#include "import/credential.h"
#include "import/naming.h"

/* What a name may end with: its last word, or one that is run together with others. */
static const char *const last_words[] = {
	"APIKEY", "APPID", "ASSERTION", "AUTH", "AUTHORIZATION", "BEARER", "COOKIE", "CREDENTIAL", "CREDENTIALS", "CSRF", "CVC",
	"CVV", "HMAC", "JWT", "KEY", "OTP", "PASS", "PASSCODE", "PASSWD", "PIN", "PW", "PWD", "SESSION", "SID", "SIG", "TOTP",
	"VERIFIER", "XSRF",
};
static const char *const ends[] = {
	"ACCESSKEY", "ACCESS_CODE", "APIKEY", "AUTHKEY", "AUTHORIZATION_CODE", "AUTH_CODE", "DEVICE_CODE", "PASSPHRASE", "PASSWORD",
	"PRIVATEKEY", "SECRET", "SECRETKEY", "SECURITY_CODE", "SESSID", "SESSIONID", "SESSION_ID", "SIGNATURE", "SIGNATURE_256",
	"TOKEN", "VERIFICATION_CODE",
};

bool credential_name(struct str name)
{
	struct buf b = BUF_MALLOC;
	const char *last;
	bool found;

	naming_words(&b, name);
	last = strrchr(buf_text(&b), '_');
	last = last ? last + 1 : buf_text(&b);
	found = strcmp(buf_text(&b), "CODE") == 0;
	for (size_t i = 0; i < sizeof(last_words) / sizeof(last_words[0]); i++)
		found = found || strcmp(last, last_words[i]) == 0;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t n = strlen(ends[i]);

		found = found || (b.len >= n && strcmp(buf_text(&b) + b.len - n, ends[i]) == 0);
	}
	buf_free(&b);
	return found;
}

/* Values */

enum kind { OTHER, LOWER, UPPER, FIGURE };

static enum kind kind_of(char c)
{
	return ascii_is_lower(c) ? LOWER : ascii_is_upper(c) ? UPPER : ascii_is_digit(c) ? FIGURE : OTHER;
}

/* Of a name or a token of base64url; `more` are further characters. */
static size_t token_length(struct str s, const char *more)
{
	size_t n = 0;

	while (n < s.n && (kind_of(s.p[n]) != OTHER || s.p[n] == '_' || s.p[n] == '-' || (s.p[n] && strchr(more, s.p[n]))))
		n++;
	return n;
}

/* What services put before the tokens that they mint. */
static bool is_minted(struct str token)
{
	static const char *const beginnings[] = {
		"AIza", "AKIA", "ASIA", "dop_v1_", "eyJ", "gho_", "ghp_", "ghs_", "ghu_", "github_pat_", "glpat-", "hf_", "npm_", "pk_live_", "pk_test_",
		"pypi-", "rct_", "rk_live_", "rk_test_", "shpat_", "sk-", "sk_", "whsec_", "xoxa-", "xoxb-", "xoxp-", "ya29",
	};

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		if (str_starts(token, beginnings[i]) && token.n >= strlen(beginnings[i]) + 8)
			return true;
	return false;
}

static bool is_hex(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!s.p[i] || !strchr("0123456789abcdefABCDEF-", s.p[i]))
			return false;
	return true;
}

/* How the letters and figures of a token follow each other. */
struct mixture { size_t letters, figures, changes, longest; bool mixed; };

static struct mixture mixture_of(struct str token)
{
	struct mixture m = { 0 };
	enum kind before = OTHER;
	size_t run = 0, figures = 0, letters = 0;

	for (size_t i = 0; i < token.n; i++) {
		enum kind k = kind_of(token.p[i]);

		if (before == OTHER || k == OTHER)
			run = figures = letters = 0;
		m.changes += k != OTHER && before != OTHER && k != before;
		m.mixed = m.mixed || (k != OTHER && before != OTHER && (k == FIGURE) != (before == FIGURE));
		m.letters += k == LOWER || k == UPPER;
		m.figures += k == FIGURE;
		letters += k == LOWER || k == UPPER;
		figures += k == FIGURE;
		run += k != OTHER;
		if (letters >= 2 && figures >= 2 && run > m.longest)
			m.longest = run;
		before = k;
	}
	return m;
}

/* Words change seldom: each has at most a capital, and figures stand at its end. Chance changes at every other place. */
static bool is_random(struct str token)
{
	struct mixture m = mixture_of(token);
	size_t n = m.letters + m.figures;

	if (is_hex(token))
		return n >= CREDENTIAL_HEX_MIN && m.letters && n == token.n;
	if (!m.mixed)
		return n >= CREDENTIAL_RUN_MIN && m.changes * 100 >= n * 45;
	return (n >= CREDENTIAL_MIN && m.changes * 4 >= n) || m.longest >= CREDENTIAL_RUN_MIN;
}

static bool holds_random(struct str text, const char *more)
{
	while (text.n) {
		size_t n = token_length(text, more);

		if (n && (is_minted(str_make(text.p, n)) || is_random(str_make(text.p, n))))
			return true;
		text = str_skip(text, n ? n : 1);
	}
	return false;
}

bool credential_value(struct str text)
{
	/* Base64 and what services join with such characters, as wholes, too. */
	return text.n && (holds_random(text, "") || holds_random(text, "+/=.:~") || str_find(text, str_of("-----BEGIN ")) >= 0);
}

/* Texts */

/* Between the name that ends at `at` and its value; *close is what ends the value. 0: no value stands there. */
static size_t gap_length(struct str text, size_t at, bool element, const char **close)
{
	size_t i = at;
	bool says = false;

	while (element && i < text.n && text.p[i] != '>')
		i++;
	for (; i < text.n && text.p[i] && strchr("\"' \t=:>", text.p[i]); i++)
		says = says || strchr("=:>", text.p[i]);
	if (!says || i == text.n)
		return 0;
	*close = text.p[i - 1] == '>' ? "<" : text.p[i - 1] == '"' ? "\"" : text.p[i - 1] == '\'' ? "'" : " \t\r\n&;,<>\"'";
	return i - at;
}

/* The value of the name text[at..at+n), when it is one of a credential. */
static bool find_named(struct str text, size_t at, size_t n, size_t *value, size_t *length)
{
	const char *close = "";
	size_t colon = at, gap;
	bool element, end;

	/* <name, <space:name, and </ of both */
	while (colon && (kind_of(text.p[colon - 1]) != OTHER || text.p[colon - 1] == ':'))
		colon--;
	element = colon && text.p[colon - 1] == '<';
	end = colon && text.p[colon - 1] == '/';
	if (end || !credential_name(str_make(text.p + at, n)))
		return false;
	gap = gap_length(text, at + n, element, &close);
	*value = at + n + gap;
	*length = 0;
	while (gap && *value + *length < text.n && !(text.p[*value + *length] && strchr(close, text.p[*value + *length])))
		++*length;
	return str_trim(str_make(text.p + *value, *length)).n > 0;
}

bool credential_find(struct str text, size_t *at, size_t *n)
{
	for (size_t i = *at; i < text.n;) {
		size_t name = token_length(str_skip(text, i), ""), token = token_length(str_skip(text, i), "+/=.~");

		if (name && find_named(text, i, name, at, n))
			return true;
		if (token && credential_value(str_make(text.p + i, token))) {
			*at = i;
			*n = token;
			return true;
		}
		i += name ? name : 1;
	}
	return false;
}
