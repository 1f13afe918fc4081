/* The service's log: lines on standard error, "<level> process: text", with control characters escaped. Nothing secret
 * goes in: callers name a secret's variable, never its value. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

void log_init(const char *process, enum log_level level);       /* process: "master", "writer", "worker 1"; copied */
/* With the journal's prefixes (<3> …) when JOURNAL_STREAM is set and names standard error, otherwise with a
 * UTC time. */
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A broken invariant: logged, then abort(); the master starts a new process. */
void log_fatal(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
