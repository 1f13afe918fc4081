#!/bin/sh
# Denials are recorded at most once a second for each credential and reason, however many workers refuse, and counted whole.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

CALLS=60
rc_start --workers 4 || bail "the service did not start"
owner PATCH /api/directory/UPPER '{"enabled":0}' >/dev/null
is "$(status)" 200 "a row is disabled"
# A connection of its own for each call, so that every worker gets some.
for _ in $(seq $CALLS); do
	curl -sS --http1.1 -o /dev/null -w '%{http_code}\n' -H "x-terminal-key: $KEY" -H 'content-type: application/json' -d '{"key":"UPPER"}' "$HTTP/api/dispatch" >>"$TMP/denied" &
	pids="${pids:-} $!"
done
wait $pids
is "$(sort "$TMP/denied" | uniq -c | tr -s ' ')" " $CALLS 409" "$CALLS calls of it are refused"
counted() { owner GET '/api/dispatch?ledger=1&key=UPPER&limit=500' >/dev/null; jq_get '[.rows[] | select(.reason | startswith("row_disabled")) | .count // 1] | add'; }
for _ in $(seq 300); do [ "$(counted)" = $CALLS ] && break; sleep 0.1; done
is "$(counted)" $CALLS "their receipts count them all"
jq -r '.rows[] | select(.reason | startswith("row_disabled")) | .time' "$BODY" >"$TMP/times"
diag "$(wc -l <"$TMP/times") receipts"
# A receipt gets its time a moment after it was decided.
is "$(perl -MTime::Piece -ne '/^(.*)\.(\d+)Z/ or die; my $t = Time::Piece->strptime($1, "%Y-%m-%dT%H:%M:%S")->epoch + "0.$2"; print "$p $t\n" if defined $p && $p - $t < 0.8; $p = $t' "$TMP/times")" '' "no two of them are of one second"
is "$(pids_of worker | wc -l)" 4 "by four workers"
done_testing
