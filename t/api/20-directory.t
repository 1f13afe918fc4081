#!/bin/sh
# Directory REST: each route, each refusal, what a reader sees and what nobody may.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start || bail "the service did not start"

# expect STATUS ERROR NAME: of the last answer.
expect() { is "$(status) $(jq_get .error)" "$1 $2" "$3"; }
row() { jq -nc --arg k "$1" '{key: $k, type: "fn", target: "echo", category: "zz", content: "# WHAT: Test row.\n[\"$1+\"]", examples: ["a|b"]}'; }
D=/api/directory

# Writing
owner POST $D "$(row ZZ_A)" >/dev/null
is "$(status)" 201 "POST creates a row"
is "$(header location)" "$BASE$D/ZZ_A" "… and says where it is"
ETAG=$(header etag)
like "$ETAG" '^(W/)?"[0-9a-f]{32}"$' "… with its ETag"
owner POST $D "$(row ZZ_A)" >/dev/null
expect 409 key_exists "POST of a key that exists is refused"
is "$(jq_get .state_changed)" false "… and says that nothing changed"
owner POST $D '{"key":"ZZ_B"}' >/dev/null
expect 400 "key and type required" "POST without a type is refused"
owner POST $D '{"type":"fn"}' >/dev/null
expect 400 "key and type required" "POST without a key is refused"
owner POST $D '{"key":"ZZ_B","type":"cron","content":"x","examples":["a"]}' >/dev/null
expect 422 bad_type "a fifth type is refused"
for k in a.b a/b 'my tool' 天气 -x 'p\u0430y' 'pay\u200b' 'pay\u202e' "$(printf 'A%.0s' $(seq 65))"; do
	owner POST $D "{\"key\":\"$k\",\"type\":\"fn\",\"content\":\"x\",\"examples\":[\"a\"]}" >/dev/null
	expect 422 bad_key "the key $k is refused"
done
owner POST $D "$(row zz_a)" >/dev/null
is "$(status)" 201 "upper and lower case are different keys"
owner POST $D '{"key":"ZZ_B","type":"fn"}' >/dev/null
expect 422 "registry_hygiene_refused: missing_description" "a row without content is refused"
like "$(jq_get .how_to_fix)" '^content \(the docstring' "… and the remedy names content"
owner POST $D '{"key":"ZZ_B","type":"fn","content":"# WHAT: x","sensitive":1}' >/dev/null
expect 422 "registry_hygiene_refused: high_risk_missing_schema" "a sensitive row without a schema is refused"
owner POST $D '{"key":"ZZ_B","type":"fn","content":"# WHAT: x"}' >/dev/null
expect 422 "registry_hygiene_refused: keyless_missing_examples" "a row without auth and examples is refused"
owner POST $D '{"key":"ZZ_B","type":"fn","content":"# WHAT: x","examples":["a"],"colour":"red"}' >/dev/null
expect 400 unknown_field "an unknown field is refused"
is "$(jq_get .field)" colour "… by its name"
owner POST $D '{"key":"ZZ_B","type":"http","target":"GET ftp://x/","content":"# WHAT: x","examples":["a"]}' >/dev/null
expect 422 bad_target "a target that is not http is refused"
owner POST $D '{"key":"ZZ_B","type":"http","target":"GET https://$1/","content":"# WHAT: x","examples":["a"]}' >/dev/null
expect 422 bad_target "a target whose host is an argument is refused"
owner POST $D '{"key":"ZZ_B","type":"http","target":"GET https://example.com/","auth":"headers:{\"x-api-key\":\"abc\"}","content":"# WHAT: x","examples":["a"]}' >/dev/null
expect 422 secret_in_row "a credential header without a \$NAME is refused"
owner POST $D "{\"key\":\"ZZ_B\",\"type\":\"fn\",\"content\":\"# WHAT: $KEY\",\"examples\":[\"a\"]}" >/dev/null
expect 422 secret_in_row "the owner's key in a row is refused"
unlike "$(cat "$BODY")" "$KEY" "… and not repeated"
owner GET $D/ZZ_B >/dev/null
expect 404 not_found "nothing of that was stored"

