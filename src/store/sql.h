/* Every SQL statement of the program: id, file, kind, who may send it, text. Statements are bound, never formatted. The
 * lists are sql_directory.inc and sql_ledger.inc: X(ID, KIND, ROLES, REFUSAL, "text"), one paragraph a subject, so that
 * id and text stand together. */
#ifndef STORE_SQL_H
#define STORE_SQL_H
#include <stdbool.h>
#include <stdint.h>

enum sql_file { SQL_DIRECTORY, SQL_LEDGER, SQL_FILES };

enum sql_kind {
	READ,           /* SELECT on a reader's connection */
	WRITE,          /* changes rows, whatever their number */
	WRITE_ONE,      /* must change exactly one row, else the whole write is refused with REFUSAL */
	GUARD,          /* a SELECT inside a write that must give a row, else the write is refused with REFUSAL */
	/* a SELECT that gives a row when a write (repeated after a lost answer) has been applied before */
	PROOF,
};

enum sql_roles { BY_NOBODY = 0, BY_WORKER = 1, BY_CTL = 2, BY_WRITER = 4 };

#define X(id, kind, roles, refusal, text) id,
enum sql_id {
	SQL_NONE,
#include "store/sql_directory.inc"
	SQL_LEDGER_FIRST,
#include "store/sql_ledger.inc"
	SQL_N
};
#undef X

struct sql {
	const char *name;
	enum sql_file file;
	enum sql_kind kind;
	unsigned roles;
	const char *refusal;            /* error code of a refused WRITE_ONE or GUARD, or of a constraint violation */
	const char *text;
};

const struct sql *sql_get(enum sql_id id);      /* never NULL; fatal on an id out of range */
bool sql_exists(unsigned id);                   /* id is one of the list: for numbers that come from outside */
/* A checksum over all ids and texts: numbers from another build of the program are recognised by it. */
uint32_t sql_fingerprint(void);
const char *sql_file_name(enum sql_file f);     /* "directory" or "ledger" */

#endif
