/* Where the parts of a service are: its programs, and its secrets. */
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/log.h"
#include "base/secret.h"
#include "config.h"
#include "ctl/ctl.h"

char *ctl_find_program(const char *name, const char *const *dirs)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	self[n < 0 ? 0 : n] = '\0';
	if ((slash = strrchr(self, '/')) != NULL)
		*slash = '\0';
	for (; *dirs != NULL; dirs++) {
		struct buf b = BUF_MALLOC;

		buf_printf(&b, "%s%s/%s", **dirs == '/' ? "" : self, *dirs, name);
		if (access(buf_text(&b), X_OK) == 0)
			return (char *)buf_text(&b);
		buf_free(&b);
	}
	return NULL;
}

char *ctl_find_daemon(void)
{
	static const char *const dirs[] = { "", "/../sbin", SBINDIR, NULL };

	return ctl_find_program("rowcalld", dirs);
}

/* Who serves: the owner of its socket, else whom the configuration names. False: nobody but root. */
static bool find_user(const struct conf *conf, uid_t *uid, gid_t *gid)
{
	struct buf socket = BUF_MALLOC;
	struct stat st;
	struct passwd *pw;
	bool found;

	buf_printf(&socket, "%s/writer.sock", conf->run_dir);
	found = stat(buf_text(&socket), &st) == 0;
	buf_free(&socket);
	if (found) {
		*uid = st.st_uid;
		*gid = st.st_gid;
		return true;
	}
	pw = conf->user && conf->user[0] ? getpwnam(conf->user) : NULL;
	if (!pw)
		return false;
	*uid = pw->pw_uid;
	*gid = pw->pw_gid;
	return true;
}

/* As the service's user, whose file it is: secret_open refuses root a file of somebody else. */
struct secrets *ctl_secrets(const struct conf *conf, struct problem *why)
{
	uid_t uid;
	gid_t gid;
	bool other = geteuid() == 0 && find_user(conf, &uid, &gid);
	struct secrets *s;

	if (other && (setegid(gid) < 0 || seteuid(uid) < 0))
		log_fatal("cannot become user %ld: %s", (long)uid, strerror(errno));
	s = secret_open(conf->secrets_file, why);
	if (other && (seteuid(0) < 0 || setegid(getgid()) < 0))
		log_fatal("cannot become root again: %s", strerror(errno));
	return s;
}
