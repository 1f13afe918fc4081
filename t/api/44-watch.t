#!/bin/sh
# Watching calls of sensitive rows, and calls that wait for the owner.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start --set watcher=WATCHER || bail "the service did not start"
upstream_start
row() { owner PUT "/api/directory/$1" "$2" >/dev/null; }
schema='"input_schema":{"type":"object","properties":{"t":{"type":"string"}}}'
row RISKY "{\"type\":\"fn\",\"target\":\"echo\",\"sensitive\":1,\"content\":\"# WHAT: x\",$schema,\"examples\":[\"x\"]}"
row OTHER "{\"type\":\"fn\",\"target\":\"upper\",\"sensitive\":1,\"content\":\"# WHAT: x\",$schema,\"examples\":[\"x\"]}"
row COUNT '{"type":"fn","target":"kv_put","content":"# WHAT: x\n[\"$1\",\"$2\"]","examples":["x"]}'
watcher() { row WATCHER "$(jq -nc --arg c "# WHAT: x
$1" '{type:"fn",target:"echo",content:$c,examples:["x"]}')"; }
run() { api POST /api/dispatch "$2" -H "authorization: Bearer $1" >/dev/null; status; }
mint() { owner POST /api/tokens "$1" >/dev/null; T=$(jq_get .token) F=$(jq_get .fingerprint); }
rule() { owner POST /api/watch "$1" >/dev/null; R=$(jq_get .id); }
drop() { owner DELETE "/api/watch/$1" >/dev/null; }
decide() { owner POST "/api/approvals/$1" "{\"decision\":\"$2\"}" >/dev/null; status; }
mint '{"scope":"act","risk_ceiling":"high"}'; H=$T HF=$F

# The watcher row.
is "$(run "$H" '{"key":"RISKY","body":"x"}'),$(jq_get .error)" 403,watcher_denied:watcher_failed "a watcher that is not there denies"
watcher '["ALLOW"]'
is "$(run "$H" '{"key":"RISKY","body":"x"}')" 200 "one that answers ALLOW lets it run"
is "$(owner POST /api/dispatch '{"key":"RISKY","body":"x"}' >/dev/null; status)" 200 "… the owner too"
watcher '["allow"]'
is "$(run "$H" '{"key":"RISKY","body":"x"}'),$(jq_get .error),$(jq_get .ran)" 403,watcher_denied:watcher,false "any other answer denies"
is "$(owner POST /api/dispatch '{"key":"RISKY","body":"x"}' >/dev/null; status)" 403 "… the owner too"
is "$(run "$H" '{"key":"ECHO","body":"x"}')" 200 "a row that is not sensitive is not watched"
watcher '["$1/$2/$3"]'
run "$H" '{"key":"RISKY","body":"x"}' >/dev/null
owner GET '/api/dispatch?ledger=1&key=WATCHER&limit=1' >/dev/null
owner GET "/api/dispatch?receipt=$(jq_get '.rows[0].invocation_id')" >/dev/null
is "$(jq_get .actor,.output | tr '\n' ' ')" "service:watcher RISKY/cap:$HF/x " "it is told the row, the caller and the arguments, and leaves a receipt"
watcher '["ALLOW"]'

# Rules.
rule '{"key_pattern":"RIS*","decision":"deny","reason":"not today"}'
is "$(status)" 201 "a rule is added"
mint '{"scope":"act","risk_ceiling":"high"}'     # the first token's denials of this second are gathered into one receipt
is "$(run "$T" '{"key":"RISKY","body":"x"}'),$(jq_get .error)" '403,watcher_denied:not today' "it denies the rows that it fits"
is "$(run "$H" '{"key":"OTHER","body":"x"}')" 200 "… and no others"
owner GET "/api/dispatch?ledger=1&key=RISKY&actor=cap:$F&limit=1" >/dev/null
is "$(jq_get '.rows[0] | .outcome + " " + .reason')" 'denied watcher_denied:not today' "the denial has a receipt"
drop "$R"
is "$(run "$H" '{"key":"RISKY","body":"x"}')" 200 "without the rule it runs"
rule '{"key_pattern":"*","body_pattern":"delete|drop","decision":"deny","reason":"words","rank":10}'; A=$R
rule '{"key_pattern":"RISKY","decision":"allow","rank":5}'; B=$R
is "$(run "$H" '{"key":"OTHER","body":"please drop it"}'),$(jq_get .error)" 403,watcher_denied:words "a rule looks into the arguments"
is "$(run "$H" '{"key":"OTHER","body":"please keep it"}')" 200 "… and passes what it does not find there"
is "$(run "$H" '{"key":"RISKY","body":"drop"}')" 200 "the lower rank decides"
owner GET /api/watch >/dev/null
is "$(jq_get '[.rules[].rank] | tojson')" '[5,10]' "rules are listed in their order"
drop "$A"; drop "$B"
bad() { owner POST /api/watch "$1" >/dev/null; is "$(status),$(jq_get .error),$(jq_get .field)" "422,bad_field,$2" "refused: $1"; }
bad '{"decision":"deny"}' key_pattern
bad '{"key_pattern":"*"}' decision
bad '{"key_pattern":"*","decision":"maybe"}' decision
bad '{"key_pattern":"*","decision":"deny","body_pattern":"("}' body_pattern
bad '{"key_pattern":"*","decision":"deny","rank":-1}' rank
bad "{\"key_pattern\":\"$(head -c 257 /dev/zero | tr '\0' x)\",\"decision\":\"deny\"}" key_pattern
owner DELETE /api/watch/wr_0000000000000000000000000 >/dev/null
is "$(status),$(jq_get .error)" 404,watch_rule_not_found "a rule that is not there"
is "$(api GET /api/watch >/dev/null; status)" 401 "the rules are the owner's"
owner GET '/api/events?limit=1000' >/dev/null
is "$(jq_get '[.events[] | select(.action == "WATCH_RULE") | .operation] | group_by(.) | map({key: .[0], value: length}) | from_entries | tojson')" '{"create":3,"delete":3}' "rules are events"

