/* Times. Wall-clock for what is recorded, monotonic for durations and deadlines. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H
#include <stdint.h>
#include "base/str.h"

enum { CLOCK_ISO = 25 };                                /* "2026-07-26T04:36:19.832Z" with NUL */

int64_t clock_ms(void);                                 /* milliseconds since 1970, UTC */
int64_t clock_mono_us(void);                            /* microseconds, CLOCK_MONOTONIC */
/* a time outside the years 0000 to 9999 becomes the nearest inside */
void clock_iso(int64_t ms, char out[CLOCK_ISO]);
/* The form above; "T" or a space; a fraction of one to nine digits is optional and cut to milliseconds. -1 when
 * malformed or no real date. */
int clock_parse(struct str s, int64_t *ms);
/* Date, time and offset of `ms` in an IANA zone. iso: "2026-07-25T21:36:19.832-07:00" (30 bytes), date "2026-07-25",
 * time "21:36:19", each with NUL. -1 when the zone is unknown. Sets the process's TZ when the zone is another than last
 * time: call it once before threads start, and let other code use UTC. */
struct clock_local { char iso[40], date[16], time[16]; };
int clock_in_zone(int64_t ms, const char *zone, struct clock_local *out);

#endif
