#!/bin/sh
# A stop under load: every call is answered with its result or is 502, and what is 502 has not run, also when it reached a connection
# that was just being closed.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

for round in 1 2 3; do
	rc_start || bail "the service did not start"
	before=$(sqlite3 "$DIR/ledger.db" 'SELECT count(*) FROM invocations')
	perl "$SOURCE/t/load.pl" "$HTTP" 12 2 0 'inv_[0-9a-z]{26}' POST /api/dispatch '{"key":"ECHO","body":"{n}"}' "x-terminal-key: $KEY" >"$TMP/load" &
	load=$!
	sleep 1
	# nginx stays while its service goes.
	kill -STOP "$rc_pid"
	kill -TERM "$MASTER"
	wait $load
	kill -CONT "$rc_pid"
	rc_stop
	diag "$(cut -d' ' -f1 "$TMP/load" | sort | uniq -c | tr -s ' \n' ' ')"
	is "$(cut -d' ' -f1 "$TMP/load" | sort -u | tr '\n' ' ')" '200 502 ' "round $round: calls are answered or 502"
	sed -n 's/^200 //p' "$TMP/load" | sort >"$TMP/answered"
	sqlite3 "$DIR/ledger.db" "SELECT id FROM invocations ORDER BY n LIMIT -1 OFFSET $before" | sort >"$TMP/ran"
	is "$(comm -3 "$TMP/answered" "$TMP/ran" | head -3)" '' "round $round: those that were answered ran, and no others"
done
done_testing
