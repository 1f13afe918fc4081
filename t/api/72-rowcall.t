#!/bin/sh
# What somebody at the shell meets in rowcall(1): words, times, mistakes and what is said to them, completion.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start || bail "the instance does not start"
ROWCALL_DIR=$DIR TMPDIR=$TMP; export ROWCALL_DIR TMPDIR
rowcall() { "$BUILD/rowcall" "$@" 2>"$TMP/err"; }
code() { "$BUILD/rowcall" "$@" >"$TMP/out" 2>"$TMP/err"; printf %s $?; }
said() { head -1 "$TMP/err"; }

# Named arguments become what the row's schema says.
rowcall add - >/dev/null <<'X'
{"key":"TYPED","type":"fn","target":"echo","content":"# WHAT: x\n[\"$1\"]","examples":[["x"]],"input_schema":{"type":"object","required":["id"],
 "$defs":{"name":{"type":"string"}},
 "properties":{"id":{"type":"string"},"n":{"type":"integer"},"d":{"type":"number"},"b":{"type":"boolean"},"l":{"type":"array"},
 "o":{"type":["object","null"]},"any":{},"ref":{"$ref":"#/$defs/name"},"either":{"anyOf":[{"type":"string","maxLength":2},{"type":"array"}]}}}}
X
named() { c=$(code call TYPED --named id=x "$@"); [ "$c" = 0 ] || { echo "$c $(said)"; return; }; rowcall receipts -n 1 --json | jq -r '.[0].invocation_id' >"$TMP/id"; rowcall receipt "$(cat "$TMP/id")" --json | jq -r .input; }
while read -r given want; do
	is "$(named --named "$given")" "$want" "--named $given"
done <<'X'
id=42 {"id":"42"}
id={"a":1} {"id":"{\"a\":1}"}
n=42 {"id":"x","n":42}
d=1.5 {"id":"x","d":1.5}
b=true {"id":"x","b":true}
l=[1,"a"] {"id":"x","l":[1,"a"]}
o={"a":1} {"id":"x","o":{"a":1}}
o=null {"id":"x","o":null}
ref=7 {"id":"x","ref":"7"}
either=12 {"id":"x","either":"12"}
either=[1] {"id":"x","either":[1]}
any=7 {"id":"x","any":7}
any=text {"id":"x","any":"text"}
n=1.5 1 rowcall: args_invalid: /n: must be of type integer
n=three 1 rowcall: args_invalid: /n: must be of type integer
b=yes 1 rowcall: args_invalid: /b: must be of type boolean
id 64 rowcall: `id` is no NAME=VALUE; see rowcall call --help
=x 64 rowcall: `=x` is no NAME=VALUE; see rowcall call --help
X
is "$(rowcall call TYPED 42)" 42 "a word by its place is taken as it is"
is "$(code call NOPE --named a=b) $(said)" '66 rowcall: unknown_key' "a row that is not there"

# What was not done is not said to be.
is "$(code breaker reset TYPED),$(cat "$TMP/out"),$(said)" '66,,rowcall: TYPED has no breaker to reset: see rowcall breaker ls' "no breaker"
rowcall token mint --scope row:NOW >/dev/null
cap=$(rowcall token ls | cut -f1)
is "$(rowcall token show "$cap" | grep -c ' no limit$')" 3 "what has no limit does not say 0"
is "$(rowcall token show "$cap" --json | jq -c '[.uses,.rate,.max_body_bytes]')" '[0,0,0]' "… but to a program"
is "$(code token revoke "$cap"),$(cat "$TMP/out")" "0,$cap is revoked, and every token made from it" "a token is revoked"
is "$(code token revoke "$cap"),$(cat "$TMP/out"),$(said)" "66,,rowcall: $cap was revoked already" "… once"
is "$(code token revoke "$cap" --json),$(jq -r .revoked "$TMP/out")" 66,0 "… to a program as well"

