/* Finding tags in two passes: the first pairs each opening bracket with the end that belongs to it, the second goes
 * through the text and skips what is only spoken of. What a tag calls, and whether it may, is the caller's. */
#include <string.h>
#include "base/ascii.h"
#include "lang/key.h"
#include "lang/tag.h"

#define REPLY "REPLY"
enum { NONE = UINT32_MAX };

/* An opening tag with a name that is known. */
struct open {
	size_t at, body, close, end;    /* offsets: its bracket, its arguments, its end's bracket, behind it; end 0: none */
	uint32_t outer;                 /* the opening of the same name that is still open around it */
};

struct name { struct str key; uint32_t open; };         /* the latest opening that is not closed */

static const struct { const char *open, *close; } quotes[] = {
	{ "\"", "\"" }, { "\u201C", "\u201D" }, { "\u201E", "\u201C" }, { "\u201E", "\u201D" }, { "\u00AB", "\u00BB" },
};

enum {
	QUOTES = sizeof(quotes) / sizeof(quotes[0]),
	RUN_MAX = 32,                   /* a longer run of ` within a paragraph is text */
	MARKS = QUOTES + RUN_MAX + 1,   /* closing marks: of the quotes, then runs of ` by their length */
};

struct finder {
	struct str text;
	bool (*known)(void *ctx, struct str key);
	void *ctx;
	struct open *open;
	uint32_t opens;
	struct name *name;              /* a hash table of names, mask + 1 entries */
	uint32_t mask;
	size_t paragraph;               /* where the present paragraph ends */
	size_t absent[MARKS];           /* up to there no closing mark of that kind was found */
};

/* First pass: brackets */

/* A bracket at the front of s: its length, and its name; 0 when it is none. */
static size_t bracket(struct str s, struct str *name, bool *closes)
{
	size_t n = 1;

	*closes = s.n > 1 && s.p[1] == '/';
	n += *closes;
	*name = str_make(s.p + n, 0);
	while (n < s.n && name->n <= KEY_MAX && s.p[n] != ']' && s.p[n] != '[') {
		name->n++;
		n++;
	}
	return n < s.n && s.p[n] == ']' && key_is_valid(*name) ? n + 1 : 0;
}

/* FNV-1a */
static uint32_t hash(struct str s)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 16777619u;
	return h;
}

/* The name's entry; key.p NULL when it has none yet. */
static struct name *entry_of(struct finder *f, struct str key)
{
	uint32_t i = hash(key) & f->mask;

	while (f->name[i].key.p && !str_eq(f->name[i].key, key))
		i = (i + 1) & f->mask;
	return &f->name[i];
}

static void note_open(struct finder *f, struct str key, size_t at, size_t body)
{
	struct name *name = entry_of(f, key);

	if (!name->key.p) {
		if (!str_is(key, REPLY) && !f->known(f->ctx, key))
			return;
		*name = (struct name){ key, NONE };
	}
	f->open[f->opens] = (struct open){ .at = at, .body = body, .outer = name->open };
	name->open = f->opens++;
}

static void note_close(struct finder *f, struct str key, size_t at, size_t end)
{
	struct name *name = entry_of(f, key);
	struct open *o;

	if (!name->key.p || name->open == NONE)
		return;
	o = &f->open[name->open];
	o->close = at;
	o->end = end;
	name->open = o->outer;
}

static size_t count_brackets(struct str text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '[';
	return n;
}

static void pair(struct arena *a, struct finder *f)
{
	size_t brackets = count_brackets(f->text), n;

	for (f->mask = 1; f->mask < 2 * brackets; f->mask = 2 * f->mask + 1)
		;
	f->open = arena_alloc(a, (brackets + 1) * sizeof(*f->open));
	f->name = arena_alloc(a, ((size_t)f->mask + 1) * sizeof(*f->name));
	for (size_t at = 0; at < f->text.n; at += n ? n : 1) {
		struct str name;
		bool closes;

		n = f->text.p[at] == '[' ? bracket(str_skip(f->text, at), &name, &closes) : 0;
		if (n && closes)
			note_close(f, name, at, at + n);
		else if (n)
			note_open(f, name, at, at + n);
	}
}

/* Second pass: what is only spoken of. Each function returns where the text goes on behind it, and `at` when nothing
 * of its kind begins there. */

static size_t line_end(const struct finder *f, size_t at)
{
	const char *nl = memchr(f->text.p + at, '\n', f->text.n - at);

	return nl ? (size_t)(nl - f->text.p) + 1 : f->text.n;
}

static size_t skip_blanks(const struct finder *f, size_t at)
{
	while (at < f->text.n && f->text.p[at] && strchr(" \t\r", f->text.p[at]))
		at++;
	return at;
}

static size_t run_length(const struct finder *f, size_t at, char c)
{
	size_t n = 0;

	while (at + n < f->text.n && f->text.p[at + n] == c)
		n++;
	return n;
}

/* Behind the fence of at least n times c that ends the block. */
static size_t fence_end(const struct finder *f, size_t at, char c, size_t n)
{
	while (at < f->text.n) {
		size_t begin = skip_blanks(f, at), run = run_length(f, begin, c);

		at = line_end(f, at);
		if (run >= n && str_trim(str_make(f->text.p + begin + run, at - begin - run)).n == 0)
			return at;
	}
	return at;
}

