#!/bin/sh
# Dispatch: calls by POST and by URL, contract documents, registry, index, and everything that must not run.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start --set anonymous=read,row:ECHO || bail "the service did not start"

expect() { is "$(status) $(jq_get .error) $(jq_get .ran)" "$1 $2 false" "$3"; }
C=/api/dispatch
runs() { owner GET "$C?ledger=1&limit=500" | jq .count; }

# A call and its answer
owner POST $C '{"key":"ECHO","body":"a|b"}' >/dev/null
is "$(status)" 200 "a call is answered with 200"
is "$(jq -c '[.ok,.ran,.kind,.result]' "$BODY")" '[true,true,"invocation_result","a|b"]' "… it ran, and this is its result"
is "$(jq -r 'keys_unsorted|join(" ")' "$BODY")" "ok ran kind trace result proof invocation" "… in the members that the interface has"
is "$(jq -r '.proof|keys_unsorted|join(" ")' "$BODY")" "ok did invocation_id public_receipt confirm" "… of the proof too"
is "$(jq -r '.invocation|keys_unsorted|join(" ")' "$BODY")" "id key runner actor material cost_usd duration_ms fingerprints" "… and of the invocation"
is "$(jq_get .trace)" "$(header x-trace)" "the trace is that of the header"
like "$(jq_get .trace),$(jq_get .proof.invocation_id)" '^t_[0-9a-z]{26},inv_[0-9a-z]{26}$' "ids have their form"
is "$(header cache-control)" no-store "an answer is not stored"
is "$(header content-type)" application/json "… and is JSON"
is "$(header x-content-type-options),$(header referrer-policy)" nosniff,no-referrer "… with the safety headers"

# Arguments
result() { owner POST $C "$1" >/dev/null; jq -r .result "$BODY"; }
is "$(result '{"key":"ECHO","body":null}')" "" "null is an empty body"
is "$(result '{"key":"ECHO"}')" "" "so is none"
is "$(result '{"key":"ECHO","body":12.50}')" 12.50 "a number is written out as it was sent"
is "$(result '{"key":"ECHO","body":true}')" true "a boolean too"
is "$(result '{"key":"ECHO","args":["a|b",1,null]}')" 'a|b|1|' "args are taken one by one"
is "$(result '{"key":"UPPER","body":"é <b> \"q\" \\ \u0001 😀"}' | tail -1)" "$(printf 'É <B> "Q" \\ \001 😀')" "any text arrives and returns, not escaped for HTML"
like "$(cat "$BODY")" 'É <B> \\"Q\\" \\\\ \\u0001 😀' "… as UTF-8 in JSON"
owner POST $C '{"key":"JSON_GET","body":"{}|/x"}' >/dev/null
is "$(jq_get .proof.ok)" false "a call that brings nothing proves no result"

# Shape
before=$(runs)
owner POST $C '{"key":"ECHO","body":"a","shape":true}' >/dev/null
is "$(jq -c '[.ok,.ran,.kind,.shaped.args]' "$BODY")" '[true,false,"shaped_dry_run",["a"]]' "shape builds and does not fire"
is "$(jq -c '.result|fromjson|.args' "$BODY")" '["a"]' "… its result is the same as text"
is "$(jq -r '.proof.invocation_id' "$BODY")" null "… it has no receipt"
is "$(runs)" "$before" "… nor left one"

# The contract that was read
api GET "/api/directory/ECHO" >/dev/null
DIGEST=$(jq_get .contract)
owner POST $C "{\"key\":\"ECHO\",\"contract\":\"$DIGEST\"}" >/dev/null
is "$(status)" 200 "a call with the current digest runs"
old=$(printf '0%.0s' $(seq 64))
owner POST $C "{\"key\":\"ECHO\",\"contract\":\"$old\"}" >/dev/null
expect 409 "contract_changed:$old!=$DIGEST" "a call with another does not"

