/* The check of FastCGI records: what a web server sends passes however it is cut, anything else is refused. */
#include <stdlib.h>
#include <string.h>
#include "tap.h"
#include "web/record.h"

static unsigned char wire[400000];
static size_t length;

static void start(void)
{
	length = 0;
}

static void put(const void *p, size_t n)
{
	memcpy(wire + length, p, n);
	length += n;
}

static void record(unsigned type, unsigned id, const void *content, size_t n, unsigned padding)
{
	unsigned char header[RECORD_HEADER] = { 1, (unsigned char)type, (unsigned char)(id >> 8), (unsigned char)id, (unsigned char)(n >> 8), (unsigned char)n,
						(unsigned char)padding, 0 };

	put(header, sizeof(header));
	put(content, n);
	memset(wire + length, 'p', padding);
	length += padding;
}

static void begin(unsigned role, unsigned flags)
{
	unsigned char body[8] = { 0, (unsigned char)role, (unsigned char)flags };

	record(1, 1, body, sizeof(body), 0);
}

/* Takes the wire in steps of `step` bytes. */
static long take(struct record_check *r, size_t step)
{
	long all = 0;

	record_begin(r);
	for (size_t at = 0; at < length; at += step) {
		long n = record_take(r, wire + at, step < length - at ? step : length - at);

		if (n < 0)
			return -1;
		all += n;
	}
	return all;
}

static void good_request(void)
{
	static char value[70000];
	unsigned char big[8 + 70000] = { 1, 0x80 | (sizeof(value) >> 24), (sizeof(value) >> 16) & 0xff, (sizeof(value) >> 8) & 0xff, sizeof(value) & 0xff, 'B' };

	memset(value, 'v', sizeof(value));
	memcpy(big + 6, value, sizeof(value));
	start();
	begin(1, 1);
	record(4, 1, "\x04\x00NAME\x01\x01" "a" "b", 10, 6);
	record(4, 1, big, 40000, 0);
	record(4, 1, big + 40000, 6 + sizeof(value) - 40000, 3);
	record(4, 1, "", 0, 0);
	record(5, 1, "\0body\xff", 6, 2);
	record(5, 1, "", 0, 0);
}

static void test_good(void)
{
	static const size_t steps[] = { 1, 2, 3, 7, 8, 9, 100, 8192, sizeof(wire) };
	struct record_check r;

	good_request();
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		tap_ok(take(&r, steps[i]) == (long)length && record_complete(&r) && r.keep, "a request in pieces of %zu bytes passes", steps[i]);
	good_request();
	record_begin(&r);
	for (size_t at = 0; at + 1 < length; at++)
		if (record_take(&r, wire + at, 1) != 1 || record_complete(&r)) {
			tap_ok(false, "complete only with the last byte (%zu)", at);
			return;
		}
	tap_ok(!record_complete(&r), "complete only with the last byte");
	put("more", 4);
	tap_is_int(take(&r, length), (int64_t)length - 4, "bytes behind the request are not taken");
	start();
	begin(1, 0);
	record(4, 1, "", 0, 0);
	record(5, 1, "", 0, 0);
	tap_ok(take(&r, length) == (long)length && record_complete(&r) && !r.keep, "a request without parameters, not to be kept");
}

static void refused(const char *what)
{
	struct record_check r;
	bool whole = take(&r, length) < 0, again = record_take(&r, (const unsigned char *)"x", 1) < 0, said = r.why != NULL;

	tap_ok(whole && again && said && take(&r, 1) < 0, "refused: %s", what);
}

static void params(const void *p, size_t n)
{
	start();
	begin(1, 1);
	record(4, 1, p, n, 0);
}

