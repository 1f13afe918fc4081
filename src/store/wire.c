/* The frames between the writer and its clients. All numbers are little-endian and not aligned; u16 is two bytes, u32
 * four, u64 and i64 eight.
 *
 * Every frame
 *   u32 length     of the whole frame, these four bytes included; at most WIRE_FRAME_MAX
 *   u8  version    WIRE_VERSION
 *   u8  kind       1 request, 2 answer
 * Request
 *   u8  file       0 directory.db, 1 ledger.db
 *   u8  flags      bit 0: repeated, it may have been applied before; the writer runs its proof statements first
 *   u32 build      sql_fingerprint(): statement numbers are those of this list
 *   u64 id         chosen by the client, given back in the answer
 *   u16 count      of statements, at most WIRE_STATEMENTS_MAX, each:
 *     u16 number   enum sql_id
 *     u8  flags    bit 0: this is a proof, not part of the write
 *     u8  count    of values, at most WIRE_VALUES_MAX, each:
 *       u8 type    'i' i64; 'd' u64 holding the bits of a double; 's' text and 'b' blob: u32 length, bytes; 'n' NULL
 * Answer
 *   u8  status     0 committed, 1 refused, 2 failed
 *   u8  length     of the code
 *   u64 id         of the request
 *   i64 result
 *   bytes          the code: why it was refused or failed
 *
 * Requests of one client to one file are applied in the order in which they were sent. A malformed frame ends the
 * connection without an answer. */
#include <endian.h>
#include <string.h>
#include "base/log.h"
#include "store/wire.h"

enum { KIND_REQUEST = 1, KIND_ANSWER = 2 };
enum { FLAG_REPEATED = 1, FLAG_PROOF = 1 };
enum { TOO_LARGE = WIRE_STATEMENTS_MAX + 1 };   /* count of statements of a frame that wire_end will refuse */
enum {
	AT_VERSION = 4, AT_KIND = 5,
	AT_FILE = 6, AT_FLAGS = 7, AT_BUILD = 8, AT_ID = 12, AT_COUNT = 20, REQUEST_HEAD = 22,
	AT_STATUS = 6, AT_CODE_LENGTH = 7, AT_ANSWER_ID = 8, AT_RESULT = 16, ANSWER_HEAD = 24,
};

static void put(struct buf *b, uint64_t v, unsigned bytes)
{
	v = htole64(v);
	buf_add(b, &v, bytes);
}

static uint64_t get(const char *p, unsigned bytes)
{
	uint64_t v = 0;

	memcpy(&v, p, bytes);
	return le64toh(v);
}

static void set(struct buf *b, size_t at, uint64_t v, unsigned bytes)
{
	v = htole64(v);
	memcpy(b->data + at, &v, bytes);
}

/* Values */

static void take_text(struct wire_value *v, char type, struct str s)
{
	v->type = s.p ? type : 'n';
	v->s = s;
}

unsigned wire_values(struct wire_value *value, const char *types, va_list ap)
{
	unsigned n = 0;

	for (const char *t = types; *t; t++, n++) {
		struct wire_value *v = &value[n];

		if (n == WIRE_VALUES_MAX)
			log_fatal("wire: more than %d values", WIRE_VALUES_MAX);
		v->type = *t;
		if (*t == 'i')
			v->i = va_arg(ap, int64_t);
		else if (*t == 'd')
			v->d = va_arg(ap, double);
		else if (*t == 't')
			take_text(v, 's', str_of(va_arg(ap, const char *)));
		else if (*t == 's' || *t == 'b')
			take_text(v, *t, va_arg(ap, struct str));
		else if (*t != 'n')
			log_fatal("wire: no type '%c' of a value", *t);
	}
	return n;
}

static void put_value(struct buf *b, const struct wire_value *v)
{
	uint64_t bits;

	buf_putc(b, v->type);
	switch (v->type) {
	case 'i':
		put(b, (uint64_t)v->i, 8);
		break;
	case 'd':
		memcpy(&bits, &v->d, sizeof(bits));
		put(b, bits, 8);
		break;
	case 's':
	case 'b':
		if (v->s.n > WIRE_FRAME_MAX) {
			set(b, AT_COUNT, TOO_LARGE, 2);
			break;
		}
		put(b, v->s.n, 4);
		buf_putstr(b, v->s);
		break;
	default:
		break;
	}
}

/* Requests */

void wire_begin(struct buf *b, uint64_t id, enum sql_file file, bool repeated)
{
	put(b, 0, 4);
	put(b, WIRE_VERSION, 1);
	put(b, KIND_REQUEST, 1);
	put(b, file, 1);
	put(b, repeated ? FLAG_REPEATED : 0, 1);
	put(b, sql_fingerprint(), 4);
	put(b, id, 8);
	put(b, 0, 2);
}

