#!/bin/sh
# MCP's subscriptions/listen: a stream that tells of changes to whom they concern, ends with its credential and with the worker, and is one of few.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start --workers 1 --set max_streams=4 --set anonymous=none || bail "the service did not start"

V=2026-07-28
META='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
ALL='"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"somethingElse":true}'
# listen NAME ID CREDENTIAL [PARAMS]: a stream in the background, its bytes in $TMP/NAME; its process in $PID.
listen()
{
	: >"$TMP/$1"
	curl -sSN --cacert "$CACERT" -D "$TMP/$1.head" -H 'content-type: application/json' -H 'accept: application/json, text/event-stream' -H "authorization: Bearer $3" \
		-H "mcp-protocol-version: $V" -H 'mcp-method: subscriptions/listen' --data-binary \
		"{\"jsonrpc\":\"2.0\",\"id\":$2,\"method\":\"subscriptions/listen\",\"params\":{${4-$ALL},$META}}" "$BASE/mcp" >"$TMP/$1" 2>/dev/null &
	PID=$!
	extra_pids="${extra_pids:-} $PID"
}
# until_in FILE PATTERN: waits until it is there.
until_in() { for _ in $(seq 300); do grep -q -- "$2" "$TMP/$1" && return 0; sleep 0.1; done; return 1; }
messages() { sed -n 's/^data: //p' "$TMP/$1"; }
changes() { grep -c 'tools/list_changed' "$TMP/$1"; }
# until_gone PID: waits until the client has ended.
until_gone() { for _ in $(seq 300); do kill -0 "$1" 2>/dev/null || return 0; sleep 0.1; done; return 1; }
streams() { owner GET /api/status >/dev/null; jq_get .this_worker.streams; }
until_streams() { for _ in $(seq 300); do [ "$(streams)" = "$1" ] && return 0; sleep 0.1; done; return 1; }
change() { owner PATCH "/api/directory/$1" "{\"category\":\"c$2\"}" >/dev/null; }

# What it says
listen first '"a"' "$KEY"
first=$PID
ok "the first message comes at once" until_in first acknowledged
is "$(head -1 "$TMP/first")" "event: message" "as an event"
is "$(messages first | jq -c '[.jsonrpc,.method,.params._meta["io.modelcontextprotocol/subscriptionId"],.params.notifications.toolsListChanged,.params.notifications.somethingElse]')" \
	'["2.0","notifications/subscriptions/acknowledged","a",true,null]' "it acknowledges what is served of what was asked for, under the request's id"
is "$(messages first | jq -c '.params.notifications|[.promptsListChanged,.resourcesListChanged]')" '[true,true]' "… prompts and resources too"
like "$(tr -d '\r' <"$TMP/first.head")" '^content-type: text/event-stream$' "the answer is an event stream"
like "$(tr -d '\r' <"$TMP/first.head")" '^cache-control: no-store$' "that nobody keeps"
unlike "$(cat "$TMP/first.head")" '^content-length' "and that has no length"
change NOW 1
ok "a change of a row is announced" until_in first list_changed
is "$(messages first | sed -n 2p | jq -c '[.method,.params._meta["io.modelcontextprotocol/subscriptionId"]]')" '["notifications/tools/list_changed","a"]' "under the same id"
ok "what is a view of rows changes with them" until_in first notifications/resources/list_changed
ok "… prompts as well" until_in first notifications/prompts/list_changed

# To whom
owner POST /api/tokens '{"scope":"row:ECHO","ttl":3600}' >/dev/null
TOKEN=$(jq_get .token) FINGERPRINT=$(jq_get .fingerprint)
listen mine 7 "$TOKEN"
mine=$PID
ok "a token listens too" until_in mine '"io.modelcontextprotocol/subscriptionId":7'
before=$(changes first)
change UPPER 2
i=0; until [ "$(changes first)" -gt "$before" ] || [ $i -gt 100 ]; do sleep 0.1; i=$((i + 1)); done
is "$(changes first) $(changes mine)" "$((before + 1)) 0" "what it cannot see is not announced to it"
change ECHO 2
ok "its own row's change is" until_in mine list_changed
before=$(changes mine)
owner PATCH /api/directory/ECHO '{"enabled":false}' >/dev/null
i=0; until [ "$(changes mine)" -gt "$before" ] || [ $i -gt 100 ]; do sleep 0.1; i=$((i + 1)); done
is "$(changes mine)" $((before + 1)) "that the row is gone is announced as well"
owner DELETE "/api/tokens/$FINGERPRINT" >/dev/null
ok "when the token is revoked the stream ends" until_gone "$mine"
is "$(messages mine | tail -1 | jq -c '[.id,.result.resultType,.result._meta["io.modelcontextprotocol/subscriptionId"]]')" '[7,"complete",7]' "with the request's result"
listen late 8 "$TOKEN"
until_gone "$PID"
like "$(head -1 "$TMP/late.head")" ' 401' "and no other begins"

