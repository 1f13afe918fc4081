/* Makes and completes an instance folder; see instance.h. It starts nothing: that is up.c. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/crypto.h"
#include "ctl/certificate.h"
#include "ctl/instance.h"

enum {
	INSTANCE_KEY_BYTES = 32,        /* random bytes of a new TERMINAL_KEY */
	INSTANCE_FILE_MAX = 1 << 20,    /* bytes of a template file */
};

#define ROWS_WANTED "starter-rows.wanted"

static int fail(struct problem *why, const char *what, const char *path)
{
	problem_set(why, 500, "instance");
	problem_detail(why, "%s %s: %s", what, path, strerror(errno));
	return -1;
}

/* All or nothing: a new file beside the old one takes its place. */
static int write_file(const char *path, struct str text, mode_t mode, struct problem *why)
{
	struct buf tmp = BUF_MALLOC;
	int fd, rc = -1;

	buf_printf(&tmp, "%s.new", path);
	fd = open(buf_text(&tmp), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	if (fd < 0 || write(fd, text.p, text.n) != (ssize_t)text.n || fchmod(fd, mode) < 0 || fsync(fd) < 0 || rename(buf_text(&tmp), path) < 0)
		fail(why, "cannot write", path);
	else
		rc = 0;
	if (fd >= 0)
		close(fd);
	buf_free(&tmp);
	return rc;
}

static int read_file(const char *path, struct buf *out, struct problem *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	if (fd >= 0) {
		buf_reserve(out, INSTANCE_FILE_MAX);
		while ((n = read(fd, out->data + out->len, out->cap - out->len - 1)) > 0)
			out->len += (size_t)n;
		close(fd);
	}
	return n < 0 ? fail(why, "cannot read", path) : 0;
}

static char *path_in(const struct instance *in, const char *name)
{
	struct buf b = BUF_MALLOC;

	buf_printf(&b, "%s/%s", in->dir, name);
	return (char *)buf_text(&b);
}

static int make_dirs(const struct instance *in, struct problem *why)
{
	static const char *const dirs[] = { "log", "run", "tls" };

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		char *path = path_in(in, dirs[i]);
		int rc = mkdir(path, 0750) < 0 && errno != EEXIST ? fail(why, "cannot make", path) : 0;

		free(path);
		if (rc < 0)
			return -1;
	}
	return 0;
}

static void conf_text(struct buf *b, const struct instance *in)
{
	buf_printf(b,
	    "# Settings of this instance, made by `rowcall up`; every setting is in rowcall.conf(5).\n"
	    "# base_url is what `rowcall up` is started with: its port, or --set base_url=URL.\n"
	    "base_url = https://localhost:%d\n"
	    "data_dir = .\n"
	    "run_dir = run\n"
	    "secrets_file = secrets.env\n"
	    "exec_dir = exec.d\n"
	    "migrations_dir = %s/migrations\n\n"
	    "[vars]\n"
	    "# What rows may name as $NAME.\n"
	    "DATA_DIR = %s\n"
	    "LOG_FILE = %s/log/rowcalld.log\n"
	    "CERTIFICATE = %s/tls/cert.pem\n", in->port, in->share, in->dir, in->dir, in->dir);
}

static void secrets_text(struct buf *b, const struct instance *in)
{
	unsigned char key[INSTANCE_KEY_BYTES];

	(void)in;
	crypto_random(key, sizeof(key));
	buf_puts(b, "# NAME=value; rows name these variables, their values stay here. Read again whenever this file changes.\nTERMINAL_KEY=");
	crypto_base64url(b, str_make((const char *)key, sizeof(key)));
	buf_putc(b, '\n');
	explicit_bzero(key, sizeof(key));
}

/* Files that are made once and then are the administrator's. */
static const struct { const char *name; mode_t mode; void (*text)(struct buf *, const struct instance *); } files[] = {
	{ "secrets.env", 0600, secrets_text },
	{ "rowcall.conf", 0640, conf_text },
};

/* A file says so, because the first start may fail before it can load them. */
static int want_rows(const struct instance *in, struct problem *why)
{
	char *path = path_in(in, ROWS_WANTED);
	int rc = write_file(path, str_of(""), 0640, why);

	free(path);
	return rc;
}

bool instance_wants_rows(const struct instance *in)
{
	char *path = path_in(in, ROWS_WANTED);
	bool wanted = access(path, F_OK) == 0;

	free(path);
	return wanted;
}

void instance_has_rows(const struct instance *in)
{
	char *path = path_in(in, ROWS_WANTED);

	unlink(path);
	free(path);
}

static int make_files(const struct instance *in, struct problem *why)
{
	bool made = false;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *path = path_in(in, files[i].name);
		struct buf b = BUF_MALLOC;
		int rc = 0;

		if (access(path, F_OK) < 0) {
			made = true;
			files[i].text(&b, in);
			rc = write_file(path, buf_str(&b), files[i].mode, why);
		}
		buf_free(&b);
		free(path);
		if (rc < 0)
			return -1;
	}
	return made ? want_rows(in, why) : 0;
}

static int copy_file(const char *from, const char *to, mode_t mode, struct problem *why)
{
	struct buf text = BUF_MALLOC;
	int rc = read_file(from, &text, why);

	if (rc == 0)
		rc = write_file(to, buf_str(&text), mode, why);
	buf_free(&text);
	return rc;
}

