/* Checks FastCGI records on their way to libfcgi, so that libfcgi only ever reads well-formed requests: it allocates
 * whatever length a parameter claims, overflows a buffer on a management record that repeats a name, and answers a
 * refused record with a blocking close. Not a parser: it keeps no content. */
#include <string.h>
#include "web/record.h"

enum { STAGE_BEGIN, STAGE_PARAMS, STAGE_STDIN, STAGE_COMPLETE, STAGE_REFUSED };
enum { PAIR_NAME_LENGTH, PAIR_VALUE_LENGTH, PAIR_CONTENT };
enum { TYPE_BEGIN = 1, TYPE_ABORT = 2, TYPE_END = 3, TYPE_PARAMS = 4, TYPE_STDIN = 5, TYPE_STDOUT = 6 };      /* FastCGI 1.0, section 8 */
enum { VERSION = 1, ROLE_RESPONDER = 1, FLAG_KEEP = 1, BEGIN_BODY = 8 };

void record_begin(struct record_check *r)
{
	memset(r, 0, sizeof(*r));
}

bool record_complete(const struct record_check *r)
{
	return r->stage == STAGE_COMPLETE && !r->in_record;
}

bool record_is_abort(const unsigned char *p, size_t n, unsigned id)
{
	return n >= RECORD_HEADER && p[0] == VERSION && p[1] == TYPE_ABORT && ((unsigned)p[2] << 8 | p[3]) == id;
}

static int refuse(struct record_check *r, const char *why)
{
	r->stage = STAGE_REFUSED;
	r->why = why;
	return -1;
}

/* Collects `want` bytes in r->part; true when they are there. */
static bool collect(struct record_check *r, unsigned want, const unsigned char **p, size_t *n)
{
	size_t take = want - r->have < *n ? want - r->have : *n;

	memcpy(r->part + r->have, *p, take);
	r->have += (unsigned)take;
	*p += take;
	*n -= take;
	return r->have == want;
}

static int header(struct record_check *r)
{
	static const unsigned char expected[] = {
		[STAGE_BEGIN] = TYPE_BEGIN, [STAGE_PARAMS] = TYPE_PARAMS, [STAGE_STDIN] = TYPE_STDIN,
	};
	const unsigned char *h = r->part;
	unsigned id = (unsigned)h[2] << 8 | h[3];

	r->have = 0;
	if (h[0] != VERSION)
		return refuse(r, "unknown version");
	if (h[1] != expected[r->stage])
		return refuse(r, "record of a type that may not come here");
	if (id == 0 || (r->id && id != r->id))
		return refuse(r, "record of another request");
	r->id = id;
	r->content = (unsigned)h[4] << 8 | h[5];
	r->padding = h[6];
	r->in_record = true;
	if (r->stage == STAGE_BEGIN && r->content != BEGIN_BODY)
		return refuse(r, "begin record of a wrong length");
	if (r->padding && (r->stage == STAGE_BEGIN || !r->content))
		return refuse(r, "padding where libfcgi does not skip it");
	if (r->content)
		return 0;
	if (r->stage == STAGE_PARAMS && (r->pair != PAIR_NAME_LENGTH || r->length_have))
		return refuse(r, "parameters end within a pair");
	r->stage++;             /* an empty record ends its stream */
	return 0;
}

static int begin_body(struct record_check *r)
{
	r->have = 0;
	r->content = 0;
	if (r->part[0] != 0 || r->part[1] != ROLE_RESPONDER)
		return refuse(r, "role other than responder");
	r->keep = r->part[2] & FLAG_KEEP;
	r->stage = STAGE_PARAMS;
	return 0;
}

/* One byte of a length: a single byte below 128, or four bytes with the top bit set. */
static int length_byte(struct record_check *r, unsigned char c)
{
	uint32_t n;

	r->length[r->length_have++] = c;
	if (r->length[0] & 0x80) {
		if (r->length_have < 4)
			return 0;
		n = (uint32_t)(r->length[0] & 0x7f) << 24 | (uint32_t)r->length[1] << 16;
		n |= (uint32_t)r->length[2] << 8 | r->length[3];
	} else {
		n = r->length[0];
	}
	r->length_have = 0;
	if (n > RECORD_PARAMS_MAX - r->params_bytes)
		return refuse(r, "parameters too long");
	r->params_bytes += n;
	if (r->pair == PAIR_NAME_LENGTH) {
		if (n == 0)
			return refuse(r, "parameter without a name");
		r->name = n;
		r->pair = PAIR_VALUE_LENGTH;
		return 0;
	}
	if (++r->params > RECORD_PARAM_COUNT_MAX)
		return refuse(r, "too many parameters");
	r->value = n;
	r->pair = PAIR_CONTENT;
	return 0;
}

static int params(struct record_check *r, const unsigned char *p, size_t n)
{
	while (n) {
		uint32_t *left = r->name ? &r->name : &r->value;
		size_t take;

		if (r->pair != PAIR_CONTENT) {
			if (length_byte(r, *p++) < 0)
				return -1;
			n--;
			continue;
		}
		take = *left < n ? *left : n;
		/* libfcgi hands out "NAME=value" strings: these bytes would make a pair read as another one. */
		if (memchr(p, '\0', take) || (left == &r->name && memchr(p, '=', take)))
			return refuse(r, "parameter with NUL, or with = in its name");
		*left -= (uint32_t)take;
		p += take;
		n -= take;
		if (!r->name && !r->value)
			r->pair = PAIR_NAME_LENGTH;
	}
	return 0;
}

/* Content and padding of the current record. */
static int record_bytes(struct record_check *r, const unsigned char **p, size_t *n)
{
	size_t take = r->content < *n ? r->content : *n;

	if (r->stage == STAGE_BEGIN) {
		if (collect(r, BEGIN_BODY, p, n))
			return begin_body(r);
		return 0;
	}
	if (r->content) {
		if (r->stage == STAGE_PARAMS && params(r, *p, take) < 0)
			return -1;
		r->content -= (unsigned)take;
	} else {
		take = r->padding < *n ? r->padding : *n;
		r->padding -= (unsigned)take;
	}
	*p += take;
	*n -= take;
	return 0;
}

long record_take(struct record_check *r, const unsigned char *p, size_t n)
{
	size_t all = n;

	while (n && !record_complete(r)) {
		if (r->stage == STAGE_REFUSED)
			return -1;
		if (!r->in_record) {
			if (collect(r, RECORD_HEADER, &p, &n) && header(r) < 0)
				return -1;
		} else if (record_bytes(r, &p, &n) < 0) {
			return -1;
		}
		if (r->in_record && !r->content && !r->padding)
			r->in_record = false;
	}
	return r->stage == STAGE_REFUSED ? -1 : (long)(all - n);
}

static void write_header(unsigned char out[RECORD_HEADER], unsigned char type, unsigned id, size_t content)
{
	out[0] = VERSION;
	out[1] = type;
	out[2] = (unsigned char)(id >> 8);
	out[3] = (unsigned char)id;
	out[4] = (unsigned char)(content >> 8);
	out[5] = (unsigned char)content;
	out[6] = out[7] = 0;
}

void record_stdout(unsigned char out[RECORD_HEADER], unsigned id, size_t content)
{
	write_header(out, TYPE_STDOUT, id, content);
}

void record_end(unsigned char out[RECORD_END], unsigned id)
{
	memset(out, 0, RECORD_END);
	write_header(out, TYPE_STDOUT, id, 0);
	write_header(out + RECORD_HEADER, TYPE_END, id, RECORD_HEADER);
}
