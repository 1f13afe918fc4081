#!/bin/sh
# What was acknowledged is seen by the next request of every worker; workers cannot write.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start --workers 4 || bail "the service did not start"
owner POST /api/directory '{"key":"FRESH","type":"fn","target":"echo","content":"# WHAT: changes\n[\"0\"]","examples":["x"]}' >/dev/null
is "$(status)" 201 "the row is created"

stale=0 round=0
while [ $round -lt 100 ]; do
	round=$((round + 1))
	owner PATCH /api/directory/FRESH "{\"content\":\"# WHAT: changes\\n[\\\"v$round\\\"]\"}" >/dev/null
	# Eight connections, opened at once, reach all workers.
	for _ in 1 2 3 4 5 6 7 8; do
		printf 'url = "%s/api/dispatch"\nheader = "x-terminal-key: %s"\nheader = "content-type: application/json"\ndata = "{\\"key\\":\\"FRESH\\"}"\nnext\n' "$HTTP" "$KEY"
	done | sed '$d' >"$TMP/eight"
	got=$(curl -sS -Z --parallel-immediate -K "$TMP/eight" 2>"$TMP/eight.err" | grep -o '"result":"v[0-9]*"' | grep -vc "\"v$round\"")
	[ "$got" = 0 ] || stale=$((stale + 1))
done
is "$stale" 0 "after each of 100 changes eight parallel calls all see it"

workers=$(pids_of worker)
is "$(echo "$workers" | wc -l)" 4 "four workers are running"
writable=0 seen=0
for w in $workers; do
	for f in /proc/"$w"/fd/*; do
		case $(readlink "$f") in
		"$DIR"/directory.db | "$DIR"/ledger.db)
			seen=$((seen + 1))
			flags=$(sed -n 's/^flags:.*\(.\)$/\1/p' /proc/"$w"/fdinfo/"${f##*/}")
			[ $((flags & 3)) = 0 ] || writable=$((writable + 1))
			;;
		esac
	done
done
ok "workers have the databases open ($seen descriptors)" [ "$seen" -ge 8 ]
is "$writable" 0 "… none of them for writing"
writers=$(for p in $(pgrep -P "$MASTER"); do for f in /proc/"$p"/fd/*; do case $(readlink "$f") in "$DIR"/*.db) [ "$(sed -n 's/^flags:.*\(.\)$/\1/p' /proc/"$p"/fdinfo/"${f##*/}")" = 2 ] && echo "$p" ;; esac; done; done | sort -u)
is "$writers" "$(pids_of writer)" "only the writer has"

rc_stop
rc_start || bail "the second start failed"
owner POST /api/dispatch '{"key":"FRESH"}' >/dev/null
is "$(jq_get .result)" v100 "a second start continues"
rc_stop
done_testing
