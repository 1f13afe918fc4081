/* The table of what to do at the shell, in place of what the interface says to those who send requests. */
#include <stddef.h>
#include "ctl/hint.h"

static const struct { const char *error, *hint; } hints[] = {
	{ "approval_decided", "rowcall hold APPROVAL shows what became of it" },
	{ "approval_not_found", "rowcall holds lists them" },
	{ "args_invalid", "rowcall show KEY says what the row takes; arguments without names are words behind the key" },
	{ "contract_changed", "rowcall show KEY shows the row as it is now" },
	{ "contract_not_found", "rowcall history KEY lists the contracts of the row" },
	{ "event_not_found", "rowcall history KEY lists the events of the row" },
	{ "invalid_body", "a row is a JSON object, {\"key\":\"NAME\",\"type\":\"fn\",...}; see rowcall-row(5)" },
	{ "key_exists", "rowcall set or rowcall edit changes the row that is there" },
	{ "no recognized fields", "the fields are those of rowcall-row(5); rowcall show KEY --json shows them" },
	{ "not_found", "rowcall ls lists the rows, rowcall add makes one" },
	{ "not_ready", "rowcall status and rowcall doctor say what is wrong" },
	{ "receipt_not_found", "rowcall receipts lists them; it may have been pruned" },
	{ "row_changed", "do it again: somebody else changed the row first" },
	{ "row_disabled", "rowcall enable KEY switches it on" },
	{ "scope_widen_denied", "ask for no more than the token has: rowcall token show TOKEN" },
	{ "token_invalid", "put a valid token or the owner's key into ROWCALL_TOKEN or --token-file" },
	{ "token_needed", "put the token to narrow into ROWCALL_TOKEN or --token-file, with --url" },
	{ "token_not_found", "rowcall token ls lists them" },
	{ "unknown_key", "rowcall ls lists the rows, rowcall ask finds one in plain words" },
	{ "watch_rule_not_found", "rowcall watch ls lists them" },
	{ "watch_rules_full", "rowcall watch rm removes one" },
};

const char *hint_of(struct str error)
{
	struct str rest = error, code = str_cut(&rest, ':');

	for (size_t i = 0; i < sizeof(hints) / sizeof(*hints); i++)
		if (str_is(code, hints[i].error))
			return hints[i].hint;
	return NULL;
}
