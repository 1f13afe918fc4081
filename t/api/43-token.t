#!/bin/sh
# Capability tokens: minting, every limit and its reason, every way to present one, revocation, attenuation, races.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start || bail "the service did not start"
U=$HTTP

# mint JSON: its token in T, its fingerprint in F.
mint() { owner POST /api/tokens "$1" >/dev/null; T=$(jq_get .token) F=$(jq_get .fingerprint); }
# with TOKEN METHOD PATH [JSON]
with() { w_t=$1; shift; api "$@" ${3+-H} ${3+"authorization: Bearer $w_t"}; }
# run TOKEN JSON: a dispatch; the status.
run() { api POST /api/dispatch "$2" -H "authorization: Bearer $1" >/dev/null; status; }
refused() { is "$(run "$1" "$2"),$(jq_get .error),$(jq_get .ran)" "$3,$4,false" "$5"; }
row() { owner PUT "/api/directory/$1" "$2" >/dev/null; }

row RISKY '{"type":"fn","target":"echo","sensitive":1,"category":"danger","content":"# WHAT: x","input_schema":{"type":"object","properties":{"t":{"type":"string"}}},"examples":["x"]}'
row COUNTER '{"type":"fn","target":"kv_put","category":"count","content":"# WHAT: x\n[\"$1\",\"1\"]","examples":["x"]}'

