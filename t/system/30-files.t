#!/bin/sh
# The folder of a service that is changed under its feet: a database that is taken away, a second start in it.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start || bail "the service did not start"
now() { owner POST /api/dispatch '{"key":"NOW"}' >/dev/null; status; }
until_ready()
{
	tries=0
	until [ "$(now)" = 200 ] || [ $tries -gt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
	status
}
away() { mkdir -p "$TMP/away"; mv "$DIR"/"$1".db "$DIR"/"$1".db-wal "$DIR"/"$1".db-shm "$TMP/away"; }
back() { mv "$TMP/away"/* "$DIR"; }

is "$(now)" 200 "a call runs"
kept=$(jq_get .invocation.id)
away ledger
now >/dev/null
is "$(status),$(jq_get .error),$(jq_get .ran)" 503,ledger_unavailable,false "with the ledger's file taken away nothing is acknowledged"
api GET /api/healthz >/dev/null
is "$(status)" 503 "… healthz says that a call would not work"
like "$(cat "$DIR/log/rowcalld.log")" 'ledger.db cannot be written: the file was removed or replaced' "… and the log says why"
back
is "$(until_ready)" 200 "with the file back the service heals"

away ledger
kill -9 "$(pids_of writer)"
sleep 1
now >/dev/null
is "$(status),$(jq_get .error)" 503,ledger_unavailable "a new writer does not begin a new file while workers read the old one"
like "$(cat "$DIR/log/rowcalld.log")" 'ledger.db: No such file.*put the file back' "… and says what to do"
back
is "$(until_ready)" 200 "… with the file back it heals"
api GET "/api/dispatch?confirm=$kept" >/dev/null
is "$(status)" 200 "… and what was acknowledged is there"

away directory
owner PATCH /api/directory/NOW '{"category":"moved"}' >/dev/null
is "$(status),$(jq_get .error)" 503,ledger_unavailable "with the directory's file taken away no change is acknowledged"
back
tries=0
until owner PATCH /api/directory/NOW '{"category":"moved"}' >/dev/null; [ "$(status)" = 200 ] || [ $tries -gt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
is "$(status)" 200 "… with the file back it is"

conf=$(cat "$DIR/nginx.conf")
"$BUILD/rowcall" up --share "$SOURCE" --port 0 "$DIR" >"$TMP/second.out" 2>&1
is "$?" 1 "a second start in the folder is refused"
like "$(cat "$TMP/second.out")" "running already \\(process $MASTER\\)" "… with the process that runs"
is "$(cat "$DIR/nginx.conf")" "$conf" "… and changes nothing"
is "$(now)" 200 "… the first goes on"

kill -STOP "$(pids_of writer)"
api GET /api/healthz >/dev/null
is "$(status),$(jq_get '.problems[0]')" '503,the writer does not answer' "healthz says that a writer which is stopped takes no call"
kill -CONT "$(pids_of writer)"
api GET /api/healthz >/dev/null
is "$(status)" 200 "… and that one which goes on does"

rc_stop
is "$rc_exit" 0 "the service stops cleanly"

# A start with one of the two files: what the other one holds was acknowledged with both.
refused()
{
	if rc_start >"$TMP/diag"; then fail "$1"; rc_stop; else pass "$1"; fi
	like "$(cat "$TMP/diag" "$DIR/log/rowcalld.log")" "$2" "… and says so"
	wait "$rc_pid"; rc_pid=''
}
for file in ledger directory; do
	away $file
	: >"$DIR/$file.db"
	refused "an empty $file.db beside one in use is no new one" "$file\\.db: it is empty: put the file back"
	is "$(stat -c %s "$DIR/$file.db")" 0 "… and is left as it is"
	rm "$DIR/$file.db"
	refused "nor is one that is not there" "$file\\.db: No such file or directory: put the file back"
	ok "… and none is made" [ ! -e "$DIR/$file.db" ]
	rm -f "$DIR/$file.db"*
	back
done
ok "with both files it starts" rc_start
is "$(now)" 200 "… and goes on"
api GET "/api/dispatch?confirm=$kept" >/dev/null
is "$(status)" 200 "… and what was acknowledged is there"
rc_stop
done_testing
