# The test library for shell tests: TAP output, and a real instance (rowcalld, nginx, TLS) in a temporary directory.
# A test sources it first:  . "${ROWCALL_SOURCE:-.}/t/lib.sh"
set -u

SOURCE=${ROWCALL_SOURCE:-$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)}
case $0 in
*/t/api/* | t/api/*) BUILD=${ROWCALL_BUILD_SANITIZE:-$SOURCE/build-sanitize} ;;
*) BUILD=${ROWCALL_BUILD:-$SOURCE/build} ;;
esac
[ -x "$BUILD/rowcall" ] || { echo "Bail out! $BUILD/rowcall is missing: run ./bootstrap check"; exit 1; }

tap_n=0 tap_failed=0 rc_pid='' STATUS=''
TMP=$(mktemp -d "${TMPDIR:-/tmp}/rowcall-t.XXXXXX")
HEADERS=$TMP/headers BODY=$TMP/body
trap 'rc_cleanup' EXIT
trap 'exit 1' INT TERM HUP PIPE    # PIPE: prove has bailed out

# Ends what this test started, by pid, and removes its folder.
rc_cleanup()
{
	rc_stop
	for p in ${extra_pids:-}; do kill "$p" 2>/dev/null; done
	rm -rf "$TMP"
}

diag() { printf '%s\n' "$*" | sed 's/^/# /'; }
pass() { tap_n=$((tap_n + 1)); printf 'ok %d - %s\n' "$tap_n" "$1"; }
fail() { tap_n=$((tap_n + 1)); tap_failed=$((tap_failed + 1)); printf 'not ok %d - %s\n' "$tap_n" "$1"; }
skip_all() { echo "1..0 # SKIP $*"; exit 0; }
bail() { echo "Bail out! $*"; exit 1; }
done_testing() { echo "1..$tap_n"; [ "$tap_failed" = 0 ]; exit $?; }

# ok NAME COMMAND…: the command succeeds.
ok() { ok_name=$1; shift; if "$@" >"$TMP/ok.out" 2>&1; then pass "$ok_name"; else fail "$ok_name"; diag "$(cat "$TMP/ok.out")"; fi; }
# is GOT WANT NAME
is() { if [ "$1" = "$2" ]; then pass "$3"; else fail "$3"; diag "got:  $1"; diag "want: $2"; fi; }
isnt() { if [ "$1" != "$2" ]; then pass "$3"; else fail "$3"; diag "got what should differ: $1"; fi; }
# like TEXT EXTENDED-REGEX NAME
like() { if printf '%s\n' "$1" | grep -Eq -- "$2"; then pass "$3"; else fail "$3"; diag "got:  $1"; diag "want: $2"; fi; }
unlike() { if printf '%s\n' "$1" | grep -Eq -- "$2"; then fail "$3"; diag "got what should be absent: $1"; else pass "$3"; fi; }

# rc_start [OPTION…]: starts an instance in $TMP/instance (again, when it is there); options are those of `rowcall up`.
# Sets BASE (https), HTTP (plain), KEY (owner key), CACERT, DIR. It ends with this test, even one that is killed.
rc_start()
{
	DIR=${DIR:-$TMP/instance}
	: >"$TMP/up.out"        # what an earlier start has said is not what this one says
	setpriv --pdeathsig TERM "$BUILD/rowcall" up --share "$SOURCE" --port 0 --http-port 0 --workers 2 "$@" "$DIR" >"$TMP/up.out" 2>"$TMP/up.err" &
	rc_pid=$!
	rc_wait=0
	until grep -q '^Ctrl-C' "$TMP/up.out"; do
		if ! kill -0 "$rc_pid" 2>/dev/null || [ "$rc_wait" -gt 600 ]; then
			diag "$(cat "$TMP/up.err")"
			return 1
		fi
		sleep 0.05
		rc_wait=$((rc_wait + 1))
	done
	BASE=$(sed -n 's/^Rowcall is ready at //p' "$TMP/up.out")
	HTTP=$(sed -n 's/^  plain HTTP *//p' "$TMP/up.out")
	KEY=$(sed -n 's/^TERMINAL_KEY=//p' "$DIR/secrets.env")
	CACERT=$DIR/tls/cert.pem
	MASTER=$(cat "$DIR/run/rowcalld.pid")
}

