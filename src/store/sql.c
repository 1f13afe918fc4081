/* The table of statements, made from the two lists. Nothing here knows SQLite: see db.c. */
#include <stddef.h>
#include "base/log.h"
#include "store/sql.h"

static const struct sql table[SQL_N] = {
#define X(id, kind, roles, refusal, text) [id] = { #id, SQL_DIRECTORY, kind, roles, refusal, text },
#include "store/sql_directory.inc"
#undef X
#define X(id, kind, roles, refusal, text) [id] = { #id, SQL_LEDGER, kind, roles, refusal, text },
#include "store/sql_ledger.inc"
#undef X
};

bool sql_exists(unsigned id)
{
	return id < SQL_N && table[id].text;
}

const struct sql *sql_get(enum sql_id id)
{
	if (!sql_exists((unsigned)id))
		log_fatal("sql: there is no statement %d", (int)id);
	return &table[id];
}

/* FNV-1a, 32 bits: it guards against mistakes, not against people. */
static uint32_t mix(uint32_t h, const char *s)
{
	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return (h ^ 0xffu) * 16777619u;
}

uint32_t sql_fingerprint(void)
{
	static uint32_t h;

	if (h)
		return h;
	h = 2166136261u;
	for (unsigned i = 0; i < SQL_N; i++)
		if (table[i].text)
			h = mix(mix(h, table[i].name), table[i].text);
	return h;
}

const char *sql_file_name(enum sql_file f)
{
	return f == SQL_DIRECTORY ? "directory" : "ledger";
}
