#!/bin/sh
# rowcall import and export on a real instance: curl commands, OpenAPI documents, JSON and SQL become rows that are really called; what changed is told; an export gives the
# same bytes again.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

upstream_start
rc_start --allow-upstream "$UPSTREAM" --no-rows || bail "the service did not start"
ROWCALL_DIR=$DIR
export ROWCALL_DIR
mkdir "$TMP/d"
for f in petstore.json events.json notes.yaml shop.yaml tree.json; do sed "s/UPSTREAM/$UPSTREAM/g" "$SOURCE/t/openapi/$f" >"$TMP/d/$f"; done

rowcall() { "$BUILD/rowcall" "$@" </dev/null >"$TMP/out" 2>"$TMP/err"; rc=$?; cat "$TMP/out"; return $rc; }
# call KEY ARGS: args as JSON, or a string; the request as the upstream saw it in $TMP/seen.
call()
{
	owner POST /api/dispatch "$(jq -nc --arg k "$1" --argjson a "$2" '{key:$k} + (if ($a|type) == "string" then {body:$a} else {args:$a} end)')" >/dev/null
	r=$(jq_get '.result // .error')
	printf '%s' "${r#HTTP 200:}" >"$TMP/seen"
}
seen() { jq -r "$1" "$TMP/seen"; }
status_of() { awk -F'\t' -v k="$1" '$1 == k { print $2 }' "$TMP/out"; }
row() { owner GET "/api/directory/$1" >/dev/null; jq_get "$2"; }

# --- a pet store: 3.0, JSON, nullable, allOf, bodies
rowcall import openapi "$TMP/d/petstore.json" --dry-run >/dev/null
is "$?,$(wc -l <"$TMP/out"),$(status_of LIST_PETS)" 0,6,created "a dry run shows the rows"
like "$(cat "$TMP/err")" 'left out: POST /pets/\{petId\}/photo: its body' "and what is left out"
like "$(cat "$TMP/err")" 'nothing is stored; it would be: 6 created' "and stores nothing"
owner GET /api/directory/LIST_PETS >/dev/null
is "$(status)" 404 "really nothing"
rowcall import openapi "$TMP/d/petstore.json" >/dev/null
is "$?" 1 "without a terminal and --yes nothing is stored either"
rowcall import openapi "$TMP/d/petstore.json" --yes >/dev/null
is "$?,$(status_of PLACE_ORDER)" 0,created "with --yes it is"
call LIST_PETS '{}'
is "$(seen '.method + " " + .path')" 'GET /echo/v1/pets' "called: what is not given is not sent"
call LIST_PETS '{"limit":5,"tags":["a b","c"]}'
is "$(seen .path)" '/echo/v1/pets?limit=5&tags=a%20b&tags=c' "called: parameters of the query"
call LIST_PETS '{"limit":101}'
is "$(cat "$TMP/seen")" args_invalid "what the document forbids is refused"
call SHOW_PET_BY_ID '"a/b"'
is "$(seen .path)" '/echo/v1/pets/a%2Fb' "called: a path"
call CREATE_PET '{"body":{"name":"Rex","breed":"pug","owner":null}}'
is "$(seen '.method + .path + .body + .headers["content-type"]')" 'POST/echo/v1/pets{"name":"Rex","breed":"pug","owner":null}application/json' "called: a body of JSON"
call CREATE_PET '{"body":{"name":"Rex","breed":"cat"}}'
is "$(cat "$TMP/seen")" args_invalid "an enum inside allOf holds"
call PLACE_ORDER '"{\"petId\":7,\"quantity\":2,\"note\":\"x y\"}"'
is "$(seen '.body + " " + .headers["content-type"]')" 'petId=7&quantity=2&note=x+y application/x-www-form-urlencoded' "called: a form, from a string"
call UPDATE_PET '{"petId":"1","body":{"name":null}}'
is "$(seen '.method + .body + .headers["content-type"]')" 'PATCH{"name":null}application/merge-patch+json' "called: another media type"
owner GET '/api/dispatch?tools=openai' >/dev/null
unlike "$(cat "$BODY")" 'x-in|x-source' "models see the schema without our keywords"

