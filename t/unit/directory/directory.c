/* What is kept in memory is true: after every change, for rows, lists, bodies and what includes a block. And it is
 * bounded. */
#include "fixture.h"

static const char plain[] =
	"{\"type\":\"fn\",\"target\":\"now\",\"content\":\"# WHAT: x\",\"examples\":[\"\"],\"sensitive\":0}";

static void rows(void)
{
	struct entry *e, *again, *after;

	tap_ok(!service_get("A"), "a row that is not there is none");
	tap_ok(!service_get("not a key") && !service_get(""), "nor is what is no key");
	tap_is_int(service_put("A",
			   "{\"type\":\"http\",\"target\":\"GET https://x.example/$1\",\"content\":\"# WHAT: Gets.\\n# "
			   "ARGS: $1=id\",\"category\":\"c\","
			   "\"examples\":[\"7\"],\"input_schema\":{\"type\":\"object\",\"properties\":{\"id\":{"
			   "\"type\":\"string\"}}},\"sensitive\":1}"),
		0, "a row is written");
	e = service_get("A");
	again = service_get("A");
	tap_ok(e && e == again, "it is there at the next look-up, and one for all");
	tap_ok(str_is(e->key, "A") && str_is(e->type, "http") && str_is(e->category, "c") && str_is(e->auth, "") &&
			e->auth.p && e->enabled && e->sensitive,
		"its columns are");
	tap_ok(str_is(e->doc.label[DOC_WHAT], "Gets.") && directory_schema(service.a, e) && directory_validator(service.d, e) && !e->doc.payload.n,
		"docstring and schema are parsed");
	tap_ok(e->version == 1 && e->identity == 1 && strlen(e->digest) == 64 && e->contract.p[0] == '{' &&
			e->contract.p[e->contract.n] == 0,
		"version, identity and contract are known");
	service_put("B", plain);
	tap_ok(service_get("A") == e, "a change of another row leaves it in place");
	service_put("A", plain);
	after = service_get("A");
	tap_ok(after && after != e && str_is(after->type, "fn") && after->version == 3 && after->identity == 1,
		"a change is seen");
	tap_ok(str_is(e->type, "http"), "and what was referenced before lives on");
	tap_ok(strcmp(after->etag, e->etag) != 0, "with another tag");
}

static void lists(void)
{
	static const char *const order[] = { "Z", "M", "A", "B" };
	const struct directory_item *list;
	size_t n;

	service_put("Z", "{\"type\":\"fn\",\"content\":\"x\",\"examples\":[\"\"],\"seq\":-1}");
	service_put("M",
		"{\"type\":\"fn\",\"content\":\"x\",\"examples\":[\"\"],\"seq\":5,\"enabled\":0,\"category\":\"m\"}");
	list = directory_items(service.d, &n);
	tap_is_int((int64_t)n, 4, "every row is in the list");
	for (size_t i = 0; i < n; i++)
		tap_ok(str_is(list[i].key, order[i]) && directory_row_num(service.d, list[i].key) == (int64_t)i + 1,
			"%s is number %zu", order[i], i + 1);
	tap_ok(!list[1].enabled && str_is(list[1].category, "m") && str_is(list[1].type, "fn"),
		"with its flags and category");
	service_get("A");
	tap_ok(directory_row_num(service.d, str_of("A")) == 3 && directory_row_num(service.d, str_of("NONE")) == 0,
		"the number is found both ways");
}

/* Changes that the list follows one by one give what reading it anew gives. */
static void followed(void)
{
	struct mutate m = service_mutate();
	struct mutate_result r;
	struct directory *fresh;
	const struct directory_item *x, *y;
	struct problem why;
	size_t n, k;
	bool same;

	for (int i = 0; i < 60; i++) {
		char key[16], text[160];

		snprintf(key, sizeof(key), "K%d", (i * 7) % 20);
		snprintf(text, sizeof(text), "{\"type\":\"fn\",\"content\":\"x\",\"examples\":[\"\"],\"seq\":%s}",
			i % 3           ? "null"
				: i % 2 ? "3"
					: "8");
		if (i % 5 == 4)
			mutate_delete(&m, str_of(key), &r, &why);
		else
			service_put(key, text);
		directory_items(service.d, &n);
	}
	fresh = directory_open(&service.conf, service.shared, &why);
	x = directory_items(service.d, &n);
	y = directory_items(fresh, &k);
	same = n == k;
	for (size_t i = 0; same && i < n; i++)
		same = str_eq(x[i].key, y[i].key) && x[i].has_seq == y[i].has_seq && x[i].seq == y[i].seq;
	tap_ok(same && n > 10, "a list that follows sixty changes is the list read anew (%zu rows)", n);
	directory_close(fresh);
}

