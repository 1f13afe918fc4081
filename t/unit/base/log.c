/* The log's lines, read back from a pipe in standard error's place. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/log.h"
#include "tap.h"

static int from, saved;
static char text[65536];

static void begin(void)
{
	int fds[2];

	fflush(stdout);
	saved = dup(STDERR_FILENO);
	if (pipe(fds) || dup2(fds[1], STDERR_FILENO) < 0)
		exit(99);
	close(fds[1]);
	from = fds[0];
}

static const char *end(void)
{
	size_t n = 0;
	ssize_t got;

	dup2(saved, STDERR_FILENO);
	close(saved);
	while ((got = read(from, text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = 0;
	close(from);
	return text;
}

static int lines(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += *s == '\n';
	return n;
}

static void plain(void)
{
	unsetenv("JOURNAL_STREAM");
	begin();
	log_init("worker 1", LOG_LEVEL_INFO);
	log_info("hello %d", 7);
	end();
	tap_ok(strlen(text) > 24 && text[4] == '-' && text[23] == 'Z', "a line begins with the time in UTC");
	tap_is_str(strlen(text) > 24 ? text + 25 : text, "info worker 1: hello 7\n", "then level, process and text");

	begin();
	log_debug("no");
	log_warn("a");
	log_error("b");
	end();
	tap_ok(!strstr(text, "no") && strstr(text, "warn worker 1: a\n") &&
	       strstr(text, "error worker 1: b\n"), "less important lines are left out");
	begin();
	log_init("writer", LOG_LEVEL_DEBUG);
	log_debug("yes");
	end();
	tap_ok(strstr(text, "debug writer: yes\n") != NULL, "and are written when asked for");
}

static void hostile(void)
{
	static char big[10000];

	begin();
	log_error("%s", "a\n2026-07-26T04:36:19.832Z info master: forged\r\x1b[2J\xC2\x9B\xE2\x80\xAE\xFF");
	end();
	tap_is_int(lines(text), 1, "a line break cannot forge a line");
	tap_ok(!strchr(text, '\r') && !strchr(text, 27) && strstr(text, "\\x0a2026") &&
	       strstr(text, "\\x1b[2J\\u{9b}\\u{202e}\\xff"),
	       "control characters are shown, not sent");
	memset(big, 1, sizeof(big) - 1);
	begin();
	log_error("%s", big);
	end();
	tap_ok(lines(text) == 1 && strlen(text) < 8400, "a message too long is cut, also when every byte is escaped");
	memset(big, 'x', sizeof(big) - 1);
	memcpy(big + 2043, "\xF0\x9F\x98\x80", 4);
	begin();
	log_error("%s", big);
	end();
	tap_ok(!strstr(text, "\\x"), "a message is cut between characters");
}

static void journal(void)
{
	char name[64];
	struct stat st;

	begin();
	fstat(STDERR_FILENO, &st);
	snprintf(name, sizeof(name), "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	setenv("JOURNAL_STREAM", name, 1);
	log_init("master", LOG_LEVEL_DEBUG);
	log_error("e");
	log_warn("w");
	log_info("i");
	log_debug("d");
	end();
	tap_is_str(text, "<3>error master: e\n<4>warn master: w\n<6>info master: i\n<7>debug master: d\n",
	           "for the journal, lines bear its priority");
	begin();
	log_init("master", LOG_LEVEL_DEBUG);
	log_error("e");
	end();
	tap_ok(text[0] != '<', "but not when standard error is another stream");
}

static void fatal(void)
{
	int status;
	pid_t pid;

	begin();
	pid = fork();
	if (pid == 0)
		log_fatal("broken %s", "invariant");
	waitpid(pid, &status, 0);
	end();
	tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "a broken invariant aborts");
	tap_ok(strstr(text, "error master: broken invariant\n") != NULL, "after its line is written");
}

int main(void)
{
	plain();
	hostile();
	journal();
	fatal();
	return tap_done();
}
