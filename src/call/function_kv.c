/* The kv_* functions: a small store of texts in ledger.db. What they change goes into the write of the call's own
 * receipt, so both are there or neither; the limits are the writer's to check. */
#include <string.h>
#include "base/clock.h"
#include "call/functions.h"

/* As in the table kv. */
enum { KV_KEY_MAX = 256, KV_VALUE_MAX = 64 * 1024, KV_LIST_MAX = 1000 };

static void fail(struct call *c, const char *code)
{
	buf_clear(&c->result);
	buf_printf(&c->result, "ERR:kv:%s", code);
}

/* p NULL when it will not do; the result is there then. */
static struct str key_of(struct call *c, struct json_object **arg, unsigned n)
{
	struct str key = functions_text(c, arg, n, 0);

	if (key.n && key.n <= KV_KEY_MAX && !memchr(key.p, 0, key.n))
		return key;
	fail(c, key.n > KV_KEY_MAX ? "key_too_long" : "bad_key");
	return str_make(NULL, 0);
}

/* 1: the key of the first argument is there, and value (NULL is fine) has got what it holds; 0: it is not; -1: the result
 * says why that is not known. */
static int look_up(struct call *c, struct json_object **arg, unsigned n, struct str *key, struct buf *value)
{
	struct db_stmt *s;
	int got;

	*key = key_of(c, arg, n);
	if (!key->p)
		return -1;
	s = db_start(directory_ledger(dispatch_context()->directory), SQL_KV_GET, "s", *key);
	got = db_step(s);
	if (got == 1 && value)
		buf_putstr(value, db_text(s, 0));
	db_end(s);
	if (got < 0)
		fail(c, "unreadable");
	return got;
}

/* Nothing for a key that is not there. */
static void run_get(struct call *c, struct json_object **arg, unsigned n)
{
	struct str key;

	look_up(c, arg, n, &key, &c->result);
}

static void run_put(struct call *c, struct json_object **arg, unsigned n)
{
	struct str key = key_of(c, arg, n), value = functions_text(c, arg, n, 1);
	char now[CLOCK_ISO];
	bool secret[2] = { false, false };

	if (!key.p)
		return;
	if (value.n > KV_VALUE_MAX) {
		fail(c, "value_too_long");
		return;
	}
	runner_redacted(c, key, &secret[0]);
	runner_redacted(c, value, &secret[1]);
	if (secret[0] || secret[1]) {
		fail(c, "secret_in_value");
		return;
	}
	clock_iso(clock_ms(), now);
	write_add(c->write, SQL_KV_ROOM, "s", key);
	write_add(c->write, SQL_KV_PUT, "sst", key, value, now);
	buf_putstr(&c->result, key);
}

static void run_del(struct call *c, struct json_object **arg, unsigned n)
{
	struct str key;
	int got = look_up(c, arg, n, &key, NULL);

	if (got < 0)
		return;
	write_add(c->write, SQL_KV_DEL, "s", key);
	buf_puts(&c->result, got ? "1" : "0");
}

/* Keys that begin with the argument, as a JSON array, at most KV_LIST_MAX. */
static void run_list(struct call *c, struct json_object **arg, unsigned n)
{
	struct db_stmt *s = db_start(directory_ledger(dispatch_context()->directory), SQL_KV_LIST, "si",
		functions_text(c, arg, n, 0), (int64_t)KV_LIST_MAX);
	struct json_object *list = json_object_new_array();
	int got;

	while ((got = db_step(s)) == 1)
		json_object_array_add(list, json_new_str(db_text(s, 0)));
	db_end(s);
	functions_json(c, list);
	if (got < 0)
		fail(c, "unreadable");
}

const struct function function_kv[] = {
	{ .name = "kv_get", .min_args = 1, .run = run_get },
	{ .name = "kv_put", .min_args = 2, .run = run_put, .writes = true },
	{ .name = "kv_del", .min_args = 1, .run = run_del, .writes = true },
	{ .name = "kv_list", .run = run_list },
	{ .name = NULL },
};