# Bodies
owner POST $D '{"key":"ZZ_C","key":"ZZ_D","type":"fn"}' >/dev/null
expect 400 invalid_json "a name twice in a body is refused"
owner POST $D '{"k\u0065y":"ZZ_C","key":"ZZ_D","type":"fn"}' >/dev/null
expect 400 invalid_json "a name twice, once escaped, is refused"
owner POST $D '{"key":"\ud800","type":"fn"}' >/dev/null
expect 400 invalid_json "a lone surrogate is refused"
printf '{"key":"ZZ_\300\200","type":"fn"}' >"$TMP/raw"
owner POST $D "@$TMP/raw" >/dev/null
expect 400 invalid_json "malformed UTF-8 is refused"
owner POST $D '[]' >/dev/null
expect 400 invalid_body "a body that is no object is refused"
owner POST $D >/dev/null
expect 400 invalid_body "no body is refused"
owner POST $D '' -d 'key=ZZ_C' >/dev/null
expect 415 unsupported_media_type "a form is refused"
like "$(jq_get .how_to_fix)" 'Content-Type: application/json' "… and the remedy names the header"
owner POST $D '' -H 'content-type:' -d '{}' >/dev/null
expect 415 unsupported_media_type "a body without a type is refused"
owner POST $D "$(row ZZ_E)" -H 'content-type: application/json; charset=utf-8' >/dev/null
is "$(status)" 201 "a charset of utf-8 is fine"
owner DELETE $D/ZZ_E '{}' >/dev/null
expect 400 unexpected_body "a body where none is read is refused"
owner DELETE $D/ZZ_E >/dev/null

# Reading
api GET $D/ZZ_A >/dev/null
is "$(status)" 200 "everybody reads a row"
is "$(jq -r '[.key,.type,.category,.enabled,.examples]|join(" ")' "$BODY")" 'ZZ_A fn zz 1 ["a|b"]' "… its columns"
like "$(jq_get .row_num),$(jq_get .contract)" '^[0-9]+,[0-9a-f]{64}$' "… its place and the digest of its contract"
N=$(jq_get .row_num) DIGEST=$(jq_get .contract)
like "$(header vary)" 'X-Terminal-Key' "… an answer that depends on the credential says so"
like "$(header cache-control)" '^private, no-cache$' "… and is not kept by others"
api GET $D/ZZ_A '' -H "if-none-match: $ETAG" >/dev/null
is "$(status) $(wc -c <"$BODY")" "304 0" "If-None-Match is answered with 304"
api HEAD $D/ZZ_A >/dev/null
is "$(status)" 200 "HEAD works on a row"
api GET "$D?row_num=$N" >/dev/null
is "$(jq_get '.rows[0].key'),$(jq_get .count)" ZZ_A,1 "a row is found by its place"
api GET "$D?category=zz&type=fn" >/dev/null
is "$(jq -r '[.rows[].key]|join(",")' "$BODY"),$(jq_get .count),$(jq_get .cursor)" ZZ_A,zz_a,2,null "filters choose rows"
api GET "$D?q=tEST+row" >/dev/null
is "$(jq_get .count)" 2 "q looks into content, whatever the case"
api GET "$D?limit=3" >/dev/null
is "$(jq_get .count)" 3 "limit bounds a page"
first=$(jq -r '.rows[].key' "$BODY")
api GET "$D?limit=1000&cursor=$(jq_get .cursor)" >/dev/null
rest=$(jq -r '.rows[].key' "$BODY")
api GET $D >/dev/null
is "$first
$rest" "$(jq -r '.rows[].key' "$BODY")" "… and the cursor goes on where it ended"
for bad in limit=0 limit=1001 limit=x row_num=0 type=cron enabled=2; do
	api GET "$D?$bad" >/dev/null
	expect 400 bad_parameter "$bad is refused"
done
for bad in cursor= cursor=x cursor=1. cursor=1x.A cursor=9999999999.A; do
	api GET "$D?$bad" >/dev/null
	expect 400 bad_cursor "$bad is refused"