# Every command of the table.
commands=$(rowcall --help | sed -n 's/^  \([a-z]\)/\1/p' | sed 's/  .*//; s/^\(completion\|[a-z-]* [a-z]*\) .*/\1/')
ok "the help names the commands" [ "$(printf '%s\n' "$commands" | wc -l)" -gt 45 ]
printf '%s\n' "$commands" | while read -r c; do
	# shellcheck disable=SC2086
	rowcall $c --help | grep -q "^usage: rowcall $c " || echo "$c: --help"
	# shellcheck disable=SC2086
	[ "$(code $c --nosuch x)" = 64 ] && grep -q "^rowcall: there is no option --nosuch; see rowcall $c --help" "$TMP/err" || echo "$c: --nosuch"
	# shellcheck disable=SC2086
	rowcall $c --help >/dev/full && echo "$c: --help on a full disk"
done >"$TMP/wrong"
is "$(cat "$TMP/wrong")" '' "each says what it takes, and refuses an option that it does not have"
is "$(code receipts --limt 3),$(said)" '64,rowcall: there is no option --limt; did you mean --limit?; see rowcall receipts --help' "an option that is nearly one"
is "$(code recipts),$(said)" '64,rowcall: there is no command `recipts`; did you mean `receipts`?; see rowcall --help' "a command that is nearly one"

# Exit codes as rowcall(1) has them, and what is said.
while IFS='|' read -r want line text; do
	# shellcheck disable=SC2086
	is "$(EDITOR=true VISUAL='' code $line)" "$want" "$line"
	[ -z "$text" ] || like "$(cat "$TMP/err")" "$text" "… $text"
done <<X
66|show NOPE|^  rowcall ls lists the rows
66|edit NOPE|^  rowcall ls lists the rows
66|set NOPE category=x|
66|rm NOPE|
66|enable NOPE|
66|disable NOPE|
66|history NOPE|
66|diff NOPE|
66|diff NOW 999999|see rowcall history NOW
66|restore NOPE 1|^  rowcall history KEY
66|restore NOW 999999|^  rowcall history KEY
66|export NOPE|
66|call NOPE|
66|confirm NOPE|^  rowcall receipts lists them
66|receipt inv_01m8w820tvnndk2c97kg66mjgr|^  rowcall receipts lists them
66|hold NOPE|^  rowcall holds lists them
66|approve NOPE|
66|deny NOPE|
66|token show NOPE|^  rowcall token ls lists them
66|token revoke NOPE|
66|watch rm NOPE|^  rowcall watch ls lists them
66|add $TMP/nowhere|
66|load $TMP/nowhere|nowhere: .*No such file
66|import openapi $TMP/nowhere|
66|import jsonl $TMP/nowhere|
66|import sql $TMP/nowhere|
66|verify $TMP/nowhere|
66|restore-backup $TMP/nowhere|
66|ls --url https://127.0.0.1:1 --cacert $TMP/nowhere|
69|ls --url https://127.0.0.1:1|
69|import openapi http://127.0.0.1:1/x|
78|ls -c $TMP/nowhere|name the instance.s folder with --dir
78|doctor --dir $TMP/nowhere|name the instance.s folder with --dir
78|load --dir $TMP/nowhere x|
78|up --port 0 --share $SOURCE --set nosuch=1 $TMP/other|
64|receipts -n 501|limit is a whole number from 1 to 500
64|receipts -n x|
64|events -n x|
64|ls --enabled 7|
64|ls --type nope|
64|ask time -n x|
64|token mint|scope is needed
64|token mint --scope act --uses x|--uses wants a number, not .x.
64|watch add -k NOW -d nope|
64|prune|
64|verify --head x|
64|set NOW category|
64|up --port x|
64|completion fish|
64|verify a b|^rowcall: usage: rowcall verify \[FOLDER\]
1|set NOW nope=1|^  the fields are those of rowcall-row
1|token mint --scope nonsense|
1|backup $TMP|File exists
1|token attenuate|^  put the token to narrow into ROWCALL_TOKEN
X
rowcall disable LOWER >/dev/null
is "$(code call LOWER x),$(tail -1 "$TMP/err")" '1,  rowcall enable KEY switches it on' "a row that is off"
rowcall enable LOWER >/dev/null

