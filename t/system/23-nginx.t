#!/bin/sh
# nginx in front: its own errors have our JSON form, query strings are in no log, a Proxy header reaches nobody.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start || bail "the service did not start"
json_error() { is "$(status),$(jq -r .error "$BODY" 2>/dev/null),$(header content-type | cut -d';' -f1)" "$1,$2,application/json" "$3"; }

head -c 1048577 /dev/zero | tr '\0' x >"$TMP/large"
curl -sS --cacert "$CACERT" -D "$HEADERS" -o "$BODY" -w '%{http_code}' -H "x-terminal-key: $KEY" -H 'content-type: application/json' --data-binary "@$TMP/large" "$BASE/api/dispatch" >"$TMP/status"
json_error 413 body_too_large "a body of 1 MiB + 1 is 413"
for n in 1048576 1048575; do
	pad=$((n - 24))
	{ printf '{"key":"ECHO","body":"'; head -c $pad /dev/zero | tr '\0' x; printf '"}'; } >"$TMP/large"
	[ "$(wc -c <"$TMP/large")" = "$n" ] || diag "size $(wc -c <"$TMP/large")"
	curl -sS --cacert "$CACERT" -D "$HEADERS" -o "$BODY" -w '%{http_code}' -H "x-terminal-key: $KEY" -H 'content-type: application/json' --data-binary "@$TMP/large" "$BASE/api/dispatch" >"$TMP/status"
	is "$(status),$(jq -r '.result|length' "$BODY")" "200,$pad" "a body of $n bytes arrives whole"
done
api GET "/$(head -c 9000 /dev/zero | tr '\0' a)" '' --http1.1 >/dev/null
json_error 414 uri_too_long "a URL of 9 KB is 414"
api GET / '' --http1.1 -H "x-big: $(head -c 9000 /dev/zero | tr '\0' a)" >/dev/null
json_error 431 headers_too_large "a header of 9 KB is 431"
api GET / '' -H "x-big: $(head -c 20000 /dev/zero | tr '\0' a)" >/dev/null
like "$(status)" '^(431|000|400)$' "… over HTTP/2 too a large one is refused"
printf 'BROKEN\r\n\r\n' | perl -MIO::Socket::INET -e 'my $s=IO::Socket::INET->new(PeerAddr=>$ARGV[0]); print $s join "",<STDIN>; $s->shutdown(1); local $/; print <$s>' "${HTTP#http://}" >"$TMP/raw"
like "$(tail -1 "$TMP/raw")" '"error":"bad_request"' "a request that is no HTTP is a JSON 400"
curl -sS "http://localhost:${BASE##*:}/api/healthz" -o "$BODY" -D "$HEADERS" -w '%{http_code}' >"$TMP/status"
is "$(status)" 400 "plain HTTP on the TLS port is 400"
like "$(cat "$BODY")" '"ran":false' "… in JSON"

# Chunked bodies arrive whole.
printf '{"key":"ECHO","body":"chunked"}' | curl -sS --http1.1 --cacert "$CACERT" -o "$BODY" -H 'Transfer-Encoding: chunked' -H "x-terminal-key: $KEY" -H 'content-type: application/json' --data-binary @- "$BASE/api/dispatch"
is "$(jq_get .result)" chunked "a chunked body arrives whole"

# Headers of every answer.
api GET /api/healthz >/dev/null
is "$(header x-content-type-options),$(header referrer-policy)" nosniff,no-referrer "answers carry nosniff and no-referrer"
like "$(header x-trace)" '^t_[0-9a-z]{26}$' "… and X-Trace"
like "$(head -1 "$HEADERS")" '^HTTP/2 200' "HTTP/2 is spoken"

# Logs.
api GET '/api/dispatch?invoke=NOW&share=rct_canarycanarycanary&body=canary' >/dev/null
api GET '/api/directory/search?q=searchcanary' >/dev/null
for w in $(pids_of worker); do kill -STOP "$w"; done
timeout 1 curl -sS --cacert "$CACERT" "$BASE/api/dispatch?invoke=NOW&share=rct_stoppedcanary" >/dev/null 2>&1
for w in $(pids_of worker); do kill -CONT "$w"; done

# All workers gone: our JSON, and it cannot be known whether a call ran.
kill -STOP "$MASTER"
kill -9 $(pids_of worker)
sleep 0.3
owner POST /api/dispatch '{"key":"NOW"}' -m 10 >/dev/null &
waiting=$!
sleep 0.5
kill -CONT "$MASTER"
wait $waiting
like "$(status)" '^(200|502|504)$' "with all workers killed a request waits for the new ones, or is 502 or 504"
healthy=''
for _ in $(seq 100); do api GET /api/healthz >/dev/null; [ "$(status)" = 200 ] && healthy=yes && break; sleep 0.1; done
is "$healthy" yes "workers are replaced"

rc_stop
is "$(cat "$DIR"/log/* | grep -c canary)" 0 "no query string is in any log"
done_testing
