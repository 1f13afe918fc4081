#!/bin/sh
# rowcall(1) against a real instance: one that runs, one that does not, one elsewhere.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start || bail "the instance does not start"
rowcall() { "$BUILD/rowcall" "$@"; }
code() { "$BUILD/rowcall" "$@" >"$TMP/out" 2>"$TMP/err"; printf %s $?; }
ROWCALL_DIR=$DIR; export ROWCALL_DIR

# Where no terminal is: values separated by tabs.
is "$(rowcall ls -q base64 | head -1 | cut -f1-3 | tr '\t' ' ')" 'BASE64_ENCODE fn 1' "ls prints a line a row"
is "$(rowcall ls | wc -l)" "$(owner GET '/api/directory?limit=1000' | jq '.rows | length')" "all of them"
is "$(rowcall ls --type=http --json | jq -r '[.[].type] | unique | .[]')" http "ls filters, and speaks JSON"
is "$(rowcall ls --type http | cut -f2 | sort -u)" http "an option's value may be the next word"
like "$(rowcall show NOW)" '^# OIP > TIME > NOW' "show prints the contract"
is "$(rowcall show NOW --json | jq -r .key)" NOW "… or the row"
is "$(rowcall status --json | jq -r .service)" rowcall "status"
owner PUT /api/directory/EVIL '{"type":"fn","target":"echo","category":"a\u001b[31mb\tc\nd","content":"# WHAT: x\n$1","examples":["x"]}' >/dev/null
is "$(rowcall ls -q EVIL | cut -f4)" 'a\x1b[31mb\x09c\x0ad' "control characters of a row are escaped"

# On a terminal.
tty() { script -qec "$BUILD/rowcall $*" /dev/null | tr -d '\r'; }
like "$(tty ls)" 'KEY +TYPE' "a terminal gets columns with a head"
like "$(tty ls | cat -v)" '\^\[\[1m' "in bold"
unlike "$(NO_COLOR=1 tty ls | cat -v)" '\^\[' "but with NO_COLOR"

# Mistakes.
is "$(code)" 64 "nothing to do is 64"
like "$(cat "$TMP/err")" '^usage: rowcall COMMAND' "… and says what there is"
is "$(code shwo NOW)" 64 "an unknown command is 64"
like "$(cat "$TMP/err")" 'did you mean `show`' "… with what was meant"
is "$(code show)" 64 "a missing operand is 64"
is "$(code ls --colour)" 64 "an unknown option is 64"
is "$(code ls --type)" 64 "an option without its value is 64"
is "$(code ls --json=yes)" 64 "a switch with a value is 64"
is "$(code show NOPE)" 66 "a row that is not there is 66"
like "$(cat "$TMP/err")" '^rowcall: unknown_key' "… with the interface's code"
is "$(code show -- --json)" 66 "after -- nothing is an option"
is "$(code ls --dir "$TMP/nowhere")" 78 "a folder without a service is 78"
is "$(code show --help; cat "$TMP/out" | head -1)" '0usage: rowcall show KEY [OPTION...]' "--help"
is "$({ rowcall ls 2>&1; echo "$?" >"$TMP/code"; } | head -1 >/dev/null; cat "$TMP/code")" 0 "who reads one line is no error"
is "$(rowcall ls 2>"$TMP/err" >/dev/full; echo $?)" 1 "a full disk is one"
is "$(code token)" 64 "half a command is 64"
like "$(cat "$TMP/err")" 'rowcall token mint' "… and says what there is"
like "$(rowcall token --help)" 'rowcall token revoke TOKEN' "so does its --help"
is "$(rowcall help token mint | head -1)" 'usage: rowcall token mint [OPTION...]' "help COMMAND"
is "$(code help nope)" 64 "… that there has to be"
is "$(code ls --token-file "$TMP/key")" 64 "a token without --url is not passed over"
is "$(code ls --dir "$DIR" --url "$BASE")" 64 "one service at a time"
is "$(code reload --url "$BASE")" 64 "another machine's service cannot be reloaded"
is "$(code migrate --url "$BASE")" 64 "nor migrated"

# Elsewhere.
elsewhere() { "$BUILD/rowcall" "$@" --url "$BASE" --cacert "$CACERT"; }
is "$(elsewhere show NOW --json | jq -r .key)" NOW "a service elsewhere is asked over TLS"
is "$(ROWCALL_TOKEN=rct_wrong elsewhere ls >/dev/null 2>&1; echo $?)" 77 "with a wrong credential it refuses"
is "$(ROWCALL_TOKEN=$KEY elsewhere status --json | jq -r .service)" rowcall "the owner's key is taken from the environment"
printf '%s\n' "$KEY" >"$TMP/key"
is "$(elsewhere status --json --token-file "$TMP/key" | jq -r .service)" rowcall "or from a file"
head -c 4096 /dev/zero | tr '\0' k >"$TMP/long"
is "$(elsewhere status --token-file "$TMP/long" >/dev/null 2>&1; echo $?)" 77 "of 4,096 bytes"
printf k >>"$TMP/long"
is "$(elsewhere status --token-file "$TMP/long" >/dev/null 2>&1; echo $?)" 78 "but not of 4,097"
is "$(code ls --url http://198.51.100.1)" 78 "a credential is not sent in the clear"
is "$(code ls --url http://127.0.0.1.example.invalid)" 78 "nor to a name that begins like this machine"
is "$(code ls --url http://localhost:1@198.51.100.1)" 78 "nor past a user's name that does"
is "$(ROWCALL_TOKEN=$KEY elsewhere show NOW --json --url "$BASE/" | jq -r .key)" NOW "a slash at its end is no matter"
is "$(code ls --url https://127.0.0.1:1)" 69 "where nobody listens is 69"

# Where none runs.
rc_stop
is "$(code status)" 69 "status does not start one"
like "$(cat "$TMP/err")" 'no service runs there' "… but says so"
is "$(rowcall ls -q base64 | head -1 | cut -f1)" BASE64_ENCODE "a service that is stopped is started for the command"
ok "and is gone after it" test ! -e "$DIR/run/rowcalld.pid"
ok "the instance starts again" rc_start
done_testing
