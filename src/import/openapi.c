/* Walks the paths of an OpenAPI document. Schemas are reduce.c's; this knows operations, parameters, bodies, security
 * and servers. */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "base/escape.h"
#include "import/credential.h"
#include "import/naming.h"
#include "import/openapi.h"
#include "import/reduce.h"
#include "import/yaml.h"
#include "lang/authspec.h"
#include "lang/place.h"
#include "lang/target.h"
#include "schema/schema.h"

struct api {
	struct draft *d;
	struct arena *arena;
	struct json_object *document;
	const struct openapi_wishes *wishes;
	struct json_object *keys;               /* of the rows so far */
	size_t size;                            /* bytes of them */
};

struct argument {
	const char *name, *in;                  /* in: x-in; NULL: a slot of the path */
	struct json_object *schema;             /* reduced; the arena's */
	struct str example;                     /* p NULL: none */
	bool required;
};

/* One operation on its way. */
struct operation {
	struct api *api;
	struct json_object *path_item, *o;
	const char *method, *path;              /* method in upper case */
	const char *at;                         /* "GET /path", for notes */
	const char *key;
	struct argument argument[OPENAPI_ARGUMENTS_MAX];
	size_t n;
	struct json_object *headers;            /* of auth: credentials and a Content-Type */
	const char *auth;                       /* a form of its own; NULL: none */
	struct buf target, payload, host;
	bool lost;                              /* it cannot be a row; a note says why */
};

static const char *text_of(struct json_object *o, const char *name)
{
	struct str s = json_str(json_get(o, name));

	return s.p ? s.p : "";
}

static bool is_true(struct json_object *o, const char *name)
{
	return json_object_is_type(json_get(o, name), json_type_boolean) && json_object_get_boolean(json_get(o, name));
}

static struct json_object *object(struct json_object *o, const char *name)
{
	struct json_object *member = json_get(o, name);

	return json_object_is_type(member, json_type_object) ? member : NULL;
}

static void lose(struct operation *op, const char *why)
{
	if (!op->lost)
		draft_note(op->api->d, op->at, true, "%s", why);
	op->lost = true;
}

/* Servers */

/* {name} by the variable's default. */
static struct str filled(struct api *api, struct json_object *server)
{
	struct str url = json_str(json_get(server, "url"));
	struct buf b = BUF_ARENA(api->arena);

	while (url.n) {
		const char *end = url.p[0] == '{' ? memchr(url.p, '}', url.n) : NULL;
		const char *name, *value;

		if (!end) {
			buf_putc(&b, url.p[0]);
			url = str_skip(url, 1);
			continue;
		}
		name = arena_str(api->arena, str_make(url.p + 1, (size_t)(end - url.p) - 1));
		value = text_of(object(object(server, "variables"), name), "default");
		buf_puts(&b, value);
		url = str_skip(url, (size_t)(end - url.p) + 1);
	}
	return buf_str(&b);
}

/* RFC 3986 section 5.2 as far as servers need it. */
static struct str resolved(struct api *api, struct str url)
{
	const char *source = api->wishes->source, *host, *end;

	if (str_find(url, str_of("://")) > 0 || !source || (host = strstr(source, "://")) == NULL)
		return url;
	end = host + 3 + strcspn(host + 3, "/?#");
	if (str_starts(url, "//"))
		return str_of(arena_printf(api->arena, "%.*s:%.*s", (int)(host - source), source, (int)url.n, url.p));
	if (!str_starts(url, "/") && url.n)
		end = strrchr(end, '/') ? strrchr(end, '/') + 1 : end;
	return str_of(arena_printf(api->arena, "%.*s%s%.*s", (int)(end - source), source, str_starts(url, "/") || end[-1] == '/' ? "" : "/",
				   (int)url.n, url.p));
}

/* The first server of the operation, its path, the document. */
static struct str server_of(struct operation *op)
{
	struct json_object *from[] = { op->o, op->path_item, op->api->document };
	struct str url = str_of("/");

	for (size_t i = 0; i < 3; i++) {
		if (!json_length(json_get(from[i], "servers")))
			continue;
		url = filled(op->api, json_object_array_get_idx(json_get(from[i], "servers"), 0));
		break;
	}
	url = op->api->wishes->server ? str_of(op->api->wishes->server) : resolved(op->api, url);
	while (url.n && url.p[url.n - 1] == '/')
		url.n--;
	return url;
}

/* Arguments */

