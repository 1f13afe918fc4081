/* The commands of rowcall(1) and their options: THE table. What a command does is its function's. */
#include "ctl/table.h"

#define DIR     { "dir", 0, "FOLDER", "the instance's folder (default: $ROWCALL_DIR, else the installed service)" }
#define CONFIG  { "config", 'c', "FILE", "the service's configuration, where it is not FOLDER/rowcall.conf" }
#define JSON    { "json", 0, NULL, "prints JSON" }
#define HELP    { "help", 'h', NULL, "this text" }

#define OPTIONS(name, ...) static const struct ctl_option name[] = { __VA_ARGS__, { 0 } }

OPTIONS(anywhere,
	DIR,
	CONFIG,
	{ "url", 0, "URL", "a service elsewhere; its credential is $ROWCALL_TOKEN or in --token-file" },
	{ "token-file", 0, "FILE", "holds the credential for --url: a token or the owner's key" },
	{ "cacert", 0, "FILE", "PEM certificates to trust for --url" },
	JSON,
	HELP);
OPTIONS(here, DIR, CONFIG, JSON, HELP);
OPTIONS(alone, HELP);

const struct ctl_option *const table_common = anywhere;

/* Of a service of this machine: what to do for one elsewhere. Of none at all: nothing but --help is common to it. */
#define HERE(elsewhere) &(const struct ctl_reach){ here, elsewhere }
#define ALONE(elsewhere) &(const struct ctl_reach){ alone, elsewhere }

OPTIONS(ls_options,
	{ "type", 't', "TYPE", "only rows of the type" },
	{ "category", 0, "NAME", "only rows of the category" },
	{ "enabled", 0, "0|1", "only rows that are off or on" },
	{ "q", 'q', "TEXT", "only rows that have the text" });
OPTIONS(ask_options,
	{ "limit", 'n', "N", "rows at most" });
OPTIONS(call_options,
	{ "body", 'b', "TEXT", "the arguments as one text, split on |" },
	{ "named", 0, "NAME=VALUE", "an argument by its name; repeatable" },
	{ "shape", 0, NULL, "says what would be sent or run, and does not" },
	{ "idempotency-key", 0, "KEY", "with the same key it runs once" });
OPTIONS(receipts_options,
	{ "key", 'k', "KEY", "only calls of the row" },
	{ "trace", 0, "TRACE", "only those of one trace" },
	{ "actor", 0, "ACTOR", "only those of the caller" },
	{ "since", 0, "TIME", "only those after the time" },
	{ "limit", 'n', "N", "so many, the newest; at most 500" },
	{ "follow", 'f', NULL, "goes on with new ones until it is interrupted" });
OPTIONS(events_options,
	{ "since", 0, "N", "those after event N, oldest first" },
	{ "limit", 'n', "N", "so many; at most 1000 (default: 100)" });
OPTIONS(mint_options,
	{ "scope", 's', "SCOPE", "what it may do: row:KEY, rows:A,B, pfx:PREFIX, cat:CATEGORY, act, read" },
	{ "ttl", 0, "N", "seconds it lives (default: a day)" },
	{ "uses", 0, "N", "calls it may make" },
	{ "rate", 0, "N", "calls a minute" },
	{ "max-body-bytes", 0, "N", "longest arguments" },
	{ "risk-ceiling", 0, "low|high", "high: rows with sensitive=1 too" },
	{ "owner-gate", 0, "false|true|hold", "hold: each call waits for approval" },
	{ "purpose", 0, "TEXT", "what it is for" },
	{ "actor", 0, "NAME", "whom it is given to" },
	{ "audience", 0, "HOST", "the only host it is good at" },
	{ "body-fixed", 0, "TEXT", "the only arguments that it may call with" },
	{ "contract", 0, "DIGEST", "the contract it is pinned to" });
OPTIONS(watch_options,
	{ "key-pattern", 'k', "PATTERN", "rows it is for; * is any" },
	{ "body-pattern", 0, "REGEX", "only calls whose arguments have that" },
	{ "decision", 'd', "allow|hold|deny", "what becomes of them" },
	{ "reason", 0, "TEXT", "told to the caller" },
	{ "rank", 0, "N", "the lower one decides (default: 100)" });

OPTIONS(prune_options,
	{ "before", 0, "DATE", "receipts of calls before it: 2026-01-31, or a time in UTC with a Z" },
	{ "older-than", 0, "TIME", "the same from now on back: 90d, 12h, 30m" },
	{ "keep", 'k', "N", "so many of the newest stay, whatever their age (default: 1)" },
	{ "dry-run", 'n', NULL, "only says how many would go" });

OPTIONS(up_options,
	{ "port", 0, "PORT", "TLS port on loopback (default: 8443; 0: any free one)" },
	{ "http-port", 0, "PORT", "also plain HTTP on loopback, for local use and load tests (0: any free one)" },
	{ "workers", 0, "N", "worker processes (default: one a core)" },
	{ "allow-upstream", 0, "ADDRESS", "lets http rows reach a loopback or private ADDRESS, ADDRESS/bits, ADDRESS:port; repeatable" },
	{ "set", 'o', "NAME=VALUE", "any setting of rowcall.conf(5), for this start; repeatable" },
	{ "no-rows", 0, NULL, "leaves the starter rows out of the first start" },
	{ "share", 0, "FOLDER", "where conf/ and migrations/ are (default: " PKGDATADIR ")" });
