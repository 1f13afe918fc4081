/* What the official suite does not ask: bounds, hostile schemas, draft-07, defaults, the form of errors, references to
 * the built-in meta-schemas, and the stack that all this takes. JSON in this file is written with ' for ". */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/json.h"
#include "base/mem.h"
#include "schema/schema.h"
#include "tap.h"

#define DRAFT_07 "'$schema':'http://json-schema.org/draft-07/schema#'"
#define COUNT(table) (sizeof(table) / sizeof(*(table)))

static struct arena *arena;
static struct problem why;

static struct json_object *json(const char *text)
{
	char *copy = mem_strdup(text);
	struct json_object *o = NULL;

	for (char *p = copy; *p; p++)
		if (*p == '\'')
			*p = '"';
	if (json_parse(arena, str_of(copy), &o, &why) < 0)
		tap_ok(false, "the test's own JSON: %s %s", why.detail, text);
	free(copy);
	return o;
}

static struct schema *compile(const char *text)
{
	struct schema *s = schema_compile(json(text), NULL, &why);

	if (!s)
		tap_diag("%s: %s", why.error, why.detail);
	return s;
}

/* 0 valid, -1 not, -2 the schema is bad */
static int check(const char *schema, const char *instance)
{
	struct schema *s = schema_compile(json(schema), NULL, &why);
	int r = s ? schema_validate(s, arena, json(instance), &why) : -2;

	schema_free(s);
	return r;
}

static char *repeated(const char *head, const char *piece, size_t times, const char *tail)
{
	struct buf b = BUF_ARENA(arena);

	buf_puts(&b, head);
	for (size_t i = 0; i < times; i++)
		buf_puts(&b, piece);
	buf_puts(&b, tail);
	return arena_strdup(arena, buf_text(&b));
}

static const struct {
	const char *schema, *detail;
} bad[] = {
	{ "null", "(root): a schema is an object or a boolean" },
	{ "[]", "(root): a schema is an object or a boolean" },
	{ "{'type':'text'}", "/type: must be null, " },
	{ "{'type':[]}", "/type: must name at least one type" },
	{ "{'type':['string',1]}", "/type: must be null, " },
	{ "{'properties':[]}", "/properties: must be an object of schemas" },
	{ "{'properties':{'a/b':{'~':1,'type':1}}}", "/properties/a~1b/type: " },
	{ "{'properties':{'a':1}}", "/properties/a: a schema is an object or a boolean" },
	{ "{'properties':{'a':null}}", "/properties/a: a schema is an object or a boolean" },
	{ "{'items':[{}]}", "/items: a schema is an object or a boolean" },
	{ "{'prefixItems':{}}", "/prefixItems: must be an array of at least one schema" },
	{ "{'allOf':[]}", "/allOf: must be an array of at least one schema" },
	{ "{'anyOf':[{},3]}", "/anyOf/1: a schema is an object or a boolean" },
	{ "{'not':'x'}", "/not: a schema is an object or a boolean" },
	{ "{'enum':1}", "/enum: must be an array" },
	{ "{'required':'a'}", "/required: must be an array of strings" },
	{ "{'required':[1]}", "/required: must be an array of strings" },
	{ "{'dependentRequired':{'a':[1]}}", "/dependentRequired: \"a\" must be an array of strings" },
	{ "{'minLength':-1}", "/minLength: must be an integer of at least 0" },
	{ "{'maxItems':1.5}", "/maxItems: must be an integer of at least 0" },
	{ "{'minContains':'1'}", "/minContains: must be an integer of at least 0" },
	{ "{'maximum':'1'}", "/maximum: must be a number" },
	{ "{'multipleOf':0}", "/multipleOf: must be above 0" },
	{ "{'multipleOf':-1}", "/multipleOf: must be above 0" },
	{ "{'uniqueItems':1}", "/uniqueItems: must be a boolean" },
	{ "{'title':1}", "/title: must be a string" },
	{ "{'format':1}", "/format: must be a string" },
	{ "{'pattern':'('}", "/pattern: bad regular expression: " },
	{ "{'pattern':1}", "/pattern: must be a string" },
	{ "{'patternProperties':{'[':{}}}", "/patternProperties: bad regular expression: " },
	{ "{'$ref':1}", "/$ref: must be a string" },
	{ "{'$ref':'#/$defs/a'}", "/$ref: \"#/$defs/a\" cannot be resolved: the pointer leads nowhere" },
	{ "{'$ref':'#a'}", "/$ref: \"#a\" cannot be resolved: no such anchor" },
	{ "{'$ref':'#%zz'}", "/$ref: \"#%zz\" cannot be resolved: malformed percent-encoding" },
	{ "{'$ref':'#/title','title':'x'}",
		"/$ref: \"#/title\" cannot be resolved: the pointer does not lead to a schema" },
	{ "{'$ref':'#/~2'}", "/$ref: \"#/~2\" cannot be resolved: the pointer leads nowhere" },
	{ "{'$ref':'http://x.test/a.json'}", "/$ref: \"http://x.test/a.json\" cannot be resolved: no such document" },
	{ "{'$ref':'file:///etc/passwd'}", "/$ref: \"file:///etc/passwd\" cannot be resolved: no such document" },
	{ "{'$dynamicRef':'#a'}", "/$dynamicRef: \"#a\" cannot be resolved: no such anchor" },
	{ "{'$id':1}", "/$id: must be a string" },
	{ "{'$id':'http://x.test/a#b'}", "/$id: must not have a fragment" },
	{ "{'$defs':{'a':{'$id':'http://x.test/a'},'b':{'$id':'http://x.test/a'}}}",
		"/$defs/b/$id: this identifier is used twice" },
	{ "{'$defs':{'a':{'$anchor':'x'},'b':{'$anchor':'x'}}}", "/$defs/b/$anchor: this name is used twice" },
	{ "{'$anchor':'1a'}", "/$anchor: must be a name" },
	{ "{'$anchor':1}", "/$anchor: must be a string" },
	{ "{'$schema':'http://json-schema.org/draft-04/schema#'}", "/$schema: unknown dialect" },
	{ "{'$schema':'https://json-schema.org/draft/2019-09/schema'}", "/$schema: unknown dialect" },
	{ "{'$schema':7}", "/$schema: must be a string" },
	{ "{'$ref':'#'}", "(root): refers to itself without end" },
	{ "{'allOf':[{'$ref':'#'}]}", "/allOf/0: refers to itself without end" },
	{ "{'not':{'$ref':'#'}}", "/not: refers to itself without end" },
	{ "{'$defs':{'a':{'$ref':'#/$defs/b'},'b':{'$ref':'#/$defs/a'}}}", "/$defs/b: refers to itself without end" },
	{ "{" DRAFT_07 ",'items':[1]}", "/items/0: a schema is an object or a boolean" },
	{ "{" DRAFT_07 ",'dependencies':{'a':[1]}}", "/dependencies: \"a\" must be a schema or an array of strings" },
	{ "{" DRAFT_07 ",'$ref':'#'}", "(root): refers to itself without end" },
};

