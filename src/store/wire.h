/* Frames between the writer and its clients: length-prefixed, little-endian, over a SOCK_STREAM Unix socket. A request
 * is a write: an id, a file, an optional proof statement, and a list of (statement number, typed values). An answer is:
 * id, committed | refused(code, statement) | failed(code), one int64 result. Precise layout in the comment of wire.c: a
 * second client can be written from it. */
#ifndef STORE_WIRE_H
#define STORE_WIRE_H
#include <stdarg.h>
#include "base/buf.h"
#include "store/sql.h"

enum {
	WIRE_FRAME_MAX = 4 << 20,       /* bytes of one frame, header included */
	WIRE_STATEMENTS_MAX = 8192,     /* statements of one write */
	WIRE_VALUES_MAX = 64,           /* values of one statement */
	WIRE_VERSION = 1,
};

enum wire_status { WIRE_COMMITTED, WIRE_REFUSED, WIRE_FAILED };

struct wire_value { char type; int64_t i; double d; struct str s; };  /* type as in db_start */
struct wire_statement { enum sql_id id; unsigned n; struct wire_value value[WIRE_VALUES_MAX]; };

struct wire_answer { uint64_t id; enum wire_status status; char code[64]; int64_t result; };

/* Takes the arguments that `types` names (db.h) into value[WIRE_VALUES_MAX]: t becomes s, NULL becomes n. Returns how
 * many; fatal on a wrong type. */
unsigned wire_values(struct wire_value *value, const char *types, va_list ap);

/* Writing a request: b is empty before wire_begin and holds exactly one frame after wire_end. */
void wire_begin(struct buf *b, uint64_t id, enum sql_file file, bool repeated);
void wire_statement(struct buf *b, enum sql_id id, bool proof, const char *types, va_list ap);
int wire_end(struct buf *b);            /* fills the length; -1 when a limit is exceeded */
void wire_mark_repeated(struct buf *b); /* in a finished frame */
/* Reading. wire_next: 1 a whole frame at the front of `in` (*frame), 0 more bytes needed, -1 malformed. */
int wire_next(struct str in, struct str *frame);
struct wire_reader { struct str rest; uint64_t id; enum sql_file file; bool repeated, foreign; unsigned statements; };
/* The head of a request; -1 malformed. foreign: it was made by another build, its statement numbers mean something
 * else. */
int wire_read(struct str frame, struct wire_reader *r);
/* 1, 0 at the end, -1 malformed. Texts point into the frame. The id exists and belongs to the write's file. */
int wire_read_statement(struct wire_reader *r, struct wire_statement *s, bool *proof);
void wire_answer_add(struct buf *b, const struct wire_answer *a);
int wire_answer_read(struct str frame, struct wire_answer *a);          /* -1 malformed */

#endif
