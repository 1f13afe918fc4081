#!/bin/sh
# Flows: what steps hand on, side by side, choices, errors, budget, receipts, the plan of a dry run.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

upstream_start
rc_start --allow-upstream "$UPSTREAM" --set upstream_timeout=5s --set max_upstream_body=10K --set flow_branches=12 || bail "the service did not start"
U=http://$UPSTREAM

# flow KEY CONTENT: writes a flow row; the status of the answer.
flow()
{
	owner PUT "/api/directory/$1" "$(jq -nc --arg c "# WHAT: a flow of the test
$2" '{type:"flow",content:$c,examples:["x"]}')" >/dev/null
	status
}
# row KEY TARGET [CONTENT]: an http row.
row() { owner PUT "/api/directory/$1" "$(jq -nc --arg t "$2" --arg c "# WHAT: a row of the test
${3-}" '{type:"http",target:$t,content:$c,examples:["x"]}')" >/dev/null; }
fn() { owner PUT "/api/directory/$1" "$(jq -nc --arg t "$2" --arg c "# WHAT: a row of the test
$3" '{type:"fn",target:$t,content:$c,examples:["x"]}')" >/dev/null; }
call() { owner POST /api/dispatch "$(jq -nc --arg k "$1" --arg b "${2-}" '{key:$k,body:$b}')" >/dev/null; jq_get .result; }
ledger() { owner GET "/api/dispatch?ledger=1&limit=100&$1" >/dev/null; }

# The language at the write.
is "$(flow F_BAD 'UPPER: $1
> just words')" 422 "a flow with a step that has no colon is refused at the write"
is "$(jq_get .error),$(jq_get .field)" bad_flow,content "… as bad_flow of the content"
like "$(jq_get .detail)" '^line 3, column 3: ' "… with its line and column in the content"
is "$(owner GET /api/directory/F_BAD >/dev/null; status)" 404 "… and nothing is stored"
is "$(flow F_BAD 'UPPER: "$1')" 422 "an open quote is refused"

# Steps.
fn TWO echo '["$1/$2/$3"]'
is "$(flow F1 'UPPER: $1 > TWO: x|$2|$PREV')" 201 "a flow is stored"
is "$(call F1 'a|b')" x/b/A "its steps run in order, and \$PREV is what came before"
is "$(call F1 'a|b|c')" x/b/A "extra arguments are dropped"
owner POST /api/dispatch '{"key":"F1","args":["p|q","r|s"]}' >/dev/null
is "$(jq_get .result)" 'x/r|s/P|Q' "a pipe in an argument or in \$PREV shifts nothing"
fn FOUR echo '["$1/$2/$3/$4"]'
flow F2 'ECHO: $1 > FOUR: $$PREV|end' >/dev/null
owner POST /api/dispatch '{"key":"F2","args":["p|q"]}' >/dev/null
is "$(jq_get .result)" p/q/end/ "\$\$PREV is split at its pipes"
flow F3 'ECHO: $1 => A > UPPER: $A => B > FOUR: $A|$B|$PREV|$C' >/dev/null
is "$(call F3 x)" 'x/X/X/$C' "bindings are known to later steps, unknown names stay"
flow F4 'FOUR: $1+' >/dev/null
is "$(call F4 'a|b|c|d')" a/b/c/d "\$N+ hands the arguments on apart"
flow F5 'ECHO: "$1 > x | y"' >/dev/null
is "$(call F5 v)" '"v > x | y"' "inside quotes all separators are text"

# Side by side.
row SLOW "GET $U/slow/\$1"
flow B1 '{ SLOW: 300 => P | SLOW: 301 => Q } > ECHO: $P and $Q' >/dev/null
owner POST /api/dispatch '{"key":"B1","body":""}' >/dev/null
is "$(jq_get .result)" 'HTTP 200:{"slow":300} and HTTP 200:{"slow":301}' "branches bind their outputs"
ledger "trace=$(jq_get .trace)&key=SLOW"
is "$(jq_get .count)" 2 "two branches have two receipts"
is "$(jq_get '[.rows[] | ((.time | sub("\\.[0-9]+Z$"; "Z") | fromdateiso8601) * 1000 + (.time | capture("\\.(?<ms>[0-9]+)Z$").ms | tonumber)) as $e | {e: $e, b: ($e - .duration_ms)}] | ([.[].b] | max) < ([.[].e] | min)')" true "each began before the other had ended"
flow B2 '{ SLOW: 200 | UPPER: x | SLOW: 1 }' >/dev/null
is "$(call B2)" '[1] SLOW
HTTP 200:{"slow":200}

[2] UPPER
X

[3] SLOW
HTTP 200:{"slow":1}' "the outputs stand in the order written, whatever ends first"

