#!/bin/sh
# MCP: what rows are beside tools: contract documents as resources, agents that change nothing as prompts, completion of both.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start --set anonymous=read,row:ECHO,pfx:test_,pfx:A_ --set mcp_page=4 || bail "the service did not start"

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
# agent KEY CONTENT SCHEMA [MEMBERS]
agent() { add "{\"key\":\"$1\",\"type\":\"agent\",\"target\":\"no-model-is-set-up\",\"content\":$(jq -nc --arg c "$2" '$c'),\"examples\":[\"Ulm|7\"],\"input_schema\":$3${4:+,$4}}"; }
agent test_simple_prompt '# WHAT: A prompt without arguments.
# SAFE: yes
Say hello.' '{"type":"object","properties":{},"additionalProperties":false}'
agent test_prompt_with_arguments '# WHAT: Where and how often.
# SAFE: yes
You know every $1 city. {{TOOLS}}' '{"type":"object","properties":{"city":{"type":"string","title":"City","description":"which one","enum":["Ulm","Bonn","Berlin"]},"times":{"type":"integer","minimum":1,"examples":[3,12],"default":1},"dry":{"type":"boolean"}},"required":["city"],"additionalProperties":false}' '"allowed_categories":"*"'
agent A_ACTING '# WHAT: Does things.
Do it.' '{"type":"object","properties":{}}'
agent A_SECRET_AGENT '# WHAT: Of high risk.
# SAFE: yes
Hush.' '{"type":"object","properties":{}}' '"sensitive":1'
add '{"key":"A_BARE","type":"agent","target":"x","content":"# WHAT: One string.\n# SAFE: yes\nAnswer.","examples":["x"],"planner_rank":7,"includes":"A_BLOCK"}'
add '{"key":"A_BLOCK","type":"fn","target":"prompt_block","content":"# WHAT: a part\nBe kind.","examples":["x"]}'

# What the server says of itself
modern 1 server/discover ''
is "$(jq -c '.result.capabilities|[.prompts,.completions]' "$BODY")" '[{"listChanged":true},{}]' "prompts are among the capabilities, and completion"
is "$(jq -c .result.capabilities.resources "$BODY")" '{"listChanged":true}' "resources too, and that one can listen for changes"
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

# prompts/list
agent B_CLOSED '# WHAT: Not for everybody.
# SAFE: yes
Yes.' '{"type":"object","properties":{}}'
for era in legacy modern; do
	walk $era prompts/list prompts
	is "$(walked name)" "A_BARE test_prompt_with_arguments test_simple_prompt" "agents that change nothing and that the caller may call are prompts ($era)"
done
is "$(jq -c '[.result.resultType,.result.ttlMs,.result.cacheScope]' "$BODY")" '["complete",0,"public"]' "the list is true for now"
is "$(jq -c 'select(.name=="test_prompt_with_arguments")|[.description,.arguments]' "$TMP/walked")" \
	'["Where and how often.",[{"name":"city","title":"City","description":"which one","required":true},{"name":"times","required":false},{"name":"dry","required":false}]]' "it has the row's arguments"
is "$(jq -c 'select(.name=="test_simple_prompt")|.arguments' "$TMP/walked")" '[]' "… or none"
is "$(jq -c 'select(.name=="A_BARE")|[.arguments[]|.name,.required]' "$TMP/walked")" '["body",false]' "… or, without a schema, the one string"
walk modern prompts/list prompts -H "x-terminal-key: $KEY"
is "$(walked name)" "A_BARE B_CLOSED test_prompt_with_arguments test_simple_prompt" "the owner has more, but none of high risk"

# prompts/get
# prompt ERA NAME ARGUMENTS [CURL-OPTION…]
prompt() { pr_era=$1 pr_name=$2 pr_args=$3; shift 3
	if [ "$pr_era" = modern ]; then NAME=$pr_name modern 1 prompts/get "\"name\":\"$pr_name\",\"arguments\":$pr_args" "$@"; else legacy 1 prompts/get "{\"name\":\"$pr_name\",\"arguments\":$pr_args}" "$@"; fi; }
for era in legacy modern; do
	prompt $era test_prompt_with_arguments '{"city":"Ulm","times":"3"}'
	is "$(jq -c '.result|[(.messages|length),([.messages[]|.role,.content.type]|unique),.messages[1].content.text,.description]' "$BODY")" \
		'[2,["text","user"],"Ulm|3","Where and how often."]' "a prompt is what the model would be told, then the arguments ($era)"
	like "$(jq -r '.result.messages[0].content.text' "$BODY")" 'You know every \$1 city. A_BARE: ' "… with the tools of the agent that the caller has, and no template"
