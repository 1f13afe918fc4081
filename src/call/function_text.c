/* Built-in functions on texts and the clock: they know nothing of rows and keep nothing. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <locale.h>
#include <pcre2.h>
#include <wctype.h>
#include "base/clock.h"
#include "base/crypto.h"
#include "base/escape.h"
#include "base/log.h"
#include "call/functions.h"

enum {
	REGEX_PATTERN_MAX = 1024,       /* bytes of a pattern */
	REGEX_SUBJECT_MAX = 64 * 1024,  /* bytes that are searched */
	REGEX_NESTING_MAX = 24,         /* parentheses within parentheses: PCRE2 compiles by recursion */
	REGEX_STEPS = 10000,            /* backtracking from one starting point */
	REGEX_HEAP_KIB = 4096,
	REGEX_TIME_US = 50000,          /* all starting points together: other calls wait for this one */
	REGEX_CHECK = 64,               /* starting points between looks at the clock */
};

static void run_now(struct call *c, struct json_object **arg, unsigned n)
{
	const char *zone = dispatch_context()->conf->zone;
	struct json_object *o = json_object_new_object();
	struct clock_local local;
	char utc[CLOCK_ISO];
	int64_t now = clock_ms();

	(void)arg;
	(void)n;
	if (clock_in_zone(now, zone, &local) < 0)
		log_fatal("now: the zone of the configuration was checked and is unknown");
	clock_iso(now, utc);
	json_put_text(o, "now", utc);
	json_put_text(o, "today", local.date);
	json_put_text(o, "time", local.time);
	json_put_text(o, "zone", zone);
	json_put_text(o, "iso", local.iso);
	functions_json(c, o);
}

static void run_echo(struct call *c, struct json_object **arg, unsigned n)
{
	buf_putstr(&c->result, functions_text(c, arg, n, 0));
}

/* Case */

/* The locale whose case tables are used; without it only ASCII has case. Kept for the process's life. */
static locale_t case_locale(void)
{
	static locale_t l;

	if (!l)
		l = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	return l;
}

static void map_case(struct buf *out, struct str s, wint_t (*map)(wint_t, locale_t))
{
	locale_t l = case_locale();
	uint32_t cp;

	buf_reserve(out, s.n);
	while (s.n) {
		int n = escape_utf8_next(s.p, s.n, &cp);

		escape_utf8_put(out, cp < 0x80 || l ? (uint32_t)map((wint_t)cp, l ? l : LC_GLOBAL_LOCALE) : cp);
		s = str_skip(s, (size_t)(n < 0 ? -n : n));
	}
}

static void run_upper(struct call *c, struct json_object **arg, unsigned n)
{
	map_case(&c->result, functions_text(c, arg, n, 0), towupper_l);
}

static void run_lower(struct call *c, struct json_object **arg, unsigned n)
{
	map_case(&c->result, functions_text(c, arg, n, 0), towlower_l);
}

/* Digests and encodings */

static void run_sha256(struct call *c, struct json_object **arg, unsigned n)
{
	char hex[CRYPTO_HEX];

	crypto_sha256_hex(functions_text(c, arg, n, 0), hex);
	buf_puts(&c->result, hex);
}

/* RFC 9562 section 5.4 */
static void run_uuid(struct call *c, struct json_object **arg, unsigned n)
{
	unsigned char u[16];
	struct buf hex = BUF_ARENA(c->arena);

	(void)arg;
	(void)n;
	crypto_random(u, sizeof(u));
	u[6] = (unsigned char)((u[6] & 0x0F) | 0x40);
	u[8] = (unsigned char)((u[8] & 0x3F) | 0x80);
	crypto_hex(&hex, str_make((const char *)u, sizeof(u)));
	buf_printf(&c->result, "%.8s-%.4s-%.4s-%.4s-%.12s", hex.data, hex.data + 8, hex.data + 12, hex.data + 16,
		hex.data + 20);
}

static void run_base64_encode(struct call *c, struct json_object **arg, unsigned n)
{
	crypto_base64(&c->result, functions_text(c, arg, n, 0));
}

