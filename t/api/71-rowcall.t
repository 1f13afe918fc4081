#!/bin/sh
# The commands of rowcall(1) that change and call, against a real instance.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start --allow-upstream 127.0.0.1 || bail "the instance does not start"
ROWCALL_DIR=$DIR TMPDIR=$TMP; export ROWCALL_DIR TMPDIR
rowcall() { "$BUILD/rowcall" "$@" 2>"$TMP/err"; }
code() { "$BUILD/rowcall" "$@" >"$TMP/out" 2>"$TMP/err"; printf %s $?; }

# Rows.
cat >"$TMP/rows.json" <<'X'
[{"key":"GREET","type":"fn","target":"echo","category":"text","content":"# WHAT: Greets.\n# ARGS: $1=name\n[\"Hello, $1!\"]","examples":["Ada"]},
 {"key":"TALLY","type":"fn","target":"echo","content":"# WHAT: Typed.\n# ARGS: $1=n $2=t\n[\"$1\"]","input_schema":{"type":"object","properties":{"n":{"type":"integer"},"t":{"type":"string"}},"required":["n"]},"examples":[["1"]]}]
X
is "$(rowcall add "$TMP/rows.json" | tr '\n' ' ')" 'GREET TALLY ' "add takes an array of rows"
is "$(code add "$TMP/rows.json")" 1 "a row that is there is refused"
like "$(cat "$TMP/err")" '^rowcall: key_exists' "… by name"
is "$(printf '{"key":"PIPED","type":"fn","target":"echo","content":"# WHAT: x\\n$1","examples":["a"]}' | rowcall add -)" PIPED "or one on standard input"
is "$(code add "$TMP/nothing")" 66 "a file that is not there"
is "$(code set GREET category)" 64 "set wants values"
is "$(rowcall set GREET category=people planner_rank=7)" 'GREET is changed' "set"
is "$(rowcall show GREET --json | jq -c '[.category,.planner_rank]')" '["people",7]' "texts and numbers"
rowcall set GREET category= >/dev/null
is "$(rowcall show GREET --json | jq .category)" null "nothing is null"
rowcall disable GREET >/dev/null
is "$(code call GREET Ada)" 1 "a row that is off is not called"
rowcall enable GREET >/dev/null
is "$(rowcall call GREET Ada)" 'Hello, Ada!' "on again it is"
is "$(rowcall history GREET | cut -f3 | tr '\n' ' ')" 'patch patch patch patch create ' "history"
like "$(rowcall diff GREET)" '^\+enabled: 1' "diff shows the last change"
first=$(rowcall history GREET | tail -1 | cut -f1)
like "$(rowcall diff GREET "$first")" '^-category: text' "… or all since an event"
is "$(code diff GREET 999999)" 66 "… that has to be one of the row"
is "$(rowcall restore GREET "$first")" "GREET is as it was at $first" "restore by event"
is "$(rowcall show GREET --json | jq -r .category)" text "brings it back"
digest=$(rowcall show GREET --json | jq -r .contract)
is "$(code restore GREET "$digest")" 0 "or by contract"
rowcall rm PIPED >/dev/null
is "$(code show PIPED)" 66 "rm"
is "$(code rm PIPED)" 66 "what is not there is not removed"
is "$(rowcall set TALLY sensitive=1 category=risk)" 'TALLY is changed' "set sets what PATCH does not"
is "$(rowcall show TALLY --json | jq -c '[.sensitive,.category,.examples,.content]')" '[1,"risk","[[\"1\"]]","# WHAT: Typed.\n# ARGS: $1=n $2=t\n[\"$1\"]"]' "… and keeps the rest"
is "$(code set TALLY sensitive=0 fnord=1)" 1 "a field that is none is refused there too"
rowcall set TALLY sensitive=0 >/dev/null

