#!/bin/sh
# The service itself: index, health, status, metrics, breakers, unknown paths, cross-origin use, who sees what.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start --set metrics_allow=192.0.2.1 --set 'cors_origins=https://app.example, https://other.example' --set 'anonymous=cat:text' || bail "the service did not start"

expect() { is "$(status) $(jq_get .error)" "$1 $2" "$3"; }

# Index and unknown paths
api GET / >/dev/null
is "$(status) $(jq_get .service) $(jq_get .protocol)" "200 rowcall $BASE/api/dispatch" "/ is a JSON index"
for p in /nothing /api /api/ /api/directory/ /api/directory/a/b/c /.well-known/oauth-protected-resource /.well-known/openid-configuration; do
	api GET $p >/dev/null
	expect 404 not_found "$p is 404"
done
is "$(header content-type)" application/json "… in JSON"
like "$(header x-trace)" '^t_[0-9a-z]{26}$' "every answer has a trace"
api GET '/api/%zz' >/dev/null
is "$(status)" 400 "a malformed path is 400"

# Health
api GET /api/healthz >/dev/null
is "$(status) $(cat "$BODY")" '200 {"ok":true}' "healthz says that a call would work"
api GET /api/healthz '' -H 'x-terminal-key: wrong' >/dev/null
is "$(status)" 200 "… whatever the credential"
api HEAD /api/healthz >/dev/null
is "$(status)" 200 "… by HEAD too"

# Status and metrics
for p in /api/status /api/metrics; do
	api GET $p >/dev/null
	expect 401 unauthorized "$p is not for everybody"
done
owner GET /api/status >/dev/null
is "$(jq_get .ok),$(jq_get '.processes.workers|length')" true,2 "status knows the processes"
like "$(jq_get .counters.requests),$(jq_get .generations.rows)" '^[0-9]+,[0-9]+$' "… counters and generations"
owner GET /api/metrics >/dev/null
like "$(header content-type)" '^text/plain; version=0\.0\.4' "metrics are Prometheus' text"
is "$(grep -cvE '^(# (HELP|TYPE) rowcall_[a-z_]+ .*|rowcall_[a-z_]+ [0-9]+)$' "$BODY")" 0 "… every line of it"
like "$(cat "$BODY")" '^rowcall_workers 2$' "… with the workers"

# Breakers
owner GET /api/breakers >/dev/null
is "$(status) $(cat "$BODY")" '200 {"count":0,"breakers":[]}' "no breaker counts anything"
api GET /api/breakers >/dev/null
expect 401 unauthorized "breakers are the owner's"
owner DELETE /api/breakers/NOW >/dev/null
is "$(status) $(cat "$BODY")" '200 {"ok":true,"key":"NOW","deleted":0}' "a reset of what is closed changes nothing"
api DELETE /api/breakers/NOW >/dev/null
expect 401 unauthorized "… and is the owner's"

# Who sees what: anonymous is cat:text
api GET /api/directory >/dev/null
is "$(jq -r '[.rows[].category]|unique|join(",")' "$BODY")" text "the list holds the readable rows alone"
api GET /api/directory/categories >/dev/null
is "$(jq -r '[.categories[].category]|join(",")' "$BODY")" text "so do the categories"
api GET "/api/directory/search?q=time" >/dev/null
unlike "$(jq -r '.rows[].key' "$BODY")" NOW "so does the search"
api GET "/api/dispatch?registry=1" >/dev/null
unlike "$(jq -r '.objects[].key' "$BODY")" NOW "so does the registry"
owner GET "/api/dispatch?registry=1" >/dev/null
like "$(jq -r '.objects[].key' "$BODY" | tr '\n' ' ')" NOW "… which is another for the owner"
api GET /api/directory/NOW >/dev/null
there=$(cat "$BODY")
expect 404 not_found "a row outside is 404"
api GET /api/directory/NOQ >/dev/null
is "$(cat "$BODY")" "$there" "… and not told from one that does not exist"
owner GET /api/directory/NOW >/dev/null
DIGEST=$(jq_get .contract) PLACE=$(jq_get .row_num)
api GET "/api/contract/$DIGEST" >/dev/null
expect 404 contract_not_found "nor is its contract"
api GET "/api/directory?row_num=$PLACE" >/dev/null
is "$(jq_get .count)" 0 "nor its place"
api GET "/api/directory?cursor=0.NOW&limit=1" >/dev/null
first=$(jq_get '.rows[0].key')
api GET "/api/directory?cursor=0.NOQ&limit=1" >/dev/null
is "$(jq_get '.rows[0].key')" "$first" "nor does a cursor tell"
api POST /api/dispatch '{"key":"NOQ"}' >/dev/null
unlike "$(jq -c .did_you_mean "$BODY")" NOW "nor is it suggested"
api GET "/api/dispatch?key=NOW" >/dev/null
is "$(status) $(jq_get .error)" "404 unknown_key" "nor has it a document"
api POST /api/dispatch '{"key":"UPPER","body":"x"}' >/dev/null
is "$(status) $(jq_get .result)" "200 X" "a row inside can be called"

# Cross-origin use
cors() { api "$1" "$2" '' -H "origin: $3" ${4:+-H "$4"} >/dev/null; }
cors GET / https://app.example
is "$(header access-control-allow-origin)" https://app.example "a listed origin is told that it may read"
like "$(header vary)" Origin "… and the answer depends on it"
cors GET / https://evil.example
is "$(header access-control-allow-origin)" '' "another one is not"
cors OPTIONS /api/directory/UPPER https://other.example 'access-control-request-method: PATCH'
is "$(status) $(header access-control-allow-methods)" "204 GET, HEAD, PUT, PATCH, DELETE, OPTIONS" "a preflight names the methods"
like "$(header access-control-allow-headers)" 'X-Terminal-Key' "… and the headers"
cors OPTIONS /api/directory/UPPER https://evil.example 'access-control-request-method: PATCH'
is "$(header access-control-allow-methods)$(header access-control-allow-origin)" '' "a preflight of another origin names nothing"
cors OPTIONS /nothing https://app.example
is "$(status)" 404 "OPTIONS of what is not there is 404"

# The settings' defaults
rc_stop
rc_start || bail "the service did not start again"
api GET / '' -H 'origin: https://app.example' >/dev/null
is "$(header access-control-allow-origin)$(header vary)" '' "without the setting nothing is said of origins"
api GET /api/status >/dev/null
is "$(status)" 200 "status may be read from this machine"

# Rotating the owner's key restarts nothing.
NEW=0123456789abcdef0123456789abcdef
sed "s/^TERMINAL_KEY=.*/TERMINAL_KEY=$NEW/" "$DIR/secrets.env" >"$DIR/secrets.new"
chmod 600 "$DIR/secrets.new"
mv "$DIR/secrets.new" "$DIR/secrets.env"
owner GET /api/events >/dev/null
expect 401 token_invalid "the old key is refused by the next request"
KEY=$NEW
owner GET /api/events >/dev/null
is "$(status)" 200 "… and the new one taken"

rc_stop
like "$(cat "$DIR/log/rowcalld.log")" 'worker 2 .*ended: exit code 0' "at a stop workers end by themselves"
is "$(grep ' ended: ' "$DIR/log/rowcalld.log" | grep -v 'exit code 0')" '' "and every process ends well, with nothing left in its memory"
unlike "$(cat "$DIR"/log/*)" 'runtime error|ERROR: AddressSanitizer|LeakSanitizer' "the sanitizers found nothing"
done_testing
