/* What the doctor looks at of the machine: libraries, clock, disk, kernel. */
#include <errno.h>
#include <inttypes.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include "base/clock.h"
#include "ctl/api.h"
#include "ctl/doctor.h"

enum {
	DISK_FAIL_MB = 100, DISK_WARN_MB = 1000,
	CLOCK_SLACK_MS = 2000,          /* between taking a time and looking at it */
};

/* A fault of a library that concerns us: in versions before `fixed`. */
static const struct fault { const char *library, *fixed, *what, *fix; enum doctor_level level; } faults[] = {
	{ "SQLite", "3.51.3", "has the WAL-reset fault, which needs two connections that write or checkpoint",
	  "only the writer does, so it is harmless: do not open the databases with other programs except read-only", DOCTOR_NOTE },
	{ "libcurl", "7.84.0", "parses the system's certificates for each connection, 30 ms",
	  "upgrade libcurl to 7.87 or later", DOCTOR_WARN },
	{ "OpenSSL", "3.0.0", "is of a series that gets no fixes any more", "upgrade OpenSSL", DOCTOR_WARN },
};

/* a < b, as numbers with dots */
static bool before(const char *a, const char *b)
{
	for (int i = 0; i < 3; i++) {
		char *enda, *endb;
		long x = strtol(a, &enda, 10), y = strtol(b, &endb, 10);

		if (x != y)
			return x < y;
		a = *enda == '.' ? enda + 1 : enda;
		b = *endb == '.' ? endb + 1 : endb;
	}
	return false;
}

static void library(struct doctor *d, const char *name, const char *version)
{
	doctor_note(d, DOCTOR_OK, "", "%s %s", name, version);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (strcmp(faults[i].library, name) == 0 && before(version, faults[i].fixed))
			doctor_note(d, faults[i].level, faults[i].fix, "%s %s %s; fixed in %s", name, version, faults[i].what,
				faults[i].fixed);
}

void doctor_libraries(struct doctor *d)
{
	library(d, "SQLite", db_library_version());
	library(d, "libcurl", remote_library_version());
	library(d, "OpenSSL", OpenSSL_version(OPENSSL_VERSION_STRING));
}

/* The newest record of a file, by its own time. */
static void compare_clock(struct doctor *d, enum sql_file f, enum sql_id id, const char *what)
{
	struct db_stmt *s = d->db[f] ? db_start(d->db[f], id, "") : NULL;
	int64_t ms, ahead;

	if (s && db_step(s) == 1 && clock_parse(db_text(s, 0), &ms) == 0 && (ahead = ms - clock_ms()) > CLOCK_SLACK_MS)
		doctor_note(d, DOCTOR_WARN, "set the clock; times of receipts and the ends of tokens follow it",
			"the last %s is %" PRId64 " s in the future: the clock was set back since", what, ahead / 1000);
	db_end(s);
}

void doctor_clock(struct doctor *d)
{
	struct timex t = { 0 };

	compare_clock(d, SQL_LEDGER, SQL_RECEIPT_LAST_TIME, "receipt");
	compare_clock(d, SQL_DIRECTORY, SQL_EVENT_LAST_TIME, "event");
	if (adjtimex(&t) == TIME_ERROR)
		doctor_note(d, DOCTOR_NOTE, "run an NTP client, unless the host keeps the time", "the kernel's clock is not synchronised");
}

void doctor_disk(struct doctor *d)
{
	struct statvfs v;
	uint64_t mb;

	if (statvfs(d->conf->data_dir, &v) < 0) {
		doctor_note(d, DOCTOR_FAIL, "make it, or correct data_dir", "%s: %s", d->conf->data_dir, strerror(errno));
		return;
	}
	mb = (uint64_t)v.f_bavail * v.f_frsize >> 20;
	if (mb < DISK_WARN_MB)
		doctor_note(d, mb < DISK_FAIL_MB ? DOCTOR_FAIL : DOCTOR_WARN, "make room, or set payload_keep to keep inputs and outputs for less long",
			"%" PRIu64 " MB are free in %s; without room nothing runs", mb, d->conf->data_dir);
	if (v.f_files && v.f_favail < 1000)
		doctor_note(d, DOCTOR_WARN, "remove files", "%" PRIu64 " inodes are free in %s", (uint64_t)v.f_favail, d->conf->data_dir);
}

void doctor_backlog(struct doctor *d)
{
	FILE *f = fopen("/proc/sys/net/core/somaxconn", "re");
	long max = 0;

	if (f && fscanf(f, "%ld", &max) == 1 && max < d->conf->listen_backlog)
		doctor_note(d, DOCTOR_WARN, "sysctl net.core.somaxconn=4096", "net.core.somaxconn is %ld, listen_backlog %" PRId64
			": a rush of connections is refused with 502", max, d->conf->listen_backlog);
	if (f)
		fclose(f);
}
