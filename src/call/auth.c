/* The auth forms of spec section 6.3, a table row each, and the access tokens of `oauth:` rows, which a worker keeps
 * in memory only. How a spec is written is lang/authspec's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/ascii.h"
#include "base/clock.h"
#include "base/crypto.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/mem.h"
#include "call/auth.h"
#include "lang/template.h"
#include "loop/fiber.h"

/* One application of a spec. */
struct job {
	struct outbound_request *q;
	const struct authspec *spec;
	struct secrets *secrets;
	bool shape, lacking;            /* lacking: a name of the piece at hand is missing */
	struct auth_applied *out;
};

static void note_missing(struct job *j, struct str name)
{
	struct str rest = buf_str(&j->out->missing);

	j->lacking = true;
	while (rest.p && rest.n)
		if (str_eq(str_trim(str_cut(&rest, ',')), name))
			return;
	if (j->out->missing.len)
		buf_puts(&j->out->missing, ", ");
	buf_putstr(&j->out->missing, name);
}

/* p NULL: missing, and noted. */
static struct str value_of(struct job *j, struct str name)
{
	struct str v = secret_get(j->secrets, name);

	if (!v.p)
		note_missing(j, name);
	return v;
}

static void add_authorization(struct job *j, const char *scheme, struct str value)
{
	struct buf b = BUF_ARENA(j->q->arena);

	buf_puts(&b, scheme);
	buf_putc(&b, ' ');
	buf_putstr(&b, value);
	outbound_header(j->q, str_of("Authorization"), buf_str(&b), true);
}

static int apply_none(struct job *j)
{
	(void)j;
	return 0;
}

static int apply_bearer(struct job *j)
{
	struct str v = value_of(j, j->spec->name);

	if (v.p)
		add_authorization(j, "Bearer", v);
	return 0;
}

static bool looks_like_name(struct str s)
{
	bool letter = false;

	for (size_t i = 0; i < s.n; i++) {
		if (!ascii_is_upper(s.p[i]) && !ascii_is_digit(s.p[i]) && s.p[i] != '_')
			return false;
		letter = letter || s.p[i] > '9';
	}
	return letter && !ascii_is_digit(s.p[0]);
}

/* USER or PASS of basic:USER:PASS. A password that has the look of a variable's name and is none is taken for a
 * missing variable: sending the name itself to an upstream would help nobody. */
static struct str literal_or_value(struct job *j, struct str text, bool password)
{
	struct str v = secret_get(j->secrets, text);

	if (v.p)
		return v;
	if (password && looks_like_name(text))
		note_missing(j, text);
	return text;
}

static int apply_basic(struct job *j)
{
	const struct authspec *s = j->spec;
	struct buf pair = BUF_ARENA(j->q->arena), text = BUF_ARENA(j->q->arena);

	buf_putstr(&pair, s->name.p ? value_of(j, s->name) : literal_or_value(j, s->user, false));
	buf_putc(&pair, ':');
	if (!s->name.p)
		buf_putstr(&pair, literal_or_value(j, s->pass, true));
	crypto_base64(&text, buf_str(&pair));
	crypto_forget(pair.data, pair.len);
	if (!j->lacking)
		add_authorization(j, "Basic", buf_str(&text));
	return 0;
}

static struct str header_name_value(void *ctx, struct str name)
{
	struct str v = value_of(ctx, name);

	return v.p ? v : str_of("");
}

static int apply_headers(struct job *j)
{
	struct template_args args = { .lookup = header_name_value, .ctx = j };

	json_object_object_foreach(j->spec->headers, name, value) {
		struct buf b = BUF_ARENA(j->q->arena);

		j->lacking = false;
		template_expand(&b, json_str(value), ESCAPE_HEADER, &args);
		if (!j->lacking)
			outbound_header(j->q, str_of(name), buf_str(&b), true);
	}
	return 0;
}

static int apply_query(struct job *j)
{
	struct str v = value_of(j, j->spec->name);

	if (v.p)
		outbound_query(j->q, j->spec->param, v, true);
	return 0;
}

/* OAuth 2 client credentials: RFC 6749 section 4.4 */

struct waiter { struct fiber *fiber; bool done; struct waiter *next; };

/* A token, or its fetch under way. Keyed by the row's NAME and a digest of what it was asked for with: a rotated
 * secret is another token. */
struct token {
	char digest[CRYPTO_HEX];
	char *text;                             /* NULL: none */
	int64_t until_us;                       /* monotonic */
	bool fetching;
	unsigned users;                         /* fibers that hold a pointer to it */
	char error[OUTBOUND_ERROR_MAX];         /* of the last fetch */
	struct waiter *waiters;
	struct token *next;
};

