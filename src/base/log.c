/* The service's log on standard error, one write(2) a line so that lines of several processes do not mix. Not a place
 * for secrets, request bodies or headers. Nothing here allocates: it is what reports that memory ran out. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/escape.h"
#include "base/log.h"

enum {
	LOG_TEXT_MAX = 2048,                    /* bytes of a message with its NUL; the rest is cut */
	LOG_LINE_MAX = 4 * LOG_TEXT_MAX + 128,  /* room for each byte of it written as \xNN, and what goes before */
};

static const struct {
	const char *name;
	char priority;                          /* syslog's, for the journal */
} levels[] = {
	[LOG_LEVEL_ERROR] = { "error", '3' },
	[LOG_LEVEL_WARN] = { "warn", '4' },
	[LOG_LEVEL_INFO] = { "info", '6' },
	[LOG_LEVEL_DEBUG] = { "debug", '7' },
};

static char process_name[32] = "rowcall";
static enum log_level threshold = LOG_LEVEL_INFO;
static bool to_journal;

/* JOURNAL_STREAM is "device:inode" of the stream the journal reads (systemd.exec(5)); it is inherited by children whose
 * standard error is something else, hence the comparison. */
static bool stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	char want[64];
	struct stat st;

	if (!stream || fstat(STDERR_FILENO, &st))
		return false;
	snprintf(want, sizeof(want), "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	return strcmp(stream, want) == 0;
}

void log_init(const char *process, enum log_level level)
{
	snprintf(process_name, sizeof(process_name), "%s", process);
	threshold = level;
	to_journal = stderr_is_journal();
}

static void put_prefix(struct buf *line, enum log_level level)
{
	char iso[CLOCK_ISO];

	if (to_journal) {
		buf_putc(line, '<');
		buf_putc(line, levels[level].priority);
		buf_putc(line, '>');
	} else {
		clock_iso(clock_ms(), iso);
		buf_puts(line, iso);
		buf_putc(line, ' ');
	}
	buf_puts(line, levels[level].name);
	buf_putc(line, ' ');
	buf_puts(line, process_name);
	buf_puts(line, ": ");
}

static void write_line(enum log_level level, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

static void write_line(enum log_level level, const char *fmt, va_list ap)
{
	/* Static, for a fiber's stack is small. The line's room is enough for the worst case, so the buffer never
	 * grows. */
	static char text[LOG_TEXT_MAX], room[LOG_LINE_MAX];
	struct buf line = { .data = room, .cap = sizeof(room) };
	size_t n;

	n = (size_t)vsnprintf(text, sizeof(text), fmt, ap);
	if (n >= sizeof(text))
		n = escape_cut(str_make(text, sizeof(text) - 1), sizeof(text) - 4);
	put_prefix(&line, level);
	escape_add(&line, ESCAPE_TERMINAL, str_make(text, n));
	buf_putc(&line, '\n');
	/* There is nobody left to tell when standard error cannot be written. */
	if (write(STDERR_FILENO, line.data, line.len) < 0)
		return;
}

#define LOG_AT(level) do { \
	va_list ap; \
	if ((level) > threshold) \
		return; \
	va_start(ap, fmt); \
	write_line((level), fmt, ap); \
	va_end(ap); \
} while (0)

void log_error(const char *fmt, ...)
{
	LOG_AT(LOG_LEVEL_ERROR);
}

void log_warn(const char *fmt, ...)
{
	LOG_AT(LOG_LEVEL_WARN);
}

void log_info(const char *fmt, ...)
{
	LOG_AT(LOG_LEVEL_INFO);
}

void log_debug(const char *fmt, ...)
{
	LOG_AT(LOG_LEVEL_DEBUG);
}

void log_fatal(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	write_line(LOG_LEVEL_ERROR, fmt, ap);
	va_end(ap);
	abort();
}