# --- again
rowcall import openapi "$TMP/d/petstore.json" --yes >/dev/null
like "$(cat "$TMP/err")" '0 created, 0 changed, 6 unchanged' "importing again changes nothing"
owner PATCH /api/directory/LIST_PETS '{"enabled":0,"category":"mine","planner_rank":7}' >/dev/null
jq '.paths["/pets"].get.summary = "Every pet" | del(.paths["/store/order"])' "$TMP/d/petstore.json" >"$TMP/d/next.json"
rowcall import openapi "$TMP/d/next.json" --yes >/dev/null
is "$(status_of LIST_PETS),$(status_of CREATE_PET),$(status_of PLACE_ORDER)" changed,unchanged,gone "what changed, and what the document has no more, is told"
like "$(cat "$TMP/out")" '^LIST_PETS	changed	content$' "with the columns"
is "$(row LIST_PETS '"\(.enabled) \(.category) \(.planner_rank)"')" '0 mine 7' "columns that are not the document's stay as they were set here"
like "$(row LIST_PETS .content)" 'WHAT: Every pet' "the others are new"
is "$(row PLACE_ORDER .key)" PLACE_ORDER "what is gone is not deleted"
rowcall import openapi "$TMP/d/next.json" --yes --only 'listPets' >/dev/null
is "$(wc -l <"$TMP/out")" 1 "a part of a document says nothing about the rest"
rowcall import openapi "$TMP/d/next.json" --yes --remove --atomic >/dev/null
owner GET /api/directory/PLACE_ORDER >/dev/null
is "$(status)" 404 "unless --remove says so"

# --- 3.1
rowcall import openapi "$TMP/d/events.json" --yes --prefix ev >/dev/null
is "$?" 0 "a document of 3.1, with a prefix"
like "$(cat "$TMP/err")" 'note: webhooks: are left out' "webhooks are told"
like "$(cat "$TMP/err")" "put into the secrets file $DIR/secrets.env:" "and which lines the secrets file needs"
like "$(cat "$TMP/err")" '  EV_TOKEN=<the bearer token of token>' "by name"
echo EV_TOKEN=token-canary-1 >>"$DIR/secrets.env"
call EV_EVENTS_LIST '{"kind":"push","where":{"repo":"a&b"}}'
is "$(seen .path)" '/echo/events?kind=push&where%5Brepo%5D=a%26b' "called: deepObject"
like "$(cat "$UPSTREAM_LOG.last")" 'uthorization: Bearer token-canary-1' "with the credential"
rowcall import openapi "$TMP/d/events.json" --yes --prefix ev >/dev/null
unlike "$(cat "$TMP/err" "$TMP/out")" 'EV_TOKEN|canary' "a variable that is there is not asked for again"
call EV_EVENTS_CREATE '{"body":{"title":"x","at":null,"level":"info"}}'
is "$(seen .body)" '{"title":"x","at":null,"level":"info"}' "called: null where it is allowed"
call EV_EVENTS_CREATE '{"body":{"title":"x","at":null,"level":"warn"}}'
is "$(cat "$TMP/seen")" args_invalid "const holds"
call EV_EVENTS_GET '"0"'
is "$(cat "$TMP/seen")" args_invalid "exclusiveMinimum holds"

# --- YAML with anchors, texts, another type
rowcall import openapi "$TMP/d/notes.yaml" --yes >/dev/null
is "$?" 0 "YAML"
call LIST_NOTES '{"on":"no","archived":false}'
is "$(seen .path)" '/echo/notes?page=1&archived=false&on=no' "called: words that are no booleans, and a default"
call ADD_NOTE '"buy milk|and bread"'
is "$(seen '.body + " " + .headers["content-type"]')" 'buy milk|and bread text/plain; charset=utf-8' "called: a text, pipes and all"
call PUT_NOTE '{"note_id":"n 1","body":"<a/>"}'
is "$(seen '.path + .body + .headers["content-type"]')" '/echo/notes/n%201<a/>application/xml' "called: XML"

