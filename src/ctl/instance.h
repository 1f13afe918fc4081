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

/* Makes what is missing; *made tells that this was the first start. -1 with why. */
int instance_prepare(const struct instance *in, bool *made, struct problem *why);
/* Writes nginx.conf and the files it includes, anew at each start. */
int instance_nginx(const struct instance *in, struct problem *why);
/* A port of loopback that is free now, or -1. */
int instance_free_port(void);

#endif
