#!/bin/sh
# The process that runs the programs of exec rows: many at a time, programs that detach, and when it is killed or stopped.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

E=$TMP/exec.d
mkdir "$E"
put() { printf '#!/bin/sh\n%s\n' "$2" >"$E/$1"; chmod 755 "$E/$1"; }
put hi 'echo hi'
put naps 'sleep 0.2; echo ok'
put sleeps "sleep 30.$$"
put detaches "(setsid sh -c 'trap \"\" TERM HUP; sleep 987.$$' >/dev/null 2>&1 &)
echo left"
chmod 755 "$E"
rc_start --set "exec_dir=$E" --set exec_timeout=10s --set exec_parallel=100 || bail "the instance does not start"
for p in hi naps sleeps detaches; do
	owner PUT "/api/directory/X_$p" "{\"type\":\"fn\",\"runner\":\"exec\",\"target\":\"$p\",\"content\":\"# WHAT: x\",\"examples\":[\"x\"]}" >/dev/null
done
call() { owner POST /api/dispatch "{\"key\":\"X_$1\",\"body\":\"\"}" >/dev/null; jq_get '.result // .error'; }

# until_is COMMAND WANT NAME: it becomes so within a few seconds.
until_is()
{
	for _ in $(seq 100); do [ "$(eval "$1")" = "$2" ] && break; sleep 0.1; done
	is "$(eval "$1")" "$2" "$3"
}

is "$(call detaches)" left "a program leaves one behind that has a session of its own"
until_is 'pgrep -fx "sleep 987.$$" | wc -l' 0 "it goes with it"
perl "$SOURCE/t/load.pl" "$HTTP" 100 30 300 '"result":"([^"]*)' POST /api/dispatch '{"key":"X_naps","body":""}' "x-terminal-key: $KEY" >"$TMP/many"
is "$(sort "$TMP/many" | uniq -c | tr -s ' ')" ' 300 200 ok\n' "300 calls, 100 at a time: each has its result"
call sleeps >"$TMP/killed" & c=$!
until_is 'pgrep -fx "sleep 30.$$" | wc -l' 1 "a program runs"
kill -9 "$(pids_of exec)"
wait $c
is "$(cat "$TMP/killed")" ERR:exec:unavailable "when the process is killed, its calls say so"
until_is 'call hi' hi "it is started again"
until_is 'pgrep -fx "sleep 30.$$" | wc -l' 0 "what ran under it is gone"
x=$(pids_of exec)
kill -STOP "$x"
is "$(call hi)" ERR:exec:unavailable "while it is stopped calls end with an error"
is "$(owner POST /api/dispatch '{"key":"NOW"}' | jq -r .ok)" true "and other rows run"
kill -CONT "$x"
until_is 'call hi' hi "then it goes on"
until_is 'pgrep -P "$(pids_of exec)" | wc -l' 0 "no program is left"
done_testing
