#!/bin/sh
# http rows against somebody else's server that behaves well and badly: what is sent, what comes back, what is refused before it is sent.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

upstream_start
rc_start --allow-upstream "$UPSTREAM" --set upstream_timeout=2s --set connect_timeout=1s --set max_upstream_body=100K || bail "the service did not start"
cat >>"$DIR/secrets.env" <<'EOF'
GOOD=good-secret-value
USERPASS=user:pass-canary
CANARY=canary-7f3a"b\c/d+e
ACME_TOKEN_URL=http://UPSTREAM/oauth/token
ACME_CLIENT_ID=client-canary
ACME_CLIENT_SECRET=oauth-secret-canary
EOF
sed -i "s|http://UPSTREAM|http://$UPSTREAM|" "$DIR/secrets.env"

# row KEY TARGET [AUTH [CONTENT]]
row()
{
	owner PUT "/api/directory/$1" "$(jq -nc --arg t "$2" --arg a "${3-}" --arg c "# WHAT: a row of the test
${4-}" '{type:"http",target:$t,auth:$a,content:$c,examples:["x"]}')" >/dev/null
	[ "$(status)" = 200 ] || [ "$(status)" = 201 ]
}
call() { owner POST /api/dispatch "$(jq -nc --arg k "$1" --arg b "${2-}" '{key:$k,body:$b}')" >/dev/null; jq_get .result; }
echoed() { printf '%s' "${1#HTTP 200:}" | jq -r "$2"; }
U=http://$UPSTREAM

# What arrives.
row H "GET $U/echo?q=\$1"
owner POST /api/dispatch '{"key":"H","body":"x"}' -H 'Cookie: c=canary' -H 'X-Owner-Key: canary' -H 'X-Forwarded-For: 9.9.9.9' -H 'Proxy: http://127.0.0.1:9' -H "Authorization: Bearer $KEY" >/dev/null
r=$(jq_get .result)
like "$r" '^HTTP 200:' "a call with the caller's own credentials, cookies and a Proxy header goes to the upstream directly"
unlike "$r" "canary|$KEY|9\\.9\\.9\\.9|authorization|proxy" "… and none of them arrive"
row J "POST $U/echo" '' '{"v":"$1","n":"$2+"}'
for v in 'a"b' 'a\b' 'line
break' 'tab	tab' '</script>' '{{x}}' '😀' '$HOME' '${GOOD}' '$GOOD' '{{env.PATH}}' '%24%7BX%7D' '$2'; do
	is "$(echoed "$(call J "$v|rest|of it")" '.body|fromjson|.v+"|"+.n')" "$v|rest|of it" "a JSON body decodes to exactly: $(printf '%s' "$v" | tr '\n\t' '  ')"
	case $v in *'
'*) continue ;; esac
	is "$(echoed "$(call H "$v")" .path | sed 's/.*q=//' | perl -pe 's/%([0-9A-F]{2})/chr hex $1/ge')" "$v" "… and so does a query value"
done
row F "POST $U/echo" '' 'form:a=$1&b=$2'
r=$(call F 'x y&z=1|ü')
is "$(echoed "$r" .body)" 'a=x+y%26z%3D1&b=%C3%BC' "a form is form-encoded"
is "$(echoed "$r" '.headers["content-type"]')" application/x-www-form-urlencoded "… and says so"
row P "GET $U/echo/\$1/end"
for v in '../admin' 'a?x=1' 'a#b' 'a%2Fb' 'a/b' 'a b'; do
	is "$(echoed "$(call P "$v")" .path)" "/echo/$(printf '%s' "$v" | jq -sRr @uri)/end" "a path argument stays one segment: $v"
done
n=$(upstream_count)
for v in '.' '..' 'a\nb' 'a\u0000b'; do
	owner POST /api/dispatch "{\"key\":\"P\",\"body\":\"$v\"}" >/dev/null
	is "$(status),$(jq_get .error),$(jq_get .ran)" 422,args_invalid,false "a path argument is refused: $v"
done
is "$(upstream_count)" "$n" "… before anything is sent"

