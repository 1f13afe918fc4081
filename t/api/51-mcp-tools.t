#!/bin/sh
# MCP: rows as tools: the list and its pages, calls, results, refusals; the four tools of the loop.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start --set anonymous=act --set mcp_page=3 || bail "the service did not start"

. "$SOURCE/t/mcp/lib.sh"
add() { owner POST /api/directory "$1" >/dev/null; [ "$(status)" = 201 ] || diag "$(cat "$BODY")"; }
# A row of type fn that gives TEXT back: KEY TEXT [MEMBERS]
echoes() { add "{\"key\":\"$1\",\"type\":\"fn\",\"target\":\"echo\",\"content\":$(jq -nc --arg t "$2" '"# WHAT: says it\n" + ([$t]|tojson)'),\"examples\":[\"x\"]${3:+,$3}}"; }
tools() { jq -r '[.result.tools[].name]|join(" ")' "$BODY"; }
runs() { owner GET '/api/dispatch?ledger=1&limit=500' | jq .count; }

# Every page, one after the other.
all_pages()
{
	cursor='' pages=''
	while :; do
		"$1" 1 tools/list "$([ "$1" = modern ] || printf '{')\"cursor\":\"$cursor\"$([ "$1" = modern ] || printf '}')"
		pages="$pages$(tools)|"
		cursor=$(jq -r '.result.nextCursor // empty' "$BODY")
		[ -n "$cursor" ] || break
		[ -z "${2:-}" ] || { eval "$2"; set -- "$1"; }
	done
	printf '%s\n' "$pages"
}
all() { all_pages "$1" | tr '|' ' ' | xargs; }

# The list
want=$(owner GET '/api/directory?limit=500' | jq -r '[.rows[]|select(.enabled==1 and .planner_visible==1 and .sensitive==0)]|sort_by(.planner_rank,.key)|[.[].key]|join(" ")')
is "$(all legacy)" "$want" "tools/list has every row that planners see, by rank and key"
is "$(all modern)" "$want" "… for modern clients too"
is "$(all_pages legacy | tr '|' '\n' | awk 'NF>3' | wc -l)" 0 "… three a page, as mcp_page says"
modern 1 tools/list ''
first=$(tools)
is "$(jq -c '[.result.resultType,.result.ttlMs,.result.cacheScope]' "$BODY")" '["complete",0,"public"]' "a page is true for now, and the same for everybody"
modern 1 tools/list '"cursor":""'
is "$(tools)" "$first" "an empty cursor is the beginning"
modern 1 tools/list '' -H "x-terminal-key: $KEY"
is "$(jq -c '[.result.ttlMs,.result.cacheScope]' "$BODY")" '[0,"private"]' "with a credential it is the caller's alone"
legacy 1 tools/list ''
is "$(tools) $(jq -c '[.result.ttlMs,.result.resultType]' "$BODY")" "$first [null,null]" "params may be left out by a legacy client"
for c in x 100 100. .NOW 0100.NOW 100.NO-W +1.NOW "100.$(printf 'A%.0s' $(seq 65))" 99999999999999999999.NOW; do
	legacy 1 tools/list "{\"cursor\":\"$c\"}"
	is "$(status) $(jq .error.code "$BODY")" "200 -32602" "the cursor $c is none"
done
modern 1 tools/list '"cursor":7'
is "$(status) $(jq .error.code "$BODY")" "400 -32602" "… nor is a number"
modern 1 server/discover ''
is "$(jq -c .result.capabilities.tools "$BODY")" '{"listChanged":true}' "tools are among the capabilities, and that one can listen for changes"
legacy 1 initialize '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}'
is "$(jq -c .result.capabilities.tools "$BODY")" '{}' "… but not for clients of the older versions"

# A change between two pages
echoes AAA_FIRST a
seen=$(all_pages legacy 'owner DELETE /api/directory/AAA_FIRST >/dev/null; add "{\"key\":\"AAA_SECOND\",\"type\":\"fn\",\"target\":\"now\",\"content\":\"# WHAT: x\",\"examples\":[\"x\"]}"' | tr '|' ' ' | xargs)
is "$seen" "AAA_FIRST $want" "a row that goes and one that comes between two pages hide and repeat no other"
owner DELETE /api/directory/AAA_SECOND >/dev/null

# Limits of a page: as many rows as fit, one less and one more
n=$(printf '%s\n' "$want" | wc -w)
for size in $((n - 1)) "$n" $((n + 1)); do
	rc_stop
	rc_start --set anonymous=act --set mcp_page="$size" || bail "the service did not start"
	legacy 1 tools/list '{}'
	is "$(jq -c '[(.result.tools|length),(.result.nextCursor!=null)]' "$BODY")" "[$((size < n ? size : n)),$([ "$size" -lt "$n" ] && echo true || echo false)]" "$n tools on pages of $size"
done

rc_stop
rc_start --set anonymous=act || bail "the service did not start"

# What a tool says
one() { legacy 1 tools/list '{}' "$@"; }
tool_of() { jq -c --arg k "$1" '.result.tools[]|select(.name==$k)' "$BODY"; }
add '{"key":"DEL","type":"http","target":"DELETE https://example.org/$1","content":"# WHAT: removes\n# SAFE: yes","examples":["1"]}'
add '{"key":"GETS","type":"http","target":"GET https://example.org/$1","content":"# WHAT: reads","examples":["1"]}'
add '{"key":"HIGH","type":"fn","target":"echo","content":"# WHAT: high\n# SAFE: yes\n[\"$1\"]","examples":["1"],"sensitive":1,"input_schema":{"type":"object"}}'
add '{"key":"BARE","type":"fn","target":"echo","content":"# WHAT: bare\n# IDEMPOTENT: yes\n[\"x\"]","examples":["1"],"input_schema":{}}'
add '{"key":"ANY_OF","type":"fn","target":"echo","content":"# WHAT: one of two\n[\"$1\"]","examples":["1"],"input_schema":{"type":"object","$defs":{"s":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/s"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}}'
add '{"key":"UNSEEN","type":"fn","target":"echo","content":"# WHAT: unseen\n[\"x\"]","examples":["1"],"planner_visible":0}'
fixtures
one
hints() { tool_of "$1" | jq -c '[.annotations|.readOnlyHint,.destructiveHint,.idempotentHint,.openWorldHint]'; }
is "$(hints ECHO)" '[true,false,true,false]' "a safe function only reads"
is "$(hints GETS)" '[true,false,true,true]' "… so does a GET, out in the world"
is "$(hints DEL)" '[false,true,true,true]' "a method that changes is never read-only, whatever the row says"
is "$(hints BARE)" '[false,true,true,false]' "what is not said to be safe may destroy"
is "$(jq '[.result.tools[]|select((.annotations|[.readOnlyHint,.destructiveHint,.idempotentHint,.openWorldHint]|all(type=="boolean"))|not)]|length' "$BODY")" 0 "every hint stands there"
is "$(tool_of HIGH)$(tool_of UNSEEN)" '' "what the caller may not call, and what planners do not see, is not listed"
is "$(tool_of NOW | jq -r '._meta["org.rowcall/contract"]')" "$(owner GET /api/directory/NOW | jq -r .contract)" "a tool has its contract's digest"
one
is "$(jq '[.result.tools[]|select(.inputSchema|(.type=="object" and (.properties|type)=="object")|not)]|length' "$BODY")" 0 "every schema is an object with properties"
is "$(jq '[.result.tools[]|select(.name|test("^[a-zA-Z0-9_-]{1,64}$")|not)]|length' "$BODY")" 0 "every name is one that clients take"
is "$(tool_of BARE | jq -c .inputSchema)" '{"type":"object","properties":{}}' "… of a row with an empty schema too"
is "$(tool_of ANY_OF | jq -c '.inputSchema|[has("anyOf"),has("$defs"),(tojson|contains("$ref"))]')" '[false,false,false]' "a legacy client gets no references and no anyOf at the root"
is "$(tool_of json_schema_2020_12_tool | jq -c '.inputSchema|has("if")')" false "… nor what is declared as 2020-12, when it says no version"
one -H mcp-protocol-version:2025-11-25
want=$(jq -cS '.[]|select(.key=="json_schema_2020_12_tool").input_schema' "$SOURCE/t/mcp/rows.json")
is "$(tool_of json_schema_2020_12_tool | jq -cS .inputSchema)" "$want" "2025-11-25 gets it keyword for keyword"
is "$(tool_of ANY_OF | jq -c '.inputSchema|has("anyOf")')" false "… and the others safe"
modern 1 tools/list ''
is "$(tool_of json_schema_2020_12_tool | jq -cS .inputSchema)" "$want" "2026-07-28 gets it"
is "$(tool_of ANY_OF | jq -c '.inputSchema|has("anyOf") and has("$defs")')" true "… and all others as they were declared"
one -H "x-terminal-key: $KEY"
is "$(hints HIGH)" '[false,true,true,false]' "a row of high risk is never read-only"
owner PATCH /api/directory/ECHO '{"enabled":0}' >/dev/null
one
is "$(tool_of ECHO)" '' "a row that is disabled is gone on the next request"
owner PATCH /api/directory/ECHO '{"enabled":1}' >/dev/null

# Calls
tool legacy ECHO '{"body":"a|b"}'
is "$(status) $(jq -c '[.id,.result.content,.result.isError]' "$BODY")" '200 [1,[{"type":"text","text":"a|b"}],false]' "a call is answered with its result"
like "$(jq -r '.result._meta["org.rowcall/receipt"]' "$BODY")" "^$BASE/receipt/inv_[0-9a-z]{26}\$" "… and its receipt"
is "$(api GET "/api/dispatch?confirm=$(jq -r '.result._meta["org.rowcall/invocation"]' "$BODY")" | jq -r .status)" PROVEN_MATERIAL_RESULT "… which confirms it"
tool modern ECHO '{"body":"a"}'
is "$(jq -c '[.result.resultType,.result.content[0].text]' "$BODY")" '["complete","a"]' "a modern one too"
modern 1 tools/call '"name":"ECHO"' -H 'mcp-name: =?base64?RUNITw==?='
is "$(status) $(jq -c .result.isError "$BODY")" "200 false" "arguments may be left out, a name wrapped"
before=$(runs)
for n in 'mcp-name: NOW' 'mcp-name: echo' 'mcp-name: =?base64?RUNIT?=' 'x: y'; do
	modern 1 tools/call '"name":"ECHO","arguments":{}' -H "$n"
	is "$(status) $(jq .error.code "$BODY")" "400 -32020" "with $n nothing is called"
done
raw "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"ECHO\",\"arguments\":{},$META}}" -H mcp-protocol-version:$V -H mcp-method:tools/list -H mcp-name:ECHO
is "$(status) $(jq .error.code "$BODY")" "400 -32020" "nor with the method of another"
for p in '"name":7' '' '"name":"ECHO","arguments":[]' '"name":"ECHO","arguments":"a"'; do
	legacy 1 tools/call "{$p}"
	is "$(status) $(jq .error.code "$BODY")" "200 -32602" "{$p} calls nothing"
done
tool legacy NO_SUCH '{}'
missing=$(cat "$BODY")
is "$(jq .error.code "$BODY")" -32602 "an unknown tool is a protocol error"
tool legacy UNSEEN '{}'
is "$(cat "$BODY")" "$missing" "… one that planners do not see the same"
tool modern NO_SUCH '{}'
is "$(status) $(jq .error.code "$BODY")" "400 -32602" "… for a modern client with 400"
is "$(runs)" "$before" "and nothing ran"

# Errors and refusals
add '{"key":"TYPED","type":"fn","target":"echo","content":"# WHAT: typed\n[\"$1 $2\"]","examples":["1"],"input_schema":{"type":"object","properties":{"first":{"type":"string"},"second":{"type":"integer"}},"required":["first"],"additionalProperties":false}}'
tool legacy TYPED '{"second":2,"first":"a"}'
is "$(said)" 'a 2' "arguments go by name, whatever their order"
tool legacy TYPED '{"second":"2"}'
is "$(status) $(jq -c '[.result.isError,.result.structuredContent]' "$BODY") $(said)" '200 [true,null] ERR:args_invalid' "arguments that do not fit are a tool error"
like "$(jq -r '.result.content[0].text' "$BODY")" first "… that says what is wrong"
tool legacy test_error_handling '{}'
is "$(jq -c '[.result.isError,.result.structuredContent]' "$BODY")" '[true,null]' "ERR: is a tool error"
like "$(jq -r '.result._meta["org.rowcall/invocation"]' "$BODY")" '^inv_' "… of a call that ran"
tool legacy HIGH '{}'
is "$(jq -c .result.isError "$BODY") $(said)" 'true ERR:unauthorized' "a call that needs a credential is a tool error too"
token() { owner POST /api/tokens "{$1,\"purpose\":\"t\"}" >/dev/null; TOKEN=$(jq_get .token); FP=$(jq_get .fingerprint); }
token '"scope":"row:ECHO"'
tool legacy NOW '{}' -H "authorization: Bearer $TOKEN"
is "$(said)" 'ERR:scope_mismatch' "a denial has the literal reason"
like "$(jq -r .result.content[0].text "$BODY")" "rowcall token mint --scope row:NOW$" "… and the line that mints what it needs, where the model sees it"
legacy 1 tools/list '{}' -H "authorization: Bearer $TOKEN"
is "$(tools)" ECHO "a token's list is what it calls"
token '"scope":"row:ECHO","uses":1'
tool legacy ECHO '{"body":"1"}' -H "authorization: Bearer $TOKEN"
tool legacy ECHO '{"body":"2"}' -H "authorization: Bearer $TOKEN"
is "$(said)" 'ERR:token_exhausted' "a token that is used up is refused"
owner DELETE "/api/tokens/$FP" >/dev/null
tool legacy ECHO '{}' -H "authorization: Bearer $TOKEN"
is "$(status) $(said)" '200 ERR:revoked' "… one that was revoked by the gate, which records it"
legacy 1 tools/list '{}' -H "authorization: Bearer $TOKEN"
is "$(status) $(jq_get .error.message)" '401 revoked' "… and what runs nothing is 401"
token '"scope":"row:ECHO","owner_gate":"hold"'
tool legacy ECHO '{"body":"held"}' -H "authorization: Bearer $TOKEN"
like "$(jq -c .result.isError "$BODY") $(said)" '^true ERR:held:apr_[0-9a-z]{26}$' "a held call ends with what it waits for"
tool modern test_missing_capability '{}'
is "$(status) $(jq -c '[.error.code,.error.data]' "$BODY")" '400 [-32021,{"requiredCapabilities":{"sampling":{}}}]' "a capability that the row needs has to be declared"
META='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{"x":1}}}'
tool modern test_missing_capability '{}'
is "$(status) $(said)" '200 done' "… and then the row runs"

# Arguments that headers repeat
add '{"key":"TRIP","type":"fn","target":"echo","content":"# WHAT: a trip\n[\"$city $days\"]","examples":["x"],"input_schema":{"type":"object","properties":{"city":{"type":"string","x-mcp-header":"City"},"days":{"type":"integer","x-mcp-header":"Days"},"how":{"type":"object","properties":{"fast":{"type":"boolean","x-mcp-header":"Fast"}}}}}}'
modern 1 tools/list '"cursor":"100.TRIO"'
is "$(tool_of TRIP | jq -r '.inputSchema.properties.city["x-mcp-header"]')" City "the schema says which headers repeat arguments"
A='{"city":"Köln","days":3,"how":{"fast":true}}'
tool modern TRIP "$A" -H 'mcp-param-city: =?base64?S8O2bG4=?=' -H 'mcp-param-days: 3' -H 'mcp-param-fast: true'
is "$(status) $(said)" "200 Köln 3" "a call whose headers repeat its arguments runs"
tool modern TRIP '{"city":"Ulm"}' -H 'mcp-param-city: Ulm'
is "$(status) $(said | xargs)" "200 Ulm" "… what is left out has no header"
n=$(runs)
for h in 'mcp-param-city: Bonn' 'mcp-param-city: ulm' 'mcp-param-city: =?base64?VWxt!?=' 'x-none: Ulm'; do
	tool modern TRIP '{"city":"Ulm"}' -H "$h"
	expect 400 1 -32020 "$h does not repeat Ulm"
done
tool modern TRIP '{"city":"Ulm"}' -H 'mcp-param-city: Ulm' -H 'mcp-param-days: 3'
expect 400 1 -32020 "a header that repeats nothing is refused too"
tool modern TRIP '{"city":"Ulm","how":{"fast":true}}' -H 'mcp-param-city: Ulm' -H 'mcp-param-fast: false'
expect 400 1 -32020 "… and one of an inner property that differs"
is "$(runs)" "$n" "… nothing ran"
tool legacy TRIP '{"city":"Ulm","days":3}'
is "$(said)" "Ulm 3" "a legacy client sends none"
owner DELETE /api/directory/TRIP >/dev/null

# Idempotency
token '"scope":"act"'
tool modern ECHO '{"body":"once"}' -H "authorization: Bearer $TOKEN" -H 'idempotency-key: k1'
id=$(jq -r '.result._meta["org.rowcall/invocation"]' "$BODY")
META='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"org.rowcall/idempotency-key":"k1"}'
tool modern ECHO '{"body":"once"}' -H "authorization: Bearer $TOKEN"
is "$(header idempotent-replayed) $(jq -r '.result._meta|.["org.rowcall/invocation"],.["org.rowcall/replayed"]' "$BODY" | xargs)" "true $id true" "a call runs once under its key, in header or _meta"
tool modern ECHO '{"body":"other"}' -H "authorization: Bearer $TOKEN"
is "$(said)" ERR:idempotency_key_reused "… and no other under it"
tool modern ECHO '{"body":"once"}' -H "authorization: Bearer $TOKEN" -H 'idempotency-key: k2'
is "$(status) $(jq .error.code "$BODY")" "400 -32602" "… two keys in one call are refused"
META='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"org.rowcall/contract":"0"}'
tool modern ECHO '{}'
like "$(said)" '^ERR:contract_changed:0!=' "a call with another contract than the row's is refused"
META='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'

# Results
result() { tool "$1" ECHO "{\"body\":$(jq -nc --arg b "$2" '$b')}"; jq -c '[.result.isError,.result.structuredContent]' "$BODY"; }
is "$(result modern '{"a": 1.5}')" '[false,{"a":1.5}]' "a result in JSON is structured content too"
is "$(said)" '{"a": 1.5}' "… beside its text"
is "$(result legacy '{"a":[1]}')" '[false,{"a":[1]}]' "… for legacy clients"
is "$(result modern '[1,2]') $(result legacy '[1,2]')" '[false,[1,2]] [false,{"result":[1,2]}]' "what is no object is wrapped for those"
is "$(result modern 7) $(result legacy 7)" '[false,7] [false,{"result":7}]' "… a number"
is "$(result modern 'a text') $(result modern '{"a":1')" '[false,null] [false,null]' "a text is a text"
tool modern test_image_content '{}'
is "$(jq -c '.result.content[0]|[.type,.mimeType,(.data|length)>0]' "$BODY")" '["image","image/png",true]' "a picture is one"
tool modern test_audio_content '{}'
is "$(jq -c '.result.content[0]|[.type,.mimeType]' "$BODY")" '["audio","audio/wav"]' "a sound is one"
tool modern ECHO '{"body":"data:application/pdf;base64,JVBERi0="}'
like "$(jq -c '.result.content[0]|[.type,.resource.mimeType,.resource.blob,.resource.uri]' "$BODY")" '^\["resource","application/pdf","JVBERi0=","rowcall://result/inv_' "other bytes are a resource inside of the result"
tool modern ECHO '{"body":"data:image/png;base64,AA!="}'
is "$(jq -r '.result.content[0].type' "$BODY")" text "… what is no base64 stays a text"
tool modern test_multiple_content_types '{}'
is "$(jq -c '[.result.content[].type]' "$BODY")" '["text","image","resource"]' "a row may give the content itself"
tool modern ECHO '{"body":"{\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}"}'
is "$(jq -c '[.result.content[0].text,.result.structuredContent.content[0].text]' "$BODY")" '["{\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}","x"]' "… one that does not say so gives JSON"
for c in '{"content":[]}' '{"content":[{"type":"text"}]}' '{"content":[{"type":"video","data":"x"}]}' '{"content":[{"type":"resource","resource":{"uri":"x"}}]}'; do
	echoes BAD_CONTENT "$c" '"input_schema":{"x-mcp-content":true}'
	tool modern BAD_CONTENT '{}'
	is "$(said)" "$c" "$c is no content"
	owner DELETE /api/directory/BAD_CONTENT >/dev/null
done

# Output schemas
out() { add "{\"key\":\"$1\",\"type\":\"fn\",\"target\":\"echo\",\"content\":\"# WHAT: o\n[\\\"\$1\\\"]\",\"examples\":[\"1\"],\"input_schema\":{\"type\":\"object\",\"properties\":{\"v\":{\"type\":\"string\"}},\"x-output-schema\":$2}}"; }
out OUT_OBJECT '{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},"required":["n"],"$defs":{"n":{"type":"integer"}}}'
out OUT_LIST '{"type":"array","items":{"type":"integer"}}'
one
is "$(tool_of OUT_OBJECT | jq -c .outputSchema)" '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}' "a declared output schema is shown, to legacy clients without references"
is "$(tool_of OUT_LIST | jq -c .outputSchema)" '{"type":"object","properties":{"result":{"type":"array","items":{"type":"integer"}}},"required":["result"]}' "… and as an object"
is "$(tool_of OUT_LIST | jq -c '.inputSchema|has("x-output-schema")')" false "… not in the input's"
modern 1 tools/list ''
is "$(tool_of OUT_LIST | jq -c .outputSchema) $(tool_of OUT_LIST | jq -c '.inputSchema|has("x-output-schema")')" '{"type":"array","items":{"type":"integer"}} false' "modern ones get it as it is"
gives() { tool "$1" "$2" "{\"v\":$(jq -nc --arg b "$3" '$b')}"; jq -c '[.result.isError,.result.structuredContent]' "$BODY"; }
is "$(gives modern OUT_OBJECT '{"n":1}') $(gives legacy OUT_OBJECT '{"n":1}')" '[false,{"n":1}] [false,{"n":1}]' "a result that fits is structured"
is "$(gives modern OUT_LIST '[1]') $(gives legacy OUT_LIST '[1]')" '[false,[1]] [false,{"result":[1]}]' "… wrapped as its schema is"
for v in '{"n":"x"}' 7 '[]' text 'ERR:upstream:500'; do
	is "$(gives legacy OUT_OBJECT "$v")" '[true,null]' "$v does not fit, and is an error with a text and nothing else"
done
owner POST /api/directory '{"key":"X","type":"fn","target":"echo","content":"# WHAT: x","examples":["1"],"input_schema":{"x-output-schema":{"type":7}}}' >/dev/null
is "$(status) $(jq_get .error)" "422 bad_schema" "a bad output schema is refused at the write"
owner POST /api/directory '{"key":"X","type":"fn","target":"echo","content":"# WHAT: x","examples":["1"],"input_schema":{"x-mcp-content":1}}' >/dev/null
is "$(status) $(jq_get .error)" "422 bad_schema" "… so is a keyword of ours with another value"

# The loop
MODE=loop
for era in legacy modern; do
	if [ $era = modern ]; then modern 1 tools/list ''; else legacy 1 tools/list '{}'; fi
	is "$(tools)" "ask read invoke confirm" "mode=loop shows four tools ($era)"
done
tool modern ask '{"question":"what time is it now"}'
is "$(jq -r .result.structuredContent.best.key "$BODY")" NOW "ask finds a row"
tool modern read '{"key":"NOW"}'
is "$(jq -r '.result.content[0].text' "$BODY")" "$(api GET '/api/dispatch?key=NOW&format=markdown')" "read gives its contract document"
tool modern invoke '{"key":"TYPED","arguments":{"first":"x","second":3}}'
is "$(said)" "x 3" "invoke runs it by names"
id=$(jq -r '.result._meta["org.rowcall/invocation"]' "$BODY")
tool legacy invoke '{"key":"ECHO","body":"p|q"}'
is "$(said)" "p|q" "… or by a string"
tool modern confirm "{\"id\":\"$id\"}"
is "$(jq -c '.result.structuredContent|[.confirmed,.key]' "$BODY")" '[true,"TYPED"]' "confirm proves it"
tool modern confirm '{"id":"inv_none"}'
is "$(jq -c .result.isError "$BODY") $(said)" "true ERR:receipt_not_found" "… or says that there is none"
tool modern read '{"key":"NO_SUCH"}'
is "$(said)" ERR:unknown_key "an unknown key is a tool error"
tool modern invoke '{"key":"NO_SUCH"}'
is "$(said)" ERR:unknown_key "… for invoke too"
tool modern invoke '{"key":"ECHO","body":"a","arguments":{}}'
is "$(said)" ERR:conflicting_fields "arguments and body exclude each other"
for a in '{}' '{"key":7}' '{"key":"ECHO","x":1}'; do
	tool legacy invoke "$a"
	is "$(said)" ERR:args_invalid "$a does not fit"
done
tool legacy ECHO '{}'
is "$(jq .error.code "$BODY")" -32602 "rows are no tools there"

# Many at once, all with the same id
MODE=''
for i in $(seq 100); do
	printf 'url = "%s/mcp"\ncacert = "%s"\nheader = "content-type: application/json"\ndata = "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1,\\"method\\":\\"tools/call\\",\\"params\\":{\\"name\\":\\"ECHO\\",\\"arguments\\":{\\"body\\":\\"own %s\\"}}}"\noutput = "%s/many.%s"\nmax-time = 60\n%s\n' "$BASE" "$CACERT" "$i" "$TMP" "$i" "$([ "$i" = 100 ] || echo next)"
done >"$TMP/many"
curl -sS --parallel --parallel-max 100 -K "$TMP/many" >/dev/null 2>"$TMP/many.err"
wrong=0
for i in $(seq 100); do [ "$(jq -r '.result.content[0].text' "$TMP/many.$i" 2>&1)" = "own $i" ] || wrong=$((wrong + 1)); done
is "$wrong" 0 "100 clients with the same id each get their own answer"

done_testing
