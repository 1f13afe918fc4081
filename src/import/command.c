/* The curl command as a row: options by a table, then URL, headers and body, each with its values as arguments and its
 * credentials as names. Reads words only; files that the command names are refused. */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "base/crypto.h"
#include "base/escape.h"
#include "import/command.h"
#include "import/credential.h"
#include "import/naming.h"
#include "lang/authspec.h"
#include "lang/target.h"

enum { HEADERS_MAX = AUTHSPEC_HEADERS_MAX, SCHEME_MAX = 20 };

struct argument { const char *name, *type; struct str example; };
struct field { struct str name, value; };

struct command {
	struct draft *d;
	const struct command_wishes *wishes;
	struct problem *why;
	/* As the options say. */
	struct str url, method, user, cookie, bearer;
	struct field header[HEADERS_MAX];
	size_t headers;
	struct buf data, query;                 /* body; what -G and --url-query append */
	bool has_data, get, head, json, done;
	/* As it becomes. */
	struct str authority, path, url_query, type;    /* type: Content-Type, p NULL when none was given */
	struct buf host, target, payload;               /* host: the beginning of names of variables */
	struct argument argument[COMMAND_SLOTS_MAX];
	size_t arguments;
	struct json_object *headers_auth;       /* headers and, with $NAME, credentials */
	const char *form, *form_name;           /* the one credential as a form of its own: "bearer:", … */
	struct str query_name, query_variable;
	unsigned credentials;
	bool basic;                             /* one is Basic, which has no form among headers */
	bool browser;                           /* copied from one */
	struct buf kept;                        /* names of what stays in the row as it stood */
};

static int refuse(struct command *c, const char *detail, struct str about)
{
	problem_set(c->why, 400, "bad_command");
	problem_detail(c->why, "%s%.*s", detail, (int)(about.n < 100 ? about.n : 100), about.p ? about.p : "");
	return -1;
}

static bool equal_fold(struct str a, const char *b)
{
	return a.n == strlen(b) && strncasecmp(a.p, b, a.n) == 0;
}

static bool is_listed(const struct str *list, size_t n, struct str name)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(list[i], name))
			return true;
	return false;
}

static bool is_fixed(const struct command *c, struct str name)
{
	return is_listed(c->wishes->fixed, c->wishes->fixed_n, name);
}

/* What nothing can be said about is told: whoever pasted it knows. */
static void keep(struct command *c, struct str name)
{
	buf_puts(&c->kept, c->kept.len ? ", " : "");
	buf_putstr(&c->kept, name);
}

/* By its name, or by itself; unless somebody has said that it stays. */
static bool is_secret(const struct command *c, struct str name, struct str value)
{
	return value.n && !is_fixed(c, name) && (credential_name(name) || credential_value(value));
}

/* Options */

static int add_header(struct command *c, struct str name, struct str value)
{
	if (c->headers == HEADERS_MAX)
		return refuse(c, "there are too many headers", str_of(""));
	c->header[c->headers++] = (struct field){ str_trim(name), str_trim(value) };
	return 0;
}

static int take_url(struct command *c, struct str arg)
{
	if (c->url.p)
		return refuse(c, "there are two URLs; a row has one", str_of(""));
	c->url = arg;
	return 0;
}

static int take_method(struct command *c, struct str arg)
{
	c->method = arg;
	return 0;
}

/* "Name: value"; "Name;" is an empty one, "Name:" takes one of curl's own away. */
static int take_header(struct command *c, struct str arg)
{
	struct str name = str_cut(&arg, ':');

	if (name.n && name.p[0] == '@')
		return refuse(c, "headers stand in a file: ", name);
	if (!arg.p || !str_trim(arg).n)
		return 0;
	return add_header(c, name, arg);
}

static int take_cookie(struct command *c, struct str arg)
{
	if (!memchr(arg.p, '=', arg.n))
		return refuse(c, "cookies stand in a file (-b without a \"=\")", str_of(""));
	c->cookie = arg;
	return 0;
}

static int take_user(struct command *c, struct str arg) { c->user = arg; return 0; }
static int take_bearer(struct command *c, struct str arg) { c->bearer = arg; return 0; }
static int take_agent(struct command *c, struct str arg) { return add_header(c, str_of("User-Agent"), arg); }
static int take_referer(struct command *c, struct str arg) { return add_header(c, str_of("Referer"), arg); }
static int take_get(struct command *c, struct str arg) { (void)arg; c->get = true; return 0; }
static int take_head(struct command *c, struct str arg) { (void)arg; c->head = true; return 0; }

static int add_data(struct command *c, struct str arg, char between)
{
	if (c->has_data && between)
		buf_putc(&c->data, between);
	c->has_data = true;
	buf_putstr(&c->data, arg);
	return 0;
}

static int take_data(struct command *c, struct str arg)
{
	if (str_starts(arg, "@"))
		return refuse(c, "data stands in a file; give it itself: ", arg);
	return add_data(c, arg, '&');
}

static int take_raw(struct command *c, struct str arg)
{
	return add_data(c, arg, '&');
}

static int take_json(struct command *c, struct str arg)
{
	if (str_starts(arg, "@"))
		return refuse(c, "data stands in a file; give it itself: ", arg);
	c->json = true;
	return add_data(c, arg, '\0');
}

/* content, =content, name=content; @file and name@file are files. */
static int encode(struct command *c, struct str arg, struct buf *out)
{
	struct str name = arg;
	const char *at = arg.n ? memchr(arg.p, '=', arg.n) : NULL, *file = arg.n ? memchr(arg.p, '@', arg.n) : NULL;

	if (!at && file)
		return refuse(c, "data stands in a file (an \"@\" and no \"=\"); give it itself", str_of(""));
	name.n = at ? (size_t)(at - arg.p) : 0;
	if (name.n) {
		buf_putstr(out, name);
		buf_putc(out, '=');
	}
	escape_add(out, ESCAPE_QUERY, at ? str_skip(arg, name.n + 1) : arg);
	return 0;
}

