/* rowcall(1): finds the command in the table and runs it. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/crypto.h"
#include "base/escape.h"
#include "base/log.h"
#include "base/mem.h"
#include "config.h"
#include "ctl/ctl.h"

static const struct ctl_option common[] = {
	{ "dir", 0, "DIR", "the instance's folder (default: $ROWCALL_DIR, else the installed service)" },
	{ "config", 'c', "FILE", "the service's configuration, where it is not DIR/rowcall.conf" },
	{ "url", 0, "URL", "a service elsewhere; its credential is $ROWCALL_TOKEN or in --token-file" },
	{ "token-file", 0, "FILE", "holds the credential for --url: a token or the owner's key" },
	{ "cacert", 0, "FILE", "PEM certificates to trust for --url" },
	{ "json", 0, NULL, "prints JSON" },
	{ "help", 'h', NULL, "this text" },
	{ 0 },
};

static const struct ctl_option ls_options[] = {
	{ "type", 't', "TYPE", "only rows of the type" },
	{ "category", 0, "NAME", "only rows of the category" },
	{ "enabled", 0, "0|1", "only rows that are off or on" },
	{ "q", 'q', "TEXT", "only rows that have the text" },
	{ 0 },
};

static const struct ctl_command commands[] = {
	{ .name = "up", .main = ctl_up, .what = "make and run a service in a folder, with nginx and TLS" },
	{ .name = "load", .main = ctl_load, .what = "put rows from JSON files into a running service" },
	{ "ls", "", 0, 0, ls_options, ctl_ls, "list rows", NULL },
	{ "show", "KEY", 1, 1, NULL, ctl_show, "the contract of a row; with --json the row itself", NULL },
	{ .name = "backup", .main = ctl_backup, .what = "copy a service's databases as they are at one moment, while it runs" },
	{ .name = "restore-backup", .main = ctl_restore_backup, .what = "put such a copy back" },
	{ .name = "verify", .main = ctl_verify, .what = "recompute event chains and digests of a service or a backup" },
	{ "status", "", 0, 0, NULL, ctl_status, "processes, counters and versions of the service", NULL },
};

enum { COMMANDS = sizeof(commands) / sizeof(*commands), NEAR = 2 };

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
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(f, "  %-14s %s\n", commands[i].name, commands[i].what);
	fputs("\n  rowcall COMMAND --help says more; rowcall --version prints the version; see rowcall(1).\n", f);
}

/* Command lines */

