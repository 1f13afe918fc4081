#!/bin/sh
# Rows that call tools of somebody else's MCP server: both eras, servers that behave well and badly, one that is real.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

NODE=$SOURCE/t/node
[ -d "$NODE/node_modules" ] || bail "t/node has no packages: run ./bootstrap check"
mcp_start
upstream_start
# A free port for the server that is real; it says on standard error when it listens.
port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
PORT=$port node "$NODE/node_modules/@modelcontextprotocol/server-everything/dist/index.js" streamableHttp >"$TMP/everything" 2>&1 &
extra_pids="$extra_pids $!"
rc_start --allow-upstream "$MCP" --allow-upstream "$UPSTREAM" --allow-upstream "127.0.0.1:$port" --workers 1 --set upstream_timeout=2s --set max_upstream_body=100K ||
	bail "the service did not start"
printf 'GOOD=good-secret-value\nCANARY=canary-7f3a"b/c+d+e\n' >>"$DIR/secrets.env"
M=http://$MCP

# row KEY URL TOOL [AUTH [ARGUMENTS]]; schema KEY URL TOOL SCHEMA
row()
{
	owner PUT "/api/directory/$1" "$(jq -nc --arg u "$2" --arg t "$3" --arg a "${4-}" --arg r "${5-}" '{type:"fn",target:"mcp_call",auth:$a,examples:["x"],
		content:("# WHAT: a row of the test\n[" + ($u|tojson) + "," + ($t|tojson) + (if $r == "" then "" else "," + $r end) + "]")}')" >/dev/null
	case $(status) in 200 | 201) ;; *) diag "$(cat "$BODY")" ;; esac
}
schema() { row "$1" "$2" "$3"; owner PATCH "/api/directory/$1" "$(jq -nc --arg s "$4" '{input_schema:$s}')" >/dev/null; }
call() { owner POST /api/dispatch "$(jq -nc --arg k "$1" --arg b "${2-}" '{key:$k,body:$b}')" >/dev/null; jq_get .result; }
named() { owner POST /api/dispatch "{\"key\":\"$1\",\"args\":$2}" >/dev/null; jq_get .result; }
# tool NAME [PLACE [ARGUMENTS]]: the result of that tool.
tool() { row TOOL "$M/${2:-modern}" "$1" '' "${3:-{\}}"; call TOOL; }
since() { tail -n +$(($1 + 1)) "$MCP_LOG" | tr '\n' ';'; }
lines() { wc -l <"$MCP_LOG"; }

# The modern era.
row E "$M/modern?a=1" echo '' '{"q":"$1","rest":"$2+"}'
n=$(lines)
is "$(call E 'a "b"|c|d')" '{"q":"a \"b\"","rest":"c|d"}' "a tool gets the arguments of the template, and its text is the result"
is "$(since "$n")" 'POST /modern?a=1 server/discover;POST /modern?a=1 tools/call echo;' "the server was asked first which revisions it speaks"
n=$(lines)
call E x >/dev/null
is "$(since "$n")" 'POST /modern?a=1 tools/call echo;' "which is remembered"
schema N "$M/modern" echo '{"type":"object","properties":{"city":{"type":"string","x-mcp-header":"City"},"days":{"type":"integer","default":3},"more":{"type":["string","null"]}},"required":["city"]}'
is "$(named N '{"city":"Köln","more":null}' | jq -cS .)" '{"city":"Köln","days":3,"more":null}' "without arguments in the row the tool gets the caller's, typed, by name, with defaults and what the schema wants as headers"
is "$(named N '{"city":"Bonn"}' | jq -cS .)" '{"city":"Bonn","days":3}' "… and none that were not given"
is "$(call N 'Bonn|7' | jq -cS .)" '{"city":"Bonn","days":7}' "… from a string too"
named N '{"days":1}' >/dev/null
is "$(status),$(jq_get .error)" 422,args_invalid "what the row's schema does not allow is not sent"
is "$(tool 'grüße')" hallo "a tool's name that no header can hold is encoded"

