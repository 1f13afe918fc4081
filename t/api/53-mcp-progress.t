#!/bin/sh
# Progress of MCP calls: the steps of flows and agents in a stream before the result, and what becomes of a call whose client leaves.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

chat_start
upstream_start
mkdir -p "$TMP/instance"
cat >"$TMP/instance/rowcall.conf" <<EOF
data_dir = .
run_dir = run
secrets_file = secrets.env

[model "*"]
base_url = http://$CHAT/v1
EOF
rc_start --workers 1 --set max_streams=2 --allow-upstream "$CHAT" --allow-upstream "$UPSTREAM" || bail "the service did not start"

V=2026-07-28
STD='"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}'
# call NAME TOOL META [CURL-OPTION…]: a call with these members of _meta, in the background: its answer in $TMP/NAME and $TMP/NAME.head, its process in $PID.
call()
{
	cl_out=$TMP/$1 cl_tool=$2 cl_meta=$3
	shift 3
	: >"$cl_out"
	curl -sSN --cacert "$CACERT" -D "$cl_out.head" -o "$cl_out" -H 'content-type: application/json' -H "x-terminal-key: $KEY" --data-binary \
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"$cl_tool\",\"arguments\":{},\"_meta\":{$cl_meta}}}" "$@" "$BASE/mcp" 2>/dev/null &
	PID=$!
	extra_pids="${extra_pids:-} $PID"
}
modern() { md_name=$1 md_tool=$2 md_meta=$3; shift 3; call "$md_name" "$md_tool" "$STD$md_meta" -H "mcp-protocol-version: $V" -H 'mcp-method: tools/call' -H "mcp-name: $md_tool" "$@"; }
EVENTS='accept: application/json, text/event-stream'
type_of() { tr -d '\r' <"$TMP/$1.head" | sed -n 's/^content-type: //Ip'; }
messages() { sed -n 's/^data: //p' "$TMP/$1"; }
progress() { messages "$1" | jq -r 'select(.method == "notifications/progress") | .params | [.progressToken,.progress,.total,.message] | map(tostring) | join(",")' | tr '\n' ';'; }
result() { messages "$1" | tail -1 | jq -r '.result.content[0].text'; }
until_in() { for _ in $(seq 300); do grep -q -- "$2" "$TMP/$1" && return 0; sleep 0.1; done; return 1; }
runs() { owner GET "/api/dispatch?ledger=1&key=$1&limit=100" >/dev/null; jq_get '.rows | length'; }
until_ran() { for _ in $(seq 300); do [ "$(runs "$1")" -gt 0 ] && return 0; sleep 0.1; done; return 1; }
# output KEY: what the newest receipt of the row says of the result.
output() { runs "$1" >/dev/null; owner GET "/api/dispatch?receipt=$(jq_get '.rows[0].invocation_id')" >/dev/null; jq_get .output; }
put() { owner PUT "/api/directory/$1" "$2" >/dev/null; case $(status) in 200|201) ;; *) diag "$1: $(cat "$BODY")" ;; esac; }
flow() { put "$1" "$(jq -nc --arg c "# WHAT: steps
$2" '{type:"flow",content:$c,examples:["x"]}')"; }

put SECRET_STEP '{"type":"fn","target":"echo","content":"# WHAT: x","examples":["x"],"planner_visible":0}'
put WAIT "{\"type\":\"http\",\"target\":\"GET http://$UPSTREAM/hang\",\"content\":\"# WHAT: x\",\"examples\":[\"x\"]}"
put NAP "{\"type\":\"http\",\"target\":\"GET http://$UPSTREAM/slow/1500\",\"content\":\"# WHAT: x\",\"examples\":[\"x\"]}"
flow STEPS 'SECRET_STEP: canary-of-a-step > { ECHO: b | ECHO: c } > UPPER: end'
flow STUCK 'ECHO: a > WAIT: > SECRET_STEP: never'
flow SLOW 'ECHO: a > NAP: > UPPER: done'
put AGENT '{"type":"agent","target":"m","content":"You are a test.\nSCRIPT\n[ECHO]one[/ECHO] [ECHO]two[/ECHO]\n--\nIt is done.","allowed_categories":"*"}'

