#!/bin/sh
# Questions in plain words: the answer, its limits, and what a call that came of a question teaches.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start --workers 3 --set anonymous=read,row:ECHO || bail "the service did not start"

expect() { is "$(status) $(jq_get .error)" "$1 $2" "$3"; }
C=/api/dispatch
enc() { jq -rn --arg t "$1" '$t|@uri'; }
# ask TEXT [QUERY]: as the owner; the best key on standard output.
ask() { owner GET "$C?ask=$(enc "$1")${2:-}" >/dev/null; jq -r '.best.key // "none"' "$BODY"; }

is "$(ask 'what is the weather in Paris')" WEATHER "a question finds its row"
is "$(jq -r 'keys_unsorted|join(" ")' "$BODY")" "ask_id count best matches cut" "the answer has its members"
is "$(jq -r '.best|keys_unsorted|join(" ")' "$BODY")" "key what call invoke" "so has the best"
is "$(jq -r '.matches[0]|has("key","what","example","invoke","read")' "$BODY" | sort -u)" true "and a match"
like "$(jq_get .ask_id)" '^ask_[0-9a-z]{26}$' "the owner gets an id"
is "$(header content-type)" application/json "it is JSON"
api GET "$C?ask=weather" >/dev/null
is "$(jq_get .best.key),$(jq_get .ask_id)" WEATHER,null "anybody asks, without an id"
owner HEAD "$C?ask=weather" >/dev/null
is "$(status)" 200 "HEAD is answered"

# A call ready to be sent
ask "upper case letters please" >/dev/null
jq -c .best.call.body "$BODY" >"$TMP/call"
is "$(jq_get .best.call.method) $(jq_get .best.call.url)" "POST $BASE$C" "the call says where it goes"
owner POST $C "$(cat "$TMP/call")" >/dev/null
is "$(status) $(jq_get .ok)" "200 true" "… and runs as it stands"

# Refusals and limits
api GET "$C?ask=" >/dev/null
expect 400 bad_parameter "no words"
api GET "$C?ask=%20%09" >/dev/null
expect 400 bad_parameter "blanks alone"
for wrong in limit=0 limit=51 limit=x budget=255 budget=65537; do
	api GET "$C?ask=x&$wrong" >/dev/null
	expect 400 bad_parameter "$wrong"
done
for right in limit=1 limit=50 budget=256 budget=257 budget=65536; do
	api GET "$C?ask=weather&$right" >/dev/null
	is "$(status)" 200 "$right"
done
is "$(ask 'weather' '&limit=1')/$(jq_get '.matches|length')" WEATHER/1 "limit limits"
ask "time text weather" '&budget=700' >/dev/null
ok "budget limits" [ "$(wc -c <"$BODY")" -le 700 ]
is "$(jq_get .cut)" true "… and says so"
is "$(ask 'weather' '&category=no-such')" none "another category has none of it"

