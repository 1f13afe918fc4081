/* Where a browser's request comes from: the own pages, those of the setting cors_origins, or foreign ones. */
#ifndef WEB_ORIGIN_H
#define WEB_ORIGIN_H
#include "web/request.h"

/* The request's Origin when the list (cors_origins) names it; p NULL when it does not, or there is none. */
struct str origin_listed(const struct request *req, const char *list);
/* 0 when the request may have been meant for this service: no page of a foreign origin has sent it, and none that has
 * given its own name this service's address (DNS rebinding). -1 with why 403:
 * `host_not_allowed`: Host is none of base's host, localhost, an address, and the hosts of the list. Any port will do.
 * `origin_not_allowed`: Origin is none of base, the origin that Host and scheme make, and the list.
 * Without the headers, as from programs that are no browser, nothing is refused. base: "https://host:port". */
int origin_check(const struct request *req, const char *base, const char *list, struct problem *why);

#endif
