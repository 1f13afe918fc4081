#!/bin/sh
# `rowcall backup` and `rowcall restore-backup`: a copy of one moment while writes run, and the way back.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start || bail "the service did not start"
rowcall() { "$BUILD/rowcall" "$@"; }
sql() { sqlite3 -readonly "$@"; }
refused() { "$BUILD/rowcall" "$@" >"$TMP/out" 2>&1; }

# --- under writes: clients store and call rows in turn, about 2,000 changes and as many receipts in all
CLIENTS='A B C D' PAIRS=${ROWCALL_TEST_PAIRS:-400} BACKUPS=6
for c in $CLIENTS; do
	: >"$TMP/pairs.$c"
	perl "$SOURCE/t/pairs.pl" "$HTTP" "$KEY" "${c}_" "$PAIRS" "$TMP/pairs.$c" 2>"$TMP/pairs.$c.err" &
	extra_pids="${extra_pids:-} $!"
	eval "pid_$c=$!"
done
perl "$SOURCE/t/batches.pl" "$HTTP" "$KEY" BATCH_ "$TMP/batches" "$TMP/enough" 2>"$TMP/batches.err" &
extra_pids="$extra_pids $!" batches=$!
acked() { wc -l <"$TMP/pairs.$1"; }
# Changes of the directory that were acknowledged until now.
acked_all() { echo $(($(cat "$TMP"/pairs.[A-D] | wc -l) + 25 * $(wc -l <"$TMP/batches"))); }
until [ "$(acked A)" -gt 5 ] && [ "$(acked D)" -gt 5 ] && [ "$(wc -l <"$TMP/batches")" -gt 0 ]; do sleep 0.05; done
wal=$(stat -c %i "$DIR/ledger.db-wal" "$DIR/directory.db-wal")
n=1 during=0 ms=0
: >"$TMP/uneven"
while [ "$n" -le "$BACKUPS" ]; do
	for c in $CLIENTS; do acked "$c" >"$TMP/before.$c"; done
	batch=$(wc -l <"$TMP/batches") from=$(acked_all) at=$(date +%s%3N)
	rowcall backup --dir "$DIR" "$TMP/b$n" >"$TMP/b$n.out" 2>&1 || { diag "$(cat "$TMP/b$n.out")"; echo "backup $n failed" >>"$TMP/uneven"; }
	ms=$((ms + $(date +%s%3N) - at)) during=$((during + $(acked_all) - from))
	for c in $CLIENTS; do
		rows=$(sql "$TMP/b$n/directory.db" "SELECT count(*) FROM directory WHERE key GLOB '${c}_*'")
		calls=$(sql "$TMP/b$n/ledger.db" "SELECT count(*) FROM invocations WHERE key GLOB '${c}_*'")
		[ "$rows" = "$calls" ] || [ "$rows" = $((calls + 1)) ] || echo "backup $n: $rows rows of $c, $calls receipts" >>"$TMP/uneven"
		[ "$calls" -ge "$(cat "$TMP/before.$c")" ] || echo "backup $n: $calls receipts of $c, $(cat "$TMP/before.$c") were acknowledged" >>"$TMP/uneven"
	done
	ranks=$(sql "$TMP/b$n/directory.db" "SELECT DISTINCT planner_rank FROM directory WHERE key GLOB 'BATCH_*'")
	[ "$(echo "$ranks" | wc -l)" = 1 ] && [ "${ranks:-0}" -ge "$batch" ] || echo "backup $n: batches $ranks, $batch were acknowledged" >>"$TMP/uneven"
	n=$((n + 1))
	sleep 0.5
