#!/bin/sh
# What a program or a model was asked to do before its worker was killed has a receipt, whenever that happened.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

E=$TMP/exec.d
mkdir "$E" && chmod 755 "$E"
printf '#!/bin/sh\necho "$1" >>%s\nsleep 0.1\n' "$TMP/ran" >"$E/marks"; chmod 755 "$E/marks"
: >"$TMP/ran"
chat_start
mkdir -p "$TMP/instance"
printf 'data_dir = .\nrun_dir = run\nsecrets_file = secrets.env\n\n[model "*"]\nbase_url = http://%s/v1\n' "$CHAT" >"$TMP/instance/rowcall.conf"
rc_start --allow-upstream "$CHAT" --set "exec_dir=$E" || bail "the service did not start"
owner PUT /api/directory/MARKS '{"type":"fn","runner":"exec","target":"marks","content":"# WHAT: x","examples":["x"]}' >/dev/null
owner PUT /api/directory/ASKS '{"type":"agent","target":"m","content":"SCRIPT\n!slow 100 done"}' >/dev/null

call() { curl -sS --max-time 20 --cacert "$CACERT" -o /dev/null -H "x-terminal-key: $KEY" -H 'content-type: application/json' -d "{\"key\":\"$1\",\"body\":\"$2\"}" "$BASE/api/dispatch" 2>/dev/null & }
ready() { [ "$(owner GET /api/healthz >/dev/null; status)" = 200 ] && [ "$(pids_of worker | wc -l)" = 2 ]; }
for i in $(seq 20); do
	call MARKS "m$i"; one=$!
	call ASKS "a$i"; two=$!
	sleep "0.$(printf %02d "$i")"
	kill -9 $(pids_of worker) 2>/dev/null
	wait $one $two
	n=0
	until ready || [ $n -gt 200 ]; do sleep 0.05; n=$((n + 1)); done
done
rc_stop
sql() { sqlite3 -readonly "$DIR/ledger.db" "$1"; }
is "$(sql 'SELECT count(*) FROM intents')" 0 "no intent is left open"
started=$(wc -l <"$TMP/ran") asked=$(wc -l <"$CHAT_LOG")
diag "$started programs and $asked models were started; receipts: $(sql 'SELECT key, status, count(*) FROM invocations GROUP BY 1, 2' | tr '\n' ' ')"
ok "programs were started, models asked" [ "$started" -gt 0 -a "$asked" -gt 0 ]
ok "there is a receipt for each program that was started" [ "$(sql "SELECT count(*) FROM invocations WHERE key='MARKS'")" -ge "$started" ]
ok "… and for each model that was asked" [ "$(sql "SELECT count(*) FROM invocations WHERE key='ASKS'")" -ge "$asked" ]
is "$(sort "$TMP/ran" | uniq -d)" '' "no program was run twice"
for key in MARKS ASKS; do ok "$key: some ended with unknown outcome" [ "$(sql "SELECT count(*) FROM invocations WHERE key='$key' AND status='unknown'")" -gt 0 ]; done
done_testing