# Steps
modern flow STEPS ',"progressToken":"tok-1"' -H "$EVENTS"; wait "$PID"
is "$(type_of flow)" "text/event-stream" "a flow whose caller wants to hear of its progress answers with events"
is "$(progress flow)" "tok-1,1,3,step 1 of 3;tok-1,2,3,step 2 of 3;tok-1,3,3,step 3 of 3;" "one for each step, in order, with how many there are"
is "$(messages flow | tail -1 | jq -c '[.id,.result.resultType]') $(result flow)" '[1,"complete"] END' "and then the result"
unlike "$(cat "$TMP/flow")" 'canary|SECRET_STEP' "what the steps are, and give, is not told"
modern number STEPS ',"progressToken":7' -H "$EVENTS"; wait "$PID"
is "$(messages number | head -1 | jq -c .params.progressToken)" 7 "a token that is a number comes back as one"
call old STEPS '"progressToken":"t"' -H "$EVENTS"; wait "$PID"
is "$(progress old)" "t,1,3,step 1 of 3;t,2,3,step 2 of 3;t,3,3,step 3 of 3;" "clients of the older versions hear the same"
is "$(result old)" END "and have the same result"
modern agent AGENT ',"progressToken":"a"' -H "$EVENTS"; wait "$PID"
like "$(progress agent)" '^a,1,null,step 1;a,2,null,step 2;' "of an agent nobody knows how many there will be"
is "$(result agent)" "It is done." "it has its result too"

# When there is no stream
modern plain STEPS ',"progressToken":"p"'; wait "$PID"
is "$(type_of plain) $(jq -r '.result.content[0].text' "$TMP/plain")" "application/json END" "who does not take events has JSON"
modern any STEPS ',"progressToken":"p"' -H 'accept: */*'; wait "$PID"
is "$(type_of any)" "application/json" "so has who takes anything"
modern untold STEPS '' -H "$EVENTS"; wait "$PID"
is "$(type_of untold)" "application/json" "and who does not ask"
modern quick ECHO ',"progressToken":"p"' -H "$EVENTS"; wait "$PID"
is "$(type_of quick)" "application/json" "what has no steps answers as always"
modern nothing NO_SUCH ',"progressToken":"p"' -H "$EVENTS"; wait "$PID"
is "$(jq -c .error.code "$TMP/nothing")" -32602 "what is not there too"

# A client that leaves
before=$(runs SECRET_STEP)
modern stuck STUCK ',"progressToken":"s"' -H "$EVENTS"
stuck=$PID
ok "a call waits for an upstream" until_in stuck 'step 1 of 3'
i=0; until grep -q hang "$UPSTREAM_LOG" || [ $i -gt 100 ]; do sleep 0.1; i=$((i + 1)); done
kill "$stuck"; wait "$stuck"
ok "its client leaves, and the call has ended" until_ran STUCK
like "$(output STUCK)" '^ERR:http:fetch:127.0.0.1: cancelled' "its receipt says that it was broken off"
like "$(output WAIT)" '^ERR:http:fetch:127.0.0.1: cancelled' "so does that of the step that was under way"
is "$(runs STUCK) $(runs WAIT) $(runs SECRET_STEP) $(grep -c hang "$UPSTREAM_LOG")" "1 1 $before 1" "nothing was run again, and nothing more"
call slow SLOW '"progressToken":"s"' -H "$EVENTS"
slow=$PID
ok "an older client's call is under way" until_in slow 'step 1 of 3'
kill "$slow"; wait "$slow"
ok "its leaving is no cancelling" until_ran SLOW
is "$(output SLOW)" DONE "the call runs to its end"

# How many
modern one SLOW ',"progressToken":1' -H "$EVENTS"; one=$PID
modern two SLOW ',"progressToken":2' -H "$EVENTS"; two=$PID
until_in one 'step 1'; until_in two 'step 1'
modern three SLOW ',"progressToken":3' -H "$EVENTS"; wait "$PID"
is "$(type_of three) $(jq -r '.result.content[0].text' "$TMP/three")" "application/json DONE" "a call for which there is no room runs and has JSON"
wait "$one"; wait "$two"
is "$(result one) $(result two)" "DONE DONE" "the others have theirs"

# A reload
modern over SLOW ',"progressToken":"o"' -H "$EVENTS"
over=$PID
until_in over 'step 1'
kill -HUP "$MASTER"
wait "$over"
is "$(progress over | tr ';' '\n' | grep -c ,) $(result over)" "3 DONE" "a reload lets a call go on to its end"
done_testing
