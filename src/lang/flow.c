/* Parser of flows: recursive descent over one cursor, linear in the text. Nothing is substituted and no row is looked
 * up here. */
#include <string.h>
#include "base/ascii.h"
#include "base/escape.h"
#include "lang/flow.h"
#include "lang/key.h"

/* What ends a body, beside the text's end, ">" and "=>". */
enum place {
	IN_STEP,
	IN_CHOICE,                      /* "|" */
	IN_BLOCK,                       /* "|" and "}" */
};

struct parser {
	struct arena *arena;
	struct str text;
	unsigned line;                  /* number of the text's first */
	size_t at;
	struct flow *flow;
	struct problem *why;
};

static int fault(struct parser *p, size_t at, const char *message)
{
	unsigned line = p->line, column = 1;

	for (size_t i = 0; i < at; i++) {
		if (p->text.p[i] == '\n') {
			line++;
			column = 1;
		} else if (((unsigned char)p->text.p[i] & 0xC0) != 0x80) {
			column++;
		}
	}
	problem_set(p->why, 422, "bad_flow");
	problem_field(p->why, "content");
	problem_detail(p->why, "line %u, column %u: %s", line, column, message);
	problem_fix(p->why, "a flow is KEY: arguments > KEY: arguments, see rowcall-row(5); "
		"> | { } as text stand in double quotes or behind a backslash");
	return -1;
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool more(const struct parser *p)
{
	return p->at < p->text.n;
}

static void skip_space(struct parser *p)
{
	while (more(p) && is_space(p->text.p[p->at]))
		p->at++;
}

static bool sees(const struct parser *p, const char *token)
{
	return str_starts(str_skip(p->text, p->at), token);
}

/* Passes the token, when it stands behind white space. */
static bool take(struct parser *p, const char *token)
{
	skip_space(p);
	if (!sees(p, token))
		return false;
	p->at += strlen(token);
	return true;
}

static struct str word(struct parser *p)
{
	size_t begin = p->at;

	while (more(p) && ascii_is_word(p->text.p[p->at]))
		p->at++;
	return str_make(p->text.p + begin, p->at - begin);
}

/* Passes a string with its quotes. */
static int quoted(struct parser *p, struct buf *out)
{
	size_t begin = p->at++;

	while (more(p) && p->text.p[p->at] != '"')
		p->at += p->text.p[p->at] == '\\' ? 2 : 1;
	if (!more(p)) {
		p->at = p->text.n;
		return fault(p, begin, "this double quote is never closed; write \\\" for one that is text");
	}
	p->at++;
	buf_add(out, p->text.p + begin, p->at - begin);
	return 0;
}

/* One backslash and, when it makes text of the next character, that. */
static void backslash(struct parser *p, struct buf *out)
{
	char next = p->at + 1 < p->text.n ? p->text.p[p->at + 1] : 0;
	bool drop = next && strchr(">|{}\"\\", next);

	buf_putc(out, drop ? next : '\\');
	p->at += drop ? 2 : 1;
}

enum piece_end { PIECE_MORE, PIECE_LAST, PIECE_FAULT = -1 };

/* Whether the body ends at this unquoted character, a piece of it, or nothing. */
static bool ends(const struct parser *p, enum place place, bool *piece)
{
	char c = p->text.p[p->at];

	*piece = c == '|' && (place == IN_STEP || sees(p, "||"));
	return c == '>' || sees(p, "=>") || c == '|' || (c == '}' && place == IN_BLOCK);
}

static enum piece_end read_piece(struct parser *p, enum place place, struct buf *out)
{
	bool piece = false;

	while (more(p) && !ends(p, place, &piece)) {
		char c = p->text.p[p->at];

		if (place != IN_STEP && (c == '{' || c == '}'))
			return fault(p, p->at, "a brace inside of a branch: write \\{ or \\}, or put it in double quotes");
		if (c == '\\') {
			backslash(p, out);
		} else if (c != '"') {
			buf_putc(out, c);
			p->at++;
		} else if (quoted(p, out) < 0) {
			return PIECE_FAULT;
		}
	}
	if (!piece)
		return PIECE_LAST;
	p->at += place == IN_STEP ? 1 : 2;
	return PIECE_MORE;
}

static int read_body(struct parser *p, enum place place, struct flow_call *call)
{
	struct buf pieces = BUF_ARENA(p->arena);
	enum piece_end end;
	struct str s;

	skip_space(p);
	do {
		struct buf out = BUF_ARENA(p->arena);

		end = read_piece(p, place, &out);
		if (end == PIECE_FAULT)
			return -1;
		s = buf_str(&out);
		while (end == PIECE_LAST && s.n && is_space(s.p[s.n - 1]))
			s.n--;
		buf_add(&pieces, &s, sizeof(s));
		call->n++;
	} while (end == PIECE_MORE);
	call->piece = (const struct str *)(const void *)pieces.data;
	return 0;
}

/* `=> NAME`, when it is there. */
static int read_name(struct parser *p, struct str *name)
{
	size_t begin;

	if (!take(p, "=>"))
		return 0;
	skip_space(p);
	begin = p->at;
	*name = word(p);
	if (!key_is_valid(*name) || str_is(*name, "PREV"))
		return fault(p, begin, "behind => stands the name of a binding: letters, digits and _, not PREV");
	skip_space(p);
	if (more(p) && !strchr(">|}", p->text.p[p->at]))
		return fault(p, p->at, "a binding ends its call; write =\\> for an arrow that is text");
	return 0;
}

/* A step without a colon: its text up to where it would end. */
static int bad_step(struct parser *p, size_t begin, enum place place)
{
	struct str s;
	bool piece;

	for (p->at = begin; more(p) && !ends(p, place, &piece); p->at++)
		;
	s = str_trim(str_make(p->text.p + begin, p->at - begin));
	p->flow->bad_step = arena_copy(p->arena, str_make(s.p, escape_cut(s, FLOW_SHOWN_MAX)));
	return fault(p, begin, s.n ? "a step is KEY: arguments, and the colon is missing here" : "a step is missing here");
}

static int read_call(struct parser *p, enum place place, struct flow_call *call)
{
	size_t begin;

	skip_space(p);
	begin = p->at;
	*call = (struct flow_call){ .key = word(p) };
	if (!key_is_valid(call->key) || !take(p, ":"))
		return bad_step(p, begin, place);
	if (++p->flow->calls > FLOW_CALLS_MAX)
		return fault(p, begin, "more than 256 calls: put some of them into a flow of their own");
	return read_body(p, place, call) < 0 ? -1 : read_name(p, &call->name);
}

_Static_assert(FLOW_CALLS_MAX == 256, "the text of read_call");

static struct flow_call *add_call(struct parser *p, struct flow_step *s)
{
	size_t size = sizeof(*s->call);

	s->call = arena_grow(p->arena, s->call, s->n * size, (s->n + 1) * size);
	return &s->call[s->n++];
}

static int read_calls(struct parser *p, enum place place, struct flow_step *s)
{
	do {
		if (read_call(p, place, add_call(p, s)) < 0)
			return -1;
	} while (take(p, "|"));
	return 0;
}

static int read_block(struct parser *p, struct flow_step *s)
{
	size_t begin = p->at - 1;

	s->kind = FLOW_BLOCK;
	if (read_calls(p, IN_BLOCK, s) < 0)
		return -1;
	if (sees(p, ">"))
		return fault(p, p->at, "a branch is one call: put steps into a flow of their own");
	if (!take(p, "}"))
		return fault(p, begin, "this brace is never closed");
	return read_name(p, &s->name);
}

static int read_choice(struct parser *p, struct flow_step *s)
{
	size_t begin = p->at;

	s->kind = FLOW_CHOICE;
	if (read_calls(p, IN_CHOICE, s) < 0)
		return -1;
	return s->n > 2 ? fault(p, begin, "behind ?: stand one or two calls, then | else") : 0;
}

static int read_step(struct parser *p, struct flow_step *s)
{
	const struct flow_step *before = p->flow->n ? s - 1 : NULL;

	*s = (struct flow_step){ .kind = FLOW_CALL };
	skip_space(p);
	if (before && before->kind == FLOW_TEST)
		return read_choice(p, s);
	if (take(p, "{"))
		return read_block(p, s);
	if (take(p, "?:"))
		s->kind = FLOW_TEST;
	return read_call(p, IN_STEP, add_call(p, s));
}

int flow_parse(struct arena *a, struct str text, unsigned line, struct flow *out, struct problem *why)
{
	struct parser p = { .arena = a, .text = text.p ? text : str_of(""), .line = line, .flow = out, .why = why };
	size_t room = 0;

	*out = (struct flow){ 0 };
	do {
		if (out->n == room) {
			room = room ? 2 * room : 8;
			out->step = arena_grow(a, out->step, out->n * sizeof(*out->step), room * sizeof(*out->step));
		}
		if (read_step(&p, &out->step[out->n]) < 0)
			return -1;
		out->n++;
	} while (take(&p, ">"));
	if (more(&p))
		return fault(&p, p.at, "expected > and a step, or the end");
	if (out->step[out->n - 1].kind == FLOW_TEST)
		return fault(&p, p.at, "behind ?: and its test stand > and what to call then");
	return 0;
}
