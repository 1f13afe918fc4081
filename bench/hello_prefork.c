/* The usual shape of a libfcgi service, as a baseline: processes that are forked once and each answer one request at a
 * time, blocking, with a new connection for every request. Not an example of how to do it here: see src/web/fastcgi.c.
 *
 *	hello_prefork SOCKET [PROCESSES] */
#include <fcgiapp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PREFORK_PROCESSES = 16,
	PREFORK_PROCESSES_MAX = 256,
	PREFORK_BACKLOG = 4096,         /* with nginx in front a short queue means 502 */
};

static pid_t child[PREFORK_PROCESSES_MAX];
static unsigned children;

static void answer(int listener)
{
	FCGX_Request r;

	if (FCGX_Init() != 0 || FCGX_InitRequest(&r, listener, 0) != 0)
		_exit(1);
	while (FCGX_Accept_r(&r) == 0) {
		FCGX_FPrintF(r.out, "Content-Type: text/plain\r\n\r\nHello, world\n");
		FCGX_Finish_r(&r);
	}
	_exit(0);
}

static void stop(int signal_number)
{
	(void)signal_number;
	for (unsigned i = 0; i < children; i++)
		kill(child[i], SIGKILL);
	for (unsigned i = 0; i < children; i++)
		waitpid(child[i], NULL, 0);
	_exit(0);
}

int main(int argc, char **argv)
{
	unsigned wanted = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : PREFORK_PROCESSES;
	int listener;

	if (argc < 2 || wanted == 0 || wanted > PREFORK_PROCESSES_MAX) {
		fputs("usage: hello_prefork SOCKET [PROCESSES]\n", stderr);
		return 64;
	}
	umask(0);
	listener = FCGX_OpenSocket(argv[1], PREFORK_BACKLOG);
	if (listener < 0)
		return 1;
	for (; children < wanted; children++) {
		child[children] = fork();
		if (child[children] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			answer(listener);
		}
		if (child[children] < 0)
			stop(0);
	}
	signal(SIGTERM, stop);
	signal(SIGINT, stop);
	while (wait(NULL) > 0)
		;
	return 1;
}
