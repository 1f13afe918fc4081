/* rowcall(1): finds the command in the table and runs it. */
#include <errno.h>
#include <locale.h>
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
#include "ctl/table.h"

enum { NEAR = 2 };                      /* edits between what was written and what was meant */

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

/* Where a part of the help begins. */
static const struct { const char *first, *title; } parts[] = {
	{ "up", "The service" }, { "ls", "Rows" }, { "ask", "Calls" }, { "token mint", "Authority" }, { "completion", "The shell" },
};

static void usage(FILE *f)
{
	fputs("usage: rowcall COMMAND [OPTION...]\n", f);
	for (size_t i = 0, part = 0; i < table_length; i++) {
		if (part < sizeof(parts) / sizeof(*parts) && strcmp(parts[part].first, table_commands[i].name) == 0)
			fprintf(f, "\n%s\n", parts[part++].title);
		fprintf(f, "  %-15s %s\n", table_commands[i].name, table_commands[i].what);
	}
	fputs("\nrowcall COMMAND --help says more; rowcall --version prints the version; see rowcall(1).\n", f);
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

static const struct ctl_option *common_of(const struct ctl_command *c)
{
	return c->reach ? c->reach->common : table_common;
}

static void show_help(FILE *f, const struct ctl_command *c)
{
	fprintf(f, "usage: rowcall %s%s%s [OPTION...]\n\n  %s.\n\n", c->name, c->operands[0] ? " " : "", c->operands, c->what);
	show_options(f, c->options);
	show_options(f, common_of(c));
	fputs("\nrowcall(1) says more, and what the exit codes mean.\n", f);
}

/* In the two tables, of which one may be NULL: by name, or by letter when name is NULL. */
static const struct ctl_option *find_option(const struct ctl_option *own, const struct ctl_option *common, struct str name, char letter)
{
	const struct ctl_option *const table[] = { own, common };

	for (size_t t = 0; t < 2; t++)
		for (const struct ctl_option *o = table[t]; o && o->name; o++)
			if (name.p ? str_is(name, o->name) : o->letter == letter)
				return o;
	return NULL;
}

/* The command has no such option: what may have been meant. */
static int unknown_option(const struct ctl_command *c, const char *shown, struct str name)
{
	const struct ctl_option *const table[] = { c->options, common_of(c) }, *near = NULL;
	size_t least = NEAR + 1;

	if (str_is(name, "url") && c->reach && c->reach->elsewhere)
		return ctl_fail(CTL_USAGE, "%s is for a service of this machine; %s", c->name, c->reach->elsewhere);
	for (size_t t = 0; t < 2; t++)
		for (const struct ctl_option *o = table[t]; o && o->name && name.n > NEAR; o++) {
			size_t d = str_distance(name, str_of(o->name), NEAR);

			if (d < least) {
				least = d;
				near = o;
			}
		}
	return ctl_fail(CTL_USAGE, "there is no option %s%s%s%s; see rowcall %s --help", shown, near ? "; did you mean --" : "",
			near ? near->name : "", near ? "?" : "", c->name);
}

static int set_option(struct ctl_args *args, const struct ctl_option *o, const char *shown, const char *value)
{
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
	const struct ctl_command *c = args->command;
	bool only_words = false;

	for (int i = 0; i < argc; i++) {
		char *p = argv[i];
		struct str rest = str_of(p), name;
		const struct ctl_option *o;
		const char *value = NULL;
		int code;

		if (only_words || p[0] != '-' || !p[1]) {
			word[args->words++] = p;
			only_words = only_words || c->most == CTL_VERBATIM;
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
			o = find_option(c->options, common_of(c), name, 0);
		} else {
			name = str_of("");
			o = find_option(c->options, common_of(c), str_of(NULL), p[1]);
			value = p[2] ? p + 2 : NULL;
		}
		if (o && o->argument && !value && i + 1 < argc)
			value = argv[++i];
		code = o ? set_option(args, o, p, value) : unknown_option(c, p, name);
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

size_t ctl_values(const struct ctl_args *args, const char *name, const char *value[CTL_SET_MAX])
{
	size_t n = 0;

	for (unsigned i = 0; i < args->sets; i++)
		if (strcmp(args->set[i].option->name, name) == 0)
			value[n++] = args->set[i].value;
	return n;
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
	if ((fflush(stdout) != 0 || ferror(stdout)) && errno != EPIPE)
		return ctl_fail(CTL_FAILED, "standard output: %s", errno ? strerror(errno) : "is not written");
	return code;
}

/* The command whose words begin the line, the longer one first; *words: how many they are. */
static const struct ctl_command *find_command(int argc, char **argv, int *words)
{
	char two[128] = "";

	if (argc > 1)
		snprintf(two, sizeof(two), "%s %s", argv[0], argv[1]);
	for (*words = 2; *words > 0; --*words)
		for (size_t i = 0; argc >= *words && i < table_length; i++)
			if (strcmp(table_commands[i].name, *words == 2 ? two : argv[0]) == 0)
				return &table_commands[i];
	return NULL;
}

/* Commands of two words that begin with this one; false: there are none. */
static bool show_family(FILE *f, const char *first)
{
	size_t n = strlen(first);
	bool any = false;

	for (size_t i = 0; i < table_length; i++)
		if (strncmp(table_commands[i].name, first, n) == 0 && table_commands[i].name[n] == ' ') {
			fprintf(f, "%srowcall %s%s%s [OPTION...]\n", any ? "       " : "usage: ", table_commands[i].name,
				table_commands[i].operands[0] ? " " : "", table_commands[i].operands);
			any = true;
		}
	return any;
}

static int unknown(const char *name)
{
	const struct ctl_command *near = NULL;
	size_t least = NEAR + 1;

	if (show_family(stderr, name))
		return CTL_USAGE;
	for (size_t i = 0; i < table_length; i++) {
		size_t d = str_distance(str_of(name), str_of(table_commands[i].name), NEAR);

		if (d < least) {
			least = d;
			near = &table_commands[i];
		}
	}
	return ctl_fail(CTL_USAGE, "there is no command `%s`%s%s%s; see rowcall --help", name, near ? "; did you mean `" : "",
			near ? near->name : "", near ? "`?" : "");
}

/* `rowcall help COMMAND`, `rowcall FIRST-WORD --help`. */
static int help(int argc, char **argv)
{
	int words;
	const struct ctl_command *c = find_command(argc, argv, &words);

	if (c)
		show_help(stdout, c);
	else if (!argc)
		usage(stdout);
	else if (!show_family(stdout, argv[0]))
		return unknown(argv[0]);
	return CTL_OK;
}

/* How many words before the command are options that all commands have, with their values. */
static int leading(int argc, char **argv)
{
	int n = 0;

	while (n < argc && argv[n][0] == '-') {
		bool whole = argv[n][1] == '-';
		struct str rest = str_of(argv[n] + 2), name = whole ? str_cut(&rest, '=') : str_of(NULL);
		const struct ctl_option *o = find_option(NULL, table_common, name, argv[n][1]);
		bool inside = whole ? rest.p != NULL : argv[n][1] && argv[n][2];

		if (!o || strcmp(o->name, "help") == 0)
			break;
		n += 1 + (o->argument && !inside);
	}
	return n < argc ? n : argc;
}

/* Puts the first n of the words behind the next m. */
static void put_behind(char **word, int n, int m)
{
	char **kept = mem_alloc((size_t)(n + 1) * sizeof(*kept));

	memcpy(kept, word, (size_t)n * sizeof(*kept));
	memmove(word, word + n, (size_t)m * sizeof(*word));
	memcpy(word + m, kept, (size_t)n * sizeof(*kept));
	free(kept);
}

int main(int argc, char **argv)
{
	int before = leading(argc - 1, argv + 1), words;
	const char *name = argc > 1 + before ? argv[1 + before] : "";
	const struct ctl_command *c;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);       /* a file that may not grow is told, and what was begun is taken back */
	setlocale(LC_CTYPE, "C.UTF-8");         /* how wide characters are; what is printed is UTF-8 anywhere */
	if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
		puts("rowcall " PACKAGE_VERSION);
		return CTL_OK;
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
		return help(argc - 2 - before, argv + 2 + before);
	if (!name[0]) {
		usage(stderr);
		return CTL_USAGE;
	}
	log_init("rowcall", LOG_LEVEL_WARN);
	crypto_init();
	c = find_command(argc - 1 - before, argv + 1 + before, &words);
	if (!c && argc == 3 + before && (strcmp(argv[2 + before], "--help") == 0 || strcmp(argv[2 + before], "-h") == 0))
		return help(1, argv + 1 + before);
	if (!c)
		return unknown(name);
	put_behind(argv + 1, before, words);
	return run(c, argc - 1 - words, argv + 1 + words);
}
