#!/bin/sh
# `rowcall verify`: what a service wrote verifies, live and in a copy, and each kind of damage is found and named.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

upstream_start
rc_start --set seal_interval=1h --allow-upstream "$UPSTREAM" || bail "the service did not start"
rowcall() { "$BUILD/rowcall" "$@"; }
row() { jq -nc --arg k "$1" --arg w "$2" '{key:$k,type:"fn",target:"echo",content:("# WHAT: "+$w),examples:["x"]}'; }

for n in 1 2 3 4 5 6; do
	owner PUT "/api/directory/ROW_$n" "$(row "ROW_$n" one)" >/dev/null
	owner POST /api/dispatch "{\"key\":\"ROW_$n\",\"body\":\"words of $n\"}" >/dev/null
done
owner DELETE /api/directory/ROW_6 >/dev/null
owner POST /api/dispatch '{"key":"NOW"}' >/dev/null
owner PUT /api/directory/LOCKED "{\"type\":\"http\",\"target\":\"GET http://$UPSTREAM/status/401\",\"content\":\"# WHAT: refused\",\"examples\":[\"\"]}" >/dev/null
owner POST /api/dispatch '{"key":"LOCKED"}' >/dev/null
owner DELETE /api/breakers/LOCKED >/dev/null

live=$(rowcall verify --dir "$DIR" --json) live_rc=$?
is "$live_rc $(printf '%s' "$live" | jq -c '[.ok,(.findings|length)]')" '0 [true,0]' "a live service verifies"
events=$(printf '%s' "$live" | jq '.checks[] | select(.check=="events").count')
is "$events" "$(owner GET /api/events/verify | jq .count)" "it looks at as many events as the interface counts"
HEAD=$(printf '%s' "$live" | jq -r .head)
is "$HEAD" "$(jq -r '.head' "$BODY")@$events" "its head is the interface's"
is "$(printf '%s' "$live" | jq -c '[.checks[] | select(.check=="receipts").count]')" '[8]' "and at every receipt"
LEDGER_HEAD=$(printf '%s' "$live" | jq -r .ledger_head)
like "$(ROWCALL_DIR=$DIR rowcall verify)" "^head +$HEAD\$" "the folder may stand in ROWCALL_DIR, and the table ends with the heads"
wal=$(stat -c %i "$DIR/ledger.db-wal")
for n in 1 2 3; do rowcall verify --dir "$DIR" >/dev/null; done
is "$(stat -c %i "$DIR/ledger.db-wal")" "$wal" "reading it leaves the write-ahead log alone"

# --- seals: what covers the receipts' columns
is "$(printf '%s' "$live" | jq -c .unsealed)" 8 "it says how many receipts no seal covers yet"
like "$(rowcall verify --dir "$DIR")" '^8 receipts are not sealed yet' "… in words too"
kill -KILL "$(pids_of writer)"
until owner POST /api/dispatch '{"key":"NOW"}' >/dev/null && jq -e .ok "$BODY" >/dev/null; do sleep 0.1; done
rc_stop
ok "a stopped service verifies" rowcall verify --dir "$DIR"
is "$(rowcall verify --dir "$DIR" --json | jq -c '[.unsealed, (.checks[] | select(.check=="seals") | .count, .bad)]')" '[0,1,0]' "a stop seals what is left, also after the writer was killed"
seal() { sqlite3 -readonly "$DIR/ledger.db" "SELECT json_extract(detail, '\$.$1') FROM ledger_events WHERE action = 'RECEIPTS_SEAL' LIMIT 1"; }
is "$(seal first) $(seal last) $(seal count)" '1 9 9' "from the first receipt to the last"
# As rowcall(1) says: each column as type, length and text.
column=$(sqlite3 -readonly "$DIR/ledger.db" "SELECT group_concat('substr(typeof(' || name || '), 1, 1) || coalesce(length(CAST(' || name || ' AS BLOB)), 0) || '':'' || coalesce(' || name || ', '''')', ' || ') FROM pragma_table_info('invocations')")
is "$(sqlite3 -readonly "$DIR/ledger.db" "SELECT $column FROM invocations WHERE n BETWEEN 1 AND 9 ORDER BY n" | sha256sum | cut -d' ' -f1)" "$(seal sha256)" \
	"sqlite3 and sha256sum come to the same digest"

