/* The document by which somebody who knows nothing of a row can call it. What the row says is put into a model first;
 * Markdown and JSON only present it. Which moves a credential can make is given by the caller. */
#include "base/ascii.h"
#include "base/escape.h"
#include "directory/document.h"
#include "lang/template.h"

#define TOKEN "TOKEN"           /* what stands where the reader puts a credential */

static const char intro[] =
	"This is the whole contract of one capability, as it is now. It needs no other document: what the "
	"capability does, how to call it, what comes back, and how to prove afterwards that it ran.";
static const char run_now[] =
	"Fetching this URL runs the example below and answers with its result and a receipt. Put a capability "
	"token in the place of " TOKEN "; whoever has no token asks the owner of this service for one.";
static const char answer_note[] =
	"The answer is JSON. `ran` says whether anything was carried out at all, `ok` how it went, `result` is "
	"what came back, as text, and `proof.invocation_id` names the receipt that the server wrote before it "
	"answered; nothing is retried behind your back. Every fetch of the URL is a call of its own. With POST "
	"the credential goes into a header, `Authorization: Bearer " TOKEN "`; there the arguments need no "
	"escaping but that of JSON, and an `Idempotency-Key` makes a repeated request harmless.";
static const char call_note[] =
	"In prose the same call is a tag, arguments between its two halves, several of them separated by `|`:";
static const char affordance_note[] =
	"These are the moves that the credential you presented can make. The server enforces scope, limits and "
	"approval on every call regardless of what stands here.";

static const char *const imperatives[] = {
	"Do not infer the row shape from memory: rows change without notice, and only this document says what the "
	"row takes today.",
	"Send the arguments as one string in the order given under inputs, split on `|`; an argument that is missing "
	"is empty, one too many is dropped, and only the last may itself hold a `|`, where the row takes all the "
	"rest as one.",
	"Send the contract digest as `contract` with the call: when the row has changed since you read it, nothing "
	"runs and you are told what differs.",
	"Report a result only with its receipt: confirm the `invocation_id` first, and say so plainly when nothing "
	"ran.",
};

/* Where to go. */
static const struct link { const char *name, *method, *path, *what; } links[] = {
	{ "Invoke", "POST", "/api/dispatch",
	  "JSON with `key` and `body`; with `shape` true the request is built and shown, not sent" },
	{ "Ledger", "GET", "/api/dispatch?ledger=1",
	  "receipts, newest first, as far as your credential goes; `key=` narrows them to one row" },
	{ "Confirm", "GET", "/api/dispatch?confirm=inv_…",
	  "public and keyless: whether that invocation ran, and its fingerprints" },
	{ "Receipt", "GET", "/receipt/inv_…", "the same as a page for people; it survives the deletion of the row" },
	{ "Replay", "POST", "/api/dispatch", "JSON with `replay` naming an `inv_…`: runs its kept input again" },
	{ "Repair", "POST", "/api/dispatch",
	  "a new call whose `repairs` names the failed `inv_…`, so that both are found together" },
};

/* What goes wrong most. `key`: the row's key follows the path. */
static const struct trouble { const char *problem, *action, *path; bool key; } troubles[] = {
	{ "`unknown_key`, or this row is not what you need", "take an entry of `did_you_mean`, or search by words",
	  "/api/directory/search?q=", false },
	{ "401, 403 or 429 with a literal reason",
	  "see what the credential may do, its limits and what is left of them", "/api/dispatch?explain=1", false },
	{ "409 `contract_changed`", "read this document again, then repeat the call with the new digest",
	  "/api/dispatch?format=markdown&key=", true },
	{ "The result begins with `ERR:`",
	  "it ran and failed, the text names the fault; call with `shape` true to see the request, credentials removed",
	  "/api/dispatch", false },
};

enum {
	N_IMPERATIVES = sizeof(imperatives) / sizeof(imperatives[0]),
	N_LINKS = sizeof(links) / sizeof(links[0]),
	N_TROUBLES = sizeof(troubles) / sizeof(troubles[0]),
};

