/* Reading a request from FastCGI parameters: method, path, query, headers. Decides nothing about them: see router.c.
 * The body is read by fastcgi.c. */
#include <string.h>
#include "base/ascii.h"
#include "base/escape.h"
#include "web/request.h"

enum {
	METHOD_MAX = 16,                /* bytes of a method's name */
	HEADER_NAME_MAX = 64,           /* bytes of the name of a header that anybody asks for */
	QUALITY_ONE = 1000,             /* q=1 in the thousandths that q has */
};

/* Names and values apart, once: they are looked for a dozen times. */
static void env_read(struct request *r, const char *const *env)
{
	size_t n = 0;

	while (env && env[n])
		n++;
	r->var = arena_alloc(r->arena, (n + 1) * sizeof(*r->var));
	for (size_t i = 0; i < n; i++) {
		struct str rest = str_of(env[i]), name = str_cut(&rest, '=');

		if (rest.p)
			r->var[r->vars++] = (struct request_param){ name, rest };
	}
}

/* The first value of that name from *i on, with *i behind it. */
static struct str next_var(const struct request *r, unsigned *i, struct str name)
{
	while (*i < r->vars) {
		const struct request_param *v = &r->var[(*i)++];

		if (v->name.n == name.n && memcmp(v->name.p, name.p, name.n) == 0)
			return v->value;
	}
	return (struct str){ 0 };
}

struct str request_env(const struct request *r, const char *name)
{
	unsigned i = 0;

	return next_var(r, &i, str_of(name));
}

/* The name that CGI gives a header (RFC 3875 section 4.1.18). */
struct str request_header(const struct request *r, const char *name)
{
	char env[HEADER_NAME_MAX] = "HTTP_";
	bool bare = strcmp(name, "content-type") == 0 || strcmp(name, "content-length") == 0;
	size_t n = bare ? 0 : strlen(env);
	struct str value, more;
	unsigned i = 0;

	for (; *name && n < sizeof(env); name++)
		env[n++] = *name == '-' ? '_' : ascii_upper(*name);
	value = next_var(r, &i, str_make(env, n));
	while (value.p && (more = next_var(r, &i, str_make(env, n))).p)
		value = str_of(arena_printf(r->arena, "%s, %s", value.p, more.p));
	return value;
}

bool request_is(const struct request *r, const char *method)
{
	return str_is(r->method, method);
}

struct str request_param(const struct request *r, const char *name)
{
	for (unsigned i = 0; i < r->params; i++) {
		if (str_is(r->param[i].name, name))
			return r->param[i].value;
	}
	return (struct str){ 0 };
}

/* Decoded text that a handler may use: UTF-8 without NUL. p NULL when it is not that. */
static struct str decoded(struct arena *a, struct str s, bool plus)
{
	struct buf out = BUF_ARENA(a);
	struct str text;

	buf_reserve(&out, s.n);
	if (escape_unpercent(&out, s, plus) < 0)
		return (struct str){ 0 };
	text = buf_str(&out);
	if (!escape_is_utf8(text) || memchr(text.p, 0, text.n))
		return (struct str){ 0 };
	return text;
}

static int query_problem(struct problem *why, const char *what)
{
	problem_set(why, 400, "bad_query");
	problem_detail(why, "the query string %s", what);
	problem_fix(why, "percent-encode every value (curl --data-urlencode does) and give each parameter once");
	return -1;
}

static int query_take(struct request *r, struct str piece, struct problem *why)
{
	struct str rest = piece, name, value;

	name = decoded(r->arena, str_cut(&rest, '='), true);
	value = decoded(r->arena, rest.p ? rest : str_of(""), true);
	if (!name.p || !value.p)
		return query_problem(why, "has a malformed percent sign, a NUL or text that is not UTF-8");
	if (!name.n)
		return query_problem(why, "has a parameter without a name");
	for (unsigned i = 0; i < r->params; i++) {
		if (str_eq(r->param[i].name, name))
			return query_problem(why, "has a parameter twice");
	}
	if (r->params == REQUEST_PARAMS_MAX)
		return query_problem(why, "has too many parameters");
	r->param[r->params++] = (struct request_param){ name, value };
	return 0;
}

static int query_read(struct request *r, struct problem *why)
{
	struct str rest = r->query;

	if (!rest.n)
		return 0;
	while (rest.p) {
		if (query_take(r, str_cut(&rest, '&'), why) < 0) {
			r->params = 0;
			return -1;
		}
	}
	return 0;
}

