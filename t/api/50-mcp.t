#!/bin/sh
# MCP: the envelope of both eras, errors, headers that repeat the body, foreign pages.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start --set anonymous=read,row:ECHO --set cors_origins=https://pages.example.org || bail "the service did not start"

. "$SOURCE/t/mcp/lib.sh"

# Finding out
modern 1 server/discover ''
is "$(status) $(header content-type)" "200 application/json" "server/discover is answered in JSON"
is "$(jq -c '[.id,.result.resultType,.result.supportedVersions[0],.result.cacheScope,(.result.ttlMs>=0)]' "$BODY")" \
	'[1,"complete","2026-07-28","public",true]' "… as a complete result that may be cached"
is "$(jq_get '.result._meta["io.modelcontextprotocol/serverInfo"].name')" rowcall "… and says who it is"
is "$(header mcp-session-id)" '' "no session is given"
for v in 2025-11-25 2025-06-18 2024-11-05; do
	legacy '"a"' initialize "{\"protocolVersion\":\"$v\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}"
	is "$(status) $(jq -c '[.id,.result.protocolVersion,.result.serverInfo.name,.result.resultType]' "$BODY")" "200 [\"a\",\"$v\",\"rowcall\",null]" "initialize agrees on $v"
done
for v in 2025-03-26 2030-01-01 2026-07-28; do
	legacy 1 initialize "{\"protocolVersion\":\"$v\",\"capabilities\":{}}"
	is "$(jq_get .result.protocolVersion)" 2025-11-25 "… and on the newest for one that asks for $v"
done
legacy 1 initialize '{}'
expect 200 1 -32602 "initialize without a version is told so"
legacy 7 ping ''
is "$(status) $(jq -c . "$BODY")" '200 {"jsonrpc":"2.0","id":7,"result":{}}' "ping is answered with nothing"

# What is no message
raw '{"jsonrpc":'
expect 400 null -32700 "half a JSON text is a parse error"
raw ' '
expect 400 null -32700 "… so is none"
raw '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}'
expect 400 null -32700 "… and a name twice"
for b in '[]' '[{"jsonrpc":"2.0","id":1,"method":"ping"}]' '"x"' null '{"id":null,"jsonrpc":"2.0","method":"ping"}' \
	'{"jsonrpc":"2.0","id":1.5,"method":"ping"}' '{"jsonrpc":"2.0","id":true,"method":"ping"}'; do
	raw "$b"
	expect 400 null -32600 "$b is no request"
done
for b in '{"id":3,"method":"ping"}' '{"jsonrpc":"1.0","id":3,"method":"ping"}' '{"jsonrpc":"2.0","id":3}' \
	'{"jsonrpc":"2.0","id":3,"result":{}}' '{"jsonrpc":"2.0","id":3,"method":7}'; do
	raw "$b"
	expect 400 3 -32600 "$b is none, and keeps its id"
done
long=$(printf 'i%.0s' $(seq 300))
legacy "\"$long\"" ping ''
is "$(jq_get .id)" "$long" "an id of 300 characters comes back"
legacy '"é\u0000\"\\"' ping ''
is "$(jq -c .id "$BODY")" '"é\u0000\"\\"' "… so does one of any characters"
legacy -9007199254740993 ping ''
like "$(cat "$BODY")" '"id":-9007199254740993,' "… and a number beyond what a double holds"
legacy 1 ping '[]'
expect 200 1 -32602 "params by position are not taken"
legacy 1 ping '{"_meta":1}'
expect 200 1 -32602 "_meta is an object"

# Notifications run nothing
for b in '{"jsonrpc":"2.0","method":"notifications/initialized"}' '{"jsonrpc":"2.0","method":"no/such"}' \
	'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"ECHO","arguments":{}}}'; do
	raw "$b" -H "x-terminal-key: $KEY"
	is "$(status) $(wc -c <"$BODY")" "202 0" "$b is accepted in silence"
done
is "$(owner GET '/api/dispatch?ledger=1' | jq .count)" 0 "… and nothing ran"
legacy 5 notifications/initialized ''
expect 200 5 -32601 "a notification with an id is a request for a method that is not there"

# Modern requests say what they need
B='"jsonrpc":"2.0","id":9,"method":"server/discover"'
H="-H mcp-protocol-version:$V -H mcp-method:server/discover"
# shellcheck disable=SC2086
{
raw "{$B,\"params\":{}}" $H
expect 400 9 -32602 "a modern header without _meta is told what is missing"
raw "{$B,\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"$V\"}}}" $H
expect 400 9 -32602 "… so is one without the client's capabilities"
raw "{$B,\"params\":{\"_meta\":{\"io.modelcontextprotocol/clientCapabilities\":{}}}}" $H
expect 400 9 -32602 "… and one without a version"
raw "{$B,\"params\":{$META}}" -H mcp-protocol-version:$V
expect 400 9 -32020 "Mcp-Method may not be missing"
raw "{$B,\"params\":{$META}}" -H mcp-method:server/discover
expect 400 9 -32020 "… nor MCP-Protocol-Version"
raw "{$B,\"params\":{$META}}" -H mcp-protocol-version:$V -H mcp-method:SERVER/DISCOVER
expect 400 9 -32020 "… values count in their case"
raw "{$B,\"params\":{$META}}" -H mcp-protocol-version:2025-11-25 -H mcp-method:server/discover
expect 400 9 -32020 "… and are those of the body"
raw "{$B,\"params\":{$META}}" -H mcp-protocol-version:$V -H 'mcp-method:   =?base64?c2VydmVyL2Rpc2NvdmVy?=  '
is "$(status)" 200 "a value may be wrapped in base64"
raw "{$B,\"params\":{$META}}" -H mcp-protocol-version:$V -H 'mcp-method: =?base64?c2VydmVyL2Rpc2NvdmV?='
expect 400 9 -32020 "… but not in half of it"
raw "{$B,\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2099-01-01\",\"io.modelcontextprotocol/clientCapabilities\":{}}}}" \
	-H mcp-protocol-version:2099-01-01 -H mcp-method:server/discover
}
expect 400 9 -32022 "an unknown version is refused"
is "$(jq -c .error.data "$BODY")" '{"supported":["2026-07-28","2025-11-25","2025-06-18","2024-11-05"],"requested":"2099-01-01"}' "… with those that are served"
for m in initialize ping logging/setLevel no/such; do
	modern 4 $m ''
	expect 404 4 -32601 "$m is no modern method"
