/* import/openapi.c: documents after the structure of public ones as rows. t/api/73-import.t calls them. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fixture.h"
#include "import/openapi.h"

static struct problem why;
static struct openapi_wishes wishes;

static int convert_text(struct str text)
{
	struct json_object *document;

	why = (struct problem){ 0 };
	draft_init(&d, arena);
	if (openapi_read(arena, text, &document, &why) < 0)
		return -1;
	return openapi_convert(&d, document, &wishes, &why);
}

/* A document of t/openapi, at example.org. */
static int convert(const char *name)
{
	const char *folder = getenv("srcdir");
	struct buf b = BUF_MALLOC, text;
	char *at;
	int fd;
	ssize_t n;

	arena_reset(arena);
	text = BUF_ARENA(arena);
	buf_printf(&b, "%s/t/openapi/%s", folder ? folder : ".", name);
	fd = open(buf_text(&b), O_RDONLY);
	buf_clear(&b);
	buf_reserve(&b, 1 << 20);
	while ((n = read(fd, b.data + b.len, b.cap - b.len - 1)) > 0)
		b.len += (size_t)n;
	close(fd);
	buf_text(&b);
	for (char *from = b.data; from; from = at ? at + 8 : NULL) {
		at = strstr(from, "UPSTREAM");
		buf_add(&text, from, at ? (size_t)(at - from) : strlen(from));
		if (at)
			buf_puts(&text, "example.org");
	}
	buf_free(&b);
	return convert_text(buf_str(&text));
}

static struct json_object *row(const char *key)
{
	for (size_t i = 0; i < json_object_array_length(d.rows); i++)
		if (str_is(json_str(json_get(json_object_array_get_idx(d.rows, i), "key")), key))
			return json_object_array_get_idx(d.rows, i);
	return NULL;
}

static const char *column(const char *key, const char *name)
{
	struct json_object *o = json_get(row(key), name);

	return json_object_is_type(o, json_type_string) || !o ? json_object_get_string(o) : text_of(o);
}

static const char *property(const char *key, const char *name)
{
	return text_of(json_get(json_get(json_get(row(key), "input_schema"), "properties"), name));
}

static bool has(const char *text, const char *part)
{
	if (text && strstr(text, part))
		return true;
	tap_diag("%s: not in: %s", part, text ? text : "(null)");
	return false;
}

static void petstore(void)
{
	tap_is_int(convert("petstore.json"), 0, "a pet store of 3.0 is read");
	tap_is_int((int64_t)json_object_array_length(d.rows), 6, "its operations are rows, all but one");
	tap_ok(has(text_of(d.notes), "{\"at\":\"POST /pets/{petId}/photo\",\"what\":\"its body has no form that a row can send (JSON, a form, text)\",\"lost\":true}"), "a multipart body is reported");
	tap_is_str(column("LIST_PETS", "target"), "GET http://example.org/echo/v1/pets", "optional parameters are not in the URL");
	tap_is_str(property("LIST_PETS", "limit"), "{\"type\":\"integer\",\"format\":\"int32\",\"minimum\":1,\"maximum\":100,\"description\":\"How many at once\",\"x-in\":\"query:limit\"}", "but have a place");
	tap_is_str(column("LIST_PETS", "content"), "# WHAT: List all pets\n# WHEN_TO_USE: Pages through every pet of the store. Newest first.\n# ARGS: $1=limit | $2=tags\n"
		   "# EX: [LIST_PETS][/LIST_PETS]\n# OUTPUT: A page of pets\n# SAFE: yes\n# IDEMPOTENT: yes", "the docstring");
	tap_is_str(column("SHOW_PET_BY_ID", "target"), "GET http://example.org/echo/v1/pets/$1", "a path parameter is a slot");
	tap_is_str(column("SHOW_PET_BY_ID", "examples"), "[\"p42\"]", "with its example");
	tap_is_str(column("SHOW_PET_BY_ID", "category"), "pet", "the tag is the category");
	tap_is_str(property("CREATE_PET", "body"), "{\"allOf\":[{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"minLength\":1},"
		   "\"owner\":{\"type\":[\"object\",\"null\"],\"properties\":{\"email\":{\"type\":\"string\",\"format\":\"email\"}}}},\"required\":[\"name\"]},"
		   "{\"type\":\"object\",\"properties\":{\"breed\":{\"type\":\"string\",\"enum\":[\"collie\",\"pug\"]}},\"required\":[\"breed\"]}],\"x-in\":\"json\"}",
		   "a body: allOf, references, nullable; without what is read only");
	tap_is_str(column("CREATE_PET", "examples"), "[\"{\\\"name\\\":\\\"Rex\\\",\\\"breed\\\":\\\"collie\\\",\\\"owner\\\":null}\"]", "with the document's example");
	tap_ok(has(property("UPDATE_PET", "body"), "\"x-in\":\"json:application/merge-patch+json\""), "another JSON media type");
	tap_ok(has(property("PLACE_ORDER", "body"), "\"x-in\":\"form\""), "a form");
	tap_is_str(column("PLACE_ORDER", "examples"), "[\"{\\\"petId\\\":7,\\\"quantity\\\":1}\"]", "an example made from the schema");
	tap_ok(has(column("DELETE_PET", "content"), "deprecated"), "a deprecated operation says so");
	tap_ok(has(column("DELETE_PET", "content"), "# SAFE: no\n# IDEMPOTENT: yes"), "SAFE and IDEMPOTENT by the method");
	tap_is_int((int64_t)invalid(), 0, "every row is one that the API takes");
}