# --- everything in its place
rowcall import openapi - --yes <"$TMP/d/shop.yaml" >/dev/null 2>&1
"$BUILD/rowcall" import openapi - --yes <"$TMP/d/shop.yaml" >"$TMP/out" 2>"$TMP/err"
is "$?,$(wc -l <"$TMP/out")" 0,13 "a document from standard input"
like "$(cat "$TMP/err")" 'note: GET /same, now SAME_GET_SAME: the key SAME is taken by GET /same/\{a\}' "keys that meet are told"
cat >>"$DIR/secrets.env" <<X
HOST_KEY=shop-key-canary
HOST_BEARER=shop-bearer-canary
HOST_BASIC_USER=ann-canary
HOST_BASIC_PASSWORD=pass-canary
HOST_QUERY=query-canary
HOST_COOKIE=cookie-canary
HOST_OAUTH_TOKEN_URL=http://$UPSTREAM/oauth/token
HOST_OAUTH_CLIENT_ID=client-canary
HOST_OAUTH_CLIENT_SECRET=client-secret-canary
X
call GET_ORDER '{"orderId":12,"fields":["id","total"],"filter_state":"open","orderId_query":"q","X-Trace":"t-9","session_theme":"dark"}'
is "$(seen '[.path, .headers["x-trace"], .headers.cookie] | join(" ")')" '/echo/orders/12.json?fields=id%2Ctotal&filter%5Bstate%5D=open&orderId=q t-9 session_theme=dark' "called: path, query, header, cookie"
like "$(cat "$UPSTREAM_LOG.last")" 'X-Shop-Key: shop-key-canary' "a key in a header"
call GET_ORDER '{"orderId":12,"filter_state":"lost"}'
is "$(cat "$TMP/seen")" args_invalid "an enum holds"
call WITH_BASIC '""'
like "$(cat "$UPSTREAM_LOG.last")" "uthorization: Basic $(printf ann-canary:pass-canary | base64)" "basic"
call WITH_QUERY '""'
like "$(head -1 "$UPSTREAM_LOG.last")" '/echo/query\?api_key=query-canary ' "a key in the query"
call WITH_COOKIE '""'
like "$(cat "$UPSTREAM_LOG.last")" 'Cookie: sid=cookie-canary' "a key in a cookie"
call WITH_OAUTH '""'
like "$(cat "$UPSTREAM_LOG.last")" 'uthorization: Bearer issued-token' "client credentials"
call WITH_BOTH '""'
like "$(tr -d '\r' <"$UPSTREAM_LOG.last" | tr '\n' ' ')" 'X-Shop-Key: shop-key-canary.*Bearer shop-bearer-canary|Bearer shop-bearer-canary.*X-Shop-Key: shop-key-canary' "two at once"

# --- circles, and a large document
rowcall import openapi "$TMP/d/tree.json" --yes >/dev/null
is "$?,$(wc -l <"$TMP/out")" 0,4 "references in circles"
call ADD_NODE '{"body":{"name":"a","children":[{"name":"b","children":[]}]}}'
is "$(seen .body)" '{"name":"a","children":[{"name":"b","children":[]}]}' "called: a tree"
jq -nc --arg u "http://$UPSTREAM/echo" '{openapi:"3.0.0",info:{title:"Large",version:"1"},servers:[{url:$u}],
	paths:([range(200) | {key:"/things\(.)/{id}",value:{get:{operationId:"getThing\(.)",summary:("words " * 300),parameters:[{name:"id",in:"path",required:true,schema:{type:"string"}},{name:"q",in:"query",schema:{"$ref":"#/components/schemas/S\(.)"}}],responses:{"200":{description:("answer " * 400)}}}}}] | from_entries),
	components:{schemas:([range(200) | {key:"S\(.)",value:{type:"object",description:("about " * 150),properties:{a:{"$ref":"#/components/schemas/S\((. + 1) % 200)"},b:{"$ref":"#/components/schemas/S\((. + 7) % 200)"}}}}] | from_entries)}}' >"$TMP/d/large.json"
ok "a document of a megabyte is one" [ "$(wc -c <"$TMP/d/large.json")" -gt 1000000 ]
rowcall import openapi "$TMP/d/large.json" --yes --only '*Thing1?' >/dev/null
is "$?,$(wc -l <"$TMP/out")" 0,10 "some of its operations"
rowcall import openapi "$TMP/d/large.json" --dry-run --prefix l >/dev/null
is "$?,$(grep -c '	created	' "$TMP/out")" 0,200 "and all of them"
call GET_THING12 '{"id":"x","q":{"a":{"b":{}}}}'
like "$(seen .path)" '^/echo/things12/x\?q%5Ba%5D=' "called: one of them"