struct model {
	struct arena *arena;
	const struct entry *e;
	const struct document_options *o;
	struct str path, capability, when_to_use, example, call, run_url, category, inputs, outputs;
	const char *auth;
	struct json_object *schema;             /* the arena's, or NULL */
};

/* Examples */

static struct str first_example(struct arena *a, const struct entry *e)
{
	struct json_object *list, *item, *part;
	struct buf b = BUF_ARENA(a);
	size_t n;

	if (row_blank(&e->row, ROW_EXAMPLES) || json_parse(a, row_text(&e->row, ROW_EXAMPLES), &list, NULL) < 0 ||
	    !json_object_is_type(list, json_type_array) || !json_object_array_length(list))
		return str_of(NULL);
	item = json_object_array_get_idx(list, 0);
	if (json_object_is_type(item, json_type_string))
		return json_str(item);
	if (!json_object_is_type(item, json_type_array))
		return str_of(NULL);
	n = json_object_array_length(item);
	for (size_t i = 0; i < n; i++) {
		part = json_object_array_get_idx(item, i);
		if (i)
			buf_putc(&b, '|');
		if (json_object_is_type(part, json_type_string))
			buf_putstr(&b, json_str(part));
		else if (part)
			json_text(&b, part);
	}
	return buf_str(&b);
}

/* The first EXAMPLE line: what stands between the row's own tags, or all of it. */
static struct str docstring_example(struct arena *a, const struct entry *e)
{
	struct str rest = e->doc.label[DOC_EXAMPLE], line = str_trim(str_cut(&rest, '\n'));
	struct str open = str_of(arena_printf(a, "[%s]", e->key.p)), close = str_of(arena_printf(a, "[/%s]", e->key.p));
	long at = str_find(line, open), end = str_find(line, close);

	if (!line.n)
		return str_of(NULL);
	if (at < 0 || end < at + (long)open.n)
		return line;
	return str_make(line.p + at + open.n, (size_t)end - (size_t)at - open.n);
}

static bool is_word(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!ascii_is_word(c) && c != '-')
			return false;
	}
	return s.n > 0;
}

/* The label of one argument in ARGS, "$1=latitude" or "latitude"; p NULL when it is prose. */
static struct str argument_label(struct str piece)
{
	size_t n = 1;

	piece = str_trim(piece);
	if (piece.n && piece.p[0] == '$') {
		while (n < piece.n && (ascii_is_digit(piece.p[n]) || piece.p[n] == '+'))
			n++;
		piece = str_trim(str_skip(piece, n));
		if (!piece.n || (piece.p[0] != '=' && piece.p[0] != ':'))
			return str_of(NULL);
		return str_trim(str_skip(piece, 1));
	}
	return is_word(piece) && !str_is(piece, "none") ? piece : str_of(NULL);
}

static struct str labels_example(struct arena *a, const struct entry *e)
{
	struct str rest = e->doc.label[DOC_ARGS];
	struct buf b = BUF_ARENA(a);

	rest = str_cut(&rest, '\n');
	while (rest.p) {
		struct str label = argument_label(str_cut(&rest, '|'));

		if (!label.n)
			return str_of(NULL);
		if (b.len)
			buf_putc(&b, '|');
		buf_putstr(&b, label);
	}
	return b.len ? buf_str(&b) : str_of(NULL);
}

static struct str slots_example(struct arena *a, const struct entry *e)
{
	struct json_object *properties = json_get(directory_schema(a, e), "properties");
	struct buf b = BUF_ARENA(a);
	unsigned n = template_slots(e->target, NULL), m = template_slots(e->doc.payload, NULL);

	if (json_object_is_type(properties, json_type_object)) {
		json_object_object_foreach(properties, name, value) {
			(void)value;
			buf_printf(&b, "%s%s", b.len ? "|" : "", name);
		}
		return buf_str(&b);
	}
	if (str_is(e->type, "agent"))
		return str_of("hello");
	n = n > m ? n : m;
	for (unsigned i = 1; i <= n && i <= 9; i++)
		buf_printf(&b, "%sargument %u", i > 1 ? "|" : "", i);
	return buf_str(&b);
}

