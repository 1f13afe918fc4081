#!/bin/sh
# Stacks of fibers are 128 KB: whatever nests, to its limit and one beyond, at the greatest depth that can be set, leaves room on each of them.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

DEPTH=32 STACK=128 GUARD=64 ROOM=32     # the highest trace_depth; KiB
chat_start
mkdir -p "$TMP/instance"
printf 'data_dir = .\nrun_dir = run\nsecrets_file = secrets.env\n\n[model "*"]\nbase_url = http://%s/v1\n' "$CHAT" >"$TMP/instance/rowcall.conf"
rc_start --workers 1 --allow-upstream "$CHAT" --set trace_depth=$DEPTH --set trace_steps=1000 --set model_turns=1000 || bail "the service did not start"
worker=$(pids_of worker)

# row KEY TYPE TARGET CONTENT [JSON]: the status of the answer.
row()
{
	[ $# -gt 4 ] || set -- "$@" '{}'
	jq -nc --arg t "$2" --arg g "$3" --arg c "$4" --argjson o "$5" '{type:$t,target:$g,content:$c,examples:["x"]} + $o' >"$TMP/row"
	owner PUT "/api/directory/$1" "@$TMP/row" >/dev/null
	status
}
fn() { row "$1" fn "$2" "# WHAT: x
$3" "${4:-"{}"}"; }
# call KEY ARGS: status and result or error.
call() { printf '{"key":"%s","args":%s}' "$1" "$2" >"$TMP/call"; owner POST /api/dispatch "@$TMP/call" >/dev/null; printf '%s,' "$(status)"; jq_get '.result // .error'; }
# nest N OPEN INNER SHUT
nest() { awk -v n="$1" -v open="$2" -v inner="$3" -v shut="$4" 'BEGIN { for (i = 0; i < n; i++) printf "%s", open; printf "%s", inner; for (i = 0; i < n; i++) printf "%s", shut }'; }

# A flow that calls itself once for each argument before an empty one, then the row that is given with what follows.
bottom() { row DIG flow '' "# WHAT: x
?: ECHO: \$1 > DIG: \$2+ | $1" >/dev/null; }
# deep N ARG: N rows within each other, of which the last is called with the argument, a JSON text.
deep() { call DIG "[$(nest $(($1 - 2)) '"x",' '' '')\"\",$2]"; }
deepest() { deep $DEPTH "$1"; }
bottom 'ECHO: $2'
is "$(deep $((DEPTH - 1)) '"a"'),$(deepest '"b"')" 200,a,200,b "$((DEPTH - 1)) and $DEPTH rows that call each other run"
is "$(deep $((DEPTH + 1)) '"c"')" "200,ERR:flow:DIG:budget_exceeded:depth:$DEPTH" "one more is refused"
row AGAIN agent m 'SCRIPT
[AGAIN]x[/AGAIN]
--
!last' '{"allowed_categories":"*"}' >/dev/null
like "$(call AGAIN '["x"]' | tr '\n' ' ')" "^200,.* ERR:agent:depth_cap:$DEPTH --- " "an agent that calls itself does so to the limit"
is "$(owner GET "/api/dispatch?ledger=1&limit=100&key=AGAIN&trace=$(jq_get .trace)" >/dev/null; jq_get .count)" $DEPTH "… $DEPTH times"

# At the bottom of the deepest flow.
bottom 'ECHO: $2'
for n in 61 62; do is "$(deepest "$(nest $n '[' '' ']')")" "200,$(nest $n '[' '' ']')" "arguments of a request nested $((n + 2)) deep arrive"; done
is "$(deepest "$(nest 63 '[' '' ']')")" 400,invalid_json "65 is refused"
fn PATTERN regex_match '["$1","$2"]' >/dev/null
for n in 23 24; do
	bottom "PATTERN: $(nest $n '(' a ')')||\$2"
	like "$(deepest '"a"')" '^200,\["a"' "a pattern of $n parentheses within each other matches there"
done
bottom "PATTERN: $(nest 25 '(' a ')')||\$2"
like "$(deepest '"a"')" '^200,ERR:fn:regex_match:bad_pattern' "one of 25 is an error"
# schema N: a row whose arguments have a schema that is nested N deep.
schema() { fn CHECKED echo '["$1"]' "$(jq -nc --arg s "{\"x-strict\":true,\"properties\":{\"v\":$(nest $(($1 - 3)) '{"not":' '{"type":"string"}' '}')}}" '{input_schema:$s}')"; }
bottom 'CHECKED: $2'
is "$(schema 63),$(deepest '"a"')" 201,200,a "a schema nested 63 deep"
is "$(schema 64),$(deepest '"a"')" 200,200,ERR:flow:CHECKED:args_invalid "and 64"
is "$(schema 65),$(jq_get .error)" 422,bad_schema "65 is refused"
schema 64 >/dev/null
text=$(owner GET /api/directory/CHECKED | jq -c '{type,target,content,examples,input_schema} | tojson')
fn WRITES dir_put '["ZZ","$1"]' >/dev/null
bottom 'WRITES: $2'
like "$(deepest "$text")" '^200,{"ok":true,"key":"ZZ"' "a row with such a schema is written there"

# The largest: a template, a prompt with all its blocks and tools.
# full TEXT SIZE: the text, filled up to so many bytes.
full() { printf '%s' "$1"; head -c $(($2 - ${#1})) /dev/zero | tr '\0' x; }
template='# WHAT: x
["$1'
for n in 65535 65536; do is "$(row LARGE fn echo "$(full "$template" $((n - 2)))\"]"),$(call LARGE '["y"]' | wc -c)" "20$((n == 65535)),$((n - 10))" "a template of $n bytes"; done
is "$(row LARGE fn echo "$(full "$template" 65535)\"]"),$(jq_get .error)" 422,field_too_long "65,537 are refused"
for i in $(seq 32); do jq -nc --arg k "B$i" --arg c "$(full '# WHAT: x
' 65536)" '{key:$k,type:"fn",target:"prompt_block",content:$c,examples:["x"]}'; done >"$TMP/blocks"
ROWCALL_DIR=$DIR "$BUILD/rowcall" import jsonl "$TMP/blocks" >"$TMP/imported" 2>&1 || diag "$(cat "$TMP/imported")"
row PROMPT agent m "$(full 'SCRIPT
[REPLY]read[/REPLY]
{{TOOLS}}' 65536)" "$(jq -nc --arg i "$(seq 32 | sed 's/^/B/' | paste -sd,)" '{allowed_categories:"*",includes:$i}')" >/dev/null
: >"$CHAT_LOG"
is "$(call PROMPT "[\"$(full '' 1000000)\"]")" 200,read "an agent with 32 blocks of 65,536 bytes and a question of a million is answered"
ok "its model was sent it all" [ "$(wc -c <"$CHAT_LOG")" -gt $((33 * 65000 + 1000000)) ]

# The stacks: mappings of their size, each above a guard. What was ever touched of one stays in memory.
is "$(pids_of worker)" "$worker" "the worker is the one that was started"
awk -v stack=$STACK -v guard=$GUARD '
	/^[0-9a-f]+-[0-9a-f]+ / { below = access; space = size; access = $2; next }
	$1 == "Size:" { size = $2 }
	$1 == "Rss:" && size == stack && access == "rw-p" && below == "---p" && space == guard { n++; if ($2 > most) most = $2 }
	END { print n + 0, most + 0 }' "/proc/$worker/smaps" >"$TMP/stacks"
read -r n most <"$TMP/stacks"
ok "there is a stack with a guard below it for each of $DEPTH calls within each other ($n)" [ "$n" -ge $DEPTH ]
diag "the deepest of $n stacks was used to $most KiB of $STACK"
ok "of none more is used than leaves $ROOM KiB" [ "$most" -le $((STACK - ROOM)) ]
rc_stop
is "$rc_exit" 0 "the service stops cleanly"
done_testing
