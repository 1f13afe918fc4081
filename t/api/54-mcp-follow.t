#!/bin/sh
# The official MCP client hears of progress in both eras, and of changes, and takes the end of that for one that was meant.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

NODE=$SOURCE/t/node
[ -d "$NODE/node_modules/@modelcontextprotocol/client" ] || skip_all "t/node is not installed: run ./bootstrap"
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] || skip_all "the client needs Node.js 20"
rc_start --workers 1 || bail "the service did not start"
follow() { OWNER_KEY=$KEY NODE_EXTRA_CA_CERTS=$CACERT node "$NODE/follow.mjs" "$BASE/mcp" "$@"; }
until_in() { for _ in $(seq 300); do grep -q -- "$2" "$TMP/$1" && return 0; sleep 0.1; done; return 1; }

owner PUT /api/directory/STEPS '{"type":"flow","content":"# WHAT: steps\nECHO: a > LOWER: B > UPPER: end","examples":["x"]}' >/dev/null
is "$(follow legacy STEPS 2>&1 | tr '\n' ';')" "progress 1 3 step 1 of 3;progress 2 3 step 2 of 3;progress 3 3 step 3 of 3;result END;" "a client of the older versions hears of each step"
follow modern STEPS >"$TMP/modern" 2>&1 &
modern=$!
extra_pids=$modern
ok "a modern one listens" until_in modern '^listening'
is "$(sed '/^listening/q' "$TMP/modern" | tr '\n' ';')" 'progress 1 3 step 1 of 3;progress 2 3 step 2 of 3;progress 3 3 step 3 of 3;result END;listening {"toolsListChanged":true};' \
	"after it has heard of the steps as well"
owner PUT /api/directory/NEW_ROW '{"type":"fn","target":"echo","content":"# WHAT: new","examples":["x"]}' >/dev/null
ok "a new row is announced, and is in the list that it asks for then" until_in modern '^changed NEW_ROW is there$'
owner DELETE /api/directory/NEW_ROW >/dev/null
ok "so is one that goes" until_in modern '^changed NEW_ROW is not there$'
kill -HUP "$MASTER"
wait "$modern"
is "$(tail -1 "$TMP/modern")" "ended graceful" "and a reload ends the listening as the protocol wants it"
done_testing
