/* A connected stream socket used from a fiber: whole messages, each a 32-bit length and as many bytes, with a
 * deadline. For short conversations between processes of this service; requests have fastcgi.c, writes write.c. */
#ifndef LOOP_STREAM_H
#define LOOP_STREAM_H
#include "base/buf.h"

/* Connects to the Unix socket at path. -1 with errno. */
int stream_connect(const char *path);
/* Sends one message; what follows is a failure: the peer is gone, the time is over. Suspends. 0 or -1. */
int stream_send(int fd, struct str message, int64_t timeout_ms);
/* Appends one message to out. Suspends. 0, or -1: the peer is gone, the time is over, the message is longer than max. */
int stream_receive(int fd, struct buf *out, size_t max, int64_t timeout_ms);

#endif
