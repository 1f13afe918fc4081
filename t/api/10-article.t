#!/bin/sh
# The article's five steps, its fingerprint measurements and its failure table, through real nginx and TLS with curl.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

upstream_start
rc_start --allow-upstream "$UPSTREAM" || bail "the service did not start"

row() { jq -nc --arg t "GET http://$UPSTREAM/v1/forecast?latitude=\$1&longitude=\$2&current=temperature_2m" '{
	key: "ZZ_TEST_TEMPERATURE", type: "http", target: $t, auth: "",
	content: "# WHAT: Current temperature in Celsius for one latitude and longitude, from the Open-Meteo public API.\n# WHEN_TO_USE: a capability needs the live temperature at a coordinate.\n# ARGS: $1=latitude | $2=longitude\n# EX: [ZZ_TEST_TEMPERATURE]37.77|-122.42[/ZZ_TEST_TEMPERATURE]\n# OUTPUT: JSON with current.temperature_2m",
	category: "tools", enabled: 1, planner_visible: 1, examples: "[\"37.77|-122.42\"]"}'; }
call='{"key":"ZZ_TEST_TEMPERATURE","body":"37.77|-122.42"}'
Z=/api/directory/ZZ_TEST_TEMPERATURE

# The five steps.
api POST /api/directory "$(row)" >/dev/null
is "$(status)" 401 "without the owner's key a write is 401"
is "$(jq -c '{error}' "$BODY")" '{"error":"unauthorized"}' "… and says unauthorized"
owner POST /api/directory "$(row)" >/dev/null
is "$(status)" 201 "POST creates the row with 201"
like "$(cat "$BODY")" '^\{"ok":true,"key":"ZZ_TEST_TEMPERATURE","updated_at":"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z"' "… and answers ok, key, updated_at in that order"
owner POST /api/dispatch "$call" >/dev/null
is "$(status)" 200 "the row is callable at once"
is "$(jq_get .ok),$(jq_get .ran),$(jq_get .kind)" true,true,invocation_result "… it ran and says so"
like "$(jq_get .result)" '^HTTP 200:\{.*"temperature_2m":15\.7\}\}$' "… with the upstream's answer"
like "$(tail -1 "$UPSTREAM_LOG")" '^GET /v1/forecast\?latitude=37\.77&longitude=-122\.42&current=temperature_2m$' "… the URL was built from the two arguments"
INV=$(jq_get .proof.invocation_id)
like "$INV" '^inv_[0-9a-z]{26}$' "… the receipt has an id"
is "$(jq_get .invocation.actor),$(jq_get .invocation.runner),$(jq_get .invocation.material),$(jq_get .invocation.cost_usd)" owner:terminal-key,http,true,0 "… and actor, runner, material, cost"
is "$(jq -r '.invocation.fingerprints|[.input,.output,.contract]|map(length)|join(",")' "$BODY")" 64,64,64 "… and three SHA-256 fingerprints"
is "$(jq_get .proof.public_receipt)" "$BASE/receipt/$INV" "… and a public address"
is "$(jq_get .invocation.fingerprints.input)" "$(printf '37.77|-122.42' | sha256sum | cut -d' ' -f1)" "the input fingerprint is that of the argument string"
api GET "/api/dispatch?confirm=$INV" >/dev/null
is "$(jq_get .confirmed),$(jq_get .status)" true,PROVEN_MATERIAL_RESULT "anybody may confirm the receipt"
unlike "$(cat "$BODY")" 'temperature|37\.77' "… which shows no payload"
owner DELETE $Z >/dev/null
is "$(jq -c '{ok,key,deleted}' "$BODY")" '{"ok":true,"key":"ZZ_TEST_TEMPERATURE","deleted":1}' "DELETE removes the row"
owner GET $Z >/dev/null
is "$(status)" 404 "… it is gone"
api GET "/api/dispatch?confirm=$INV" >/dev/null
is "$(jq_get .confirmed)" true "… and the receipt still confirms"
api GET "/receipt/$INV" >/dev/null
is "$(status)" 200 "… as does its page"

# The fingerprint measurements.
owner POST /api/directory "$(row)" >/dev/null
contract() { owner POST /api/dispatch "$call" >/dev/null; jq_get .invocation.fingerprints.contract; }
one=$(contract)
owner PATCH $Z '{"examples":"[\"51.51|-0.13\"]"}' >/dev/null
is "$(status)" 200 "examples can be edited"
is "$(contract)" "$one" "examples edited: the contract digest is identical"
owner PATCH $Z "$(jq -nc --arg t "GET http://$UPSTREAM/v1/forecast?latitude=\$1&longitude=\$2&current=temperature_2m,wind_speed_10m" '{target:$t}')" >/dev/null
isnt "$(contract)" "$one" "target edited: the contract digest differs"
owner PATCH $Z '{"content":"# WHAT: another line"}' >/dev/null
two=$(contract)
isnt "$two" "$one" "docstring edited: the contract digest differs"