# An editor for scripts.
edit() { EDITOR="$1" VISUAL='' "$BUILD/rowcall" edit GREET >"$TMP/out" 2>"$TMP/err"; printf %s $?; }
is "$(edit true),$(cat "$TMP/out")" '0,GREET is as it was' "saved as it was, nothing is written"
EDITOR='sed -i s/^sensitive:.*/sensitive:1/' VISUAL='' rowcall edit TALLY >/dev/null
is "$(rowcall show TALLY --json | jq .sensitive)" 1 "sensitive is edited like any other"
rowcall set TALLY sensitive=0 >/dev/null
n=$(rowcall history GREET | wc -l)
edit 'sed -i s/Hello/Bonjour/' >/dev/null
is "$(rowcall call GREET Ada)" 'Bonjour, Ada!' "what is edited is saved"
is "$(rowcall history GREET | wc -l)" $((n + 1)) "as one change"
printf '#!/bin/sh\nprintf "x\\n\\n# tail  \\n\\n" >>"$1"\n' >"$TMP/append"; chmod +x "$TMP/append"
edit "$TMP/append" >/dev/null
is "$(rowcall show GREET --json | jq -r '.content[-13:]' | od -An -c | tr -d ' ')" "$(printf '\nx\n\n# tail  \n\n' | od -An -c | tr -d ' ')" "content is kept byte for byte"
rowcall restore GREET "$first" >/dev/null
is "$(edit 'sed -i s/^type:.*/type:fnord/')" 1 "what is refused twice is not saved"
like "$(cat "$TMP/err")" 'bad_type' "… it says why"
kept=$(sed -n 's/.*kept in //p' "$TMP/err")
ok "… and keeps the text" grep -q '^type:fnord' "$kept"
ok "with the reason on top" grep -q '^# bad_type' "$kept"
printf '#!/bin/sh\n[ -e "%s" ] || { touch "%s"; exec sed -i s/^type:.*/type:fnord/ "$1"; }\nexec sed -i s/^type:.*/type:fn/\\;s/^category:.*/category:mended/ "$1"\n' "$TMP/once" "$TMP/once" >"$TMP/mend"
chmod +x "$TMP/mend"
is "$(edit "$TMP/mend"),$(rowcall show GREET --json | jq -r .category)" '0,mended' "opened again it can be mended"
printf '#!/bin/sh\n"%s" set GREET planner_rank=9 >/dev/null\nexec sed -i s/^category:.*/category:lost/ "$1"\n' "$BUILD/rowcall" >"$TMP/race"
chmod +x "$TMP/race"
is "$(edit "$TMP/race")" 1 "a change meanwhile is not written over"
like "$(cat "$TMP/err")" 'changed by somebody else' "… it says so"
is "$(rowcall show GREET --json | jq -r .category)" mended "… and it stays as it is"
is "$(edit false)" 1 "an editor that fails changes nothing"
is "$(edit "sed -i '/^-----/d'")" 1 "without its line of dashes it is no sheet"

# Calls.
is "$(rowcall ask write it in capital letters | head -1 | cut -f1)" UPPER "ask"
is "$(code ask xylophone)" 66 "nothing found is 66"
is "$(rowcall call UPPER 'a b' c)" 'A B|C' "arguments are words"
is "$(rowcall call UPPER --body 'a|b')" 'A|B' "or one text"
is "$(rowcall call ECHO -- --json)" --json "behind -- they may begin with -"
is "$(rowcall call TALLY --named n=3 --named t=x)" '3' "or named"
is "$(code call TALLY --named n=three)" 1 "typed ones are checked"
like "$(cat "$TMP/err")" 'args_invalid: /n' "… by the service"
is "$(code call TALLY 1 --body 2)" 64 "only one of these"
like "$(rowcall call WEATHER 1 2 --shape)" '"method":"GET"' "shape"
owner PUT /api/directory/THINKER '{"type":"agent","target":"no-such-model","content":"# WHAT: x"}' >/dev/null
is "$(code call THINKER hello --shape)" 1 "what cannot be built is an error"
like "$(cat "$TMP/out")" '^ERR:agent:unknown_model:' "… that is printed"
is "$(code call UPPR hello)" 66 "a key that is nearly one"
like "$(cat "$TMP/err")" '^  did_you_mean: UPPER' "… is told which"
is "$(code call JSON_GET nojson a)" 1 "a result that is an error is 1"
like "$(cat "$TMP/out")" '^ERR:' "… and printed"
one=$(rowcall call UUID --idempotency-key k1)
is "$(rowcall call UUID --idempotency-key k1)" "$one" "an idempotency key"
id=$(rowcall call NOW --json | jq -r .invocation.id)
like "$(rowcall confirm "$id")" '^status +PROVEN_MATERIAL_RESULT$' "confirm"
like "$(rowcall receipt "$id")" "^receipt +$id$" "receipt"
is "$(rowcall receipts -n 1 | cut -f6)" "$id" "receipts, newest first"
is "$(rowcall receipts --key NOW --json | jq -r '[.[].key] | unique | join(" ")')" NOW "filtered"
"$BUILD/rowcall" receipts --follow --key LOWER >"$TMP/followed" 2>&1 & follower=$!
extra_pids="${extra_pids:-} $follower"
i=0
while [ ! -s "$TMP/followed" ] && [ $i -lt 100 ]; do rowcall call LOWER "X$i" >/dev/null; sleep 0.2; i=$((i + 1)); done
ok "follow prints a call that comes" test -s "$TMP/followed"
kill "$follower"; wait "$follower" 2>/dev/null
"$BUILD/rowcall" receipts --follow -n 1 --key UPPER >"$TMP/limited" 2>&1 & follower=$!
extra_pids="$extra_pids $follower"
i=0
while [ ! -s "$TMP/limited" ] && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
for i in 1 2 3 4 5; do rowcall call UPPER "$i" >/dev/null; done
i=0
while [ "$(wc -l <"$TMP/limited")" -lt 6 ] && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
is "$(wc -l <"$TMP/limited")" 6 "--limit is for what was there before"
kill "$follower"; wait "$follower" 2>/dev/null

