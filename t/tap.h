/* Test Anything Protocol for unit tests in C: one program a file, names read as promises. */
#ifndef T_TAP_H
#define T_TAP_H
#include <stdbool.h>
#include <stdint.h>

bool tap_ok(bool pass, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool tap_is_str(const char *got, const char *want, const char *name);   /* both may be NULL; prints both on failure */
bool tap_is_int(int64_t got, int64_t want, const char *name);
void tap_diag(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void tap_skip_all(const char *why);                                     /* loud: prints the reason, exits 0 */
int tap_done(void);                                                     /* prints the plan; the value main returns */

#endif
