#!/bin/sh
# Rows in the forms of others: the OpenAPI document, tool definitions, llms.txt, calls by a client made from the document;
# one set of rows in all of them for each credential; and schemas that could be shown in none are refused at the write.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

NODE=$SOURCE/t/node
[ -d "$NODE/node_modules" ] || bail "t/node has no packages: run ./bootstrap check"
rc_start --set 'anonymous=cat:open,row:ECHO' || bail "the service did not start"
C=/api/dispatch
put() { owner PUT "/api/directory/$1" "$2" >/dev/null; [ "$(status)" -lt 300 ] || diag "$1: $(cat "$BODY")"; }
# row WHAT MEMBERS: an echo; typed WHAT SCHEMA [MEMBERS]. All as JSON.
row()
{
	case $2 in *'"examples"'*) row_examples='' ;; *) row_examples=',"examples":["x"]' ;; esac
	printf '{"type":"fn","target":"echo","content":"# WHAT: %s\\n# WHEN_TO_USE: in tests\\n# OUTPUT: the text\\n# EFFECTS: none"%s%s}' "$1" "$row_examples" "$2"
}
typed() { row "$1" ",\"input_schema\":$2${3:+,$3}"; }
doc() { api GET /api/openapi.json >"$1"; }
owner_doc() { owner GET /api/openapi.json >"$1"; }
keys_of() { jq -r '.paths|keys_unsorted[]|select(test("^/api/run/[A-Za-z_][A-Za-z0-9_]*$"))|ltrimstr("/api/run/")' "$1"; }

put OPEN_A "$(typed 'Opens <b> \"a\" & é.' '{"type":"object","properties":{"text":{"type":"string","default":"none"},"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}' '"category":"open","examples":["hello|3"]')"
put OPEN_B "$(row 'Without a schema.' ',"category":"open","planner_rank":1')"
put SECRET_UPSTREAM '{"type":"http","target":"GET https://upstream.hidden.test/$1","auth":"bearer:HIDDEN_NAME","content":"# WHAT: Calls.","input_schema":{"properties":{"a":{"type":"string"}}}}'
put REFS "$(typed 'References.' '{"properties":{"a":{"$ref":"#/$defs/p","description":"first"},"b":{"$ref":"#p"}},"anyOf":[{"required":["a"]},{"required":["b"]}],"$defs":{"p":{"$anchor":"p","type":"object","properties":{"x":{"type":"number"}}}}}' '"planner_rank":5,"examples":[["{\"x\":1}"]]')"
put OLD "$(typed 'Draft-07.' '{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"l":{"items":[{"type":"string"}],"additionalItems":false}}}')"
put UNPLANNED "$(typed 'Hidden from planners.' '{"properties":{"a":{}}}' '"planner_visible":0')"
put DISABLED "$(typed 'Disabled.' '{"properties":{"a":{}}}' '"enabled":0')"
put ODD_NAME "$(typed 'An argument with an odd name.' '{"properties":{"gr\u00f6\u00dfe":{}}}')"
put SENSITIVE "$(typed 'Sensitive.' '{"properties":{"a":{}}}' '"sensitive":1,"category":"open"')"
put get_directory "$(typed 'Its key looks like a name of the interface.' '{}')"

run() { "$1" POST "/api/run/$2" "$3" >/dev/null; echo "$(status) $(jq -r '.error // .result' "$BODY")"; }