# What must not run
before=$(runs)
owner POST $C '{"key":"ECHOO"}' >/dev/null
expect 404 unknown_key "an unknown key runs nothing"
is "$(jq_get .attempted),$(jq_get '.did_you_mean[0].key')" ECHOO,ECHO "… and is told what was near"
is "$(jq_get '.did_you_mean[0].read')" "$BASE$C?key=ECHO&format=markdown" "… and where to read it"
said=$(jq -Sc . "$BODY")
owner GET "$C?key=ECHOO" >/dev/null
is "$(status) $(jq -Sc . "$BODY")" "404 $said" "… and who wants to read it is told the same"
owner POST $C '{"body":"x"}' >/dev/null
expect 400 "key required" "a call without a key"
owner POST $C '{"key":5}' >/dev/null
expect 400 "key required" "a key that is no string"
owner POST $C '{"key":"ECHO","body":"a","args":["b"]}' >/dev/null
expect 400 conflicting_fields "body and args together"
owner POST $C '{"key":"ECHO","body":["a"]}' >/dev/null
expect 422 bad_field "a body that is an array"
owner POST $C '{"key":"ECHO","args":"a"}' >/dev/null
expect 422 bad_field "args that are a string"
owner POST $C '{"key":"ECHO","sahpe":true}' >/dev/null
expect 400 unknown_field "a misspelt shape"
for shape in '"true"' 1 null; do
	owner POST $C "{\"key\":\"ECHO\",\"shape\":$shape}" >/dev/null
	expect 422 bad_field "a shape of $shape"
done
owner POST $C '{"key":"ECHO","contract":5}' >/dev/null
expect 422 bad_field "a contract that is no string"
owner POST $C "{\"key\":\"ECHO\",\"on_behalf_of\":\"$(printf 'x%.0s' $(seq 1025))\"}" >/dev/null
expect 422 field_too_long "a claim without end"
owner POST $C '{"key":"ECHO","key":"NOW"}' >/dev/null
expect 400 invalid_json "a key twice"
owner POST $C '{"key":"ECHO"} x' >/dev/null
expect 400 invalid_json "something behind the body"
owner POST $C "$(printf '[%.0s' $(seq 65))$(printf ']%.0s' $(seq 65))" >/dev/null
expect 400 invalid_json "a body nested too deep"
owner POST $C >/dev/null
expect 400 invalid_body "no body"
owner POST $C '' -d 'key=ECHO' >/dev/null
expect 415 unsupported_media_type "a form"
owner POST $C '{"key":"ECHO"}' -H 'idempotency-key: a b' >/dev/null
expect 400 bad_idempotency_key "a key with a blank"
owner POST "$C?invoke=ECHO" '{"key":"ECHO"}' >/dev/null
expect 405 method_not_allowed "a call in the query of a POST"
owner POST "$C?share=x" '{"key":"ECHO"}' >/dev/null
expect 400 unknown_field "a token in the query of a POST"
owner PUT $C '{"key":"ECHO"}' >/dev/null
expect 405 method_not_allowed "another method"
head -c 1048577 /dev/zero | tr '\0' ' ' >"$TMP/large"
owner POST $C "@$TMP/large" >/dev/null
expect 413 body_too_large "a body over the limit"
owner PATCH /api/directory/UUID '{"enabled":0}' >/dev/null
owner POST $C '{"key":"UUID"}' >/dev/null
expect 409 row_disabled:UUID "a disabled row, for the owner"
api POST $C '{"key":"UUID"}' >/dev/null
expect 404 unknown_key "… which for others is not there"
unlike "$(jq -c .did_you_mean "$BODY")" UUID "… nor suggested"
is "$(($(runs) - before))" 1 "none of that left a receipt but the owner's denial"

# Chunked bodies
printf '{"key":"ECHO","body":"chunked"}' >"$TMP/chunked"
is "$(curl -sS --http1.1 --cacert "$CACERT" -H "x-terminal-key: $KEY" -H 'content-type: application/json' -H 'transfer-encoding: chunked' --data-binary @"$TMP/chunked" "$BASE$C" | jq -r .result)" chunked "a chunked body arrives whole"

# Credentials
api POST $C '{"key":"NOW"}' >/dev/null
expect 401 unauthorized "a call that nobody may make without a credential"
is "$(header www-authenticate)" Bearer "… names the scheme"
api POST $C '{"key":"ECHO","body":"x"}' >/dev/null
is "$(status) $(jq_get .invocation.actor)" "200 anonymous" "a row that the setting opens runs for everybody"
api POST $C '{"key":"ECHO","capability_token":"rct_no"}' >/dev/null
expect 401 token_invalid "a wrong token in the body is refused"
api POST $C '{"key":"ECHO","capability_token":5}' >/dev/null
expect 422 bad_field "a token that is no string"
api POST $C "{\"key\":\"ECHO\",\"capability_token\":\"rct_no\"}" -H "x-terminal-key: $KEY" >/dev/null
expect 400 ambiguous_credential "two credentials are refused"
api GET "$C?invoke=ECHO&body=x&share=$KEY" >/dev/null
expect 401 token_invalid "the owner's key in a URL is refused"
unlike "$(cat "$BODY")$(cat "$DIR"/log/*)" "$KEY" "… repeated nowhere, and in no log"

