/* Copying and digesting files; see file.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ctl/file.h"

enum { FILE_PIECE = 1 << 20 };

int file_failed(struct problem *why, const char *path)
{
	int error = errno;

	problem_set(why, 500, "file");
	problem_detail(why, "%.300s: %s", path, strerror(error));
	return -1;
}

static int put(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

static int new_file(const char *path, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd >= 0 && fchmod(fd, mode) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static int copy_rest(int in, int out)
{
	char *piece = malloc(FILE_PIECE);
	ssize_t n = -1;

	while (piece && (n = read(in, piece, FILE_PIECE)) > 0)
		if (put(out, piece, (size_t)n) < 0) {
			n = -1;
			break;
		}
	free(piece);
	return n < 0 ? -1 : 0;
}

int file_copy(const char *from, const char *to, mode_t mode, uid_t uid, gid_t gid, struct problem *why)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), out = in < 0 ? -1 : new_file(to, mode), rc = -1;

	if (in < 0)
		file_failed(why, from);
	else if (out < 0 || copy_rest(in, out) < 0 || fchown(out, uid, gid) < 0 || fsync(out) < 0)
		file_failed(why, to);
	else
		rc = 0;
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return rc;
}

int file_write(const char *path, struct str text, mode_t mode, struct problem *why)
{
	int fd = new_file(path, mode), rc = 0;

	if (fd < 0 || put(fd, text.p, text.n) < 0 || fsync(fd) < 0)
		rc = file_failed(why, path);
	if (fd >= 0)
		close(fd);
	return rc;
}

int file_digest(const char *path, char digest[CRYPTO_HEX], int64_t *size, struct problem *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = -1;
	void *p = MAP_FAILED;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		goto out;
	*size = st.st_size;
	if (st.st_size > 0 && (p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)) == MAP_FAILED)
		goto out;
	crypto_sha256_hex(str_make(st.st_size > 0 ? p : "", (size_t)st.st_size), digest);
	rc = 0;
out:
	if (rc < 0)
		file_failed(why, path);
	if (p != MAP_FAILED)
		munmap(p, (size_t)st.st_size);
	if (fd >= 0)
		close(fd);
	return rc;
}

int file_sync(const char *path, struct problem *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = fd < 0 || fsync(fd) < 0 ? file_failed(why, path) : 0;

	if (fd >= 0)
		close(fd);
	return rc;
}

void file_remove_folder(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;

	while (d && (e = readdir(d)) != NULL)
		if (e->d_name[0] != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(path);
}
