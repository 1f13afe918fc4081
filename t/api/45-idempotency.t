#!/bin/sh
# Idempotency-Key: a call runs once under it, and who repeats it is told what became of the first.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

upstream_start
rc_start --allow-upstream "$UPSTREAM" --set upstream_timeout=4s || bail "the service did not start"
C=/api/dispatch
row() { owner PUT "/api/directory/$1" "$2" >/dev/null; }
http() { row "$1" "{\"type\":\"http\",\"target\":\"$2\",\"content\":\"# WHAT: x\",\"examples\":[\"x\"]}"; }
# call KEY JSON: as the owner, under that key; the status.
call() { owner POST $C "$2" -H "idempotency-key: $1" >/dev/null; status; }
# with TOKEN KEY JSON
with() { api POST $C "$3" -H "authorization: Bearer $1" -H "idempotency-key: $2" >/dev/null; status; }
mint() { owner POST /api/tokens "$1" >/dev/null; T=$(jq_get .token) F=$(jq_get .fingerprint); }
receipts() { owner GET "$C?ledger=1&key=$1&limit=500" >/dev/null; jq_get .count; }
hits() { grep -c "$1" "$UPSTREAM_LOG"; }
said() { printf '%s,%s,%s' "$(status)" "$(jq_get .error)" "$(jq_get .ran)"; }
keep() { cp "$BODY" "$TMP/first"; }
again() { cmp -s "$BODY" "$TMP/first" && [ "$(header Idempotent-Replayed)" = true ]; }

http POSTS "POST http://$UPSTREAM/echo?\$1"
is "$(owner PATCH /api/directory/POSTS '{"enabled":1}' >/dev/null; status)" 200 "there is a row to call"

# Once.
is "$(call k1 '{"key":"UUID"}'),$(header Idempotent-Replayed)" 200, "a call with a key runs"
keep
is "$(call k1 '{"key":"UUID"}')" 200 "sent again, it is answered"
ok "… with the same bytes, marked as a replay" again
isnt "$(call k2 '{"key":"UUID"}'),$(jq_get .result)" "200,$(jq -r .result "$TMP/first")" "with another key it is another call"
is "$(receipts UUID)" 2 "each has one receipt"
is "$(call k3 '{"key":"POSTS","body":"k3"}')" 200 "a call with an effect"
keep
call k3 '{"key":"POSTS","body":"k3"}' >/dev/null
ok "… is answered the same" again
is "$(hits '?k3')" 1 "… and was sent once"
http FAILS "POST http://$UPSTREAM/status/500?\$1"
call k4 '{"key":"FAILS","body":"k4"}' >/dev/null; keep
call k4 '{"key":"FAILS","body":"k4"}' >/dev/null
ok "a failure is an answer too" again
is "$(jq_get .ok),$(hits '?k4')" false,1 "… which sends nothing a second time"
row NOTHING '{"type":"fn","target":"no_such_function","content":"# WHAT: x","examples":["x"]}'
call k5 '{"key":"NOTHING"}' >/dev/null; keep
like "$(jq_get .result)" '^ERR:' "a call that ended before anything was done"
call k5 '{"key":"NOTHING"}' >/dev/null
ok "… is answered the same" again

# The request that a key is bound to.
other() { is "$(call k3 "$1" >/dev/null; said)" 422,idempotency_key_reused,false "another request under the key: $2"; }
other '{"key":"POSTS","body":"other"}' arguments
other '{"key":"POSTS","args":["k3"]}' "the form of the arguments"
other '{"key":"UUID","body":"k3"}' row
other "{\"key\":\"POSTS\",\"body\":\"k3\",\"contract\":\"$(owner GET /api/directory/POSTS | jq -r .contract)\"}" contract
other '{"key":"POSTS","body":"k3","on_behalf_of":"me"}' claims
is "$(hits '?other')" 0 "none of them was sent"
call a1 '{"key":"POSTS","args":["a","b"]}' >/dev/null
is "$(call a1 '{"key":"POSTS","args":["a|b"]}')" 422 "arguments are told apart piece by piece"
call a2 '{"key":"POSTS","args":{"x":"1","y":"2"}}' >/dev/null; keep
call a2 '{"key":"POSTS","args":{"y":"2","x":"1"}}' >/dev/null
ok "the order of names does not matter" [ "$(status)" = "$(call a2 '{"key":"POSTS","args":{"x":"1","y":"2"}}')" ]
is "$(call k3 '{"key":"POSTS","body":"k3","shape":true}'),$(jq_get .kind)" 200,shaped_dry_run "a dry run takes no notice"
is "$(call s1 '{"key":"POSTS","body":"s1","shape":true}')" 200 "… and claims nothing"
is "$(call s1 '{"key":"POSTS","body":"another"}')" 200 "… so the key is free"