# Calls by a URL
api GET "$C?invoke=ECHO&body=a%7Cb+c" >/dev/null
is "$(status) $(jq_get .result)" '200 a|b c' "a URL alone runs a row"
is "$(header cache-control)" no-store "… and is not stored"
api GET "$C?invoke=ECHO" >/dev/null
is "$(status) $(jq_get .result)" '200 ' "… without a body too"
api HEAD "$C?invoke=ECHO" >/dev/null
is "$(status) $(header allow)" '405 GET, OPTIONS' "HEAD never runs anything"
for h in 'sec-purpose: prefetch;prerender' 'purpose: prefetch'; do
	api GET "$C?invoke=ECHO" '' -H "$h" >/dev/null
	expect 403 prefetch_refused "nor does $h"
done
api GET "$C?invoke=ECHO&idempotency_key=1" >/dev/null
expect 400 idempotency_needs_credential "a key without a credential"
api GET "$C?invoke=" >/dev/null
expect 400 "key required" "nor does an empty key"
api GET "$C?invoke=ECHO&shape=1" >/dev/null
expect 400 unrecognized_request "nor does a parameter that is not known"
is "$(jq -c .sent "$BODY")" '["invoke","shape"]' "… which is answered with the names that were sent"
is "$(jq -r '.exists[].query' "$BODY" | sort | tr '\n' ' ')" " ask confirm explain invoke key ledger ping receipt registry tools " "… and those that exist"
api GET "$C?keys=secret-value" >/dev/null
expect 400 unrecognized_request "an unknown query is refused"
unlike "$(cat "$BODY")" secret-value "… and its values are not repeated"
api GET "$C?key=ECHO&key=NOW" >/dev/null
expect 400 bad_query "a parameter twice is refused"
api GET "$C?invoke=ECHO" '{"shape":true}' >/dev/null
expect 400 unexpected_body "a body in a GET is refused"

# Contract documents
api GET "$C?key=ECHO" >/dev/null
is "$(status) $(header content-type) $(jq_get .contract)" "200 application/json $DIGEST" "the contract document as JSON"
ETAG=$(header etag)
like "$ETAG" "^(W/)?\"$DIGEST\.[0-9a-f]{16}\"$" "… its ETag is digest and hash of the body"
is "${ETAG#*.}" "$(sha256sum <"$BODY" | cut -c1-16)\"" "… indeed"
like "$(header vary)" 'Authorization.*Accept' "… it depends on credential and Accept"
is "$(header cache-control)" "private, no-cache" "… and is not kept by others"
api GET "$C?key=ECHO" '' -H "if-none-match: $ETAG" >/dev/null
is "$(status) $(wc -c <"$BODY")" "304 0" "If-None-Match is answered with 304"
api GET "$C?key=ECHO&format=markdown" >/dev/null
is "$(status) $(header content-type)" "200 text/markdown; charset=utf-8" "as markdown"
first=$(cat "$BODY")
api GET "$C?key=ECHO" '' -H 'accept: text/markdown' >/dev/null
is "$(cat "$BODY")" "$first" "… also by Accept, the same bytes"
like "$first" '^# OIP > TEXT > ECHO' "… which begin with the path"
owner GET "$C?key=ECHO&format=markdown" >/dev/null
isnt "$(cat "$BODY")" "$first" "another credential has other moves"
api GET "$C?key=ECHO&format=pdf" >/dev/null
expect 400 bad_parameter "another format is refused"
owner GET "$C?key=ECHO&format=json" >/dev/null
owner POST "$C" "$(jq -c '.example + (.affordances[] | select(.name == "preview") | .adds) | {key: "ECHO", body, shape}' "$BODY")" >/dev/null
is "$(status),$(jq_get .kind)" 200,shaped_dry_run "the preview that the document offers is one"
api HEAD "$C?key=ECHO" >/dev/null
is "$(status)" 200 "HEAD works"
api GET "$C?key=NOPE" >/dev/null
expect 404 unknown_key "no such row"
owner PATCH /api/directory/ECHO '{"target":"upper"}' >/dev/null
api GET "$C?key=ECHO" '' -H "if-none-match: $ETAG" >/dev/null
is "$(status)" 200 "after a change the next request sees another document"
isnt "$(jq_get .contract)" "$DIGEST" "… with another digest"