static void events(void)
{
	tap_is_int(convert("events.json"), 0, "a document of 3.1 is read");
	tap_is_str(column("EVENTS_LIST", "target"), "GET http://example.org/echo/events", "servers have variables");
	tap_is_str(column("EVENTS_LIST", "auth"), "bearer:EXAMPLE_TOKEN", "a bearer token by name");
	tap_ok(has(property("EVENTS_LIST", "since"), "\"type\":[\"string\",\"null\"]"), "type arrays");
	tap_is_str(column("EVENTS_LIST", "examples"), "[\"|push\"]", "the example has required arguments at their places");
	tap_is_str(column("EVENTS_GET", "target"), "GET http://example.org/echo/events/$1", "a path item elsewhere");
	tap_is_str(column("EVENTS_CREATE", "examples"), "[\"{\\\"title\\\":\\\"Launch\\\",\\\"at\\\":\\\"2026-01-31T12:00:00Z\\\"}\"]", "a body elsewhere");
	tap_is_str(column("GET_PING", "auth"), NULL, "an operation without security, and without an id");
	tap_ok(has(text_of(d.notes), "\"at\":\"webhooks\""), "webhooks are reported");
	tap_is_int((int64_t)invalid(), 0, "every row is one that the API takes");
}

static void notes(void)
{
	tap_is_int(convert("notes.yaml"), 0, "YAML with anchors is read");
	tap_ok(has(column("LIST_NOTES", "content"), "# WHAT: List notes\n"), "a folded text");
	tap_ok(has(property("LIST_NOTES", "on"), "\"enum\":[\"on\",\"off\",\"no\",\"1\"]"), "words are texts");
	tap_ok(has(column("ADD_NOTE", "content"), "# IDEMPOTENT: no\n$1+"), "a body of text takes all that is left");
	tap_is_str(column("PUT_NOTE", "auth"), "headers:{\"Content-Type\":\"application/xml\"}", "another type of text is said in a header");
	tap_ok(has(property("PUT_NOTE", "note_id"), "\"type\":\"string\""), "names are made fit for tools");
	tap_is_int((int64_t)invalid(), 0, "every row is one that the API takes");
}