# What is a key.
long() { head -c "$1" /dev/zero | tr '\0' "$2"; }
for n in 1 254 255; do is "$(call "$(long $n z)" '{"key":"NOW"}')" 200 "a key of $n bytes"; done
is "$(call "$(long 256 z)" '{"key":"NOW"}' >/dev/null; said)" 400,bad_idempotency_key,false "one of 256 is refused"
is "$(owner POST $C '{"key":"NOW"}' -H 'idempotency-key;' >/dev/null; jq_get .error)" bad_idempotency_key "an empty one is refused"
is "$(call 'caf�' '{"key":"NOW"}'),$(jq_get .error)" 400,bad_idempotency_key "one that is not ASCII is refused"
is "$(call 'a b' '{"key":"NOW"}')" 400 "one with a blank is refused"
is "$(call '~!"' '{"key":"NOW"}')" 200 "all visible characters will do"
is "$(owner POST $C '{"key":"NOW"}' -H 'idempotency-key: x1' -H 'idempotency-key: x2' >/dev/null; jq_get .error)" bad_idempotency_key "two keys are none"
api POST $C '{"key":"ECHO","body":"x"}' -H 'idempotency-key: n' >/dev/null
is "$(said)" 400,idempotency_needs_credential,false "without a credential there is nobody to remember it for"
is "$(call t1 '{"text":"[NOW][/NOW]"}' >/dev/null; said)" 400,idempotency_not_for_text,false "a text takes no key"
call canary-key-3141 '{"key":"NOW"}' >/dev/null
is "$(cat "$DIR"/*.db "$DIR"/*.db-wal "$DIR"/log/* | grep -ac canary-key-3141)" 0 "keys are stored nowhere"

# Other doors.
owner GET "$C?invoke=POSTS&body=door&idempotency_key=d1" >/dev/null
is "$(status)" 200 "a key in a URL"; keep
call d1 '{"key":"POSTS","body":"door"}' >/dev/null
ok "… is the same key" again
owner GET "$C?invoke=POSTS&body=door&idempotency_key=d1" '' -H 'idempotency-key: d1' >/dev/null
ok "… also when it is given twice" again
is "$(owner GET "$C?invoke=POSTS&body=door&idempotency_key=d1" '' -H 'idempotency-key: d2' >/dev/null; said)" 400,conflicting_fields,false "two different ones are refused"
is "$(hits '?door')" 1 "one call was sent"
owner POST /api/run/POSTS '{"body":"run"}' -H 'idempotency-key: d3' >/dev/null; keep
owner POST /api/run/POSTS '{"body":"run"}' -H 'idempotency-key: d3' >/dev/null
ok "a call by its path" again
call d4 '{"key":"UUID"}' >/dev/null; id=$(jq_get .invocation.id)
call d5 "{\"replay\":\"$id\"}" >/dev/null; keep
call d5 "{\"replay\":\"$id\"}" >/dev/null
ok "a replay is made once too" again

# Refusals leave the key free.
row TYPED '{"type":"fn","target":"echo","content":"# WHAT: x","examples":["{\"n\":1}"],"input_schema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}'
is "$(call r1 '{"key":"TYPED","args":{"n":"x"}}'),$(call r1 '{"key":"TYPED","args":{"n":1}}')" 422,200 "after args_invalid the key may be used"
owner PATCH /api/directory/TYPED '{"enabled":0}' >/dev/null
is "$(call r2 '{"key":"TYPED","args":{"n":1}}')" 409 "a disabled row"
owner PATCH /api/directory/TYPED '{"enabled":1}' >/dev/null
is "$(call r2 '{"key":"TYPED","args":{"n":1}}'),$(header Idempotent-Replayed)" 200, "… runs when it is enabled"
old=$(owner GET /api/directory/TYPED | jq -r .contract)
call r3 "{\"key\":\"TYPED\",\"args\":{\"n\":1},\"contract\":\"$old\"}" >/dev/null; keep
owner PATCH /api/directory/TYPED '{"content":"# WHAT: changed"}' >/dev/null
is "$(call r4 "{\"key\":\"TYPED\",\"args\":{\"n\":1},\"contract\":\"$old\"}")" 409 "the row has changed"
call r3 "{\"key\":\"TYPED\",\"args\":{\"n\":1},\"contract\":\"$old\"}" >/dev/null
ok "… but what had run is answered as it was" again