# Registry
api GET "$C?registry=1" >/dev/null
is "$(status) $(jq_get .protocol) $(jq_get '.objects|length')" "200 rowcall/1 $(jq_get .count)" "the registry has all readable rows"
unlike "$(jq -r '.objects[].key' "$BODY")" '^UUID$' "… enabled ones"
is "$(jq -r '.objects[]|select(.key=="ECHO")|.contract.target' "$BODY")" upper "… with their contracts"
ETAG=$(header etag)
api GET "$C?registry=1" '' -H "if-none-match: $ETAG" >/dev/null
is "$(status)" 304 "… and an ETag"
is "$(header content-encoding)" '' "… plain, unless it is asked for otherwise"
api GET "$C?registry=1" >/dev/null
cp "$BODY" "$TMP/plain"
is "$(header content-length) $(header content-encoding)" "$(wc -c <"$BODY" | tr -d ' ') " "… with its length"
for form in http2 http1.1; do
	api GET "$C?registry=1" '' --$form -H 'accept-encoding: gzip, br' >/dev/null
	is "$(status) $(header content-encoding) $(header content-length)" "200 gzip $(wc -c <"$BODY" | tr -d ' ')" "over TLS and $form it is packed once, by the service"
	ok "… and unpacks to the plain one, byte for byte" sh -c 'gzip -dc "$1" | cmp - "$2"' - "$BODY" "$TMP/plain"
	like "$(header vary)" 'Accept-Encoding' "… which caches are told"
	PACKED=$(header etag)
	like "$PACKED" '^"[0-9a-f]{32}-gz"$' "… with a strong tag of its own"
done
isnt "$PACKED" "$ETAG" "… another one than the plain form's"
for have in "$PACKED" "$ETAG" "W/$ETAG"; do
	for take in gzip identity; do
		api GET "$C?registry=1" '' -H "if-none-match: $have" -H "accept-encoding: $take" >/dev/null
		is "$(status) $(header etag)" "304 ${have#W/}" "who has $have and takes $take has the registry"
	done
done
for refused in 'gzip;q=0' identity 'br, *;q=0'; do
	api GET "$C?registry=1" '' -H "accept-encoding: $refused" >/dev/null
	ok "Accept-Encoding: $refused is answered with the plain form" cmp "$BODY" "$TMP/plain"
done
request HEAD "$C?registry=1"
is "$(status) $(header content-length)" "200 $(wc -c <"$TMP/plain" | tr -d ' ')" "HEAD has the plain form's length"
request HEAD "$C?registry=1" '' -H 'accept-encoding: gzip'
is "$(status) $(header content-encoding)" "200 gzip" "… or is of the packed one"
api GET "$C?registry=1&category=nowhere" >/dev/null
is "$(jq -c '[.count,.objects]' "$BODY")" '[0,[]]' "a category without rows is empty"
api GET "$C?registry=1&category=time" >/dev/null
is "$(jq -r '[.objects[].key]|join(",")' "$BODY")" NOW "… by category"
api GET "$C?registry=0" >/dev/null
expect 400 bad_parameter "registry is 1"

# Index
api GET $C >/dev/null
is "$(status) $(jq_get .protocol)" "200 rowcall/1" "no query is answered with the protocol index"
like "$(jq -r '.endpoints[]|.method+" "+.path+" "+(.query//"")' "$BODY" | tr '\n' ';')" 'POST /api/dispatch ;.*GET /api/dispatch confirm;' "… which lists every endpoint"

# Freshness: what was acknowledged is seen by the next request, in every worker.
stale=0
for n in 1 2 3 4 5 6 7 8; do
	owner PATCH /api/directory/ECHO "{\"category\":\"c$n\"}" >/dev/null
	for i in 1 2 3 4; do
		api GET /api/directory/ECHO >/dev/null
		[ "$(jq_get .category)" = "c$n" ] || stale=$((stale + 1))
	done
done
is $stale 0 "a change is seen by every request after its answer"

unlike "$(cat "$DIR"/log/*)" 'runtime error|ERROR: AddressSanitizer|LeakSanitizer' "the sanitizers found nothing"

done_testing
