#!/bin/sh
# rowcall import mcp: the tools of somebody else's MCP server become rows, which call them.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

mcp_start
rc_start --allow-upstream "$MCP" --no-rows || bail "the service did not start"
sed -i "1i allow_upstream = $MCP" "$DIR/rowcall.conf"
ROWCALL_DIR=$DIR
export ROWCALL_DIR
rowcall() { "$BUILD/rowcall" "$@" </dev/null >"$TMP/out" 2>"$TMP/err"; }

rowcall import mcp "http://$MCP/modern" --dry-run
is "$?" 0 "a dry run asks the server"
ok "and shows its tools" grep -q '	created	mcp_call' "$TMP/out"
rowcall import mcp "http://$MCP/modern"
is "$?" 1 "nothing is stored without --yes"
rowcall import mcp "http://$MCP/modern" --yes --prefix other
is "$?" 0 "with it the tools are rows"
key=$(awk -F'\t' '$1 ~ /ECHO$/ { print $1; exit }' "$TMP/out")
isnt "$key" '' "one of them is echo"
owner GET "/api/directory/$key" >/dev/null
example=$(jq_get '.examples | fromjson | .[0]')
owner POST /api/dispatch "$(jq -nc --arg k "$key" --arg b "$example" '{key:$k,body:$b}')" >/dev/null
is "$(jq_get .ok)" true "its example is really called"
like "$(jq_get .result)" "$example" "and answers"
rowcall import mcp "http://$MCP/modern" --yes --prefix other
like "$(cat "$TMP/err")" '0 created, 0 changed' "importing again changes nothing"
rowcall import mcp http://127.0.0.1:1/mcp --yes
is "$?" 69 "a server that is not there"
like "$(cat "$TMP/err")" 'ERR:http:' "is told"
rowcall import mcp ftp://x --yes
is "$?" 64 "what is no address"

done_testing