done
api GET "$D?limits=3" >/dev/null
expect 400 unknown_field "a misspelt parameter is refused"
is "$(jq_get .field)" limits "… by its name"
for bad in 'q=1&q=2' 'q=%zz' 'q=%' '=x' 'q=%00'; do
	api GET "$D?$bad" >/dev/null
	expect 400 bad_query "the query $bad is refused"
done
api GET "$D/search?q=zz+test" >/dev/null
is "$(jq_get .q),$(jq -r '[.rows[0:2][].category]|join(",")' "$BODY")" "zz test,zz,zz" "search puts the rows first that fit best"
api GET $D/search >/dev/null
expect 400 bad_parameter "search without words is refused"
api GET $D/categories >/dev/null
is "$(jq -c '.categories[]|select(.category=="zz")' "$BODY")" '{"category":"zz","count":2}' "categories have counts"
api GET $D/ZZ_NONE >/dev/null
expect 404 not_found "a row that is not there is 404"

# Changing
owner PATCH $D/ZZ_A '{"examples":["c"],"seq":1}' >/dev/null
is "$(status) $(jq -c .fields "$BODY")" '200 ["seq","examples"]' "PATCH says which fields it set"
owner PATCH $D/ZZ_A '{"runner":"edge"}' >/dev/null
is "$(status) $(jq -c '{error}' "$BODY")" '400 {"error":"no recognized fields"}' "PATCH of runner alone is refused"
owner PATCH $D/ZZ_A '{"target":"upper"}' -H "if-match: $ETAG" >/dev/null
expect 412 row_changed "If-Match with an old ETag is refused"
api GET $D/ZZ_A >/dev/null
is "$(jq_get .target),$(jq_get .row_num)" echo,1 "… and nothing changed; a row with seq comes first"
owner PATCH $D/ZZ_A '{"target":"upper"}' -H "if-match: $(header etag)" >/dev/null
is "$(status)" 200 "If-Match with the current one is taken"
owner PATCH $D/ZZ_A '{"content":""}' >/dev/null
expect 422 "registry_hygiene_refused: missing_description" "PATCH may not make a row worse"
owner PATCH $D/ZZ_NONE '{"content":"x"}' >/dev/null
expect 404 not_found "PATCH of a row that is not there is 404"
owner PUT $D/ZZ_P "$(row ZZ_P)" >/dev/null
is "$(status)" 201 "PUT creates a row"
owner PUT $D/ZZ_P "$(row ZZ_P | jq -c '.sensitive=1|.input_schema={type:"object",properties:{a:{type:"string"}}}')" >/dev/null
is "$(status)" 200 "PUT replaces it"
owner PUT $D/ZZ_P "$(row ZZ_P | jq -c '.input_schema={type:"object"}|.category=null')" >/dev/null
owner GET $D/ZZ_P >/dev/null
is "$(jq_get .sensitive),$(jq_get .category)" 1,null "… absent sensitive keeps what was stored, other absent fields take their defaults"
owner PUT $D/ZZ_P "$(row ZZ_OTHER)" >/dev/null
expect 422 bad_key "PUT of another key's row is refused"
for m in POST:$D PUT:$D/ZZ_A PATCH:$D/ZZ_A; do
	api "${m%%:*}" "${m#*:}" "$(row ZZ_X)" >/dev/null
	is "$(status) $(cat "$BODY")" '401 {"error":"unauthorized"}' "${m%%:*} without the key is refused, to the letter"
done
is "$(header www-authenticate)" Bearer "… and names the scheme"
api DELETE $D/ZZ_A >/dev/null
expect 401 unauthorized "DELETE without the key is refused"
api POST $D 'no json' >/dev/null
expect 401 unauthorized "… before the body is looked at"

