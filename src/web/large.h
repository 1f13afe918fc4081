/* Large documents: made once for all who ask for the same, a little at a time, and kept packed with gzip. What is in
 * them is the caller's business. */
#ifndef WEB_LARGE_H
#define WEB_LARGE_H
#include "web/rest.h"

struct gzip;

struct large_sink {
	struct buf text;                /* the document is added here */
	struct arena *arena;            /* for what is needed until the next large_turn */
	struct gzip *gzip;
	size_t length;                  /* bytes that went on from text */
	bool keep;                      /* true at first; false: the document is not worth keeping */
};

struct large {
	const char *name;               /* who asks with the same name gets the same document */
	const char *type;               /* Content-Type; static */
	/* Adds the whole document, not empty, to s->text. May suspend; calls large_turn after each millisecond of work
	 * or so. -1 with why. */
	int (*write)(struct rest *r, void *ctx, struct large_sink *s, struct problem *why);
	void *ctx;
};

/* Other requests have their turn. What was added goes on, but for its last byte, which emit_end may still take back;
 * the sink's arena is reset. */
void large_turn(struct large_sink *s);
/* Answers 200 with the document, in gzip's form when the request takes it (Content-Encoding, and an ETag of its own:
 * RFC 9110 section 8.8.3.3), or 304 when it has the document in either form, or with what write says is wrong.
 *
 * All requests of a generation of the directory are answered from one making. Who asks while it runs waits for it, and
 * for the next one when the directory has changed between its begin and the request. It is kept (directory_body_put)
 * unless the directory has changed meanwhile. */
void large_answer(struct rest *r, const struct large *l);

#endif