static void check_bad(void)
{
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct schema *s = schema_compile(json(bad[i].schema), NULL, &why);
		bool good = !s && why.status == 422 && strcmp(why.error, "bad_schema") == 0 &&
			strncmp(why.detail, bad[i].detail, strlen(bad[i].detail)) == 0;

		tap_ok(good, "refused: %s: %s", bad[i].schema, s ? "accepted" : why.detail);
		schema_free(s);
	}
}

static const struct {
	const char *schema, *instance;
	int want;
	const char *promise;
} cases[] = {
	{ "{" DRAFT_07 ",'items':[{'type':'string'},{'type':'integer'}],'additionalItems':false}", "['a',1]", 0,
		"draft-07: items by position" },
	{ "{" DRAFT_07 ",'items':[{'type':'string'}],'additionalItems':false}", "['a',1]", -1,
		"draft-07: additionalItems behind the array" },
	{ "{" DRAFT_07 ",'items':{'type':'string'},'additionalItems':false}", "['a','b']", 0,
		"draft-07: additionalItems needs an items array" },
	{ "{" DRAFT_07 ",'additionalItems':false}", "[1]", 0, "draft-07: additionalItems alone means nothing" },
	{ "{" DRAFT_07 ",'definitions':{'a':{'type':'string'}},'properties':{'x':{'$ref':'#/definitions/a'}}}",
		"{'x':1}", -1, "draft-07: definitions" },
	{ "{" DRAFT_07
	  ",'definitions':{'a':{'type':'integer'}},'properties':{'x':{'$ref':'#/definitions/a','maximum':3}}}",
		"{'x':9}", 0, "draft-07: neighbours of $ref are ignored" },
	{ "{" DRAFT_07 ",'definitions':{'a':{'$id':'#n','type':'integer'}},'properties':{'x':{'$ref':'#n'}}}",
		"{'x':'y'}", -1, "draft-07: a fragment in $id is an anchor" },
	{ "{" DRAFT_07 ",'$id':'http://x.test/root.json','definitions':{'a':{'$id':'other.json','type':'integer'}},"
	  "'properties':{'x':{'$ref':'http://x.test/other.json'}}}",
		"{'x':'y'}", -1, "draft-07: $id below is a document of its own" },
	{ "{" DRAFT_07
	  ",'$id':'http://x.test/a/','definitions':{'x':{'$id':'http://x.test/a/foo.json','type':'string'},"
	  "'y':{'$id':'foo.json','type':'number'}},'allOf':[{'$id':'http://x.test/b/','$ref':'foo.json'}]}",
		"'a'", -2, "draft-07: an identifier used twice is refused" },
	{ "{" DRAFT_07
	  ",'$id':'http://x.test/a/','definitions':{'x':{'$id':'http://x.test/b/foo.json','type':'string'},"
	  "'y':{'$id':'foo.json','type':'number'}},'allOf':[{'$id':'http://x.test/b/','$ref':'foo.json'}]}",
		"1", 0, "draft-07: an $id beside $ref does not change the base" },
	{ "{" DRAFT_07 ",'dependencies':{'a':['b'],'c':{'required':['d']}}}", "{'a':1}", -1,
		"draft-07: dependencies by name" },
	{ "{" DRAFT_07 ",'dependencies':{'a':['b'],'c':{'required':['d']}}}", "{'c':1}", -1,
		"draft-07: dependencies by schema" },
	{ "{" DRAFT_07 ",'dependencies':{'a':['b'],'c':false}}", "{'a':1,'b':2}", 0,
		"draft-07: dependencies that hold" },
	{ "{" DRAFT_07 ",'if':{'type':'string'},'then':{'maxLength':1},'else':{'maximum':1}}", "'ab'", -1,
		"draft-07: if and then" },
	{ "{" DRAFT_07 ",'if':{'type':'string'},'then':{'maxLength':1},'else':{'maximum':1}}", "2", -1,
		"draft-07: if and else" },
	{ "{" DRAFT_07 ",'contains':{'type':'integer'},'minContains':0}", "[]", -1,
		"draft-07: minContains is unknown" },
	{ "{" DRAFT_07 ",'unevaluatedProperties':false,'dependentRequired':{'a':['b']},'prefixItems':[false]}",
		"{'a':1}", 0, "draft-07: keywords of later drafts are unknown" },
	{ "{" DRAFT_07 ",'type':'integer'}", "1.0", 0, "draft-07: 1.0 is an integer" },
	{ "{" DRAFT_07 ",'propertyNames':{'maxLength':1}}", "{'ab':1}", -1, "draft-07: propertyNames" },
	{ "{'$schema':'http://json-schema.org/draft-07/schema','items':[false]}", "[1]", -1,
		"draft-07: named without #" },
	{ "{'properties':{'x':{" DRAFT_07 ",'$id':'http://x.test/a','items':[{'type':'string'}]}}}",
		"{'x':[1]}", -1, "a document inside may be of another draft" },
	{ "{'$schema':'https://json-schema.org/draft/2020-12/schema','prefixItems':[{'type':'string'}]}", "[1]", -1,
		"2020-12 named" },
	{ "{'definitions':{'a':{'type':'string'}},'$ref':'#/definitions/a'}", "1", -1,
		"2020-12: definitions are still found" },
	{ "{'x':{'y':[{'type':'string'}]},'$ref':'#/x/y/0'}", "1", -1, "a reference into a place no keyword knows" },
	{ "{'$ref':'https://json-schema.org/draft/2020-12/schema'}",
		"{'type':'object','properties':{'a':{'type':['string','null']}}}", 0,
		"the meta-schema of 2020-12 accepts a schema" },
	{ "{'$ref':'https://json-schema.org/draft/2020-12/schema'}", "{'properties':{'a':{'type':'text'}}}", -1,
		"the meta-schema of 2020-12 refuses what is none" },
	{ "{'$ref':'http://json-schema.org/draft-07/schema#'}", "{'properties':{'a':{'items':[{'type':'string'}]}}}", 0,
		"the meta-schema of draft-07 accepts a schema" },
	{ "{'$ref':'http://json-schema.org/draft-07/schema#'}", "{'properties':{'a':{'minLength':-1}}}", -1,
		"the meta-schema of draft-07 refuses what is none" },
	{ "{'$ref':'https://json-schema.org/draft/2020-12/meta/validation#/$defs/nonNegativeInteger'}", "-1", -1,
		"a reference into a vocabulary's meta-schema" },
	{ "{'const':18446744073709551616}", "18446744073709551617", -1, "integers beyond 64 bits are told apart" },
	{ "{'maximum':18446744073709551616}", "18446744073709551617", -1, "integers beyond 64 bits are compared" },
	{ "{'multipleOf':0.01}", "19.99", 0, "19.99 is a multiple of 0.01" },
	{ "{'multipleOf':0.01}", "19.999", -1, "19.999 is none of 0.01" },
	{ "{'maxLength':2}", "'\u00e9\U0001f600'", 0, "lengths count characters, not bytes" },
	{ "{'uniqueItems':true}", "[1,1.0]", -1, "1 and 1.0 are equal items" },
	{ "{'uniqueItems':true}", "[1,true,'1',[1],{'a':1},null,false,0]", 0,
		"values of different types are different items" },
	{ "{'format':'email'}", "'no'", 0, "format is an annotation only" },
	{ "{'required':['a\\u0000b']}", "{'a':1}", -1, "a name with NUL in it is not its beginning" },
	{ "{'anyOf':[{'$ref':'#'},{'type':'string'}]}", "'a'", -1, "a way round through anyOf ends with an error" },
	{ "{'if':{'$ref':'#'}}", "'a'", -1, "a way round through if ends with an error" },
	{ "{'not':{'anyOf':[{'$ref':'#'}]}}", "'a'", -1, "not does not turn a bound into success" },
	{ "{'$dynamicAnchor':'x','anyOf':[{'$dynamicRef':'#x'}]}", "1", -1,
		"a way round through $dynamicRef ends with an error" },
	{ "{'properties':{'a':{'$ref':'#'}},'additionalProperties':false}", "{'a':{'a':{'a':{}}}}", 0,
		"recursion that makes progress is fine" },
	{ "{'properties':{'a':{'$ref':'#'}},'additionalProperties':false}", "{'a':{'a':{'b':{}}}}", -1,
		"and finds what is wrong below" },
	{ "true", "1", 0, "true allows everything" },
	{ "false", "null", -1, "false allows nothing, not even null" },
	{ "{'pattern':'^(a+)+$'}", "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!'", -1,
		"catastrophic backtracking is an error" },
	{ "{'not':{'pattern':'^(a+)+$'}}", "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!'", -1, "even below not" },
};

