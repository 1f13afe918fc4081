/* Which members or items of one instance were evaluated: the annotations that unevaluatedProperties and
 * unevaluatedItems ask for. */
#ifndef SCHEMA_MARKS_H
#define SCHEMA_MARKS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All functions but marks_start do nothing with NULL. */
struct marks {
	size_t n;               /* members or items */
	bool all;
	uint64_t few;           /* when n <= 64 */
	uint64_t *many;         /* otherwise; NULL until the first mark */
};

void marks_start(struct marks *m, size_t n);
void marks_end(struct marks *m);
void marks_add(struct marks *m, size_t index);
void marks_add_all(struct marks *m);
void marks_merge(struct marks *into, const struct marks *from);  /* of the same instance */
bool marks_has(const struct marks *m, size_t index);

#endif
