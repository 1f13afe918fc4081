#!/bin/sh
# A call under an Idempotency-Key reaches its upstream once at most, whatever is killed while it is under way, and whoever sends it again is told what became of it.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

upstream_start
rc_start --allow-upstream "$UPSTREAM" --set trace_timeout=60s || bail "the service did not start"
owner PUT /api/directory/SLOW "{\"type\":\"http\",\"target\":\"POST http://$UPSTREAM/slow/200?\$1\",\"content\":\"# WHAT: x\",\"examples\":[\"x\"]}" >/dev/null
owner PUT /api/directory/STEPS '{"type":"flow","content":"# WHAT: x\nSLOW: $1-1 > SLOW: $1-2","examples":["x"]}' >/dev/null

# send ROW NAME FILE: one request under the key NAME; "status error ran" to the file.
send()
{
	code=$(curl -sS --max-time 60 --cacert "$CACERT" -o "$3.body" -w '%{http_code}' -H "x-terminal-key: $KEY" -H "idempotency-key: $2" \
		-H 'content-type: application/json' --data "{\"key\":\"$1\",\"body\":\"$2\"}" "$BASE/api/dispatch" 2>/dev/null)
	printf '%s %s\n' "$code" "$(jq -r '.error // "-"' "$3.body" 2>/dev/null)" >"$3"
}
hits() { grep -c "?$1\$" "$UPSTREAM_LOG"; }
now() { date +%s%3N; }
ready() { [ -n "$(pids_of writer)" ] && [ "$(pids_of worker | wc -l)" = 2 ]; }

# Twenty moments: ten from the request to a little behind its answer, ten from where the upstream has it.
begin=$(now); send SLOW warm "$TMP/warm"; took=$(($(now) - begin + 20))
diag "a call takes $took ms"
is "$(cat "$TMP/warm"),$(hits warm)" '200 -,1' "a call runs"

# attempt ROW NAME WHAT MS [SENT]: sends it, kills WHAT so long after that, or after it was SENT on; sends it again until its fate is known.
attempt()
{
	send "$1" "$2" "$TMP/$2.0" & sender=$!
	tries=0
	until [ -z "${5-}" ] || [ "$(hits "$2")" -gt 0 ] || [ $tries -gt 500 ]; do sleep 0.01; tries=$((tries + 1)); done
	sleep "$(printf '%d.%03d' $(($4 / 1000)) $(($4 % 1000)))"
	kill -9 $(pids_of "$3") 2>/dev/null
	wait $sender
	n=1
	while [ $n -le 200 ]; do
		send "$1" "$2" "$TMP/$2.$n"
		case $(cat "$TMP/$2.$n") in '200 -' | '409 outcome_unknown') break ;; esac
		sleep 0.1
		n=$((n + 1))
	done
	cat "$TMP/$2.$n" >>"$TMP/fates.$1.$3"
	cp "$TMP/$2.$n.body" "$TMP/$2.last"
	tries=0
	until ready || [ $tries -gt 200 ]; do sleep 0.05; tries=$((tries + 1)); done
}

for what in worker writer; do
	for i in $(seq 10); do attempt SLOW "$what$i" $what $((took * i / 10)); done
	for i in $(seq 11 20); do attempt SLOW "$what$i" $what $(((i - 11) * 30)) sent; done
	twice='' lost='' false=''
	for i in $(seq 20); do
		name=$what$i
		[ "$(hits "$name")" -le 1 ] || twice="$twice $name"
		case $(jq -r '.error // .ok' "$TMP/$name.last") in
		true) [ "$(hits "$name")" = 1 ] || false="$false $name" ;;
		outcome_unknown) [ "$(jq -r '.ran == null and (.invocation_id | startswith("inv_"))' "$TMP/$name.last")" = true ] || false="$false $name" ;;
		*) lost="$lost $name" ;;
		esac
	done
	diag "$what killed 20 times: $(sort "$TMP/fates.SLOW.$what" | uniq -c | tr -s ' ' | tr '\n' ';')"
	is "$twice" '' "$what killed at twenty moments: nothing was sent twice"
	is "$lost" '' "… the fate of each call is told"
	is "$false" '' "… and it is the truth"
done
answers=$(cat "$TMP"/worker*.* "$TMP"/writer*.* 2>/dev/null | grep -E '^[0-9]{3} ' | sort -u)
unlike "$answers" '^(200 [^-]|409 [^io]|40[^9]|4[^0]|500 [^r]|3)' "no answer is anything but a result, in progress, unknown, or a service that is not there"
diag "answers: $(printf '%s' "$answers" | tr '\n' ';')"
like "$(sort "$TMP"/fates.SLOW.worker | uniq -c)" '409 outcome_unknown' "killed workers left calls of which nobody knows"
like "$(sort "$TMP"/fates.SLOW.writer | uniq -c)" '200 -' "killed writers left calls that went on"
first=$(sqlite3 -readonly "$DIR/ledger.db" "SELECT count(*) FROM invocations WHERE status='unknown' AND key='SLOW'")
ok "the receipts say so too ($first)" [ "$first" -gt 0 ]
is "$(sqlite3 -readonly "$DIR/ledger.db" 'SELECT count(*) FROM intents')" 0 "no intent is left open"

# A flow: a step that has run is not run again.
for i in 1 2 3 4 5 6; do attempt STEPS "flow$i" worker $((took * i / 3)); done
twice=''
for i in 1 2 3 4 5 6; do for s in 1 2; do [ "$(hits "flow$i-$s")" -le 1 ] || twice="$twice flow$i-$s"; done; done
is "$twice" '' "a flow whose worker is killed runs no step twice"

# Many at once.
perl "$SOURCE/t/load.pl" "$HTTP" 100 60 100 '"id":"(inv_[0-9a-z]{26})"' POST /api/dispatch '{"key":"SLOW","body":"many"}' "x-terminal-key: $KEY" 'idempotency-key: many' >"$TMP/many"
is "$(wc -l <"$TMP/many")" 100 "a hundred requests with one key are answered"
is "$(hits many)" 1 "… one was sent"
unlike "$(cut -d' ' -f1 "$TMP/many" | sort -u)" '^(2[^0]|4[^0]|40[^9]|[^24])' "… the others have its answer, or are told to wait"
is "$(sed -n 's/^200 //p' "$TMP/many" | sort -u | wc -l)" 1 "… the same answer"
send SLOW many "$TMP/many.last"
is "$(cat "$TMP/many.last")" '200 -' "afterwards all have it"
is "$(sqlite3 -readonly "$DIR/ledger.db" 'PRAGMA integrity_check')" ok "ledger.db is whole"
rc_stop
is "$rc_exit" 0 "the service stops cleanly"
done_testing