/* A quoted line or a code fence. */
static size_t skip_block(const struct finder *f, size_t at)
{
	size_t begin = skip_blanks(f, at), end, run;
	char c;

	if ((at && f->text.p[at - 1] != '\n') || begin == f->text.n)
		return at;
	c = f->text.p[begin];
	end = line_end(f, begin);
	if (c == '>')
		return end;
	run = c == '`' || c == '~' ? run_length(f, begin, c) : 0;
	if (run < 3 || (c == '`' && memchr(f->text.p + begin + run, c, end - begin - run)))
		return at;
	return fence_end(f, end, c, run);
}

/* Up to the next empty line. */
static size_t paragraph_end(struct finder *f, size_t at)
{
	size_t end, next;

	if (at < f->paragraph || at == f->text.n)
		return f->paragraph;
	end = line_end(f, at);
	for (next = skip_blanks(f, end); next < f->text.n && f->text.p[next] != '\n'; next = skip_blanks(f, end))
		end = line_end(f, next);
	f->paragraph = end;
	return end;
}

static size_t find_mark(const struct finder *f, size_t at, size_t end, size_t mark)
{
	const char *p;
	size_t run;

	if (mark < QUOTES) {
		p = memmem(f->text.p + at, end - at, quotes[mark].close, strlen(quotes[mark].close));
		return p ? (size_t)(p - f->text.p) + strlen(quotes[mark].close) : 0;
	}
	for (; at < end && (p = memchr(f->text.p + at, '`', end - at)); at += run) {
		at = (size_t)(p - f->text.p);
		run = run_length(f, at, '`');
		if (run == mark - QUOTES)
			return at + run;
	}
	return 0;
}

/* Behind the mark that closes what was opened before `at` in the same paragraph; 0: there is none. */
static size_t close_of(struct finder *f, size_t at, size_t mark)
{
	size_t end = paragraph_end(f, at), found;

	if (at >= end || f->absent[mark] >= end)
		return 0;
	found = find_mark(f, at, end, mark);
	if (!found)
		f->absent[mark] = end;
	return found;
}

static bool is_word(char c)
{
	return ascii_is_alnum(c) || (unsigned char)c >= 0x80;
}

static size_t skip_quote(struct finder *f, size_t at)
{
	struct str rest = str_skip(f->text, at);

	if (rest.p[0] == '"' && at && is_word(f->text.p[at - 1]))
		return at;
	for (size_t i = 0; i < QUOTES; i++) {
		size_t end = str_starts(rest, quotes[i].open) ? close_of(f, at + strlen(quotes[i].open), i) : 0;

		if (end)
			return end;
	}
	return at;
}

/* A run of ` that nothing closes is text as a whole. */
static size_t skip_code(struct finder *f, size_t at)
{
	size_t run = run_length(f, at, '`'), end = run && run <= RUN_MAX ? close_of(f, at + run, QUOTES + run) : 0;

	return end ? end : at + run;
}

static const struct { const char *open, *close; } thinking[] = {
	{ "<think>", "</think>" }, { "<thinking>", "</thinking>" },
};

/* *unopened: here ends what began before the text. */
static size_t skip_thinking(const struct finder *f, size_t at, bool *unopened)
{
	struct str rest = str_skip(f->text, at);

	*unopened = false;
	for (size_t i = 0; i < sizeof(thinking) / sizeof(thinking[0]); i++) {
		*unopened = *unopened || str_starts_fold(rest, thinking[i].close);
		if (!str_starts_fold(rest, thinking[i].open))
			continue;
		while (rest.n && !str_starts_fold(rest, thinking[i].close))
			rest = str_skip(rest, 1);
		return f->text.n - rest.n + (rest.n ? strlen(thinking[i].close) : 0);
	}
	return at;
}

/* Behind what begins at `at`, which is not a tag; at least one byte further. */
static size_t skip_text(struct finder *f, size_t at, bool *unopened)
{
	size_t end = skip_block(f, at);

	*unopened = false;
	if (end > at)
		return end;
	if (f->text.p[at] == '`')
		return skip_code(f, at);
	end = f->text.p[at] == '<' ? skip_thinking(f, at, unopened) : skip_quote(f, at);
	return end > at ? end : at + 1;
}

static bool is_reply(const struct finder *f, const struct open *o)
{
	return str_starts(str_skip(f->text, o->at), "[" REPLY "]");
}

/* One that is not closed goes to the end of the text. */
static struct tag tag_of(const struct finder *f, const struct open *o)
{
	struct str key = str_make(f->text.p + o->at + 1, o->body - o->at - 2);
	size_t close = o->end ? o->close : f->text.n, end = o->end ? o->end : f->text.n;

	return (struct tag){ key, str_make(f->text.p + o->body, close - o->body), o->at, end };
}

size_t tag_find(struct arena *a, struct str text, bool (*known)(void *ctx, struct str key), void *ctx,
		struct tag *out, size_t max, struct tag *reply)
{
	struct finder f = { .text = text, .known = known, .ctx = ctx };
	struct tag last_reply = { .key = str_of(NULL) };
	const struct open *o, *last;
	size_t n = 0, at = 0;

	pair(a, &f);
	for (o = f.open, last = o + f.opens; at < text.n && (n || last_reply.key.p || o < last);) {
		bool unopened;

		if (o < last && o->at < at) {
			o++;
		} else if (o == last || o->at > at) {
			at = skip_text(&f, at, &unopened);
			n = unopened ? 0 : n;
			last_reply.key.p = unopened ? NULL : last_reply.key.p;
		} else if (is_reply(&f, o)) {
			last_reply = tag_of(&f, o);
			at = last_reply.end;
		} else {
			if (o->end && n++ < max)
				out[n - 1] = tag_of(&f, o);
			at = o->end ? o->end : o->body;
		}
	}
	if (reply)
		*reply = last_reply;
	return n;
}