OPTIONS(load_options,
	{ "replace", 0, NULL, "writes over rows that exist" },
	{ "set", 'o', "NAME=VALUE", "overrides a setting; repeatable" },
	{ "quiet", 'q', NULL, "prints refusals only" });
OPTIONS(backup_options,
	{ "with-secrets", 0, NULL, "the secrets file too" },
	{ "quiet", 'q', NULL, "prints nothing when all is well" });
OPTIONS(restore_options,
	{ "with-secrets", 0, NULL, "the secrets file too" });
OPTIONS(doctor_options,
	{ "try", 0, NULL, "also runs the first example of each row that says SAFE: yes" },
	{ "try-all", 0, NULL, "the first example of every enabled row: whatever that does" },
	{ "nginx", 0, "FILE", "nginx's configuration (default: nginx.conf beside rowcall.conf, else nginx's own)" },
	{ "verbose", 'v', NULL, "also prints what is in order" });
OPTIONS(verify_options,
	{ "head", 0, "HASH@N", "what an earlier run printed as `head`: finds a log whose end was cut or replaced" },
	{ "ledger-head", 0, "HASH@N", "the same for `ledger head`" });

#define TOGETHER { "atomic", 0, NULL, "stores all of it, or nothing when a row is refused" }
#define PLANNED { "dry-run", 'n', NULL, "shows what would be done and does nothing" }

OPTIONS(command_options,
	{ "key", 'k', "KEY", "the row's key (default: from host, path and method)" },
	{ "what", 0, "TEXT", "what it does, for the docstring" },
	{ "category", 0, "NAME", "the row's category (default: from the host)" },
	{ "fixed", 0, "NAME", "a parameter, member or segment that stays as it is; repeatable" },
	{ "slot", 0, "NAME", "one that becomes an argument; repeatable" },
	PLANNED);
OPTIONS(openapi_options,
	{ "prefix", 'p', "NAME", "put before every key and variable" },
	{ "tag", 't', "TAG", "only operations with the tag; repeatable" },
	{ "only", 0, "PATTERN", "only operations whose key, operationId or `METHOD /path` fits; repeatable" },
	{ "server", 0, "URL", "in place of the document's servers" },
	{ "category", 0, "NAME", "of the rows that are new (default: the operation's first tag)" },
	{ "remove", 0, NULL, "deletes rows of the document that it has no more" },
	{ "yes", 'y', NULL, "stores without asking" },
	TOGETHER,
	PLANNED);
OPTIONS(mcp_options,
	{ "auth", 0, "FORM", "the credential for the server, as a row's auth: bearer:NAME" },
	{ "prefix", 'p', "NAME", "put before every key (default: the host)" },
	{ "remove", 0, NULL, "deletes rows of tools that the server has no more" },
	{ "yes", 'y', NULL, "stores without asking" },
	TOGETHER,
	PLANNED);
OPTIONS(rows_options,
	{ "as-is", 0, NULL, "also rows that break rules which are younger than they" },
	TOGETHER,
	PLANNED);

