/* The table of rowcall(1)'s commands. */
#ifndef CTL_TABLE_H
#define CTL_TABLE_H
#include "ctl/ctl.h"

extern const struct ctl_command table_commands[];       /* in the order of the help */
extern const size_t table_length;
extern const struct ctl_option *const table_common;     /* options that stand before a command too */

#endif
