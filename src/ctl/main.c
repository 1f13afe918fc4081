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

#define OPTIONS(name, ...) static const struct ctl_option name[] = { __VA_ARGS__, { 0 } }

OPTIONS(ls_options,
	{ "type", 't', "TYPE", "only rows of the type" },
	{ "category", 0, "NAME", "only rows of the category" },
	{ "enabled", 0, "0|1", "only rows that are off or on" },
	{ "q", 'q', "TEXT", "only rows that have the text" });
OPTIONS(ask_options,
	{ "limit", 'n', "N", "rows at most" });
OPTIONS(call_options,
	{ "body", 'b', "TEXT", "the arguments as one text, split on |" },
	{ "named", 0, "NAME=VALUE", "an argument by its name; repeatable" },
	{ "shape", 0, NULL, "says what would be sent or run, and does not" },
	{ "idempotency-key", 0, "KEY", "with the same key it runs once" });
OPTIONS(receipts_options,
	{ "key", 'k', "KEY", "only calls of the row" },
	{ "trace", 0, "TRACE", "only those of one trace" },
	{ "actor", 0, "ACTOR", "only those of the caller" },
	{ "since", 0, "TIME", "only those after the time" },
	{ "limit", 'n', "N", "so many, the newest; at most 500" },
	{ "follow", 'f', NULL, "goes on with new ones until it is interrupted" });
OPTIONS(events_options,
	{ "since", 0, "N", "those after event N, oldest first" },
	{ "limit", 'n', "N", "so many; at most 1000 (default: 100)" });
OPTIONS(mint_options,
	{ "scope", 's', "SCOPE", "what it may do: row:KEY, rows:A,B, pfx:PREFIX, cat:CATEGORY, act, read" },
	{ "ttl", 0, "N", "seconds it lives (default: a day)" },
	{ "uses", 0, "N", "calls it may make" },
	{ "rate", 0, "N", "calls a minute" },
	{ "max-body-bytes", 0, "N", "longest arguments" },
	{ "risk-ceiling", 0, "low|high", "high: rows with sensitive=1 too" },
	{ "owner-gate", 0, "false|true|hold", "hold: each call waits for approval" },
	{ "purpose", 0, "TEXT", "what it is for" },
	{ "actor", 0, "NAME", "whom it is given to" },
	{ "audience", 0, "HOST", "the only host it is good at" },
	{ "body-fixed", 0, "TEXT", "the only arguments that it may call with" },
	{ "contract", 0, "DIGEST", "the contract it is pinned to" });
OPTIONS(watch_options,
	{ "key-pattern", 'k', "PATTERN", "rows it is for; * is any" },
	{ "body-pattern", 0, "REGEX", "only calls whose arguments have that" },
	{ "decision", 'd', "allow|hold|deny", "what becomes of them" },
	{ "reason", 0, "TEXT", "told to the caller" },
	{ "rank", 0, "N", "the lower one decides (default: 100)" });

OPTIONS(prune_options,
	{ "before", 0, "DATE", "receipts of calls before it: 2026-01-31, or a time in UTC with a Z" },
	{ "older-than", 0, "TIME", "the same from now on back: 90d, 12h, 30m" },
	{ "keep", 'k', "N", "so many of the newest stay, whatever their age (default: 1)" },
	{ "dry-run", 'n', NULL, "only says how many would go" });

#define TOGETHER { "atomic", 0, NULL, "stores all of it, or nothing when a row is refused" }
#define PLANNED { "dry-run", 'n', NULL, "shows what would be done and does nothing" }

static const struct ctl_option command_options[] = {
	{ "key", 'k', "KEY", "the row's key (default: from host, path and method)" },
	{ "what", 0, "TEXT", "what it does, for the docstring" },
	{ "category", 0, "NAME", "the row's category (default: from the host)" },
	{ "fixed", 0, "NAME", "a parameter, member or segment that stays as it is; repeatable" },
	{ "slot", 0, "NAME", "one that becomes an argument; repeatable" },
	PLANNED,
	{ 0 },
};

