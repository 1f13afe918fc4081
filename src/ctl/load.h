/* Rows from JSON files into the directory, through the same code as the REST interface. */
#ifndef CTL_LOAD_H
#define CTL_LOAD_H
#include "base/conf.h"
#include "base/json.h"

struct load {
	const struct conf *conf;        /* of a service that is running */
	char *const *path;              /* files, or folders whose *.json files are taken in order of name */
	int paths;
	bool replace;                   /* rows that exist are written over; else they are left alone */
	bool quiet;                     /* only failures are printed */
	struct json_object *keys;       /* an array that gets those of the rows that were loaded, or NULL */
	int loaded, kept, failed;       /* the outcome */
	bool unread, unanswered;        /* of what failed: a file cannot be read; the service does not answer */
};

/* Each file holds one row as an object, or an array of rows. Every refusal is printed with its file; the others are loaded all the same. */
void load_rows(struct load *l);

#endif
