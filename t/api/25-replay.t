#!/bin/sh
# What can be done with a call afterwards: run it again, repair it; and calls that stand in prose.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start --set anonymous=read,row:ECHO --set max_kept_payload=100 || bail "the service did not start"

C=/api/dispatch
NONE=inv_00000000000000000000000000
post() { owner POST $C "$1" >/dev/null; }
expect() { is "$(status) $(jq_get .error) $(jq_get .ran)" "$1 $2 false" "$3"; }
runs() { owner GET "$C?ledger=1&limit=500" | jq .count; }

# Replay
post '{"key":"UPPER","args":["a|b","c"]}'
INV=$(jq_get .proof.invocation_id) DIGEST=$(jq_get .invocation.fingerprints.contract) INPUT=$(jq_get .invocation.fingerprints.input)
post "{\"replay\":\"$INV\"}"
is "$(status) $(jq_get .result) $(jq_get .invocation.key)" "200 A|B|C UPPER" "a call runs again, with the arguments that it had"
is "$(jq_get .invocation.fingerprints.input)" "$INPUT" "… to the byte"
isnt "$(jq_get .proof.invocation_id)" "$INV" "… with a receipt of its own"
is "$(jq -c .replay "$BODY")" "{\"of\":\"$INV\",\"contract\":\"$DIGEST\",\"contract_changed\":false,\"output_changed\":false}" "… and says what it repeats"
NEW=$(jq_get .proof.invocation_id)
is "$(api GET "$C?confirm=$NEW" | jq -r .replays)" "$INV" "so does its receipt, to anybody"
is "$(api GET "$C?confirm=$INV" | jq -r .replays)" null "the older one is as it was"
is "$(owner GET "$C?receipt=$INV" | jq -r '.input_form+" "+.input')" 'array ["a|b","c"]' "the full receipt says how its input is read"
owner PATCH /api/directory/UPPER '{"target":"lower"}' >/dev/null
post "{\"replay\":\"$INV\"}"
is "$(jq_get .result) $(jq -c '[.replay.contract_changed,.replay.output_changed]' "$BODY")" "a|b|c [true,true]" "a row that has changed runs as it is, and the answer says so"
post "{\"replay\":\"$INV\",\"contract\":\"$DIGEST\"}"
is "$(status) $(jq_get .error | cut -d: -f1)" "409 contract_changed" "… with a pin it does not run"
post "{\"replay\":\"$INV\",\"shape\":true}"
is "$(jq -c '[.ran,.kind,.shaped.args[0],.replay.of]' "$BODY")" "[false,\"shaped_dry_run\",\"a|b|c\",\"$INV\"]" "shape only shows it"
before=$(runs)
post '{"replay":5}'
expect 422 bad_field "an id is a string"
post "{\"replay\":\"$NONE\"}"
expect 404 receipt_not_found "one that is not there does not run again"
api POST $C "{\"replay\":\"$INV\"}" >/dev/null
expect 404 receipt_not_found "nor somebody else's"
api POST $C '{"key":"ECHO","body":"x"}' >/dev/null
api POST $C "{\"replay\":\"$(jq_get .proof.invocation_id)\"}" >/dev/null
expect 404 receipt_not_found "what nobody has called, nobody runs again"
post "{\"key\":\"ECHO\",\"body\":\"$(printf 'x%.0s' $(seq 101))\"}"
post "{\"replay\":\"$(jq_get .proof.invocation_id)\"}"
expect 409 input_not_kept "a cut input is not run"
post "{\"key\":\"ECHO\",\"body\":\"$KEY\"}"
post "{\"replay\":\"$(jq_get .proof.invocation_id)\"}"
expect 409 input_not_kept "nor one that held a secret"
unlike "$(cat "$BODY")" "$KEY" "… which is not repeated"
is "$(($(runs) - before))" 3 "none of these left a receipt but the calls themselves"

# Repair
post '{"key":"JSON_GET","body":"/x|{}"}'
BAD=$(jq_get .proof.invocation_id)
post "{\"key\":\"JSON_GET\",\"body\":\"/x|{\\\"x\\\":1}\",\"repairs\":\"$BAD\"}"
GOOD=$(jq_get .proof.invocation_id)
is "$(status) $(jq_get .result)" "200 1" "a call may repair another"
is "$(api GET "$C?confirm=$GOOD" | jq -r .repairs),$(api GET "$C?confirm=$BAD" | jq -r .repaired_by)" "$BAD,$GOOD" "each receipt names the other"
is "$(owner GET "$C?receipt=$BAD" | jq -r .repaired_by)" "$GOOD" "… the full one too"
like "$(api GET "/receipt/$BAD")" "Repaired by</dt><dd><code>$GOOD" "… and the page"
like "$(api GET "/receipt/$GOOD")" "Repairs</dt><dd><code>$BAD" "… of both"
is "$(owner GET "$C?ledger=1&limit=1" | jq -r '.rows[0].repairs')" "$BAD" "… and the ledger"
post "{\"replay\":\"$BAD\",\"repairs\":\"$BAD\"}"
is "$(status) $(api GET "$C?confirm=$BAD" | jq -r .repaired_by)" "200 $GOOD" "one that fails repairs nothing"
post "{\"key\":\"ECHO\",\"repairs\":\"$BAD\"}"
expect 422 repairs_other_row:JSON_GET "a repair is a call of the same row"
post "{\"key\":\"ECHO\",\"repairs\":\"$NONE\"}"
expect 404 receipt_not_found "of a receipt that exists"
is "$(jq_get .field)" repairs "… which the answer names"
api POST $C "{\"key\":\"ECHO\",\"repairs\":\"$BAD\"}" >/dev/null
expect 404 receipt_not_found "and that the caller may open"