# Authority.
like "$(rowcall token mint --scope row:NOW --ttl 600 --uses 2 --purpose testing)" '^rct_[A-Za-z0-9_-]{43}$' "mint prints the token alone"
cap=$(rowcall token ls | cut -f1)
like "$(rowcall token show "$cap")" '^purpose +testing$' "token show"
is "$(rowcall token show "$cap" --json | jq -c '[.uses,.scope]')" '[2,"row:NOW"]' "numbers are numbers"
rowcall token revoke "$cap" >/dev/null
is "$(rowcall token ls | cut -f2)" revoked "token revoke"
is "$(code token show cap_0000000000000000)" 66 "a token that is not there"
is "$(code token)" 64 "half a command"
is "$(code token mint --scope nonsense)" 1 "a scope that is none"
owner PUT /api/directory/RISKY '{"type":"fn","target":"echo","sensitive":1,"content":"# WHAT: x\n# ARGS: $1=a\n[\"ran $1\"]","input_schema":{"type":"object","properties":{"a":{"type":"string"}}},"examples":["x"]}' >/dev/null
api POST /api/dispatch '{"key":"GREET","body":"x"}' >/dev/null
token=$(sh -c "cd /; ROWCALL_DIR='$DIR' PATH='$BUILD':\$PATH; export ROWCALL_DIR PATH; $(jq_get .mint)" 2>/dev/null)
is "$(api POST /api/dispatch '{"key":"GREET","body":"Eve"}' -H "x-capability-token: $token" | jq -r .ok)" true "the line that a refusal prints mints what is needed"
ROWCALL_TOKEN=$token "$BUILD/rowcall" token attenuate --uses 1 --url "$BASE" --cacert "$DIR/tls/cert.pem" 2>/dev/null >"$TMP/narrow"
chmod 600 "$TMP/narrow"
is "$(rowcall token ls | grep -c 'row:GREET')" 2 "token attenuate makes one from the token that is presented"
is "$(rowcall call GREET Eve --url "$BASE" --cacert "$DIR/tls/cert.pem" --token-file "$TMP/narrow"; code call GREET Eve --url "$BASE" --cacert "$DIR/tls/cert.pem" --token-file "$TMP/narrow")" \
	'Hello, Eve!
