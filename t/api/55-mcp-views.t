#!/bin/sh
# MCP: what rows are beside tools: contract documents as resources.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start --set anonymous=read,row:ECHO --set mcp_page=4 || bail "the service did not start"

. "$SOURCE/t/mcp/lib.sh"
add() { owner POST /api/directory "$1" >/dev/null; [ "$(status)" = 201 ] || diag "$(cat "$BODY")"; }
walked() { jq -r ".$1" "$TMP/walked" | xargs; }
# get ERA NAME-OF-MEMBER VALUE METHOD [CURL-OPTION…]: a request that names one thing.
get()
{
	gt_era=$1 gt_member=$2 gt_value=$3 gt_method=$4
	shift 4
	if [ "$gt_era" = modern ]; then NAME=$gt_value modern 1 "$gt_method" "\"$gt_member\":\"$gt_value\"" "$@"; else legacy 1 "$gt_method" "{\"$gt_member\":\"$gt_value\"}" "$@"; fi
}
read_uri() { ru_era=$1 ru_uri=$2; shift 2; get "$ru_era" uri "$ru_uri" resources/read "$@"; }

add '{"key":"A_UNSEEN","type":"fn","target":"now","content":"# WHAT: unseen","examples":["x"],"planner_visible":0}'
add '{"key":"A_DISABLED","type":"fn","target":"now","content":"# WHAT: disabled","examples":["x"],"enabled":0}'
add '{"key":"A_SENSITIVE","type":"fn","target":"now","content":"# WHAT: of high\n#   risk","examples":["x"],"sensitive":1,"input_schema":{"type":"object","properties":{}}}'

# What the server says of itself
modern 1 server/discover ''
is "$(jq -c .result.capabilities.resources "$BODY")" '{"listChanged":true}' "resources are among the capabilities, and that one can listen for changes"
legacy 1 initialize '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}'
is "$(jq -c .result.capabilities.resources "$BODY")" '{}' "… without that for clients of the older versions"

# resources/list
want=$(owner GET '/api/directory?limit=500' | jq -r '[.rows[]|select(.enabled==1 and .planner_visible==1)]|sort_by(.planner_rank,.key)|[.[].key]|join(" ")')
for era in legacy modern; do
	walk $era resources/list resources
	is "$(walked name)" "$want" "each row that is read and seen by planners is a resource ($era)"
done
is "$(echo "$SIZES" | xargs -n1 | sort -u | tail -1)" 4 "… on pages of mcp_page"
is "$(jq -c '[.result.resultType,.result.ttlMs,.result.cacheScope]' "$BODY")" '["complete",0,"public"]' "the list is true for now, and the same for everybody"
is "$(jq -c 'select(.name=="A_SENSITIVE")|[.uri,.mimeType,.description]' "$TMP/walked")" '["rowcall://contract/A_SENSITIVE","text/markdown","of high risk"]' "it has an address, a type and what the row does in one line"
is "$(jq -r 'select(.name=="ECHO")._meta["org.rowcall/contract"]' "$TMP/walked")" "$(owner GET /api/directory/ECHO | jq -r .contract)" "… and the contract's digest"
modern 1 resources/list '' -H "x-terminal-key: $KEY"
is "$(jq -c '[.result.ttlMs,.result.cacheScope]' "$BODY")" '[0,"private"]' "… with a credential it is the caller's alone"
modern 1 resources/list '"cursor":"x"'
expect 400 1 -32602 "a cursor that was not given out is refused"

# resources/read
for era in legacy modern; do
	read_uri $era rowcall://contract/ECHO
	is "$(jq -c '.result.contents|[length,(.[0]|.uri,.mimeType)]' "$BODY")" '[1,"rowcall://contract/ECHO","text/markdown"]' "a resource is read ($era)"
	text=$(jq -r '.result.contents[0].text' "$BODY") cached=$(jq -c '[.result.resultType,.result.ttlMs,.result.cacheScope]' "$BODY")
	is "$text" "$(api GET '/api/dispatch?key=ECHO&format=markdown')" "… and is the contract document"
done
is "$cached" '["complete",0,"public"]' "… true for now"
read_uri modern rowcall://contract/A_SENSITIVE -H "x-terminal-key: $KEY"
is "$(jq -r .result.cacheScope "$BODY")" private "with a credential it is the caller's alone"
is "$(jq -r '.result.contents[0].text' "$BODY")" "$(owner GET '/api/dispatch?key=A_SENSITIVE&format=markdown')" "… and says what that may do"
for u in rowcall://contract/NO_SUCH rowcall://contract/A_UNSEEN rowcall://contract/A_DISABLED rowcall://contract/ rowcall://contract/echo rowcall://contract/ECHO/ ROWCALL://contract/ECHO rowcall://x/ECHO test://nothing ''; do
	read_uri legacy "$u"
	is "$(status) $(jq -c '[.error.code,.error.data.uri]' "$BODY")" "200 [-32002,\"$u\"]" "'$u' is no resource"
done
read_uri modern rowcall://contract/NO_SUCH
is "$(status) $(jq -c '[.error.code,.error.data.uri]' "$BODY")" '400 [-32602,"rowcall://contract/NO_SUCH"]' "… for modern clients with their own code"
legacy 1 resources/read '{}'
expect 200 1 -32602 "resources/read has to say what"
modern 1 resources/read '"uri":"rowcall://contract/ECHO"'
expect 400 1 -32020 "Mcp-Name is needed"
NAME=rowcall://contract/NOW modern 1 resources/read '"uri":"rowcall://contract/ECHO"'
expect 400 1 -32020 "… and repeats the uri"
owner POST /api/tokens '{"scope":"row:A_SENSITIVE","purpose":"t"}' >/dev/null
TOKEN=$(jq_get .token) FINGERPRINT=$(jq_get .fingerprint)
read_uri legacy rowcall://contract/ECHO -H "authorization: Bearer $TOKEN"
is "$(jq -r '.result.contents[0].uri' "$BODY")" rowcall://contract/ECHO "a token reads what everybody may"
owner DELETE "/api/tokens/$FINGERPRINT" >/dev/null
read_uri legacy rowcall://contract/ECHO -H "authorization: Bearer $TOKEN"
is "$(status)" 401 "… as long as it is not revoked"

# resources/templates/list
for era in legacy modern; do
	walk $era resources/templates/list resourceTemplates
	is "$(jq -c '[.uriTemplate,.name,.mimeType]' "$TMP/walked")" '["rowcall://contract/{key}","contract","text/markdown"]' "one template has them all ($era)"
done
is "$(jq -c '[(.result.ttlMs>0),.result.cacheScope]' "$BODY")" '[true,"public"]' "… that stays"
modern 1 resources/templates/list '"cursor":"x"'
expect 400 1 -32602 "it has no other page"

is "$(owner GET '/api/dispatch?ledger=1' | jq .count)" 0 "nothing has run"

done_testing
