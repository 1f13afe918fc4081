/* What a worker and the exec process (daemon/exec.h) say to each other about one program: a request, an answer, one
 * connection for each. Numbers are the machine's own: both ends are of one build. */
#ifndef CALL_PROGRAM_H
#define CALL_PROGRAM_H
#include "base/buf.h"

enum {
	PROGRAM_NAME_MAX = 255,                 /* NAME_MAX */
	PROGRAM_ARG_MAX = 128 * 1024 - 1,       /* bytes of one argument or NAME=value: execve(2), MAX_ARG_STRLEN */
	PROGRAM_ARGS_MAX = 256,                 /* arguments */
	PROGRAM_ARGS_BYTES_MAX = 512 * 1024,    /* of all arguments; a quarter of the usual stack, so that variables fit too */
	PROGRAM_TOTAL_MAX = 2 * PROGRAM_ARGS_BYTES_MAX, /* bytes of all arguments and variables */
	PROGRAM_REQUEST_MAX = PROGRAM_TOTAL_MAX + 8192,
	PROGRAM_ERR_MAX = 1024,                 /* bytes of standard error, its end, that an answer has */
	PROGRAM_SLACK = 4096,                   /* what an answer takes beside the output */
};

struct program_request {
	struct str name;                        /* in the folder; no "/", no dot at the beginning */
	const struct str *arg;                  /* argv[1]… */
	size_t args;
	const struct str *env;                  /* NAME=value */
	size_t envs;
	int64_t timeout_ms;
};

enum program_end { PROGRAM_EXITED, PROGRAM_TIMEOUT, PROGRAM_REFUSED };

struct program_answer {
	enum program_end end;
	int code;                               /* of an exit; 128 and the signal's number when it was killed */
	bool cut;                               /* out is the beginning of more */
	struct str out, err;                    /* of a refusal err is the reason, as `not_found` */
};

bool program_name_is_valid(struct str name);
void program_put_request(struct buf *out, const struct program_request *r);
/* Texts point into message, the arrays are the arena's. -1: malformed. */
int program_get_request(struct arena *a, struct str message, struct program_request *out);
void program_put_answer(struct buf *out, const struct program_answer *r);
int program_get_answer(struct str message, struct program_answer *out);

#endif
