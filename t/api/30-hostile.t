#!/bin/sh
# Callers and upstreams that want to break something: what earlier attempts found must not come back.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

upstream_start
rc_start --http-port 0 --allow-upstream "$UPSTREAM" --set max_upstream_body=100K || bail "the service did not start"
U=http://$UPSTREAM
# What the upstream repeats, whole or in part.
printf 'CANARY=canary-7f3a"b\\c/d+e-canary\n' >>"$DIR/secrets.env"

# row KEY TARGET [AUTH [CONTENT]]
row()
{
	owner PUT "/api/directory/$1" "$(jq -nc --arg t "$2" --arg a "${3-}" --arg c "# WHAT: a row of the test
${4-}" '{type:"http",target:$t,auth:$a,content:$c,examples:["x"]}')" >/dev/null
	[ "$(status)" = 200 ] || [ "$(status)" = 201 ]
}
call() { owner POST /api/dispatch "$(jq -nc --arg k "$1" --arg b "${2-}" '{key:$k,body:$b}')" >/dev/null; jq_get .result; }

# A secret across the place where an answer is cut.
ok "a row that gets long answers" row PAD "GET $U/\$1/\$2?\$3"
ok "… in binary" row BIN "GET $U/bin/pad/\$2?\$3"
s='canary-7f3a"b\c/d+e-canary'
for back in 1 7 20 25; do
	n=$((102400 - back))
	unlike "$(call PAD "pad|$n|$s" | tail -c 80)" 'xc|canary|7f3a' "of a secret that is cut after $back bytes nothing stays"
	r=$(call BIN "bin|$n|$s")
	unlike "$(printf '%s' "${r#*base64,}" | sed 's/…\[cut.*//' | base64 -d 2>/dev/null | tail -c 40)" 'xc|canary|7f3a' "… in binary neither"
done
like "$(call PAD "pad|102374|$s" | tail -c 80)" '\[redacted:CANARY\]…\[cut at 102400 bytes\]$' "one that just fits is redacted"
like "$(call PAD "pad|102401|$s" | tail -c 80)" 'xxx…\[cut at 102400 bytes\]$' "an answer without one is cut where the setting says"

# Header lines of an upstream.
ok "a row whose upstream sends long header lines" row HEADER "GET $U/header/\$1"
is "$(call HEADER 60000)" 'HTTP 200:ok' "one of 60 KB is taken"
like "$(call HEADER 200000)" '^ERR:http:fetch:127\.0\.0\.1: a header line of the answer is too long$' "one of 200 KB is an error that says so"

# What is no HTTP that nginx speaks is answered in the service's form.
raw() { perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(PeerAddr => shift) or die; print $s @ARGV; $s->shutdown(1); print <$s>' "${HTTP#http://}" "$@" 2>&1; }
for version in 2.0 3.0 9.9; do
	like "$(raw "GET / HTTP/$version
Host: x

" | tail -1)" '^\{"error":"[a-z_]+","ran":false' "a request in HTTP/$version gets JSON"
done

# Credentials.
for h in x-terminal-key x-capability-token; do
	request GET /api/directory '' -H "$h: $KEY" -H "$h: another"
	is "$STATUS,$(jq_get .error)" 401,token_invalid "two different values of $h are no credential"
	request GET /api/directory '' -H "$h: another" -H "$h: $KEY"
	is "$STATUS,$(jq_get .error)" 401,token_invalid "… in either order"
done

rc_stop
is "$rc_exit" 0 "the service stops cleanly"
unlike "$(cat "$DIR"/log/*)" 'canary-7f3a|Sanitizer|runtime error' "no secret is in a log, and no sanitizer has anything to say"
done_testing