done
touch "$TMP/enough"
last=$(sql "$TMP/b$BACKUPS/ledger.db" "SELECT count(*) FROM invocations WHERE key GLOB '?_*'")
for c in $CLIENTS; do eval "wait \$pid_$c"; is "$?" 0 "client $c had every answer while backups ran"; done
is "$(cat "$TMP/uneven")" '' "each backup holds what was acknowledged, and rows and receipts of one moment"
wait "$batches"
is "$?" 0 "so had the one that changes 25 rows at a time"
diag "while the backups were made, $during changes of the directory were acknowledged in $ms ms: $((during * 1000 / ms)) a second"
ok "changes were acknowledged while the backups were made" [ "$during" -gt 0 ]
ok "the backups were made while writes ran ($last of $((4 * PAIRS)))" [ "$last" -lt $((4 * PAIRS)) ]
is "$(stat -c %i "$DIR/ledger.db-wal" "$DIR/directory.db-wal")" "$wal" "the write-ahead logs are the same files"
for n in 1 $BACKUPS; do ok "backup $n verifies" rowcall verify "$TMP/b$n"; done
is "$(for f in "$TMP/b1"/*; do sql "$f" 'PRAGMA integrity_check' 2>/dev/null | grep -c '^ok$'; done | tr '\n' ' ')" '0 1 1 0 ' "both databases are whole"