static int take_urlencode(struct command *c, struct str arg)
{
	struct buf b = BUF_ARENA(c->d->arena);

	return encode(c, arg, &b) < 0 ? -1 : add_data(c, buf_str(&b), '&');
}

static int take_url_query(struct command *c, struct str arg)
{
	if (c->query.len)
		buf_putc(&c->query, '&');
	if (!str_starts(arg, "+"))
		return encode(c, arg, &c->query);
	buf_putstr(&c->query, str_skip(arg, 1));
	return 0;
}

static int take_next(struct command *c, struct str arg)
{
	(void)arg;
	c->done = true;
	draft_note(c->d, "--next", true, "only the first request becomes a row");
	return 0;
}

enum effect { TAKE, IGNORE, NOTE, REFUSE };
#define CERTIFICATE "has no counterpart: a row cannot use a certificate of the client's"
#define ANSWER_FILE "is left out: the answer is the call's result"

/* curl(1). What only concerns the terminal, the connection or the answer's file is ignored: the service has its own
 * settings for time, redirects, compression and TLS. */
static const struct option {
	const char *name;
	char letter;
	bool arg;
	enum effect effect;
	int (*take)(struct command *c, struct str arg);
	const char *text;               /* NOTE, REFUSE */
} options[] = {
	{ "url", 0, true, TAKE, take_url, NULL },
	{ "request", 'X', true, TAKE, take_method, NULL },
	{ "header", 'H', true, TAKE, take_header, NULL },
	{ "cookie", 'b', true, TAKE, take_cookie, NULL },
	{ "user", 'u', true, TAKE, take_user, NULL },
	{ "oauth2-bearer", 0, true, TAKE, take_bearer, NULL },
	{ "user-agent", 'A', true, TAKE, take_agent, NULL },
	{ "referer", 'e', true, TAKE, take_referer, NULL },
	{ "get", 'G', false, TAKE, take_get, NULL },
	{ "head", 'I', false, TAKE, take_head, NULL },
	{ "data", 'd', true, TAKE, take_data, NULL },
	{ "data-ascii", 0, true, TAKE, take_data, NULL },
	{ "data-binary", 0, true, TAKE, take_data, NULL },
	{ "data-raw", 0, true, TAKE, take_raw, NULL },
	{ "data-urlencode", 0, true, TAKE, take_urlencode, NULL },
	{ "url-query", 0, true, TAKE, take_url_query, NULL },
	{ "json", 0, true, TAKE, take_json, NULL },
	{ "next", ':', false, TAKE, take_next, NULL },
	{ "form", 'F', true, REFUSE, NULL, "a multipart form (-F) cannot be a row's body" },
	{ "form-string", 0, true, REFUSE, NULL, "a multipart form (--form-string) cannot be a row's body" },
	{ "upload-file", 'T', true, REFUSE, NULL, "a row cannot upload a file (-T)" },
	{ "config", 'K', true, REFUSE, NULL, "options stand in a file (-K); give them themselves" },
	{ "digest", 0, false, REFUSE, NULL, "of the schemes of authentication rows know Basic and Bearer, not Digest" },
	{ "ntlm", 0, false, REFUSE, NULL, "of the schemes of authentication rows know Basic and Bearer, not NTLM" },
	{ "negotiate", 0, false, REFUSE, NULL, "of the schemes of authentication rows know Basic and Bearer, not Negotiate" },
	{ "aws-sigv4", 0, true, REFUSE, NULL, "a row cannot sign requests (--aws-sigv4)" },
	{ "unix-socket", 0, true, REFUSE, NULL, "a row cannot use a Unix socket" },
	{ "insecure", 'k', false, NOTE, NULL, "is left out: certificates are always checked; see `ca_file` in rowcall.conf(5)" },
	{ "proxy", 'x', true, NOTE, NULL, "is left out: no proxy is used" },
	{ "proxy-user", 'U', true, NOTE, NULL, "is left out: no proxy is used" },
	{ "resolve", 0, true, NOTE, NULL, "is left out: names are resolved as the system does" },
	{ "connect-to", 0, true, NOTE, NULL, "is left out: the row connects to the URL's host" },
	{ "cert", 'E', true, NOTE, NULL, CERTIFICATE },
	{ "key", 0, true, NOTE, NULL, CERTIFICATE },
	{ "cacert", 0, true, NOTE, NULL, "is left out; see `ca_file` in rowcall.conf(5)" },
	{ "range", 'r', true, NOTE, NULL, "is left out: give a header Range" },
	{ "cookie-jar", 'c', true, NOTE, NULL, "is left out: cookies of the answer are not kept" },
	{ "output", 'o', true, NOTE, NULL, ANSWER_FILE },
	{ "remote-name", 'O', false, NOTE, NULL, ANSWER_FILE },
	{ "max-time", 'm', true, IGNORE, NULL, NULL }, { "connect-timeout", 0, true, IGNORE, NULL, NULL },
	{ "retry", 0, true, IGNORE, NULL, NULL }, { "retry-delay", 0, true, IGNORE, NULL, NULL },
	{ "retry-max-time", 0, true, IGNORE, NULL, NULL }, { "retry-all-errors", 0, false, IGNORE, NULL, NULL },
	{ "max-redirs", 0, true, IGNORE, NULL, NULL }, { "limit-rate", 0, true, IGNORE, NULL, NULL },
	{ "write-out", 'w', true, IGNORE, NULL, NULL }, { "dump-header", 'D', true, IGNORE, NULL, NULL },
	{ "stderr", 0, true, IGNORE, NULL, NULL }, { "trace", 0, true, IGNORE, NULL, NULL },
	{ "trace-ascii", 0, true, IGNORE, NULL, NULL }, { "interface", 0, true, IGNORE, NULL, NULL },
	{ "output-dir", 0, true, IGNORE, NULL, NULL }, { "keepalive-time", 0, true, IGNORE, NULL, NULL },
	{ "tls-max", 0, true, IGNORE, NULL, NULL }, { "ciphers", 0, true, IGNORE, NULL, NULL },
	{ "location", 'L', false, IGNORE, NULL, NULL }, { "location-trusted", 0, false, IGNORE, NULL, NULL },
	{ "post301", 0, false, IGNORE, NULL, NULL }, { "post302", 0, false, IGNORE, NULL, NULL },
	{ "compressed", 0, false, IGNORE, NULL, NULL }, { "silent", 's', false, IGNORE, NULL, NULL },
	{ "show-error", 'S', false, IGNORE, NULL, NULL }, { "verbose", 'v', false, IGNORE, NULL, NULL },
	{ "include", 'i', false, IGNORE, NULL, NULL }, { "fail", 'f', false, IGNORE, NULL, NULL },
	{ "fail-with-body", 0, false, IGNORE, NULL, NULL }, { "no-buffer", 'N', false, IGNORE, NULL, NULL },
	{ "progress-bar", '#', false, IGNORE, NULL, NULL }, { "no-progress-meter", 0, false, IGNORE, NULL, NULL },
	{ "globoff", 'g', false, IGNORE, NULL, NULL }, { "path-as-is", 0, false, IGNORE, NULL, NULL },
	{ "ipv4", '4', false, IGNORE, NULL, NULL }, { "ipv6", '6', false, IGNORE, NULL, NULL },
	{ "http1.0", '0', false, IGNORE, NULL, NULL }, { "http1.1", 0, false, IGNORE, NULL, NULL },
	{ "http2", 0, false, IGNORE, NULL, NULL }, { "http2-prior-knowledge", 0, false, IGNORE, NULL, NULL },
	{ "http3", 0, false, IGNORE, NULL, NULL }, { "tlsv1.2", 0, false, IGNORE, NULL, NULL },
	{ "tlsv1.3", 0, false, IGNORE, NULL, NULL }, { "tlsv1", '1', false, IGNORE, NULL, NULL },
	{ "ssl-reqd", 0, false, IGNORE, NULL, NULL }, { "no-keepalive", 0, false, IGNORE, NULL, NULL },
	{ "tcp-nodelay", 0, false, IGNORE, NULL, NULL }, { "disable", 'q', false, IGNORE, NULL, NULL },
	{ "create-dirs", 0, false, IGNORE, NULL, NULL }, { "remote-header-name", 'J', false, IGNORE, NULL, NULL },
	{ "basic", 0, false, IGNORE, NULL, NULL }, { "anyauth", 0, false, IGNORE, NULL, NULL },
	{ "netrc", 'n', false, IGNORE, NULL, NULL }, { "parallel", 'Z', false, IGNORE, NULL, NULL },
};