# --- OpenAPI
owner_doc "$TMP/o.json"
is "$(header content-type)" application/json "the document is JSON"
ok "it is valid before two validators" node "$NODE/validate.mjs" "$TMP/o.json"
jq 'del(.info.title)' "$TMP/o.json" >"$TMP/broken.json"
ok "… which find what is wrong in another" eval '! node "$NODE/validate.mjs" "$TMP/broken.json"'
ok "every row's schema compiles, and every example fits" node "$NODE/schemas.mjs" "$TMP/o.json"
is "$(jq -r .openapi "$TMP/o.json"),$(jq -r '.servers[0].url' "$TMP/o.json")" "3.1.0,$BASE" "it says its version and address"
is "$(keys_of "$TMP/o.json")" "$(owner GET '/api/directory?enabled=1' | jq -r '.rows[].key')" "every enabled row is an operation, in canonical order"
is "$(jq -r '.paths[][].operationId' "$TMP/o.json" | sort | uniq -d)" '' "no operationId stands twice"
is "$(jq -r '.paths|to_entries[]|select(.key|test("^/api/run/\\w+$"))|select(.value.post.operationId != (.key|ltrimstr("/api/run/")))|.key' "$TMP/o.json")" '' "that of a row is its key"
is "$(jq -r '.paths|to_entries[]|select(.key|test("^/api/run/\\w+$")|not)|.value[].operationId|select(contains("-")|not)' "$TMP/o.json")" '' "that of the interface has a hyphen"
is "$(jq -r '.paths["/api/run/OPEN_A"].post["x-contract"]' "$TMP/o.json")" "$(owner GET /api/directory/OPEN_A | jq -r .contract)" "x-contract is the digest of the row's contract"
is "$(jq -c '.paths["/api/run/OPEN_A"].post.requestBody.content["application/json"].examples.example.value' "$TMP/o.json")" '{"text":"hello","n":3}' "the example has names and types"
is "$(jq -c '.paths["/api/run/OPEN_B"].post.requestBody.content["application/json"].examples.example.value' "$TMP/o.json")" '{"body":"x"}' "… or the one string of a row without a schema"
is "$(jq -r '.paths["/api/run/OPEN_A"].post.summary' "$TMP/o.json")" 'Opens <b> "a" & é.' "texts arrive as they are"
is "$(jq -c '[.paths["/api/run/OPEN_A","/api/run/REFS","/api/run/SENSITIVE"].post|.security // [] | any(. == {})]' "$TMP/o.json")" '[true,false,false]' "it says which rows anybody may call"
is "$(jq -r '.paths["/api/run/SENSITIVE"].post["x-risk"]' "$TMP/o.json")" high "… and which are of high risk"
unlike "$(cat "$TMP/o.json")" 'upstream\.hidden|HIDDEN_NAME|'"$KEY" "no upstream, no variable and no key is in it"
is "$(api GET $C | jq -r '.endpoints[]|"\(.method) \(.path)"' | sort -u)" \
	"$(jq -r '.paths|to_entries[]|select(.key|test("^/api/run/\\w+$")|not)|.key as $p|.value|keys[]|"\(ascii_upcase) \($p)"' "$TMP/o.json" | sort -u)" "every endpoint of the interface is in it, and no other"
is "$(jq -r '.paths["/api/directory/{key}"].patch.requestBody.content["application/json"].schema["$ref"]' "$TMP/o.json"),$(jq -r '.components.schemas.RowPatch.properties|length' "$TMP/o.json")" '#/components/schemas/RowPatch,13' "a PATCH has its 13 fields"
is "$(jq -c '[.paths[][].security // empty|length]|unique' "$TMP/o.json" | jq 'length > 2')" true "who may call differs between operations"

# kept, tagged, changed
tag=$(owner GET /api/openapi.json >/dev/null; header etag)
for i in 1 2 3 4; do owner GET /api/openapi.json >/dev/null; header etag; done >"$TMP/tags"
is "$(sort -u "$TMP/tags")" "$tag" "every worker gives the same document"
owner GET /api/openapi.json '' -H "if-none-match: $tag" >/dev/null
is "$(status)" 304 "who has it already is told so"
owner PATCH /api/directory/OPEN_B '{"examples":["y"]}' >/dev/null
owner GET /api/openapi.json '' -H "if-none-match: $tag" >/dev/null
is "$(status)" 200 "a row that changed gives another"
like "$(header vary),$(header cache-control)" '^Authorization.*,private, no-cache$' "it is the credential's own"
api HEAD /api/openapi.json >/dev/null
is "$(status)" 200 "HEAD works"
api GET '/api/openapi.json?x=1' >/dev/null
is "$(status) $(jq_get .error)" '400 unknown_field' "it takes no parameters"