static void check_cases(void)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		int r = check(cases[i].schema, cases[i].instance);

		tap_ok(r == cases[i].want, "%s", cases[i].promise);
		if (r != cases[i].want)
			tap_diag("%s: %s", cases[i].schema, why.detail);
	}
}

/* A chain of references: `nested` evaluations in all. */
static const char *chain(size_t nested)
{
	struct buf b = BUF_ARENA(arena);

	buf_puts(&b, "{'$ref':'#/$defs/d2','$defs':{");
	for (size_t i = 2; i < nested; i++)
		buf_printf(&b, "'d%zu':{'$ref':'#/$defs/d%zu'},", i, i + 1);
	buf_printf(&b, "'d%zu':{'type':'integer'}}}", nested);
	return buf_text(&b);
}

/* The same, each reference in a list beside something that counts. */
static const char *chain_of_members(size_t nested)
{
	struct buf b = BUF_ARENA(arena);

	buf_puts(&b, "{'anyOf':[{'$ref':'#/$defs/d2','minimum':0}],'$defs':{");
	for (size_t i = 2; i < nested / 2; i++)
		buf_printf(&b, "'d%zu':{'anyOf':[{'$ref':'#/$defs/d%zu','minimum':0}]},", i, i + 1);
	buf_printf(&b, "'d%zu':{'type':'integer'}}}", nested / 2);
	return buf_text(&b);
}