static const struct option *option_of(struct str name, char letter)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (letter ? options[i].letter == letter : str_is(name, options[i].name))
			return &options[i];
	return NULL;
}

static int apply(struct command *c, const struct option *o, struct str arg)
{
	switch (o->effect) {
	case TAKE:
		return o->take(c, arg);
	case NOTE:
		draft_note(c->d, arena_printf(c->d->arena, "--%s", o->name), false, "%s", o->text);
		return 0;
	case REFUSE:
		return refuse(c, o->text, str_of(""));
	case IGNORE:
		break;
	}
	return 0;
}

/* One word that begins with "-", and the words that its options take from *i on. */
static int read_option(struct command *c, const struct str *word, size_t n, size_t *i)
{
	struct str at = str_skip(word[*i], 1);
	bool is_long = str_starts(at, "-");

	do {
		const struct option *o = is_long ? option_of(str_skip(at, 1), '\0') : option_of(str_of(""), at.p[0]);
		struct str arg = str_of("");

		if (!o)         /* what stands behind a "=" may be anything */
			return refuse(c, "there is no such option of curl, or it is not understood here: ",
				      is_long ? str_make(word[*i].p, strcspn(word[*i].p, "=: ")) : arena_copy(c->d->arena, str_make(at.p, 1)));
		at = is_long ? str_of("") : str_skip(at, 1);
		if (o->arg && at.n) {
			arg = at;
			at = str_of("");
		} else if (o->arg && *i + 1 < n) {
			arg = word[++*i];
		} else if (o->arg) {
			return refuse(c, "an option lacks its value: --", str_of(o->name));
		}
		if (apply(c, o, arg) < 0)
			return -1;
	} while (at.n);
	return 0;
}

/* The name of a program that is not curl: no option, and no host as far as one can tell. */
static bool is_program(struct str s)
{
	return s.n && s.p[0] != '-' && !str_is(s, "localhost") && !strpbrk(s.p, ".:/");
}

static int read_words(struct command *c, const struct str *word, size_t n)
{
	size_t i = n && (str_is(word[0], "curl") || str_is(word[0], "curl.exe"));

	if (n && !i && is_program(word[0]))
		return refuse(c, "paste a command that begins with `curl`, as a manual, Postman or a browser (Copy as cURL) gives it; this "
			      "is none: ", word[0]);

	for (size_t k = 0; k < n; k++)
		if (!escape_is_utf8(word[k]) || memchr(word[k].p, '\0', word[k].n))
			return refuse(c, "the command is no text in UTF-8", str_of(""));
	for (; i < n && !c->done; i++) {
		int rc = word[i].n > 1 && word[i].p[0] == '-' ? read_option(c, word, n, &i) : take_url(c, word[i]);

		if (rc < 0)
			return -1;
	}
	if (!c->url.n)
		return refuse(c, "there is no URL", str_of(""));
	return 0;
}

/* Arguments */

static bool is_taken(const struct command *c, const char *name)
{
	for (size_t i = 0; i < c->arguments; i++)
		if (strcmp(c->argument[i].name, name) == 0)
			return true;
	return false;
}

/* Adds an argument and gives its number; 0 when there are too many: then the value stays. */
static size_t argument(struct command *c, struct str name, const char *type, struct str example)
{
	const char *base = naming_property(c->d->arena, name), *unique = base;

	if (c->arguments == COMMAND_SLOTS_MAX)
		return 0;
	for (unsigned i = 2; is_taken(c, unique); i++)
		unique = arena_printf(c->d->arena, "%.58s_%u", base, i);
	c->argument[c->arguments++] = (struct argument){ unique, type, arena_copy(c->d->arena, example) };
	return c->arguments;
}