# Minting.
mint '{"scope":"row:ECHO","ttl":600,"uses":3,"purpose":"test","actor":"model"}'
is "$(status)" 201 "the owner mints a token"
like "$T" '^rct_[A-Za-z0-9_-]{43}$' "it begins with rct_ and has 43 characters behind it"
like "$F" '^cap_[0-9a-f]{16}$' "its fingerprint is cap_ and 16 hex digits"
is "$(header Cache-Control)" no-store "the answer is not to be stored"
is "$(jq_get '.uses,.uses_left,.risk_ceiling,.owner_gate,.depth' | tr '\n' ' ')" '3 3 low false 0 ' "its record says what it may"
is "$(jq_get .contract)" "$(owner GET /api/directory/ECHO | jq -r .contract)" "a row: token is pinned to the contract"
owner GET "/api/tokens/$F" >/dev/null
is "$(jq_get .fingerprint,.token | tr '\n' ' ')" "$F null " "the secret is shown once"
owner GET "/api/tokens?limit=1" >/dev/null
is "$(jq_get .count)" 1 "tokens are listed"
owner GET /api/events?limit=1000 >/dev/null
is "$(jq_get '[.events[] | select(.action == "CAPABILITY_MINT")] | length')" 1 "minting is an event"
unlike "$(cat "$BODY")" "$T" "… without the secret"
is "$(cat "$DIR"/*.db "$DIR"/*.db-wal "$DIR"/log/* | grep -acF "${T#rct_}")" 0 "nor is it in a file or a log"
api POST /api/tokens '{"scope":"act"}' >/dev/null
is "$(status) $(cat "$BODY")" '401 {"error":"unauthorized"}' "nobody else mints"
bad() { owner POST /api/tokens "$1" >/dev/null; is "$(status),$(jq_get .error),$(jq_get .field)" "$2" "refused: $1"; }
bad '{}' 422,bad_field,scope
bad '{"scope":"nonsense"}' 422,bad_scope,scope
bad '{"scope":"act","ttl":59}' 422,bad_field,ttl
bad '{"scope":"act","ttl":2592001}' 422,bad_field,ttl
bad '{"scope":"act","uses":-1}' 422,bad_field,uses
bad '{"scope":"act","rate":100001}' 422,bad_field,rate
bad '{"scope":"act","risk_ceiling":"medium"}' 422,bad_field,risk_ceiling
bad '{"scope":"act","owner_gate":"yes"}' 422,bad_field,owner_gate
bad '{"scope":"act","pin":true}' 422,bad_field,pin
bad '{"scope":"act","colour":"red"}' 400,unknown_field,colour
bad '{"scope":"row:NO_SUCH_ROW"}' 404,unknown_key,scope
for ttl in 60 61 2591999 2592000; do owner POST /api/tokens "{\"scope\":\"act\",\"ttl\":$ttl}" >/dev/null; is "$(status)" 201 "ttl $ttl is accepted"; done

# Presenting.
is "$(run "$T" '{"key":"ECHO","body":"a"}'),$(jq_get .result)" 200,a "Authorization: Bearer runs"
is "$(jq_get .invocation.actor)" "cap:$F" "… as cap:<fingerprint>"
api POST /api/dispatch '{"key":"ECHO","body":"b"}' -H "x-capability-token: $T" >/dev/null
is "$(status)" 200 "x-capability-token runs"
api POST /api/dispatch "{\"key\":\"ECHO\",\"body\":\"c\",\"capability_token\":\"$T\"}" >/dev/null
is "$(status)" 200 "capability_token in the body runs"
refused "$T" '{"key":"ECHO","body":"d"}' 429 token_exhausted "after three uses it is exhausted"
mint '{"scope":"row:ECHO"}'
api GET "/api/dispatch?invoke=ECHO&body=e&share=$T" >/dev/null
is "$(status),$(jq_get .result)" 200,e "share= on GET dispatch runs"
api GET "/api/dispatch?key=ECHO&format=markdown&share=$T" >/dev/null
is "$(status)" 200 "… and reads"
api GET "/api/directory/ECHO?share=$T" >/dev/null
is "$(status)" 400 "share= elsewhere is no parameter"
api GET /api/directory/ECHO '' -H "x-terminal-key: $T" >/dev/null
is "$(status),$(jq_get .error)" 401,token_invalid "a token as x-terminal-key is no key"
api POST /api/dispatch '{"key":"ECHO","body":"f"}' -H "authorization: Bearer $T" -H "x-capability-token: ${T}x" >/dev/null
is "$(status),$(jq_get .error)" 400,ambiguous_credential "two different ones are ambiguous"
api POST /api/dispatch '{"key":"ECHO","body":"f"}' -H "authorization: Bearer $T" -H "x-capability-token: $T" >/dev/null
is "$(status)" 200 "the same one twice is one"
refused "${T%?}" '{"key":"ECHO","body":"x"}' 401 token_invalid "a token with a character less is invalid"
api GET "/api/dispatch?confirm=inv_x&share=nonsense" >/dev/null
is "$(status)" 404 "confirm ignores a bad credential"

# The gate, reason by reason.
refused "$T" '{"key":"UPPER","body":"x"}' 403 scope_mismatch "another row is out of scope"
is "$(jq_get '.needs | tojson'),$(jq_get .mint)" '{"scope":"row:UPPER","risk_ceiling":"low"},rowcall token mint --scope row:UPPER' "… and the answer says which token would do"
mint '{"scope":"act","audience":"elsewhere.example"}'
refused "$T" '{"key":"ECHO","body":"x"}' 403 audience_bound:elsewhere.example "a token for another service"
mint '{"scope":"act","audience":"localhost"}'
is "$(run "$T" '{"key":"ECHO","body":"x"}')" 200 "one for this service runs"
mint '{"scope":"act","owner_gate":true}'
refused "$T" '{"key":"ECHO","body":"x"}' 403 owner_gate_required "a token that the owner has closed"
mint '{"scope":"act"}'; LOW=$T
refused "$T" '{"key":"RISKY","body":"x"}' 403 'risk_ceiling:low<row:high' "a row of high risk under a low ceiling"
is "$(jq_get .needs.risk_ceiling)" high "… needs a high one"
mint '{"scope":"act","risk_ceiling":"high"}'
is "$(run "$T" '{"key":"RISKY","body":"x"}')" 200 "a high ceiling runs it"
mint '{"scope":"row:ECHO","body_fixed":"only this"}'
refused "$T" '{"key":"ECHO","body":"other"}' 403 body_not_allowed:fixed_body_only "another body than the fixed one"
refused "$T" '{"key":"ECHO","args":["only this"]}' 403 body_not_allowed:fixed_body_only "… also as an array"
is "$(run "$T" '{"key":"ECHO","body":""}'),$(jq_get .result)" '200,only this' "an empty body becomes the fixed one"
mint '{"scope":"act","max_body_bytes":4}'
is "$(run "$T" '{"key":"ECHO","body":"abc"}')" 200 "three bytes under a ceiling of four"
is "$(run "$T" '{"key":"ECHO","body":"abcd"}')" 200 "four bytes"
refused "$T" '{"key":"ECHO","body":"abcde"}' 413 'payload_ceiling:5>4' "five bytes"
refused "$T" '{"key":"ECHO","args":["ab","cd"]}' 413 'payload_ceiling:5>4' "… also as an array"
mint '{"scope":"act","rate":2}'
run "$T" '{"key":"ECHO","body":"x"}' >/dev/null; run "$T" '{"key":"ECHO","body":"x"}' >/dev/null
refused "$T" '{"key":"ECHO","body":"x"}' 429 rate_exceeded "a third call in a minute of two"
is "$(header Retry-After)" 60 "… with Retry-After"
mint '{"scope":"read"}'
refused "$T" '{"key":"ECHO","body":"x"}' 403 scope_mismatch "read runs nothing"

# The row behind a token.
row SHIFT '{"type":"fn","target":"echo","content":"# WHAT: one","examples":["x"]}'
mint '{"scope":"row:SHIFT"}'; PIN=$T
mint '{"scope":"row:SHIFT","pin":false}'; FREE=$T
old=$(owner GET /api/directory/SHIFT | jq -r .contract)
row SHIFT '{"type":"fn","target":"upper","content":"# WHAT: two","examples":["x"]}'
new=$(owner GET /api/directory/SHIFT | jq -r .contract)
refused "$PIN" '{"key":"SHIFT","body":"x"}' 409 "contract_changed:$old!=$new" "a pinned token after a change of the row"
is "$(run "$FREE" '{"key":"SHIFT","body":"x"}'),$(jq_get .result)" 200,X "one that is not pinned runs the new row"
owner DELETE /api/directory/SHIFT >/dev/null
row SHIFT '{"type":"fn","target":"upper","content":"# WHAT: two","examples":["x"]}'
refused "$FREE" '{"key":"SHIFT","body":"x"}' 409 row_replaced:SHIFT "another row of the same name is not the token's"
owner POST /api/tokens "{\"scope\":\"row:SHIFT\",\"contract\":\"$old\"}" >/dev/null
is "$(status)" 409 "a token for a contract that the row does not have is not made"

# Uses are for calls that run.
mint '{"scope":"act","uses":2}'
run "$T" '{"key":"NO_SUCH","body":"x"}' >/dev/null; run "$T" '{"key":"RISKY","body":"x"}' >/dev/null
run "$T" '{"key":"ECHO","body":"x","shape":true}' >/dev/null
owner GET "/api/tokens/$F" >/dev/null
is "$(jq_get .uses_left)" 2 "refused calls and dry runs take no use"

# Revocation and attenuation.
mint '{"scope":"rows:ECHO,UPPER","uses":100,"risk_ceiling":"low","max_body_bytes":100}'; P=$T PF=$F
attenuate() { api POST /api/tokens/attenuate "$2" -H "authorization: Bearer $1" >/dev/null; status; }
is "$(attenuate "$P" '{"scope":"row:ECHO","uses":1}'),$(jq_get '.depth,.parent,.max_body_bytes' | tr '\n' ' ')" "201,1 $PF 100 " "a holder makes a narrower token, which has what it did not ask for"
C=$(jq_get .token) CF=$(jq_get .fingerprint)
widen() { is "$(attenuate "$P" "$1"),$(jq_get .error),$(jq_get .field)" "403,scope_widen_denied,$2" "no wider: $1"; }
widen '{"scope":"act"}' scope
widen '{"scope":"row:LOWER"}' scope
widen '{"uses":0}' uses
widen '{"uses":101}' uses
widen '{"max_body_bytes":101}' max_body_bytes
widen '{"risk_ceiling":"high"}' risk_ceiling
widen '{"ttl":2592000}' ttl
owner POST /api/tokens/attenuate '{"scope":"act"}' >/dev/null
is "$(status),$(jq_get .error)" 400,token_needed "the owner has nothing to narrow"
D=$P; n=0
while [ "$(attenuate "$D" '{}')" = 201 ] && [ $n -lt 9 ]; do D=$(jq_get .token); n=$((n + 1)); done
is "$n,$(jq_get .error)" 5,attenuation_depth:5 "five tokens one from another, no more"
is "$(run "$D" '{"key":"UPPER","body":"x"}')" 200 "the last one runs"
owner GET "/api/tokens/$PF" >/dev/null
is "$(jq_get .uses_left)" 99 "… and takes a use from each above it"
is "$(run "$C" '{"key":"ECHO","body":"x"}')" 200 "a child with one use runs once"
refused "$C" '{"key":"ECHO","body":"x"}' 429 token_exhausted "… and not twice"
owner DELETE "/api/tokens/$PF" >/dev/null
is "$(status),$(jq_get .revoked)" 200,1 "a token is revoked"
owner DELETE "/api/tokens/$PF" >/dev/null
is "$(status),$(jq_get .revoked)" 200,0 "… once"
refused "$P" '{"key":"ECHO","body":"x"}' 401 revoked "it is refused at the next request"
refused "$D" '{"key":"ECHO","body":"x"}' 401 ancestor_revoked "and so is what was made from it"
is "$(header WWW-Authenticate)" Bearer "… with WWW-Authenticate"
api GET /api/directory/ECHO '' -H "authorization: Bearer $P" >/dev/null
is "$(status),$(jq_get .error)" 401,revoked "a revoked token does not read either"
owner GET '/api/events?limit=1000' >/dev/null
is "$(jq_get '[.events[] | select(.action == "CAPABILITY_REVOKE")] | length')" 1 "revoking is an event"
owner GET "/api/dispatch?ledger=1&actor=cap:$PF&limit=50" >/dev/null
is "$(jq_get '[.rows[] | select(.outcome == "denied") | .reason] | unique | join(" ")')" revoked "the denial has a receipt"
owner DELETE /api/tokens/cap_0000000000000000 >/dev/null
is "$(status),$(jq_get .error)" 404,token_not_found "there is nothing else to revoke"

# Steps of a flow run with the caller's authority.
row DARING '{"type":"flow","content":"# WHAT: x\nECHO: $1 > RISKY: $PREV","examples":["x"]}'
mint '{"scope":"row:DARING"}'
is "$(run "$T" '{"key":"DARING","body":"x"}'),$(jq_get .result)" '200,ERR:flow:ECHO:scope_mismatch' "a token for a flow alone does not run its steps"
mint '{"scope":"rows:DARING,ECHO,RISKY","uses":1}'
is "$(run "$T" '{"key":"DARING","body":"x"}'),$(jq_get .result)" '200,ERR:flow:RISKY:risk_ceiling:low<row:high' "nor a step above its ceiling"
trace=$(jq_get .trace)
owner GET "/api/dispatch?ledger=1&trace=$trace" >/dev/null
is "$(jq_get '[.rows[] | .key + ":" + .outcome] | sort | join(" ")')" 'DARING:error ECHO:ok RISKY:denied' "the receipts say which step was denied"
owner GET "/api/tokens/$F" >/dev/null
is "$(jq_get .uses_left)" 0 "the outer call alone takes a use"

# What a token is told.
mint '{"scope":"cat:text","uses":7,"rate":60}'
api GET '/api/dispatch?explain=1' '' -H "authorization: Bearer $T" >/dev/null
is "$(jq_get '.credential,.scope,.uses_left,.limits.rate_per_minute,.token.fingerprint' | tr '\n' ' ')" "token cat:text 7 60 $F " "explain tells a token what it may"
is "$(jq_get '.callable.keys | index("UPPER") != null and index("NOW") == null')" true "… and which rows"
api GET '/api/dispatch?key=UPPER' '' -H "authorization: Bearer $T" >/dev/null
is "$(jq_get '[.affordances[] | select(.name == "run" or .name == "run_by_url") | .allowed] | tojson')" '[true,true]' "a contract document shows what this token can do"
api GET '/api/dispatch?key=NOW' '' -H "authorization: Bearer $T" >/dev/null
is "$(jq_get '.affordances[] | select(.name == "run") | .reason')" scope_mismatch "… and why not"
api GET '/api/dispatch?tools=openai' '' -H "authorization: Bearer $T" >/dev/null
is "$(jq_get '[.. | .name? // empty] | unique | map(select(. == "NOW")) | length')" 0 "tool definitions are those of its callable rows"

# Races.
mint '{"scope":"act","uses":1}'
for i in $(seq 1 200); do printf 'url = "%s/api/dispatch"\ndata = "{\\"key\\":\\"COUNTER\\",\\"body\\":\\"c%s\\"}"\nheader = "content-type: application/json"\nheader = "authorization: Bearer %s"\noutput = "%s/race.%s"\n' "$U" "$i" "$T" "$TMP" "$i"; [ "$i" = 200 ] || echo next; done >"$TMP/race"
curl -s --parallel --parallel-immediate --parallel-max 200 -K "$TMP/race"
is "$(jq -r '.error // "ran"' "$TMP"/race.* | sort | uniq -c | tr -s ' ' | tr '\n' ';')" ' 1 ran; 199 token_exhausted;' "of 200 calls at once with one use left exactly one runs"
is "$(run "$LOW" '{"key":"ECHO","body":"x"}')" 200 "another token is not touched by that"
# Connections of their own, so that every worker has some of them.
mint '{"scope":"act"}'
for i in $(seq 1 200); do printf 'url = "%s/api/dispatch?invoke=ECHO&body=x"\nheader = "authorization: Bearer %s"\noutput = "%s/every.%s"\n' "$U" "$T" "$TMP" "$i"; [ "$i" = 200 ] || echo next; done >"$TMP/every"
everywhere() { curl -s --http1.1 --parallel --parallel-immediate --parallel-max 200 -K "$TMP/every" 2>/dev/null; jq -r '.error // "ran"' "$TMP"/every.* | sort | uniq -c | tr -s ' ' | tr '\n' ';'; }
is "$(everywhere)" ' 200 ran;' "a token that every worker has just seen"
owner DELETE "/api/tokens/$F" >/dev/null
is "$(everywhere)" ' 200 revoked;' "is refused by each of them from the answer to its revocation on"
done_testing