# Credentials
api GET $D/ZZ_A '' -H "authorization: Bearer $KEY" >/dev/null
is "$(status)" 200 "the key is taken as a bearer too"
api GET $D/ZZ_A '' -H "authorization: Bearer $KEY" -H "x-terminal-key: $KEY" >/dev/null
is "$(status)" 200 "the same credential twice is one"
api GET $D/ZZ_A '' -H "authorization: Bearer other" -H "x-terminal-key: $KEY" >/dev/null
expect 400 ambiguous_credential "two different ones are refused"
api GET $D/ZZ_A '' -H "x-terminal-key: wrong" >/dev/null
expect 401 token_invalid "a wrong one is refused, not ignored"
api GET $D/ZZ_A '' -H "authorization: Basic eDp5" >/dev/null
expect 401 token_invalid "so is one of another scheme"
api GET "$D?share=$KEY" >/dev/null
expect 400 unknown_field "no credential is taken in a URL here"
unlike "$(cat "$BODY")" "$KEY" "… nor repeated"

# Disabled rows
owner PATCH $D/zz_a '{"enabled":0}' >/dev/null
api GET $D/zz_a >/dev/null
expect 404 not_found "a disabled row is absent for others"
api GET "$D?category=zz" >/dev/null
unlike "$(jq -r '.rows[].key' "$BODY")" '^zz_a$' "… also in the list"
owner GET $D/zz_a >/dev/null
is "$(status) $(jq_get .enabled)" "200 0" "the owner finds it by its key"
owner GET "$D?enabled=0&q=zz_a" >/dev/null
is "$(jq -r '.rows[].key' "$BODY")" zz_a "… and in the list"

# History
owner GET $D/ZZ_A/history >/dev/null
is "$(jq -r '[.events[].operation]|join(",")' "$BODY")" patch,patch,create "history has every change, newest first"
is "$(jq -c '.events[0].diff|map(select(.field!="updated_at"))' "$BODY")" '[{"field":"target","before":"echo","after":"upper"}]' "… with what changed, field by field"
FIRST=$(jq_get '.events[-1].event') OLD=$(jq_get '.events[-1].contract_after') NEW=$(jq_get '.events[0].contract_after')
is "$OLD" "$DIGEST" "… and the contract's digest before and after"
owner GET "$D/ZZ_A/history?limit=1" >/dev/null
owner GET "$D/ZZ_A/history?limit=1&cursor=$(jq_get .cursor)" >/dev/null
is "$(jq -r '.events[0].diff|map(.field)|sort|join(",")' "$BODY")" examples,seq,updated_at "… page by page"
api GET $D/ZZ_A/history >/dev/null
expect 401 unauthorized "history is the owner's"
owner GET $D/ZZ_NONE/history >/dev/null
expect 404 not_found "a row that never was has no history"

# Contracts by digest
api GET /api/contract/"$NEW" >/dev/null
is "$(jq_get .current),$(jq_get .contract.target),$(jq_get .row)" true,upper,null "everybody who reads a row reads its current contract"
api GET /api/contract/"$OLD" >/dev/null
expect 404 contract_not_found "an older one is the owner's"
owner GET /api/contract/"$OLD" >/dev/null
is "$(jq_get .current),$(jq_get .contract.target),$(jq_get .row.target)" false,echo,echo "… who reads it with the row as it was"
owner GET "/api/contract/$(printf '0%.0s' $(seq 64))" >/dev/null
expect 404 contract_not_found "a digest that nothing had is 404"
owner GET /api/contract/x >/dev/null
expect 404 contract_not_found "so is what is no digest"