1' "… with less"
is "$(code token attenuate --uses 1)" 1 "the owner's key is no token"
ask_remote() { ROWCALL_TOKEN=$token "$BUILD/rowcall" "$@" --url "$BASE" --cacert "$DIR/tls/cert.pem" 2>"$TMP/err"; printf %s $?; }
is "$(ask_remote call NOW)" 77 "a row outside a token's scope"
like "$(cat "$TMP/err")" '^  the owner makes one: rowcall token mint --scope row:NOW' "… is refused with the line that mints what is needed"
is "$(ask_remote token ls)" 77 "what is the owner's"
like "$(cat "$TMP/err")" '^  it is the owner.s to do' "… is said to be"
ROWCALL_DIR='' "$BUILD/rowcall" ls --url "$BASE" 2>"$TMP/err" >/dev/null
like "$(cat "$TMP/err")" '; --cacert FILE trusts' "who does not know the certificate is told of --cacert"
rule=$(rowcall watch add -k 'RISKY' -d hold --reason 'ask first')
is "$(rowcall watch ls | cut -f1,3,4 | tr '\t' ' ')" "$rule hold RISKY" "watch add, watch ls"
is "$(code call RISKY x)" 75 "a call that is held is 75"
apr=$(rowcall holds | cut -f1)
is "$(cat "$TMP/out")" "held for approval: $apr" "… named, and among the holds"
like "$(rowcall hold "$apr")" '^input +x$' "with its arguments"
is "$(rowcall approve "$apr")" 'ran x' "approve runs it"
is "$(code approve "$apr")" 1 "once"
rowcall call RISKY y >/dev/null
rowcall deny "$(rowcall holds --json | jq -r '.[] | select(.state == "pending").approval')" >/dev/null
is "$(rowcall holds | cut -f2 | sort | tr '\n' ' ')" 'denied ran ' "deny"
rowcall watch rm "$rule" >/dev/null
is "$(rowcall watch ls)" '' "watch rm"
is "$(rowcall breaker ls; code breaker reset NOW)" 66 "breakers: where none is there is none to reset"
is "$(rowcall events --since 0 -n 2 | cut -f1 | tr '\n' ' ')" '1 2 ' "events"

# The service.
is "$(rowcall status | head -1 | tr -s ' ')" 'service rowcall' "status for people"
rowcall reload >/dev/null
ok "reload" sh -c "for i in \$(seq 100); do grep -q reload '$DIR/log/rowcalld.log' && exit 0; sleep 0.1; done; exit 1"
cp "$DIR/secrets.env" "$TMP/secrets"
echo SHORT_ONE=short >>"$DIR/secrets.env"
is "$(code reload)" 78 "secrets that the service would refuse are not sent to it"
like "$(cat "$TMP/err")" 'SHORT_ONE is shorter than' "… but told"
cat "$TMP/secrets" >"$DIR/secrets.env"
rowcall completion bash >"$TMP/completion"
is "$(bash -c '. "$1"; COMP_WORDS=(rowcall token m); COMP_CWORD=2; _rowcall; echo "${COMPREPLY[@]}"' - "$TMP/completion")" mint "bash completes commands of two words"
is "$(bash -c '. "$1"; COMP_WORDS=(rowcall token mint --ri); COMP_CWORD=3; _rowcall; echo "${COMPREPLY[@]}"' - "$TMP/completion")" --risk-ceiling "and options"
is "$(bash -c '. "$1"; COMP_WORDS=(rowcall receipts --fo); COMP_CWORD=2; _rowcall; echo "${COMPREPLY[@]}"' - "$TMP/completion")" --follow "not those of a command that begins alike"
rowcall completion zsh >"$TMP/completion"
like "$(zsh -f -c 'autoload -Uz compinit; compinit -D -u; . "$1"; emulate sh -c "COMP_WORDS=(rowcall token mint --ri); COMP_CWORD=3; _rowcall; echo \${COMPREPLY[@]}"' - "$TMP/completion" 2>&1)" '^--scope .*--risk-ceiling' "zsh does too"
is "$(code completion fish)" 64 "other shells are not known"
rc_stop
is "$(code reload)" 69 "where none runs there is nothing to reload"
is "$(code receipts --follow)" 69 "nor to follow"
is "$(rowcall migrate)" 'both databases are as this version wants them' "migrate"
is "$(rowcall token ls | cut -f2 | sort | tr '\n' ' ')" 'active active revoked ' "and all else works there too"
is "$(pgrep -f "$DIR/rowcall.conf")" '' "nothing is left running"
done_testing