# by credential
doc "$TMP/a.json"
is "$(keys_of "$TMP/a.json" | tr '\n' ' ')" 'ECHO OPEN_A OPEN_B SENSITIVE ' "somebody without a credential sees the readable rows alone"
ok "… in a valid document" node "$NODE/validate.mjs" "$TMP/a.json"
is "$(jq -cS .paths "$TMP/a.json" | jq -c 'with_entries(select(.key|test("^/api/run/\\w+$")|not))|keys')" "$(jq -cS .paths "$TMP/o.json" | jq -c 'with_entries(select(.key|test("^/api/run/\\w+$")|not))|keys')" "the interface is the same for all"

# --- tools
tools() { "$1" GET "$C?tools=$2" | tee "$TMP/$2.json" | jq -r '.tools[]|(.function // .).name' | tr '\n' ' '; }
names=$(tools owner anthropic)
is "$names" 'REFS OLD OPEN_A SECRET_UPSTREAM SENSITIVE WEATHER get_directory ' "the tools are callable typed rows that planners see, by rank and key"
is "$(tools owner openai)" "$names" "… the same for both vendors"
is "$(tools api anthropic)" 'OPEN_A ' "… and what the credential may call"
owner GET "$C?tools=anthropic" >"$TMP/anthropic.json"
is "$(jq -c '[keys, (.tools|map(keys)|unique[])]' "$TMP/anthropic.json")" '[["tools"],["description","input_schema","name"]]' "a definition has the vendor's members and no other"
is "$(jq -c '[(.tools|map(keys)|unique[]), (.tools|map(.function|keys)|unique[])]' "$TMP/openai.json")" '[["function","type"],["description","name","parameters"]]' "… of either vendor"
ok "every schema compiles, and keeps the rules of strict clients" node "$NODE/schemas.mjs" "$TMP/anthropic.json"
ok "… in either form" node "$NODE/schemas.mjs" "$TMP/openai.json"
is "$(jq -c '.tools[]|select(.name=="REFS").input_schema' "$TMP/anthropic.json")" '{"type":"object","properties":{"a":{"description":"first","type":"object","properties":{"x":{"type":"number"}}},"b":{"type":"object","properties":{"x":{"type":"number"}}}}}' "references are written out, alternatives are left to the row"
is "$(jq -c '.tools[]|select(.name=="OLD").input_schema.properties.l' "$TMP/anthropic.json")" '{"prefixItems":[{"type":"string"}],"items":false}' "draft-07 is put into the words of 2020-12"
is "$(jq -r '.tools[]|select(.name=="REFS").description' "$TMP/anthropic.json" | tr '\n' '|')" 'References.|When to use: in tests|Returns: the text|Effects: none|' "the description is the docstring's"
is "$(owner GET "$C?tools=openai&category=open" | jq -c '[.tools[].function.name]')" '["OPEN_A","SENSITIVE"]' "a category selects"
tag=$(owner GET "$C?tools=openai" >/dev/null; header etag)
owner GET "$C?tools=openai" '' -H "if-none-match: $tag" >/dev/null
is "$(status)" 304 "tools have a tag too"
for bad in '' google ANTHROPIC; do
	api GET "$C?tools=$bad" >/dev/null
	is "$(status) $(jq_get .error) $(jq_get .field)" '400 bad_parameter tools' "there is no form '$bad'"
done

# --- a token
owner POST /api/tokens '{"scope":"row:REFS"}' >/dev/null
TOKEN=$(jq_get .token)
bearer() { request "$1" "$2" "${3-}" -H "authorization: Bearer $TOKEN"; cat "$BODY"; }
bearer GET /api/openapi.json >"$TMP/t.json"
is "$(keys_of "$TMP/t.json" | tr '\n' ' ')" 'ECHO OPEN_A OPEN_B REFS SENSITIVE ' "a token sees its scope, and what everybody sees"
is "$(tools bearer anthropic)" 'REFS ' "its tools are what it may call"
is "$(run bearer REFS '{"a":{"x":1}}'),$(run bearer OPEN_A '{"n":1}')" '200 {"x":1},403 scope_mismatch' "… and it calls that alone"
owner POST /api/tokens '{"scope":"row:REFS","body_fixed":"x"}' >/dev/null
TOKEN=$(jq_get .token)
is "$(tools bearer openai),$(run bearer REFS '{}'),$(run bearer REFS '{"a":{}}')" 'REFS ,200 x,403 body_not_allowed:fixed_body_only' "a token that has its own body calls its tool without arguments"

