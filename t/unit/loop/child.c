/* Children: output, caps, deadlines, grandchildren, failures to start, many at once. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "loop/child.h"
#include "loop/fiber.h"
#include "loop/loop.h"
#include "tap.h"

static char path[] = "PATH=/usr/bin:/bin", word[] = "WORD=hello", shell[] = "/bin/sh", option[] = "-c", absent[] = "/nonexistent/program";
static char *const env[] = { path, word, NULL };

static struct child_result sh(const char *script, struct buf *out, size_t cap, int64_t timeout_ms)
{
	char *text = strdup(script);
	char *const argv[] = { shell, option, text, NULL };
	struct child_result r;

	buf_clear(out);
	r = child_run(&(struct child_limits){ .out = out, .out_max = cap, .timeout_ms = timeout_ms }, child_spawn,
		&(struct child_program){ argv, env });
	free(text);
	return r;
}

static bool exited(struct child_result r, int code)
{
	return r.status != -1 && WIFEXITED(r.status) && WEXITSTATUS(r.status) == code;
}

static void test_output(void *arg)
{
	struct buf out = BUF_MALLOC;
	struct child_result r = sh("echo $WORD; read x || echo end; exit 3", &out, 100, 5000);

	(void)arg;
	tap_ok(exited(r, 3) && !r.timed_out && !r.cut, "the exit status is given");
	tap_is_str(buf_text(&out), "hello\nend\n", "output is collected, the environment is the given one, input is empty");
	r = sh("yes | head -c 3000000; exit 0", &out, 1000, 5000);
	tap_ok(exited(r, 0) && r.cut && out.len == 1000, "output beyond the cap is read and dropped");
	r = sh("printf 12345", &out, 5, 5000);
	tap_ok(exited(r, 0) && !r.cut && out.len == 5, "output of just the cap is not cut");
	r = sh("kill -TERM $$", &out, 10, 5000);
	tap_ok(WIFSIGNALED(r.status) && WTERMSIG(r.status) == SIGTERM, "signals are at their defaults");
	r = sh("exec >&-; sleep 0.05; exit 4", &out, 10, 5000);
	tap_ok(exited(r, 4), "a program that closes its output is waited for");
	buf_free(&out);
}

/* True when the process is gone, or a zombie that nobody has waited for yet, within a second. */
static bool ends(pid_t pid)
{
	char file[64], text[512] = "";

	snprintf(file, sizeof(file), "/proc/%d/stat", (int)pid);
	for (int i = 0; i < 100; i++) {
		FILE *f = fopen(file, "r");

		if (!f)
			return true;
		if (!fgets(text, sizeof(text), f))
			text[0] = '\0';
		fclose(f);
		if (strstr(text, ") Z "))
			return true;
		fiber_sleep(10);
	}
	return false;
}

static void test_deadline(void *arg)
{
	struct buf out = BUF_MALLOC;
	int64_t t = clock_mono_us();
	struct child_result r = sh("trap '' TERM; echo begun; while :; do sleep 1; done", &out, 100, 100);

	(void)arg;
	tap_ok(r.timed_out && WIFSIGNALED(r.status) && WTERMSIG(r.status) == SIGKILL, "a program is killed at its deadline");
	tap_is_str(buf_text(&out), "begun\n", "what it had written is kept");
	tap_ok(clock_mono_us() - t < 2000000, "soon after the deadline");
	t = clock_mono_us();
	r = sh("sleep 30 & echo $!", &out, 100, 5000);
	tap_ok(exited(r, 0) && !r.timed_out && clock_mono_us() - t < 3000000, "a grandchild that holds the output is not waited for");
	tap_ok(ends((pid_t)atoi(buf_text(&out))), "it is killed with its group");
	buf_free(&out);
}

static void test_failure(void *arg)
{
	struct buf out = BUF_MALLOC;
	char *const argv[] = { absent, NULL };
	struct child_result r = child_run(&(struct child_limits){ .out = &out, .out_max = 10, .timeout_ms = 1000 }, child_spawn,
		&(struct child_program){ argv, env });

	(void)arg;
	tap_is_int(r.status, -1, "a program that cannot be started gives -1");
	buf_free(&out);
}

static int good, ticks;

static void one(void *arg)
{
	struct buf out = BUF_MALLOC;
	struct child_result r = sh("sleep 0.1; echo ok", &out, 10, 5000);

	(void)arg;
	if (exited(r, 0) && strcmp(buf_text(&out), "ok\n") == 0)
		good++;
	buf_free(&out);
}

static void tick(void *arg)
{
	(void)arg;
	for (int i = 0; i < 10; i++) {
		fiber_sleep(5);
		ticks++;
	}
}

static void test_many(void *arg)
{
	struct fiber_group g = { 0 };
	int64_t t = clock_mono_us();

	(void)arg;
	for (int i = 0; i < 20; i++)
		fiber_group_start(&g, one, NULL);
	fiber_group_start(&g, tick, NULL);
	fiber_group_wait(&g);
	tap_is_int(good, 20, "twenty children run side by side");
	tap_ok(clock_mono_us() - t < 1900000, "in less time than one after the other");
	tap_is_int(ticks, 10, "other fibers go on meanwhile");
}

int main(void)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGTERM);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	signal(SIGPIPE, SIG_IGN);
	loop_init();
	fiber_main(test_output, NULL);
	fiber_main(test_deadline, NULL);
	fiber_main(test_failure, NULL);
	fiber_main(test_many, NULL);
	tap_ok(waitpid(-1, NULL, WNOHANG) < 0, "no zombie is left");
	fiber_done();
	loop_done();
	return tap_done();
}
