/* The interface of a service as the commands use it: every command is a request of rowcall-api(7). A service on this
 * machine is asked over its FastCGI socket, with the owner's key from its secrets file; when none runs in the folder, one
 * is started for as long as the command takes, so that its lock holds and everything goes one way. A service elsewhere
 * is asked over HTTPS with a credential from the environment or a file. */
#ifndef CTL_API_H
#define CTL_API_H
#include "base/json.h"
#include "ctl/ctl.h"

enum {
	API_ANSWER_MAX = 64 << 20,      /* bytes of an answer's body */
	API_TIMEOUT_S = 330,            /* for an answer: more than a trace may take */
	API_CREDENTIAL_MAX = 4096,      /* bytes of a credential in a file */
};

struct api;

struct api_header { const char *name; const char *value; };

struct api_request {
	const char *method;
	const char *path;               /* with its query, escaped: "/api/directory/NOW" */
	struct json_object *json;       /* the body, or NULL; stays the caller's */
	struct api_header header[4];    /* name NULL ends them */
	const char *wants;              /* the member that a good answer has; NULL: ok; "": it is Markdown */
	bool list;                      /* of that name is an array */
	bool quiet;                     /* a refusal is not printed: the caller looks at status */
	bool running;                   /* only of a service that runs: none is started for it */
};

struct api_answer {
	int status;
	struct str type;                /* Content-Type */
	struct str etag;                /* p NULL: none */
	struct str body;
	struct json_object *json;       /* when the body is JSON */
};

/* The service that the common options of the command name (ctl_common). NULL after printing why not, with the exit
 * code in *code. */
struct api *api_open(const struct ctl_args *args, int *code);
void api_close(struct api *a);          /* NULL is fine */
struct arena *api_arena(struct api *a); /* where answers live, until api_forget or api_close */
void api_forget(struct api *a);
/* Stops the service that was started for the command, so that it holds nobody up while a person thinks; the next request
 * starts one again. */
void api_pause(struct api *a);
/* Sends it and reads the whole answer. 0, or an exit code after printing why: no answer, a status from 400 on, or an
 * answer that is not what was asked for: whatever else may stand at the address never passes for the service. */
int api_send(struct api *a, const struct api_request *q, struct api_answer *out);
/* The same for the usual request without more. */
int api_get(struct api *a, const char *path, const char *wants, struct api_answer *out);
/* What a refused request was refused for: code and detail, and on further lines what to do. */
const char *api_objection(struct api *a, const struct api_answer *answer);
/* A segment of a path or a value of a query, escaped; the arena's. */
const char *api_escape(struct api *a, const char *text);
/* The service's configuration, or NULL for one elsewhere. */
const struct conf *api_conf(const struct api *a);

/* How a request travels. Answers are appended to out as CGI text: "Status: 200", headers, a blank line, the body. -1
 * with why when none came. */
struct api_transfer {
	const char *method, *path;
	struct str body;                /* p NULL: none */
	const struct api_header *header;
	size_t headers;
};

/* remote.c: of the libcurl that runs. */
const char *remote_library_version(void);
/* local.c: over the FastCGI socket at path. */
int local_send(const char *socket, const struct api_transfer *t, struct buf *out, struct problem *why);
/* Starts rowcalld with that configuration and waits until it answers: its process id, or -1 with why. */
long local_start(const struct conf *conf, const char *socket, struct problem *why);
void local_stop(long pid);

/* remote.c: over HTTPS. Both texts must outlive it; cacert NULL: the system's certificates. */
struct remote;
struct remote *remote_open(const char *url, const char *cacert);
/* A URL to which a credential may be sent: https, or http to this machine; without a user's name. */
bool remote_is_safe(const char *url);
void remote_close(struct remote *r);    /* NULL is fine */
int remote_send(struct remote *r, const struct api_transfer *t, struct buf *out, struct problem *why);

/* cmd_verb.c: all pages of a list, of which each answer has a part under the name `list`, as one array. 0, or an exit
 * code after printing why not. */
int ctl_pages(struct api *a, const char *path, const char *list, struct json_object **out);
/* cmd_call.c: prints the result of a call: 0, or CTL_FAILED when it is an error, CTL_HELD when it waits for approval. */
int ctl_print_call(const struct ctl_args *args, const struct api_answer *answer);

#endif
