/* Rows as tools: descriptions, and schemas for clients that refuse more than we do. JSON is written with
 * ' for ". */
#include <string.h>
#include "base/mem.h"
#include "directory/tool.h"
#include "tap.h"

static struct arena *arena;

static const char *quoted(const char *text, char from, char to)
{
	char *copy = arena_strdup(arena, text);

	for (char *p = copy; *p; p++)
		if (*p == from)
			*p = to;
	return copy;
}

static struct json_object *json(const char *text)
{
	struct json_object *o = NULL;

	if (json_parse(arena, str_of(quoted(text, '\'', '"')), &o, NULL) < 0)
		tap_ok(false, "the test's own JSON: %s", text);
	return o;
}

/* An entry as far as tools look at it. */
static struct entry *entry(const char *content, const char *schema)
{
	struct entry *e = arena_alloc(arena, sizeof(*e));

	e->key = str_of("THE_KEY");
	docstring_parse(arena, str_of(content), &e->doc);
	e->row.v[ROW_INPUT_SCHEMA].text = str_of(schema ? quoted(schema, '\'', '"') : NULL);
	return e;
}

static struct json_object *schema_of(const char *schema)
{
	struct schema *s = schema_compile(json(schema), NULL, NULL);
	struct json_object *o = tool_schema(arena, entry("", schema), s);

	schema_free(s);
	return o;
}

static const struct { const char *row, *tool, *promise; } schemas[] = {
	{ "{}", "{'type':'object','properties':{}}", "type and properties are there" },
	{ "{'type':'object','properties':{'a':{'type':'string','x-y':1}},'required':['a'],"
	  "'additionalProperties':false}",
		"{'type':'object','properties':{'a':{'type':'string'}},'required':['a'],'additionalProperties':false}",
		"a plain schema stays as it is, but for unknown keywords" },
	{ "{'$schema':'https://json-schema.org/draft/2020-12/schema','$ref':'#/$defs/x','$defs':{'x':{'type':'object',"
	  "'properties':{'b':{},'a':{'$ref':'#/$defs/y'}}},'y':{'type':'null'}}}",
		"{'type':'object','properties':{'b':{},'a':{'type':'null'}}}", "references are written out" },
	{ "{'properties':{'a':true,'b':false}}", "{'type':'object','properties':{'a':{},'b':{'not':{}}}}",
		"no argument has a boolean schema" },
	{ "{'properties':{'a':{}},'anyOf':[{'required':['a']},{'required':['b'],'properties':{'b':{'type':'null'}}}]}",
		"{'type':'object','properties':{'a':{},'b':{'type':'null'}}}",
		"alternatives give their properties and ask for none" },
	{ "{'allOf':[{'properties':{'a':{}},'required':['a']},{'allOf':[{'required':['b','a']}]}],'required':['c']}",
		"{'type':'object','properties':{'a':{}},'required':['c','a','b']}",
		"what must all hold asks for its own" },
	{ "{'oneOf':[{'properties':{'k':{'const':1}}},{'properties':{'k':{'const':2}}},"
	  "{'properties':{'k':{'const':2}}}]}",
		"{'type':'object','properties':{'k':{'anyOf':[{'anyOf':[{'const':1},{'const':2}]},{'const':2}]}}}",
		"a property that differs may be any of them" },
	{ "{'if':{'required':['a']},'then':{'properties':{'b':{}}},'else':{'properties':{'c':{}}},"
	  "'not':{'required':['x']},"
	  "'enum':[{}],'const':{},'unevaluatedProperties':false,'minProperties':1,'description':'d'}",
		"{'type':'object','properties':{'b':{},'c':{}},'minProperties':1,'description':'d'}",
		"conditions are left to the row" },
	{ "{'properties':{'a':{}},'additionalProperties':false,'anyOf':[{'properties':{'b':{}}}]}",
		"{'type':'object','properties':{'a':{}},'additionalProperties':false}",
		"what the row allows nobody to send is no argument" },
	{ "{'properties':{'t':{'$ref':'#'},'n':{'type':'null'}},'required':['t']}",
		"{'type':'object','properties':{'t':{},'n':{}}}", "one that cannot be written out gives names" },
	{ "{'properties':{'a':{'anyOf':[{'type':'null'}]}}}",
		"{'type':'object','properties':{'a':{'anyOf':[{'type':'null'}]}}}", "below the root all stays" },
};

static void check_schemas(void)
{
	for (size_t i = 0; i < sizeof(schemas) / sizeof(*schemas); i++) {
		struct buf got = BUF_ARENA(arena);

		json_text(&got, schema_of(schemas[i].row));
		tap_is_str(quoted(buf_text(&got), '"', '\''), schemas[i].tool, schemas[i].promise);
	}
}

