/* The address policy for upstream connections: what may be connected to, decided on the address itself. */
#ifndef BASE_NET_H
#define BASE_NET_H
#include <sys/socket.h>
#include "base/problem.h"
#include "base/str.h"

struct net_policy;

struct net_policy *net_policy_new(void);
void net_policy_free(struct net_policy *p);
/* Allows `ADDR`, `ADDR/bits`, `ADDR:port` or `[v6]:port`. -1 with why when it is none of these. */
int net_policy_allow(struct net_policy *p, struct str spec, struct problem *why);
/* True when connecting to sa is refused: loopback, link-local, private, shared (100.64/10), metadata, multicast, reserved, unspecified, and the
 * IPv4 addresses embedded in ::ffff:0:0/96, 64:ff9b::/96, 2002::/16 of those; unless allowed. text (64 bytes) gets the address for messages. */
bool net_blocked(const struct net_policy *p, const struct sockaddr *sa, char text[64]);

#endif