static const struct ctl_option openapi_options[] = {
	{ "prefix", 'p', "NAME", "put before every key and variable" },
	{ "tag", 't', "TAG", "only operations with the tag; repeatable" },
	{ "only", 0, "PATTERN", "only operations whose key, operationId or `METHOD /path` fits; repeatable" },
	{ "server", 0, "URL", "in place of the document's servers" },
	{ "category", 0, "NAME", "of the rows that are new (default: the operation's first tag)" },
	{ "remove", 0, NULL, "deletes rows of the document that it has no more" },
	{ "yes", 'y', NULL, "stores without asking" },
	TOGETHER,
	PLANNED,
	{ 0 },
};

static const struct ctl_option mcp_options[] = {
	{ "auth", 0, "FORM", "the credential for the server, as a row's auth: bearer:NAME" },
	{ "prefix", 'p', "NAME", "put before every key (default: the host)" },
	{ "remove", 0, NULL, "deletes rows of tools that the server has no more" },
	{ "yes", 'y', NULL, "stores without asking" },
	TOGETHER,
	PLANNED,
	{ 0 },
};

static const struct ctl_option rows_options[] = {
	{ "as-is", 0, NULL, "also rows that break rules which are younger than they" },
	TOGETHER,
	PLANNED,
	{ 0 },
};

