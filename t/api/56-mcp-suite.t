#!/bin/sh
# The official conformance suite, in both eras, against an instance whose rows are the fixtures that it calls by name.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"
. "$SOURCE/t/mcp/lib.sh"

node22 || skip_all "the suite needs t/node and Node.js 22: run ./bootstrap"
# The suite shows no credential. Its tools that change what is listed are rows that call the service itself.
rc_start --set anonymous=act --allow-upstream 127.0.0.1 || bail "the service did not start"
add() { owner POST /api/directory "$1" >/dev/null; [ "$(status)" = 201 ] || diag "$(cat "$BODY")"; }
fixtures
printf 'OWN_KEY=%s\n' "$KEY" >>"$DIR/secrets.env"
# changes KEY ROW: a tool that writes that row anew; $1 in it is the time.
changes()
{
	add "$(jq -nc --arg key "$1_put" --arg target "PUT $HTTP/api/directory/$1_ROW" --arg row "$2" '{$key,type:"http",$target,
		auth:"headers:{\"x-terminal-key\":\"$OWN_KEY\"}",planner_visible:0,examples:["x"],content:("# WHAT: writes a row\n" + $row)}')"
	add "$(jq -nc --arg key "$1" '{$key,type:"flow",examples:["x"],content:"# WHAT: changes a list\nNOW: > \($key)_put: $PREV"}')"
}
changes test_trigger_tool_change '{"type":"fn","target":"now","content":"# WHAT: new at $1","examples":["x"]}'
changes test_trigger_prompt_change '{"type":"agent","target":"none","content":"# WHAT: new at $1\n# SAFE: yes","examples":["x"]}'

# suite REVISION OPTION…: its report, without colours, in $TMP/REVISION; its exit code.
suite()
{
	su_revision=$1
	shift
	"$NODE22" "$SOURCE/t/node/node_modules/@modelcontextprotocol/conformance/dist/index.js" server --url "$HTTP/mcp" --requirements "$su_revision" "$@" >"$TMP/suite" 2>&1
	su_code=$?
	sed 's/\x1b\[[0-9;]*m//g' "$TMP/suite" >"$TMP/$su_revision"
	return $su_code
}
# It waits 1.5 s at most for some things, which a busy machine may need twice.
passes() { suite "$1" --expected-failures "$SOURCE/t/mcp/unmet.yml" || suite "$1" --expected-failures "$SOURCE/t/mcp/unmet.yml"; }
for revision in 2026-07-28 2025-11-25; do
	if passes $revision; then pass "what $revision requires is passed, but for what is excused, which all fails"
	else fail "what $revision requires is passed, but for what is excused, which all fails"; diag "$(sed -n '/^=== SUMMARY/,$p' "$TMP/$revision")"; fi
	is "$(grep -c '^[✓✗] ' "$TMP/$revision")" "$(grep -c '^=== Running scenario' "$TMP/$revision")" "… and each of its scenarios was run"
	isnt "$(grep -c '^=== Running scenario' "$TMP/$revision")" 0 "… which are some"
done
done_testing