/* `$` of the source's own, which would be a slot. */
static void put_literal(struct buf *out, struct str text, const char *dollar)
{
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '$')
			buf_puts(out, dollar);
		else
			buf_putc(out, text.p[i]);
	}
}

static struct str decoded(struct command *c, struct str text, bool plus)
{
	struct buf b = BUF_ARENA(c->d->arena);

	if (escape_unpercent(&b, text, plus) < 0 || !escape_is_utf8(buf_str(&b)) || memchr(buf_text(&b), '\0', b.len))
		return text;
	return buf_str(&b);
}

/* Credentials */

/* The name that stands for a value: the shell's own when the value is `$NAME`, else the host's and `suffix`. */
static const char *variable(struct command *c, struct str value, const char *suffix)
{
	struct buf b = BUF_ARENA(c->d->arena);
	size_t i = 1;

	while (i < value.n && i <= AUTHSPEC_NAME_MAX && (value.p[i] == '_' || (value.p[i] >= 'A' && value.p[i] <= 'Z') ||
	       (i > 1 && value.p[i] >= '0' && value.p[i] <= '9')))
		i++;
	c->credentials++;
	if (value.n > 2 && value.p[0] == '$' && i == value.n && !str_is(value, "$TERMINAL_KEY"))
		return arena_str(c->d->arena, str_skip(value, 1));
	buf_putstr(&b, buf_str(&c->host));
	buf_puts(&b, suffix);
	return buf_text(&b);
}

static void auth_header(struct command *c, struct str name, const char *before, const char *variable_name)
{
	json_put_text(c->headers_auth, arena_str(c->d->arena, name),
		      arena_printf(c->d->arena, "%s%s%s", before, variable_name ? "$" : "", variable_name ? variable_name : ""));
}

/* Keeps the form of its own that the credential would have if it stays the only header. */
static void own_form(struct command *c, const char *form, const char *name)
{
	c->form = c->credentials == 1 ? form : NULL;
	c->form_name = name;
}

static void bearer(struct command *c, struct str value)
{
	const char *name = variable(c, value, "_TOKEN");

	draft_secret(c->d, name, "the token that stood behind `Authorization: Bearer`");
	auth_header(c, str_of("Authorization"), "Bearer ", name);
	own_form(c, "bearer:", name);
}

/* USER:PASS in plain text. A user without a password is how keys are sent. */
static void basic(struct command *c, struct str pair)
{
	struct str rest = pair, user = str_cut(&rest, ':');
	const char *name;

	c->basic = true;
	if (rest.p && !rest.n) {
		name = variable(c, user, "_KEY");
		draft_secret(c->d, name, "the user name that stood before the colon");
		own_form(c, "basic:", name);
	} else {
		const char *prefix = arena_str(c->d->arena, buf_str(&c->host));

		c->credentials++;
		name = arena_printf(c->d->arena, "%s_USER:%s_PASSWORD", prefix, prefix);
		draft_secret(c->d, arena_printf(c->d->arena, "%s_USER", prefix), "the user name");
		draft_secret(c->d, arena_printf(c->d->arena, "%s_PASSWORD", prefix), "the password");
		own_form(c, "basic:", name);
	}
}

/* What may be the name of a scheme: no credential is so short and all letters. */
static bool is_scheme(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '-' && !((s.p[i] | 32) >= 'a' && (s.p[i] | 32) <= 'z'))
			return false;
	return s.n && s.n <= SCHEME_MAX;
}

/* Authorization: SCHEME rest */
static void authorization(struct command *c, struct str value)
{
	struct str rest = value, scheme = str_cut(&rest, ' ');
	struct buf pair = BUF_ARENA(c->d->arena);
	const char *name;

	rest = str_trim(rest.p ? rest : str_of(""));
	if (equal_fold(scheme, "bearer") && rest.n) {
		bearer(c, rest);
	} else if (equal_fold(scheme, "basic") && rest.n && rest.p[0] != '$') {
		if (crypto_unbase64(&pair, rest) == 0 && pair.len)
			basic(c, buf_str(&pair));
		else
			basic(c, str_of("user:password"));
	} else {
		if (!is_scheme(scheme))
			rest = str_of("");
		name = variable(c, rest.n ? rest : value, "_AUTHORIZATION");
		draft_secret(c->d, name, "what stood behind `Authorization:%s%.*s`", rest.n ? " " : "",
			     rest.n ? (int)scheme.n : 0, scheme.p);
		auth_header(c, str_of("Authorization"), rest.n ? arena_printf(c->d->arena, "%.*s ", (int)scheme.n, scheme.p) : "", name);
		own_form(c, NULL, name);
	}
}

static void credential_header(struct command *c, struct str name, struct str value)
{
	struct buf suffix = BUF_ARENA(c->d->arena);
	const char *variable_name;

	if (equal_fold(name, "authorization")) {
		authorization(c, value);
		return;
	}
	buf_putc(&suffix, '_');
	naming_words(&suffix, str_starts(name, "x-") || str_starts(name, "X-") ? str_skip(name, 2) : name);
	/* naming_words puts a "_" of its own before what follows. */
	variable_name = variable(c, value, buf_text(&suffix) + 1);
	draft_secret(c->d, variable_name, "the value of the header %.*s", (int)(name.n < 64 ? name.n : 64), name.p);
	auth_header(c, name, "", variable_name);
	own_form(c, NULL, variable_name);
}

static bool is_one_of(struct str name, const char *const *names)
{
	for (; *names; names++)
		if (equal_fold(name, *names))
			return true;
	return false;
}

/* The program that was used, not the API: a browser, or what calls APIs by hand. */
static bool is_tool(struct str agent)
{
	static const char *const tools[] = { "HTTPie/", "Mozilla/", "PostmanRuntime/", "curl/", "insomnia/", NULL };

	for (size_t i = 0; tools[i]; i++)
		if (str_starts(agent, tools[i]))
			return true;
	return false;
}