# damaged FILE SQL PATTERN NAME: the damage is done to a copy and found there.
damaged()
{
	damage "$1" "$2"
	out=$(rowcall verify --head "$HEAD" --ledger-head "$LEDGER_HEAD" "$TMP/copy" 2>&1)
	is "$?" 1 "$4"
	like "$out" "$3" "… and named"
}
first=$(sqlite3 -readonly "$DIR/ledger.db" 'SELECT id FROM invocations WHERE n=3')
mkdir "$TMP/copy" && cp "$DIR"/*.db "$TMP/copy"
ok "a copy without damage verifies with both heads" rowcall verify --head "$HEAD" --ledger-head "$LEDGER_HEAD" "$TMP/copy"

damaged directory.db "UPDATE events SET actor = 'someone' WHERE seq = 5" '^directory.db: events: 5 evt_[a-z0-9]*: `hash` is not the digest' "a byte of an event"
damaged directory.db "DELETE FROM events WHERE seq = 7" '^directory.db: events: 7: is missing' "an event removed in the middle"
damaged directory.db "DELETE FROM events WHERE seq = $events" "events: $events: is missing: the log ends before" "the last event removed"
damaged directory.db "UPDATE events SET seq = -1 WHERE seq = 4; UPDATE events SET seq = 4 WHERE seq = 5; UPDATE events SET seq = 5 WHERE seq = -1" \
	'events: 4 evt_[a-z0-9]*: `prev`' "two events swapped"
damaged directory.db "UPDATE events SET hash = substr(hash, 2) || '0' WHERE seq = $events" "events: $events evt" "the hash of the last event"
damaged directory.db "UPDATE contracts SET contract = replace(contract, 'ROW_2', 'ROW_3') WHERE contract LIKE '%\"ROW_2\"%'" \
	'contracts: [0-9a-f]{64}: `contract` does not have the digest' "a contract"
damaged directory.db "DELETE FROM contracts WHERE contract LIKE '%\"ROW_2\"%'" "receipts: inv_[a-z0-9]*: the contract of .fingerprint_contract. is missing" "a contract removed"
damaged directory.db "UPDATE directory SET target = 'upper' WHERE key = 'ROW_1'" 'rows: ROW_1: is not as its last event has it' "a row changed by hand"
damaged directory.db "DELETE FROM directory WHERE key = 'ROW_1'" 'lost rows: ROW_1: is not there' "a row removed by hand"
damaged directory.db "INSERT INTO directory SELECT 'ROW_6', type, target, auth, content, updated_at, category, allowed_categories, seq, enabled, planner_visible, planner_rank, input_schema, examples, sensitive, runner, includes, created_at FROM directory WHERE key = 'ROW_1'" \
	'rows: ROW_6: is there, but' "a row put back by hand"
damaged ledger.db "UPDATE payloads SET output = output || '!' WHERE n = 3" "receipts: $first: the output kept does not" "an output"
damaged ledger.db "UPDATE payloads SET input = 'other' WHERE n = 3" "receipts: $first: the input kept does not" "an input"
damaged ledger.db "DELETE FROM invocations WHERE n = 3; DELETE FROM payloads WHERE n = 3" 'receipts: number 3: missing: records were removed' "a receipt removed in the middle"
damaged ledger.db "DELETE FROM invocations WHERE n = 9" 'orphan payloads: 9: a payload without' "a receipt removed at the end, its payload left"
damaged ledger.db "UPDATE invocations SET actor = 'someone' WHERE n = 4" 'ledger.db: seals: numbers 1 to 9: a receipt is not as it was sealed' "a text of a receipt altered"
damaged ledger.db "UPDATE invocations SET ok = 0 WHERE n = 4" 'seals: numbers 1 to 9: a receipt is not as' "a number of a receipt altered"
damaged ledger.db "UPDATE invocations SET reason = '' WHERE n = 4" 'seals: numbers 1 to 9: a receipt is not as' "nothing made an empty text"
damaged ledger.db "UPDATE invocations SET id = CAST(id AS BLOB) WHERE n = 4" 'seals: numbers 1 to 9: a receipt is not as' "a text made a blob"
damaged ledger.db "UPDATE invocations SET key = key || runner, runner = '' WHERE n = 4" 'seals: numbers 1 to 9: a receipt is not as' "bytes moved from one column to the next"
damaged ledger.db "DELETE FROM payloads WHERE n > 7; DELETE FROM invocations WHERE n > 7" 'seals: numbers 1 to 9: receipts are missing' "the last receipts removed with their payloads"
damaged ledger.db "UPDATE invocations SET n = 0 WHERE n = 9" 'receipts: inv_[a-z0-9]*: has a number that no receipt gets' "a receipt before the first"
damaged ledger.db "UPDATE ledger_events SET detail = replace(detail, '\"last\":9', '\"last\":8') WHERE action = 'RECEIPTS_SEAL'" 'ledger events: [0-9]* evt_[a-z0-9]*: `hash`' "a seal altered"
damaged ledger.db "UPDATE ledger_events SET detail = 'x' WHERE action = 'RECEIPTS_SEAL'" "seals: numbers 0 to 0: the event's detail is no seal" "a seal that cannot be read"
damaged ledger.db "UPDATE ledger_events SET action = 'X'" 'ledger events: 1 evt_[a-z0-9]*: `hash`' "a ledger event"
damaged ledger.db "DELETE FROM ledger_events" 'ledger events: 1: is missing: the log ends before' "the ledger's events removed"
damaged ledger.db "INSERT INTO intents (invocation, time, key, runner, actor, trace, pid) SELECT id, time, key, runner, actor, trace, 1 FROM invocations WHERE n = 2" \
	'intents: inv_[a-z0-9]*: an intent beside its receipt' "an intent that should have ended"

# Pages: the middle of a table's page is written over.
rm -rf "$TMP/copy" && mkdir "$TMP/copy" && cp "$DIR"/*.db "$TMP/copy"
page=$(sqlite3 "$TMP/copy/directory.db" "SELECT rootpage FROM sqlite_schema WHERE name = 'events'")
printf '\377\377\377\377\377\377\377\377' | dd of="$TMP/copy/directory.db" bs=1 seek=$(((page - 1) * 4096 + 8)) conv=notrunc 2>/dev/null
rowcall verify "$TMP/copy" >"$TMP/out" 2>&1
is "$?" 1 "a damaged page"
like "$(cat "$TMP/out")" '^directory.db: pages: ' "… and named"

# Control characters in what is shown.
damaged directory.db "UPDATE directory SET key = 'ROW' || char(27) || '[2J' WHERE key = 'ROW_1'; UPDATE events SET key = 'ROW' || char(27) || '[2J' WHERE key = 'ROW_1'" \
	'rows: ROW.x1b' "a name with an escape sequence, shown escaped,"

is "$(rowcall verify "$TMP/nowhere" 2>/dev/null; echo $?)" 66 "a folder that is not there cannot be read"
is "$(rowcall verify --head 12 "$DIR" 2>/dev/null; echo $?)" 64 "a head that is none is refused"
done_testing
