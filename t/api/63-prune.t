#!/bin/sh
# `rowcall prune`: what is old goes, a whole seal at a time, the chain says what it was, and a ledger that was cut off in the
# middle of it verifies.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rowcall() { "$BUILD/rowcall" "$@"; }
sql() { sqlite3 "$DIR/ledger.db" "$1"; }
prune() { rowcall prune --dir "$DIR" "$@" 2>&1; }
verified() { rowcall verify --dir "$DIR"; }

# Receipts from 2020 in a ledger that knows no seals, as an older version left it: 3000 of them are three seals' worth.
rc_start || bail "the service did not start"
owner POST /api/dispatch '{"key":"NOW"}' >/dev/null
rc_stop
sqlite3 "$DIR/ledger.db" "DROP TRIGGER ledger_events_no_delete; DELETE FROM ledger_events; DELETE FROM payloads; DROP TRIGGER invocations_no_update;
	WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 3000) INSERT INTO invocations (id, time, key, runner,
	actor, status, ok, material, trace) SELECT printf('inv_00%024d', i), '2020-01-01T00:00:00.000Z', 'OLD', 'fn', 'owner', 'ok', 1, 1,
	't_old' FROM c; UPDATE invocations SET n = 5000, time = '2020-01-01T00:00:00.000Z' WHERE n = 1; UPDATE invocations SET n = n - 1 WHERE n < 5000;
	UPDATE invocations SET n = 3001 WHERE n = 5000; INSERT INTO payloads (n, input, input_form) VALUES (7, 'x', 'string'), (3000, 'x', 'string')" ||
	bail "no old ledger"
sqlite3 "$DIR/ledger.db" "UPDATE invocations SET fingerprint_input = '$(printf x | sha256sum | cut -d' ' -f1)' WHERE n IN (7, 3000)"
sqlite3 "$DIR/ledger.db" "CREATE TRIGGER invocations_no_update BEFORE UPDATE ON invocations BEGIN SELECT raise(ABORT, 'receipts are never changed'); END"
rc_start --set idempotency_keep=1s --set payload_keep=0 --set seal_interval=5s || bail "the service did not start again"
owner POST /api/dispatch '{"key":"NOW"}' >/dev/null
receipt=$(jq -r .proof.invocation_id "$BODY")
wait_n=0
until [ "$wait_n" = 300 ] || [ "$(sql "SELECT max(json_extract(detail, '\$.last')) FROM ledger_events")" = 3002 ]; do sleep 0.1; wait_n=$((wait_n + 1)); done
is "$(sql "SELECT group_concat(json_extract(detail, '\$.last')) FROM ledger_events")" '1024,2048,3002' "a ledger without seals is sealed from its beginning" ||
	diag "$(sql "SELECT detail FROM ledger_events")"
ok "and verifies" verified

# --- what is not done
is "$(sqlite3 "$DIR/ledger.db" "DELETE FROM invocations WHERE n = 1" 2>&1 | grep -c 'only when they are pruned')" 1 "no receipt can be deleted before the mark is set"
is "$(sqlite3 "$DIR/ledger.db" "UPDATE pruned SET seal = 1, last = 1000" 2>&1 | grep -c 'one seal after the other')" 1 "the mark goes to the end of the next seal and nowhere else"
prune >"$TMP/out"; is "$? $(head -1 "$TMP/out")" '64 rowcall: either --before or --older-than says what is old' "it wants to be told what is old"
prune --before 2020-01 >"$TMP/out"; is "$?" 64 "a date that is none is refused"
prune --older-than 3x >"$TMP/out"; is "$?" 64 "and an age without a unit"
prune --older-than 90d --keep 0 >"$TMP/out"; is "$? $(cat "$TMP/out")" '64 rowcall: --keep wants a number from 1 on, not `0`' "one receipt at least stays"
is "$(prune --older-than 999999d -n --json | jq -c '[.before,.receipts]')" '["1970-01-01T00:00:00.000Z",0]' "nothing is older than time"
owner POST /api/prune '{"before":"2021-01-01T00:00:00Z","keep":1.5}' >/dev/null
is "$(status) $(jq_get .field)" '422 keep' "half a receipt is none"
owner POST /api/prune '{"before":"2021-01-01T00:00:00Z","after":"1"}' >/dev/null
is "$(status) $(jq_get .field)" '422 after' "nor is a text the number of one"
is "$(owner POST /api/prune '{"before":"then"}' | jq -r .error)" bad_field "the interface looks at it too"
request POST /api/prune '{"before":"2021-01-01T00:00:00Z"}' >/dev/null
is "$STATUS" 401 "it is the owner's"
is "$(prune --before 2019-12-31)" '0 receipts from before 2019-12-31T00:00:00.000Z were pruned' "what is younger stays"
is "$(prune --before 2021-01-01 --dry-run)" '2048 receipts from before 2021-01-01T00:00:00.000Z would be pruned' "a dry run says how many whole seals are old"
is "$(sql 'SELECT count(*) FROM invocations')" 3002 "… and removes nothing"
is "$(prune --before 2021-01-01 --keep 1978 -n --json | jq -c '[.ok,.dry_run,.receipts,.through]')" '[true,true,1024,1024]' "those that are to be kept count"
is "$(prune --before 2021-01-01 --keep 1979 -n --json | jq .receipts)" 0 "… up to a whole seal"
sql "INSERT INTO intents (invocation, time, key, runner, actor, trace, pid, repairs) SELECT 'inv_x', time, key, runner, actor, 't_x', $$, id FROM invocations WHERE n = 1030"
is "$(prune --before 2021-01-01 -n --json | jq .receipts)" 1024 "a receipt that a running call refers to stays, and what is behind it"
sql "DELETE FROM intents WHERE invocation = 'inv_x'"

