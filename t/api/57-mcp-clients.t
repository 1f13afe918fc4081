#!/bin/sh
# Official clients before a real nginx with TLS, with a token: both SDKs, and the Inspector's command line. (Progress and
# changes: 54-mcp-follow.t.)
. "${ROWCALL_SOURCE:-.}/t/lib.sh"
. "$SOURCE/t/mcp/lib.sh"

node22 || skip_all "the clients need t/node and Node.js 22: run ./bootstrap"
# nginx waits for a word of the service as long as a call may take, and longer; here not as long as the longest calls below.
read_timeout() { sed -n 's/^fastcgi_read_timeout \([0-9]*\)s;.*/\1/p' "$1/conf/nginx/rowcall-fastcgi.conf"; }
mkdir "$TMP/share"
cp -R "$SOURCE/conf" "$TMP/share/conf"
ln -s "$SOURCE/migrations" "$TMP/share/migrations"
sed -i 's/^fastcgi_read_timeout .*/fastcgi_read_timeout 5s;/' "$TMP/share/conf/nginx/rowcall-fastcgi.conf"
PAGE=7
upstream_start
rc_start --workers 1 --set mcp_page=$PAGE --allow-upstream "$UPSTREAM" --share "$TMP/share" || bail "the service did not start"
owner PUT /api/directory/FAILS '{"type":"fn","target":"json_get","content":"# WHAT: always fails\n# SAFE: yes\n[\"no JSON\",\"/x\"]","examples":["x"],"input_schema":{"type":"object"}}' >/dev/null
owner PUT /api/directory/NAP "{\"type\":\"http\",\"target\":\"GET http://$UPSTREAM/slow/1700\",\"content\":\"# WHAT: waits\",\"examples\":[\"x\"]}" >/dev/null
owner PUT /api/directory/NAPS '{"type":"flow","content":"# WHAT: waits long\nNAP: > NAP: > NAP: > NAP: > UPPER: rested","examples":["x"]}' >/dev/null
owner POST /api/tokens '{"scope":"act","purpose":"official clients"}' >/dev/null
TOKEN=$(jq_get .token) FINGERPRINT=$(jq_get .fingerprint)
export TOKEN NODE_EXTRA_CA_CERTS="$CACERT"
want=$(owner GET '/api/directory?limit=500' | jq -r '[.rows[]|select(.enabled==1 and .planner_visible==1 and .sensitive==0)]|sort_by(.planner_rank,.key)|[.[].key]|join(" ")')
# shellcheck disable=SC2086
pages=$(set -- $want; echo $((($# + PAGE - 1) / PAGE)))
ok "the list has several pages" [ "$pages" -gt 1 ]

# Meanwhile: a call of nearly 7 s, as JSON and as a stream.
# naps NAME CURL-OPTION…: in the background, its answer in $TMP/NAME.
naps()
{
	np_name=$1
	shift
	curl -sSN --max-time 60 --cacert "$CACERT" -D "$TMP/$np_name.head" -o "$TMP/$np_name" -H 'content-type: application/json' -H "authorization: Bearer $TOKEN" --data-binary \
		'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"NAPS","arguments":{},"_meta":{"progressToken":1}}}' "$@" "$BASE/mcp" &
}
naps json
json=$!
naps stream -H 'accept: application/json, text/event-stream'
stream=$!

connect() { "$NODE22" "$SOURCE/t/node/connect.mjs" "$BASE/mcp" "$1" ECHO FAILS >"$TMP/$1" 2>&1; }
saw() { sed -n "s/^$2 //p" "$TMP/$1"; }
running=''
for client in v1 v2-legacy v2-modern; do connect $client & running="$running $!"; done
# shellcheck disable=SC2086
wait $running
for client in v1 v2-legacy v2-modern; do
	is "$(saw $client server)" rowcall "the SDK $client connects"
	is "$(saw $client tools)" "$want" "… lists the tools"
	is "$(saw $client pages)" "$pages" "… page by page"
	is "$(saw $client result)" said "… calls one"
	like "$(saw $client failed)" '^true ERR:' "… sees one fail"
	is "$(saw $client error)" -32602 "… and one that is not there"
done

# The Inspector
inspect()
{
	"$NODE22" "$SOURCE/t/node/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js" --cli "$BASE/mcp" --transport http \
		--header "Authorization: Bearer $TOKEN" "$@" >"$TMP/seen" 2>"$TMP/seen.err"
	echo $?
}
export HOME="$TMP"
is "$(inspect --method tools/list) $(jq -r '[.tools[].name]|join(" ")' "$TMP/seen")" "0 $want" "the Inspector lists the tools of all pages"
is "$(inspect --method tools/call --tool-name ECHO --tool-arg body=said) $(jq -r '.content[0].text' "$TMP/seen")" "0 said" "… calls one"
inspect --method tools/call --tool-name FAILS >/dev/null
like "$(jq -r '.isError,.content[0].text' "$TMP/seen" | xargs)" '^true ERR:' "… and sees one fail"

# The long calls
wait "$json" "$stream"
ok "nginx waits longer than a call may take" [ "$(read_timeout "$SOURCE")" -gt "$(sed -n 's/.*"trace_timeout", KIND_DURATION, [a-z_]*, "\([0-9]*\)s".*/\1/p' "$SOURCE/src/base/conf.c")" ]
is "$(sed -n 's/^data: //p' "$TMP/stream" | tail -1 | jq -r '.result.content[0].text')" RESTED "a stream that says something in time is not cut, however long it lasts"
like "$(tr -d '\r' <"$TMP/json.head")" '^HTTP/[0-9.]+ 504' "a JSON answer that nginx cannot wait for is a 504"
is "$(jq -r '[.jsonrpc,.error.data.error//.error.message//.error]|join(" ")' "$TMP/json")" "2.0 gateway_timeout" "… in JSON-RPC's form, and no page of nginx's"

# Whose calls they were
owner GET "/api/dispatch?ledger=1&key=ECHO&actor=cap:$FINGERPRINT&limit=100" >/dev/null
is "$(jq_get '.rows|length')" 4 "the receipts name the token"
owner DELETE "/api/tokens/$FINGERPRINT" >/dev/null
connect v1; connect v2-modern
is "$(cat "$TMP/v1") $(cat "$TMP/v2-modern")" "refused 401 refused 401" "with a token that is revoked none of them connects"
done_testing
