/* rowcall(1): the table of commands and what they share. */
#ifndef CTL_CTL_H
#define CTL_CTL_H
#include "base/conf.h"
#include "base/buf.h"
#include "base/problem.h"

struct secrets;

/* Exit codes, as in rowcall(1); those from 64 on as sysexits(3) has them. */
enum {
	CTL_OK = 0, CTL_FAILED = 1, CTL_BROKEN = 2,
	CTL_USAGE = 64, CTL_NOT_FOUND = 66, CTL_UNAVAILABLE = 69, CTL_HELD = 75, CTL_DENIED = 77, CTL_CONFIG = 78,
};

/* An option of a command. */
struct ctl_option {
	const char *name;               /* without its "--"; NULL ends a table */
	char letter;                    /* 0: none */
	const char *argument;           /* what its value is, "FILE"; NULL: it is a switch */
	const char *what;               /* one line of help */
};

enum { CTL_SET_MAX = 64 };              /* options on one command line */
enum { CTL_VERBATIM = -2 };             /* the operands are somebody else's command line */

/* A command line as it was read. */
struct ctl_args {
	const struct ctl_command *command;
	char *const *word;              /* what is no option */
	int words;
	struct { const struct ctl_option *option; const char *value; } set[CTL_SET_MAX];        /* in order */
	unsigned sets;
};

/* A command that is not for any service: the options that it has in common with others of its kind, and what to do for a
 * service elsewhere (NULL: it is about none). */
struct ctl_reach { const struct ctl_option *common; const char *elsewhere; };

/* A row of the table in table.c. */
struct ctl_command {
	const char *name;               /* one word or two: "token mint" */
	const char *operands;           /* "KEY [WORD...]", for the help */
	int least, most;                /* operands; most -1: any number; CTL_VERBATIM: that, and options end at the first */
	const struct ctl_option *options;       /* beside those that all have; NULL: none */
	int (*run)(const struct ctl_args *args);        /* the exit code */
	const char *what;               /* one line of help */
	const struct ctl_reach *reach;  /* NULL: any service, with the options of table_common */
};

/* The value of an option, the last one when it was given several times; NULL: it was not given. "" for a switch. */
const char *ctl_value(const struct ctl_args *args, const char *name);
bool ctl_has(const struct ctl_args *args, const char *name);
/* All of its values in order; how many. */
size_t ctl_values(const struct ctl_args *args, const char *name, const char *value[CTL_SET_MAX]);

int ctl_up(const struct ctl_args *args);
int ctl_load(const struct ctl_args *args);
int ctl_verify(const struct ctl_args *args);
int ctl_backup(const struct ctl_args *args);
int ctl_doctor(const struct ctl_args *args);
int ctl_restore_backup(const struct ctl_args *args);
/* cmd_export.c */
int ctl_export(const struct ctl_args *args);
/* cmd_import.c */
int ctl_import_curl(const struct ctl_args *args);
int ctl_import_jsonl(const struct ctl_args *args);
int ctl_import_mcp(const struct ctl_args *args);
int ctl_import_openapi(const struct ctl_args *args);
int ctl_import_sql(const struct ctl_args *args);
/* cmd_verb.c: those that are one request */
int ctl_verb(const struct ctl_args *args);
int ctl_events(const struct ctl_args *args);
int ctl_receipts(const struct ctl_args *args);
/* cmd_row.c */
int ctl_show(const struct ctl_args *args);
int ctl_add(const struct ctl_args *args);
int ctl_set(const struct ctl_args *args);
int ctl_rm(const struct ctl_args *args);
int ctl_edit(const struct ctl_args *args);
int ctl_diff(const struct ctl_args *args);
int ctl_restore(const struct ctl_args *args);
/* cmd_call.c */
int ctl_ask(const struct ctl_args *args);
int ctl_call(const struct ctl_args *args);
int ctl_approve(const struct ctl_args *args);
/* cmd_prune.c */
int ctl_prune(const struct ctl_args *args);
/* cmd_token.c */
int ctl_token_mint(const struct ctl_args *args);
int ctl_watch_add(const struct ctl_args *args);
/* cmd_service.c */
int ctl_status(const struct ctl_args *args);
int ctl_migrate(const struct ctl_args *args);
int ctl_reload(const struct ctl_args *args);
/* complete.c */
int ctl_completion(const struct ctl_args *args);

/* Prints "rowcall: …" on standard error, control characters escaped; returns code. */
int ctl_fail(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same of what is wrong and how to fix it, in one line. */
int ctl_problem(int code, const struct problem *why);
/* find.c: the program `name` in the first of dirs (NULL at the end) that has it; those that do not begin with "/" are
 * relative to the folder of this program. NULL: nowhere; else free it. */
char *ctl_find_program(const char *name, const char *const *dirs);
/* The program rowcalld: beside this one, in ../sbin, or where it is installed. */
char *ctl_find_daemon(void);
/* The service's secrets, read as the user whose file they are. NULL with why. */
struct secrets *ctl_secrets(const struct conf *conf, struct problem *why);

#endif
