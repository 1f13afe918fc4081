#!/bin/sh
# What somebody at the shell meets in rowcall(1): words, times, mistakes and what is said to them, completion.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start || bail "the instance does not start"
ROWCALL_DIR=$DIR TMPDIR=$TMP; export ROWCALL_DIR TMPDIR
rowcall() { "$BUILD/rowcall" "$@" 2>"$TMP/err"; }
code() { "$BUILD/rowcall" "$@" >"$TMP/out" 2>"$TMP/err"; printf %s $?; }
said() { head -1 "$TMP/err"; }

# Named arguments become what the row's schema says.
rowcall add - >/dev/null <<'X'
{"key":"TYPED","type":"fn","target":"echo","content":"# WHAT: x\n[\"$1\"]","examples":[["x"]],"input_schema":{"type":"object","required":["id"],
 "$defs":{"name":{"type":"string"}},
 "properties":{"id":{"type":"string"},"n":{"type":"integer"},"d":{"type":"number"},"b":{"type":"boolean"},"l":{"type":"array"},
 "o":{"type":["object","null"]},"any":{},"ref":{"$ref":"#/$defs/name"},"either":{"anyOf":[{"type":"string","maxLength":2},{"type":"array"}]}}}}
X
named() { c=$(code call TYPED --named id=x "$@"); [ "$c" = 0 ] || { echo "$c $(said)"; return; }; rowcall receipts -n 1 --json | jq -r '.[0].invocation_id' >"$TMP/id"; rowcall receipt "$(cat "$TMP/id")" --json | jq -r .input; }
while read -r given want; do
	is "$(named --named "$given")" "$want" "--named $given"
done <<'X'
id=42 {"id":"42"}
id={"a":1} {"id":"{\"a\":1}"}
n=42 {"id":"x","n":42}
d=1.5 {"id":"x","d":1.5}
b=true {"id":"x","b":true}
l=[1,"a"] {"id":"x","l":[1,"a"]}
o={"a":1} {"id":"x","o":{"a":1}}
o=null {"id":"x","o":null}
ref=7 {"id":"x","ref":"7"}
either=12 {"id":"x","either":"12"}
either=[1] {"id":"x","either":[1]}
any=7 {"id":"x","any":7}
any=text {"id":"x","any":"text"}
n=1.5 1 rowcall: args_invalid: /n: must be of type integer
n=three 1 rowcall: args_invalid: /n: must be of type integer
b=yes 1 rowcall: args_invalid: /b: must be of type boolean
id 64 rowcall: `id` is no NAME=VALUE; see rowcall call --help
=x 64 rowcall: `=x` is no NAME=VALUE; see rowcall call --help
X
is "$(rowcall call TYPED 42)" 42 "a word by its place is taken as it is"
is "$(code call NOPE --named a=b) $(said)" '66 rowcall: unknown_key' "a row that is not there"

# What was not done is not said to be.
is "$(code breaker reset TYPED),$(cat "$TMP/out"),$(said)" '66,,rowcall: TYPED has no breaker to reset: see rowcall breaker ls' "no breaker"
rowcall token mint --scope row:NOW >/dev/null
cap=$(rowcall token ls | cut -f1)
is "$(rowcall token show "$cap" | grep -c ' no limit$')" 3 "what has no limit does not say 0"
is "$(rowcall token show "$cap" --json | jq -c '[.uses,.rate,.max_body_bytes]')" '[0,0,0]' "… but to a program"
is "$(code token revoke "$cap"),$(cat "$TMP/out")" "0,$cap is revoked, and every token made from it" "a token is revoked"
is "$(code token revoke "$cap"),$(cat "$TMP/out"),$(said)" "66,,rowcall: $cap was revoked already" "… once"
is "$(code token revoke "$cap" --json),$(jq -r .revoked "$TMP/out")" 66,0 "… to a program as well"
done_testing