static bool is_taken(const struct operation *op, const char *name)
{
	for (size_t i = 0; i < op->n; i++)
		if (strcmp(op->argument[i].name, name) == 0)
			return true;
	return false;
}

static const char *unique_name(struct operation *op, struct str name, const char *in)
{
	const char *base = naming_property(op->api->arena, name), *unique = base;

	for (unsigned i = 1; is_taken(op, unique); i++)
		unique = i == 1 ? arena_printf(op->api->arena, "%.50s_%s", base, in) : arena_printf(op->api->arena, "%.50s_%u", base, i);
	return unique;
}

static struct str as_text(struct arena *a, struct json_object *o)
{
	struct buf b = BUF_ARENA(a);

	if (json_object_is_type(o, json_type_string))
		return arena_copy(a, json_str(o));
	if (o)
		json_text(&b, o);
	return buf_str(&b);
}

/* `example`, or the first of `examples`, a map of {"value"}. *found false: there is none. */
static struct json_object *example_of(struct api *api, struct json_object *o, bool *found)
{
	struct json_object *examples = object(o, "examples"), *v = NULL;

	*found = json_object_is_type(o, json_type_object) && json_object_object_get_ex(o, "example", &v);
	if (*found || !examples)
		return v;
	json_object_object_foreach(examples, name, value) {
		(void)name;
		*found = json_object_object_get_ex(reduce_target(api->document, value), "value", &v);
		break;
	}
	return v;
}

static size_t size_of(struct json_object *o)
{
	struct buf text = BUF_MALLOC;
	size_t size;

	json_text(&text, o);
	size = text.len;
	buf_free(&text);
	return size;
}

/* The reduced schema of a parameter or media type, small enough: with the deepest that fits. */
static struct json_object *schema_of(struct operation *op, struct json_object *schema, size_t max)
{
	static const unsigned depths[] = { 24, 10, 7, 5, 3, 1 };
	struct json_object *out = NULL;

	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		bool cut = false;

		out = arena_json(op->api->arena, reduce_schema(op->api->document, schema, depths[i], &cut));
		if (size_of(out) <= max) {
			if (cut)
				draft_note(op->api->d, op->at, false, "a schema is not described to its end (it contains itself, or is large)");
			return out;
		}
	}
	return arena_json(op->api->arena, json_object_new_object());
}

static struct json_object *media_schema(struct json_object *o)
{
	struct json_object *content = object(o, "content");

	if (json_get(o, "schema") || !content)
		return json_get(o, "schema");
	json_object_object_foreach(content, type, media) {
		(void)type;
		return json_get(media, "schema");
	}
	return NULL;
}

static struct argument *add_argument(struct operation *op, struct str name, const char *in, const char *place, struct json_object *schema)
{
	struct argument *a = &op->argument[op->n];

	if (op->n == OPENAPI_ARGUMENTS_MAX) {
		draft_note(op->api->d, op->at, true, "the argument %.*s is left out: a row has at most %d", (int)(name.n < 64 ? name.n : 64), name.p,
			   OPENAPI_ARGUMENTS_MAX);
		return NULL;
	}
	*a = (struct argument){ .name = unique_name(op, name, in), .in = place, .schema = schema };
	op->n++;
	return a;
}

/* A description beside the schema belongs to the property. */
static void describe(struct argument *a, struct json_object *o)
{
	struct str text = json_str(json_get(o, "description"));

	if (text.n)
		json_put_str(a->schema, "description", str_make(text.p, escape_cut(text, REDUCE_DESCRIPTION_MAX)));
}

static void set_example(struct operation *op, struct argument *a, struct json_object *o)
{
	bool found;
	struct json_object *said = example_of(op->api, o, &found);

	if (found)
		a->example = as_text(op->api->arena, said);
	else if (a->required)
		a->example = as_text(op->api->arena, arena_json(op->api->arena, reduce_example(a->schema)));
}

/* x-in for a parameter; NULL when there is none. */
static const char *place_for(struct operation *op, struct json_object *o, const char *name)
{
	const char *in = text_of(o, "in"), *style = text_of(o, "style");
	struct json_object *explode = json_get(o, "explode");
	bool joined = explode && !json_object_get_boolean(explode);
	struct place place;
	struct json_object *probe;
	const char *word = strcmp(in, "query") == 0 ? joined || strcmp(style, "pipeDelimited") == 0 ? "list" : "query" : in;
	const char *text = arena_printf(op->api->arena, "%s:%s", word, name);

	probe = arena_json(op->api->arena, json_object_new_object());
	json_put_text(probe, "x-in", text);
	return place_read(str_of(name), probe, &place) ? text : NULL;
}