# What comes back.
is "$(tool add modern '{"a":1,"b":2}')" '{"sum":3}' "structured content is the result, and the text that repeats it is not"
like "$(tool image)" '^data:image/png;base64,iVBORw0KGgo' "an image is a data: URI"
is "$(tool audio)" 'data:audio/wav;base64,UklGRg==' "a sound too"
is "$(tool resource),$(tool blob),$(tool link)" 'the text of it,data:application/pdf;base64,JVBERg==,x://y' "resources and links"
is "$(tool mixed)" 'one
data:application/octet-stream;base64,
two' "several blocks are lines, whatever they say of themselves"
is "$(tool strange)" 'end' "blocks that are none are passed over"
is "$(tool fails)" 'ERR:mcp:tool:it did not work' "a tool that fails is an error"
is "$(jq_get .ok)" false "… of the call"
like "$(tool rpc)" '^ERR:mcp:-32602:bad . arguments$' "so is an error of JSON-RPC"
is "$(tool none)" 'ERR:mcp:-32602:unknown tool: none' "and a tool that is not there"
is "$(tool input)" ERR:mcp:input_required "a tool that wants to ask is not answered"

# Streams.
is "$(tool sse)" streamed "the answer in a stream, behind comments, notifications, requests and answers to others"
is "$(tool crlf)" 'three lines' "… with CR LF, a byte order mark and data in several lines"
is "$(tool open)" 'and it goes on' "a stream that stays open after the answer is not waited for"
like "$(tool endless)" '^ERR:http:fetch:127.0.0.1: timed out' "one without an answer ends with the time"
is "$(tool quiet),$(tool cut)" 'ERR:mcp:bad_answer:the stream has ended without an answer,ERR:mcp:bad_answer:the stream has ended without an answer' "one that ends without an answer, or within it"
is "$(tool notes modern '{"n":1000}')" 'after them' "a thousand notifications come first"
like "$(tool notes modern '{"n":3000}')" '^ERR:mcp:too_large:102400 bytes$' "more than an answer may have"

# Lies and breaks.
is "$(tool other),$(tool noid)" 'ERR:mcp:bad_answer:the answer to another request,ERR:mcp:bad_answer:the answer to another request' "an answer to another request is none"
like "$(tool half)" '^ERR:mcp:bad_answer:' "half an answer"
is "$(tool html)" 'ERR:http:502:<html>Bad gateway</html>' "a proxy's page"
like "$(tool string),$(tool list)" '^ERR:mcp:bad_answer:no answer of JSON-RPC 2.0,ERR:mcp:bad_answer:no answer of JSON-RPC 2.0$' "a text, a batch"
like "$(tool garbage)" '^ERR:http:fetch:' "no HTTP"
like "$(tool hang)" '^ERR:http:fetch:127.0.0.1: timed out' "no answer at all"
# The envelope of JSON-RPC around the text has 83 bytes.
envelope=$(tool big modern '{"n":102300}' >/dev/null; printf '%s' '{"id":2,"jsonrpc":"2.0","result":{"content":[{"text":"","type":"text"}],"resultType":"complete"}}' | wc -c)
for d in -1 0; do is "$(tool big modern "{\"n\":$((102400 - envelope + d))}" | wc -c)" $((102401 - envelope + d)) "an answer of max_upstream_body $d bytes is read"; done
is "$(tool big modern "{\"n\":$((102400 - envelope + 1))}")" 'ERR:mcp:too_large:102400 bytes' "one byte more is refused whole"
owner PUT /api/directory/LATE "$(jq -nc --arg u "$M/modern" '{type:"fn",target:"mcp_call",content:"# WHAT: x\n[\"\($u)\",\"wait\",{\"ms\":300}]",examples:[""]}')" >/dev/null
is "$(call LATE)" late "a slow answer is waited for"

# The legacy era.
n=$(lines)
is "$(tool echo legacy '{"x":1}')" '{"x":1}' "a server of before"
is "$(since "$n")" 'POST /legacy server/discover;POST /legacy initialize;POST /legacy notifications/initialized;POST /legacy tools/call echo;DELETE /legacy;' "… with a session, which is ended"
n=$(lines)
tool echo legacy >/dev/null
is "$(since "$n")" 'POST /legacy initialize;POST /legacy notifications/initialized;POST /legacy tools/call echo;DELETE /legacy;' "its era is remembered"
is "$(tool sse legacy),$(tool add legacy '{"a":2,"b":2}')" 'streamed,{"sum":4}' "streams and structured content"
n=$(lines)
is "$(tool echo stateless)" '{}' "a server without sessions"
is "$(since "$n")" 'POST /stateless server/discover;POST /stateless initialize;POST /stateless notifications/initialized;POST /stateless tools/call echo;' "… has none to end"
is "$(tool echo old),$(tool echo lists)" '{},{}' "one of 2024, and one that lists what it speaks"
like "$(tool echo future)" '^ERR:mcp:-32022:newer$' "one that speaks newer revisions only"
is "$(tool echo strange)" 'ERR:mcp:unsupported_version:1999-01-01' "a revision that nobody knows"
is "$(tool echo odd)" 'ERR:mcp:bad_answer:the session id is no token' "a session id that no header can hold"
n=$(lines)
is "$(tool echo lost)" 'ERR:mcp:-32001:Session not found' "a session that the server has lost"
is "$(since "$n" | grep -o 'tools/call' | wc -l)" 1 "… is not begun again: the call was sent"
n=$(lines)
tool fails legacy >/dev/null
like "$(since "$n")" 'DELETE /legacy;$' "a session ends whatever came of the call"