done
legacy 4 server/discover '{}'
expect 200 4 -32601 "server/discover is no legacy one"
legacy 4 ping '' -H mcp-protocol-version:2025-03-26
expect 400 4 -32022 "a legacy header of another version is refused too"
legacy 4 ping '' -H mcp-protocol-version:2025-06-18 -H 'mcp-session-id: made-up' -H 'last-event-id: 7'
is "$(status) $(header mcp-session-id)" "200 " "a session is ignored"

# HTTP
for m in GET DELETE PUT PATCH; do
	request $m /mcp
	is "$(status) $(header allow) $(jq .error.code "$BODY")" "405 POST, OPTIONS -32000" "$m is not served"
done
request POST /mcp '' -H 'content-type: text/plain' --data-binary '{"jsonrpc":"2.0","id":1,"method":"ping"}'
is "$(status) $(jq -c '[.id,.error.code,.error.data.error]' "$BODY")" '415 [1,-32000,"unsupported_media_type"]' "the body is declared as JSON"
for a in '' '*/*' application/json text/event-stream text/html; do
	legacy 1 ping '' -H "accept:$a"
	is "$(status) $(header content-type)" "200 application/json" "Accept: $a is answered in JSON"
done
MODE=no legacy 1 ping ''
is "$(status) $(jq -c '[.id,.error.data.error]' "$BODY")" '400 [1,"bad_parameter"]' "mode is loop or nothing"
legacy 1 ping '' -H 'authorization: Bearer rct_no'
is "$(status) $(header www-authenticate) $(jq -c '[.id,.error.code,.error.message]' "$BODY")" '401 Bearer [1,-32000,"token_invalid"]' "a wrong credential is 401"
owner POST /api/tokens '{"scope":"act","purpose":"t"}' >/dev/null
TOKEN=$(jq_get .token)
owner DELETE "/api/tokens/$(jq_get .fingerprint)" >/dev/null
legacy 1 ping '' -H "authorization: Bearer $TOKEN"
is "$(status) $(jq -c '[.id,.error.message]' "$BODY")" '401 [1,"revoked"]' "… so is a revoked one"
head -c 1100000 /dev/zero | tr '\0' ' ' >"$TMP/big"
raw "@$TMP/big"
is "$(status) $(jq -c '[.jsonrpc,.error.data.error]' "$BODY")" '413 ["2.0","body_too_large"]' "what nginx refuses is JSON-RPC too"
for p in oauth-protected-resource oauth-protected-resource/mcp openid-configuration oauth-authorization-server; do
	request GET "/.well-known/$p"
	is "$(status) $(header content-type) $(header location)" "404 application/json " "/.well-known/$p is not there"
done

# Pages
port=${BASE##*:}
page() { pg_o=$1; shift; legacy 1 ping '' ${pg_o:+-H "origin: $pg_o"} "$@"; status; }
is "$(page '')" 200 "a program without an origin is served"
is "$(page "$BASE")" 200 "… and the service's own page"
is "$(page https://pages.example.org)" 200 "… and one of the list"
is "$(header access-control-allow-origin)" https://pages.example.org "… which may read the answer"
is "$(page "https://127.0.0.1:$port" -H "host: 127.0.0.1:$port")" 200 "… and the page of the address that was asked"
for o in https://evil null "https://localhost:1" "$BASE.evil.com" "http://localhost:$port" "https://127.0.0.1:$port"; do
	is "$(page "$o")" 403 "$o is foreign"
done
is "$(jq -c '[.id,.error.code,.error.message]' "$BODY")" '[1,-32000,"origin_not_allowed"]' "… and told so"
for h in evil "evil:$port" localhost.evil.com 127.0.0.1.evil.com; do
	is "$(page '' -H "host: $h")" 403 "a request for the host $h is refused"
done
is "$(jq_get .error.message)" host_not_allowed "… for that reason"
for h in "[::1]:$port" 10.0.0.1 localhost pages.example.org; do
	is "$(page '' -H "host: $h")" 200 "… not one for $h"
done
is "$(owner GET '/api/dispatch?ledger=1' | jq .count)" 0 "nothing has run"
request OPTIONS /mcp '' -H 'origin: https://pages.example.org' -H 'access-control-request-method: POST'
is "$(status) $(header access-control-allow-methods)" "204 POST, OPTIONS" "a preflight of a page of the list is answered"
like "$(header access-control-allow-headers)" 'Authorization,.*Mcp-Method, Mcp-Name, MCP-Protocol-Version.*, [*]$' "… with the headers of the protocol"

done_testing
