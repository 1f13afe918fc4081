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
letters() { head -c "$1" /dev/zero | tr '\0' "${2:-a}"; }
# Of characters that HTTP/2's Huffman code makes longer, so that what nginx reads is the larger form too.
for http in --http1.1 --http2; do
	for n in 8191 8192; do
		api GET "/$(letters $((n - 1)))" '' $http >/dev/null
		json_error 404 not_found "a URL of $n bytes arrives ($http)"
	done
	api GET "/$(letters 8192)" '' $http >/dev/null
	json_error 414 uri_too_long "a URL of 8193 bytes is 414 ($http)"
	api GET "/api/dispatch?invoke=NOW&body=$(letters 20000)" '' $http >/dev/null
	json_error 414 uri_too_long "… one of 20 KB too, where no token may be logged ($http)"
	api GET / '' $http -H "x-big: $(letters 20000 '|')" >/dev/null
	is "$(status)" 200 "a header of 20 KB arrives ($http)"
	for n in $(seq 1200); do printf 'x-%d: 1\n' "$n"; done >"$TMP/lines"
	api GET / '' $http -H "@$TMP/lines" >/dev/null
	json_error 431 headers_too_large "1200 header lines are 431 ($http)"
done
api GET "/$(letters 33000)" '' --http1.1 >/dev/null
json_error 414 uri_too_long "a URL longer than nginx reads is 414 over HTTP/1.1"
api GET / '' --http1.1 -H "x-big: $(letters 33000)" >/dev/null
json_error 431 headers_too_large "and a header is 431"
api GET / '' --http1.1 -H "x-a: $(letters 12000)" -H "x-b: $(letters 12000)" -H "x-c: $(letters 12000)" >/dev/null
json_error 431 headers_too_large "as are headers that are too large together"
api GET / '' -H "x-big: $(letters 33000 '|')" >/dev/null 2>&1
is "$(status)" 000 "over HTTP/2 a header longer than nginx reads ends the connection, as the manual says"
api GET /api/healthz >/dev/null
is "$(status)" 200 "… and nobody else's"
printf 'BROKEN\r\n\r\n' | perl -MIO::Socket::INET -e 'my $s=IO::Socket::INET->new(PeerAddr=>$ARGV[0]); print $s join "",<STDIN>; $s->shutdown(1); local $/; print <$s>' "${HTTP#http://}" >"$TMP/raw"
like "$(tail -1 "$TMP/raw")" '"error":"bad_request"' "a request that is no HTTP is a JSON 400"
curl -sS "http://localhost:${BASE##*:}/api/healthz" -o "$BODY" -D "$HEADERS" -w '%{http_code}' >"$TMP/status"
json_error 400 tls_required "plain HTTP on the TLS port is told so"
api GET /rowcall-error/tls >/dev/null
json_error 404 not_found "… and nobody can ask for that answer"

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

# The limits of the site, with smaller numbers.
limits=$(sed -n '/^[[:space:]]*limit_/p' "$SOURCE/conf/nginx/rowcall-site.conf" | sed 's/burst=[0-9]*/burst=9/; s/at_once [0-9]*/at_once 3/' | tr '\n' ' ')
like "$limits" 'limit_req .*limit_conn ' "the site limits requests and how many come at once"
sed -i "s|include rowcall-server.conf;|& $limits|" "$DIR/nginx.conf"
sed -i 's/rate=[0-9]*r.s/rate=1r\/m/' "$DIR/rowcall-http.conf"
nginx=$(cat "$DIR/run/nginx.pid")
old=$(pgrep -P "$nginx" | head -1)
kill -HUP "$nginx"
i=0; while kill -0 "$old" 2>/dev/null && [ $i -lt 200 ]; do i=$((i + 1)); sleep 0.05; done
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do api GET '/api/dispatch?share=rct_limitcanary' >/dev/null; status; echo; done >"$TMP/limited"
is "$(sort "$TMP/limited" | uniq -c | tr -s ' ' | tr '\n' ';')" ' 10 401; 2 429;' "more requests of one address than that are 429"
json_error 429 too_many_requests "… in our form"
is "$(header retry-after),$(jq -c .ran "$BODY")" 1,false "… with Retry-After, and nothing ran"

rc_stop
is "$(cat "$DIR"/log/* | grep -c canary)" 0 "no query string is in any log"
done_testing
