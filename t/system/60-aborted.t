#!/bin/sh
# Clients that hang up, by the thousand, on calls of every kind: afterwards descriptors, processes and memory are what they were.
# ABORTS=100000 makes it more.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

E=$TMP/exec.d
mkdir "$E" && chmod 755 "$E"
printf '#!/bin/sh\necho >>%s\nsleep 0.02\necho >>%s\n' "$TMP/began" "$TMP/ended" >"$E/naps"; chmod 755 "$E/naps"
upstream_start
chat_start
mkdir -p "$TMP/instance"
printf 'data_dir = .\nrun_dir = run\nsecrets_file = secrets.env\n\n[model "*"]\nbase_url = http://%s/v1\n' "$CHAT" >"$TMP/instance/rowcall.conf"
rc_start --allow-upstream "$UPSTREAM" --allow-upstream "$CHAT" --set "exec_dir=$E" --set max_connections=2048 || bail "the service did not start"
put() { owner PUT "/api/directory/$1" "$2" >/dev/null; }
put SLOW "{\"type\":\"http\",\"target\":\"POST http://$UPSTREAM/slow/20\",\"content\":\"# WHAT: x\n{}\",\"examples\":[\"x\"]}"
put NAPS '{"type":"fn","runner":"exec","target":"naps","content":"# WHAT: x","examples":["x"]}'
put ASKS '{"type":"agent","target":"m","allowed_categories":"*","content":"SCRIPT\n!slow 20 [ECHO]x[/ECHO]\n--\n[REPLY]done[/REPLY]"}'
put STEPS '{"type":"flow","content":"# WHAT: x\n{ UPPER: a | ECHO: b } > ECHO: $PREV","examples":["x"]}'
PORT=${HTTP##*:}
abort() { perl "$SOURCE/t/abort.pl" "$PORT" "$1" "$KEY" '{"key":"NOW","body":""}' '{"key":"STEPS","body":""}' '{"key":"ECHO","body":"x"}' '{"key":"NOW","body":"","shape":true}'; }
abort_slow() { perl "$SOURCE/t/abort.pl" "$PORT" "$1" "$KEY" '{"key":"SLOW","body":""}' '{"key":"NAPS","body":""}' '{"key":"ASKS","body":""}'; }
workers() { pids_of worker; }
# Of all three kinds of process, those that are no sockets, and the sockets: nginx keeps up to 64 connections in each of its processes.
files() { for p in $(workers) $(pids_of exec) $(pids_of writer); do ls -l "/proc/$p/fd"; done | grep -e '->' | grep -vc socket:; }
sockets() { for p in $(workers) $(pids_of exec) $(pids_of writer); do ls -l "/proc/$p/fd"; done | grep -c socket:; }
# The writer's grows to its page cache and stays there: it is not counted.
memory() { for p in $(workers) $(pids_of exec); do awk '/^Pss:/ { print $2 }' "/proc/$p/smaps_rollup"; done | awk '{ n += $1 } END { print n }'; }
# Until no call is under way.
quiet()
{
	i=0
	while :; do
		owner GET /api/status >/dev/null
		[ "$(jq_get .this_worker.requests)" -gt 1 ] || [ -n "$(pgrep -P "$(pids_of exec)")" ] || return 0
		i=$((i + 1)); [ $i -lt 300 ] || return 1
		sleep 0.1
	done
}

abort 4000 >/dev/null; abort_slow 400 >/dev/null
ok "the service comes to rest" quiet
files=$(files) sockets=$(sockets) kib=$(memory) pids=$(workers | tr '\n' ' ')
n=${ABORTS:-10000}
is "$(abort "$n")" "$n" "$n clients hang up on fast calls"
is "$(abort_slow $((n / 40)))" $((n / 40)) "$((n / 40)) on slow ones"
ok "the service comes to rest again" quiet
sleep 0.5
is "$(files)" "$files" "the files that are open are as many as before"
ok "so are the sockets, but for connections that nginx keeps ($sockets, $(sockets))" [ "$(sockets)" -le $((sockets + 64 * $(nproc) + 8)) ]
is "$(workers | tr '\n' ' ')" "$pids" "the same workers serve"
grown=$(($(memory) - kib))
ok "its memory is what it was, within 12 MiB ($grown KiB)" [ "$grown" -lt 12288 ]
is "$(pgrep -P "$(pids_of exec)" | wc -l)" 0 "no program is left"
# What is called runs to its end, whoever listens, and has its receipt.
sql() { sqlite3 -readonly "$DIR/ledger.db" "$1"; }
programs=$(wc -l <"$TMP/began")
ok "programs were started ($programs)" [ "$programs" -gt 0 ]
is "$(wc -l <"$TMP/ended")" "$programs" "each of them ran to its end"
is "$(sql "SELECT count(*) FROM invocations WHERE key='NAPS' AND status='ok'")" "$programs" "… and has a receipt that says so"
is "$(sql "SELECT count(*) FROM invocations WHERE key='ASKS' AND status='ok'"),$(sql "SELECT count(*) FROM invocations WHERE key='ASKS' AND status<>'ok'")" "$(grep -c '"assistant"' "$CHAT_LOG"),0" "so has each agent, which went on to its reply"
is "$(sql 'SELECT count(*) FROM intents')" 0 "no intent is left open"
is "$(owner POST /api/dispatch '{"key":"NOW","body":""}' >/dev/null; status)" 200 "calls work"
owner GET /api/events/verify >/dev/null
is "$(jq_get .ok)" true "the chain of events is whole"
done_testing