static void shop(void)
{
	tap_is_int(convert("shop.yaml"), 0, "parameters everywhere");
	tap_is_str(column("GET_ORDER", "target"), "GET http://example.org/echo/orders/$1.json", "path");
	tap_ok(has(column("GET_ORDER", "content"), "# ARGS: $1=orderId | $2=fields | $3=filter_state | $4=orderId_query | $5=X-Trace | $6=session_theme\n"), "path, query, header, cookie in this order");
	tap_ok(has(property("GET_ORDER", "fields"), "\"x-in\":\"list:fields\""), "a list that does not explode");
	tap_ok(has(property("GET_ORDER", "filter_state"), "\"x-in\":\"query:filter[state]\""), "its own name on the wire");
	tap_ok(has(property("GET_ORDER", "session_theme"), "\"enum\":[\"dark\",\"light\"],\"x-in\":\"cookie:session_theme\""), "a cookie with an enum");
	tap_is_str(column("GET_ORDER", "auth"), "headers:{\"X-Shop-Key\":\"$EXAMPLE_KEY\"}", "a key in a header");
	tap_is_str(column("GET_ORDER", "category"), "order_desk", "a category of a tag's words");
	tap_is_str(column("CANCEL_ORDER", "auth"), "headers:{\"X-Admin-Token\":\"$EXAMPLE_ADMIN_TOKEN\"}", "a parameter that is a credential is one");
	tap_ok(has(text_of(json_get(json_get(row("CANCEL_ORDER"), "input_schema"), "required")), "X-Trace"), "the operation's own parameter comes before its path's");
	tap_is_str(column("WITH_BASIC", "auth"), "basic:EXAMPLE_BASIC_USER:EXAMPLE_BASIC_PASSWORD", "basic");
	tap_is_str(column("WITH_QUERY", "auth"), "query:api_key=EXAMPLE_QUERY", "a key in the query");
	tap_is_str(column("WITH_COOKIE", "auth"), "headers:{\"Cookie\":\"sid=$EXAMPLE_COOKIE\"}", "a key in a cookie");
	tap_is_str(column("WITH_OAUTH", "auth"), "oauth:EXAMPLE_OAUTH", "client credentials");
	tap_ok(has(text_of(d.secrets), "\"EXAMPLE_OAUTH_SCOPE\":\"read write\""), "with their scope");
	tap_is_str(column("WITH_BOTH", "auth"), "headers:{\"X-Shop-Key\":\"$EXAMPLE_KEY\",\"Authorization\":\"Bearer $EXAMPLE_BEARER\"}", "two schemes at once");
	tap_is_str(column("WITH_SECOND", "auth"), "bearer:EXAMPLE_BEARER", "the first alternative that can be had");
	tap_is_str(column("WITH_DIGEST", "auth"), NULL, "none can");
	tap_ok(has(text_of(d.notes), "\"at\":\"GET /digest\",\"what\":\"none of its security schemes"), "and that is reported");
	tap_ok(row("SAME") && row("SAME_GET_SAME"), "two operations of one id are two rows");
	tap_ok(has(text_of(d.notes), "now SAME_GET_SAME\",\"what\":\"the key SAME is taken by GET /same/{a}; method and path are added to it"), "and that is reported");
	tap_is_str(column("ODD", "target"), "GET http://example.org/echo/odd/$1$2%32+$3", "digits behind a slot do not become part of it");
	tap_is_int((int64_t)invalid(), 0, "every row is one that the API takes");
}

static void tree(void)
{
	tap_is_int(convert("tree.json"), 0, "references in circles");
	tap_ok(has(property("ADD_NODE", "body"), "\"children\":{\"type\":\"array\",\"items\":{\"description\":\"The same again; not described further.\"}}"), "a node's children");
	tap_ok(row("LOOP") && row("FAR") && row("LOOP_PARAM"), "nothing that has a place is lost");
	tap_ok(has(text_of(d.notes), "GET /param\",\"what\":\"a parameter is left out: its $ref leads nowhere"), "but what leads nowhere is reported");
	tap_is_int((int64_t)invalid(), 0, "every row is one that the API takes");
}