# --- what is done
old=$(sql 'SELECT id FROM invocations WHERE n = 5')
is "$(prune --older-than 90d --keep 1978 --json | jq -c '[.receipts,.through]')" '[1024,1024]' "a prune removes what the dry run said"
is "$(sql 'SELECT min(n), count(*) FROM invocations; SELECT min(n) FROM payloads')" "$(printf '1025|1978\n3000')" "the receipts and their payloads"
is "$(sql "SELECT actor || json_extract(detail, '\$.seal') || json_extract(detail, '\$.first') || json_extract(detail, '\$.last') || json_extract(detail, '\$.count') FROM ledger_events WHERE action = 'RECEIPTS_PRUNE'")" \
	"$(sql "SELECT actor FROM invocations WHERE n = 3002")1110241024" "an event says who removed which"
ok "the ledger verifies" verified
request GET "/api/dispatch?confirm=$old" >/dev/null
is "$STATUS" 404 "a pruned receipt is not found"
like "$(jq -r '"\(.confirmed) \(.detail)"' "$BODY")" '^false receipts from before 2020-01-01T00:00:00.000Z were pruned' "… and the answer says why"
request GET "/api/dispatch?confirm=$receipt" >/dev/null
is "$STATUS" 200 "others are as they were"
ok "a backup of it verifies" rowcall backup --dir "$DIR" -q "$TMP/backup"

# --- cut off in the middle: each seal goes in one write
prune --before 2021-01-01 >"$TMP/out" 2>&1 &
pruning=$!
kill -KILL $(pids_of writer)
wait "$pruning"
ok "the ledger verifies when the writer is killed meanwhile" verified
is "$(sql 'SELECT min(n) - 1 - last FROM invocations, pruned')" 0 "a writer that was killed left whole seals"
prune --before 2021-01-01 >"$TMP/out"
is "$(sql 'SELECT min(n), count(*) FROM invocations')" '2049|954' "the next prune goes on"
ok "and the ledger verifies" verified
rc_stop

# damaged SQL PATTERN NAME
damaged()
{
	damage ledger.db "$1"
	out=$(rowcall verify "$TMP/copy" 2>&1)
	is "$?" 1 "$3"
	like "$out" "$2" "… and named"
}
damaged "DELETE FROM payloads; DELETE FROM invocations WHERE n <= 2052" 'seals: numbers 2049 to 3002: receipts are missing' "more removed than was pruned"
damaged "INSERT INTO invocations SELECT 1024, 'inv_again', time, key, runner, actor, status, reason, ok, material, cost_microusd, duration_us, trace, parent, fingerprint_input, fingerprint_output, fingerprint_contract, sensitive, on_behalf_of, authorized_by, count, replays, repairs, tokens_in, tokens_out FROM invocations WHERE n = 3002" \
	'seals: numbers 1 to 1024: receipts are there that were pruned' "a receipt in the place of a pruned one"
damaged "UPDATE ledger_events SET detail = replace(detail, '\"count\":1024', '\"count\":1023') WHERE action = 'RECEIPTS_PRUNE'" \
	'seals: numbers 1 to 1024: what was pruned is not what the seal covers' "a prune of something else"
damaged "DELETE FROM ledger_events WHERE action = 'RECEIPTS_PRUNE'" 'seals: numbers 1 to 1024: receipts are missing' "a prune that no event tells of"
done_testing
