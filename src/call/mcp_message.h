/* What an MCP server's answers mean: JSON-RPC 2.0, alone or as an event of a stream, and the results of its tools. It
 * is another program's text, and nothing in it is taken for granted. */
#ifndef CALL_MCP_MESSAGE_H
#define CALL_MCP_MESSAGE_H
#include "base/json.h"

/* A stream of events (HTML standard, section 9.2) as it arrives, read for the one that answers a request. */
struct mcp_stream {
	struct arena *arena;
	int64_t id;                     /* of the request */
	size_t at;                      /* bytes of the body that are read */
	bool after_cr;                  /* an LF at `at` belongs to the line before */
	struct buf line, data;          /* of the event that is being read */
	struct str answer;              /* data of the event that is the answer; p NULL: it has not come */
};
#define MCP_STREAM(a, i) ((struct mcp_stream){ .arena = (a), .id = (i), .line = BUF_ARENA(a), .data = BUF_ARENA(a) })

/* Reads on in body, which has grown at its end since the last time. True when the answer is there. An event that has no
 * blank line behind it is none yet. */
bool mcp_message_stream(struct mcp_stream *s, struct str body);

struct mcp_answer {
	struct json_object *result;     /* the object; NULL: an error */
	int64_t code;                   /* of the error */
	struct str message;
	struct json_object *data;       /* NULL: none */
};

/* The answer to request `id` that text is; an error may also have no id, or null. Objects are the arena's. Returns what is
 * wrong with the text, NULL when nothing is. */
const char *mcp_message_read(struct arena *a, struct str text, int64_t id, struct mcp_answer *out);

/* What a result of tools/call says, appended to out: structuredContent as JSON in place of the texts that repeat it,
 * else the texts; images, sounds and binary resources as data: URIs, links as their URI; a line each. */
void mcp_message_text(struct buf *out, struct json_object *result);
bool mcp_message_is_error(struct json_object *result);
/* A value for a header that mirrors one of the body: as it is where a header can hold it, else `=?base64?…?=`. The
 * arena's. */
struct str mcp_message_header(struct arena *a, struct str value);
/* Calls fn with each header `Mcp-Param-…` that the properties of a tool's input schema ask for with "x-mcp-header". value is
 * to be encoded still; p NULL when the arguments have no string, number or boolean for it: then there is no such header. */
void mcp_message_params(struct json_object *schema, struct json_object *arguments,
	void (*fn)(void *ctx, struct str name, struct str value), void *ctx);

#endif