# --- calls by the operations
put ADD "$(printf '{"type":"fn","target":"echo","content":"# WHAT: Lays arguments.\\n[\\"$2/$1/$text\\"]","examples":[""],"category":"open","input_schema":%s}' '{"type":"object","properties":{"text":{"type":"string","default":"none"},"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}')"
is "$(run api ADD '{"n":5,"text":"a|b"}')" '200 5/a|b/a|b' "named arguments are laid onto slots, pipes and all"
is "$(run api ADD '{"n":5}')" '200 5/none/none' "defaults are filled in"
is "$(run api ADD '{"n":"5"}')" '422 args_invalid' "they are validated before anything runs"
is "$(jq -c '[.ran,.errors[0].path]' "$BODY")" '[false,"/n"]' "… and the answer says where"
is "$(run api ADD '{"n":5,"key":"ECHO"}')" '422 args_invalid' "a field of a call is an argument here"
is "$(run api OPEN_B '{"body":"a|b"}')" '200 a' "a row without a schema takes its string as body"
is "$(run api OPEN_B '{}')" '200 ' "… or none"
is "$(run api OPEN_B '{"body":5}'),$(run api OPEN_B '{"text":"a"}'),$(run api OPEN_B '{"body":"a","x":1}')" '422 args_invalid,422 args_invalid,422 args_invalid' "… and nothing else"
api POST $C '{"key":"OPEN_B","args":{"body":"a|b"}}' >/dev/null
is "$(jq_get .result)" a "dispatch takes that too"
is "$(run api SENSITIVE '{"a":1}'),$(run api REFS '{"a":{}}'),$(run owner NOPE '{}')" '401 unauthorized,404 unknown_key,404 unknown_key' "the gate is that of dispatch"
is "$(run owner DISABLED '{}')" '409 row_disabled:DISABLED' "… for a disabled row too"
run owner 'ADD?shape=1' '{"n":5}' >/dev/null
is "$(jq -c '[.ran,.kind,.shaped.args]' "$BODY")" '[false,"shaped_dry_run",["5/none/none"]]' "shape builds and sends nothing"
digest=$(owner GET /api/directory/ADD | jq -r .contract)
is "$(run owner "ADD?contract=$digest" '{"n":5}')" '200 5/none/none' "the contract that was read is current"
old=$(printf '0%.0s' $(seq 64))
is "$(run owner "ADD?contract=$old" '{"n":5}')" "409 contract_changed:$old!=$digest" "… or nothing runs"
is "$(run owner 'ADD?shape=true' '{"n":5}'),$(run owner 'ADD?sahpe=1' '{"n":5}')" '400 bad_parameter,400 unknown_field' "misspelt parameters fire nothing"
owner GET /api/run/ADD >/dev/null
is "$(status) $(header allow)" '405 POST, OPTIONS' "only POST runs anything"
owner POST /api/run/ADD '{"n":5}' >/dev/null
id=$(jq_get .proof.invocation_id)
is "$(owner GET "$C?receipt=$id" | jq -c '[.key,.input]')" '["ADD","{\"n\":5}"]' "a call has its receipt, with its arguments"

# A client that knows nothing but the document.
export NODE_EXTRA_CA_CERTS="$CACERT"
owner_doc "$TMP/o.json"
printf '%s\t%s\t%s\n' ADD null '{"n":7,"text":"é \"q\""}' OPEN_B null '{"body":"x y"}' ADD '{"shape":1}' '{"n":1}' get-directory-key '{"key":"ADD"}' null \
	get-dispatch '{"confirm":"'"$id"'"}' null patch-directory-key '{"key":"ADD"}' '{"category":"open"}' SENSITIVE null '{"a":1}' >"$TMP/calls"
