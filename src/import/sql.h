/* An SQL dump of a table `directory`, as sqlite3(1) or D1 write it, into rows. */
#ifndef IMPORT_SQL_H
#define IMPORT_SQL_H
#include "base/problem.h"
#include "import/draft.h"

enum { SQL_DUMP_MAX = 64 << 20 };       /* bytes */

/* Loads the dump into a database in memory that takes CREATE TABLE and INSERT of values of that table, and
 * nothing else. Statements about other things are left out with a note, as are columns that a row does
 * not have (created_at and updated_at are set anew). Rows come in the order of rowid. -1: 400 `bad_dump`: a statement
 * that is not understood, no table `directory`; 413 `file_too_large`. */
int sql_convert(struct draft *d, struct str dump, struct problem *why);

#endif