# What keeps an answer from coming is as of http rows.
is "$(tool echo status/500)" 'ERR:http:500:status 500' "a server that is not well"
is "$(tool echo status/404)" 'ERR:http:404:status 404' "no server of MCP"
is "$(tool echo 307)" '{}' "a redirect on the same origin that keeps the method is followed"
like "$(tool echo 302)" '^ERR:http:302:redirect_refused:127.0.0.1$' "one that does not is refused"
n=$(upstream_count)
row AWAY "$M/away?$UPSTREAM" echo bearer:GOOD
like "$(call AWAY)" '^ERR:http:307:redirect_refused:127.0.0.1$' "and one to another origin"
is "$(upstream_count)" "$n" "… which hears nothing"
row BLOCKED http://127.0.0.1:1/mcp echo bearer:GOOD
is "$(call BLOCKED)" 'ERR:http:blocked_address:127.0.0.1' "an address that is not allowed"

# The row says which server, and no argument does.
for url in 'http://$1/mcp' 'http://a$2b/mcp' 'ftp://x/y' 'http://u:p@x/y' x ''; do
	row URL "$url" echo bearer:GOOD
	like "$(call URL "$MCP")" '^ERR:fn:mcp_call:bad_url:' "no URL of a server: $url"
done
for content in '[$1,"echo"]' '{"a":1}' '["http://x/y"' '7' ''; do
	owner PUT /api/directory/URL "$(jq -nc --arg c "# WHAT: x
$content" '{type:"fn",target:"mcp_call",content:$c,examples:[""]}')" >/dev/null
	like "$(call URL "\"http://$MCP/modern\"")" '^ERR:fn:(mcp_call:bad_url|bad_content_json|content_not_array)' "no payload: $content"
