/* The folder of a service that `rowcall up` runs: configuration, secrets, certificate, nginx.conf, log/, run/. */
#ifndef CTL_INSTANCE_H
#define CTL_INSTANCE_H
#include <stdbool.h>
#include "base/problem.h"

struct instance {
	char *dir;                      /* absolute, no symbolic links */
	const char *share;              /* holds conf/ and migrations/ */
	int port;                       /* TLS */
	int http_port;                  /* plain HTTP on loopback; 0: none */
};

/* Makes what is missing. -1 with why. */
int instance_prepare(const struct instance *in, struct problem *why);
/* Writes nginx.conf and the files it includes, anew at each start. */
int instance_nginx(const struct instance *in, struct problem *why);
/* A new folder wants the starter rows until a start has come so far that they can be loaded. */
bool instance_wants_rows(const struct instance *in);
void instance_has_rows(const struct instance *in);
/* Process id of the service that runs in the folder, or 0. */
long instance_running(const struct instance *in);
/* A port of loopback that is free now, or -1. */
int instance_free_port(void);
/* Whether we could listen on the port of loopback; errno when not. */
bool instance_port_free(int port);

#endif
