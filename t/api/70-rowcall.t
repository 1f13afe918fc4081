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
owner PATCH /api/directory/EVIL '{"category":"e\u001b[31mf"}' >/dev/null
evil=$(tty diff EVIL | cat -v)
like "$evil" 'e\\x1b\[31mf' "the texts that a diff shows are escaped there"
unlike "$evil" 'e\^\[\[31mf' "… and diff(1) does not print them raw"
unlike "$(EDITOR='rm -f' rowcall edit EVIL 2>&1)" 'is kept in' "a text that the editor has removed is not said to be kept"
# Of each line the columns before its last word, by Unicode's East Asian widths and marks.
columns() { perl -CS -Mutf8 -ne 'next if !/^WIDE/; s/\S+\s*$//; my $w = 0; $w += /\p{Mn}/ ? 0 : /\p{East_Asian_Width=W}/ ? 2 : 1 for split //; print "$w "'; }
for one in 1:plain 2:日本語 3:e$(printf '\314\201')te$(printf '\314\201') 4:👍x; do
	owner PUT "/api/directory/WIDE_${one%%:*}" "$(jq -nc --arg c "${one#*:}" '{type:"fn",target:"echo",category:$c,content:"# WHAT: x\n$1",examples:["x"]}')" >/dev/null
done
is "$(NO_COLOR=1 LC_ALL=C tty ls -q WIDE_ | columns | tr ' ' '\n' | sort -u | wc -w)" 1 "wide characters and combining marks stand in line, in any locale"
is "$(NO_COLOR=1 tty ls -q WIDE_2 | grep -c 日本語)" 1 "… and are shown"

rowcall call NOW >/dev/null
like "$(NO_COLOR=1 tty receipts -n 1)" ' inv_[0-9a-z]{26}$' "a receipt's name is never cut"
like "$(NO_COLOR=1 tty history NOW)" ' [0-9a-f]{64}$' "nor is a contract's digest"

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
for c in verify doctor 'backup to' 'restore-backup from' up 'load rows.json'; do
	# shellcheck disable=SC2086
	is "$(code $c --url "$BASE")" 64 "$c is for this machine"
	like "$(cat "$TMP/err")" "^rowcall: ${c%% *} is for a service of this machine; .*(run it there|--url URL)" "… and says what to do"
done

# Options before the command.
is "$(rowcall --json show NOW | jq -r .key)" NOW "an option may stand before the command"
is "$(ROWCALL_DIR='' rowcall --dir "$DIR" --json token ls)" '[]' "with its value, and a command of two words"
is "$(ROWCALL_DIR='' rowcall --dir="$DIR" verify --json | jq .ok)" true "so for a command with options of its own"
is "$(code --type http ls)" 64 "but not an option of one command"
is "$(code --dir "$DIR")" 64 "nor without a command"
is "$(rowcall --json --help | head -1)" 'usage: rowcall COMMAND [OPTION...]' "nor does --help want one"

# Events.
is "$(rowcall events | wc -l)" "$(owner GET /api/events | jq .count)" "events are the last ones"
is "$(rowcall events -n 2 | cut -f1 | tr '\n' ' ')" "$(owner GET '/api/events?newest=1&limit=2' | jq -r '.events[].event' | tr '\n' ' ')" "or as many as one says, newest first"
is "$(rowcall events -n 1 | cut -f4)" WIDE_4 "… by when they were"
is "$(rowcall events --since 1 -n 2 | cut -f1 | tr '\n' ' ')" '2 3 ' "those after one: oldest first"
owner GET '/api/events?newest=2' >/dev/null
is "$(status)" 400 "newest is 1"

# Elsewhere.
elsewhere() { "$BUILD/rowcall" "$@" --url "$BASE" --cacert "$CACERT"; }
is "$(elsewhere show NOW --json | jq -r .key)" NOW "a service elsewhere is asked over TLS"
is "$(ROWCALL_TOKEN=rct_wrong elsewhere ls >/dev/null 2>&1; echo $?)" 77 "with a wrong credential it refuses"
is "$(ROWCALL_TOKEN=$KEY elsewhere status --json | jq -r .service)" rowcall "the owner's key is taken from the environment"
printf '%s\n' "$KEY" >"$TMP/key" && chmod 600 "$TMP/key"
is "$(elsewhere status --json --token-file "$TMP/key" | jq -r .service)" rowcall "or from a file"
for mode in 640 604 660; do
	chmod $mode "$TMP/key"
	is "$(elsewhere status --token-file "$TMP/key" 2>"$TMP/err" >/dev/null; echo $?)" 78 "not from one of mode $mode"
	like "$(cat "$TMP/err")" "key: others may read or change this file; chmod 600 $TMP/key; " "… which is said"
done
is "$(printf '%s\n' "$KEY" | elsewhere status --json --token-file /dev/stdin | jq -r .service)" rowcall "but from a pipe"
is "$(elsewhere status --token-file "$TMP/nowhere" >/dev/null 2>&1; echo $?)" 66 "one that is not there is 66"
head -c 4096 /dev/zero | tr '\0' k >"$TMP/long" && chmod 600 "$TMP/long"
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
printf '#!/bin/sh\n[ -e "%s" ] && touch "%s"\nexec sed -i s/^category:.*/category:quiet/ "$1"\n' "$DIR/run/rowcalld.pid" "$TMP/held" >"$TMP/editor"
chmod +x "$TMP/editor"
is "$(VISUAL='' EDITOR=$TMP/editor rowcall edit WIDE_1)" 'WIDE_1 is changed' "a row is edited there too"
ok "… and no service waits for the editor" test ! -e "$TMP/held"
is "$(rowcall ls -q WIDE_1 | cut -f4)" quiet "… which starts once more to store it"
ok "the instance starts again" rc_start
done_testing