struct str document_example(struct arena *a, const struct entry *e)
{
	static struct str (*const source[])(struct arena *a, const struct entry *e) = {
		first_example, docstring_example, labels_example, slots_example,
	};
	struct str s = str_of(NULL);

	for (size_t i = 0; !s.p && i < sizeof(source) / sizeof(source[0]); i++)
		s = source[i](a, e);
	return s.p ? s : str_of("");
}

/* The model */

struct str document_line(struct arena *a, struct str s)
{
	struct buf b = BUF_ARENA(a);
	bool gap = false;

	s = str_trim(s);
	for (size_t i = 0; i < s.n; i++) {
		bool blank = (unsigned char)s.p[i] <= ' ' || s.p[i] == 127;

		if (!blank) {
			if (gap)
				buf_putc(&b, ' ');
			buf_putc(&b, s.p[i]);
		}
		gap = blank;
	}
	return buf_str(&b);
}

static struct str label_or(const struct model *m, enum docstring_label l, const char *dflt)
{
	return document_line(m->arena, m->e->doc.label[l].n ? m->e->doc.label[l] : str_of(dflt));
}

static struct str path_of(const struct model *m)
{
	struct buf b = BUF_ARENA(m->arena);
	struct str c = m->category.n ? m->category : str_of("general");

	buf_puts(&b, "OIP > ");
	for (size_t i = 0; i < c.n; i++)
		buf_putc(&b, ascii_upper(c.p[i]));
	buf_puts(&b, " > ");
	buf_putstr(&b, m->e->key);
	return buf_str(&b);
}

struct str document_run_url(struct arena *a, const struct entry *e, const char *base_url)
{
	struct buf b = BUF_ARENA(a);

	buf_printf(&b, "%s/api/dispatch?invoke=", base_url);
	escape_add(&b, ESCAPE_QUERY, e->key);
	buf_puts(&b, "&body=");
	escape_add(&b, ESCAPE_QUERY, document_example(a, e));
	buf_puts(&b, "&share=" TOKEN);
	return buf_str(&b);
}

static struct str url_of(const struct model *m, const char *path, bool key)
{
	struct buf b = BUF_ARENA(m->arena);

	buf_printf(&b, "%s%s", m->o->base_url, path);
	if (key)
		escape_add(&b, ESCAPE_QUERY, m->e->key);
	return buf_str(&b);
}

static struct str inputs_of(const struct model *m)
{
	const struct docstring *d = &m->e->doc;
	struct buf b = BUF_ARENA(m->arena);

	if (d->label[DOC_ARGS].n)
		return document_line(m->arena, d->label[DOC_ARGS]);
	if (d->label[DOC_INPUT].n)
		return document_line(m->arena, d->label[DOC_INPUT]);
	if (!m->schema)
		return str_of("see example");
	json_text(&b, json_get(m->schema, "properties"));
	return buf_str(&b);
}

static void fill(struct model *m, struct arena *a, const struct entry *e, const struct document_options *o)
{
	struct authspec spec;

	*m = (struct model){ .arena = a, .e = e, .o = o, .schema = directory_schema(a, e) };
	m->category = document_line(a, e->category);
	m->path = path_of(m);
	m->capability = label_or(m, DOC_WHAT, "Not stated.");
	m->when_to_use = label_or(m, DOC_WHEN_TO_USE, "Not stated.");
	m->example = document_example(a, e);
	m->call = str_of(arena_printf(a, "[%s]%.*s[/%s]", e->key.p, (int)m->example.n, m->example.p, e->key.p));
	m->run_url = document_run_url(a, e, o->base_url);
	m->inputs = inputs_of(m);
	m->outputs = label_or(m, DOC_OUTPUT, "Not stated.");
	m->auth = "required";
	if (row_blank(&e->row, ROW_AUTH) || (authspec_parse(a, e->auth, &spec, NULL) == 0 && spec.form == AUTH_NONE))
		m->auth = "none";
}