static void blocks(void)
{
	char before[CRYPTO_HEX];
	struct entry *e;

	service_put("AGENT",
		"{\"type\":\"agent\",\"target\":\"m\",\"content\":\"hi\",\"includes\":\"BLOCK , MISSING\"}");
	e = service_get("AGENT");
	tap_ok(strstr(e->contract.p, "{\"key\":\"BLOCK\",\"sha256\":null}") != NULL,
		"a block that is missing is named");
	service_put("BLOCK", "{\"type\":\"fn\",\"target\":\"prompt_block\",\"content\":\"one\"}");
	e = service_get("AGENT");
	memcpy(before, e->digest, sizeof(before));
	tap_ok(strstr(e->contract.p,
		       "{\"key\":\"BLOCK\",\"sha256\":"
		       "\"7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed\"}") != NULL,
		"one that comes is seen with the digest of its content");
	service_put("BLOCK", "{\"type\":\"fn\",\"target\":\"prompt_block\",\"content\":\"two\"}");
	tap_ok(strcmp(service_get("AGENT")->digest, before) != 0,
		"a change of the block is a change of what includes it");
}

static void bodies(void)
{
	char *large = calloc(1, DIRECTORY_BODIES_MAX + 1), name[32];
	struct str b, most;

	tap_ok(!directory_body_get(service.d, "x").p, "a body that nobody put is none");
	b = directory_body_put(service.d, "x", str_of("text"));
	tap_ok(str_is(b, "text") && directory_body_get(service.d, "x").p == b.p, "one that was put is kept");
	tap_ok(directory_body_put(service.d, "x", str_of("other")).p == b.p, "the first of that name stays");
	tap_ok(directory_body_put(service.d, "empty", str_of("")).n == 0 && directory_body_get(service.d, "empty").p,
		"an empty one too");
	tap_ok(directory_body_put(service.d, "large", str_make(large, DIRECTORY_BODIES_MAX + 1)).p == large &&
			!directory_body_get(service.d, "large").p,
		"one that is too large is given back");
	directory_body_hold(service.d, service.a, "x");
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		directory_body_put(service.d, name, str_make(large, DIRECTORY_BODIES_MAX / 32));
	}
	tap_ok(!directory_body_get(service.d, "n0").p && directory_body_get(service.d, "n39").p,
		"the oldest go when there are too many");
	for (int i = 40; i < 80; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		directory_body_put(service.d, name, str_make(large, DIRECTORY_BODIES_MAX / 32));
		directory_body_get(service.d, "n39");
	}
	tap_ok(directory_body_get(service.d, "n39").p && !directory_body_get(service.d, "n41").p,
		"one that is asked for stays longer");
	most = directory_body_put(service.d, "most", str_make(large, DIRECTORY_BODIES_MAX - 200));
	tap_ok(most.p != large && directory_body_get(service.d, "most").p == most.p &&
			!directory_body_get(service.d, "n39").p && !directory_body_get(service.d, "x").p,
		"one that leaves no room for others is kept alone");
	tap_ok(str_is(b, "text"), "one that is held lives on");
	service_put("B", plain);
	tap_ok(!directory_body_get(service.d, "n39").p, "a change ends them all");
	directory_body_hold(service.d, service.a, "gone");
	free(large);
}

static void many_changes(void)
{
	struct entry *e = service_get("A");
	struct directory *slow;
	struct problem why;
	const struct directory_item *list;
	struct arena *a = arena_new();
	size_t n;

	slow = directory_open(&service.conf, service.shared, &why);
	list = directory_items(slow, &n);
	directory_get(slow, a, str_of("A"), &e, &why);
	for (int i = 0; i < DIRECTORY_CHANGES_MAX + 10; i++)
		service_put(i % 2 ? "A" : "N1", plain);
	directory_refresh(slow);
	list = directory_items(slow, &n);
	directory_get(slow, a, str_of("A"), &e, &why);
	tap_ok(list && directory_row_num(slow, str_of("N1")) > 0 && e->version == service_get("A")->version,
		"more changes than are followed are seen all the same");
	arena_free(a);
	directory_close(slow);
}