static void put_credential_header(struct operation *op, const char *header, const char *before, const char *variable)
{
	json_put_text(op->headers, header, arena_printf(op->api->arena, "%s$%s", before, variable));
}

/* PREFIX_WORDS, for a name in the secrets file. */
static const char *variable(struct operation *op, const char *words)
{
	struct buf b = BUF_ARENA(op->api->arena);

	if (op->api->wishes->prefix)
		naming_words(&b, str_of(op->api->wishes->prefix));
	else
		buf_putstr(&b, buf_str(&op->host));
	naming_words(&b, str_of(words));
	return naming_key(op->api->arena, buf_str(&b));
}

/* A header that is a credential by its name is one, whatever the document calls it. */
static bool is_credential(const char *in, const char *name)
{
	return strcmp(in, "header") == 0 && strcasecmp(name, "Idempotency-Key") != 0 && authspec_is_credential_header(str_of(name)) &&
	       credential_name(str_of(name));
}

static void add_parameter(struct operation *op, struct json_object *o)
{
	const char *name = text_of(o, "name"), *in = text_of(o, "in"), *place;
	struct argument *a;

	if (strcmp(in, "header") == 0 && (strcasecmp(name, "accept") == 0 || strcasecmp(name, "content-type") == 0 || strcasecmp(name, "authorization") == 0))
		return;
	if (is_credential(in, name)) {
		const char *secret = variable(op, strncasecmp(name, "x-", 2) == 0 ? name + 2 : name);

		draft_secret(op->api->d, secret, "the value of the header %s", name);
		put_credential_header(op, name, "", secret);
		return;
	}
	place = place_for(op, o, name);
	if (!place) {
		if (is_true(o, "required"))
			lose(op, arena_printf(op->api->arena, "the %s parameter %s cannot be sent, and it is required", in, name));
		else
			draft_note(op->api->d, op->at, true, "the %s parameter %s cannot be sent and is left out", in, name);
		return;
	}
	a = add_argument(op, str_of(name), in, place, schema_of(op, media_schema(o), REDUCE_TEXT_MAX / 8));
	if (!a)
		return;
	a->required = is_true(o, "required");
	describe(a, o);
	set_example(op, a, o);
}

/* The parameter of an operation or else of its path; the operation's own comes first. */
static struct json_object *parameter(struct operation *op, const char *in, const char *name)
{
	struct json_object *from[] = { op->o, op->path_item };

	for (size_t k = 0; k < 2; k++) {
		struct json_object *list = json_get(from[k], "parameters");

		for (size_t i = 0; i < json_length(list); i++) {
			struct json_object *o = reduce_target(op->api->document, json_object_array_get_idx(list, i));

			if (strcmp(text_of(o, "in"), in) == 0 && strcmp(text_of(o, "name"), name) == 0)
				return o;
		}
	}
	return NULL;
}

static void add_parameters(struct operation *op, const char *in)
{
	struct json_object *from[] = { op->path_item, op->o };

	for (size_t k = 0; k < 2; k++) {
		struct json_object *list = json_get(from[k], "parameters");

		for (size_t i = 0; i < json_length(list); i++) {
			struct json_object *o = reduce_target(op->api->document, json_object_array_get_idx(list, i));

			if (!o)
				draft_note(op->api->d, op->at, true, "a parameter is left out: its $ref leads nowhere in this document");
			else if (strcmp(text_of(o, "in"), in) == 0 && parameter(op, in, text_of(o, "name")) == o)
				add_parameter(op, o);
		}
	}
}

/* Path */

static bool is_list(struct json_object *schema)
{
	struct json_object *type = json_get(schema, "type");

	return str_is(json_str(type), "array") || str_is(json_str(type), "object");
}

static void add_path_argument(struct operation *op, struct str name)
{
	struct json_object *o = parameter(op, "path", arena_str(op->api->arena, name));
	struct argument *a = add_argument(op, name, "path", NULL, schema_of(op, o ? media_schema(o) : NULL, REDUCE_TEXT_MAX / 8));

	if (!a) {
		lose(op, "its path has too many parameters");
		return;
	}
	if (!o || is_list(a->schema)) {
		a->schema = arena_json(op->api->arena, json_object_new_object());
		json_put_text(a->schema, "type", "string");
	}
	a->required = true;
	describe(a, o);
	set_example(op, a, o);
}