static void asked_for(void)
{
	static const struct str tag[] = { { "store", 5 } }, only[] = { { "GET /pets*", 10 }, { "delete*", 7 } };

	wishes = (struct openapi_wishes){ .prefix = "pets", .tag = tag, .tags = 1, .server = "https://other.test/", .category = "c" };
	convert("petstore.json");
	tap_is_int((int64_t)json_object_array_length(d.rows), 1, "operations of one tag");
	tap_is_str(column("PETS_PLACE_ORDER", "target"), "POST https://other.test/store/order", "another server, and a prefix");
	tap_is_str(column("PETS_PLACE_ORDER", "category"), "c", "a category");
	wishes = (struct openapi_wishes){ .only = only, .onlys = 2 };
	convert("petstore.json");
	tap_is_int((int64_t)json_object_array_length(d.rows), 3, "operations by patterns of path and id");
	wishes = (struct openapi_wishes){ .source = "https://api.example.net/docs/v3/openapi.json?x=1" };
	convert_text(str_of("{\"openapi\":\"3.0.0\",\"servers\":[{\"url\":\"../v3\"}],\"paths\":{\"/a\":{\"get\":{}}}}"));
	tap_is_str(column("GET_A", "target"), "GET https://api.example.net/docs/v3/../v3/a", "a relative server belongs to the document's address");
	convert_text(str_of("{\"openapi\":\"3.0.0\",\"paths\":{\"/a\":{\"get\":{}}}}"));
	tap_is_str(column("GET_A", "target"), "GET https://api.example.net/a", "so does one that is not said");
	wishes = (struct openapi_wishes){ 0 };
	convert_text(str_of("{\"openapi\":\"3.0.0\",\"paths\":{\"/a\":{\"get\":{}}}}"));
	tap_ok(!row("GET_A") && has(text_of(d.notes), "cannot be a target"), "without one it is reported");
}

