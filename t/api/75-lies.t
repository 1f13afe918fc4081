#!/bin/sh
# What stands at the address of --url and is no Rowcall never passes for one: nothing is said to be done, nothing hangs, nothing crashes, the credential goes
# nowhere else.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

double liar
export ROWCALL_TOKEN=rct_0123456789secret EDITOR=true
echo '{"key":"K","type":"fn","target":"now","content":"# WHAT: x","examples":["x"]}' >"$TMP/row"
# rowcall of the server that lies so; its exit code.
to() { lie=$1; shift; timeout 60 "$BUILD/rowcall" "$@" --url "http://$double_at/$lie" >"$TMP/out" 2>"$TMP/err" </dev/null; echo $?; }
# The exit codes of all commands, each once.
all()
{
	while read -r words; do
		# shellcheck disable=SC2086
		to "$1" $words
	done <<-'X' | sort -u | tr '\n' ' '
	ls
	show K
	show K --json
	set K category=c
	rm K
	disable K
	history K
	restore K 1
	ask x
	call K x
	call K --shape
	receipt K
	receipts
	prune --before 2026-01-01 --json
	token mint --scope act
	token revoke K
	deny K
	approve K
	watch rm K
	breaker reset K
	events
	export
	export K
	status
	X
}
for lie in html object; do is "$(all $lie)" '69 ' "$lie: no command takes it for an answer"; done
for lie in moved half text null list nothing; do is "$(to $lie ls) $(to $lie deny K)" '69 69' "$lie: nor that"; done
for lie in html object; do
	is "$(to $lie edit K) $(to $lie add "$TMP/row") $(to $lie import jsonl "$TMP/row")" '69 69 69' "… nor edit, add and import"
done
unlike "$(cat "$TMP/liar.log")" '^[A-Z]+ /stolen' "a redirection is not followed"
like "$(to html deny K; cat "$TMP/err")" '^rowcall: POST /api/approvals/K: the answer, with status 200, is none of Rowcall.s; is --url' "it is said what was asked, and what may be wrong"
unlike " $(all nested)" ' 1[234][0-9] ' "members of other types end no command by a signal or a limit"
is "$(to numbers ls) $(to numbers events) $(to numbers deny K)" '69 69 69' "a number is no list, nor a yes"
is "$(to refusal ls) $(to refusal deny K)" '1 1' "a refusal of another shape is one"

for lie in deep cut ssh closed gzip interim headers; do is "$(to $lie ls)" 69 "$lie: no answer"; done
for lie in long chunks bomb; do
	is "$(to $lie ls),$(cat "$TMP/err")" "69,rowcall: http://$double_at/$lie: the answer is larger than 64 MiB" "$lie: there is an end to what is read"
done
is "$(to pages ls),$(cat "$TMP/err")" '69,rowcall: GET /api/directory?limit=1000: the list does not end after 10000 pages' "and to a list whose cursors never end"
is "$(to again prune --before 2026-01-01)" 0 "what comes no further is not asked again"
like "$(grep -c 'POST /again' "$TMP/liar.log")" '^[12]$' "… and once more at most"

# A service that goes away meanwhile.
jq -c '.key = "K1", .key = "K2", .key = "K3"' "$TMP/row" >"$TMP/rows"
is "$(to dies import jsonl "$TMP/rows"),$(tail -1 "$TMP/err")" '69,rowcall: 1 created, 0 changed, 0 unchanged, 0 gone, 0 refused, 2 undone' "an import counts what is done"
is "$(cut -f1-3 "$TMP/out")" "$(printf 'K1\tcreated\tnow\nK2\tundone\tno answer came: whether it is stored is not known\nK3\tundone\twas not asked for')" "… and says of which row it is not known"
is "$(to dies import jsonl --atomic "$TMP/rows"),$(tail -1 "$TMP/err")" '69,rowcall: 0 created, 0 changed, 0 unchanged, 0 gone, 0 refused, 3 undone' "of a batch neither is said that it is stored nor that it is not"
unlike "$(cat "$TMP/out" "$TMP/err")" 0123456789secret "the credential is in no message"
done_testing