/* Decoded bytes that are no text stay in base64, marked as such: results are UTF-8. */
static void put_decoded(struct call *c, struct buf *decoded)
{
	if (escape_is_utf8(buf_str(decoded))) {
		buf_putstr(&c->result, buf_str(decoded));
		return;
	}
	buf_puts(&c->result, "data:application/octet-stream;base64,");
	crypto_base64(&c->result, buf_str(decoded));
}

static void run_base64_decode(struct call *c, struct json_object **arg, unsigned n)
{
	struct buf decoded = BUF_ARENA(c->arena);

	if (crypto_unbase64(&decoded, str_trim(functions_text(c, arg, n, 0))) < 0)
		functions_fail(c, "base64_decode", "malformed", str_of(""));
	else
		put_decoded(c, &decoded);
}

static void run_url_encode(struct call *c, struct json_object **arg, unsigned n)
{
	escape_add(&c->result, ESCAPE_QUERY, functions_text(c, arg, n, 0));
}

static void run_url_decode(struct call *c, struct json_object **arg, unsigned n)
{
	struct buf decoded = BUF_ARENA(c->arena);

	if (escape_unpercent(&decoded, functions_text(c, arg, n, 0), true) < 0)
		functions_fail(c, "url_decode", "malformed", str_of(""));
	else
		put_decoded(c, &decoded);
}

/* Picking out of texts */

static void run_json_get(struct call *c, struct json_object **arg, unsigned n)
{
	struct str pointer = functions_text(c, arg, n, 0), text = functions_text(c, arg, n, 1);
	struct json_object *o = NULL, *at;
	struct problem why = { 0 };
	bool found;

	if (pointer.n && pointer.p[0] != '/') {
		functions_fail(c, "json_get", "bad_pointer", pointer);
		return;
	}
	if (json_parse(c->arena, text, &o, &why) < 0) {
		functions_fail(c, "json_get", "bad_json", str_of(why.detail));
		return;
	}
	at = json_pointer(o, pointer, &found);
	if (!found)
		functions_fail(c, "json_get", "not_found", pointer);
	else if (json_object_is_type(at, json_type_string))
		buf_putstr(&c->result, json_str(at));
	else
		json_text(&c->result, at);
}

/* The text between the last [REPLY] that is closed and its [/REPLY]; nothing when there is none. */
static void run_last_reply_of(struct call *c, struct json_object **arg, unsigned n)
{
	struct str open = str_of("[REPLY]"), close = str_of("[/REPLY]");
	struct str rest = functions_text(c, arg, n, 0), reply = str_of("");
	long begin, end;

	while ((begin = str_find(rest, open)) >= 0) {
		rest = str_skip(rest, (size_t)begin + open.n);
		end = str_find(rest, close);
		if (end < 0)
			break;
		begin = str_find(rest, open);
		if (begin >= 0 && begin < end)
			continue;       /* opened again before it was closed: the inner one counts */
		reply = str_make(rest.p, (size_t)end);
		rest = str_skip(rest, (size_t)end + close.n);
	}
	buf_putstr(&c->result, str_trim(reply));
}

struct regex { pcre2_code *code; pcre2_match_data *data; pcre2_match_context *limits; };

static int regex_open(struct regex *r, struct str pattern, struct buf *fault)
{
	pcre2_compile_context *rules = pcre2_compile_context_create(NULL);
	PCRE2_SIZE at;
	int error;
	unsigned char text[128];

	if (rules) {
		pcre2_set_parens_nest_limit(rules, REGEX_NESTING_MAX);
		r->code = pcre2_compile((PCRE2_SPTR)pattern.p, pattern.n, PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C,
					&error, &at, rules);
	}
	pcre2_compile_context_free(rules);
	if (!r->code) {
		pcre2_get_error_message(error, text, sizeof(text));
		buf_printf(fault, "%s at byte %zu", (const char *)text, (size_t)at);
		return -1;
	}
	r->data = pcre2_match_data_create_from_pattern(r->code, NULL);
	r->limits = pcre2_match_context_create(NULL);
	if (!r->data || !r->limits)
		log_fatal("regex_match: out of memory");
	pcre2_set_match_limit(r->limits, REGEX_STEPS);
	pcre2_set_heap_limit(r->limits, REGEX_HEAP_KIB);
	return 0;
}

