/* A self-signed certificate for localhost, for an instance that is its own only client. */
#ifndef CTL_CERTIFICATE_H
#define CTL_CERTIFICATE_H
#include "base/problem.h"

/* Writes a P-256 key (mode 0600) and a certificate for localhost, 127.0.0.1 and ::1, valid for 825 days. -1 with why. */
int certificate_make(const char *key_path, const char *cert_path, struct problem *why);

#endif
