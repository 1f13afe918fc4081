/* rowcall(1): the table of commands and what they share. */
#ifndef CTL_CTL_H
#define CTL_CTL_H
#include "base/conf.h"
#include "base/buf.h"
#include "base/problem.h"

/* Exit codes, as in rowcall(1). */
enum { CTL_OK = 0, CTL_FAILED = 1, CTL_USAGE = 64, CTL_NO_INPUT = 66, CTL_CONFIG = 78 };

int ctl_up(int argc, char **argv);
int ctl_load(int argc, char **argv);
int ctl_verify(int argc, char **argv);

/* Prints "rowcall: …" on standard error, control characters escaped; returns code. */
int ctl_fail(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same of what is wrong and how to fix it, in one line. */
int ctl_problem(int code, const struct problem *why);

#endif
