/* Reading of the `auth` column. No secret is seen here: a spec holds names, and what it holds besides is the
 * operator's own text. */
#include <string.h>
#include <strings.h>
#include "base/ascii.h"
#include "lang/authspec.h"
#include "lang/template.h"

enum { PREFIX_SHOWN_MAX = 64 };         /* bytes of an unknown prefix in the message */

static bool is_name(struct str s)
{
	if (!s.n || s.n > AUTHSPEC_NAME_MAX || ascii_is_digit(s.p[0]))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_is_word(s.p[i]))
			return false;
	return true;
}

static bool is_clean(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (((unsigned char)s.p[i] < 0x20 && s.p[i] != '\t') || s.p[i] == 0x7F)
			return false;
	return true;
}

static int bad(struct problem *why, const char *detail)
{
	problem_set(why, 422, "bad_auth");
	problem_field(why, "auth");
	problem_detail(why, "%s", detail);
	problem_fix(why, "use bearer:NAME, basic:NAME, basic:USER:PASS, headers:{\"name\":\"…$NAME…\"}, "
		    "query:param=NAME or oauth:NAME; NAME is a variable of the secrets file");
	return -1;
}

static int read_name(struct arena *a, struct str text, struct authspec *out, struct problem *why)
{
	(void)a;
	out->name = text;
	return is_name(text) ? 0 : bad(why, "the name of a variable must stand behind the prefix");
}

static int read_oauth(struct arena *a, struct str text, struct authspec *out, struct problem *why)
{
	if (text.n)
		return read_name(a, text, out, why);
	out->form = AUTH_NONE;
	return 0;
}

static int read_basic(struct arena *a, struct str text, struct authspec *out, struct problem *why)
{
	struct str rest = text, user = str_cut(&rest, ':');

	if (!rest.p)
		return read_name(a, text, out, why);
	if ((!user.n && !rest.n) || !is_clean(text))
		return bad(why, "basic:USER:PASS is empty or holds a control character");
	out->user = user;
	out->pass = rest;
	return 0;
}

static int read_query(struct arena *a, struct str text, struct authspec *out, struct problem *why)
{
	struct str rest = text, param = str_cut(&rest, '=');

	for (size_t i = 0; i < param.n; i++)
		if (!ascii_is_word(param.p[i]) && (!param.p[i] || !strchr("-.~[]:", param.p[i])))
			return bad(why, "the parameter's name may hold letters, digits and - . _ ~ [ ] :");
	if (!param.n)
		return bad(why, "query: needs param=NAME");
	out->param = param;
	return read_name(a, rest, out, why);
}

/* RFC 9110 section 5.6.2 */
static bool is_token(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_is_word(s.p[i]) && (!s.p[i] || !strchr("!#$%&'*+-.^`|~", s.p[i])))
			return false;
	return s.n > 0;
}