/* rowcall has no shared memory: it asks SQLite. */
static void without_shared_memory(void)
{
	struct directory *d;
	struct problem why;
	struct entry *e;
	size_t n;

	d = directory_open(&service.conf, NULL, &why);
	directory_get(d, service.a, str_of("A"), &e, &why);
	tap_ok(str_is(e->type, "fn"), "without shared memory rows are read");
	directory_items(d, &n);
	service_put("A", "{\"type\":\"agent\",\"target\":\"m\",\"content\":\"x\",\"examples\":[\"\"]}");
	directory_get(d, service.a, str_of("A"), &e, &why);
	tap_ok(str_is(e->type, "agent"), "and changes are seen at the next look-up");
	directory_close(d);
}

static void bounded(void)
{
	static char content[60000];
	struct arena *a = arena_new();
	struct problem why;
	bool good = true;
	struct entry *e;

	for (int i = 0; i < 100; i++) {
		struct buf b = BUF_ARENA(a);
		char key[16];

		snprintf(key, sizeof(key), "BIG%d", i);
		memset(content, 'a' + i % 26, sizeof(content) - 1);
		buf_printf(&b, "{\"type\":\"fn\",\"content\":\"# %s\",\"examples\":[\"\"]}", content);
		service_put(key, buf_text(&b));
		arena_reset(a);
		arena_reset(service.a);
	}
	directory_refresh(service.d);
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 100; i++) {
			char key[16];

			snprintf(key, sizeof(key), "BIG%d", i);
			good &= directory_get(service.d, a, str_of(key), &e, &why) == 0 && e && str_is(e->key, key) &&
				e->content.p[2] == 'a' + i % 26;
			arena_reset(a);
		}
	tap_ok(good, "more than is kept is read again, and right");
	arena_free(a);
}

/* A pass over rows leaves the cache as it was. */
static void glances(void)
{
	struct arena *a = arena_new();
	struct entry *e, *again, *kept;
	struct problem why;

	service_put("GLANCE", plain);
	directory_refresh(service.d);
	directory_glance(service.d, a, str_of("GLANCE"), &e, &why);
	directory_glance(service.d, a, str_of("GLANCE"), &again, &why);
	tap_ok(e && again && e != again && str_is(again->target, "now"), "a glance at a row does not keep it");
	directory_get(service.d, a, str_of("GLANCE"), &kept, &why);
	directory_glance(service.d, a, str_of("GLANCE"), &again, &why);
	tap_ok(kept != e && again == kept, "a row that is kept is used");
	directory_glance(service.d, a, str_of("NONE"), &e, &why);
	tap_ok(!e, "one that is not there is none");
	arena_free(a);
}

static void schemas(void)
{
	static const char form[] = "{\"type\":\"fn\",\"target\":\"now\",\"content\":\"# WHAT: x\",\"examples\":[\"\"],"
		"\"input_schema\":{\"type\":\"object\",\"x-strict\":%s,\"properties\":{\"n\":{\"type\":\"integer\"}}}}";
	const struct schema *s;
	struct entry *e;

	service_put("LOOSE", arena_printf(service.a, form, "false"));
	service_put("STRICT", arena_printf(service.a, form, "true"));
	e = service_get("LOOSE");
	s = directory_validator(service.d, e);
	tap_ok(s && directory_validator(service.d, e) == s && schema_document(s), "a schema is compiled once");
	tap_ok(!e->strict && service_get("STRICT")->strict, "whether it is strict is known before");
	tap_ok(!directory_validator(service.d, service_get("B")) && !directory_schema(service.a, service_get("B")),
		"a row without one has none");
	service_put("LOOSE", plain);
	tap_ok(schema_validate(s, service.a, service_json("{\"n\":1}"), &(struct problem){ 0 }) == 0,
		"it lives as long as its entry is held");
}

static void all(void)
{
	rows();
	lists();
	blocks();
	bodies();
	followed();
	many_changes();
	without_shared_memory();
	glances();
	schemas();
	bounded();
}

int main(void)
{
	service_run(all);
	return tap_done();
}