/* What the row accepts the tool's schema accepts too. */
static void check_superset(void)
{
	static const char *const instances[] = {
		"{}", "{'a':1}", "{'b':null}", "{'a':null,'b':null}", "{'k':1}", "{'k':2}", "{'c':1,'a':1,'b':null}",
		"{'t':{}}",
		"{'a':'x'}", "{'x':1}",
	};
	int accepted = 0;

	for (size_t i = 0; i < sizeof(schemas) / sizeof(*schemas); i++) {
		struct schema *row = schema_compile(json(schemas[i].row), NULL, NULL);
		struct schema *tool = schema_compile(schema_of(schemas[i].row), NULL, NULL);

		for (size_t k = 0; k < sizeof(instances) / sizeof(*instances); k++) {
			struct json_object *o = json(instances[k]);

			if (schema_validate(row, arena, o, NULL) < 0)
				continue;
			accepted++;
			if (schema_validate(tool, arena, o, NULL) < 0)
				tap_ok(false, "%s accepts %s", schemas[i].tool, instances[k]);
		}
		schema_free(row);
		schema_free(tool);
	}
	tap_ok(accepted > 20, "what a row accepts its tool accepts (%d instances)", accepted);
}

static void check_body(void)
{
	struct json_object *o = tool_schema(arena, entry("# ARGS: $1=a |\n#   $2=b", NULL), NULL);
	struct json_object *body = json_get(json_get(o, "properties"), "body");

	tap_is_str(json_str(json_get(body, "description")).p,
		"The arguments as one string, separated by |: $1=a | $2=b", "a row without a schema takes body");
	tap_is_str(json_str(json_get(body, "type")).p, "string", "… a string");
	tap_ok(json_object_object_length(json_get(o, "properties")) == 1, "… and nothing else");
}

static void check_names(void)
{
	static const struct { const char *schema; bool fits; } t[] = {
		{ "{'properties':{'a.b-C_9':{}}}", true },
		{ "{'properties':{'a b':{}}}", false },
		{ "{'properties':{'ä':{}}}", false },
		{ "{'properties':{'':{}}}", false },
		{ "{'properties':{'a':{},'$x':{}}}", false },
		{ "{}", true },
	};
	char name[128];

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		tap_ok(tool_names_fit(schema_of(t[i].schema)) == t[i].fits, "names of %s %s", t[i].schema,
			t[i].fits ? "fit" : "do not fit");
	for (int n = 63; n <= 65; n++) {
		memset(name, 'x', (size_t)n);
		name[n] = 0;
		tap_ok(tool_names_fit(schema_of(arena_printf(arena, "{'properties':{'%s':{}}}", name))) == (n <= 64),
			"a name of %d bytes", n);
	}
}

static void check_description(void)
{
	struct buf content = BUF_ARENA(arena);
	struct str s;

	s = tool_description(arena, entry("# WHAT: Does\n#   it.\n# WHEN_TO_USE: always\n# EFFECTS: none\n"
					  "# OUTPUT: JSON", NULL));
	tap_is_str(s.p, "Does it.\nWhen to use: always\nReturns: JSON\nEffects: none", "a description has a line each");
	tap_is_str(tool_description(arena, entry("", NULL)).p, "THE_KEY", "… and is never empty");
	for (int d = -1; d <= 1; d++) {
		buf_clear(&content);
		buf_puts(&content, "# WHAT: ");
		for (int i = 0; i < TOOL_DESCRIPTION_MAX + d; i++)
			buf_putc(&content, 'x');
		s = tool_description(arena, entry(buf_text(&content), NULL));
		tap_is_int((int64_t)s.n, d < 0 ? TOOL_DESCRIPTION_MAX - 1 : TOOL_DESCRIPTION_MAX, "a long one is cut");
		tap_ok((strstr(s.p, "…") != NULL) == (d > 0), "… and only then says so");
	}
	buf_clear(&content);
	buf_puts(&content, "# WHAT: ");
	for (int i = 0; i < TOOL_DESCRIPTION_MAX; i++)
		buf_puts(&content, "é");
	s = tool_description(arena, entry(buf_text(&content), NULL));
	tap_is_int((int64_t)s.n, TOOL_DESCRIPTION_MAX - 1, "no character is split");
}

