/* The URL grammar of targets. Own and strict, because two parsers that disagree about odd separators are how a check
 * is passed with one host and a connection made to another: what this file lets through has one reading. */
#include <arpa/inet.h>
#include <string.h>
#include "base/ascii.h"
#include "base/escape.h"
#include "lang/target.h"

#define SLOT_FAULT "holds an argument slot; only $NAME of [vars] may stand in the authority"

static const char *const methods[] = { "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS" };
static const char map_prefix[] = "target_map:";

static int bad(struct problem *why, const char *detail)
{
	problem_set(why, 422, "bad_target");
	problem_field(why, "target");
	problem_detail(why, "%s", detail);
	problem_fix(why, "write `METHOD https://host/path`, or target_map: and an object of operations");
	return -1;
}

/* Length of the $NAME of [vars] at the start of s, 0 when it is none. */
static size_t name_length(struct str s)
{
	size_t n = 1;

	for (; n < s.n && ascii_is_word(s.p[n]); n++)
		if (ascii_is_lower(s.p[n]))
			return 0;
	if (n < 2 || ascii_is_digit(s.p[1]) || str_is(str_make(s.p + 1, n - 1), "PREV"))
		return 0;
	return n;
}

static const char *port_fault(struct str port, bool names)
{
	unsigned value = 0;

	if (names && port.n && port.p[0] == '$')
		return name_length(port) == port.n ? NULL : "the port " SLOT_FAULT;
	if (!port.n || port.n > 5 || port.p[0] == '0')
		return "the port is malformed";
	for (size_t i = 0; i < port.n; i++) {
		if (!ascii_is_digit(port.p[i]))
			return "the port is malformed";
		value = value * 10 + (unsigned)(port.p[i] - '0');
	}
	return value <= 65535 ? NULL : "the port is over 65535";
}

static const char *host_fault(struct str host, bool names)
{
	size_t label = 0;

	if (!host.n)
		return "the host is empty";
	if (host.n > TARGET_HOST_MAX)
		return "the host is too long";
	for (size_t i = 0; i < host.n; i++) {
		char c = host.p[i];

		if (c == '$') {
			size_t n = names ? name_length(str_skip(host, i)) : 0;

			if (!n)
				return "the host " SLOT_FAULT;
			i += n - 1;
			label++;
		} else if (c == '.') {
			if (!label)
				return "the host has an empty label";
			label = 0;
		} else if (!ascii_is_word(c) && c != '-') {
			return "the host holds a character that is none of letters, digits, \"-\", \"_\", \".\"";
		} else if (++label > TARGET_LABEL_MAX) {
			return "a label of the host is too long";
		}
	}
	return NULL;
}

/* "[" address "]" [":" port] */
static const char *bracket_fault(struct str s, bool names)
{
	char text[INET6_ADDRSTRLEN];
	unsigned char address[16];
	const char *end = memchr(s.p, ']', s.n);
	size_t n;

	if (!end)
		return "the \"[\" of the host is not closed";
	n = (size_t)(end - s.p) - 1;
	if (memchr(s.p, '%', n + 1))
		return "an IPv6 address with a zone cannot be a target";
	if (n >= sizeof(text))
		return "the IPv6 address is malformed";
	memcpy(text, s.p + 1, n);
	text[n] = 0;
	if (strlen(text) != n || inet_pton(AF_INET6, text, address) != 1)
		return "the IPv6 address is malformed";
	s = str_skip(s, n + 2);
	if (!s.n)
		return NULL;
	return s.p[0] == ':' ? port_fault(str_skip(s, 1), names) : "something stands behind the \"]\" of the host";
}

static const char *authority_fault(struct str s, bool names)
{
	struct str host;
	const char *fault;

	if (!s.n)
		return "the host is empty";
	if (memchr(s.p, '@', s.n))
		return "user information (\"@\") cannot stand in a target; name a credential in `auth`";
	if (s.p[0] == '[')
		return bracket_fault(s, names);
	host = str_cut(&s, ':');
	fault = host_fault(host, names);
	return !fault && s.p ? port_fault(s, names) : fault;
}

bool target_authority_is_valid(struct str authority)
{
	return authority_fault(authority, false) == NULL;
}

/* What may stand nowhere in a URL. */
static const char *bytes_fault(struct str url)
{
	for (size_t i = 0; i < url.n; i++) {
		if ((unsigned char)url.p[i] <= 0x20 || url.p[i] == 0x7F)
			return "the URL holds white space or a control character; write it as %20, %09, …";
		if (url.p[i] == '\\')
			return "the URL holds a backslash; write it as %5C";
		if (url.p[i] == '#')
			return "the URL holds a fragment (\"#\"); write it as %23 where a \"#\" is meant";
	}
	return escape_is_utf8(url) ? NULL : "the URL is not valid UTF-8";
}

static const char *url_fault(struct target *t)
{
	static const char *const schemes[] = { "http", "https" };
	struct str s = t->url, before;
	long colon = str_find(s, str_of("://"));
	const char *fault = bytes_fault(s);
	size_t n = 0;

	if (fault)
		return fault;
	for (size_t i = 0; colon > 0 && i < sizeof(schemes) / sizeof(*schemes); i++)
		if (str_is_fold(str_make(s.p, (size_t)colon), schemes[i]))
			t->scheme = str_of(schemes[i]);
	if (!t->scheme.p)
		return "the URL must begin with http:// or https://";
	s = str_skip(s, (size_t)colon + 3);
	while (n < s.n && s.p[n] != '/' && s.p[n] != '?')
		n++;
	t->authority = str_make(s.p, n);
	t->rest = str_skip(s, n);
	fault = authority_fault(t->authority, true);
	if (fault || !str_starts(t->rest, "?"))
		return fault;
	s = t->rest;
	before = str_cut(&s, '/');
	if (memchr(before.p, '@', before.n))
		return "\"@\" in a query directly behind the host; write \"/\" before the \"?\"";
	return NULL;
}

