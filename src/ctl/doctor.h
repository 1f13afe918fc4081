/* `rowcall doctor`: a table of checks in doctor.c; each looks at one thing of a service on this machine and notes what it
 * finds, with what to do about it. Nothing is changed. */
#ifndef CTL_DOCTOR_H
#define CTL_DOCTOR_H
#include <sys/types.h>
#include "base/arena.h"
#include "base/conf.h"
#include "base/json.h"
#include "store/db.h"

enum doctor_level { DOCTOR_OK, DOCTOR_NOTE, DOCTOR_WARN, DOCTOR_FAIL, DOCTOR_LEVELS };

struct doctor {
	const struct conf *conf;
	struct arena *arena;            /* until the end */
	struct db *db[SQL_FILES];       /* NULL: cannot be opened; `databases` says so */
	pid_t master;                   /* 0: the service does not run */
	const char *nginx;              /* --nginx: its configuration; NULL: the instance's own, else the system's */
	enum { DOCTOR_TRY_NONE, DOCTOR_TRY_SAFE, DOCTOR_TRY_ALL } try;
	const char *key;                /* the owner's, for --try; NULL: secrets cannot be read */
	const char *check;              /* the one that runs */
	struct json_object *findings;
	int64_t count[DOCTOR_LEVELS];
};

/* A finding: what is so, and what to do ("" where there is nothing). No secret. */
void doctor_note(struct doctor *d, enum doctor_level level, const char *fix, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
char *doctor_path(struct doctor *d, const char *folder, const char *name);     /* the arena's */

/* doctor_machine.c */
void doctor_libraries(struct doctor *d);
void doctor_clock(struct doctor *d);
void doctor_disk(struct doctor *d);
void doctor_backlog(struct doctor *d);
/* doctor_files.c */
void doctor_secrets_file(struct doctor *d);
void doctor_permissions(struct doctor *d);
void doctor_databases(struct doctor *d);
void doctor_logs(struct doctor *d);
/* doctor_service.c */
void doctor_processes(struct doctor *d);
void doctor_config(struct doctor *d);
void doctor_examples(struct doctor *d);
/* doctor_data.c */
void doctor_chain(struct doctor *d);
void doctor_index(struct doctor *d);
void doctor_names(struct doctor *d);
void doctor_breakers(struct doctor *d);
void doctor_intents(struct doctor *d);
/* doctor_nginx.c */
void doctor_nginx(struct doctor *d);

#endif