# Credentials.
row B "GET $U/auth" bearer:GOOD
is "$(call B)" 'HTTP 200:{"ok":true}' "bearer: the secret arrives"
row BB "GET $U/echo" basic:GOOD
like "$(call BB)" '\[redacted:GOOD\]' "an upstream that echoes a secret is redacted (base64 too)"
row HH "GET $U/echo" 'headers:{"X-Api-Key":"k $CANARY"}'
r=$(call HH)
unlike "$r" 'canary-7f3a' "… in whatever form it comes back"
like "$(tail -20 "$UPSTREAM_LOG.last")" 'canary-7f3a' "… although it was sent"
row Q "GET $U/echo?a=1" query:api_key=GOOD
call Q >/dev/null
like "$(tail -1 "$UPSTREAM_LOG")" '/echo\?a=1&api_key=good-secret-value' "query: appended to what is there"
owner POST /api/dispatch '{"key":"Q","shape":true}' >/dev/null
unlike "$(cat "$BODY")" good-secret "… and taken out of a dry run"
row O "GET $U/echo" oauth:ACME
r=$(call O); call O >/dev/null
is "$(grep -c '/oauth/token' "$UPSTREAM_LOG")" 1 "oauth: one token serves several calls"
like "$(cat "$UPSTREAM_LOG.last")" 'uthorization: Bearer issued-token' "… and is sent"
row SEC "GET $U/echo" 'headers:{"Authorization":"Bearer literal-secret"}'
is "$(status),$(jq_get .error),$(jq_get .state_changed)" 422,secret_in_row,false "a literal credential in a row is refused"
row SEC "GET $U/echo?k=good-secret-value"
is "$(status),$(jq_get .error)" 422,secret_in_row "… and a known secret anywhere"
unlike "$(cat "$BODY")" good-secret "… without repeating it"
row TK "GET $U/echo" bearer:TERMINAL_KEY
r=$(call TK)
unlike "$(cat "$UPSTREAM_LOG.last" "$BODY")" "$KEY" "no row can use TERMINAL_KEY"

# What comes back.
row S "GET $U/status/\$1"
is "$(call S 404)" 'ERR:http:404:{"status":404}' "an error status is an error result"
is "$(call S 204)" 'HTTP 204:' "no content"
row T "GET $U/slow/5000"
like "$(call T)" '^ERR:http:fetch:.*(tim|Tim)' "a slow upstream is given up at the timeout"
row G "GET $U/gzip/50000"
is "$(call G | wc -c)" "$((50000 + 10))" "gzip is decoded"
row GB "GET $U/gzip/50000000"
ok "a gzip bomb is cut at the limit" [ "$(call GB | wc -c)" -lt 105000 ]
row CUT "GET $U/cut"
like "$(call CUT)" '^ERR:http:fetch:' "an answer that ends early is an error"
row GARBAGE "GET $U/garbage"
like "$(call GARBAGE)" '^ERR:http:fetch:' "bytes that are no HTTP are an error"
row BIN "GET $U/binary"
is "$(call BIN)" "HTTP 200:data:image/png;base64,$(printf '\211PNG\r\n\032\n\000\377' | base64)" "binary comes as a data: URI"
row L "GET $U/latin1"
is "$(call L)" 'HTTP 200:café' "another charset becomes UTF-8"
row EVIL "GET $U/headers"
call EVIL >/dev/null
is "$(header content-type),$(header set-cookie),$(header access-control-allow-origin)" 'application/json,,' "an upstream's headers never become ours"
row DEAD "GET http://127.0.0.1:1/x?key=\$1"
r=$(call DEAD url-canary)
like "$r" '^ERR:http:(fetch|blocked_address):' "a dead upstream is an error"
unlike "$r" url-canary "… without the query"

# Redirects.
R=302
for to in http://127.0.0.1:1/ http://localhost:"${UPSTREAM##*:}"/ https://"$UPSTREAM"/ //evil.invalid/ '/\evil.invalid/' http://u:p@"$UPSTREAM"/ 'http://[bad'; do
	row RD "GET $U/redirect/$R?to=$(printf '%s' "$to" | jq -sRr @uri)" bearer:GOOD
	n=$(upstream_count)
	r=$(call RD)
	like "$r" "^(ERR:http:302:redirect_refused:|HTTP 200:|ERR:http:(302|404|fetch))" "a redirect to $to is reported"
	ok "… without a second request elsewhere" [ $(($(upstream_count) - n)) -le 2 ]