static void test_lengths(void)
{
	static char many[2 * 3000];

	params("\xff\xff\xff\xff\x01", 5);
	refused("a name of 2 GiB");
	params("\x01\xff\xff\xff\xff", 5);
	refused("a value of 2 GiB");
	params("\xff\xff\xff\xfe\xff\xff\xff\xfe", 8);
	refused("two lengths whose sum overflows");
	params("\x01\x80\x04\x00\x00", 5);
	refused("one byte more than all parameters may have");
	params("\x01\x80\x03\xff\xff", 5);
	tap_ok(take(&(struct record_check){ 0 }, length) > 0, "as many as they may have");
	params("\x00\x01v", 3);
	refused("an empty name");
	params("\x01\x03" "a" "b\0c", 6);
	refused("NUL in a value");
	params("\x03\x01" "a\0b" "c", 6);
	refused("NUL in a name");
	params("\x03\x01" "a=b" "c", 6);
	refused("= in a name");
	params("\x01\x03" "a" "b=c", 6);
	tap_ok(take(&(struct record_check){ 0 }, length) > 0, "= in a value is fine");
	params("\x05\x05" "abc", 5);
	record(4, 1, "", 0, 0);
	refused("parameters that end within a pair");
	params("\x81\x00", 2);
	record(4, 1, "", 0, 0);
	refused("parameters that end within a length");
	for (size_t i = 0; i < sizeof(many); i += 3)
		memcpy(many + i, "\x01\x00" "a", 3);
	params(many, sizeof(many));
	refused("2,000 parameters");
}

static void test_order(void)
{
	start();
	put("GET / HTTP/1.1\r\n", 16);
	refused("no FastCGI");
	start();
	record(4, 1, "", 0, 0);
	refused("parameters first");
	start();
	record(1, 0, "\0\1\1\0\0\0\0\0", 8, 0);
	refused("request id 0");
	start();
	record(1, 1, "\0\1\1\0\0\0\0", 7, 0);
	refused("a begin of 7 bytes");
	start();
	record(1, 1, "\0\1\1\0\0\0\0\0", 8, 1);
	refused("a padded begin");
	start();
	begin(2, 1);
	refused("an authorizer");
	start();
	begin(1, 1);
	begin(1, 1);
	refused("a second begin");
	start();
	begin(1, 1);
	record(4, 2, "\x01\x00" "a", 3, 0);
	refused("another request");
	start();
	begin(1, 1);
	record(5, 1, "x", 1, 0);
	refused("a body before the parameters' end");
	start();
	begin(1, 1);
	record(4, 1, "", 0, 4);
	refused("a padded end of a stream");
	start();
	begin(1, 1);
	record(4, 1, "", 0, 0);
	record(2, 1, "", 0, 0);
	refused("an abort");
	start();
	begin(1, 1);
	record(9, 0, "\x0e\x00" "FCGI_MAX_CONNS", 16, 0);
	refused("a management record");
}

static void test_abort(void)
{
	start();
	record(2, 0x0102, "", 0, 0);
	tap_ok(record_is_abort(wire, RECORD_HEADER, 0x0102), "an abort behind a request is told");
	tap_ok(!record_is_abort(wire, RECORD_HEADER - 1, 0x0102), "when all of it is there");
	tap_ok(!record_is_abort(wire, RECORD_HEADER, 0x0103), "and when it means this request");
	start();
	begin(1, 1);
	tap_ok(!record_is_abort(wire, RECORD_HEADER, 1), "the next request is none");
}

static void test_random(void)
{
	struct record_check r;
	unsigned done = 0;

	srand(3);
	for (int round = 0; round < 20000; round++) {
		good_request();
		length = 200;
		for (int i = rand() % 4; i >= 0; i--)
			wire[(unsigned)rand() % 120] = (unsigned char)rand();
		take(&r, 1 + (unsigned)rand() % 64);
		done++;
	}
	tap_is_int(done, 20000, "damaged requests are survived");
}

int main(void)
{
	unsigned char header[RECORD_HEADER], end[RECORD_END];

	test_good();
	test_lengths();
	test_order();
	test_abort();
	test_random();
	record_stdout(header, 0x1234, 65528);
	tap_ok(memcmp(header, "\x01\x06\x12\x34\xff\xf8\0\0", 8) == 0, "a record of standard output is headed as section 3.3 says");
	record_end(end, 0x1234);
	tap_ok(memcmp(end, "\x01\x06\x12\x34\0\0\0\0\x01\x03\x12\x34\0\x08\0\0\0\0\0\0\0\0\0\0", 24) == 0,
	       "the end of a request is an empty record and end-request (sections 5.3 and 5.5)");
	return tap_done();
}
