#!/bin/sh
# A held call that is approved runs once at most, whatever is killed meanwhile, and what its approval says of it is true.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

upstream_start
rc_start --allow-upstream "$UPSTREAM" || bail "the service did not start"
owner PUT /api/directory/HELD "{\"type\":\"http\",\"target\":\"POST http://$UPSTREAM/slow/60?\$1\",\"sensitive\":1,\"content\":\"# WHAT: x\",
	\"input_schema\":{\"type\":\"object\",\"properties\":{\"t\":{\"type\":\"string\"}}},\"examples\":[\"x\"]}" >/dev/null
is "$(status)" 201 "a row whose calls are held"
owner POST /api/watch '{"key_pattern":"HELD","decision":"hold"}' >/dev/null

hits() { grep -c "?$1\$" "$UPSTREAM_LOG"; }
ready() { [ "$(owner GET /api/healthz >/dev/null; status)" = 200 ] && [ "$(pids_of worker | wc -l)" = 2 ]; }
until_ready() { n=0; until ready || [ $n -gt 200 ]; do sleep 0.05; n=$((n + 1)); done; }
state_of() { owner GET "/api/approvals/$1" >/dev/null; jq_get '.state + " " + (.invocation_id // "none")'; }

# approve NAME APPROVAL: in the background.
approve() { curl -sS --max-time 20 --cacert "$CACERT" -o "$TMP/$1" -H "x-terminal-key: $KEY" -H 'content-type: application/json' -d '{"decision":"approve"}' "$BASE/api/approvals/$2" 2>/dev/null & }

hold() { owner POST /api/dispatch "{\"key\":\"HELD\",\"body\":\"$1\"}" >/dev/null; P=$(jq_get .approval); }
hold warm
took=$(curl -sS --cacert "$CACERT" -o "$BODY" -w '%{time_total}' -H "x-terminal-key: $KEY" -H 'content-type: application/json' -d '{"decision":"approve"}' "$BASE/api/approvals/$P" | awk '{ print int($1 * 1000) + 20 }')
is "$(jq_get .ok),$(hits warm)" true,1 "approved, it runs"
diag "that takes $took ms"

lost='' false='' again='' ran=0 pending=0
for what in worker writer; do
	for i in $(seq 10); do
		name=$what$i
		hold "$name"
		approve "$name" "$P"
		client=$!
		ms=$((took * i / 10))
		sleep "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))"
		kill -9 $(pids_of $what) 2>/dev/null
		wait $client
		until_ready
		# Its receipt is written when the writer has settled what the dead have left.
		n=0
		while s=$(state_of "$P"); [ "${s% *}" = ran ] && [ "$(api GET "/api/dispatch?confirm=${s#* }" >/dev/null; status)" != 200 ] && [ $n -lt 100 ]; do sleep 0.1; n=$((n + 1)); done
		case $s in
		'pending none')
			pending=$((pending + 1))
			[ "$(hits "$name")" = 0 ] || false="$false $name"
			owner POST "/api/approvals/$P" '{"decision":"approve"}' >/dev/null
			[ "$(status)$(jq_get .ok),$(hits "$name")" = 200true,1 ] || again="$again $name"
			;;
		'ran inv_'*)
			ran=$((ran + 1))
			api GET "/api/dispatch?confirm=${s#* }" >/dev/null
			[ "$(jq_get .confirmed)" = true ] || lost="$lost $name"
			[ "$(hits "$name")" -le 1 ] || false="$false $name"
			;;
		*) lost="$lost $name($s)" ;;
		esac
	done
done
diag "$pending were still pending, $ran had run"
is "$lost" '' "an approval that has run names a receipt that is there"
is "$false" '' "one that is pending has not been sent, and none is sent twice"
is "$again" '' "what is pending can be approved again, and runs"
ok "some have run" [ $ran -gt 0 ]

# The moment between the two writes: what the worker has sent lies with a writer that does not go on, and the worker dies.
writer=$(pids_of writer)
hold between
kill -STOP "$writer"
approve between "$P"
client=$!
sleep 0.5
kill -9 $(pids_of worker)
kill -CONT "$writer"
wait $client
until_ready
is "$(state_of "$P"),$(hits between)" 'pending none,0' "killed before the decision is on disk it is still pending"
owner GET '/api/dispatch?ledger=1&key=HELD&limit=1' >/dev/null
is "$(jq_get '.rows[0].outcome')" unknown "… and the try has a receipt with unknown outcome"
owner POST "/api/approvals/$P" '{"decision":"approve"}' >/dev/null
is "$(jq_get .ok),$(hits between)" true,1 "… and approved again it runs"
rc_stop
is "$(sqlite3 -readonly "$DIR/ledger.db" 'SELECT count(*) FROM intents')" 0 "no intent is left open"
done_testing
