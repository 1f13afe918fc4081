#!/bin/sh
# What a test has started ends with the test, however that ends: a killed one, or one whose reader is gone, leaves no service behind.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

export ROWCALL_SOURCE="$SOURCE" ROWCALL_BUILD="$BUILD"
# Tests that say what they have started, and wait.
mkdir -p "$TMP/t/system"
cat >"$TMP/t/system/shell.t" <<'END'
. "$ROWCALL_SOURCE/t/lib.sh"
rc_start || exit 1
echo "$TMP $rc_pid $MASTER" >"$1"
while [ ! -e "$1.go" ]; do sleep 0.05; done
pass "somebody reads this"
END
cat >"$TMP/t/system/perl.t" <<'END'
use lib "$ENV{ROWCALL_SOURCE}/t/system";
use Daemon;
$d = Daemon->new;
$d->start or exit 1;
Daemon::put($ARGV[0], "$d->{dir} $d->{pid} $d->{pid}\n", 0644);
sleep 60;
END
started() { i=0; until [ -s "$TMP/$1" ] || [ $i -gt 600 ]; do sleep 0.05; i=$((i + 1)); done; read -r dir up master <"$TMP/$1"; }
gone() { i=0; while kill -0 "$1" 2>/dev/null; do [ $i -lt 400 ] || return 1; sleep 0.05; i=$((i + 1)); done; }
# killed NAME COMMAND…: starts a test, kills it.
killed()
{
	name=$1; shift
	"$@" "$TMP/$name" >/dev/null 2>&1 & p=$!
	ok "a test in $name starts a service" started "$name"
	kill -KILL $p
	wait $p 2>/dev/null
	ok "… which ends when the test is killed" gone "$up"
	ok "… all of it" gone "$master"
	rm -rf "${dir:?}"
}
killed shell sh "$TMP/t/system/shell.t"
killed perl perl "$TMP/t/system/perl.t"
(sh "$TMP/t/system/shell.t" "$TMP/unread" 2>/dev/null | true) &
ok "a test whose reader is gone starts one" started unread
: >"$TMP/unread.go"
ok "… which ends with the test" gone "$up"
wait
ok "… that has removed its folder" [ ! -e "${dir:?}" ]
done_testing
