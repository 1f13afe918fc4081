/* What of a row makes its contract, and the digest by which receipts, tokens and projections name it. A change here
 * changes every digest there is. */
#include "directory/contract.h"

/* What is said of a row whose docstring is silent, by the kind of its operation. */
static const struct operation { const char *name, *effects; } operations[] = {
	{ "read", "Reads only; nothing is expected to change." },
	{ "write", "Not stated: assume that something outside changes." },
	{ "compute", "Works on its arguments; anything else that changes is not stated." },
	{ "generate", "A model answers; what it calls on the way has effects of its own." },
	{ "compose", "Those of its steps." },
};
enum { READS, WRITES, COMPUTES, GENERATES, COMPOSES };

#define NO_PRECONDITIONS  "None stated."
#define NO_POSTCONDITIONS "None stated; judge by the result."

/* Of an http row with a single request; p NULL for others. */
static struct str method(const struct row *r)
{
	struct str target = str_trim(row_text(r, ROW_TARGET));

	if (!str_is(row_text(r, ROW_TYPE), "http") || str_starts(target, "target_map:"))
		return str_of(NULL);
	return str_cut(&target, ' ');
}

static bool method_is(const struct row *r, const char *name)
{
	return str_is_fold(method(r), name);
}

/* By its method. */
static bool reads(const struct row *r)
{
	return method_is(r, "GET") || method_is(r, "HEAD") || method_is(r, "OPTIONS");
}

static int safe_of(const struct row *r, const struct docstring *d)
{
	int said = docstring_flag(d, DOC_SAFE);

	if (said >= 0 || !str_is(row_text(r, ROW_TYPE), "http"))
		return said;
	return reads(r) ? 1 : -1;
}

static int idempotent_of(const struct row *r, const struct docstring *d)
{
	int said = docstring_flag(d, DOC_IDEMPOTENT);

	if (said >= 0)
		return said;
	return safe_of(r, d) == 1 || method_is(r, "PUT") || method_is(r, "DELETE") ? 1 : -1;
}

static const struct operation *operation_of(const struct row *r, const struct docstring *d)
{
	struct str type = row_text(r, ROW_TYPE);
	int safe = safe_of(r, d);

	if (safe >= 0)
		return &operations[safe ? READS : WRITES];
	if (str_is(type, "http") || str_is(row_text(r, ROW_TARGET), "mcp_call"))
		return &operations[WRITES];
	return &operations[str_is(type, "agent") ? GENERATES : str_is(type, "flow") ? COMPOSES : COMPUTES];
}

static void put_flag(struct json_object *o, const char *name, int flag)
{
	json_put(o, name, flag < 0 ? NULL : json_object_new_boolean(flag));
}

static void put_label(struct json_object *o, const char *name, const struct docstring *d, enum docstring_label l,
	const char *dflt)
{
	json_put_str(o, name, d->label[l].n ? d->label[l] : str_of(dflt));
}

struct json_object *contract_semantics(const struct row *r, const struct docstring *d)
{
	const struct operation *op = operation_of(r, d);
	struct json_object *o = json_object_new_object();

	json_put_text(o, "operation_type", op->name);
	put_flag(o, "safe", safe_of(r, d));
	put_flag(o, "idempotent", idempotent_of(r, d));
	put_label(o, "preconditions", d, DOC_PRECONDITIONS, NO_PRECONDITIONS);
	put_label(o, "effects", d, DOC_EFFECTS, op->effects);
	put_label(o, "postconditions", d, DOC_POSTCONDITIONS, NO_POSTCONDITIONS);
	return o;
}

bool contract_read_only(const struct row *r, const struct docstring *d)
{
	return safe_of(r, d) == 1 && (!str_is(row_text(r, ROW_TYPE), "http") || reads(r)) &&
		!row_number(r, ROW_SENSITIVE);
}

bool contract_idempotent(const struct row *r, const struct docstring *d)
{
	return idempotent_of(r, d) == 1;
}

/* The parsed schema; what does not parse stands as its text. */
static struct json_object *schema_value(const struct row *r)
{
	struct json_object *o = NULL;

	if (row_blank(r, ROW_INPUT_SCHEMA))
		return NULL;
	if (json_parse(NULL, row_text(r, ROW_INPUT_SCHEMA), &o, NULL) < 0)
		return json_new_str(row_text(r, ROW_INPUT_SCHEMA));
	return o;
}

