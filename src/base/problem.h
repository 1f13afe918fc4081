/* Why something was refused or failed, in the form the interface answers with. */
#ifndef BASE_PROBLEM_H
#define BASE_PROBLEM_H

struct json_object;

enum {
	PROBLEM_ERROR_MAX = 256,        /* bytes of the literal `error` string with its NUL */
	PROBLEM_TEXT_MAX = 512,         /* bytes of each text for people with its NUL */
	PROBLEM_RETRY_S = 1,            /* a database that is busy or gone is often there again by then */
};

struct problem {
	int status;                             /* HTTP status, 0: no problem */
	char error[PROBLEM_ERROR_MAX];          /* literal code of the interface, as `unknown_key` */
	char detail[PROBLEM_TEXT_MAX];          /* what exactly, for people; may be empty; never holds a secret */
	char how_to_fix[PROBLEM_TEXT_MAX];      /* what to do about it; may be empty */
	char field[80];                         /* the request field or column at fault; may be empty */
	int retry_after;                        /* seconds for Retry-After; 0: none */
	/* object of further members for the answer, or NULL; owned by the request's arena */
	struct json_object *extra;
};

/* Fills status and error (the rest is cleared) and returns -1, so that `return problem_set(...)` reads well. why NULL
 * is fine. */
int problem_set(struct problem *why, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void problem_detail(struct problem *why, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void problem_fix(struct problem *why, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void problem_field(struct problem *why, const char *name);
/* 422 `bad_field` with the request's field; the text goes on after its name: "is true or false". -1. */
int problem_bad_field(struct problem *why, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* 503 `ledger_unavailable`, to be tried again after PROBLEM_RETRY_S, with what cannot be read or written. -1. */
int problem_unavailable(struct problem *why, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