# Text
post '{"text":"Shout [UPPER]é|x[/UPPER], keep `[UPPER]y[/UPPER]`, ask [NOPE]z[/NOPE]; then [ECHO]two[/ECHO]."}'
is "$(status) $(jq -c '[.ok,.ran,.kind,.count]' "$BODY")" '200 [true,true,"text_runs",2]' "tags in prose are calls"
is "$(jq -c '[.runs[]|[.tag.key,.tag.body,.result]]' "$BODY")" '[["UPPER","é|x","é|x"],["ECHO","two","two"]]' "… in order"
is "$(jq -c '.runs[0].tag|[.begin,.end]' "$BODY")" '[6,25]' "… with their places in bytes"
is "$(jq -r '[.runs[].trace]|unique|join(",")' "$BODY")" "$(jq_get .trace)" "… in one trace"
is "$(jq -r '[.runs[].proof.invocation_id]|unique|length' "$BODY")" 2 "… each with its receipt"
is "$(owner GET "$C?ledger=1&trace=$(jq_get .trace)" | jq .count)" 2 "… which are found by the trace"
api POST $C '{"text":"[NOW][/NOW] [ECHO]x[/ECHO]"}' >/dev/null
is "$(status) $(jq -c '[.ok,.ran,[.runs[]|[.status,.error,.ran,.result]]]' "$BODY")" '200 [false,true,[[401,"unauthorized",false,null],[null,null,true,"x"]]]' "each is gated by itself"
post '{"text":"[ECHO]x[/ECHO]","shape":true}'
is "$(jq -c '[.ran,.runs[0].shaped.args]' "$BODY")" '[false,["x"]]' "shape shows them"
post '{"text":""}'
is "$(jq -c '[.ok,.ran,.count,.runs]' "$BODY")" '[true,false,0,[]]' "no tag, no call"
for n in 20 21; do post "{\"text\":\"$(printf '[ECHO]%d[/ECHO]' $(seq $n))\"}"; is "$(status) $(jq -r '.error // .count' "$BODY")" "$([ $n = 20 ] && echo 200 20 || echo '422 too_many_tags:21>20')" "$n tags"; done

# Fields that exclude each other
for pair in '"replay":"x","key":"ECHO"' '"text":"x","key":"ECHO"' "\"replay\":\"$INV\",\"text\":\"x\"" '"text":"x","body":"a"' '"text":"x","args":["a"]' \
	"\"replay\":\"$INV\",\"body\":\"a\"" "\"replay\":\"$INV\",\"args\":{}" "\"text\":\"x\",\"contract\":\"$DIGEST\"" "\"text\":\"x\",\"repairs\":\"$INV\""; do
	post "{$pair}"
	expect 400 conflicting_fields "$pair"
done
post '{"body":"x"}'
expect 400 "key required" "one of the three is needed"

# Pages of the ledger while it grows
for i in 1 2 3 4 5 6 7; do post "{\"key\":\"ECHO\",\"body\":\"page $i\"}"; done
all=$(owner GET "$C?ledger=1&key=ECHO&limit=500" | jq -r '.rows[].invocation_id')
seen='' cursor='' pages=0
while [ $pages -lt 50 ]; do
	owner GET "$C?ledger=1&key=ECHO&limit=3${cursor:+&cursor=$cursor}" >/dev/null
	seen="$seen$(jq -r '.rows[].invocation_id' "$BODY") " cursor=$(jq_get '.cursor // ""') pages=$((pages + 1))
	[ -n "$cursor" ] || break
	post '{"key":"ECHO","body":"in between"}'
done
is "$(printf '%s\n' $seen)" "$all" "pages have each receipt once while others are written"
ok "… on several pages" [ $pages -gt 3 ]

# What is too old is removed; the receipt stays.
rc_stop
rc_start --set payload_keep=1s || bail "the service did not start again"
owner GET "$C?receipt=$INV" >/dev/null
for i in $(seq 50); do [ "$(owner GET "$C?receipt=$INV" | jq -r .input)" = null ] && break; sleep 0.2; done
is "$(status) $(jq -c '[.key,.confirmed,.input,.output]' "$BODY")" '200 ["UPPER",true,null,null]' "a receipt outlives its payload"
post "{\"replay\":\"$INV\"}"
expect 409 input_not_kept "which is not there to be run again"

unlike "$(cat "$DIR"/log/*)" 'runtime error|ERROR: AddressSanitizer|LeakSanitizer' "the sanitizers found nothing"

done_testing