done
row RD "GET $U/redirect/302?to=http%3A%2F%2F127.0.0.1%3A1%2F"
is "$(call RD)" 'ERR:http:302:redirect_refused:127.0.0.1' "another port is refused"
row RD "POST $U/redirect/307?to=%2Fecho" '' 'kept'
is "$(echoed "$(call RD)" '.method+.body')" POSTkept "307 keeps method and body"
row RD "POST $U/redirect/303?to=%2Fecho" '' 'dropped'
is "$(echoed "$(call RD)" '.method+.body')" GET "303 becomes GET"

# Addresses.
for h in 0 0.0.0.0 127.1 2130706433 0x7f.1 017700000001 '[::]' '[::1]' '[::ffff:127.0.0.1]' '[::ffff:7f00:1]' '[64:ff9b::7f00:1]' '[2002:7f00:1::]' 169.254.169.254 localhost. localhost 10.0.0.1 192.168.1.1; do
	row A "GET http://$h:9/" || { is "$(status),$(jq_get .error)" 422,bad_target "$h is refused at the write"; continue; }
	like "$(call A)" '^ERR:http:(blocked_address:|fetch:)' "$h is refused"
done
row A "GET http://127.1:9/"
like "$(call A)" '^ERR:http:blocked_address:127\.0\.0\.1' "the address really connected to decides"
for t in 'http://ok@evil/' 'http://ok:80@evil' 'http://ok#@evil/' 'http://ok?@evil/' 'http://ok\@evil' 'http://o	k/' 'http:///evil' 'ftp://x/' 'http://$1/' 'http://x.$1.com/' 'file:///etc/passwd' 'http://[fe80::1%25lo]/'; do
	owner PUT /api/directory/BAD "$(jq -nc --arg t "GET $t" '{type:"http",target:$t,content:"# WHAT: x",examples:["x"]}')" >/dev/null
	is "$(status),$(jq_get .error)" 422,bad_target "refused at the write: $t"
done

# One handle leaves nothing to the next.
row PUTTER "PUT $U/echo" 'headers:{"X-Key":"$GOOD","X-Mine":"1"}' 'body of putter'
call PUTTER >/dev/null
r=$(call H plain)
unlike "$r" 'x-mine|x-key|putter|PUT' "a call shows nothing of the one before it"

# Slow ones do not hold up the others.
row SLOW "GET $U/slow/1500"
for _ in 1 2 3 4 5 6 7 8 9 10; do owner POST /api/dispatch '{"key":"SLOW"}' -o /dev/null >/dev/null 2>&1 & pids="${pids:-} $!"; done
sleep 0.3
fast=$(curl -sS --cacert "$CACERT" -o /dev/null -w '%{http_code}' -m 1 -H "x-terminal-key: $KEY" -H 'content-type: application/json' -d '{"key":"NOW"}' "$BASE/api/dispatch")
wait $pids
is "$fast" 200 "while ten slow calls wait, a fast one answers"

# target_map.
row M "target_map:{\"get\":\"GET $U/status/\$2\",\"echo\":{\"method\":\"POST\",\"url\":\"$U/echo\",\"body\":\"{\\\"x\\\":\\\"\$2\\\"}\"}}"
is "$(call M 'get|201')" 'HTTP 201:{"status":201}' "target_map picks the operation by the first argument"
is "$(echoed "$(call M 'echo|v"w')" '.body|fromjson|.x')" 'v"w' "… with a body of its own"
is "$(call M)" 'ERR:target_map:missing_op:available=get,echo' "… says what there is when none is named"
is "$(call M nope)" 'ERR:target_map:unknown_op:nope:available=get,echo' "… or an unknown one"

# The owner's key and secrets are nowhere they should not be.
rc_stop
is "$(cat "$DIR"/log/* "$DIR"/*.db* | grep -ac -e good-secret-value -e oauth-secret-canary -e canary-7f3a -e "$KEY")" 0 "no secret is in any log or database"
done_testing
