#!/bin/sh
# `rowcall doctor`: quiet on a fresh service, and each planted fault is found, named and has its level.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start || bail "the service did not start"
doctor() { "$BUILD/rowcall" doctor --dir "$DIR" "$@" >"$TMP/doctor.out" 2>&1; echo $? >"$TMP/doctor.rc"; }
# finds CODE LEVEL CHECK PATTERN NAME [OPTION…]
finds()
{
	f_code=$1 f_line="^$2 +$3 +.*$4" f_name=$5
	shift 5
	doctor "$@"
	like "$(cat "$TMP/doctor.out")" "$f_line" "$f_name is found"
	is "$(cat "$TMP/doctor.rc")" "$f_code" "… exit code $f_code"
}
row() { owner PUT "/api/directory/$1" "$2" >/dev/null; }

doctor
is "$(cat "$TMP/doctor.rc") $(grep -cE '^(warn|fail)' "$TMP/doctor.out")" '0 0' "a fresh service has neither warnings nor failures"
like "$(tail -1 "$TMP/doctor.out")" '^17 checks: 0 failures, 0 warnings' "… and the last line says so"
doctor --json
is "$(jq -c '[.ok, ([.findings[].level] | unique - ["ok","note"])]' "$TMP/doctor.out")" '[true,[]]' "the same as JSON"
is "$(jq -c '[.findings[].check] | unique | length' "$TMP/doctor.out")" 17 "every check says something there"
receipts() { sqlite3 -readonly "$DIR/ledger.db" 'SELECT count(*) FROM invocations'; }
is "$(receipts)" 0 "it calls nothing"

# --- rows and settings
row NAMELESS '{"type":"http","target":"GET https://api.example.org/","auth":"bearer:NO_SUCH_NAME","content":"# WHAT: x","examples":[""]}'
finds 1 warn names 'row NAMELESS names .NO_SUCH_NAME, which is not in the secrets file' "a secret that is missing"
owner DELETE /api/directory/NAMELESS >/dev/null
row BROKEN '{"type":"fn","target":"no_such_function","content":"# WHAT: x\n# SAFE: yes","examples":["x"]}'
row UNSAFE '{"type":"fn","target":"no_such_function","content":"# WHAT: x\n# SAFE: no","examples":["x"]}'
finds 1 warn examples 'the example of BROKEN fails: ERR:fn:unknown_target' "a row whose example fails" --try
unlike "$(cat "$TMP/doctor.out")" UNSAFE "a row that is not safe is not tried"
doctor
is "$(cat "$TMP/doctor.rc")" 0 "without --try no example is"
finds 1 warn examples 'the example of UNSAFE fails' "with --try-all it" --try-all
owner DELETE /api/directory/BROKEN >/dev/null
owner DELETE /api/directory/UNSAFE >/dev/null
touch -d '+1 minute' "$DIR/rowcall.conf"
finds 1 warn configuration 'was changed after the service read it' "a configuration that was not read"
touch -d '-1 hour' "$DIR/rowcall.conf"

# --- files
chmod 644 "$DIR/secrets.env"
finds 2 fail 'secrets file' 'secrets.env' "a secrets file that others read"
unlike "$(cat "$TMP/doctor.out")" "$KEY" "… and its values are not shown"
chmod 600 "$DIR/secrets.env"
chmod 666 "$DIR/ledger.db"
finds 2 fail permissions 'ledger.db has mode 0666, and may have 0640 at most' "a database that everybody writes"
like "$(cat "$TMP/doctor.out")" '-> chmod 0640 .*/ledger.db$' "… with the command that mends it"
chmod 640 "$DIR/ledger.db"
chmod 777 "$DIR/exec.d"
finds 2 fail permissions 'exec.d/. has mode 0777' "a folder of programs that everybody writes"
chmod 755 "$DIR/exec.d"
chmod 644 "$DIR/tls/key.pem"
finds 2 fail permissions 'key.pem has mode 0644' "a TLS key that others read"
chmod 600 "$DIR/tls/key.pem"

