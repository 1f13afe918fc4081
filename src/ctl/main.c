/* rowcall(1): finds the command in the table and runs it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <signal.h>
#include "base/crypto.h"
#include "base/escape.h"
#include "base/log.h"
#include "config.h"
#include "ctl/ctl.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{ "up", ctl_up, "make and run a service in a folder, with nginx and TLS" },
	{ "load", ctl_load, "put rows from JSON files into a running service" },
	{ "verify", ctl_verify, "recompute event chains and digests of a service or a backup" },
};

int ctl_fail(int code, const char *fmt, ...)
{
	struct buf text = BUF_MALLOC, shown = BUF_MALLOC;
	char line[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	/* Line breaks of our own formats are kept; everything else is shown escaped. */
	for (struct str rest = str_of(line), part; rest.p != NULL;) {
		part = str_cut(&rest, '\n');
		escape_add(&shown, ESCAPE_TERMINAL, part);
		buf_putc(&shown, '\n');
	}
	buf_printf(&text, "rowcall: %s", buf_text(&shown));
	fputs(buf_text(&text), stderr);
	buf_free(&text);
	buf_free(&shown);
	return code;
}

int ctl_problem(int code, const struct problem *why)
{
	return ctl_fail(code, "%s%s%s", why->detail[0] ? why->detail : why->error, why->how_to_fix[0] ? "; " : "", why->how_to_fix);
}

static void usage(FILE *f)
{
	fputs("usage: rowcall COMMAND [OPTION...]\n\n", f);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(f, "  %-8s %s\n", commands[i].name, commands[i].help);
	fputs("\n  rowcall COMMAND --help says more; rowcall --version prints the version; see rowcall(1).\n", f);
}

/* getopt(3) begins its complaints with argv[0]. */
static int run(const struct command *c, int argc, char **argv)
{
	char name[32];

	snprintf(name, sizeof(name), "rowcall %s", c->name);
	argv[0] = name;
	return c->run(argc, argv);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	signal(SIGPIPE, SIG_IGN);
	if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
		puts("rowcall " PACKAGE_VERSION);
		return CTL_OK;
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
		usage(stdout);
		return CTL_OK;
	}
	log_init("rowcall", LOG_LEVEL_WARN);
	crypto_init();
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(name, commands[i].name) == 0)
			return run(&commands[i], argc - 1, argv + 1);
	if (name[0] == '\0')
		usage(stderr);
	else
		ctl_fail(0, "there is no command `%s`; see rowcall --help", name);
	return CTL_USAGE;
}