/* The sample programs of exec rows, when there is no such folder yet. */
static int make_programs(const struct instance *in, struct problem *why)
{
	static const char *const names[] = { "certificate-expiry", "disk-usage", "log-tail" };
	char *dir = path_in(in, "exec.d");
	int rc = 0;

	if (access(dir, F_OK) == 0)
		goto out;
	if (mkdir(dir, 0755) < 0 || chmod(dir, 0755) < 0)
		rc = fail(why, "cannot make", dir);
	for (size_t i = 0; rc == 0 && i < sizeof(names) / sizeof(names[0]); i++) {
		struct buf from = BUF_MALLOC, to = BUF_MALLOC;

		buf_printf(&from, "%s/conf/exec.d/%s", in->share, names[i]);
		buf_printf(&to, "%s/%s", dir, names[i]);
		rc = copy_file(buf_text(&from), buf_text(&to), 0755, why);
		buf_free(&from);
		buf_free(&to);
	}
out:
	free(dir);
	return rc;
}

int instance_prepare(const struct instance *in, struct problem *why)
{
	char *key = path_in(in, "tls/key.pem"), *cert = path_in(in, "tls/cert.pem");
	int rc = -1;

	if (make_dirs(in, why) < 0 || make_files(in, why) < 0 || make_programs(in, why) < 0)
		goto out;
	rc = access(key, F_OK) == 0 && access(cert, F_OK) == 0 ? 0 : certificate_make(key, cert, why);
out:
	free(key);
	free(cert);
	return rc;
}

/* The user of nginx's workers: who owns the folder. Only root may say so. */
static void nginx_user(struct buf *b, const struct instance *in)
{
	struct stat st;
	struct passwd *pw;

	if (geteuid() != 0 || stat(in->dir, &st) < 0 || (pw = getpwuid(st.st_uid)) == NULL)
		return;
	buf_printf(b, "user %s;", pw->pw_name);
}

static void nginx_dir(struct buf *b, const struct instance *in) { buf_puts(b, in->dir); }
static void nginx_port(struct buf *b, const struct instance *in) { buf_printf(b, "%d", in->port); }
static void nginx_http_port(struct buf *b, const struct instance *in) { buf_printf(b, "%d", in->http_port); }

static const struct { const char *name; void (*value)(struct buf *, const struct instance *); } variables[] = {
	{ "@USER@", nginx_user }, { "@DIR@", nginx_dir }, { "@PORT@", nginx_port }, { "@HTTP_PORT@", nginx_http_port },
};

static void substitute_line(struct buf *out, struct str line, const struct instance *in)
{
	while (line.n > 0) {
		size_t i = 0;

		for (; line.p[0] == '@' && i < sizeof(variables) / sizeof(variables[0]); i++)
			if (str_starts(line, variables[i].name))
				break;
		if (line.p[0] == '@' && i < sizeof(variables) / sizeof(variables[0])) {
			variables[i].value(out, in);
			line = str_skip(line, strlen(variables[i].name));
		} else {
			buf_putc(out, line.p[0]);
			line = str_skip(line, 1);
		}
	}
	buf_putc(out, '\n');
}

/* Lines marked #http stand only with plain HTTP. */
static void substitute(struct buf *out, struct str text, const struct instance *in)
{
	struct str line;

	while (text.p != NULL) {
		line = str_cut(&text, '\n');
		if (in->http_port == 0 && str_find(line, str_of("#http")) >= 0)
			continue;
		substitute_line(out, line, in);
	}
}

int instance_nginx(const struct instance *in, struct problem *why)
{
	static const struct { const char *from, *to; } nginx_files[] = {
		{ "instance.conf.in", "nginx.conf" },
		{ "rowcall-http.conf", "rowcall-http.conf" },
		{ "rowcall-server.conf", "rowcall-server.conf" },
		{ "rowcall-error.conf", "rowcall-error.conf" },
		{ "rowcall-fastcgi.conf", "rowcall-fastcgi.conf" },
	};

	if (strpbrk(in->dir, " \t;{}'\"\\$") != NULL) {
		problem_set(why, 500, "instance");
		problem_detail(why, "the path %s holds a character that nginx.conf cannot name", in->dir);
		return -1;
	}
	for (size_t i = 0; i < sizeof(nginx_files) / sizeof(nginx_files[0]); i++) {
		struct buf from = BUF_MALLOC, text = BUF_MALLOC, out = BUF_MALLOC;
		char *to = path_in(in, nginx_files[i].to);
		int rc;

		buf_printf(&from, "%s/conf/nginx/%s", in->share, nginx_files[i].from);
		rc = read_file(buf_text(&from), &text, why);
		if (rc == 0) {
			substitute(&out, buf_str(&text), in);
			rc = write_file(to, buf_str(&out), 0640, why);
		}
		buf_free(&from);
		buf_free(&text);
		buf_free(&out);
		free(to);
		if (rc < 0)
			return -1;
	}
	return 0;
}

/* The master holds a lock on the file with its process id for as long as it lives. */
long instance_running(const struct instance *in)
{
	char *path = path_in(in, "run/rowcalld.pid"), text[32] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	long pid = 0;

	if (fd >= 0) {
		if (flock(fd, LOCK_SH | LOCK_NB) < 0 && read(fd, text, sizeof(text) - 1) > 0)
			pid = strtol(text, NULL, 10);
		close(fd);
	}
	free(path);
	return pid;
}

/* The socket bound to the port (0: any) as nginx binds it, or -1 with errno. */
static int bind_port(int port)
{
	struct sockaddr_in sa = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1, error;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&sa, sizeof(sa)) == 0)
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

bool instance_port_free(int port)
{
	int fd = bind_port(port);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

int instance_free_port(void)
{
	struct sockaddr_in sa;
	socklen_t n = sizeof(sa);
	int fd = bind_port(0), port = -1;

	if (fd < 0)
		return -1;
	if (getsockname(fd, (struct sockaddr *)&sa, &n) == 0)
		port = ntohs(sa.sin_port);
	close(fd);
	return port;
}