# Stops the instance cleanly; its exit code in rc_exit.
rc_stop()
{
	[ -n "$rc_pid" ] || return 0
	kill -TERM "$rc_pid" 2>/dev/null
	wait "$rc_pid"
	rc_exit=$?
	rc_pid=''
}

# pids of the processes titled `rowcalld: ROLE` under this instance's master.
pids_of() { pgrep -P "$MASTER" -f "^rowcalld: $1" || :; }

# request METHOD PATH [JSON [CURL-OPTION…]]: body on standard output and in $BODY, status in $STATUS when called without a subshell, always in $TMP/status; headers in $HEADERS.
request()
{
	rq_method=$1 rq_path=$2 rq_json=${3-}
	shift $(($# < 3 ? $# : 3))
	case $rq_method in HEAD) set -- -I "$@" ;; *) set -- -X "$rq_method" "$@" ;; esac
	[ -z "$rq_json" ] || set -- -H 'content-type: application/json' --data-binary "$rq_json" "$@"
	curl -sS --max-time 60 --cacert "$CACERT" -D "$HEADERS" -o "$BODY" -w '%{http_code}' "$@" "$BASE$rq_path" >"$TMP/status"
	STATUS=$(cat "$TMP/status")
}
api() { : >"$BODY"; request "$@"; cat "$BODY"; }
owner()
{
	: >"$BODY"
	ow_method=$1 ow_path=$2 ow_json=${3-}
	shift $(($# < 3 ? $# : 3))
	request "$ow_method" "$ow_path" "$ow_json" -H "x-terminal-key: $KEY" "$@"
	cat "$BODY"
}
status() { cat "$TMP/status"; }
header() { tr -d '\r' <"$HEADERS" | sed -n "s/^$1: //Ip" | tail -1; }
# jq_get EXPR: of the last body.
jq_get() { jq -r "$1" "$BODY"; }

# damage FILE SQL: does it to a copy of the instance's databases, whose triggers are gone, in $TMP/copy.
damage()
{
	rm -rf "$TMP/copy"
	mkdir "$TMP/copy"
	cp "$DIR"/*.db "$TMP/copy"
	sqlite3 "$TMP/copy/$1" 'PRAGMA journal_mode = DELETE' >/dev/null
	for t in $(sqlite3 "$TMP/copy/$1" "SELECT name FROM sqlite_schema WHERE type='trigger'"); do sqlite3 "$TMP/copy/$1" "DROP TRIGGER $t"; done
	sqlite3 "$TMP/copy/$1" "$2" || bail "no damage: $2"
}

# double NAME: somebody else's server (t/NAME.pl) on a free port: double_at (host:port), a line for each request in $TMP/NAME.log.
double()
{
	: >"$TMP/$1.log"
	rm -f "$TMP/$1.port"
	perl "$SOURCE/t/$1.pl" "$TMP/$1.log" >"$TMP/$1.port" 2>"$TMP/$1.err" &
	extra_pids="${extra_pids:-} $!"
	until [ -s "$TMP/$1.port" ]; do sleep 0.02; done
	double_at=127.0.0.1:$(cat "$TMP/$1.port")
}
# An HTTP API, a model, an MCP server: its address and its log.
upstream_start() { UPSTREAM_LOG=$TMP/upstream.log; : >"$UPSTREAM_LOG.count"; double upstream; UPSTREAM=$double_at; }
upstream_count() { wc -l <"$UPSTREAM_LOG"; }
chat_start() { CHAT_LOG=$TMP/chat.log; double chat; CHAT=$double_at; }
mcp_start() { MCP_LOG=$TMP/mcp.log; double mcp; MCP=$double_at; }
