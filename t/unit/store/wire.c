/* Frames: what is written is read, and nothing malformed passes. */
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "store/wire.h"
#include "tap.h"

static void add(struct buf *b, enum sql_id id, bool proof, const char *types, ...)
{
	va_list ap;

	va_start(ap, types);
	wire_statement(b, id, proof, types, ap);
	va_end(ap);
}

static void round_trip(void)
{
	struct buf b = BUF_MALLOC;
	struct str frame;
	struct wire_reader r;
	struct wire_statement s;
	bool proof;

	wire_begin(&b, 0x1122334455667788u, SQL_LEDGER, false);
	add(&b, SQL_RECEIPT_ADD, false, "idtsbns", (int64_t)-5, 2.5, "text", str_make("a\0b", 3), str_make("", 0),
		str_make(NULL, 0));
	add(&b, SQL_RECEIPT_APPLIED, true, "t", (const char *)NULL);
	tap_is_int(wire_end(&b), 0, "a request within its limits is finished");
	tap_is_int(wire_next(buf_str(&b), &frame), 1, "it is one whole frame");
	tap_is_int(wire_read(frame, &r), 0, "its head is read");
	tap_ok(r.id == 0x1122334455667788u && r.file == SQL_LEDGER && !r.repeated && !r.foreign && r.statements == 2,
		"with every field");
	tap_is_int(wire_read_statement(&r, &s, &proof), 1, "the first statement is read");
	tap_ok(s.id == SQL_RECEIPT_ADD && s.n == 7 && !proof, "with number and count");
	tap_ok(s.value[0].i == -5 && s.value[1].d == 2.5 && str_is(s.value[2].s, "text"), "numbers and text come back");
	tap_ok(s.value[3].s.n == 3 && memcmp(s.value[3].s.p, "a\0b", 3) == 0 && s.value[4].type == 'b' &&
		s.value[4].s.n == 0 && s.value[4].s.p,
		"text with NUL and an empty blob come back");
	tap_ok(s.value[5].type == 'n' && s.value[6].type == 'n', "NULL and an absent text are NULL");
	tap_ok(wire_read_statement(&r, &s, &proof) == 1 && proof && s.value[0].type == 'n', "a proof is marked");
	tap_is_int(wire_read_statement(&r, &s, &proof), 0, "then it ends");
	wire_mark_repeated(&b);
	tap_ok(wire_read(buf_str(&b), &r) == 0 && r.repeated, "a finished frame can be marked as repeated");
	b.data[8] ^= 1;
	tap_ok(wire_read(buf_str(&b), &r) == 0 && r.foreign, "one of another build is recognised");
	buf_free(&b);
}

static void limits(void)
{
	struct buf b = BUF_MALLOC;
	struct str big = str_make(memset(mem_alloc(WIRE_FRAME_MAX + 1), 'x', WIRE_FRAME_MAX + 1), WIRE_FRAME_MAX + 1);

	wire_begin(&b, 1, SQL_LEDGER, false);
	for (int i = 0; i < WIRE_STATEMENTS_MAX; i++)
		add(&b, SQL_KV_DEL, false, "t", "k");
	tap_is_int(wire_end(&b), 0, "the greatest number of statements is accepted");
	add(&b, SQL_KV_DEL, false, "t", "k");
	tap_is_int(wire_end(&b), -1, "one more is not");
	buf_clear(&b);
	wire_begin(&b, 1, SQL_LEDGER, false);
	add(&b, SQL_KV_DEL, false, "s", big);
	for (int i = 0; i < 70000; i++)
		add(&b, SQL_KV_DEL, false, "");
	tap_is_int(wire_end(&b), -1, "a text over the frame's limit is refused, whatever follows");
	buf_clear(&b);
	wire_begin(&b, 1, SQL_LEDGER, false);
	add(&b, SQL_KV_DEL, false, "s", str_make(big.p, WIRE_FRAME_MAX / 2));
	add(&b, SQL_KV_DEL, false, "s", str_make(big.p, WIRE_FRAME_MAX / 2));
	tap_is_int(wire_end(&b), -1, "and so is a frame that grew over it");
	buf_free(&b);
	free((char *)big.p);
}