static bool is_browser(struct str name, struct str value)
{
	return (name.n > 4 && strncasecmp(name.p, "sec-", 4) == 0) || (equal_fold(name, "user-agent") && str_starts(value, "Mozilla/"));
}

/* Says nothing of the contract: it is of the connection, of one request, of a cache, or a browser's own. */
static bool is_noise(const struct command *c, struct str name, struct str value)
{
	static const char *const always[] = {
		"accept-encoding", "baggage", "cache-control", "connection", "content-length", "dnt", "expect", "host", "if-modified-since",
		"if-none-match", "keep-alive", "newrelic", "postman-token", "pragma", "priority", "proxy-connection", "save-data", "sentry-trace", "te",
		"traceparent", "tracestate", "trailer", "transfer-encoding", "upgrade", "upgrade-insecure-requests", "x-client-data",
		"x-correlation-id", "x-request-id", NULL,
	};
	static const char *const browser[] = { "accept-language", "origin", "referer", NULL };

	if (equal_fold(name, "accept") && str_is(value, "*/*"))
		return true;
	if (equal_fold(name, "user-agent") && is_tool(value))
		return true;
	return is_browser(name, value) || is_one_of(name, always) || (c->browser && is_one_of(name, browser));
}

/* By its name, a scheme before the value, or the value; one with a "$" is a name that the shell would have filled in. */
static bool is_credential(const struct command *c, struct str name, struct str value)
{
	static const char *const schemes[] = { "bearer", "basic", "token", NULL };
	struct str rest = value, scheme = str_cut(&rest, ' ');

	return (rest.n && is_one_of(scheme, schemes)) || authspec_is_credential_header(name) || is_secret(c, name, value) ||
	       (value.n && memchr(value.p, '$', value.n));
}

static void header(struct command *c, struct str name, struct str value)
{
	struct buf clean = BUF_ARENA(c->d->arena);

	if (!is_fixed(c, name) && is_noise(c, name, value))
		return;
	if (equal_fold(name, "content-type")) {
		c->type = value;
		return;
	}
	if (equal_fold(name, "referer"))        /* its query may be anything */
		value = str_cut(&value, '?');
	if (is_credential(c, name, value)) {
		credential_header(c, name, value);
		return;
	}
	escape_add(&clean, ESCAPE_HEADER, value);
	auth_header(c, name, buf_text(&clean), NULL);
	keep(c, name);
}

/* URL */

static int split_url(struct command *c)
{
	struct str url = c->url, rest;
	long at = str_find(url, str_of("://"));
	struct buf whole = BUF_ARENA(c->d->arena);
	const char *user;

	if (at < 0) {
		buf_puts(&whole, "http://");
		buf_putstr(&whole, url);
		url = buf_str(&whole);
		at = 4;
	}
	c->url = str_make(url.p, (size_t)at + 3);       /* the scheme */
	rest = str_skip(url, (size_t)at + 3);
	c->authority = str_make(rest.p, strcspn(arena_str(c->d->arena, rest), "/?#"));
	rest = str_skip(rest, c->authority.n);
	c->path = str_cut(&rest, '#');
	c->url_query = c->path;
	c->path = str_cut(&c->url_query, '?');
	user = c->authority.n ? memrchr(c->authority.p, '@', c->authority.n) : NULL;
	if (user) {
		if (!c->user.p)
			c->user = decoded(c, str_make(c->authority.p, (size_t)(user - c->authority.p)), false);
		c->authority = str_skip(c->authority, (size_t)(user - c->authority.p) + 1);
	}
	if (!c->authority.n || memchr(c->authority.p, '$', c->authority.n))
		return refuse(c, "the URL has no host that could be a row's", str_of(""));
	naming_host(&c->host, c->authority);
	return 0;
}

/* Digits; at least eight hexadecimal digits with one that is a figure, "-" between them. */
static bool looks_like_id(struct str s)
{
	size_t hex = 0, digits = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] >= '0' && s.p[i] <= '9')
			digits++;
		else if (!strchr("abcdefABCDEF-", s.p[i]))
			return false;
		hex += s.p[i] != '-';
	}
	return digits && (digits == s.n || hex >= 8);
}

static bool becomes_argument(const struct command *c, struct str name, struct str value, bool looks)
{
	const struct command_wishes *w = c->wishes;

	if (is_fixed(c, name) || is_fixed(c, value))
		return false;
	return looks || is_listed(w->slot, w->slot_n, name) || is_listed(w->slot, w->slot_n, value);
}

/* n: the argument that it became, 0 when there were too many. */
static void note_credential(struct command *c, struct str name, size_t n)
{
	draft_note(c->d, arena_str(c->d->arena, name), !n, n ?
		   "looks like a credential and is an argument now: a path or a body cannot name a variable" :
		   "looks like a credential and is left out: there are too many arguments");
}

static bool is_slot(const struct command *c, struct str segment)
{
	return segment.n && becomes_argument(c, segment, segment, looks_like_id(segment) || credential_value(segment));
}

/* A segment is called by the one before it: of /users/42 it is `users`. */
static void put_path(struct command *c)
{
	struct str rest = c->path, before = str_of("id");
	bool first = true;

	while (rest.p && c->path.n) {
		struct str segment = str_cut(&rest, '/');
		size_t n = 0;

		if (!first)
			buf_putc(&c->target, '/');
		first = false;
		if (is_slot(c, segment))
			n = argument(c, before, "string", credential_value(segment) ? str_of("...") : decoded(c, segment, false));
		if (is_slot(c, segment) && credential_value(segment))
			note_credential(c, before, n);
		if (n)
			buf_printf(&c->target, "$%zu", n);
		else
			draft_url(&c->target, is_slot(c, segment) && credential_value(segment) ? str_of("...") : segment);
		if (segment.n && !n)
			before = segment;
	}
}

static void query_credential(struct command *c, struct str name, struct str value)
{
	struct buf suffix = BUF_ARENA(c->d->arena);

	if (c->query_name.p || c->credentials) {
		draft_note(c->d, arena_str(c->d->arena, name), true,
			   "the parameter is left out: it looks like a credential, and a row has one form of auth");
		return;
	}
	buf_putc(&suffix, '_');
	naming_words(&suffix, name);
	c->query_name = name;
	c->query_variable = str_of(variable(c, value, buf_text(&suffix) + 1));
	draft_secret(c->d, c->query_variable.p, "the value of the query parameter %.*s",
		     (int)(name.n < 64 ? name.n : 64), name.p);
}

