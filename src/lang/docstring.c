/* The documentation lines of a row's `content`. Not what is made of them: contract and search do that. */
#include <string.h>
#include "base/ascii.h"
#include "lang/docstring.h"

enum {
	FALLBACK = DOC_N,               /* the first unlabelled line, for want of WHAT */
	NOWHERE,
	INDENTED = 2,                   /* blanks behind the "#" that make a line a continuation */
};

static const struct {
	const char *word;
	enum docstring_label label;
} words[] = {
	{ "WHAT", DOC_WHAT },
	{ "WHEN_TO_USE", DOC_WHEN_TO_USE },
	{ "INPUT", DOC_INPUT },
	{ "ARGS", DOC_ARGS },
	{ "OUTPUT", DOC_OUTPUT },
	{ "PRECONDITIONS", DOC_PRECONDITIONS },
	{ "EFFECTS", DOC_EFFECTS },
	{ "POSTCONDITIONS", DOC_POSTCONDITIONS },
	{ "SAFE", DOC_SAFE },
	{ "IDEMPOTENT", DOC_IDEMPOTENT },
	{ "EXAMPLE", DOC_EXAMPLE },
	{ "EX", DOC_EXAMPLE },
};

struct reader {
	struct buf text;
	bool begun;                     /* text has a line, maybe an empty one */
	struct buf part[DOC_N + 1];     /* labels, then FALLBACK */
	bool seen[DOC_N + 1];
	int at;                         /* the part that a continuation belongs to, or NOWHERE */
	bool in_run;                    /* a documentation line was read in this run */
	size_t blanks;                  /* blank lines since */
};

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n');
}

static struct str skip_blanks(struct str s)
{
	while (s.n && is_blank(s.p[0]))
		s = str_skip(s, 1);
	return s;
}

/* The next line of *rest without its end. */
static struct str next_line(struct str *rest)
{
	struct str line = str_cut(rest, '\n');

	while (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	return line;
}

static bool is_upper(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '_' && !ascii_is_upper(s.p[i]))
			return false;
	return true;
}

/* The label that line begins, *line becoming its text; NOWHERE when it begins none. */
static int label_at(struct str *line)
{
	struct str word = *line, after;

	word.n = 0;
	while (word.n < line->n && (word.p[word.n] == '_' || ascii_is_letter(word.p[word.n])))
		word.n++;
	after = skip_blanks(str_skip(*line, word.n));
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!str_is_fold(word, words[i].word))
			continue;
		if (after.n && after.p[0] == ':')
			*line = str_trim(str_skip(after, 1));
		else if (is_upper(word) && (line->n == word.n || is_blank(line->p[word.n])))
			*line = after;
		else
			return NOWHERE;
		return (int)words[i].label;
	}
	return NOWHERE;
}

static void part_add(struct reader *r, int part, struct str line)
{
	if (r->part[part].len && line.n)
		buf_putc(&r->part[part], '\n');
	buf_putstr(&r->part[part], line);
	r->seen[part] = true;
	r->at = part;
}

/* True when only an indented line continues the part that is being read. */
static bool needs_indent(const struct reader *r)
{
	if (r->at == FALLBACK)
		return true;
	return (r->at == DOC_EXAMPLE || r->at == DOC_SAFE || r->at == DOC_IDEMPOTENT) && r->part[r->at].len;
}

static void add_text(struct reader *r, struct str line)
{
	if (r->begun)
		buf_putc(&r->text, '\n');
	for (; r->in_run && r->blanks; r->blanks--)
		buf_putc(&r->text, '\n');
	buf_putstr(&r->text, line.n && line.p[0] == ' ' ? str_skip(line, 1) : line);
	r->begun = r->in_run = true;
	r->blanks = 0;
}

/* A documentation line; line begins behind its "#". */
static void read_line(struct reader *r, struct str line)
{
	struct str body = skip_blanks(line);
	size_t indent = line.n - body.n;
	int label;

	add_text(r, line);
	if (indent && line.p[0] == '\t')
		indent = INDENTED;
	body = str_trim(body);
	if (!body.n) {
		r->at = NOWHERE;
		return;
	}
	label = label_at(&body);
	if (label != NOWHERE)
		part_add(r, label, body);
	else if (r->at != NOWHERE && (indent >= INDENTED || !needs_indent(r)))
		part_add(r, r->at, body);
	else if (!r->seen[FALLBACK])
		part_add(r, FALLBACK, body);
	else
		r->at = NOWHERE;
}

/* Where the payload is in content: p NULL when there is none. */
static struct str find_payload(struct str content)
{
	struct str payload = { NULL, 0 }, rest = content;

	while (rest.p) {
		struct str line = next_line(&rest), body = skip_blanks(line);

		if (!body.n || body.p[0] == '#')
			continue;
		if (!payload.p)
			payload = line;
		payload.n = (size_t)(line.p + line.n - payload.p);
	}
	return payload;
}

static void read_run(struct reader *r, struct str run)
{
	r->at = NOWHERE;
	r->in_run = false;
	r->blanks = 0;
	while (run.p) {
		struct str body = skip_blanks(next_line(&run));

		if (body.n) {
			read_line(r, str_skip(body, 1));
		} else {
			r->at = NOWHERE;
			r->blanks++;
		}
	}
}

void docstring_parse(struct arena *a, struct str content, struct docstring *out)
{
	struct reader r = { .text = BUF_ARENA(a) };
	struct str payload;

	if (!content.p)
		content = str_of("");
	payload = find_payload(content);
	for (int i = 0; i <= DOC_N; i++)
		r.part[i] = BUF_ARENA(a);
	read_run(&r, payload.p ? str_make(content.p, (size_t)(payload.p - content.p)) : content);
	if (payload.p)
		read_run(&r, str_skip(content, (size_t)(payload.p + payload.n - content.p)));
	for (int i = 0; i < DOC_N; i++)
		out->label[i] = r.seen[i] ? buf_str(&r.part[i]) : str_make(NULL, 0);
	if (!out->label[DOC_WHAT].n && r.seen[FALLBACK])
		out->label[DOC_WHAT] = buf_str(&r.part[FALLBACK]);
	out->text = buf_str(&r.text);
	out->payload = arena_copy(a, payload.p ? payload : str_of(""));
	out->line = 1;
	for (const char *c = content.p; payload.p && c < payload.p; c++)
		out->line += *c == '\n';
}

/* 1, 0 or -1 for one line. */
static int line_flag(struct str line)
{
	static const struct {
		const char *word;
		int value;
	} values[] = {
		{ "yes", 1 }, { "y", 1 }, { "true", 1 }, { "1", 1 },
		{ "no", 0 }, { "n", 0 }, { "false", 0 }, { "0", 0 },
	};
	size_t n = 0;

	while (n < line.n && ascii_is_alnum(line.p[n]))
		n++;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (str_is_fold(str_make(line.p, n), values[i].word))
			return values[i].value;
	return -1;
}

int docstring_flag(const struct docstring *d, enum docstring_label l)
{
	struct str rest = d->label[l];
	int flag = -1;

	while (rest.p) {
		int v = line_flag(str_cut(&rest, '\n'));

		if (v == 0)
			return 0;
		if (v == 1)
			flag = 1;
	}
	return flag;
}