static struct { struct token *first; unsigned n; } tokens;

struct oauth { struct str url, id, secret, scope; };

static struct str part_of(struct job *j, const char *suffix, bool needed)
{
	struct buf name = BUF_ARENA(j->q->arena);
	struct str v;

	buf_putstr(&name, j->spec->name);
	buf_puts(&name, suffix);
	v = needed ? value_of(j, buf_str(&name)) : secret_get(j->secrets, buf_str(&name));
	return arena_copy(j->q->arena, v);      /* the fetch waits, and secrets may be read again meanwhile */
}

static void token_digest(struct arena *a, const struct authspec *spec, const struct oauth *o, char digest[CRYPTO_HEX])
{
	struct buf b = BUF_ARENA(a);
	const struct str part[] = { spec->name, o->url, o->id, o->secret, o->scope };

	for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++) {
		buf_printf(&b, "%zu:", part[i].n);
		buf_putstr(&b, part[i]);
	}
	crypto_sha256_hex(buf_str(&b), digest);
	crypto_forget(b.data, b.len);
}

static void token_forget(struct token *t)
{
	if (t->text)
		crypto_forget(t->text, strlen(t->text));
	free(t->text);
	t->text = NULL;
	t->until_us = 0;
}

/* Makes room for one more: the least recently made goes, which stands last. */
static void drop_oldest(void)
{
	struct token **oldest = NULL, *gone;

	for (struct token **t = &tokens.first; *t; t = &(*t)->next)
		if (!(*t)->users)
			oldest = t;
	if (!oldest)
		return;
	gone = *oldest;
	*oldest = gone->next;
	token_forget(gone);
	free(gone);
	tokens.n--;
}

static struct token *token_find(const char *digest)
{
	struct token *t;

	for (t = tokens.first; t; t = t->next)
		if (strcmp(t->digest, digest) == 0)
			return t;
	if (tokens.n >= AUTH_TOKENS_MAX)
		drop_oldest();
	t = mem_alloc(sizeof(*t));
	memcpy(t->digest, digest, sizeof(t->digest));
	t->next = tokens.first;
	tokens.first = t;
	tokens.n++;
	return t;
}

static void add_form(struct buf *b, const char *name, struct str value)
{
	if (b->len)
		buf_putc(b, '&');
	buf_puts(b, name);
	buf_putc(b, '=');
	escape_add(b, ESCAPE_FORM, value);
}

/* RFC 6749 section 2.3.1: id and secret are form-encoded before they become user and password. */
static void add_client(struct outbound_request *q, const struct oauth *o)
{
	struct buf pair = BUF_ARENA(q->arena), text = BUF_ARENA(q->arena), value = BUF_ARENA(q->arena);

	escape_add(&pair, ESCAPE_FORM, o->id);
	buf_putc(&pair, ':');
	escape_add(&pair, ESCAPE_FORM, o->secret);
	crypto_base64(&text, buf_str(&pair));
	crypto_forget(pair.data, pair.len);
	buf_puts(&value, "Basic ");
	buf_putstr(&value, buf_str(&text));
	outbound_header(q, str_of("Authorization"), buf_str(&value), true);
}

/* A shorter one could not be redacted. */
static bool is_token_text(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] <= 0x20 || (unsigned char)s.p[i] >= 0x7F)
			return false;
	return s.n >= SECRET_MIN && s.n <= AUTH_TOKEN_MAX;
}

static int64_t life_of(struct json_object *answer)
{
	struct json_object *in = json_get(answer, "expires_in");
	int64_t s = in ? json_object_get_int64(in) : AUTH_TOKEN_LIFE_S;         /* some servers write it as a string */

	if (s < 0)
		s = 0;
	if (s > AUTH_TOKEN_LIFE_MAX_S)
		s = AUTH_TOKEN_LIFE_MAX_S;
	return s > 2 * AUTH_TOKEN_MARGIN_S ? s - AUTH_TOKEN_MARGIN_S : s / 2;
}

/* The error code of RFC 6749 section 5.2, if the answer has one; nothing else of the answer is shown. */
static void explain(struct token *t, int status, struct json_object *answer)
{
	struct str code = json_str(json_get(answer, "error"));
	bool plain = code.n > 0 && code.n <= 64;

	for (size_t i = 0; i < code.n && plain; i++)
		plain = code.p[i] == '_' || ascii_is_lower(code.p[i]);
	if (plain)
		snprintf(t->error, sizeof(t->error), "ERR:http:oauth:%d:%.*s", status, (int)code.n, code.p);
	else if (status < 400)
		snprintf(t->error, sizeof(t->error), "ERR:http:oauth:%d:no access_token in the answer", status);
	else
		snprintf(t->error, sizeof(t->error), "ERR:http:oauth:%d", status);
}

