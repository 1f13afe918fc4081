/* Scopes: which rows a credential covers. Not whether a call is allowed for other reasons: that is the gate. */
#include <string.h>
#include "lang/key.h"
#include "lang/scope.h"

enum scope_kind { SCOPE_READ, SCOPE_ACT, SCOPE_ROW, SCOPE_PREFIX, SCOPE_CATEGORY };

struct member {
	enum scope_kind kind;
	struct str text;
};

struct scope {
	size_t n;
	struct member member[];
};

static bool is_category(struct str s)
{
	if (!s.n || s.n > SCOPE_CATEGORY_MAX)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7F)
			return false;
	return true;
}

static const struct form {
	const char *prefix;
	enum scope_kind kind;
	bool list;                      /* further keys may follow after commas */
	bool (*valid)(struct str s);
	const char *what;
} forms[] = {
	{ "row:", SCOPE_ROW, false, key_is_valid, "`row:` needs a row's key" },
	{ "rows:", SCOPE_ROW, true, key_is_valid, "`rows:` needs keys of rows, comma-separated" },
	{ "pfx:", SCOPE_PREFIX, false, key_is_valid, "`pfx:` needs the beginning of a key" },
	{ "cat:", SCOPE_CATEGORY, false, is_category, "`cat:` needs a category" },
};

static const struct form *form_of(struct str s)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (str_starts(s, forms[i].prefix))
			return &forms[i];
	return NULL;
}

static int bad(struct problem *why, const char *detail)
{
	problem_set(why, 422, "bad_scope");
	problem_field(why, "scope");
	problem_detail(why, "%s", detail);
	problem_fix(why, "use read, act, row:KEY, rows:KEY,KEY, pfx:PREFIX or cat:CATEGORY");
	return -1;
}

/* One member between commas. *open is the `rows:` that a bare key belongs to, or NULL. */
static const char *member_read(struct str piece, const struct form **open, struct member *m)
{
	const struct form *f = form_of(piece);

	if (f) {
		*open = f->list ? f : NULL;
		m->text = str_skip(piece, strlen(f->prefix));
	} else if (*open) {
		f = *open;
		m->text = piece;
	} else if (str_is(piece, "read") || str_is(piece, "act")) {
		*m = (struct member){ str_is(piece, "act") ? SCOPE_ACT : SCOPE_READ, piece };
		return NULL;
	} else {
		return piece.n ? "no such scope" : "the scope, or a part of it, is empty";
	}
	m->kind = f->kind;
	m->text = str_trim(m->text);
	return f->valid(m->text) ? NULL : f->what;
}

int scope_parse(struct arena *a, struct str text, struct scope **out, struct problem *why)
{
	const struct form *open = NULL;
	struct str rest = text.p ? text : str_of("");
	struct scope *s;
	size_t members = 1;

	for (size_t i = 0; i < text.n; i++)
		members += text.p[i] == ',';
	if (members > SCOPE_MEMBERS_MAX)
		return bad(why, "too many members");
	s = arena_alloc(a, sizeof(*s) + members * sizeof(*s->member));
	while (rest.p) {
		const char *fault = member_read(str_trim(str_cut(&rest, ',')), &open, &s->member[s->n]);

		if (fault)
			return bad(why, fault);
		s->member[s->n].text = arena_copy(a, s->member[s->n].text);
		s->n++;
	}
	*out = s;
	return 0;
}

int scope_parse_setting(struct arena *a, struct str text, struct scope **out, struct problem *why)
{
	if (!str_is(str_trim(text), "none"))
		return scope_parse(a, text, out, why);
	*out = arena_alloc(a, sizeof(**out));
	return 0;
}

static bool begins(struct str s, struct str prefix)
{
	return s.n >= prefix.n && str_eq(str_make(s.p, prefix.n), prefix);
}

static bool names_row(const struct member *m, struct str key, struct str category)
{
	switch (m->kind) {
	case SCOPE_ROW:
		return str_eq(m->text, key);
	case SCOPE_PREFIX:
		return begins(key, m->text);
	case SCOPE_CATEGORY:
		return str_eq(m->text, category);
	default:
		return false;
	}
}

bool scope_calls(const struct scope *s, struct str key, struct str category)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->member[i].kind == SCOPE_ACT || names_row(&s->member[i], key, category))
			return true;
	return false;
}

bool scope_reads(const struct scope *s, struct str key, struct str category)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->member[i].kind == SCOPE_READ)
			return true;
	return scope_calls(s, key, category);
}

/* True when p alone covers all that c covers. */
static bool member_within(const struct member *c, const struct member *p)
{
	if (p->kind == SCOPE_ACT)
		return true;
	switch (c->kind) {
	case SCOPE_READ:
		return p->kind == SCOPE_READ;
	case SCOPE_ROW:
		if (p->kind == SCOPE_PREFIX)
			return begins(c->text, p->text);
		return p->kind == SCOPE_ROW && str_eq(c->text, p->text);
	case SCOPE_PREFIX:
		return p->kind == SCOPE_PREFIX && begins(c->text, p->text);
	case SCOPE_CATEGORY:
		return p->kind == SCOPE_CATEGORY && str_eq(c->text, p->text);
	default:
		return false;
	}
}

bool scope_within(const struct scope *child, const struct scope *parent)
{
	for (size_t i = 0; i < child->n; i++) {
		bool covered = false;

		for (size_t j = 0; j < parent->n && !covered; j++)
			covered = member_within(&child->member[i], &parent->member[j]);
		if (!covered)
			return false;
	}
	return true;
}

struct str scope_row(const struct scope *s)
{
	return s->n == 1 && s->member[0].kind == SCOPE_ROW ? s->member[0].text : str_make(NULL, 0);
}