/* $NAME, which the shell would have filled in. */
static bool is_shell_name(struct str value)
{
	return value.n > 1 && value.p[0] == '$' && ((value.p[1] >= 'A' && value.p[1] <= 'Z') || value.p[1] == '_');
}

/* The value of a pair; of one without "=" (p NULL) the name is all of it. */
static void put_pair(struct command *c, struct buf *out, struct str raw, struct str value)
{
	bool bare = !value.p;
	struct str name = decoded(c, raw, true), shown = decoded(c, bare ? raw : value, true);
	bool secret = is_secret(c, bare ? str_of("") : name, shown);
	size_t n = 0;

	if (secret || (value.n && becomes_argument(c, name, shown, true)))
		n = argument(c, bare ? str_of("value") : name, "string", secret ? str_of("...") : shown);
	if (!bare) {
		draft_url(out, raw);
		buf_putc(out, '=');
	}
	if (n)
		buf_printf(out, "$%zu", n);
	else
		draft_url(out, secret ? str_of("...") : bare ? raw : value);
	if (secret)
		note_credential(c, bare ? str_of("a value without a name") : name, n);
	else if (shown.n)
		keep(c, name);
}

/* a=b&c=d with values as arguments; of a form with what looks like a credential as one too, since a body cannot name a
 * variable. */
static void put_pairs(struct command *c, struct buf *out, struct str pairs, bool form)
{
	bool first = true;

	while (pairs.p) {
		struct str value = str_cut(&pairs, '&'), raw = str_cut(&value, '='), name = decoded(c, raw, true);

		if (!raw.n && !value.p)
			continue;
		if (!form && value.n && !is_fixed(c, name) && (credential_name(name) || is_shell_name(value))) {
			query_credential(c, name, decoded(c, value, true));
			continue;
		}
		buf_puts(out, first ? "" : "&");
		first = false;
		put_pair(c, out, raw, value);
	}
}

static void put_target(struct command *c)
{
	struct str query = c->url_query;
	struct buf joined = BUF_ARENA(c->d->arena);
	size_t before;

	buf_printf(&c->target, "%.*s %.*s", (int)c->method.n, c->method.p, (int)c->url.n, c->url.p);
	buf_putstr(&c->target, c->authority);
	put_path(c);
	if (query.n)
		buf_putstr(&joined, query);
	if (c->query.len) {
		buf_puts(&joined, query.n ? "&" : "");
		buf_putstr(&joined, buf_str(&c->query));
	}
	if (!joined.len)
		return;
	before = c->target.len;
	buf_putc(&c->target, '?');
	put_pairs(c, &c->target, buf_str(&joined), false);
	if (c->target.len == before + 1)
		c->target.len = before;
}

/* Body */

static const char *json_type_of(struct json_object *o)
{
	switch (json_object_get_type(o)) {
	case json_type_string: return "string";
	case json_type_boolean: return "boolean";
	case json_type_int: case json_type_double: return "number";
	default: return NULL;
	}
}

/* Where a value of JSON stands. */
struct spot {
	struct str name;                /* of the nearest member */
	unsigned depth;
	bool element;                   /* of an array: the name is its array's */
	bool secret;                    /* a name on the way to it is a credential's */
};

static void put_json(struct command *c, struct json_object *o, struct spot at);

static void put_json_name(struct command *c, struct str name)
{
	struct buf text = BUF_ARENA(c->d->arena);

	buf_putc(&text, '"');
	escape_add(&text, ESCAPE_JSON, name);
	buf_puts(&text, "\":");
	put_literal(&c->payload, buf_str(&text), "\\u0024");
}

/* Texts and numbers; a number of a credential, as a PIN is one, shows as 0. */
static void put_json_leaf(struct command *c, struct json_object *o, struct spot at)
{
	struct buf text = BUF_ARENA(c->d->arena);
	const char *type = json_type_of(o);
	bool is_text = json_object_is_type(o, json_type_string);
	bool secret = (at.secret && type && !json_object_is_type(o, json_type_boolean)) || (is_text && is_secret(c, str_of(""), json_str(o)));
	struct str hidden = str_of(is_text ? "..." : "0");
	size_t n = 0;

	secret = secret && !is_fixed(c, at.name);
	json_text(&text, o);
	if (type && (secret || (at.name.n && !at.element && becomes_argument(c, at.name, json_str(o), at.depth == 1))))
		n = argument(c, at.name.n ? at.name : str_of("value"), type, secret ? hidden : is_text ? json_str(o) : buf_str(&text));
	if (n)
		buf_printf(&c->payload, is_text ? "\"$%zu\"" : "$%zu", n);
	else
		put_literal(&c->payload, secret ? str_of(is_text ? "\"...\"" : "0") : buf_str(&text), "\\u0024");
	if (secret)
		note_credential(c, at.name, n);
	else if (is_text)
		keep(c, at.name);
}

/* Of `tokens` each element is a token. */
static bool is_credential_list(struct str name)
{
	return name.n && (name.p[name.n - 1] == 's' || name.p[name.n - 1] == 'S') && credential_name(str_make(name.p, name.n - 1));
}

static void put_json_object(struct command *c, struct json_object *o, struct spot at)
{
	bool first = true;

	buf_putc(&c->payload, '{');
	json_object_object_foreach(o, member, value) {
		struct str name = str_of(member);
		bool secret = at.secret || credential_name(name) || (json_object_is_type(value, json_type_array) && is_credential_list(name));

		buf_puts(&c->payload, first ? "" : ",");
		first = false;
		put_json_name(c, name);
		put_json(c, value, (struct spot){ .name = name, .depth = at.depth + 1, .secret = secret });
	}
	buf_putc(&c->payload, '}');
}

