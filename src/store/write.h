/* The client of the writer: builds a write, sends it at once, suspends the fiber until it is acknowledged. Writes of
 * many fibers are in flight together (pipelined); the connection is made again when the writer was replaced, and
 * unanswered writes that carry a proof are sent again. */
#ifndef STORE_WRITE_H
#define STORE_WRITE_H
#include "base/arena.h"
#include "base/problem.h"
#include "store/shared.h"
#include "store/sql.h"

struct write;

/* Once a process, after loop_init. socket: path of writer.sock; shared may be NULL (rowcall). timeout_ms bounds every
 * write. */
void write_init(const char *socket, struct shared *shared, int64_t timeout_ms);
void write_done(void);                          /* closes the connection; no write may be under way */

struct write *write_new(struct arena *a, enum sql_file file);
/* Types as for db_start. Values are copied. */
void write_add(struct write *w, enum sql_id id, const char *types, ...);
/* Names the PROOF statement that gives a row when this write has been applied; needed for a repeat after the writer
 * died. */
void write_proof(struct write *w, enum sql_id id, const char *types, ...);
unsigned write_statements(const struct write *w);
/* 0 committed (durable). -1: why is 409 `<refusal code>` when it was refused (nothing of it was applied; the caller
 * maps the status), or 503 `ledger_unavailable` (Retry-After 1) when it was not applied or cannot be known: see
 * write_unknown. 413 `write_too_large` when it exceeds a limit of wire.h. Only on a fiber; once for each write. */
int write_submit(struct write *w, struct problem *why);
/* Whether the writer answers within that time, by a write without statements: 0 or -1, as write_submit. */
int write_ask(struct arena *a, int64_t timeout_ms, struct problem *why);
/* After a 503 of write_submit: true when the write may have been applied (no answer came), false when it certainly was
 * not. */
bool write_unknown(const struct write *w);
int64_t write_result(const struct write *w);    /* first column of the last statement with RETURNING; 0 when none */
/* False while the writer says that the file cannot be written: nothing that must be recorded may start. */
bool write_healthy(enum sql_file file);

#endif
