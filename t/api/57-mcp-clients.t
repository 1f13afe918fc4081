#!/bin/sh
# Official clients before a real nginx with TLS, with a token: both SDKs, and the Inspector's command line. (Progress and
# changes: 54-mcp-follow.t.)
. "${ROWCALL_SOURCE:-.}/t/lib.sh"
. "$SOURCE/t/mcp/lib.sh"

node22 || skip_all "the clients need t/node and Node.js 22: run ./bootstrap"
PAGE=7
rc_start --workers 1 --set mcp_page=$PAGE || bail "the service did not start"
owner PUT /api/directory/FAILS '{"type":"fn","target":"json_get","content":"# WHAT: always fails\n# SAFE: yes\n[\"no JSON\",\"/x\"]","examples":["x"],"input_schema":{"type":"object"}}' >/dev/null
owner POST /api/tokens '{"scope":"act","purpose":"official clients"}' >/dev/null
TOKEN=$(jq_get .token) FINGERPRINT=$(jq_get .fingerprint)
export TOKEN NODE_EXTRA_CA_CERTS="$CACERT"
want=$(owner GET '/api/directory?limit=500' | jq -r '[.rows[]|select(.enabled==1 and .planner_visible==1 and .sensitive==0)]|sort_by(.planner_rank,.key)|[.[].key]|join(" ")')
# shellcheck disable=SC2086
pages=$(set -- $want; echo $((($# + PAGE - 1) / PAGE)))
ok "the list has several pages" [ "$pages" -gt 1 ]

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

# Whose calls they were
owner GET "/api/dispatch?ledger=1&key=ECHO&actor=cap:$FINGERPRINT&limit=100" >/dev/null
is "$(jq_get '.rows|length')" 4 "the receipts name the token"
owner DELETE "/api/tokens/$FINGERPRINT" >/dev/null
connect v1; connect v2-modern
is "$(cat "$TMP/v1") $(cat "$TMP/v2-modern")" "refused 401 refused 401" "with a token that is revoked none of them connects"
done_testing