# Nothing
is "$(ask 'what can you do for me')" none "words that say nothing find nothing"
is "$(jq -c '[.count,.matches]' "$BODY") $(jq -r '.categories|length>0' "$BODY")" "[0,[]] true" "then categories are named"
for evil in '"' "'" 'a AND' 'NEAR(' '*' 'what:x' '%00x' '{}' '\' 'SELECT 1; --' '-' '^a' '(((' '🤖' 'ﷺ'; do
	owner GET "$C?ask=$(enc "$evil")" >/dev/null
	is "$(status) $(jq -r 'has("matches")' "$BODY")" "200 true" "no text does harm: $evil"
done

# Learning
is "$(ask 'squeaky wheelbarrow')" none "words that nobody said yet"
id=$(jq_get .ask_id)
owner POST $C "{\"key\":\"SHA256\",\"body\":\"x\",\"ask\":\"$id\"}" >/dev/null
is "$(jq_get .ok)" true "a call that names the question"
n=0
for _ in 1 2 3 4 5 6 7 8; do [ "$(ask 'my squeaky wheelbarrow')" = SHA256 ] && n=$((n + 1)); done
is $n 8 "from then on its words find the row, in every worker"
owner GET "/api/questions?key=SHA256" >/dev/null
is "$(jq -c '[.count,.questions[0].words,.questions[0].actor]' "$BODY")" '[1,"squeaky wheelbarrow","owner:terminal-key"]' "the owner sees what was learned"
ask 'frozen teapot' >/dev/null
id=$(jq_get .ask_id)
api POST $C "{\"key\":\"ECHO\",\"body\":\"x\",\"ask\":\"$id\"}" >/dev/null
is "$(status) $(ask 'frozen teapot')" "200 none" "nobody teaches without a credential"
owner POST $C "{\"key\":\"JSON_GET\",\"body\":\"no json|/x\",\"ask\":\"$id\"}" >/dev/null
is "$(jq_get .ok) $(ask 'frozen teapot')" "false none" "a call that fails does not teach"
owner POST $C "{\"key\":\"ECHO\",\"body\":\"x\",\"ask\":\"$id\",\"shape\":true}" >/dev/null
is "$(status) $(ask 'frozen teapot')" "200 none" "nor does a dry run"
owner POST $C '{"key":"ECHO","body":"x","ask":"ask_unknown"}' >/dev/null
is "$(status) $(jq_get .result)" "200 x" "an unknown id does not hinder a call"
owner POST $C '{"key":"ECHO","body":"x","ask":5}' >/dev/null
expect 422 bad_field "an id that is no string does"
api GET /api/questions >/dev/null
expect 401 unauthorized "others do not see what was learned"
api DELETE /api/questions >/dev/null
expect 401 unauthorized "… nor delete it"
owner DELETE /api/questions/SHA256 >/dev/null
is "$(status) $(jq_get .deleted) $(ask 'squeaky wheelbarrow')" "200 1 none" "the owner lets a row forget"
owner DELETE /api/questions >/dev/null
is "$(status) $(jq_get .deleted)" "200 1" "and all, also what the ready call had taught"

# Fresh, and within what may be read
owner POST /api/directory '{"key":"ZEP","type":"fn","target":"echo","content":"# WHAT: Books a zeppelin.\n[\"$1\"]","examples":["x"]}' >/dev/null
n=0
for _ in 1 2 3 4 5 6 7 8; do [ "$(ask 'zeppelin')" = ZEP ] && n=$((n + 1)); done
is $n 8 "a row that was written is found at once, in every worker"
owner PATCH /api/directory/ZEP '{"planner_visible":0}' >/dev/null
is "$(ask zeppelin)" none "a row that planners do not see is not found"
owner GET "/api/directory/search?q=zeppelin" >/dev/null
is "$(jq_get '.rows[0].key')" ZEP "… but by the search"
owner PATCH /api/directory/ZEP '{"planner_visible":1,"enabled":0}' >/dev/null
is "$(ask zeppelin)" none "a disabled one is not"
owner GET "/api/directory/search?q=zeppelin" >/dev/null
is "$(jq_get .count)" 0 "… by the search neither"

# The function
owner POST /api/directory '{"key":"ASK","type":"fn","target":"ask","content":"# WHAT: Finds rows.\n[\"$1\"]","examples":["x"]}' >/dev/null
owner POST $C '{"key":"ASK","body":"what is the weather in Paris"}' >/dev/null
is "$(jq -r '.result|fromjson|.best.key' "$BODY")" WEATHER "the function gives the same answer"
like "$(jq -r '.result|fromjson|.ask_id' "$BODY")" '^ask_' "… with an id"
id=$(jq -r '.result|fromjson|.ask_id' "$BODY")
owner POST $C "{\"key\":\"UUID\",\"ask\":\"$id\"}" >/dev/null
owner GET "/api/questions?key=UUID" >/dev/null
is "$(jq_get .count)" 1 "… which teaches"

rc_stop
is "$rc_exit" 0 "the service ends well"
done_testing