static void check_depth(void)
{
	tap_is_int(check(chain(SCHEMA_DEPTH_MAX - 1), "1"), 0, "one below the depth limit");
	tap_is_int(check(chain(SCHEMA_DEPTH_MAX), "1"), 0, "at the depth limit");
	tap_is_int(check(chain(SCHEMA_DEPTH_MAX + 1), "1"), -1, "one above the depth limit");
	tap_is_str(strstr(why.detail, "are nested here") ? "says so" : why.detail, "says so", "and the error says so");
	for (int d = -1; d <= 1; d++) {
		struct json_object *o = json_tokener_parse("{}"), *inner = NULL, *put = o;
		struct schema *s;

		/* Built by hand, since json_parse refuses it before we can. */
		for (int i = 1; i < JSON_DEPTH_MAX + d; i++) {
			inner = json_object_new_object();
			json_object_object_add(put, "const", inner);
			put = inner;
		}
		s = schema_compile(o, NULL, &why);
		tap_ok(d > 0 ? !s && strstr(why.detail, "nested too deep") : !!s, "a schema nested %d deep",
			JSON_DEPTH_MAX + d);
		schema_free(s);
		json_object_put(o);
	}
}

static char *integers(size_t n)
{
	return repeated("[1", ",1", n - 1, "]");
}

/* Two steps an item, two for the root and its `items`, one for each other keyword. */
static void check_steps(void)
{
	size_t n = (SCHEMA_STEPS_MAX - 2) / 2;

	tap_is_int(
		check("{'items':{'type':'integer'},'minItems':1}", integers(n - 1)), 0, "one below the limit of steps");
	tap_is_int(check("{'items':{'type':'integer'}}", integers(n)), 0, "at the limit of steps");
	tap_is_int(check("{'items':{'type':'integer'},'minItems':1}", integers(n)), -1, "one above the limit of steps");
	tap_ok(strstr(why.detail, "steps"), "and the error says so: %s", why.detail);
	tap_is_int(check("{'not':{'items':{'type':'integer'},'minItems':1}}", integers(n)), -1,
		"not does not turn that into success");
	tap_is_int(check("{'uniqueItems':true}", repeated("[1", ",1", 30000, "]")), -1, "many equal items");
	tap_is_int(
		check("{'$ref':'#/$defs/a','$defs':{"
			 "'a':{'anyOf':[{'$ref':'#/$defs/b'},{'$ref':'#/$defs/b'},{'$ref':'#/$defs/b'}]},"
		      "'b':{'anyOf':[{'$ref':'#/$defs/c'},{'$ref':'#/$defs/c'},{'$ref':'#/$defs/c'}]},"
		      "'c':{'anyOf':[{'$ref':'#/$defs/d'},{'$ref':'#/$defs/d'},{'$ref':'#/$defs/d'}]},"
		      "'d':{'anyOf':[{'$ref':'#/$defs/e'},{'$ref':'#/$defs/e'},{'$ref':'#/$defs/e'}]},"
		      "'e':{'items':{'items':{'items':false}}}}}",
			repeated("[", "[[1]],", 1000, "[[1]]]")),
		-1, "alternatives that multiply end with an error");
}

static size_t errors_of(const char *schema, const char *instance)
{
	if (check(schema, instance) == 0 || !why.extra)
		return 0;
	return json_object_array_length(json_get(why.extra, "errors"));
}

static void check_errors_bound(void)
{
	for (int d = -1; d <= 1; d++) {
		size_t n = (size_t)(SCHEMA_ERRORS_MAX + d);

		tap_is_int((int64_t)errors_of("{'items':{'type':'string'}}", integers(n)),
			d > 0 ? SCHEMA_ERRORS_MAX : (int64_t)n, "errors reported, around the bound");
	}
	tap_is_int((int64_t)errors_of("{'items':{'type':'string'}}", integers(10000)), SCHEMA_ERRORS_MAX,
		"no more for a long array");
}

static void check_nodes(void)
{
	for (int d = -1; d <= 1; d++) {
		const char *text = repeated("{'anyOf':[{}", ",{}", (size_t)(SCHEMA_NODES_MAX + d - 2), "]}");
		struct schema *s = schema_compile(json(text), NULL, &why);

		tap_ok(d > 0 ? !s && strstr(why.detail, "too many subschemas") : !!s, "%d subschemas",
			SCHEMA_NODES_MAX + d);
		schema_free(s);
	}
	tap_is_int(
		check(repeated("{'allOf':[{'pattern':'x{60}'}", ",{'pattern':'(?:x{30}y{30}z{30}){40}'}", 1000, "]}"),
			"1"),
		-2, "regular expressions that take too much memory together");
}

/* The error at `index` as "path keyword message". */
static const char *error_text(size_t index)
{
	struct json_object *e = json_object_array_get_idx(json_get(why.extra, "errors"), index);

	return e ? arena_printf(arena, "%s %s %s", json_str(json_get(e, "path")).p, json_str(json_get(e, "keyword")).p,
				json_str(json_get(e, "message")).p) : NULL;
}