done
unlike "$(jq -r '.result.messages[0].content.text' "$BODY")" 'NOW: ' "… and no others"
prompt legacy test_simple_prompt '{}'
is "$(jq -c '[.result.messages[].content.text]' "$BODY")" '["# WHAT: A prompt without arguments.\n# SAFE: yes\nSay hello."]' "without arguments it is one message"
get legacy name A_BARE prompts/get
is "$(jq -r '.result.messages[0].content.text' "$BODY" | head -2 | xargs)" "Be kind." "arguments may be left out; blocks stand before"
prompt modern A_BARE '{"body":"a|b"}'
is "$(jq -r '.result.messages[1].content.text' "$BODY")" "a|b" "a row without a schema is given its string"
for a in '{}' '{"city":"Rome"}' '{"city":"Ulm","times":"0"}' '{"city":"Ulm","times":"x"}' '{"city":"Ulm","other":"x"}'; do
	prompt modern test_prompt_with_arguments "$a"
	is "$(status) $(jq -c '[.error.code,.error.data.error]' "$BODY")" '400 [-32602,"args_invalid"]' "$a does not fit"
done
for a in '{"city":7}' '[]' '"x"' '{"city":null}'; do
	prompt legacy test_prompt_with_arguments "$a"
	expect 200 1 -32602 "$a is no object of strings"
done
prompt legacy test_prompt_with_arguments '{"city":"Ulm","times":""}'
is "$(jq -r '.result.messages[1].content.text' "$BODY")" "Ulm|1" "an empty text is no number, but none"
for n in NO_SUCH A_ACTING ECHO A_UNSEEN A_SECRET_AGENT; do
	prompt modern "$n" '{}'
	expect 400 1 -32602 "'$n' is no prompt"
done
prompt modern B_CLOSED '{}'
is "$(status) $(jq -c '[.error.code,.error.data.error]' "$BODY")" '401 [-32000,"unauthorized"]' "one that may be read and not called says why"
NAME=ECHO modern 1 prompts/get '"name":"test_simple_prompt"'
expect 400 1 -32020 "Mcp-Name repeats the name"
owner POST /api/tokens '{"scope":"row:B_CLOSED","purpose":"t","max_body_bytes":2}' >/dev/null
TOKEN=$(jq_get .token) FINGERPRINT=$(jq_get .fingerprint)
prompt modern B_CLOSED '{}' -H "authorization: Bearer $TOKEN"
is "$(status) $(jq '.result.messages|length' "$BODY")" "200 1" "a token gets the prompt of its row"
prompt modern B_CLOSED '{"a":"b"}' -H "authorization: Bearer $TOKEN"
like "$(jq -r .error.message "$BODY")" '^payload_ceiling:9>2$' "… within its limits"
owner DELETE "/api/tokens/$FINGERPRINT" >/dev/null
prompt modern B_CLOSED '{}' -H "authorization: Bearer $TOKEN"
is "$(status) $(jq -r .error.message "$BODY")" "401 revoked" "… as long as it is not revoked"

# Pictures, sounds and contracts in a prompt
kinds() { jq -c '[.result.messages[].content|[.type,(.text // .mimeType // .resource.uri)]]' "$BODY"; }
agent B_PARTS '# WHAT: parts
# SAFE: yes
data:image/png;base64,iVBORw0K
data:audio/wav;base64,UklGRg==

  rowcall://contract/ECHO
Look at them:
data:application/zip;base64,AAAA
data:image/png;base64,not base64
rowcall://contract/A_UNSEEN
rowcall://contract/B_PARTS and more' '{"type":"object","properties":{"one":{"type":"string"}}}'
prompt modern B_PARTS '{"one":"rowcall://contract/NOW"}' -H "x-terminal-key: $KEY"
is "$(kinds)" '[["text","# WHAT: parts\n# SAFE: yes"],["image","image/png"],["audio","audio/wav"],["resource","rowcall://contract/ECHO"],["text","Look at them:\ndata:application/zip;base64,AAAA\ndata:image/png;base64,not base64\nrowcall://contract/A_UNSEEN\nrowcall://contract/B_PARTS and more"],["resource","rowcall://contract/NOW"]]' \
	"what stands alone on a line and is a picture, a sound or a contract that the caller sees is a message of its own"