/* Markdown */

/* A code span whose fence is longer than any run of backticks in it. */
static void add_code(struct buf *out, const struct model *m, struct str s)
{
	struct str line = document_line(m->arena, s);
	size_t run = 0, longest = 0;

	for (size_t i = 0; i < line.n; i++) {
		run = line.p[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	for (size_t i = 0; i <= longest; i++)
		buf_putc(out, '`');
	if (longest)
		buf_putc(out, ' ');
	buf_putstr(out, line);
	if (longest)
		buf_putc(out, ' ');
	for (size_t i = 0; i <= longest; i++)
		buf_putc(out, '`');
}

static void add_fact(struct buf *out, const char *name, struct str text)
{
	buf_printf(out, "**%s**: ", name);
	escape_add(out, ESCAPE_MARKDOWN, text);
	buf_puts(out, "\n\n");
}

static void add_head(struct buf *out, const struct model *m)
{
	buf_puts(out, "# ");
	escape_add(out, ESCAPE_MARKDOWN, m->path);
	buf_printf(out, "\n\n%s\n\n", intro);
	add_fact(out, "Capability", m->capability);
	add_fact(out, "When to use", m->when_to_use);
	buf_printf(out, "## RUN NOW\n\n%s\n\n", run_now);
	add_code(out, m, m->run_url);
	buf_printf(out, "\n\n%s\n\n%s\n\n**Example call**: ", answer_note, call_note);
	add_code(out, m, m->call);
	buf_puts(out, "\n\n");
}

static void add_facts(struct buf *out, const struct model *m)
{
	struct str runner = document_line(m->arena, str_of(row_runner(&m->e->row)));

	buf_printf(out, "**type · runner · category**: %s · ", row_object_type(&m->e->row));
	escape_add(out, ESCAPE_MARKDOWN, runner);
	buf_puts(out, " · ");
	escape_add(out, ESCAPE_MARKDOWN, m->category.n ? m->category : str_of("general"));
	buf_printf(out, "\n\n**auth · risk**: %s · %s\n\n", m->auth, m->e->sensitive ? "high" : "low");
	add_fact(out, "inputs", m->inputs);
	add_fact(out, "outputs", m->outputs);
}

static void add_affordances(struct buf *out, const struct model *m)
{
	buf_printf(out, "## Affordances\n\n%s\n\n", affordance_note);
	for (size_t i = 0; i < m->o->affordances; i++) {
		const struct document_affordance *f = &m->o->affordance[i];

		buf_printf(out, "- %s: %s ", f->name, f->method);
		add_code(out, m, f->url);
		if (f->adds)
			buf_printf(out, " with `%s` beside the arguments", f->adds);
		if (!f->allowed)
			buf_printf(out, " – not with this credential: %s", f->reason ? f->reason : "denied");
		buf_putc(out, '\n');
	}
	buf_puts(out, m->o->affordances ? "\n" : "- none\n\n");
}

static void add_rules(struct buf *out, const struct model *m)
{
	buf_puts(out, "## Machine Contract\n\n");
	for (int i = 0; i < N_IMPERATIVES; i++)
		buf_printf(out, "%d. %s\n", i + 1, imperatives[i]);
	buf_printf(out, "\n**contract**: `%s`\n\n## Invocation, Ledger, Repair\n\n", m->e->digest);
	for (int i = 0; i < N_LINKS; i++) {
		buf_printf(out, "- %s: %s ", links[i].name, links[i].method);
		add_code(out, m, url_of(m, links[i].path, false));
		buf_printf(out, " – %s\n", links[i].what);
	}
	buf_puts(out, "\n## Troubleshooting\n\n");
	for (int i = 0; i < N_TROUBLES; i++) {
		buf_printf(out, "- %s: %s: ", troubles[i].problem, troubles[i].action);
		add_code(out, m, url_of(m, troubles[i].path, troubles[i].key));
		buf_putc(out, '\n');
	}
}

void document_markdown(const struct entry *e, const struct document_options *o, struct buf *out)
{
	struct arena *a = arena_new();
	struct model m;

	fill(&m, a, e, o);
	add_head(out, &m);
	add_facts(out, &m);
	add_affordances(out, &m);
	add_rules(out, &m);
	arena_free(a);
}

/* JSON */

static struct json_object *json_affordances(const struct model *m)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < m->o->affordances; i++) {
		const struct document_affordance *f = &m->o->affordance[i];
		struct json_object *o = json_object_new_object(), *adds;

		json_put_text(o, "name", f->name);
		json_put_text(o, "method", f->method);
		json_put_str(o, "url", f->url);
		if (f->adds && json_parse(m->arena, str_of(f->adds), &adds, NULL) == 0)
			json_put(o, "adds", json_object_get(adds));
		json_put_bool(o, "allowed", f->allowed);
		if (!f->allowed)
			json_put_text(o, "reason", f->reason);
		json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *json_links(const struct model *m)
{
	struct json_object *list = json_object_new_array();

	for (int i = 0; i < N_LINKS; i++) {
		struct json_object *o = json_object_new_object();

		json_put_text(o, "name", links[i].name);
		json_put_text(o, "method", links[i].method);
		json_put_str(o, "url", url_of(m, links[i].path, false));
		json_put_text(o, "what", links[i].what);
		json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *json_troubles(const struct model *m)
{
	struct json_object *list = json_object_new_array();

	for (int i = 0; i < N_TROUBLES; i++) {
		struct json_object *o = json_object_new_object();

		json_put_text(o, "problem", troubles[i].problem);
		json_put_text(o, "action", troubles[i].action);
		json_put_str(o, "url", url_of(m, troubles[i].path, troubles[i].key));
		json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *json_rules(void)
{
	struct json_object *list = json_object_new_array();

	for (int i = 0; i < N_IMPERATIVES; i++)
		json_object_array_add(list, json_object_new_string(imperatives[i]));
	return list;
}

static void put_call(struct json_object *o, const struct model *m)
{
	struct json_object *example = json_object_new_object(), *inputs = json_object_new_object();

	json_put_str(o, "run_now", m->run_url);
	json_put_str(example, "call", m->call);
	json_put_str(example, "body", m->example);
	json_put(o, "example", example);
	json_put_str(inputs, "args", m->inputs);
	json_put(inputs, "schema", json_object_get(m->schema));
	json_put(o, "inputs", inputs);
	json_put_str(o, "outputs", m->outputs);
}

struct json_object *document_json(const struct entry *e, const struct document_options *opt)
{
	struct arena *a = arena_new();
	struct json_object *o = json_object_new_object();
	struct model m;

	fill(&m, a, e, opt);
	json_put_str(o, "key", e->key);
	json_put_str(o, "path", m.path);
	json_put_str(o, "capability", m.capability);
	json_put_str(o, "when_to_use", m.when_to_use);
	put_call(o, &m);
	json_put_text(o, "object_type", row_object_type(&e->row));
	json_put_text(o, "runner", row_runner(&e->row));
	json_put_str(o, "category", m.category.n ? m.category : str_of(NULL));
	json_put_text(o, "auth", m.auth);
	json_put_text(o, "risk", e->sensitive ? "high" : "low");
	json_put_text(o, "status", e->enabled ? "active" : "disabled");
	json_put(o, "operation_semantics", contract_semantics(&e->row, &e->doc));
	json_put_text(o, "contract", e->digest);
	json_put(o, "affordances", json_affordances(&m));
	json_put_text(o, "affordances_note", affordance_note);
	json_put(o, "machine_contract", json_rules());
	json_put(o, "links", json_links(&m));
	json_put(o, "troubleshooting", json_troubles(&m));
	arena_free(a);
	return o;
}
