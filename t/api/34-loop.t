#!/bin/sh
# The loop of a caller that knows nothing but the address of the service: find, read, invoke, confirm; every address that a contract document shows; and what a credential is told about itself.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start --set anonymous=act || bail "the service did not start"

# get URL, post URL JSON: any address of the service, whole.
get() { request GET "${1#"$BASE"}" '' ${2+-H "x-terminal-key: $KEY"}; }
C=/api/dispatch

# From here on only what was read is used.
get "$BASE/"
is "$(status)" 200 "the address of the service answers"
START=$(jq -r '[.. | strings | select(test("/api/dispatch$"))][0]' "$BODY")
get "$START"
is "$(status)" 200 "and leads to the protocol"
cp "$BODY" "$TMP/index"
step() { jq -r --arg s "$1" '.loop[] | select(.step == $s) | .how | capture("(?<url>https?://[^ ]*)").url' "$TMP/index"; }
isnt "$(step read),$(step invoke),$(step confirm)" ",," "which shows the steps"
if [ -n "$(step ask)" ]; then
	get "$(step ask | sed 's/ask=.*/ask=turn+text+into+capital+letters/')"
	FOUND=$(jq -r '.best.key' "$BODY")
else
	path=$(jq -r '.endpoints[] | select(.path | endswith("/search")) | .path' "$TMP/index")
	get "$(jq -r .base "$TMP/index")$path?q=upper+case+letters"
	FOUND=$(jq -r '.rows[0].key' "$BODY")
fi
is "$(status) $FOUND" "200 UPPER" "plain words find a row"
get "$(step read | sed "s/KEY/$FOUND/; s/format=markdown/format=json/")"
is "$(status) $(jq_get .key)" "200 UPPER" "its contract is read"
cp "$BODY" "$TMP/contract"
is "$(jq -r '.affordances[] | select(.name == "run") | .allowed' "$TMP/contract")" true "which says that the caller may run it"
url=$(jq -r '.links[] | select(.name == "Invoke") | .url' "$TMP/contract")
request POST "${url#"$BASE"}" "$(jq -c '{key, body: .example.body, contract}' "$TMP/contract")"
is "$(status) $(jq_get .ok)" "200 true" "its example runs, with the contract that was read"
is "$(jq_get .result)" "$(jq -r .example.body "$TMP/contract" | tr '[:lower:]' '[:upper:]')" "and does what the contract says"
cp "$BODY" "$TMP/answer"
get "$(jq -r .proof.confirm "$TMP/answer")"
is "$(status) $(jq_get .confirmed) $(jq_get .status)" "200 true PROVEN_MATERIAL_RESULT" "its receipt confirms it"
is "$(jq -c .fingerprints "$BODY")" "$(jq -c .invocation.fingerprints "$TMP/answer")" "with the same fingerprints"
INV=$(jq_get .invocation_id)
get "$(step confirm | sed "s/inv_.*/$INV/")"
is "$(jq_get .confirmed)" true "also at the address that the protocol shows"

# Every address of the document works as it is shown: what stands for a receipt or a token is put in.
owner POST $C '{"key":"ECHO","body":"ERR:x"}' >/dev/null
OURS=$(jq_get .proof.invocation_id)
owner GET "$C?key=ECHO" >/dev/null
cp "$BODY" "$TMP/contract"
fill() { printf '%s' "$1" | sed "s/inv_…\$/$OURS/; s/inv_\\.\\.\\.\$/$OURS/; s/&share=TOKEN\$//"; }
body_of()
{
	case $1 in
	Invoke | run) echo '{"key":"ECHO","body":"x"}' ;;
	preview) echo '{"key":"ECHO","body":"x","shape":true}' ;;
	Replay) echo "{\"replay\":\"$OURS\"}" ;;
	Repair) echo "{\"key\":\"ECHO\",\"body\":\"better\",\"repairs\":\"$OURS\"}" ;;
	edit) echo '{"category":"text"}' ;;
	esac
}
jq -r '(.links[], .affordances[]) | [.name, .method, .url] | @tsv' "$TMP/contract" >"$TMP/moves"
while IFS="$(printf '\t')" read -r name method url; do
	full=$(fill "$url")
	if [ "$name" = run_by_url ]; then
		request "$method" "${full#"$BASE"}&body=x"
	else
		request "$method" "${full#"$BASE"}" "$(body_of "$name")" -H "x-terminal-key: $KEY"
	fi
	is "$(status)" 200 "$name: $method $url"