static void refused(void)
{
	static const struct { const char *text, *part; } bad[] = {
		{ "{}", "no OpenAPI" }, { "{\"swagger\":\"2.0\"}", "Swagger 2.0" }, { "{\"openapi\":\"4.0.0\"}", "no OpenAPI" }, { "[]", "no OpenAPI" },
		{ "{\"openapi\":", "" }, { "a: [", "" }, { "", "is empty" }, { "{\"openapi\":3.0}", "no OpenAPI" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		tap_ok(convert_text(str_of(bad[i].text)) < 0 && strstr(why.detail, bad[i].part), "refused: %s", bad[i].text);
	tap_ok(convert_text(str_of("openapi: 3.1.0\npaths: 5\n")) == 0 && !json_object_array_length(d.rows), "a document without paths has no rows");
}

static void limits(void)
{
	struct buf b = BUF_MALLOC;
	struct json_object *o;

	buf_puts(&b, "{\"openapi\":\"3.0.0\",\"servers\":[{\"url\":\"http://e.test\"}],\"paths\":{\"/a\":{\"get\":{\"parameters\":[");
	for (int i = 0; i < OPENAPI_ARGUMENTS_MAX; i++)
		buf_printf(&b, "%s{\"name\":\"p%d\",\"in\":\"query\"}", i ? "," : "", i);
	convert_text(str_of(arena_printf(arena, "%s]}}}}", buf_text(&b))));
	tap_ok(row("GET_A") && !json_object_array_length(d.notes), "64 arguments");
	convert_text(str_of(arena_printf(arena, "%s,{\"name\":\"last\",\"in\":\"query\"}]}}}}", buf_text(&b))));
	tap_ok(row("GET_A") && has(text_of(d.notes), "the argument last is left out"), "the 65th is reported");
	buf_clear(&b);
	buf_reserve(&b, OPENAPI_DOCUMENT_MAX + 1);
	memset(b.data, ' ', OPENAPI_DOCUMENT_MAX + 1);
	b.len = OPENAPI_DOCUMENT_MAX;
	openapi_read(arena, buf_str(&b), &o, &why);
	tap_ok(why.status == 400, "8 MiB are looked at");
	b.len++;
	openapi_read(arena, buf_str(&b), &o, &why);
	tap_is_int(why.status, 413, "one byte more is refused");
	buf_free(&b);
}

#define PARAMETER(name) "{\"name\":\"" name "\",\"in\":\"query\",\"schema\":{\"$ref\":\"#/components/schemas/s\"}}"

/* n operations whose two arguments are described by one schema with members properties. */
static int convert_many(int n, int members)
{
	struct buf b = BUF_MALLOC;
	int rc;

	buf_puts(&b, "{\"openapi\":\"3.1.0\",\"servers\":[{\"url\":\"http://e.test\"}],\"components\":{\"schemas\":{\"s\":{\"properties\":{");
	for (int i = 0; i < members; i++)
		buf_printf(&b, "%s\"p%d\":{\"description\":\"%0300d\"}", i ? "," : "", i, i);
	buf_puts(&b, "}}}},\"paths\":{");
	for (int i = 0; i < n; i++)
		buf_printf(&b, "%s\"/p%d\":{\"get\":{\"parameters\":[" PARAMETER("a") "," PARAMETER("b") "]}}", i ? "," : "", i);
	buf_puts(&b, "}}");
	rc = convert_text(buf_str(&b));
	buf_free(&b);
	return rc;
}

static void limits_of_all(void)
{
	for (int n = OPENAPI_ROWS_MAX - 1; n <= OPENAPI_ROWS_MAX + 1; n++)
		tap_ok(convert_many(n, 0) == (n > OPENAPI_ROWS_MAX ? -1 : 0), "%d operations", n);
	tap_is_int(why.status, 413, "are too many");
	tap_ok(has(why.detail, "--only"), "and it is said what to do");
	tap_is_int(convert_many(5000, 14), -1, "a schema that 5,000 operations refer to is not written out that often");
	tap_is_int(why.status, 413, "either");
	tap_ok(json_object_array_length(d.rows) > 100, "though it is hundreds of times");
}

/* Documents with pieces put to wrong places. */
static void random_documents(void)
{
	static const char *const piece[] = { "null", "true", "5", "\"x\"", "[]", "{}", "[{}]", "{\"$ref\":\"#/paths\"}", "{\"$ref\":\"#\"}", "{\"type\":\"object\"}", "[{\"name\":\"a\",\"in\":\"query\"}]",
		"{\"schema\":{\"$ref\":\"#/paths/~1a\"}}", "{\"application/json\":{}}", "{\"content\":{\"application/json\":{\"schema\":{\"$ref\":\"#/x\"}}}}" };
	static const char *const name[] = { "parameters", "requestBody", "responses", "security", "servers", "tags", "summary", "operationId", "content", "schema", "in", "name", "required" };
	unsigned seed = 11;
	size_t bad = 0, rows = 0;

	for (int i = 0; i < 5000; i++) {
		struct buf b = BUF_MALLOC;

		arena_reset(arena);
		buf_puts(&b, "{\"openapi\":\"3.1.0\",\"servers\":[{\"url\":\"http://e.test\"}],\"x\":{\"$ref\":\"#/x\"},\"paths\":{\"/a/{b}\":{\"get\":{");
		for (size_t k = 0; k < sizeof(name) / sizeof(name[0]); k++) {
			seed = seed * 1103515245u + 12345u;
			buf_printf(&b, "%s\"%s\":%s", k ? "," : "", name[k], piece[(seed >> 16) % (sizeof(piece) / sizeof(piece[0]))]);
		}
		buf_puts(&b, "}}}}");
		if (convert_text(buf_str(&b)) == 0) {
			rows += json_object_array_length(d.rows);
			bad += invalid();
		}
		buf_free(&b);
	}
	tap_ok(rows > 100, "5,000 documents with anything anywhere end, with %zu rows", rows);
	tap_is_int((int64_t)bad, 0, "and every row is one that the API takes");
}

int main(void)
{
	arena = arena_new();
	petstore();
	events();
	notes();
	shop();
	tree();
	asked_for();
	refused();
	limits();
	limits_of_all();
	random_documents();
	arena_free(arena);
	return tap_done();
}