static void show_options(FILE *f, const struct ctl_option *o)
{
	for (; o && o->name; o++) {
		char left[64];

		snprintf(left, sizeof(left), "--%s%s%s", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
		fprintf(f, "  %c%c%c %-24s %s\n", o->letter ? '-' : ' ', o->letter ? o->letter : ' ', o->letter ? ',' : ' ', left, o->what);
	}
}

static void show_help(FILE *f, const struct ctl_command *c)
{
	fprintf(f, "usage: rowcall %s%s%s [OPTION...]\n\n  %s.\n\n", c->name, c->operands[0] ? " " : "", c->operands, c->what);
	show_options(f, c->options);
	show_options(f, common);
}

/* Of the command's options or of those that all have: by name, or by letter when name is NULL. */
static const struct ctl_option *find_option(const struct ctl_command *c, struct str name, char letter)
{
	const struct ctl_option *const table[] = { c->options, common };

	for (size_t t = 0; t < 2; t++)
		for (const struct ctl_option *o = table[t]; o && o->name; o++)
			if (name.p ? str_is(name, o->name) : o->letter == letter)
				return o;
	return NULL;
}

static int set_option(struct ctl_args *args, const struct ctl_option *o, const char *shown, const char *value)
{
	if (!o)
		return ctl_fail(CTL_USAGE, "there is no option %s; see rowcall %s --help", shown, args->command->name);
	if (o->argument && !value)
		return ctl_fail(CTL_USAGE, "%s wants a value: %s", shown, o->argument);
	if (!o->argument && value)
		return ctl_fail(CTL_USAGE, "%s takes no value", shown);
	if (args->sets == CTL_SET_MAX)
		return ctl_fail(CTL_USAGE, "more than %d options", CTL_SET_MAX);
	args->set[args->sets].option = o;
	args->set[args->sets++].value = value ? value : "";
	return CTL_OK;
}

/* --name, --name=value, --name value, -x value, -xvalue; operands in between; "--" ends options. word has room for all
 * operands. */
static int read_line(struct ctl_args *args, int argc, char **argv, char **word)
{
	bool only_words = false;

	for (int i = 0; i < argc; i++) {
		char *p = argv[i];
		struct str rest = str_of(p), name;
		const struct ctl_option *o;
		const char *value = NULL;
		int code;

		if (only_words || p[0] != '-' || !p[1]) {
			word[args->words++] = p;
			continue;
		}
		if (strcmp(p, "--") == 0) {
			only_words = true;
			continue;
		}
		if (p[1] == '-') {
			rest = str_skip(rest, 2);
			name = str_cut(&rest, '=');
			value = rest.p;
			o = find_option(args->command, name, 0);
		} else {
			o = find_option(args->command, str_of(NULL), p[1]);
			value = p[2] ? p + 2 : NULL;
		}
		if (o && o->argument && !value && i + 1 < argc)
			value = argv[++i];
		code = set_option(args, o, p, value);
		if (code)
			return code;
	}
	args->word = word;
	return CTL_OK;
}

const char *ctl_value(const struct ctl_args *args, const char *name)
{
	for (unsigned i = args->sets; i > 0; i--)
		if (strcmp(args->set[i - 1].option->name, name) == 0)
			return args->set[i - 1].value;
	return NULL;
}

bool ctl_has(const struct ctl_args *args, const char *name)
{
	return ctl_value(args, name) != NULL;
}

static int check_words(const struct ctl_args *args)
{
	const struct ctl_command *c = args->command;

	if (args->words >= c->least && (c->most < 0 || args->words <= c->most))
		return CTL_OK;
	return ctl_fail(CTL_USAGE, "usage: rowcall %s%s%s [OPTION...]; see rowcall %s --help", c->name, c->operands[0] ? " " : "",
			c->operands, c->name);
}

static int run(const struct ctl_command *c, int argc, char **argv)
{
	struct ctl_args args = { .command = c };
	char **word = mem_alloc((size_t)(argc + 1) * sizeof(*word));
	int code = read_line(&args, argc, argv, word);

	if (code == CTL_OK && ctl_has(&args, "help"))
		show_help(stdout, c);
	else if (code == CTL_OK && (code = check_words(&args)) == CTL_OK)
		code = c->run(&args);
	free(word);
	/* Whoever reads no more has what it wanted. */
	if (fflush(stdout) != 0 && errno != EPIPE)
		return ctl_fail(CTL_FAILED, "standard output: %s", strerror(errno));
	return code;
}

/* getopt(3) begins its complaints with argv[0]. */
static int run_own(const struct ctl_command *c, int argc, char **argv)
{
	char name[32];

	snprintf(name, sizeof(name), "rowcall %s", c->name);
	argv[0] = name;
	return c->main(argc, argv);
}

/* The command whose words begin the line, the longer one first; *words: how many they are. */
static const struct ctl_command *find_command(int argc, char **argv, int *words)
{
	char two[128] = "";

	if (argc > 1)
		snprintf(two, sizeof(two), "%s %s", argv[0], argv[1]);
	for (*words = 2; *words > 0; --*words)
		for (size_t i = 0; argc >= *words && i < COMMANDS; i++)
			if (strcmp(commands[i].name, *words == 2 ? two : argv[0]) == 0)
				return &commands[i];
	return NULL;
}

static int unknown(const char *name)
{
	const struct ctl_command *near = NULL;
	size_t least = NEAR + 1;

	for (size_t i = 0; i < COMMANDS; i++) {
		size_t d = str_distance(str_of(name), str_of(commands[i].name), NEAR);

		if (d < least) {
			least = d;
			near = &commands[i];
		}
	}
	return ctl_fail(CTL_USAGE, "there is no command `%s`%s%s%s; see rowcall --help", name, near ? "; did you mean `" : "",
			near ? near->name : "", near ? "`?" : "");
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	const struct ctl_command *c;
	int words;

	signal(SIGPIPE, SIG_IGN);
	if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
		puts("rowcall " PACKAGE_VERSION);
		return CTL_OK;
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
		usage(stdout);
		return CTL_OK;
	}
	if (!name[0]) {
		usage(stderr);
		return CTL_USAGE;
	}
	log_init("rowcall", LOG_LEVEL_WARN);
	crypto_init();
	c = find_command(argc - 1, argv + 1, &words);
	if (!c)
		return unknown(name);
	return c->main ? run_own(c, argc - words, argv + words) : run(c, argc - 1 - words, argv + 1 + words);
}
