#!/bin/sh
# Canaries in every place where a secret may stand, driven through every door and given back by upstreams and programs in every form: none is anywhere afterwards.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

# The scanner: its own idea of the forms. Lines "FILE: NAME as FORM".
cat >"$TMP/scan.pl" <<'END'
use strict;
use warnings;
use MIME::Base64;

sub digits    # those that hold nothing but bits of the value, which has $n bytes before it
{
	my ($v, $n, $url) = @_;
	my $d = encode_base64("\0" x $n . $v, '');
	$d =~ tr{+/}{-_} if $url;
	my $from = int((8 * $n + 5) / 6);
	return substr $d, $from, int(8 * ($n + length $v) / 6) - $from;
}
sub percent { my ($v, $f) = @_; $v =~ s/([^A-Za-z0-9_.~-])/sprintf $f, ord $1/ge; return $v }
my %form = (raw => sub { $_[0] }, json => sub { $_[0] =~ s/(["\\])/\\$1/gr }, slash => sub { $_[0] =~ s/(["\\\/])/\\$1/gr },
	html => sub { my %e = ('&' => '&amp;', '<' => '&lt;', '>' => '&gt;', '"' => '&quot;', "'" => '&#39;'); $_[0] =~ s/([&<>"'])/$e{$1}/gr },
	percent => sub { percent($_[0], '%%%02X') }, lower => sub { percent($_[0], '%%%02x') }, form => sub { percent($_[0], '%%%02X') =~ s/%20/+/gr },
	hex => sub { unpack 'H*', $_[0] }, HEX => sub { uc unpack 'H*', $_[0] });
for my $n (0 .. 2) {
	$form{"base64+$n"} = sub { digits($_[0], $n, 0) };
	$form{"base64url+$n"} = sub { digits($_[0], $n, 1) };
}
my %value;
open my $list, '<', shift or die;
while (<$list>) { chomp; my ($n, $v) = split /=/, $_, 2; $value{$n} = $v }
for my $file (@ARGV) {
	open my $f, '<:raw', $file or next;
	my $text = do { local $/; <$f> };
	(my $joined = $text) =~ s/(?:\\r|\\n|[\r\n])//g;
	for my $name (sort keys %value) {
		for my $how (sort keys %form) {
			my $p = $form{$how}->($value{$name});
			print "$file: $name as $how\n" if index($text, $p) >= 0 || index($joined, $p) >= 0;
		}
	}
}
END
scan() { perl "$TMP/scan.pl" "$TMP/canaries" "$@"; }
# memory PID: what the process has in its memory, in $TMP/memory.
memory() { perl -e 'open my $m, "<", "/proc/$ARGV[0]/maps"; open my $f, "<:raw", "/proc/$ARGV[0]/mem" or die; while (<$m>) { /^(\w+)-(\w+) rw/ or next; sysseek $f, hex $1, 0; sysread $f, my $b, hex($2) - hex($1); print $b if defined $b }' "$1" >"$TMP/memory"; }

E=$TMP/exec.d
mkdir "$E" && chmod 755 "$E"
cat >"$E/tells" <<'END'
#!/usr/bin/perl
use MIME::Base64; my $v = $ENV{C_EXEC}; my $how = shift // '';
print $how eq 'hex' ? unpack 'H*', $v : $how eq 'lines' ? encode_base64('x' x 50 . $v) : $how eq 'base64' ? encode_base64("u$v", '') : $v, "\n";
if ($how eq 'fails') { print STDERR "$v\n"; exit 3 }
END
cat >"$E/waits" <<'END'
#!/bin/sh
exec sleep 60
END
printf '#!/bin/sh\nenv; cat /proc/self/cmdline; ls -l /proc/self/fd\n' >"$E/looks"
chmod 755 "$E"/*

EVIL_ENV=canary-of-the-environment-4711
export EVIL_ENV
upstream_start
rc_start --allow-upstream "$UPSTREAM" --set "exec_dir=$E" --set log_level=debug || bail "the service did not start"
U=http://$UPSTREAM
tail='-q"\<&+/% é~'
for n in BEARER BASIC PASS HEADER QUERY EXEC; do printf 'C_%s=canary-%s%s1\n' $n "$(echo $n | tr A-Z a-z)" "$tail"; done >"$TMP/canaries"
printf 'ACME_CLIENT_ID=canary-client"/+1\nACME_CLIENT_SECRET=canary-client-secret"/+1\n' >>"$TMP/canaries"
{ cat "$TMP/canaries"; printf 'ACME_TOKEN_URL=%s/oauth/special\nTELL_TOKEN_URL=%s/oauth/tell\nTELL_CLIENT_ID=canary-client"/+1\nTELL_CLIENT_SECRET=canary-client-secret"/+1\n' "$U" "$U"; } >>"$DIR/secrets.env"
# The upstream puts a number behind it.
# shellcheck disable=SC1003
printf '%s\n' 'OAUTH=canary-oauth-T"<\&+/%' >>"$TMP/canaries"
printf 'OWNER=%s\n' "$KEY" >>"$TMP/canaries"
printf 'EVIL_ENV=%s\n' "$EVIL_ENV" >>"$TMP/canaries"

# The scanner can find what it looks for.
perl -MMIME::Base64 -e 'my $v = "canary-bearer-q\"\\<&+/% \xc3\xa9~1"; print "$v\n", encode_base64($_ . $v) for "", "u", "us"; print encode_base64("x" x 50 . $v), unpack("H*", $v), "\n"' >"$TMP/planted"
is "$(scan "$TMP/planted" | sed 's/.* as //' | grep -v url | sort | tr '\n' ' ')" 'base64+0 base64+1 base64+2 hex raw ' "the scanner finds what was planted"

# see METHOD PATH [JSON [OPTION…]]: as the owner; the answer is kept to be looked through.
see() { owner "$@" >/dev/null; cat "$HEADERS" "$BODY" >>"$TMP/seen"; }
anyone() { api "$@" >/dev/null; cat "$HEADERS" "$BODY" >>"$TMP/seen"; }
row()
{
	see PUT "/api/directory/$1" "$(jq -nc --arg ty "$2" --arg t "$3" --arg a "$4" --arg c "# WHAT: a row of the test
${5-}" '{type:$ty,target:$t,auth:$a,content:$c,examples:["x"]} + (if $ty == "fn" and ($a != "") then {runner:"exec"} else {} end)')"
}
# Many calls at once: later KEY BODY…, then calls; the answers are $TMP/later.N.
later() { later_n=$((${later_n:-0} + 1)); printf '%surl = "%s/api/dispatch"\nheader = "x-terminal-key: %s"\nheader = "content-type: application/json"\ndata = "{\\"key\\":\\"%s\\",\\"body\\":\\"%s\\"}"\noutput = "%s/later.%s"\ndump-header = "%s/later.%s.head"\n' "${later_next-}" "$HTTP" "$KEY" "$1" "$2" "$TMP" "$later_n" "$TMP" "$later_n" >>"$TMP/calls"; later_next='next
'; }
calls() { curl -sS -K "$TMP/calls"; rm "$TMP/calls"; later_next=''; cat "$TMP"/later.* >>"$TMP/seen"; }
call() { see POST /api/dispatch "$(jq -nc --arg k "$1" --arg b "${2-}" '{key:$k,body:$b}')"; }

# What no process of the service needs.
anyone GET /api/directory
for p in exec writer; do
	memory "$(pids_of $p)"
	# The secrets' memory is in no fork of the master.
	is "$(scan "$TMP/memory" | grep -v EVIL_ENV)" '' "the process $p has no secret in its memory"
done
memory "$MASTER"
is "$(scan "$TMP/memory" | grep -v EVIL_ENV)" '' "nor has the master"
for p in $(pids_of worker); do memory "$p"; scan "$TMP/memory"; done >"$TMP/workers"
like "$(cat "$TMP/workers")" 'C_BEARER as raw' "workers have, which shows that one would be seen"
is "$(find "/proc/$(pids_of exec)/fd" -printf '%l\n' | grep -c -e '\.db' -e secrets.env -e writer)" 0 "the exec process has no database, secrets file or writer's socket open"
for p in $MASTER $(pgrep -P "$MASTER"); do
	like "$(cat "/proc/$p/limits")" 'Max core file size +0 +0' "no core dump of $(tr '\0' ' ' <"/proc/$p/cmdline")"
done

# Upstreams that give back what they were sent.
row R_BEARER http "GET $U/reflect/\$1/\$2/\$3" bearer:C_BEARER
row R_BASIC http "GET $U/reflect/\$1/\$2/\$3" basic:C_BASIC
row R_PASS http "GET $U/reflect/\$1/\$2/\$3" basic:alice:C_PASS
row R_HEADER http "GET $U/reflect/\$1/\$2/\$3" 'headers:{"X-Key":"pre $C_HEADER"}'
row R_QUERY http "GET $U/reflect/\$1/\$2/\$3" query:key=C_QUERY
row R_OAUTH http "GET $U/reflect/\$1/\$2/\$3" oauth:ACME
rows='R_BEARER R_BASIC R_PASS R_HEADER R_QUERY R_OAUTH'
for form in raw json html percent percent_lower form base64_0 base64_1 base64_2 base64url base64_lines hex; do
	for r in $rows; do later $r "$form|body|200"; done
done
calls
is "$(jq -r '.result | select(test("^HTTP 200:[^\n]*\\[redacted:") | not)' $(seq -f "$TMP/later.%g" 72))" '' "six auth forms, given back in twelve encodings: each time it is replaced"
for place in 'body|500' 'body|401' 'header|200' 'header|429' 'location|302' 'reason|200' 'reason|500' 'type|200' 'binary|200'; do
	for r in $rows; do for form in raw base64_1; do later $r "$form|$place"; done; done
done
calls
is "$(scan "$TMP/seen")" '' "nor in error bodies, headers, redirects, reasons, content types, binary answers"
row R_TELL http "GET $U/echo" oauth:TELL
call R_TELL
is "$(jq_get .result)" 'ERR:http:oauth:400:invalid_client' "a token server that repeats the client's secret is not quoted"
ok "the credentials were sent, all of them" sh -c "grep -q canary-query '$UPSTREAM_LOG' && grep -qi 'authorization: basic' '$UPSTREAM_LOG.last'"

# Programs that print it.
row X_TELLS fn tells bearer:C_EXEC '["$1"]'
for how in raw hex base64 lines fails; do
	call X_TELLS $how
	like "$(jq_get .result)" '\[redacted:C_EXEC\]' "a program that prints its secret ($how)"
done
row X_WAITS fn waits bearer:C_EXEC
row X_LOOKS fn looks bearer:OTHER_NAME
call X_LOOKS
unlike "$(jq_get .result)" 'canary|\.db|secrets|writer' "a program sees no secret but its row's, and no file of the service"
owner POST /api/dispatch '{"key":"X_WAITS","body":""}' >/dev/null &
waiting=$!
i=0; until pgrep -x sleep -s "$(pgrep -P "$(pids_of exec)" | head -1)" >"$TMP/program" 2>/dev/null; do i=$((i + 1)); [ $i -lt 600 ] || break; sleep 0.05; done
tree() { for p in "$@"; do echo "$p"; tree $(pgrep -P "$p"); done; }
mkdir "$TMP/proc"
for p in $(tree "$rc_pid"); do for f in cmdline environ; do cat "/proc/$p/$f" >"$TMP/proc/$p.$f" 2>/dev/null; done; done
ok "all processes of the service are looked at" [ "$(find "$TMP/proc" -name '*.cmdline' -size +0 | wc -l)" -ge 8 ]
is "$(scan "$TMP"/proc/* | grep -v ' EVIL_ENV ')" "$TMP/proc/$(cat "$TMP/program").environ: C_EXEC as raw" "command lines and environments hold none, but for the program that is to have it"
kill "$(cat "$TMP/program")"
wait $waiting

# Secrets in what callers write.
owner POST /api/tokens '{"scope":"act","uses":1000}' >/dev/null
T=$(jq_get .token) F=$(jq_get .fingerprint)
printf 'TOKEN=%s\n' "$T" >>"$TMP/canaries"
grep -E '^(C_BEARER|OWNER)=' "$TMP/canaries" | cut -d= -f2- >"$TMP/values"
while read -r v; do
	for enc in @text @json @html @uri @base64 ascii_downcase; do
		b=$(jq -nr --arg v "$v" "\$v | $enc")
		[ $enc != ascii_downcase ] || b=$(printf %s "$v" | od -An -v -tx1 | tr -d ' \n')
		see POST /api/dispatch "$(jq -nc --arg b "x $b y" '{key:"ECHO",body:$b,on_behalf_of:$b,authorized_by:$b}')"
		like "$(jq_get .result)" '^x .*\[redacted:' "in an argument, $enc"
		see POST /api/directory "$(jq -nc --arg b "$b" '{key:"HOLDS",type:"fn",target:"echo",content:("# WHAT: " + $b),examples:["x"]}')"
		is "$(status),$(jq_get .error)" 422,secret_in_row "… in a row"
		case $enc in @uri | @base64 | ascii_downcase) continue ;; esac
		see POST /api/tokens "$(jq -nc --arg b "$b" '{scope:"act",purpose:$b}')"
		is "$(status),$(jq_get .error)" 422,secret_in_input "… of a token"
		see POST /api/watch "$(jq -nc --arg b "$b" '{key_pattern:"*",decision:"deny",reason:$b}')"
		is "$(status),$(jq_get .error)" 422,secret_in_input "… of a rule"
		see POST /api/dispatch "$(jq -nc --arg b "$b" '{key:"KV_PUT",args:["k",$b]}')"
		is "$(jq_get .result)" ERR:kv:secret_in_value "… stored as a value"
	done
	for k in BASE64_ENCODE URL_ENCODE; do see POST /api/dispatch "$(jq -nc --arg k $k --arg b "us$v" '{key:$k,args:[$b]}')"; like "$(jq_get .result)" '\[redacted:' "… encoded by $k"; done
done <"$TMP/values"

# A token that its holder writes into an argument.
hold() { anyone POST /api/dispatch "$1" -H "authorization: Bearer $T"; }
hold "{\"key\":\"ECHO\",\"body\":\"see $HTTP/api/dispatch?key=ECHO&share=$T\",\"on_behalf_of\":\"$T\"}"
like "$(jq_get .result)" 'share=\[redacted:token\]$' "the token of the call is not echoed"
INV=$(jq_get .invocation.id)
for k in BASE64_ENCODE URL_ENCODE ECHO; do hold "{\"key\":\"$k\",\"args\":[\"u$T\"]}"; like "$(jq_get .result)" '\[redacted:token\]' "… through $k"; done
hold "{\"key\":\"ECHO\",\"body\":\"$(printf %s "$T" | od -An -v -tx1 | tr -d ' \n')\"}"
is "$(jq_get .result)" '[redacted:token]' "… in hexadecimal"
hold "{\"key\":\"KV_PUT\",\"args\":[\"k\",\"$T\"]}"
is "$(jq_get .result)" ERR:kv:secret_in_value "… or stored"
anyone GET "/api/dispatch?invoke=ECHO&body=$T&share=$T"
is "$(jq_get .result)" '[redacted:token]' "… by URL"
anyone POST /api/dispatch "{\"key\":\"ECHO\",\"body\":\"$T\",\"capability_token\":\"$T\"}"
is "$(jq_get .result)" '[redacted:token]' "… from the body"
anyone POST /api/tokens/attenuate "{\"purpose\":\"$T\"}" -H "authorization: Bearer $T"
is "$(status),$(jq_get .error)" 422,secret_in_input "nor is it a purpose"
anyone POST /api/dispatch "{\"replay\":\"$INV\"}" -H "authorization: Bearer $T"
is "$(status),$(jq_get .error)" 409,input_not_kept "an input that held it is not kept"
anyone POST /api/dispatch '{"key":"ECHO","body":"x"}' -H "authorization: Bearer ${T}x"
anyone GET "/api/directory/ECHO?share=$T"

# The environment reaches nothing.
row ENVIRON fn echo '' '["$1 $HOME $PATH $EVIL_ENV $TERMINAL_KEY $C_BEARER"]'
# shellcheck disable=SC2016
for v in '${EVIL_ENV}' '$EVIL_ENV' '{{env.PATH}}' '%24%7BHOME%7D' '$TERMINAL_KEY' '$C_BEARER'; do
	call ENVIRON "$v"
	is "$(jq_get .result)" "$v"' $HOME $PATH $EVIL_ENV $TERMINAL_KEY $C_BEARER' "literal: $v"
done
row R_ENV http "GET $U/echo" bearer:EVIL_ENV
see POST /api/dispatch '{"key":"R_ENV","body":"","shape":true}'
is "$(jq_get '.shaped.notes | tojson')" '["credential_missing:EVIL_ENV"]' "no auth form resolves a variable of the environment"

# Every door, as everyone.
DIGEST=$(owner GET /api/directory/R_BEARER | jq -r .contract)
for r in $rows X_TELLS; do
	see POST /api/dispatch "{\"key\":\"$r\",\"body\":\"raw|body|200\",\"shape\":true}"
	see GET "/api/directory/$r/history"
	for f in markdown json; do see GET "/api/dispatch?key=$r&format=$f"; anyone GET "/api/dispatch?key=$r&format=$f"; done
done
owner GET '/api/dispatch?ledger=1&limit=500' >/dev/null
jq -r '.rows[].invocation_id' "$BODY" >"$TMP/ids"
ok "there are receipts to look at" [ "$(wc -l <"$TMP/ids")" -ge 100 ]
sed -n '1~15p' "$TMP/ids" >"$TMP/some"
while read -r i; do
	see GET "/api/dispatch?receipt=$i"
	anyone GET "/api/dispatch?confirm=$i"
	anyone GET "/receipt/$i"
done <"$TMP/some"
see POST /api/dispatch "{\"replay\":\"$(grep -m1 . "$TMP/ids")\"}"
for path in / /llms.txt /api/openapi.json /api/directory /api/directory/search?q=canary /api/directory/categories /api/directory/R_BEARER "/api/contract/$DIGEST" \
	'/api/dispatch?registry=1' '/api/dispatch?tools=openai' '/api/dispatch?tools=anthropic' '/api/dispatch?explain=1' '/api/dispatch?ping=1' /api/dispatch \
	'/api/dispatch?ask=a+row+of+the+test' '/api/dispatch?ledger=1&limit=500' /api/healthz /api/status /api/metrics /api/events?limit=1000 /api/tokens /api/watch /api/approvals /api/breakers \
	"/api/tokens/$F" /nowhere '/api/dispatch?key=R_BEARERS'; do
	see GET "$path"
	anyone GET "$path"
done
ok "the doors were open" [ "$(grep -c '^HTTP/[0-9.]* 200' "$TMP/seen")" -ge 100 ]
is "$(scan "$TMP/seen")" '' "no answer of any door holds a canary in any form"

rc_stop
is "$(scan "$DIR"/log/* "$TMP/up.out" "$TMP/up.err")" '' "no log does, at the level debug"
is "$(scan "$DIR"/*.db*)" '' "neither database does, nor what is beside it"
is "$(perl -e 'my $t = pop; local $/; for (@ARGV) { open my $f, "<", $_; my $x = <$f>; for my $i (4 .. length($t) - 6) { print substr($t, $i, 6), " in $_\n" if index($x, substr $t, $i, 6) >= 0 } }' "$DIR"/log/* "$DIR"/*.db "$T")" '' "no six characters of the token are anywhere"

# What is no secret.
refused() { printf '%s\n' "$1" >>"$DIR/secrets.env"; "$BUILD/rowcall" up --share "$SOURCE" --port 0 "$DIR" >"$TMP/refused" 2>&1 && fail "$3"; like "$(cat "$TMP/refused")" "$2" "$3"; unlike "$(cat "$TMP/refused")" 'seven77|canary' "… and not shown"; sed -i '$d' "$DIR/secrets.env"; }
refused 'SHORT=seven77' 'SHORT is shorter than 8 bytes' "a secret of seven bytes is refused by its name"
refused "$(printf 'TABBED=canary\tvalue')" 'TABBED has a control character' "one with a control character too"
refused "$(printf 'DOS=canary-value\r')" 'DOS ends in a carriage return' "and one with a DOS line end"
done_testing