# A fan-out of ten: one fails, one hangs, one is over the cap.
row HANG "GET $U/hang"
row FAILS "GET $U/status/500"
row BIG "GET $U/big/20000"
flow FAN '{ UPPER: a | UPPER: b | FAILS: | HANG: | BIG: | UPPER: f | UPPER: g | UPPER: h | UPPER: i | UPPER: j }' >/dev/null
owner POST /api/dispatch '{"key":"FAN","body":""}' >/dev/null
jq_get .result >"$TMP/fan"
id=$(jq_get .invocation.id) trace=$(jq_get .trace)
is "$(grep -c '^\[[0-9]*\] ' "$TMP/fan")" 10 "a fan-out of ten has ten blocks"
is "$(grep -A1 '^\[3\]' "$TMP/fan" | tail -1)" 'ERR:http:500:{"status":500}' "… the third says that it failed"
like "$(grep -A1 '^\[4\]' "$TMP/fan" | tail -1)" '^ERR:http:fetch:.*time' "… the fourth that it took too long"
like "$(cat "$TMP/fan")" '\[cut at 10240 bytes\]' "… the fifth that it was cut"
is "$(grep -A1 '^\[10\]' "$TMP/fan" | tail -1)" J "… and the tenth ran"
is "$(jq_get .ok)" true "… so the flow as a whole went on"
ledger "trace=$trace"
is "$(jq_get .count)" 11 "ten receipts and the flow's own are in its trace"
is "$(jq_get "[.rows[] | select(.parent == \"$id\")] | length")" 10 "… all ten are children of the flow's"
is "$(jq_get '[.rows[] | select(.parent != null and (.ok | not)) | .key] | sort | join(",")')" FAILS,HANG "… and say which failed"

# Choices.
flow C1 '?: JSON_GET: /ok|$1 > ECHO: yes $1 | ECHO: no' >/dev/null
is "$(call C1 '{"ok":true}')" 'yes {"ok":true}' "a test that holds something takes the first"
for v in false 0 '""' null '[]' '{}'; do is "$(call C1 "{\"ok\":$v}")" no "… $v takes the second"; done
flow C2 '?: ECHO: $1 > UPPER: x > ECHO: end $PREV' >/dev/null
is "$(call C2 y)" 'end X' "without a second, yes takes the first"
is "$(call C2 '')" 'end ' "… and no goes on with the test's output"

# Errors.
flow E1 'ECHO: 1 > FAILS: > UPPER: never' >/dev/null
is "$(call E1)" 'ERR:http:500:{"status":500}' "a step's error stops the flow and is its result"
is "$(jq_get .ok)" false "… which is not ok"
trace=$(jq_get .trace); ledger "trace=$trace"
is "$(jq_get '[.rows[].key] | sort | join(",")')" E1,ECHO,FAILS "… and later steps have not run"
flow E2 'ECHO: 1 > NO_SUCH_ROW: x' >/dev/null
is "$(call E2)" ERR:flow:NO_SUCH_ROW:unknown_key "an unknown row is told"
owner PUT /api/directory/OWNERS '{"type":"fn","target":"echo","sensitive":1,"content":"# WHAT: x","input_schema":"{\"type\":\"object\"}","examples":["x"]}' >/dev/null
flow E3 'OWNERS: x' >/dev/null
is "$(call E3)" x "a sensitive step runs for the owner"

# Budget.
flow L1 'ECHO: x > L1: y' >/dev/null
owner POST /api/dispatch '{"key":"L1","body":""}' >/dev/null
is "$(status),$(jq_get .error),$(jq_get .ran)" 422,budget_exceeded:depth:8,false "a flow that calls itself is refused"
flow LA 'ECHO: x > LB: y' >/dev/null
flow LB 'LA: y' >/dev/null
owner POST /api/dispatch '{"key":"LA","body":""}' >/dev/null
is "$(jq_get .error)" budget_exceeded:depth:8 "… and so is a cycle of two"
ledger "key=ECHO&limit=1"; before=$(jq_get '.rows[0].id')
owner POST /api/dispatch '{"key":"LA","body":""}' >/dev/null
ledger "key=ECHO&limit=1"
is "$(jq_get '.rows[0].id')" "$before" "… before anything has fired"
steps() { awk -v n="$1" 'BEGIN { for (i = 1; i <= n; i++) printf "%sECHO: %d", (i > 1 ? " > " : ""), i }'; }
flow S63 "$(steps 63)" >/dev/null
is "$(call S63)" 63 "63 steps and the flow itself are 64: they run"
flow S64 "$(steps 64)" >/dev/null
owner POST /api/dispatch '{"key":"S64","body":""}' >/dev/null
is "$(status),$(jq_get .error)" 422,budget_exceeded:steps:64 "64 steps beside it are refused"
flow W20 "{ $(awk 'BEGIN { for (i = 0; i < 20; i++) printf "%sW1:", (i ? " | " : "") }') }" >/dev/null
flow W1 "{ $(awk 'BEGIN { for (i = 0; i < 20; i++) printf "%sUPPER: x", (i ? " | " : "") }') }" >/dev/null
owner POST /api/dispatch '{"key":"W20","body":""}' >/dev/null
is "$(jq_get .error)" budget_exceeded:steps:64 "a fan-out of fan-outs over the budget is refused as a whole"

# The plan of a dry run.
n=$(upstream_count)
flow P1 'SLOW: $1 => S > { UPPER: $S | TWO: a||$PREV }' >/dev/null
owner POST /api/dispatch '{"key":"P1","body":"7","shape":true}' >/dev/null
is "$(jq_get .kind)" shaped_dry_run "a dry run of a flow"
is "$(jq_get '[.shaped.plan[] | .step] | join(",")')" call,block "… shows its plan"
is "$(jq_get '.shaped.plan[0].calls[0].shape.url')" "$U/slow/7" "… with the request that a step would send"
is "$(jq_get '.shaped.plan[1].calls[1].args | join("/")')" 'a/$PREV' "… what is not known yet stands by its name"
is "$(upstream_count)" "$n" "… and nothing was sent"
like "$(owner GET '/api/dispatch?key=P1&format=markdown')" 'flow' "a flow has a contract document"

done_testing