is "$(jq -c '.result.messages[1].content|[.data,.mimeType]' "$BODY")" '["iVBORw0K","image/png"]' "… a picture with its bytes"
text=$(jq -r '.result.messages[3].content.resource|.mimeType,.text' "$BODY")
is "$text" "text/markdown
$(owner GET '/api/dispatch?key=ECHO&format=markdown')" "… a contract as resources/read gives it"
prompt legacy B_PARTS '{"one":"data:image/gif;base64,R0lG"}' -H "x-terminal-key: $KEY"
is "$(jq -c '.result.messages[-1].content' "$BODY")" '{"type":"image","mimeType":"image/gif","data":"R0lG"}' "… for clients of the older versions too, and in an argument"
for n in 19 20 21; do
	owner PATCH /api/directory/B_PARTS "$(jq -nc --argjson n "$n" '{content:("# SAFE: yes\n" + "rowcall://contract/ECHO\n" * $n + "end")}')" >/dev/null
	prompt modern B_PARTS '{}' -H "x-terminal-key: $KEY"
	is "$(jq -c '[.result.messages[].content|select(.type=="resource")]|length' "$BODY") $(jq -r '.result.messages[-1].content.text' "$BODY" | wc -l)" \
		"$((n < 20 ? n : 20)) $((n > 20 ? 2 : 1))" "of $n contracts at most 20 are looked up"
done

# completion/complete
# complete ERA REF ARGUMENT VALUE: what is given out, as one line.
complete()
{
	cm_params="\"ref\":$2,\"argument\":{\"name\":\"$3\",\"value\":\"$4\"}"
	if [ "$1" = modern ]; then modern 1 completion/complete "$cm_params"; else legacy 1 completion/complete "{$cm_params}"; fi
	jq -c 'if .error then .error.code else .result.completion|[.values,.total,.hasMore] end' "$BODY"
}
T='{"type":"ref/resource","uri":"rowcall://contract/{key}"}'
P='{"type":"ref/prompt","name":"test_prompt_with_arguments"}'
for era in legacy modern; do
	is "$(complete $era "$T" key a_)" '[["A_BARE","A_ACTING","A_BLOCK","A_SECRET_AGENT","A_SENSITIVE"],5,false]' "keys of resources are completed, in whatever case ($era)"
	is "$(complete $era "$P" city B)" '[["Bonn","Berlin"],2,false]' "values that the schema allows ($era)"
done
is "$(complete legacy "$T" key ECHO)" '[["ECHO"],1,false]' "the whole key is one"
is "$(complete legacy "$T" key ECHOO)" '[[],0,false]' "… nothing begins with more than is there"
is "$(complete legacy "$P" city '')" '[["Ulm","Bonn","Berlin"],3,false]' "nothing typed offers all"
is "$(complete legacy "$P" times '')" '[["3","12","1","7"],4,false]' "examples, the default and the row's own example are offered"
is "$(complete legacy "$P" dry t)" '[["true"],1,false]' "… and the two truth values"
is "$(complete legacy '{"type":"ref/prompt","name":"A_BARE"}' body '')" '[["x"],1,false]' "… and the example string of a row without a schema"
for r in '{"type":"ref/prompt","name":"NO_SUCH"}' '{"type":"ref/prompt","name":"B_CLOSED"}' '{"type":"ref/prompt","name":"ECHO"}' '{"type":"ref/prompt"}' '{"type":"ref/resource","uri":"rowcall://contract/ECHO"}' \
	'{"type":"ref/x"}' '{}' '[]' 7 "$P" "$T"; do
	is "$(complete modern "$r" none x)" -32602 "nothing completes the argument none of $r"
done
modern 1 completion/complete "\"ref\":$T,\"argument\":{\"name\":\"key\"}"
expect 400 1 -32602 "what is typed is needed"

# A hundred values, one less and one more
enum() { owner PATCH /api/directory/test_prompt_with_arguments "$(jq -nc --argjson n "$1" '{input_schema:{type:"object",properties:{city:{enum:[range($n)|"v\(.)"]}}}}')" >/dev/null; }
for n in 99 100 101; do
	enum $n
	is "$(complete modern "$P" city v | jq -c '[(.[0]|length),.[1],.[2]]')" "[$((n < 100 ? n : 100)),$n,$([ $n -gt 100 ] && echo true || echo false)]" "of $n values at most 100 are given"
done

is "$(owner GET '/api/dispatch?ledger=1' | jq .count)" 0 "nothing has run"

done_testing