/* What x-output-schema is to clients of MCP before 2026-07-28; NULL: it cannot be written out. */
static const struct { const char *declared, *shown; bool wraps; } outputs[] = {
	{ "{'type':'object','properties':{'n':{'$ref':'#/$defs/n'}},'$defs':{'n':{'type':'integer'}}}",
		"{'type':'object','properties':{'n':{'type':'integer'}}}", false },
	{ "{'type':'array','items':{'type':'integer'}}",
		"{'type':'object','properties':{'result':{'type':'array','items':{'type':'integer'}}},'required':['result']}", true },
	{ "{'enum':[1,2]}", "{'type':'object','properties':{'result':{'enum':[1,2]}},'required':['result']}", true },
	{ "{'type':['object','null']}",
		"{'type':'object','properties':{'result':{'type':['object','null']}},'required':['result']}", true },
	{ "{'type':'object','properties':{'t':{'$ref':'#'}}}", NULL, false },
};

static void check_output(void)
{
	for (size_t i = 0; i < sizeof(outputs) / sizeof(*outputs); i++) {
		struct schema *s = schema_compile(json(outputs[i].declared), NULL, NULL);
		struct json_object *o = tool_output(arena, s);
		struct buf got = BUF_ARENA(arena);

		if (o)
			json_text(&got, o);
		tap_is_str(o ? quoted(buf_text(&got), '"', '\'') : "none", outputs[i].shown ? outputs[i].shown : "none",
			outputs[i].declared);
		tap_ok(tool_output_wraps(s) == outputs[i].wraps, "… and %s an object", outputs[i].wraps ? "becomes" : "is");
		schema_free(s);
	}
}

static void check_declared(void)
{
	static const struct { const char *schema, *shown; } cases[] = {
		{ "{'type':'object','properties':{'a':{'$ref':'#/$defs/s','x-y':1}},'$defs':{'s':{}},'if':{},'x-z':2}",
			"{'type':'object','properties':{'a':{'$ref':'#/$defs/s','x-y':1}},'$defs':{'s':{}},'if':{},'x-z':2}" },
		{ "{'x-output-schema':{},'x-mcp-content':true,'x-mcp-requires':{},'properties':{}}",
			"{'properties':{},'type':'object'}" },
		{ "{}", "{'type':'object','properties':{}}" },
		{ NULL, "none" },
		{ "[]", "none" },
		{ "{'type'", "none" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct json_object *o = tool_declared(arena, entry("", cases[i].schema));
		struct buf got = BUF_ARENA(arena);

		if (o)
			json_text(&got, o);
		tap_is_str(o ? quoted(buf_text(&got), '"', '\'') : "none", cases[i].shown, "a declared schema stays as it is");
	}
}

static void check_hints(void)
{
	static const struct { const char *type, *target, *runner, *content; bool sensitive; const char *hints, *promise; } cases[] = {
		{ "fn", "now", NULL, "# SAFE: yes", false, "r-i-", "a function that reads" },
		{ "fn", "echo", NULL, "# SAFE: no", false, "-d--", "one that does not" },
		{ "fn", "echo", NULL, "# SAFE: no\n# IDEMPOTENT: yes", false, "-di-", "one that may be repeated" },
		{ "fn", "echo", NULL, "# SAFE: yes", true, "-d", "one of high risk reads for nobody" },
		{ "fn", "mcp_call", NULL, "# SAFE: yes", false, "r-io", "a tool of another server is outside" },
		{ "fn", "/bin/x", "exec", "# SAFE: yes", false, "r-io", "so is a program" },
		{ "http", "GET https://example.org/", NULL, "", false, "r-io", "a GET reads" },
		{ "http", "DELETE https://example.org/", NULL, "# SAFE: yes", false, "-dio", "a DELETE does not, whatever is said" },
		{ "http", "POST https://example.org/", NULL, "", false, "-d-o", "nor does a POST" },
		{ "agent", "m", NULL, "# SAFE: yes", false, "r-io", "an agent asks a model" },
		{ "agent", "m", NULL, "", false, "-d-o", "… and nobody knows what for" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct entry *e = entry(cases[i].content, NULL);
		struct tool_hints h;
		char got[5] = "";

		e->type = e->row.v[ROW_TYPE].text = str_of(cases[i].type);
		e->target = e->row.v[ROW_TARGET].text = str_of(cases[i].target);
		e->row.v[ROW_RUNNER].text = str_of(cases[i].runner);
		e->row.v[ROW_SENSITIVE].number = cases[i].sensitive;
		h = tool_hints(e);
		got[0] = h.read_only ? 'r' : '-';
		got[1] = h.destructive ? 'd' : '-';
		got[2] = h.idempotent ? 'i' : '-';
		got[3] = h.open_world ? 'o' : '-';
		got[strlen(cases[i].hints)] = '\0';
		tap_is_str(got, cases[i].hints, cases[i].promise);
	}
}

int main(void)
{
	arena = arena_new();
	check_output();
	check_declared();
	check_hints();
	check_schemas();
	check_superset();
	check_body();
	check_names();
	check_description();
	arena_free(arena);
	return tap_done();
}