# Tokens.
mint '{"scope":"row:POSTS","uses":1}'
is "$(with "$T" u1 '{"key":"POSTS","body":"u1"}')" 200 "a token with one use"; keep
with "$T" u1 '{"key":"POSTS","body":"u1"}' >/dev/null
ok "… is answered again when it is used up" again
is "$(with "$T" u2 '{"key":"POSTS","body":"u2"}'),$(jq_get .error)" 429,token_exhausted "… but runs nothing more"
owner DELETE "/api/tokens/$F" >/dev/null
is "$(with "$T" u1 '{"key":"POSTS","body":"u1"}'),$(jq_get .error)" 401,revoked "a revoked one is told nothing"
mint '{"scope":"row:POSTS","uses":5,"rate":5}'
for _ in 1 2 3 4 5 6 7; do with "$T" u1 '{"key":"POSTS","body":"v1"}' >/dev/null; done
is "$(status),$(owner GET "/api/tokens/$F" | jq .uses_left)" 200,4 "seven requests with one key take one use"
is "$(hits '?u1'),$(hits '?v1')" 1,1 "two tokens with the same key are two calls"
is "$(with "$T" u1 '{"key":"POSTS","body":"u1"}')" 422 "and each is bound to its own"

# Calls that are running.
http SLOW "POST http://$UPSTREAM/slow/2000?\$1"
owner POST $C '{"key":"SLOW","body":"c17"}' -H 'idempotency-key: c17' --max-time 1 >/dev/null 2>&1
call c17 '{"key":"SLOW","body":"c17"}' >/dev/null
is "$(said),$(header Retry-After)" 409,idempotency_in_progress,null,1 "a client that gave up is told that the call runs"
like "$(jq_get .invocation_id)" '^inv_' "… and which"
id=$(jq_get .invocation_id) tries=0
until [ "$(call c17 '{"key":"SLOW","body":"c17"}')" = 200 ] || [ $tries -gt 100 ]; do sleep 0.2; tries=$((tries + 1)); done
is "$(jq_get .invocation.id),$(header Idempotent-Replayed)" "$id,true" "later it has the answer of the first"
is "$(hits '?c17')" 1 "one call was sent"
for i in $(seq 20); do
	curl -sS --cacert "$CACERT" -o "$TMP/race.$i" -w '%{http_code}\n' -H "x-terminal-key: $KEY" -H 'idempotency-key: race' -H 'content-type: application/json' \
		--data '{"key":"POSTS","body":"race"}' "$BASE$C" >"$TMP/race.status.$i" & pids="${pids:-} $!"
done
wait $pids
is "$(hits '?race')" 1 "twenty at once send one"
unlike "$(cat "$TMP"/race.status.* | sort -u | tr '\n' ' ')" '(^| )[^24]|(^| )4(0[^9]|[^0])' "… the others have its answer, or wait"
is "$(cat "$TMP"/race.? "$TMP"/race.?? | jq -r 'select(.ok) | .invocation.id' | sort -u | wc -l)" 1 "… one answer"

# A flow: what has run is not run again.
http HANGS "POST http://$UPSTREAM/hang?\$1"
row FLOW '{"type":"flow","content":"# WHAT: x\nPOSTS: f1 > POSTS: f2 > POSTS: f3 > HANGS: f4","examples":["x"]}'
is "$(call f '{"key":"FLOW"}'),$(jq_get .ok)" 200,false "a flow whose fourth step times out"; keep
trace=$(jq_get .trace)
call f '{"key":"FLOW"}' >/dev/null
ok "… is answered with its failure" again
is "$(hits '?f1'),$(hits '?f2'),$(hits '?f3'),$(hits '?f4')" 1,1,1,1 "… and no step was sent twice"
owner GET "$C?ledger=1&trace=$trace" >/dev/null
is "$(jq_get .count)" 5 "every step has its receipt"