static const struct {
	const char *schema, *instance, *error;
} errors[] = {
	{ "{'properties':{'a':{'items':{'type':'integer'}}}}", "{'a':[1,'x']}", "/a/1 type must be of type integer" },
	{ "{'properties':{'a/b~c':{'type':['string','null']}}}", "{'a/b~c':1}",
		"/a~1b~0c type must be of type null or string" },
	{ "{'type':'object'}", "1", " type must be of type object" },
	{ "{'required':['name']}", "{}", " required \"name\" is missing" },
	{ "{'additionalProperties':false}", "{'x':1}", "/x additionalProperties is not allowed" },
	{ "{'unevaluatedProperties':false,'properties':{'a':true}}", "{'a':1,'x':1}",
		"/x unevaluatedProperties is not allowed" },
	{ "{'prefixItems':[true],'items':false}", "[1,2]", "/1 items is not allowed" },
	{ "false", "1", " false is not allowed" },
	{ "{'minimum':1.50}", "1", " minimum must be at least 1.50" },
	{ "{'exclusiveMaximum':3}", "3", " exclusiveMaximum must be below 3" },
	{ "{'multipleOf':0.1}", "0.15", " multipleOf must be a multiple of 0.1" },
	{ "{'enum':[1,2]}", "3", " enum is none of the 2 values allowed" },
	{ "{'const':1}", "3", " const is not the one value allowed" },
	{ "{'maxLength':1}", "'\u00e9\u00e9'", " maxLength must have at most 1 characters, has 2" },
	{ "{'pattern':'^a'}", "'b'", " pattern does not match the pattern ^a" },
	{ "{'oneOf':[{'minimum':1},{'minimum':2}]}", "3",
		" oneOf matches the alternatives 0 and 1 (from 0), exactly one must hold" },
	{ "{'anyOf':[{'minimum':1},{'minimum':2}]}", "0", " anyOf matches none of the 2 alternatives" },
	{ "{'not':{}}", "0", " not matches what it must not" },
	{ "{'propertyNames':{'maxLength':1}}", "{'ab':1}", " propertyNames the name \"ab\" is not allowed" },
	{ "{'dependentRequired':{'a':['b']}}", "{'a':1}", " dependentRequired \"b\" is missing, which \"a\" needs" },
	{ "{'uniqueItems':true}", "[0,'a','a']", " uniqueItems items 1 and 2 are equal" },
	{ "{'contains':{'type':'string'},'minContains':2}", "['a']",
		" contains must contain at least 2 matching items, has 1" },
	{ "{'properties':{'a':{'$ref':'#/$defs/x'}},'$defs':{'x':{'allOf':[{'type':'string'}]}}}", "{'a':1}",
		"/a type must be of type string" },
};

static void check_errors(void)
{
	struct json_object *o;

	for (size_t i = 0; i < COUNT(errors); i++) {
		check(errors[i].schema, errors[i].instance);
		tap_is_str(error_text(0), errors[i].error, errors[i].error);
	}
	check("{'properties':{'a':{'type':'string'},'b':{'minimum':5}},'required':['c']}", "{'a':1,'b':2}");
	tap_ok(why.status == 422 && strcmp(why.error, "args_invalid") == 0, "an invalid instance is 422 args_invalid");
	tap_is_str(why.detail, "(root): \"c\" is missing", "the detail is the first error");
	tap_is_str(error_text(1), "/a type must be of type string", "all errors are reported");
	tap_is_str(error_text(2), "/b minimum must be at least 5", "to the last");
	o = json("{'type':1}");
	tap_ok(schema_compile(o, NULL, NULL) == NULL, "a caller need not want to know why");
	check(arena_printf(arena, "{'properties':{'%s':{'type':'string'}}}", repeated("", "\u00e9", 3000, "")),
	      arena_printf(arena, "{'%s':1}", repeated("", "\u00e9", 3000, "")));
	tap_ok(json_str(json_get(json_object_array_get_idx(json_get(why.extra, "errors"), 0), "path")).n <= 1024,
		"a very long path is cut");
}

static const struct {
	const char *schema, *plain;
} plains[] = {
	{ "true", "true" },
	{ "{'$schema':'https://json-schema.org/draft/2020-12/schema','$id':'http://x.test/a','$comment':'c','type':"
	  "'object','x-strict':true,'default':{'$ref':'#'},'$defs':{}}",
		"{'type':'object','default':{'$ref':'#'}}" },
	{ "{'properties':{'b':{'$ref':'#/$defs/x'},'a':true},'required':['b'],'$defs':{'x':{'enum':['$ref',1.50]}}}",
		"{'properties':{'b':{'enum':['$ref',1.50]},'a':true},'required':['b']}" },
	{ "{'properties':{'a':{'$ref':'#x','description':'mine'}},'$defs':{'x':{'$anchor':'x','type':'string',"
	  "'description':'its','title':'t'}}}",
		"{'properties':{'a':{'description':'mine','type':'string','title':'t'}}}" },
	{ "{'properties':{'a':{'$ref':'#/$defs/x','minLength':2}},'$defs':{'x':{'type':'string'}}}",
		"{'properties':{'a':{'minLength':2,'allOf':[{'type':'string'}]}}}" },
	{ "{'allOf':[{'minProperties':1}],'$ref':'#/$defs/x','$defs':{'x':{'$ref':'#/$defs/y'},"
	  "'y':{'maxProperties':2}}}",
		"{'allOf':[{'maxProperties':2},{'minProperties':1}]}" },
	{ "{'$ref':'#/$defs/a','title':'t','$defs':{'a':{'allOf':[{'type':'object'}],'properties':{}}}}",
		"{'title':'t','properties':{},'allOf':[{'type':'object'}]}" },
	{ "{'$ref':'#/$defs/a','title':'t','$defs':{'a':false}}", "{'title':'t','allOf':[false]}" },
	{ "{'properties':{'a':{'$ref':'#/$defs/x'},'b':{'$ref':'#/$defs/x'}},'$defs':{'x':{'type':'null'}}}",
		"{'properties':{'a':{'type':'null'},'b':{'type':'null'}}}" },
	{ "{'items':{'$dynamicRef':'#/$defs/x'},'$defs':{'x':{'type':'null'}}}", "{'items':{'type':'null'}}" },
	{ "{" DRAFT_07 ",'items':[true,{'$ref':'#/definitions/x','maximum':3}],'additionalItems':false,"
	  "'definitions':{'x':{'type':'integer'}}}",
		"{'prefixItems':[true,{'type':'integer'}],'items':false}" },
	{ "{" DRAFT_07 ",'items':{'type':'integer'},'additionalItems':false,'$defs':[],'prefixItems':1}",
		"{'items':{'type':'integer'}}" },
	{ "{" DRAFT_07 ",'dependencies':{'a':['b'],'c':{'required':['d']}}}",
		"{'dependentRequired':{'a':['b']},'dependentSchemas':{'c':{'required':['d']}}}" },
	{ "{'properties':{'a':{'properties':{'b':{'$ref':'#'}}}}}", "/properties/a/properties/b: refers to" },
	{ "{'properties':{'a':{'$ref':'#','description':'d'}}}", "/properties/a: refers to" },
	{ "{'anyOf':[{'$ref':'#/$defs/t'}],'$defs':{'t':{'items':{'$ref':'#/$defs/t'}}}}",
		"/$defs/t/items: refers to" },
	{ "{'$dynamicAnchor':'x','properties':{'a':{'$dynamicRef':'#x'}}}", "/properties/a: $dynamicRef" },
	{ "{'properties':{'a':{'$ref':'https://json-schema.org/draft/2020-12/schema'}}}",
		"https://json-schema.org/draft/2020-12/" },
};