# --- what a backup is
is "$(ls "$TMP/b1" | tr '\n' ' ')" 'backup.json directory.db ledger.db rowcall.conf ' "it has no secrets, logs or locks"
is "$(stat -c %a "$TMP/b1" "$TMP/b1"/* | sort -u | tr '\n' ' ')" '600 700 ' "only its owner reads it"
is "$(ls -d "$TMP"/*unfinished* 2>/dev/null)" '' "nothing unfinished is left"
mkdir "$TMP/killed.unfinished-1" "$TMP/made.unfinished-2" "$TMP/mine.unfinished-3"
touch "$TMP/killed.unfinished-1/secrets.env" "$TMP/killed.unfinished-1/ledger.db-journal" "$TMP/made.unfinished-2/ledger.db" "$TMP/mine.unfinished-3/thesis"
exec 8<"$TMP/made.unfinished-2"
flock -n 8
ok "with --with-secrets it has them" rowcall backup --dir "$DIR" --with-secrets -q "$TMP/full/"
exec 8<&-
is "$(cd "$TMP" && ls -d ./*.unfinished-* | tr '\n' ' ')" './made.unfinished-2 ./mine.unfinished-3 ' "what a backup that was killed has left goes; one that is being made does not"
is "$(ls "$TMP/mine.unfinished-3")" thesis "nor what is no backup's"
rm -r "$TMP"/*.unfinished-*
is "$(stat -c %a "$TMP/full/secrets.env") $(cmp "$TMP/full/secrets.env" "$DIR/secrets.env" && echo same)" '600 same' "… for their owner alone"
is "$(jq -c '[.files[].name]' "$TMP/full/backup.json")" '["directory.db","ledger.db","rowcall.conf","secrets.env"]' "backup.json names them"
refused backup --dir "$DIR" "$TMP/full"
is "$? $(cat "$TMP/out")" "1 rowcall: $TMP/full: File exists" "a folder that exists is left alone"
refused backup --dir "$DIR" "$TMP/no/where"
is "$?" 1 "a folder that cannot be made is told"

# --- the way back
refused restore-backup --dir "$DIR" "$TMP/b1"
is "$?" 1 "restoring over a service that runs is refused"
like "$(cat "$TMP/out")" 'the service runs; nothing was changed; stop it first' "… and says so"
owner DELETE /api/directory/A_00001 >/dev/null
rc_stop
b1_rows=$(sql "$TMP/b1/directory.db" 'SELECT count(*) FROM directory')
before=$(sql "$DIR/directory.db" 'SELECT count(*) FROM directory')

cp -r "$TMP/b1" "$TMP/bad"
printf x | dd of="$TMP/bad/ledger.db" bs=1 seek=9000 conv=notrunc 2>/dev/null
refused restore-backup --dir "$DIR" "$TMP/bad"
is "$?" 1 "a backup with one other byte is refused"
like "$(cat "$TMP/out")" 'bad/ledger.db: is not as the backup was made' "… and the file is named"
# One that was meddled with by somebody who corrects backup.json.
rm -rf "$TMP/bad" && cp -r "$TMP/b1" "$TMP/bad"
sqlite3 "$TMP/bad/directory.db" "DROP TRIGGER events_no_delete; DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)"
jq -c --arg d "$(sha256sum <"$TMP/bad/directory.db" | cut -d' ' -f1)" --argjson s "$(stat -c %s "$TMP/bad/directory.db")" \
	'(.files[] | select(.name=="directory.db")) |= (.sha256=$d | .bytes=$s)' "$TMP/b1/backup.json" >"$TMP/bad/backup.json"
refused restore-backup --dir "$DIR" "$TMP/bad"
is "$?" 1 "one whose last event was removed is refused"
like "$(cat "$TMP/out")" 'is missing: the log ends before the head' "… by the head in backup.json"
refused restore-backup --dir "$DIR" --with-secrets "$TMP/b1"
is "$?" 1 "secrets that it does not have are not restored"
is "$(sql "$DIR/directory.db" 'SELECT count(*) FROM directory') $(ls "$DIR" | grep -c before)" "$before 0" "all this changed nothing"

ok "a good backup is restored" rowcall restore-backup --dir "$DIR" "$TMP/b1"
is "$(ls "$DIR" | sed 's/before-[-0-9T:.]*Z/before-TIME/' | grep before | tr '\n' ' ')" \
	'directory.db.before-TIME directory.db.before-TIME-wal ledger.db.before-TIME ledger.db.before-TIME-wal ' "what was there stays, its logs with it"
is "$(stat -c '%a %U' "$DIR/directory.db" "$DIR/ledger.db" | sort -u)" "640 $(stat -c %U "$DIR")" "the files belong to whom the folder does"
kept=$(ls "$DIR"/directory.db.before-*Z)
is "$(sql "$kept" 'SELECT count(*) FROM directory')" "$before" "and can be read"
rc_start || bail "the service did not start"
is "$(owner GET '/api/directory/categories' | jq '[.categories[].count] | add') $(status)" "$b1_rows 200" "the service has the rows of the backup"
is "$(api GET '/api/dispatch?key=A_00001' >/dev/null; status)" 200 "a row that was deleted since is back"
owner POST /api/dispatch '{"key":"A_00001","body":"again"}' >/dev/null
is "$(jq_get .result)" again "and runs"
owner PUT /api/directory/NEWER '{"type":"fn","target":"echo","content":"# WHAT: newer","examples":["x"]}' >/dev/null
is "$(status)" 201 "the service writes on"
ok "and verifies, from the head of the backup on" rowcall verify --dir "$DIR" --head "$(jq -r .head "$TMP/b1/backup.json")"
rc_stop
ok "secrets are restored when asked" rowcall restore-backup --dir "$DIR" --with-secrets "$TMP/full"
is "$(stat -c %a "$DIR/secrets.env") $(ls "$DIR" | grep -c '^secrets.env.before')" '600 1' "… and the older ones stay too"

# --- no room
code() { (ulimit -f 64; "$BUILD/rowcall" "$@" >"$TMP/out" 2>&1); echo $?; }
is "$(code backup --dir "$DIR" "$TMP/room"),$(ls -d "$TMP"/room* 2>/dev/null),$(grep -c '^rowcall: ' "$TMP/out")" 1,,1 "a backup that has no room is told, and leaves nothing"
is "$(code restore-backup --dir "$DIR" "$TMP/b1"),$(ls "$DIR" | grep -c 'restored\|unfinished'),$(cat "$TMP/out")" \
	"1,0,rowcall: $DIR/directory.db.restored: File too large" "so is a restore"

# --- cut off
for n in 1 3; do       # before the first file is exchanged, and between the two
	strace -f -qq -o /dev/null -e inject=rename:signal=KILL:when=$n "$BUILD/rowcall" restore-backup --dir "$DIR" "$TMP/b1" >"$TMP/out" 2>&1
	refused ls --dir "$DIR"
	is "$?,$(grep -c 'a restore was cut off: run rowcall restore-backup again' "$TMP/out")" 69,1 "cut off at rename $n no service starts with half of it"
done
ok "the same again completes it" rowcall restore-backup --dir "$DIR" "$TMP/b1"
ok "… and it verifies" rowcall verify --dir "$DIR"
is "$(rowcall export --dir "$DIR" | wc -l) $(ls "$DIR" | grep -c 'restored\|unfinished')" "$b1_rows 0" "it serves those rows, and nothing is left over"
done_testing
