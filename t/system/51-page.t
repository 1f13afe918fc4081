#!/bin/sh
# The receipt's page in a real browser, as wide as a phone and without scripts: nothing sticks out, everything is there.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start || bail "the service did not start"
# look PATH NAME: $TMP/look has what browser.pl says.
look() { perl "$SOURCE/t/browser.pl" "$HTTP$1" "${3:-390}" "${SHOTS:-$TMP}/$2.png" >"$TMP/look" 2>"$TMP/look.err" || { diag "$(cat "$TMP/look.err")"; echo '{}' >"$TMP/look"; }; }
seen() { jq -r "$1" "$TMP/look"; }
fits()
{
	is "$(seen '.viewport == '"${2:-390}"' and .width <= .viewport and .height > 300')" true "$1: nothing is wider than the screen"
	[ "$(seen '.width <= .viewport')" = true ] || diag "$(seen '{width,viewport,height}')"
	is "$(seen '(.errors // ["it was not looked at"]) | join("; ")')" '' "$1: nothing fails to load, nothing is blocked"
}

owner POST /api/dispatch '{"key":"ECHO","body":"seen"}' >/dev/null
id=$(jq_get .invocation.id)
look "/receipt/$id" receipt
fits "a receipt"
like "$(seen .title)" 'Receipt of ECHO' "it has a title"
like "$(seen .text)" 'This call ran and returned a result' "it says what happened"
like "$(seen .text)" "$id" "which call it was"
look "/receipt/$id" narrow 320
fits "a receipt on a small phone" 320

# The longest that there is: key, reason, a base of many characters.
long=K$(printf 'A%.0s' $(seq 63))
owner PUT "/api/directory/$long" '{"type":"http","target":"GET http://127.0.0.1:1/","content":"# WHAT: refused","examples":["x"]}' >/dev/null
owner POST /api/dispatch "{\"key\":\"$long\"}" >/dev/null
look "/receipt/$(jq_get .invocation.id)" error
fits "the receipt of an error with the longest key"
like "$(seen .text)" 'ended in an error' "it says so"
owner PATCH "/api/directory/$long" '{"enabled":0}' >/dev/null
owner POST /api/dispatch "{\"key\":\"$long\"}" >/dev/null
owner GET '/api/dispatch?ledger=1&limit=1' >/dev/null
look "/receipt/$(jq_get '.rows[0] | .id // .invocation_id')" denied
fits "the receipt of a denial"
like "$(seen .text)" 'was refused' "it says so"
look /receipt/inv_00000000000000000000000000 none
fits "a receipt that nobody has"
like "$(seen .text)" 'There is no such receipt' "it says so"
done_testing