/* schema written out, or why not; with ' for ". */
static const char *plain(const char *schema)
{
	struct schema *s = compile(schema);
	struct buf out = BUF_ARENA(arena);
	const char *text = schema_plain(s, &out, &why) == 0 ? buf_text(&out) : why.detail;
	char *copy = arena_strdup(arena, text);

	for (char *p = copy; *p; p++)
		if (*p == '"')
			*p = '\'';
	schema_free(s);
	return copy;
}

static void check_plain(void)
{
	struct buf bomb = BUF_ARENA(arena);

	for (size_t i = 0; i < COUNT(plains); i++) {
		const char *got = plain(plains[i].schema);

		if (plains[i].plain[0] == '{' || plains[i].plain[0] == 't')
			tap_is_str(got, plains[i].plain, plains[i].plain);
		else
			tap_ok(strstr(got, plains[i].plain) != NULL, "refused: %s: %s", plains[i].schema, got);
	}
	for (int d = -1; d <= 1; d++) {
		size_t text = (size_t)(SCHEMA_PLAIN_MAX + d) - strlen("{'title':''}");
		size_t n = (size_t)(JSON_DEPTH_MAX + d) - 40;
		const char *large = plain(repeated("{'title':'", "x", text, "'}")),
			   *deep = plain(arena_printf(arena, "{'$defs':{'d':%s%s},%s%s}",
				   repeated("", "{'items':", n - 1, "{}"), repeated("", "}", n - 1, ""),
				   repeated("", "'items':{", 40, "'$ref':'#/$defs/d'"), repeated("", "}", 40, "")));

		tap_ok(d > 0 ? strstr(large, "too large") != NULL : large[0] == '{', "written out in %d bytes: %.60s",
			SCHEMA_PLAIN_MAX + d, large);
		tap_ok(d > 0 ? strstr(deep, "too deep") != NULL : deep[0] == '{', "written out %d deep: %.60s",
			JSON_DEPTH_MAX + d, deep);
		deep = plain(chain((size_t)(SCHEMA_DEPTH_MAX + d)));
		tap_ok(d > 0 ? strstr(deep, "too deep") != NULL : deep[0] == '{', "a chain of %d references",
			SCHEMA_DEPTH_MAX + d);
	}
	buf_printf(&bomb, "{'$ref':'#/$defs/a','$defs':{");
	for (char c = 'a'; c < 'z'; c++)
		buf_printf(&bomb, "'%c':{'prefixItems':[{'$ref':'#/$defs/%c'},{'$ref':'#/$defs/%c'}]},", c, c + 1,
			   c + 1);
	buf_puts(&bomb, "'z':{}}}");
	tap_ok(strstr(plain(buf_text(&bomb)), "too large") != NULL, "references that multiply end at the bound");
}

static const struct {
	const char *schema, *before, *after, *promise;
} defaults[] = {
	{ "{'properties':{'a':{'default':1},'b':{'default':2}}}", "{'b':3}", "{'b':3,'a':1}",
		"absent members get defaults, present ones stay" },
	{ "{'properties':{'a':{'default':null}}}", "{}", "{'a':null}", "null is a default" },
	{ "{'properties':{'a':{'default':1}}}", "{'a':null}", "{'a':null}", "null is a value" },
	{ "{'properties':{'a':{'properties':{'b':{'default':1}}}}}", "{'a':{}}", "{'a':{'b':1}}",
		"nested objects get theirs" },
	{ "{'properties':{'a':{'properties':{'b':{'default':1}}}}}", "{}", "{}",
		"an absent object without default stays absent" },
	{ "{'properties':{'a':{'default':{},'properties':{'b':{'default':1}}}}}", "{}", "{'a':{'b':1}}",
		"a default object gets its own" },
	{ "{'$ref':'#/$defs/x','$defs':{'x':{'properties':{'a':{'default':1}}}}}", "{}", "{'a':1}", "through $ref" },
	{ "{'properties':{'a':{'$ref':'#/$defs/x'}},'$defs':{'x':{'default':7}}}", "{}", "{'a':7}",
		"the default behind a $ref" },
	{ "{'properties':{'a':{'$ref':'#/$defs/x','default':8}},'$defs':{'x':{'default':7}}}", "{}", "{'a':8}",
		"the nearer default counts" },
	{ "{" DRAFT_07 ",'properties':{'a':{'$ref':'#/definitions/x','default':8}},'definitions':{'x':{'default':7}}}",
		"{}", "{'a':7}", "draft-07: a default beside $ref is ignored" },
	{ "{'allOf':[{'properties':{'a':{'default':1}}},{'properties':{'b':{'allOf':[{},{'default':2}]}}}]}", "{}",
		"{'a':1,'b':2}", "through allOf" },
	{ "{'anyOf':[{'properties':{'a':{'default':1}}}],'if':{'properties':{'a':{'default':1}}}}", "{}", "{}",
		"not through what may not apply" },
	{ "{'properties':{'a':{'default':1}}}", "[]", "[]", "what is no object stays as it is" },
	{ "{'properties':{'a':{'default':1.50}}}", "{}", "{'a':1.50}", "numbers keep their text" },
};

