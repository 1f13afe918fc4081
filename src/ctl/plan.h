/* What an import will do to a directory, row by row, and doing it. */
#ifndef CTL_PLAN_H
#define CTL_PLAN_H
#include "ctl/api.h"
#include "import/draft.h"

struct plan {
	struct api *api;
	struct draft *d;
	/* A bit for each column that the source says: of rows that exist the others stay as they are. All ones: whole rows. */
	uint32_t owned;
	const char *source;             /* x-source of the source's rows: those that it does not have any more are gone; NULL: not looked for */
	bool remove;                    /* gone rows are deleted */
	bool as_is;                     /* rows may break the rules, but for those of key and type */
	/* Array of {"key", "status", "what"}: created, changed, unchanged, gone, refused; undone: it was cut off before. The
	 * arena's of api. */
	struct json_object *rows;
	struct json_object *keys;       /* object: those of the rows */
	unsigned created, changed, unchanged, gone, refused, undone;
};

/* Compares the draft with the directory; nothing is stored. Rows that break a rule are refused already. 0, or an exit
 * code after printing why. */
int plan_make(struct plan *p);
/* Creates, changes and, with remove, deletes, in the plan's order; a row that somebody changed meanwhile is refused. What the
 * service refuses becomes so in the plan, the others are stored all the same. 0, or an exit code when it could not go on. */
int plan_apply(struct plan *p);
/* The same in one batch, all or none: an exit code after printing the first that is refused, when there is one. */
int plan_apply_whole(struct plan *p);

#endif