# Held calls.
rule '{"key_pattern":"RISKY","decision":"hold","reason":"ask first"}'
is "$(run "$H" '{"key":"RISKY","args":["a|b"]}')" 202 "a rule holds a call"
P=$(jq_get .approval)
is "$(jq_get '.held,.ran,.error' | tr '\n' ' ')" 'true false null ' "it has not run, and that is no error"
like "$P" '^apr_[0-9a-z]{26}$' "it can be looked up"
api GET "/api/approvals/$P" '' -H "authorization: Bearer $H" >/dev/null
is "$(jq_get '.state,.reason,.input' | tr '\n' ' ')" 'pending ask first null ' "the caller sees its state"
mint '{"scope":"act","risk_ceiling":"high"}'
api GET "/api/approvals/$P" '' -H "authorization: Bearer $T" >/dev/null
is "$(status),$(jq_get .error)" 404,approval_not_found "another token does not"
api POST "/api/approvals/$P" '{"decision":"approve"}' -H "authorization: Bearer $H" >/dev/null
is "$(status)" 401 "the caller cannot approve itself"
is "$(decide "$P" maybe)" 422 "a decision is approve or deny"
is "$(decide "$P" approve),$(jq_get '.ok,.result,.state' | tr '\n' ' ')" '200,true a|b ran ' "approved, it runs as held"
I=$(jq_get .invocation_id)
is "$(decide "$P" approve),$(jq_get .error)" 409,approval_decided:ran "… once"
api GET "/api/approvals/$P" '' -H "authorization: Bearer $H" >/dev/null
is "$(jq_get .state,.invocation_id | tr '\n' ' ')" "ran $I " "the caller finds its receipt"
api GET "/api/dispatch?receipt=$I" '' -H "authorization: Bearer $H" >/dev/null
is "$(jq_get .actor,.output | tr '\n' ' ')" "cap:$HF a|b " "… which is its own"
run "$H" '{"key":"RISKY","body":"x"}' >/dev/null; P=$(jq_get .approval)
is "$(decide "$P" deny),$(jq_get .state)" 200,denied "a held call is denied"
is "$(decide "$P" approve),$(jq_get .error)" 409,approval_decided:denied "… for good"
run "$H" '{"key":"RISKY","body":"x"}' >/dev/null; P=$(jq_get .approval)
row RISKY "{\"type\":\"fn\",\"target\":\"upper\",\"sensitive\":1,\"content\":\"# WHAT: y\",$schema,\"examples\":[\"x\"]}"
is "$(decide "$P" approve)" 409 "a row that has changed since does not run"
like "$(jq_get .error)" '^contract_changed:' "… and says so"
run "$H" '{"key":"RISKY","body":"x"}' >/dev/null; P=$(jq_get .approval)
owner DELETE "/api/tokens/$HF" >/dev/null
is "$(decide "$P" approve),$(jq_get .error)" 401,revoked "a token that was revoked since does not run"
owner GET /api/approvals >/dev/null
is "$(jq_get '.approvals | map(.state) | tojson')" '["pending","pending","denied","ran"]' "the owner sees them all, newest first"
owner GET '/api/events?limit=1000' >/dev/null
is "$(jq_get '[.events[] | select(.action == "APPROVAL") | .operation] | tojson')" '["approve","deny"]' "decisions are events"
drop "$R"

