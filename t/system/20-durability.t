#!/bin/sh
# Nothing acknowledged is lost: the writer is killed 50 times under load of receipts and of row changes, then every acknowledged one is looked for.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start || bail "the service did not start"
load() { perl "$SOURCE/t/load.pl" "$HTTP" "$@" "x-terminal-key: $KEY"; }

load 4 40 0 '"id":"(inv_[0-9a-z]{26})"' POST /api/dispatch '{"key":"ECHO","body":"{n}"}' >"$TMP/calls" & calls=$!
load 2 40 0 '"key":"(K_\d+)"' POST /api/directory '{"key":"K_{n}","type":"fn","target":"echo","content":"# WHAT: row {n}","examples":["x"]}' >"$TMP/rows" & rows=$!
extra_pids="$calls $rows"

killed=0 last=''
for _ in $(seq 50); do
	sleep 0.4
	w=$(pids_of writer)
	[ -n "$w" ] && [ "$w" != "$last" ] && kill -9 "$w" && killed=$((killed + 1))
	last=$w
done
kill $calls $rows; pkill -P $calls; pkill -P $rows; wait $calls $rows 2>/dev/null
ok "the writer was killed many times under load ($killed of 50)" [ "$killed" -ge 45 ]
like "$(pids_of writer)" '^[0-9]+$' "a writer is running again"

sleep 1
acknowledged() { sed -n "s/^$1 \(.*\)/\1/p" "$2" | grep -v '^-$' | sort; }
acknowledged 200 "$TMP/calls" >"$TMP/calls.acked"
acknowledged 201 "$TMP/rows" >"$TMP/rows.acked"
diag "acknowledged: $(wc -l <"$TMP/calls.acked") receipts, $(wc -l <"$TMP/rows.acked") rows; statuses: $(cut -d' ' -f1 "$TMP/calls" "$TMP/rows" | sort | uniq -c | tr '\n' ' ')"
ok "hundreds of calls were acknowledged in between" [ "$(wc -l <"$TMP/calls.acked")" -gt 500 ]
ok "… and rows" [ "$(wc -l <"$TMP/rows.acked")" -gt 200 ]
sqlite3 -readonly "$DIR/ledger.db" 'SELECT id FROM invocations' | sort >"$TMP/calls.stored"
is "$(comm -23 "$TMP/calls.acked" "$TMP/calls.stored" | wc -l)" 0 "every acknowledged receipt is stored"
is "$(uniq -d "$TMP/calls.stored" | wc -l)" 0 "… once"
sqlite3 -readonly "$DIR/directory.db" 'SELECT key FROM directory' | sort >"$TMP/rows.stored"
is "$(comm -23 "$TMP/rows.acked" "$TMP/rows.stored" | wc -l)" 0 "every acknowledged row is stored"
is "$(sqlite3 -readonly "$DIR/directory.db" "SELECT count(*) FROM directory d WHERE (SELECT count(*) FROM events e WHERE e.key=d.key AND e.operation='create')<>1")" 0 "each row has exactly one creation in the event log"
owner GET /api/events/verify >/dev/null
is "$(jq_get .ok),$(jq_get .first_bad)" true,null "the event chain verifies"
is "$(sqlite3 -readonly "$DIR/directory.db" 'PRAGMA integrity_check')" ok "directory.db is whole"
is "$(sqlite3 -readonly "$DIR/ledger.db" 'PRAGMA integrity_check')" ok "ledger.db is whole"
unlike "$(cut -d' ' -f1 "$TMP/calls" | sort -u | tr '\n' ' ')" '(^| )(404|401|400|409|000)' "clients saw 200 or an honest failure (500, 502, 503), never anything else"
is "$(find "$DIR" -name '*-wal' -size +80M | wc -l)" 0 "the write-ahead logs stay bounded"
rc_stop
is "$rc_exit" 0 "the service stops cleanly"
done_testing