/* `{name}` becomes $N. A digit or "+" behind it would belong to the slot. */
static void put_path(struct operation *op)
{
	struct str rest = str_of(op->path);

	while (rest.n) {
		const char *end = rest.p[0] == '{' ? memchr(rest.p, '}', rest.n) : NULL;

		if (!end) {
			size_t n = strcspn(rest.p, "{");

			draft_url(&op->target, str_make(rest.p, n ? n : 1));
			rest = str_skip(rest, n ? n : 1);
			continue;
		}
		add_path_argument(op, str_make(rest.p + 1, (size_t)(end - rest.p) - 1));
		buf_printf(&op->target, "$%zu", op->n);
		rest = str_skip(rest, (size_t)(end - rest.p) + 1);
		if (rest.n && (rest.p[0] == '+' || (rest.p[0] >= '0' && rest.p[0] <= '9'))) {
			buf_printf(&op->target, "%%%02X", (unsigned char)rest.p[0]);
			rest = str_skip(rest, 1);
		}
	}
}

/* Body */

enum body_kind { BODY_NONE, BODY_FORM, BODY_TEXT, BODY_JSON };

static enum body_kind kind_of(const char *type)
{
	struct str rest = str_of(type), essence = str_trim(str_cut(&rest, ';'));
	bool json = essence.n > 5 && strncasecmp(essence.p + essence.n - 5, "+json", 5) == 0;

	if (json || str_is(essence, "application/json") || str_is(essence, "*/*"))
		return BODY_JSON;
	if (str_is(essence, "application/x-www-form-urlencoded"))
		return BODY_FORM;
	return str_starts(essence, "text/") || str_is(essence, "application/xml") ? BODY_TEXT : BODY_NONE;
}

static const char *body_place(struct operation *op, enum body_kind kind, const char *type)
{
	if (kind == BODY_FORM)
		return "form";
	if (kind == BODY_TEXT) {
		buf_printf(&op->payload, "$%zu+", op->n + 1);
		if (strcmp(type, "text/plain") != 0)
			json_put_text(op->headers, "Content-Type", type);
		return NULL;
	}
	return strcmp(type, "application/json") == 0 || strcmp(type, "*/*") == 0 ? "json" : arena_printf(op->api->arena, "json:%s", type);
}

static void add_body(struct operation *op)
{
	struct json_object *body = reduce_target(op->api->document, json_get(op->o, "requestBody"));
	struct json_object *content = object(body, "content"), *media = NULL;
	enum body_kind kind = BODY_NONE;
	const char *type = "";
	struct argument *a;

	if (!content)
		return;
	json_object_object_foreach(content, name, value) {
		if (kind_of(name) > kind) {
			kind = kind_of(name);
			type = name;
			media = value;
		}
	}
	if (kind == BODY_NONE && json_object_object_length(content)) {
		lose(op, "its body has no form that a row can send (JSON, a form, text)");
		return;
	}
	if (strcmp(op->method, "GET") == 0 || strcmp(op->method, "HEAD") == 0) {
		draft_note(op->api->d, op->at, true, "its body is left out: rows send none with %s", op->method);
		return;
	}
	a = add_argument(op, str_of("body"), "body", body_place(op, kind, type), schema_of(op, json_get(media, "schema"), REDUCE_TEXT_MAX / 2));
	if (!a)
		return;
	a->required = is_true(body, "required") || kind == BODY_TEXT;
	if (!json_get(a->schema, "description"))
		describe(a, body);
	set_example(op, a, media);
}

/* Security: a form of auth from the first alternative that can be one. */

struct scheme { const char *name; struct json_object *o; struct json_object *scopes; };