static void check_defaults(void)
{
	struct schema *s;
	struct json_object *o, *shared;

	for (size_t i = 0; i < COUNT(defaults); i++) {
		struct buf got = BUF_ARENA(arena), want = BUF_ARENA(arena);

		s = compile(defaults[i].schema);
		o = json(defaults[i].before);
		schema_defaults(s, o);
		json_text(&got, o);
		json_text(&want, json(defaults[i].after));
		tap_is_str(buf_text(&got), buf_text(&want), defaults[i].promise);
		schema_free(s);
	}
	shared = json("{'properties':{'a':{'default':{'x':[1]}}}}");
	s = schema_compile(shared, NULL, &why);
	o = json("{}");
	schema_defaults(s, o);
	json_put_int(json_get(o, "a"), "x", 5);
	tap_is_str(json_object_to_json_string_ext(shared, JSON_C_TO_STRING_PLAIN),
		"{\"properties\":{\"a\":{\"default\":{\"x\":[1]}}}}", "a default put in is a copy");
	schema_free(s);
	s = compile("{'properties':{'l':{'default':{},'$ref':'#'},'r':{'default':{},'$ref':'#'}}}");
	o = json("{}");
	schema_defaults(s, o);
	tap_ok(json_object_object_length(o) > 0, "defaults that multiply end at a bound");
	schema_free(s);
	s = compile("true");
	schema_defaults(s, NULL);
	schema_free(s);
}

static void check_registry(void)
{
	struct schema_registry *r = schema_registry_new();
	struct schema *s;

	schema_registry_add(r, "http://x.test/s/a.json#",
		json("{'properties':{'b':{'$ref':'b.json'}},'$defs':{'n':{'$anchor':'n','type':'null'}}}"));
	schema_registry_add(r, "http://x.test/s/b.json", json("{'$id':'http://y.test/own','type':'string'}"));
	schema_registry_add(r, "http://x.test/bad.json", json("{'properties':{'b':{'type':7}}}"));
	schema_registry_add(r, "http://x.test/dialect",
		json("{'$schema':'https://json-schema.org/draft/2020-12/schema',"
		     "'$vocabulary':{'http://x.test/unknown':true}}"));
	s = schema_compile(json("{'$id':'http://x.test/s/root.json','$ref':'a.json'}"), r, &why);
	tap_ok(s && schema_validate(s, arena, json("{'b':1}"), &why) < 0,
		"relative references lead through the registry");
	schema_free(s);
	s = schema_compile(json("{'$ref':'http://x.test/s/a.json#n'}"), r, &why);
	tap_ok(s && schema_validate(s, arena, json("1"), &why) < 0 && schema_validate(s, arena, NULL, &why) == 0,
		"anchors of registered documents");
	schema_free(s);
	s = schema_compile(json("{'anyOf':[{'$ref':'http://y.test/own'},{'$ref':'http://x.test/s/b.json'}]}"), r, &why);
	tap_ok(s && schema_validate(s, arena, json("'a'"), &why) == 0,
		"a document is found under its $id and its address");
	schema_free(s);
	s = schema_compile(json("{'$ref':'http://x.test/bad.json'}"), r, &why);
	tap_ok(!s && strncmp(why.detail, "http://x.test/bad.json#/properties/b/type: ", 43) == 0,
		"an error names the document: %s", why.detail);
	s = schema_compile(json("{'$schema':'http://x.test/dialect'}"), r, &why);
	tap_ok(!s && strstr(why.detail, "vocabulary"), "a vocabulary that is required and unknown is refused");
	schema_registry_free(r);
}

static void check_many_members(void)
{
	struct buf schema = BUF_ARENA(arena), instance = BUF_ARENA(arena);

	buf_puts(&schema, "{'unevaluatedProperties':false,'anyOf':[{'properties':{'z':true");
	buf_puts(&instance, "{'z':1");
	for (int i = 0; i < 200; i++) {
		buf_printf(&schema, ",'m%d':true", i);
		buf_printf(&instance, ",'m%d':1", i);
	}
	buf_puts(&schema, "}}]}");
	tap_is_int(check(buf_text(&schema), arena_printf(arena, "%s}", buf_text(&instance))), 0,
		"200 members are evaluated through anyOf");
	tap_is_int(check(buf_text(&schema), arena_printf(arena, "%s,'x':1}", buf_text(&instance))), -1,
		"and the one too many is found");
	tap_is_int(check("{'uniqueItems':true}", "[1,2,3,{'a':[1,2]},{'a':[2,1]}]"), 0, "unique items of all kinds");
	buf_clear(&instance);
	buf_puts(&instance, "[0");
	for (int i = 1; i < 20000; i++)
		buf_printf(&instance, ",%d", i);
	tap_is_int(check("{'uniqueItems':true}", arena_printf(arena, "%s]", buf_text(&instance))), 0,
		"20000 different numbers");
	tap_is_int(check("{'uniqueItems':true}", arena_printf(arena, "%s,7.0]", buf_text(&instance))), -1,
		"and one of them again");
}

enum { STACK = 512 * 1024, PAINT = 0xA5, PARTS = 6 };

struct job {
	struct schema *schema;
	struct json_object *document, *instance;
	int result;
};

static void *run_nothing(void *arg)
{
	return arg;
}

static void *run_validate(void *arg)
{
	struct job *j = arg;

	j->result = schema_validate(j->schema, arena, j->instance, &why);
	return NULL;
}