node "$NODE/client.mjs" "$TMP/o.json" <"$TMP/calls" >"$TMP/anybody"
OWNER_KEY=$KEY node "$NODE/client.mjs" "$TMP/o.json" <"$TMP/calls" >"$TMP/owner"
is "$(cut -c1-3 "$TMP/owner" | tr '\n' ' ')" '200 200 200 200 200 200 200 ' "a client made from the document calls rows and the interface"
is "$(cut -c1-3 "$TMP/anybody" | tr '\n' ' ')" '200 200 200 200 200 401 401 ' "… without a credential as far as that goes"
is "$(sed -n 1p "$TMP/anybody" | cut -c5- | jq -r .result)" '7/é "q"/é "q"' "… and its arguments arrive"

# --- strict
put STRICT "$(printf '{"type":"fn","target":"echo","content":"# WHAT: Strict.\\n[\\"$1,$2,$3\\"]","examples":["1|a"],"category":"open","input_schema":%s}' '{"x-strict":true,"properties":{"n":{"type":"integer","minimum":1},"s":{"type":"string","maxLength":3},"d":{"default":true,"type":"boolean"}},"required":["n"]}')"
put LOOSE "$(printf '{"type":"fn","target":"echo","content":"# WHAT: Loose.\\n[\\"$1\\"]","examples":["1"],"category":"open","input_schema":%s}' '{"x-strict":"yes","properties":{"n":{"type":"integer"}},"additionalProperties":false}')"
say() { api POST $C "$1" >/dev/null; echo "$(status) $(jq -r '.error // .result' "$BODY")"; }
fetch() { api GET "$C?invoke=$1" >/dev/null; echo "$(status) $(jq -r '.error // .result' "$BODY")"; }
is "$(say '{"key":"STRICT","body":"5|ab"}')" '200 5,ab,true' "x-strict: a string is split, typed, validated, and gets its defaults"
is "$(say '{"key":"STRICT","body":"0"}'),$(say '{"key":"STRICT","body":"5|abcd"}'),$(say '{"key":"STRICT","body":""}')" '422 args_invalid,422 args_invalid,422 args_invalid' "… or nothing runs"
is "$(say '{"key":"STRICT","args":["5","ab"]}'),$(say '{"key":"STRICT","args":["x"]}')" '200 5,ab,true,422 args_invalid' "an array too"
is "$(fetch 'STRICT&body=5%7Cab')" '200 5,ab,true' "and a call by a URL alone"
is "$(fetch 'STRICT&body=x')" '422 args_invalid' "… that runs nothing either"
is "$(jq -c '[.ran,.errors[0].path]' "$BODY")" '[false,"/n"]' "… and says where"
is "$(say '{"key":"LOOSE","body":"x|y"}')" '200 x' "without x-strict true a string is taken as it is"

# --- schemas that could be shown in no form
refused() { put_ow=$(owner PUT /api/directory/HOSTILE "$(typed x "$1")"); is "$(status) $(jq_get .error) $(jq_get .field) $(jq_get .state_changed)" '422 bad_schema input_schema false' "$2: $(jq_get .detail | cut -c1-100)"; }
refused '{"properties":{"t":{"$ref":"#"}}}' "a schema that contains itself is refused"
refused '{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}' "references that go round are"
refused '{"properties":{"a":{"$ref":"https://example.test/schema.json"}}}' "a reference into the network is"
refused '{"properties":{"a":{"$ref":"file:///etc/passwd"}}}' "a reference to a file is"
refused '{"properties":{"a":{"$dynamicRef":"#m"}},"$dynamicAnchor":"m"}' "a dynamic one is"
refused '{"$schema":"https://example.test/dialect"}' "another dialect is"
refused '{"properties":{"a":{"pattern":"(((((((((((((((((((((((((((((((a)))))))))))))))))))))))))))))))"}}}' "a pattern nested too deep is"
refused "{\"properties\":{\"a\":{\"pattern\":\"$(printf 'x%.0s' $(seq 4097))\"}}}" "a pattern that is too long is"
bomb='"z":{}' below=z
for l in y x w v u t s r q p o n m l k j i h g f e d c b a; do bomb="\"$l\":{\"prefixItems\":[{\"\$ref\":\"#/\$defs/$below\"},{\"\$ref\":\"#/\$defs/$below\"}]},$bomb" below=$l; done
refused "{\"properties\":{\"a\":{\"\$ref\":\"#/\$defs/a\"}},\"\$defs\":{$bomb}}" "one that multiplies itself is"
put SLOW "$(typed x '{"x-strict":true,"properties":{"a":{"type":"string","pattern":"^(a+)+$"}}}' '"category":"open"')"
is "$(say "{\"key\":\"SLOW\",\"body\":\"$(printf 'a%.0s' $(seq 60))!\"}")" '422 args_invalid' "a pattern that never ends on some text is given up"
owner GET /api/directory/HOSTILE >/dev/null
is "$(status)" 404 "none of them was stored"