# A token whose every call waits.
mint '{"scope":"act","owner_gate":"hold","uses":1}'
is "$(run "$T" '{"key":"COUNT","body":"k|1"}')" 202 "a token with that gate is held on any row"
P=$(jq_get .approval)
owner GET "/api/tokens/$F" >/dev/null
is "$(jq_get .uses_left)" 1 "a held call takes no use"
for i in 1 2 3 4 5 6; do curl -sk "$BASE/api/approvals/$P" -H "x-terminal-key: $KEY" -H 'content-type: application/json' -d '{"decision":"approve"}' -o "$TMP/both.$i" & pids="${pids-} $!"; done
# shellcheck disable=SC2086
wait $pids
# Who comes late is told of the decision, or that the token has no use left.
is "$(jq -r '.error // .state' "$TMP"/both.* | sed 's/approval_decided:.*\|token_exhausted/late/' | sort | uniq -c | tr -s ' ' | tr '\n' ';')" ' 5 late; 1 ran;' "approved six times at once it runs once"
owner GET '/api/dispatch?ledger=1&key=COUNT' >/dev/null
is "$(jq_get '[.rows[] | select(.ok)] | length')" 1 "… with one receipt"
row STEPS '{"type":"flow","content":"# WHAT: x\nUPPER: $1 > ECHO: $PREV","examples":["x"]}'
mint '{"scope":"act","owner_gate":"hold"}'
run "$T" '{"key":"STEPS","body":"a"}' >/dev/null; P=$(jq_get .approval)
is "$(decide "$P" approve),$(jq_get .result)" 200,A "an approved flow runs its steps"
rule '{"key_pattern":"OTHER","decision":"hold"}'
row INNER '{"type":"flow","content":"# WHAT: x\nOTHER: $1 > ECHO: $PREV","examples":["x"]}'
owner POST /api/dispatch '{"key":"INNER","body":"a"}' >/dev/null
like "$(jq_get .result)" '^ERR:held:apr_[0-9a-z]{26}$' "a step that is held ends its flow"
is "$(jq_get '.ok,.ran,.proof.ok' | tr '\n' ' ')" 'false true false ' "… which has run, and without success"
P=$(jq_get '.result[9:]') I=$(jq_get .invocation.id) trace=$(jq_get .trace)
owner GET "/api/dispatch?receipt=$I" >/dev/null
is "$(jq_get '.status + " " + .output')" "PROVEN_ATTEMPT_NO_MATERIAL_RESULT ERR:held:$P" "its receipt says the same"
owner GET "/api/dispatch?ledger=1&trace=$trace" >/dev/null
is "$(jq_get '[.rows[] | .key + ":" + .outcome] | join(" ")')" INNER:error "neither the held step nor the one behind it has run"
owner GET "/api/approvals/$P" >/dev/null
is "$(jq_get '.state,.key,.input,.parent' | tr '\n' ' ')" "pending OTHER a $I " "the approval names the step and its flow"
is "$(decide "$P" approve),$(jq_get .result)" 200,A "approved, the step alone runs"
step=$(jq_get .invocation_id)
owner GET "/api/dispatch?receipt=$step" >/dev/null
is "$(jq_get .parent)" "$I" "… as a child of the flow"
owner GET '/api/dispatch?ledger=1&key=INNER' >/dev/null
is "$(jq_get .count)" 1 "… which does not run again"
row BRANCHES '{"type":"flow","content":"# WHAT: x\n{ OTHER: a | UPPER: b }","examples":["x"]}'
owner POST /api/dispatch '{"key":"BRANCHES","body":""}' >/dev/null
like "$(jq_get '.result | gsub("\n"; " ")')" '^\[1\] OTHER ERR:held:apr_[0-9a-z]{26}  \[2\] UPPER B$' "a branch that is held leaves the other alone"
# What belongs to the outer call alone does not stand against a step of it.
mint '{"scope":"rows:INNER,OTHER,ECHO","risk_ceiling":"high","uses":1,"max_body_bytes":1,"body_fixed":"b"}'
run "$T" '{"key":"INNER","body":""}' >/dev/null
P=$(jq_get '.result[9:]')
is "$(decide "$P" approve),$(jq_get .result)" 200,B "a step of a token without uses left runs when it is approved"
owner POST /api/dispatch '{"key":"INNER","body":"a"}' >/dev/null
P=$(jq_get '.result[9:]')
owner DELETE /api/directory/OTHER >/dev/null
is "$(decide "$P" approve),$(jq_get .error)" 404,unknown_key "a row that is gone does not run"
row OTHER "{\"type\":\"fn\",\"target\":\"upper\",\"sensitive\":1,\"content\":\"# WHAT: x\",$schema,\"examples\":[\"x\"]}"
is "$(decide "$P" approve),$(jq_get .error)" 409,row_replaced:OTHER "nor does another row of its name, to the letter the same"
owner GET "/api/approvals/$P" >/dev/null
is "$(jq_get '.state,.invocation_id' | tr '\n' ' ')" 'pending null ' "… and nothing is decided by that"
printf 'HELD_CANARY=held-canary-secret\n' >>"$DIR/secrets.env"
owner POST /api/dispatch '{"key":"OTHER","body":"held-canary-secret"}' >/dev/null
is "$(status),$(jq_get .error)" 422,secret_in_input "a call with a secret in its arguments does not wait"
done_testing