static void *run_plain(void *arg)
{
	struct job *j = arg;
	struct buf out = BUF_MALLOC;

	j->result = schema_plain(j->schema, &out, NULL);
	buf_free(&out);
	return NULL;
}

static void *run_defaults(void *arg)
{
	struct job *j = arg;

	schema_defaults(j->schema, j->instance);
	return NULL;
}

static void *run_compile(void *arg)
{
	struct job *j = arg;

	j->schema = schema_compile(j->document, NULL, &why);
	return NULL;
}

/* Through the file system, since checkers of memory accesses object to reading below a stack. */
static size_t untouched_of(const unsigned char *stack)
{
	unsigned char *copy = mem_alloc(STACK);
	int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	size_t n = 0;

	if (fd < 0 || pread(fd, copy, STACK, (off_t)(uintptr_t)stack) != STACK)
		tap_ok(false, "the test reads its own memory");
	while (n < STACK && copy[n] == PAINT)
		n++;
	close(fd);
	free(copy);
	return n;
}

/* Bytes of stack that fn touched. */
static size_t stack_of(void *(*fn)(void *), struct job *j)
{
	unsigned char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;
	size_t untouched;

	memset(stack, PAINT, STACK);
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, stack, STACK);
	if (pthread_create(&thread, &attr, fn, j) == 0)
		pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	untouched = untouched_of(stack);
	munmap(stack, STACK);
	return STACK - untouched;
}

/* A value nested as deep as a schema may hold it where hungry() puts it. */
static const char *deep_value(void)
{
	return arena_printf(
		arena, "%s%s", repeated("", "[", JSON_DEPTH_MAX - 4, ""), repeated("", "]", JSON_DEPTH_MAX - 4, ""));
}

/* The hungriest way through the evaluation that we know: alternatives with unevaluatedItems inside alternatives, and a
 * comparison. */
static const char *hungry(void)
{
	struct buf b = BUF_ARENA(arena);
	const char *open = repeated("", "{'unevaluatedItems':true,'anyOf':[", 15, ""),
		   *close = repeated("", "]}", 15, "");

	buf_puts(&b, "{'$ref':'#/$defs/d0','$defs':{");
	for (int i = 0; i < 10; i++)
		buf_printf(&b, "'d%d':{'enum':[%s],'allOf':[%s{'$ref':'#/$defs/d%d'}%s]},", i, deep_value(), open,
			i + 1, close);
	buf_puts(&b, "'d10':{}}}");
	return buf_text(&b);
}

/* The same by way of members. */
static const char members[] =
	"{'$ref':'#/$defs/a','$defs':{"
	"'a':{'unevaluatedProperties':false,'patternProperties':{'^x':{'$ref':'#/$defs/a'}},"
	"'anyOf':[{'if':{'propertyNames':{'pattern':'x'}},'then':{'dependentSchemas':{'x':{'$ref':'#/$defs/b'}}}}]},"
	"'b':{'oneOf':[{'additionalProperties':{'$ref':'#/$defs/a'},'uniqueItems':true}]}}}";

static void check_stack(void)
{
	static const struct {
		const char *name;
		size_t most;
	} parts[] = { { "validating nested alternatives", 48 * 1024 }, { "validating nested members", 40 * 1024 },
		{ "validating a chain of references", 20 * 1024 }, { "filling in defaults", 16 * 1024 },
		{ "writing out", 40 * 1024 }, { "compiling", 48 * 1024 } };
	char *deep = repeated("", "{'x':", JSON_DEPTH_MAX - 1, "1"), *close = repeated("", "}", JSON_DEPTH_MAX - 1, "");
	char *open = repeated("", "(", 24, "[a-z]"), *shut = repeated("", "+)", 24, "");
	struct job j[PARTS] = {
		{ .schema = compile(hungry()), .instance = json(deep_value()) },
		{ .schema = compile(members), .instance = json(arena_printf(arena, "%s%s", deep, close)) },
		{ .schema = compile(chain(SCHEMA_DEPTH_MAX)), .instance = json("1") },
		{ .schema = compile("{'properties':{'l':{'default':{},'$ref':'#'}}}"), .instance = json("{}") },
		{ .schema = compile(chain_of_members(SCHEMA_DEPTH_MAX)) },
		{ .document = json(arena_printf(arena, "{'pattern':'%s%s','const':%s%s}", open, shut,
			  repeated("", "[", JSON_DEPTH_MAX - 1, ""), repeated("", "]", JSON_DEPTH_MAX - 1, ""))) },
	};
	void *(*const run[PARTS])(void *) = { run_validate, run_validate, run_validate, run_defaults, run_plain,
		run_compile };
	size_t nothing = stack_of(run_nothing, NULL);
	bool compiled = false;

	for (int i = 0; i < PARTS; i++) {
		size_t n = stack_of(run[i], &j[i]) - nothing;

		tap_diag("%s takes %zu bytes of stack", parts[i].name, n);
#ifndef __SANITIZE_ADDRESS__
		tap_ok(n <= parts[i].most, "%s takes at most %zu bytes of stack", parts[i].name, parts[i].most);
#endif
		compiled = j[i].schema != NULL;
		schema_free(j[i].schema);
	}
	tap_ok(j[0].result == -1 && j[1].result == -1, "the depth limit was reached");
	tap_is_int(j[4].result, -1, "what is written out became too deep");
	tap_ok(compiled, "the pattern was compiled: %s", why.detail);
}

int main(void)
{
	arena = arena_new();
	check_bad();
	check_cases();
	check_depth();
	check_steps();
	check_errors_bound();
	check_nodes();
	check_errors();
	check_plain();
	check_defaults();
	check_registry();
	check_many_members();
	check_stack();
	arena_free(arena);
	return tap_done();
}