/* Headers that say where a message goes and where it ends: outbound's, not a row's. */
static bool is_framing(struct str name)
{
	static const char *const names[] = {
		"host", "content-length", "transfer-encoding", "connection", "keep-alive", "proxy-connection", "te",
		"trailer", "upgrade", "expect",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (str_is_fold(name, names[i]))
			return true;
	return false;
}

bool authspec_header_part(struct str name)
{
	return is_token(name) && name.n <= AUTHSPEC_HEADER_PART_MAX;
}

const char *authspec_header_fault(struct str name)
{
	if (!is_token(name))
		return "the name of a header is malformed";
	return is_framing(name) ? "a header that frames the message cannot be set by a row" : NULL;
}

static void note_argument(void *ctx, struct str name)
{
	bool *found = ctx;

	if (ascii_is_digit(name.p[0]) || str_is(name, "PREV"))
		*found = true;
}

static const char *header_fault(struct json_object *headers, const char *name, struct json_object *value)
{
	struct str text = json_str(value);
	bool argument = false;

	if (authspec_header_fault(str_of(name)))
		return authspec_header_fault(str_of(name));
	if (!text.p)
		return "the value of a header is no string";
	if (!is_clean(text))
		return "the value of a header holds a control character";
	template_each(text, note_argument, &argument);
	if (argument)
		return "the value of a header holds an argument slot; only names of variables are replaced there";
	json_object_object_foreach(headers, other, unused) {
		(void)unused;
		if (other != name && strcmp(other, name) != 0 && strcasecmp(other, name) == 0)
			return "a header stands twice";
	}
	return NULL;
}

static int read_headers(struct arena *a, struct str text, struct authspec *out, struct problem *why)
{
	if (json_parse(a, text, &out->headers, why) < 0) {
		char detail[PROBLEM_TEXT_MAX] = "";

		if (why)
			memcpy(detail, why->detail, sizeof(detail));
		bad(why, "");
		problem_detail(why, "headers: %s", detail);
		return -1;
	}
	if (!json_object_is_type(out->headers, json_type_object))
		return bad(why, "headers: needs a JSON object");
	if (json_object_object_length(out->headers) > AUTHSPEC_HEADERS_MAX)
		return bad(why, "headers: too many");
	json_object_object_foreach(out->headers, name, value) {
		const char *fault = header_fault(out->headers, name, value);

		if (fault)
			return bad(why, fault);
	}
	return 0;
}

static void give_name(const struct authspec *s, void (*fn)(void *ctx, struct str name), void *ctx)
{
	fn(ctx, s->name);
}

static bool is_upper_name(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (ascii_is_lower(s.p[i]))
			return false;
	return is_name(s);
}

static void give_basic(const struct authspec *s, void (*fn)(void *ctx, struct str name), void *ctx)
{
	if (s->name.p)
		fn(ctx, s->name);
	if (is_upper_name(s->user))
		fn(ctx, s->user);
	if (is_upper_name(s->pass))
		fn(ctx, s->pass);
}

static void give_headers(const struct authspec *s, void (*fn)(void *ctx, struct str name), void *ctx)
{
	json_object_object_foreach(s->headers, name, value) {
		(void)name;
		template_each(json_str(value), fn, ctx);
	}
}

static void give_oauth(const struct authspec *s, void (*fn)(void *ctx, struct str name), void *ctx)
{
	static const char *const parts[] = { "_TOKEN_URL", "_CLIENT_ID", "_CLIENT_SECRET" };

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		struct buf name = BUF_MALLOC;

		buf_putstr(&name, s->name);
		buf_puts(&name, parts[i]);
		fn(ctx, buf_str(&name));
		buf_free(&name);
	}
}

static const struct form {
	const char *prefix;
	int (*read)(struct arena *a, struct str text, struct authspec *out, struct problem *why);
	void (*names)(const struct authspec *s, void (*fn)(void *ctx, struct str name), void *ctx);
} forms[] = {
	[AUTH_NONE] = { NULL, NULL, NULL },
	[AUTH_BEARER] = { "bearer:", read_name, give_name },
	[AUTH_BASIC] = { "basic:", read_basic, give_basic },
	[AUTH_HEADERS] = { "headers:", read_headers, give_headers },
	[AUTH_QUERY] = { "query:", read_query, give_name },
	[AUTH_OAUTH] = { "oauth:", read_oauth, give_oauth },
};

int authspec_parse(struct arena *a, struct str text, struct authspec *out, struct problem *why)
{
	struct str prefix;

	*out = (struct authspec){ .form = AUTH_NONE };
	text = str_trim(text);
	if (!text.n)
		return 0;
	text = arena_copy(a, text);
	for (size_t i = AUTH_BEARER; i < sizeof(forms) / sizeof(*forms); i++) {
		if (!str_starts(text, forms[i].prefix))
			continue;
		out->form = (enum authspec_form)i;
		return forms[i].read(a, str_skip(text, strlen(forms[i].prefix)), out, why);
	}
	prefix = str_cut(&text, ':');
	bad(why, "");
	problem_detail(why, "ERR:auth:unknown_prefix:%.*s", (int)escape_cut(prefix, PREFIX_SHOWN_MAX), prefix.p);
	return -1;
}

void authspec_names(const struct authspec *s, void (*fn)(void *ctx, struct str name), void *ctx)
{
	if (forms[s->form].names)
		forms[s->form].names(s, fn, ctx);
}

bool authspec_is_credential_header(struct str name)
{
	static const char *const exact[] = { "authorization", "proxy-authorization", "cookie" };
	static const char *const parts[] = { "key", "token", "secret" };

	for (size_t i = 0; i < sizeof(exact) / sizeof(*exact); i++)
		if (str_is_fold(name, exact[i]))
			return true;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (str_find_fold(name, str_of(parts[i])) >= 0)
			return true;
	return false;
}