# What is no subscription
listen odd 1 "$KEY" '"notifications":[]'
until_gone "$PID"
is "$(jq -c '[.id,.error.code]' "$TMP/odd")" '[1,-32602]' "what to be told of is an object"
listen none 1 "$KEY" '"notifications":{"toolsListChanged":"true"}'
none=$PID
until_in none acknowledged
is "$(messages none | head -1 | jq -c .params.notifications)" '{}' "what is no wish is not granted"
kill "$none"
api POST /mcp '{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{}}}' -H "x-terminal-key: $KEY" >/dev/null
is "$(jq_get .error.code)" -32601 "clients of the older versions have no such method"
is "$(api GET /mcp '' -H 'accept: text/event-stream' >/dev/null; status) $(header allow)" "405 POST, OPTIONS" "nor a stream by GET"

# How many
ok "whose client has left is no stream any more" until_streams 1
listen b 2 "$KEY"; b=$PID
listen c 3 "$KEY"; c=$PID
until_in b acknowledged; until_in c acknowledged
is "$(streams)" 3 "three are open"
listen d 4 "$KEY"
until_in d acknowledged
is "$(streams)" 4 "the fourth of four is opened"
listen e 5 "$KEY"
until_gone "$PID"
like "$(head -1 "$TMP/e.head")" ' 503' "one more than max_streams is refused"
is "$(jq -c '[.id,.error.data.error]' "$TMP/e")" '[5,"too_many_streams"]' "in JSON-RPC's form"
like "$(cat "$TMP/e.head")" '^retry-after: [0-9]' "with a time"
is "$(owner POST /api/dispatch '{"key":"UPPER","body":"x"}' >/dev/null; status) $(jq_get .result)" "200 X" "calls go on"
kill "$b"
ok "one that leaves" until_streams 3
listen f 6 "$KEY"
ok "makes room" until_in f acknowledged

# Meanwhile and at the end
ok "a stream on which nothing happens says that it is there" until_in first '^: keep-alive$'
kill "$c"
until_streams 3
before=$(changes f)
rotated=owners-new-key-$(seq -s '' 20)
sed "s/^TERMINAL_KEY=.*/TERMINAL_KEY=$rotated/" "$DIR/secrets.env" >"$DIR/secrets.new"
chmod 600 "$DIR/secrets.new"
mv "$DIR/secrets.new" "$DIR/secrets.env"
OLD=$KEY KEY=$rotated
listen fresh '"new"' "$KEY"
fresh=$PID
ok "a new owner's key opens a stream" until_in fresh acknowledged
change UPPER 8
ok "one that the old key has opened ends" until_gone "$first"
is "$(messages first | tail -1 | jq -c '[.id,.result.resultType]') $(changes f)" "[\"a\",\"complete\"] $before" "and is told of nothing more"
ok "the new one is told" until_in fresh list_changed
unlike "$(cat "$TMP/first" "$TMP/fresh")" "$OLD|$KEY" "no stream has a key in it"
kill -HUP "$MASTER"
ok "a reload ends the streams" until_gone "$fresh"
is "$(messages fresh | tail -1 | jq -c '[.id,.result.resultType]')" '["new","complete"]' "as it should be"
listen g 9 "$KEY"
g=$PID
ok "new ones are opened at the successor" until_in g acknowledged
change NOW 9
ok "and hear of changes" until_in g list_changed
rc_stop
is "$rc_exit" 0 "a stop does not wait for streams"
done_testing
