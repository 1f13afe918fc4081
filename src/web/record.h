/* The FastCGI records of one request, checked before libfcgi sees them. Knows the wire format (FastCGI 1.0 section 3)
 * and nothing else. */
#ifndef WEB_RECORD_H
#define WEB_RECORD_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RECORD_HEADER = 8,              /* bytes of a record's header */
	RECORD_END = 3 * RECORD_HEADER, /* bytes of the records that end a request */
	RECORD_CONTENT_MAX = 65528,     /* content of the records we write: the greatest multiple of 8 in 16 bits */
	RECORD_PARAMS_MAX = 256 * 1024, /* bytes of all names and values of a request; nginx passes 32 KB of headers */
	RECORD_PARAM_COUNT_MAX = 1024,
};

struct record_check {
	unsigned stage;                 /* which record may come next */
	unsigned id;                    /* request id, 0 before it is known */
	unsigned char part[RECORD_HEADER];      /* a header or a begin-request body that has not arrived whole */
	unsigned have;
	unsigned content, padding;      /* bytes of the current record that are still to come */
	bool in_record, keep;           /* keep: the peer wants the connection kept open */
	/* name-value pairs: lengths are read byte by byte, since they may be split over records */
	unsigned char length[4];
	unsigned length_have;
	uint32_t name, value;           /* bytes of the current name and value that are still to come */
	unsigned pair;                  /* what comes next of a pair */
	unsigned params;
	uint32_t params_bytes;
	const char *why;                /* what was wrong, after -1 */
};

/* Before the first byte of each request. */
void record_begin(struct record_check *r);
/* Takes n bytes in the order of arrival. Returns how many of them belong to the request: n, or fewer when it ended
 * before; -1 (for good) when they are not what a web server sends to a responder: begin, parameters, body, nothing
 * else. Management and abort records, other ids and roles, lengths beyond the limits, empty names, names or values
 * that hold NUL, and padding behind begin and empty records (libfcgi takes it for a header) are refused. */
long record_take(struct record_check *r, const unsigned char *p, size_t n);
bool record_complete(const struct record_check *r);     /* the last record of the body was taken */
/* True when p begins with the record by which a web server gives the request up. n: bytes there are, RECORD_HEADER do. */
bool record_is_abort(const unsigned char *p, size_t n, unsigned id);
/* Writes the header of a record of standard output. content <= RECORD_CONTENT_MAX. */
void record_stdout(unsigned char out[RECORD_HEADER], unsigned id, size_t content);
/* Writes what ends a request: the empty record of standard output and the end-request record, status 0. */
void record_end(unsigned char out[RECORD_END], unsigned id);

#endif
