/* From a request to its handler: the common checks (credential, method, content type, trace), then the one table of
 * routes. */
#ifndef WEB_ROUTER_H
#define WEB_ROUTER_H
#include "web/request.h"
#include "web/response.h"

struct conf;
struct secrets;
struct shared;
struct directory;

/* What handlers need of the process; set once by the worker. */
struct router_context {
	const struct conf *conf;
	struct secrets *secrets;
	struct shared *shared;
	struct directory *directory;
};

void router_init(const struct router_context *c);
void router_done(void);                 /* no request may be under way */
/* The handler for fastcgi_options.handle. */
void router_handle(struct request *req, struct response *res, const struct problem *bad);

#endif
