/* The address policy for upstream connections: what may be connected to, decided on the address itself. Also lists of
 * addresses in general. */
#ifndef BASE_NET_H
#define BASE_NET_H
#include <sys/socket.h>
#include "base/problem.h"
#include "base/str.h"

enum { NET_TEXT = 64 };                 /* bytes of an address as text with NUL */

struct net_policy;

struct net_policy *net_policy_new(void);
void net_policy_free(struct net_policy *p);
/* Allows `ADDR`, `ADDR/bits`, `ADDR:port`, `[v6]` or `[v6]:port`. ADDR is numeric in its full form (dotted quad, RFC
 * 4291); with /bits the bits behind them have to be 0. -1 with why when it is none of these. */
int net_policy_allow(struct net_policy *p, struct str spec, struct problem *why);
/* True when sa is in the list itself, whatever the address is; IPv4 written as ::ffff:a.b.c.d is that IPv4. */
bool net_listed(const struct net_policy *p, const struct sockaddr *sa);
/* True when connecting to sa is refused: loopback, link-local, private, shared (100.64/10), metadata, multicast,
 * reserved, unspecified, and the IPv4 addresses embedded in ::ffff:0:0/96, 64:ff9b::/96, 2002::/16 of those; unless
 * allowed. p NULL allows nothing more. What is neither IPv4 nor IPv6 is refused. text gets the address for messages. */
bool net_blocked(const struct net_policy *p, const struct sockaddr *sa, char text[NET_TEXT]);

#endif