# --- Markdown: a row's words stay words in its own place
owner PUT /api/directory/MARKUP "$(jq -nc '{type:"fn",target:"echo",runner:"r](x)<b>",category:"cat\n## [NOW](https://evil.example/c)",examples:["x"],
	content:"# WHAT: good [NOW](https://evil.example/w) <img src=https://evil.example/i>\n# - [NOW](https://evil.example/n): a line\n# WHEN_TO_USE: ![x](https://evil.example/p) <https://evil.example/a>\n# INPUT: [x](https://evil.example/i)\n# OUTPUT: <a href=https://evil.example/o>"}')" >/dev/null
is "$(status)" 201 "a row whose words are markup"
links() { grep -nE '\]\([^)]*evil|(^|[^\\])<[a-zA-Z/!?]|^ *(#|-|[0-9]+\.).*\]\([^)]*evil' "$1"; }
owner GET '/api/dispatch?key=MARKUP&format=markdown' >"$TMP/markup.md"
ok "its contract document holds the words" grep -q 'good \[NOW\]' "$TMP/markup.md"
is "$(links "$TMP/markup.md")" '' "… and none of them is a link, an image or HTML"
is "$(grep -c '^#' "$TMP/markup.md")" "$(owner GET '/api/dispatch?key=NOW&format=markdown' | grep -c '^#')" "… nor a heading"
owner GET /llms.txt >"$TMP/markup.txt"
ok "llms.txt holds them too" grep -q 'good \[NOW\]' "$TMP/markup.txt"
is "$(links "$TMP/markup.txt")" '' "… as words"
is "$(grep -c '^- \[NOW\]' "$TMP/markup.txt")" 1 "… and a row has one line, its own"
owner DELETE /api/directory/MARKUP >/dev/null

# --- llms.txt
api GET /llms.txt >"$TMP/a.txt"
is "$(status) $(header content-type)" '200 text/plain; charset=utf-8' "llms.txt is text"
is "$(head -1 "$TMP/a.txt"),$(sed -n 3p "$TMP/a.txt" | cut -c1)" '# Rowcall,>' "… in its form: a title, a quote"
is "$(sed -n 's/^- \[\([A-Za-z_0-9]*\)\](.*[?&]key=.*/\1/p' "$TMP/a.txt" | tr '\n' ' ')" 'OPEN_B ADD LOOSE OPEN_A SENSITIVE SLOW STRICT ECHO ' "it lists readable rows by category, rank and key"
like "$(cat "$TMP/a.txt")" "^- \[OPEN_A\]\($BASE/api/dispatch\?key=OPEN_A&format=markdown\): Opens \\\\<b> \"a\" & é\.$" "… each with a link to its contract"
for step in ask= key=KEY confirm=inv_ 'POST'; do like "$(cat "$TMP/a.txt")" "$BASE/api/dispatch.*|POST" "the loop is there: $step"; done
link=$(sed -n 's/^- \[OPEN_A\](\([^)]*\)).*/\1/p' "$TMP/a.txt")
is "$(curl -sS --cacert "$CACERT" "$link" | sed -n 1p)" '# OIP > OPEN > OPEN_A' "the link leads there"
tag=$(header etag)
api GET /llms.txt '' -H "if-none-match: $tag" >/dev/null
is "$(status)" 304 "it has a tag"
unlike "$(owner GET /llms.txt)" 'DISABLED|upstream\.hidden|HIDDEN_NAME' "nothing hidden is in it"

