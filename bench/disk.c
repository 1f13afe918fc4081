/* How long one fdatasync takes where the databases lie: writes a page over and syncs it, again and again. Prints the
 * median in microseconds.
 *
 *	disk FILE [COUNT] */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { DISK_PAGE = 4096, DISK_COUNT = 400, DISK_COUNT_MAX = 10000 };

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_time(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
	static char page[DISK_PAGE] = { 1 };
	static double took[DISK_COUNT_MAX];
	int count = argc > 2 ? atoi(argv[2]) : DISK_COUNT;
	int fd = argc > 1 ? open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;

	if (fd < 0 || count < 1 || count > DISK_COUNT_MAX) {
		fputs("usage: disk FILE [COUNT]\n", stderr);
		return 64;
	}
	/* As a write-ahead log does in the long run: the file has its size already, pages are written over. */
	for (int i = 0; i < count; i++) {
		if (write(fd, page, sizeof(page)) != sizeof(page))
			return 1;
	}
	if (fdatasync(fd) < 0)
		return 1;
	for (int i = 0; i < count; i++) {
		double start = now_us();

		if (pwrite(fd, page, sizeof(page), (off_t)i * DISK_PAGE) != sizeof(page) || fdatasync(fd) < 0)
			return 1;
		took[i] = now_us() - start;
	}
	close(fd);
	unlink(argv[1]);
	qsort(took, (size_t)count, sizeof(took[0]), by_time);
	printf("%.0f\n", took[count / 2]);
	return 0;
}
