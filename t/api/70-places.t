#!/bin/sh
# Typed arguments of http rows at their places in the request (x-in): what arrives at the upstream, what is left out, what is refused.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

upstream_start
rc_start --allow-upstream "$UPSTREAM" --no-rows || bail "the service did not start"
U=http://$UPSTREAM

# row KEY TARGET PROPERTIES [MORE]: an http row with that schema; MORE are further columns.
row()
{
	owner PUT "/api/directory/$1" "$(jq -nc --arg t "$2" --argjson p "$3" --argjson more "${4-{\}}" \
		'{type:"http",target:$t,content:"# WHAT: a row of the test",examples:[""],input_schema:{type:"object",properties:$p}} + $more')" >/dev/null
	status
}
call() { owner POST /api/dispatch "$(jq -nc --arg k "$1" --argjson a "$2" '{key:$k} + (if ($a|type) == "string" then {body:$a} else {args:$a} end)')" >/dev/null; jq_get '.result // .error'; }
echoed() { r=$(call "$1" "$2"); printf '%s' "${r#HTTP 200:}" | jq -r "$3"; }

# Query
is "$(row Q "GET $U/echo/\$1?v=2" '{"id":{"type":"string"},"tag":{"type":"array","items":{"type":"string"},"x-in":"query"},"ids":{"type":"array","x-in":"list"},"n":{"type":"integer","x-in":"query:page[size]"},"deep":{"type":"object","x-in":"query:filter"},"all":{"type":"boolean","x-in":"query"}}')" 201 "a row with places is stored"
is "$(echoed Q '{"id":"a/b"}' .path)" '/echo/a%2Fb?v=2' "what has no value is not sent"
is "$(echoed Q '{"id":"x","n":5,"all":false}' .path)" '/echo/x?v=2&page%5Bsize%5D=5&all=false' "numbers and booleans, under their names on the wire"
is "$(echoed Q '{"id":"x","tag":["a b","c&d"],"ids":[1,2]}' .path)" '/echo/x?v=2&tag=a%20b&tag=c%26d&ids=1%2C2' "an array repeats a parameter, or is a list"
is "$(echoed Q '{"id":"x","deep":{"status":"new","a=b":"c"}}' .path)" '/echo/x?v=2&filter%5Bstatus%5D=new&filter%5Ba%3Db%5D=c' "members of an object"
is "$(echoed Q '{"id":"x","tag":[],"deep":{}}' .path)" '/echo/x?v=2' "nothing in them is nothing"
is "$(echoed Q '"x|||7"' .path)" '/echo/x?v=2&page%5Bsize%5D=7' "a string gives them by place, empty pieces are left out"
is "$(call Q '"x|||seven"')" args_invalid "and is typed"
row Q0 "GET $U/echo" '{"q":{"type":"string","x-in":"query"}}' >/dev/null
is "$(echoed Q0 '{"q":"?#&="}' .path)" '/echo?q=%3F%23%26%3D' "a URL without a query gets one"
row QL "GET $U/echo" '{"q":{"type":"string","x-in":"query"},"r":{"type":"string","x-in":"query"}}' >/dev/null
is "$(echoed QL '"a|b|c"' .path)" '/echo?q=a&r=b%7Cc' "the last takes what is left, pipes and all"
fill=$(head -c $((65536 - $(printf '%s' "$U/echo?q=" | wc -c))) /dev/zero | tr '\0' x)
is "$(call Q0 "\"$fill\"" | cut -c1-8)" 'HTTP 200' "a URL of 64 KiB is sent"
is "$(call Q0 "\"x$fill\"")" args_invalid "one byte more is refused"

# Headers and cookies
row H "GET $U/echo" '{"trace":{"type":"string","x-in":"header:X-Request-Id"},"l":{"type":"array","x-in":"header:X-List"},"sid":{"type":"string","x-in":"cookie"},"theme":{"type":"string","x-in":"cookie:t"}}' >/dev/null
is "$(echoed H '{"trace":"a\r\nX-Evil: 1","l":[1,"b"]}' '[.headers["x-request-id"], .headers["x-list"], .headers["x-evil"], .headers.cookie] | join("|")')" 'aX-Evil: 1|1, b||' "a line break cannot pass into a header"
is "$(echoed H '{"sid":"a; b=c","theme":"dark"}' .headers.cookie)" 'sid=a%3B%20b%3Dc; t=dark' "cookies are one header, encoded"
owner POST /api/dispatch '{"key":"H","args":{"trace":"t1"},"shape":true}' >/dev/null
like "$(cat "$BODY")" '"X-Request-Id":"t1"' "a dry run shows them"

# Bodies
row J "POST $U/echo" '{"id":{"type":"string","x-in":"query"},"body":{"type":"object","x-in":"json"}}' >/dev/null
is "$(echoed J '{"body":{"a":1,"b":["|"],"c":{"d":"\"$1"}}}' '.body, .headers["content-type"]' | tr '\n' ' ')" '{"a":1,"b":["|"],"c":{"d":"\"$1"}} application/json ' "a body is JSON as it was given"
is "$(echoed J '"7|{\"a\":\"x|y\"}"' '.path + .body')" '/echo?id=7{"a":"x|y"}' "also from a string"
is "$(echoed J '{"id":"7"}' '.body + (.headers["content-type"] // "none")')" none "no value is no body"
row JT "POST $U/echo" '{"body":{"x-in":"json:application/merge-patch+json"}}' >/dev/null
is "$(echoed JT '"{\"a\":null}"' '.body + .headers["content-type"]')" '{"a":null}application/merge-patch+json' "a media type of its own; a body without a type is JSON"
row F "POST $U/echo" '{"body":{"type":"object","x-in":"form"}}' >/dev/null
is "$(echoed F '{"body":{"a":"x y","b":["1","&"],"c":true}}' '.body + " " + .headers["content-type"]')" 'a=x+y&b=1&b=%26&c=true application/x-www-form-urlencoded' "a form"
row G "GET $U/echo" '{"body":{"type":"object","x-in":"json"}}' >/dev/null
is "$(echoed G '{"body":{"a":1}}' '.body')" '' "GET sends no body"
row T "POST $U/echo" '{}' '{"auth":"headers:{\"content-type\":\"text/xml\"}","content":"# WHAT: xml\n<a/>"}' >/dev/null
is "$(echoed T '""' '.headers["content-type"]')" text/xml "a Content-Type of the row's own is the only one"

# Refused at the write
for p in '{"a":{"x-in":"path"}}' '{"a":{"x-in":"header:Authorization"}}' '{"a":{"x-in":"header:Host"}}' '{"a":{"x-in":"json"},"b":{"x-in":"form"}}' '{"a":{"x-in":5}}'; do
	is "$(row BAD "GET $U/echo" "$p"),$(jq_get .error),$(jq_get .field)" 422,bad_schema,input_schema "refused: $p"
done
like "$(jq_get .detail)" '^/properties/a/x-in: ' "with the place and the reason"

done_testing