# The failure table, string for string.
put() { owner PUT "/api/directory/$1" "$2" >/dev/null; }
result() { owner POST /api/dispatch "$(jq -nc --arg k "$1" --arg b "${2-}" '{key:$k,body:$b}')" >/dev/null; jq_get .result; }
fn() { jq -nc --arg t "$1" --arg c "# WHAT: a row of the failure table
$2" '{type:"fn",target:$t,content:$c,examples:"[\"x\"]"}'; }
http() { jq -nc --arg t "$1" --arg a "$2" '{type:"http",target:$t,auth:$a,content:"# WHAT: a row of the failure table",examples:"[\"x\"]"}'; }

owner POST /api/dispatch '{"key":"ZZ_TEST_TEMPERATUR"}' >/dev/null
is "$(status),$(jq -c '{error,attempted,ran}' "$BODY")" '404,{"error":"unknown_key","attempted":"ZZ_TEST_TEMPERATUR","ran":false}' "unknown key: nothing ran"
is "$(jq_get '.did_you_mean[0].key')" ZZ_TEST_TEMPERATURE "… and the near one is suggested"
put T_FN "$(fn no_such_function '')"
is "$(result T_FN)" ERR:fn:unknown_target:no_such_function "unknown function"
put T_FN "$(fn echo '["$1",]')"
like "$(result T_FN x)" '^ERR:fn:bad_content_json:.+' "template that is no JSON"
put T_FN "$(fn echo '{"a":"$1"}')"
is "$(result T_FN x)" ERR:fn:content_not_array "template that is no array"
put T_HTTP "$(http "GET http://$UPSTREAM/echo" bearer:NO_SUCH_VARIABLE)"
owner POST /api/dispatch '{"key":"T_HTTP","shape":true}' >/dev/null
is "$(jq -c '[.. | objects | select(has("headers")) | .headers][0]' "$BODY")" '{}' "missing variable: shape shows \"headers\":{}"
like "$(cat "$BODY")" 'credential_missing:NO_SUCH_VARIABLE|"credential_missing":"?\[?"?NO_SUCH_VARIABLE' "… and names the variable"
# An auth form that is refused at the write reaches the runner only in a row that is older than the rule.
put T_HTTP "$(http "GET http://$UPSTREAM/echo" apikey:X)"
is "$(status)" 422 "unknown auth prefix is refused at the write"
like "$(cat "$BODY")" 'ERR:auth:unknown_prefix:apikey' "… with the literal reason"
put T_HTTP "$(http "GET http://$UPSTREAM/status/401" '')"
is "$(result T_HTTP)" 'ERR:http:401:{"status":401}' "upstream refuses"
for _ in 2 3 4 5 6 7 8; do result T_HTTP >/dev/null; done
n=$(upstream_count)
is "$(result T_HTTP)" 'ERR:breaker_open:T_HTTP — 8 consecutive auth failures; credential is dead until replaced.' "the breaker opens after 8 refusals"
is "$(upstream_count)" "$n" "… and the upstream is not called"
owner DELETE /api/breakers/T_HTTP >/dev/null
is "$(status)" 200 "… until it is reset"
is "$(result T_HTTP)" 'ERR:http:401:{"status":401}' "… then it is called again"
put T_DEAD "$(http 'GET http://rowcall-no-such-host.invalid/x?key=canary' '')"
like "$(result T_DEAD)" '^ERR:http:fetch:.*rowcall-no-such-host\.invalid' "unreachable host"
unlike "$(jq_get .result)" canary "… without the query"
put T_ARGS "$(http "GET http://$UPSTREAM/echo?latitude=\$1&longitude=\$2&x=1" '')"
like "$(result T_ARGS 5)" 'latitude=5&longitude=&x=1' "missing argument: an empty slot"
like "$(result T_ARGS '5|6|7')" 'latitude=5&longitude=6&x=1' "extra arguments are dropped"
owner PATCH $Z '{"content":""}' >/dev/null
is "$(status),$(jq_get .error),$(jq_get .state_changed)" '422,registry_hygiene_refused: missing_description,false' "blank content is refused"
like "$(jq_get .how_to_fix)" '^content \(the docstring' "… and how to fix it is said"
owner PUT $Z "$(row | jq -c '.sensitive=1|del(.key)')" >/dev/null
is "$(jq_get .error)" 'registry_hygiene_refused: high_risk_missing_schema' "sensitive without a schema is refused"
owner PATCH $Z '{"runner":"edge"}' >/dev/null
is "$(status),$(jq -c '{error}' "$BODY")" '400,{"error":"no recognized fields"}' "PATCH of runner: no recognized fields"
owner POST /api/dispatch "$(jq -nc --arg c "$one" '{key:"ZZ_TEST_TEMPERATURE",body:"1|2",contract:$c}')" >/dev/null
is "$(status),$(jq_get .error),$(jq_get .ran)" "409,contract_changed:$one!=$two,false" "a caller that read another contract is stopped"

rc_stop
is "$rc_exit" 0 "the service stops cleanly"
done_testing
