/* Prints COUNT ports of loopback that are free now, one a line.
 *
 *	port COUNT */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

enum { PORT_COUNT_MAX = 64 };

int main(int argc, char **argv)
{
	int count = argc == 2 ? atoi(argv[1]) : 0;

	if (count < 1 || count > PORT_COUNT_MAX) {
		fputs("usage: port COUNT\n", stderr);
		return 64;
	}
	/* All sockets stay open until the end, so that no port comes twice. */
	while (count-- > 0) {
		struct sockaddr_in a = { .sin_family = AF_INET };
		socklen_t n = sizeof(a);
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		if (fd < 0 || bind(fd, (struct sockaddr *)&a, n) < 0 || getsockname(fd, (struct sockaddr *)&a, &n) < 0)
			return 1;
		printf("%d\n", ntohs(a.sin_port));
	}
	return 0;
}
