/* Lock file and listening sockets of an instance. What is sent over the sockets is not known here. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "base/clock.h"
#include "daemon/socket.h"

enum {
	LIVE_WAIT_MS = 5000,            /* for processes of a killed master to end */
	LIVE_STEP_MS = 50,
};

static int locked_by_other(int fd, const char *path, struct problem *why)
{
	char text[32] = "";
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	problem_set(why, 500, "already_running");
	problem_detail(why, "%s: already running (process %ld)", path, n > 0 ? strtol(text, NULL, 10) : 0);
	close(fd);
	return -1;
}

int socket_lock(const char *path, struct problem *why)
{
	struct stat held, there;
	int fd;

	/* The file may be removed by the instance that ends just now: then what we hold is no lock. */
	for (;;) {
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
		if (fd < 0) {
			problem_set(why, 500, "lock");
			problem_detail(why, "%s: %s", path, strerror(errno));
			return -1;
		}
		if (flock(fd, LOCK_EX | LOCK_NB) < 0)
			return locked_by_other(fd, path, why);
		if (fstat(fd, &held) == 0 && lstat(path, &there) == 0 &&
		    held.st_ino == there.st_ino && held.st_dev == there.st_dev)
			break;
		close(fd);
	}
	if (ftruncate(fd, 0) < 0 || dprintf(fd, "%ld\n", (long)getpid()) < 0) {
		problem_set(why, 500, "lock");
		problem_detail(why, "%s: %s", path, strerror(errno));
		close(fd);
		return -1;
	}
	return fd;
}

bool socket_fits(const char *path)
{
	return strlen(path) < sizeof(((struct sockaddr_un *)0)->sun_path);
}

static struct sockaddr_un address(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	memcpy(a.sun_path, path, strlen(path));
	return a;
}

/* True when something accepts connections there. Waiting for room in its queue counts as accepting. */
static bool alive(const char *path)
{
	struct sockaddr_un a = address(path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	bool yes = fd >= 0 && (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0 || errno == EAGAIN);

	if (fd >= 0)
		close(fd);
	return yes;
}

static bool still_alive(const char *path)
{
	int64_t until = clock_mono_us() + LIVE_WAIT_MS * 1000;

	while (alive(path)) {
		if (clock_mono_us() > until)
			return true;
		usleep(LIVE_STEP_MS * 1000);
	}
	return false;
}

/* Makes room for the socket. */
static int clear(const char *path, struct problem *why)
{
	struct stat st;
	bool there = lstat(path, &st) == 0;

	if (!there && errno == ENOENT)
		return 0;
	problem_set(why, 500, "socket");
	if (!there)
		problem_detail(why, "%s: %s", path, strerror(errno));
	else if (!S_ISSOCK(st.st_mode))
		problem_detail(why, "%s: exists and is not a socket", path);
	else if (still_alive(path))
		problem_detail(why, "%s: another process listens there", path);
	else if (unlink(path) < 0 && errno != ENOENT)
		problem_detail(why, "%s: cannot replace a dead socket: %s", path, strerror(errno));
	else
		return 0;
	return -1;
}

int socket_listen(const char *path, mode_t mode, uid_t owner, gid_t group, int backlog, struct problem *why)
{
	struct sockaddr_un a;
	mode_t old;
	bool change = owner != (uid_t)-1 || group != (gid_t)-1;
	int fd, bound;

	if (clear(path, why) < 0)
		return -1;
	a = address(path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	old = umask(0777 & ~0600);
	bound = fd < 0 ? -1 : bind(fd, (struct sockaddr *)&a, sizeof(a));
	umask(old);
	if (bound == 0 && (!change || lchown(path, owner, group) == 0) && chmod(path, mode) == 0 &&
	    listen(fd, backlog) == 0)
		return fd;
	problem_set(why, 500, "socket");
	problem_detail(why, "%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}