# --- nginx
cp "$DIR/tls/cert.pem" "$TMP/cert.good"
faketime '2020-01-01' openssl req -x509 -newkey rsa:2048 -nodes -keyout "$TMP/k" -out "$DIR/tls/cert.pem" -days 10 -subj /CN=localhost 2>/dev/null
finds 2 fail nginx 'cert.pem expired [0-9]+ days ago' "a certificate that has expired"
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$TMP/k" -out "$DIR/tls/cert.pem" -days 10 -subj /CN=localhost 2>/dev/null
cp "$DIR/tls/key.pem" "$TMP/key.good" && cp "$TMP/k" "$DIR/tls/key.pem" && chmod 600 "$DIR/tls/key.pem"
finds 1 warn nginx 'cert.pem expires in (9|10) days' "a certificate that expires soon"
cp "$TMP/key.good" "$DIR/tls/key.pem" && chmod 600 "$DIR/tls/key.pem" && cp "$TMP/cert.good" "$DIR/tls/cert.pem"
sed -i 's/client_max_body_size 1m/client_max_body_size 2m/' "$DIR/rowcall-server.conf"
finds 1 warn nginx 'client_max_body_size is 2097152 bytes, max_request_body 1048576' "another limit of bodies"
sed -i 's/client_max_body_size 2m/client_max_body_size 1m/' "$DIR/rowcall-server.conf"
sed -i.good "s|$DIR/run/fcgi.sock|/run/other.sock|" "$DIR/nginx.conf"
finds 2 fail nginx 'nothing in nginx.s configuration passes requests to' "an nginx that is somebody else's"
echo nonsense >>"$DIR/nginx.conf"
finds 2 fail nginx 'nginx does not take its configuration' "a configuration that nginx refuses"
mv "$DIR/nginx.conf.good" "$DIR/nginx.conf"

# --- what is in the databases
rc_stop
finds 0 note processes 'the service does not run' "a service that is stopped"
change() { sqlite3 "$DIR/$1" "$2" || bail "not planted: $2"; }
change ledger.db "INSERT INTO breaker (key, failures, opened_at_ms) VALUES ('LOCKED', 8, 1700000000000)"
finds 1 warn breakers 'the breaker of LOCKED is open since 2023-11-14T22:13:20.000Z' "an open breaker"
change ledger.db "DELETE FROM breaker"
change ledger.db "INSERT INTO intents (invocation, time, key, runner, actor, trace, pid) VALUES ('inv_x', '2026-01-01T00:00:00.000Z', 'A', 'fn', 'a', 't_x', 1)"
finds 0 note intents '1 calls were cut off' "a call that was cut off"
change ledger.db "DELETE FROM intents"
change ledger.db "INSERT INTO invocations (id, time, key, runner, actor, status, ok, material, trace) VALUES ('inv_f', '2999-01-01T00:00:00.000Z', 'A', 'fn', 'a', 'ok', 1, 1, 't_x')"
finds 1 warn clock 'the last receipt is [0-9]+ s in the future' "a clock that was set back"
change ledger.db "DROP TRIGGER invocations_no_delete; DELETE FROM invocations WHERE id = 'inv_f'"
words=$(sqlite3 "$DIR/directory.db" "SELECT identity FROM row_identity WHERE key = 'NOW'")
change directory.db "UPDATE row_words SET what = 'zebra' WHERE rowid = $words"
finds 1 warn index '1 rows are not found by the words they have: NOW' "an index that is stale"
change directory.db "INSERT INTO row_words (rowid, key) VALUES (999999, 'gone')"
finds 1 warn index '1 entries of the full-text index belong to no row' "words of a row that is gone"
change directory.db "DROP TRIGGER events_no_update; UPDATE events SET actor = 'x' WHERE seq = 3"
finds 2 fail 'event chain' 'events: number 3 evt_' "a changed event"
rm "$DIR/ledger.db"*
finds 2 note databases 'ledger.db is not there yet' "a database that is missing"
is "$("$BUILD/rowcall" doctor --dir "$TMP/nowhere" >/dev/null 2>&1; echo $?)" 78 "a folder without a configuration is told"
done_testing
