#!/bin/sh
# rowcall import mcp: the tools of somebody else's MCP server become rows, which call them.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

NODE=$SOURCE/t/node
[ -d "$NODE/node_modules" ] || bail "t/node has no packages: run ./bootstrap check"
# A free port for the server that is real.
port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
PORT=$port node "$NODE/node_modules/@modelcontextprotocol/server-everything/dist/index.js" streamableHttp >"$TMP/everything" 2>&1 &
extra_pids="${extra_pids:-} $!"
mcp_start
rc_start --allow-upstream "$MCP" --allow-upstream "127.0.0.1:$port" --no-rows || bail "the service did not start"
sed -i "1i allow_upstream = $MCP, 127.0.0.1:$port" "$DIR/rowcall.conf"
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
# A server's list of tools: as many pages as are read, one less and one more
for n in 99 100; do
	rowcall import mcp "http://$MCP/pages/$n" --dry-run
	is "$? $(grep -c '	created	mcp_call' "$TMP/out")" "0 $n" "the tools of $n pages are read"
done
rowcall import mcp "http://$MCP/pages/101" --dry-run
is "$?" 69 "those of 101 are not"
like "$(cat "$TMP/err")" 'ERR:mcp:too_large:100' "… for being too many"
rowcall import mcp http://127.0.0.1:1/mcp --yes
is "$?" 69 "a server that is not there"
like "$(cat "$TMP/err")" 'ERR:http:' "is told"
rowcall import mcp http://127.0.0.2:1/mcp --yes
is "$?" 69 "a private address that is not listed"
like "$(cat "$TMP/err")" "ERR:http:blocked_address:127.0.0.2; .*\`allow_upstream = 127.0.0.2\` into $DIR/rowcall.conf" "is told with the setting that opens it, and its file"
rowcall import mcp ftp://x --yes
is "$?" 64 "what is no address"

# A server of others, from npm.
X=http://127.0.0.1:$port/mcp
i=0
until curl -s -o "$TMP/x" "$X" || [ $i -gt 300 ]; do sleep 0.1; i=$((i + 1)); done
rowcall import mcp "$X" --yes --prefix every --atomic
is "$?,$(grep -c '	refused	' "$TMP/out")" 0,0 "server-everything: its tools are rows, all of them or none"
named() { owner POST /api/dispatch "{\"key\":\"$1\",\"args\":$2}" >/dev/null; jq_get .result; }
is "$(named EVERY_ECHO '{"message":"hello, you"}')" 'Echo: hello, you' "… its echo is called"
is "$(named EVERY_GET_SUM '{"a":2,"b":3}')" 'The sum of 2 and 3 is 5.' "… and its sum, with numbers"
named EVERY_GET_SUM '{"a":"two","b":3}' >/dev/null
is "$(status),$(jq_get .error)" 422,args_invalid "… which the tool's own schema checks"
"$BUILD/rowcall" call EVERY_ECHO 'from a shell' >"$TMP/out" 2>"$TMP/err"
is "$?,$(cat "$TMP/out")" '0,Echo: from a shell' "… by rowcall call too"
rowcall import mcp "$X" --yes --prefix every
like "$(cat "$TMP/err")" '0 created, 0 changed' "… and importing it again changes nothing"

done_testing