done
owner PUT /api/directory/URL "$(jq -nc --arg u "$M/modern" '{type:"fn",target:"mcp_call",content:"[\"\($u)\"]\n# WHAT: x",examples:[""]}')" >/dev/null
is "$(call URL)" ERR:fn:mcp_call:missing_argument:2 "a tool is needed"
row ARGS "$M/modern" echo '' '"$1"'
is "$(call ARGS x)" 'ERR:fn:mcp_call:bad_arguments:not an object' "arguments are an object"
row RAW "$M/modern" echo '' '$1'
is "$(call RAW '{"a":[1]}')" '{"a":[1]}' "… which a caller may give whole"
row PATH "$M/modern/../legacy/\$1" echo
owner POST /api/dispatch '{"key":"PATH","body":".."}' >/dev/null
is "$(status),$(jq_get .error)" 422,args_invalid "an argument in the path is held to the rules of http rows"
long=$(printf '%0257d' 0)
is "$(tool "$long")" 'ERR:fn:mcp_call:bad_tool:the name is too long' "a tool's name of 257 bytes"
is "$(tool "${long#0}")" "ERR:mcp:-32602:unknown tool: ${long#0}" "… of 256 is sent"

# The credential.
row A "$M/auth" echo bearer:GOOD '{}'
is "$(call A)" '{}' "the credential that auth names arrives"
row R "$M/modern" reflect 'headers:{"Authorization":"$CANARY"}' '{"fail":$1}'
for fail in true false; do
	r=$(call R $fail)
	like "$r" 'redacted:CANARY' "what gives it back is redacted: fail $fail"
	unlike "$r" 'canary-7f3a|Y2FuYXJ5|NhbmFyeS|jYW5hcnkt' "… in text, structure and image"
done
row L "$M/modern" leak 'headers:{"Authorization":"$CANARY"}'
is "$(call L)" 'ERR:mcp:-32000:because of [redacted:CANARY]' "… and in an error"
unlike "$(cat "$DIR"/log/*; strings "$DIR"/*.db*)" 'canary-7f3a' "nothing of it is kept"
n=$(lines)
owner POST /api/dispatch '{"key":"R","body":"true","shape":true}' >/dev/null
is "$(lines)" "$n" "a dry run sends nothing"
like "$(jq -c .shaped "$BODY")" '"method":"POST","url":"http://127[^"]*/modern","headers":\{"MCP-Protocol-Version":"2026-07-28","Mcp-Method":"tools/call","Mcp-Name":"reflect","Content-Type":"application/json","Accept":"application/json, text/event-stream"\}' "and shows the request"
like "$(jq -r .shaped.body "$BODY" | jq -c '[.method,.params.name,.params.arguments]')" '^\["tools/call","reflect",\{"fail":true\}\]$' "with its body"
unlike "$(cat "$BODY")" 'canary-7f3a|uthorization' "without the credential"
row MISSING "$M/auth" echo bearer:NO_SUCH_NAME '{}'
owner POST /api/dispatch '{"key":"MISSING","shape":true}' >/dev/null
like "$(cat "$BODY")" 'credential_missing:NO_SUCH_NAME' "one that is missing is named"
for i in 1 2 3 4 5 6 7 8; do r=$(call MISSING); done
like "$r" '^ERR:http:401:' "a server that refuses it"
n=$(lines)
like "$(call MISSING)" '^ERR:breaker_open:MISSING' "… eight times is not asked again"
is "$(lines)" "$n" "… by anybody"

# Receipts, and what is said of the row.
owner POST /api/dispatch '{"key":"E","body":"x"}' >/dev/null
id=$(jq_get .proof.invocation_id)
owner GET "/api/dispatch?confirm=$id" >/dev/null
is "$(jq_get .confirmed)" true "a call has its receipt"
owner GET '/api/dispatch?key=E&format=json' >/dev/null
is "$(jq -r '[..|.operation_type?|strings][0]' "$BODY")" write "such a row is taken for one that changes something"
owner PUT /api/directory/MAN '{"type":"fn","target":"manifest","content":"# WHAT: x","examples":[""]}' >/dev/null
is "$(call MAN | jq -c '.functions[]|select(.name=="mcp_call")')" '{"name":"mcp_call","min_args":2,"safe":false}' "the manifest has it"

# A server of others.
X=http://127.0.0.1:$port/mcp
i=0
until curl -s -o "$TMP/x" "$X" || [ $i -gt 200 ]; do sleep 0.1; i=$((i + 1)); done
row X_ECHO "$X" echo '' '{"message":"$1"}'
is "$(call X_ECHO 'hello "you"')" 'Echo: hello "you"' "server-everything: echo"
row X_SUM "$X" get-sum '' '{"a":$1,"b":$2}'
is "$(call X_SUM '2|3')" 'The sum of 2 and 3 is 5.' "… a sum"
row X_IMAGE "$X" get-tiny-image
like "$(call X_IMAGE)" '^Here.*
data:image/png;base64,' "… an image"
row X_STRUCT "$X" get-structured-content '' '{"location":"$1"}'
like "$(call X_STRUCT 'New York' | jq -c 'keys')" 'conditions.*temperature' "… structured content"
row X_NONE "$X" none
like "$(call X_NONE)" '^ERR:mcp:' "… a tool that it has not"
row X_BAD "$X" get-sum '' '{"a":"x"}'
like "$(call X_BAD)" '^ERR:mcp:' "… arguments that it refuses"
row X_LONG "$X" trigger-long-running-operation '' '{"duration":1,"steps":2}'
like "$(call X_LONG)" '^Long running operation completed' "… one that takes its time, with progress on the way"

# An intent is there before it fires.
row SLOW "$M/modern" wait '' '{"ms":1500}'
n=$(lines)
curl -s --cacert "$CACERT" -H "x-terminal-key: $KEY" --json '{"key":"SLOW"}' -o "$TMP/slow" "$BASE/api/dispatch" & slow=$!
until since "$n" | grep -q 'tools/call wait'; do sleep 0.05; done
kill -9 "$(pids_of worker)"
wait $slow
rc_stop
rc_start --allow-upstream "$MCP" --workers 1 || bail "the service did not start"
owner GET '/api/dispatch?ledger=1&key=SLOW' >/dev/null
is "$(jq -r '[.rows[].reason]|join(",")' "$BODY")" outcome_unknown "a call whose worker was killed has a receipt that says so"
is "$(since "$n" | grep -o 'tools/call wait' | wc -l)" 1 "… and was not made again"
done_testing