static void put_json(struct command *c, struct json_object *o, struct spot at)
{
	if (json_object_is_type(o, json_type_object)) {
		put_json_object(c, o, at);
	} else if (json_object_is_type(o, json_type_array)) {
		at.depth++;
		at.element = true;
		buf_putc(&c->payload, '[');
		for (size_t i = 0; i < json_object_array_length(o); i++) {
			buf_puts(&c->payload, i ? "," : "");
			put_json(c, json_object_array_get_idx(o, i), at);
		}
		buf_putc(&c->payload, ']');
	} else {
		put_json_leaf(c, o, at);
	}
}

static bool type_is(const struct command *c, const char *begin)
{
	return c->type.n >= strlen(begin) && strncasecmp(c->type.p, begin, strlen(begin)) == 0;
}

/* Text that a template would change or documentation would swallow. */
static bool is_plain(struct str text)
{
	if (text.n && (str_trim(text).p != text.p || str_trim(text).n != text.n))
		return false;
	if (str_starts(text, "#") || str_find(text, str_of("\n#")) >= 0)
		return false;
	for (size_t i = 0; i + 1 < text.n; i++)
		if (text.p[i] == '$' && (text.p[i + 1] == '$' || (text.p[i + 1] >= '0' && text.p[i + 1] <= '9') ||
		    text.p[i + 1] == '_' || ((text.p[i + 1] | 32) >= 'a' && (text.p[i + 1] | 32) <= 'z')))
			return false;
	return true;
}

/* A slot takes the place of each credential: what stands behind one begins with neither a figure nor a "+". */
static int put_text(struct command *c, struct str text)
{
	size_t at = 0, n = 0, from = 0;

	if (!escape_is_utf8(text) || memchr(text.p, '\0', text.n))
		return refuse(c, "the body is no text", str_of(""));
	if (!is_plain(text))
		return refuse(c, "the body cannot be a template: it holds a `$NAME`, a line that begins with `#`, or blanks around it",
			      str_of(""));
	keep(c, str_of("the body"));
	while (credential_find(text, &at, &n)) {
		size_t slot = argument(c, str_of("secret"), "string", str_of("..."));

		buf_add(&c->payload, text.p + from, at - from);
		if (slot)
			buf_printf(&c->payload, "$%zu", slot);
		else
			buf_puts(&c->payload, "...");
		note_credential(c, str_of("the body"), slot);
		from = at += n;
	}
	buf_putstr(&c->payload, str_skip(text, from));
	return 0;
}

static int put_body(struct command *c)
{
	struct str text = buf_str(&c->data), start = str_trim(text);
	struct json_object *o = NULL;
	bool form = !c->type.p || type_is(c, "application/x-www-form-urlencoded");
	bool opens = start.n && (start.p[0] == '{' || start.p[0] == '[');

	if (!c->has_data || c->get || !text.n)
		return 0;
	if (str_is(c->method, "GET") || str_is(c->method, "HEAD")) {
		draft_note(c->d, "--data", true, "is left out: rows send no body with %.*s", (int)c->method.n, c->method.p);
		return 0;
	}
	if (opens && json_parse(c->d->arena, start, &o, NULL) == 0) {
		if (form && !c->json)
			draft_note(c->d, "--data", false, "is sent as application/json; curl would have called it a form");
		put_json(c, o, (struct spot){ .name = str_of("") });
		if (type_is(c, "application/json") || form)
			c->type = str_of("");
		return 0;
	}
	if (form && start.p[0] != '<') {
		buf_puts(&c->payload, "form:");
		put_pairs(c, &c->payload, text, true);
		c->type = str_of("");
		return 0;
	}
	if (!c->type.p)                         /* what curl calls it */
		c->type = str_of("application/x-www-form-urlencoded");
	return put_text(c, text);
}

/* The row */

static void put_auth(struct command *c, struct json_object *row)
{
	int headers = json_object_object_length(c->headers_auth);
	struct buf b = BUF_ARENA(c->d->arena);
	bool with_form = c->form && c->credentials == 1;
	bool is_basic = c->form && strcmp(c->form, "basic:") == 0;

	if (c->query_name.p) {
		buf_printf(&b, "query:%.*s=%s", (int)c->query_name.n, c->query_name.p, c->query_variable.p);
	} else if (with_form && (is_basic || headers == 1)) {
		buf_printf(&b, "%s%s", c->form, c->form_name);
	} else if (headers) {
		buf_puts(&b, "headers:");
		json_text(&b, c->headers_auth);
		headers = 0;
	}
	if (headers > (with_form && !is_basic)) {
		json_object_object_foreach(c->headers_auth, name, unused) {
			(void)unused;
			draft_note(c->d, name, true, "the header is left out: a row has one form of auth, and its credential needs it");
		}
	}
	if (c->basic && !(with_form && is_basic))
		draft_note(c->d, "--user", true, "is left out: a row has one form of auth, and there is another credential");
	if (b.len)
		json_put_str(row, "auth", buf_str(&b));
}

static void put_schema(struct command *c, struct json_object *row)
{
	struct json_object *schema = json_object_new_object(), *properties = json_object_new_object();
	struct json_object *required = json_object_new_array();

	json_put_text(schema, "type", "object");
	json_put(schema, "properties", properties);
	for (size_t i = 0; i < c->arguments; i++) {
		struct json_object *p = json_object_new_object();

		json_put_text(p, "type", c->argument[i].type);
		json_put(properties, c->argument[i].name, p);
		json_object_array_add(required, json_object_new_string(c->argument[i].name));
	}
	json_put(schema, "required", required);
	json_put_bool(schema, "additionalProperties", false);
	json_put_bool(schema, "x-strict", true);
	json_put(row, "input_schema", schema);
}

static const char *key_of(struct command *c)
{
	struct buf b = BUF_ARENA(c->d->arena);
	struct str rest = c->path;

	if (c->wishes->key)
		return c->wishes->key;
	buf_putstr(&b, buf_str(&c->host));
	while (rest.p) {
		struct str segment = str_cut(&rest, '/');

		if (!is_slot(c, segment))
			naming_words(&b, segment);
	}
	if (!str_is(c->method, "GET"))
		naming_words(&b, c->method);
	return naming_key(c->d->arena, buf_str(&b));
}