/* Reads everything in a frame; 0 well formed. */
static int read_all(struct str frame)
{
	struct wire_reader r;
	struct wire_statement s;
	bool proof;
	int rc;

	if (wire_read(frame, &r) < 0)
		return -1;
	while ((rc = wire_read_statement(&r, &s, &proof)) == 1)
		;
	return rc;
}

static void malformed(void)
{
	struct buf b = BUF_MALLOC, copy = BUF_MALLOC;
	struct str frame;
	int bad = 0;

	wire_begin(&b, 7, SQL_LEDGER, false);
	add(&b, SQL_KV_PUT, false, "tsi", "key", str_of("value"), (int64_t)9);
	wire_end(&b);
	tap_is_int(wire_next(str_make(b.data, 3), &frame), 0, "three bytes are not yet a length");
	tap_is_int(wire_next(str_make(b.data, b.len - 1), &frame), 0, "a frame without its last byte is waited for");
	tap_is_int(wire_next(str_make("\x04\0\0\0", 4), &frame), -1, "a length below the head is malformed");
	tap_is_int(wire_next(str_make("\xff\xff\xff\xff", 4), &frame), -1, "so is one above the limit");
	for (size_t n = 22; n < b.len; n++)
		bad += read_all(str_make(b.data, n)) < 0;
	tap_is_int(bad, (int)b.len - 22, "a frame cut anywhere is malformed");
	buf_putstr(&copy, buf_str(&b));
	buf_putc(&copy, 0);
	tap_is_int(read_all(buf_str(&copy)), -1, "bytes after the last statement are malformed");
	copy.len--;
	copy.data[6] = 2;
	tap_is_int(read_all(buf_str(&copy)), -1, "a file that does not exist is malformed");
	copy.data[6] = 0;
	tap_is_int(read_all(buf_str(&copy)), -1, "a statement of the other file is malformed");
	copy.data[6] = 1;
	copy.data[22] = copy.data[23] = (char)0xff;
	tap_is_int(read_all(buf_str(&copy)), -1, "a number that is no statement is malformed");
	for (size_t i = 0; i < b.len; i++)
		for (int v = 0; v < 256; v++) {
			buf_clear(&copy);
			buf_putstr(&copy, buf_str(&b));
			copy.data[i] = (char)v;
			read_all(buf_str(&copy));
		}
	tap_ok(true, "no single changed byte makes the reader leave the frame");
	buf_free(&b);
	buf_free(&copy);
}

static void answers(void)
{
	struct buf b = BUF_MALLOC;
	struct wire_answer a = { .id = 99, .status = WIRE_REFUSED, .code = "row_changed", .result = -3 }, got;
	struct str frame;

	wire_answer_add(&b, &a);
	a = (struct wire_answer){ .id = 100, .status = WIRE_COMMITTED, .result = 1 };
	wire_answer_add(&b, &a);
	tap_ok(wire_next(buf_str(&b), &frame) == 1 && wire_answer_read(frame, &got) == 0, "an answer is read");
	tap_ok(got.id == 99 && got.status == WIRE_REFUSED && got.result == -3 && strcmp(got.code, "row_changed") == 0,
		"with every field");
	tap_ok(wire_next(str_skip(buf_str(&b), frame.n), &frame) == 1 && wire_answer_read(frame, &got) == 0 &&
		got.id == 100 && !*got.code,
		"the next one follows it");
	tap_is_int(wire_answer_read(str_make(frame.p, frame.n - 1), &got), -1, "a cut one is malformed");
	tap_is_int(read_all(frame), -1, "an answer is no request");
	buf_free(&b);
}

int main(void)
{
	round_trip();
	limits();
	malformed();
	answers();
	return tap_done();
}
