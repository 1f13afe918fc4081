/* The required tests of the official JSON Schema test suite, draft 2020-12. The suite is data kept outside this tree:
 * found through ROWCALL_JSON_SCHEMA_SUITE, else beside the source folder. Not for what is our own: see schema.c. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/json.h"
#include "base/mem.h"
#include "schema/schema.h"
#include "tap.h"

static int passed, total;
static int plain_passed, plain_total, plain_refused;

static struct json_object *read_json(const char *path)
{
	struct buf text = BUF_MALLOC;
	struct json_object *o = NULL;
	struct problem why = { 0 };
	char piece[8192];
	size_t n;
	FILE *f = fopen(path, "r");

	while (f && (n = fread(piece, 1, sizeof(piece), f)) > 0)
		buf_add(&text, piece, n);
	if (f)
		fclose(f);
	if (json_parse(NULL, buf_str(&text), &o, &why) < 0)
		tap_diag("%s: %s %s", path, why.error, why.detail);
	buf_free(&text);
	return o;
}

static char *joined(const char *folder, const char *name)
{
	char *path = NULL;

	if (asprintf(&path, "%s%s%s", folder, *folder ? "/" : "", name) < 0)
		abort();
	return path;
}

/* Calls fn for each *.json below folder, by name; inside is the path from `folder` on. */
static void each_file(
	const char *folder, const char *inside, void (*fn)(void *ctx, const char *path, const char *inside), void *ctx)
{
	struct dirent **names;
	int n = scandir(folder, &names, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		char *path = joined(folder, names[i]->d_name), *name = joined(inside, names[i]->d_name);
		size_t length = strlen(name);
		struct stat st;

		if (names[i]->d_name[0] == '.' || stat(path, &st) < 0)
			length = 0;
		else if (S_ISDIR(st.st_mode))
			each_file(path, name, fn, ctx);
		else if (length > 5 && strcmp(name + length - 5, ".json") == 0)
			fn(ctx, path, name);
		free(path);
		free(name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

static void add_remote(void *ctx, const char *path, const char *inside)
{
	struct json_object *doc = read_json(path);
	char *uri = joined("http://localhost:1234", inside);

	schema_registry_add(ctx, uri, doc);
	json_object_put(doc);
	free(uri);
}

/* How many of the group's tests s gives the right answer to. */
static int run_tests(const struct schema *s, struct json_object *group)
{
	struct json_object *tests = json_get(group, "tests");
	struct arena *a = arena_new();
	struct problem why = { 0 };
	int good = 0;

	for (size_t i = 0; s && i < json_object_array_length(tests); i++) {
		struct json_object *test = json_object_array_get_idx(tests, i);
		bool valid = schema_validate(s, a, json_get(test, "data"), &why) == 0;

		if (valid == (bool)json_object_get_boolean(json_get(test, "valid")))
			good++;
		else
			tap_diag("%s: %s: %s", json_str(json_get(group, "description")).p,
				json_str(json_get(test, "description")).p, valid ? "accepted" : why.detail);
		arena_reset(a);
	}
	arena_free(a);
	return good;
}

/* The same schema written out must give the same answers, without the registry: nothing refers to anything. */
static void run_plain(const struct schema *s, struct json_object *group)
{
	struct buf text = BUF_MALLOC;
	struct json_object *doc = NULL;
	struct problem why = { 0 };
	struct schema *plain;

	if (schema_plain(s, &text, &why) < 0) {
		plain_refused++;
		buf_free(&text);
		return;
	}
	plain_total += (int)json_object_array_length(json_get(group, "tests"));
	plain = json_parse(NULL, buf_str(&text), &doc, &why) < 0 ? NULL : schema_compile(doc, NULL, &why);
	if (plain)
		plain_passed += run_tests(plain, group);
	else
		tap_diag("written out: %s %s: %s", why.error, why.detail, buf_text(&text));
	schema_free(plain);
	json_object_put(doc);
	buf_free(&text);
}

static int run_group(const struct schema_registry *remotes, struct json_object *group)
{
	struct problem why = { 0 };
	struct schema *s = schema_compile(json_get(group, "schema"), remotes, &why);
	int good = 0;

	if (s) {
		good = run_tests(s, group);
		run_plain(s, group);
	} else {
		tap_diag("%s: %s %s", json_str(json_get(group, "description")).p, why.error, why.detail);
	}
	schema_free(s);
	return good;
}

static void run_file(void *ctx, const char *path, const char *inside)
{
	struct json_object *groups = read_json(path);
	int good = 0, all = 0;

	for (size_t i = 0; groups && i < json_object_array_length(groups); i++) {
		struct json_object *group = json_object_array_get_idx(groups, i);

		all += (int)json_object_array_length(json_get(group, "tests"));
		good += run_group(ctx, group);
	}
	passed += good;
	total += all;
	tap_ok(groups && good == all, "%s: %d of %d", inside, good, all);
	json_object_put(groups);
}

static char *suite_folder(void)
{
	const char *given = getenv("ROWCALL_JSON_SCHEMA_SUITE"), *source = getenv("srcdir");

	return given ? mem_strdup(given) : joined(source ? source : ".", "../shared/json-schema");
}

int main(void)
{
	char *folder = suite_folder(), *tests = joined(folder, "tests/draft2020-12"),
	     *remotes = joined(folder, "remotes");
	struct schema_registry *registry = schema_registry_new();
	struct stat st;

	if (stat(tests, &st) < 0) {
		char text[512];

		snprintf(text, sizeof(text), "the official test suite is not at %s: set ROWCALL_JSON_SCHEMA_SUITE",
			folder);
		tap_skip_all(text);
	}
	each_file(remotes, "", add_remote, registry);
	each_file(tests, "", run_file, registry);
	tap_diag("total: %d of %d", passed, total);
	tap_ok(total > 0 && passed == total, "all %d required tests hold", total);
	tap_ok(plain_total > total / 2 && plain_passed == plain_total,
		"%d of %d tests hold for the schemas written out (%d schemas contain themselves)", plain_passed,
		plain_total, plain_refused);
	schema_registry_free(registry);
	free(folder);
	free(tests);
	free(remotes);
	return tap_done();
}