done <"$TMP/moves"
ok "the document has its moves" [ "$(wc -l <"$TMP/moves")" -ge 12 ]
is "$(api GET "$C?confirm=$OURS" | jq -r .repaired_by | cut -c1-4)" inv_ "the repair that it shows is one"
get "$(fill "$(jq -r .run_now "$TMP/contract")")"
is "$(status) $(jq_get .result)" "200 $(jq -r .example.body "$TMP/contract")" "the address that runs the example runs it"
jq -r '.troubleshooting[].url' "$TMP/contract" >"$TMP/troubles"
while read -r url; do
	case $url in *q=) full=${url}echo ;; *) full=$url ;; esac
	get "$full" owner
	is "$(status)" 200 "for trouble: $url"
done <"$TMP/troubles"
owner GET "$C?key=ECHO&format=markdown" >/dev/null
known=$(jq -r '[.. | strings | select(startswith("https://"))] | unique[]' "$TMP/contract")
shown=$(grep -oE "https://[^\` ]*" "$BODY" | sort -u)
is "$(printf '%s\n' "$shown" | while read -r u; do printf '%s\n' "$known" | grep -qxF -- "$u" || echo "$u"; done)" "" "the Markdown shows no other address"
ok "… and shows some" [ "$(printf '%s\n' "$shown" | wc -l)" -gt 8 ]

# What a credential is told
owner GET "$C?explain=1" >/dev/null
is "$(status) $(jq -c '[.credential,.actor,.scope,.may.change_rows,.may.receipts,.uses_left,.expires_at]' "$BODY")" '200 ["owner","owner:terminal-key","everything",true,"all",null,null]' "the owner may do everything"
is "$(jq_get .limits.max_body_bytes)" 1048576 "… within the limits of the service"
is "$(jq_get .readable.count)" "$(owner GET /api/directory | jq .count)" "… and read every row"
owner GET "$C?ping=1" >/dev/null
is "$(status) $(jq_get .ran) $(jq_get .invocation.key)" "200 true NOW" "ping runs NOW"
is "$(header cache-control)" no-store "… and is not stored"
api HEAD "$C?ping=1" >/dev/null
is "$(status)" 405 "… HEAD does not"
api GET "$C?ping=1" '' -H 'sec-purpose: prefetch' >/dev/null
is "$(status) $(jq_get .error)" "403 prefetch_refused" "… nor does a browser that looks ahead"
api GET "$C?ping=2" >/dev/null
is "$(status) $(jq_get .error)" "400 bad_parameter" "ping is 1"
rc_stop
rc_start --set anonymous=read,row:ECHO || bail "the service did not start again"
owner PATCH /api/directory/LOWER '{"enabled":0}' >/dev/null
api GET "$C?explain=1" >/dev/null
is "$(jq -c '[.credential,.actor,.scope,.callable,.may.change_rows,.may.receipts]' "$BODY")" '["none","anonymous","read,row:ECHO",{"count":1,"keys":["ECHO"]},false,"confirm"]' "nobody may do what the setting says"
is "$(jq_get .readable.count)" "$(api GET /api/directory | jq .count)" "… and reads what is listed"
api GET "$C?ping=1" >/dev/null
is "$(status) $(jq -c '[.error,.ran,.explain.callable.keys]' "$BODY")" '401 ["unauthorized",false,["ECHO"]]' "a ping that may not run says what may"
api GET "$C?explain=1" '' -H 'authorization: Bearer rct_no' >/dev/null
is "$(status) $(jq_get .error)" "401 token_invalid" "an invalid credential is told so"

unlike "$(cat "$DIR"/log/*)" 'runtime error|ERROR: AddressSanitizer|LeakSanitizer' "the sanitizers found nothing"

done_testing
