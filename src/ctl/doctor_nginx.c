/* What the doctor looks at of nginx: that its configuration is right, passes requests to us, takes bodies as large as we
 * do, and has certificates that hold. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <openssl/pem.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ctl/ctl.h"
#include "ctl/doctor.h"

enum { DUMP_MAX = 8 << 20, CERT_WARN_DAYS = 14, CERT_NOTE_DAYS = 30 };

/* What `nginx -T` prints (its standard error too); its status, or -1. */
static int dump(char *const argv[], struct buf *out)
{
	posix_spawn_file_actions_t actions;
	int fd[2], status = -1;
	pid_t pid;
	ssize_t n;

	if (pipe2(fd, O_CLOEXEC) < 0)
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fd[1], 1);
	posix_spawn_file_actions_adddup2(&actions, fd[1], 2);
	if (posix_spawn(&pid, argv[0], &actions, NULL, argv, environ) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	close(fd[1]);
	for (n = 1; pid > 0 && n > 0;) {
		buf_reserve(out, 65536);
		n = out->len < DUMP_MAX ? read(fd[0], out->data + out->len, 65536) : 0;
		out->len += n > 0 ? (size_t)n : 0;
	}
	close(fd[0]);
	if (pid > 0)
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Bytes of a size as nginx writes it: 1m, 512k. */
static int64_t size_of(const char *text)
{
	char *end;
	int64_t n = strtoll(text, &end, 10);

	return *end == 'k' || *end == 'K' ? n << 10 : *end == 'm' || *end == 'M' ? n << 20 : *end == 'g' || *end == 'G' ? n << 30 : n;
}

static void check_certificate(struct doctor *d, const char *prefix, struct str name)
{
	const char *path = *name.p == '/' ? arena_printf(d->arena, "%.*s", (int)name.n, name.p) :
		arena_printf(d->arena, "%s/%.*s", prefix, (int)name.n, name.p);
	FILE *f = fopen(path, "re");
	X509 *cert = f ? PEM_read_X509(f, NULL, NULL, NULL) : NULL;
	int days = 0, seconds = 0;

	if (f)
		fclose(f);
	if (!cert) {
		doctor_note(d, DOCTOR_FAIL, "put the certificate there", "%s is no certificate that can be read", path);
		return;
	}
	ASN1_TIME_diff(&days, &seconds, NULL, X509_get0_notAfter(cert));
	X509_free(cert);
	if (days < 0 || seconds < 0)
		doctor_note(d, DOCTOR_FAIL, "renew it, then reload nginx", "%s expired %d days ago", path, -days);
	else if (days < CERT_NOTE_DAYS)
		doctor_note(d, days < CERT_WARN_DAYS ? DOCTOR_WARN : DOCTOR_NOTE, "renew it, then reload nginx", "%s expires in %d days", path, days);
}

struct seen { bool ours; int64_t body; };

static void directive(struct doctor *d, const char *prefix, struct str line, struct seen *seen)
{
	struct str rest = str_trim(line), word = str_cut(&rest, ' '), value = rest.p ? str_trim(rest) : str_of("");
	const char *socket = doctor_path(d, d->conf->run_dir, "fcgi.sock");

	value.n = strcspn(value.p, ";\n") < value.n ? strcspn(value.p, ";\n") : value.n;
	if (str_find(value, str_of(socket)) >= 0 && (str_is(word, "server") || str_is(word, "fastcgi_pass")))
		seen->ours = true;
	else if (str_is(word, "client_max_body_size"))
		seen->body = size_of(value.p);
	else if (str_is(word, "ssl_certificate"))
		check_certificate(d, prefix, value);
}

static void read_dump(struct doctor *d, const char *prefix, struct str text)
{
	struct seen seen = { 0 };
	struct str line;

	while (text.p) {
		line = str_cut(&text, '\n');
		directive(d, prefix, line, &seen);
	}
	if (!seen.ours)
		doctor_note(d, DOCTOR_FAIL, "include rowcall-site.conf, see rowcalld(8)", "nothing in nginx's configuration passes requests to %s/fcgi.sock",
			d->conf->run_dir);
	if (seen.body && seen.body != d->conf->max_request_body)
		doctor_note(d, DOCTOR_WARN, "set both to the same", "client_max_body_size is %" PRId64 " bytes, max_request_body %" PRId64, seen.body,
			d->conf->max_request_body);
}

/* The line of its complaint. */
static struct str complaint(struct str text)
{
	long at = str_find(text, str_of("[emerg]"));
	struct str rest = at < 0 ? text : str_skip(text, (size_t)at);

	return str_cut(&rest, '\n');
}

void doctor_nginx(struct doctor *d)
{
	static const char *const dirs[] = { "/usr/sbin", "/usr/local/sbin", "/usr/bin", "/usr/local/bin", NULL };
	char *program = ctl_find_program("nginx", dirs), *folder = arena_printf(d->arena, "%s", d->conf->path), *slash = strrchr(folder, '/');
	char test[] = "-T", quiet[] = "-e", none[] = "/dev/null", config[] = "-c", at[] = "-p";
	const char *file = d->nginx;
	char *argv[] = { program, test, quiet, none, config, NULL, at, folder, NULL };
	struct buf out = BUF_MALLOC;
	struct str line;

	if (slash)
		*slash = 0;
	if (!file && access(doctor_path(d, folder, "nginx.conf"), R_OK) == 0)
		file = doctor_path(d, folder, "nginx.conf");
	argv[5] = arena_printf(d->arena, "%s", file ? file : "/etc/nginx/nginx.conf");
	if (!file)
		argv[6] = NULL;
	if (!program) {
		doctor_note(d, DOCTOR_NOTE, "apt-get install nginx-light", "nginx is not installed here");
	} else if (geteuid() != 0 && !file) {
		doctor_note(d, DOCTOR_NOTE, "run doctor as root", "nginx's configuration is not looked at: only root can read all of it");
	} else if (dump(argv, &out) != 0) {
		line = complaint(buf_str(&out));
		doctor_note(d, DOCTOR_FAIL, "correct it, then nginx -t", "nginx does not take its configuration: %.*s", (int)line.n, line.p);
	} else {
		read_dump(d, file ? folder : "/etc/nginx", buf_str(&out));
	}
	buf_free(&out);
	free(program);
}