static void regex_close(struct regex *r)
{
	pcre2_match_context_free(r->limits);
	pcre2_match_data_free(r->data);
	pcre2_code_free(r->code);
}

/* One starting point after the other, so that the clock can be looked at: PCRE2's own limit is counted anew at each
 * of them. Returns as pcre2_match. */
static int regex_search(struct regex *r, struct str s)
{
	int64_t end = clock_mono_us() + REGEX_TIME_US;
	unsigned tried = 0;
	uint32_t cp;

	for (size_t at = 0; at <= s.n; tried++) {
		int rc = pcre2_match(r->code, (PCRE2_SPTR)s.p, s.n, at, PCRE2_ANCHORED | PCRE2_NO_UTF_CHECK,
				     r->data, r->limits);

		if (rc != PCRE2_ERROR_NOMATCH)
			return rc;
		if (tried % REGEX_CHECK == 0 && clock_mono_us() > end)
			return PCRE2_ERROR_MATCHLIMIT;
		if (at == s.n)
			break;
		at += (size_t)escape_utf8_next(s.p + at, s.n - at, &cp);
	}
	return PCRE2_ERROR_NOMATCH;
}

/* [whole, group 1, …], null for a group that took no part; [] for no match. */
static void put_groups(struct call *c, struct regex *r, struct str s, int count)
{
	PCRE2_SIZE *v = pcre2_get_ovector_pointer(r->data);
	struct json_object *list = json_object_new_array();
	uint32_t groups = pcre2_get_ovector_count(r->data);

	for (uint32_t i = 0; count > 0 && i < groups; i++) {
		bool set = (int)i < count && v[2 * i] != PCRE2_UNSET && v[2 * i] <= v[2 * i + 1];

		json_object_array_add(list, !set ? NULL :
				      json_new_str(str_make(s.p + v[2 * i], v[2 * i + 1] - v[2 * i])));
	}
	functions_json(c, list);
}

static void run_regex_match(struct call *c, struct json_object **arg, unsigned n)
{
	struct str pattern = functions_text(c, arg, n, 0), s = functions_text(c, arg, n, 1);
	struct buf fault = BUF_ARENA(c->arena);
	struct regex r = { NULL, NULL, NULL };
	int count;

	if (pattern.n > REGEX_PATTERN_MAX || s.n > REGEX_SUBJECT_MAX) {
		functions_fail(c, "regex_match", "too_long",
			str_of(pattern.n > REGEX_PATTERN_MAX ? "pattern" : "text"));
		return;
	}
	if (regex_open(&r, pattern, &fault) < 0) {
		functions_fail(c, "regex_match", "bad_pattern", buf_str(&fault));
		return;
	}
	count = escape_is_utf8(s) ? regex_search(&r, s) : PCRE2_ERROR_BADDATA;
	if (count >= 0 || count == PCRE2_ERROR_NOMATCH)
		put_groups(c, &r, s, count);
	else
		functions_fail(c, "regex_match", count == PCRE2_ERROR_BADDATA ? "not_utf8" : "too_costly", str_of(""));
	regex_close(&r);
}

const struct function function_text[] = {
	{ .name = "now", .run = run_now },
	{ .name = "echo", .min_args = 1, .run = run_echo },
	{ .name = "upper", .min_args = 1, .run = run_upper },
	{ .name = "lower", .min_args = 1, .run = run_lower },
	{ .name = "sha256", .min_args = 1, .run = run_sha256 },
	{ .name = "uuid", .run = run_uuid },
	{ .name = "json_get", .min_args = 2, .run = run_json_get },             /* pointer, text */
	{ .name = "regex_match", .min_args = 2, .run = run_regex_match },       /* pattern, text */
	{ .name = "last_reply_of", .min_args = 1, .run = run_last_reply_of },
	{ .name = "base64_encode", .min_args = 1, .run = run_base64_encode },
	{ .name = "base64_decode", .min_args = 1, .run = run_base64_decode },
	{ .name = "url_encode", .min_args = 1, .run = run_url_encode },
	{ .name = "url_decode", .min_args = 1, .run = run_url_decode },
	{ .name = NULL },
};
