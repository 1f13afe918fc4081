/* rowcalld: options, and which of its modes to run. */
#include "config.h"
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>
#include <bsd/unistd.h>
#include "base/mem.h"
#include "daemon/master.h"
#include "directory/verify.h"

/* Modes in which the service runs itself as a child program. Not for people, hence not in the help. */
static const struct mode { const char *name; int (*run)(const struct conf *conf); } modes[] = {
	{ "verify-events", verify_events_main },
};

enum {
	MODES = sizeof(modes) / sizeof(modes[0]),
	MODE_FIRST = 256,               /* getopt's value of the first mode */
};

static const struct option plain[] = {
	{ "config", required_argument, NULL, 'c' },
	{ "option", required_argument, NULL, 'o' },
	{ "check", no_argument, NULL, 'n' },
	{ "debug", no_argument, NULL, 'd' },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
};

enum { PLAIN = sizeof(plain) / sizeof(plain[0]) };

static void usage(void)
{
	fputs("usage: rowcalld [-dnVh] [-c FILE] [-o NAME=VALUE]...; see rowcalld --help\n", stderr);
}

static void help(void)
{
	fputs("usage: rowcalld [-dnVh] [-c FILE] [-o NAME=VALUE]...\n"
	      "Runs the service in the foreground, with its log on standard error, until SIGTERM, SIGQUIT or SIGINT;\n"
	      "SIGHUP reloads.\n"
	      "\n"
	      "  -c, --config FILE         settings (default " PKGCONFDIR "/rowcall.conf)\n"
	      "  -o, --option NAME=VALUE   overrides a setting; may be repeated\n"
	      "  -n, --check               checks the settings and exits\n"
	      "  -d, --debug               logs at level debug\n"
	      "  -V, --version             prints the version\n"
	      "  -h, --help                prints this\n"
	      "\n"
	      "Exit codes: 0 stopped, or the settings are fine; 1 failed; 64 wrong usage; 78 wrong settings.\n",
	      stdout);
}

struct line {
	const char *path;
	char **overrides;
	size_t n;
	bool check, debug;
	const struct mode *mode;
	int exit;                       /* >= 0: nothing to run */
};

static void take_option(struct line *l, int option)
{
	switch (option) {
	case 'c':
		l->path = optarg;
		break;
	case 'o':
		l->overrides = mem_resize(l->overrides, (l->n + 1) * sizeof(*l->overrides));
		l->overrides[l->n++] = optarg;
		break;
	case 'n':
		l->check = true;
		break;
	case 'd':
		l->debug = true;
		break;
	case 'V':
		puts(PACKAGE_STRING);
		l->exit = 0;
		break;
	case 'h':
		help();
		l->exit = 0;
		break;
	default:
		usage();
		l->exit = EX_USAGE;
	}
}

static void parse(struct line *l, int argc, char **argv)
{
	struct option all[PLAIN + MODES + 1] = { 0 };
	int option;

	memcpy(all, plain, sizeof(plain));
	for (int i = 0; i < MODES; i++)
		all[PLAIN + i] = (struct option){ modes[i].name, no_argument, NULL, MODE_FIRST + i };
	while (l->exit < 0 && (option = getopt_long(argc, argv, "c:o:ndVh", all, NULL)) != -1) {
		if (option >= MODE_FIRST)
			l->mode = &modes[option - MODE_FIRST];
		else
			take_option(l, option);
	}
	if (l->exit < 0 && optind < argc) {
		fprintf(stderr, "rowcalld: unexpected argument %s\n", argv[optind]);
		usage();
		l->exit = EX_USAGE;
	}
}

static int run(const struct line *l)
{
	struct master_settings settings = { .path = l->path, .overrides = l->overrides, .n = l->n, .debug = l->debug };
	struct problem why = { 0 };
	struct conf *conf = l->mode ? conf_load(l->path, l->overrides, l->n, &why) : master_load(&settings, &why);
	int code = 0;

	if (!conf) {
		fprintf(stderr, "rowcalld: %s%s%s\n", why.detail, why.how_to_fix[0] ? "; " : "", why.how_to_fix);
		return EX_CONFIG;
	}
	if (l->check)
		printf("rowcalld: %s is fine\n", conf->path);
	else if (!l->mode)
		return master_main(&settings, conf);
	else
		code = l->mode->run(conf);
	conf_free(conf);
	return code;
}

int main(int argc, char **argv, char **envp)
{
	struct line l = { .path = PKGCONFDIR "/rowcall.conf", .exit = -1 };
	int code;

	setproctitle_init(argc, argv, envp);
	parse(&l, argc, argv);
	code = l.exit >= 0 ? l.exit : run(&l);
	free(l.overrides);
	return code;
}
