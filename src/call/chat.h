/* One turn of a conversation with a model, over an OpenAI-compatible chat endpoint: what is sent, and what comes back
 * means. What the model's text asks for is not known here. */
#ifndef CALL_CHAT_H
#define CALL_CHAT_H
#include "base/json.h"
#include "call/model.h"
#include "call/outbound.h"

enum {
	CHAT_ANSWER_MAX = 1024 * 1024,  /* bytes of an answer */
	CHAT_TOKENS_MAX = 10000000,     /* a count above it is not believed */
	CHAT_MESSAGE_MAX = 300,         /* bytes of an endpoint's own error message */
	CHAT_RETRIES = 2,               /* times that a turn is sent again when the endpoint says to come back later */
	CHAT_PAUSE_MAX_S = 20,          /* the longest Retry-After that is waited for */
};

struct chat_answer {
	struct str text;                /* what the model says; p NULL: error says why it is not to be had */
	struct str error;               /* result text, `ERR:agent:…`; p NULL: none */
	/* Used, also by an answer that is an error. Of an endpoint that does not count, or not credibly, a token for each
	 * four bytes. */
	int64_t tokens_in, tokens_out;
};

/* Adds {"role","content"} to the array messages. */
void chat_say(struct json_object *messages, const char *role, struct str content);
/* The request of a turn, without credentials: POST to the section's base_url. q is new, with its arena. Streaming is not
 * asked for. */
void chat_build(const struct model *m, struct json_object *messages, struct outbound_request *q);
/* What an answer to `sent` bytes means. The arena's. */
void chat_read(struct arena *a, const struct outbound_response *r, size_t sent, struct chat_answer *out);
/* How long a Retry-After (seconds, or a date: RFC 9110 section 10.2.3) says to wait; -1 when it says nothing. */
int64_t chat_pause_ms(struct str retry_after);
/* Sends q and reads the answer, on a fiber. 429 and 503 with a Retry-After within CHAT_PAUSE_MAX_S and q->timeout_ms,
 * which is for all of it, are waited for, CHAT_RETRIES times at most. */
void chat_fetch(struct outbound_request *q, struct chat_answer *out);

#endif
