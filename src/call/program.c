/* Encoding of requests and answers of the exec process. Who checks a program and runs it is daemon/exec.c. */
#include <string.h>
#include "call/program.h"

bool program_name_is_valid(struct str name)
{
	return name.n && name.n <= PROGRAM_NAME_MAX && name.p[0] != '.' && !memchr(name.p, '/', name.n) &&
	       !memchr(name.p, 0, name.n);
}

static void put_number(struct buf *out, int64_t v)
{
	buf_add(out, &v, sizeof(v));
}

static void put_str(struct buf *out, struct str s)
{
	put_number(out, (int64_t)s.n);
	buf_add(out, s.p, s.n);
}

static void put_list(struct buf *out, const struct str *s, size_t n)
{
	put_number(out, (int64_t)n);
	for (size_t i = 0; i < n; i++)
		put_str(out, s[i]);
}

/* Reads from the front of *rest, which becomes absent when it ends too early; then everything is 0. */
static int64_t get_number(struct str *rest, int64_t max)
{
	int64_t v = 0;

	if (rest->p && rest->n >= sizeof(v))
		memcpy(&v, rest->p, sizeof(v));
	if (!rest->p || rest->n < sizeof(v) || v < 0 || v > max) {
		*rest = str_make(NULL, 0);
		return 0;
	}
	*rest = str_skip(*rest, sizeof(v));
	return v;
}

static struct str get_str(struct str *rest)
{
	size_t n = (size_t)get_number(rest, INT64_MAX);
	struct str s;

	if (!rest->p || n > rest->n) {
		*rest = str_make(NULL, 0);
		return *rest;
	}
	s = str_make(rest->p, n);
	*rest = str_make(rest->p + n, rest->n - n);
	return s;
}

static const struct str *get_list(struct arena *a, struct str *rest, size_t *n)
{
	struct str *list;

	*n = (size_t)get_number(rest, PROGRAM_ARGS_MAX);
	list = arena_alloc(a, (*n ? *n : 1) * sizeof(*list));
	for (size_t i = 0; i < *n; i++)
		list[i] = get_str(rest);
	return list;
}

void program_put_request(struct buf *out, const struct program_request *r)
{
	put_number(out, r->timeout_ms);
	put_str(out, r->name);
	put_list(out, r->arg, r->args);
	put_list(out, r->env, r->envs);
}

int program_get_request(struct arena *a, struct str message, struct program_request *out)
{
	out->timeout_ms = get_number(&message, INT64_MAX / 1000000);
	out->name = get_str(&message);
	out->arg = get_list(a, &message, &out->args);
	out->env = get_list(a, &message, &out->envs);
	return message.p && !message.n ? 0 : -1;
}

void program_put_answer(struct buf *out, const struct program_answer *r)
{
	put_number(out, r->end);
	put_number(out, r->code);
	put_number(out, r->cut);
	put_str(out, r->err);
	put_str(out, r->out);
}

int program_get_answer(struct str message, struct program_answer *out)
{
	out->end = (enum program_end)get_number(&message, PROGRAM_REFUSED);
	out->code = (int)get_number(&message, 255);
	out->cut = get_number(&message, 1) != 0;
	out->err = get_str(&message);
	out->out = get_str(&message);
	return message.p && !message.n ? 0 : -1;
}