/* In the order of the help. */
static const struct ctl_command commands[] = {
	{ .name = "up", .what = "make and run a service in a folder, with nginx and TLS",
	  .own = &(const struct ctl_own){ ctl_up, "run it there" } },
	{ .name = "load", .what = "put rows from JSON files into a running service",
	  .own = &(const struct ctl_own){ ctl_load, "rowcall import jsonl FILE --url URL puts rows into one elsewhere" } },
	{ "ls", "", 0, 0, ls_options, ctl_verb, "list rows", NULL },
	{ "show", "KEY", 1, 1, NULL, ctl_show, "the contract of a row; with --json the row itself", NULL },
	{ "read", "KEY", 1, 1, NULL, ctl_show, "the same", NULL },
	{ "add", "FILE|-", 1, 1, NULL, ctl_add, "add the row, or the array of rows, in a JSON file", NULL },
	{ "edit", "KEY", 1, 1, NULL, ctl_edit, "edit a row as text in $VISUAL or $EDITOR", NULL },
	{ "set", "KEY FIELD=VALUE...", 2, -1, NULL, ctl_set, "set fields of a row; an empty value is null", NULL },
	{ "rm", "KEY", 1, 1, NULL, ctl_rm, "delete a row", NULL },
	{ "enable", "KEY", 1, 1, NULL, ctl_verb, "switch a row on", NULL },
	{ "disable", "KEY", 1, 1, NULL, ctl_verb, "switch a row off", NULL },
	{ "history", "KEY", 1, 1, NULL, ctl_verb, "the changes of a row, newest first", NULL },
	{ "diff", "KEY [EVENT [EVENT]]", 1, 3, NULL, ctl_diff, "what a row's last change, or all between two events, changed", NULL },
	{ "restore", "KEY EVENT|CONTRACT", 2, 2, NULL, ctl_restore, "make a row what it was, as a new change", NULL },
	{ "ask", "WORD...", 1, -1, ask_options, ctl_ask, "find rows in plain words", NULL },
	{ "call", "KEY [ARGUMENT...]", 1, -1, call_options, ctl_call, "call a row and print its result", NULL },
	{ "confirm", "RECEIPT", 1, 1, NULL, ctl_verb, "what anybody may know of a call", NULL },
	{ "receipt", "RECEIPT", 1, 1, NULL, ctl_verb, "all that is known of a call", NULL },
	{ "receipts", "", 0, 0, receipts_options, ctl_receipts, "the last calls", NULL },
	{ "prune", "", 0, 0, prune_options, ctl_prune, "remove old receipts; what they were stays sealed", NULL },
	{ "token mint", "", 0, 0, mint_options, ctl_token_mint, "make a capability token; it is printed once", NULL },
	{ "token attenuate", "", 0, 0, mint_options, ctl_token_mint, "make a narrower one from the token in $ROWCALL_TOKEN", NULL },
	{ "token ls", "", 0, 0, NULL, ctl_verb, "list tokens", NULL },
	{ "token show", "TOKEN", 1, 1, NULL, ctl_verb, "one token, by its fingerprint cap_...", NULL },
	{ "token revoke", "TOKEN", 1, 1, NULL, ctl_verb, "revoke a token and all made from it", NULL },
	{ "holds", "", 0, 0, NULL, ctl_verb, "calls that wait for approval, or did", NULL },
	{ "hold", "APPROVAL", 1, 1, NULL, ctl_verb, "one of them, with its arguments", NULL },
	{ "approve", "APPROVAL", 1, 1, NULL, ctl_approve, "run a call that waits, as it was held", NULL },
	{ "deny", "APPROVAL", 1, 1, NULL, ctl_verb, "end it", NULL },
	{ "watch ls", "", 0, 0, NULL, ctl_verb, "rules for calls of sensitive rows", NULL },
	{ "watch add", "", 0, 0, watch_options, ctl_watch_add, "add one", NULL },
	{ "watch rm", "RULE", 1, 1, NULL, ctl_verb, "remove one", NULL },
	{ "breaker ls", "", 0, 0, NULL, ctl_verb, "rows whose credential is refused", NULL },
	{ "breaker reset", "KEY", 1, 1, NULL, ctl_verb, "let a row's calls through again", NULL },
	{ "events", "", 0, 0, events_options, ctl_events, "the last changes", NULL },
	{ .name = "backup", .what = "copy a service's databases as they are at one moment, while it runs",
	  .own = &(const struct ctl_own){ ctl_backup, "run it there; rowcall export --url URL copies the rows of one elsewhere" } },
	{ .name = "restore-backup", .what = "put such a copy back",
	  .own = &(const struct ctl_own){ ctl_restore_backup, "run it there, while the service is stopped" } },
	{ .name = "doctor", .what = "look for what is wrong with a service, and say what to do",
	  .own = &(const struct ctl_own){ ctl_doctor, "run it there; rowcall status --url URL says whether one elsewhere serves" } },
	{ .name = "verify", .what = "recompute event chains and digests of a service or a backup",
	  .own = &(const struct ctl_own){ ctl_verify, "run it there, or here on the folder of a backup that was made there" } },
	{ "export", "[KEY...]", 0, -1, NULL, ctl_export, "rows as JSON, one a line, for import jsonl", NULL },
	{ "import curl", "[COMMAND...]", 0, CTL_VERBATIM, command_options, ctl_import_curl, "a curl command becomes a row", NULL },
	{ "import jsonl", "[FILE]", 0, 1, rows_options, ctl_import_jsonl, "rows as JSON, one a line, or an array", NULL },
	{ "import mcp", "URL", 1, 1, mcp_options, ctl_import_mcp, "the tools of an MCP server become rows", NULL },
	{ "import openapi", "FILE|URL", 1, 1, openapi_options, ctl_import_openapi, "the operations of an OpenAPI document become rows", NULL },
	{ "import sql", "[FILE]", 0, 1, rows_options, ctl_import_sql, "a dump of the original table `directory`", NULL },
	{ "status", "", 0, 0, NULL, ctl_status, "whether it serves, since when, which processes", NULL },
	{ "reload", "", 0, 0, NULL, ctl_reload, "let the service read its configuration again", NULL },
	{ "migrate", "", 0, 0, NULL, ctl_migrate, "bring the databases of a stopped service up to this version", NULL },
	{ "completion", "bash|zsh", 1, 1, NULL, ctl_completion, "a script that completes commands and options", NULL },
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
			only_words = only_words || args->command->most == CTL_VERBATIM;
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
	if ((fflush(stdout) != 0 || ferror(stdout)) && errno != EPIPE)
		return ctl_fail(CTL_FAILED, "standard output: %s", errno ? strerror(errno) : "is not written");
	return code;
}

