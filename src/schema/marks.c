/* Bit sets over the positions of members or items. Not for anything larger than one instance. */
#include <stdlib.h>
#include "base/mem.h"
#include "schema/marks.h"

enum { BITS = 64 };

void marks_start(struct marks *m, size_t n)
{
	*m = (struct marks){ .n = n };
}

void marks_end(struct marks *m)
{
	if (!m)
		return;
	free(m->many);
	m->many = NULL;
}

static uint64_t *words(struct marks *m)
{
	if (m->n <= BITS)
		return &m->few;
	if (!m->many)
		m->many = mem_alloc((m->n + BITS - 1) / BITS * sizeof(*m->many));
	return m->many;
}

void marks_add(struct marks *m, size_t index)
{
	if (m && !m->all && index < m->n)
		words(m)[index / BITS] |= UINT64_C(1) << index % BITS;
}

void marks_add_all(struct marks *m)
{
	if (m)
		m->all = true;
}

void marks_merge(struct marks *into, const struct marks *from)
{
	if (!into || !from || into->all)
		return;
	if (from->all)
		into->all = true;
	else if (from->n <= BITS)
		into->few |= from->few;
	else if (from->many)
		for (size_t i = 0; i < (from->n + BITS - 1) / BITS; i++)
			words(into)[i] |= from->many[i];
}

bool marks_has(const struct marks *m, size_t index)
{
	if (!m || index >= m->n)
		return false;
	if (m->all)
		return true;
	if (m->n <= BITS)
		return m->few >> index & 1;
	return m->many && (m->many[index / BITS] >> index % BITS & 1);
}