static const char *oauth(struct operation *op, const char *name, const struct scheme *s)
{
	struct json_object *flow = object(object(s->o, "flows"), "clientCredentials");
	struct buf scope = BUF_ARENA(op->api->arena);

	if (!flow) {
		draft_secret(op->api->d, name, "an access token (OAuth 2) for %s", s->name);
		put_credential_header(op, "Authorization", "Bearer ", name);
		return arena_printf(op->api->arena, "bearer:%s", name);
	}
	for (size_t i = 0; i < json_length(s->scopes); i++)
		buf_printf(&scope, "%s%s", i ? " " : "", json_object_get_string(json_object_array_get_idx(s->scopes, i)));
	draft_secret(op->api->d, arena_printf(op->api->arena, "%s_TOKEN_URL", name), "%s", text_of(flow, "tokenUrl"));
	draft_secret(op->api->d, arena_printf(op->api->arena, "%s_CLIENT_ID", name), "the client's id");
	draft_secret(op->api->d, arena_printf(op->api->arena, "%s_CLIENT_SECRET", name), "the client's secret");
	if (scope.len)
		draft_secret(op->api->d, arena_printf(op->api->arena, "%s_SCOPE", name), "%s", buf_text(&scope));
	return arena_printf(op->api->arena, "oauth:%s", name);
}

static const char *api_key(struct operation *op, const char *name, const struct scheme *s)
{
	const char *in = text_of(s->o, "in"), *where = text_of(s->o, "name");

	draft_secret(op->api->d, name, "the key of %s (%s %s)", s->name, in, where);
	if (strcmp(in, "query") == 0)
		return arena_printf(op->api->arena, "query:%s=%s", where, name);
	if (strcmp(in, "cookie") == 0)
		put_credential_header(op, "Cookie", arena_printf(op->api->arena, "%s=", where), name);
	else
		put_credential_header(op, where, "", name);
	return "";
}

static const char *http(struct operation *op, const char *name, const struct scheme *s)
{
	if (strcasecmp(text_of(s->o, "scheme"), "basic") == 0) {
		draft_secret(op->api->d, arena_printf(op->api->arena, "%s_USER", name), "the user name");
		draft_secret(op->api->d, arena_printf(op->api->arena, "%s_PASSWORD", name), "the password");
		return arena_printf(op->api->arena, "basic:%s_USER:%s_PASSWORD", name, name);
	}
	if (strcasecmp(text_of(s->o, "scheme"), "bearer") != 0)
		return NULL;
	draft_secret(op->api->d, name, "the bearer token of %s", s->name);
	put_credential_header(op, "Authorization", "Bearer ", name);
	return arena_printf(op->api->arena, "bearer:%s", name);
}

/* type of a security scheme: its form of auth, "" when headers are all of it, NULL when it has none. */
static const struct { const char *type; const char *(*form)(struct operation *op, const char *name, const struct scheme *s); } forms[] = {
	{ "apiKey", api_key }, { "http", http }, { "oauth2", oauth }, { "openIdConnect", oauth },
};

static const char *form_of(struct operation *op, const struct scheme *s)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (strcmp(text_of(s->o, "type"), forms[i].type) == 0)
			return forms[i].form(op, variable(op, s->name), s);
	return NULL;
}

/* All schemes of one alternative together, when a row's auth can be that. */
static bool take_alternative(struct operation *op, struct json_object *alternative)
{
	struct json_object *schemes = object(object(op->api->document, "components"), "securitySchemes");
	const char *own = "";
	unsigned n = 0, headers;

	json_object_object_foreach(alternative, name, scopes) {
		struct scheme s = { name, reduce_target(op->api->document, json_get(schemes, name)), scopes };
		const char *form = s.o ? form_of(op, &s) : NULL;

		if (!form || (own[0] && form[0]))
			return false;
		own = form[0] ? form : own;
		n++;
	}
	headers = (unsigned)json_object_object_length(op->headers);
	/* Bearer stands among the headers too, so that it can have company. */
	if (own[0] && headers > 0 && !(strncmp(own, "bearer:", 7) == 0))
		return false;
	op->auth = own[0] && (n == 1 && headers <= 1) ? own : NULL;
	return true;
}

static void add_security(struct operation *op)
{
	struct json_object *own = json_get(op->o, "security"), *list = own ? own : json_get(op->api->document, "security");
	struct json_object *before = op->headers;
	bool optional = false;

	for (size_t i = 0; i < json_length(list); i++) {
		struct json_object *alternative = json_object_array_get_idx(list, i);

		if (!json_object_is_type(alternative, json_type_object) || !json_object_object_length(alternative)) {
			optional = true;
			continue;
		}
		op->headers = NULL;
		json_object_deep_copy(before, &op->headers, NULL);
		arena_json(op->api->arena, op->headers);
		if (take_alternative(op, alternative))
			return;
	}
	op->headers = before;
	if (json_length(list) && !optional)
		draft_note(op->api->d, op->at, true, "none of its security schemes is a form of auth; the row sends no credential");
}