void wire_statement(struct buf *b, enum sql_id id, bool proof, const char *types, va_list ap)
{
	struct wire_value value[WIRE_VALUES_MAX];
	unsigned n = wire_values(value, types, ap);
	uint64_t count = get(b->data + AT_COUNT, 2);

	set(b, AT_COUNT, count < TOO_LARGE ? count + 1 : TOO_LARGE, 2);
	put(b, id, 2);
	put(b, proof ? FLAG_PROOF : 0, 1);
	put(b, n, 1);
	for (unsigned i = 0; i < n; i++)
		put_value(b, &value[i]);
}

int wire_end(struct buf *b)
{
	if (b->len > WIRE_FRAME_MAX || get(b->data + AT_COUNT, 2) > WIRE_STATEMENTS_MAX)
		return -1;
	set(b, 0, b->len, 4);
	return 0;
}

void wire_mark_repeated(struct buf *b)
{
	b->data[AT_FLAGS] |= FLAG_REPEATED;
}

int wire_next(struct str in, struct str *frame)
{
	uint64_t n;

	if (in.n < 4)
		return 0;
	n = get(in.p, 4);
	if (n < REQUEST_HEAD || n > WIRE_FRAME_MAX)
		return -1;
	if (in.n < n)
		return 0;
	*frame = str_make(in.p, n);
	return 1;
}

static bool is_kind(struct str frame, size_t head, int kind)
{
	return frame.n >= head && frame.p[AT_VERSION] == WIRE_VERSION && frame.p[AT_KIND] == kind;
}

int wire_read(struct str frame, struct wire_reader *r)
{
	if (!is_kind(frame, REQUEST_HEAD, KIND_REQUEST))
		return -1;
	r->id = get(frame.p + AT_ID, 8);
	r->statements = (unsigned)get(frame.p + AT_COUNT, 2);
	r->repeated = frame.p[AT_FLAGS] & FLAG_REPEATED;
	r->foreign = get(frame.p + AT_BUILD, 4) != sql_fingerprint();
	if ((unsigned char)frame.p[AT_FILE] >= SQL_FILES || r->statements > WIRE_STATEMENTS_MAX)
		return -1;
	r->file = (enum sql_file)frame.p[AT_FILE];
	r->rest = str_skip(frame, REQUEST_HEAD);
	return 0;
}

static bool take_bytes(struct str *rest, size_t n, const char **p)
{
	if (rest->n < n)
		return false;
	*p = rest->p;
	*rest = str_skip(*rest, n);
	return true;
}

static int read_value(struct str *rest, struct wire_value *v)
{
	const char *p;
	uint64_t bits;

	if (!take_bytes(rest, 1, &p))
		return -1;
	v->type = *p;
	if (v->type == 'n')
		return 0;
	if (v->type == 's' || v->type == 'b') {
		if (!take_bytes(rest, 4, &p))
			return -1;
		v->s.n = get(p, 4);
		return take_bytes(rest, v->s.n, &v->s.p) ? 0 : -1;
	}
	if ((v->type != 'i' && v->type != 'd') || !take_bytes(rest, 8, &p))
		return -1;
	bits = get(p, 8);
	if (v->type == 'i')
		v->i = (int64_t)bits;
	else
		memcpy(&v->d, &bits, sizeof(bits));
	return 0;
}

int wire_read_statement(struct wire_reader *r, struct wire_statement *s, bool *proof)
{
	const char *p;

	if (r->statements == 0)
		return r->rest.n ? -1 : 0;
	r->statements--;
	if (!take_bytes(&r->rest, 4, &p))
		return -1;
	s->id = (enum sql_id)get(p, 2);
	*proof = p[2] & FLAG_PROOF;
	s->n = (unsigned char)p[3];
	if (!sql_exists((unsigned)s->id) || sql_get(s->id)->file != r->file || s->n > WIRE_VALUES_MAX)
		return -1;
	for (unsigned i = 0; i < s->n; i++)
		if (read_value(&r->rest, &s->value[i]) < 0)
			return -1;
	return 1;
}

/* Answers */

void wire_answer_add(struct buf *b, const struct wire_answer *a)
{
	size_t n = strnlen(a->code, sizeof(a->code) - 1);

	put(b, ANSWER_HEAD + n, 4);
	put(b, WIRE_VERSION, 1);
	put(b, KIND_ANSWER, 1);
	put(b, a->status, 1);
	put(b, n, 1);
	put(b, a->id, 8);
	put(b, (uint64_t)a->result, 8);
	buf_add(b, a->code, n);
}

int wire_answer_read(struct str frame, struct wire_answer *a)
{
	size_t n;

	if (!is_kind(frame, ANSWER_HEAD, KIND_ANSWER) || (unsigned char)frame.p[AT_STATUS] > WIRE_FAILED)
		return -1;
	n = (unsigned char)frame.p[AT_CODE_LENGTH];
	if (n != frame.n - ANSWER_HEAD || n >= sizeof(a->code))
		return -1;
	a->status = (enum wire_status)frame.p[AT_STATUS];
	a->id = get(frame.p + AT_ANSWER_ID, 8);
	a->result = (int64_t)get(frame.p + AT_RESULT, 8);
	memcpy(a->code, frame.p + ANSWER_HEAD, n);
	a->code[n] = 0;
	return 0;
}
