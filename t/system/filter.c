/* filter FILE PROGRAM [ARGUMENT…]: runs the program with the system calls that the file names, one a line, and no others, as
 * SystemCallFilter= does. For t/system/53-filter.t. */
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	FILE *f = argc > 2 ? fopen(argv[1], "re") : NULL;
	char name[64];

	while (f && fgets(name, sizeof(name), f)) {
		int number;

		name[strcspn(name, "\n")] = 0;
		number = seccomp_syscall_resolve_name(name);
		if (number >= 0)                /* others belong to other machines */
			seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
	}
	if (!f || seccomp_load(filter) < 0)
		return 1;
	execv(argv[2], argv + 2);
	return 127;
}
