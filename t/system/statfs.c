/* Preloaded into rowcalld: statfs(2) that says a file system is of the type FAKE_FS_TYPE, a number. */
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

int statfs(const char *path, struct statfs *out)
{
	(void)path;
	memset(out, 0, sizeof(*out));
	out->f_type = strtol(getenv("FAKE_FS_TYPE"), NULL, 0);
	return 0;
}
