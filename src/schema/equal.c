/* Equality, and the search for equal items: by a hash of the value's meaning, sorted, so that a long array of scalars
 * is not compared pairwise. The hash is not secret; items made to collide are compared one by one, within the caller's
 * limit of work. */
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "schema/decimal.h"
#include "schema/equal.h"

#define HASH_START UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

struct hashed {
	uint64_t hash;
	size_t index;
};

static bool is_number(enum json_type t)
{
	return t == json_type_int || t == json_type_double;
}

static bool equal(struct json_object *a, struct json_object *b, int depth, size_t *work);

static bool equal_numbers(struct json_object *a, struct json_object *b)
{
	struct decimal x, y;

	return decimal_read(&x, a) == 0 && decimal_read(&y, b) == 0 && decimal_compare(&x, &y) == 0;
}

static bool equal_strings(struct json_object *a, struct json_object *b, size_t *work)
{
	size_t n = (size_t)json_object_get_string_len(a);

	if (n != (size_t)json_object_get_string_len(b))
		return false;
	*work += n / EQUAL_BYTES;
	return memcmp(json_object_get_string(a), json_object_get_string(b), n) == 0;
}

static bool equal_arrays(struct json_object *a, struct json_object *b, int depth, size_t *work)
{
	size_t n = json_object_array_length(a);

	if (n != json_object_array_length(b))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!equal(json_object_array_get_idx(a, i), json_object_array_get_idx(b, i), depth, work))
			return false;
	return true;
}

static bool equal_objects(struct json_object *a, struct json_object *b, int depth, size_t *work)
{
	struct lh_entry *e;

	if (json_object_object_length(a) != json_object_object_length(b))
		return false;
	lh_foreach(json_object_get_object(a), e) {
		struct json_object *other;

		if (!json_object_object_get_ex(b, lh_entry_k(e), &other) ||
			!equal((struct json_object *)lh_entry_v(e), other, depth, work))
			return false;
	}
	return true;
}

static bool equal(struct json_object *a, struct json_object *b, int depth, size_t *work)
{
	enum json_type t = json_object_get_type(a), u = json_object_get_type(b);

	(*work)++;
	if (depth >= EQUAL_DEPTH_MAX)
		return false;
	if (is_number(t) && is_number(u))
		return equal_numbers(a, b);
	if (t != u)
		return false;
	switch (t) {
	case json_type_boolean:
		return json_object_get_boolean(a) == json_object_get_boolean(b);
	case json_type_string:
		return equal_strings(a, b, work);
	case json_type_array:
		return equal_arrays(a, b, depth + 1, work);
	case json_type_object:
		return equal_objects(a, b, depth + 1, work);
	default:
		return true;            /* null */
	}
}

bool equal_values(struct json_object *a, struct json_object *b, size_t *work)
{
	return equal(a, b, 0, work);
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static uint64_t hash_bytes(const char *p, size_t n, size_t *work)
{
	uint64_t h = HASH_START;

	*work += n / EQUAL_BYTES;
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)p[i]) * HASH_PRIME;
	return h;
}

static uint64_t hash(struct json_object *o, int depth, size_t *work);

/* A sum, since the order of members does not count. */
static uint64_t hash_object(struct json_object *o, int depth, size_t *work)
{
	struct lh_entry *e;
	uint64_t h = 0;

	lh_foreach(json_object_get_object(o), e) {
		const char *name = lh_entry_k(e);

		h += mix(hash_bytes(name, strlen(name), work), hash((struct json_object *)lh_entry_v(e), depth, work));
	}
	return h;
}

static uint64_t hash(struct json_object *o, int depth, size_t *work)
{
	enum json_type t = json_object_get_type(o);
	struct decimal d;
	uint64_t h = mix(HASH_START, is_number(t) ? json_type_int : t);

	(*work)++;
	if (depth >= EQUAL_DEPTH_MAX)
		return h;
	if (is_number(t))
		return decimal_read(&d, o) == 0 ? mix(h, decimal_hash(&d)) : h;
	switch (t) {
	case json_type_boolean:
		return mix(h, (uint64_t)json_object_get_boolean(o));
	case json_type_string:
		return mix(h, hash_bytes(json_object_get_string(o), (size_t)json_object_get_string_len(o), work));
	case json_type_array:
		for (size_t i = 0; i < json_object_array_length(o); i++)
			h = mix(h, hash(json_object_array_get_idx(o, i), depth + 1, work));
		return h;
	case json_type_object:
		return mix(h, hash_object(o, depth + 1, work));
	default:
		return h;
	}
}

static int by_hash(const void *a, const void *b)
{
	const struct hashed *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Among the items from `from` with one hash. */
static bool equal_run(struct json_object *array, const struct hashed *h, size_t n, size_t from, size_t *second,
	size_t *work, size_t limit)
{
	for (size_t j = from + 1; j < n && h[j].hash == h[from].hash && *work <= limit; j++) {
		if (equal(json_object_array_get_idx(array, h[from].index), json_object_array_get_idx(array, h[j].index),
			    0, work)) {
			*second = h[j].index;
			return true;
		}
	}
	return false;
}

bool equal_items(struct json_object *array, size_t *first, size_t *second, size_t *work, size_t limit)
{
	size_t n = json_object_array_length(array);
	struct hashed *h = n > 1 ? mem_alloc(n * sizeof(*h)) : NULL;
	bool found = false;

	for (size_t i = 0; h && i < n && *work <= limit; i++)
		h[i] = (struct hashed){ hash(json_object_array_get_idx(array, i), 0, work), i };
	if (h && *work <= limit)
		qsort(h, n, sizeof(*h), by_hash);
	for (size_t i = 0; h && i + 1 < n && !found && *work <= limit; i++) {
		*first = h[i].index;
		found = equal_run(array, h, n, i, second, work, limit);
	}
	free(h);
	return found;
}
