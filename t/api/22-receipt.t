#!/bin/sh
# Receipts: confirm, full, ledger, and the public page.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start --set anonymous=read,row:ECHO || bail "the service did not start"

expect() { is "$(status) $(jq_get .error)" "$1 $2" "$3"; }
C=/api/dispatch
NONE=inv_00000000000000000000000000

owner POST $C '{"key":"ECHO","body":"<script>alert(1)</script>","on_behalf_of":"somebody","authorized_by":"the board"}' >/dev/null
INV=$(jq_get .proof.invocation_id) TRACE=$(jq_get .trace)

# confirm
api GET "$C?confirm=$INV" >/dev/null
is "$(status) $(jq_get .confirmed) $(jq_get .status)" "200 true PROVEN_MATERIAL_RESULT" "anybody confirms a receipt"
is "$(jq_get .key),$(jq_get .trace),$(jq_get .actor)" "ECHO,$TRACE,owner:terminal-key" "… what ran, in which trace, as whom"
is "$(jq -r '.fingerprints|[.input,.output,.contract]|map(length)|join(",")' "$BODY")" 64,64,64 "… with three fingerprints"
unlike "$(cat "$BODY")" 'script|somebody|board' "… without payload and claims"
api GET "$C?confirm=$INV" '' -H 'authorization: Bearer wrong' >/dev/null
is "$(status)" 200 "a wrong credential does not matter here"
api HEAD "$C?confirm=$INV" >/dev/null
is "$(status)" 200 "HEAD works"
for id in $NONE inv_ inv_x "$INV"x t_00000000000000000000000000 ''; do
	api GET "$C?confirm=$id" >/dev/null
	is "$(status) $(jq_get .confirmed) $(jq_get .error)" "404 false receipt_not_found" "\"$id\" is no receipt"
done

# receipt
owner GET "$C?receipt=$INV" >/dev/null
is "$(jq_get .input),$(jq_get .output)" '<script>alert(1)</script>,<script>alert(1)</script>' "the owner reads input and output"
is "$(jq_get .on_behalf_of),$(jq_get .authorized_by)" "somebody,the board" "… and claims"
api GET "$C?receipt=$INV" >/dev/null
expect 401 unauthorized "nobody does without a credential"
owner GET "$C?receipt=$NONE" >/dev/null
expect 404 receipt_not_found "a receipt that is not there is 404"

# ledger
api POST $C '{"key":"ECHO","body":"x"}' >/dev/null
owner POST $C '{"key":"NOW"}' >/dev/null
owner GET "$C?ledger=1" >/dev/null
is "$(jq -r '[.rows[].key]|join(",")' "$BODY"),$(jq_get .count)" NOW,ECHO,ECHO,3 "the ledger has every call, newest first"
owner GET "$C?ledger=1&key=ECHO" >/dev/null
is "$(jq_get .count)" 2 "… by key"
owner GET "$C?ledger=1&trace=$TRACE" >/dev/null
is "$(jq -r '.rows[].invocation_id' "$BODY")" "$INV" "… by trace"
owner GET "$C?ledger=1&actor=anonymous" >/dev/null
is "$(jq_get .count)" 1 "… by actor"
owner GET "$C?ledger=1&since=2999-01-01T00:00:00Z" >/dev/null
is "$(jq_get .count)" 0 "… by time"
owner GET "$C?ledger=1&limit=2" >/dev/null
owner GET "$C?ledger=1&limit=2&cursor=$(jq_get .cursor)" >/dev/null
is "$(jq -r '[.rows[].key]|join(",")' "$BODY"),$(jq_get .cursor)" ECHO,null "… page by page"
api GET "$C?ledger=1" >/dev/null
expect 401 unauthorized "it is not for everybody"
owner GET "$C?ledger=1&limit=501" >/dev/null
expect 400 bad_parameter "its limit is bounded"
owner GET "$C?ledger=2" >/dev/null
expect 400 bad_parameter "ledger is 1"
owner GET "$C?ledger=1&since=yesterday" >/dev/null
expect 400 bad_since "since is a time"
owner GET "$C?ledger=1&cursor=x" >/dev/null
expect 400 bad_cursor "a cursor is one that was given"

# The page
api GET "/receipt/$INV" >/dev/null
is "$(status) $(header content-type)" "200 text/html; charset=utf-8" "the page is HTML"
like "$(cat "$BODY")" 'This call ran and returned a result' "… says what the receipt means"
like "$(cat "$BODY")" "<code>$INV</code>" "… names the receipt"
like "$(cat "$BODY")" "curl -s &#39;$BASE/api/dispatch\?confirm=$INV|curl -s '$BASE/api/dispatch\?confirm=$INV" "… and how to check it"
unlike "$(cat "$BODY")" '<script|somebody|board' "… holds no script, payload or claim"
like "$(header content-security-policy)" "^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]+'" "… and allows none"
like "$(header vary)" Accept "… it depends on Accept"
api GET "/receipt/$INV" '' -H 'accept: application/json' >/dev/null
is "$(header content-type) $(jq_get .confirmed)" "application/json true" "JSON by Accept"
api GET "/receipt/$INV" '' -H 'accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' >/dev/null
is "$(header content-type)" "text/html; charset=utf-8" "a browser gets the page"
api HEAD "/receipt/$INV" >/dev/null
is "$(status)" 200 "HEAD works"
api GET "/receipt/$NONE" >/dev/null
is "$(status) $(header content-type)" "404 text/html; charset=utf-8" "a receipt that is not there has a page too"
like "$(cat "$BODY")" 'no such receipt' "… that says so"
api GET "/receipt/$NONE" '' -H 'accept: application/json' >/dev/null
is "$(status) $(jq_get .confirmed)" "404 false" "… also as JSON"
api GET '/receipt/%3Cscript%3E' >/dev/null
is "$(status)" 404 "what is no id is no receipt"
unlike "$(cat "$BODY")" '<script' "… and is not repeated"
api GET "/receipt/$INV/x" >/dev/null
expect 404 not_found "nothing is below a receipt"
api POST "/receipt/$INV" '{}' >/dev/null
expect 405 method_not_allowed "a receipt is only read"
is "$(header allow)" "GET, HEAD, OPTIONS" "… by these methods"

# Rows of high risk
owner PUT /api/directory/ECHO '{"type":"fn","target":"echo","content":"# WHAT: x\n[\"$1+\"]","examples":["a"],"sensitive":1,"input_schema":{"type":"object"}}' >/dev/null
owner POST $C '{"key":"ECHO","body":"secret"}' >/dev/null
HIGH=$(jq_get .proof.invocation_id) OUT=$(jq_get .invocation.fingerprints.output)
api GET "$C?confirm=$HIGH" >/dev/null
is "$(jq -c '.fingerprints|[.input,.output]' "$BODY")" '[null,null]' "of a row of high risk, fingerprints of input and output are not public"
api GET "/receipt/$HIGH" >/dev/null
unlike "$(cat "$BODY")" "$OUT" "… nor on its page"
owner GET "$C?receipt=$HIGH" >/dev/null
is "$(jq_get .fingerprints.output)" "$OUT" "the owner has them"

# Receipts survive their row.
owner DELETE /api/directory/ECHO >/dev/null
api GET "$C?confirm=$INV" >/dev/null
is "$(jq_get .confirmed)" true "a receipt survives the deletion of its row"
api GET "/receipt/$INV" >/dev/null
is "$(status)" 200 "… its page too"

unlike "$(cat "$DIR"/log/*)" 'runtime error|ERROR: AddressSanitizer|LeakSanitizer' "the sanitizers found nothing"

done_testing