# Restore
owner POST $D/ZZ_A/restore "{\"event\":$FIRST}" >/dev/null
is "$(status) $(jq_get .contract)" "200 $OLD" "restore brings back the row of an event"
api GET $D/ZZ_A >/dev/null
is "$(jq_get .target),$(jq_get .examples)" 'echo,["a|b"]' "… whole"
owner POST $D/ZZ_A/restore "{\"contract\":\"$NEW\"}" >/dev/null
is "$(status) $(jq_get .contract)" "200 $NEW" "restore brings back the row of a contract"
owner POST $D/ZZ_A/restore '{"event":999999}' >/dev/null
expect 404 event_not_found "an event that never was is 404"
owner POST $D/ZZ_A/restore "{\"contract\":\"$(printf '0%.0s' $(seq 64))\"}" >/dev/null
expect 404 contract_not_found "so is a contract"
owner POST $D/ZZ_A/restore "{\"event\":1,\"contract\":\"$NEW\"}" >/dev/null
expect 400 conflicting_fields "both at once are refused"
owner POST $D/ZZ_A/restore '{}' >/dev/null
expect 422 bad_field "neither is refused"
owner POST $D/ZZ_A/restore '{"evnt":1}' >/dev/null
expect 400 unknown_field "a misspelt field is refused"
owner DELETE $D/ZZ_A >/dev/null
is "$(jq -c . "$BODY")" '{"ok":true,"key":"ZZ_A","deleted":1}' "DELETE removes the row"
owner DELETE $D/ZZ_A >/dev/null
is "$(status) $(jq_get .deleted)" "200 0" "… once"
owner GET $D/ZZ_A/history >/dev/null
is "$(jq_get '.events[0].operation')" delete "history stays"
owner POST $D/ZZ_A/restore "{\"event\":$(jq_get '.events[0].event')}" >/dev/null
expect 422 nothing_to_restore "there is no row after a deletion"
owner POST $D/ZZ_A/restore "{\"event\":$FIRST}" >/dev/null
is "$(status)" 200 "a deleted row can be restored"

