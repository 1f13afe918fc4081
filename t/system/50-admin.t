#!/bin/sh
# rowcall(1) for who uses it: what a start says when it cannot be, that a start that failed leaves nothing half done, and what `load` reports.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start || bail "the service did not start"
PORT=${BASE##*:} HTTP_PORT=${HTTP##*:}
# rowcall ARGS…: output, errors last, in $OUT; exit code in $CODE.
rowcall() { OUT=$(timeout 60 "$BUILD/rowcall" "$@" 2>&1); CODE=$?; }
up() { rowcall up --share "$SOURCE" --workers 1 "$@"; }
lines() { printf '%s\n' "$OUT" | wc -l; }
# A start whose greeting is waited for, and that is then stopped; what it printed in $OUT.
up_and_down()
{
	"$BUILD/rowcall" up --share "$SOURCE" --workers 1 --port 0 "$@" >"$TMP/second.out" 2>&1 &
	second=$!
	until grep -q '^Ctrl-C' "$TMP/second.out" || ! kill -0 "$second" 2>/dev/null; do sleep 0.05; done
	kill -TERM "$second"
	wait "$second"
	CODE=$? OUT=$(cat "$TMP/second.out")
}

# --- the folder and the ports of a service that runs
cp "$DIR/nginx.conf" "$TMP/nginx.conf"
up --port 0 "$DIR"
is "$CODE" 1 "a second start in the folder of a running service fails"
like "$OUT" "^rowcall: the service in $DIR is running already \(process $MASTER\)$" "… says so, with the process"
is "$(lines)" 1 "… in one line"
ok "… and leaves the running service's nginx.conf alone" cmp "$DIR/nginx.conf" "$TMP/nginx.conf"
is "$(api GET /api/healthz)" '{"ok":true}' "… which goes on"

up --port "$PORT" "$TMP/other"
is "$CODE" 1 "a start on a port in use fails"
like "$OUT" "^rowcall: cannot listen on port $PORT: Address already in use; choose another with --port \(0: any free one\)$" "… and says what to do"
up --port 0 --http-port "$HTTP_PORT" "$TMP/other"
like "$OUT" "port $HTTP_PORT: Address already in use; choose another with --http-port" "the same of the port for plain HTTP"
up --port 1 --http-port 1 "$TMP/other"
is "$CODE" 64 "one port cannot be both"

# --- a first start that fails
up --port 0 --set nosuch=1 "$TMP/other"
is "$CODE $(lines)" "78 1" "a wrong setting is one line"
up_and_down "$TMP/other"
is "$CODE" 0 "the next start in its folder succeeds"
like "$OUT" '^  loaded +22 starter rows$' "… and loads the starter rows that the first one did not come to"
up_and_down "$TMP/other"
unlike "$OUT" 'starter rows' "a later start does not load them again"
up_and_down --no-rows "$TMP/bare"
up_and_down "$TMP/bare"
unlike "$OUT" 'starter rows' "a folder that was started without them stays without"

echo 'A=short' >>"$TMP/bare/secrets.env"
up --port 0 "$TMP/bare"
is "$CODE" 1 "a start with wrong secrets fails"
like "$OUT" 'secrets.env:3: A is shorter than 8 bytes' "… shows the line that says why"
unlike "$OUT" 'serving with' "… and nothing of the starts before"

# --- wrong options
up --prot 1
is "$CODE" 64 "an unknown option is a fault of usage"
is "$OUT" "rowcall: there is no option --prot; did you mean --port?; see rowcall up --help" "… named, with what was meant and where to read on"
rowcall up --share "$TMP/nowhere" "$TMP/third"
like "$OUT" "^rowcall: $TMP/nowhere: No such file or directory; --share names" "a missing --share is named"
ok "… before the folder is made" test ! -e "$TMP/third"

# --- load
load() { rowcall load -c "$DIR/rowcall.conf" "$@"; }
echo '[{"key":"ONE","type":"fn","target":"now","content":"# WHAT: one","examples":[""]},
{"key":"TWO","type":"fn","target":"now","colour":1,"content":"# WHAT: two","examples":[""]}]' >"$TMP/rows.json"
load "$TMP/rows.json"
is "$CODE" 1 "a file with a row that is refused"
like "$OUT" 'rows.json: TWO: unknown_field: colour$' "… names the field"
like "$OUT" '^rowcall: 1 loaded, 0 already there, 1 refused$' "… and the others are loaded"
load "$TMP/none.json"
like "$OUT" "^rowcall: $TMP/none.json: cannot_read: No such file or directory$" "a missing file is named"
mkdir "$TMP/empty"
rowcall load --dir "$DIR" "$TMP/empty"
like "$OUT" '^rowcall: 0 loaded, 0 already there, 0 refused$' "the service of a folder"
ROWCALL_DIR=$DIR rowcall load "$TMP/empty"
like "$OUT" "^rowcall: $TMP/empty: no \*.json files here$" "a folder without rows is told"
rowcall load -c "$TMP/none.conf" "$TMP/rows.json"
is "$CODE" 78 "a missing configuration"
like "$OUT" 'none.conf: No such file or directory; name the instance.s folder with --dir or ROWCALL_DIR, ' "… is named, with what to do"

# --- root and a service of another user
if [ "$(id -u)" = 0 ]; then
	mkdir "$TMP/theirs"
	chmod 755 "$TMP"
	cp "$DIR/secrets.env" "$TMP/theirs/"
	printf 'data_dir = .\nrun_dir = .\nsecrets_file = secrets.env\nmigrations_dir = %s/migrations\nworkers = 1\nuser = nobody\n' "$SOURCE" >"$TMP/theirs/rowcall.conf"
	chown -R nobody "$TMP/theirs"
	"$BUILD/rowcalld" -c "$TMP/theirs/rowcall.conf" 2>"$TMP/theirs.log" &
	extra_pids="${extra_pids:-} $!"
	until grep -q 'serving with' "$TMP/theirs.log" || ! kill -0 $! 2>/dev/null; do sleep 0.05; done
	rowcall load -c "$TMP/theirs/rowcall.conf" "$SOURCE/conf/rows"
	is "$CODE" 0 "root loads rows into a service of another user, whose secrets file is that user's"
	like "$OUT" '22 loaded, 0 already there, 0 refused' "… all of them"
	is "$(find "$TMP/theirs" -name '*.db*' ! -user nobody)" '' "… and leaves no file that the service could not write"
	OUT=$("$BUILD/rowcalld" -n -c "$TMP/theirs/rowcall.conf" -o user= 2>&1)
	is "$?" 78 "a check of such a configuration as root, without the setting user"
	like "$OUT" '; it belongs to the user of the service: run the command as that one' "… says how to make it"
fi

rc_stop
is "$rc_exit" 0 "the first service has stopped by a signal"
done_testing