static void read_answer(struct token *t, struct arena *a, const struct outbound_response *r)
{
	struct json_object *answer = NULL;
	struct str text;

	if (r->error[0]) {
		/* "ERR:http:fetch:…" becomes "ERR:http:oauth:fetch:…" */
		snprintf(t->error, sizeof(t->error), "ERR:http:oauth:%.*s", (int)(sizeof(t->error) - 32),
			r->error + strlen("ERR:http:"));
		return;
	}
	if (json_parse(a, r->body, &answer, NULL) < 0)
		answer = NULL;
	text = json_str(json_get(answer, "access_token"));
	if (r->status != 200 || !is_token_text(text)) {
		explain(t, r->status, answer);
		return;
	}
	t->text = mem_strndup(text.p, text.n);
	t->until_us = clock_mono_us() + life_of(answer) * 1000000;
}

static void token_fetch(struct token *t, struct job *j, const struct oauth *o)
{
	struct arena *a = j->q->arena;
	struct outbound_request *q = arena_alloc(a, sizeof(*q));
	struct outbound_response r;
	struct buf body = BUF_ARENA(a);

	token_forget(t);
	t->error[0] = 0;
	t->fetching = true;
	*q = (struct outbound_request){
		.arena = a, .method = str_of("POST"), .url = o->url, .timeout_ms = j->q->timeout_ms,
	};
	add_client(q, o);
	outbound_header(q, str_of("Content-Type"), str_of("application/x-www-form-urlencoded"), false);
	outbound_header(q, str_of("Accept"), str_of("application/json"), false);
	add_form(&body, "grant_type", str_of("client_credentials"));
	if (o->scope.n)
		add_form(&body, "scope", o->scope);
	q->body = buf_str(&body);
	outbound_fetch(q, &r);
	read_answer(t, a, &r);
	if (t->text)
		secret_learn(j->secrets, AUTH_TOKEN_NAME, str_of(t->text), AUTH_TOKEN_LIFE_MAX_S);
	t->fetching = false;
	for (struct waiter *w = t->waiters; w; w = w->next) {
		w->done = true;
		fiber_wake(w->fiber, FIBER_WOKEN);
	}
	t->waiters = NULL;
}

static void token_wait(struct token *t)
{
	struct waiter w = { .fiber = fiber_self(), .next = t->waiters };

	t->waiters = &w;
	while (!w.done)
		fiber_suspend();
}

/* One fetch at a time; who waits for it shares how it ends. */
static void token_make_fresh(struct token *t, struct job *j, const struct oauth *o)
{
	while (!t->text || t->until_us <= clock_mono_us()) {
		if (!t->fetching) {
			token_fetch(t, j, o);
			return;
		}
		token_wait(t);
		if (t->error[0])
			return;
	}
}

static int apply_oauth(struct job *j)
{
	struct oauth o = {
		part_of(j, "_TOKEN_URL", true), part_of(j, "_CLIENT_ID", true), part_of(j, "_CLIENT_SECRET", true),
		part_of(j, "_SCOPE", false),
	};
	char digest[CRYPTO_HEX];
	struct token *t;

	if (j->shape || j->lacking)
		return 0;
	token_digest(j->q->arena, j->spec, &o, digest);
	t = token_find(digest);
	t->users++;
	token_make_fresh(t, j, &o);
	t->users--;
	if (!t->text) {
		memcpy(j->out->error, t->error, sizeof(j->out->error));
		return -1;
	}
	j->out->token = arena_copy(j->q->arena, str_of(t->text));
	add_authorization(j, "Bearer", j->out->token);
	return 0;
}

static int (*const forms[])(struct job *j) = {
	[AUTH_NONE] = apply_none,
	[AUTH_BEARER] = apply_bearer,
	[AUTH_BASIC] = apply_basic,
	[AUTH_HEADERS] = apply_headers,
	[AUTH_QUERY] = apply_query,
	[AUTH_OAUTH] = apply_oauth,
};

int auth_apply(struct outbound_request *q, const struct authspec *spec, struct secrets *s, bool shape,
	struct auth_applied *out)
{
	struct job j = { .q = q, .spec = spec, .secrets = s, .shape = shape, .out = out };

	*out = (struct auth_applied){ .missing = BUF_ARENA(q->arena) };
	return forms[spec->form](&j);
}

void auth_token_refused(struct str token)
{
	for (struct token *t = tokens.first; t; t = t->next)
		if (t->text && str_is(token, t->text))
			token_forget(t);
}

void auth_done(void)
{
	while (tokens.first) {
		struct token *t = tokens.first;

		tokens.first = t->next;
		token_forget(t);
		free(t);
	}
	tokens.n = 0;
}