static void put_auth(struct operation *op, struct json_object *row)
{
	struct buf b = BUF_ARENA(op->api->arena);

	if (op->auth && (!json_object_object_length(op->headers) || strncmp(op->auth, "bearer:", 7) == 0)) {
		buf_puts(&b, op->auth);
	} else if (json_object_object_length(op->headers)) {
		buf_puts(&b, "headers:");
		json_text(&b, op->headers);
	}
	if (b.len)
		json_put_str(row, "auth", buf_str(&b));
}

/* Key and texts */

static bool fits(const struct str *pattern, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++) {
		struct buf b = BUF_MALLOC;
		bool found;

		buf_putstr(&b, pattern[i]);
		found = fnmatch(buf_text(&b), text, 0) == 0;
		buf_free(&b);
		if (found)
			return true;
	}
	return false;
}

static const char *key_from(struct operation *op, const char *id, bool with_path)
{
	struct buf b = BUF_ARENA(op->api->arena);

	if (op->api->wishes->prefix)
		naming_words(&b, str_of(op->api->wishes->prefix));
	naming_words(&b, str_of(id));
	if (with_path) {
		naming_words(&b, str_of(op->method));
		naming_words(&b, str_of(op->path));
	}
	return naming_key(op->api->arena, buf_str(&b));
}

static void choose_key(struct operation *op)
{
	const char *id = text_of(op->o, "operationId");

	op->key = key_from(op, id, !id[0]);
	if (json_get(op->api->keys, op->key)) {
		const char *taken = op->key;

		op->key = key_from(op, id, true);
		draft_note(op->api->d, arena_printf(op->api->arena, "%s, now %s", op->at, op->key), false,
			   "the key %s is taken by %s; method and path are added to it", taken, text_of(op->api->keys, taken));
	}
	if (json_get(op->api->keys, op->key))
		lose(op, arena_printf(op->api->arena, "its key is that of %s", text_of(op->api->keys, op->key)));
}

static bool is_wanted(struct operation *op)
{
	const struct openapi_wishes *w = op->api->wishes;
	struct json_object *tags = json_get(op->o, "tags");
	bool tagged = w->tags == 0;

	for (size_t i = 0; i < json_length(tags); i++)
		for (size_t k = 0; k < w->tags; k++)
			tagged = tagged || str_eq(json_str(json_object_array_get_idx(tags, i)), w->tag[k]);
	return tagged && (!w->onlys || fits(w->only, w->onlys, op->at) || fits(w->only, w->onlys, text_of(op->o, "operationId")) ||
			  fits(w->only, w->onlys, key_from(op, text_of(op->o, "operationId"), !text_of(op->o, "operationId")[0])));
}

/* The answer of the least 2xx code. */
static struct str output(struct operation *op)
{
	struct json_object *responses = object(op->o, "responses"), *best = NULL;
	const char *least = "3";

	if (responses) {
		json_object_object_foreach(responses, code, o) {
			if (code[0] == '2' && strcmp(code, least) < 0) {
				least = code;
				best = reduce_target(op->api->document, o);
			}
		}
	}
	return json_str(json_get(best, "description"));
}

static void put_arguments_line(struct operation *op, struct buf *content)
{
	struct buf b = BUF_ARENA(op->api->arena);

	for (size_t i = 0; i < op->n; i++)
		buf_printf(&b, "%s$%zu=%s", i ? " | " : "", i + 1, op->argument[i].name);
	draft_line(content, "ARGS", buf_str(&b));
}

static void put_texts(struct operation *op, struct json_object *row)
{
	struct buf content = BUF_ARENA(op->api->arena);
	struct str summary = str_of(text_of(op->o, "summary")), description = str_of(text_of(op->o, "description"));
	struct str example[OPENAPI_ARGUMENTS_MAX] = { { 0 } }, out = output(op);
	bool safe = strcmp(op->method, "GET") == 0 || strcmp(op->method, "HEAD") == 0 || strcmp(op->method, "OPTIONS") == 0;
	bool repeatable = safe || strcmp(op->method, "PUT") == 0 || strcmp(op->method, "DELETE") == 0;
	size_t n = 0;

	draft_line(&content, "WHAT", str_trim(summary).n ? summary : str_trim(description).n ? description : str_of(op->at));
	if (is_true(op->o, "deprecated"))
		draft_line(&content, "WHEN_TO_USE", str_of("Only where nothing newer does: the API calls it deprecated."));
	else if (str_trim(summary).n)
		draft_line(&content, "WHEN_TO_USE", description);
	put_arguments_line(op, &content);
	for (size_t i = 0; i < op->n; i++) {
		example[i] = op->argument[i].example;
		n = example[i].p ? i + 1 : n;
	}
	json_put(row, "examples", draft_example(&content, op->key, example, n));
	draft_line(&content, "OUTPUT", out.n ? out : str_of("the answer of the service"));
	draft_line(&content, "SAFE", str_of(safe ? "yes" : "no"));
	draft_line(&content, "IDEMPOTENT", str_of(repeatable ? "yes" : "no"));
	buf_putstr(&content, buf_str(&op->payload));
	if (!op->payload.len)
		content.len--;
	json_put_str(row, "content", buf_str(&content));
}