/* In the order of the help. */
const struct ctl_command table_commands[] = {
	{ "up", "[FOLDER]", 0, 1, up_options, ctl_up, "make and run a service in a folder, with nginx and TLS",
	  ALONE("run it there") },
	{ "status", "", 0, 0, NULL, ctl_status, "say whether it serves, since when, which processes", NULL },
	{ "reload", "", 0, 0, NULL, ctl_reload, "let the service read its configuration again",
	  HERE("run it there") },
	{ "doctor", "", 0, 0, doctor_options, ctl_doctor, "look for what is wrong with a service, and say what to do",
	  HERE("run it there; rowcall status --url URL says whether one elsewhere serves") },
	{ "backup", "FOLDER", 1, 1, backup_options, ctl_backup, "copy a service's databases as they are at one moment, while it runs",
	  HERE("run it there; rowcall export --url URL copies the rows of one elsewhere") },
	{ "restore-backup", "FOLDER", 1, 1, restore_options, ctl_restore_backup, "put what backup made back into its place",
	  HERE("run it there, while the service is stopped") },
	{ "verify", "[FOLDER]", 0, 1, verify_options, ctl_verify, "recompute event chains and digests of a service or a backup",
	  HERE("run it there, or here on the folder of a backup that was made there") },
	{ "migrate", "", 0, 0, NULL, ctl_migrate, "bring the databases of a stopped service up to this version",
	  HERE("run it there") },
	{ "ls", "", 0, 0, ls_options, ctl_verb, "list rows", NULL },
	{ "show", "KEY", 1, 1, NULL, ctl_show, "print the contract of a row; with --json the row itself", NULL },
	{ "read", "KEY", 1, 1, NULL, ctl_show, "the same as show", NULL },
	{ "add", "FILE|-", 1, 1, NULL, ctl_add, "add the row, or the array of rows, in a JSON file", NULL },
	{ "edit", "KEY", 1, 1, NULL, ctl_edit, "edit a row as text in $VISUAL or $EDITOR", NULL },
	{ "set", "KEY FIELD=VALUE...", 2, -1, NULL, ctl_set, "set fields of a row; an empty value is null", NULL },
	{ "rm", "KEY", 1, 1, NULL, ctl_rm, "delete a row", NULL },
	{ "enable", "KEY", 1, 1, NULL, ctl_verb, "switch a row on", NULL },
	{ "disable", "KEY", 1, 1, NULL, ctl_verb, "switch a row off", NULL },
	{ "history", "KEY", 1, 1, NULL, ctl_verb, "list the changes of a row, newest first", NULL },
	{ "diff", "KEY [EVENT [EVENT]]", 1, 3, NULL, ctl_diff, "show what a row's last change, or all between two events, changed", NULL },
	{ "restore", "KEY EVENT|CONTRACT", 2, 2, NULL, ctl_restore, "make a row what it was, as a new change", NULL },
	{ "events", "", 0, 0, events_options, ctl_events, "list the last changes of rows", NULL },
	{ "export", "[KEY...]", 0, -1, NULL, ctl_export, "print rows as JSON, one a line, for import jsonl", NULL },
	{ "load", "PATH...", 1, -1, load_options, ctl_load, "put rows from JSON files into a running service",
	  HERE("rowcall import jsonl FILE --url URL puts rows into one elsewhere") },
	{ "import curl", "[COMMAND...]", 0, CTL_VERBATIM, command_options, ctl_import_curl, "make a row of a curl command", NULL },
	{ "import jsonl", "[FILE]", 0, 1, rows_options, ctl_import_jsonl, "store rows: JSON, one a line, or an array", NULL },
	{ "import mcp", "URL", 1, 1, mcp_options, ctl_import_mcp, "make rows of the tools of an MCP server", NULL },
	{ "import openapi", "FILE|URL", 1, 1, openapi_options, ctl_import_openapi, "make rows of the operations of an OpenAPI document", NULL },
	{ "import sql", "[FILE]", 0, 1, rows_options, ctl_import_sql, "store rows of a dump of the original table `directory`", NULL },
	{ "ask", "WORD...", 1, -1, ask_options, ctl_ask, "find rows in plain words", NULL },
	{ "call", "KEY [ARGUMENT...]", 1, -1, call_options, ctl_call, "call a row and print its result", NULL },
	{ "confirm", "RECEIPT", 1, 1, NULL, ctl_verb, "show what anybody may know of a call", NULL },
	{ "receipt", "RECEIPT", 1, 1, NULL, ctl_verb, "show all that is known of a call", NULL },
	{ "receipts", "", 0, 0, receipts_options, ctl_receipts, "list the last calls", NULL },
	{ "prune", "", 0, 0, prune_options, ctl_prune, "remove old receipts; what they were stays sealed", NULL },
	{ "token mint", "", 0, 0, mint_options, ctl_token_mint, "make a capability token; it is printed once", NULL },
	{ "token attenuate", "", 0, 0, mint_options, ctl_token_mint, "make a narrower one from the token in $ROWCALL_TOKEN", NULL },
	{ "token ls", "", 0, 0, NULL, ctl_verb, "list tokens", NULL },
	{ "token show", "TOKEN", 1, 1, NULL, ctl_verb, "show a token, by its fingerprint cap_...", NULL },
	{ "token revoke", "TOKEN", 1, 1, NULL, ctl_verb, "revoke a token and all made from it", NULL },
	{ "holds", "", 0, 0, NULL, ctl_verb, "list calls that wait for approval, or did", NULL },
	{ "hold", "APPROVAL", 1, 1, NULL, ctl_verb, "show a call that waits, with its arguments", NULL },
	{ "approve", "APPROVAL", 1, 1, NULL, ctl_approve, "run a call that waits, as it was held", NULL },
	{ "deny", "APPROVAL", 1, 1, NULL, ctl_verb, "refuse a call that waits", NULL },
	{ "watch ls", "", 0, 0, NULL, ctl_verb, "list the rules for calls of sensitive rows", NULL },
	{ "watch add", "", 0, 0, watch_options, ctl_watch_add, "add a rule for calls of sensitive rows", NULL },
	{ "watch rm", "RULE", 1, 1, NULL, ctl_verb, "remove such a rule", NULL },
	{ "breaker ls", "", 0, 0, NULL, ctl_verb, "list rows whose credential is refused", NULL },
	{ "breaker reset", "KEY", 1, 1, NULL, ctl_verb, "let a row's calls through again", NULL },
	{ "completion", "bash|zsh", 1, 1, NULL, ctl_completion, "print a script that completes commands and options", ALONE(NULL) },
};

const size_t table_length = sizeof(table_commands) / sizeof(*table_commands);