int target_parse(struct arena *a, struct str text, struct target *out, struct problem *why)
{
	struct str rest = arena_copy(a, str_trim(text)), method;
	const char *fault;

	*out = (struct target){ .body = { NULL, 0 } };
	method = str_cut(&rest, ' ');
	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		if (str_is_fold(method, methods[i]))
			out->method = str_of(methods[i]);
	if (!out->method.p)
		return bad(why, "it must begin with GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS and a space");
	while (rest.n && rest.p[0] == ' ')
		rest = str_skip(rest, 1);
	if (!rest.n)
		return bad(why, "the URL is missing");
	out->url = rest;
	fault = url_fault(out);
	return fault ? bad(why, fault) : 0;
}

bool target_is_map(struct str text)
{
	return str_starts(str_trim(text), map_prefix);
}

/* The map's object, or NULL with why. */
static struct json_object *map_load(struct arena *a, struct str text, struct problem *why)
{
	struct json_object *map;

	text = str_trim(text);
	if (!str_starts(text, map_prefix)) {
		bad(why, "it is no target_map");
		return NULL;
	}
	if (json_parse(a, str_skip(text, strlen(map_prefix)), &map, why) < 0) {
		char detail[PROBLEM_TEXT_MAX] = "";

		if (why)
			memcpy(detail, why->detail, sizeof(detail));
		bad(why, "");
		problem_detail(why, "target_map: %s", detail);
		return NULL;
	}
	if (json_object_is_type(map, json_type_object) && json_object_object_length(map) > 0)
		return map;
	bad(why, "a target_map needs an object with at least one operation");
	return NULL;
}

static const char *op_fault(struct str op)
{
	if (!op.n || op.n > TARGET_OP_MAX)
		return "the name of an operation is empty or too long";
	for (size_t i = 0; i < op.n; i++)
		if ((unsigned char)op.p[i] < 0x20 || op.p[i] == 0x7F || op.p[i] == '|' || op.p[i] == ',')
			return "the name of an operation holds \"|\", \",\" or a control character";
	return NULL;
}

/* {method,url,body} */
static const char *object_read(struct arena *a, struct json_object *o, struct str *text, struct str *body)
{
	struct str method = json_str(json_get(o, "method")), url = json_str(json_get(o, "url"));
	struct json_object *b = json_get(o, "body");
	struct buf joined = BUF_ARENA(a), json = BUF_ARENA(a);

	if (!method.p || !url.p)
		return "an operation needs `method` and `url`, both strings";
	json_object_object_foreach(o, name, member) {
		(void)member;
		if (strcmp(name, "method") != 0 && strcmp(name, "url") != 0 && strcmp(name, "body") != 0)
			return "an operation has a member other than `method`, `url` and `body`";
	}
	buf_putstr(&joined, method);
	buf_putc(&joined, ' ');
	buf_putstr(&joined, url);
	*text = buf_str(&joined);
	*body = json_str(b);
	if (!b || body->p)
		return NULL;
	if (!json_object_is_type(b, json_type_object) && !json_object_is_type(b, json_type_array))
		return "`body` of an operation must be a string, an object or an array";
	json_text(&json, b);
	*body = buf_str(&json);
	return NULL;
}

static int op_read(struct arena *a, struct json_object *value, struct target *out, struct problem *why)
{
	struct str text = json_str(value), body = { NULL, 0 };
	const char *fault = NULL;

	if (json_object_is_type(value, json_type_object))
		fault = object_read(a, value, &text, &body);
	else if (!text.p)
		fault = "an operation must be `METHOD url` or an object";
	if (fault)
		return bad(why, fault);
	if (target_parse(a, text, out, why) < 0)
		return -1;
	out->body = body.p ? arena_copy(a, body) : body;
	return 0;
}

int target_map_check(struct arena *a, struct str text, struct problem *why)
{
	struct json_object *map = map_load(a, text, why);
	struct target t;

	if (!map)
		return -1;
	json_object_object_foreach(map, name, value) {
		const char *fault = op_fault(str_of(name));

		if (fault)
			return bad(why, fault);
		if (op_read(a, value, &t, why) < 0) {
			if (why)
				problem_detail(why, "operation \"%s\": %s", name, why->detail);
			return -1;
		}
	}
	return 0;
}

/* The result that tells which operations there are. */
static int op_refused(struct arena *a, struct json_object *map, struct str op, struct target *out, struct problem *why)
{
	struct buf result = BUF_ARENA(a);
	const char *comma = "";

	if (op.n) {
		buf_puts(&result, "ERR:target_map:unknown_op:");
		buf_add(&result, op.p, escape_cut(op, TARGET_OP_MAX));
	} else {
		buf_puts(&result, "ERR:target_map:missing_op");
	}
	buf_puts(&result, ":available=");
	json_object_object_foreach(map, name, value) {
		(void)value;
		buf_puts(&result, comma);
		buf_puts(&result, name);
		comma = ",";
	}
	out->result = buf_str(&result);
	return problem_set(why, 200, "%s", out->result.p);
}

int target_map_pick(struct arena *a, struct str text, struct str op, struct target *out, struct problem *why)
{
	struct json_object *map = map_load(a, text, why), *value = NULL;

	*out = (struct target){ .body = { NULL, 0 } };
	if (!map)
		return -1;
	if (!op.n || memchr(op.p, 0, op.n) || !json_object_object_get_ex(map, arena_str(a, op), &value))
		return op_refused(a, map, op, out, why);
	return op_read(a, value, out, why);
}