/* The schema of the arguments. bare: names and places alone. */
static struct json_object *arguments_schema(struct operation *op, bool bare)
{
	struct json_object *schema = json_object_new_object(), *properties = json_object_new_object();
	struct json_object *required = json_object_new_array();

	json_put_text(schema, "type", "object");
	json_put(schema, "properties", properties);
	for (size_t i = 0; i < op->n; i++) {
		struct json_object *p = bare ? json_object_new_object() : json_object_get(op->argument[i].schema);

		if (op->argument[i].in)
			json_put_text(p, "x-in", op->argument[i].in);
		json_put(properties, op->argument[i].name, p);
		if (op->argument[i].required)
			json_object_array_add(required, json_object_new_string(op->argument[i].name));
	}
	if (json_object_array_length(required))
		json_put(schema, "required", required);
	else
		json_object_put(required);
	json_put_bool(schema, "additionalProperties", false);
	json_put_bool(schema, "x-strict", true);
	json_put_text(schema, "x-source", openapi_source(op->api->d, op->api->document, op->api->wishes));
	return schema;
}

/* As the row's rules want it: compiles, and can be written out. */
static bool is_usable(struct json_object *schema, struct problem *why)
{
	struct schema *s = schema_compile(schema, NULL, why);
	struct buf plain = BUF_MALLOC;
	bool usable = s && schema_plain(s, &plain, why) == 0;

	buf_free(&plain);
	schema_free(s);
	return usable;
}

static void put_schema(struct operation *op, struct json_object *row)
{
	struct problem why = { 0 };
	struct json_object *schema = arguments_schema(op, false);

	if (!is_usable(schema, &why)) {
		draft_note(op->api->d, op->at, true, "its schema is left out, all but the names of the arguments: %s", why.detail);
		json_object_put(schema);
		schema = arguments_schema(op, true);
	}
	json_put(row, "input_schema", schema);
}

static void put_category(struct operation *op, struct json_object *row)
{
	struct json_object *tags = json_get(op->o, "tags");
	struct buf words = BUF_ARENA(op->api->arena);

	if (op->api->wishes->category) {
		json_put_text(row, "category", op->api->wishes->category);
		return;
	}
	if (json_length(tags))
		naming_words(&words, json_str(json_object_array_get_idx(tags, 0)));
	if (!words.len)
		buf_putstr(&words, buf_str(&op->host));
	for (size_t i = 0; i < words.len; i++)
		if (words.data[i] >= 'A' && words.data[i] <= 'Z')
			words.data[i] = (char)(words.data[i] + 32);
	json_put_str(row, "category", buf_str(&words));
}

static void add_row(struct operation *op)
{
	struct json_object *row = json_object_new_object();

	json_put_text(row, "key", op->key);
	json_put_text(row, "type", "http");
	json_put_str(row, "target", buf_str(&op->target));
	put_auth(op, row);
	put_texts(op, row);
	put_category(op, row);
	put_schema(op, row);
	json_object_array_add(op->api->d->rows, row);
	json_put_text(op->api->keys, op->key, op->at);
	op->api->size += size_of(row);
}

/* False: the URL cannot be a target. */
static bool begin_target(struct operation *op)
{
	struct str server = server_of(op), host;
	long at = str_find(server, str_of("://"));
	struct target t;
	struct problem why = { 0 };

	if (at > 0) {
		host = str_skip(server, (size_t)at + 3);
		naming_host(&op->host, str_cut(&host, '/'));
	}
	buf_printf(&op->target, "%s ", op->method);
	draft_url(&op->target, server);
	if (target_parse(op->api->arena, buf_str(&op->target), &t, &why) == 0)
		return true;
	lose(op, arena_printf(op->api->arena, "the server `%.*s` cannot be a target: %s", (int)(server.n < 80 ? server.n : 80), server.p, why.detail));
	return false;
}