# Long results.
http BIG "POST http://$UPSTREAM/big/\$1"
call b0 '{"key":"BIG","body":"1"}' >/dev/null
label=$(($(jq -j .result "$BODY" | wc -c) - 1))
for n in $((1048575 - label)) $((1048576 - label)); do
	call "b$n" "{\"key\":\"BIG\",\"body\":\"$n\"}" >/dev/null; keep
	call "b$n" "{\"key\":\"BIG\",\"body\":\"$n\"}" >/dev/null
	ok "a result of $((n + label)) bytes is kept whole" again
done
n=$((1048577 - label))
call b2 "{\"key\":\"BIG\",\"body\":\"$n\"}" >/dev/null; id=$(jq_get .invocation.id)
call b2 "{\"key\":\"BIG\",\"body\":\"$n\"}" >/dev/null
is "$(said),$(jq_get .invocation_id)" "409,answer_not_kept,true,$id" "a longer one is not, and that is said"
is "$(hits "/big/$n")" 1 "… and it is not sent again"

# Calls that wait for the owner.
held() { with "$T" "$1" '{"key":"POSTS","body":"'"$1"'"}' >/dev/null; printf '%s,%s' "$(status)" "$(jq_get .approval)"; }
decide() { owner POST "/api/approvals/$1" "{\"decision\":\"$2\"}" >/dev/null; status; }
mint '{"scope":"rows:POSTS,ECHO","owner_gate":"hold"}'
is "$(held h1)" "202,$(jq_get .approval)" "a call is held"; A=$(jq_get .approval)
is "$(held h1)" "202,$A" "… once, however often it is asked for"
is "$(with "$T" h1 '{"key":"POSTS","body":"x"}')" 422 "… and no other under its key"
is "$(decide "$A" approve),$(held h1),$(jq_get .ran)" 200,200,null,true "when it has run, its answer is there"
is "$(header Idempotent-Replayed),$(hits '?h1')" true,1 "… of the one call that was sent"
held h2 >/dev/null; A=$(jq_get .approval)
is "$(decide "$A" deny),$(held h2),$(jq_get .error)" 200,409,null,approval_decided:denied "when it was denied, that is said"
is "$(hits '?h2')" 0 "… and nothing was sent"
printf '{"key":"ECHO","body":"%s"}' "$(long 262145 x)" >"$TMP/long"
is "$(with "$T" h3 "@$TMP/long"),$(with "$T" h3 '{"key":"POSTS","body":"h3"}')" 413,202 "what could not be held leaves the key free"

# Time.
rc_stop
rc_start --allow-upstream "$UPSTREAM" --set idempotency_keep=1s --set max_kept_payload=0 || bail "the service did not start again"
call e1 '{"key":"UUID"}' >/dev/null; keep
sleep 1.2
is "$(call e1 '{"key":"UUID"}'),$(header Idempotent-Replayed)" 200, "after its time a key is forgotten"
isnt "$(jq_get .result)" "$(jq -r .result "$TMP/first")" "… and the call runs"
claims() { sqlite3 -readonly "$DIR/ledger.db" 'SELECT count(*) FROM idempotency'; }
tries=0
until [ "$(claims)" = 0 ] || [ $tries -gt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
is "$(claims)" 0 "forgotten keys are removed"
http SLOWER "POST http://$UPSTREAM/slow/5000?\$1"
call e2 '{"key":"SLOWER","body":"e2"}' >"$TMP/e2.status" & slow=$!
tries=0
until [ "$(hits '?e2')" = 1 ] || [ $tries -gt 300 ]; do sleep 0.1; tries=$((tries + 1)); done
sleep 1.2
is "$(curl -sS --cacert "$CACERT" -o /dev/null -w '%{http_code}' -H "x-terminal-key: $KEY" -H 'idempotency-key: e2' -H 'content-type: application/json' --data '{"key":"SLOWER","body":"e2"}' "$BASE$C")" 409 "but never while its call is running"
wait $slow
is "$(hits '?e2')" 1 "… which was sent once"
done_testing