# No hint sends a person to HTTP: of every code whose text does, the command line has its own. The others it never gets.
sed -n 's/^	{ "\([a-z_ ]*\)", [0-9]*, .*/&/p; s/^	  "/	"/p' "$SOURCE/src/web/response.c" | perl -0777 -ne '
	while (/\{ "([a-z_ ]+)", \d+, "[^"]*",\s*"((?:\\.|[^"\\])*)"/g) { print "$1\n" if $2 =~ m{\b(?:GET|POST|PUT|PATCH|DELETE|ETag)\b|/api/} }' | sort >"$TMP/of_http"
ok "there are such codes" [ "$(wc -l <"$TMP/of_http")" -gt 6 ]
{ sed -n 's/^	{ "\([a-z_ ]*\)", ".*/\1/p' "$SOURCE/src/ctl/hint.c"; printf 'field_not_patchable\nunrecognized_request\n'; } | sort >"$TMP/hints"
is "$(comm -13 "$TMP/hints" "$TMP/of_http")" '' "each has a hint in commands"

# What each prints with --json. Those that print without end, and a script for a shell, have no --json.
rowcall call NOW >/dev/null
receipt=$(rowcall receipts -n 1 --json | jq -r '.[0].invocation_id')
rowcall set TYPED sensitive=1 >/dev/null
rowcall watch add -k TYPED -d hold >/dev/null
rule=$(rowcall watch ls | cut -f1)
for i in 1 2; do rowcall call TYPED "$i" >/dev/null; done
hold=$(rowcall holds --json | jq -r '[.[].approval] | join(" ")')
event=$(rowcall history NOW | cut -f1 | tail -1)
printf '{"key":"%s","type":"fn","target":"echo","content":"# WHAT: x\\n$1","examples":["x"]}\n' JSON_A >"$TMP/a.json"
sed s/JSON_A/JSON_B/ "$TMP/a.json" >"$TMP/b.json"
sed s/JSON_A/JSON_C/ "$TMP/a.json" >"$TMP/c.jsonl"
cat >"$TMP/api.json" <<'X'
{"openapi":"3.0.3","info":{"title":"T","version":"1"},"servers":[{"url":"https://t.example.org"}],"paths":{"/a":{"get":{"operationId":"getA","responses":{"200":{"description":"x"}}}}}}
X
printf 'CREATE TABLE directory (`key` TEXT, type TEXT, target TEXT, content TEXT);\n' >"$TMP/dump.sql"
tried()
{
	# shellcheck disable=SC2086
	EDITOR=true VISUAL='' "$BUILD/rowcall" --json $1 >"$TMP/out" 2>"$TMP/err" </dev/null
	[ -s "$TMP/out" ] && jq -e . "$TMP/out" >/dev/null 2>&1 || echo "$1: $(head -c 200 "$TMP/out" "$TMP/err")"
	echo "$1" >>"$TMP/tried"
}
while read -r c; do tried "$c"; done >"$TMP/wrong" <<X
ls
show NOW
read NOW
add $TMP/a.json
edit JSON_A
set JSON_A category=x
disable JSON_A
enable JSON_A
history JSON_A
diff JSON_A
restore NOW $event
rm JSON_A
load $TMP/b.json
events
export
ask time
call NOW
confirm $receipt
receipt $receipt
receipts
prune --older-than 90d
token mint --scope act
token ls
token show $cap
token revoke $cap
holds
hold ${hold% *}
approve ${hold% *}
deny ${hold#* }
watch add -k NOW -d allow
watch ls
watch rm $rule
breaker ls
breaker reset NOW
import jsonl $TMP/c.jsonl
import openapi $TMP/api.json -y
import sql $TMP/dump.sql
import curl -n curl https://t.example.org/
status
reload
migrate
doctor
backup $TMP/backup
verify
X
rc_stop
tried "restore-backup $TMP/backup" >>"$TMP/wrong"
is "$(jq -r .data_dir "$TMP/out")" "$DIR" "what was restored is named as people name it"
is "$(cat "$TMP/wrong")" '' "with --json each prints JSON"
printf '%s\n' "$commands" | grep -vxE 'up|completion|token attenuate|import mcp' | while read -r c; do grep -qE "^$c( |\$)" "$TMP/tried" || echo "$c"; done >"$TMP/wrong"
is "$(cat "$TMP/wrong")" '' "… and all of them were tried"
done_testing