# Several changes at once
batch() { owner POST "$D/batch" "{\"changes\":$1}" >/dev/null; }
there() { for k in "$@"; do owner GET "$D/$k" >/dev/null; printf '%s ' "$(status)"; done; }
last_event() { owner GET '/api/events?newest=1&limit=1' >/dev/null; jq_get '.events[0].event'; }
at=$(last_event)
owner GET $D/ZZ_A >/dev/null
tag=$(header etag | sed 's/"/\\"/g')
batch "[{\"method\":\"POST\",\"row\":$(row BA_1)},{\"method\":\"PUT\",\"key\":\"BA_2\",\"row\":$(row BA_2)},
	{\"method\":\"PATCH\",\"key\":\"ZZ_A\",\"row\":{\"planner_rank\":7},\"if_match\":\"$tag\"},{\"method\":\"DELETE\",\"key\":\"BA_9\"}]"
is "$(status) $(jq -c '[.changes[] | [.key, .created, .deleted]]' "$BODY")" '200 [["BA_1",true,null],["BA_2",true,null],["ZZ_A",false,null],["BA_9",null,0]]' "a batch makes several changes"
is "$(jq -r '.changes[0].etag' "$BODY") $(there BA_1 BA_2)" "$(owner GET $D/BA_1 >/dev/null; header etag | sed 's,^W/,,') 200 200 " "… and tells their tags"
is "$(last_event)" $((at + 3)) "each with an event of its own"
batch "[{\"method\":\"POST\",\"row\":$(row BA_USER | jq -c '.includes="BA_BLOCK" | .content="# WHAT: includes.\n{{BA_BLOCK}}"')},
	{\"method\":\"POST\",\"row\":$(row BA_BLOCK)}]"
contract=$(owner GET $D/BA_USER >/dev/null; jq_get .contract)
owner GET $D/BA_USER/history >/dev/null
is "$(jq_get '.events[0].contract_after')" "$contract" "a row may include one that the same batch makes"
at=$(last_event)
batch "[{\"method\":\"DELETE\",\"key\":\"BA_1\"},{\"method\":\"POST\",\"row\":$(row BA_3)},{\"method\":\"POST\",\"row\":$(row BA_4 | jq -c '.type="cron"')},{\"method\":\"POST\",\"row\":{}}]"
expect 422 bad_type "a batch with a change that is refused is refused"
is "$(jq -c '[.change, .key, .state_changed, .field]' "$BODY")" '[2,"BA_4",false,"type"]' "… which says the first of them"
is "$(there BA_1 BA_3) $(last_event)" "200 404  $at" "… and nothing is stored"
batch "[{\"method\":\"POST\",\"row\":$(row BA_3)},{\"method\":\"PATCH\",\"key\":\"ZZ_A\",\"row\":{\"planner_rank\":8},\"if_match\":\"$tag\"}]"
expect 412 row_changed "nor is anything over a row that somebody else has changed"
is "$(jq_get .change) $(there BA_3)" '1 404 ' "… and it says which"
batch "[{\"method\":\"POST\",\"row\":$(row BA_3)},{\"method\":\"PUT\",\"key\":\"BA_3\",\"row\":$(row BA_3)}]"
expect 422 bad_field "a row is changed once in a batch"
for c in '{"method":"GET","key":"BA_1"}' '{"key":"BA_1"}' '{"method":"POST","key":"BA_3","row":{"type":"fn"}}' '{"method":"PUT","row":{"type":"fn"}}' \
	'{"method":"PUT","key":"BA_3"}' '{"method":"DELETE","key":"BA_1","row":{}}' '{"method":"DELETE","key":7}' '"DELETE BA_1"'; do
	batch "[$c]"
	expect 422 bad_field "the change $c is none"
done
batch '[{"method":"DELETE","key":"BA_1","etag":"x"}]'
expect 400 unknown_field "a misspelt member is refused"
for n in 0 501; do
	batch "$(jq -nc --argjson n $n '[range($n) | {method:"DELETE",key:"BA_9\(.)"}]')"
	expect 422 bad_field "a batch of $n changes"
done
for n in 499 500; do
	jq -nc --argjson n $n --argjson r "$(row BA_N)" '{changes:[range($n) as $i | {method:"PUT",key:"BA_N\($i)",row:($r + {key:"BA_N\($i)",planner_rank:$n})}]}' >"$TMP/batch.json"
	owner POST $D/batch "@$TMP/batch.json" >/dev/null
	is "$(status) $(jq -c '.changes | length' "$BODY")" "200 $n" "a batch of $n changes"
done
is "$(owner GET "$D?q=BA_N&limit=1000" | jq -c '[.rows[].planner_rank] | unique | [length, .[]]')" '[1,500]' "… that are all made"
api POST $D/batch '{"changes":[{"method":"DELETE","key":"BA_1"}]}' >/dev/null
expect 401 unauthorized "a batch is the owner's"

# The event log
owner GET "/api/events?limit=2" >/dev/null
is "$(jq -r '[.events[].event]|join(",")' "$BODY"),$(jq_get .next_since)" 1,2,2 "events come in their order"
owner GET "/api/events?since=2&limit=1" >/dev/null
is "$(jq_get '.events[0].event'),$(jq_get '.events[0].action')" 3,DIRECTORY_MUTATE "… behind any of them"
like "$(jq_get '.events[0].after.key')" '^[A-Z]' "… with the row after the change"
is "$(jq_get '.events[0].prev|length')" 64 "… chained by hashes"
api GET /api/events >/dev/null
expect 401 unauthorized "the log is the owner's"
owner GET "/api/events?limit=1001" >/dev/null
expect 400 bad_parameter "its limit is bounded"
owner GET /api/events/verify >/dev/null
is "$(jq_get .ok),$(jq_get .first_bad)" true,null "the chain verifies"
like "$(jq_get .head)" '^[0-9a-f]{64}$' "… and its head is told"
( exec 9<"$DIR"; flock 9; sleep 3 ) &
lock=$!
sleep 0.3
owner GET /api/events/verify >/dev/null
expect 429 verify_running "it runs once at a time"
is "$(header retry-after)" 1 "… and says when to come again"
wait $lock

# Methods
for m in $D:GET,\ HEAD,\ POST,\ OPTIONS $D/ZZ_A:GET,\ HEAD,\ PUT,\ PATCH,\ DELETE,\ OPTIONS /api/events/verify:GET,\ OPTIONS; do
	api OPTIONS "${m%%:*}" >/dev/null
	is "$(status) $(header allow)" "204 ${m#*:}" "OPTIONS ${m%%:*}"
done
owner POST $D/ZZ_A '{}' >/dev/null
expect 405 method_not_allowed "a method that a path does not have is 405"
is "$(header allow)" "GET, HEAD, PUT, PATCH, DELETE, OPTIONS" "… with those that it has"

unlike "$(cat "$DIR"/log/*)" 'runtime error|ERROR: AddressSanitizer|LeakSanitizer' "the sanitizers found nothing"

done_testing