static void convert(struct operation *op)
{
	static const char *const places[] = { "query", "header", "cookie" };

	if (!is_wanted(op) || !begin_target(op))
		return;
	choose_key(op);
	put_path(op);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		add_parameters(op, places[i]);
	add_body(op);
	add_security(op);
	if (!op->lost)
		add_row(op);
}

static void convert_path(struct api *api, const char *path, struct json_object *item)
{
	static const struct { const char *member, *method; } methods[] = {
		{ "get", "GET" }, { "head", "HEAD" }, { "post", "POST" }, { "put", "PUT" }, { "patch", "PATCH" }, { "delete", "DELETE" },
		{ "options", "OPTIONS" },
	};

	if (object(item, "trace"))
		draft_note(api->d, arena_printf(api->arena, "TRACE %s", path), true, "rows do not know the method");
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		struct operation op = {
			.api = api, .path_item = item, .o = object(item, methods[i].member), .method = methods[i].method, .path = path,
			.at = arena_printf(api->arena, "%s %s", methods[i].method, path), .headers = arena_json(api->arena, json_object_new_object()),
			.target = BUF_ARENA(api->arena), .payload = BUF_ARENA(api->arena), .host = BUF_ARENA(api->arena),
		};

		if (op.o)
			convert(&op);
	}
}

int openapi_read(struct arena *a, struct str text, struct json_object **document, struct problem *why)
{
	if (text.n > OPENAPI_DOCUMENT_MAX) {
		problem_set(why, 413, "file_too_large");
		problem_detail(why, "a document has at most %d MiB", OPENAPI_DOCUMENT_MAX >> 20);
		return -1;
	}
	if (str_starts(text, "\xEF\xBB\xBF"))
		text = str_skip(text, 3);
	return str_starts(str_trim(text), "{") ? json_parse(a, text, document, why) : yaml_read(a, text, document, why);
}

const char *openapi_source(struct draft *d, struct json_object *document, const struct openapi_wishes *wishes)
{
	struct str title = json_str(json_get(object(document, "info"), "title"));

	title.n = escape_cut(title, 100);
	return arena_printf(d->arena, "openapi:%s%s%.*s", wishes->prefix ? wishes->prefix : "", wishes->prefix ? ":" : "", (int)title.n,
			    title.p ? title.p : "");
}

static int bad_document(struct problem *why, const char *detail)
{
	problem_set(why, 400, "invalid_openapi");
	problem_detail(why, "%s", detail);
	return -1;
}

static bool is_too_large(const struct api *api, struct problem *why)
{
	size_t n = json_object_array_length(api->d->rows);

	if (n <= OPENAPI_ROWS_MAX && api->size <= OPENAPI_TEXT_MAX)
		return false;
	problem_set(why, 413, "file_too_large");
	problem_detail(why, "becomes more than %d rows or %d MiB of them; take a part of it with --tag or --only", OPENAPI_ROWS_MAX,
		       OPENAPI_TEXT_MAX >> 20);
	return true;
}

int openapi_convert(struct draft *d, struct json_object *document, const struct openapi_wishes *wishes, struct problem *why)
{
	struct api api = { .d = d, .arena = d->arena, .document = document, .wishes = wishes, .keys = arena_json(d->arena, json_object_new_object()) };
	struct json_object *paths = object(document, "paths"), *webhooks = object(document, "webhooks");
	struct str version = str_of(text_of(document, "openapi"));

	if (str_is(json_str(json_get(document, "swagger")), "2.0"))
		return bad_document(why, "is Swagger 2.0; convert it to OpenAPI 3 first");
	if (!str_starts(version, "3.0") && !str_starts(version, "3.1"))
		return bad_document(why, "is no OpenAPI document of version 3.0 or 3.1");
	if (webhooks && json_object_object_length(webhooks))
		draft_note(d, "webhooks", false, "are left out: they are calls that the API makes");
	if (paths) {
		json_object_object_foreach(paths, path, item) {
			struct json_object *target = reduce_target(document, item);

			if (path[0] != '/')
				continue;
			if (target)
				convert_path(&api, path, target);
			else
				draft_note(d, path, true, "its $ref leads nowhere in this document");
			if (is_too_large(&api, why))
				return -1;
		}
	}
	return 0;
}
