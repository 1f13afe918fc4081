/* SQLite: the only file that calls sqlite3_*. A connection belongs to one process and is never open across a fork. */
#ifndef STORE_DB_H
#define STORE_DB_H
#include <sys/types.h>
#include "base/buf.h"
#include "base/problem.h"
#include "store/sql.h"
#include "store/wire.h"

enum {
	DB_DUMP_STEPS_MAX = 200 * 1000 * 1000,  /* of SQLite's machine, to read a dump */
	DB_DUMP_PAGES_MAX = 32768,              /* of 4 KiB */
};

struct db;
struct db_stmt;
struct json_object;

enum db_mode { DB_READ, DB_WRITE };

/* Opens an existing file. DB_READ: SQLITE_OPEN_READONLY, retries SQLITE_READONLY_RECOVERY/CANTINIT, never checkpoints;
 * 1 to 2 MB of page cache, no mmap. DB_WRITE: holds an flock on <path>.lock until db_close, so that there is one writer
 * whoever starts it; WAL, PERSIST_WAL, synchronous as given ("FULL"/"NORMAL"), checkpoints only by db_checkpoint. NULL
 * with why 503 `ledger_unavailable` naming the file and the missing right. Registers the SQL functions sha256_hex(x),
 * client_pid() and chain_hash(prev, name1, value1, …): SHA-256 in hex over prev followed by the canonical JSON of the
 * record {name: value…}, texts as strings. */
struct db *db_open(const char *path, enum sql_file file, enum db_mode mode, const char *synchronous,
	struct problem *why);
void db_close(struct db *d);
const char *db_library_version(void);          /* of the SQLite that runs */
/* The lock of a DB_WRITE connection without one: nobody opens the file for writing until the descriptor is closed. -1 with
 * why 503, which names who has it. */
int db_lock(const char *path, struct problem *why);

/* Values by type string, one letter each: i int64_t, d double, t const char * (NULL is SQL NULL), s struct str (p NULL
 * is SQL NULL), b struct str as blob, n SQL NULL (takes no argument). Text must stay alive until db_end. Prepared once
 * per connection, reused; at most one use of one id at a time per connection is cached, nested uses prepare another.
 * Statements must be ended before the fiber suspends. Never NULL: when the statement could not be prepared, db_step
 * fails. An id of the other file, or a number of values that is not the statement's, is fatal. */
struct db_stmt *db_start(struct db *d, enum sql_id id, const char *types, ...);
/* For values that came from outside: a wrong number of them makes db_step fail. */
struct db_stmt *db_start_values(struct db *d, enum sql_id id, const struct wire_value *value, unsigned n);
/* 1 a row, 0 no more, -1 failed (logged unless a constraint; transient causes were retried) */
int db_step(struct db_stmt *s);
int64_t db_int(struct db_stmt *s, int column);
struct str db_text(struct db_stmt *s, int column);      /* p NULL for SQL NULL; valid until the next step or end */
/* SQLite's name of its type: i(nteger), r(eal), t(ext), b(lob), n(ull). To be asked before db_text, which converts. */
char db_type(struct db_stmt *s, int column);
bool db_is_null(struct db_stmt *s, int column);
void db_end(struct db_stmt *s);                         /* NULL is fine */
/* One row with one value; found false when there is none. -1 when the query failed. */
int db_one_int(struct db *d, enum sql_id id, int64_t *out, bool *found, const char *types, ...);

/* The words of a text as the full-text tables have them: folded, without accents, stemmed (porter over unicode61). Calls
 * fn for each in order; `from` is the place in the text that it comes from. Both are gone when fn returns. -1 when the
 * library has no such tokenizer (logged). */
int db_words(struct db *d, struct str text, void (*fn)(void *ctx, struct str word, struct str from), void *ctx);

/* A read transaction over several statements (snapshot). Never held across a suspension. */
int db_begin_read(struct db *d);
void db_end_read(struct db *d);

/* Copies what d's read transaction sees into a new file (mode 0600, which must not exist), in one piece and whatever is
 * written meanwhile; the copy is in SQLite's rollback mode. Reads only: nothing is checkpointed. progress, which may be
 * NULL, is told now and then. -1 with why 503; then a part of the file may be there. */
typedef void db_copy_progress(void *ctx, int64_t done, int64_t total);
int db_copy(struct db *d, const char *path, db_copy_progress *progress, void *ctx, struct problem *why);

/* For the writer and migrate only. */
int db_begin(struct db *d);                             /* BEGIN IMMEDIATE */
int db_commit(struct db *d);            /* fails, too, when the path does not name the open file any more */
void db_rollback(struct db *d);
int db_savepoint(struct db *d);
int db_release(struct db *d);                           /* keeps what was done since the savepoint */
int db_undo(struct db *d);                              /* rolls back to the savepoint and releases it */
int db_exec(struct db *d, const char *text);            /* a fixed text or a migration; -1 logged */
bool db_in_transaction(struct db *d);                   /* false after a failure that made SQLite roll back by itself */
/* rows changed by the last INSERT, UPDATE or DELETE, those of triggers not counted */
int64_t db_changes(struct db *d);
int64_t db_total_changes(struct db *d);                 /* of all statements since it was opened, triggers' too */
void db_set_client(struct db *d, pid_t pid);            /* what client_pid() gives */
int db_user_version(struct db *d);                      /* -1 when it cannot be read */
int db_set_user_version(struct db *d, int version);
/* Why the last call on d failed: "constraint", "full", "io", "busy", "readonly", "corrupt", "other" and SQLite's
 * message. */
const char *db_error_kind(struct db *d);
const char *db_error_text(struct db *d);
/* Writer only, outside a transaction. Checkpoints each time the WAL has grown by wal_pages_limit pages; when readers
 * have kept it from being reused until it is four times as long, waits for them (a tenth of a second at most), so that
 * the next write starts it anew. */
void db_checkpoint(struct db *d, int64_t wal_pages_limit);
/* length of the WAL after the last commit of this connection, in pages */
int64_t db_wal_pages(struct db *d);
/* For the test of all statements: whether id can be prepared, how many parameters it has, and whether SQLite says that
 * it changes nothing. */
int db_inspect(struct db *d, enum sql_id id, int *parameters, bool *readonly);

/* Somebody's dump of one table, read in a database in memory that has no access to anything else. */
struct db_dump {
	const char *table;              /* CREATE TABLE and INSERT of values into it are run, nothing else */
	/* A statement that was not run, or failed; those of a dump's own frame (PRAGMA, BEGIN, COMMIT) are not told. */
	void (*refused)(void *ctx, struct str statement, const char *why);
	/* A row in the table's order: its columns by name; a blob is null. Owned by the caller of row. */
	void (*row)(void *ctx, struct json_object *row);
	void *ctx;
};
/* -1: the dump has no such table, or made more work than DB_DUMP_STEPS_MAX. */
int db_read_dump(struct str text, const struct db_dump *dump);

#endif