# --- 880 rows
jq -n '[range(880) | {key: "MANY_\(.)", type: "fn", target: "echo", category: "many_\(. % 3)", examples: ["word|1"],
	content: "# WHAT: Answers with what it was given, as row \(.) does it for the test of many rows.\n# WHEN_TO_USE: in tests\n# OUTPUT: the text",
	input_schema: {type: "object", properties: {text: {type: "string"}, count: {type: "integer"}}, required: ["text"]}}]' >"$TMP/many.json"
ok "many rows are loaded" "$BUILD/rowcall" load -c "$DIR/rowcall.conf" "$TMP/many.json"
owner_doc "$TMP/o.json"
ok "a document with many rows is valid" [ "$(keys_of "$TMP/o.json" | wc -l)" -gt 890 -a "$(node "$NODE/validate.mjs" "$TMP/o.json" | wc -l)" = 0 ]
is "$(owner GET "$C?tools=openai" | jq '.tools|length')" 891 "every typed one is a tool"
owner GET /llms.txt >"$TMP/o.txt"
ok "llms.txt keeps its size ($(wc -c <"$TMP/o.txt") of 65536 bytes)" [ "$(wc -c <"$TMP/o.txt")" -le 65536 -a "$(wc -c <"$TMP/o.txt")" -gt 16384 ]
is "$(grep -c '^## many_' "$TMP/o.txt"),$(grep -c '^- \[[0-9]* more rows\](.*category=many_[012])$' "$TMP/o.txt"),$(grep -c '^- \[WEATHER\]' "$TMP/o.txt")" 3,3,1 "no category pushes out another, and what is left out is counted"
is "$(($(grep -c '^- \[MANY_' "$TMP/o.txt") + $(sed -n 's/^- \[\([0-9]*\) more rows\].*many_.*/\1 +/p' "$TMP/o.txt" | tr -d '\n') 0))" 880 "… to the last"
jq '[.[] | .category = .key | .key |= "X" + .]' "$TMP/many.json" >"$TMP/categories.json"
ok "as many categories are loaded" "$BUILD/rowcall" load -c "$DIR/rowcall.conf" "$TMP/categories.json"
owner GET /llms.txt >"$TMP/o.txt"
ok "… and are bounded too ($(wc -c <"$TMP/o.txt") bytes)" [ "$(wc -c <"$TMP/o.txt")" -le 65536 ]
like "$(cat "$TMP/o.txt")" "^[0-9]+ more rows are not listed here: ask for them" "… and it says how many are left"

# --- the setting strict
rc_stop
DIR=$TMP/strict
rc_start --set anonymous=act --set strict=yes || bail "the strict service did not start"
put LOOSE "$(typed x '{"properties":{"n":{"type":"integer"}},"additionalProperties":false}')"
put PLAIN "$(row x '')"
is "$(say '{"key":"LOOSE","body":"x"}'),$(fetch 'LOOSE&body=x'),$(run api LOOSE '{"n":"x"}')" '422 args_invalid,422 args_invalid,422 args_invalid' "strict = yes: whatever way a call comes, it is validated"
is "$(fetch 'LOOSE&body=5'),$(say '{"key":"LOOSE","args":["5"]}')" '200 5,200 5' "… and runs when it fits"
is "$(say '{"key":"PLAIN","body":"x|y"}')" '200 x' "a row without a schema takes any string"
is "$(say '{"key":"WEATHER","body":"north","shape":true}')" '422 args_invalid' "a dry run is validated too"
rc_stop

# --- contract documents
"$SOURCE/bench/documents" --build "$BUILD" >"$TMP/documents" 2>"$TMP/documents.err"
is "$?" 0 "the scaffolding of contract documents is the same for every row of every type"
diag "$(tail -1 "$TMP/documents")"
is "$(awk '$2 ~ /^(fn|http|agent|flow)$/ && ($3 < 4200 || $3 > 4800)' "$TMP/documents")" '' "… and each is about 4.4 KB"

done_testing