static void put_arguments_line(struct command *c, struct buf *content)
{
	struct buf b = BUF_ARENA(c->d->arena);

	for (size_t i = 0; i < c->arguments; i++)
		buf_printf(&b, "%s$%zu=%s", i ? " | " : "", i + 1, c->argument[i].name);
	draft_line(content, "ARGS", buf_str(&b));
}

/* As it stood, but for what looks like a credential. */
static void put_shown_path(struct command *c, struct buf *out)
{
	struct str rest = c->path;

	while (rest.p && c->path.n) {
		struct str segment = str_cut(&rest, '/');

		draft_url(out, is_slot(c, segment) && credential_value(segment) ? str_of("...") : segment);
		if (rest.p)
			buf_putc(out, '/');
	}
}

static void put_content(struct command *c, struct json_object *row)
{
	struct buf content = BUF_ARENA(c->d->arena), path = BUF_ARENA(c->d->arena);
	struct str example[COMMAND_SLOTS_MAX];
	bool safe = str_is(c->method, "GET") || str_is(c->method, "HEAD") || str_is(c->method, "OPTIONS");
	bool repeatable = safe || str_is(c->method, "PUT") || str_is(c->method, "DELETE");
	const char *key = json_object_get_string(json_get(row, "key"));

	put_shown_path(c, &path);
	draft_line(&content, "WHAT", c->wishes->what ? str_of(c->wishes->what) :
		   str_of(arena_printf(c->d->arena, "%.*s %s at %.*s.", (int)c->method.n, c->method.p, path.len ? buf_text(&path) : "/",
				       (int)c->authority.n, c->authority.p)));
	put_arguments_line(c, &content);
	for (size_t i = 0; i < c->arguments; i++)
		example[i] = c->argument[i].example;
	json_put(row, "examples", draft_example(&content, key, example, c->arguments));
	draft_line(&content, "OUTPUT", str_of("the answer of the service"));
	draft_line(&content, "SAFE", str_of(safe ? "yes" : "no"));
	draft_line(&content, "IDEMPOTENT", str_of(repeatable ? "yes" : "no"));
	buf_putstr(&content, buf_str(&c->payload));
	if (!c->payload.len)
		content.len--;
	json_put_str(row, "content", buf_str(&content));
}

static const char *known_method(struct str text)
{
	static const char *const known[] = { "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (equal_fold(text, known[i]))
			return known[i];
	return NULL;
}

static int choose_method(struct command *c)
{
	const char *method;

	if (!c->method.p)
		c->method = str_of(c->head ? "HEAD" : c->has_data && !c->get ? "POST" : "GET");
	method = known_method(c->method);
	if (!method)
		return refuse(c, "rows do not know the method ", c->method);
	c->method = str_of(method);
	if (c->get && c->data.len) {
		buf_puts(&c->query, c->query.len ? "&" : "");
		buf_putstr(&c->query, buf_str(&c->data));
	}
	return 0;
}

static void read_credentials(struct command *c)
{
	for (size_t i = 0; i < c->headers; i++)
		c->browser = c->browser || is_browser(c->header[i].name, c->header[i].value);
	for (size_t i = 0; i < c->headers; i++)
		header(c, c->header[i].name, c->header[i].value);
	if (c->cookie.p)
		credential_header(c, str_of("Cookie"), c->cookie);
	if (c->bearer.p)
		bearer(c, c->bearer);
	if (c->user.p)
		basic(c, c->user);
	if (c->json && !c->type.p)
		c->type = str_of("application/json");
}

/* What the languages of a row's columns do not take is the command's fault. */
static int check(struct command *c)
{
	struct problem fault = { 0 };
	struct authspec auth;
	struct target target;
	struct buf headers = BUF_ARENA(c->d->arena);

	if (c->type.n)
		auth_header(c, str_of("Content-Type"), arena_str(c->d->arena, c->type), NULL);
	buf_puts(&headers, "headers:");
	json_text(&headers, c->headers_auth);
	if (target_parse(c->d->arena, buf_str(&c->target), &target, &fault) == 0 &&
	    authspec_parse(c->d->arena, buf_str(&headers), &auth, &fault) == 0)
		return 0;
	return refuse(c, fault.detail, str_of(""));
}

int command_convert(struct draft *d, const struct str *word, size_t n, const struct command_wishes *wishes, struct problem *why)
{
	struct command c = {
		.d = d, .wishes = wishes, .why = why, .data = BUF_ARENA(d->arena), .query = BUF_ARENA(d->arena),
		.host = BUF_ARENA(d->arena), .target = BUF_ARENA(d->arena), .payload = BUF_ARENA(d->arena), .kept = BUF_ARENA(d->arena),
		.headers_auth = arena_json(d->arena, json_object_new_object()),
	};
	struct json_object *row = json_object_new_object();
	struct buf category = BUF_ARENA(d->arena);

	json_object_array_add(d->rows, row);
	if (read_words(&c, word, n) < 0 || choose_method(&c) < 0 || split_url(&c) < 0)
		return -1;
	read_credentials(&c);
	put_target(&c);
	if (put_body(&c) < 0 || check(&c) < 0)
		return -1;
	json_put_text(row, "key", key_of(&c));
	json_put_text(row, "type", "http");
	json_put_str(row, "target", buf_str(&c.target));
	put_auth(&c, row);
	put_content(&c, row);
	for (size_t i = 0; i < c.host.len; i++)
		buf_putc(&category, c.host.data[i] >= 'A' && c.host.data[i] <= 'Z' ? (char)(c.host.data[i] + 32) : c.host.data[i]);
	json_put_text(row, "category", wishes->category ? wishes->category : buf_text(&category));
	if (c.arguments)
		put_schema(&c, row);
	if (c.kept.len)
		draft_note(d, arena_str(d->arena, buf_str(&c.kept)), false, "in the row as it stood, in a header, the body or the example, since "
			   "nothing about it looks secret; if it is, put another value there and import again");
	return 0;
}