# --- over the network
( cd "$TMP/d" && exec perl -e 'use IO::Socket::INET; my $l = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1") or die; $| = 1; print $l->sockport, "\n"; my $parent = getppid;
	while (1) { my $r = ""; vec($r, fileno $l, 1) = 1; if (select($r, undef, undef, 1) < 1) { exit 0 if getppid != $parent; next } my $c = $l->accept or next; my $q = <$c>; 1 while defined(my $h = <$c>) && $h =~ /\S/;
	if ($q =~ /notes/) { open my $f, "<", "notes.yaml"; local $/; my $t = <$f>; $t =~ s/^servers:\n.*\n/servers: [{url: \/echo}]\n/m; print $c "HTTP/1.1 200 OK\r\nContent-Length: ", length $t, "\r\n\r\n$t" } else { print $c "HTTP/1.1 302 F\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n" } close $c }' >"$TMP/web.port" ) &
extra_pids="${extra_pids:-} $!"
until [ -s "$TMP/web.port" ]; do sleep 0.05; done
WEB=http://127.0.0.1:$(cat "$TMP/web.port")
rowcall import openapi "$WEB/api/notes.yaml?x=1" --dry-run --prefix web >/dev/null
like "$(cat "$TMP/out")" "WEB_LIST_NOTES	created	GET $WEB/echo/notes$" "a document is fetched, and its servers belong to its address"
rowcall import openapi "$WEB/else" --dry-run >/dev/null
like "$?$(cat "$TMP/err")" '^69.*status 302; give the address' "a redirect is not followed"
rowcall import openapi http://example.org/x.json >/dev/null
like "$?$(cat "$TMP/err")" '^1.*only https' "nor is http elsewhere"
rowcall import openapi "$TMP/none.json" >/dev/null
like "$?$(cat "$TMP/err")" "^66.*No such file" "a file that is not there"
printf '{"swagger":"2.0"}' >"$TMP/d/old.json"
rowcall import openapi "$TMP/d/old.json" >/dev/null
like "$?$(cat "$TMP/err")" '^1.*Swagger 2.0' "an old document"

# --- curl, as browsers copy it
"$BUILD/rowcall" import curl --key FROM_BROWSER >"$TMP/out" 2>"$TMP/err" <<X
curl 'http://$UPSTREAM/echo/api/items/42?q=red%20shoes&page=2' \\
  -X 'POST' \\
  -H 'accept: application/json, text/plain, */*' \\
  -H 'accept-language: en-US,en;q=0.9' \\
  -H 'authorization: Bearer browser-token-canary' \\
  -H 'content-type: application/json' \\
  -b 'sid=browser-cookie-canary; theme=dark' \\
  -H 'sec-ch-ua: "Chromium";v="131"' \\
  -H 'sec-fetch-mode: cors' \\
  -H 'user-agent: Mozilla/5.0 (X11; Linux x86_64)' \\
  --data-raw \$'{"name":"it\\'s","n":3,"deep":{"password":"body-password-canary"}}' \\
  --compressed
X
is "$?,$(status_of FROM_BROWSER)" 0,created "a command as a browser copies it"
owner GET /api/directory/FROM_BROWSER >/dev/null
unlike "$(cat "$BODY" "$TMP/out" "$TMP/err")" canary "no secret of it is in the row or in what is printed"
owner GET /api/directory/FROM_BROWSER/history >/dev/null
unlike "$(cat "$BODY")" canary "nor in its history"
like "$(cat "$TMP/err")" '  HOST_TOKEN=<.*Bearer.*>' "but where it belongs is told"
like "$(cat "$TMP/err")" 'note: password: looks like a credential and is an argument now' "and what it became"
echo HOST_TOKEN=browser-token-canary >>"$DIR/secrets.env"
is "$(row FROM_BROWSER .examples)" '["42|red shoes|2|it'"'"'s|3|..."]' "its example is what stood there"
call FROM_BROWSER '"7|blue|1|x\"y|5|p"'
is "$(seen '.method + .path + .body')" 'POST/echo/api/items/7?q=blue&page=1{"name":"x\"y","n":5,"deep":{"password":"p"}}' "called: with other values"
like "$(tr -d '\r' <"$UPSTREAM_LOG.last" | tr '\n' ' ')" 'Authorization: Bearer browser-token-canary' "with its credential"
unlike "$(cat "$UPSTREAM_LOG.last")" 'Mozilla|en-US' "and without what is the browser's own"
rowcall import curl -k UNQUOTED curl -sSLG "http://$UPSTREAM/echo/s" -d 'q=a b' --data-urlencode 'r=c&d' >/dev/null
is "$?" 0 "the words of a command, without quotes around it"
call UNQUOTED '"x y|z"'
is "$(seen '.method + .path')" 'GET/echo/s?q=x%20y&r=z' "called: -G"
rowcall import curl "curl -u ann:basic-canary http://$UPSTREAM/echo/b --frobnicate" >/dev/null
like "$?$(cat "$TMP/err")" '^1.*--frobnicate' "an unknown option is told"
unlike "$(cat "$TMP/err")" basic-canary "without the secret"
rowcall import curl wget "http://$UPSTREAM/"
like "$?$(cat "$TMP/err")" '^1.*begins with `curl`.*this is none: wget' "so is what is no command of curl"
rowcall import curl "curl -F a=@b http://$UPSTREAM/" >/dev/null
like "$?$(cat "$TMP/err")" '^1.*multipart' "so is a multipart form"

# --- JSON lines and the round trip
rowcall export >/dev/null
cp "$TMP/out" "$TMP/first.jsonl"
is "$(wc -l <"$TMP/first.jsonl")" "$(owner GET '/api/directory?limit=1000' | jq .count)" "an export has every row"
rowcall export LIST_PETS NONE FROM_BROWSER >/dev/null
is "$?,$(wc -l <"$TMP/out")" 66,2 "or those that are named; one that is not there is an error"
DIR1=$DIR rc1=$rc_pid
DIR=$TMP/second
rc_start --allow-upstream "$UPSTREAM" --no-rows || bail "the second service did not start"
ROWCALL_DIR=$DIR
rowcall import jsonl "$TMP/first.jsonl" >/dev/null
is "$?,$(grep -c '	created	' "$TMP/out")" "0,$(wc -l <"$TMP/first.jsonl")" "an empty instance takes all of them"
rowcall export >/dev/null
ok "and its export has the same bytes" cmp "$TMP/first.jsonl" "$TMP/out"
rowcall import jsonl "$TMP/first.jsonl" >/dev/null
like "$(cat "$TMP/err")" '0 created, 0 changed' "importing it again changes nothing"
cat >"$TMP/mixed.jsonl" <<'X'
{"key":"GOOD_ROW","type":"fn","target":"echo","content":"# WHAT: x\n[\"$1\"]","examples":["a"],"sensitive":1,"input_schema":{"type":"object"},"runner":"mine","seq":5}

{"key":"BAD KEY","type":"fn","content":"# WHAT: x","examples":["a"]}
{"key":"MISSPELT","type":"fn","contents":"# WHAT: x","examples":["a"]}
{"key":"GOOD_ROW","type":"fn","target":"now","content":"# WHAT: x","examples":["a"]}
{"key":"NO_EXAMPLE","type":"fn","target":"now","content":"# WHAT: x"}
not json
X
rowcall import jsonl "$TMP/mixed.jsonl" >/dev/null
is "$?,$(status_of GOOD_ROW | tr '\n' ',')$(status_of MISSPELT),$(status_of NO_EXAMPLE)" "1,created,refused,refused,refused" "rows that break a rule are refused one by one, the others stored"
like "$(cat "$TMP/out")" '^MISSPELT	refused	unknown_field contents' "with the reason"
like "$(cat "$TMP/out")" '^NO_EXAMPLE	refused	registry_hygiene_refused: keyless_missing_examples' "the gate's too"
like "$(cat "$TMP/err")" 'left out: line 7: is no row' "and the line of what is no JSON"
echo '{"key":"CUT_OFF"' >"$TMP/cut.jsonl"
rowcall import jsonl "$TMP/cut.jsonl" >/dev/null
is "$?" 1 "which is a failure where it is the only one, too"
is "$(row GOOD_ROW '"\(.sensitive) \(.runner) \(.seq) \(.target)"')" '1 mine 5 echo' "a row comes whole"
rowcall import jsonl "$TMP/mixed.jsonl" --json >/dev/null
is "$(jq -r '[.rows[] | .status] | join(",")' "$TMP/out")" unchanged,refused,refused,refused,refused "for programs as JSON"
printf '%s\n' '{"key":"TOGETHER_1","type":"fn","target":"echo","content":"# WHAT: x\n[\"$1\"]","examples":["a"]}' >"$TMP/together.jsonl"
sed 's/TOGETHER_1/TOGETHER_2/' "$TMP/together.jsonl" >>"$TMP/together.jsonl"
{ cat "$TMP/together.jsonl"; sed -n '/"MISSPELT"/p' "$TMP/mixed.jsonl"; sed -n '/"NO_EXAMPLE"/p' "$TMP/mixed.jsonl"; } >"$TMP/one-bad.jsonl"
rowcall import jsonl "$TMP/one-bad.jsonl" --atomic >/dev/null
is "$?" 1 "--atomic: one row that is refused"
like "$(cat "$TMP/err")" 'rowcall: MISSPELT: unknown_field contents; nothing is stored' "… the first of them is named"
like "$(cat "$TMP/err")" 'nothing is stored; it would be: 2 created' "… and nothing is stored"
owner GET /api/directory/TOGETHER_1 >/dev/null
is "$(status)" 404 "… really nothing"
rowcall import jsonl --json --atomic "$TMP/one-bad.jsonl" >/dev/null
is "$(jq -c '[.stored, (.rows | length)]' "$TMP/out")" '[false,4]' "… which JSON says too"
{ cat "$TMP/together.jsonl"; echo 'not json'; } | "$BUILD/rowcall" import jsonl --atomic >"$TMP/out" 2>"$TMP/err"
is "$?,$(grep -c 'not every line is a row; nothing is stored' "$TMP/err")" 1,1 "… nor with a line that is no row"
# What only the service knows.
{ cat "$TMP/together.jsonl"; jq -nc --arg s "$(sed -n 's/^TERMINAL_KEY=//p' "$DIR/secrets.env")" '{key:"LEAK",type:"fn",target:"now",content:"# WHAT: \($s)",examples:["a"]}'; } |
	"$BUILD/rowcall" import jsonl --atomic >"$TMP/out" 2>"$TMP/err"
like "$?,$(status_of LEAK),$(cat "$TMP/err")" '^1,refused,rowcall: LEAK: .*; nothing is stored' "… nor what the service refuses"
owner GET /api/directory/TOGETHER_1 >/dev/null
is "$(status)" 404 "… and then nothing either"
jq -nc 'range(501) | {key:"MANY_\(.)",type:"fn",target:"now",content:"# WHAT: x",examples:["a"]}' >"$TMP/many.jsonl"
rowcall import jsonl "$TMP/many.jsonl" --atomic >/dev/null
like "$?,$(cat "$TMP/err")" '^1,.*1 to 500 changes; nothing is stored; without --atomic' "… nor more than a batch may have"
rowcall import jsonl "$TMP/together.jsonl" --atomic >/dev/null
is "$?,$(status_of TOGETHER_1),$(status_of TOGETHER_2)" 0,created,created "--atomic: all of them"
rowcall import jsonl "$TMP/together.jsonl" --atomic >/dev/null
is "$?,$(status_of TOGETHER_1)" 0,unchanged "… again"
sed 's/WHAT: x/WHAT: y/' "$TMP/together.jsonl" >"$TMP/changed.jsonl"
rowcall import jsonl "$TMP/changed.jsonl" --atomic >/dev/null
is "$?,$(status_of TOGETHER_1),$(row TOGETHER_2 .content | head -1)" '0,changed,# WHAT: y' "… and changes"
secret=$(sed -n 's/^TERMINAL_KEY=//p' "$DIR/secrets.env")
printf '{"key":"LEAK","type":"fn","target":"now","content":"# WHAT: %s","examples":["a"]}\n' "$secret" | "$BUILD/rowcall" import jsonl >"$TMP/out" 2>"$TMP/err"
is "$?,$(status_of LEAK)" 1,refused "a known secret is refused by the service"
unlike "$(cut -f3 "$TMP/out")$(cat "$TMP/err")" "$secret" "and not repeated"

# --- the original table
cat >"$TMP/dump.sql" <<'X'
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE articles (slug TEXT);
INSERT INTO articles VALUES('x');
CREATE TABLE directory (
  key        TEXT PRIMARY KEY,
  type       TEXT NOT NULL CHECK (type IN ('fn','http','agent','flow')),
  target     TEXT,
  auth       TEXT,
  content    TEXT,
  updated_at TEXT NOT NULL
, category TEXT, allowed_categories TEXT, seq INTEGER, enabled INTEGER DEFAULT 1,
  planner_visible INTEGER DEFAULT 1, planner_rank INTEGER DEFAULT 100,
  input_schema TEXT, examples TEXT, sensitive INTEGER DEFAULT 0, runner TEXT,
  includes TEXT, created_at TEXT, owner TEXT);
INSERT INTO directory VALUES('ZZ_TEST_TEMPERATURE','http','GET https://api.open-meteo.com/v1/forecast?latitude=$1&longitude=$2&current=temperature_2m',NULL,replace('# WHAT: Temperature.\n# ARGS: $1=latitude | $2=longitude','\n',char(10)),'2026-07-26T04:36:19.832Z','test',NULL,NULL,1,1,100,NULL,'["37.77|-122.42"]',0,'edge',NULL,NULL,'me');
INSERT INTO directory VALUES('OLD_ONE','fn','now',NULL,NULL,'2026-06-10 02:22:52',NULL,NULL,NULL,0,1,100,NULL,NULL,0,NULL,NULL,NULL,NULL);
COMMIT;
X
rowcall import sql "$TMP/dump.sql" >/dev/null
is "$?,$(status_of ZZ_TEST_TEMPERATURE),$(status_of OLD_ONE)" 1,created,refused "a dump of the original table; a row that breaks a rule of today is told"
like "$(cat "$TMP/err")" 'left out: owner: the column is left out' "so is a column that rows do not have"
is "$(row ZZ_TEST_TEMPERATURE '"\(.runner) \(.examples)"')" 'edge ["37.77|-122.42"]' "the row is as it was"
rowcall import sql "$TMP/dump.sql" --as-is >/dev/null
is "$?,$(status_of ZZ_TEST_TEMPERATURE),$(status_of OLD_ONE)" 0,unchanged,created "--as-is stores it all the same"
owner GET /api/directory/OLD_ONE/history >/dev/null
is "$(jq_get '.events[0].operation // .[0].operation')" import "as an import"
printf '{"key":"OLD_HTTP","type":"http","target":"nonsense"}\n{"key":"no key","type":"fn"}\n{"key":"NO_TYPE","type":"cron"}\n{"key":"LEAK","type":"fn","content":"%s"}\n' "$secret" >"$TMP/old.jsonl"
rowcall import jsonl "$TMP/old.jsonl" --as-is >/dev/null
is "$?,$(awk -F'\t' '{ print $2 }' "$TMP/out" | tr '\n' ' ')" "1,created refused refused refused " "but not without key and type, nor with a known secret"
owner POST /api/dispatch '{"key":"OLD_HTTP"}' >/dev/null
like "$(jq_get .result)" '^ERR:http:bad_target:' "what is wrong with it shows when it runs"
owner PUT '/api/directory/X?as_is=2' '{"type":"fn"}' >/dev/null
is "$(status),$(jq_get .error)" 400,bad_parameter "as_is is 1 or not there"
rowcall import sql "$TMP/mixed.jsonl" >/dev/null
like "$?$(cat "$TMP/err")" '^1rowcall: .*mixed.jsonl: holds no table `directory`' "what is no dump"
kill "$rc1" 2>/dev/null && wait "$rc1"

done_testing