static int path_read(struct request *r, struct problem *why)
{
	struct str path = request_env(r, "DOCUMENT_URI");
	struct str uri = request_env(r, "REQUEST_URI");

	if (!path.p)
		path = decoded(r->arena, str_cut(&uri, '?'), false);
	else if (!escape_is_utf8(path))
		path.p = NULL;
	if (!path.p || !path.n || path.p[0] != '/') {
		problem_set(why, 400, "bad_path");
		problem_detail(why, "the path is malformed: a bad percent sign, a NUL, or text that is not UTF-8");
		return -1;
	}
	r->path = path;
	return 0;
}

static int method_read(struct request *r, struct problem *why)
{
	struct str method = request_env(r, "REQUEST_METHOD");

	for (size_t i = 0; i < method.n; i++) {
		if (method.p[i] < 'A' || method.p[i] > 'Z')
			method.n = 0;
	}
	if (!method.n || method.n > METHOD_MAX) {
		problem_set(why, 400, "bad_method");
		problem_detail(why, "the method is not a word in capital letters");
		return -1;
	}
	r->method = method;
	return 0;
}

int request_init(struct request *r, struct arena *a, const char *const *env, struct str body, struct problem *why)
{
	struct str id;

	*r = (struct request){ .arena = a, .body = body, .method = str_of(""), .path = str_of("") };
	env_read(r, env);
	id = request_env(r, "REQUEST_ID");
	r->request_id = id.p ? id.p : "";
	r->query = request_env(r, "QUERY_STRING");
	if (!r->query.p)
		r->query = str_of("");
	if (method_read(r, why) < 0 || path_read(r, why) < 0)
		return -1;
	return query_read(r, why);
}

/* q in thousandths; malformed counts as 0, so that it is not chosen. */
static int quality(struct str params)
{
	while (params.p) {
		struct str one = str_trim(str_cut(&params, ';'));
		int q = 0, scale = QUALITY_ONE / 10;

		if (one.n < 3 || (one.p[0] != 'q' && one.p[0] != 'Q') || one.p[1] != '=')
			continue;
		if (one.p[2] == '1')
			return QUALITY_ONE;
		for (size_t i = 4; i < one.n && ascii_is_digit(one.p[i]); i++, scale /= 10)
			q += (one.p[i] - '0') * scale;
		return q;
	}
	return QUALITY_ONE;
}

/* How exactly a range of Accept names the type: 3 itself, 2 all of its family, 1 everything, 0 not at all. */
static int exactness(struct str range, const char *type)
{
	size_t family = (size_t)(strchr(type, '/') - type) + 1;

	if (str_is_fold(range, type))
		return 3;
	if (range.n == family + 1 && range.p[family] == '*' && str_eq_fold(str_make(range.p, family), str_make(type, family)))
		return 2;
	return str_is(range, "*/*") ? 1 : 0;
}

/* The most exact range that covers the type decides its q. */
static int rank(struct str accept, const char *type)
{
	int best = 0, q = 0;

	while (accept.p) {
		struct str params = str_cut(&accept, ',');
		int exact = exactness(str_trim(str_cut(&params, ';')), type);

		if (exact > best) {
			best = exact;
			q = quality(params);
		}
	}
	return q ? q * 4 + best : 0;
}

bool request_prefers(const struct request *r, const char *wanted, const char *other)
{
	struct str accept = request_header(r, "accept");

	return accept.p && rank(accept, wanted) > rank(accept, other);
}

/* The q of a coding by either of its names, else that of "*"; -1 when the list has none of them. */
static int coding_quality(struct str list, const char *name, const char *other)
{
	int any = -1;

	while (list.p) {
		struct str params = str_cut(&list, ','), one = str_trim(str_cut(&params, ';'));

		if (str_is_fold(one, name) || str_is_fold(one, other))
			return quality(params);
		if (str_is(one, "*"))
			any = quality(params);
	}
	return any;
}

bool request_takes_gzip(const struct request *r)
{
	struct str list = request_header(r, "accept-encoding");
	int gzip = coding_quality(list, "gzip", "x-gzip");

	return gzip > 0 && gzip >= coding_quality(list, "identity", "identity");
}

bool request_has_etag(const struct request *r, const char *etag)
{
	struct str list = request_header(r, "if-none-match");

	if (!list.p)
		return false;
	if (str_is(str_trim(list), "*"))
		return true;
	while (list.p) {        /* our tags hold no comma */
		struct str one = str_trim(str_cut(&list, ','));

		if (str_starts(one, "W/"))
			one = str_skip(one, 2);
		if (str_is(one, etag))
			return true;
	}
	return false;
}