/* Completion: the words after those that are there, then the options. zsh runs bash's script. */
int ctl_completion(const struct ctl_args *args)
{
	bool zsh = strcmp(args->word[0], "zsh") == 0;

	if (!zsh && strcmp(args->word[0], "bash") != 0)
		return ctl_fail(CTL_USAGE, "completion is for bash or zsh, not `%s`", args->word[0]);
	if (zsh)
		puts("autoload -U +X bashcompinit && bashcompinit");
	puts("_rowcall() {\n\tlocal line=\"${COMP_WORDS[*]:1:$((COMP_CWORD - 1))}\" words\n\tcase $line in");
	fputs("\t'') words='", stdout);
	for (size_t i = 0; i < COMMANDS; i++)
		printf("%.*s ", (int)strcspn(commands[i].name, " "), commands[i].name);
	puts("' ;;");
	for (size_t i = 0; i < COMMANDS; i++) {
		const struct ctl_option *const table[] = { commands[i].options, common };
		size_t first = strcspn(commands[i].name, " ");

		if (commands[i].name[first] && (!i || strncmp(commands[i - 1].name, commands[i].name, first + 1) != 0)) {
			printf("\t%.*s) words='", (int)first, commands[i].name);
			for (size_t k = i; k < COMMANDS && strncmp(commands[k].name, commands[i].name, first + 1) == 0; k++)
				printf("%s ", commands[k].name + first + 1);
			puts("' ;;");
		}
		printf("\t'%s'|'%s '*) words='", commands[i].name, commands[i].name);
		for (size_t t = 0; t < 2; t++)
			for (const struct ctl_option *o = table[t]; o && o->name && !commands[i].own; o++)
				printf("--%s ", o->name);
		puts("' ;;");
	}
	puts("\tesac\n\tCOMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\ncomplete -o default -F _rowcall rowcall");
	return CTL_OK;
}

/* getopt(3) begins its complaints with argv[0]. */
static int run_own(const struct ctl_command *c, int argc, char **argv)
{
	char name[32];

	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--url") == 0 || strncmp(argv[i], "--url=", 6) == 0)
			return ctl_fail(CTL_USAGE, "%s is for a service of this machine; %s", c->name, c->own->elsewhere);
	snprintf(name, sizeof(name), "rowcall %s", c->name);
	argv[0] = name;
	return c->own->main(argc, argv);
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

/* Commands of two words that begin with this one; false: there are none. */
static bool show_family(FILE *f, const char *first)
{
	size_t n = strlen(first);
	bool any = false;

	for (size_t i = 0; i < COMMANDS; i++)
		if (strncmp(commands[i].name, first, n) == 0 && commands[i].name[n] == ' ') {
			fprintf(f, "%srowcall %s%s%s [OPTION...]\n", any ? "       " : "usage: ", commands[i].name,
				commands[i].operands[0] ? " " : "", commands[i].operands);
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

/* `rowcall help COMMAND`, `rowcall FIRST-WORD --help`. */
static int help(int argc, char **argv)
{
	char flag[] = "--help", *own[] = { NULL, flag, NULL };
	int words;
	const struct ctl_command *c = find_command(argc, argv, &words);

	if (c && c->own)
		return run_own(c, 2, own);
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
	static const struct ctl_command none = { .options = NULL };
	int n = 0;

	while (n < argc && argv[n][0] == '-') {
		bool whole = argv[n][1] == '-';
		struct str rest = str_of(argv[n] + 2), name = whole ? str_cut(&rest, '=') : str_of(NULL);
		const struct ctl_option *o = find_option(&none, name, argv[n][1]);
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
	return c->own ? run_own(c, argc - words, argv + words) : run(c, argc - 1 - words, argv + 1 + words);
}
