#!/bin/sh
# Many streams are open: calls go on, all of them hear of a change, no process is held and little memory, and what closes them leaves nothing behind.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

STREAMS=500 CALLS=50 KIB_EACH=40
rc_start --set max_streams=300 --set max_connections=2048 || bail "the service did not start"
call() { curl -sS -m 60 -o /dev/null -w '%{http_code}\n' -H "x-terminal-key: $KEY" -H 'content-type: application/json' -d "{\"key\":\"$1\"}" "$HTTP/api/dispatch"; }
memory() { for p in $(pids_of worker); do awk '/^Pss:/ { print $2 }' "/proc/$p/smaps_rollup"; done | awk '{ n += $1 } END { print n }'; }
# listeners COUNT: so many more; their count is in $TMP/listening, their process in $LISTEN.
listeners()
{
	perl "$SOURCE/t/listen.pl" "$HTTP" "$1" "$TMP/listening" "x-terminal-key: $KEY" 2>"$TMP/listen.err" &
	LISTEN=$!
	extra_pids="${extra_pids:-} $LISTEN"
}
# until_listening FIELD N: until so many have been told: 1 that they listen, 2 of a change, 3 that there is no room, 4 are at their end.
until_listening() { for _ in $(seq 600); do [ "$(cut -d' ' -f"$1" "$TMP/listening" 2>/dev/null || echo 0)" = "$2" ] && return 0; sleep 0.1; done; diag "$(cat "$TMP/listening" "$TMP/listen.err")"; return 1; }
processes() { pgrep -c -P "$MASTER"; }
# Until nobody listens, whichever worker is asked.
until_none()
{
	n=0
	for _ in $(seq 300); do
		owner GET /api/status >/dev/null
		if [ "$(jq_get .this_worker.streams)" = 0 ]; then n=$((n + 1)); else n=0; fi
		[ $n -lt 20 ] || return 0
		sleep 0.02
	done
	return 1
}

for _ in $(seq $CALLS); do call NOW; done >/dev/null
listeners 50
until_listening 1 50
kill "$LISTEN"; wait "$LISTEN" 2>/dev/null
ok "what had listened has left" until_none
before=$(memory) count=$(processes)
listeners $STREAMS
ok "$STREAMS streams are open" until_listening 1 $STREAMS
each=$((($(memory) - before) / STREAMS))
ok "each holds little memory ($each KiB of at most $KIB_EACH)" [ "$each" -le "$KIB_EACH" ]
is "$(processes)" "$count" "and no process"
for _ in $(seq $CALLS); do call NOW; done >"$TMP/now" 2>&1
is "$(sort "$TMP/now" | uniq -c | tr -s ' ')" " $CALLS 200" "meanwhile $CALLS calls of NOW are answered"
perl "$SOURCE/t/crowd.pl" "$HTTP" 200 120 '"ok":true' POST /api/dispatch '{"key":"NOW","body":""}' "x-terminal-key: $KEY" >"$TMP/crowd"
is "$(sort "$TMP/crowd" | uniq -c | tr -s ' ')" ' 200 200 "ok":true' "and 200 at the same time"
is "$(cut -d' ' -f2 "$TMP/listening")" 0 "calls are no change"
owner PATCH /api/directory/NOW '{"category":"changed"}' >/dev/null
ok "a change is told to every one of them, on whichever worker" until_listening 2 $STREAMS
kill -HUP "$MASTER"
ok "a reload ends them all" until_listening 4 $STREAMS
is "$(call NOW)" 200 "the successors answer"

# More than there is room for, of which calls have theirs.
listeners 700
told() { cut -d' ' -f"$1" "$TMP/listening"; }
for _ in $(seq 600); do [ $(($(told 1) + $(told 3))) = 700 ] && break; sleep 0.1; done
is $(($(told 1) + $(told 3))) 700 "of 700 each is opened or refused"
ok "two workers take no more than they may" [ "$(told 1)" -le 600 ]
is "$(call NOW)" 200 "calls have room"
rc_stop
is "$rc_exit" 0 "a stop ends the streams, and does not wait for them"
done_testing