static struct json_object *argument_order(struct json_object *schema)
{
	struct json_object *order = json_object_new_array(), *properties = json_get(schema, "properties");

	if (json_object_is_type(properties, json_type_object)) {
		json_object_object_foreach(properties, name, value) {
			(void)value;
			json_object_array_add(order, json_object_new_string(name));
		}
	}
	return order;
}

static struct json_object *block_list(const struct contract_block *block, size_t n)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < n; i++) {
		struct json_object *o = json_object_new_object();

		json_put_str(o, "key", block[i].key);
		json_put_text(o, "sha256", block[i].digest[0] ? block[i].digest : NULL);
		json_object_array_add(list, o);
	}
	return list;
}

static void put_column(struct json_object *o, const char *name, const struct row *r, enum row_column c)
{
	json_put_str(o, name, row_blank(r, c) ? str_of(NULL) : row_text(r, c));
}

struct json_object *contract_build(const struct row *r, const struct docstring *d, const struct contract_block *block,
	size_t blocks)
{
	struct json_object *o = json_object_new_object(), *schema = schema_value(r);
	bool sensitive = row_number(r, ROW_SENSITIVE) != 0;

	put_column(o, "id", r, ROW_KEY);
	json_put_text(o, "object_type", row_object_type(r));
	json_put_text(o, "runner", row_runner(r));
	put_column(o, "directory_type", r, ROW_TYPE);
	put_column(o, "category", r, ROW_CATEGORY);
	put_column(o, "target", r, ROW_TARGET);
	json_put_str(o, "description", d->text);
	json_put(o, "input_schema", schema);
	json_put(o, "argument_order", argument_order(schema));
	put_column(o, "auth", r, ROW_AUTH);
	json_put_text(o, "risk", sensitive ? "high" : "low");
	json_put_bool(o, "requires_approval", sensitive);
	json_put_text(o, "status", row_number(r, ROW_ENABLED) ? "active" : "disabled");
	json_put(o, "operation_semantics", contract_semantics(r, d));
	if (str_is(row_text(r, ROW_TYPE), "agent"))
		put_column(o, "executable", r, ROW_CONTENT);
	else
		json_put_str(o, "executable", d->payload);
	put_column(o, "allowed_categories", r, ROW_ALLOWED_CATEGORIES);
	json_put(o, "includes", block_list(block, blocks));
	return o;
}

void contract_digest(struct json_object *contract, struct buf *out, char digest[CRYPTO_HEX])
{
	size_t start = out->len;

	json_canonical(out, contract);
	crypto_sha256_hex(str_skip(buf_str(out), start), digest);
}

static bool same_value(struct json_object *a, struct json_object *b)
{
	struct buf x = BUF_MALLOC, y = BUF_MALLOC;
	bool same;

	json_canonical(&x, a);
	json_canonical(&y, b);
	same = str_eq(buf_str(&x), buf_str(&y));
	buf_free(&x);
	buf_free(&y);
	return same;
}

struct json_object *contract_diff(struct str a, struct str b)
{
	struct json_object *x = NULL, *y = NULL, *names = json_object_new_array();

	if (json_parse(NULL, a, &x, NULL) < 0 || json_parse(NULL, b, &y, NULL) < 0)
		goto out;
	if (!json_object_is_type(x, json_type_object) || !json_object_is_type(y, json_type_object))
		goto out;
	json_object_object_foreach(x, name, value) {
		if (!json_object_object_get_ex(y, name, NULL) || !same_value(value, json_get(y, name)))
			json_object_array_add(names, json_object_new_string(name));
	}
	json_object_object_foreach(y, name2, value2) {
		(void)value2;
		if (!json_object_object_get_ex(x, name2, NULL))
			json_object_array_add(names, json_object_new_string(name2));
	}
out:
	json_object_put(x);
	json_object_put(y);
	return names;
}

size_t contract_includes(struct str includes, struct str *out, size_t max)
{
	size_t n = 0;

	while (includes.p) {
		struct str name = str_trim(str_cut(&includes, ','));

		if (!name.n)
			continue;
		if (n < max)
			out[n] = name;
		n++;
	}
	return n;
}
