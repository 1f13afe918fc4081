#!/bin/sh
# A full disk: calls are refused with 503, nothing fires, and the service heals by itself.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

mkdir "$TMP/disk"
mount -t tmpfs -o size=24m,mode=0755 tmpfs "$TMP/disk" 2>/dev/null || skip_all "a small file system cannot be mounted here (root is needed)"
rc_cleanup_disk() { rc_stop; umount "$TMP/disk"; rc_cleanup; }
trap rc_cleanup_disk EXIT

upstream_start
DIR=$TMP/disk/instance
rc_start --allow-upstream "$UPSTREAM" || bail "the service did not start"
owner POST /api/directory "$(jq -nc --arg t "POST http://$UPSTREAM/echo" '{key:"POSTER",type:"http",target:$t,content:"# WHAT: post\n{\"a\":\"$1\"}",examples:["x"]}')" >/dev/null
owner POST /api/dispatch '{"key":"POSTER","body":"1"}' >/dev/null
is "$(status)" 200 "with room on the disk a call runs"

dd if=/dev/zero of="$TMP/disk/fill" bs=64k 2>/dev/null
# The write-ahead log may have room in blocks it has already: receipts fill them first.
tries=0
while [ $tries -lt 3000 ]; do
	owner POST /api/dispatch "{\"key\":\"ECHO\",\"body\":\"$(printf '%02000d' $tries)\"}" >/dev/null
	[ "$(status)" = 200 ] || break
	tries=$((tries + 1))
done
diag "full after $tries more calls, first refusal: $(status) $(cat "$BODY")"
like "$(status),$(jq_get .error)" '^(503,ledger_unavailable|500,receipt_not_written)$' "on a full disk a call is refused honestly"
n=$(upstream_count)
owner POST /api/dispatch '{"key":"POSTER","body":"2"}' >/dev/null
is "$(status),$(jq_get .error),$(jq_get .ran)" 503,ledger_unavailable,false "then calls are 503 ledger_unavailable and say that nothing ran"
like "$(header retry-after)" '^[0-9]+$' "… with Retry-After"
is "$(upstream_count)" "$n" "… and nothing fired"
owner PATCH /api/directory/POSTER '{"category":"x"}' >/dev/null
is "$(status)" 503 "a row change is refused too"
api GET /api/directory/POSTER >/dev/null
is "$(status),$(jq_get .category)" 200,null "… reads answer, and the row is unchanged"
api GET /api/healthz >/dev/null
is "$(status)" 503 "healthz says that a call would not work"

rm "$TMP/disk/fill"
healed=''
for _ in $(seq 100); do
	api GET /api/healthz >/dev/null
	[ "$(status)" = 200 ] && healed=yes && break
	sleep 0.1
done
is "$healed" yes "with room again the service heals by itself"
owner POST /api/dispatch '{"key":"POSTER","body":"3"}' >/dev/null
is "$(status)" 200 "… and calls run"
owner GET /api/events/verify >/dev/null
is "$(jq_get .ok)" true "the event chain has no gap"
is "$(sqlite3 -readonly "$DIR/ledger.db" 'PRAGMA integrity_check')" ok "ledger.db is whole"
rc_stop
is "$rc_exit" 0 "the service stops cleanly"
done_testing
