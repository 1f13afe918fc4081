/* Finds the service that a command is about; see place.h. */
#include <stdlib.h>
#include <unistd.h>
#include "ctl/place.h"

char *place_path(const char *folder, const char *name)
{
	struct buf b = BUF_MALLOC;

	buf_printf(&b, "%s/%s", folder, name);
	return (char *)buf_text(&b);
}

struct place place_of(const struct ctl_args *args)
{
	return (struct place){ .dir = ctl_value(args, "dir"), .config = ctl_value(args, "config") };
}

struct conf *place_conf(const struct place *p, struct problem *why)
{
	const char *dir = p->dir ? p->dir : p->config ? NULL : getenv("ROWCALL_DIR");
	char *path = dir && *dir ? place_path(dir, "rowcall.conf") : NULL;
	const char *file = path ? path : p->config ? p->config : PKGCONFDIR "/rowcall.conf";
	struct conf *conf = conf_load(file, p->set, p->sets, why);

	if (!conf && access(file, F_OK) < 0)
		problem_fix(why, "name the instance's folder with --dir or ROWCALL_DIR, or, where the command takes it, a service elsewhere with --url");
	free(path);
	return conf;
}
