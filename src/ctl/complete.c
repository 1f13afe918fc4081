/* `rowcall completion`. */
#include <stdio.h>
#include <string.h>
#include "ctl/table.h"

/* Completion: the words after those that are there, then the options. zsh runs bash's script. */
int ctl_completion(const struct ctl_args *args)
{
	bool zsh = strcmp(args->word[0], "zsh") == 0;

	if (!zsh && strcmp(args->word[0], "bash") != 0)
		return ctl_fail(CTL_USAGE, "completion is for bash or zsh, not `%s`", args->word[0]);
	if (zsh)
		puts("autoload -U +X bashcompinit && bashcompinit");
	puts("_rowcall() {\n\tlocal line=\"${COMP_WORDS[*]:1:$((COMP_CWORD - 1))}\" words\n\tcase $line in");
	fputs("\t'') words='", stdout);
	for (size_t i = 0; i < table_length; i++)
		printf("%.*s ", (int)strcspn(table_commands[i].name, " "), table_commands[i].name);
	puts("' ;;");
	for (size_t i = 0; i < table_length; i++) {
		const struct ctl_option *const table[] = { table_commands[i].options, table_commands[i].reach ? table_commands[i].reach->common : table_common };
		size_t first = strcspn(table_commands[i].name, " ");

		if (table_commands[i].name[first] && (!i || strncmp(table_commands[i - 1].name, table_commands[i].name, first + 1) != 0)) {
			printf("\t%.*s) words='", (int)first, table_commands[i].name);
			for (size_t k = i; k < table_length && strncmp(table_commands[k].name, table_commands[i].name, first + 1) == 0; k++)
				printf("%s ", table_commands[k].name + first + 1);
			puts("' ;;");
		}
		printf("\t'%s'|'%s '*) words='", table_commands[i].name, table_commands[i].name);
		for (size_t t = 0; t < 2; t++)
			for (const struct ctl_option *o = table[t]; o && o->name; o++)
				printf("--%s ", o->name);
		puts("' ;;");
	}
	puts("\tesac\n\tCOMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\ncomplete -o default -F _rowcall rowcall");
	return CTL_OK;
}
